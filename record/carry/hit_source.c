#include "record/carry/hit_source.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "record/carry/carry.h"
#include "record/carry/keeper.h"
#include "record/snapshot/own_vdso.h"

static uint64_t ns_of(const struct timespec *t)
{
	return t->tv_sec < 0 ? 0
			     : (uint64_t)t->tv_sec * 1000000000u +
				       (uint64_t)t->tv_nsec;
}

/* The record says which file is meant, by its key or its build-id. */
static void describe(const struct rec_hit_file *f, struct rec_mapped *mapped,
		     struct rec_build_id *id)
{
	*mapped = rec_hit_file_mapped(f, f->hit_pid);
	*id = (struct rec_build_id){ .len = f->build_id_len };
	memcpy(id->bytes, f->build_id, f->build_id_len);
}

/* By the process that was hit last in it, or else the one that mapped it. */
static int open_by_process(const struct rec_hit_source *from,
			   const struct rec_hit_file *f,
			   struct rec_mapped *mapped,
			   const struct rec_build_id *id)
{
	int first = rec_mapped_open(from->proc_fd, mapped, id), fd;

	if (first >= 0 || f->pid == f->hit_pid)
		return first;
	mapped->pid = (pid_t)f->pid;
	fd = rec_mapped_open(from->proc_fd, mapped, id);
	return fd < 0 && first != -ENOENT ? first : fd;
}

static int open_mapped(const struct rec_hit_source *from,
		       const struct rec_hit_file *f)
{
	struct rec_mapped mapped;
	struct rec_build_id id;
	int fd = -ENOENT, kept = -ENOENT;

	/* The vdso of 32-bit programs lies below 4 GiB. */
	if (!strcmp(f->path, "[vdso]"))
		return f->start >> 32 ? rec_own_vdso_open() : -ENOENT;
	describe(f, &mapped, &id);
	/* of files with one build-id that of this path */
	if (id.len)
		fd = open_by_process(from, f, &mapped, &id);
	if (fd < 0 && from->keeper)
		kept = rec_keeper_file(from->keeper, &mapped, &id);
	/* Why it cannot be opened says more than that it is not held. */
	if (kept >= 0 || fd == -ENOENT)
		fd = kept;
	return fd < 0 && !id.len ? open_by_process(from, f, &mapped, &id) : fd;
}

/* Return true if the file was changed after the recording that another
 * recorder left: what it was then is not known.  Our own [vdso] is that of this
 * boot. */
static bool is_too_new(const struct rec_carry_left *left, const char *path,
		       const struct stat *st)
{
	if (!left)
		return false;
	if (!strcmp(path, "[vdso]"))
		return !left->is_same_boot;
	return st->st_ctim.tv_sec != left->written.tv_sec
		       ? st->st_ctim.tv_sec > left->written.tv_sec
		       : st->st_ctim.tv_nsec > left->written.tv_nsec;
}

/* Find out which file fd is, which has the path of f, or whether it is still
 * the one that was noted. */
static int identify(const struct rec_hit_source *from, int fd,
		    struct rec_hit_file *f)
{
	struct rec_hit_identity *before = &f->identity;
	const struct pd_file_owner *owner = &before->owner;
	struct rec_build_id id = { .len = 0 };
	struct stat st;

	if (fstat(fd, &st))
		return -errno;
	if (is_too_new(from->left, f->path, &st))
		return -ESTALE;
	if (owner->is_known)
		return st.st_ino == before->ino && st.st_uid == owner->uid &&
				       ns_of(&st.st_mtim) == owner->mtime_ns &&
				       (uint64_t)st.st_size == owner->file_len
			       ? 0
			       : -ESTALE;
	if (rec_elf_build_id(fd, &id))
		before->id = id;
	if (*f->path != '/')
		return 0;
	before->ino = st.st_ino;
	before->ctime_ns = ns_of(&st.st_ctim);
	before->owner = (struct pd_file_owner){
		.is_known = true,
		.uid = st.st_uid,
		.mode = st.st_mode,
		.file_len = (uint64_t)st.st_size,
		.mtime_ns = ns_of(&st.st_mtim),
	};
	return 0;
}

int rec_hit_file_open(const struct rec_hit_source *from, struct rec_hit_file *f)
{
	int fd = open_mapped(from, f);
	int rc = fd < 0 ? fd : identify(from, fd, f);

	if (fd >= 0 && rc)
		close(fd);
	return rc ? rc : fd;
}

bool rec_hit_file_ends(const struct rec_hit_source *from,
		       const struct rec_hit_file *f, uint64_t now_ns)
{
	struct rec_mapped mapped;
	struct rec_build_id id;

	describe(f, &mapped, &id);
	return from->keeper &&
	       rec_keeper_file_ends(from->keeper, &mapped, &id, now_ns);
}

bool rec_hit_file_lacks_generation(const struct rec_hit_file *f)
{
	return f->key.ino && !f->key.ino_generation;
}
