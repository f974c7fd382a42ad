#include "format/records/record_body.h"

#include "tests/unit/both_orders.h"

#define ID_LEN 16u /* of the trailer behind kernel records here */

/* One type: its bytes, and what must come out of them. */
struct body_case {
	uint32_t type;
	uint16_t misc;
	void (*put)(struct bytes *b);
	void (*check)(const struct pd_body *body);
	size_t min_len; /* body bytes that must be there; cut below: an error */
	bool is_raw;	/* holds bytes that are copied as they are */
};

static void put_mmap(struct bytes *b)
{
	put_u32(b, 11);
	put_u32(b, 12);
	put_u64(b, 0x7f0000001000);
	put_u64(b, 0x2000);
	put_u64(b, 0x3000);
	put_text(b, "/lib/a.so", 16);
}

static void check_mmap_common(const struct pd_mmap *m)
{
	assert_int_equal(m->pid, 11);
	assert_int_equal(m->tid, 12);
	assert_int_equal(m->addr, 0x7f0000001000);
	assert_int_equal(m->map_len, 0x2000);
	assert_int_equal(m->pgoff, 0x3000);
	assert_true(pd_str_eq(m->filename, "/lib/a.so"));
}

static void check_mmap(const struct pd_body *body)
{
	check_mmap_common(&body->u.mmap);
	assert_int_equal(body->u.mmap.prot, 0);
}

static void put_mmap2_head(struct bytes *b)
{
	put_u32(b, 11);
	put_u32(b, 12);
	put_u64(b, 0x7f0000001000);
	put_u64(b, 0x2000);
	put_u64(b, 0x3000);
}

static void put_mmap2(struct bytes *b)
{
	put_mmap2_head(b);
	put_u32(b, 8);
	put_u32(b, 1);
	put_u64(b, 555);
	put_u64(b, 666);
	put_u32(b, 5);
	put_u32(b, 2);
	put_text(b, "/lib/a.so", 16);
}

static void check_mmap2(const struct pd_body *body)
{
	const struct pd_mmap *m = &body->u.mmap;

	check_mmap_common(m);
	assert_int_equal(m->build_id_len, 0);
	assert_int_equal(m->maj, 8);
	assert_int_equal(m->min, 1);
	assert_int_equal(m->ino, 555);
	assert_int_equal(m->ino_generation, 666);
	assert_int_equal(m->prot, 5);
	assert_int_equal(m->flags, 2);
}

static void put_id_bytes(struct bytes *b)
{
	for (uint8_t i = 0; i < 20; i++)
		put_u8(b, (uint8_t)(0xa0 + i));
}

static void put_mmap2_build_id(struct bytes *b)
{
	put_mmap2_head(b);
	put_u8(b, 20);
	put_u8(b, 0);
	put_u16(b, 0);
	put_id_bytes(b);
	put_u32(b, 5);
	put_u32(b, 2);
	put_text(b, "/lib/a.so", 16);
}

static void check_mmap2_build_id(const struct pd_body *body)
{
	const struct pd_mmap *m = &body->u.mmap;

	check_mmap_common(m);
	assert_int_equal(m->build_id_len, 20);
	assert_int_equal(m->build_id[0], 0xa0);
	assert_int_equal(m->build_id[19], 0xb3);
	assert_int_equal(m->maj, 0);
	assert_int_equal(m->prot, 5);
	assert_int_equal(m->flags, 2);
}

static void put_comm(struct bytes *b)
{
	put_u32(b, 11);
	put_u32(b, 12);
	put_text(b, "bash", 8);
}

static void check_comm(const struct pd_body *body)
{
	assert_int_equal(body->u.comm.pid, 11);
	assert_int_equal(body->u.comm.tid, 12);
	assert_true(pd_str_eq(body->u.comm.comm, "bash"));
}

static void put_task(struct bytes *b)
{
	put_u32(b, 1);
	put_u32(b, 2);
	put_u32(b, 3);
	put_u32(b, 4);
	put_u64(b, 5);
}

static void check_task(const struct pd_body *body)
{
	assert_int_equal(body->u.task.pid, 1);
	assert_int_equal(body->u.task.ppid, 2);
	assert_int_equal(body->u.task.tid, 3);
	assert_int_equal(body->u.task.ptid, 4);
	assert_int_equal(body->u.task.time_ns, 5);
}

static void put_lost(struct bytes *b)
{
	put_u64(b, 7);
	put_u64(b, 8);
}

static void check_lost(const struct pd_body *body)
{
	assert_int_equal(body->u.lost.id, 7);
	assert_int_equal(body->u.lost.lost_nr, 8);
}

static void put_three(struct bytes *b)
{
	put_u64(b, 1);
	put_u64(b, 2);
	put_u64(b, 3);
}

static void check_throttle(const struct pd_body *body)
{
	assert_int_equal(body->u.throttle.time_ns, 1);
	assert_int_equal(body->u.throttle.id, 2);
	assert_int_equal(body->u.throttle.stream_id, 3);
}

static void check_aux(const struct pd_body *body)
{
	assert_int_equal(body->u.aux.aux_offset, 1);
	assert_int_equal(body->u.aux.aux_len, 2);
	assert_int_equal(body->u.aux.flags, 3);
}

