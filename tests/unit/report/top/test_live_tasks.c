/* What live_tasks keeps answers as all records would. */
#include "report/top/live_tasks.h"

#include "report/symbols/dso_class.h"
#include "report/timeline/timeline.h"

#include "format/records/record_body.h"
#include "format/records/sample_id.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { PROCESS_NR = 12, PAGE_NR = 6, THREAD_NR = 3, STEP_NR = 4000 };

/* A recording that goes on, as all records and as what is kept. */
struct story {
	struct pd_event_set events;
	struct rpt_live_tasks tasks;
	struct pd_buf all;
	uint64_t now_ns;
	bool is_alive[PROCESS_NR][THREAD_NR];
	uint32_t random;
};

static uint32_t any(struct story *s, uint32_t nr)
{
	s->random = s->random * 1664525u + 1013904223u;
	return (s->random >> 8) % nr;
}

static void story_open(struct story *s)
{
	const struct pd_attr attr = {
		.attr_len = PD_ATTR_LEN_VER5,
		.sample_type = PD_SAMPLE_TID | PD_SAMPLE_TIME,
		.flags = PD_ATTR_SAMPLE_ID_ALL,
	};

	memset(s, 0, sizeof(*s));
	s->events.sample_id_off = -1;
	s->now_ns = 1000;
	assert_int_equal(pd_event_set_add(&s->events, &attr, NULL, NULL), 0);
}

static void story_close(struct story *s)
{
	rpt_live_tasks_release(&s->tasks);
	pd_buf_release(&s->all);
	pd_event_set_release(&s->events);
}

static void tell(struct story *s, uint16_t misc, const struct pd_body *body)
{
	const struct pd_sample_id id = {
		.present = PD_SAMPLE_TID | PD_SAMPLE_TIME,
		.time_ns = ++s->now_ns,
	};
	size_t start = pd_record_begin(&s->all, body->type, misc);
	struct pd_record rec;

	pd_body_write_fields(&s->all, body);
	pd_sample_id_write(&s->all, &s->events.events[0].layout, &id);
	pd_record_end(&s->all, start);
	assert_int_equal(pd_record_read(s->all.data + start, s->all.len - start,
					0, false, &rec, NULL),
			 0);
	assert_true(rpt_live_tasks_add(&s->tasks, &rec, s->now_ns, &s->events));
}

static uint32_t pid_of(uint32_t p)
{
	return 100 + p * 10;
}

static void tell_comm(struct story *s, uint32_t p, uint32_t t, uint16_t misc)
{
	struct pd_body body = { .type = PD_RECORD_COMM };
	char name[16];

	snprintf(name, sizeof(name), "c%u", any(s, 1000));
	body.u.comm = (struct pd_comm){ pid_of(p),
					pid_of(p) + t,
					{ name, strlen(name) } };
	tell(s, misc, &body);
}

static void tell_map(struct story *s, uint32_t p, uint32_t page, uint32_t nr)
{
	struct pd_body body = { .type = PD_RECORD_MMAP2 };
	char name[16];

	snprintf(name, sizeof(name), "/f%u", any(s, 1000));
	body.u.mmap = (struct pd_mmap){ .pid = pid_of(p),
					.tid = pid_of(p),
					.addr = 0x10000 + page * 0x1000,
					.map_len = nr * 0x1000,
					.filename = { name, strlen(name) },
					.prot = 4 };
	tell(s, PD_CPUMODE_USER, &body);
}

static void tell_fork(struct story *s, uint32_t from, uint32_t from_t,
		      uint32_t p, uint32_t t)
{
	struct pd_body body = { .type = PD_RECORD_FORK };

	body.u.task = (struct pd_task){ pid_of(p), pid_of(from), pid_of(p) + t,
					pid_of(from) + from_t, s->now_ns + 1 };
	tell(s, 0, &body);
	s->is_alive[p][t] = true;
}

static void tell_exit(struct story *s, uint32_t p, uint32_t t)
{
	struct pd_body body = { .type = PD_RECORD_EXIT };

	body.u.task = (struct pd_task){ pid_of(p), pid_of(p), pid_of(p) + t,
					pid_of(p) + t, s->now_ns + 1 };
	tell(s, 0, &body);
	s->is_alive[p][t] = false;
}

/* exec maps over all that was mapped, so that nothing old shows. */
static void tell_exec(struct story *s, uint32_t p)
{
	for (uint32_t t = 1; t < THREAD_NR; t++)
		if (s->is_alive[p][t])
			tell_exit(s, p, t);
	tell_comm(s, p, 0, PD_MISC_COMM_EXEC);
	tell_map(s, p, 0, PAGE_NR);
}

static void end(struct story *s, uint32_t p)
{
	for (uint32_t t = THREAD_NR; t-- > 0;)
		if (s->is_alive[p][t])
			tell_exit(s, p, t);
}

static void step(struct story *s)
{
	uint32_t p = any(s, PROCESS_NR), other = any(s, PROCESS_NR);
	uint32_t t = any(s, THREAD_NR);

	if (!s->is_alive[p][0])
		return;
	switch (any(s, 8)) {
	case 0:
		tell_exec(s, p);
		break;
	case 1:
		if (p)
			end(s, p);
		break;
	case 2:
		if (s->is_alive[p][t] && !s->is_alive[other][0])
			tell_fork(s, p, t, other, 0);
		break;
	case 3:
		if (!s->is_alive[p][t])
			tell_fork(s, p, 0, p, t);
		else if (t)
			tell_exit(s, p, t);
		break;
	case 4:
		if (s->is_alive[p][t])
			tell_comm(s, p, t, 0);
		break;
	default:
		tell_map(s, p, any(s, PAGE_NR), 1);
		break;
	}
}

