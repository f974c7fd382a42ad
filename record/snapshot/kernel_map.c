#include "record/snapshot/kernel_map.h"

#include "format/base/hash.h"
#include "format/symtab/kallsyms_line.h"
#include "record/base/read_file.h"

#include <ctype.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { TEXT_LEN_MAX = 64 << 20 };

#ifdef __x86_64__
enum { REC_IOMEM_HAS_KERNEL = 1 };
#else
enum { REC_IOMEM_HAS_KERNEL = 0 };
#endif

struct bound_search {
	uint64_t addrs[PD_KERNEL_BOUND_NR];
	bool found[PD_KERNEL_BOUND_NR];
	size_t addr_len;    /* hex digits of an address; 0: not known yet */
	uint64_t image_len; /* from _text to _edata; 0: not known */
	bool is_done;
};

/* Skip nearly all lines by one check of how the name starts. */
static bool may_be_bound(struct bound_search *search,
			 const struct rec_text_scan *line)
{
	const size_t name_off = search->addr_len + 3;

	if (search->addr_len == 0) {
		struct rec_text_scan s = *line;
		uint64_t addr;

		if (rec_text_scan_hex(&s, &addr))
			search->addr_len = (size_t)(s.at - line->at);
		return true;
	}
	return rec_text_scan_left(line) > name_off && line->at[name_off] == '_';
}

static void look_at_line(struct bound_search *search, struct rec_text_scan line)
{
	const struct pd_str text = { line.at, rec_text_scan_left(&line) };
	enum pd_kernel_bound bound;
	struct pd_kallsyms_line sym;

	if (line.end > line.at && line.end[-1] == ']') {
		search->is_done = true; /* modules follow the kernel */
		return;
	}
	if (!may_be_bound(search, &line) || !pd_kallsyms_line_read(text, &sym))
		return;
	bound = pd_kernel_bound_of(&sym);
	if (bound < PD_KERNEL_BOUND_NR && !search->found[bound]) {
		search->addrs[bound] = sym.addr;
		search->found[bound] = true;
	}
	search->is_done =
		search->found[PD_KERNEL_EDATA] ||
		(search->found[PD_KERNEL_TEXT] &&
		 (search->addrs[PD_KERNEL_TEXT] == 0 || search->image_len));
}

struct range {
	uint64_t start;
	uint64_t end; /* the last byte */
};

/* Parse a line such as " 01000000-022090c7 : Kernel code". */
static void read_range(struct rec_text_scan line, const char *what,
		       struct range *ret)
{
	struct range range;

	if (rec_text_scan_blanks(&line) &&
	    rec_text_scan_hex(&line, &range.start) &&
	    rec_text_scan_char(&line, '-') &&
	    rec_text_scan_hex(&line, &range.end) &&
	    rec_text_scan_text(&line, " : ") && rec_text_scan_is(&line, what))
		*ret = range;
}

/* Return the bytes from _text to _edata by /proc/iomem; 0: unknown.  On x86 the
 * kernel's code there begins at _text, its data ends at _edata, and the
 * distance is the same in virtual memory (Linux v6.18 arch/x86/kernel/setup.c).
 */
static uint64_t read_image_len(const struct rec_sysroots *roots)
{
	enum { IMAGE_LEN_MAX = 1 << 30 };
	struct range code = { 0 }, data = { 0 };
	struct pd_buf buf = PD_BUF_INIT;
	struct rec_text_scan text, line;
	char path[512];

	snprintf(path, sizeof(path), "%s/iomem", roots->proc);
	if (!REC_IOMEM_HAS_KERNEL ||
	    rec_read_file(AT_FDCWD, path, TEXT_LEN_MAX, &buf))
		goto out;
	text = rec_text_scan_buf(&buf);
	while (rec_text_scan_line(&text, &line)) {
		read_range(line, "Kernel code", &code);
		read_range(line, "Kernel data", &data);
	}
out:
	pd_buf_release(&buf);
	if (!code.start || data.start < code.end ||
	    data.end - code.start > IMAGE_LEN_MAX)
		return 0;
	return data.end + 1 - code.start;
}

/* Parse the whole lines of text; return how many bytes they have. */
static size_t look_at_lines(struct bound_search *search, const char *text,
			    size_t len)
{
	struct rec_text_scan all = { text, text + len };
	struct rec_text_scan line;

	while (!search->is_done && rec_text_scan_until(&all, '\n', &line))
		look_at_line(search, line);
	return (size_t)(all.at - text);
}

static int search_bounds(int fd, struct bound_search *search)
{
	enum { BUF_LEN = 64 * 1024 };
	char *buf = malloc(BUF_LEN);
	size_t held = 0;
	ssize_t n = 0;

	if (!buf)
		return -ENOMEM;
	while (!search->is_done && held < BUF_LEN) {
		size_t used;

		n = read(fd, buf + held, BUF_LEN - held);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			break;
		held += (size_t)n;
		used = look_at_lines(search, buf, held);
		held -= used;
		memmove(buf, buf + used, held);
	}
	n = n < 0 ? -errno : 0;
	free(buf);
	return (int)n;
}