static void put_read(struct bytes *b)
{
	put_u32(b, 11);
	put_u32(b, 12);
	put_u64(b, 100);
	put_u64(b, 200);
}

static void check_read(const struct pd_body *body)
{
	assert_int_equal(body->u.read.pid, 11);
	assert_int_equal(body->u.read.tid, 12);
	assert_int_equal(body->u.read.words.nr, 2);
	assert_int_equal(pd_u64s_at(&body->u.read.words, 1), 200);
}

static void put_pair(struct bytes *b)
{
	put_u32(b, 11);
	put_u32(b, 12);
}

static void check_itrace_start(const struct pd_body *body)
{
	assert_int_equal(body->u.itrace_start.pid, 11);
	assert_int_equal(body->u.itrace_start.tid, 12);
}

static void check_switch(const struct pd_body *body)
{
	assert_int_equal(body->u.cpu_switch.next_prev_pid, 11);
	assert_int_equal(body->u.cpu_switch.next_prev_tid, 12);
}

static void put_word(struct bytes *b)
{
	put_u64(b, UINT64_C(0x1122334455667788));
}

static void check_lost_samples(const struct pd_body *body)
{
	assert_int_equal(body->u.lost_samples.lost_nr, 0x1122334455667788);
}

static void check_hw_id(const struct pd_body *body)
{
	assert_int_equal(body->u.aux_output_hw_id.hw_id, 0x1122334455667788);
}

static void put_nothing(struct bytes *b)
{
	(void)b;
}

static void check_nothing(const struct pd_body *body)
{
	assert_int_not_equal(body->type, 0);
}

static void put_namespaces(struct bytes *b)
{
	put_u32(b, 11);
	put_u32(b, 12);
	put_u64(b, 2);
	put_u64(b, 3);
	put_u64(b, 4026531992);
	put_u64(b, 4);
	put_u64(b, 4026531838);
}

static void check_namespaces(const struct pd_body *body)
{
	const struct pd_namespaces *n = &body->u.namespaces;

	assert_int_equal(n->pid, 11);
	assert_int_equal(n->tid, 12);
	assert_int_equal(n->nr, 2);
	assert_int_equal(n->links.nr, 4);
	assert_int_equal(pd_u64s_at(&n->links, 1), 4026531992);
	assert_int_equal(pd_u64s_at(&n->links, 2), 4);
}

static void put_ksymbol(struct bytes *b)
{
	put_u64(b, 0xffffffffc0000000);
	put_u32(b, 120);
	put_u16(b, 1);
	put_u16(b, 1);
	put_text(b, "bpf_prog_1", 16);
}

static void check_ksymbol(const struct pd_body *body)
{
	const struct pd_ksymbol *k = &body->u.ksymbol;

	assert_int_equal(k->addr, 0xffffffffc0000000);
	assert_int_equal(k->sym_len, 120);
	assert_int_equal(k->ksym_type, 1);
	assert_int_equal(k->flags, 1);
	assert_true(pd_str_eq(k->name, "bpf_prog_1"));
}

static void put_bpf_event(struct bytes *b)
{
	put_u16(b, 1);
	put_u16(b, 2);
	put_u32(b, 42);
	for (uint8_t i = 0; i < 8; i++)
		put_u8(b, i);
}

static void check_bpf_event(const struct pd_body *body)
{
	static const uint8_t tag[] = { 0, 1, 2, 3, 4, 5, 6, 7 };
	const struct pd_bpf_event *e = &body->u.bpf_event;

	assert_int_equal(e->event_type, 1);
	assert_int_equal(e->flags, 2);
	assert_int_equal(e->prog_id, 42);
	assert_memory_equal(e->tag, tag, 8);
}

static void put_cgroup(struct bytes *b)
{
	put_u64(b, 321);
	put_text(b, "/system.slice", 16);
}

static void check_cgroup(const struct pd_body *body)
{
	assert_int_equal(body->u.cgroup.cgroup_id, 321);
	assert_true(pd_str_eq(body->u.cgroup.path, "/system.slice"));
}

static void put_text_poke(struct bytes *b)
{
	put_u64(b, 0xffffffff81000000);
	put_u16(b, 5);
	put_u16(b, 2);
	put_text(b, "\x0f\x1f\x44\x01\x02\xeb\x07", 12);
}

static void check_text_poke(const struct pd_body *body)
{
	const struct pd_text_poke *p = &body->u.text_poke;

	assert_int_equal(p->addr, 0xffffffff81000000);
	assert_int_equal(p->old_len, 5);
	assert_int_equal(p->new_len, 2);
	assert_memory_equal(p->bytes, "\x0f\x1f\x44\x01\x02\xeb\x07", 7);
}

static void put_deferred(struct bytes *b)
{
	put_u64(b, 9);
	put_u64(b, 2);
	put_u64(b, 0x401000);
	put_u64(b, 0x402000);
}

