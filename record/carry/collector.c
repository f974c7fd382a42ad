#include "record/carry/collector.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "format/base/limits.h"
#include "format/carried/cfi_pieces.h"
#include "record/base/read_file.h"
#include "record/base/runtime.h"
#include "record/carry/elf_bounds.h"
#include "record/carry/elf_names.h"
#include "record/carry/hit_reader.h"
#include "record/carry/keeper.h"
#include "record/carry/kernel_names.h"
#include "record/carry/memory_names.h"
#include "record/carry/separate_symbols.h"
#include "record/snapshot/mapped_build_id.h"
#include "record/snapshot/own_vdso.h"

struct collector {
	const struct rec_collector_conf *conf;
	struct rec_hit_reader *reader; /* owned */
	struct rec_hits *hits;	       /* the reader's */
	bool is_cut;		       /* the time was over before all were */
	struct pd_carried_file *files; /* owned, with segments */
	struct rec_name_list *lists;   /* owned; names of each of the files */
	struct pd_cfi_pieces *frames;  /* owned; of each of the files */
	struct rec_jit_codes *codes;   /* owned; of each of the files */
	struct pd_file_key *keys;      /* owned; of all of them */
	uint32_t nr;
	size_t names_budget;
	size_t packed_budget; /* bytes that .gnu_debugdata may still take */
	size_t frame_budget;  /* bytes that frames may still take */
	uint64_t frame_span;  /* length of the .eh_frame of all files */
};

/* Return the reason for which a file has no names, by what an open or read of
 * it returned. */
static enum pd_carried_reason reason_of(int rc)
{
	switch (rc) {
	case 0:
		return PD_CARRIED_WHOLE;
	case -ENOENT:
	case -ESRCH:
		return PD_CARRIED_GONE;
	case -ESTALE:
		return PD_CARRIED_REPLACED;
	case -EBADMSG:
		return PD_CARRIED_NOT_ELF;
	case -EFBIG:
	case -ENOMEM:
	case -ETIME:
		return PD_CARRIED_OVER;
	default:
		return PD_CARRIED_DENIED;
	}
}

/* Return true if the file was changed after the recording that another
 * recorder left: what it was then is not known.  Our own [vdso] is that of this
 * boot. */
static bool is_too_new(const struct rec_carry_left *left, int fd,
		       const char *path)
{
	struct stat st;

	if (!left)
		return false;
	if (!strcmp(path, "[vdso]"))
		return !left->is_same_boot;
	if (fstat(fd, &st))
		return true;
	return st.st_ctim.tv_sec != left->written.tv_sec
		       ? st.st_ctim.tv_sec > left->written.tv_sec
		       : st.st_ctim.tv_nsec > left->written.tv_nsec;
}

/* The record says which file is meant, by its key or its build-id. */
static int open_mapped(const struct collector *c, const struct rec_hit_file *f)
{
	const struct rec_mapped mapped = {
		.pid = (pid_t)f->pid,
		.start = f->start,
		.end = f->end,
		.ino = f->key.ino,
		.ino_generation = f->key.ino_generation,
		.maj = f->key.maj,
		.min = f->key.min,
		.path = f->path,
	};
	struct rec_build_id id = { .len = f->build_id_len };
	int fd = -ENOENT, kept = -ENOENT;

	/* The vdso of 32-bit programs lies below 4 GiB. */
	if (!strcmp(f->path, "[vdso]"))
		return f->start >> 32 ? rec_own_vdso_open() : -ENOENT;
	memcpy(id.bytes, f->build_id, f->build_id_len);
	/* of files with one build-id that of this path */
	if (id.len)
		fd = rec_mapped_open(c->conf->proc_fd, &mapped, &id);
	if (fd < 0 && c->conf->keeper)
		kept = rec_keeper_file(c->conf->keeper, &mapped, &id);
	/* Why it cannot be opened says more than that it was not kept. */
	if (kept >= 0 || fd == -ENOENT)
		fd = kept;
	return fd < 0 && !id.len
		       ? rec_mapped_open(c->conf->proc_fd, &mapped, &id)
		       : fd;
}

static uint64_t ns_of(const struct timespec *t)
{
	return t->tv_sec < 0 ? 0
			     : (uint64_t)t->tv_sec * 1000000000u +
				       (uint64_t)t->tv_nsec;
}

