/* pd_native.c: every record of a perf.data file as this machine would have
 * written it, decoded and written through format/ alone; for
 * tests/cli/test_fixtures.py, which has the same lines from the generator.
 *
 *	pd_native FILE
 *
 * One line a record: TYPE EVENT TIME HEX. */
#include "format/reader/reader.h"
#include "format/records/record_body.h"
#include "format/records/sample_id.h"
#include "tests/unit/made_sample.h"

#include <stdio.h>
#include <stdlib.h>

enum { FILE_LEN_MAX = 16 << 20 };

static uint8_t *read_whole(const char *path, size_t *ret_len)
{
	FILE *file = fopen(path, "rb");
	uint8_t *data = malloc(FILE_LEN_MAX);

	if (!file || !data) {
		free(data);
		data = NULL;
	} else {
		*ret_len = fread(data, 1, FILE_LEN_MAX, file);
	}
	if (file)
		fclose(file);
	return data;
}

/* The entries of a thread map stay in the file's order of bytes. */
static void turn_thread_map(struct pd_body *body, bool swap,
			    struct pd_buf *entries)
{
	struct pd_thread_map *map = &body->u.thread_map;

	if (body->type != PD_RECORD_THREAD_MAP)
		return;
	for (uint64_t i = 0; i < map->nr; i++) {
		struct pd_thread_map_entry e =
			pd_thread_map_at(map, (size_t)i, swap);

		pd_buf_u64(entries, e.tid);
		pd_buf_bytes(entries, e.comm.ptr, e.comm.len);
		pd_buf_zero(entries, 16 - e.comm.len);
	}
	map->entries = entries->data;
}

static int write_sample(struct pd_buf *b, const struct pd_event *event,
			const struct pd_record *rec, struct pd_err *err)
{
	struct pd_sample sample;
	int rc;

	if (!event)
		return pd_err_set(err, -EBADMSG, "a sample of no event");
	rc = pd_sample_read(&event->layout, rec, &sample, err);
	if (!rc)
		made_sample_write(b, &event->layout, &sample);
	return rc;
}

static int write_kernel(struct pd_buf *b, const struct pd_event *event,
			const struct pd_record *rec, struct pd_err *err)
{
	struct pd_sample_id id;
	struct pd_body body;
	size_t start;
	int rc;

	if (!event)
		return pd_err_set(err, -EBADMSG, "a record of no event");
	rc = pd_body_read(rec, event->layout.id_len, &body, err);
	if (!rc)
		rc = pd_sample_id_read(&event->layout, rec, &id, err);
	if (rc)
		return rc;
	start = pd_record_begin(b, rec->type, rec->misc | pd_body_misc(&body));
	pd_body_write_fields(b, &body);
	pd_sample_id_write(b, &event->layout, &id);
	pd_record_end(b, start);
	return 0;
}

static int write_user(struct pd_buf *b, const struct pd_record *rec,
		      struct pd_err *err)
{
	struct pd_buf entries = PD_BUF_INIT;
	struct pd_body body;
	int rc = pd_body_read(rec, 0, &body, err);

	if (rc)
		return rc;
	turn_thread_map(&body, rec->swap, &entries);
	pd_body_write(b, rec->misc, &body);
	pd_buf_release(&entries);
	return 0;
}

static int print_record(const struct pd_event_set *set,
			const struct pd_record *rec, struct pd_err *err)
{
	const struct pd_event *event = pd_event_set_of_record(set, rec);
	struct pd_buf b = PD_BUF_INIT;
	int rc;

	if (rec->type == PD_RECORD_SAMPLE)
		rc = write_sample(&b, event, rec, err);
	else if (rec->type < PD_RECORD_USER_START)
		rc = write_kernel(&b, event, rec, err);
	else
		rc = write_user(&b, rec, err);
	if (!rc)
		rc = pd_buf_status(&b);
	if (!rc) {
		printf("%u ", rec->type);
		if (event)
			printf("%td ", event - set->events);
		else
			printf("- ");
		printf("%llu ",
		       (unsigned long long)pd_event_set_time_of(set, rec));
		for (size_t i = 0; i < b.len; i++)
			printf("%02x", b.data[i]);
		printf("\n");
	}
	pd_buf_release(&b);
	return rc;
}

static int print_file(const uint8_t *data, size_t len, struct pd_err *err)
{
	struct pd_reader *r = NULL;
	struct pd_records it;
	struct pd_record rec;
	int rc = pd_reader_open(&r, data, len, NULL, err);

	if (rc)
		return rc;
	pd_records_init(&it, r, pd_reader_data(r));
	while ((rc = pd_records_next(&it, &rec, err)) > 0) {
		rc = print_record(pd_reader_events(r), &rec, err);
		if (rc)
			break;
	}
	if (!rc && pd_reader_damage(r)->skipped_nr + it.damage.skipped_nr)
		rc = pd_err_set(err, -EBADMSG, "something was passed over");
	pd_records_release(&it);
	pd_reader_close(r);
	return rc;
}

int main(int argc, char **argv)
{
	struct pd_err err = PD_ERR_INIT;
	uint8_t *data;
	size_t len = 0;
	int rc;

	data = argc == 2 ? read_whole(argv[1], &len) : NULL;
	if (!data)
		return 2;
	rc = print_file(data, len, &err);
	if (rc)
		fprintf(stderr, "error %d at %llu: %s\n", rc,
			(unsigned long long)err.off, err.text);
	free(data);
	return rc != 0;
}
