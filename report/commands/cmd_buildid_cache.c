/* perfpair buildid-cache: the names and the code that a recording carries, for
 * programs that look for files by build-id: perf, hotspot, gdb. */
#include "report/base/memory.h"
#include "format/support/safe_text.h"
#include "report/cache/cache_entry.h"
#include "report/cache/cache_tree.h"
#include "report/cache/jit_names.h"
#include "report/cli/command_options.h"
#include "report/cli/recording_input.h"
#include "report/commands/commands.h"
#include "report/elf/file_names.h"
#include "report/symbols/carried_index.h"

#include "format/base/limits.h"
#include "format/carried/carried_cfi.h"
#include "format/records/build_id.h"
#include "format/support/message.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct cache_args {
	const char *from;
	const char *dir;
	const char *maps;
	uint32_t max_ratio;
	bool is_list;
	bool force;
	char *made_dir; /* owned: the default of dir */
};

#define OFF(member) offsetof(struct cache_args, member)

static const struct sup_opt opts[] = {
	RPT_OPT_TEXT(0, "from", OFF(from), "FILE",
		     "add the names that this recording carries to the cache"),
	RPT_OPT_TEXT(0, "dir", OFF(dir), "DIR",
		     "the cache, which perf takes by --buildid-dir (~/.debug)"),
	RPT_OPT_TEXT(0, "perf-maps", OFF(maps), "DIR",
		     "write the names of JIT code to DIR/perf-PID.map"),
	RPT_OPT_FLAG('f', "force", OFF(force), 0,
		     "replace entries that this command wrote before; "
		     "without it, names are added to them"),
	RPT_OPT_FLAG('l', "list", OFF(is_list), 0,
		     "show the files of the cache: build-id and path"),
	RPT_OPT_MAX_RATIO(OFF(max_ratio)),
	{ 0 },
};

#define WITH_PERF "perf buildid-cache does it, with these entries, too"
#define FULL_FILE "entries are made of recordings; full files are perf's to add"

static const struct sup_absent absent[] = {
	{ "verbose", "what is done with each file is printed without it" },
	{ "v", "what is done with each file is printed without it" },
	{ "add", FULL_FILE },
	{ "a", FULL_FILE },
	{ "update", FULL_FILE },
	{ "u", FULL_FILE },
	{ "kcore", FULL_FILE },
	{ "k", FULL_FILE },
	{ "target-ns", FULL_FILE },
	{ "debuginfod", FULL_FILE },
	{ "remove", WITH_PERF },
	{ "r", WITH_PERF },
	{ "purge", WITH_PERF },
	{ "p", WITH_PERF },
	{ "purge-all", WITH_PERF },
	{ "P", WITH_PERF },
	{ "missing", WITH_PERF },
	{ "M", WITH_PERF },
	{ 0 },
};

const struct sup_command rpt_buildid_cache_command = {
	.name = "perfpair buildid-cache",
	.usage = "--from FILE [OPTION]... | --list [--dir DIR]",
	.summary =
		"Write the names that a recording carries into a build-id cache, for "
		"perf and other programs.",
	.opts = opts,
	.absent = absent,
};

/* The word that it prints for each outcome. */
static const char *const outcomes[RPT_CACHE_OUTCOME_NR] = {
	[RPT_CACHE_MADE] = "written",
	[RPT_CACHE_ADDED] = "added to what was written before",
	[RPT_CACHE_REPLACED] = "written anew",
	[RPT_CACHE_FOREIGN] = "skipped: the cache has an entry that is not "
			      "ours",
	[RPT_CACHE_NO_NAMES] = "skipped: the recording has no names of it",
	[RPT_CACHE_NO_ID] = "skipped: it has no build-id",
	[RPT_CACHE_BAD_PATH] = "skipped: its path cannot be in a cache",
	[RPT_CACHE_NO_ENTRY] = "skipped: a cache has no place for perf maps "
			       "(--perf-maps writes them)",
	[RPT_CACHE_FAILED] = "not written",
};

static void print_file(const struct pd_carried_file *f, const char *outcome,
		       uint32_t nr)
{
	char id[PD_BUILD_ID_HEX_LEN];

	pd_build_id_hex(f->build_id, f->build_id_len, id);
	printf("%-40s ", id);
	sup_put_safe(stdout, f->path);
	if (f->kind == PD_CARRIED_PERF_MAP)
		printf(" of pid %" PRIu32, f->pid);
	printf(": %s", outcome);
	if (nr)
		printf(", %" PRIu32 " name%s", nr, nr == 1 ? "" : "s");
	putchar('\n');
}

