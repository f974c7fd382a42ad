#include "record/carry/known_files.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "record/base/runtime.h"
#include "record/carry/carry.h"
#include "record/carry/keeper.h"
#include "record/carry/memory_names.h"
#include "record/carry/separate_symbols.h"
#include "record/carry/symbol_index.h"

/* A file is read again after so long, and after twice as long each time; one of
 * the system, which will be there at the end, seldom.  From
 * the third time on, or if it takes long, it takes no more than this share of a
 * CPU before the end. */
#define WAIT_NS_MIN    UINT64_C(1000000000)
#define WAIT_NS_MAX    UINT64_C(32000000000)
#define WAIT_NS_SYSTEM UINT64_C(64000000000)
#define WAIT_NS_SHARED UINT64_C(4000000000)
#define LONG_CPU_NS    UINT64_C(5000000)
enum { CPU_SHARE = 4000 };

/* A file that so many recordings, one after the other, did not hit is
 * forgotten, and earlier if there are many or their names are long. */
enum { KEPT_RECORDINGS = 16, KEPT_FILES_MAX = 1024 };

/* The table. */

struct rec_known_files *rec_known_files_new(const struct rec_known_conf *conf)
{
	struct rec_known_files *known = calloc(1, sizeof(*known));
	struct stat root;

	if (!known)
		return NULL;
	known->conf = *conf;
	known->root_dev = stat("/", &root) ? 0 : root.st_dev;
	known->limits = (struct rec_known_limits){
		.names_len = conf->memory_len,
		.packed_len = conf->memory_len < REC_PACKED_LEN_MAX
				      ? conf->memory_len
				      : REC_PACKED_LEN_MAX,
		.code_len = conf->memory_len,
		.frame_len = conf->memory_len,
	};
	return known;
}

static void free_file(struct rec_known_files *known,
		      struct rec_known_file *file)
{
	rec_known_file_release(file, &known->limits);
	free(file);
}

static void free_names(struct rec_file_names *names)
{
	pd_cfi_pieces_release(&names->frames.pieces);
	rec_name_list_release(&names->memory);
	rec_jit_codes_release(&names->codes);
	free(names);
}

void rec_known_files_free(struct rec_known_files *known)
{
	if (!known)
		return;
	for (size_t i = 0; i < known->name_nr; i++)
		free_names(known->names[i]);
	for (size_t i = 0; i < known->nr; i++)
		free_file(known, known->files[i]);
	free(known->names);
	free(known->files);
	free(known);
}

/* Forget files that no sample of the last recordings hit. */
static void forget_unused(struct rec_known_files *known, unsigned recording_nr)
{
	size_t nr = 0;

	for (size_t i = 0; i < known->nr; i++)
		if (known->recording_nr - known->files[i]->used_at <
		    recording_nr)
			known->files[nr++] = known->files[i];
		else
			free_file(known, known->files[i]);
	known->nr = nr;
}

static bool has_much(const struct rec_known_files *known)
{
	return known->nr > KEPT_FILES_MAX ||
	       known->limits.names_len < known->conf.memory_len / 2;
}

void rec_known_files_next(struct rec_known_files *known)
{
	unsigned recording_nr = KEPT_RECORDINGS;

	for (size_t i = 0; i < known->name_nr; i++)
		free_names(known->names[i]);
	forget_unused(known, recording_nr);
	while (recording_nr && has_much(known))
		forget_unused(known, --recording_nr);
	known->name_nr = 0;
	known->recording_nr++;
	known->cpu_ns = 0;
	known->limits.index_until_ns = 0;
	known->limits.code_len = known->conf.memory_len;
	known->limits.frame_len = known->conf.memory_len;
}

/* Return list with room for one more item than nr, or NULL. */
static void *grow(void *list, size_t nr, size_t *cap)
{
	void *grown = list;

	if (nr == *cap)
		grown = reallocarray(list, *cap + 64, sizeof(void *));
	if (grown && nr == *cap)
		*cap += 64;
	return grown;
}

static struct rec_file_names *get_names(struct rec_known_files *known,
					struct rec_hit_file *f)
{
	struct rec_file_names **list;

	if (f->names)
		return f->names;
	list = grow(known->names, known->name_nr, &known->name_cap);
	if (!list)
		return NULL;
	known->names = list;
	f->names = calloc(1, sizeof(*f->names));
	if (!f->names)
		return NULL;
	f->names->memory.budget = &known->limits.names_len;
	f->names->codes.budget = &known->limits.code_len;
	known->names[known->name_nr++] = f->names;
	return f->names;
}

