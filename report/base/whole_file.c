#include "report/base/whole_file.h"

#include "report/base/memory.h"
#include "format/support/safe_text.h"
#include "format/support/whole_io.h"
#include "report/base/shortage.h"

#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { REFUSED_SHOWN = 3, STATUS_MAX_LEN = 1 << 16 };

/* Read to the end: files of /proc have no length, so that the buffer doubles
 * until a read returns 0. */
static int read_all(int fd, char **buf, size_t max_len, size_t *ret_len)
{
	size_t cap_len = 65536, len = 0;
	ssize_t got;

	*buf = rpt_realloc_array(NULL, cap_len + 1, 1);
	for (;;) {
		got = read(fd, *buf + len, cap_len - len);
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return -errno;
		if (got == 0)
			break;
		len += (size_t)got;
		if (len > max_len)
			return -EFBIG;
		if (len < cap_len)
			continue;
		/* one byte too many is enough to see */
		cap_len = len <= max_len / 2 ? len * 2 : max_len + 1;
		*buf = rpt_realloc_array(*buf, cap_len + 1, 1);
	}
	(*buf)[len] = '\0';
	*ret_len = len;
	return 0;
}

size_t rpt_process_root_len(const char *path)
{
	static const char proc[] = "/proc/", root[] = "/root/";
	size_t len = sizeof(proc) - 1, digits_nr;

	if (strncmp(path, proc, len) != 0)
		return 0;
	digits_nr = strspn(path + len, "0123456789");
	len += digits_nr;
	return digits_nr && !strncmp(path + len, root, sizeof(root) - 1)
		       ? len + sizeof(root) - 2
		       : 0;
}

static int noted(int rc)
{
	if (rc < 0)
		rpt_shortage_note(-rc);
	return rc;
}

int rpt_whole_file_find(const char *path)
{
	const struct sup_name name = { .path = path,
				       .root_len = rpt_process_root_len(path) };

	return noted(sup_find(&name));
}

/* Files that were refused, the first of them. */
static struct {
	pthread_mutex_t lock;
	char *names[REFUSED_SHOWN]; /* never freed */
	uid_t users[REFUSED_SHOWN];
	size_t nr;
	bool are_more;
} refused = { .lock = PTHREAD_MUTEX_INITIALIZER };

static void note_refused(const struct sup_name *name)
{
	pthread_mutex_lock(&refused.lock);
	for (size_t i = 0; i < refused.nr; i++)
		if (!strcmp(refused.names[i], name->path))
			goto out;
	refused.are_more = refused.nr == REFUSED_SHOWN;
	if (!refused.are_more) {
		refused.users[refused.nr] = name->user;
		refused.names[refused.nr++] =
			rpt_alloc_text(name->path, strlen(name->path));
	}
out:
	pthread_mutex_unlock(&refused.lock);
}

static void put_refused(FILE *out, size_t idx)
{
	if (idx)
		fputs(", ", out);
	sup_put_safe_text(out, refused.names[idx]);
	if (refused.users[idx] == SUP_ANYBODY)
		fputs(" (of anybody)", out);
	else
		fprintf(out, " (of user %u)", (unsigned)refused.users[idx]);
}

char *rpt_whole_file_refused(void)
{
	char *text = NULL;
	size_t len;
	FILE *out;

	if (!refused.nr)
		return NULL;
	out = open_memstream(&text, &len);
	if (!out)
		return NULL;
	fputs("left out, as the user whose file or recording names it may not "
	      "read it: ",
	      out);
	for (size_t i = 0; i < refused.nr; i++)
		put_refused(out, i);
	if (refused.are_more)
		fputs(", and others", out);
	fclose(out);
	return text;
}

int rpt_whole_file_open_for(const struct sup_name *name)
{
	int fd = sup_read_for(name);

	if ((fd == -EACCES || fd == -EPERM) && !sup_reads_as_we_do(name->user))
		note_refused(name);
	return noted(fd);
}

int rpt_whole_file_open(const char *path)
{
	const struct sup_name name = { .path = path,
				       .root_len = rpt_process_root_len(path) };

	return rpt_whole_file_open_for(&name);
}

char *rpt_whole_file_for(const struct sup_name *name, size_t max_len,
			 size_t *ret_len, struct pd_err *err)
{
	int fd = rpt_whole_file_open_for(name);
	char *buf = NULL;
	int rc = fd < 0 ? fd : 0;

	if (rc == 0)
		rc = noted(read_all(fd, &buf, max_len, ret_len));
	if (fd >= 0)
		close(fd);
	if (rc == 0)
		return buf;
	free(buf);
	pd_err_set(err, rc, "%s", strerror(-rc));
	return NULL;
}

char *rpt_whole_file(const char *path, size_t max_len, size_t *ret_len,
		     struct pd_err *err)
{
	const struct sup_name name = { .path = path,
				       .root_len = rpt_process_root_len(path) };

	return rpt_whole_file_for(&name, max_len, ret_len, err);
}

char *rpt_process_status(uint32_t pid, uid_t *ret_user)
{
	struct pd_err err = PD_ERR_INIT;
	char path[32], *status;
	const char *line;
	size_t len;

	snprintf(path, sizeof(path), "/proc/%u/status", pid);
	status = rpt_whole_file(path, STATUS_MAX_LEN, &len, &err);
	line = status ? strstr(status, "\nUid:") : NULL;
	if (line && sscanf(line, "\nUid: %*u %u", ret_user) == 1)
		return status;
	free(status);
	return NULL;
}

int rpt_read_at(int fd, uint64_t off, void *ret, size_t len)
{
	ssize_t got = sup_read_at(fd, ret, len, off);

	if (got < 0)
		rpt_shortage_note((int)-got);
	return got < 0 ? (int)got : (size_t)got < len ? -EBADMSG : 0;
}
