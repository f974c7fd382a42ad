#include "report/base/file_map.h"

#include "report/base/memory.h"

#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum state { WHOLE, CUT, UNREADABLE };

/* Once in the list, a map stays there: the handler may look at it at any time.
 * Closed ones are used again, except those that will be reported. */
struct rpt_file_map {
	_Atomic(uintptr_t) start;
	_Atomic(uintptr_t) end; /* of its last page; 0: nothing is mapped */
	_Atomic(enum state) state;
	struct rpt_file_map *next;  /* in the list of all */
	struct rpt_file_map *spare; /* the next one that is closed */
	char *name;
	dev_t dev;
	ino_t ino;
	size_t len;
	bool is_placed; /* the address space is another's */
};

static struct {
	pthread_mutex_t lock; /* to add a map or take a spare one */
	_Atomic(struct rpt_file_map *) first;
	struct rpt_file_map *spare;
} maps = { .lock = PTHREAD_MUTEX_INITIALIZER };

/* The map that rpt_file_map_expect() made for this thread. */
static _Thread_local struct rpt_file_map *volatile expected;

static pthread_once_t is_handled = PTHREAD_ONCE_INIT;
static struct sigaction former;
static uintptr_t page_len;

static bool is_same_file(const struct rpt_file_map *map, const struct stat *st)
{
	return st->st_dev == map->dev && st->st_ino == map->ino;
}

/* Return the map that addr is in, or NULL.  Another thread may be closing or
 * opening some other map: if the end is unchanged after the start was read, the
 * two belong together. */
static struct rpt_file_map *find(uintptr_t addr)
{
	struct rpt_file_map *map = atomic_load(&maps.first);

	for (; map; map = map->next) {
		uintptr_t end = atomic_load(&map->end);

		if (end && addr < end && addr >= atomic_load(&map->start) &&
		    end == atomic_load(&map->end))
			return map;
	}
	return NULL;
}

/* Map zeros at the page of addr; if the file ends before it, at all that
 * follows, too. */
static bool mend(struct rpt_file_map *map, uintptr_t addr)
{
	uintptr_t page = addr - addr % page_len;
	uintptr_t start = atomic_load(&map->start);
	uintptr_t end = page + page_len;
	enum state state = UNREADABLE;
	struct stat st;

	/* the start of an expected mapping is not known */
	if (atomic_load(&map->end) && !stat(map->name, &st) &&
	    is_same_file(map, &st) && (uintmax_t)st.st_size <= page - start) {
		end = atomic_load(&map->end);
		state = CUT;
	}
	if (mmap((void *)page, end - page, PROT_READ,
		 MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | MAP_NORESERVE, -1,
		 0) == MAP_FAILED)
		return false;
	atomic_store(&map->state, state);
	return true;
}

static bool is_page_gone(const siginfo_t *info)
{
	return info->si_code == BUS_ADRERR || info->si_code == BUS_MCEERR_AR;
}

static void hand_on(int number, siginfo_t *info, void *context)
{
	if (former.sa_flags & SA_SIGINFO) {
		former.sa_sigaction(number, info, context);
	} else if (former.sa_handler != SIG_DFL &&
		   former.sa_handler != SIG_IGN) {
		former.sa_handler(number);
	} else if (info->si_code > 0 || former.sa_handler == SIG_DFL) {
		/* what faulted does so again; what was sent is sent again */
		signal(number, SIG_DFL);
		if (info->si_code <= 0)
			raise(number);
	}
}

static void handle(int number, siginfo_t *info, void *context)
{
	uintptr_t addr = (uintptr_t)info->si_addr;
	struct rpt_file_map *map = NULL;
	int code = errno;

	if (is_page_gone(info)) {
		map = find(addr);
		map = map ? map : expected;
	}
	if (!map || !mend(map, addr))
		hand_on(number, info, context);
	errno = code;
}

static void install(void)
{
	struct sigaction action = { .sa_flags = SA_SIGINFO | SA_ONSTACK };

	page_len = (uintptr_t)sysconf(_SC_PAGESIZE);
	action.sa_sigaction = handle;
	sigemptyset(&action.sa_mask);
	sigaction(SIGBUS, &action, &former);
}

/* Return the path of fd, by which stat() finds the file's length. */
static char *name_of(int fd)
{
	char link[32], name[PATH_MAX];
	ssize_t len;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	len = readlink(link, name, sizeof(name));
	return len < 0 ? rpt_alloc_text(link, strlen(link))
		       : rpt_alloc_text(name, (size_t)len);
}

/* Return a map in which nothing is mapped. */
static struct rpt_file_map *take_spare(void)
{
	struct rpt_file_map *map;

	pthread_mutex_lock(&maps.lock);
	map = maps.spare;
	if (map) {
		maps.spare = map->spare;
	} else {
		map = rpt_alloc_zeroed(1, sizeof(*map));
		map->next = atomic_load(&maps.first);
		atomic_store(&maps.first, map);
	}
	pthread_mutex_unlock(&maps.lock);
	return map;
}

static void give_spare(struct rpt_file_map *map)
{
	pthread_mutex_lock(&maps.lock);
	map->spare = maps.spare;
	maps.spare = map;
	pthread_mutex_unlock(&maps.lock);
}

