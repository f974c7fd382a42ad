#include "record/carry/memory_names.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "record/base/read_file.h"
#include "record/carry/carry.h"
#include "record/carry/keeper.h"
#include "record/names/perf_map_names.h"
#include "record/names/unnamed_hits.h"

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
static bool is_gone(const struct rec_hit_source *from, uint32_t pid)
{
	const struct rec_carry_left *left = from->left;

	return left && (!left->is_same_boot ||
			!began_before(from->proc_fd, pid, &left->written));
}

static int open_dump(const struct rec_hit_source *from,
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

static int read_dump(const struct rec_hit_source *from,
		     const struct rec_hit_file *f,
		     const struct rec_memory_hits *hits,
		     struct rec_unnamed_hits *unnamed, uint64_t until_ns,
		     struct rec_jit_codes *codes)
{
	const struct rec_jitdump_conf conf = {
		.hits = hits->dump_hits,
		.hit_nr = hits->dump_nr,
		.unnamed = unnamed,
		.until_ns = until_ns,
	};
	int fd = open_dump(from, &f->dump), rc;

	if (fd < 0)
		return fd;
	codes->jit.path = (struct pd_str){ f->dump.path, strlen(f->dump.path) };
	rc = rec_jitdump_codes(fd, &conf, codes);
	close(fd);
	return rc;
}

/* Times of the map are asked for if there is no jitdump, which has its own. */
static int read_map(const struct rec_hit_source *from,
		    const struct rec_hit_file *f, struct rec_unnamed_hits *hits,
		    uint64_t until_ns, struct rec_name_list *list,
		    struct rec_jit_codes *codes)
{
	struct rec_map_notes notes = { .nr = 0 };
	bool has_dump = codes->is_there;
	int fd = -ENOENT, rc;

	if (from->keeper)
		fd = rec_keeper_perf_map(from->keeper, f->pid, &notes);
	if (fd < 0)
		fd = rec_perf_map_find(from->proc_fd, f->pid);
	if (fd < 0)
		return fd;
	rc = rec_perf_map_names(fd, &notes, hits, until_ns, list,
				has_dump ? NULL : codes);
	close(fd);
	if (!has_dump && codes->jit.code_nr) {
		codes->is_there = true;
		codes->jit.is_perf_map = true;
		codes->jit.is_cut = false; /* a dump that is none may be */
		codes->jit.path = (struct pd_str){ "", 0 };
	}
	return rc;
}

int rec_memory_names(const struct rec_hit_source *from,
		     const struct rec_hit_file *f,
		     const struct rec_memory_hits *hits, uint64_t until_ns,
		     struct rec_name_list *list, struct rec_jit_codes *codes)
{
	struct rec_unnamed_hits unnamed;
	int dump_rc = 0, rc;

	if (is_gone(from, f->pid))
		return -ENOENT;
	rc = rec_unnamed_hits_init(&unnamed, hits->hits, hits->nr);
	if (rc)
		return rc;
	if (f->dump.path)
		dump_rc = read_dump(from, f, hits, &unnamed, until_ns, codes);
	rc = read_map(from, f, &unnamed, until_ns, list, codes);
	/* most have one of the two */
	if (rc == -ENOENT && codes->is_there)
		rc = 0;
	list->named_nr = unnamed.named_nr;
	rec_unnamed_hits_release(&unnamed);
	return dump_rc ? dump_rc : rc;
}
