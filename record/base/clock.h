/* clock.h: the clocks that the recorder reads, in ns. */
#ifndef REC_CLOCK_H
#define REC_CLOCK_H

#include <stdint.h>

/* CLOCK_MONOTONIC. */
uint64_t rec_now_ns(void);

/* CPU time of all threads of this process. */
uint64_t rec_own_cpu_ns(void);

#endif