/* Return which file fd is, which has that path. */
static struct rec_hit_identity identity_of(int fd, const char *path)
{
	struct rec_hit_identity ret = { .key_nr = 0 };
	struct stat st;

	if (!rec_elf_build_id(fd, &ret.id))
		ret.id.len = 0;
	if (*path != '/' || fstat(fd, &st))
		return ret;
	ret.ino = st.st_ino;
	ret.ctime_ns = ns_of(&st.st_ctim);
	ret.owner = (struct pd_file_owner){
		.is_known = true,
		.uid = st.st_uid,
		.mode = st.st_mode,
		.file_len = (uint64_t)st.st_size,
		.mtime_ns = ns_of(&st.st_mtim),
	};
	return ret;
}

/* Compare inode, times, length and user.  The device is another one in each
 * container of an image, and nobody can set the time of an inode's change. */
static int compare_owners(const struct rec_hit_identity *x,
			  const struct rec_hit_identity *y)
{
	const uint64_t a[] = { !x->owner.is_known, x->ino,
			       x->ctime_ns,	   x->owner.mtime_ns,
			       x->owner.file_len,  x->owner.uid };
	const uint64_t b[] = { !y->owner.is_known, y->ino,
			       y->ctime_ns,	   y->owner.mtime_ns,
			       y->owner.file_len,  y->owner.uid };

	for (size_t i = 0; i < sizeof(a) / sizeof(a[0]); i++)
		if (a[i] != b[i])
			return a[i] < b[i] ? -1 : 1;
	return 0;
}

/* Return whether now is not the file that was looked at before. */
static bool is_another(const struct rec_hit_identity *now,
		       const struct rec_hit_identity *before)
{
	const struct pd_file_owner *a = &now->owner, *b = &before->owner;

	return b->is_known &&
	       (now->ino != before->ino || a->uid != b->uid ||
		a->mtime_ns != b->mtime_ns || a->file_len != b->file_len);
}

static int copy_head(const struct pd_elf_image *elf,
		     const struct rec_build_id *id, struct pd_carried_file *ret)
{
	ret->is_64 = elf->is_64;
	ret->is_big_endian = elf->is_big_endian;
	ret->machine = elf->machine;
	ret->type = elf->type;
	ret->segments = calloc(elf->segment_nr + 1, sizeof(*ret->segments));
	if (!ret->segments)
		return -ENOMEM;
	ret->segment_nr = elf->segment_nr;
	memcpy(ret->segments, elf->segments,
	       elf->segment_nr * sizeof(*ret->segments));
	if (!ret->build_id_len) {
		ret->build_id_len = id->len;
		memcpy(ret->build_id, id->bytes, id->len);
	}
	return 0;
}

/* Symbols that .dynsym lacks may be in .gnu_debugdata. */
static int own_names_of(struct collector *c, const struct pd_elf_image *elf,
			const uint64_t *hits, size_t nr,
			struct rec_name_list *list)
{
	int rc = rec_elf_names(elf, elf, hits, nr, NULL, list);

	if (rc || list->named_nr >= nr || pd_elf_image_find(elf, ".symtab"))
		return rc;
	rc = rec_separate_symbols_packed(elf, &c->packed_budget,
					 &c->files[c->nr - 1].packed);
	return rc == -ENOMEM ? rc : 0;
}

/* The names are in the file itself, or in its debug file. */
static int names_of(struct collector *c, const struct pd_elf_image *elf,
		    const struct rec_build_id *id, const uint64_t *hits,
		    size_t nr, struct rec_name_list *list)
{
	struct pd_elf_image debug;
	int fd = -1, rc;

	if (!pd_elf_image_find(elf, ".symtab"))
		fd = rec_separate_symbols_open(id);
	if (fd < 0)
		return own_names_of(c, elf, hits, nr, list);
	rc = pd_elf_image_read(rec_read_at(fd), &debug);
	if (!rc) {
		rc = rec_elf_names(elf, &debug, hits, nr, NULL, list);
		pd_elf_image_release(&debug);
	}
	close(fd);
	return rc;
}

/* Functions that have no name have bounds at least. */
static int bounds_of(const struct collector *c, const struct pd_elf_image *elf,
		     const uint64_t *hits, size_t nr,
		     struct rec_name_list *list)
{
	return rec_name_list_sort(list)
		       ? rec_elf_bounds(elf, hits, nr, c->conf->until_ns, NULL,
					list)
		       : -ENOMEM;
}

