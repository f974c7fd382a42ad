#include "report/elf/elf_file.h"

#include "format/records/build_id.h"
#include "format/symtab/build_id_note.h"
#include "report/base/file_map.h"
#include "report/base/memory.h"
#include "report/base/shortage.h"
#include "report/base/whole_file.h"
#include "report/base/unpack.h"

#include <elfutils/libdwelf.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define BUILD_ID_LEN PD_NOTE_BUILD_ID_LEN
#define PHDRS_MAX    4096
#define GLOBAL_DEBUG "/usr/lib/debug"

static bool read_loads(struct rpt_elf *file)
{
	GElf_Phdr phdr;
	size_t nr;

	if (elf_getphdrnum(file->elf, &nr) != 0 || nr > PHDRS_MAX)
		return false;
	file->loads = rpt_alloc_zeroed(nr, sizeof(*file->loads));
	for (size_t i = 0; i < nr; i++) {
		if (!gelf_getphdr(file->elf, (int)i, &phdr))
			return false;
		if (phdr.p_type == PT_LOAD)
			file->loads[file->loads_nr++] = phdr;
	}
	return true;
}

static int read_at(void *ctx, uint64_t off, void *ret, size_t len)
{
	return rpt_read_at(*(const int *)ctx, off, ret, len);
}

size_t rpt_elf_there_len(const struct rpt_elf *file)
{
	struct stat st;

	if (file->fd < 0)
		return file->memory_len;
	return fstat(file->fd, &st) ? 0 : (size_t)st.st_blocks * 512;
}

/* Read the headers before libelf does, which allocates whatever they claim.
 * Return false if they are more than limits.h allows.  A file with damaged ones
 * has what libelf makes of them, and no symbols. */
static bool are_allowed(struct rpt_elf *file, struct pd_err *err)
{
	const struct pd_read_at from = {
		.read = read_at,
		.ctx = &file->fd,
		.there_len = rpt_elf_there_len(file),
		.bytes = (const uint8_t *)file->memory,
		.len = file->memory_len,
	};

	if (pd_elf_image_read(from, &file->image) != -EFBIG)
		return true;
	pd_err_set(err, -EFBIG,
		   "its headers are larger than the limit "
		   "allows: left out");
	return false;
}

/* Read the headers; file->elf is set, or NULL.  Takes file over. */
static struct rpt_elf *read_headers(struct rpt_elf *file, struct pd_err *err)
{
	if (!file->elf || elf_kind(file->elf) != ELF_K_ELF ||
	    !gelf_getehdr(file->elf, &file->ehdr)) {
		pd_err_set(err, -EBADMSG, "not an ELF file");
		rpt_elf_close(file);
		return NULL;
	}
	rpt_compressed_sections_take(&file->packed, file->elf);
	if (file->packed.is_over && file->packed.has_strings)
		pd_err_set(err, -EFBIG, "%s", rpt_elf_over_limit(file));
	else if (!read_loads(file))
		pd_err_set(err, -EBADMSG, "its program headers are damaged");
	else
		return file;
	rpt_elf_close(file);
	return NULL;
}

static struct rpt_elf *new_file(int fd, char *memory, size_t len)
{
	struct rpt_elf *file = rpt_alloc_zeroed(1, sizeof(*file));

	elf_version(EV_CURRENT);
	file->fd = fd;
	file->memory = memory;
	file->memory_len = len;
	file->user = SUP_ANYBODY;
	return file;
}

static int open_regular(const struct sup_name *name, struct pd_err *err)
{
	int fd = rpt_whole_file_open_for(name);

	if (fd == -EINVAL)
		return pd_err_set(err, fd, "not a regular file");
	return fd < 0 ? pd_err_set(err, fd, "%s", strerror(-fd)) : fd;
}

/* Symbols are read out of the file's bytes, which libelf has mapped, or reads
 * now if they cannot be mapped. */
static void take_bytes(struct rpt_elf *file)
{
	struct pd_read_at *from = &file->image.from;
	size_t len = 0;

	if (file->map) {
		from->bytes = rpt_file_map_base(file->map);
		from->len = rpt_file_map_len(file->map);
	} else if (elf_kind(file->elf) == ELF_K_ELF) {
		from->bytes = (const void *)elf_rawfile(file->elf, &len);
		from->len = len;
	}
	if (!from->bytes)
		pd_elf_image_release(&file->image);
}

