#include "record/carry/kernel_names.h"

#include "format/base/hash.h"
#include "format/symtab/kallsyms_line.h"
#include "format/symtab/symbol_search.h"
#include "record/base/read_file.h"
#include "record/base/runtime.h"
#include "record/names/each_line.h"
#include "record/snapshot/kernel_map.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

enum {
	FILE_LEN_MAX = 64 << 20,
	MODULES_LEN_MAX = 1 << 20,
	PIECE_LEN = 64 << 10,
};

#define COPY_AGE_NS UINT64_C(3600000000000)

struct reading {
	struct pd_symbol_search search;
	struct rec_name_list *list;
	bool has_addresses; /* they are not all 0: hidden from us */
};

static int add(void *ctx, const struct pd_symbol_start *symbol, uint64_t len)
{
	struct reading *r = ctx;
	const struct pd_carried_name name = {
		.start = symbol->start,
		.len = len,
		.source = PD_CARRIED_LINE,
		.info = symbol->info,
		.text = symbol->name,
	};

	return rec_name_list_add(r->list, &name) ? 0 : -ENOMEM;
}

static int see_line(void *ctx, struct rec_text_scan text)
{
	const struct pd_str whole = { text.at, rec_text_scan_left(&text) };
	struct pd_kallsyms_line line;
	struct pd_symbol_start symbol;
	struct reading *r = ctx;
	int rc = 0;

	if (!pd_kallsyms_line_read(whole, &line) ||
	    !pd_kallsyms_line_counts(&line))
		return 0;
	r->has_addresses |= line.addr != 0;
	symbol = pd_kallsyms_symbol(&line);
	/* a reader finds by these how far the kernel has moved */
	if (pd_kernel_bound_of(&line) <= PD_KERNEL_STEXT)
		rc = add(r, &symbol, 0);
	return rc ? rc : pd_symbol_search_see(&r->search, &symbol);
}

void rec_kallsyms_open(struct rec_kallsyms *kallsyms, bool keeps)
{
	*kallsyms = (struct rec_kallsyms){
		.fd = open("/proc/kallsyms", O_RDONLY | O_CLOEXEC),
		.keeps = keeps,
		.copy_fd = -1,
		.modules_fd =
			keeps ? open("/proc/modules", O_RDONLY | O_CLOEXEC)
			      : -1,
	};
}

static void drop_copy(struct rec_kallsyms *kallsyms)
{
	if (kallsyms->copy_fd >= 0)
		close(kallsyms->copy_fd);
	kallsyms->copy_fd = -1;
}

void rec_kallsyms_close(struct rec_kallsyms *kallsyms)
{
	drop_copy(kallsyms);
	if (kallsyms->fd >= 0)
		close(kallsyms->fd);
	if (kallsyms->modules_fd >= 0)
		close(kallsyms->modules_fd);
	kallsyms->fd = kallsyms->modules_fd = -1;
}

/* Return a number that changes with the names and addresses of modules; their
 * use counts change all the time. */
static uint64_t hash_of_modules(int fd)
{
	struct pd_buf text = PD_BUF_INIT, list = PD_BUF_INIT;
	struct rec_text_scan all, line;
	struct rec_module module;
	uint64_t ret;

	if (fd >= 0 && !lseek(fd, 0, SEEK_SET))
		(void)!rec_read_fd(fd, MODULES_LEN_MAX, &text);
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

static int copy_all(int from, int to)
{
	size_t all = 0;
	char *piece = malloc(PIECE_LEN);
	int rc = piece ? 1 : -ENOMEM;

	while (rc > 0) {
		ssize_t got = read(from, piece, PIECE_LEN);

		if (got < 0 && errno == EINTR)
			continue;
		rc = got < 0 ? -errno : got > 0;
		all += rc > 0 ? (size_t)got : 0;
		if (rc > 0 && (all > FILE_LEN_MAX ||
			       write(to, piece, (size_t)got) != got))
			rc = -EFBIG;
	}
	free(piece);
	return rc;
}

/* Without a copy the kernel makes the file again. */
static void make_copy(struct rec_kallsyms *kallsyms, uint64_t modules)
{
	drop_copy(kallsyms);
	kallsyms->modules = modules;
	kallsyms->copy_fd = memfd_create("kallsyms", MFD_CLOEXEC);
	kallsyms->taken_ns = rec_now_ns();
	if (kallsyms->copy_fd >= 0 && copy_all(kallsyms->fd, kallsyms->copy_fd))
		drop_copy(kallsyms);
}

/* Return what to read from, at its start; or -1. */
static int source_of(struct rec_kallsyms *kallsyms)
{
	uint64_t modules;
	int fd;

	if (kallsyms->fd < 0 || lseek(kallsyms->fd, 0, SEEK_SET))
		return -1;
	modules = kallsyms->keeps ? hash_of_modules(kallsyms->modules_fd) : 0;
	if (kallsyms->keeps &&
	    (kallsyms->copy_fd < 0 || kallsyms->modules != modules ||
	     rec_now_ns() - kallsyms->taken_ns > COPY_AGE_NS))
		make_copy(kallsyms, modules);
	fd = kallsyms->copy_fd < 0 ? kallsyms->fd : kallsyms->copy_fd;
	return lseek(fd, 0, SEEK_SET) ? -1 : fd;
}

int rec_kernel_names(struct rec_kallsyms *kallsyms, const uint64_t *hits,
		     size_t nr, struct rec_name_list *list)
{
	struct reading r = { .list = list };
	int fd = source_of(kallsyms), rc;

	if (fd < 0)
		return -EACCES;
	rc = pd_symbol_search_init(&r.search, hits, nr);
	if (!rc)
		rc = rec_each_line(fd, FILE_LEN_MAX, see_line, &r);
	if (!rc && !r.has_addresses) {
		rec_name_list_release(list);
		rc = -EACCES;
	}
	if (!rc)
		rc = pd_symbol_search_each(&r.search, add, &r, &list->named_nr);
	pd_symbol_search_release(&r.search);
	return rc;
}
