/* pd_decode FILE [TIMES]: walks a recording and decodes all of its samples,
 * TIMES times over (1), with one thread; says how fast.
 *
 *	bytes 123456789 samples 1000000 seconds 0.052 gb_s 2.37 msamples_s 19.2
 *
 * Bytes are those of the data section; the file is in memory before the clock
 * starts.  The fields are added up, so that none is decoded for nothing. */
#include "format/reader/reader.h"
#include "format/records/sample.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>

struct total {
	uint64_t sample_nr;
	uint64_t sum;
};

static const uint8_t *map_file(const char *path, uint64_t *ret_len)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct stat st;
	void *base;

	if (fd < 0 || fstat(fd, &st))
		return NULL;
	base = mmap(NULL, (size_t)st.st_size, PROT_READ,
		    MAP_PRIVATE | MAP_POPULATE, fd, 0);
	*ret_len = (uint64_t)st.st_size;
	return base == MAP_FAILED ? NULL : base;
}

static void add(struct total *total, const struct pd_sample *s)
{
	total->sample_nr++;
	total->sum += s->id + s->ip + s->pid + s->tid + s->time_ns + s->addr +
		      s->cpu + s->period + s->raw_len + s->callchain.nr;
	if (s->callchain.nr)
		total->sum += pd_u64s_at(&s->callchain, s->callchain.nr - 1);
}

static int walk(struct pd_reader *r, struct total *total)
{
	const struct pd_event_set *events = pd_reader_events(r);
	struct pd_records it;
	struct pd_record rec;
	struct pd_sample sample;
	int rc;

	pd_records_init(&it, r, pd_reader_data(r));
	while ((rc = pd_records_next(&it, &rec, NULL)) > 0) {
		const struct pd_event *event;

		if (rec.type != PD_RECORD_SAMPLE)
			continue;
		event = pd_event_set_of_record(events, &rec);
		if (event &&
		    !pd_sample_read(&event->layout, &rec, &sample, NULL))
			add(total, &sample);
	}
	pd_records_release(&it);
	return rc;
}

/* CPU time: others may use the machine too. */
static double now_s(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

int main(int argc, char **argv)
{
	unsigned long times = argc > 2 ? strtoul(argv[2], NULL, 0) : 1;
	struct total total = { 0 };
	struct pd_reader *r = NULL;
	const uint8_t *base;
	uint64_t len = 0, bytes;
	double start, took;
	int rc = 0;

	if (argc < 2)
		return 2;
	base = map_file(argv[1], &len);
	if (!base || pd_reader_open(&r, base, len, NULL, NULL))
		return 1;
	bytes = pd_reader_data(r).len * times;
	start = now_s();
	for (unsigned long i = 0; i < times && !rc; i++)
		rc = walk(r, &total);
	took = now_s() - start;
	printf("bytes %" PRIu64 " samples %" PRIu64
	       " seconds %.3f gb_s %.2f msamples_s %.1f sum %" PRIx64 "\n",
	       bytes, total.sample_nr, took, (double)bytes / took / 1e9,
	       (double)total.sample_nr / took / 1e6, total.sum);
	pd_reader_close(r);
	return rc != 0;
}
