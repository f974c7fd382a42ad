#include "format/records/record.h"

#include "format/file/layout.h"

int pd_record_read(const uint8_t *data, size_t left, uint64_t file_off,
		   bool swap, struct pd_record *ret, struct pd_err *err)
{
	struct pd_record rec = { 0 };
	int rc = pd_record_read_header(data, left, swap, &rec);

	if (rc && left < PD_RECORD_HEADER_LEN)
		return pd_err_at(err, rc, file_off,
				 "record header ends too early");
	if (rc == -EBADMSG)
		return pd_err_at(err, rc, file_off,
				 "record of type %u says it has %u bytes",
				 rec.type, rec.len);
	if (rc)
		return pd_err_at(err, rc, file_off,
				 "record of type %u ends too early", rec.type);
	ret->type = rec.type;
	ret->misc = rec.misc;
	ret->len = rec.len;
	ret->file_off = file_off;
	ret->data = data;
	ret->swap = swap;
	return 0;
}

static const char *const type_names[] = {
	[PD_RECORD_MMAP] = "MMAP",
	[PD_RECORD_LOST] = "LOST",
	[PD_RECORD_COMM] = "COMM",
	[PD_RECORD_EXIT] = "EXIT",
	[PD_RECORD_THROTTLE] = "THROTTLE",
	[PD_RECORD_UNTHROTTLE] = "UNTHROTTLE",
	[PD_RECORD_FORK] = "FORK",
	[PD_RECORD_READ] = "READ",
	[PD_RECORD_SAMPLE] = "SAMPLE",
	[PD_RECORD_MMAP2] = "MMAP2",
	[PD_RECORD_AUX] = "AUX",
	[PD_RECORD_ITRACE_START] = "ITRACE_START",
	[PD_RECORD_LOST_SAMPLES] = "LOST_SAMPLES",
	[PD_RECORD_SWITCH] = "SWITCH",
	[PD_RECORD_SWITCH_CPU_WIDE] = "SWITCH_CPU_WIDE",
	[PD_RECORD_NAMESPACES] = "NAMESPACES",
	[PD_RECORD_KSYMBOL] = "KSYMBOL",
	[PD_RECORD_BPF_EVENT] = "BPF_EVENT",
	[PD_RECORD_CGROUP] = "CGROUP",
	[PD_RECORD_TEXT_POKE] = "TEXT_POKE",
	[PD_RECORD_AUX_OUTPUT_HW_ID] = "AUX_OUTPUT_HW_ID",
	[PD_RECORD_CALLCHAIN_DEFERRED] = "CALLCHAIN_DEFERRED",
	[PD_RECORD_HEADER_ATTR] = "ATTR",
	[PD_RECORD_HEADER_EVENT_TYPE] = "EVENT_TYPE",
	[PD_RECORD_HEADER_TRACING_DATA] = "TRACING_DATA",
	[PD_RECORD_HEADER_BUILD_ID] = "BUILD_ID",
	[PD_RECORD_FINISHED_ROUND] = "FINISHED_ROUND",
	[PD_RECORD_ID_INDEX] = "ID_INDEX",
	[PD_RECORD_AUXTRACE_INFO] = "AUXTRACE_INFO",
	[PD_RECORD_AUXTRACE] = "AUXTRACE",
	[PD_RECORD_AUXTRACE_ERROR] = "AUXTRACE_ERROR",
	[PD_RECORD_THREAD_MAP] = "THREAD_MAP",
	[PD_RECORD_CPU_MAP] = "CPU_MAP",
	[PD_RECORD_STAT_CONFIG] = "STAT_CONFIG",
	[PD_RECORD_STAT] = "STAT",
	[PD_RECORD_STAT_ROUND] = "STAT_ROUND",
	[PD_RECORD_EVENT_UPDATE] = "EVENT_UPDATE",
	[PD_RECORD_TIME_CONV] = "TIME_CONV",
	[PD_RECORD_HEADER_FEATURE] = "FEATURE",
	[PD_RECORD_COMPRESSED] = "COMPRESSED",
	[PD_RECORD_FINISHED_INIT] = "FINISHED_INIT",
	[PD_RECORD_COMPRESSED2] = "COMPRESSED2",
	[PD_RECORD_BPF_METADATA] = "BPF_METADATA",
	[PD_RECORD_SCHEDSTAT_CPU] = "SCHEDSTAT_CPU",
	[PD_RECORD_SCHEDSTAT_DOMAIN] = "SCHEDSTAT_DOMAIN",
};

const char *pd_record_type_name(uint32_t type)
{
	if (type >= sizeof(type_names) / sizeof(type_names[0]))
		return NULL;
	return type_names[type];
}

size_t pd_record_begin(struct pd_buf *b, uint32_t type, uint16_t misc)
{
	size_t start = b->len;

	pd_buf_u32(b, type);
	pd_buf_u16(b, misc);
	pd_buf_u16(b, 0);
	return start;
}

void pd_record_end_unpadded(struct pd_buf *b, size_t start)
{
	size_t len;

	if (b->status)
		return;
	len = b->len - start;
	if (len > PD_RECORD_LEN_MAX)
		b->status = -EFBIG;
	else
		pd_buf_patch_u16(b, start + 6, (uint16_t)len);
}

void pd_record_end(struct pd_buf *b, size_t start)
{
	if (b->status)
		return;
	pd_buf_zero(b, (size_t) - (b->len - start) % 8);
	pd_record_end_unpadded(b, start);
}
