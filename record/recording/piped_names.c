#include "record/recording/piped_names.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "format/base/hash.h"
#include "format/carried/carried_stream.h"
#include "record/recording/file_features.h"
#include "record/recording/session.h"

static int refuse(struct pd_err *err, const char *path, const char *why)
{
	pd_err_set(err, -EINVAL, "option --carry-file: %s: %s", path, why);
	pd_err_hint(err, "name a file that only the names go to");
	return -EINVAL;
}

static bool is_stdout(const struct stat *st)
{
	struct stat out;

	return !fstat(STDOUT_FILENO, &out) && out.st_dev == st->st_dev &&
	       out.st_ino == st->st_ino;
}

static int check_path(const char *path, struct pd_err *err)
{
	struct stat st;

	if (rec_output_is_pipe(path))
		return refuse(err, path, "it is a pipe, or standard output");
	if (stat(path, &st))
		return 0; /* rec_output_open() says why if it fails, too */
	if (is_stdout(&st))
		return refuse(err, path, "the recording goes there");
	return S_ISREG(st.st_mode) ? 0
				   : refuse(err, path, "it is no regular file");
}

static int check_use(const char *path, const struct rec_output *out,
		     struct pd_err *err)
{
	if (out->is_pipe)
		return check_path(path, err);
	pd_err_set(err, -EINVAL,
		   "option --carry-file: the recording is a file, which "
		   "carries its names itself");
	pd_err_hint(err, "it is for pipes: -o -");
	return -EINVAL;
}

/* Say which option the file is of. */
static int explain(int rc, const char *path, const struct pd_err *why,
		   struct pd_err *err)
{
	return pd_err_set(err, rc, "option --carry-file: %s: %s", path,
			  why->code ? why->text : strerror(-rc));
}

int rec_piped_names_check(const char *path, const struct rec_output *out,
			  struct pd_err *err)
{
	struct pd_err why = PD_ERR_INIT;
	struct rec_output own;
	int rc = check_use(path, out, err);

	if (rc)
		return rc;
	rc = rec_output_check(&own, path, &why);
	rec_output_release(&own);
	return rc ? explain(rc, path, &why, err) : 0;
}

int rec_piped_names_open(struct rec_piped_names *names, const char *path,
			 struct rec_output *out, struct pd_err *err)
{
	struct rec_output *own = &names->file.out;
	struct pd_err why = PD_ERR_INIT;
	struct stat st;
	int rc = check_use(path, out, err);

	if (rc)
		return rc;
	names->is_on = true;
	rc = rec_output_open(own, path, &why);
	if (!rc && (fstat(own->fd, &st) || !S_ISREG(st.st_mode)))
		rc = pd_err_set(&why, -EINVAL, "it is no regular file");
	if (!rc)
		rc = rec_output_copy_open(&names->copy, own->place.dir_fd,
					  REC_PIPED_NAMES_COPY_MAX);
	if (rc)
		return explain(rc, path, &why, err);
	out->copy = &names->copy;
	return 0;
}

int rec_piped_names_start(struct rec_piped_names *names,
			  const struct rec_session *session, struct pd_err *err)
{
	struct pd_buf b = PD_BUF_INIT;
	int rc;

	if (!names->is_on)
		return 0;
	pd_record_end(&b, pd_record_begin(&b, PD_RECORD_FINISHED_INIT, 0));
	rc = rec_file_write_header(&names->file.out, session, &b, err);
	pd_buf_release(&b);
	return rc;
}

/* Append what tells a reader to which recording the names belong. */
static int put_stream(const struct rec_output_copy *copy, uint64_t off,
		      struct pd_buf *b, struct pd_carried_sections *sections)
{
	uint8_t head[PD_CARRIED_STREAM_LEN_MAX];
	size_t max =
		copy->len < sizeof(head) ? (size_t)copy->len : sizeof(head);
	ssize_t len = pread(copy->fd, head, max, 0);

	if (len < 0)
		return -errno;
	pd_carried_stream_write(b, off, head, (size_t)len, sections);
	return 0;
}

/* Return the names for a file in which they stand at off. */
static void collect(struct rec_piped_names *names, struct rec_session *session,
		    uint64_t off, struct pd_buf *b,
		    struct pd_carried_sections *ret)
{
	const struct rec_output_copy *copy = &names->copy;
	struct pd_err err = PD_ERR_INIT;
	int rc;

	ret->nr = 0;
	if (!session->carry.is_on)
		return;
	session->carry.is_cut = copy->is_cut;
	rc = rec_carry_collect(&session->carry, copy->fd, copy->len, b, ret,
			       &err);
	/* they were to follow the copy */
	for (size_t i = 0; i < ret->nr && !rc; i++)
		ret->items[i].off += off - copy->len;
	if (!rc)
		rc = put_stream(copy, off, b, ret);
	if (rc)
		ret->nr = 0;
	if (rc && session->say)
		fprintf(session->say,
			"[ perfpair-record: no names are carried: %s ]\n",
			err.code ? err.text : strerror(-rc));
	else if (copy->is_cut && session->say)
		fprintf(session->say,
			"[ perfpair-record: %s has names of the first %.1f MB "
			"only ]\n",
			names->file.out.path,
			(double)copy->len / 1024.0 / 1024.0);
}

static int write_tail(struct rec_piped_names *names,
		      struct rec_session *session, struct pd_err *err)
{
	struct rec_output *out = &names->file.out;
	uint64_t features[PD_FEATURE_BITS / 64] = { 0 };
	struct pd_carried_sections sections;
	struct pd_buf tail = PD_BUF_INIT, carried = PD_BUF_INIT;
	struct pd_file_sums sums;
	struct pd_trailer trailer;
	int rc =
		rec_features_write(&names->file, session, &tail, features, err);

	rec_output_sum(out, features, &tail, &sums);
	collect(names, session, out->len + tail.len, &carried, &sections);
	pd_buf_bytes(&tail, carried.data, carried.len);
	trailer = (struct pd_trailer){
		.has_sums = true,
		.sums = sums.items,
		.sum_nr = sums.nr,
		.rest_hash = pd_hash_get(out->rest),
		.sections = sections.items,
		.section_nr = sections.nr,
	};
	pd_trailer_write(&tail, &trailer);
	if (!rc)
		rc = pd_buf_status(&carried);
	if (!rc)
		rc = rec_output_finish(out, features, &tail);
	pd_buf_release(&carried);
	pd_buf_release(&tail);
	return rc;
}

int rec_piped_names_end(struct rec_piped_names *names,
			const struct rec_file *recorded,
			struct rec_session *session, struct pd_err *err)
{
	struct rec_output *out = &names->file.out;
	struct pd_err why = PD_ERR_INIT;
	int rc, closed;

	if (!names->is_on)
		return 0;
	names->file.sink.counts = recorded->sink.counts;
	rc = rec_output_checkpoint(out);
	if (!rc)
		rc = write_tail(names, session, &why);
	closed = rec_output_close(out, &why);
	if (!rc)
		rc = closed;
	if (!rc)
		return 0;
	pd_err_set(&why, rc, "%s", strerror(-rc));
	return pd_err_set(err, rc, "%s: %s", out->path, why.text);
}

void rec_piped_names_abandon(struct rec_piped_names *names)
{
	if (names->is_on)
		rec_output_abandon(&names->file.out, NULL);
}

void rec_piped_names_release(struct rec_piped_names *names)
{
	if (!names->is_on)
		return;
	rec_output_release(&names->file.out);
	rec_output_copy_close(&names->copy);
	names->is_on = false;
}
