#include "report/cli/perf_config.h"
#include "report/base/memory.h"
#include "report/base/whole_file.h"

#include "format/support/message.h"

#include <ctype.h>
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#define SYSTEM_PATH "/etc/perfconfig"

enum { FILE_MAX_LEN = 1 << 16, NAME_MAX_LEN = 128, VALUE_MAX_LEN = 1024 };

static struct {
	bool is_allowed, is_read;
	char *user_path;
	struct rpt_perf_setting *at;
	uint32_t nr, cap;
} config;

void rpt_perf_config_allow(void)
{
	config.is_allowed = true;
}

/* The parser: functions return false if the file is not understood there. */

struct file {
	const char *at, *end;
	const char *path;
	bool is_system;
	unsigned line;		 /* where the name or section begins */
	unsigned next_line;	 /* of at */
	char name[NAME_MAX_LEN]; /* the section, then a point and a key */
	char value[VALUE_MAX_LEN];
	size_t section_len, name_len;
};

static int next(struct file *f)
{
	int c;

	if (f->at < f->end && *f->at == '\r' && f->at + 1 < f->end &&
	    f->at[1] == '\n')
		f->at++;
	if (f->at == f->end)
		return EOF;
	c = (unsigned char)*f->at++;
	f->next_line += c == '\n';
	return c;
}

static int next_behind_blanks(struct file *f)
{
	int c;

	do {
		c = next(f);
	} while (c == ' ' || c == '\t');
	return c;
}

static bool is_name_char(int c)
{
	return c != EOF && (isalnum(c) || c == '-' || c == '_');
}

static bool add_to_name(struct file *f, int c)
{
	if (f->name_len + 1 >= sizeof(f->name) || c < ' ' || c == 0x7f)
		return false;
	f->name[f->name_len++] = (char)c;
	f->name[f->name_len] = '\0';
	return true;
}

/* Read NAME], or NAME "MORE"] as NAME.MORE, behind a bracket. */
static bool read_section(struct file *f)
{
	int c;

	f->name_len = 0;
	while (is_name_char(c = next(f)) || c == '.')
		if (!add_to_name(f, c))
			return false;
	if (c == ' ' || c == '\t') {
		if (next_behind_blanks(f) != '"' || !add_to_name(f, '.'))
			return false;
		while ((c = next(f)) != '"')
			if (!add_to_name(f, c == '\\' ? next(f) : c))
				return false;
		c = next(f);
	}
	f->section_len = f->name_len;
	return c == ']' && f->name_len;
}

/* Read a character behind a backslash: a quote, a backslash, a tab as a blank,
 * or the end of a line that is continued (EOF). */
static bool read_escaped(struct file *f, int *ret)
{
	int c = next(f);

	*ret = c == 't' ? ' ' : c == '\n' ? EOF : c;
	return c == '"' || c == '\\' || c == 't' || c == '\n';
}

static void skip_line(struct file *f)
{
	int c;

	do {
		c = next(f);
	} while (c != '\n' && c != EOF);
}

/* Read up to the end of the line, without blanks at both ends. */
static bool read_value(struct file *f)
{
	size_t len = 0, shown_len = 0;
	bool is_quoted = false;
	int c = next_behind_blanks(f);

	for (; c != '\n' && c != EOF; c = next(f)) {
		bool is_blank = !is_quoted && (c == ' ' || c == '\t');

		if (!is_quoted && (c == '#' || c == ';')) {
			skip_line(f);
			break;
		}
		if (c == '"') {
			is_quoted = !is_quoted;
			continue;
		}
		if (c == '\\' && !read_escaped(f, &c))
			return false;
		if (c == EOF)
			continue;
		if (c == '\t')
			c = ' ';
		if (len + 1 >= sizeof(f->value) || c < ' ' || c == 0x7f)
			return false;
		f->value[len++] = (char)c;
		if (!is_blank)
			shown_len = len;
	}
	f->value[shown_len] = '\0';
	return !is_quoted;
}

/* Read KEY or KEY = VALUE, of which first was read. */
static bool read_key(struct file *f, int first)
{
	int c = first;

	f->name_len = f->section_len;
	if (!f->section_len || !isalpha(first) || !add_to_name(f, '.'))
		return false;
	for (; is_name_char(c); c = next(f))
		if (!add_to_name(f, c))
			return false;
	if (c == ' ' || c == '\t')
		c = next_behind_blanks(f);
	strcpy(f->value, "true");
	return c == '=' ? read_value(f) : c == '\n' || c == EOF;
}

static struct rpt_perf_setting *find(const char *name)
{
	for (uint32_t i = 0; i < config.nr; i++)
		if (!strcmp(config.at[i].name, name))
			return &config.at[i];
	return NULL;
}