/* Images that were mounted one after the other may have the same numbers, and
 * times, of different files; but not on the file system of /. */
static bool has_id_of(const struct rec_known_files *known,
		      const struct rec_known_file *file, int fd)
{
	struct rec_build_id id = { .len = 0 };

	if (file->dev == known->root_dev || !file->head.segments)
		return true;
	(void)!rec_elf_build_id(fd, &id);
	return id.len == file->head.build_id_len &&
	       !memcmp(id.bytes, file->head.build_id, id.len);
}

/* Return the file that fd is open on, as it is now; NULL: no memory. */
static struct rec_known_file *get_file(struct rec_known_files *known, int fd)
{
	struct rec_known_file key = { .used_at = known->recording_nr,
				      .index_fd = -1 };
	struct rec_known_file **list, *file;
	struct stat st;

	if (fstat(fd, &st))
		return NULL;
	/* sorting takes memory, too */
	if (!st.st_uid && st.st_nlink &&
	    known->conf.memory_len == REC_CARRY_MEMORY_LEN)
		key.index_fd = known->conf.index_fd;
	if (st.st_dev == known->root_dev && rec_is_settled(&st))
		key.wait_ns = WAIT_NS_SYSTEM;
	key.dev = st.st_dev;
	key.ino = st.st_ino;
	key.len = (uint64_t)st.st_size;
	key.changed_ns = rec_stat_ctime_ns(&st);
	for (size_t i = 0; i < known->nr; i++) {
		file = known->files[i];
		if (file->ino == key.ino && file->dev == key.dev &&
		    file->len == key.len &&
		    file->changed_ns == key.changed_ns &&
		    has_id_of(known, file, fd)) {
			file->used_at = key.used_at;
			return file;
		}
	}
	list = grow(known->files, known->nr, &known->cap);
	if (!list)
		return NULL;
	known->files = list;
	file = malloc(sizeof(*file));
	if (!file)
		return NULL;
	*file = key;
	file->names.budget = &known->limits.names_len;
	known->files[known->nr++] = file;
	return file;
}

/* Files. */

/* If a record stands for two files, nobody can tell which of them a sample hit.
 */
static int open_file(struct rec_known_files *known, struct rec_hit_file *f)
{
	int fd = rec_hit_file_open(&known->conf.from, f);

	if (fd == -ESTALE && f->names && f->identity.owner.is_known)
		f->names->is_torn |= rec_hit_file_lacks_generation(f);
	return fd;
}

/* Return when a file is to be read next: the later, the oftener it was and the
 * more that cost. */
static uint64_t next_due_ns(uint64_t *wait_ns, uint64_t now_ns, uint64_t cpu_ns)
{
	if (!*wait_ns)
		*wait_ns = WAIT_NS_MIN;
	else if (*wait_ns < WAIT_NS_MAX)
		*wait_ns *= 2;
	if (*wait_ns < WAIT_NS_SHARED && cpu_ns < LONG_CPU_NS)
		return now_ns + *wait_ns;
	cpu_ns *= CPU_SHARE;
	return now_ns + (cpu_ns > *wait_ns ? cpu_ns : *wait_ns);
}

/* Frames of leaves are read anew for all hits: once, at the end or when the
 * file is let go; before, of files that may be gone by then, if there are twice
 * as many as the last time.  Return whether they wait. */
static bool frames_wait(const struct rec_known_file *file,
			const struct rec_hit_file *f, uint64_t now_ns)
{
	return now_ns != UINT64_MAX && f->leaf_hits.nr &&
	       (file->wait_ns == WAIT_NS_SYSTEM ||
		f->leaf_hits.nr < 2 * f->names->frames.hit_nr);
}

/* As find_missing(). */
static int open_and_read(struct rec_known_files *known, struct rec_hit_file *f,
			 const struct rec_known_wish *asked,
			 const struct rec_hit_set *frame_hits, uint64_t now_ns)
{
	struct rec_file_names *names = f->names;
	struct rec_known_wish wish = *asked;
	uint64_t cpu_ns = rec_thread_cpu_ns();
	struct rec_known_file *file;
	int fd, rc = -ENOMEM;
	bool waits;

	if (rec_now_ns() >= known->limits.until_ns)
		return -ETIME;
	fd = open_file(known, f);
	if (fd < 0)
		return fd;
	file = get_file(known, fd);
	if (file)
		names->known = file;
	if (file && now_ns < file->due_ns) {
		names->due_ns = file->due_ns;
		close(fd);
		return 1;
	}
	waits = file && wish.frames && frames_wait(file, f, now_ns);
	if (waits)
		wish.frames = NULL;
	if (wish.frames)
		wish.frame_hits = rec_hit_set_list(frame_hits);
	if (file && (wish.frame_hits || !wish.frames))
		rc = rec_known_file_read(file, &known->limits, fd, &wish);
	close(fd);
	free(wish.frame_hits);
	if (file)
		names->due_ns = file->due_ns =
			next_due_ns(&file->wait_ns, rec_now_ns(),
				    rec_thread_cpu_ns() - cpu_ns);
	if (!rc && waits && file->wait_ns != WAIT_NS_SYSTEM)
		return 1; /* the file may end before its frames are read */
	return rc;
}

