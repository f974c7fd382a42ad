#include "record/carry/kept_maps.h"

#include <errno.h>
#include <time.h>
#include <unistd.h>

#include "format/base/hash.h"
#include "record/base/runtime.h"

#define NS_PER_S INT64_C(1000000000)
/* Longer than any recording. */
#define LONG_AGO_S INT64_C(1000000000)

/* The end of a map that is compared, about its last line. */
enum { TAIL_LEN = 64 };

/* Between looks: a map that is held is looked at so often that its lines have
 * times, and its space is given back soon after it was removed. */
#define WAIT_NS_MIN	 UINT64_C(250000000)
#define WAIT_NS_MAX	 UINT64_C(16000000000)
#define WAIT_NS_MAX_HELD UINT64_C(1000000000)

static struct rec_kept_map *find(struct rec_kept_maps *maps, uint32_t pid)
{
	for (size_t i = 0; i < maps->nr; i++)
		if (maps->items[i].pid == pid)
			return &maps->items[i];
	return NULL;
}

static void drop(struct rec_kept_maps *maps, struct rec_kept_map *map)
{
	*map = maps->items[--maps->nr];
}

/* Return when a file was written to last; 0: before the recording began.  Its
 * owner may have set any time. */
static uint64_t changed_ns(const struct rec_kept_maps *maps,
			   const struct stat *st, uint64_t now_ns)
{
	const struct timespec *then = &st->st_mtim;
	struct timespec wall;
	int64_t ago_ns;

	clock_gettime(CLOCK_REALTIME, &wall);
	if (then->tv_sec > wall.tv_sec)
		return now_ns;
	if (then->tv_sec < wall.tv_sec - LONG_AGO_S)
		return 0;
	ago_ns = (int64_t)(wall.tv_sec - then->tv_sec) * NS_PER_S +
		 wall.tv_nsec - then->tv_nsec;
	if (ago_ns < 0)
		return now_ns;
	return (uint64_t)ago_ns < now_ns - maps->begin_ns
		       ? now_ns - (uint64_t)ago_ns
		       : 0;
}

/* Return the hash of the last bytes in front of len, 0 if they are not there.
 */
static uint64_t hash_tail(int fd, uint64_t len)
{
	uint64_t off = len > TAIL_LEN ? len - TAIL_LEN : 0;
	char tail[TAIL_LEN];
	ssize_t got = pread(fd, tail, (size_t)(len - off), (off_t)off);

	return got == (ssize_t)(len - off) ? pd_hash_of(tail, (size_t)got) : 0;
}

static void note_fd(struct rec_kept_maps *maps, struct rec_kept_map *map,
		    int fd)
{
	struct rec_map_note now = { .looked_ns = rec_now_ns() };
	bool is_written, is_anew;
	struct stat st;

	if (fstat(fd, &st) || st.st_ino != map->ino)
		return;
	now.len = (uint64_t)st.st_size;
	now.changed_ns = changed_ns(maps, &st, now.looked_ns);
	is_written = now.len != map->len ||
		     st.st_mtim.tv_sec != map->written.tv_sec ||
		     st.st_mtim.tv_nsec != map->written.tv_nsec;
	/* one that was written anew may be as long, or longer, too */
	is_anew = now.len < map->len ||
		  (is_written && map->len &&
		   hash_tail(fd, map->len) != map->tail_hash);
	rec_pins_note_map(maps->pins, rec_pin_key_of_map(map->pid), &now,
			  is_anew);
	if (!is_written)
		return;
	map->written = st.st_mtim;
	map->len = now.len;
	map->tail_hash = hash_tail(fd, now.len);
}

/* Note how long the map is that is pinned, wherever it stands. */
static void note(struct rec_kept_maps *maps, struct rec_kept_map *map)
{
	uint64_t key = rec_pin_key_of_map(map->pid);
	int fd = map->ino ? rec_pins_find(maps->pins, key) : -ENOENT;

	if (fd < 0)
		return;
	note_fd(maps, map, fd);
	close(fd);
}

/* Pin the map if there is one, and another one than was pinned before. is_left:
 * its process has ended, and it lies in our own folder. */
