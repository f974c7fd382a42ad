#include "record/recording/slice_mark.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "format/base/hash.h"
#include "record/base/read_file.h"
#include "record/describe/event_sections.h"
#include "record/recording/session.h"

#define MAGIC	UINT64_C(0x4b524d4543494c53) /* "SLICEMRK" */
#define VERSION 1u

void rec_boot_id_read(uint8_t *ret)
{
	char text[64];
	unsigned nr = 0;

	memset(ret, 0, 16);
	if (rec_read_line("/proc/sys/kernel/random", "boot_id", text,
			  sizeof(text)))
		return;
	for (const char *at = text; *at && nr < 32; at++) {
		unsigned digit = rec_text_scan_digit(*at);

		if (digit > 15)
			continue;
		ret[nr / 2] |= (uint8_t)(digit << (nr % 2 ? 0 : 4));
		nr++;
	}
}

/* Hash what the end of a file tells of the options.  Ids of events are of one
 * recording. */
static int hash_options(const struct rec_session *session, uint64_t *ret)
{
	const struct rec_args *args = session->args;
	struct rec_open_set open = session->open;
	struct pd_buf b = PD_BUF_INIT;
	int rc = -ENOMEM;

	open.fds = calloc(open.nr + 1, sizeof(*open.fds));
	if (open.fds) {
		pd_buf_bytes(&b, PERFPAIR_VERSION, sizeof(PERFPAIR_VERSION));
		rc = rec_cmdline_write(&b, args->argc, args->argv);
	}
	if (!rc)
		rc = rec_event_desc_write(&b, &args->events, &open);
	if (!rc)
		rc = rec_group_desc_write(&b, &args->events);
	if (rc == -ENOENT)
		rc = 0;
	if (!rc)
		rc = pd_buf_status(&b);
	*ret = rc ? 0 : pd_hash_of(b.data, b.len);
	free(open.fds);
	pd_buf_release(&b);
	return rc;
}

int rec_slice_mark_make(const struct rec_session *session, const char *name,
			struct rec_slice_mark *ret)
{
	rec_boot_id_read(ret->boot_id);
	ret->name_hash = pd_hash_of(name, strlen(name));
	return hash_options(session, &ret->options_hash);
}

void rec_slice_mark_write(struct pd_buf *b, const struct rec_slice_mark *mark)
{
	size_t start = pd_record_begin(b, PD_RECORD_FINISHED_INIT, 0);

	pd_buf_u64(b, MAGIC);
	pd_buf_u64(b, VERSION);
	pd_buf_bytes(b, mark->boot_id, sizeof(mark->boot_id));
	pd_buf_u64(b, mark->name_hash);
	pd_buf_u64(b, mark->options_hash);
	pd_record_end(b, start);
}

int rec_slice_mark_read(const struct pd_record *record,
			struct rec_slice_mark *ret)
{
	struct pd_cursor c = pd_record_body(record, "slice mark", NULL);
	const uint8_t *boot_id;
	uint64_t version;

	if (record->type != PD_RECORD_FINISHED_INIT ||
	    pd_cursor_u64(&c) != MAGIC)
		return -ENOENT;
	version = pd_cursor_u64(&c);
	boot_id = pd_cursor_bytes(&c, sizeof(ret->boot_id));
	ret->name_hash = pd_cursor_u64(&c);
	ret->options_hash = pd_cursor_u64(&c);
	if (pd_cursor_status(&c) || version != VERSION)
		return -ENOTSUP;
	memcpy(ret->boot_id, boot_id, sizeof(ret->boot_id));
	return 0;
}

bool rec_slice_mark_is_same_boot(const struct rec_slice_mark *a,
				 const struct rec_slice_mark *b)
{
	static const uint8_t unknown[sizeof(a->boot_id)];

	return memcmp(a->boot_id, unknown, sizeof(unknown)) != 0 &&
	       !memcmp(a->boot_id, b->boot_id, sizeof(a->boot_id));
}
