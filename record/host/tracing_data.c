#include "record/host/tracing_data.h"

#include "record/base/read_file.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <unistd.h>

enum { FILE_LEN_MAX = 64 << 20 };

/* The blob being written, and its input. */
struct tracing {
	struct pd_buf *out;
	const char *root;
	const struct rec_tracepoint *points;
	size_t nr;
	struct pd_buf text; /* of the file being copied */
	struct pd_err *err;
};

static void put_name(struct pd_buf *b, const char *name)
{
	pd_buf_bytes(b, name, strlen(name) + 1);
}

static int read_text(struct tracing *t, const char *name)
{
	char path[PATH_MAX];
	int rc;

	rc = snprintf(path, sizeof(path), "%s/%s", t->root, name);
	if (rc < 0 || (size_t)rc >= sizeof(path))
		return pd_err_set(t->err, -ENAMETOOLONG, "%s: path too long",
				  t->root);
	rc = rec_read_file(AT_FDCWD, path, FILE_LEN_MAX, &t->text);
	if (rc)
		pd_err_set(t->err, rc, "%s: %s", path, strerror(-rc));
	return rc;
}

/* Append a u64 length, then the file. */
static int put_file(struct tracing *t, const char *name)
{
	const int rc = read_text(t, name);

	if (rc)
		return rc;
	pd_buf_u64(t->out, t->text.len);
	pd_buf_bytes(t->out, t->text.data, t->text.len);
	return 0;
}

static int put_named_file(struct tracing *t, const char *name, const char *path)
{
	put_name(t->out, name);
	return put_file(t, path);
}

static bool is_first_of_name(const struct tracing *t, size_t idx)
{
	for (size_t i = 0; i < idx; i++)
		if (!strcmp(t->points[i].system, t->points[idx].system) &&
		    !strcmp(t->points[i].name, t->points[idx].name))
			return false;
	return true;
}

static bool is_first_of_system(const struct tracing *t, size_t idx)
{
	for (size_t i = 0; i < idx; i++)
		if (!strcmp(t->points[i].system, t->points[idx].system))
			return false;
	return true;
}

/* Append a u32 count, then the format of each used event of that system. */
static int put_formats(struct tracing *t, const char *system)
{
	char path[512];
	uint32_t nr = 0;
	int rc = 0;

	for (size_t i = 0; i < t->nr; i++)
		nr += !strcmp(t->points[i].system, system) &&
		      is_first_of_name(t, i);
	pd_buf_u32(t->out, nr);
	for (size_t i = 0; i < t->nr && !rc; i++) {
		if (strcmp(t->points[i].system, system) != 0 ||
		    !is_first_of_name(t, i))
			continue;
		snprintf(path, sizeof(path), "events/%s/%s/format", system,
			 t->points[i].name);
		rc = put_file(t, path);
	}
	return rc;
}

/* False for the ftrace system, whose events have a section of their own. */
static bool is_ordinary_system(const struct tracing *t, size_t idx)
{
	return is_first_of_system(t, idx) &&
	       strcmp(t->points[idx].system, "ftrace") != 0;
}

static int put_systems(struct tracing *t)
{
	uint32_t nr = 0;
	int rc = 0;

	for (size_t i = 0; i < t->nr; i++)
		nr += is_ordinary_system(t, i);
	pd_buf_u32(t->out, nr);
	for (size_t i = 0; i < t->nr && !rc; i++) {
		if (!is_ordinary_system(t, i))
			continue;
		put_name(t->out, t->points[i].system);
		rc = put_formats(t, t->points[i].system);
	}
	return rc;
}

static void put_header(struct pd_buf *b)
{
	static const uint8_t magic[] = { 23, 8, 68 };

	pd_buf_bytes(b, magic, sizeof(magic));
	pd_buf_bytes(b, "tracing", 7);
	put_name(b, "0.6");
	pd_buf_u8(b, (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__) != b->swap);
	pd_buf_u8(b, sizeof(long));
	pd_buf_u32(b, (uint32_t)sysconf(_SC_PAGESIZE));
}

/* Read text that only makes output nicer; empty if it cannot be read. */
static void read_optional(struct tracing *t, const char *name)
{
	struct pd_err *err = t->err;

	t->err = NULL;
	if (read_text(t, name) != 0)
		pd_buf_reset(&t->text);
	t->err = err;
}

static void put_symbols_and_names(struct tracing *t)
{
	pd_buf_u32(t->out, 0); /* kallsyms */
	read_optional(t, "printk_formats");
	pd_buf_u32(t->out, (uint32_t)t->text.len);
	pd_buf_bytes(t->out, t->text.data, t->text.len);
	read_optional(t, "saved_cmdlines");
	pd_buf_u64(t->out, t->text.len);
	pd_buf_bytes(t->out, t->text.data, t->text.len);
}

int rec_tracing_data_write(struct pd_buf *b, const char *tracefs_root,
			   const struct rec_tracepoint *points, size_t nr,
			   struct pd_err *err)
{
	struct tracing t = {
		.out = b,
		.root = tracefs_root,
		.points = points,
		.nr = nr,
		.text = PD_BUF_INIT,
		.err = err,
	};
	int rc;

	put_header(b);
	rc = put_named_file(&t, "header_page", "events/header_page");
	if (!rc)
		rc = put_named_file(&t, "header_event", "events/header_event");
	if (!rc)
		rc = put_formats(&t, "ftrace");
	if (!rc)
		rc = put_systems(&t);
	if (!rc)
		put_symbols_and_names(&t);
	pd_buf_release(&t.text);
	if (!rc && pd_buf_status(b))
		rc = pd_err_set(err, pd_buf_status(b), "out of memory");
	return rc;
}
