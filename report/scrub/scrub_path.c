/* The parts of a path that are hidden. */
#include "report/scrub/scrub_impl.h"

#include <ctype.h>
#include <string.h>

static const char deleted[] = " (deleted)";

/* Folders that belong to the system; what lies below is kept, unless it is in a
 * folder of local_folders. */
static const char system_folders[] =
	"/usr/ /bin/ /sbin/ /lib/ /lib32/ /lib64/ /libx32/ /boot/";
static const char local_folders[] = "/usr/local/ /usr/src/ /usr/lib/debug/";

static struct pd_str part(struct pd_str s, size_t from, size_t to)
{
	return (struct pd_str){ s.ptr + from, to - from };
}

static bool ends_with(struct pd_str s, const char *end)
{
	size_t len = strlen(end);

	return s.len >= len && !memcmp(s.ptr + s.len - len, end, len);
}

static bool is_made_of(struct pd_str s, const char *chars)
{
	for (size_t i = 0; i < s.len; i++)
		if (!s.ptr[i] || !strchr(chars, s.ptr[i]))
			return false;
	return s.len;
}

static bool is_of_system(struct pd_str path)
{
	return rpt_known_start(system_folders, path) &&
	       !rpt_known_start(local_folders, path) &&
	       !memmem(path.ptr, path.len, "/../", 4);
}

/* Names of programs' own tables have numbers that their readers need:
 * perf-PID.map, jit-PID.dump, jitted-PID-NR.so. */
static bool is_jit_name(struct pd_str name)
{
	static const struct {
		const char *start, *end;
	} forms[] = {
		{ "perf-", ".map" },
		{ "jit-", ".dump" },
		{ "jitted-", ".so" },
	};

	for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
		size_t start = strlen(forms[i].start);

		if (name.len > start && ends_with(name, forms[i].end) &&
		    !memcmp(name.ptr, forms[i].start, start) &&
		    is_made_of(
			    part(name, start, name.len - strlen(forms[i].end)),
			    "0123456789-"))
			return true;
	}
	return false;
}

/* Return where ".so", or ".so.1.2", begins at the end of a name. */
static size_t suffix_at(struct pd_str name)
{
	size_t at = name.len;

	while (at && strchr("0123456789.", name.ptr[at - 1]))
		at--;
	if (at >= 3 && !memcmp(name.ptr + at - 3, ".so", 3) &&
	    (at == name.len || name.ptr[at] == '.'))
		return at - 3;
	return name.len;
}

/* The root is one: a part without a name. */
static bool is_known_folder(struct pd_str name)
{
	return !name.len || rpt_is_known(rpt_known_folders, name);
}

static bool put_file(struct rpt_scrub *scrub, struct pd_str name,
		     struct pd_buf *to)
{
	size_t suffix = suffix_at(name);

	if (rpt_scrub_keeps(scrub, RPT_SCRUB_FILES) || is_jit_name(name) ||
	    is_known_folder(name)) {
		pd_buf_bytes(to, name.ptr, name.len);
		rpt_scrub_count(scrub, RPT_SCRUB_FILES, false);
		return false;
	}
	rpt_name_key_hide(&scrub->conf->key, part(name, 0, suffix), to);
	pd_buf_bytes(to, name.ptr + suffix, name.len - suffix);
	rpt_scrub_count(scrub, RPT_SCRUB_FILES, true);
	return true;
}

static bool put_parts(struct rpt_scrub *scrub, struct pd_str path,
		      struct pd_buf *to)
{
	bool is_hidden = false;

	for (size_t at = 0, end; at < path.len; at = end + 1) {
		const char *slash = memchr(path.ptr + at, '/', path.len - at);
		struct pd_str name;

		end = slash ? (size_t)(slash - path.ptr) : path.len;
		name = part(path, at, end);
		if (!slash) {
			is_hidden |= put_file(scrub, name, to);
			break;
		}
		if (is_known_folder(name)) {
			pd_buf_bytes(to, name.ptr, name.len);
		} else {
			rpt_name_key_hide(&scrub->conf->key, name, to);
			is_hidden = true;
		}
		pd_buf_u8(to, '/');
	}
	return is_hidden;
}