static struct rpt_file_map *new_map(int fd, const char *name)
{
	struct rpt_file_map *map;
	struct stat st = { .st_ino = 0 };

	pthread_once(&is_handled, install);
	map = take_spare();
	fstat(fd, &st);
	map->name = name ? rpt_alloc_text(name, strlen(name)) : name_of(fd);
	map->dev = st.st_dev;
	map->ino = st.st_ino;
	map->len = 0;
	map->is_placed = false;
	return map;
}

static void place(struct rpt_file_map *map, const void *base, size_t len)
{
	uintptr_t start = (uintptr_t)base;

	map->len = len;
	atomic_store(&map->start, start);
	atomic_store(&map->end,
		     start + (len + page_len - 1) / page_len * page_len);
}

void *rpt_map_bytes(void *at, uint64_t len, int prot, int flags, int fd)
{
	if (len == (size_t)len)
		return mmap(at, (size_t)len, prot, flags, fd, 0);
	errno = EFBIG;
	return MAP_FAILED;
}

int rpt_file_map_open(struct rpt_file_map **ret,
		      const struct rpt_file_map_conf *conf)
{
	int flags = MAP_PRIVATE | (conf->at ? MAP_FIXED : 0) |
		    (conf->is_needed_now ? MAP_POPULATE : 0);
	struct rpt_file_map *map = new_map(conf->fd, conf->name);
	void *base;
	int rc;

	base = rpt_map_bytes(conf->at, conf->len, PROT_READ, flags, conf->fd);
	if (base == MAP_FAILED) {
		rc = -errno;
		rpt_file_map_close(map);
		return rc;
	}
	map->is_placed = conf->at;
	place(map, base, (size_t)conf->len);
	*ret = map;
	return 0;
}

const uint8_t *rpt_file_map_base(const struct rpt_file_map *map)
{
	return (const uint8_t *)atomic_load(&map->start);
}

size_t rpt_file_map_len(const struct rpt_file_map *map)
{
	return map->len;
}

static bool can_be_mapped(int fd)
{
	struct stat st;
	void *base = MAP_FAILED;

	if (!fstat(fd, &st) && st.st_size > 0)
		base = rpt_map_bytes(NULL, (uint64_t)st.st_size, PROT_READ,
				     MAP_PRIVATE, fd);
	if (base != MAP_FAILED)
		munmap(base, (size_t)st.st_size);
	return base != MAP_FAILED;
}

struct rpt_file_map *rpt_file_map_expect(int fd, const char *name)
{
	struct rpt_file_map *map =
		fd < 0 || can_be_mapped(fd) ? new_map(fd, name) : NULL;

	if (map)
		map->is_placed = true;
	expected = map;
	return map;
}

void rpt_file_map_found(struct rpt_file_map *map, const void *base, size_t len)
{
	expected = NULL;
	if (map && len)
		place(map, base, len);
}

/* Return whether the file was cut where nothing was read, or in its last page.
 */
static bool is_shorter(const struct rpt_file_map *map)
{
	struct stat st;

	return map->len && !stat(map->name, &st) && is_same_file(map, &st) &&
	       (uintmax_t)st.st_size < map->len;
}

static enum state state_of(struct rpt_file_map *map)
{
	if (atomic_load(&map->state) != CUT && is_shorter(map))
		atomic_store(&map->state, CUT);
	return atomic_load(&map->state);
}

void rpt_file_map_close(struct rpt_file_map *map)
{
	void *base;

	if (!map)
		return;
	base = (void *)atomic_load(&map->start);
	state_of(map);
	atomic_store(&map->end, 0);
	if (map->len && !map->is_placed)
		munmap(base, map->len);
	map->len = 0;
	if (atomic_load(&map->state) != WHOLE)
		return;
	free(map->name);
	map->name = NULL;
	give_spare(map);
}

static bool are_of_one_file(const struct rpt_file_map *a,
			    const struct rpt_file_map *b)
{
	return a->dev == b->dev && a->ino == b->ino &&
	       (a->ino || !strcmp(a->name, b->name));
}

/* Return whether a map before this one in the list reports the file. */
static bool is_reported(const struct rpt_file_map *map)
{
	const struct rpt_file_map *other = atomic_load(&maps.first);

	for (; other != map; other = other->next)
		if (atomic_load(&other->state) != WHOLE &&
		    are_of_one_file(other, map))
			return true;
	return false;
}

size_t rpt_file_maps_report(void (*report)(const char *name,
					   const struct pd_err *err))
{
	static const char *const texts[] = {
		[CUT] = "was cut while it was read: zeros were read instead of "
			"what is gone",
		[UNREADABLE] = "could not be read: zeros were read instead of "
			       "a part of it",
	};
	struct rpt_file_map *map = atomic_load(&maps.first);
	size_t nr = 0;

	for (; map; map = map->next) {
		enum state state = state_of(map);
		struct pd_err err = PD_ERR_INIT;

		if (state == WHOLE || is_reported(map))
			continue;
		pd_err_set(&err, -ENODATA, "%s", texts[state]);
		report(map->name, &err);
		nr++;
	}
	return nr;
}