static int bounds_to_map(const struct bound_search *search,
			 struct rec_kernel_map *ret)
{
	const enum pd_kernel_bound first = search->found[PD_KERNEL_TEXT]
						   ? PD_KERNEL_TEXT
						   : PD_KERNEL_STEXT;

	if (!search->found[first])
		return -ENOENT;
	if (search->addrs[first] == 0)
		return -EACCES;
	ret->symbol = pd_kernel_bound_name(first);
	ret->start = search->addrs[first];
	ret->end = search->found[PD_KERNEL_EDATA]
			   ? search->addrs[PD_KERNEL_EDATA]
		   : search->image_len ? ret->start + search->image_len
		   : search->found[PD_KERNEL_ETEXT]
			   ? search->addrs[PD_KERNEL_ETEXT]
			   : UINT64_MAX;
	return ret->end > ret->start ? 0 : -ENOENT;
}

/* Read the build-id from ROOT/NAME, a sequence of ELF notes. */
static void read_notes(const char *root, const char *name,
		       struct rec_build_id *ret)
{
	char path[512];
	struct pd_buf buf = PD_BUF_INIT;

	ret->len = 0;
	if (snprintf(path, sizeof(path), "%s/%s", root, name) <
		    (int)sizeof(path) &&
	    rec_read_file(AT_FDCWD, path, 1 << 20, &buf) == 0)
		rec_note_build_id(buf.data, buf.len, false, 4, ret);
	pd_buf_release(&buf);
}

int rec_kernel_map_read(const struct rec_sysroots *roots,
			struct rec_kernel_map *ret)
{
	struct bound_search search = { .is_done = false };
	char path[512];
	int fd;
	int rc;

	search.image_len = read_image_len(roots);
	snprintf(path, sizeof(path), "%s/kallsyms", roots->proc);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	rc = search_bounds(fd, &search);
	close(fd);
	if (!rc)
		rc = bounds_to_map(&search, ret);
	if (!rc)
		read_notes(roots->sys, "kernel/notes", &ret->build_id);
	return rc;
}

bool rec_module_parse(struct rec_text_scan line, struct rec_module *ret)
{
	struct rec_text_scan word;
	uint64_t len;

	if (!rec_text_scan_word(&line, &ret->name) ||
	    !rec_text_scan_blanks(&line) || !rec_text_scan_dec(&line, &len))
		return false;
	for (unsigned i = 0; i < 3; i++) /* use count, users, state */
		if (!rec_text_scan_word(&line, &word))
			return false;
	if (!rec_text_scan_blanks(&line) || !rec_text_scan_text(&line, "0x") ||
	    !rec_text_scan_hex(&line, &ret->start) ||
	    len > UINT64_MAX - ret->start)
		return false;
	ret->end = ret->start + len;
	return true;
}

struct loaded {
	struct rec_module module;
	struct rec_text_scan file; /* in modules.dep; empty: not found */
};

struct loaded_list {
	struct loaded *items; /* owned */
	size_t nr;
};

static int read_loaded(const struct rec_text_scan *text,
		       struct loaded_list *ret)
{
	struct rec_text_scan all = *text;
	struct rec_text_scan line;
	size_t cap = 0;

	while (rec_text_scan_line(&all, &line)) {
		struct loaded one = { .file = { "", "" } };

		if (!rec_module_parse(line, &one.module))
			continue;
		if (one.module.start == 0)
			return -EACCES;
		if (ret->nr == cap) {
			struct loaded *more;

			cap = cap ? cap * 2 : 128;
			more = reallocarray(ret->items, cap, sizeof(*more));
			if (!more)
				return -ENOMEM;
			ret->items = more;
		}
		ret->items[ret->nr++] = one;
	}
	return 0;
}

/* Compare with '-' as '_': module names have _ where their files may have -. */
static int compare_char(char a, char b)
{
	a = a == '-' ? '_' : a;
	b = b == '-' ? '_' : b;
	return (a > b) - (a < b);
}

static int compare_names(const void *va, const void *vb)
{
	const struct loaded *a = va;
	const struct loaded *b = vb;
	const size_t a_len = rec_text_scan_left(&a->module.name);
	const size_t b_len = rec_text_scan_left(&b->module.name);

	for (size_t i = 0; i < a_len && i < b_len; i++) {
		const int rc = compare_char(a->module.name.at[i],
					    b->module.name.at[i]);

		if (rc)
			return rc;
	}
	return (a_len > b_len) - (a_len < b_len);
}

static int compare_starts(const void *va, const void *vb)
{
	const struct loaded *a = va;
	const struct loaded *b = vb;

	return (a->module.start > b->module.start) -
	       (a->module.start < b->module.start);
}

