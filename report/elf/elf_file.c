#include "report/elf/elf_file.h"

#include "format/symtab/build_id_note.h"
#include "report/base/file_map.h"
#include "report/base/memory.h"
#include "report/base/whole_file.h"
#include "report/elf/unpack.h"

#include <elfutils/libdwelf.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define BUILD_ID_LEN PD_NOTE_BUILD_ID_LEN
#define PHDRS_MAX    4096

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

static uint64_t there_len(int fd)
{
	struct stat st;

	return fstat(fd, &st) ? 0 : (uint64_t)st.st_blocks * 512;
}

/* Read the headers before libelf does, which allocates whatever they claim.
 * Return false if they are more than limits.h allows.  A file with damaged ones
 * has what libelf makes of them, and no symbols. */
static bool are_allowed(struct rpt_elf *file, struct pd_err *err)
{
	const struct pd_read_at from = {
		.read = read_at,
		.ctx = &file->fd,
		.there_len =
			file->memory ? file->memory_len : there_len(file->fd),
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
	return file;
}

static int open_regular(const char *path, struct pd_err *err)
{
	int fd = rpt_whole_file_open(path);

	if (fd == -EINVAL)
		return pd_err_set(err, fd, "not a regular file");
	return fd < 0 ? pd_err_set(err, fd, "%s", strerror(-fd)) : fd;
}

/* Symbols are read out of the file's bytes, which libelf has mapped, or reads
 * now if they cannot be mapped. */
static void take_bytes(struct rpt_elf *file)
{
	struct pd_read_at *from = &file->image.from;

	if (file->map) {
		from->bytes = rpt_file_map_base(file->map);
		from->len = rpt_file_map_len(file->map);
	} else if (elf_kind(file->elf) == ELF_K_ELF) {
		from->bytes = (const void *)elf_rawfile(file->elf, &from->len);
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

struct rpt_elf *rpt_elf_open(const char *path, struct pd_err *err)
{
	int fd = open_regular(path, err);

	return fd < 0 ? NULL : rpt_elf_open_fd(fd, err);
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

struct rpt_elf *rpt_elf_open_packed(const char *path, struct pd_err *err)
{
	struct rpt_file_map_conf conf = {
		.fd = open_regular(path, err),
		.name = path,
	};
	struct rpt_file_map *map = NULL;
	struct rpt_elf *file;
	struct stat st;

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
		close(conf.fd);
	} else {
		file = rpt_elf_open_fd(conf.fd, err);
	}
	rpt_file_map_close(map);
	return file;
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
	rpt_compressed_sections_release(&file->packed);
	rpt_file_map_close(file->map);
	rpt_file_map_close(file->alt_map);
	elf_end(file->elf);
	if (file->fd >= 0)
		close(file->fd);
	pd_elf_image_release(&file->image);
	free(file->memory);
	free(file->loads);
	free(file);
}

const char *rpt_elf_over_limit(const struct rpt_elf *file)
{
	return file->packed.is_over ? "inflated, its compressed sections are "
				      "larger than the limit allows: left out"
				    : NULL;
}

/* Fill path with a name relative to the file's folder, where libdw looks for
 * it. */
static void path_beside(const struct rpt_elf *file, const char *name,
			char path[PATH_MAX])
{
	char own[32], dir[PATH_MAX];
	ssize_t len = -1;

	snprintf(own, sizeof(own), "/proc/self/fd/%d", file->fd);
	if (*name != '/')
		len = readlink(own, dir, sizeof(dir) - 1);
	dir[len < 0 ? 0 : len] = '\0';
	if (strrchr(dir, '/'))
		strrchr(dir, '/')[1] = '\0';
	if (snprintf(path, PATH_MAX, "%s%s", dir, name) >= PATH_MAX)
		*path = '\0';
}

static bool is_over_limit(const char *path)
{
	struct pd_err err = PD_ERR_INIT;
	struct rpt_elf *file = rpt_elf_open(path, &err);
	bool is_over = file ? file->packed.is_over : err.code == -EFBIG;

	rpt_elf_close(file);
	return is_over;
}

/* Open the alternate debug file (.gnu_debugaltlink) now, so that its map is
 * known: libdw would do so when it needs the file, by its build-id or this
 * name. Return false if libdw must not open it. */
static bool note_alt(struct rpt_elf *file, Dwarf *debug)
{
	char path[PATH_MAX];
	const char *name;
	const void *id;

	if (dwelf_dwarf_gnu_debugaltlink(debug, &name, &id) <= 0)
		return true;
	path_beside(file, name, path);
	if (is_over_limit(path))
		return false;
	if (file->map && !file->alt_map) {
		file->alt_map = rpt_file_map_expect(-1, name);
		note_map(file->alt_map, dwarf_getelf(dwarf_getalt(debug)));
	}
	return true;
}

Dwarf *rpt_elf_dwarf(struct rpt_elf *file)
{
	Dwarf *debug;

	if (file->packed.is_over)
		return NULL;
	debug = dwarf_begin_elf(file->elf, DWARF_C_READ, NULL);
	if (!debug || note_alt(file, debug))
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
