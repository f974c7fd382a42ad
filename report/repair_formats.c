/* Formats of tracepoints where the file has none: perf opens no file with a
 * tracepoint whose format is not in TRACING_DATA.  What is made up here has the
 * fields that all tracepoints begin with, so that samples can be counted and
 * shown; what else is in them stays raw bytes.  FORMAT.md "Feature sections",
 * TRACING_DATA. */
#include "report/repair_impl.h"

#include <inttypes.h>
#include <stdio.h>

enum { PAGE_LEN = 4096, FORMAT_LEN = 512 };

/* Of a name like "sched:sched_switch", or made up. */
static void name_parts(const struct pd_event *event, struct pd_str *ret_system,
		       struct pd_str *ret_name, char *buf, size_t len)
{
	const char *colon = event->name ? strchr(event->name, ':') : NULL;

	snprintf(buf, len, "id_%" PRIu64, event->attr.config);
	*ret_system = (struct pd_str){ "unknown", 7 };
	*ret_name = (struct pd_str){ buf, strlen(buf) };
	if (!colon || colon == event->name || !colon[1])
		return;
	*ret_system =
		(struct pd_str){ event->name, (size_t)(colon - event->name) };
	*ret_name = (struct pd_str){ colon + 1, strcspn(colon + 1, ": \n\t") };
}

static void put_format(struct pd_buf *b, const struct pd_event *event)
{
	static const char fields[] =
		"format:\n"
		"\tfield:unsigned short common_type;\toffset:0;\tsize:2;"
		"\tsigned:0;\n"
		"\tfield:unsigned char common_flags;\toffset:2;\tsize:1;"
		"\tsigned:0;\n"
		"\tfield:unsigned char common_preempt_count;\toffset:3;"
		"\tsize:1;\tsigned:0;\n"
		"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n"
		"\n"
		/* one field of its own is the least that is read */
		"\tfield:unsigned char first;\toffset:8;\tsize:1;\tsigned:0;\n"
		"\n"
		"print fmt: \"\"\n";
	char made_up[32], head[FORMAT_LEN];
	struct pd_str system, name;
	int len;

	name_parts(event, &system, &name, made_up, sizeof(made_up));
	len = snprintf(head, sizeof(head), "name: %.*s\nID: %" PRIu64 "\n",
		       (int)(name.len < 200 ? name.len : 200), name.ptr,
		       event->attr.config);
	pd_buf_bytes(b, system.ptr, system.len);
	pd_buf_u8(b, 0);
	pd_buf_u32(b, 1);
	pd_buf_u64(b, (uint64_t)len + sizeof(fields) - 1);
	pd_buf_bytes(b, head, (size_t)len);
	pd_buf_bytes(b, fields, sizeof(fields) - 1);
}

static bool is_first_of_config(const struct pd_event_set *set, size_t idx)
{
	for (size_t i = 0; i < idx; i++)
		if (set->events[i].attr.type == PD_TYPE_TRACEPOINT &&
		    set->events[i].attr.config == set->events[idx].attr.config)
			return false;
	return set->events[idx].attr.type == PD_TYPE_TRACEPOINT;
}

void rpt_repair_make_formats(const struct rpt_repair *repair, struct pd_buf *b)
{
	static const char magic[] = "\x17\x08\x44tracing0.6";
	/* perf wants one; only raw ring buffer pages would be read by it */
	static const char page[] =
		"\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;\n"
		"\tfield: local_t commit;\toffset:8;\tsize:8;\tsigned:1;\n"
		"\tfield: char data;\toffset:16;\tsize:4080;\tsigned:1;\n";
	static const char page_name[] = "header_page";
	static const char event_name[] = "header_event";
	const struct pd_event_set *set = repair->events;
	bool is_big =
		repair->file.swap != (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__);
	uint32_t system_nr = 0;

	for (size_t i = 0; i < set->nr; i++)
		system_nr += is_first_of_config(set, i);
	pd_buf_bytes(b, magic, sizeof(magic));
	pd_buf_u8(b, is_big);
	pd_buf_u8(b, 8); /* of a long */
	pd_buf_u32(b, PAGE_LEN);
	pd_buf_bytes(b, page_name, sizeof(page_name));
	pd_buf_u64(b, sizeof(page) - 1);
	pd_buf_bytes(b, page, sizeof(page) - 1);
	pd_buf_bytes(b, event_name, sizeof(event_name));
	pd_buf_u64(b, 0);
	pd_buf_u32(b, 0); /* formats of ftrace */
	pd_buf_u32(b, system_nr);
	for (size_t i = 0; i < set->nr; i++)
		if (is_first_of_config(set, i))
			put_format(b, &set->events[i]);
	pd_buf_u32(b, 0); /* kallsyms */
	pd_buf_u32(b, 0); /* printk formats */
	pd_buf_u64(b, 0); /* comms */
}
