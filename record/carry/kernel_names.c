#include "record/carry/kernel_names.h"

#include "format/support/whole_io.h"
#include "format/symtab/kallsyms_line.h"
#include "format/symtab/symbol_search.h"
#include "record/base/runtime.h"
#include "record/names/each_line.h"
#include "record/snapshot/kernel_map.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

enum {
	FILE_LEN_MAX = 64 << 20,
	BLOCK_LEN = 2 << 10, /* of a copy: some 80 symbols */
};

#define COPY_AGE_NS UINT64_C(3600000000000)

struct reading {
	struct pd_symbol_search search;
	struct rec_name_list *list;
	bool has_addresses; /* they are not all 0: hidden from us */
};

static int add(void *ctx, const struct pd_symbol_start *symbol, uint64_t len)
{
	struct reading *r = ctx;
	const struct pd_carried_name name = {
		.start = symbol->start,
		.len = len,
		.source = PD_CARRIED_LINE,
		.info = symbol->info,
		.text = symbol->name,
	};

	return rec_name_list_add(r->list, &name) ? 0 : -ENOMEM;
}

/* A reader finds by these how far the kernel has moved. */
static bool is_start(const struct pd_kallsyms_line *line)
{
	return pd_kernel_bound_of(line) <= PD_KERNEL_STEXT;
}

static bool read_line(struct rec_text_scan text, struct pd_kallsyms_line *ret)
{
	const struct pd_str whole = { text.at, rec_text_scan_left(&text) };

	return pd_kallsyms_line_read(whole, ret) &&
	       pd_kallsyms_line_counts(ret);
}

static int see(struct reading *r, const struct pd_kallsyms_line *line)
{
	const struct pd_symbol_start symbol = pd_kallsyms_symbol(line);
	int rc = is_start(line) ? add(r, &symbol, 0) : 0;

	r->has_addresses |= line->addr != 0;
	return rc ? rc : pd_symbol_search_see(&r->search, &symbol);
}

static int see_line(void *ctx, struct rec_text_scan text)
{
	struct pd_kallsyms_line line;

	return read_line(text, &line) ? see(ctx, &line) : 0;
}

void rec_kallsyms_open(struct rec_kallsyms *kallsyms, bool keeps)
{
	*kallsyms = (struct rec_kallsyms){
		.fd = open("/proc/kallsyms", O_RDONLY | O_CLOEXEC),
		.keeps = keeps,
		.copy_fd = -1,
		.modules_fd =
			keeps ? open("/proc/modules", O_RDONLY | O_CLOEXEC)
			      : -1,
	};
}

static void drop_copy(struct rec_kallsyms *kallsyms)
{
	if (kallsyms->copy_fd >= 0)
		close(kallsyms->copy_fd);
	kallsyms->copy_fd = -1;
	free(kallsyms->blocks);
	kallsyms->blocks = NULL;
	kallsyms->block_nr = 0;
}

void rec_kallsyms_close(struct rec_kallsyms *kallsyms)
{
	drop_copy(kallsyms);
	if (kallsyms->fd >= 0)
		close(kallsyms->fd);
	if (kallsyms->modules_fd >= 0)
		close(kallsyms->modules_fd);
	kallsyms->fd = kallsyms->modules_fd = -1;
}

/* The copy: of each symbol the difference to the address before it in its
 * block, its type and its text; of one address, in the order of the file. */

struct rec_kallsyms_block {
	uint64_t start; /* of its first symbol */
	uint32_t off;	/* in the copy */
	bool has_start; /* of the kernel: it is always read */
};

/* A line of the file's text. */
struct line_at {
	uint64_t addr;
	uint32_t off;
	uint32_t len;
};

/* Return how many bytes of fd, up to its end, are in text; 0: too many, or
 * none. */