/* A timeline of the records in buf. */
struct told {
	struct rpt_symbols *symbols;
	struct rpt_timeline *tl;
};

static void told_open(struct told *told, const struct story *s,
		      const struct pd_buf *buf)
{
	static const struct rpt_symbols_conf conf = {
		.symfs = "/nowhere",
		.kallsyms = "/nowhere/kallsyms",
	};
	struct pd_record rec = { 0 };

	told->symbols = rpt_symbols_new(&conf);
	told->tl = rpt_timeline_new(told->symbols);
	for (size_t at = 0; at < buf->len; at += rec.len) {
		assert_int_equal(pd_record_read(buf->data + at, buf->len - at,
						at, false, &rec, NULL),
				 0);
		rec.seq = at;
		rpt_timeline_add(told->tl, &s->events, &rec);
	}
	rpt_timeline_finish(told->tl);
}

static void told_close(struct told *told)
{
	rpt_timeline_free(told->tl);
	rpt_symbols_free(told->symbols);
}

static void put_seen(const struct told *told, uint32_t pid, uint32_t tid,
		     char text[256])
{
	const struct rpt_timestamp when = { UINT64_MAX - 1, UINT64_MAX };
	struct rpt_task_ref ref;
	const char *comm;
	int len;

	rpt_timeline_task(told->tl, pid, tid, when, &ref);
	comm = rpt_task_ref_comm(&ref, when);
	len = snprintf(text, 256, "%u/%u %s", pid, tid, comm ? comm : "?");
	for (uint32_t page = 0; page < PAGE_NR; page++) {
		struct rpt_map map;
		char dso[64] = "?";

		if (rpt_timeline_map(told->tl, &ref, PD_CPUMODE_USER,
				     0x10000 + page * 0x1000 + 8, when, &map))
			rpt_dso_short_name(map.dso, dso, sizeof(dso));
		len += snprintf(text + len, (size_t)(256 - len), " %s", dso);
	}
}

/* Compare what is known of all that lives. */
static void compare(struct story *s)
{
	struct pd_buf kept = { 0 };
	struct rpt_intern pids = { 0 };
	struct told full, part;

	for (uint32_t p = 0; p < PROCESS_NR; p++) {
		uint32_t pid = pid_of(p);

		rpt_intern(&pids, &pid, sizeof(pid));
	}
	rpt_live_tasks_put(&s->tasks, &pids, &kept);
	told_open(&full, s, &s->all);
	told_open(&part, s, &kept);
	for (uint32_t p = 0; p < PROCESS_NR; p++) {
		for (uint32_t t = 0; t < THREAD_NR; t++) {
			char a[256], b[256];

			if (!s->is_alive[p][t])
				continue;
			put_seen(&full, pid_of(p), pid_of(p) + t, a);
			put_seen(&part, pid_of(p), pid_of(p) + t, b);
			assert_string_equal(a, b);
		}
	}
	told_close(&full);
	told_close(&part);
	rpt_intern_release(&pids);
	pd_buf_release(&kept);
}

/* Begin with one process, which never ends. */
static void begin(struct story *s, uint32_t seed)
{
	story_open(s);
	s->random = seed;
	s->is_alive[0][0] = true;
	tell_comm(s, 0, 0, 0);
	tell_map(s, 0, 0, PAGE_NR);
}

static void test_live_tasks__what_is_kept_answers_as_all_records(void **state)
{
	(void)state;
	for (uint32_t seed = 1; seed <= 6; seed++) {
		struct story s;

		begin(&s, seed);
		for (uint32_t i = 1; i <= 600; i++) {
			step(&s);
			if (i % 50)
				continue;
			/* some records are behind the horizon */
			rpt_live_tasks_settle(&s.tasks, s.now_ns - any(&s, 40));
			compare(&s);
		}
		story_close(&s);
	}
}

static void test_live_tasks__memory_grows_with_what_lives(void **state)
{
	uint64_t max_len = 0;
	struct story s;

	(void)state;
	begin(&s, 7);
	for (uint32_t i = 1; i <= STEP_NR; i++) {
		step(&s);
		if (i % 20)
			continue;
		rpt_live_tasks_settle(&s.tasks, s.now_ns);
		if (i > STEP_NR / 4 && s.tasks.held_len > max_len)
			max_len = s.tasks.held_len;
	}
	/* a name of each thread, and a piece of a map for each page */
	assert_in_range(max_len, 1,
			PROCESS_NR * (THREAD_NR * 48 + (PAGE_NR + 1) * 112));
	for (uint32_t p = 1; p < PROCESS_NR; p++)
		end(&s, p);
	rpt_live_tasks_settle(&s.tasks, s.now_ns + 1);
	assert_int_equal(s.tasks.process_nr, 1);
	assert_int_equal(s.tasks.fork_nr, 0);
	story_close(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			test_live_tasks__what_is_kept_answers_as_all_records),
		cmocka_unit_test(test_live_tasks__memory_grows_with_what_lives),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
