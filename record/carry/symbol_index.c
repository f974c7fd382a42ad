#include "record/carry/symbol_index.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "format/base/buf.h"
#include "format/base/hash.h"
#include "format/base/search.h"
#include "format/support/whole_io.h"
#include "record/base/runtime.h"

#define MAGIC  UINT64_C(0x0032786469736470) /* "pdsidx2" */
#define SUFFIX ".symbols"

enum {
	NAME_LEN = 16, /* of the key */
	BLOCK_SYMBOLS = 64,
	BLOCK_LEN_MAX = 16 << 20, /* aliases may be many */
	TRIES_MAX = 4096,
};

struct header {
	uint64_t magic;
	uint64_t key[11];
	uint64_t symbol_nr;
	uint64_t block_nr;
	uint64_t check; /* of all that stands before it, and the blocks */
};

/* The folder. */

int rec_symbol_index_dir(const char *path)
{
	struct stat st;
	int fd, rc = 0;

	if (mkdir(path, 0700) && errno != EEXIST)
		return -errno;
	fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
	if (fd < 0)
		return -errno;
	if (fstat(fd, &st))
		rc = -errno;
	else if (st.st_uid != geteuid() || st.st_mode & 022)
		rc = -EPERM;
	if (!rc)
		return fd;
	close(fd);
	return rc;
}

static bool is_ours(const struct stat *st)
{
	return S_ISREG(st->st_mode) && st->st_uid == geteuid() &&
	       !(st->st_mode & 022) && st->st_nlink == 1;
}

/* Also one that was not finished. */
static bool is_name(const char *name)
{
	return strspn(name, "0123456789abcdef") == NAME_LEN &&
	       !strncmp(name + NAME_LEN, SUFFIX, strlen(SUFFIX));
}

/* Remove what was written first.  Return whether there was anything. */
static bool remove_oldest(int dir_fd, DIR *dir, uint64_t len_max)
{
	char oldest[sizeof(((struct dirent *)0)->d_name)] = "";
	const struct dirent *entry;
	struct timespec then = { 0 };
	uint64_t len = 0;
	struct stat st;

	rewinddir(dir);
	for (entry = readdir(dir); entry; entry = readdir(dir)) {
		if (!is_name(entry->d_name) ||
		    fstatat(dir_fd, entry->d_name, &st, AT_SYMLINK_NOFOLLOW))
			continue;
		len += (uint64_t)st.st_size;
		if (*oldest && (st.st_mtim.tv_sec > then.tv_sec ||
				(st.st_mtim.tv_sec == then.tv_sec &&
				 st.st_mtim.tv_nsec >= then.tv_nsec)))
			continue;
		then = st.st_mtim;
		snprintf(oldest, sizeof(oldest), "%s", entry->d_name);
	}
	return len > len_max && *oldest && !unlinkat(dir_fd, oldest, 0);
}

