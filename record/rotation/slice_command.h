/* slice_command.h: --on-slice: run a command for each finished file.
 *
 * A process of its own runs the commands, one after the other, so that one that
 * hangs is not the recorder's: it is forked before anything is opened, gives up
 * the capabilities that a service was started with (systemd's
 * AmbientCapabilities=), and is told each name by a message that is not waited
 * for.  A command is `sh -c TEXT sh FILE` in a session of its own; after the
 * limit its process group gets SIGTERM, and two seconds later SIGKILL.  What it
 * leaves in that group when it ends is killed.
 *
 * REC_SLICES_WAITING_MAX names may wait; then the oldest is left out.
 *
 * If the recorder is killed or reloaded, what waits is still run.
 */
#ifndef REC_SLICE_COMMAND_H
#define REC_SLICE_COMMAND_H

#include "format/base/err.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

enum { REC_SLICES_WAITING_MAX = 64 };

struct rec_slice_command {
	pid_t pid;	   /* of that process; 0: none */
	int fd;		   /* names go there; valid if pid */
	uint64_t limit_ns; /* of a command */
	uint32_t lost_nr;  /* names that could not be sent */
	bool is_of_all;	   /* all children are such processes: of recordings
			    * before a reload, too */
};

/* Start the process.  Call it before there are threads, events or blocked
 * signals.  text is borrowed, NULL: no command, and nothing below does
 * anything.
 */
int rec_slice_command_start(struct rec_slice_command *slices, const char *text,
			    uint64_t limit_ns, struct pd_err *err);

/* Queue a finished file.  Never waits. */
void rec_slice_command_add(struct rec_slice_command *slices, const char *path);

/* Reap processes of recordings before a reload (reload.h), of which this
 * process is the parent, too. */
void rec_slice_command_reap_others(const struct rec_slice_command *slices);

/* Wait until the commands have ended: as long as may_wait(ctx) is true, asked
 * each tenth of a second, and at most the limit and two seconds.  The process
 * prints what failed to stderr.  Return the number of files whose name was
 * lost. */
uint32_t rec_slice_command_end(struct rec_slice_command *slices,
			       bool (*may_wait)(void *ctx), void *ctx);

#endif
