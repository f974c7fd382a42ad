/* switch_output_spec.h: --switch-output: when one file ends and the next
 * begins.
 *
 *	signal, or nothing	at SIGUSR2, or the control command "snapshot"
 *	64M			when so much was written: B, K, M, G, T
 *	30s			when so much time has passed: s, m, h, d
 *
 * Sizes and times are those of all options (format/support/options.h), with a
 * unit; a time is at least 100 ms.
 */
#ifndef REC_SWITCH_OUTPUT_SPEC_H
#define REC_SWITCH_OUTPUT_SPEC_H

#include "format/base/err.h"

#include <stdbool.h>
#include <stdint.h>

struct rec_switch_output_spec {
	bool is_on;	      /* true if any of these is given */
	uint64_t len;	      /* bytes of a file; 0: any */
	uint64_t interval_ns; /* 0: any */
};

/* text NULL: "signal".  Return -EINVAL for a malformed text. */
int rec_switch_parse(const char *text, struct rec_switch_output_spec *ret,
		     struct pd_err *err);

/* Parse --max-size: a size with its unit, as in perf.  Return -EINVAL. */
int rec_max_len_parse(const char *text, uint64_t *ret_len, struct pd_err *err);

#endif
