#include "report/script/script_fields.h"

#include "report/events/event_name.h"

#include "format/support/nearest.h"

#include <errno.h>
#include <string.h>

/* PERF_COUNT_SW_DUMMY of perf_event_open(2) */
#define SW_DUMMY   9
#define F(name)	   RPT_FIELD_##name
#define ADDRESSES  (F(IP) | F(SYM) | F(SYMOFF) | F(DSO))
#define TASK_TIME  (F(COMM) | F(TID) | F(CPU) | F(TIME) | F(EVENT))
#define BY_DEFAULT (TASK_TIME | ADDRESSES | F(PERIOD))
#define NO_TRACE   (F(TRACE) | F(BPF_OUTPUT))

#define BETWEEN                                                      \
	"shows the code between branches, which perfpair does not: " \
	"'perf script' does"

static const struct field {
	const char *name;
	uint64_t bit;		/* 0: perf has the field, perfpair does not */
	uint64_t needs;		/* one of these PD_SAMPLE_* bits; 0: none */
	const char *needs_name; /* as perf names them; if bit is 0: why not */
} fields_known[] = {
	{ "comm", F(COMM), 0, NULL },
	{ "tid", F(TID), PD_SAMPLE_TID, "TID" },
	{ "pid", F(PID), PD_SAMPLE_TID, "TID" },
	{ "time", F(TIME), PD_SAMPLE_TIME, "TIME" },
	{ "cpu", F(CPU), PD_SAMPLE_CPU, "CPU" },
	{ "event", F(EVENT), 0, NULL },
	{ "trace", F(TRACE), PD_SAMPLE_RAW, "RAW" },
	{ "ip", F(IP), PD_SAMPLE_IP, "IP" },
	{ "sym", F(SYM), PD_SAMPLE_IP | PD_SAMPLE_ADDR, "IP" },
	{ "dso", F(DSO), PD_SAMPLE_IP | PD_SAMPLE_ADDR, "IP" },
	{ "addr", F(ADDR), PD_SAMPLE_ADDR, "ADDR" },
	{ "symoff", F(SYMOFF), PD_SAMPLE_IP | PD_SAMPLE_ADDR, "IP" },
	{ "period", F(PERIOD), 0, NULL },
	{ "iregs", F(IREGS), PD_SAMPLE_REGS_INTR, "IREGS" },
	{ "uregs", F(UREGS), PD_SAMPLE_REGS_USER, "UREGS" },
	{ "brstack", F(BRSTACK), 0, NULL },
	{ "brstacksym", F(BRSTACKSYM), 0, NULL },
	{ "brstackoff", F(BRSTACKOFF), 0, NULL },
	{ "srcline", F(SRCLINE), PD_SAMPLE_IP, "IP" },
	{ "srccode", F(SRCCODE), PD_SAMPLE_IP, "IP" },
	{ "flags", F(FLAGS), 0, NULL },
	{ "bpf-output", F(BPF_OUTPUT), PD_SAMPLE_RAW, "RAW" },
	{ "dsoff", F(DSOFF), PD_SAMPLE_IP | PD_SAMPLE_ADDR, "IP" },
	{ "cgroup", F(CGROUP), PD_SAMPLE_CGROUP, "CGROUP" },
	{ "retire_lat", F(RETIRE_LAT), PD_SAMPLE_WEIGHT_STRUCT,
	  "WEIGHT_STRUCT" },
	{ "weight", F(WEIGHT), PD_SAMPLE_WEIGHT | PD_SAMPLE_WEIGHT_STRUCT,
	  "WEIGHT" },
	{ "phys_addr", F(PHYS_ADDR), PD_SAMPLE_PHYS_ADDR, "PHYS_ADDR" },
	{ "data_src", F(DATA_SRC), PD_SAMPLE_DATA_SRC, "DATA_SRC" },
	{ "ins_lat", F(INS_LAT), PD_SAMPLE_WEIGHT_STRUCT, "WEIGHT_STRUCT" },
	{ "data_page_size", F(DATA_PAGE), PD_SAMPLE_DATA_PAGE_SIZE,
	  "DATA_PAGE_SIZE" },
	{ "code_page_size", F(CODE_PAGE), PD_SAMPLE_CODE_PAGE_SIZE,
	  "CODE_PAGE_SIZE" },
	{ "misc", F(MISC), 0, NULL },
	{ "tod", F(TOD), PD_SAMPLE_TIME, "TIME" },
	{ "machine_pid", F(GUEST_PID), 0, NULL },
	{ "vcpu", F(VCPU), 0, NULL },
	{ "callindent", F(DECODED), 0, NULL },
	{ "synth", F(DECODED), 0, NULL },
	{ "ipc", F(DECODED), 0, NULL },
	{ "insn", F(INSN), 0, NULL },
	{ "insnlen", F(INSN_LEN), 0, NULL },
	{ "disasm", F(DISASM), 0, NULL },
	{ "brstackinsn", 0, 0, BETWEEN },
	{ "brstackinsnlen", 0, 0, BETWEEN },
	{ "brstackdisasm", 0, 0, BETWEEN },
	{ "metric", 0, 0, "needs the tables of metrics that are part of perf" },
	{ "brcntr", 0, 0, BETWEEN },
};