static void make_room(int dir_fd)
{
	int fd = openat(dir_fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	int tries = 0;

	while (dir && tries++ < TRIES_MAX &&
	       remove_oldest(dir_fd, dir, REC_SYMBOL_INDEX_LEN_MAX))
		continue;
	if (dir)
		closedir(dir);
	else if (fd >= 0)
		close(fd);
}

static void name_of(const struct rec_symbol_index_place *place, char *ret,
		    size_t cap)
{
	snprintf(
		ret, cap, "%016llx" SUFFIX,
		(unsigned long long)pd_hash_of(place->key, sizeof(place->key)));
}

/* Reading. */

static uint64_t check_of(const struct header *header,
			 const struct rec_symbol_block *blocks)
{
	const uint64_t parts[] = {
		pd_hash_of(header, offsetof(struct header, check)),
		pd_hash_of(blocks,
			   (size_t)(header->block_nr + 1) * sizeof(*blocks)),
	};

	return pd_hash_of(parts, sizeof(parts));
}

static bool is_header(const struct header *header,
		      const struct rec_symbol_index_place *place, uint64_t len)
{
	return header->magic == MAGIC &&
	       !memcmp(header->key, place->key, sizeof(place->key)) &&
	       header->symbol_nr <= REC_SYMBOL_INDEX_NR_MAX &&
	       header->block_nr <= header->symbol_nr &&
	       (header->block_nr + 1) * sizeof(struct rec_symbol_block) <=
		       len - sizeof(*header);
}

static int read_whole(int fd, void *ret, size_t len, uint64_t off)
{
	ssize_t got = sup_read_at(fd, ret, len, off);

	return got < 0 ? (int)got : (size_t)got == len ? 0 : -EBADMSG;
}

static int read_blocks(struct rec_symbol_index *index,
		       const struct rec_symbol_index_place *place)
{
	struct header header;
	struct stat st;
	size_t nr;
	int rc;

	if (fstat(index->fd, &st) || !is_ours(&st))
		return -EPERM;
	rc = read_whole(index->fd, &header, sizeof(header), 0);
	if (!rc && !is_header(&header, place, (uint64_t)st.st_size))
		rc = -EBADMSG;
	if (rc)
		return rc;
	nr = (size_t)header.block_nr + 1;
	index->symbol_nr = header.symbol_nr;
	index->block_nr = (uint32_t)header.block_nr;
	index->blocks = calloc(nr, sizeof(*index->blocks));
	index->is_wanted = calloc(nr, sizeof(bool));
	if (!index->blocks || !index->is_wanted)
		return -ENOMEM;
	rc = read_whole(index->fd, index->blocks, nr * sizeof(*index->blocks),
			sizeof(header));
	if (!rc && check_of(&header, index->blocks) != header.check)
		rc = -EBADMSG;
	return rc;
}

int rec_symbol_index_open(struct rec_symbol_index *ret,
			  const struct rec_symbol_index_place *place)
{
	char name[NAME_LEN + sizeof(SUFFIX)];
	int rc;

	*ret = (struct rec_symbol_index){ .fd = -1 };
	if (place->dir_fd < 0)
		return -ENOENT;
	name_of(place, name, sizeof(name));
	ret->fd = openat(place->dir_fd, name,
			 O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	if (ret->fd < 0)
		return -errno;
	rc = read_blocks(ret, place);
	if (rc)
		rec_symbol_index_close(ret);
	return rc;
}

void rec_symbol_index_close(struct rec_symbol_index *index)
{
	if (index->fd >= 0)
		close(index->fd);
	index->fd = -1;
	free(index->blocks);
	free(index->is_wanted);
	index->blocks = NULL;
	index->is_wanted = NULL;
}

void rec_symbol_index_remove(const struct rec_symbol_index_place *place)
{
	char name[NAME_LEN + sizeof(SUFFIX)];

	name_of(place, name, sizeof(name));
	unlinkat(place->dir_fd, name, 0);
}

void rec_symbol_index_want(struct rec_symbol_index *index, uint64_t addr)
{
	uint32_t after;

	PD_FIND_FIRST(after, index->block_nr,
		      index->blocks[after].start > addr);
	index->is_wanted[after] = true;
	/* ends behind the block's start count for what lies in it */
	for (uint32_t i = after;
	     i > 1 &&
	     index->blocks[i - 1].reach > index->blocks[after - 1].start;
	     i--)
		index->is_wanted[i - 1] = true;
}

static int see_symbols(struct pd_cursor *c, uint64_t start, uint32_t idx,
		       int (*see)(void *ctx, const struct pd_elf_symbol *sym),
		       void *ctx)
{
	struct pd_elf_symbol sym = { .start = start, .idx = idx };
	int rc = 0;

	for (; !rc && pd_cursor_left(c); sym.idx++) {
		sym.start += pd_cursor_varint(c);
		sym.len = pd_cursor_varint(c);
		sym.name = (uint32_t)pd_cursor_varint(c);
		sym.info = pd_cursor_u8(c);
		if (sym.start + sym.len < sym.start)
			rc = -EBADMSG;
		else
			rc = see(ctx, &sym);
	}
	return rc;
}

static int see_block(const struct rec_symbol_index *index, uint32_t at,
		     int (*see)(void *ctx, const struct pd_elf_symbol *sym),
		     void *ctx)
{
	const struct rec_symbol_block *block = &index->blocks[at];
	uint64_t block_len = block[1].off - block->off;
	size_t len = (size_t)block_len;
	struct pd_cursor c;
	uint8_t *bytes;
	int rc;

	if (block[1].off < block->off || block_len > BLOCK_LEN_MAX)
		return -EBADMSG;
	bytes = malloc(len + 1);
	if (!bytes)
		return -ENOMEM;
	rc = read_whole(index->fd, bytes, len, block->off);
	if (!rc && pd_hash_of(bytes, len) != block->check)
		rc = -EBADMSG;
	pd_cursor_init(&c, bytes, rc ? 0 : len, 0, "index of symbols");
	if (!rc)
		rc = see_symbols(&c, block->start, at * BLOCK_SYMBOLS, see,
				 ctx);
	free(bytes);
	return rc;
}

int rec_symbol_index_each(const struct rec_symbol_index *index,
			  int (*see)(void *ctx,
				     const struct pd_elf_symbol *sym),
			  void *ctx)
{
	int rc = 0;

	for (uint32_t i = 0; i < index->block_nr && !rc; i++) {
		const struct pd_elf_symbol next = {
			.start = index->blocks[i].start,
		};

		if (index->is_wanted[i + 1])
			rc = see_block(index, i, see, ctx);
		else if (index->is_wanted[i])
			rc = see(ctx, &next);
	}
	return rc;
}

/* Writing. */

struct made {
	const struct pd_elf_symtab *symtab;
	struct pd_elf_strings strings;
	struct pd_elf_symbol *symbols; /* owned */
	size_t nr;
	struct rec_symbol_block *blocks; /* owned */
	size_t block_nr;
	struct pd_buf bytes;
};

static int take(void *ctx, const struct pd_elf_symbol *sym)
{
	struct made *m = ctx;
	struct pd_str name = { "", 0 };

	if (pd_elf_symtab_doubts(m->symtab, sym)) {
		name = pd_elf_strings_at(&m->strings, sym->name);
		if (!pd_elf_symtab_takes(m->symtab, sym, name.ptr))
			return 0;
	}
	m->symbols[m->nr++] = *sym;
	return 0;
}

static int compare_symbols(const void *a, const void *b)
{
	const struct pd_elf_symbol *x = a, *y = b;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	return (x->idx > y->idx) - (x->idx < y->idx);
}

/* Put the symbols from first on up to the end of a block.  Return how many they
 * are. */
static size_t put_block(struct made *m, size_t first, uint64_t *reach)
{
	struct rec_symbol_block *block = &m->blocks[m->block_nr++];
	uint64_t before = m->symbols[first].start;
	size_t i = first, from = m->bytes.len;

	block->start = before;
	block->reach = *reach;
	block->off = from; /* of all bytes, as yet */
	for (; i < m->nr; i++) {
		const struct pd_elf_symbol *sym = &m->symbols[i];

		if (i - first >= BLOCK_SYMBOLS && sym->start != before)
			break;
		pd_buf_varint(&m->bytes, sym->start - before);
		pd_buf_varint(&m->bytes, sym->len);
		pd_buf_varint(&m->bytes, sym->name);
		pd_buf_u8(&m->bytes, sym->info);
		before = sym->start;
		if (sym->start + sym->len > *reach)
			*reach = sym->start + sym->len;
	}
	if (!pd_buf_status(&m->bytes))
		block->check =
			pd_hash_of(m->bytes.data + from, m->bytes.len - from);
	block[1].off = m->bytes.len;
	return i - first;
}

static int put_blocks(struct made *m)
{
	size_t first = sizeof(struct header);
	uint64_t reach = 0;

	if (m->nr)
		qsort(m->symbols, m->nr, sizeof(*m->symbols), compare_symbols);
	m->blocks = calloc(m->nr / BLOCK_SYMBOLS + 2, sizeof(*m->blocks));
	if (!m->blocks)
		return -ENOMEM;
	for (size_t i = 0; i < m->nr;)
		i += put_block(m, i, &reach);
	first += (m->block_nr + 1) * sizeof(*m->blocks);
	for (size_t i = 0; i <= m->block_nr; i++)
		m->blocks[i].off += first;
	return pd_buf_status(&m->bytes);
}

static int write_parts(int fd, const struct made *m,
		       const struct rec_symbol_index_place *place)
{
	struct header header = { .magic = MAGIC,
				 .symbol_nr = m->nr,
				 .block_nr = m->block_nr };
	int rc;

	memcpy(header.key, place->key, sizeof(header.key));
	header.check = check_of(&header, m->blocks);
	rc = sup_write(fd, &header, sizeof(header));
	if (!rc)
		rc = sup_write(fd, m->blocks,
			       (m->block_nr + 1) * sizeof(*m->blocks));
	return rc ? rc : sup_write(fd, m->bytes.data, m->bytes.len);
}

static int write_index(const struct made *m,
		       const struct rec_symbol_index_place *place)
{
	char name[NAME_LEN + sizeof(SUFFIX)], new_name[sizeof(name) + 16];
	int fd, rc;

	name_of(place, name, sizeof(name));
	snprintf(new_name, sizeof(new_name), "%s.%d", name, (int)getpid());
	unlinkat(place->dir_fd, new_name, 0);
	fd = openat(place->dir_fd, new_name,
		    O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (fd < 0)
		return -errno;
	rc = write_parts(fd, m, place);
	close(fd);
	if (!rc && renameat(place->dir_fd, new_name, place->dir_fd, name))
		rc = -errno;
	if (rc)
		unlinkat(place->dir_fd, new_name, 0);
	else
		make_room(place->dir_fd);
	return rc;
}

int rec_symbol_index_make(const struct rec_symbol_index_place *place,
			  const struct pd_elf_symtab *symtab)
{
	const size_t len = symtab->nr * sizeof(struct pd_elf_symbol);
	struct made m = { .symtab = symtab, .bytes = PD_BUF_INIT };
	int rc;

	if (symtab->nr < REC_SYMBOL_INDEX_NR_MIN ||
	    symtab->nr > REC_SYMBOL_INDEX_NR_MAX)
		return -EFBIG;
	m.symbols = rec_map_memory(len);
	pd_elf_strings_init(&m.strings, symtab->elf, symtab->strings);
	rc = m.symbols ? pd_elf_symtab_each(symtab, take, &m) : -ENOMEM;
	if (!rc)
		rc = put_blocks(&m);
	if (!rc)
		rc = write_index(&m, place);
	pd_elf_strings_release(&m.strings);
	rec_unmap_memory(m.symbols, len);
	free(m.blocks);
	pd_buf_release(&m.bytes);
	return rc;
}
