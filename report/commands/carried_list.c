#include "report/commands/carried_list.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "format/carried/carried_code.h"
#include "format/carried/carried_jit.h"
#include "format/carried/carried_lines.h"
#include "format/carried/carried_sources.h"
#include "format/records/build_id.h"
#include "report/base/memory.h"
#include "format/support/safe_text.h"
#include "report/symbols/carried_names.h"

static const char *const sources[PD_CARRIED_SOURCE_NR] = {
	[PD_CARRIED_SYMTAB] = "symbol", [PD_CARRIED_PLT] = "plt",
	[PD_CARRIED_FDE] = "bounds",	[PD_CARRIED_LINE] = "line",
	[PD_CARRIED_GO] = "go",
};

static void print_file(const struct pd_carried_file *f)
{
	char id[PD_BUILD_ID_HEX_LEN];

	pd_build_id_hex(f->build_id, f->build_id_len, id);
	printf("%-40s %" PRIu64 "/%" PRIu64 " ", id, f->named_nr, f->hit_nr);
	sup_put_safe(stdout, f->path);
	if (f->kind == PD_CARRIED_PERF_MAP)
		printf(" of pid %u", f->pid);
	if (f->packed.len)
		printf(", .gnu_debugdata of %zu bytes", f->packed.len);
	if (rpt_carried_reason(f))
		printf(": %s", rpt_carried_reason(f));
	putchar('\n');
}

/* Print whose the file was, and by what records name it. */
static void print_identity(const struct pd_carried_file *f)
{
	const struct pd_file_owner *owner = &f->owner;
	const time_t s = (time_t)(owner->mtime_ns / 1000000000u);
	char when[48] = "";
	struct tm tm;

	if (owner->mtime_ns && localtime_r(&s, &tm))
		strftime(when, sizeof(when), ", changed %Y-%m-%d %H:%M:%S",
			 &tm);
	if (owner->is_known)
		printf("  # of user %" PRIu32 ", mode %04" PRIo32 ", %" PRIu64
		       " bytes%s\n",
		       owner->uid, owner->mode & 07777, owner->file_len, when);
	if (f->is_known_by_id)
		printf("  # in records by its build-id\n");
	for (uint32_t i = 0; i < f->key_nr; i++)
		printf("  # in records as device %02" PRIx32 ":%02" PRIx32
		       ", inode %" PRIu64 ", generation %" PRIu64 "\n",
		       f->keys[i].maj, f->keys[i].min, f->keys[i].ino,
		       f->keys[i].ino_generation);
}

static int print_names(const struct pd_carried *carried, uint32_t idx,
		       struct pd_err *err)
{
	uint32_t nr = carried->files[idx].name_nr;
	struct pd_carried_name *names =
		rpt_alloc_zeroed((size_t)nr + 1, sizeof(*names));
	int rc = pd_carried_names(carried, idx, names, err);

	for (uint32_t i = 0; i < nr && !rc; i++) {
		const char *source = names[i].source < PD_CARRIED_SOURCE_NR
					     ? sources[names[i].source]
					     : "unknown";

		printf("  %16" PRIx64 " %8" PRIx64 " %-6s ", names[i].start,
		       names[i].len, source);
		sup_put_safe(stdout, names[i].text);
		putchar('\n');
	}
	free(names);
	return rc;
}

/* The functions of a process's jitdump, in the order of that; or the lines of
 * its perf map that have times. */
static int print_codes(const struct pd_carried *carried, uint32_t idx,
		       struct pd_err *err)
{
	const struct pd_carried_jit *jit = pd_carried_jit_of(carried, idx);
	struct pd_jit_code *codes;
	int rc;

	if (!jit)
		return 0;
	codes = rpt_alloc_zeroed((size_t)jit->code_nr + 1, sizeof(*codes));
	rc = pd_carried_jit_codes(carried, jit, codes, err);
	for (uint32_t i = 0; i < jit->code_nr && !rc; i++) {
		printf("  %16" PRIx64 " %8" PRIx64 " %-6s ", codes[i].addr,
		       codes[i].len, jit->is_perf_map ? "timed" : "jit");
		if (codes[i].name.len)
			sup_put_safe(stdout, codes[i].name);
		else
			printf("function %" PRIu64 ", moved", codes[i].idx);
		if (jit->is_perf_map)
			printf(" from %" PRIu64 ".%09" PRIu64 " s on",
			       codes[i].time_ns / 1000000000u,
			       codes[i].time_ns % 1000000000u);
		putchar('\n');
	}
	free(codes);
	return rc;
}