#define KNOWN_NR (sizeof(fields_known) / sizeof(fields_known[0]))

static const struct type {
	const char *prefix; /* NULL: only named together with all */
	uint64_t by_default;
	uint64_t never; /* fields that such events cannot have */
} types[RPT_SCRIPT_TYPE_NR] = {
	[RPT_SCRIPT_HARDWARE] = { "hw", BY_DEFAULT, NO_TRACE },
	[RPT_SCRIPT_SOFTWARE] = { "sw", BY_DEFAULT | F(BPF_OUTPUT), F(TRACE) },
	[RPT_SCRIPT_TRACEPOINT] = { "trace", TASK_TIME | F(TRACE),
				    F(BPF_OUTPUT) },
	[RPT_SCRIPT_HW_CACHE] = { NULL, BY_DEFAULT, NO_TRACE },
	[RPT_SCRIPT_RAW] = { "raw",
			     BY_DEFAULT | F(ADDR) | F(DATA_SRC) | F(WEIGHT) |
				     F(INS_LAT) | F(DATA_PAGE) | F(CODE_PAGE) |
				     F(PHYS_ADDR),
			     NO_TRACE },
	[RPT_SCRIPT_BREAKPOINT] = { "break", BY_DEFAULT, NO_TRACE },
	[RPT_SCRIPT_OTHER] = { NULL, BY_DEFAULT, NO_TRACE },
	[RPT_SCRIPT_SYNTH] = { "synth", BY_DEFAULT, NO_TRACE },
};

enum rpt_script_type rpt_script_type_of(const struct pd_attr *attr)
{
	return attr->type < RPT_SCRIPT_OTHER ? (enum rpt_script_type)attr->type
					     : RPT_SCRIPT_OTHER;
}

bool rpt_script_is_dummy(const struct pd_attr *attr)
{
	return attr->type == PD_TYPE_SOFTWARE && attr->config == SW_DUMMY;
}

void rpt_script_fields_init(struct rpt_script_fields *fields)
{
	*fields = (struct rpt_script_fields){ 0 };
	for (int t = 0; t < RPT_SCRIPT_TYPE_NR; t++)
		fields->of[t] = types[t].by_default;
}

static bool is_name(const char *name, const char *text, size_t len)
{
	return name && strlen(name) == len && !memcmp(name, text, len);
}

static const struct field *field_of(const char *name, size_t len)
{
	for (size_t i = 0; i < KNOWN_NR; i++)
		if (is_name(fields_known[i].name, name, len))
			return &fields_known[i];
	return NULL;
}

/* Add or remove a field; sign 0: it belongs to a list that replaces the others.
 */
static void apply(struct rpt_script_fields *fields, int t, char sign,
		  uint64_t bit)
{
	if (bit & types[t].never)
		return;
	fields->is_set[t] = true;
	fields->is_listed[t] &= !sign;
	if (sign == '-') {
		fields->of[t] &= ~bit;
		fields->asked[t] &= ~bit;
		fields->required[t] &= ~bit;
		return;
	}
	fields->of[t] |= bit;
	fields->asked[t] |= bit;
}

static int parse_type(const char *text, const char **ret_list, int *ret_type,
		      struct pd_err *err)
{
	const char *colon = strchr(text, ':');

	*ret_list = colon ? colon + 1 : text;
	*ret_type = -1;
	for (int t = 0; colon && t < RPT_SCRIPT_TYPE_NR; t++)
		if (is_name(types[t].prefix, text, (size_t)(colon - text)))
			*ret_type = t;
	if (colon && *ret_type < 0) {
		pd_err_set(err, -EINVAL,
			   "--fields: no event type is named '%.*s'",
			   (int)(colon - text), text);
		pd_err_hint(err,
			    "types are hw, sw, trace, raw, break and synth");
		return -EINVAL;
	}
	return 0;
}

static int refuse_unknown(const char *word, size_t len, struct pd_err *err)
{
	struct sup_nearest near;

	sup_nearest_init(&near, word, len);
	for (size_t i = 0; i < KNOWN_NR; i++)
		if (fields_known[i].bit)
			sup_nearest_offer(&near, fields_known[i].name);
	pd_err_set(err, -EINVAL, "--fields: there is no field '%.*s'", (int)len,
		   word);
	sup_nearest_hint(&near, err,
			 "'perfpair script --help' lists the fields");
	return -EINVAL;
}