/* Note where libelf mapped the file. */
static void note_map(struct rpt_file_map *map, Elf *elf)
{
	size_t len = 0;
	const void *base = map && elf ? elf_rawfile(elf, &len) : NULL;

	rpt_file_map_found(map, base, base ? len : 0);
}

struct rpt_elf *rpt_elf_open_fd(int fd, struct pd_err *err)
{
	struct rpt_elf *file = new_file(fd, NULL, 0);
	struct stat st;

	if (!fstat(fd, &st))
		file->user = st.st_uid;
	if (!are_allowed(file, err)) {
		rpt_elf_close(file);
		return NULL;
	}
	file->map = rpt_file_map_expect(fd, NULL);
	file->elf = elf_begin(fd, ELF_C_READ_MMAP, NULL);
	note_map(file->map, file->elf);
	take_bytes(file);
	return read_headers(file, err);
}

/* Note below what the file's name led to it.  file may be NULL. */
static struct rpt_elf *set_root(struct rpt_elf *file,
				const struct sup_name *name)
{
	if (file && name->root_len)
		file->root = rpt_alloc_text(name->path, name->root_len);
	return file;
}

struct rpt_elf *rpt_elf_open_for(const struct sup_name *name,
				 struct pd_err *err)
{
	int fd = open_regular(name, err);

	return fd < 0 ? NULL : set_root(rpt_elf_open_fd(fd, err), name);
}

struct rpt_elf *rpt_elf_open_again(const struct rpt_elf *file,
				   struct pd_err *err)
{
	int fd = fcntl(file->fd, F_DUPFD_CLOEXEC, 0);
	struct rpt_elf *again;

	if (fd < 0) {
		rpt_shortage_note(errno);
		return NULL;
	}
	again = rpt_elf_open_fd(fd, err);
	if (!again)
		return NULL;
	again->user = file->user;
	if (file->root)
		again->root = rpt_alloc_text(file->root, strlen(file->root));
	return again;
}

struct rpt_elf *rpt_elf_open_packed_memory(const uint8_t *data, size_t len,
					   struct pd_err *err)
{
	char *image;
	size_t image_len;

	if (rpt_unpack(data, len, &image, &image_len, err))
		return NULL;
	return rpt_elf_open_memory(image, image_len, err);
}

struct rpt_elf *rpt_elf_open_packed(const struct sup_name *name,
				    struct pd_err *err)
{
	struct rpt_file_map_conf conf = {
		.fd = open_regular(name, err),
		.name = name->path,
	};
	struct rpt_file_map *map = NULL;
	struct rpt_elf *file;
	struct stat st = { 0 };

	if (conf.fd < 0)
		return NULL;
	if (!fstat(conf.fd, &st) && st.st_size) {
		conf.len = (uint64_t)st.st_size;
		(void)!rpt_file_map_open(&map, &conf);
	}
	if (map &&
	    rpt_is_packed(rpt_file_map_base(map), rpt_file_map_len(map))) {
		file = rpt_elf_open_packed_memory(rpt_file_map_base(map),
						  rpt_file_map_len(map), err);
		if (file)
			file->user = st.st_uid;
		close(conf.fd);
	} else {
		file = rpt_elf_open_fd(conf.fd, err);
	}
	rpt_file_map_close(map);
	return set_root(file, name);
}

struct rpt_elf *rpt_elf_open_minidebug(const struct rpt_elf *file)
{
	struct pd_err err = PD_ERR_INIT;
	struct rpt_elf_section section;
	Elf_Data *data;

	if (!rpt_elf_section(file, ".gnu_debugdata", &section))
		return NULL;
	data = elf_rawdata(section.scn, NULL);
	if (!data || !data->d_buf)
		return NULL;
	return rpt_elf_open_packed_memory(data->d_buf, data->d_size, &err);
}

struct rpt_elf *rpt_elf_open_memory(char *image, size_t image_len,
				    struct pd_err *err)
{
	struct rpt_elf *file = new_file(-1, image, image_len);

	if (!are_allowed(file, err)) {
		rpt_elf_close(file);
		return NULL;
	}
	file->elf = elf_memory(image, image_len);
	return read_headers(file, err);
}

