/* Which names of tasks, of the kernel's code, of functions and of groups are
 * hidden. */
#include "report/scrub/known_names.h"
#include "report/scrub/scrub_impl.h"

#include <ctype.h>
#include <string.h>

static void put(struct rpt_scrub *scrub, enum rpt_scrub_kind kind,
		struct pd_str name, bool is_kept, struct pd_buf *to)
{
	if (is_kept)
		pd_buf_bytes(to, name.ptr, name.len);
	else
		rpt_name_key_hide(&scrub->conf->key, name, to);
	rpt_scrub_count(scrub, kind, !is_kept);
}

/* Return how much of the name of a numbered thread of the kernel is kept:
 * "kworker/0:1" of "kworker/0:1-events"; 0: it is none. */
static size_t numbered_len(struct pd_str comm)
{
	size_t start = rpt_known_start(rpt_numbered_comms, comm), at = start;

	while (start && at < comm.len &&
	       (isdigit((unsigned char)comm.ptr[at]) ||
		(at > start && strchr(":HI", comm.ptr[at]))))
		at++;
	if (at == start || (at < comm.len && !strchr("-+/", comm.ptr[at])))
		return 0;
	return at;
}

void rpt_scrub_comm(struct rpt_scrub *scrub, struct pd_str comm,
		    struct pd_buf *to)
{
	size_t len = numbered_len(comm);

	if (len && !rpt_scrub_keeps(scrub, RPT_SCRUB_COMMS))
		comm.len = len;
	put(scrub, RPT_SCRUB_COMMS, comm,
	    len || !comm.len || rpt_scrub_keeps(scrub, RPT_SCRUB_COMMS) ||
		    rpt_is_known(rpt_known_comms, comm),
	    to);
}

static size_t digits(struct pd_str name, size_t from, int (*is_digit)(int))
{
	size_t at = from;

	while (at < name.len && is_digit((unsigned char)name.ptr[at]))
		at++;
	return at - from;
}

/* A BPF program is bpf_prog_TAG_NAME; the tag is a checksum of its code. */
void rpt_scrub_ksymbol(struct rpt_scrub *scrub, struct pd_str name,
		       struct pd_buf *to)
{
	static const char numbered[] = "bpf_trampoline_";
	static const char fixed[] =
		"ftrace_trampoline kprobe_insn_page kprobe_optinsn_page";
	static const char programs[] = "bpf_prog_";
	enum { TAG_LEN = 16 };
	size_t start = rpt_known_start(programs, name);
	size_t end = start + TAG_LEN;

	if (!rpt_scrub_keeps(scrub, RPT_SCRUB_BPF) && start &&
	    digits(name, start, isxdigit) == TAG_LEN && name.len > end + 1 &&
	    name.ptr[end] == '_') {
		pd_buf_bytes(to, name.ptr, end + 1);
		name.ptr += end + 1;
		name.len -= end + 1;
		put(scrub, RPT_SCRUB_BPF, name, false, to);
		return;
	}
	start = rpt_known_start(numbered, name);
	put(scrub, RPT_SCRUB_BPF, name,
	    rpt_scrub_keeps(scrub, RPT_SCRUB_BPF) ||
		    rpt_is_known(fixed, name) ||
		    (start && start + digits(name, start, isdigit) == name.len),
	    to);
}

void rpt_scrub_symbol(struct rpt_scrub *scrub, struct pd_str name,
		      bool is_private, struct pd_buf *to)
{
	put(scrub, RPT_SCRUB_SYMBOLS, name,
	    !is_private || !name.len ||
		    rpt_scrub_keeps(scrub, RPT_SCRUB_SYMBOLS),
	    to);
}

void rpt_scrub_group(struct rpt_scrub *scrub, struct pd_str name,
		     struct pd_buf *to)
{
	put(scrub, RPT_SCRUB_EVENTS, name,
	    !name.len || pd_str_eq(name, "{anon_group}") ||
		    rpt_scrub_keeps(scrub, RPT_SCRUB_EVENTS),
	    to);
}
