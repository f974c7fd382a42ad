#include "record/carry/pins.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "format/base/hash.h"

/* All are in one order, so that a look that saw the same version twice saw
 * nothing of a change between. */
#define LOAD(at)	 __atomic_load_n(at, __ATOMIC_SEQ_CST)
#define STORE(at, value) __atomic_store_n(at, value, __ATOMIC_SEQ_CST)

/* So often a process whose end was not seen is looked for; and one that has
 * lived for so long gives way to another. */
#define LOOK_NS UINT64_C(4000000000)
/* So often it is asked whether one that has ended was read. */
#define ENDING_NS UINT64_C(100000000)

#ifndef FUSE_SUPER_MAGIC
#define FUSE_SUPER_MAGIC 0x65735546
#endif

enum { INODE_KEY = 1, ID_KEY = 2, MAP_KEY = 3 };

uint64_t rec_pin_key_of_inode(const struct rec_mapped *mapped)
{
	const uint64_t key[] = { INODE_KEY,
				 (uint64_t)mapped->maj << 32 | mapped->min,
				 mapped->ino, mapped->ino_generation };

	return mapped->ino ? pd_hash_of(key, sizeof(key)) | 1 : 0;
}

uint64_t rec_pin_key_of_id(const struct rec_build_id *id, const char *path)
{
	uint8_t key[1 + sizeof(id->bytes) + sizeof(uint64_t)] = { ID_KEY };
	uint64_t hash = pd_hash_of(path, strlen(path));

	memcpy(key + 1, id->bytes, id->len);
	memcpy(key + 1 + sizeof(id->bytes), &hash, sizeof(hash));
	return id->len ? pd_hash_of(key, sizeof(key)) | 1 : 0;
}

uint64_t rec_pin_key_of_map(uint32_t pid)
{
	const uint32_t key[] = { MAP_KEY, pid };

	return pd_hash_of(key, sizeof(key)) | 1;
}

void rec_pins_init(struct rec_pins *pins, int proc_fd, size_t cap)
{
	*pins = (struct rec_pins){ .proc_fd = proc_fd, .cap = cap };
	for (size_t i = 0; i < cap; i++)
		pins->items[i].fd = -1;
}

static bool has_key(const struct rec_pin *pin, uint64_t key)
{
	for (size_t i = 0; i < REC_PIN_KEYS; i++)
		if (key && LOAD(&pin->keys[i]) == key)
			return true;
	return false;
}

/* A torn copy has another version after it. */
static void load_notes(const struct rec_map_notes *notes,
		       struct rec_map_notes *ret)
{
	uint64_t nr = LOAD(&notes->nr);

	ret->nr = nr < REC_MAP_NOTES_MAX ? nr : REC_MAP_NOTES_MAX;
	for (size_t i = 0; i < ret->nr; i++)
		ret->items[i] = (struct rec_map_note){
			LOAD(&notes->items[i].len),
			LOAD(&notes->items[i].changed_ns),
			LOAD(&notes->items[i].looked_ns),
		};
}

/* ret: NULL if the notes are not asked for. */
int rec_pins_find_noted(const struct rec_pins *pins, uint64_t key,
			struct rec_map_notes *ret)
{
	for (size_t i = 0; i < pins->cap; i++) {
		const struct rec_pin *pin = &pins->items[i];
		uint64_t version = LOAD(&pin->version);
		int fd;

		if (version % 2 || !has_key(pin, key))
			continue;
		fd = fcntl(LOAD(&pin->fd), F_DUPFD_CLOEXEC, 0);
		if (fd < 0)
			continue;
		if (ret)
			load_notes(&pin->notes, ret);
		if (LOAD(&pin->version) == version)
			return fd;
		close(fd); /* another file's by now, maybe */
	}
	return -ENOENT;
}

int rec_pins_find(const struct rec_pins *pins, uint64_t key)
{
	return rec_pins_find_noted(pins, key, NULL);
}

bool rec_pins_is_last_look(const struct rec_pins *pins, uint64_t key,
			   uint64_t now_ns)
{
	for (size_t i = 0; i < pins->cap; i++) {
		uint64_t end_ns = LOAD(&pins->items[i].end_ns);

		if (end_ns && now_ns >= end_ns + REC_PIN_END_NS &&
		    has_key(&pins->items[i], key))
			return true;
	}
	return false;
}

