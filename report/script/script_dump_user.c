#include "report/script/script_line.h"

#include <inttypes.h>

#define TIME_CONV_LEN 56u

static void put_id_index(struct rpt_text *t, const struct pd_id_index *index)
{
	rpt_text_format(t, " nr: %" PRIu64 "\n", index->nr);
	for (size_t i = 0; i + 3 < index->entries.nr; i += 4) {
		rpt_text_format(t,
				" ... id: %" PRIu64 "  idx: %" PRIu64
				"  cpu: %" PRId64 "  tid: %" PRId64,
				pd_u64s_at(&index->entries, i),
				pd_u64s_at(&index->entries, i + 1),
				(int64_t)pd_u64s_at(&index->entries, i + 2),
				(int64_t)pd_u64s_at(&index->entries, i + 3));
		if (i / 2 + 1 < index->guests.nr)
			rpt_text_format(
				t, "  machine_pid: %" PRId64 "  vcpu: %" PRId64,
				(int64_t)pd_u64s_at(&index->guests, i / 2),
				(int64_t)pd_u64s_at(&index->guests, i / 2 + 1));
		rpt_text_char(t, '\n');
	}
}

static void put_auxtrace(struct rpt_text *t, const struct pd_auxtrace *a)
{
	rpt_text_format(t,
			" size: %#" PRIx64 "  offset: %#" PRIx64
			"  ref: %#" PRIx64 "  idx: %u  tid: %d  cpu: %d\n",
			a->trace_len, a->offset, a->reference, a->idx,
			(int)a->tid, (int)a->cpu);
}

static void put_thread_map(struct rpt_text *t, const struct pd_thread_map *map,
			   bool swap)
{
	rpt_text_format(t, " nr: %" PRIu64 " thread%s", map->nr,
			map->nr > 1 ? "s" : "");
	for (uint64_t i = 0; i < map->nr; i++)
		rpt_text_format(
			t, "%s%" PRId64, i ? ", " : ": ",
			(int64_t)pd_thread_map_at(map, (size_t)i, swap).tid);
	rpt_text_char(t, '\n');
}

static void put_run(struct rpt_text *t, int32_t first, int32_t last)
{
	rpt_text_format(t, "%" PRId32, first);
	if (last > first)
		rpt_text_format(t, "-%" PRId32, last);
}

/* Print "0-3,8", in the order of the list; -1: whatever CPU a thread is on.
 * perf, too, takes 0 for the CPU after that. */
static void put_cpus(struct rpt_text *t, const struct pd_cpu_map *map)
{
	uint32_t nr = pd_cpu_map_place_nr(map);
	int32_t cpu, first = 0, last = 0;
	bool has_run = false;

	for (uint32_t i = 0; i < nr; i++) {
		if (!pd_cpu_map_cpu(map, i, &cpu))
			continue;
		if (has_run && cpu == last + 1) {
			last = cpu;
			continue;
		}
		if (has_run) {
			put_run(t, first, last);
			rpt_text_char(t, ',');
		}
		first = last = cpu;
		has_run = true;
	}
	if (has_run)
		put_run(t, first, last);
	rpt_text_char(t, '\n');
}

static void put_update(struct rpt_text *t, const struct pd_event_update *u)
{
	rpt_text_format(t, "\n... id:    %" PRIu64 "\n", u->id);
	switch (u->what) {
	case PD_UPDATE_SCALE:
		rpt_text_format(t, "... scale: %f\n", u->scale);
		break;
	case PD_UPDATE_UNIT:
	case PD_UPDATE_NAME:
		rpt_text_str(t, u->what == PD_UPDATE_UNIT ? "... unit:  "
							  : "... name:  ");
		rpt_text_put(t, u->text.ptr, u->text.len);
		rpt_text_char(t, '\n');
		break;
	default:
		rpt_text_str(t, "... ");
		put_cpus(t, &u->cpus);
	}
}

/* Print a TIME_CONV; is_short: of before Linux 5.10, up to time_zero. */
static void put_time_conv(struct rpt_text *t, const struct pd_time_conv *c,
			  bool is_short)
{
	rpt_text_format(t, "\n... Time Shift      %" PRIu64 "\n",
			c->time_shift);
	rpt_text_format(t, "... Time Muliplier  %" PRIu64 "\n", c->time_mult);
	rpt_text_format(t, "... Time Zero       %" PRIu64 "\n", c->time_zero);
	if (is_short) {
		rpt_text_str(t, ": unhandled!\n");
		return;
	}
	rpt_text_format(t, "... Time Cycles     %" PRIu64 "\n", c->time_cycles);
	rpt_text_format(t, "... Time Mask       %#" PRIx64 "\n", c->time_mask);
	rpt_text_format(t, "... Cap Time Zero   %u\n", c->cap_user_time_zero);
	rpt_text_format(t, "... Cap Time Short  %u\n: unhandled!\n",
			c->cap_user_time_short);
}

