/* script_fields.h: the fields that `script` prints, by the type of the event.
 *
 *	-F comm,tid,ip		these, for all types
 *	-F trace:comm,trace	these, for tracepoints
 *	-F +addr,-period	as by default, but for these
 *
 * A list has signs at all of its fields or at none.
 */
#ifndef RPT_SCRIPT_FIELDS_H
#define RPT_SCRIPT_FIELDS_H

#include "format/file/layout.h"
#include "format/reader/reader.h"

#include <stdbool.h>

#define RPT_FIELD_COMM	     PD_BIT(0)
#define RPT_FIELD_TID	     PD_BIT(1)
#define RPT_FIELD_PID	     PD_BIT(2)
#define RPT_FIELD_TIME	     PD_BIT(3)
#define RPT_FIELD_CPU	     PD_BIT(4)
#define RPT_FIELD_EVENT	     PD_BIT(5)
#define RPT_FIELD_TRACE	     PD_BIT(6)
#define RPT_FIELD_IP	     PD_BIT(7)
#define RPT_FIELD_SYM	     PD_BIT(8)
#define RPT_FIELD_DSO	     PD_BIT(9)
#define RPT_FIELD_ADDR	     PD_BIT(10)
#define RPT_FIELD_SYMOFF     PD_BIT(11)
#define RPT_FIELD_PERIOD     PD_BIT(12)
#define RPT_FIELD_IREGS	     PD_BIT(13)
#define RPT_FIELD_UREGS	     PD_BIT(14)
#define RPT_FIELD_BRSTACK    PD_BIT(15)
#define RPT_FIELD_WEIGHT     PD_BIT(16)
#define RPT_FIELD_PHYS_ADDR  PD_BIT(17)
#define RPT_FIELD_DATA_SRC   PD_BIT(18)
#define RPT_FIELD_INS_LAT    PD_BIT(19)
#define RPT_FIELD_DATA_PAGE  PD_BIT(20)
#define RPT_FIELD_CODE_PAGE  PD_BIT(21)
#define RPT_FIELD_MISC	     PD_BIT(22)
#define RPT_FIELD_TOD	     PD_BIT(23)
#define RPT_FIELD_SRCLINE    PD_BIT(24)
#define RPT_FIELD_BRSTACKSYM PD_BIT(25)
#define RPT_FIELD_BRSTACKOFF PD_BIT(26)
#define RPT_FIELD_FLAGS	     PD_BIT(27)
#define RPT_FIELD_BPF_OUTPUT PD_BIT(28)
#define RPT_FIELD_DSOFF	     PD_BIT(29)
#define RPT_FIELD_CGROUP     PD_BIT(30)
#define RPT_FIELD_RETIRE_LAT PD_BIT(31)
#define RPT_FIELD_GUEST_PID  PD_BIT(32)
#define RPT_FIELD_VCPU	     PD_BIT(33)
#define RPT_FIELD_DECODED    PD_BIT(34) /* of decoded AUX data */
#define RPT_FIELD_SRCCODE    PD_BIT(35)
#define RPT_FIELD_INSN	     PD_BIT(36)
#define RPT_FIELD_INSN_LEN   PD_BIT(37)
#define RPT_FIELD_DISASM     PD_BIT(38)
#define RPT_FIELD_CODE	     (RPT_FIELD_INSN | RPT_FIELD_INSN_LEN | RPT_FIELD_DISASM)

enum rpt_script_type {
	RPT_SCRIPT_HARDWARE,
	RPT_SCRIPT_SOFTWARE,
	RPT_SCRIPT_TRACEPOINT,
	RPT_SCRIPT_HW_CACHE,
	RPT_SCRIPT_RAW,
	RPT_SCRIPT_BREAKPOINT,
	RPT_SCRIPT_OTHER,
	RPT_SCRIPT_SYNTH, /* decoded AUX data: none here */
	RPT_SCRIPT_TYPE_NR,
};

struct rpt_script_fields {
	uint64_t of[RPT_SCRIPT_TYPE_NR];
	uint64_t asked[RPT_SCRIPT_TYPE_NR]; /* those that the user named */
	/* named for all types: it is an error if samples lack them */
	uint64_t required[RPT_SCRIPT_TYPE_NR];
	bool is_set[RPT_SCRIPT_TYPE_NR];    /* -F has set the type's list */
	bool is_listed[RPT_SCRIPT_TYPE_NR]; /* by a list for it alone */
	bool shows_flags;
	bool asks_decoded;
};

enum rpt_script_type rpt_script_type_of(const struct pd_attr *attr);

/* Return true if the event never has samples. */
bool rpt_script_is_dummy(const struct pd_attr *attr);

/* Fill in what is printed by default. */
void rpt_script_fields_init(struct rpt_script_fields *fields);

/* Apply one -F.  -EINVAL: err names the field that is wrong. */
int rpt_script_fields_parse(struct rpt_script_fields *fields, const char *text,
			    struct pd_err *err);

/* Remove fields that the samples of a type do not hold; -ENODATA if the user
 * asked for one of them.  with_chains: tracepoints show their call chains. */
int rpt_script_fields_adapt(struct rpt_script_fields *fields,
			    const struct pd_reader *reader, bool with_chains,
			    struct pd_err *err);

#endif
