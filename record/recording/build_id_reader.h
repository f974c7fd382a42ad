/* build_id_reader.h: a thread that reads build-ids of newly mapped files.
 *
 *	drain threads				the reader's thread
 *	rec_build_id_reader_see(record)
 *	  a file that is new? ---queue--->	its build-id (mapped_build_id.h)
 *	rec_build_id_reader_write()		once for each device, inode and
 *	  waits for it, then the section	generation of a table
 *
 * So no drain thread waits for a file system.  A short-lived process may have
 * ended by then: its files are looked up by path, and counted if the path is
 * gone or names another file.  For the next table a file is read again if it
 * does not stand at its path, on the file system of /, or was changed since.
 */
#ifndef REC_BUILD_ID_READER_H
#define REC_BUILD_ID_READER_H

#include "record/snapshot/build_id_cache.h"
#include "record/recording/build_id_table.h"

#include <pthread.h>

struct rec_build_id_job;

struct rec_build_id_reader {
	struct rec_build_id_table table;
	struct rec_build_id_stats stats; /* of all tables written */
	struct rec_build_id_cache cache; /* the thread's, of one table */
	uint64_t cache_nr;		 /* the number of that table */
	/* The thread's, of all tables: of files as they stood at their paths,
	 * also by length and ctime; only what has a build-id. */
	struct rec_build_id_cache lasting;
	uint64_t root_dev;	       /* of the file system of / */
	struct rec_build_id_job *jobs; /* owned; a ring buffer */
	size_t first;		       /* the next to do */
	size_t nr;		       /* waiting */
	uint64_t table_nr; /* number of this table: an answer may come too
			    * late */
	size_t id_len;
	int proc_fd;
	bool is_on;
	bool is_busy;
	bool stop;
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t more;
	pthread_cond_t idle;
};

/* Start the thread, which keeps the capabilities to inspect other processes, as
 * far as we have them now. id_len: the least length of the sample_id trailer of
 * maps. */
int rec_build_id_reader_start(struct rec_build_id_reader *reader,
			      size_t id_len);
/* Stop the thread.  If it hangs in a file system, its memory is leaked. */
void rec_build_id_reader_release(struct rec_build_id_reader *reader);

/* Queue the file of an MMAP or MMAP2 record; called by any thread.  If memory
 * or the queue is short, the file only lacks its build-id. */
void rec_build_id_reader_see(struct rec_build_id_reader *reader,
			     const struct pd_record *record);

/* Wake the thread if something is queued: at the end of a drain; any thread. */
void rec_build_id_reader_turn(struct rec_build_id_reader *reader);

/* Wait until the queue is empty, at most wait_ns, and append the section. */
void rec_build_id_reader_write(struct rec_build_id_reader *reader,
			       uint64_t wait_ns, struct pd_buf *b);

/* Clear the table: another file begins. */
void rec_build_id_reader_restart(struct rec_build_id_reader *reader);

#endif
