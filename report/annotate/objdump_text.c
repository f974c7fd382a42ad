#include "report/annotate/objdump_text.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

struct text {
	char *at;
	size_t left; /* with the NUL */
};

static void put(struct text *t, char c)
{
	if (t->left < 2)
		return;
	*t->at++ = c;
	*t->at = '\0';
	t->left--;
}

static void put_words(struct text *t, const char *words)
{
	while (*words)
		put(t, *words++);
}

/* Put a number as hex, and return what follows it. */
static const char *put_number(struct text *t, const char *p)
{
	unsigned long long value = 0;
	char buf[24];

	if (p[0] == '0' && p[1] == 'x') {
		put(t, *p++);
		put(t, *p++);
		while (isxdigit((unsigned char)*p))
			put(t, *p++);
		return p;
	}
	while (isdigit((unsigned char)*p))
		value = value * 10 + (unsigned long long)(*p++ - '0');
	snprintf(buf, sizeof(buf), "0x%llx", value);
	put_words(t, buf);
	return p;
}

static bool is_word(char c)
{
	return isalnum((unsigned char)c) || c == '%' || c == '_' || c == '.';
}

/* Put the operands: no blanks behind commas, and numbers in hex. */
static void put_operands(struct text *t, const struct rpt_objdump_words *words)
{
	const char *p = words->operands;
	char last = ' ';

	if (words->is_branch && p[0] == '0' && p[1] == 'x')
		p += 2;
	else if (words->is_branch)
		last = 'x';
	while (*p) {
		if (*p == ' ' && last == ',') {
			p++;
			continue;
		}
		if (isdigit((unsigned char)*p) && !is_word(last)) {
			p = words->is_branch ? p : put_number(t, p);
			last = '0';
			if (!words->is_branch)
				continue;
		}
		last = *p;
		put(t, *p++);
	}
}

void rpt_objdump_text(const struct rpt_objdump_words *words, char *ret,
		      size_t len)
{
	struct text t = { ret, len };
	size_t name_len = strlen(words->mnemonic);

	*ret = '\0';
	put_words(&t, words->mnemonic);
	if (!*words->operands)
		return;
	for (; name_len < 6; name_len++)
		put(&t, ' ');
	put(&t, ' ');
	put_operands(&t, words);
}