void rpt_elf_close(struct rpt_elf *file)
{
	if (!file)
		return;
	pd_eh_frame_close(file->eh_frame);
	pd_go_table_close(file->go_table);
	dwarf_end(file->alt_debug);
	rpt_elf_close(file->alt);
	rpt_compressed_sections_release(&file->packed);
	rpt_file_map_close(file->map);
	elf_end(file->elf);
	if (file->fd >= 0)
		close(file->fd);
	pd_elf_image_release(&file->image);
	free(file->memory);
	free(file->loads);
	free(file->root);
	free(file);
}

const char *rpt_elf_over_limit(const struct rpt_elf *file)
{
	return file->packed.is_over ? "inflated, its compressed sections are "
				      "larger than the limit allows: left out"
				    : NULL;
}

/* Fill dir with the folder of the file, as it is below its root, with a slash
 * at its end.  Return false if it has none. */
static bool folder_of(const struct rpt_elf *file, char dir[PATH_MAX])
{
	char own[32], root[PATH_MAX];
	size_t root_len = 0;
	ssize_t len;

	snprintf(own, sizeof(own), "/proc/self/fd/%d", file->fd);
	len = file->fd < 0 ? -1 : readlink(own, dir, PATH_MAX - 1);
	if (len <= 0 || *dir != '/')
		return false;
	dir[len] = '\0';
	strrchr(dir, '/')[1] = '\0';
	if (file->root && realpath(file->root, root) && strcmp(root, "/") != 0)
		root_len = strlen(root);
	if (strncmp(dir, root, root_len) != 0)
		return false;
	memmove(dir, dir + root_len, strlen(dir + root_len) + 1);
	return true;
}

/* The bytes of an ELF file without debug information. */
static struct rpt_elf *open_empty(struct pd_err *err)
{
	static const char names[] = "\0.debug_line\0.shstrtab";
	struct {
		Elf64_Ehdr head;
		Elf64_Shdr sections[3];
		char names[sizeof(names)];
		char lines[1];
	} *file = rpt_alloc_zeroed(1, sizeof(*file));

	memcpy(file->head.e_ident, ELFMAG, SELFMAG);
	file->head.e_ident[EI_CLASS] = ELFCLASS64;
	file->head.e_ident[EI_DATA] = ELFDATA2LSB;
	file->head.e_ident[EI_VERSION] = EV_CURRENT;
	file->head.e_type = ET_DYN;
	file->head.e_version = EV_CURRENT;
	file->head.e_ehsize = sizeof(file->head);
	file->head.e_shoff = offsetof(typeof(*file), sections);
	file->head.e_shentsize = sizeof(file->sections[0]);
	file->head.e_shnum = 3;
	file->head.e_shstrndx = 2;
	memcpy(file->names, names, sizeof(names));
	file->sections[1] = (Elf64_Shdr){
		.sh_name = 1,
		.sh_type = SHT_PROGBITS,
		.sh_offset = offsetof(typeof(*file), lines),
		.sh_size = sizeof(file->lines),
	};
	file->sections[2] = (Elf64_Shdr){
		.sh_name = sizeof("\0.debug_line"),
		.sh_type = SHT_STRTAB,
		.sh_offset = offsetof(typeof(*file), names),
		.sh_size = sizeof(file->names),
	};
	return rpt_elf_open_memory((char *)file, sizeof(*file), err);
}

/* Return whether the file has that build-id. */
static bool has_id(const struct rpt_elf *file, const uint8_t *id, size_t len)
{
	uint8_t own[BUILD_ID_LEN];

	return len && rpt_elf_build_id(file, own) == len &&
	       !memcmp(own, id, len);
}

/* A file that is looked for by a .gnu_debugaltlink. */
struct alt_link {
	const char *name;
	const uint8_t *id;
	size_t id_len;
	bool is_over; /* found, and over a limit */
};

/* Open it at a path, absolute or relative to the file's folder.  Return NULL if
 * it is not there. */
static struct rpt_elf *open_alt(const struct rpt_elf *file,
				struct alt_link *link, const char *at)
{
	const char *root = file->root ? file->root : "";
	char dir[PATH_MAX] = "", path[PATH_MAX];
	const struct sup_name name = { .path = path,
				       .root_len = strlen(root),
				       .user = file->user };
	struct pd_err err = PD_ERR_INIT;
	struct rpt_elf *alt;