static int apply_word(struct rpt_script_fields *fields, int type,
		      const char *word, size_t len, struct pd_err *err)
{
	char sign = len && (*word == '+' || *word == '-') ? *word : 0;
	const struct field *f;

	if (sign) {
		word++;
		len--;
	}
	f = field_of(word, len);
	if (!f)
		return refuse_unknown(word, len, err);
	if (!f->bit)
		return pd_err_set(err, -EINVAL, "--fields: '%s' %s", f->name,
				  f->needs_name);
	if (type >= 0 && (f->bit & types[type].never))
		return pd_err_set(err, -EINVAL,
				  "--fields: '%s' is not for %s events",
				  f->name, types[type].prefix);
	if (f->bit == F(FLAGS)) { /* as in perf, of all events or none */
		fields->shows_flags = sign != '-';
		return 0;
	}
	for (int t = 0; t < RPT_SCRIPT_TYPE_NR; t++)
		if (type < 0 || t == type)
			apply(fields, t, sign, f->bit);
	for (int t = 0; type < 0 && t < RPT_SCRIPT_TYPE_NR; t++)
		fields->required[t] |= fields->asked[t] & f->bit;
	return 0;
}

int rpt_script_fields_parse(struct rpt_script_fields *fields, const char *text,
			    struct pd_err *err)
{
	const char *list;
	int type, rc = parse_type(text, &list, &type, err);
	bool is_change = *list == '+' || *list == '-';

	if (!rc && !list[strspn(list, ",")])
		rc = pd_err_set(err, -EINVAL, "--fields: no field is given");
	for (int t = 0; !rc && !is_change && t < RPT_SCRIPT_TYPE_NR; t++)
		if (type < 0 || t == type) {
			fields->of[t] = fields->asked[t] = 0;
			fields->required[t] = 0;
			fields->is_set[t] = true;
			fields->is_listed[t] = type >= 0;
		}
	fields->asks_decoded |= type == RPT_SCRIPT_SYNTH;
	for (; !rc && *list; list += *list == ',') {
		size_t len = strcspn(list, ",");
		bool has_sign = *list == '+' || *list == '-';

		if (!len)
			continue;
		if (has_sign != is_change)
			return pd_err_set(err, -EINVAL,
					  "--fields: '%s': either all fields "
					  "have a sign, or none",
					  text);
		rc = apply_word(fields, type, list, len, err);
		list += len;
	}
	return rc;
}

/* Return -EINVAL if a field is given without one that it needs. */
static int check_company(const struct rpt_script_fields *fields, int t,
			 struct pd_err *err)
{
	uint64_t of = fields->of[t];

	if ((of & F(SYMOFF)) && !(of & F(SYM)))
		return pd_err_set(err, -EINVAL,
				  "--fields: 'symoff' needs 'sym'");
	if ((of & (F(SRCLINE) | F(SRCCODE))) && !(of & F(IP)))
		return pd_err_set(err, -EINVAL, "--fields: '%s' needs 'ip'",
				  of & F(SRCLINE) ? "srcline" : "srccode");
	return 0;
}

/* Fields that perf allows in a recording with AUX data even if samples lack
 * them, since those that it makes of AUX data may have them. */
#define DECODERS_SET \
	(F(CPU) | F(ADDR) | F(WEIGHT) | F(PHYS_ADDR) | F(DATA_SRC) | F(IREGS))

/* Remove fields that samples of the event lack.  all_bits: of all events, since
 * branch stacks are printed if any event has them. */
static int adapt_to_event(struct rpt_script_fields *fields,
			  const struct pd_event *event, uint64_t all_bits,
			  bool has_aux, struct pd_err *err)
{
	int t = (int)rpt_script_type_of(&event->attr);
	char buf[RPT_EVENT_NAME_LEN];

	for (size_t i = 0; i < KNOWN_NR; i++) {
		const struct field *f = &fields_known[i];
		uint64_t bits = f->bit == F(BRSTACK) ? all_bits
						     : event->attr.sample_type;

		if (!(fields->of[t] & f->bit) || !f->needs || (bits & f->needs))
			continue;
		/* as in perf, shown by default even if samples lack it: a
		 * line with nothing else is then empty */
		if (f->bit == F(BPF_OUTPUT) && !(fields->asked[t] & f->bit))
			continue;
		if (has_aux && (fields->asked[t] & f->bit & DECODERS_SET))
			continue;
		if (fields->required[t] & f->bit)
			/* perf's words, by which perf2bolt knows it */
			return pd_err_set(err, -ENODATA,
					  "Samples for '%s' event do not have "
					  "%s attribute set. Cannot print '%s' "
					  "field.",
					  rpt_event_name(event, buf),
					  f->needs_name, f->name);
		fields->of[t] &= ~f->bit;
	}
	return check_company(fields, t, err);
}

