#include "record/carry/memory_names.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "record/carry/keeper.h"
#include "record/names/perf_map_names.h"
#include "record/names/unnamed_hits.h"

static int open_dump(const struct rec_memory_source *from,
		     const struct rec_mapped *dump)
{
	const struct rec_build_id none = { .len = 0 };
	int fd = -ENOENT, rc;

	if (from->keeper)
		fd = rec_keeper_file(from->keeper, dump, &none);
	if (fd >= 0) /* judged when it was kept */
		return fd;
	fd = rec_mapped_open(from->proc_fd, dump, &none);
	if (fd < 0)
		return fd;
	rc = rec_jitdump_judge(from->proc_fd, (uint32_t)dump->pid, fd);
	if (!rc)
		return fd;
	close(fd);
	return rc;
}

static int read_dump(const struct rec_memory_source *from,
		     const struct rec_hit_file *f,
		     struct rec_unnamed_hits *unnamed,
		     struct rec_jit_codes *codes)
{
	const struct rec_jitdump_conf conf = {
		.hits = f->dump_hits,
		.hit_nr = f->dump_hit_nr,
		.unnamed = unnamed,
		.until_ns = from->until_ns,
	};
	int fd = open_dump(from, &f->dump), rc;

	if (fd < 0)
		return fd;
	codes->jit.path = (struct pd_str){ f->dump.path, strlen(f->dump.path) };
	rc = rec_jitdump_codes(fd, &conf, codes);
	close(fd);
	return rc;
}

static int read_map(const struct rec_memory_source *from, uint32_t pid,
		    struct rec_unnamed_hits *hits, struct rec_name_list *list)
{
	int fd = from->keeper ? rec_keeper_perf_map(from->keeper, pid)
			      : -ENOENT,
	    rc;

	if (fd < 0)
		fd = rec_perf_map_find(from->proc_fd, pid);
	if (fd < 0)
		return fd;
	rc = rec_perf_map_names(fd, hits, from->until_ns, list);
	close(fd);
	return rc;
}

int rec_memory_names(const struct rec_memory_source *from,
		     const struct rec_hit_file *f, const uint64_t *hits,
		     struct rec_name_list *list, struct rec_jit_codes *codes)
{
	struct rec_unnamed_hits unnamed;
	int rc = rec_unnamed_hits_init(&unnamed, hits, f->hits.nr), dump_rc = 0;

	if (rc)
		return rc;
	if (f->dump.path)
		dump_rc = read_dump(from, f, &unnamed, codes);
	rc = read_map(from, f->pid, &unnamed, list);
	/* most have one of the two */
	if (rc == -ENOENT && codes->is_there)
		rc = 0;
	list->named_nr = unnamed.named_nr;
	rec_unnamed_hits_release(&unnamed);
	return dump_rc ? dump_rc : rc;
}
