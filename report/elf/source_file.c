#include "report/elf/source_file.h"

#include "report/base/whole_file.h"

#include <stdlib.h>
#include <string.h>

static void clear(struct rpt_source_file *file)
{
	free(file->path);
	free(file->text);
	*file = (struct rpt_source_file){ .path = NULL };
}

static struct rpt_source_file *read_file(struct rpt_source_texts *texts,
					 const struct sup_name *name)
{
	struct rpt_source_file *file = &texts->files[texts->next];
	struct pd_err err = PD_ERR_INIT;

	texts->next = (texts->next + 1) % RPT_SOURCE_FILES_NR;
	clear(file);
	file->path = strdup(name->path);
	file->user = name->user;
	file->text = rpt_whole_file_for(name, RPT_SOURCE_FILE_LEN,
					&file->text_len, &err);
	file->line = 1;
	return file;
}

static struct rpt_source_file *file_of(struct rpt_source_texts *texts,
				       const struct sup_name *name)
{
	for (size_t i = 0; i < RPT_SOURCE_FILES_NR; i++)
		if (texts->files[i].path &&
		    texts->files[i].user == name->user &&
		    !strcmp(texts->files[i].path, name->path))
			return &texts->files[i];
	return read_file(texts, name);
}

/* Return the line's offset; text_len if there is no such line. */
static size_t find_line(struct rpt_source_file *file, int line)
{
	const char *end;

	if (line < file->line) {
		file->line = 1;
		file->line_off = 0;
	}
	while (file->line < line && file->line_off < file->text_len) {
		end = memchr(file->text + file->line_off, '\n',
			     file->text_len - file->line_off);
		file->line_off =
			end ? (size_t)(end + 1 - file->text) : file->text_len;
		file->line++;
	}
	return file->line_off;
}

bool rpt_source_file_line(struct rpt_source_texts *texts,
			  const struct sup_name *name, int line,
			  struct pd_str *ret)
{
	struct rpt_source_file *file = file_of(texts, name);
	const char *start, *end;
	size_t off, left_len;

	if (!file->text || line < 1)
		return false;
	off = find_line(file, line);
	left_len = file->text_len - off;
	if (!left_len)
		return false;
	start = file->text + off;
	end = memchr(start, '\n', left_len);
	*ret = (struct pd_str){ start, end ? (size_t)(end - start) : left_len };
	return true;
}

void rpt_source_texts_release(struct rpt_source_texts *texts)
{
	for (size_t i = 0; i < RPT_SOURCE_FILES_NR; i++)
		clear(&texts->files[i]);
}
