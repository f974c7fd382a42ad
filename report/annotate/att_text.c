#include "report/annotate/att_text.h"

#include "report/annotate/text_piece.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NAME_LEN = 40, NAME_WIDTH = 6 };

static bool starts_with(const char *text, const char *start)
{
	return !strncmp(text, start, strlen(start));
}

static bool is_one_of(const char *text, const char *const *words)
{
	for (; *words; words++)
		if (!strcmp(text, *words))
			return true;
	return false;
}

static bool is_word(char c)
{
	return isalnum((unsigned char)c) || c == '%' || c == '_' || c == '.';
}

/* Return how many bytes the operands have by the suffix of an AT&T name, 0 if
 * it has none. */
static unsigned suffix_bytes(const char *name, const char *base)
{
	static const char letters[] = "bwlq";
	size_t len = strlen(base);
	const char *at;

	if (strncmp(name, base, len) != 0 || !name[len] || name[len + 1])
		return 0;
	at = strchr(letters, name[len]);
	return at ? 1u << (at - letters) : 0;
}

/* Return the name of the instruction, behind "lock " and the like. */
static const char *bare_name(const char *mnemonic)
{
	const char *blank = strrchr(mnemonic, ' ');

	return blank ? blank + 1 : mnemonic;
}

static const char *const shifts[] = { "shl",  "shr",  "sal", "sar",
				      "rol",  "ror",  "rcl", "rcr",
				      "shld", "shrd", NULL };

/* Return true if one of the operands, which are registers, is as wide as the
 * instruction, so that objdump leaves out the suffix. */
static bool has_register(const struct rpt_objdump_words *words)
{
	const char *operands = words->operands;
	unsigned depth = 0;
	bool is_first = true;
	bool may_be_count = is_one_of(words->base, shifts);

	for (const char *p = operands; *p; p++) {
		depth += *p == '(';
		depth -= *p == ')' && depth;
		if (*p == ',' && !depth) {
			is_first = true;
			continue;
		}
		if (*p == ' ')
			continue;
		/* not "%fs:0x28", %xmm0, nor the %cl of shifts */
		if (is_first && *p == '%' && p[1] != 'x' && p[1] != 'y' &&
		    p[1] != 'z' && p[strcspn(p, ":,( ")] != ':' &&
		    !(may_be_count && starts_with(p, "%cl,")))
			return true;
		is_first = false;
	}
	return false;
}

/* Instructions of which objdump does not show that they are as wide as the
 * mode. */
static const char *const short_names[] = { "push",   "pop",   "call",  "jmp",
					   "ret",    "leave", "pushf", "popf",
					   "movabs", NULL };

/* Return true if there is a prefix REX.W. */
static bool is_wide(const struct rpt_objdump_words *words)
{
	for (uint8_t i = 0; i < words->len && i < 3; i++)
		if ((words->bytes[i] & 0xf8) == 0x48)
			return true;
	return false;
}

/* Return the prefix that only capstone 5 has in the mnemonic. */
static const char *unnamed_prefix(const struct rpt_objdump_words *words)
{
	if (words->bytes[0] == 0x3e && *words->operands == '*')
		return "notrack ";
	return words->len == 2 && words->bytes[0] == 0xf3 &&
			       words->bytes[1] == 0xc3
		       ? "repz "
		       : "";
}

static void put_name(struct rpt_text_piece *t,
		     const struct rpt_objdump_words *words)
{
	const char *name = bare_name(words->mnemonic);
	size_t len = strlen(name);
	char plain[NAME_LEN];

	snprintf(plain, sizeof(plain), "%s", name);
	if (len && len < sizeof(plain) && strchr("ql", name[len - 1])) {
		plain[len - 1] = '\0';
		if (!is_one_of(plain, short_names))
			plain[len - 1] = name[len - 1];
	}
	if (suffix_bytes(name, words->base) && has_register(words))
		snprintf(plain, sizeof(plain), "%s", words->base);
	/* objdump has other names for these */
	if (!strcmp(name, "movd") && is_wide(words))
		snprintf(plain, sizeof(plain), "movq");
	else if (!strcmp(name, "wait"))
		snprintf(plain, sizeof(plain), "fwait");
	if (name == words->mnemonic)
		rpt_piece_text(t, unnamed_prefix(words));
	for (const char *p = words->mnemonic; p < name; p++)
		rpt_piece_char(t, *p);
	rpt_piece_text(t, plain);
}

/* Put a number as hex, and return what follows it.  is_negative: a minus stands
 * before it; bytes: how wide it is then, 0: the minus stays. */
static const char *put_number(struct rpt_text_piece *t, const char *p,
			      bool is_negative, unsigned bytes)
{
	char buf[24], *end;
	unsigned long long value = strtoull(p, &end, 0);

	if (is_negative && bytes) {
		value = 0 - value;
		if (bytes < 8)
			value &= (1ull << (8 * bytes)) - 1;
	} else if (is_negative) {
		rpt_piece_char(t, '-');
	}
	snprintf(buf, sizeof(buf), "0x%llx", value);
	rpt_piece_text(t, buf);
	return end;
}

