#include "record/ring/ring_set.h"

#include <assert.h>
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "format/support/options.h"

static size_t page_len(void)
{
	return (size_t)sysconf(_SC_PAGESIZE);
}

/* Return the ring that this descriptor's events go to; NULL: none yet. */
static struct rec_ring_map *find_map(const struct rec_ring_set *set,
				     const struct rec_open_fd *fd)
{
	for (size_t i = 0; i < set->nr; i++) {
		struct rec_ring_map *map = &set->maps[i];

		if (rec_open_fd_is_of(fd, map->cpu, map->tid))
			return map;
	}
	return NULL;
}

/* Map one ring; if mapped read only, the kernel overwrites it. */
static int map_one(struct rec_ring_set *set, const struct rec_open_fd *fd)
{
	struct rec_ring_map *map = &set->maps[set->nr];
	int prot = fd->is_backward ? PROT_READ : PROT_READ | PROT_WRITE;

	map->map_len = page_len() + set->data_len;
	map->base = mmap(NULL, map->map_len, prot, MAP_SHARED, fd->fd, 0);
	if (map->base == MAP_FAILED)
		return -errno;
	map->cpu = fd->cpu;
	map->tid = fd->tid;
	map->fd = fd->fd;
	fcntl(fd->fd, F_SETFL, O_RDONLY | O_NONBLOCK);
	rec_ring_init(&set->rings[set->nr], map->base, page_len(),
		      set->data_len);
	set->nr++;
	return 0;
}

static int map_all(struct rec_ring_set *set, const struct rec_open_set *open,
		   bool backward)
{
	for (size_t i = 0; i < open->nr; i++) {
		const struct rec_open_fd *fd = &open->fds[i];
		const struct rec_ring_map *map;
		int rc = 0;

		if (fd->is_backward != backward)
			continue;
		map = find_map(set, fd);
		if (!map)
			rc = map_one(set, fd);
		else if (ioctl(fd->fd, PERF_EVENT_IOC_SET_OUTPUT, map->fd))
			rc = -errno;
		if (rc)
			return rc;
	}
	return 0;
}

static void unmap_all(struct rec_ring_set *set)
{
	assert(set->maps || !set->nr);
	for (size_t i = 0; i < set->nr; i++)
		munmap(set->maps[i].base, set->maps[i].map_len);
	set->nr = 0;
}

static long mlock_kb(void)
{
	FILE *file = fopen("/proc/sys/kernel/perf_event_mlock_kb", "re");
	long kb = 0;

	if (!file)
		return 0;
	if (fscanf(file, "%ld", &kb) != 1)
		kb = 0;
	fclose(file);
	return kb;
}

static int explain_mlock(int rc, struct pd_err *err)
{
	struct rlimit limit = { 0 };

	getrlimit(RLIMIT_MEMLOCK, &limit);
	pd_err_set(err, rc,
		   "no memory is left for rings (kernel."
		   "perf_event_mlock_kb %ld per CPU, ulimit -l %llu KiB)",
		   mlock_kb(), (unsigned long long)limit.rlim_cur / 1024);
	pd_err_hint(err, "end other recordings of this user, raise ulimit -l "
			 "or that sysctl, or get CAP_IPC_LOCK");
	return rc;
}

int rec_ring_set_map(struct rec_ring_set *ret, const struct rec_open_set *open,
		     bool backward, size_t data_len, struct pd_err *err)
{
	size_t ring_nr = open->nr + 1; /* upper limit */
	int rc;

	memset(ret, 0, sizeof(*ret));
	ret->rings = calloc(ring_nr, sizeof(*ret->rings));
	ret->maps = calloc(ring_nr, sizeof(*ret->maps));
	ret->data_len = data_len;
	if (!ret->rings || !ret->maps) {
		rec_ring_set_unmap(ret);
		return pd_err_set(err, -ENOMEM, "out of memory");
	}
	rc = map_all(ret, open, backward);
	while ((rc == -EPERM || rc == -ENOMEM) && ret->data_len > page_len()) {
		ret->short_rc = rc;
		unmap_all(ret);
		ret->data_len /= 2;
		rc = map_all(ret, open, backward);
	}
	if (!rc)
		return 0;
	rec_ring_set_unmap(ret);
	if (rc == -EPERM)
		return explain_mlock(rc, err);
	return pd_err_set(err, rc, "mapping the rings: %s", strerror(-rc));
}

void rec_ring_set_unmap(struct rec_ring_set *set)
{
	unmap_all(set);
	free(set->rings);
	free(set->maps);
	memset(set, 0, sizeof(*set));
}

int rec_ring_len_parse(const char *text, uint64_t *ret_len, struct pd_err *err)
{
	uint64_t len;
	size_t rounded = page_len();
	bool is_pages = isdigit((unsigned char)text[strlen(text) - !!*text]);
	int rc = is_pages ? sup_parse_u64(text, &len)
			  : sup_parse_size(text, &len);

	if (!rc && is_pages && len > SIZE_MAX / page_len())
		rc = -ERANGE;
	if (!rc && is_pages)
		len *= page_len();
	if (!rc && (!len || len > SIZE_MAX / 4))
		rc = -ERANGE;
	if (strchr(text, ',')) {
		pd_err_set(err, -EINVAL, "-m '%s' has a size for AUX areas",
			   text);
		pd_err_hint(err, "hardware traces (Intel PT and the like) are "
				 "not recorded here; give one size");
		return -EINVAL;
	}
	if (rc) {
		pd_err_set(err, -EINVAL, "-m '%s' is not a ring size", text);
		pd_err_hint(err, "give a number of pages, such as 128, or a "
				 "size, such as 2M");
		return -EINVAL;
	}
	while (rounded < len)
		rounded *= 2;
	*ret_len = rounded;
	return 0;
}