/* A name in brackets, which the kernel or a program gave to memory. */
static bool put_map(struct rpt_scrub *scrub, struct pd_str name, bool is_kernel,
		    struct pd_buf *to)
{
	static const char owned[] = "[anon: [anon_shmem: [";
	size_t start = rpt_known_start(owned, name);
	bool is_closed = ends_with(name, "]") && name.len > start;

	if (is_kernel && is_closed &&
	    is_made_of(part(name, 1, name.len - 1),
		       "abcdefghijklmnopqrstuvwxyz"
		       "ABCDEFGHIJKLMNOPQRSTUVWXYZ_-.0123456789")) {
		pd_buf_bytes(to, name.ptr, name.len);
		return false;
	}
	pd_buf_bytes(to, name.ptr, start);
	rpt_name_key_hide(&scrub->conf->key,
			  part(name, start, name.len - is_closed), to);
	if (is_closed)
		pd_buf_u8(to, ']');
	return true;
}

static bool put_path(struct rpt_scrub *scrub, struct pd_str path,
		     bool is_kernel, struct pd_buf *to)
{
	static const char memory[] = "/memfd:";
	static const char inodes[] = "anon_inode:";
	size_t start = rpt_known_start(memory, path);

	if (start) {
		pd_buf_bytes(to, path.ptr, start);
		rpt_name_key_hide(&scrub->conf->key,
				  part(path, start, path.len), to);
		return true;
	}
	start = rpt_known_start(inodes, path);
	if (rpt_is_known(rpt_known_maps, path) || is_of_system(path) ||
	    (start && is_made_of(part(path, start, path.len),
				 "abcdefghijklmnopqrstuvwxyz[]_-:"))) {
		pd_buf_bytes(to, path.ptr, path.len);
		return false;
	}
	if (path.ptr[0] == '[')
		return put_map(scrub, path, is_kernel, to);
	return put_parts(scrub, path, to);
}

bool rpt_scrub_is_private(struct pd_str path)
{
	return !rpt_is_known(rpt_known_maps, path) && !is_of_system(path);
}

void rpt_scrub_path(struct rpt_scrub *scrub, struct pd_str path, bool is_kernel,
		    struct pd_buf *to)
{
	struct pd_str name = path;
	bool is_hidden = false;

	while (ends_with(name, deleted))
		name.len -= strlen(deleted);
	if (rpt_scrub_keeps(scrub, RPT_SCRUB_PATHS) || !name.len)
		pd_buf_bytes(to, name.ptr, name.len);
	else
		is_hidden = put_path(scrub, name, is_kernel, to);
	pd_buf_bytes(to, name.ptr + name.len, path.len - name.len);
	rpt_scrub_count(scrub, RPT_SCRUB_PATHS, is_hidden);
}

/* Each part of a cgroup's path; its kind (".service") stays. */
static bool put_slice(struct rpt_scrub *scrub, struct pd_str name,
		      struct pd_buf *to)
{
	static const char *const kinds[] = { ".slice", ".service", ".scope",
					     NULL };
	size_t len = name.len;
	bool is_known;

	for (size_t i = 0; kinds[i] && len == name.len; i++)
		if (ends_with(name, kinds[i]))
			len -= strlen(kinds[i]);
	is_known = !len || rpt_is_known(rpt_known_slices, part(name, 0, len));
	if (is_known)
		pd_buf_bytes(to, name.ptr, len);
	else
		rpt_name_key_hide(&scrub->conf->key, part(name, 0, len), to);
	pd_buf_bytes(to, name.ptr + len, name.len - len);
	return !is_known;
}

void rpt_scrub_cgroup(struct rpt_scrub *scrub, struct pd_str path,
		      struct pd_buf *to)
{
	bool is_hidden = false;
	size_t at = 0;

	if (rpt_scrub_keeps(scrub, RPT_SCRUB_CGROUPS)) {
		pd_buf_bytes(to, path.ptr, path.len);
		at = path.len;
	}
	while (at < path.len) {
		const char *slash = memchr(path.ptr + at, '/', path.len - at);
		size_t end = slash ? (size_t)(slash - path.ptr) : path.len;

		is_hidden |= put_slice(scrub, part(path, at, end), to);
		if (slash)
			pd_buf_u8(to, '/');
		at = end + 1;
	}
	rpt_scrub_count(scrub, RPT_SCRUB_CGROUPS, is_hidden);
}
