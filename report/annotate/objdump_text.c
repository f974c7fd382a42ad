#include "report/annotate/objdump_text.h"

#include "report/annotate/att_text.h"
#include "report/annotate/text_piece.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NAME_WIDTH = 6 };

static bool starts_with(const char *text, const char *start)
{
	return !strncmp(text, start, strlen(start));
}

static bool is_word(char c)
{
	return isalnum((unsigned char)c) || c == '_' || c == '.';
}

/* Put a number as hex, and return what follows it. */
static const char *put_number(struct rpt_text_piece *t, const char *p)
{
	char buf[24], *end;

	snprintf(buf, sizeof(buf), "0x%llx", strtoull(p, &end, 0));
	rpt_piece_text(t, buf);
	return end;
}

/* Put the operands of arm64, with all numbers in hex, and the address that a
 * branch leads to, the last one, bare. */
static void put_operands(struct rpt_text_piece *t,
			 const struct rpt_objdump_words *words)
{
	static const char address[] = "#0x";
	const char *p = words->operands;
	char last = ' ';

	while (*p) {
		if (words->is_branch && starts_with(p, address) &&
		    !strchr(p, ',')) {
			rpt_piece_text(t, p + strlen(address));
			return;
		}
		if (isdigit((unsigned char)*p) && !is_word(last)) {
			p = put_number(t, p);
			last = '0';
			continue;
		}
		last = *p;
		rpt_piece_char(t, *p++);
	}
}

/* Put "[rax+rdx*1+0x0]" for "[rax+rdx]"; return what follows it. */
static const char *put_address(struct rpt_text_piece *t, const char *p,
			       bool has_disp)
{
	const char *end = p + strcspn(p, "]");
	bool has_number = false, has_scale = false;
	unsigned register_nr = 0;
	char last = '+';

	while (p < end) {
		if (isdigit((unsigned char)*p) && !is_word(last) &&
		    last != '*') {
			has_number = true;
			p = put_number(t, p);
			last = '0';
			continue;
		}
		if (*p == '*')
			has_scale = true;
		else if ((*p == '+' || *p == '-') && register_nr == 2 &&
			 !has_scale) {
			rpt_piece_text(t, "*1");
			has_scale = true;
		}
		if (last == '+' && isalpha((unsigned char)*p))
			register_nr++;
		last = *p;
		rpt_piece_char(t, *p++);
	}
	if (register_nr == 2 && !has_scale)
		rpt_piece_text(t, "*1");
	if (!has_number && has_disp)
		rpt_piece_text(t, "+0x0");
	return p;
}

/* Put Intel operands without blanks: numbers in hex. */
static void put_intel_operands(struct rpt_text_piece *t, const char *p,
			       const struct rpt_objdump_words *words)
{
	unsigned bits = words->operand_len * 8u;
	unsigned long long value;
	char last = ' ', buf[24], *end;

	while (*p) {
		if (*p == '[' && last == ':' && isdigit((unsigned char)p[1])) {
			p = put_number(t, p + 1);
			p += *p == ']';
		} else if (*p == '[') {
			rpt_piece_char(t, *p);
			p = put_address(t, p + 1, words->has_disp);
		} else if (*p == '-' && bits && last == ',') {
			value = strtoull(p, &end, 0);
			if (bits < 64)
				value &= (1ull << bits) - 1;
			snprintf(buf, sizeof(buf), "0x%llx", value);
			rpt_piece_text(t, buf);
			p = end;
		} else if (isdigit((unsigned char)*p) && !is_word(last) &&
			   last != '(') {
			p = put_number(t, p);
			last = '0';
			continue;
		}
		if (!*p)
			return;
		last = *p;
		rpt_piece_char(t, *p++);
	}
}

/* Put a word of Intel operands, "qword ptr " as "QWORD PTR "; return what
 * follows it. */
static const char *put_word(struct rpt_text_piece *t, const char *p)
{
	static const char ptr[] = " ptr ", tenbyte[] = "xword ptr ";
	size_t len = strcspn(p, " ,[]");

	if (starts_with(p, tenbyte)) {
		rpt_piece_text(t, "TBYTE PTR ");
		return p + strlen(tenbyte);
	}
	if (!starts_with(p + len, ptr)) {
		for (size_t i = 0; i < len; i++)
			rpt_piece_char(t, p[i]);
		return p + len;
	}
	for (size_t i = 0; i < len; i++)
		rpt_piece_char(t, (char)toupper((unsigned char)p[i]));
	rpt_piece_text(t, " PTR ");
	return p + len + strlen(ptr);
}

/* Put Intel syntax: "QWORD PTR [rax+0x8]" for "qword ptr [rax + 8]". */
static void put_intel(struct rpt_text_piece *t,
		      const struct rpt_objdump_words *words)
{
	char text[160] = "";
	struct rpt_text_piece all = { text, sizeof(text) };
	const char *p = words->operands;

	while (*p) {
		if (strchr(",[]", *p))
			rpt_piece_char(&all, *p++);
		else if (*p == ' ')
			p++;
		else
			p = put_word(&all, p);
	}
	put_intel_operands(t, text, words);
}

void rpt_objdump_text(const struct rpt_objdump_words *words, char *ret,
		      size_t len)
{
	struct rpt_text_piece t = { ret, len };

	*ret = '\0';
	if (words->syntax == RPT_TEXT_ATT) {
		rpt_att_text(&t, words);
		return;
	}
	rpt_piece_text(&t, words->mnemonic);
	if (!*words->operands)
		return;
	rpt_piece_char(&t, ' ');
	for (size_t i = strlen(words->mnemonic); i < NAME_WIDTH; i++)
		rpt_piece_char(&t, ' ');
	if (words->syntax == RPT_TEXT_ARM64)
		put_operands(&t, words);
	else if (words->is_branch && starts_with(words->operands, "0x"))
		rpt_piece_text(&t, words->operands + 2);
	else
		put_intel(&t, words);
}
