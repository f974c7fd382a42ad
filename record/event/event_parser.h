/* event_parser.h: the parser of -e and the kinds of events it hands texts to.
 *
 * Everything here returns 0 or a negative errno with err set; events that stand
 * in the list by then are dropped by rec_event_parse().
 */
#ifndef REC_EVENT_PARSER_H
#define REC_EVENT_PARSER_H

#include "record/event/event_pmu.h"

enum { REC_EVENT_NAME_LEN = 256 };

struct rec_parser {
	const char *at; /* what is not read yet */
	struct rec_event_list *list;
	const struct rec_event_env *env;
	struct pd_err *err;
};

/* One event's text in its parts. */
struct rec_event_text {
	struct rec_text all;
	struct rec_text name;	   /* up to the slash or the last colon */
	struct rec_text terms;	   /* between the slashes; at NULL: none */
	struct rec_text modifiers; /* letters at the end */
};

/* text as a string; buf holds REC_EVENT_NAME_LEN. */
int rec_parser_copy(struct rec_parser *p, struct rec_text text, char *buf);

/* Modifier letters, general terms for all events from first on. */
int rec_parser_modifiers(struct rec_parser *p, size_t first,
			 struct rec_text letters);
int rec_parser_terms(struct rec_parser *p, size_t first, struct rec_text terms);

/* "mem:...", the prefix included. */
int rec_parse_breakpoint(struct rec_parser *p, struct rec_text all);

/* t->name has a colon. */
int rec_parse_tracepoint(struct rec_parser *p, const struct rec_event_text *t);

/* A rec_tracefs_visit() that offers to the struct rec_nearest in ctx. */
int rec_offer_tracepoint(void *ctx, const char *sys, const char *name);

#endif
