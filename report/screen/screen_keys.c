#include "report/screen/screen_keys.h"

#include <string.h>

#define SEQUENCE_MAX 32u

/* The bytes of a key behind "\33[" or "\33O". */
static const struct {
	const char *text;
	enum rpt_key key;
} sequences[] = {
	{ "A", RPT_KEY_UP },	   { "B", RPT_KEY_DOWN },
	{ "C", RPT_KEY_RIGHT },	   { "D", RPT_KEY_LEFT },
	{ "H", RPT_KEY_HOME },	   { "F", RPT_KEY_END },
	{ "Z", RPT_KEY_BACK_TAB }, { "P", RPT_KEY_F1 },
	{ "1~", RPT_KEY_HOME },	   { "7~", RPT_KEY_HOME },
	{ "4~", RPT_KEY_END },	   { "8~", RPT_KEY_END },
	{ "5~", RPT_KEY_PAGE_UP }, { "6~", RPT_KEY_PAGE_DOWN },
	{ "11~", RPT_KEY_F1 },	   { "[A", RPT_KEY_F1 },
};

void rpt_key_reader_add(struct rpt_key_reader *reader, const uint8_t *data,
			size_t len)
{
	size_t room = sizeof(reader->data) - reader->len;

	if (len > room)
		len = room;
	memcpy(reader->data + reader->len, data, len);
	reader->len += (uint32_t)len;
}

static void drop(struct rpt_key_reader *reader, uint32_t nr)
{
	reader->len -= nr;
	memmove(reader->data, reader->data + nr, reader->len);
}

/* Return the length of the sequence that the bytes begin with; 0: it goes on
 * behind them. */
static uint32_t sequence_len(const struct rpt_key_reader *reader)
{
	const uint8_t *data = reader->data;
	uint32_t i = 2;

	if (reader->len < 3)
		return 0;
	/* the Linux console's function keys: "\33[[A" */
	if (data[1] == '[' && data[2] == '[')
		return reader->len < 4 ? 0 : 4;
	if (data[1] == 'O')
		return 3;
	while (i < reader->len && data[i] >= 0x20 && data[i] < 0x40 &&
	       i < SEQUENCE_MAX)
		i++;
	return i < reader->len ? i + 1 : 0;
}

static int key_of(const uint8_t *data, uint32_t len)
{
	char text[SEQUENCE_MAX + 2];
	const char *mark;
	size_t text_len = 0;

	/* modifiers stand behind a semicolon: "\33[1;5A", "\33[5;2~" */
	for (uint32_t i = 2; i < len; i++) {
		mark = data[i] == ';' ? (const char *)data + len - 1 : NULL;
		if (mark && text_len == 1 && text[0] == '1' && *mark != '~')
			text_len = 0;
		text[text_len++] = mark ? *mark : (char)data[i];
		if (mark)
			break;
	}
	text[text_len] = '\0';
	for (size_t i = 0; i < sizeof(sequences) / sizeof(sequences[0]); i++)
		if (!strcmp(sequences[i].text, text))
			return (int)sequences[i].key;
	return RPT_KEY_OTHER;
}

int rpt_key_reader_next(struct rpt_key_reader *reader, bool is_over)
{
	int key = reader->len ? reader->data[0] : RPT_KEY_NONE;
	uint32_t len = 1;

	if (!reader->len)
		return RPT_KEY_NONE;
	if (key == RPT_KEY_ESC && reader->len == 1 && !is_over)
		return RPT_KEY_NONE;
	if (key == RPT_KEY_ESC && reader->len > 1 &&
	    (reader->data[1] == '[' || reader->data[1] == 'O')) {
		len = sequence_len(reader);
		if (!len && !is_over)
			return RPT_KEY_NONE;
		key = len ? key_of(reader->data, len) : RPT_KEY_ESC;
		len = len ? len : reader->len;
	}
	drop(reader, len);
	if (key == '\n')
		return RPT_KEY_ENTER;
	if (key == '\b')
		return RPT_KEY_DELETE;
	return key ? key : RPT_KEY_OTHER;
}
