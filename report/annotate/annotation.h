/* annotation.h: one function by instruction: address, bytes, text, source line,
 * where it jumps to and what it calls, and the samples there.
 *
 *	annotator = rpt_annotator_new(&conf)
 *	for each function i of hits (code_hits.h) that is to be shown:
 *		rc = rpt_annotate(annotator, &hits, i, &code, &err)
 *		... code.rows[0..code.row_nr)
 *		rpt_annotation_release(&code)
 *	rpt_annotator_free(annotator)
 *
 * Only one function's rows are in memory at a time, unless the caller keeps
 * more.  There is an annotator for each recording.  Code is x86 or arm64; it
 * comes from the file on this machine that has the recorded build-id, or from
 * what the recording carries (format/carried/carried_code.h).  Text is
 * capstone's.
 */
#ifndef RPT_ANNOTATION_H
#define RPT_ANNOTATION_H

#include "format/reader/reader.h"
#include "report/annotate/code_hits.h"

/* Code behind this many bytes of a function is not shown. */
#define RPT_ANNOTATION_LEN_MAX ((uint64_t)4 << 20)

struct rpt_annotator_conf {
	bool is_intel; /* -M intel instead of AT&T syntax, of x86 */
	/* Source files are not where the compiler had them: the first parts
	 * of absolute paths are left out, and prefix (NULL: none) put before.
	 */
	uint32_t strip_nr;
	const char *prefix;
	/* The recording that the functions are of, whose timeline is loaded:
	 * code that it carries is read.  Borrowed.  NULL: none is. */
	const struct pd_reader *reader;
	const struct rpt_symbols *symbols;
};

#define RPT_NO_ROW UINT32_MAX

/* An instruction, or bytes that are none. */
struct rpt_code_row {
	uint64_t to;	      /* dso address of the code that it jumps to,
			       * calls or names; 0: none */
	uint32_t off;	      /* of its first byte in the function */
	uint8_t len;	      /* in bytes, from 1 on */
	bool is_code;	      /* false: text is ".byte  0x06" */
	uint32_t text_off;    /* in annotation.texts */
	uint32_t callee_off;  /* likewise: the function that it calls, or jumps
			       * to elsewhere, "memcpy@plt"; 0: none */
	uint32_t target;      /* the row that it jumps to, or RPT_NO_ROW */
	uint32_t inlined_off; /* in texts: the function that was inlined here;
			       * 0: none */
	uint32_t file;	      /* in annotation.files; only if line is not 0 */
	uint32_t line;	      /* of the source; 0: it is not known */
	uint32_t hit_start;   /* in annotation.hits, by event */
	uint32_t hit_nr;
};

/* The samples of one event at a row, those inside the instruction among them.
 */
struct rpt_row_hit {
	uint32_t event_idx;
	struct rpt_hit_count count;
};

struct rpt_annotation {
	struct rpt_code_function function;
	uint64_t start;	 /* address of its first byte, as objdump shows it */
	uint8_t *bytes;	 /* of the function; owned */
	size_t len;	 /* of bytes */
	bool is_cut;	 /* the function is longer */
	bool is_carried; /* the code is the recording's */
	struct rpt_code_row *rows; /* owned */
	uint32_t row_nr;
	struct rpt_row_hit *hits; /* owned */
	uint32_t hit_nr;
	char *texts;	    /* each ends in NUL; the first one is ""; owned */
	const char **files; /* of the source, as the compiler got them; the
			     * array is owned, the names are the DSO's */
	uint32_t file_nr;
	uint64_t outside_nr; /* samples behind the rows */
};

struct rpt_annotator;

struct rpt_annotator *rpt_annotator_new(const struct rpt_annotator_conf *conf);
/* Safe on NULL. */
void rpt_annotator_free(struct rpt_annotator *annotator);

/* Fill ret with a function of hits, which is closed.  Return 0; -ENOENT if
 * there is no code of it here; -ENOTSUP if it is of another machine than those
 * above: err says why, and what would help.  ret can be released in any case.
 */
int rpt_annotate(struct rpt_annotator *annotator,
		 const struct rpt_code_hits *hits, uint32_t function,
		 struct rpt_annotation *ret, struct pd_err *err);
void rpt_annotation_release(struct rpt_annotation *code);

static inline const char *rpt_annotation_text(const struct rpt_annotation *code,
					      uint32_t text_off)
{
	return code->texts + text_off;
}

/* Return what a row has of an event. */
struct rpt_hit_count rpt_annotation_count(const struct rpt_annotation *code,
					  uint32_t row, uint32_t event_idx);

/* Find a line of the source, counted from 1, in what dso's recording carries or
 * in a regular file of this machine.  The text has no newline and is valid
 * until the next call.  Return false if it is not there. */
bool rpt_annotator_source(struct rpt_annotator *annotator, struct rpt_dso *dso,
			  const char *path, uint32_t line, struct pd_str *ret);

#endif
