/* Carried names: paths are hidden as those of the records are, so that both
 * match. */
#include "report/scrub/scrub_impl.h"

#include "format/carried/carried_jit.h"
#include "report/base/memory.h"
#include "report/repair/perf_data_writer.h"

#include <stdlib.h>

enum { NOBODY = 65534 };

/* A new text, which begins at off in the buffer of all. */
struct place {
	size_t off;
	size_t len;
};

static void point(struct pd_str *text, const struct pd_buf *b, struct place at)
{
	*text = (struct pd_str){ (const char *)b->data + at.off, at.len };
}

/* Read a file's names and hide what is private; texts are put in b and found
 * there by the places, as b moves. */
static struct pd_carried_name *take_names(struct rpt_scrub *scrub,
					  const struct pd_carried *carried,
					  uint32_t idx, bool is_private,
					  struct pd_buf *b)
{
	const struct pd_carried_file *f = &carried->files[idx];
	struct pd_carried_name *names =
		rpt_alloc_zeroed(f->name_nr + 1u, sizeof(*names));
	struct place *places =
		rpt_alloc_zeroed(f->name_nr + 1u, sizeof(*places));

	if (pd_carried_names(carried, idx, names, NULL)) {
		free(names);
		free(places);
		return NULL;
	}
	for (uint32_t i = 0; i < f->name_nr; i++) {
		places[i].off = b->len;
		rpt_scrub_symbol(scrub, names[i].text, is_private, b);
		places[i].len = b->len - places[i].off;
	}
	for (uint32_t i = 0; i < f->name_nr; i++)
		point(&names[i].text, b, places[i]);
	free(places);
	return names;
}

/* The carried code of a process's jitdump, with texts of its own. */
struct hidden_jit {
	struct pd_carried_jit jit;
	struct pd_jit_code *codes; /* owned */
	struct pd_buf text;
};

/* Names of JIT code are private. */
static void take_codes(struct rpt_scrub *scrub, struct hidden_jit *h)
{
	struct place *places =
		rpt_alloc_zeroed(h->jit.code_nr + 1u, sizeof(*places));

	for (uint32_t i = 0; i < h->jit.code_nr; i++) {
		places[i].off = h->text.len;
		if (h->codes[i].name.len)
			rpt_scrub_symbol(scrub, h->codes[i].name, true,
					 &h->text);
		places[i].len = h->text.len - places[i].off;
	}
	for (uint32_t i = 0; i < h->jit.code_nr; i++)
		point(&h->codes[i].name, &h->text, places[i]);
	free(places);
}

/* Return NULL if there is none, or it is damaged. */
static struct hidden_jit *take_jit(struct rpt_scrub *scrub,
				   const struct pd_carried *carried,
				   uint32_t idx)
{
	const struct pd_carried_jit *jit = pd_carried_jit_of(carried, idx);
	struct place path = { 0 };
	struct hidden_jit *h;

	if (!jit)
		return NULL;
	h = rpt_alloc_zeroed(1, sizeof(*h));
	h->jit = *jit;
	h->codes = rpt_alloc_zeroed(jit->code_nr + 1u, sizeof(*h->codes));
	rpt_scrub_path(scrub, jit->path, false, &h->text);
	path.len = h->text.len;
	if (pd_carried_jit_codes(carried, jit, h->codes, NULL)) {
		h->jit.code_nr = 0;
		h->jit.is_cut = true;
	}
	take_codes(scrub, h);
	point(&h->jit.path, &h->text, path);
	h->jit.codes = h->codes;
	return h;
}

static void free_jit(struct hidden_jit *h)
{
	if (!h)
		return;
	free(h->codes);
	pd_buf_release(&h->text);
	free(h);
}

/* Of whose the file was, keep what decides between two: whether it was root's.
 */
static void hide_owner(struct pd_file_owner *owner)
{
	if (owner->uid)
		owner->uid = NOBODY;
	owner->mtime_ns = 0;
}

static void put_sections(struct rpt_perf_data_writer *file,
			 const struct pd_carried *carried,
			 const struct pd_carried_file *files)
{
	struct pd_carried_sections sections;
	struct pd_buf b = PD_BUF_INIT;

	pd_carried_write(&b, 0, files, carried->file_nr, &carried->account,
			 &sections);
	for (size_t i = 0; i < sections.nr; i++)
		rpt_perf_data_writer_section(file, &sections.items[i],
					     b.data + sections.items[i].off);
	pd_buf_release(&b);
}

void rpt_scrub_carried(void *ctx, const struct pd_carried *carried,
		       struct rpt_perf_data_writer *file)
{
	struct rpt_scrub *scrub = ctx;
	uint32_t nr = carried->file_nr;
	struct pd_carried_file *files = rpt_alloc_zeroed(nr, sizeof(*files));
	struct pd_carried_name **names = rpt_alloc_zeroed(nr, sizeof(*names));
	struct pd_buf *texts = rpt_alloc_zeroed(nr, sizeof(*texts));
	struct hidden_jit **jits = rpt_alloc_zeroed(nr, sizeof(*jits));

	scrub->is_counted = true;
	for (uint32_t i = 0; i < nr; i++) {
		struct pd_carried_file *f = &files[i];
		struct pd_buf *b = &texts[i];
		bool is_private;
		struct place path;

		*f = carried->files[i];
		hide_owner(&f->owner);
		is_private = f->kind != PD_CARRIED_KERNEL &&
			     rpt_scrub_is_private(f->path);
		rpt_scrub_path(scrub, f->path, f->kind == PD_CARRIED_KERNEL, b);
		path.len = b->len;
		path.off = 0;
		is_private |= f->kind == PD_CARRIED_PERF_MAP;
		if (is_private)
			f->packed.len = 0;
		names[i] = take_names(scrub, carried, i, is_private, b);
		if (!names[i])
			f->name_nr = 0;
		f->names = names[i];
		point(&f->path, b, path);
		jits[i] = take_jit(scrub, carried, i);
		f->jit = jits[i] ? &jits[i]->jit : NULL;
	}
	put_sections(file, carried, files);
	for (uint32_t i = 0; i < nr; i++) {
		free(names[i]);
		free_jit(jits[i]);
		pd_buf_release(&texts[i]);
	}
	free(jits);
	free(texts);
	free(names);
	free(files);
}