/* Put "(%rax,%rdx)" as "(%rax,%rdx,1)"; return what follows.  capstone 4 names
 * the index of an EVEX instruction as if it were a vector. */
static const char *put_memory(struct rpt_text_piece *t, const char *p,
			      bool is_gather)
{
	static const char *const registers[] = { "rax", "rcx", "rdx", "rbx",
						 "rsp", "rbp", "rsi", "rdi",
						 "r8",	"r9",  "r10", "r11",
						 "r12", "r13", "r14", "r15" };
	unsigned comma_nr = 0;

	for (; *p && *p != ')'; p++) {
		comma_nr += *p == ',';
		if (!is_gather && starts_with(p, "%xmm")) {
			char *end;
			unsigned long nr = strtoul(p + 4, &end, 10);

			rpt_piece_char(t, '%');
			rpt_piece_text(t, registers[nr % 16]);
			p = end - 1;
			continue;
		}
		if (*p != ' ')
			rpt_piece_char(t, *p);
	}
	if (comma_nr == 1)
		rpt_piece_text(t, ",1");
	return p;
}

/* Put an operand of AT&T syntax, which ends at end. */
static void put_att_operand(struct rpt_text_piece *t, const char *p,
			    const char *end,
			    const struct rpt_objdump_words *words)
{
	unsigned bytes = suffix_bytes(bare_name(words->mnemonic), words->base);
	bool has_number = false, is_imm = *p == '$';
	bool is_gather = words->mnemonic[0] == 'v' &&
			 (strstr(words->mnemonic, "gather") ||
			  strstr(words->mnemonic, "scatter"));
	char last = ' ';

	while (p < end) {
		bool is_negative = *p == '-' && isdigit((unsigned char)p[1]);

		if (is_negative ||
		    (isdigit((unsigned char)*p) && !is_word(last))) {
			p = put_number(t, p + is_negative, is_negative,
				       !is_imm ? 0
				       : bytes ? bytes
					       : 1);
			has_number = true;
			last = '0';
			continue;
		}
		if (*p == '(' && last != 't') {
			if (!has_number && words->has_disp)
				rpt_piece_text(t, "0x0");
			p = put_memory(t, p, is_gather);
			last = ')';
			continue;
		}
		if (*p == ' ' && p[1] == '{') {
			p++; /* "%zmm1 {%k1}" */
			continue;
		}
		last = *p == '(' ? 'x' : *p; /* the number of %st(1) stays */
		rpt_piece_char(t, *p++);
	}
}

static void put_att_operands(struct rpt_text_piece *t,
			     const struct rpt_objdump_words *words,
			     const char *operands)
{
	const char *p = operands;

	while (*p) {
		const char *end = p;
		unsigned depth = 0;

		for (; *end && (*end != ',' || depth); end++) {
			depth += *end == '(';
			depth -= *end == ')' && depth;
		}
		put_att_operand(t, p, end, words);
		if (!*end)
			return;
		rpt_piece_char(t, ',');
		p = end + 1 + strspn(end + 1, " ");
	}
}

/* The operands of string instructions, by the start of their names. */
static const struct {
	const char *start, *operands;
	bool has_accumulator; /* "%s" is it: objdump shows no suffix */
} strings[] = {
	{ "movs", "%ds:(%rsi),%es:(%rdi)", false },
	{ "cmps", "%es:(%rdi),%ds:(%rsi)", false },
	{ "ins", "(%dx),%es:(%rdi)", false },
	{ "outs", "%ds:(%rsi),(%dx)", false },
	{ "stos", "%s,%es:(%rdi)", true },
	{ "lods", "%ds:(%rsi),%s", true },
	{ "scas", "%es:(%rdi),%s", true },
};

/* Put a string instruction of 64-bit mode.  Return false if it is none. */
static bool put_string(struct rpt_text_piece *t,
		       const struct rpt_objdump_words *words)
{
	static const char *const accumulators[] = { "%al", "%ax", "%eax",
						    "%rax" };
	static const char letters[] = "bwlq";
	const char *name = bare_name(words->mnemonic);
	size_t len = strlen(name);
	const char *letter = len ? strchr(letters, name[len - 1]) : NULL;

	if (!letter || (!strstr(words->operands, "(%rdi)") &&
			!strstr(words->operands, "(%rsi)")))
		return false;
	for (size_t i = 0; i < sizeof(strings) / sizeof(strings[0]); i++) {
		size_t start_len = strlen(strings[i].start);

		if (len != start_len + 1 ||
		    !starts_with(name, strings[i].start))
			continue;
		len = strlen(words->mnemonic) - strings[i].has_accumulator;
		for (size_t j = 0; j < len; j++)
			rpt_piece_char(t, words->mnemonic[j]);
		for (; len < NAME_WIDTH; len++)
			rpt_piece_char(t, ' ');
		rpt_piece_char(t, ' ');
		for (const char *p = strings[i].operands; *p; p++) {
			if (p[0] != '%' || p[1] != 's' || p[2] == 'i') {
				rpt_piece_char(t, *p);
				continue;
			}
			rpt_piece_text(t, accumulators[letter - letters]);
			p++;
		}
		return true;
	}
	return false;
}