static void print_account(const struct pd_carried_account *account)
{
	printf("# %" PRIu64 " samples, %" PRIu64 " addresses, %" PRIu64
	       " in no map%s; %.3f s of CPU, %.3f s\n",
	       account->sample_nr, account->address_nr, account->unmapped_nr,
	       account->is_cut ? ", some left out" : "",
	       (double)account->cpu_ns / 1e9, (double)account->wall_ns / 1e9);
}

/* The texts that a recording carries besides names. */
struct texts {
	struct pd_carried_lines lines;
	struct pd_carried_code code;
	struct pd_carried_sources sources;
};

static int read_texts(const struct pd_reader *reader, uint32_t file_nr,
		      struct texts *ret, struct pd_err *err)
{
	struct pd_carried_text text;
	int rc = pd_reader_carried_text(reader, PD_CARRIED_LINES, &text, err);

	if (!rc)
		rc = pd_carried_lines_read(&text, file_nr, &ret->lines, err);
	if (!rc)
		rc = pd_reader_carried_text(reader, PD_CARRIED_BYTES, &text,
					    err);
	if (!rc)
		rc = pd_carried_code_read(&text, file_nr, &ret->code, err);
	if (!rc)
		rc = pd_reader_carried_text(reader, PD_CARRIED_SOURCES, &text,
					    err);
	return rc ? rc : pd_carried_sources_read(&text, &ret->sources, err);
}

static void release_texts(struct texts *texts)
{
	pd_carried_lines_release(&texts->lines);
	pd_carried_code_release(&texts->code);
	pd_carried_sources_release(&texts->sources);
}

/* Print how much else is carried of a file. */
static void print_texts(const struct texts *texts, uint32_t idx)
{
	const struct pd_carried_lines_file *f =
		pd_carried_lines_of(&texts->lines, idx);
	uint32_t run_nr;
	const struct pd_carried_run *runs =
		pd_carried_code_of(&texts->code, idx, &run_nr);
	uint64_t len = 0;

	if (f)
		printf("  # lines of %" PRIu32 " addresses\n", f->place_nr);
	for (uint32_t i = 0; i < run_nr; i++)
		len += runs[i].len;
	if (run_nr)
		printf("  # code: %" PRIu64 " bytes in %" PRIu32 " piece%s\n",
		       len, run_nr, run_nr == 1 ? "" : "s");
}

static void print_source_text(const struct pd_carried_sources *found)
{
	for (uint32_t i = 0; i < found->run_nr; i++) {
		const struct pd_carried_lines_run *run = &found->runs[i];

		printf("# source: ");
		sup_put_safe(stdout, run->path);
		printf(":%" PRIu32 "-%" PRIu32 "\n", run->line,
		       run->line + run->line_nr - 1);
	}
}

int rpt_carried_list_print(const struct rpt_recording_input *in,
			   bool with_names, struct pd_err *err)
{
	struct texts texts = { .lines = { 0 } };
	struct pd_carried carried;
	int damage = pd_reader_carried(in->reader, &carried, err), rc = 0;

	if (with_names && carried.file_nr)
		print_account(&carried.account);
	if (with_names)
		rc = read_texts(in->reader, carried.file_nr, &texts, err);
	for (uint32_t i = 0; i < carried.file_nr && !rc; i++) {
		print_file(&carried.files[i]);
		if (!with_names)
			continue;
		print_identity(&carried.files[i]);
		rc = print_names(&carried, i, err);
		if (!rc)
			rc = print_codes(&carried, i, err);
		print_texts(&texts, i);
	}
	print_source_text(&texts.sources);
	release_texts(&texts);
	pd_carried_release(&carried);
	return damage ? damage : rc;
}