static bool is_late(void *ctx)
{
	const struct collector *c = ctx;

	return rec_now_ns() >= c->conf->until_ns;
}

/* Collect the file's call frame information by which stack copies are unwound
 * and the callers of leaves are found. */
static int frames_of(struct collector *c, const struct pd_elf_image *elf,
		     const uint64_t *hits, size_t nr,
		     struct pd_cfi_pieces *list)
{
	const struct pd_cfi_limits limits = { &c->frame_budget, is_late, c };
	int rc;

	if (!(c->hits->has_stacks || c->hits->has_links) ||
	    !(c->conf->limits.what & REC_CARRY_CFI))
		return 0;
	rc = pd_cfi_pieces_find(elf, hits, nr, &limits, list);
	if (list->frames.len > PD_LIMIT_CARRIED_SPANS - c->frame_span)
		pd_cfi_pieces_release(list);
	c->frame_span += list->frames.len;
	return rc == -EBADMSG ? 0 : rc; /* nobody else could read it, either */
}

static int elf_names(struct collector *c, struct rec_hit_file *f,
		     const uint64_t *hits, struct pd_carried_file *ret,
		     struct rec_name_list *list)
{
	struct rec_hit_identity now;
	struct pd_elf_image elf;
	int fd = open_mapped(c, f), rc;

	if (fd < 0)
		return fd;
	now = identity_of(fd, f->path);
	rc = is_another(&now, &f->identity) ||
			     is_too_new(c->conf->left, fd, f->path)
		     ? -ESTALE
		     : pd_elf_image_read(rec_read_at(fd), &elf);
	if (!rc) {
		ret->owner = now.owner;
		rc = copy_head(&elf, &now.id, ret);
		if (!rc && c->conf->limits.what & REC_CARRY_NAMES)
			rc = names_of(c, &elf, &now.id, hits, f->hits.nr, list);
		if (!rc && c->conf->limits.what & REC_CARRY_NAMES)
			rc = bounds_of(c, &elf, hits, f->hits.nr, list);
		if (!rc)
			rc = frames_of(c, &elf, hits, f->hits.nr,
				       &c->frames[c->nr - 1]);
		pd_elf_image_release(&elf);
	}
	close(fd);
	return rc;
}

/* Return true if the process began before that time, and runs. */
static bool began_before(int proc_fd, uint32_t pid, const struct timespec *then)
{
	struct timespec now, up;
	struct rec_text_scan line, word;
	struct pd_buf text = PD_BUF_INIT;
	uint64_t ticks = 0;
	double began_s;
	char path[32];
	bool is_read;

	snprintf(path, sizeof(path), "%" PRIu32 "/stat", pid);
	is_read = !rec_read_once(proc_fd, path, 4096, &text);
	line = rec_text_scan_buf(&text);
	/* The name may have any character; starttime is field 22. */
	while (rec_text_scan_until(&line, ')', &word))
		continue;
	for (int i = 3; i <= 22 && is_read; i++)
		is_read = rec_text_scan_word(&line, &word);
	is_read = is_read && rec_text_scan_dec(&word, &ticks);
	pd_buf_release(&text);
	clock_gettime(CLOCK_REALTIME, &now);
	clock_gettime(CLOCK_BOOTTIME, &up);
	began_s = (double)(now.tv_sec - up.tv_sec) +
		  (double)(now.tv_nsec - up.tv_nsec) / 1e9 +
		  (double)ticks / (double)sysconf(_SC_CLK_TCK);
	return is_read &&
	       began_s < (double)then->tv_sec + (double)then->tv_nsec / 1e9;
}

/* Memory of a recording that another recorder left has names as long as the
 * process runs. */
static bool is_memory_gone(const struct collector *c,
			   const struct rec_hit_file *f)
{
	const struct rec_carry_left *left = c->conf->left;

	return left &&
	       (!left->is_same_boot ||
		!began_before(c->conf->proc_fd, f->pid, &left->written));
}

static int memory_names(struct collector *c, const struct rec_hit_file *f,
			const uint64_t *hits, struct rec_name_list *list)
{
	const struct rec_memory_source from = {
		.proc_fd = c->conf->proc_fd,
		.keeper = c->conf->keeper,
		.until_ns = c->conf->until_ns,
	};

	if (is_memory_gone(c, f))
		return -ENOENT;
	return rec_memory_names(&from, f, hits, list, &c->codes[c->nr - 1]);
}