static size_t read_text(int fd, char *text)
{
	size_t len = 0;
	ssize_t got = 1;

	while (got && len < FILE_LEN_MAX) {
		got = read(fd, text + len, FILE_LEN_MAX - len);
		if (got < 0 && errno != EINTR)
			return 0;
		len += got > 0 ? (size_t)got : 0;
	}
	return got ? 0 : len;
}

static int compare_lines(const void *a, const void *b)
{
	const struct line_at *x = a, *y = b;

	if (x->addr != y->addr)
		return x->addr < y->addr ? -1 : 1;
	return (x->off > y->off) - (x->off < y->off);
}

/* List the lines that count, by address.  Return how many they are. */
static size_t list_lines(const char *text, size_t len, struct line_at *ret)
{
	struct rec_text_scan all = { text, text + len }, line;
	struct pd_kallsyms_line got;
	size_t nr = 0;

	while (rec_text_scan_line(&all, &line))
		if (read_line(line, &got))
			ret[nr++] = (struct line_at){
				.addr = got.addr,
				.off = (uint32_t)(line.at - text),
				.len = (uint32_t)rec_text_scan_left(&line),
			};
	qsort(ret, nr, sizeof(*ret), compare_lines);
	return nr;
}

/* Pack lines[0..nr) of text up to the end of a block.  Return how many they
 * are. */
static size_t pack_block(const char *text, const struct line_at *lines,
			 size_t nr, struct rec_kallsyms_block *block,
			 struct pd_buf *bytes)
{
	uint64_t before = lines[0].addr;
	size_t i = 0;

	pd_buf_reset(bytes);
	block->start = before;
	for (; i < nr && bytes->len < BLOCK_LEN; i++) {
		const char *at = text + lines[i].off;
		struct pd_kallsyms_line line;

		read_line((struct rec_text_scan){ at, at + lines[i].len },
			  &line);
		block->has_start |= is_start(&line);
		pd_buf_varint(bytes, line.addr - before);
		pd_buf_u8(bytes, (uint8_t)line.type);
		pd_buf_varint(bytes, line.text.len);
		pd_buf_bytes(bytes, line.text.ptr, line.text.len);
		before = line.addr;
	}
	block[1].off = block->off + (uint32_t)bytes->len;
	return i;
}

/* Return whether all of it was written. */
static bool write_blocks(struct rec_kallsyms *kallsyms, const char *text,
			 const struct line_at *lines, size_t nr)
{
	struct pd_buf bytes = PD_BUF_INIT;
	bool is_written = true;

	for (size_t i = 0; i < nr && is_written;) {
		i += pack_block(text, lines + i, nr - i,
				&kallsyms->blocks[kallsyms->block_nr++],
				&bytes);
		is_written =
			!pd_buf_status(&bytes) &&
			!sup_write(kallsyms->copy_fd, bytes.data, bytes.len);
	}
	pd_buf_release(&bytes);
	return is_written;
}

static bool pack_text(struct rec_kallsyms *kallsyms, const char *text,
		      size_t len)
{
	size_t cap = (len / 6 + 1) * sizeof(struct line_at); /* "0 T a" */
	struct line_at *lines = rec_map_memory(cap);
	size_t nr = lines ? list_lines(text, len, lines) : 0;
	/* without addresses the file is hidden from us */
	bool is_packed = nr && lines[nr - 1].addr;

	kallsyms->blocks =
		calloc(len / BLOCK_LEN + 2, sizeof(*kallsyms->blocks));
	is_packed = is_packed && kallsyms->blocks &&
		    write_blocks(kallsyms, text, lines, nr);
	rec_unmap_memory(lines, cap);
	return is_packed;
}