static void check_deferred(const struct pd_body *body)
{
	const struct pd_callchain_deferred *d = &body->u.callchain_deferred;

	assert_int_equal(d->cookie, 9);
	assert_int_equal(d->ips.nr, 2);
	assert_int_equal(pd_u64s_at(&d->ips, 1), 0x402000);
}

static void put_header_attr(struct bytes *b)
{
	size_t start = b->len;

	put_u32(b, 1);
	put_u32(b, 72);
	put_u64(b, 2);
	while (b->len < start + 64)
		put_u64(b, 0);
	put_u64(b, 0xc2);
	put_u64(b, 71);
	put_u64(b, 72);
}

static void check_header_attr(const struct pd_body *body)
{
	const struct pd_header_attr *h = &body->u.header_attr;

	assert_int_equal(h->attr.type, 1);
	assert_int_equal(h->attr.config, 2);
	assert_int_equal(h->attr.config2, 0xc2);
	assert_int_equal(h->ids.nr, 2);
	assert_int_equal(pd_u64s_at(&h->ids, 1), 72);
}

static void put_event_type(struct bytes *b)
{
	put_u64(b, 3);
	put_text(b, "cycles", 8);
}

static void check_event_type(const struct pd_body *body)
{
	assert_int_equal(body->u.header_event_type.event_id, 3);
	assert_true(pd_str_eq(body->u.header_event_type.name, "cycles"));
}

static void put_tracing_data(struct bytes *b)
{
	put_u32(b, 4711);
	put_u32(b, 0);
}

static void check_tracing_data(const struct pd_body *body)
{
	assert_int_equal(body->u.tracing_data.blob_len, 4711);
}

static void put_header_build_id(struct bytes *b)
{
	put_u32(b, (uint32_t)-1);
	put_id_bytes(b);
	memset(b->data + b->len - 4, 0, 4);
	put_u8(b, 16);
	put_u8(b, 0);
	put_u16(b, 0);
	put_text(b, "[kernel.kallsyms]", 28);
}

static void check_header_build_id(const struct pd_body *body)
{
	const struct pd_header_build_id *h = &body->u.header_build_id;

	assert_int_equal(h->pid, -1);
	assert_int_equal(h->build_id_len, 16);
	assert_int_equal(h->build_id[15], 0xaf);
	assert_true(pd_str_eq(h->filename, "[kernel.kallsyms]"));
}

static void check_old_build_id(const struct pd_body *body)
{
	assert_int_equal(body->u.header_build_id.build_id_len, 20);
	assert_int_equal(body->u.header_build_id.build_id[15], 0xaf);
}

static void put_id_index(struct bytes *b)
{
	put_u64(b, 2);
	for (uint64_t i = 1; i <= 8; i++)
		put_u64(b, i);
}

static void put_id_index_of_guests(struct bytes *b)
{
	put_id_index(b);
	for (uint64_t i = 11; i <= 14; i++)
		put_u64(b, i);
}

static void check_id_index(const struct pd_body *body)
{
	assert_int_equal(body->u.id_index.nr, 2);
	assert_int_equal(body->u.id_index.entries.nr, 8);
	assert_int_equal(pd_u64s_at(&body->u.id_index.entries, 4), 5);
	assert_int_equal(body->u.id_index.guests.nr, 0);
}

static void check_id_index_of_guests(const struct pd_body *body)
{
	assert_int_equal(body->u.id_index.nr, 2);
	assert_int_equal(body->u.id_index.guests.nr, 4);
	assert_int_equal(pd_u64s_at(&body->u.id_index.guests, 2), 13);
}

static void put_auxtrace_info(struct bytes *b)
{
	put_u32(b, 1);
	put_u32(b, 0);
	put_u64(b, 10);
	put_u64(b, 20);
}

static void check_auxtrace_info(const struct pd_body *body)
{
	assert_int_equal(body->u.auxtrace_info.auxtrace_type, 1);
	assert_int_equal(body->u.auxtrace_info.priv.nr, 2);
	assert_int_equal(pd_u64s_at(&body->u.auxtrace_info.priv, 1), 20);
}

static void put_auxtrace(struct bytes *b)
{
	put_three(b);
	put_u32(b, 4);
	put_u32(b, 5);
	put_u32(b, 6);
	put_u32(b, 0);
}

static void check_auxtrace(const struct pd_body *body)
{
	const struct pd_auxtrace *a = &body->u.auxtrace;

	assert_int_equal(a->trace_len, 1);
	assert_int_equal(a->offset, 2);
	assert_int_equal(a->reference, 3);
	assert_int_equal(a->idx, 4);
	assert_int_equal(a->tid, 5);
	assert_int_equal(a->cpu, 6);
}

static void put_auxtrace_error_head(struct bytes *b, uint32_t fmt)
{
	for (uint32_t i = 1; i <= 5; i++)
		put_u32(b, i);
	put_u32(b, fmt);
	put_u64(b, 0x401000);
}

static void put_auxtrace_error(struct bytes *b)
{
	put_auxtrace_error_head(b, 2);
	put_u64(b, 777);
	put_text(b, "Lost trace data", 64);
	put_u32(b, 8);
	put_u32(b, 9);
}