static void add_file(struct collector *c, struct rec_hit_file *f)
{
	const uint64_t *hits = rec_hit_set_sort(&f->hits);
	struct pd_carried_file *file = &c->files[c->nr];
	struct rec_name_list *list = &c->lists[c->nr];
	int rc;

	*file = (struct pd_carried_file){
		.kind = f->is_anonymous ? PD_CARRIED_PERF_MAP : PD_CARRIED_ELF,
		.path = { f->path, strlen(f->path) },
		.build_id_len = f->identity.id.len,
		.pid = f->is_anonymous ? f->pid : 0,
		.hit_nr = f->hits.nr,
		.owner = f->identity.owner,
		.keys = f->identity.keys,
		.key_nr = f->identity.key_nr,
		.is_known_by_id = f->identity.is_known_by_id,
	};
	memcpy(file->build_id, f->identity.id.bytes, f->identity.id.len);
	c->nr++;
	if (rec_now_ns() >= c->conf->until_ns)
		rc = -ETIME;
	else if (f->is_anonymous && !(c->conf->limits.what & REC_CARRY_NAMES))
		rc = 0;
	else if (f->is_anonymous)
		rc = memory_names(c, f, hits, list);
	else
		rc = elf_names(c, f, hits, file, list);
	file->reason = reason_of(rc);
}

static void add_kernel(struct collector *c)
{
	struct rec_hits *hits = c->hits;
	struct pd_carried_file *file = &c->files[c->nr];
	const char *name = "[kernel.kallsyms]";
	int rc;

	*file = (struct pd_carried_file){
		.kind = PD_CARRIED_KERNEL,
		.path = { name, strlen(name) },
		.build_id_len = hits->kernel_id_len,
		.hit_nr = hits->kernel.nr,
	};
	memcpy(file->build_id, hits->kernel_id, hits->kernel_id_len);
	rc = c->conf->left && !c->conf->left->is_same_boot
		     ? -ENOENT
		     : rec_kernel_names(c->conf->kallsyms,
					rec_hit_set_sort(&hits->kernel),
					hits->kernel.nr, &c->lists[c->nr++]);
	file->reason = reason_of(rc);
}

/* Find out which file it was; if it cannot be opened, its record's build-id is
 * known. */
static void identify(const struct collector *c, struct rec_hit_file *f)
{
	struct rec_hit_identity *identity = &f->identity;
	int fd = -1;

	if (f->is_anonymous || !f->hits.nr)
		return;
	if (rec_now_ns() < c->conf->until_ns)
		fd = open_mapped(c, f);
	if (fd >= 0) {
		*identity = identity_of(fd, f->path);
		close(fd);
	}
	if (f->build_id_len) {
		identity->is_known_by_id = true;
		identity->id.len = f->build_id_len;
		memcpy(identity->id.bytes, f->build_id, f->build_id_len);
	}
}

/* Compare path and build-id. */
static int compare_builds(const struct rec_hit_file *x,
			  const struct rec_hit_file *y)
{
	const struct rec_build_id *a = &x->identity.id, *b = &y->identity.id;
	int order = strcmp(x->path, y->path);

	if (!order)
		order = a->len - b->len;
	return order ? order : memcmp(a->bytes, b->bytes, a->len);
}

static int compare_identities(const void *a, const void *b)
{
	const struct rec_hit_file *x = a, *y = b;
	int order = compare_builds(x, y);

	return order ? order : compare_owners(&x->identity, &y->identity);
}

/* Add what was hit in from, a file with the records of to. */
static void join(struct rec_address_spaces *spaces, struct rec_hit_file *from,
		 struct rec_hit_file *to)
{
	to->identity.is_known_by_id |= from->identity.is_known_by_id;
	to->identity.key_nr += from->identity.key_nr;
	if (from->identity.key_nr)
		to->identity.keys = from->identity.keys;
	rec_hit_set_move(&from->hits, &to->hits, &spaces->budget);
}

/* Records of what ran at the start have build-ids, those of what was mapped
 * later have inodes: a file may be known as both, and in containers of one
 * image by several devices.  What is known by its build-id and cannot be opened
 * any more is the file that has both path and build-id, root's if there are
 * several.
 */
