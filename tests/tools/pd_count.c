/* pd_count.c: counts the records of a perf.data file by type, through
 * pd_reader alone; for tests/cli/test_corpus_records.py.
 *
 *	pd_count FILE		one walk over the data section
 *	pd_count FILE GOAL_LEN	piece by piece
 *
 * Then lines "event NAME RECORDS", "damage PLACES BYTES TEXT".
 */
#include "format/reader/reader.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { TYPE_NR = 4096 };

struct counts {
	unsigned long by_type[TYPE_NR];
	unsigned long other;
	unsigned long *by_event;
	unsigned long nameless; /* samples of no event */
	uint64_t seq;
	unsigned long disorder; /* seq that did not grow */
	struct pd_damage damage;
};

static const uint8_t *map_file(const char *path, uint64_t *ret_len)
{
	int fd = open(path, O_RDONLY);
	struct stat st;
	void *base;

	if (fd < 0 || fstat(fd, &st) || st.st_size == 0)
		return NULL;
	base = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	close(fd);
	*ret_len = (uint64_t)st.st_size;
	return base == MAP_FAILED ? NULL : base;
}

static void count_record(const struct pd_reader *r, const struct pd_record *rec,
			 struct counts *c)
{
	const struct pd_event_set *set = pd_reader_events(r);
	const struct pd_event *event;

	if (rec->type < TYPE_NR)
		c->by_type[rec->type]++;
	else
		c->other++;
	if (rec->seq < c->seq)
		c->disorder++;
	c->seq = rec->seq;
	if (rec->type != PD_RECORD_SAMPLE)
		return;
	event = pd_event_set_of_record(set, rec);
	if (event)
		c->by_event[event - set->events]++;
	else
		c->nameless++;
}

static int count_piece(struct pd_reader *r, struct pd_chunk piece,
		       struct counts *c, struct pd_err *err)
{
	struct pd_records it;
	struct pd_record rec;
	int rc;

	pd_records_init(&it, r, piece);
	while ((rc = pd_records_next(&it, &rec, err)) > 0)
		count_record(r, &rec, c);
	c->damage.skipped_nr += it.damage.skipped_nr;
	c->damage.skipped_len += it.damage.skipped_len;
	if (!c->damage.first.code)
		c->damage.first = it.damage.first;
	pd_records_release(&it);
	return rc;
}

static int count_pieces(struct pd_reader *r, uint64_t goal_len,
			struct counts *c, struct pd_err *err)
{
	const struct pd_chunk *pieces;
	size_t nr;
	int rc = pd_reader_chunks(r, goal_len, &pieces, &nr, err);

	for (size_t i = 0; i < nr && !rc; i++)
		rc = count_piece(r, pieces[i], c, err);
	return rc;
}

static void print_counts(const struct pd_reader *r, const struct counts *c)
{
	const struct pd_event_set *set = pd_reader_events(r);
	const struct pd_damage *opened = pd_reader_damage(r);
	const char *text =
		opened->first.code ? opened->first.text : c->damage.first.text;

	for (unsigned type = 0; type < TYPE_NR; type++) {
		const char *name = pd_record_type_name(type);

		if (!c->by_type[type])
			continue;
		if (name)
			printf("%s %lu\n", name, c->by_type[type]);
		else
			printf("%u %lu\n", type, c->by_type[type]);
	}
	if (c->other)
		printf("other %lu\n", c->other);
	for (size_t i = 0; i < set->nr; i++)
		printf("event %s %lu\n",
		       set->events[i].name ? set->events[i].name : "-",
		       c->by_event[i]);
	if (c->nameless)
		printf("nameless %lu\n", c->nameless);
	if (c->disorder)
		printf("disorder %lu\n", c->disorder);
	if (opened->skipped_nr + c->damage.skipped_nr)
		printf("damage %llu %llu %s\n",
		       (unsigned long long)(opened->skipped_nr +
					    c->damage.skipped_nr),
		       (unsigned long long)(opened->skipped_len +
					    c->damage.skipped_len),
		       text);
}

int main(int argc, char **argv)
{
	struct pd_err err = PD_ERR_INIT;
	struct counts c = { .seq = 0 };
	struct pd_reader *r = NULL;
	const uint8_t *base;
	uint64_t len = 0;
	int rc;

	if (argc < 2)
		return 2;
	base = map_file(argv[1], &len);
	if (!base)
		return 2;
	rc = pd_reader_open(&r, base, len, NULL, &err);
	if (!rc)
		c.by_event =
			calloc(pd_reader_events(r)->nr, sizeof(*c.by_event));
	if (!rc && argc > 2)
		rc = count_pieces(r, strtoull(argv[2], NULL, 0), &c, &err);
	else if (!rc)
		rc = count_piece(r, pd_reader_data(r), &c, &err);
	if (rc < 0)
		printf("error %d at %llu: %s\n", rc,
		       (unsigned long long)err.off, err.text);
	else
		print_counts(r, &c);
	free(c.by_event);
	pd_reader_close(r);
	return rc < 0;
}
