#include "record/carry/collector.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "format/base/limits.h"
#include "record/base/runtime.h"
#include "record/carry/hit_reader.h"
#include "record/carry/kernel_names.h"
#include "record/carry/known_files.h"

struct collector {
	const struct rec_collector_conf *conf;
	struct rec_known_files *known;	/* borrowed */
	struct rec_hit_reader *reader;	/* owned */
	struct rec_hits *hits;		/* the reader's */
	bool is_cut;			/* the time was over before all were */
	struct pd_carried_file *files;	/* owned */
	struct pd_carried_name **names; /* owned; of each of the files, with
					 * texts of others; NULL: those of
					 * others, too */
	struct rec_name_list kernel;	/* owned */
	size_t kernel_budget;
	struct pd_file_key *keys; /* owned; of all of the files */
	uint32_t nr;
	uint64_t frame_span; /* length of the .eh_frame of all files */
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

/* Take what is known of the file's hits. */
static int take_names(struct collector *c, struct rec_hit_file *f,
		      struct pd_carried_file *ret)
{
	const struct rec_known_file *known = f->names->known;
	const uint64_t *hits = rec_hit_set_sort(&f->hits);
	int rc = rec_known_file_names(known, hits, f->hits.nr,
				      &c->names[c->nr - 1], &ret->name_nr,
				      &ret->named_nr);

	ret->names = c->names[c->nr - 1];
	ret->is_64 = known->head.is_64;
	ret->is_big_endian = known->head.is_big_endian;
	ret->machine = known->head.machine;
	ret->type = known->head.type;
	ret->segments = known->head.segments;
	ret->segment_nr = known->head.segment_nr;
	if (ret->named_nr < f->hits.nr)
		ret->packed = known->head.packed;
	if (!ret->build_id_len) {
		ret->build_id_len = known->head.build_id_len;
		memcpy(ret->build_id, known->head.build_id,
		       known->head.build_id_len);
	}
	return rc;
}

static void take_frames(struct collector *c, const struct rec_hit_file *f,
			struct pd_carried_file *ret)
{
	const struct pd_cfi_pieces *frames = &f->names->frames.pieces;

	if (!frames->is_there ||
	    frames->frames.len > PD_LIMIT_CARRIED_SPANS - c->frame_span)
		return;
	c->frame_span += frames->frames.len;
	ret->frames = &frames->frames;
}

static int elf_names(struct collector *c, struct rec_hit_file *f,
		     struct pd_carried_file *ret)
{
	int rc = rec_known_files_find(c->known, c->hits, f), taken = 0;

	if (f->names && f->names->is_torn)
		return -ESTALE;
	if (f->names && f->names->known && f->names->known->head.segments) {
		take_frames(c, f, ret);
		taken = take_names(c, f, ret);
	}
	return taken ? taken : rc;
}

static int memory_names(struct collector *c, struct rec_hit_file *f,
			struct pd_carried_file *ret)
{
	int rc = rec_known_files_memory(c->known, c->hits, f);

