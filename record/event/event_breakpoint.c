/* event_breakpoint.c: "mem:ADDR[/LEN][:rwx][:letters]". */
#include "record/event/event_parser.h"

#include "record/event/event_modifier.h"
#include "record/event/event_terms.h"

#include <errno.h>
#include <linux/hw_breakpoint.h>
#include <string.h>

static int access_parse(struct rec_parser *p, struct rec_text text,
			uint32_t *ret)
{
	static const char letters[] = "rwx";
	static const uint32_t bits[] = { HW_BREAKPOINT_R, HW_BREAKPOINT_W,
					 HW_BREAKPOINT_X };

	*ret = 0;
	for (size_t i = 0; i < text.len; i++) {
		const char *at = strchr(letters, text.at[i]);

		if (!text.at[i] || !at || (*ret & bits[at - letters]))
			return pd_err_set(p->err, -EINVAL,
					  "breakpoint access '%.*s' is not of "
					  "r, w and x",
					  (int)text.len, text.at);
		*ret |= bits[at - letters];
	}
	return 0;
}

static int number_parse(struct rec_parser *p, struct rec_text text,
			uint64_t *ret)
{
	int rc = rec_number_parse(text.at, text.len, ret);

	if (rc)
		return pd_err_set(p->err, rc, "'%.*s' is no number",
				  (int)text.len, text.at);
	return 0;
}

struct breakpoint {
	uint64_t addr;
	uint64_t len; /* 0: the default for its access */
	bool has_len;
	uint32_t access;
	struct rec_text letters;
};

static int breakpoint_split(struct rec_parser *p, struct rec_text rest,
			    struct breakpoint *bp)
{
	struct rec_text access;
	int rc = number_parse(p, rec_text_take_until(&rest, "/:"), &bp->addr);

	if (!rc && rec_text_take_char(&rest, '/')) {
		bp->has_len = true;
		rc = number_parse(p, rec_text_take_until(&rest, ":"), &bp->len);
	}
	if (rc)
		return rc;
	bp->access = HW_BREAKPOINT_R | HW_BREAKPOINT_W;
	if (!rec_text_take_char(&rest, ':'))
		return 0;
	access = rec_text_take_until(&rest, ":");
	if (rest.len == 0 && access.len &&
	    rec_modifier_is(access.at, access.len)) {
		bp->letters = access;
		return 0;
	}
	if (access.len) {
		rc = access_parse(p, access, &bp->access);
		if (rc)
			return rc;
	}
	if (rec_text_take_char(&rest, ':'))
		bp->letters = rest;
	return 0;
}

/* perf names a breakpoint with a length "mem:ADDR" alone. */
int rec_parse_breakpoint(struct rec_parser *p, struct rec_text all)
{
	struct breakpoint bp = { .addr = 0 };
	struct rec_text rest = { all.at + 4, all.len - 4 };
	struct rec_event *event;
	char name[REC_EVENT_NAME_LEN];
	int rc = breakpoint_split(p, rest, &bp);

	if (!rc)
		rc = rec_parser_copy(p, all, name);
	if (rc)
		return rc;
	if (bp.has_len)
		*strchr(name, '/') = '\0';
	event = rec_event_append(p->list, name);
	if (!event)
		return pd_err_set(p->err, -ENOMEM, "out of memory");
	if (bp.len == 0)
		bp.len = bp.access == HW_BREAKPOINT_X ? sizeof(long)
						      : HW_BREAKPOINT_LEN_4;
	event->attr.sys.type = PERF_TYPE_BREAKPOINT;
	event->attr.sys.bp_type = bp.access;
	event->attr.sys.bp_addr = bp.addr;
	event->attr.sys.bp_len = bp.len;
	event->attr.sys.sample_period = 1;
	return rec_parser_modifiers(p, p->list->nr - 1, bp.letters);
}
