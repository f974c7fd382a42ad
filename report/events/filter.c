#include "report/events/filter.h"

#include "report/symbols/dso_class.h"
#include "report/base/whole_file.h"
#include "report/timeline/tasks.h"

#include "format/file/feature.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NAMES_FILE_LEN_MAX (16u << 20)

static bool parse_number(const char **text, uint32_t *ret)
{
	uint64_t v = 0;
	const char *p = *text;

	for (; *p >= '0' && *p <= '9' && v <= UINT32_MAX; p++)
		v = v * 10 + (uint64_t)(*p - '0');
	if (p == *text || v > UINT32_MAX)
		return false;
	*text = p;
	*ret = (uint32_t)v;
	return true;
}

/* Parse "3", "3-5", or "-1", which samples without a task have. */
static bool parse_range(const char **text, struct rpt_number_range *ret)
{
	if (strncmp(*text, "-1", 2) == 0) {
		*text += 2;
		ret->first = ret->last = UINT32_MAX;
		return true;
	}
	if (!parse_number(text, &ret->first))
		return false;
	ret->last = ret->first;
	if (**text != '-')
		return true;
	++*text;
	return parse_number(text, &ret->last) && ret->last >= ret->first;
}

static int parse_numbers(struct rpt_numbers *ret, const char *option,
			 const char *text, struct pd_err *err)
{
	const char *p = text;

	do {
		struct rpt_number_range range;

		if (!parse_range(&p, &range) || (*p && *p != ','))
			return pd_err_set(err, -EINVAL,
					  "%s: '%s' is no list of numbers",
					  option, text);
		ret->items =
			rpt_grow(ret->items, &ret->cap, ret->nr, sizeof(range));
		ret->items[ret->nr++] = range;
		p += *p == ',';
	} while (*p);
	return 0;
}

static void add_name(struct rpt_intern *names, const char *name, size_t len)
{
	if (len)
		rpt_intern(names, name, len);
}

static int add_names_of_file(struct rpt_intern *names, const char *option,
			     const char *path, struct pd_err *err)
{
	struct pd_err why = PD_ERR_INIT;
	size_t len;
	char *text = rpt_whole_file(path, NAMES_FILE_LEN_MAX, &len, &why);

	if (!text)
		return pd_err_set(err, -EINVAL, "%s: %s: %s", option, path,
				  why.text);
	for (const char *p = text; *p; p += *p == '\n') {
		size_t name_len = strcspn(p, "\n");

		add_name(names, p, name_len);
		p += name_len;
	}
	free(text);
	return 0;
}

static int parse_names(struct rpt_intern *ret, const char *option,
		       const char *text, struct pd_err *err)
{
	static const char file_mark[] = "file://";
	const size_t mark_len = sizeof(file_mark) - 1;
	int rc = *text ? 0 : -EINVAL;

	if (rc)
		return pd_err_set(err, rc, "%s: no name is given", option);
	for (const char *p = text; *p && !rc; p += *p == ',') {
		size_t len = strcspn(p, ",");

		if (len > mark_len && strncmp(p, file_mark, mark_len) == 0) {
			char *path =
				rpt_alloc_text(p + mark_len, len - mark_len);

			rc = add_names_of_file(ret, option, path, err);
			free(path);
		} else {
			add_name(ret, p, len);
		}
		p += len;
	}
	return rc;
}

/* Take names of symbols that are hexadecimal numbers for addresses, too. */
static void find_addrs(struct rpt_filter *filter)
{
	filter->addrs =
		rpt_alloc_zeroed(filter->symbols.nr, sizeof(*filter->addrs));
	for (uint32_t i = 0; i < filter->symbols.nr; i++) {
		const char *name = rpt_intern_key(&filter->symbols, i);
		char *end;
		uint64_t addr;

		errno = 0;
		addr = strtoull(name, &end, 16);
		if (*name != '-' && end != name && !*end && !errno)
			filter->addrs[filter->addr_nr++] = addr;
	}
}

int rpt_filter_parse(struct rpt_filter *filter,
		     const struct rpt_filter_args *args, struct pd_err *err)
{
	const struct {
		unsigned bit;
		const char *option;
		const char *text;
		struct rpt_numbers *numbers;
		struct rpt_intern *names;
	} rows[] = {
		{ RPT_FILTER_CPU, "--cpu", args->cpus, &filter->cpus, NULL },
		{ RPT_FILTER_PID, "--pid", args->pids, &filter->pids, NULL },
		{ RPT_FILTER_TID, "--tid", args->tids, &filter->tids, NULL },
		{ RPT_FILTER_PARALLELISM, "--parallelism", args->parallelisms,
		  &filter->parallelisms, NULL },
		{ RPT_FILTER_COMM, "--comms", args->comms, NULL,
		  &filter->comms },
		{ RPT_FILTER_PROCESS, "--process", args->processes, NULL,
		  &filter->processes },
		{ RPT_FILTER_DSO, "--dsos", args->dsos, NULL, &filter->dsos },
		{ RPT_FILTER_SYMBOL, "--symbols", args->symbols, NULL,
		  &filter->symbols },
	};
	int rc = 0;

	*filter = (struct rpt_filter){ .addr_range = args->addr_range };
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]) && !rc; i++) {
		if (!rows[i].text)
			continue;
		filter->asked |= rows[i].bit;
		rc = rows[i].numbers
			     ? parse_numbers(rows[i].numbers, rows[i].option,
					     rows[i].text, err)
			     : parse_names(rows[i].names, rows[i].option,
					   rows[i].text, err);
	}
	if (!rc && args->symbols)
		find_addrs(filter);
	if (!rc && args->times) {
		filter->asked |= RPT_FILTER_TIME;
		rc = rpt_time_ranges_parse(&filter->times, args->times, err);
	}
	return rc;
}

