/* output_file.h: sends stdout to a new file, which gets its name at the end.
 *
 *	rpt_output_file_open(&file, path, inputs, input_nr, &err)
 *	... print to stdout
 *	rpt_output_file_end(&file, rc, &err)
 */
#ifndef RPT_OUTPUT_FILE_H
#define RPT_OUTPUT_FILE_H

#include "format/support/new_file.h"
#include "format/support/options.h"

struct rpt_output_file {
	struct sup_new_file file;
	int old_stdout; /* -1: stdout was not sent elsewhere */
};

/* Rows of an option table: a path, and the bytes that a page may have. */
#define RPT_OPT_OUTPUT_FILE(letter, off)                             \
	{                                                            \
		(letter), "output", SUP_STRING, (off), 0, "FILE",    \
			"write to FILE, replacing it (stdout)", NULL \
	}
#define RPT_OPT_PAGE_SIZE(off)                                                \
	{                                                                     \
		0, "page-size", SUP_CALL, (off), 0, "SIZE",                   \
			"of --format html: add up the lightest functions so " \
			"that the page is no larger (16M)",                   \
			rpt_parse_page_size                                   \
	}
#define RPT_OPT_PAGE_CODE(off)                                             \
	{                                                                  \
		0, "page-code", SUP_CALL, (off), 0,                        \
			"none|instructions|source",                        \
			"of --format html: what the page has of the code " \
			"of its heaviest functions; source: their lines, " \
			"too (instructions)",                              \
			rpt_parse_page_code                                \
	}
#define RPT_PAGE_LEN_MAX (UINT64_C(16) << 20)

/* Return the title of a page: the names of the files, without their folders.
 * The caller frees it. */
char *rpt_page_title(const char *const *inputs, size_t input_nr);

/* The amount of code that a page has of its functions. */
enum rpt_page_code_kind {
	RPT_PAGE_CODE_INSTRUCTIONS,
	RPT_PAGE_CODE_NONE,
	RPT_PAGE_CODE_SOURCE, /* instructions and lines of the source */
};

/* For SUP_CALL, of an enum rpt_page_code_kind. */
int rpt_parse_page_code(void *conf, const char *arg, bool unset,
			struct pd_err *err);

/* For SUP_CALL, of a uint64_t. */
int rpt_parse_page_size(void *conf, const char *arg, bool unset,
			struct pd_err *err);

/* path NULL: leave stdout as it is.  Return 0; -EINVAL if path is one of the
 * inputs, or the errno of opening it.  Call rpt_output_file_end() in any case.
 */
int rpt_output_file_open(struct rpt_output_file *ret, const char *path,
			 const char *const *inputs, size_t input_nr,
			 struct pd_err *err);

/* Send stdout where it went before.  Give the file its name if rc is 0, else
 * remove it.  Return rc, or the errno of writing. */
int rpt_output_file_end(struct rpt_output_file *file, int rc,
			struct pd_err *err);

#endif
