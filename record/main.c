/* main.c: perfpair-record. */
#include "record/recording/recording.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

#include "format/support/message.h"
#include "format/support/pager.h"
#include "format/support/terminal.h"
#include "record/listing/list.h"
#include "record/recording/summary.h"
#include "record/stat/stat.h"

enum {
	EXIT_USAGE = 2,
	EXIT_FAILED = 255, /* perf's */
};

static bool quiet;

static void note(const struct pd_err *text)
{
	if (quiet)
		return;
	sup_message("%s", text->text);
	if (text->hint[0])
		sup_message("%s", text->hint);
}

/* As perf: the signal that ended the command ends this program too, be it the
 * SIGTERM that we sent; else the one that ended us; else the command's status.
 */
static int exit_status(const struct rec_recording *rec)
{
	const struct rec_workload *w = &rec->session.workload;
	int stop_signal = rec->session.control.stop_signal;

	/* Our own SIGTERM to a command that --duration cut short says nothing.
	 * If the events showed that all has ended, it is the command's. */
	if (w->pid && WIFSIGNALED(w->wait_status) &&
	    (stop_signal || rec->session.is_stopped ||
	     rec->session.workload_end != REC_WORKLOAD_ENDED ||
	     WTERMSIG(w->wait_status) != SIGTERM))
		rec_control_die_of(WTERMSIG(w->wait_status));
	if (stop_signal)
		rec_control_die_of(stop_signal);
	if (!w->pid || !WIFEXITED(w->wait_status))
		return 0;
	return WEXITSTATUS(w->wait_status);
}

static void print_end(struct rec_recording *rec)
{
	rec_summary_print(rec, stderr);
	if (sup_terminal()->is_err)
		rec_summary_print_next(rec, stderr);
}

/* Release the recording; then start again if a reload ended it.  Return false
 * if that failed. */
static bool release(struct rec_recording *rec, char **argv)
{
	struct pd_err err = PD_ERR_INIT;
	bool is_reload = rec->session.is_reloading;

	if (is_reload)
		rec_control_keep_blocked(&rec->session.control);
	rec_recording_release(rec);
	if (!is_reload || rec->session.control.stop_signal)
		return true;
	(void)rec_reload_exec(argv, &rec->service, &rec->start, &err);
	sup_message_err(NULL, &err);
	return false;
}

static int record(struct rec_args *args, struct pd_err *err)
{
	static struct rec_recording rec;
	int status = EXIT_FAILED, ended;
	int rc = rec_recording_init(&rec, args, note, err);

	if (!rc && args->verbose_nr)
		rec_summary_print_opened(&rec, stderr);
	if (!rc && args->dry_run) {
		rc = rec_recording_check(&rec, err);
		status = rc ? EXIT_FAILED : -1;
		goto out;
	}
	if (!rc)
		rc = rec_recording_start(&rec, err);
	if (rc) {
		rec_output_abandon(&rec.file.out, err);
		rec_piped_names_abandon(&rec.names);
		goto out;
	}
	rc = rec_recording_loop(&rec, err);
	ended = rec_recording_finish(&rec, err);
	if (!rc)
		rc = ended;
	if (rec.schedule.bad_ring.code)
		sup_message_err(NULL, &rec.schedule.bad_ring);
	if (rec.session.workload_end == REC_WORKLOAD_LOST && !args->quiet) {
		sup_message("the command became another user's, and the kernel "
			    "ended its events");
		sup_message("record whole CPUs (-a, as root) to see such a "
			    "program");
	}
	if (!args->quiet && rec.file.out.len && !rec.file.out.is_gone)
		print_end(&rec);
	if (!rc)
		status = -1;
out:
	if (rc) {
		pd_err_set(err, rc, "%s", strerror(-rc)); /* of no words */
		sup_message_err(
			rec.file.out.err.code ? rec.file.out.path : NULL, err);
	}
	if (!release(&rec, args->argv))
		return EXIT_FAILED;
	return status < 0 ? exit_status(&rec) : status;
}

/* --list: rows by the names of perf list, without descriptions. */
static int list_events(const struct rec_args *args, struct pd_err *note)
{
	struct rec_list_conf conf = {
		.sysfs = args->env.sysfs,
		.words = &args->list_word,
		.word_nr = args->list_word ? 1 : 0,
		.no_text = args->verbose_nr == 0,
		.details = args->verbose_nr > 0,
		.quiet = true,
	};

	return rec_list_print(&conf, stdout, note);
}

/* Print what was asked for instead of recording.  Return the exit code. */
static int print_asked(const struct rec_args *args)
{
	struct pd_err why = PD_ERR_INIT;
	int rc = 0;

	if (args->asked == REC_ASKED_LIST)
		rc = list_events(args, &why);
	else if (args->asked == REC_ASKED_VERSION)
		printf("perfpair-record version %s\n", PERFPAIR_VERSION);
	else
		sup_help(&rec_command, stdout);
	if (why.code)
		sup_message_err(NULL, &why);
	if (rc)
		sup_message("no event of this machine fits '%s'",
			    args->list_word);
	if (fflush(stdout)) {
		sup_message("stdout: %s", strerror(errno));
		return EXIT_FAILED;
	}
	return rc ? EXIT_USAGE : 0;
}

int main(int argc, char **argv)
{
	struct pd_err err = PD_ERR_INIT;
	struct rec_args args;
	int status;
	int rc;

	sup_message_program("perfpair-record");
	sup_terminal_init();
	if (argc > 1 && !strcmp(argv[1], "list"))
		return rec_list_main(argc - 1, argv + 1);
	if (argc > 1 && !strcmp(argv[1], "stat"))
		return rec_stat_main(argc, argv);
	rc = rec_args_parse(&args, argc, argv, &err);
	if (rc > 0) {
		sup_pager_start();
		status = sup_pager_end(print_asked(&args));
		rec_args_release(&args);
		return status;
	}
	if (rc) {
		sup_message_err(NULL, &err);
		rec_args_release(&args);
		return EXIT_USAGE;
	}
	quiet = args.quiet;
	if (args.target_note && !quiet)
		sup_message("%s", args.target_note);
	if (args.off_cpu_note && !quiet)
		sup_message("%s", args.off_cpu_note);
	status = record(&args, &err);
	rec_args_release(&args);
	return status;
}