/* Take another file, or none, and close the one before. */
static void set(struct rec_pins *pins, struct rec_pin *pin,
		const struct rec_pin *to)
{
	uint64_t tag = pin->keys[REC_PIN_TAG];
	int old = pin->fd;

	STORE(&pin->version, pin->version + 1);
	for (size_t i = 0; i < REC_PIN_KEYS; i++)
		STORE(&pin->keys[i], to->keys[i]);
	STORE(&pins->tags[pin - pins->items], to->keys[REC_PIN_TAG]);
	STORE(&pin->fd, to->fd);
	STORE(&pin->end_ns, 0);
	STORE(&pin->notes.nr, 0);
	STORE(&pin->version, pin->version + 1);
	pin->pid = to->pid;
	pin->since_ns = pin->seen_ns = to->since_ns;
	pin->until_ns = to->until_ns;
	if (old < 0)
		return;
	close(old);
	pins->let_go(pins->ctx, tag);
}

static void clear(struct rec_pins *pins, struct rec_pin *pin)
{
	static const struct rec_pin none = { .fd = -1 };

	set(pins, pin, &none);
}

void rec_pins_release(struct rec_pins *pins)
{
	for (size_t i = 0; i < pins->cap; i++)
		clear(pins, &pins->items[i]);
}

/* Return how soon one is to go: no file, one that stands and whose process
 * lives, then one whose process has ended. */
static int rank_of(const struct rec_pin *pin)
{
	if (pin->fd < 0)
		return 0;
	if (pin->until_ns && !pin->end_ns)
		return 1;
	return pin->end_ns ? 2 : 3;
}

static bool goes_first(const struct rec_pin *a, const struct rec_pin *b)
{
	return rank_of(a) != rank_of(b) ? rank_of(a) < rank_of(b)
					: a->since_ns < b->since_ns;
}

bool rec_pins_may_hold(const struct rec_pins *pins, uint32_t pid, int fd)
{
	struct stat its, own;
	struct statfs fs;
	char path[64];

	if (fstatfs(fd, &fs) || (uint32_t)fs.f_type == FUSE_SUPER_MAGIC)
		return false;
	snprintf(path, sizeof(path), "%u/ns/user", pid);
	return !pid || (!fstatat(pins->proc_fd, path, &its, 0) &&
			!fstatat(pins->proc_fd, "self/ns/user", &own, 0) &&
			its.st_ino == own.st_ino && its.st_dev == own.st_dev);
}

void rec_pins_add(struct rec_pins *pins, const struct rec_pin *pin)
{
	struct rec_pin *place = &pins->items[0];

	for (size_t i = 1; i < pins->cap; i++)
		if (goes_first(&pins->items[i], place))
			place = &pins->items[i];
	if (pins->cap &&
	    (rank_of(place) < 3 || pin->since_ns - place->since_ns > LOOK_NS))
		set(pins, place, pin);
	else
		close(pin->fd);
}

bool rec_pins_has(const struct rec_pins *pins, uint64_t tag)
{
	for (size_t i = 0; i < pins->cap; i++)
		if (tag && LOAD(&pins->tags[i]) == tag)
			return true;
	return false;
}

static void store_note(struct rec_map_notes *notes, size_t idx,
		       const struct rec_map_note *note)
{
	STORE(&notes->items[idx].len, note->len);
	STORE(&notes->items[idx].changed_ns, note->changed_ns);
	STORE(&notes->items[idx].looked_ns, note->looked_ns);
}

/* Keep every other one: two growths become one. */
static void join_notes(struct rec_map_notes *notes)
{
	size_t nr = 0;

	for (size_t i = 1; i < notes->nr; i += 2)
		store_note(notes, nr++, &notes->items[i]);
	STORE(&notes->nr, nr);
}

static void note_map(struct rec_pin *pin, const struct rec_map_note *now,
		     bool is_anew)
{
	struct rec_map_notes *notes = &pin->notes;
	struct rec_map_note *last =
		notes->nr ? &notes->items[notes->nr - 1] : NULL;

	if (last && !is_anew && now->len == last->len) {
		STORE(&last->looked_ns, now->looked_ns);
		return;
	}
	if (is_anew || notes->nr == REC_MAP_NOTES_MAX) {
		STORE(&pin->version, pin->version + 1);
		if (is_anew)
			STORE(&notes->nr, 0);
		else
			join_notes(notes);
		STORE(&pin->version, pin->version + 1);
	}
	store_note(notes, (size_t)notes->nr, now);
	STORE(&notes->nr, notes->nr + 1);
}

