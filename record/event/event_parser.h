/* event_parser.h: the parser of -e, and the parsers of each kind of event.
 *
 * All functions here return 0 or a negative errno with err set;
 * rec_event_parse() then drops the events that were already appended.
 */
#ifndef REC_EVENT_PARSER_H
#define REC_EVENT_PARSER_H

#include "record/event/event_pmu.h"

enum { REC_EVENT_NAME_LEN = 256 };

struct rec_parser {
	const char *at; /* the rest of the text */
	struct rec_event_list *list;
	const struct rec_event_env *env;
	struct pd_err *err;
};

/* The text of one event, split into its parts. */
struct rec_event_text {
	struct rec_text all;
	struct rec_text name;	   /* up to the slash or the last colon */
	struct rec_text terms;	   /* between the slashes; at NULL: none */
	struct rec_text modifiers; /* letters at the end */
};

/* Copy text to buf, REC_EVENT_NAME_LEN long, as a string. */
int rec_parser_copy(struct rec_parser *p, struct rec_text text, char *buf);

/* Apply modifier letters or general terms to all events from first on. */
int rec_parser_modifiers(struct rec_parser *p, size_t first,
			 struct rec_text letters);
int rec_parser_terms(struct rec_parser *p, size_t first, struct rec_text terms);

/* Parse "mem:...", including the prefix. */
int rec_parse_breakpoint(struct rec_parser *p, struct rec_text all);

/* Parse a tracepoint; t->name has a colon. */
int rec_parse_tracepoint(struct rec_parser *p, const struct rec_event_text *t);

/* Parse a name of the CPU's vendor.  Return 1, or 0 if there is none. */
int rec_parse_vendor(struct rec_parser *p, const struct rec_event_text *t);
/* Offer these names in perf list's spelling. */
void rec_offer_vendor(struct sup_nearest *near,
		      const struct rec_event_env *env);

/* A rec_tracefs_visit() that offers names to the struct sup_nearest in ctx. */
int rec_offer_tracepoint(void *ctx, const char *sys, const char *name);

#endif