static void pin_map(struct rec_kept_maps *maps, struct rec_kept_map *map,
		    bool is_left)
{
	struct rec_pin pin = {
		.keys = { [REC_PIN_INODE] = rec_pin_key_of_map(map->pid) },
		.pid = map->pid,
		.since_ns = rec_now_ns(),
	};
	struct stat st;

	if (rec_perf_map_look(&map->place, &st)) {
		if (map->ino)
			rec_pins_end(maps->pins, pin.keys[REC_PIN_INODE],
				     pin.since_ns);
		map->ino = 0;
		return;
	}
	if (st.st_ino == map->ino && st.st_dev == map->dev)
		return;
	pin.fd = rec_perf_map_open(&map->place);
	if (pin.fd < 0)
		return;
	if (fstat(pin.fd, &st) ||
	    (!is_left && !rec_pins_may_hold(maps->pins, map->pid, pin.fd))) {
		close(pin.fd);
		return;
	}
	map->ino = st.st_ino;
	map->dev = st.st_dev;
	map->len = 0;
	rec_pins_drop(maps->pins, pin.keys[REC_PIN_INODE]);
	rec_pins_add(maps->pins, &pin);
}

/* Return 0, or -ENOENT if the process has ended. */
static int look(struct rec_kept_maps *maps, struct rec_kept_map *map)
{
	int rc = rec_perf_map_place_enter(maps->pins->proc_fd, map->pid,
					  &map->place);
	uint64_t wait_ns = 2 * map->wait_ns;

	if (rc)
		return rc;
	pin_map(maps, map, false);
	note(maps, map);
	rec_perf_map_place_close(&map->place);
	if (wait_ns > (map->ino ? WAIT_NS_MAX_HELD : WAIT_NS_MAX))
		wait_ns = map->ino ? WAIT_NS_MAX_HELD : WAIT_NS_MAX;
	map->due_ns = rec_now_ns() + map->wait_ns;
	map->wait_ns = wait_ns;
	return 0;
}

void rec_kept_maps_add(struct rec_kept_maps *maps, uint32_t pid)
{
	struct rec_kept_map map = { .pid = pid, .wait_ns = WAIT_NS_MIN };

	if (find(maps, pid) || maps->nr == REC_KEPT_MAPS_MAX ||
	    rec_perf_map_place_open(maps->pins->proc_fd, pid, &map.place))
		return;
	rec_perf_map_place_close(&map.place);
	maps->items[maps->nr++] = map;
	look(maps, &maps->items[maps->nr - 1]);
}

/* In its own folder nobody looks any more: what it left may lie in ours. */
static void end(struct rec_kept_maps *maps, struct rec_kept_map *map)
{
	struct rec_perf_map_place left;

	if (!map->ino && !rec_perf_map_place_left(map->place.pid, &left)) {
		left.user = map->place.user;
		map->place = left;
		pin_map(maps, map, true);
		rec_perf_map_place_close(&map->place);
	}
	note(maps, map);
	rec_pins_end_process(maps->pins, map->pid, rec_now_ns());
	drop(maps, map);
}

void rec_kept_maps_look(struct rec_kept_maps *maps, bool is_all)
{
	uint64_t now_ns = rec_now_ns();

	for (size_t i = maps->nr; i--;) {
		struct rec_kept_map *map = &maps->items[i];

		/* what is due soon costs no wake-up of its own */
		if (!is_all && map->due_ns > now_ns + map->wait_ns / 4)
			continue;
		if (look(maps, map))
			end(maps, map);
	}
}

void rec_kept_maps_end(struct rec_kept_maps *maps, uint32_t pid)
{
	struct rec_kept_map *map = find(maps, pid);

	if (map)
		end(maps, map);
}

uint64_t rec_kept_maps_due_ns(const struct rec_kept_maps *maps)
{
	uint64_t due_ns = UINT64_MAX;

	for (size_t i = 0; i < maps->nr; i++)
		if (maps->items[i].due_ns < due_ns)
			due_ns = maps->items[i].due_ns;
	return due_ns;
}
