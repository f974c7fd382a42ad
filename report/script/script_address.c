#include "report/script/script_address.h"

#include "report/script/script_line.h"

#include "report/base/hex_digits.h"
#include "report/symbols/inline_frames.h"
#include "report/symbols/dso_class.h"
#include "report/symbols/source_line.h"
#include "report/symbols/symbol_range.h"
#include "report/timeline/map_range.h"

#include <inttypes.h>
#include <limits.h>

#define GRANULE_BITS 6
#define WIDE_LEN     ((uint64_t)1 << 20)

static const char *last_part(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* perf shows the path of a module only if the file's table of build-ids has it,
 * or if it is asked for. */
static bool is_name_short(const struct rpt_script *script,
			  const struct rpt_dso *dso)
{
	return rpt_dso_kind(dso) == RPT_DSO_MODULE &&
	       !script->setup->args->is_kernel_path &&
	       !rpt_dso_is_in_table(dso);
}

static void put_dso_name(struct rpt_script *script,
			 const struct rpt_script_symbol *found)
{
	char buf[PATH_MAX];

	if (found->dso_name.len)
		rpt_text_put(&script->text, found->dso_name.ptr,
			     found->dso_name.len);
	else
		rpt_text_str(&script->text,
			     rpt_dso_short_name(found->dso, buf, sizeof(buf)));
}

static void put_hex(struct rpt_text *t, uint64_t v)
{
	char digits[RPT_HEX_LEN];

	rpt_text_put(t, digits, rpt_hex_put(digits, v));
}

static void put_symbol(struct rpt_text *t,
		       const struct rpt_script_symbol *found, uint64_t ip,
		       uint64_t fields)
{
	if (!(fields & RPT_FIELD_SYM))
		return;
	rpt_text_char(t, ' ');
	rpt_text_put(t, found->name.ptr, found->name.len);
	if (!found->sym || !(fields & RPT_FIELD_SYMOFF))
		return;
	rpt_text_put(t, "+0x", 3);
	put_hex(t, rpt_script_dso_addr(found, ip) - found->sym->start);
}

static void put_dso(struct rpt_script *script,
		    const struct rpt_script_symbol *found, uint64_t ip,
		    uint64_t fields)
{
	struct rpt_text *t = &script->text;

	if (!(fields & (RPT_FIELD_DSO | RPT_FIELD_DSOFF)))
		return;
	rpt_text_put(t, " (", 2);
	put_dso_name(script, found);
	if ((fields & RPT_FIELD_DSOFF) && found->dso &&
	    rpt_dso_kind(found->dso) == RPT_DSO_USER) {
		rpt_text_put(t, "+0x", 3);
		put_hex(t, rpt_script_dso_addr(found, ip));
	}
	rpt_text_char(t, ')');
}

/* Print the source line of ip or, if call_off is not 0, of the call that is
 * inlined there; the file and the address in it if no line is known. */
static void put_srcline(struct rpt_script *script,
			const struct rpt_script_symbol *found, uint64_t ip,
			uint64_t call_off, uint64_t fields)
{
	uint64_t addr = rpt_script_dso_addr(found, ip);
	struct rpt_text *t = &script->text;
	char buf[PATH_MAX];
	uint64_t file_addr;
	const char *file;
	bool is_known;
	int line;

	if (!(fields & RPT_FIELD_SRCLINE) || !found->dso)
		return;
	rpt_script_lock(script);
	file_addr = rpt_dso_file_addr(found->dso, addr);
	is_known =
		call_off ? rpt_dso_call_line(found->dso, call_off, &file, &line)
			 : rpt_dso_source_line(found->dso, addr, &file, &line);
	rpt_script_unlock(script);
	rpt_text_put(t, "\n  ", 3);
	if (!is_known) {
		rpt_text_str(t,
			     rpt_dso_short_name(found->dso, buf, sizeof(buf)));
		rpt_text_format(t, "[%" PRIx64 "]", file_addr);
		return;
	}
	rpt_text_str(t, script->setup->args->is_full_path ? file
							  : last_part(file));
	rpt_text_format(t, ":%d", line);
}

/* Call chains show user addresses as those in their file, with perf 6.12 and
 * later as recorded. */
static uint64_t shown_addr(const struct rpt_script_symbol *found, uint64_t ip,
			   enum pd_perf perf)
{
	return found->dso && !found->is_kernel && perf == PD_PERF_6_1
		       ? rpt_script_dso_addr(found, ip)
		       : ip;
}

static bool is_stop(const struct rpt_script *script, struct pd_str name)
{
	const struct rpt_intern *stops = &script->setup->stops;

	return stops->nr && rpt_intern_find(stops, name.ptr, name.len) >= 0;
}

/* frame: a function that is inlined at ip, or the one that holds the code;
 * NULL: what found has. */
static void put_chain_line(struct rpt_script *script,
			   const struct rpt_script_line *line,
			   const struct rpt_script_symbol *found, uint64_t ip,
			   const struct rpt_inline_frame *frame)
{
	bool is_inlined = frame && frame->is_inlined;
	struct rpt_text *t = &script->text;
	char addr[RPT_HEX_LEN];

	rpt_hex_put_wide(
		addr, shown_addr(found, ip, line->sample.event->needed_perf));
	rpt_text_char(t, '\t');
	rpt_text_put(t, addr, sizeof(addr));
	put_symbol(t, found, ip, line->fields);
	if (!is_inlined)
		put_dso(script, found, ip, line->fields);
	put_srcline(script, found, ip, frame ? frame->call_off : 0,
		    line->fields);
	if (is_inlined)
		rpt_text_str(t, " (inlined)");
	rpt_text_char(t, '\n');
}

/* Print the functions that are inlined at ip in found's, and that one itself.
 * Return false if the chain ends with one of them. */
static bool put_inlined(struct rpt_script *script,
			const struct rpt_script_line *line,
			const struct rpt_script_symbol *found, uint64_t ip,
			const struct rpt_inline_frame *frames, size_t nr)
{
	struct rpt_script_symbol shown = *found;

	for (size_t i = 0; i < nr; i++) {
		shown.name = (struct pd_str){ frames[i].name,
					      strlen(frames[i].name) };
		put_chain_line(script, line, &shown, ip, &frames[i]);
		if (is_stop(script, shown.name))
			return false;
	}
	return true;
}

/* Print an entry of a call chain.  Return false if the chain ends with it. */
static bool put_chain_entry(struct rpt_script *script,
			    const struct rpt_script_line *line,
			    enum rpt_script_form form,
			    const struct rpt_script_symbol *found, uint64_t ip)
{
	const struct rpt_inline_frame *frames = NULL;
	size_t nr = 0;

	if (form == RPT_SCRIPT_UNWOUND && found->sym &&
	    script->setup->args->inline_frames) {
		rpt_script_lock(script);
		nr = rpt_dso_inline_frames(
			found->dso, rpt_script_dso_addr(found, ip), &frames);
		rpt_script_unlock(script);
	}
	if (nr)
		return put_inlined(script, line, found, ip, frames, nr);
	put_chain_line(script, line, found, ip, NULL);
	return !found->sym || !is_stop(script, found->name);
}

/* Return whether the address is mapped from a file that is not here. */
static bool lacks_file(const struct rpt_script *script,
		       const struct rpt_script_symbol *found)
{
	bool has_file = true;

	rpt_script_lock(script);
	if (found->dso)
		has_file = rpt_dso_has_file(found->dso);
	rpt_script_unlock(script);
	return !has_file;
}

static void put_branch(struct rpt_script *script,
		       const struct rpt_script_line *line,
		       enum rpt_script_form form,
		       const struct rpt_script_symbol *found, uint64_t ip)
{
	uint64_t addr = rpt_script_dso_addr(found, ip);
	struct rpt_text *t = &script->text;

	if (form == RPT_SCRIPT_BRANCH_OFF) {
		rpt_text_put(t, "0x", 2);
		put_hex(t, lacks_file(script, found) ? addr : ip);
	} else if (form == RPT_SCRIPT_BRANCH) {
		put_hex(t, ip);
	} else {
		rpt_text_put(t, found->name.ptr, found->name.len);
		if (found->sym) {
			rpt_text_put(t, "+0x", 3);
			put_hex(t, addr - found->sym->start);
		}
	}
	if (line->fields & RPT_FIELD_DSO) {
		rpt_text_char(t, '(');
		put_dso_name(script, found);
		rpt_text_char(t, ')');
	}
}

bool rpt_script_put_address(struct rpt_script *script,
			    const struct rpt_script_line *line,
			    enum rpt_script_form form, unsigned cpumode,
			    uint64_t ip)
{
	const struct rpt_script_symbol *found =
		rpt_script_find(script, line, cpumode, ip);

	switch (form) {
	case RPT_SCRIPT_ADDRESS:
		put_symbol(&script->text, found, ip, line->fields);
		put_dso(script, found, ip, line->fields);
		put_srcline(script, found, ip, 0, line->fields);
		break;
	case RPT_SCRIPT_BRANCH:
	case RPT_SCRIPT_BRANCH_SYM:
	case RPT_SCRIPT_BRANCH_OFF:
		put_branch(script, line, form, found, ip);
		break;
	case RPT_SCRIPT_CHAIN:
	case RPT_SCRIPT_UNWOUND:
		return put_chain_entry(script, line, form, found, ip);
	}
	return true;
}

/* Narrow range, of recorded addresses around ip, to those whose dso addresses
 * lie in named, around addr. */
static void narrow_by_symbol(struct rpt_addr_range *range, uint64_t ip,
			     const struct rpt_addr_range *named, uint64_t addr)
{
	uint64_t below = addr - named->first, above = named->last - addr;

	if (below < ip)
		rpt_range_from(range, ip - below);
	if (above < range->last - ip)
		range->last = ip + above;
}

/* Find what is mapped at ip; kernel addresses may read the kernel's names. */
static bool find_map(const struct rpt_script *script,
		     const struct rpt_script_line *line, unsigned cpumode,
		     uint64_t ip, struct rpt_map_range *ret)
{
	const struct rpt_timeline *tl = script->setup->timeline;
	bool is_kernel = cpumode == PD_CPUMODE_KERNEL, is_found;

	if (is_kernel)
		rpt_script_lock(script);
	is_found = rpt_timeline_mapped(tl, &line->sample.task->who, cpumode, ip,
				       line->sample.when, ret) ||
		   (is_kernel && rpt_timeline_kernel_beyond(tl, ip, &ret->map));
	if (is_kernel)
		rpt_script_unlock(script);
	return is_found;
}

static struct pd_str str_of(const char *str)
{
	return (struct pd_str){ str, strlen(str) };
}

/* Fill in all but what the slot is found by. */
static void look_up(const struct rpt_script *script,
		    const struct rpt_script_line *line, uint64_t ip,
		    struct rpt_script_symbol *ret)
{
	struct rpt_addr_range named = RPT_RANGE_ALL;
	struct rpt_map_range mapped = { 0 };
	bool has_map = find_map(script, line, ret->cpumode, ip, &mapped);
	uint64_t addr;

	ret->range = mapped.range;
	ret->name = str_of("[unknown]");
	ret->dso_name = ret->name;
	if (!has_map)
		return;
	ret->start = mapped.map.start;
	ret->pgoff = mapped.map.pgoff;
	ret->dso = mapped.map.dso;
	ret->is_kernel = mapped.map.is_kernel;
	addr = rpt_script_dso_addr(ret, ip);
	rpt_script_lock(script);
	ret->sym = rpt_dso_symbol_range(ret->dso, addr, &named);
	rpt_script_unlock(script);
	if (ret->sym)
		ret->name = str_of(ret->sym->name);
	ret->dso_name = str_of(
		is_name_short(script, ret->dso) ? "" : rpt_dso_name(ret->dso));
	narrow_by_symbol(&ret->range, ip, &named, addr);
}

static bool is_it(const struct rpt_script_symbol *slot,
		  const struct rpt_script_symbol *key, uint64_t ip)
{
	return slot->is_used && slot->space_id == key->space_id &&
	       slot->generation == key->generation &&
	       slot->cpumode == key->cpumode &&
	       ip - slot->range.first <= slot->range.last - slot->range.first;
}

const struct rpt_script_symbol *
rpt_script_find(struct rpt_script *script, const struct rpt_script_line *line,
		unsigned cpumode, uint64_t ip)
{
	struct rpt_script_symbol key = { .cpumode = cpumode, .is_used = true };
	const struct rpt_moment *task = line->sample.task;
	struct rpt_script_symbol *slot, *wide;
	uint64_t hash;

	key.generation = task->kernel_generation;
	if (cpumode == PD_CPUMODE_USER) {
		key.space_id = task->space_id;
		key.generation = task->space_generation;
	}
	hash = key.space_id * 64 + key.generation * 8 + cpumode;
	wide = &script->addresses.wide[hash % RPT_SCRIPT_WIDE_SLOTS_NR];
	if (is_it(wide, &key, ip))
		return wide;
	hash = (hash ^ ip >> GRANULE_BITS) * UINT64_C(0x9e3779b97f4a7c15);
	slot = &script->addresses
			.slots[(hash >> 32) % RPT_SCRIPT_ADDRESS_SLOTS_NR];
	if (is_it(slot, &key, ip))
		return slot;
	look_up(script, line, ip, &key);
	if (key.range.last - key.range.first >= WIDE_LEN)
		slot = wide;
	*slot = key;
	return slot;
}