static int merge_files(struct collector *c)
{
	struct rec_address_spaces *spaces = &c->hits->spaces;
	struct rec_hit_file *last = NULL, *best = NULL;
	uint32_t nr = 0;

	c->keys = calloc(spaces->file_nr + (size_t)1, sizeof(*c->keys));
	if (!c->keys)
		return -ENOMEM;
	for (uint32_t i = 0; i < spaces->file_nr; i++)
		identify(c, &spaces->files[i]);
	if (spaces->file_nr)
		qsort(spaces->files, spaces->file_nr, sizeof(*spaces->files),
		      compare_identities);
	for (uint32_t i = 0; i < spaces->file_nr; i++) {
		struct rec_hit_file *f = &spaces->files[i];
		bool is_known = f->identity.owner.is_known;

		if (f->is_anonymous || !f->hits.nr)
			continue;
		if (last && compare_builds(last, f))
			best = NULL;
		f->identity.keys = &c->keys[nr];
		f->identity.key_nr = f->key.ino != 0;
		if (f->key.ino)
			c->keys[nr++] = f->key;
		if (last && is_known && !compare_identities(last, f)) {
			join(spaces, last, f);
			best = best == last ? f : best;
		}
		if (best && !is_known && f->identity.is_known_by_id)
			join(spaces, f, best);
		else
			last = f;
		if (is_known && (!best || !f->identity.owner.uid))
			best = f;
	}
	return 0;
}

/* Files with the most hits come first: time and bytes may end. */
static int compare_files(const void *a, const void *b)
{
	const struct rec_hit_file *x = a, *y = b;

	return (x->hits.nr < y->hits.nr) - (x->hits.nr > y->hits.nr);
}

static int collect_names(struct collector *c)
{
	struct rec_address_spaces *spaces = &c->hits->spaces;
	uint32_t nr = spaces->file_nr;

	c->files = calloc(nr + 1, sizeof(*c->files));
	c->lists = calloc(nr + 1, sizeof(*c->lists));
	c->frames = calloc(nr + 1, sizeof(*c->frames));
	c->codes = calloc(nr + 1, sizeof(*c->codes));
	if (!c->files || !c->lists || !c->frames || !c->codes)
		return -ENOMEM;
	rec_address_spaces_dumps(spaces);
	c->names_budget = c->frame_budget = c->conf->limits.memory_len;
	c->packed_budget = c->names_budget < REC_PACKED_LEN_MAX
				   ? c->names_budget
				   : REC_PACKED_LEN_MAX;
	for (uint32_t i = 0; i <= nr; i++)
		c->lists[i].budget = c->codes[i].budget = &c->names_budget;
	if (merge_files(c))
		return -ENOMEM;
	if (nr)
		qsort(spaces->files, nr, sizeof(*spaces->files), compare_files);
	if (c->hits->kernel.nr && c->conf->limits.what & REC_CARRY_NAMES)
		add_kernel(c);
	for (uint32_t i = 0; i < nr; i++)
		if (spaces->files[i].hits.nr || spaces->files[i].dump_hit_nr)
			add_file(c, &spaces->files[i]);
	for (uint32_t i = 0; i < c->nr; i++) {
		if (!rec_name_list_sort(&c->lists[i])) {
			rec_name_list_release(&c->lists[i]);
			c->files[i].reason = PD_CARRIED_OVER;
		}
		c->files[i].names = c->lists[i].items;
		c->files[i].name_nr = c->lists[i].nr;
		c->files[i].named_nr = c->lists[i].named_nr;
		if (c->frames[i].is_there)
			c->files[i].frames = &c->frames[i].frames;
		if (c->codes[i].is_there)
			c->files[i].jit = &c->codes[i].jit;
	}
	return 0;
}

static void free_packed(struct pd_carried_file *file)
{
	free((void *)(uintptr_t)file->packed.ptr);
	file->packed = (struct pd_str){ NULL, 0 };
}

/* Leave out half of what is packed, of the files with the fewest hits.  Return
 * false if there was none. */
static bool lessen_packed(struct collector *c)
{
	uint32_t nr = 0, kept = 0;

	for (uint32_t i = 0; i < c->nr; i++)
		nr += c->files[i].packed.len > 0;
	for (uint32_t i = 0; i < c->nr; i++)
		if (c->files[i].packed.len && ++kept > nr / 2)
			free_packed(&c->files[i]);
	return nr > 0;
}

