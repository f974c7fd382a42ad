#include "record/carry/kept_maps.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int rec_kept_maps_init(struct rec_kept_maps *maps, size_t cap,
		       pthread_mutex_t *lock)
{
	*maps = (struct rec_kept_maps){ .cap = cap, .lock = lock };
	maps->items = calloc(cap + 1, sizeof(*maps->items));
	return maps->items ? 0 : -ENOMEM;
}

static void close_map(struct rec_kept_map *map)
{
	rec_perf_map_place_close(&map->place);
	if (map->fd >= 0)
		close(map->fd);
}

void rec_kept_maps_release(struct rec_kept_maps *maps)
{
	for (size_t i = 0; i < maps->nr; i++)
		close_map(&maps->items[i]);
	free(maps->items);
	*maps = (struct rec_kept_maps){ .nr = 0 };
}

static bool is_live(const struct rec_kept_map *map)
{
	return map->place.tmp_fd >= 0;
}

/* The newest one: a pid may come again. */
static struct rec_kept_map *find(const struct rec_kept_maps *maps, uint32_t pid)
{
	for (size_t i = maps->nr; i--;)
		if (maps->items[i].pid == pid)
			return &maps->items[i];
	return NULL;
}

bool rec_kept_maps_has(const struct rec_kept_maps *maps, uint32_t pid)
{
	const struct rec_kept_map *map = find(maps, pid);

	return map && is_live(map);
}

int rec_kept_maps_find(const struct rec_kept_maps *maps, uint32_t pid)
{
	const struct rec_kept_map *map = find(maps, pid);

	return map ? map->fd : -1;
}

static void drop(struct rec_kept_maps *maps, struct rec_kept_map *map)
{
	struct rec_kept_map old = *map;

	pthread_mutex_lock(maps->lock);
	maps->live_nr -= is_live(map);
	maps->nr--;
	memmove(map, map + 1,
		(size_t)(maps->items + maps->nr - map) * sizeof(*map));
	pthread_mutex_unlock(maps->lock);
	close_map(&old);
}

/* Return whether there is room, for which the map of the process that ended
 * first may have gone. */
static bool make_room(struct rec_kept_maps *maps)
{
	for (size_t i = 0; i < maps->nr && maps->nr == maps->cap; i++)
		if (!is_live(&maps->items[i]))
			drop(maps, &maps->items[i]);
	return maps->nr < maps->cap;
}

/* Open the map if there is one, and another one than was opened before. */
static void look(struct rec_kept_maps *maps, struct rec_kept_map *map)
{
	struct stat st;
	int fd, old;

	if (!is_live(map) || rec_perf_map_look(&map->place, &st) ||
	    (map->fd >= 0 && st.st_ino == map->ino && st.st_dev == map->dev))
		return;
	fd = rec_perf_map_open(&map->place);
	if (fd < 0 || fstat(fd, &st)) {
		if (fd >= 0)
			close(fd);
		return;
	}
	old = map->fd;
	pthread_mutex_lock(maps->lock);
	map->fd = fd;
	map->dev = st.st_dev;
	map->ino = st.st_ino;
	pthread_mutex_unlock(maps->lock);
	if (old >= 0)
		close(old);
}

void rec_kept_maps_add(struct rec_kept_maps *maps, int proc_fd, uint32_t pid)
{
	struct rec_kept_map map = { .pid = pid, .fd = -1 };

	if (rec_kept_maps_has(maps, pid) || !make_room(maps) ||
	    rec_perf_map_place_open(proc_fd, pid, &map.place))
		return;
	pthread_mutex_lock(maps->lock);
	maps->items[maps->nr++] = map;
	maps->live_nr++;
	pthread_mutex_unlock(maps->lock);
	look(maps, &maps->items[maps->nr - 1]);
}

void rec_kept_maps_look(struct rec_kept_maps *maps)
{
	for (size_t i = 0; i < maps->nr; i++)
		look(maps, &maps->items[i]);
}

void rec_kept_maps_end(struct rec_kept_maps *maps, uint32_t pid)
{
	struct rec_kept_map *map = find(maps, pid);
	struct rec_perf_map_place place;

	if (!map || !is_live(map))
		return;
	look(maps, map);
	if (map->fd < 0) {
		drop(maps, map);
		return;
	}
	place = map->place;
	pthread_mutex_lock(maps->lock);
	map->place.tmp_fd = -1;
	maps->live_nr--;
	pthread_mutex_unlock(maps->lock);
	rec_perf_map_place_close(&place);
}