static void check_auxtrace_error(const struct pd_body *body)
{
	const struct pd_auxtrace_error *e = &body->u.auxtrace_error;

	assert_int_equal(e->error_type, 1);
	assert_int_equal(e->code, 2);
	assert_int_equal(e->cpu, 3);
	assert_int_equal(e->pid, 4);
	assert_int_equal(e->tid, 5);
	assert_int_equal(e->ip, 0x401000);
	assert_int_equal(e->time_ns, 777);
	assert_true(pd_str_eq(e->msg, "Lost trace data"));
	assert_int_equal(e->machine_pid, 8);
	assert_int_equal(e->vcpu, 9);
}

static void put_auxtrace_error_0(struct bytes *b)
{
	put_auxtrace_error_head(b, 0);
	put_text(b, "Lost trace data", 64);
}

static void check_auxtrace_error_0(const struct pd_body *body)
{
	assert_int_equal(body->u.auxtrace_error.time_ns, 0);
	assert_true(pd_str_eq(body->u.auxtrace_error.msg, "Lost trace data"));
}

static void put_thread_map(struct bytes *b)
{
	put_u64(b, 2);
	put_u64(b, 11);
	put_text(b, "one", 16);
	put_u64(b, 12);
	put_text(b, "two", 16);
}

static void check_thread_map(const struct pd_body *body)
{
	assert_int_equal(body->u.thread_map.nr, 2);
	assert_memory_equal(body->u.thread_map.entries + 8, "one", 4);
	assert_memory_equal(body->u.thread_map.entries + 32, "two", 4);
}

static void put_cpu_list(struct bytes *b)
{
	put_u16(b, 0);
	put_u16(b, 2);
	put_u16(b, 3);
	put_u16(b, 258);
}

static void check_cpu_list(const struct pd_body *body)
{
	assert_int_equal(body->u.cpu_map.map_type, PD_CPU_MAP_LIST);
	assert_int_equal(body->u.cpu_map.nr, 2);
	assert_int_equal(pd_cpu_map_at(&body->u.cpu_map, 0), 3);
	assert_int_equal(pd_cpu_map_at(&body->u.cpu_map, 1), 258);
}

static void put_cpu_mask8(struct bytes *b)
{
	put_u16(b, 1);
	put_u16(b, 2);
	put_u16(b, 8);
	put_u32(b, 0);
	put_u64(b, 5);
	put_u64(b, UINT64_C(1) << 63);
	put_text(b, "", 6);
}

static void check_cpu_mask8(const struct pd_body *body)
{
	const struct pd_cpu_map *m = &body->u.cpu_map;

	assert_int_equal(m->map_type, PD_CPU_MAP_MASK);
	assert_int_equal(m->nr, 2);
	assert_int_equal(m->mask_word_len, 8);
	assert_int_equal(pd_cpu_map_at(m, 0), 5);
	assert_true(pd_cpu_map_at(m, 1) == UINT64_C(1) << 63);
}

static void put_cpu_mask4(struct bytes *b)
{
	put_u16(b, 1);
	put_u16(b, 1);
	put_u16(b, 4);
	put_u32(b, 0x80000001);
	put_text(b, "", 6);
}

static void check_cpu_mask4(const struct pd_body *body)
{
	assert_int_equal(body->u.cpu_map.nr, 1);
	assert_int_equal(pd_cpu_map_at(&body->u.cpu_map, 0), 0x80000001);
}

static void put_cpu_range(struct bytes *b)
{
	put_u16(b, 2);
	put_u8(b, 1);
	put_u8(b, 0);
	put_u16(b, 4);
	put_u16(b, 700);
}

static void check_cpu_range(const struct pd_body *body)
{
	assert_int_equal(body->u.cpu_map.map_type, PD_CPU_MAP_RANGE);
	assert_true(body->u.cpu_map.any_cpu);
	assert_int_equal(body->u.cpu_map.start_cpu, 4);
	assert_int_equal(body->u.cpu_map.end_cpu, 700);
}

static void put_stat_config(struct bytes *b)
{
	put_u64(b, 1);
	put_u64(b, 2);
	put_u64(b, 3);
}

static void check_stat_config(const struct pd_body *body)
{
	assert_int_equal(body->u.stat_config.nr, 1);
	assert_int_equal(pd_u64s_at(&body->u.stat_config.entries, 1), 3);
}

static void put_stat(struct bytes *b)
{
	put_u64(b, 1);
	put_u32(b, 2);
	put_u32(b, 3);
	put_u64(b, 4);
	put_u64(b, 5);
	put_u64(b, 6);
}

static void check_stat(const struct pd_body *body)
{
	assert_int_equal(body->u.stat.id, 1);
	assert_int_equal(body->u.stat.cpu, 2);
	assert_int_equal(body->u.stat.thread, 3);
	assert_int_equal(body->u.stat.value, 4);
	assert_int_equal(body->u.stat.enabled, 5);
	assert_int_equal(body->u.stat.running, 6);
}

static void check_stat_round(const struct pd_body *body)
{
	assert_int_equal(body->u.stat_round.round_type, 7);
	assert_int_equal(body->u.stat_round.time_ns, 8);
}