void rpt_filter_release(struct rpt_filter *filter)
{
	rpt_time_ranges_release(&filter->times);
	free(filter->cpus.items);
	free(filter->pids.items);
	free(filter->tids.items);
	free(filter->parallelisms.items);
	rpt_intern_release(&filter->comms);
	rpt_intern_release(&filter->processes);
	rpt_intern_release(&filter->dsos);
	rpt_intern_release(&filter->symbols);
	free(filter->addrs);
	*filter = (struct rpt_filter){ 0 };
}

/* Refuse a CPU that the machine did not have: it is a typing error. */
static int check_cpu_nrs(const struct rpt_filter *filter,
			 const struct pd_reader *reader, struct pd_err *err)
{
	struct pd_cursor c;
	struct pd_nrcpus nrs;

	if (!pd_reader_feature(reader, PD_FEATURE_NRCPUS, &c) ||
	    pd_feature_nrcpus_read(&c, &nrs))
		return 0;
	for (size_t i = 0; i < filter->cpus.nr; i++)
		if (filter->cpus.items[i].last >= nrs.available)
			return pd_err_set(err, -ENODATA,
					  "--cpu: there is no CPU %u among the "
					  "%u of the recording",
					  filter->cpus.items[i].last,
					  nrs.available);
	return 0;
}

static int check_cpus(const struct rpt_filter *filter,
		      const struct pd_reader *reader, struct pd_err *err)
{
	const struct pd_event_set *set = pd_reader_events(reader);

	for (size_t i = 0; i < set->nr; i++)
		if (!(set->events[i].attr.sample_type & PD_SAMPLE_CPU))
			return pd_err_set(
				err, -ENODATA,
				"the samples have no CPU; --cpu cannot "
				"choose among them");
	return check_cpu_nrs(filter, reader, err);
}

int rpt_filter_resolve(struct rpt_filter *filter,
		       const struct rpt_filter_args *args,
		       struct pd_reader *reader, struct pd_err *err)
{
	int rc = 0;

	if (filter->asked & RPT_FILTER_CPU)
		rc = check_cpus(filter, reader, err);
	if (!rc && (filter->asked & RPT_FILTER_TIME))
		rc = rpt_time_ranges_resolve(&filter->times, args->is_relative,
					     reader, err);
	return rc;
}

static bool numbers_hold(const struct rpt_numbers *list, uint32_t v)
{
	for (size_t i = 0; i < list->nr; i++)
		if (v >= list->items[i].first && v <= list->items[i].last)
			return true;
	return false;
}

static bool names_hold(const struct rpt_intern *names, const char *name)
{
	return rpt_intern_find(names, name, strlen(name)) >= 0;
}

bool rpt_filter_time(const struct rpt_filter *filter, uint64_t time_ns,
		     uint32_t cpu)
{
	return rpt_time_ranges_hold(&filter->times, time_ns) &&
	       (!(filter->asked & RPT_FILTER_CPU) ||
		numbers_hold(&filter->cpus, cpu));
}

bool rpt_filter_parallelism(const struct rpt_filter *filter, uint32_t nr)
{
	return !(filter->asked & RPT_FILTER_PARALLELISM) ||
	       numbers_hold(&filter->parallelisms, nr);
}

bool rpt_filter_sample_time(const struct rpt_filter *filter,
			    const struct pd_sample *sample)
{
	return rpt_filter_time(
		filter,
		sample->present & PD_SAMPLE_TIME ? sample->time_ns : UINT64_MAX,
		sample->present & PD_SAMPLE_CPU ? sample->cpu : UINT32_MAX);
}

bool rpt_filter_task(const struct rpt_filter *filter,
		     const struct rpt_filtered_task *task)
{
	char unknown[16];

	/* thread 0 is the idle one, whatever process a sample has for it */
	if ((filter->asked & RPT_FILTER_PID) &&
	    !numbers_hold(&filter->pids, task->tid ? task->pid : 0))
		return false;
	if ((filter->asked & RPT_FILTER_TID) &&
	    !numbers_hold(&filter->tids, task->tid))
		return false;
	if ((filter->asked & RPT_FILTER_PROCESS) &&
	    !names_hold(&filter->processes,
			rpt_comm_or_tid(task->process, task->pid, unknown)))
		return false;
	return !(filter->asked & RPT_FILTER_COMM) ||
	       names_hold(&filter->comms,
			  rpt_comm_or_tid(task->comm, task->tid, unknown));
}

static bool dso_is_in(const struct rpt_filter *filter,
		      const struct rpt_dso *dso)
{
	char buf[4096];

	return dso && (names_hold(&filter->dsos, rpt_dso_name(dso)) ||
		       names_hold(&filter->dsos,
				  rpt_dso_short_name(dso, buf, sizeof(buf))));
}

bool rpt_filter_place(const struct rpt_filter *filter,
		      const struct rpt_dso *dso, const char *symbol,
		      uint64_t ip)
{
	if ((filter->asked & RPT_FILTER_DSO) && !dso_is_in(filter, dso))
		return false;
	if (!(filter->asked & RPT_FILTER_SYMBOL) ||
	    (symbol && names_hold(&filter->symbols, symbol)))
		return true;
	for (size_t i = 0; dso && i < filter->addr_nr; i++)
		if (ip == filter->addrs[i] ||
		    (ip > filter->addrs[i] &&
		     ip - filter->addrs[i] < filter->addr_range))
			return true;
	return false;
}