/* Put the name, and blanks up to the operands. */
static void put_padded(struct rpt_text_piece *t, const char *name)
{
	rpt_piece_text(t, name);
	rpt_piece_char(t, ' ');
	for (size_t len = strlen(name); len < NAME_WIDTH; len++)
		rpt_piece_char(t, ' ');
}

/* Put instructions that do nothing, which have more prefixes than others.
 * Return false if it is none. */
static bool put_nop(struct rpt_text_piece *t,
		    const struct rpt_objdump_words *words)
{
	static const char segment[] = "%cs:";
	const char *operands = words->operands;
	unsigned prefix_nr = 0;

	if (words->len == 2 && words->bytes[0] == 0x66 &&
	    words->bytes[1] == 0x90) {
		rpt_piece_text(t, "xchg   %ax,%ax");
		return true;
	}
	if (!starts_with(words->mnemonic, "nop") ||
	    !starts_with(operands, segment))
		return false;
	while (prefix_nr < words->len && words->bytes[prefix_nr] == 0x66)
		prefix_nr++;
	for (; prefix_nr > 1; prefix_nr--)
		rpt_piece_text(t, "data16 ");
	rpt_piece_text(t, "cs ");
	rpt_piece_text(t, words->mnemonic);
	rpt_piece_char(t, ' ');
	put_att_operands(t, words, operands + strlen(segment));
	return true;
}

/* Append at most len bytes, without blanks. */
static void put_span(struct rpt_text_piece *t, const char *text, size_t len)
{
	for (size_t i = 0; i < len && text[i]; i++)
		if (text[i] != ' ')
			rpt_piece_char(t, text[i]);
}

/* Instructions of the x87 of which capstone leaves out the top of the stack. */
static bool put_x87(struct rpt_text_piece *t,
		    const struct rpt_objdump_words *words)
{
	static const char *const to_top[] = { "fadd",	 "fsub",   "fmul",
					      "fdiv",	 "fsubr",  "fdivr",
					      "fcomi",	 "fucomi", "fcomip",
					      "fucomip", "fcompi", "fucompi",
					      NULL };
	static const char *const from_top[] = { "faddp", "fsubp",  "fmulp",
						"fdivp", "fsubrp", "fdivrp",
						NULL };
	static const char top[] = "%st(0)";
	const char *name = words->mnemonic, *operands = words->operands;
	size_t len = strlen(operands), top_len = strlen(top);
	bool is_to_top = is_one_of(name, to_top);

	if (starts_with(operands, "%st") && strchr(operands, ',')) {
		bool is_from = starts_with(operands, top);
		bool is_to = !strcmp(operands + len - top_len, top);

		put_padded(t, name);
		put_span(t, is_from ? "%st" : "", 3);
		put_span(t, operands + is_from * top_len,
			 len - (is_from + is_to) * top_len);
		put_span(t, is_to ? "%st" : "", 3);
		return true;
	}
	if (!starts_with(operands, "%st(") || strchr(operands, ',') ||
	    (!is_to_top && !is_one_of(name, from_top)))
		return false;
	put_padded(t, name);
	if (!is_to_top)
		rpt_piece_text(t, "%st,");
	rpt_piece_text(t, operands);
	if (is_to_top)
		rpt_piece_text(t, ",%st");
	return true;
}

/* Return the operands without what objdump leaves out. */
static const char *shown_operands(const struct rpt_objdump_words *words)
{
	static const char one[] = "$1, ";
	const char *operands = words->operands;

	if (!words->has_imm && is_one_of(words->base, shifts) &&
	    starts_with(operands, one))
		return operands + strlen(one);
	return operands;
}

/* Put what capstone 4 shows with other operands than objdump, which has the
 * accumulator first.  Return false if it is none. */
static bool put_exchange(struct rpt_text_piece *t,
			 const struct rpt_objdump_words *words)
{
	const char *comma = strchr(words->operands, ',');
	uint8_t opcode = words->bytes[words->len - 1];

	if (!strcmp(words->base, "xchg") && comma &&
	    comma - words->operands > 2 && words->len < 3 && opcode > 0x90 &&
	    opcode < 0x98 && strncmp(comma - 2, "ax", 2) != 0) {
		put_padded(t, words->base);
		rpt_piece_text(t, comma + 2);
		rpt_piece_char(t, ',');
		put_span(t, words->operands, (size_t)(comma - words->operands));
		return true;
	}
	return false;
}

void rpt_att_text(struct rpt_text_piece *t,
		  const struct rpt_objdump_words *words)
{
	char name[NAME_LEN] = "";
	struct rpt_text_piece n = { name, sizeof(name) };

	if (put_nop(t, words) || put_exchange(t, words) || put_x87(t, words) ||
	    put_string(t, words))
		return;
	put_name(&n, words);
	if (!*words->operands) {
		rpt_piece_text(t, name);
		return;
	}
	put_padded(t, name);
	if (words->is_branch)
		rpt_piece_text(t,
			       words->operands +
				       2 * starts_with(words->operands, "0x"));
	else
		put_att_operands(t, words, shown_operands(words));
}