static void put_update_name(struct bytes *b)
{
	put_u64(b, 2);
	put_u64(b, 77);
	put_text(b, "cycles:u", 16);
}

static void check_update_name(const struct pd_body *body)
{
	assert_int_equal(body->u.event_update.what, PD_UPDATE_NAME);
	assert_int_equal(body->u.event_update.id, 77);
	assert_true(pd_str_eq(body->u.event_update.text, "cycles:u"));
}

static void put_update_scale(struct bytes *b)
{
	put_u64(b, 1);
	put_u64(b, 77);
	put_u64(b, 0x3fe0000000000000); /* 0.5 */
}

static void check_update_scale(const struct pd_body *body)
{
	assert_true(body->u.event_update.scale >= 0.5 &&
		    body->u.event_update.scale <= 0.5);
}

static void put_update_cpus(struct bytes *b)
{
	put_u64(b, 3);
	put_u64(b, 77);
	put_cpu_list(b);
}

static void check_update_cpus(const struct pd_body *body)
{
	assert_int_equal(body->u.event_update.cpus.nr, 2);
	assert_int_equal(pd_cpu_map_at(&body->u.event_update.cpus, 1), 258);
}

static void put_time_conv(struct bytes *b)
{
	put_three(b);
	put_u64(b, 4);
	put_u64(b, 5);
	put_u8(b, 1);
	put_u8(b, 2);
	put_text(b, "", 6);
}

static void check_time_conv(const struct pd_body *body)
{
	const struct pd_time_conv *t = &body->u.time_conv;

	assert_int_equal(t->time_shift, 1);
	assert_int_equal(t->time_mult, 2);
	assert_int_equal(t->time_zero, 3);
	assert_int_equal(t->time_cycles, 4);
	assert_int_equal(t->time_mask, 5);
	assert_int_equal(t->cap_user_time_zero, 1);
	assert_int_equal(t->cap_user_time_short, 2);
}

static void put_feature(struct bytes *b)
{
	put_u64(b, 27);
	put_text(b, "payload of 20 bytes.", 20);
}

static void check_feature(const struct pd_body *body)
{
	const struct pd_header_feature *f = &body->u.header_feature;

	assert_int_equal(f->feature, PD_FEATURE_COMPRESSED);
	assert_int_equal(f->payload_len, 20);
	assert_int_equal(f->payload_off, 0x100 + 16);
	assert_memory_equal(f->payload, "payload of 20 bytes.", 20);
}

static void put_compressed(struct bytes *b)
{
	put_text(b, "zstd!", 5);
}

static void check_compressed(const struct pd_body *body)
{
	assert_int_equal(body->u.compressed.payload_len, 5);
	assert_memory_equal(body->u.compressed.payload, "zstd!", 5);
}

static void put_compressed2(struct bytes *b)
{
	put_u64(b, 5);
	put_text(b, "zstd!", 8);
}

static void put_bpf_metadata(struct bytes *b)
{
	put_text(b, "bpf_prog_1", 512);
	put_u64(b, 1);
	put_text(b, "version", 64);
	put_text(b, "7", 256);
}

static void check_bpf_metadata(const struct pd_body *body)
{
	assert_true(pd_str_eq(body->u.bpf_metadata.prog_name, "bpf_prog_1"));
	assert_int_equal(body->u.bpf_metadata.nr, 1);
	assert_memory_equal(body->u.bpf_metadata.entries + 64, "7", 2);
}

