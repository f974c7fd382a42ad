/* record_store.h: lists of whole records in one piece of memory, of which only
 * what is used is mapped.
 *
 *	rec_record_store_add()		to a list
 *	rec_record_store_copy()		lists, behind each other, to a buffer
 *	rec_record_store_drop()		a list
 *	rec_stored_next()		each record of the buffer
 *	rec_stored_list()		all of them, by time
 *	rec_stored_write()
 *
 * The caller's lock.
 */
#ifndef REC_RECORD_STORE_H
#define REC_RECORD_STORE_H

#include "format/records/record.h"

/* The bytes of a list lie in blocks; all 0: it is empty. */
struct rec_record_list {
	uint32_t nr; /* records */
	uint32_t first;
	uint32_t last;
	uint32_t last_len;
	uint32_t block_nr;
};

struct rec_record_block;

struct rec_record_store {
	struct rec_record_block *blocks; /* owned; the first one is none */
	size_t cap;
	size_t used_nr; /* so far */
	uint32_t free;	/* list of those that are free again */
	size_t free_nr;
	uint64_t seq; /* of the next record */
};

/* Return 0 or -ENOMEM. */
int rec_record_store_init(struct rec_record_store *store, size_t len_max);
void rec_record_store_release(struct rec_record_store *store);
/* Forget all lists, and give the memory back. */
void rec_record_store_reset(struct rec_record_store *store);

/* Return false if there is no room. */
bool rec_record_store_add(struct rec_record_store *store,
			  struct rec_record_list *list,
			  const struct pd_record *record, uint64_t time_ns);
void rec_record_store_drop(struct rec_record_store *store,
			   struct rec_record_list *list);
/* Append the list's records to ret for rec_stored_*(). */
void rec_record_store_copy(const struct rec_record_store *store,
			   const struct rec_record_list *list,
			   struct pd_buf *ret);

struct rec_stored {
	uint64_t time_ns; /* as it was added */
	uint64_t seq;	  /* the order in which they were */
	struct pd_record record;
};

/* Read the record at *at, and go on to the next one.  Return false at the end.
 */
bool rec_stored_next(const struct pd_buf *copy, size_t *at,
		     struct rec_stored *ret);
/* Return the records by time, those of one time as they were added; the
 * caller's, they point into copy.  NULL: no memory. */
struct rec_stored *rec_stored_list(const struct pd_buf *copy, size_t *ret_nr);
/* Append the records to ret by time, those of one time as they were added, with
 * no time below least_ns; time_back: of TIME, from a record's end.  Return 0 or
 * -ENOMEM. */
int rec_stored_write(const struct pd_buf *copy, unsigned time_back,
		     uint64_t least_ns, struct pd_buf *ret);

#endif
