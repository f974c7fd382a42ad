/* carry.h: the names that a finished recording carries
 * (format/carried/carried.h).
 *
 *	the file --its samples--> hits of each file
 *	    (hit_reader.h, hits_of_recording.h, address_spaces.h)
 *	the files, the kernel, perf maps --names around hits--> sections
 *	    (elf_names.h, kernel_names.h, perf_map_names.h)
 *
 * The recording is read back, so that recording itself costs nothing more, and
 * what fails here costs names and nothing else, unless nobody can read it.  A
 * thread that only runs when nobody else wants the CPU reads what is whole in
 * the file already (follower.h).  At the end, when the file is closed but for
 * us, a thread of normal priority reads the rest and looks names up: it keeps
 * the capabilities to read other processes' files that the recorder drops once
 * its events are open.
 *
 * Another thread takes what will be gone by then, as its records pass
 * (keeper.h).
 *
 *	rec_carry_start()	before capabilities are dropped
 *	rec_carry_begin()	at the start of each file
 *	rec_carry_feed(), _turn()	at each turn of the recorder's loop
 *	rec_carry_see()		each MMAP2 and EXIT record
 *	rec_carry_collect()	at the end of each file
 *	rec_carry_release()
 */
#ifndef REC_CARRY_H
#define REC_CARRY_H

#include "format/carried/carried.h"
#include "format/records/record.h"
#include "record/carry/kernel_names.h"

#include <pthread.h>
#include <time.h>

/* --carry: what files carry. */
enum { REC_CARRY_NAMES = 1, REC_CARRY_CFI = 2 };

/* Read "none", or a list of names and cfi.  Return 0 or -EINVAL. */
int rec_carry_parse(const char *text, unsigned *ret);

struct rec_carry_conf {
	unsigned what;	  /* REC_CARRY_* */
	uint64_t time_ns; /* that all of one file may take: --carry-time */
	uint64_t len_max; /* bytes that its sections may take: --carry-size */
	uint64_t hang_ns; /* if the thread stands still so long after time_ns,
			   * neither running nor waiting for a CPU, it is left
			   * alone; at least 20 */
	size_t id_len;	  /* bytes of the sample_id trailer of maps, at least */
	/* Memory for each of what is collected: addresses, names, call frame
	 * information; rec_carry_memory_len(). */
	size_t memory_len;
	/* There are no rounds, and what runs stands behind the samples. */
	bool maps_come_last;
	bool is_rotated; /* there may be several files */
	/* A folder for what is found once per host (symbol_index.h), NULL:
	 * none. */
	const char *index_dir;
};

/* The most that memory_len may be. */
#define REC_CARRY_MEMORY_LEN ((size_t)16 << 20)

/* Return what memory_len may be so that the process stays below the limits of
 * its control groups, which leave room_len now (memory_limit.h), with what is
 * taken once for all of it and with spare memory.  0: too little. */
size_t rec_carry_memory_len(uint64_t room_len);

struct rec_carry_request;
struct rec_follower;
struct rec_keeper;
struct rec_known_files;

/* So often the keeper looks at perf maps, and records must not wait longer in
 * their rings while it is on. */
#define REC_CARRY_LOOK_NS UINT64_C(250000000)

struct rec_carry {
	struct rec_carry_conf conf;
	struct rec_keeper *keeper; /* owned; NULL: it could not be started */
	struct rec_follower *follower; /* owned; of the file; NULL: none */
	struct rec_known_files *known; /* owned; NULL: the follower has it */
	int proc_fd;
	int index_fd; /* of index_dir, or -1 */
	struct rec_kallsyms kallsyms;
	bool is_on;
	bool stop;
	bool is_cut;  /* the caller's: what is to be read is not all */
	bool is_busy; /* the thread collects names, without the lock */
	struct rec_carry_request *request; /* to be done; NULL: none */
	pthread_t thread;
	pid_t tid; /* of the thread; 0: it has not begun */
	pthread_mutex_t lock;
	pthread_cond_t changed;
};

/* Start the thread.  Return 0 or a negative errno.  rec_carry_release() is
 * safe on a zeroed struct. */
int rec_carry_start(struct rec_carry *carry, const struct rec_carry_conf *conf);
void rec_carry_release(struct rec_carry *carry);

/* Take a record that passes; any thread. */
void rec_carry_see(struct rec_carry *carry, const struct pd_record *rec,
		   bool is_new);

/* A file fd (-1: none yet) has begun; at each turn of the recorder's loop,
 * records up to its byte len are whole: they are read while it is written.
 * Nothing here waits.  Names are the same without. */
void rec_carry_begin(struct rec_carry *carry, int fd);
void rec_carry_feed(struct rec_carry *carry, uint64_t len);
/* Have the keeper do what was seen and is due: at each turn, and at the end of
 * other drains; any thread.  newest_ns: of what was drained; 0: unknown. */
void rec_carry_turn(struct rec_carry *carry, uint64_t newest_ns);
/* Return when a turn has to follow even if nothing is recorded; UINT64_MAX:
 * never. */
uint64_t rec_carry_due_ns(const struct rec_carry *carry);

/* A recording that another recorder left when it was killed. */
struct rec_carry_left {
	struct timespec written; /* the last time; a file that was changed
				  * since is another one */
	bool is_same_boot; /* else names of the kernel and of memory are gone */
	/* Asked while samples are read; false: leave out the rest. */
	bool (*may_go_on)(void *ctx);
	void *ctx;
};

/* As rec_carry_collect(), for such a recording, in this thread and with its
 * privileges, in ten times the time. */
int rec_carry_collect_left(const struct rec_carry_conf *limits,
			   const struct rec_carry_left *left, int fd,
			   uint64_t len, struct pd_buf *b,
			   struct pd_carried_sections *ret);

/* Append the sections for the recording fd of len bytes, which stands whole in
 * the file, to b, whose start will stand at len; ret lists them.  Return 0 or a
 * negative errno, with err set; then there are none.  A thread that hangs in a
 * file system is left alone after a while: -ETIMEDOUT. */
int rec_carry_collect(struct rec_carry *carry, int fd, uint64_t len,
		      struct pd_buf *b, struct pd_carried_sections *ret,
		      struct pd_err *err);

#endif