static const struct body_case cases[] = {
	{ PD_RECORD_MMAP, 0, put_mmap, check_mmap, 32, false },
	{ PD_RECORD_LOST, 0, put_lost, check_lost, 16, false },
	{ PD_RECORD_COMM, 0x2000, put_comm, check_comm, 8, false },
	{ PD_RECORD_EXIT, 0, put_task, check_task, 24, false },
	{ PD_RECORD_THROTTLE, 0, put_three, check_throttle, 24, false },
	{ PD_RECORD_UNTHROTTLE, 0, put_three, check_throttle, 24, false },
	{ PD_RECORD_FORK, 0, put_task, check_task, 24, false },
	{ PD_RECORD_READ, 0, put_read, check_read, 8, false },
	{ PD_RECORD_MMAP2, 2, put_mmap2, check_mmap2, 64, false },
	{ PD_RECORD_MMAP2, 0x4002, put_mmap2_build_id, check_mmap2_build_id, 64,
	  false },
	{ PD_RECORD_AUX, 0, put_three, check_aux, 24, false },
	{ PD_RECORD_ITRACE_START, 0, put_pair, check_itrace_start, 8, false },
	{ PD_RECORD_LOST_SAMPLES, 0, put_word, check_lost_samples, 8, false },
	{ PD_RECORD_SWITCH, 0x2000, put_nothing, check_nothing, 0, false },
	{ PD_RECORD_SWITCH_CPU_WIDE, 0, put_pair, check_switch, 8, false },
	{ PD_RECORD_NAMESPACES, 0, put_namespaces, check_namespaces, 48,
	  false },
	{ PD_RECORD_KSYMBOL, 0, put_ksymbol, check_ksymbol, 16, false },
	{ PD_RECORD_BPF_EVENT, 0, put_bpf_event, check_bpf_event, 16, false },
	{ PD_RECORD_CGROUP, 0, put_cgroup, check_cgroup, 8, false },
	{ PD_RECORD_TEXT_POKE, 0, put_text_poke, check_text_poke, 19, false },
	{ PD_RECORD_AUX_OUTPUT_HW_ID, 0, put_word, check_hw_id, 8, false },
	{ PD_RECORD_CALLCHAIN_DEFERRED, 0, put_deferred, check_deferred, 32,
	  false },
	{ PD_RECORD_HEADER_ATTR, 0, put_header_attr, check_header_attr, 72,
	  false },
	{ PD_RECORD_HEADER_EVENT_TYPE, 0, put_event_type, check_event_type, 8,
	  false },
	{ PD_RECORD_HEADER_TRACING_DATA, 0, put_tracing_data,
	  check_tracing_data, 4, false },
	{ PD_RECORD_HEADER_BUILD_ID, 0x8000, put_header_build_id,
	  check_header_build_id, 28, false },
	{ PD_RECORD_HEADER_BUILD_ID, 1, put_header_build_id, check_old_build_id,
	  28, false },
	{ PD_RECORD_FINISHED_ROUND, 0, put_nothing, check_nothing, 0, false },
	{ PD_RECORD_ID_INDEX, 0, put_id_index, check_id_index, 72, false },
	{ PD_RECORD_ID_INDEX, 0, put_id_index_of_guests,
	  check_id_index_of_guests, 72, false },
	{ PD_RECORD_AUXTRACE_INFO, 0, put_auxtrace_info, check_auxtrace_info, 8,
	  false },
	{ PD_RECORD_AUXTRACE, 0, put_auxtrace, check_auxtrace, 40, false },
	{ PD_RECORD_AUXTRACE_ERROR, 0, put_auxtrace_error, check_auxtrace_error,
	  112, false },
	{ PD_RECORD_AUXTRACE_ERROR, 0, put_auxtrace_error_0,
	  check_auxtrace_error_0, 96, false },
	{ PD_RECORD_THREAD_MAP, 0, put_thread_map, check_thread_map, 56, true },
	{ PD_RECORD_CPU_MAP, 0, put_cpu_list, check_cpu_list, 8, false },
	{ PD_RECORD_CPU_MAP, 0, put_cpu_mask8, check_cpu_mask8, 26, false },
	{ PD_RECORD_CPU_MAP, 0, put_cpu_mask4, check_cpu_mask4, 10, false },
	{ PD_RECORD_CPU_MAP, 0, put_cpu_range, check_cpu_range, 8, false },
	{ PD_RECORD_STAT_CONFIG, 0, put_stat_config, check_stat_config, 24,
	  false },
	{ PD_RECORD_STAT, 0, put_stat, check_stat, 40, false },
	{ PD_RECORD_STAT_ROUND, 0, put_lost, check_stat_round, 16, false },
	{ PD_RECORD_EVENT_UPDATE, 0, put_update_name, check_update_name, 16,
	  false },
	{ PD_RECORD_EVENT_UPDATE, 0, put_update_scale, check_update_scale, 24,
	  false },
	{ PD_RECORD_EVENT_UPDATE, 0, put_update_cpus, check_update_cpus, 24,
	  false },
	{ PD_RECORD_TIME_CONV, 0, put_time_conv, check_time_conv, 48, false },
	{ PD_RECORD_HEADER_FEATURE, 0, put_feature, check_feature, 8, false },
	{ PD_RECORD_COMPRESSED, 0, put_compressed, check_compressed, 0, false },
	{ PD_RECORD_FINISHED_INIT, 0, put_nothing, check_nothing, 0, false },
	{ PD_RECORD_COMPRESSED2, 0, put_compressed2, check_compressed, 8,
	  false },
	{ PD_RECORD_BPF_METADATA, 0, put_bpf_metadata, check_bpf_metadata, 840,
	  false },
};
#define CASES_NR (sizeof(cases) / sizeof(cases[0]))

static bool is_kernel(const struct body_case *t)
{
	return t->type < PD_RECORD_USER_START;
}

/* The record of a case, with a trailer of ones behind a kernel record. */
static void put_case(struct bytes *b, const struct body_case *t,
		     bool big_endian)
{
	begin_record(b, big_endian, t->type, t->misc);
	t->put(b);
	if (is_kernel(t)) {
		put_u64(b, UINT64_MAX);
		put_u64(b, UINT64_MAX);
	}
	end_record(b);
}

static struct pd_record view(const struct bytes *b, const uint8_t *data)
{
	struct pd_record rec = { .seq = 0 };

	assert_int_equal(
		pd_record_read(data, b->len, 0x100, bytes_swap(b), &rec, NULL),
		0);
	return rec;
}