	if (!f->names)
		return rc;
	ret->names = f->names->memory.items;
	ret->name_nr = f->names->memory.nr;
	ret->named_nr = f->names->memory.named_nr;
	if (f->names->codes.is_there)
		ret->jit = &f->names->codes.jit;
	return rc;
}

static void add_file(struct collector *c, struct rec_hit_file *f)
{
	struct pd_carried_file *file = &c->files[c->nr];
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
	if (f->is_anonymous && !(c->conf->limits.what & REC_CARRY_NAMES))
		rc = 0;
	else if (f->is_anonymous)
		rc = memory_names(c, f, file);
	else
		rc = elf_names(c, f, file);
	file->reason = reason_of(rc);
	/* files that may be a JIT's, and were not */
	if (f->is_anonymous && !f->has_memory && rc == -ENOENT)
		c->nr--;
}

static void add_kernel(struct collector *c)
{
	struct rec_hits *hits = c->hits;
	struct pd_carried_file *file = &c->files[c->nr++];
	const char *name = "[kernel.kallsyms]";
	int rc;

	*file = (struct pd_carried_file){
		.kind = PD_CARRIED_KERNEL,
		.path = { name, strlen(name) },
		.build_id_len = hits->kernel_id_len,
		.hit_nr = hits->kernel.nr,
	};
	memcpy(file->build_id, hits->kernel_id, hits->kernel_id_len);
	rc = rec_kernel_names(c->conf->kallsyms,
			      rec_hit_set_sort(&hits->kernel), hits->kernel.nr,
			      &c->kernel);
	if (!rec_name_list_sort(&c->kernel)) {
		rec_name_list_release(&c->kernel);
		rc = -ENOMEM;
	}
	file->reason = reason_of(rc);
	file->names = c->kernel.items;
	file->name_nr = c->kernel.nr;
	file->named_nr = c->kernel.named_nr;
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
	rec_hit_set_move(&from->leaf_hits, &to->leaf_hits, &spaces->budget);
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
		rec_known_files_identify(c->known, &spaces->files[i]);
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

/* Return whose the file is; what could not be opened is nobody's. */
static uint64_t user_of(const struct rec_hit_file *f)
{
	return f->identity.owner.is_known ? f->identity.owner.uid : UINT64_MAX;
}

static int compare_hits(const struct rec_hit_file *x,
			const struct rec_hit_file *y)
{
	return (x->hits.nr < y->hits.nr) - (x->hits.nr > y->hits.nr);
}

static int compare_users(const void *a, const void *b)
{
	uint64_t x = user_of(a), y = user_of(b);

	return x == y ? compare_hits(a, b) : (x > y) - (x < y);
}

static int compare_ranks(const void *a, const void *b)
{
	const struct rec_hit_file *x = a, *y = b;
	int order =
		(x->user_rank > y->user_rank) - (x->user_rank < y->user_rank);

	return order ? order : compare_hits(x, y);
}

/* Time and bytes may end.  Each user's files with the most hits come first, so
 * that a thousand files of one leave those of others their names. */
static void sort_files(struct rec_hit_file *files, uint32_t nr)
{
	if (!nr)
		return;
	qsort(files, nr, sizeof(*files), compare_users);
	for (uint32_t i = 1; i < nr; i++)
		if (user_of(&files[i]) == user_of(&files[i - 1]))
			files[i].user_rank = files[i - 1].user_rank + 1;
	qsort(files, nr, sizeof(*files), compare_ranks);
}

static bool was_hit(const struct collector *c, struct rec_hit_file *f)
{
	const struct rec_hit_set *dump =
		rec_address_spaces_dump(&c->hits->spaces, f);

	return f->hits.nr || (dump && dump->nr);
}

static int collect_names(struct collector *c)
{
	const struct rec_carry_left *left = c->known->conf.from.left;
	struct rec_address_spaces *spaces = &c->hits->spaces;
	uint32_t nr = spaces->file_nr;

	c->files = calloc(nr + 1, sizeof(*c->files));
	c->names = calloc(nr + 1, sizeof(*c->names));
	if (!c->files || !c->names)
		return -ENOMEM;
	c->kernel_budget = c->conf->limits.memory_len;
	c->kernel.budget = &c->kernel_budget;
	c->known->limits.until_ns = c->conf->until_ns;
	c->known->limits.index_until_ns = c->conf->read_until_ns;
	/* while files are in the order in which they were added */
	for (uint32_t i = 0; i < nr; i++) {
		spaces->files[i].dump.path = NULL;
		rec_address_spaces_dump(spaces, &spaces->files[i]);
	}
	if (merge_files(c))
		return -ENOMEM;
	sort_files(spaces->files, nr);
	if (c->hits->kernel.nr && c->conf->limits.what & REC_CARRY_NAMES &&
	    (!left || left->is_same_boot))
		add_kernel(c);
	for (uint32_t i = 0; i < nr; i++)
		if (was_hit(c, &spaces->files[i]))
			add_file(c, &spaces->files[i]);
	return 0;
}

static void leave_packed(struct pd_carried_file *file)
{
	file->packed = (struct pd_str){ NULL, 0 };
}

/* Leave out half of what is packed, of the files that come last.  Return
 * false if there was none. */
static bool lessen_packed(struct collector *c)
{
	uint32_t nr = 0, kept = 0;

	for (uint32_t i = 0; i < c->nr; i++)
		nr += c->files[i].packed.len > 0;
	for (uint32_t i = 0; i < c->nr; i++)
		if (c->files[i].packed.len && ++kept > nr / 2)
			leave_packed(&c->files[i]);
	return nr > 0;
}

/* Write the sections; if they take too much, without what is packed, then
 * without what is of the files that come last, and at last without files. */
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
	for (uint32_t i = 0; i < c->nr; i++)
		free(c->names[i]);
	free(c->files);
	free(c->names);
	free(c->keys);
	rec_name_list_release(&c->kernel);
	rec_hit_reader_free(c->reader);
}

static bool may_read_on(const struct rec_collector_conf *conf)
{
	const struct rec_carry_left *left = conf->known->conf.from.left;

	return rec_now_ns() < conf->read_until_ns &&
	       (!left || left->may_go_on(left->ctx));
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
		.cpu_ns = cpu_ns + rec_hit_reader_cpu_ns(c->reader) +
			  c->known->cpu_ns,
		.wall_ns = rec_now_ns() - start_ns,
	};
	write_sections(c, off, &account, b, ret);
	return pd_buf_status(b);
}

int rec_collector_run(const struct rec_collector_conf *conf, int fd,
		      uint64_t len, struct pd_buf *b,
		      struct pd_carried_sections *ret, struct pd_err *err)
{
	struct collector c = { .conf = conf,
			       .known = conf->known,
			       .reader = conf->reader };
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
