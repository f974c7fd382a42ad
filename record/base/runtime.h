/* runtime.h: the recorder's own clocks, threads and system calls. */
#ifndef REC_RUNTIME_H
#define REC_RUNTIME_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Return CLOCK_MONOTONIC in ns, and the time since 1970. */
uint64_t rec_now_ns(void);
uint64_t rec_wall_ns(void);

/* Return the CPU time of all threads of this process in ns, since the begin: a
 * reload is an exec(), which keeps the time from before. */
uint64_t rec_own_cpu_ns(void);
void rec_own_cpu_begin(void);
/* The same of the calling thread alone, and of one that nobody has joined. */
uint64_t rec_thread_cpu_ns(void);
uint64_t rec_cpu_of_thread_ns(pthread_t thread);

/* ioctl() with a request of any kind: to musl it is an int. */
int rec_ioctl(int fd, unsigned long request, void *arg);

/* Map len bytes of zeros, which take memory only where they are used, and leave
 * nothing with malloc().  Return NULL if there is none. */
void *rec_map_memory(size_t len);
/* Safe on NULL. */
void rec_unmap_memory(void *memory, size_t len);

/* Have malloc() give large pieces back to the system when they are freed.  Of
 * glibc each thread would keep as much as its longest buffers took. */
void rec_return_large_memory(void);

/* Mark a system call that waits for a disk, or for the reader of a pipe: one at
 * a time, of any thread.  rec_io_since_ns() returns since when one has been
 * going on, 0 if none is; any thread. */
void rec_io_begin(void);
void rec_io_end(void);
uint64_t rec_io_since_ns(void);

/* Initialise a condition for rec_cond_wait(). */
void rec_cond_init(pthread_cond_t *cond);
/* Wait for cond until then, which is of rec_now_ns().  Return false if that
 * time has passed. */
bool rec_cond_wait(pthread_cond_t *cond, pthread_mutex_t *lock,
		   uint64_t until_ns);

/* Start a thread of that name (15 characters at most), in which all signals but
 * SIGXCPU (boost.h) are blocked.  Return 0 or a negative errno. */
int rec_thread_start(pthread_t *ret, const char *name, void *(*run)(void *),
		     void *arg);

#endif