#define USER_STACK (PD_SAMPLE_REGS_USER | PD_SAMPLE_STACK_USER)

/* Show ip and sym if there are call chains, whether asked for or not: so does
 * perf in pipe mode, since it reads events one by one. */
static void adapt_to_pipe(struct rpt_script_fields *fields,
			  const struct pd_event_set *events)
{
	uint64_t bits = 0;

	for (size_t i = 0; i < events->nr; i++) {
		int t = (int)rpt_script_type_of(&events->events[i].attr);

		bits |= events->events[i].attr.sample_type;
		if ((bits & (PD_SAMPLE_CALLCHAIN | PD_SAMPLE_BRANCH_STACK)) ||
		    (bits & USER_STACK) == USER_STACK)
			fields->of[t] |= F(IP) | F(SYM);
	}
}

/* Return true if perf stat recorded the file: no event has samples. */
static bool is_of_stat(const struct pd_reader *reader)
{
	struct pd_cursor c;

	return pd_reader_feature(reader, PD_FEATURE_STAT, &c);
}

/* Return -EINVAL if the user asked for fields of decoded AUX data and the
 * recording has such data. */
static int check_decoded(const struct rpt_script_fields *fields,
			 const struct pd_reader *reader, struct pd_err *err)
{
	struct pd_cursor c;
	uint64_t asked = 0;

	for (int t = 0; t < RPT_SCRIPT_TYPE_NR; t++)
		asked |= fields->asked[t];
	if (!(fields->asks_decoded || (asked & F(DECODED))) ||
	    !pd_reader_feature(reader, PD_FEATURE_AUXTRACE, &c))
		return 0;
	return pd_err_set(err, -EINVAL,
			  "--fields: callindent, synth and ipc are decoded out "
			  "of AUX data, as events of type synth are, which "
			  "perfpair does not do");
}

/* Return -EINVAL if a list for a type without events has no field but flags. */
static int check_types(const struct rpt_script_fields *fields,
		       const bool is_seen[], struct pd_err *err)
{
	for (int t = 0; t < RPT_SCRIPT_OTHER; t++)
		if (!is_seen[t] && fields->is_listed[t] && !fields->of[t])
			return pd_err_set(err, -EINVAL,
					  "--fields: there are no %s events, "
					  "and no field of theirs is named",
					  types[t].prefix);
	return 0;
}

/* Show flags beside other fields: alone they are not shown. */
static void add_flags(struct rpt_script_fields *fields)
{
	for (int t = 0; t < RPT_SCRIPT_TYPE_NR; t++)
		if (fields->shows_flags && fields->of[t])
			fields->of[t] |= F(FLAGS);
}

int rpt_script_fields_adapt(struct rpt_script_fields *fields,
			    const struct pd_reader *reader, bool with_chains,
			    struct pd_err *err)
{
	const struct pd_event_set *events = pd_reader_events(reader);
	bool is_seen[RPT_SCRIPT_TYPE_NR] = { false };
	const int trace = RPT_SCRIPT_TRACEPOINT;
	uint64_t all_bits = 0;
	struct pd_cursor c;
	bool has_aux = pd_reader_feature(reader, PD_FEATURE_AUXTRACE, &c);
	int rc = check_decoded(fields, reader, err);

	if (is_of_stat(reader))
		return rc;
	for (size_t i = 0; i < events->nr; i++)
		all_bits |= events->events[i].attr.sample_type;
	for (size_t i = 0; i < events->nr; i++)
		if (with_chains && !fields->is_set[trace] &&
		    events->events[i].attr.type == PD_TYPE_TRACEPOINT &&
		    (events->events[i].attr.sample_type & PD_SAMPLE_CALLCHAIN))
			fields->of[trace] |= ADDRESSES;
	if (with_chains && pd_reader_header(reader)->is_pipe)
		adapt_to_pipe(fields, events);
	for (size_t i = 0; !rc && i < events->nr; i++) {
		int t = (int)rpt_script_type_of(&events->events[i].attr);

		if (rpt_script_is_dummy(&events->events[i].attr))
			continue;
		if (!is_seen[t])
			rc = adapt_to_event(fields, &events->events[i],
					    all_bits, has_aux, err);
		is_seen[t] = true;
	}
	if (!rc)
		rc = check_types(fields, is_seen, err);
	add_flags(fields);
	return rc;
}