static void test_record_body__every_field_of_both_orders(void **state)
{
	(void)state;
	for (size_t i = 0; i < 2 * CASES_NR; i++) {
		const struct body_case *t = &cases[i / 2];
		struct pd_record rec;
		struct pd_body body;
		struct bytes b;

		put_case(&b, t, i & 1);
		rec = view(&b, b.data);
		assert_int_equal(pd_body_read(&rec, is_kernel(t) ? ID_LEN : 0,
					      &body, NULL),
				 0);
		assert_int_equal(body.type, t->type);
		if (is_kernel(t)) /* the rest is padding */
			assert_in_range(rec.len - ID_LEN - body.fields_len, 0,
					7);
		t->check(&body);
	}
}

/* What is read from either order is written as this machine's. */
static void test_record_body__writes_what_it_read(void **state)
{
	(void)state;
	for (size_t i = 0; i < 2 * CASES_NR; i++) {
		const struct body_case *t = &cases[i / 2];
		struct bytes b, want;
		struct pd_buf out = PD_BUF_INIT;
		struct pd_record rec;
		struct pd_body body;
		size_t start;

		put_case(&b, t, i & 1);
		put_case(&want, t, bytes_swap(&b) != b.big_endian);
		if (t->is_raw && bytes_swap(&b))
			continue;
		rec = view(&b, b.data);
		assert_int_equal(pd_body_read(&rec, is_kernel(t) ? ID_LEN : 0,
					      &body, NULL),
				 0);
		if (!is_kernel(t)) {
			pd_body_write(&out, t->misc, &body);
		} else {
			start = pd_record_begin(&out, t->type, t->misc);
			pd_body_write_fields(&out, &body);
			pd_buf_u64(&out, UINT64_MAX);
			pd_buf_u64(&out, UINT64_MAX);
			pd_record_end(&out, start);
		}
		assert_int_equal(pd_buf_status(&out), 0);
		if (t->check == check_old_build_id) {
			want.data[5 - want.big_endian] = 0x80;
			want.data[8 + 24] = 20;
		}
		assert_int_equal(out.len, want.len);
		assert_memory_equal(out.data, want.data, want.len);
		pd_buf_release(&out);
	}
}

/* Bodies lie in memory of just their length, so that ASan sees a byte read
 * beyond. */
static void test_record_body__cut_at_every_length(void **state)
{
	(void)state;
	for (size_t i = 0; i < 2 * CASES_NR; i++) {
		const struct body_case *t = &cases[i / 2];
		struct bytes whole;

		begin_record(&whole, i & 1, t->type, t->misc);
		t->put(&whole);
		for (size_t len = 8; len < whole.len; len++) {
			struct bytes b = whole;
			uint8_t *copy = malloc(len);
			struct pd_record rec;
			struct pd_body body;
			int rc;

			assert_non_null(copy);
			b.len = len;
			end_record(&b);
			memcpy(copy, b.data, len);
			rec = view(&b, copy);
			rc = pd_body_read(&rec, 0, &body, NULL);
			assert_int_equal(
				rc,
				len < 8 + t->min_len &&
						!(t->type ==
							  PD_RECORD_TIME_CONV &&
						  len == 32)
					? -ENODATA
					: 0);
			free(copy);
		}
	}
}

static void test_record_body__a_trailer_longer_than_the_body(void **state)
{
	struct pd_err err = PD_ERR_INIT;
	struct pd_record rec;
	struct pd_body body;
	struct bytes b;

	(void)state;
	begin_record(&b, false, PD_RECORD_SWITCH, 0);
	put_u64(&b, 0);
	end_record(&b);
	rec = view(&b, b.data);
	assert_int_equal(pd_body_read(&rec, ID_LEN, &body, &err), -ENODATA);
	assert_string_equal(err.text, "switch record ends too early");
}

static int read_of(struct bytes *b)
{
	struct pd_record rec;
	struct pd_body body;

	end_record(b);
	rec = view(b, b->data);
	return pd_body_read(&rec, 0, &body, NULL);
}

static void test_record_body__counts_that_do_not_fit(void **state)
{
	static const uint64_t counts[] = { 3, UINT64_MAX, UINT64_C(1) << 60,
					   UINT64_C(1) << 61 };
	static const uint32_t types[] = { PD_RECORD_ID_INDEX,
					  PD_RECORD_STAT_CONFIG,
					  PD_RECORD_THREAD_MAP };

	(void)state;
	for (size_t i = 0; i < 12; i++) {
		struct bytes b;

		begin_record(&b, false, types[i % 3], 0);
		put_u64(&b, counts[i / 3]);
		put_u64(&b, 1);
		put_u64(&b, 2);
		assert_int_equal(read_of(&b), -ENODATA);
	}
}

static void test_record_body__impossible_fields(void **state)
{
	struct bytes b;

	(void)state;
	begin_record(&b, false, PD_RECORD_CPU_MAP, 0);
	put_cpu_mask4(&b);
	b.data[8 + 4] = 5;
	assert_int_equal(read_of(&b), -EBADMSG);
	begin_record(&b, false, PD_RECORD_CPU_MAP, 0);
	put_u64(&b, 3);
	assert_int_equal(read_of(&b), -ENOTSUP);
	begin_record(&b, false, PD_RECORD_EVENT_UPDATE, 0);
	put_lost(&b);
	assert_int_equal(read_of(&b), -ENOTSUP);
	begin_record(&b, false, PD_RECORD_SAMPLE, 0);
	assert_int_equal(read_of(&b), -ENOTSUP);
	begin_record(&b, false, 63, 0);
	assert_int_equal(read_of(&b), -ENOTSUP);
	begin_record(&b, false, UINT32_MAX, 0);
	assert_int_equal(read_of(&b), -ENOTSUP);
}