static void set(const struct file *f)
{
	struct rpt_perf_setting *s = find(f->name);

	if (!s) {
		config.at = rpt_grow(config.at, &config.cap, config.nr,
				     sizeof(*config.at));
		s = &config.at[config.nr++];
		*s = (struct rpt_perf_setting){ .name = rpt_alloc_text(
							f->name, f->name_len) };
	}
	free(s->value);
	s->value = rpt_alloc_text(f->value, strlen(f->value));
	s->path = f->path;
	s->is_system = f->is_system;
}

static bool parse(struct file *f)
{
	for (;;) {
		int c = next_behind_blanks(f);

		f->line = f->next_line;
		if (c == EOF)
			return true;
		if (c == '\n')
			continue;
		if (c == '#' || c == ';') {
			skip_line(f);
		} else if (c == '[') {
			if (!read_section(f))
				return false;
		} else if (read_key(f, c)) {
			set(f);
		} else {
			return false;
		}
	}
}

/* Open a file that may be read; -ENOENT: there is none, or that was said. */
static int open_own(const char *path)
{
	int fd = rpt_whole_file_open(path);
	struct stat st;

	if (fd == -ENOENT || fd == -ENOTDIR || !strcmp(path, "/dev/null"))
		return -ENOENT;
	if (fd < 0)
		sup_message("%s: not read: %s", path,
			    fd == -EINVAL ? "it is no file" : strerror(-fd));
	if (fd < 0)
		return -ENOENT;
	if (!fstat(fd, &st) && (st.st_uid == 0 || st.st_uid == geteuid()) &&
	    st.st_size <= FILE_MAX_LEN)
		return fd;
	sup_message("%s: not read: it is %s", path,
		    st.st_size > FILE_MAX_LEN ? "longer than 64 KiB"
					      : "another user's");
	close(fd);
	return -ENOENT;
}

static void read_file(const char *path, bool is_system)
{
	static char text[FILE_MAX_LEN];
	struct file f = {
		.path = path, .is_system = is_system, .line = 1, .next_line = 1
	};
	int fd = open_own(path);
	ssize_t len;

	if (fd < 0)
		return;
	len = read(fd, text, sizeof(text));
	close(fd);
	f.at = text;
	f.end = text + (len > 0 ? len : 0);
	if (!parse(&f))
		sup_message("%s: line %u is not understood: what follows is "
			    "not read",
			    path, f.line);
}

static bool is_set(const char *name)
{
	const char *value = getenv(name);
	bool is_on = false;

	return value && (rpt_perf_config_bool(value, &is_on) || is_on);
}

static void read_all(void)
{
	const char *only = getenv("PERF_CONFIG");
	const char *home = getenv("HOME");

	if (!config.is_allowed || config.is_read)
		return;
	config.is_read = true;
	if (only) {
		read_file(only, false);
		return;
	}
	if (!is_set("PERF_CONFIG_NOSYSTEM"))
		read_file(SYSTEM_PATH, true);
	if (!home || !*home || is_set("PERF_CONFIG_NOGLOBAL"))
		return;
	if (asprintf(&config.user_path, "%s/.perfconfig", home) >= 0)
		read_file(config.user_path, false);
}

const struct rpt_perf_setting *rpt_perf_config_all(size_t *ret_nr)
{
	read_all();
	*ret_nr = config.nr;
	return config.at;
}

void rpt_perf_config_take(const struct rpt_perf_key *keys, void *args, int argc,
			  char *const *argv)
{
	for (int i = 1; i < argc; i++)
		if (!strncmp(argv[i], "--format", 8))
			return;
	read_all();
	for (const struct rpt_perf_key *key = keys; key->name; key++) {
		struct rpt_perf_setting *s = find(key->name);

		if (!s)
			continue;
		s->is_taken = !key->take(args, s->value);
		if (!s->is_taken)
			sup_message("%s: %s = %s is not understood", s->path,
				    s->name, s->value);
	}
}

void rpt_perf_config_tell(void)
{
	for (uint32_t i = 0; i < config.nr; i++)
		if (config.at[i].is_taken)
			sup_message("%s: %s = %s", config.at[i].path,
				    config.at[i].name, config.at[i].value);
}

int rpt_perf_config_bool(const char *value, bool *ret)
{
	static const char *const yes[] = { "true", "yes", "on" };
	static const char *const no[] = { "false", "no", "off", "" };
	char *end;
	long number = strtol(value, &end, 0);

	if (*value && !*end) {
		*ret = number != 0;
		return 0;
	}
	for (size_t i = 0; i < sizeof(yes) / sizeof(yes[0]); i++)
		if (!strcasecmp(value, yes[i])) {
			*ret = true;
			return 0;
		}
	for (size_t i = 0; i < sizeof(no) / sizeof(no[0]); i++)
		if (!strcasecmp(value, no[i])) {
			*ret = false;
			return 0;
		}
	return -EINVAL;
}