void rec_pins_note_map(struct rec_pins *pins, uint64_t key,
		       const struct rec_map_note *now, bool is_anew)
{
	for (size_t i = 0; i < pins->cap; i++)
		if (has_key(&pins->items[i], key))
			note_map(&pins->items[i], now, is_anew);
}

void rec_pins_drop(struct rec_pins *pins, uint64_t key)
{
	for (size_t i = 0; i < pins->cap; i++)
		if (has_key(&pins->items[i], key))
			clear(pins, &pins->items[i]);
}

static void end(struct rec_pin *pin, uint64_t now_ns)
{
	if (pin->fd < 0 || pin->end_ns)
		return;
	pin->seen_ns = now_ns;
	STORE(&pin->end_ns, now_ns);
}

void rec_pins_end_process(struct rec_pins *pins, uint32_t pid, uint64_t now_ns)
{
	for (size_t i = 0; i < pins->cap; i++)
		if (pins->items[i].pid == pid)
			end(&pins->items[i], now_ns);
}

void rec_pins_end(struct rec_pins *pins, uint64_t key, uint64_t now_ns)
{
	for (size_t i = 0; i < pins->cap; i++)
		if (has_key(&pins->items[i], key))
			end(&pins->items[i], now_ns);
}

static bool lives(const struct rec_pins *pins, uint32_t pid)
{
	char path[16];

	snprintf(path, sizeof(path), "%u", pid);
	return !faccessat(pins->proc_fd, path, F_OK, 0);
}

void rec_pins_renew(struct rec_pins *pins, uint64_t key, uint32_t pid,
		    uint64_t now_ns)
{
	for (size_t i = 0; i < pins->cap; i++) {
		struct rec_pin *pin = &pins->items[i];

		if (!has_key(pin, key))
			continue;
		pin->pid = pid;
		pin->seen_ns = now_ns;
		STORE(&pin->end_ns, lives(pins, pid) ? 0 : now_ns);
	}
}

/* Return whether it has been read, as far as it can be. */
static bool is_over(const struct rec_pins *pins, const struct rec_pin *pin,
		    uint64_t now_ns)
{
	return LOAD(&pins->looked_ns) >= pin->end_ns + REC_PIN_END_NS ||
	       now_ns >= pin->end_ns + REC_PIN_END_NS_MAX;
}

/* Return when something is to be done with it. */
static uint64_t due_ns(const struct rec_pin *pin)
{
	if (pin->fd < 0)
		return UINT64_MAX;
	if (!pin->end_ns)
		return pin->until_ns ? pin->until_ns : pin->seen_ns + LOOK_NS;
	return pin->seen_ns > pin->end_ns ? pin->seen_ns + ENDING_NS
					  : pin->end_ns + REC_PIN_END_NS;
}

void rec_pins_note_look(struct rec_pins *pins, uint64_t begin_ns)
{
	STORE(&pins->looked_ns, begin_ns);
}

void rec_pins_tend(struct rec_pins *pins, uint64_t now_ns)
{
	for (size_t i = 0; i < pins->cap; i++) {
		struct rec_pin *pin = &pins->items[i];

		if (now_ns < due_ns(pin))
			continue;
		pin->seen_ns = now_ns;
		if (pin->end_ns ? is_over(pins, pin, now_ns)
				: pin->until_ns > 0)
			clear(pins, pin);
		else if (!pin->end_ns && !lives(pins, pin->pid))
			end(pin, now_ns);
	}
}

uint64_t rec_pins_due_ns(const struct rec_pins *pins)
{
	uint64_t ret = UINT64_MAX;

	for (size_t i = 0; i < pins->cap; i++)
		if (due_ns(&pins->items[i]) < ret)
			ret = due_ns(&pins->items[i]);
	return ret;
}

uint64_t rec_pins_ends_ns(const struct rec_pins *pins)
{
	uint64_t ret = UINT64_MAX;

	for (size_t i = 0; i < pins->cap; i++) {
		const struct rec_pin *pin = &pins->items[i];
		uint64_t ends_ns = pin->end_ns
					   ? pin->end_ns + REC_PIN_END_NS_MAX
				   : pin->until_ns ? pin->until_ns
						   : pin->seen_ns + LOOK_NS;

		if (pin->fd >= 0 && ends_ns && ends_ns < ret)
			ret = ends_ns;
	}
	return ret;
}
