/* task_maps.h: the MMAP2 records of one process. */
#ifndef REC_TASK_MAPS_H
#define REC_TASK_MAPS_H

#include "record/snapshot/task_reader.h"

/* Appends an MMAP2 per executable mapping (with want_data_maps: per readable
 * one); nothing where the maps may not be read. */
void rec_task_read_maps(struct rec_task_reader *reader, pid_t pid,
			struct pd_buf *out);

#endif