static void put_auxtrace_error(struct rpt_text *t,
			       const struct pd_auxtrace_error *e)
{
	rpt_text_format(t,
			" type %u code %u cpu %d pid %d tid %d ip %#" PRIx64
			" %.*s\n",
			e->error_type, e->code, (int)e->cpu, (int)e->pid,
			(int)e->tid, e->ip, (int)e->msg.len, e->msg.ptr);
}

void rpt_script_dump_user(struct rpt_text *t, const struct pd_record *rec,
			  const struct pd_body *body)
{
	switch (body->type) {
	case PD_RECORD_ID_INDEX:
		put_id_index(t, &body->u.id_index);
		break;
	case PD_RECORD_AUXTRACE_INFO:
		rpt_text_format(t, " type: %u\n",
				body->u.auxtrace_info.auxtrace_type);
		break;
	case PD_RECORD_AUXTRACE:
		put_auxtrace(t, &body->u.auxtrace);
		break;
	case PD_RECORD_AUXTRACE_ERROR:
		put_auxtrace_error(t, &body->u.auxtrace_error);
		break;
	case PD_RECORD_THREAD_MAP:
		put_thread_map(t, &body->u.thread_map, rec->swap);
		break;
	case PD_RECORD_CPU_MAP:
		rpt_text_str(t, ": ");
		put_cpus(t, &body->u.cpu_map);
		break;
	case PD_RECORD_EVENT_UPDATE:
		put_update(t, &body->u.event_update);
		break;
	case PD_RECORD_TIME_CONV:
		put_time_conv(t, &body->u.time_conv, rec->len < TIME_CONV_LEN);
		break;
	case PD_RECORD_FINISHED_INIT:
		rpt_text_str(t, ": unhandled!\n");
		break;
	case PD_RECORD_FINISHED_ROUND:
		rpt_text_char(t, '\n');
		break;
	default:
		break;
	}
}

static void put_stat_config(struct rpt_text *t, const struct pd_stat_config *c)
{
	static const char *const names[] = {
		[PD_STAT_CONFIG_AGGR_MODE] = "aggr_mode",
		[PD_STAT_CONFIG_INTERVAL] = "interval ",
		[PD_STAT_CONFIG_SCALE] = "scale    ",
	};
	static const unsigned order[] = { PD_STAT_CONFIG_AGGR_MODE,
					  PD_STAT_CONFIG_SCALE,
					  PD_STAT_CONFIG_INTERVAL };

	rpt_text_char(t, '\n');
	for (size_t i = 0; i < sizeof(order) / sizeof(order[0]); i++) {
		uint64_t value = 0;

		for (size_t k = 0; k + 1 < c->entries.nr; k += 2)
			if (pd_u64s_at(&c->entries, k) == order[i])
				value = pd_u64s_at(&c->entries, k + 1);
		rpt_text_format(t, "... %s %d\n", names[order[i]], (int)value);
	}
}

void rpt_script_dump_counts(struct rpt_text *t, const struct pd_body *body)
{
	const struct pd_stat *stat = &body->u.stat;
	const struct pd_stat_round *round = &body->u.stat_round;

	if (body->type == PD_RECORD_STAT_CONFIG)
		put_stat_config(t, &body->u.stat_config);
	if (body->type == PD_RECORD_STAT)
		rpt_text_format(t,
				"\n... id %" PRIu64 ", cpu %d, thread %d\n"
				"... value %" PRIu64 ", enabled %" PRIu64
				", running %" PRIu64 "\n",
				stat->id, (int)stat->cpu, (int)stat->thread,
				stat->value, stat->enabled, stat->running);
	if (body->type == PD_RECORD_STAT_ROUND)
		rpt_text_format(
			t, "\n... time %" PRIu64 ", type %s\n", round->time_ns,
			round->round_type == PD_STAT_ROUND_INTERVAL ? "INTERVAL"
								    : "FINAL");
}