/* As perf 6.16 to 7.1 write the parts of one flush. */
static void test_record_body__compressed2_of_wrong_length(void **state)
{
	static const uint64_t lens[] = { 66000, 16, 0, UINT64_MAX };

	(void)state;
	for (size_t i = 0; i < 4; i++) {
		struct pd_record rec;
		struct pd_body body;
		struct bytes b;

		begin_record(&b, false, PD_RECORD_COMPRESSED2, 0);
		put_u64(&b, lens[i]);
		put_text(&b, "zstd", 24);
		end_record(&b);
		rec = view(&b, b.data);
		assert_int_equal(pd_body_read(&rec, 0, &body, NULL), 0);
		assert_int_equal(body.u.compressed.payload_len, 24);
	}
}

static void test_record_body__short_time_conv(void **state)
{
	struct pd_record rec;
	struct pd_body body;
	struct bytes b;

	(void)state;
	begin_record(&b, true, PD_RECORD_TIME_CONV, 0);
	put_three(&b);
	end_record(&b);
	rec = view(&b, b.data);
	assert_int_equal(pd_body_read(&rec, 0, &body, NULL), 0);
	assert_int_equal(body.u.time_conv.time_zero, 3);
	assert_int_equal(body.u.time_conv.time_cycles, 0);
}

static void test_record_body__thread_map_entries(void **state)
{
	(void)state;
	for (int order = 0; order < 2; order++) {
		struct pd_thread_map_entry e;
		struct pd_record rec;
		struct pd_body body;
		struct bytes b;

		begin_record(&b, order, PD_RECORD_THREAD_MAP, 0);
		put_thread_map(&b);
		end_record(&b);
		rec = view(&b, b.data);
		assert_int_equal(pd_body_read(&rec, 0, &body, NULL), 0);
		e = pd_thread_map_at(&body.u.thread_map, 1, rec.swap);
		assert_int_equal(e.tid, 12);
		assert_true(pd_str_eq(e.comm, "two"));
	}
}

/* Of another recorder that runs at the same time: FORMAT.md "Records". */
static void test_record_body__a_misc_bit_without_build_id(void **state)
{
	static const uint8_t lens[] = { 0, 21, 254 };

	(void)state;
	for (size_t i = 0; i <= sizeof(lens); i++) {
		struct pd_record rec;
		struct pd_body body;
		struct bytes b;

		begin_record(&b, false, PD_RECORD_MMAP2, 0x4000);
		put_mmap2_build_id(&b);
		if (i < sizeof(lens))
			b.data[8 + 32] = lens[i];
		else
			b.data[8 + 32 + 2] = 1; /* part of a number */
		end_record(&b);
		rec = view(&b, b.data);
		assert_int_equal(pd_body_read(&rec, 0, &body, NULL), 0);
		assert_int_equal(body.u.mmap.build_id_len, 0);
		if (i < sizeof(lens))
			assert_int_equal(body.u.mmap.maj, lens[i]);
	}
}

static void test_record_body__a_build_id_asks_for_its_misc_bit(void **state)
{
	struct pd_body body = { .type = PD_RECORD_MMAP2 };

	(void)state;
	assert_int_equal(pd_body_misc(&body), 0);
	body.u.mmap.build_id_len = 20;
	assert_int_equal(pd_body_misc(&body), PD_MISC_MMAP_BUILD_ID);
	body.type = PD_RECORD_HEADER_BUILD_ID;
	assert_int_equal(pd_body_misc(&body), PD_MISC_BUILD_ID_SIZE);
}

static void test_record_body__an_unknown_type_is_not_written(void **state)
{
	struct pd_body body = { .type = PD_RECORD_SAMPLE };
	struct pd_buf b = PD_BUF_INIT;

	(void)state;
	pd_body_write(&b, 0, &body);
	assert_int_equal(pd_buf_status(&b), -ENOTSUP);
	pd_buf_release(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_record_body__every_field_of_both_orders),
		cmocka_unit_test(test_record_body__writes_what_it_read),
		cmocka_unit_test(test_record_body__cut_at_every_length),
		cmocka_unit_test(
			test_record_body__a_trailer_longer_than_the_body),
		cmocka_unit_test(test_record_body__counts_that_do_not_fit),
		cmocka_unit_test(test_record_body__impossible_fields),
		cmocka_unit_test(test_record_body__compressed2_of_wrong_length),
		cmocka_unit_test(test_record_body__short_time_conv),
		cmocka_unit_test(test_record_body__thread_map_entries),
		cmocka_unit_test(test_record_body__a_misc_bit_without_build_id),
		cmocka_unit_test(
			test_record_body__a_build_id_asks_for_its_misc_bit),
		cmocka_unit_test(
			test_record_body__an_unknown_type_is_not_written),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
