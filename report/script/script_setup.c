#include "report/script/script_setup.h"

#include "report/script/script_compat.h"
#include "report/script/script_json.h"
#include "report/profile/fetch_debug.h"
#include "report/symbols/symbols.h"
#include "report/profile/stitch_pass.h"
#include "report/timeline/timeline.h"
#include "report/events/tracepoint.h"

#include "format/file/feature.h"

#include <errno.h>
#include <string.h>

/* Return the names of machine's registers, x86_64's if the file has none. */
static const struct rpt_reg_names *reg_names_of(struct pd_str machine)
{
	return machine.len ? rpt_reg_names_of(machine.ptr, machine.len)
			   : rpt_reg_names_of("x86_64", 6);
}

/* Return true if samples may need the kernel's names. */
static bool may_show_kernel(const struct rpt_script_setup *setup)
{
	const struct pd_event_set *events = pd_reader_events(setup->in.reader);
	bool may_need = false;

	for (size_t i = 0; i < events->nr; i++) {
		const struct pd_attr *attr = &events->events[i].attr;
		uint64_t of = setup->fields.of[rpt_script_type_of(attr)];

		if (rpt_script_is_dummy(attr))
			continue;
		may_need |= (of & RPT_FIELD_IP) &&
			    !(attr->flags & PD_ATTR_EXCLUDE_KERNEL);
	}
	return may_need && setup->args->jobs != 1;
}

static int load_timeline(struct rpt_script_setup *setup, struct pd_err *err)
{
	bool may_need = may_show_kernel(setup);
	struct rpt_symbols_conf conf = setup->args->symbols;
	struct rpt_file_chunks pieces = { 0 };
	int rc;

	if (!conf.kallsyms && !conf.vmlinux)
		conf.kallsyms = setup->in.source.dir.kallsyms;
	setup->symbols = rpt_symbols_new(&conf);
	rpt_symbols_set_author(setup->symbols, setup->in.source.user);
	setup->timeline = rpt_timeline_new(setup->symbols);
	rc = rpt_timeline_load(setup->timeline, setup->in.reader, &pieces, err);
	pd_damage_merge(&setup->in.damage,
			rpt_timeline_damage(setup->timeline));
	if (!rc && may_need)
		rpt_symbols_prefetch_kernel(setup->symbols);
	return rc;
}

/* --stitch-lbr */
static int stitch(struct rpt_script_setup *setup, struct pd_err *err)
{
	const struct rpt_stitch_pass pass = {
		.in = { .source = &setup->in.source,
			.reader = setup->in.reader,
			.damage = &setup->in.damage,
			.is_extra = true },
		.timeline = setup->timeline,
		.max_stack = setup->args->max_stack,
		.lost_max = RPT_CHAIN_NR,
		.filter = &setup->filter,
	};

	return rpt_stitch_pass(&pass, err);
}

/* Return all fields that the user named for any type of event. */
static uint64_t asked_fields(const struct rpt_script_setup *setup)
{
	uint64_t asked = 0;

	for (int t = 0; t < RPT_SCRIPT_TYPE_NR; t++)
		asked |= setup->fields.asked[t];
	return asked;
}

/* --debuginfod: count all samples, with a budget for that alone, and fetch
 * debug files for the DSOs that they lie in. */
static int fetch_debug(struct rpt_script_setup *setup, struct pd_err *err)
{
	struct rpt_budget *budget = rpt_timeline_budget(setup->timeline);
	int64_t left = budget->left;
	struct rpt_profile_conf conf = {
		.reader = setup->in.reader,
		.timeline = setup->timeline,
		.with_chains = !setup->args->hide_chains,
		.is_stitched = setup->args->stitch_lbr,
		.filter = &setup->filter,
	};
	struct rpt_profile profile;
	struct rpt_debug_request request = {
		&profile,
		asked_fields(setup) & (RPT_FIELD_SRCLINE | RPT_FIELD_SRCCODE),
	};
	int rc;

	rpt_profile_init(&profile, &conf);
	rc = rpt_profile_add_chunk(&profile, pd_reader_data(setup->in.reader),
				   err);
	if (!rc)
		rc = rpt_fetch_requests(&setup->args->debuginfod, &request, 1,
					err);
	rpt_profile_release(&profile);
	budget->left = left;
	return rc;
}

static int read_clock(struct rpt_script_setup *setup, struct pd_err *err)
{
	struct pd_clock_data data = { 0 };
	struct pd_cursor c;

	if (!(asked_fields(setup) & RPT_FIELD_TOD))
		return 0;
	if (!pd_reader_feature(setup->in.reader, PD_FEATURE_CLOCK_DATA, &c) ||
	    pd_feature_clock_data_read(&c, &data))
		return pd_err_set(err, -ENODATA,
				  "no clock data; the field 'tod' needs a "
				  "recording with -k CLOCKID");
	setup->tod_shift_ns = (int64_t)(data.wall_clock_ns - data.clockid_ns);
	return 0;
}

/* Adapt fields and filters to the file and read what these need of it. */
static int read_fields(struct rpt_script_setup *setup, struct pd_err *err)
{
	const struct rpt_script_args *args = setup->args;
	int rc = 0;

	if (!args->is_report_dump) {
		setup->fields = args->fields;
		rc = rpt_script_fields_adapt(&setup->fields, setup->in.reader,
					     !args->hide_chains, err);
	}
	if (args->is_compat)
		rpt_script_compat_fields(&setup->fields);
	if (args->is_json)
		rpt_script_json_fields(&setup->fields);
	if (!rc)
		rc = rpt_filter_resolve(&setup->filter, &args->filter,
					setup->in.reader, err);
	return rc ? rc : read_clock(setup, err);
}

int rpt_script_setup_read(struct rpt_script_setup *setup, struct pd_err *err)
{
	struct pd_str machine =
		pd_reader_string(setup->in.reader, PD_FEATURE_ARCH);
	int rc = read_fields(setup, err);

	setup->reg_names = reg_names_of(machine);
	if (!rc)
		rc = load_timeline(setup, err);
	if (!rc && setup->args->stitch_lbr)
		rc = stitch(setup, err);
	if (!rc && setup->args->debuginfod.is_asked)
		rc = fetch_debug(setup, err);
	if (!rc)
		rpt_tracepoints_load(&setup->tracepoints, setup->in.reader,
				     &setup->in.damage);
	setup->unwind = rpt_unwind_new(rpt_arch_of(machine.ptr, machine.len));
	return rc;
}

static void add_stops(struct rpt_script_setup *setup)
{
	const char *p = setup->args->stops;

	for (; p && *p; p += *p == ',') {
		size_t len = strcspn(p, ",");

		if (len)
			rpt_intern(&setup->stops, p, len);
		p += len;
	}
}

int rpt_script_setup_init(struct rpt_script_setup *setup,
			  const struct rpt_script_args *args,
			  struct pd_err *err)
{
	*setup = (struct rpt_script_setup){ .args = args };
	add_stops(setup);
	return rpt_filter_parse(&setup->filter, &args->filter, err);
}

void rpt_script_setup_release(struct rpt_script_setup *setup)
{
	rpt_unwind_free(setup->unwind);
	rpt_tracepoints_free(setup->tracepoints);
	rpt_timeline_free(setup->timeline);
	rpt_symbols_free(setup->symbols);
	rpt_filter_release(&setup->filter);
	rpt_intern_release(&setup->stops);
}