/* Return 1 if the file is not due by now_ns, or as rec_known_files_find(). */
static int find_missing(struct rec_known_files *known,
			const struct rec_hits *all, struct rec_hit_file *f,
			uint64_t now_ns)
{
	struct rec_file_names *names = get_names(known, f);
	const struct rec_hit_set *frame_hits =
		all->has_stacks || all->has_links ? &f->hits : &f->leaf_hits;
	struct rec_known_wish wish = {
		.hits = rec_hit_set_list(&f->hits),
		.nr = f->hits.nr,
		.has_names = known->conf.what & REC_CARRY_NAMES,
		.frame_hit_nr = frame_hits->nr,
	};
	int rc = 0;

	if (!names || !wish.hits) {
		free(wish.hits);
		return -ENOMEM;
	}
	if (known->conf.what & REC_CARRY_CFI &&
	    names->frames.hit_nr != frame_hits->nr)
		wish.frames = &names->frames;
	if (wish.frames || !names->known || !names->known->head.segments ||
	    rec_known_spans_miss(&names->known->spans, wish.hits, wish.nr,
				 NULL))
		rc = open_and_read(known, f, &wish, frame_hits, now_ns);
	free(wish.hits);
	return rc;
}

int rec_known_files_find(struct rec_known_files *known,
			 const struct rec_hits *hits, struct rec_hit_file *f)
{
	return find_missing(known, hits, f, UINT64_MAX);
}

void rec_known_files_identify(struct rec_known_files *known,
			      struct rec_hit_file *f)
{
	struct rec_hit_identity *identity = &f->identity;
	int fd = -1;

	if (f->is_anonymous || !f->hits.nr)
		return;
	if ((!identity->owner.is_known || rec_hit_file_lacks_generation(f)) &&
	    rec_now_ns() < known->limits.until_ns)
		fd = open_file(known, f);
	if (fd >= 0)
		close(fd);
	if (f->build_id_len) {
		identity->is_known_by_id = true;
		identity->id.len = f->build_id_len;
		memcpy(identity->id.bytes, f->build_id, f->build_id_len);
	}
}

void rec_known_files_leave(struct rec_hits *hits)
{
	for (uint32_t i = 0; i < hits->spaces.file_nr; i++)
		hits->spaces.files[i].names = NULL;
}