	if (*at != '/' && !folder_of(file, dir))
		return NULL;
	if (snprintf(path, PATH_MAX, "%s%s%s", root, dir, at) >= PATH_MAX)
		return NULL;
	alt = rpt_elf_open_for(&name, &err);
	link->is_over |= alt ? alt->packed.is_over : err.code == -EFBIG;
	if (!alt || has_id(alt, link->id, link->id_len))
		return alt;
	rpt_elf_close(alt);
	return NULL;
}

/* Open what the debug information shares with that of other files (dwz), by
 * build-id or by its name.  libdw would open it with our rights, and wait for
 * a FIFO, so it gets an empty file if there is none. */
static void find_alt(struct rpt_elf *file, struct alt_link *link)
{
	struct pd_err err = PD_ERR_INIT;
	char path[PATH_MAX];

	if (pd_build_id_path(path, sizeof(path), GLOBAL_DEBUG, link->id,
			     link->id_len, ".debug"))
		file->alt = open_alt(file, link, path);
	if (!file->alt && !link->is_over)
		file->alt = open_alt(file, link, link->name);
	if (!file->alt && !link->is_over)
		file->alt = open_empty(&err);
	if (file->alt && !link->is_over)
		file->alt_debug =
			dwarf_begin_elf(file->alt->elf, DWARF_C_READ, NULL);
}

/* Give libdw the alternate debug file.  Return false if that is over a limit.
 */
static bool set_alt(struct rpt_elf *file, Dwarf *debug)
{
	struct alt_link link = { .is_over = false };
	const void *id;
	ssize_t len = dwelf_dwarf_gnu_debugaltlink(debug, &link.name, &id);

	if (len <= 0)
		return true;
	link.id = id;
	link.id_len = (size_t)len;
	if (!file->alt)
		find_alt(file, &link);
	dwarf_setalt(debug, file->alt_debug);
	return file->alt_debug;
}

Dwarf *rpt_elf_dwarf(struct rpt_elf *file)
{
	Dwarf *debug;

	if (file->packed.is_over)
		return NULL;
	debug = dwarf_begin_elf(file->elf, DWARF_C_READ, NULL);
	if (!debug || set_alt(file, debug))
		return debug;
	dwarf_end(debug);
	rpt_compressed_sections_release(&file->packed);
	file->packed.is_over = true;
	return NULL;
}

uint8_t rpt_elf_build_id(const struct rpt_elf *file, uint8_t ret[BUILD_ID_LEN])
{
	return pd_elf_build_id(&file->image, ret);
}

struct pd_eh_frame *rpt_elf_eh_frame(struct rpt_elf *file)
{
	if (!file->is_eh_frame_asked) {
		file->is_eh_frame_asked = true;
		(void)pd_eh_frame_open(&file->image, false, &file->eh_frame);
	}
	return file->eh_frame;
}

struct pd_go_table *rpt_elf_go_table(struct rpt_elf *file)
{
	if (!file->is_go_table_asked) {
		file->is_go_table_asked = true;
		file->go_table_rc =
			pd_go_table_open(&file->image, &file->go_table);
		rpt_shortage_note(-file->go_table_rc);
	}
	return file->go_table;
}

bool rpt_elf_section_at(const struct rpt_elf *file, size_t idx,
			struct rpt_elf_section *ret)
{
	struct rpt_elf_section found = { .idx = idx };
	size_t names_idx;

	found.scn = elf_getscn(file->elf, idx);
	if (!found.scn || !gelf_getshdr(found.scn, &found.shdr) ||
	    elf_getshdrstrndx(file->elf, &names_idx) != 0)
		return false;
	found.name = elf_strptr(file->elf, names_idx, found.shdr.sh_name);
	if (!found.name)
		return false;
	*ret = found;
	return true;
}

bool rpt_elf_section(const struct rpt_elf *file, const char *name,
		     struct rpt_elf_section *ret)
{
	struct rpt_elf_section section;
	size_t nr;

	if (elf_getshdrnum(file->elf, &nr) != 0)
		return false;
	for (size_t i = 1; i < nr; i++) {
		if (!rpt_elf_section_at(file, i, &section) ||
		    strcmp(section.name, name) != 0)
			continue;
		*ret = section;
		return true;
	}
	return false;
}
