#include "format/symtab/kallsyms_line.h"

#include "format/symtab/hex_number.h"

#include <elf.h>

enum { LOWER_CASE = 0x20 };

bool pd_kallsyms_line_read(struct pd_str line, struct pd_kallsyms_line *ret)
{
	if (!pd_hex_number(&line, &ret->addr) || line.len < 4 ||
	    line.ptr[0] != ' ' || line.ptr[1] == '\0' || line.ptr[2] != ' ' ||
	    line.ptr[3] == '\0' || line.ptr[3] == '\t')
		return false;
	ret->type = line.ptr[1];
	ret->text = (struct pd_str){ line.ptr + 3, line.len - 3 };
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

const char *pd_kernel_bound_name(enum pd_kernel_bound bound)
{
	static const char *const names[PD_KERNEL_BOUND_NR] = {
		[PD_KERNEL_TEXT] = "_text",
		[PD_KERNEL_STEXT] = "_stext",
		[PD_KERNEL_EDATA] = "_edata",
		[PD_KERNEL_ETEXT] = "_etext",
	};

	return names[bound];
}

enum pd_kernel_bound pd_kernel_bound_of(const struct pd_kallsyms_line *line)
{
	unsigned i = 0;

	if (line->text.ptr[0] != '_' || line->text.len > strlen("_stext"))
		return PD_KERNEL_BOUND_NR; /* nearly all */
	while (i < PD_KERNEL_BOUND_NR &&
	       !pd_str_eq(line->text, pd_kernel_bound_name(i)))
		i++;
	return i <= PD_KERNEL_STEXT && !pd_kallsyms_is_code(line->type)
		       ? PD_KERNEL_BOUND_NR
		       : i;
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
