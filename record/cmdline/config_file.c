#include "record/cmdline/config_file.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "record/base/read_file.h"

/* Return the file's name, or NULL if the first option is another one. */
static const char *config_of(int argc, char **argv)
{
	static const char name[] = "--config";
	size_t len = sizeof(name) - 1;

	if (argc < 2 || strncmp(argv[1], name, len) != 0)
		return NULL;
	if (argv[1][len] == '=')
		return argv[1] + len + 1;
	return argv[1][len] || argc < 3 ? NULL : argv[2];
}

/* Cut the blanks off both ends. */
static char *trimmed(char *text)
{
	size_t len;

	while (isspace((unsigned char)*text))
		text++;
	for (len = strlen(text); len && isspace((unsigned char)text[len - 1]);)
		text[--len] = '\0';
	return text;
}

/* Keep a word that args' texts may point into. */
static int keep(struct rec_args *args, char *word)
{
	char **words = reallocarray(args->config_words, args->config_nr + 1,
				    sizeof(*words));

	if (!words) {
		free(word);
		return -ENOMEM;
	}
	args->config_words = words;
	words[args->config_nr++] = word;
	return 0;
}

/* Parse "NAME" or "NAME = VALUE". */
static int parse_line(struct rec_args *args, char *argv0, char *line,
		      struct pd_err *err)
{
	char *value = strchr(line, '=');
	char *argv[] = { argv0, NULL, NULL };
	int first, rc;

	if (value)
		*value++ = '\0';
	line = trimmed(line);
	if (!*line || *line == '-' || strpbrk(line, " \t"))
		return pd_err_set(err, -EINVAL,
				  "'%s' is no option's long name without its "
				  "dashes",
				  line);
	if (asprintf(&argv[1], "--%s%s%s", line, value ? "=" : "",
		     value ? trimmed(value) : "") < 0 ||
	    keep(args, argv[1]))
		return pd_err_set(err, -ENOMEM, "out of memory");
	rc = sup_options_parse(&rec_command, args, 2, argv, &first, err);
	if (rc > 0 || (!rc && args->asked))
		rc = pd_err_set(err, -EINVAL, "'%s' is not for a file", line);
	return rc;
}

/* Parse all lines of a text, which ends in a NUL. */
static int parse_lines(struct rec_args *args, char *argv0, char *text,
		       struct pd_err *err)
{
	unsigned line_nr = 0;
	int rc = 0;

	while (text && !rc) {
		struct pd_err why = PD_ERR_INIT;
		char *line = trimmed(strsep(&text, "\n"));

		line_nr++;
		if (!*line || *line == '#')
			continue;
		rc = parse_line(args, argv0, line, &why);
		if (!rc)
			continue;
		pd_err_set(err, rc, "%s:%u: %s", args->config, line_nr,
			   why.text);
		pd_err_hint(err, "%s", why.hint);
	}
	return rc;
}

int rec_config_file_parse(struct rec_args *args, int argc, char **argv,
			  struct pd_err *err)
{
	struct pd_buf text = PD_BUF_INIT;
	int rc;

	args->config = config_of(argc, argv);
	if (!args->config)
		return 0;
	rc = rec_read_file(AT_FDCWD, args->config, REC_CONFIG_LEN_MAX, &text);
	pd_buf_u8(&text, '\0');
	if (!rc)
		rc = pd_buf_status(&text);
	if (rc)
		pd_err_set(err, rc, "--config: %s: %s", args->config,
			   strerror(-rc));
	else
		rc = parse_lines(args, argv[0], (char *)text.data, err);
	pd_buf_release(&text);
	return rc;
}
