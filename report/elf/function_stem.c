#include "report/elf/function_stem.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#define RUST_HASH_LEN 19 /* "::h" and 16 digits */

static const char *const suffixes[] = {
	".constprop",  ".isra",	 ".part",   ".cold",   ".lto_priv",    ".llvm",
	".localalias", ".clone", ".__uniq", ".__part", ".specialized",
};

#define ARRAY_LEN(array) (sizeof(array) / sizeof((array)[0]))

static size_t digits_span(const char *text)
{
	return strspn(text, "0123456789");
}

/* Return the length of the suffix at text, with its number; 0 if there is none.
 */
static size_t suffix_len(const char *text)
{
	static const char clone[] = " [clone ";

	if (!strncmp(text, clone, sizeof(clone) - 1) && strchr(text, ']'))
		return (size_t)(strchr(text, ']') - text) + 1;
	for (size_t i = 0; *text == '.' && i < ARRAY_LEN(suffixes); i++) {
		size_t len = strlen(suffixes[i]);

		if (strnlen(text, len) < len ||
		    memcmp(text, suffixes[i], len) != 0)
			continue;
		if (text[len] == '.' && digits_span(text + len + 1))
			len += 1 + digits_span(text + len + 1);
		if (!text[len] || text[len] == '.' || text[len] == ' ' ||
		    text[len] == ')' || text[len] == '[')
			return len;
	}
	return 0;
}

static bool is_rust_hash(const char *text)
{
	return text[0] == ':' && text[1] == ':' && text[2] == 'h' &&
	       strspn(text + 3, "0123456789abcdef") == RUST_HASH_LEN - 3 &&
	       !text[RUST_HASH_LEN];
}

/* Return the length of "operator<", "operator<<" and the like, whose angles
 * open no list; 0 if there is none. */
static size_t operator_len(const char *name, const char *at)
{
	static const char word[] = "operator";
	size_t len = sizeof(word) - 1;

	if (strncmp(at, word, len) != 0 ||
	    (at > name && (isalnum((unsigned char)at[-1]) || at[-1] == '_')))
		return 0;
	if (!strncmp(at + len, "()", 2))
		return len + 2;
	return len + strspn(at + len, "<>=-");
}

char *rpt_diff_symbol(const char *name, enum rpt_name_match level, char *buf,
		      size_t len)
{
	size_t used = 0;
	int depth = 0;
	/* the first angles of a Rust name, "<T as Trait>::f", are no list */
	int shown_depth = name[0] == '<';

	if (level == RPT_NAME_EXACT) {
		snprintf(buf, len, "%s", name);
		return buf;
	}
	for (const char *at = name; *at && used + 1 < len;) {
		size_t skip = suffix_len(at);
		size_t word = skip ? 0 : operator_len(name, at);

		if (is_rust_hash(at))
			break;
		at += skip;
		for (; word && used + 1 < len; word--)
			buf[used++] = *at++;
		if (!*at || skip)
			continue;
		if (*at == '<' || *at == '(')
			depth++;
		if ((level < RPT_NAME_TEMPLATE || depth <= shown_depth) &&
		    used + 1 < len)
			buf[used++] = *at;
		if ((*at == '>' || *at == ')') && depth)
			depth--;
		if (!depth)
			shown_depth = 0;
		at++;
	}
	buf[used] = '\0';
	return buf;
}

/* Return the offset of "-1.1" before end, or end if there is none. */
static size_t version_before(const char *name, size_t end)
{
	size_t at = end;

	while (at &&
	       (isdigit((unsigned char)name[at - 1]) || name[at - 1] == '.'))
		at--;
	return at && at < end && name[at - 1] == '-' ? at - 1 : end;
}

/* Return whether a name ends here, or with the kernel's mark of a file that was
 * replaced while it was mapped. */
static bool is_end(const char *text)
{
	return !*text || !strcmp(text, " (deleted)");
}

char *rpt_diff_dso(const char *name, enum rpt_name_match level, char *buf,
		   size_t len)
{
	const char *so = strstr(name, ".so");
	size_t end;

	if (level == RPT_NAME_EXACT || !so ||
	    (so[3] != '.' && !is_end(so + 3)) ||
	    !is_end(so + 3 + strspn(so + 3, ".0123456789"))) {
		snprintf(buf, len, "%s", name);
		return buf;
	}
	end = version_before(name, (size_t)(so - name));
	snprintf(buf, len, "%.*s.so", (int)end, name);
	return buf;
}

bool rpt_diff_is_jit(const char *path)
{
	const char *slash = strrchr(path, '/');
	const char *base = slash ? slash + 1 : path;
	int end = 0;

	(void)sscanf(base, "perf-%*u.map%n", &end);
	if (!end)
		(void)sscanf(base, "jitted-%*u-%*u.so%n", &end);
	return end && !base[end];
}

char *rpt_diff_jit_symbol(const char *name, char *buf, size_t len)
{
	static const char *const kinds[] = { "JS:", "LazyCompile:",
					     "Function:" };

	for (size_t i = 0; i < ARRAY_LEN(kinds); i++) {
		size_t kind_len = strlen(kinds[i]);

		if (strncmp(name, kinds[i], kind_len) != 0)
			continue;
		name += kind_len;
		name += *name && strchr("~^*+", *name);
		snprintf(buf, len, "JS:%s", name);
		return buf;
	}
	snprintf(buf, len, "%s", name);
	return buf;
}