/* Without a copy the kernel makes the file again. */
static void make_copy(struct rec_kallsyms *kallsyms, uint64_t modules)
{
	char *text = rec_map_memory(FILE_LEN_MAX);
	size_t len = text ? read_text(kallsyms->fd, text) : 0;

	drop_copy(kallsyms);
	kallsyms->modules = modules;
	kallsyms->taken_ns = rec_now_ns();
	kallsyms->copy_fd = memfd_create("kallsyms", MFD_CLOEXEC);
	if (kallsyms->copy_fd >= 0 && !pack_text(kallsyms, text, len))
		drop_copy(kallsyms);
	rec_unmap_memory(text, FILE_LEN_MAX);
}

/* See the symbols of a block, or of its first address alone. */
static int see_block(const struct rec_kallsyms *kallsyms, size_t idx,
		     bool is_whole, struct reading *r)
{
	const struct rec_kallsyms_block *block = &kallsyms->blocks[idx];
	size_t len = block[1].off - block->off;
	struct pd_kallsyms_line line = { .addr = block->start };
	uint8_t *bytes = malloc(len);
	struct pd_cursor c;
	int rc = bytes ? 0 : -ENOMEM;

	if (!rc &&
	    pread(kallsyms->copy_fd, bytes, len, block->off) != (ssize_t)len)
		rc = -EIO;
	pd_cursor_init(&c, bytes, rc ? 0 : len, 0, "copy of kallsyms");
	while (!rc && pd_cursor_left(&c)) {
		line.addr += pd_cursor_varint(&c);
		line.type = (char)pd_cursor_u8(&c);
		line.text = pd_cursor_text(&c);
		if (!is_whole && line.addr != block->start)
			break;
		rc = see(r, &line);
	}
	free(bytes);
	return rc;
}

/* See what counts for the hits: the blocks in which they lie, and what starts
 * next.  Of an address in two blocks the second one has the name. */
static int see_copy(const struct rec_kallsyms *kallsyms, const uint64_t *hits,
		    size_t nr, struct reading *r)
{
	bool is_wanted = false;
	size_t at = 0;
	int rc = 0;

	for (size_t i = 0; i < kallsyms->block_nr && !rc; i++) {
		const struct rec_kallsyms_block *block = &kallsyms->blocks[i];
		bool is_last = i + 1 == kallsyms->block_nr;
		bool was_wanted = is_wanted;

		while (at < nr && hits[at] < block->start)
			at++;
		is_wanted = block->has_start ||
			    (at < nr && (is_last || hits[at] < block[1].start));
		if (is_wanted || was_wanted)
			rc = see_block(kallsyms, i, is_wanted, r);
	}
	return rc;
}

/* Make a copy if one is kept and there is none, or it is old. */
static void keep_copy(struct rec_kallsyms *kallsyms)
{
	uint64_t modules;

	if (!kallsyms->keeps)
		return;
	modules = rec_modules_hash(kallsyms->modules_fd);
	if (kallsyms->copy_fd < 0 || kallsyms->modules != modules ||
	    rec_now_ns() - kallsyms->taken_ns > COPY_AGE_NS)
		make_copy(kallsyms, modules);
}

int rec_kernel_names(struct rec_kallsyms *kallsyms, const uint64_t *hits,
		     size_t nr, struct rec_name_list *list)
{
	struct reading r = { .list = list };
	int rc;

	if (kallsyms->fd < 0 || lseek(kallsyms->fd, 0, SEEK_SET))
		return -EACCES;
	keep_copy(kallsyms);
	rc = pd_symbol_search_init(&r.search, hits, nr);
	if (!rc && kallsyms->copy_fd >= 0)
		rc = see_copy(kallsyms, hits, nr, &r);
	else if (!rc && lseek(kallsyms->fd, 0, SEEK_SET))
		rc = -errno;
	else if (!rc)
		rc = rec_each_line(kallsyms->fd, FILE_LEN_MAX, see_line, &r);
	if (!rc && !r.has_addresses) {
		rec_name_list_release(list);
		rc = -EACCES;
	}
	if (!rc)
		rc = pd_symbol_search_each(&r.search, add, &r, &list->named_nr);
	pd_symbol_search_release(&r.search);
	return rc;
}