/* Return whether what names the memory is held. */
static bool is_held(const struct rec_known_files *known,
		    const struct rec_hit_file *f)
{
	const struct rec_keeper *keeper = known->conf.from.keeper;
	const struct rec_build_id none = { .len = 0 };
	struct rec_map_notes notes;
	int fd;

	if (!keeper)
		return false;
	fd = rec_keeper_perf_map(keeper, f->pid, &notes);
	if (fd < 0 && f->dump.path)
		fd = rec_keeper_file(keeper, &f->dump, &none);
	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

/* Read the names of memory anew.  Those of before stay if there are none. */
static int read_memory(struct rec_known_files *known,
		       const struct rec_hits *all, struct rec_file_names *to,
		       const struct rec_hit_file *f,
		       const struct rec_memory_hits *hits)
{
	struct rec_name_list list = { .budget = &known->limits.names_len };
	struct rec_jit_codes codes = {
		.budget = &known->limits.code_len,
		.with_frames =
			all->has_stacks && known->conf.what & REC_CARRY_CFI,
	};
	int rc = rec_memory_names(&known->conf.from, f, hits,
				  known->limits.until_ns, &list, &codes);

	if (!rec_name_list_sort(&list))
		rc = -ENOMEM;
	if (rc && to->is_memory_read) {
		rec_name_list_release(&list);
		rec_jit_codes_release(&codes);
		return 0;
	}
	rec_name_list_release(&to->memory);
	rec_jit_codes_release(&to->codes);
	to->memory = list;
	to->codes = codes;
	to->is_memory_read = !rc;
	return rc;
}

int rec_known_files_memory(struct rec_known_files *known,
			   const struct rec_hits *hits, struct rec_hit_file *f)
{
	const struct rec_hit_set *dump =
		rec_address_spaces_dump(&hits->spaces, f);
	struct rec_file_names *names = get_names(known, f);
	struct rec_memory_hits at = { .hits = rec_hit_set_list(&f->hits),
				      .nr = f->hits.nr };
	int rc = -ENOMEM;

	if (dump) {
		at.dump_hits = rec_hit_set_list(dump);
		at.dump_nr = dump->nr;
	}
	if (names && names->is_memory_over && !is_held(known, f))
		rc = 0; /* by now another process may have the pid */
	else if (rec_now_ns() >= known->limits.until_ns)
		rc = -ETIME;
	else if (names && at.hits && (!dump || at.dump_hits))
		rc = read_memory(known, hits, names, f, &at);
	free(at.hits);
	free(at.dump_hits);
	return rc;
}

/* Looks. */

/* Return whether what names the file will be let go after this look. */
static bool is_ending(const struct rec_known_files *known,
		      const struct rec_hits *hits, struct rec_hit_file *f,
		      uint64_t now_ns)
{
	const struct rec_keeper *keeper = known->conf.from.keeper;
	const struct rec_build_id none = { .len = 0 };

	if (!f->is_anonymous)
		return rec_hit_file_ends(&known->conf.from, f, now_ns);
	return keeper &&
	       (rec_keeper_perf_map_ends(keeper, f->pid, now_ns) ||
		(rec_address_spaces_dump(&hits->spaces, f) &&
		 rec_keeper_file_ends(keeper, &f->dump, &none, now_ns)));
}

static size_t count_hits(const struct rec_hits *hits, struct rec_hit_file *f)
{
	const struct rec_hit_set *dump =
		f->is_anonymous ? rec_address_spaces_dump(&hits->spaces, f)
				: NULL;

	return f->hits.nr + (dump ? dump->nr : 0);
}

static void look_at(struct rec_known_files *known, const struct rec_hits *hits,
		    struct rec_hit_file *f, uint64_t now_ns)
{
	struct rec_file_names *names = get_names(known, f);
	size_t hit_nr = count_hits(hits, f);
	bool ends = false, is_seen;
	uint64_t cpu_ns;
	int rc;

	if (!names ||
	    (f->is_anonymous && !(known->conf.what & REC_CARRY_NAMES)))
		return;
	is_seen = hit_nr == names->seen_hit_nr;
	/* memory may have been used again where it was hit before */
	if (f->is_anonymous ? !names->is_memory_over || !is_seen
			    : !is_seen && now_ns < names->due_ns)
		ends = is_ending(known, hits, f, now_ns);
	if (!ends && (is_seen || now_ns < names->due_ns))
		return;
	if (f->is_anonymous) {
		cpu_ns = rec_thread_cpu_ns();
		rc = rec_known_files_memory(known, hits, f);
		names->is_memory_over |= ends && names->is_memory_read;
		names->due_ns = next_due_ns(&names->wait_ns, now_ns,
					    rec_thread_cpu_ns() - cpu_ns);
	} else {
		rc = find_missing(known, hits, f, ends ? UINT64_MAX : now_ns);
	}
	/* the next look has time for it */
	if (rc <= 0 && rc != -ETIME)
		names->seen_hit_nr = hit_nr;
}

void rec_known_files_look(struct rec_known_files *known, struct rec_hits *hits,
			  uint64_t now_ns, bool (*is_over)(const void *ctx),
			  const void *ctx)
{
	struct rec_address_spaces *spaces = &hits->spaces;
	uint64_t cpu_ns = rec_thread_cpu_ns();

	if (known->cpu_ns >= known->conf.look_cpu_ns ||
	    known->limits.names_len < known->conf.memory_len / 2)
		return;
	known->limits.until_ns = rec_now_ns() + known->conf.look_cpu_ns;
	/* new ones first, which may soon be gone */
	for (uint32_t i = spaces->file_nr; i-- && !is_over(ctx);)
		if (spaces->files[i].hits.nr)
			look_at(known, hits, &spaces->files[i], now_ns);
	known->cpu_ns += rec_thread_cpu_ns() - cpu_ns;
	if (known->conf.from.keeper && !is_over(ctx) &&
	    rec_now_ns() < known->limits.until_ns)
		rec_keeper_note_look(known->conf.from.keeper, now_ns);
}