/* Write the sections; if they take too much, without what is packed, then
 * without what is of the files with the fewest hits, and at last without
 * files. */
static void write_sections(struct collector *c, uint64_t off,
			   const struct pd_carried_account *account,
			   struct pd_buf *b, struct pd_carried_sections *ret)
{
	uint32_t kept = c->nr, nr = c->nr;
	size_t start = b->len;

	for (;;) {
		pd_carried_write(b, off, c->files, nr, account, ret);
		if (pd_buf_status(b) ||
		    b->len - start <= c->conf->limits.len_max || !nr)
			return;
		b->len = start;
		if (lessen_packed(c))
			continue;
		nr = kept ? nr : nr / 2;
		for (uint32_t i = kept / 2; i < kept; i++) {
			c->files[i].name_nr = 0;
			c->files[i].named_nr = 0;
			c->files[i].frames = NULL;
			c->files[i].jit = NULL;
			c->files[i].reason = PD_CARRIED_OVER;
		}
		kept /= 2;
	}
}

static void release(struct collector *c)
{
	for (uint32_t i = 0; i < c->nr; i++) {
		free(c->files[i].segments);
		free_packed(&c->files[i]);
		rec_name_list_release(&c->lists[i]);
		pd_cfi_pieces_release(&c->frames[i]);
		rec_jit_codes_release(&c->codes[i]);
	}
	free(c->files);
	free(c->lists);
	free(c->frames);
	free(c->codes);
	free(c->keys);
	rec_hit_reader_free(c->reader);
}

static bool may_read_on(const struct rec_collector_conf *conf)
{
	return rec_now_ns() < conf->read_until_ns &&
	       (!conf->left || conf->left->may_go_on(conf->left->ctx));
}

/* Read on to the end, or until the time is over. */
static int read_to(struct collector *c, uint64_t end)
{
	int rc = 1;

	while (rc > 0 && !c->is_cut) {
		rc = rec_hit_reader_read(c->reader, end);
		c->is_cut = rc > 0 && !may_read_on(c->conf);
	}
	return rc < 0 ? rc : 0;
}

static int read_hits(struct collector *c, int fd, uint64_t len,
		     struct pd_err *err)
{
	uint64_t end = rec_hit_reader_data_end(fd, len);
	int rc = 0;

	if (!c->reader)
		rc = rec_hit_reader_new(&c->reader, fd, end,
					c->conf->limits.memory_len, err);
	if (rc)
		return rc;
	if (c->conf->limits.maps_come_last) {
		rec_hit_reader_take_maps(c->reader);
		rc = read_to(c, end);
		rec_hit_reader_take_samples(c->reader);
	}
	if (!rc)
		rc = read_to(c, end);
	rec_hit_reader_end(c->reader);
	c->hits = rec_hit_reader_hits(c->reader);
	return rc ? pd_err_set(err, rc, "reading it back: %s", strerror(-rc))
		  : 0;
}

static int collect(struct collector *c, uint64_t off, struct pd_buf *b,
		   struct pd_carried_sections *ret)
{
	uint64_t cpu_ns = rec_thread_cpu_ns(), start_ns = rec_now_ns();
	struct pd_carried_account account;
	int rc = collect_names(c);

	if (rc)
		return rc;
	cpu_ns = rec_thread_cpu_ns() - cpu_ns;
	account = (struct pd_carried_account){
		.sample_nr = c->hits->sample_nr,
		.address_nr = c->hits->address_nr,
		.unmapped_nr = c->hits->unmapped_nr,
		.is_cut =
			c->conf->is_cut || c->is_cut || c->hits->spaces.is_full,
		.cpu_ns = cpu_ns + rec_hit_reader_cpu_ns(c->reader),
		.wall_ns = rec_now_ns() - start_ns,
	};
	write_sections(c, off, &account, b, ret);
	return pd_buf_status(b);
}

int rec_collector_run(const struct rec_collector_conf *conf, int fd,
		      uint64_t len, struct pd_buf *b,
		      struct pd_carried_sections *ret, struct pd_err *err)
{
	struct collector c = { .conf = conf, .reader = conf->reader };
	int rc = read_hits(&c, fd, len, err);

	ret->nr = 0;
	if (!rc)
		rc = collect(&c, len, b, ret);
	if (rc) {
		ret->nr = 0;
		pd_err_set(err, rc, "%s", strerror(-rc));
	}
	release(&c);
	return rc;
}