struct cache_run {
	struct rpt_cache_entry_conf conf;
	struct rpt_carried_verdict *verdicts; /* owned; of each file */
	struct pd_carried_code code;	      /* that the recording carries */
	int maps_fd; /* -1: perf maps are not written */
};

/* Return false if the map could not be written. */
static bool write_map(const struct cache_run *run,
		      const struct pd_carried_file *f)
{
	uint32_t nr;
	int rc = rpt_cache_map_write(run->maps_fd, f, &nr);

	if (rc && rc != -EEXIST) {
		print_file(f, strerror(-rc), 0);
		return false;
	}
	print_file(f, rc ? "skipped: there is such a file" : "written", nr);
	return true;
}

/* The call frame information of a file. */
struct frames {
	struct pd_carried_cfi all;
	struct pd_carried_piece *pieces; /* owned */
	uint8_t *text;			 /* owned */
};

static int take_frames(const struct pd_carried *carried, uint32_t idx,
		       struct frames *ret, struct pd_err *err)
{
	const struct pd_carried_cfi *f = pd_carried_cfi_of(carried, idx);

	*ret = (struct frames){ .pieces = NULL };
	if (!f)
		return 0;
	ret->pieces =
		rpt_alloc_zeroed(f->piece_nr + (size_t)1, sizeof(*ret->pieces));
	ret->text = rpt_alloc((size_t)f->text_len + 1);
	ret->all = *f;
	ret->all.pieces = ret->pieces;
	return pd_carried_pieces(carried, f, ret->pieces, ret->text, err);
}

static int add_jit_names(const struct pd_carried *carried, uint32_t idx,
			 struct rpt_file_names *names, struct pd_err *err)
{
	uint32_t nr = 0;
	int rc;

	names->items = rpt_realloc_array(
		names->items,
		(size_t)names->nr + rpt_jit_names_max(carried, idx) + 1,
		sizeof(*names->items));
	rc = rpt_jit_names(carried, idx, names->items + names->nr, &nr, err);
	if (!rc)
		names->nr += nr;
	return rc;
}

/* Write one file.  Return 0, or the error of the recording's names; a file that
 * is not written is told of, and *ret_failed is set. */
static int write_one(const struct cache_run *run,
		     const struct pd_carried *carried, uint32_t idx,
		     bool *ret_failed, struct pd_err *err)
{
	struct pd_carried_file f = carried->files[idx];
	struct pd_err why = PD_ERR_INIT;
	enum rpt_cache_outcome outcome;
	struct rpt_sparse_code code;
	struct frames frames = { .pieces = NULL };
	struct rpt_file_names names;
	uint32_t nr;
	int rc;

	if (run->verdicts[idx].is_disputed) {
		print_file(&f,
			   "skipped: another file with its build-id has other "
			   "names, which count",
			   0);
		return 0;
	}
	rc = rpt_file_names_read(carried, idx, &names, err);
	if (!rc)
		rc = add_jit_names(carried, idx, &names, err);
	f.name_nr = names.nr;
	f.names = names.items;
	if (!rc)
		rc = take_frames(carried, idx, &frames, err);
	f.frames = rc || !frames.all.piece_nr ? NULL : &frames.all;
	code.runs = pd_carried_code_of(&run->code, idx, &code.nr);
	if (!rc && run->maps_fd >= 0 && f.kind == PD_CARRIED_PERF_MAP &&
	    f.name_nr) {
		*ret_failed |= !write_map(run, &f);
	} else if (!rc) {
		outcome =
			rpt_cache_entry_write(&run->conf, &f, &code, &nr, &why);
		*ret_failed |= outcome == RPT_CACHE_FAILED;
		print_file(&f,
			   outcome == RPT_CACHE_FAILED ? why.text
						       : outcomes[outcome],
			   nr);
	}
	rpt_file_names_release(&names);
	free(frames.pieces);
	free(frames.text);
	return rc;
}

/* Read the code that the recording carries; none if it is damaged. */
static void read_code(struct cache_run *run, const struct pd_reader *reader,
		      uint32_t file_nr)
{
	struct pd_carried_text text;

	if (!pd_reader_carried_text(reader, PD_CARRIED_BYTES, &text, NULL))
		pd_carried_code_read(&text, file_nr, &run->code, NULL);
}

