#include "report/input/file_pages.h"

#include <sys/mman.h>
#include <unistd.h>

/* Linux since 6.18 maps all of a large page of the page cache where one byte of
 * it is looked at. */
#define LARGE_PAGE ((uint64_t)2 << 20)

/* The whole pages of it; they are in the page cache still. */
static void give_back(const struct rpt_file_pages *pages, uint64_t from,
		      uint64_t to)
{
	uint64_t page_len = (uint64_t)sysconf(_SC_PAGESIZE);
	uint64_t start = (from + page_len - 1) / page_len * page_len;
	uint64_t end = to / page_len * page_len;

	if (start < end)
		madvise((void *)(uintptr_t)(pages->base + start),
			(size_t)(end - start), MADV_DONTNEED);
}

static void passed(void *ctx, uint64_t file_off, uint64_t len)
{
	give_back(ctx, file_off, file_off + len);
}

static void looked(void *ctx, uint64_t file_off)
{
	const struct rpt_file_pages *pages = ctx;
	uint64_t from = file_off / LARGE_PAGE * LARGE_PAGE;
	uint64_t end = pages->len;

	if (from >= LARGE_PAGE)
		from -= LARGE_PAGE;
	if (end - from > 3 * LARGE_PAGE)
		end = from + 3 * LARGE_PAGE;
	give_back(pages, from, end);
}

void rpt_file_pages_init(struct rpt_file_pages *pages, const uint8_t *base,
			 uint64_t len)
{
	*pages = (struct rpt_file_pages){
		.base = base,
		.len = len,
		.reading = { passed, looked, pages },
	};
}
