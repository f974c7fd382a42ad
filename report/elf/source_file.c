#include "report/elf/source_file.h"

#include "report/base/whole_file.h"

#include <stdlib.h>
#include <string.h>

static void clear(struct rpt_source_texts *texts, struct rpt_source_file *file)
{
	texts->text_len -= file->text_len;
	free(file->path);
	free(file->text);
	*file = (struct rpt_source_file){ .path = NULL };
}

/* Return the slot that is reused next, empty. */
static struct rpt_source_file *next_slot(struct rpt_source_texts *texts)
{
	struct rpt_source_file *file = &texts->files[texts->next];

	texts->last = texts->next;
	texts->next = (texts->next + 1) % RPT_SOURCE_FILES_NR;
	clear(texts, file);
	return file;
}

static struct rpt_source_file *read_file(struct rpt_source_texts *texts,
					 const struct sup_name *name)
{
	struct pd_err err = PD_ERR_INIT;
	struct rpt_source_file *file;

	do
		file = next_slot(texts);
	while (texts->text_len > RPT_SOURCE_TEXT_LEN - RPT_SOURCE_FILE_LEN);
	file->path = strdup(name->path);
	file->user = name->user;
	file->text = rpt_whole_file_for(name, RPT_SOURCE_FILE_LEN,
					&file->text_len, &err);
	if (!file->text)
		file->text_len = 0;
	texts->text_len += file->text_len;
	file->line = 1;
	return file;
}

static bool is_it(const struct rpt_source_file *file,
		  const struct sup_name *name)
{
	return file->path && file->user == name->user &&
	       !strcmp(file->path, name->path);
}

static struct rpt_source_file *file_of(struct rpt_source_texts *texts,
				       const struct sup_name *name)
{
	if (is_it(&texts->files[texts->last], name))
		return &texts->files[texts->last];
	for (uint32_t i = 0; i < RPT_SOURCE_FILES_NR; i++)
		if (is_it(&texts->files[i], name)) {
			texts->last = i;
			return &texts->files[i];
		}
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
		clear(texts, &texts->files[i]);
}
