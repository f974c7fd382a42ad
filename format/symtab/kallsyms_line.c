#include "format/symtab/kallsyms_line.h"

#include <elf.h>

enum { DIGITS_MAX = 16, LOWER_CASE = 0x20 };

/* The value of each digit + 1; 0: not a digit. */
static const uint8_t hex_digits[256] = {
	['0'] = 1,  ['1'] = 2,	['2'] = 3,  ['3'] = 4,	['4'] = 5,  ['5'] = 6,
	['6'] = 7,  ['7'] = 8,	['8'] = 9,  ['9'] = 10, ['a'] = 11, ['b'] = 12,
	['c'] = 13, ['d'] = 14, ['e'] = 15, ['f'] = 16, ['A'] = 11, ['B'] = 12,
	['C'] = 13, ['D'] = 14, ['E'] = 15, ['F'] = 16,
};

bool pd_kallsyms_line_read(struct pd_str line, struct pd_kallsyms_line *ret)
{
	const char *at = line.ptr, *end = line.ptr + line.len;
	uint64_t addr = 0;
	unsigned digit;

	for (; at < end && (digit = hex_digits[(uint8_t)*at]); at++)
		addr = addr << 4 | (digit - 1);
	if (at == line.ptr || at - line.ptr > DIGITS_MAX || end - at < 4 ||
	    at[0] != ' ' || at[1] == '\0' || at[2] != ' ' || at[3] == '\0' ||
	    at[3] == '\t')
		return false;
	ret->addr = addr;
	ret->type = at[1];
	ret->text = (struct pd_str){ at + 3, (size_t)(end - at - 3) };
	return true;
}

bool pd_kallsyms_is_code(char type)
{
	type |= LOWER_CASE;
	return type == 't' || type == 'w';
}

bool pd_kallsyms_type_counts(char type)
{
	char lower = type | LOWER_CASE;

	return pd_kallsyms_is_code(type) || lower == 'd' || lower == 'b';
}

bool pd_kallsyms_line_counts(const struct pd_kallsyms_line *line)
{
	return pd_kallsyms_type_counts(line->type) &&
	       line->text.ptr[0] != '$' && line->addr != UINT64_MAX;
}

/* Upper case letters are global symbols. */
uint8_t pd_kallsyms_info(char type)
{
	unsigned binding = type & LOWER_CASE ? STB_LOCAL : STB_GLOBAL;

	if ((type | LOWER_CASE) == 'w')
		binding = STB_WEAK;
	return (uint8_t)ELF64_ST_INFO(
		binding, pd_kallsyms_is_code(type) ? STT_FUNC : STT_OBJECT);
}

bool pd_kallsyms_is_of_module(struct pd_str text)
{
	return text.len && text.ptr[text.len - 1] == ']';
}

struct pd_symbol_start pd_kallsyms_symbol(const struct pd_kallsyms_line *line)
{
	return (struct pd_symbol_start){
		.start = line->addr,
		.info = (uint8_t)line->type,
		.group = pd_kallsyms_is_of_module(line->text),
		.name = line->text,
	};
}