/* Get "ext4" of "kernel/fs/ext4/ext4.ko.xz". */
static bool name_of_file(const struct rec_text_scan *file,
			 struct rec_text_scan *ret)
{
	const char *dot;

	ret->at = memrchr(file->at, '/', rec_text_scan_left(file));
	ret->at = ret->at ? ret->at + 1 : file->at;
	ret->end = file->end;
	dot = memmem(ret->at, rec_text_scan_left(ret), ".ko", 3);
	if (!dot)
		return false;
	ret->end = dot;
	return true;
}

/* Parse modules.dep(5): "kernel/fs/ext4/ext4.ko: kernel/fs/jbd2/jbd2.ko ..." */
static void find_files(struct loaded_list *list, struct rec_text_scan dep)
{
	struct rec_text_scan line;

	while (rec_text_scan_line(&dep, &line)) {
		struct loaded key;
		struct loaded *hit;
		struct rec_text_scan file;

		if (!rec_text_scan_until(&line, ':', &file) ||
		    !name_of_file(&file, &key.module.name))
			continue;
		hit = bsearch(&key, list->items, list->nr, sizeof(key),
			      compare_names);
		if (hit)
			hit->file = file;
	}
}

static int visit_loaded(const struct rec_sysroots *roots, const char *dir,
			const struct loaded *one, rec_module_visit *visit,
			void *ctx)
{
	const int name_len = (int)rec_text_scan_left(&one->module.name);
	const int file_len = (int)rec_text_scan_left(&one->file);
	struct rec_build_id id;
	char path[4096];
	char notes[512];

	if (file_len > 0 && *one->file.at == '/')
		snprintf(path, sizeof(path), "%.*s", file_len, one->file.at);
	else if (file_len > 0)
		snprintf(path, sizeof(path), "%s/%.*s", dir, file_len,
			 one->file.at);
	else
		snprintf(path, sizeof(path), "[%.*s]", name_len,
			 one->module.name.at);
	snprintf(notes, sizeof(notes), "module/%.*s/notes/.note.gnu.build-id",
		 name_len, one->module.name.at);
	read_notes(roots->sys, notes, &id);
	return visit(ctx, &one->module, path, &id);
}

static int visit_all(const struct rec_sysroots *roots, struct loaded_list *list,
		     rec_module_visit *visit, void *ctx)
{
	char release[128] = "";
	char dir[512];
	char path[600];
	struct pd_buf dep = PD_BUF_INIT;
	int rc = 0;

	rec_read_line(roots->proc, "sys/kernel/osrelease", release,
		      sizeof(release));
	snprintf(dir, sizeof(dir), "%s/%s", roots->modules, release);
	snprintf(path, sizeof(path), "%s/modules.dep", dir);
	qsort(list->items, list->nr, sizeof(*list->items), compare_names);
	if (rec_read_file(AT_FDCWD, path, TEXT_LEN_MAX, &dep) == 0)
		find_files(list, rec_text_scan_buf(&dep));
	qsort(list->items, list->nr, sizeof(*list->items), compare_starts);
	for (size_t i = 0; i < list->nr && !rc; i++)
		rc = visit_loaded(roots, dir, &list->items[i], visit, ctx);
	pd_buf_release(&dep);
	return rc;
}

int rec_modules_walk(const struct rec_sysroots *roots, rec_module_visit *visit,
		     void *ctx)
{
	struct loaded_list list = { .items = NULL };
	struct pd_buf buf = PD_BUF_INIT;
	struct rec_text_scan text;
	char path[512];
	int rc;

	snprintf(path, sizeof(path), "%s/modules", roots->proc);
	rc = rec_read_file(AT_FDCWD, path, TEXT_LEN_MAX, &buf);
	if (rc == -ENOENT) {
		rc = 0; /* a kernel without module support */
		goto out;
	}
	text = rec_text_scan_buf(&buf);
	if (!rc)
		rc = read_loaded(&text, &list);
	if (!rc && list.nr)
		rc = visit_all(roots, &list, visit, ctx);
out:
	free(list.items);
	pd_buf_release(&buf);
	return rc;
}

uint64_t rec_modules_hash(int fd)
{
	struct pd_buf text = PD_BUF_INIT, list = PD_BUF_INIT;
	struct rec_text_scan all, line;
	struct rec_module module;
	uint64_t ret;

	if (fd >= 0 && !lseek(fd, 0, SEEK_SET))
		(void)!rec_read_fd(fd, TEXT_LEN_MAX, &text);
	all = rec_text_scan_buf(&text);
	while (rec_text_scan_line(&all, &line)) {
		if (!rec_module_parse(line, &module))
			continue;
		pd_buf_bytes(&list, module.name.at,
			     rec_text_scan_left(&module.name));
		pd_buf_u64(&list, module.start);
	}
	ret = pd_hash_of(list.data, list.len);
	pd_buf_release(&list);
	pd_buf_release(&text);
	return ret;
}
