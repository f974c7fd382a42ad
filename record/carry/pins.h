/* pins.h: descriptors of files that will soon be in nobody's reach, held until
 * they are read.
 *
 * A pinned file keeps its file system busy and its space in use.  While its
 * process lives, that does so by itself; so a pin ends some time after it.
 *
 * One thread changes the table (keeper.h).  Others look at it without a lock:
 * one of low priority that loses its CPU there holds nobody up.
 */
#ifndef REC_PINS_H
#define REC_PINS_H

#include "record/names/perf_map_names.h"
#include "record/snapshot/mapped_build_id.h"

#include <stdbool.h>
#include <stdint.h>

enum { REC_PINS_MAX = 32 };

/* Keys of a pin: a file has all of them, by inode and build-id, and the
 * caller's. */
enum { REC_PIN_INODE, REC_PIN_ID, REC_PIN_TAG, REC_PIN_KEYS };

/* So long after its process's end a file is pinned: until a look at what was
 * hit has begun that late, when the last samples are in the file; or at most.
 */
#define REC_PIN_END_NS	   UINT64_C(1000000000)
#define REC_PIN_END_NS_MAX UINT64_C(4500000000)
/* So long one is pinned that stands at its path: by then it was read. */
#define REC_PIN_NEW_NS UINT64_C(3000000000)

struct rec_pin {
	/* atomic; all of them changed while version is odd */
	uint64_t version;
	uint64_t keys[REC_PIN_KEYS]; /* 0: none */
	int fd;			     /* owned; -1: free */
	uint64_t end_ns; /* 0: its process lives; else when it ended */
	struct rec_map_notes notes; /* of a perf map */

	/* the one thread's */
	uint32_t pid;
	uint64_t since_ns;
	uint64_t seen_ns;  /* when its process was seen last */
	uint64_t until_ns; /* 0: until its process ends */
};

struct rec_pins {
	int proc_fd; /* borrowed */
	size_t cap;
	/* Told of the tag of each that is let go. */
	void (*let_go)(void *ctx, uint64_t tag);
	void *ctx;
	uint64_t looked_ns; /* atomic: rec_pins_note_look() */
	/* atomic; the tags of the pins, close together: each map of a file that
	 * is known asks for its own */
	uint64_t tags[REC_PINS_MAX];
	struct rec_pin items[REC_PINS_MAX];
};

/* Keys of a file, by device, inode and generation or by build-id and path,
 * which anybody's file may have; and of the perf map of a process. */
uint64_t rec_pin_key_of_inode(const struct rec_mapped *mapped);
uint64_t rec_pin_key_of_id(const struct rec_build_id *id, const char *path);
uint64_t rec_pin_key_of_map(uint32_t pid);

/* cap: how many there may be, at most REC_PINS_MAX. */
void rec_pins_init(struct rec_pins *pins, int proc_fd, size_t cap);
void rec_pins_release(struct rec_pins *pins);

/* Any thread: return a descriptor, the caller's, or -ENOENT. */
int rec_pins_find(const struct rec_pins *pins, uint64_t key);
/* The same; *ret are the notes on it. */
int rec_pins_find_noted(const struct rec_pins *pins, uint64_t key,
			struct rec_map_notes *ret);
/* Any thread: return whether a file with that tag is pinned. */
bool rec_pins_has(const struct rec_pins *pins, uint64_t tag);
/* Any thread: return whether the file is pinned, and will not be after a look
 * that begins now_ns. */
bool rec_pins_is_last_look(const struct rec_pins *pins, uint64_t key,
			   uint64_t now_ns);

/* Return whether the file of a process, of this one if pid is 0, lies on a
 * mount of this machine's root: on none that a user made, in a user namespace
 * or by FUSE. */
bool rec_pins_may_hold(const struct rec_pins *pins, uint32_t pid, int fd);

/* Any thread: note a look at all that was hit, which began then (rec_now_ns()).
 */
void rec_pins_note_look(struct rec_pins *pins, uint64_t begin_ns);

/* The one thread: take fd, of a process that lives.  If there are too many, the
 * oldest one goes, of those first that stand, then those whose process has
 * ended; or fd, if all are new: of processes that live for longer, most is
 * known. */
void rec_pins_add(struct rec_pins *pins, const struct rec_pin *pin);
/* Another process has mapped the file with that key: as long as that lives. */
void rec_pins_renew(struct rec_pins *pins, uint64_t key, uint32_t pid,
		    uint64_t now_ns);
/* Note a look at the perf map with that key.  is_anew: it is not as before and
 * longer, but has another text. */
void rec_pins_note_map(struct rec_pins *pins, uint64_t key,
		       const struct rec_map_note *now, bool is_anew);
/* Close what has that key. */
void rec_pins_drop(struct rec_pins *pins, uint64_t key);
/* The process, or just the file with that key, has ended. */
void rec_pins_end_process(struct rec_pins *pins, uint32_t pid, uint64_t now_ns);
void rec_pins_end(struct rec_pins *pins, uint64_t key, uint64_t now_ns);
/* Close what ended long enough ago.  Processes whose end was not
 * seen are looked for now and then. */
void rec_pins_tend(struct rec_pins *pins, uint64_t now_ns);
/* Return when that is to be done next; UINT64_MAX: there are none. */
uint64_t rec_pins_due_ns(const struct rec_pins *pins);
/* Return when the next one is to be closed, or its process to be looked for,
 * whatever happens until then; UINT64_MAX: there are none. */
uint64_t rec_pins_ends_ns(const struct rec_pins *pins);

#endif
