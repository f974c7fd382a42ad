/* build_id_reader.h: a thread that reads build-ids as maps pass.
 *
 *	drain threads				the reader's thread
 *	rec_build_id_reader_see(record)
 *	  a file that is new? ---queue--->	its build-id (mapped_build_id.h)
 *	rec_build_id_reader_write()		once for each device, inode and
 *	  waits for it, then the section	generation of a table
 *
 * So no drain waits for a file system.  Short-lived processes are gone when
 * their turn comes: their files are looked for by path then, and counted where
 * that finds another or none.
 */
#ifndef REC_BUILD_ID_READER_H
#define REC_BUILD_ID_READER_H

#include "record/snapshot/build_id_cache.h"
#include "record/recording/build_id_table.h"

#include <pthread.h>

struct rec_build_id_job;

struct rec_build_id_reader {
	struct rec_build_id_table table;
	struct rec_build_id_stats stats; /* of all tables that were written */
	struct rec_build_id_cache cache; /* the thread's, of one table */
	uint64_t cache_nr;		 /* of which */
	struct rec_build_id_job *jobs;	 /* owned; a circle of them */
	size_t first;			 /* the next to be done */
	size_t nr;			 /* that wait */
	uint64_t table_nr; /* tables so far: an answer may come too late */
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

/* Start the thread, which keeps of the capabilities that we have now those
 * to look into other processes.  id_len: bytes that the sample_id trailer of
 * each map has at least. */
int rec_build_id_reader_start(struct rec_build_id_reader *reader,
			      size_t id_len);
/* A thread that hangs in a file system is left alone, with its memory. */
void rec_build_id_reader_release(struct rec_build_id_reader *reader);

/* Take an MMAP or MMAP2 record; any thread.  Out of memory, or with more files
 * than the queue holds, it costs the file its build-id, nothing else. */
void rec_build_id_reader_see(struct rec_build_id_reader *reader,
			     const struct pd_record *rec);

/* Wait until what was seen is read, wait_ns at the longest, and append the
 * records of the section. */
void rec_build_id_reader_write(struct rec_build_id_reader *reader,
			       uint64_t wait_ns, struct pd_buf *b);

/* Another file begins: no rows. */
void rec_build_id_reader_restart(struct rec_build_id_reader *reader);

#endif