static int write_all(struct cache_run *run, struct rpt_recording_input *in,
		     struct pd_err *err)
{
	struct rpt_carried_index index;
	struct pd_carried carried;
	bool has_failed = false;
	int damage = pd_reader_carried(in->reader, &carried, err), rc = 0;

	if (!carried.file_nr && !damage) {
		sup_message("%s: it carries no names: another recorder wrote "
			    "it, or perfpair-record --carry none",
			    in->path);
		has_failed = true;
	}
	read_code(run, in->reader, carried.file_nr);
	rpt_carried_index_init(&index, &carried);
	run->verdicts = rpt_carried_index_judge(&index);
	for (uint32_t i = 0; i < carried.file_nr && !rc; i++)
		rc = write_one(run, &carried, i, &has_failed, err);
	pd_carried_code_release(&run->code);
	free(run->verdicts);
	rpt_carried_index_release(&index);
	pd_carried_release(&carried);
	if (has_failed)
		in->exit_code = RPT_EXIT_FAILED;
	return damage ? damage : rc;
}

/* Open the folders.  Return false with the reason on stderr. */
static bool open_folders(const struct cache_args *args, struct cache_run *run)
{
	struct pd_err err = PD_ERR_INIT;

	run->conf.dir_fd = rpt_cache_open(args->dir, true, &err);
	if (run->conf.dir_fd < 0) {
		sup_message_err(args->dir, &err);
		return false;
	}
	run->maps_fd = args->maps ? rpt_cache_open(args->maps, true, &err) : -1;
	if (args->maps && run->maps_fd < 0) {
		sup_message_err(args->maps, &err);
		close(run->conf.dir_fd);
		return false;
	}
	return true;
}

static int fill_cache(const struct cache_args *args)
{
	struct cache_run run = { .conf.replace = args->force };
	struct pd_err err = PD_ERR_INIT;
	struct rpt_recording_input in;
	int rc = rpt_recording_input_open(&in, args->from);

	if (rc)
		return rc;
	if (!open_folders(args, &run)) {
		rpt_recording_input_close(&in);
		return RPT_EXIT_FAILED;
	}
	pd_reader_set_ratio(in.reader, args->max_ratio);
	rc = write_all(&run, &in, &err);
	if (rc) {
		rpt_warn_failed(in.path, rc, &err);
		in.exit_code = RPT_EXIT_FAILED;
	}
	close(run.conf.dir_fd);
	if (run.maps_fd >= 0)
		close(run.maps_fd);
	return rpt_recording_input_close(&in);
}

static int list_cache(const char *dir)
{
	struct pd_err err = PD_ERR_INIT;
	int fd = rpt_cache_open(dir, false, &err);
	int rc = fd < 0 ? fd : rpt_cache_list(fd, stdout);

	if (fd >= 0)
		close(fd);
	if (!rc || rc == -ENOENT) /* no cache has no files */
		return RPT_EXIT_OK;
	pd_err_set(&err, rc, "%s", strerror(-rc));
	sup_message_err(dir, &err);
	return RPT_EXIT_FAILED;
}

static int parse(int argc, char **argv, struct cache_args *ret,
		 struct pd_err *err)
{
	const char *home = getenv("HOME");
	int rc = rpt_options_parse(&rpt_buildid_cache_command, ret, argc, argv,
				   NULL, err);

	if (rc)
		return rc;
	if (!ret->from == !ret->is_list)
		return pd_err_set(err, -EINVAL,
				  "either --from FILE, a recording, or --list");
	if (ret->dir)
		return 0;
	if (!home || !*home)
		return pd_err_set(err, -EINVAL,
				  "where to? HOME is not set: --dir DIR");
	if (asprintf(&ret->made_dir, "%s/.debug", home) < 0)
		return pd_err_set(err, -ENOMEM, "out of memory");
	ret->dir = ret->made_dir;
	return 0;
}

int rpt_cmd_buildid_cache(int argc, char **argv)
{
	struct cache_args args = { .max_ratio = PD_LIMIT_ZSTD_RATIO };
	struct pd_err err = PD_ERR_INIT;
	int rc = parse(argc, argv, &args, &err);
	int exit_code;

	if (rpt_options_are_good(rc, &rpt_buildid_cache_command, &err,
				 &exit_code))
		exit_code =
			args.is_list ? list_cache(args.dir) : fill_cache(&args);
	free(args.made_dir);
	return exit_code;
}
