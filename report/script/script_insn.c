#include "report/script/script_line.h"

#include "report/annotate/code_bytes.h"
#include "report/annotate/disassembler.h"
#include "report/base/memory.h"
#include "report/symbols/dso.h"

#include <stdlib.h>
#include <string.h>

/* Instructions that are remembered, by address; two that share a place are
 * found anew in turn. */
enum { KNOWN_NR = 2048, INSN_LEN_MAX = 15 };

struct known {
	const struct rpt_dso *dso; /* NULL: nothing is known yet */
	uint64_t addr, ip;
	uint8_t bytes[INSN_LEN_MAX];
	uint8_t len;	/* 0: no code is here, or it is no instruction */
	char text[128]; /* longer ones are cut */
};

struct rpt_script_insns {
	struct rpt_disassembler dis;
	struct pd_carried_code carried;
	struct known known[KNOWN_NR];
};

void rpt_script_insns_free(struct rpt_script_insns *insns)
{
	if (!insns)
		return;
	rpt_disassembler_release(&insns->dis);
	pd_carried_code_release(&insns->carried);
	free(insns);
}

/* A damaged section counts as missing. */
static struct rpt_script_insns *insns_new(const struct rpt_script_setup *setup)
{
	struct rpt_script_insns *insns = rpt_alloc_zeroed(1, sizeof(*insns));
	struct pd_carried_text text;

	rpt_disassembler_init(&insns->dis, false);
	if (!pd_reader_carried_text(setup->in.reader, PD_CARRIED_BYTES, &text,
				    NULL))
		pd_carried_code_read(&text, setup->symbols->carried.file_nr,
				     &insns->carried, NULL);
	return insns;
}

/* Set the text: one blank behind the name, and an address with 0x. */
static void set_text(const struct rpt_instruction *insn, struct known *ret)
{
	const char *rest = strchr(insn->text, ' ');
	const char *target = insn->has_target ? strrchr(insn->text, ' ') : NULL;

	if (!rest) {
		snprintf(ret->text, sizeof(ret->text), "%.*s",
			 (int)sizeof(ret->text) - 1, insn->text);
		return;
	}
	snprintf(ret->text, sizeof(ret->text), "%.*s", (int)(rest - insn->text),
		 insn->text);
	rest += strspn(rest, " ");
	if (target)
		target++;
	snprintf(ret->text + strlen(ret->text),
		 sizeof(ret->text) - strlen(ret->text), " %.*s%s%s",
		 target ? (int)(target - rest) : 0, rest, target ? "0x" : "",
		 target ? target : rest);
}

/* Find what stands at addr of the DSO, which was recorded at ip. */
static void find(struct rpt_script_insns *insns, struct rpt_script *script,
		 struct rpt_dso *dso, struct known *ret)
{
	const struct rpt_symbol place = { .start = ret->addr,
					  .end = ret->addr + INSN_LEN_MAX };
	bool is_carrier = dso->owner == script->setup->symbols;
	struct rpt_instruction insn;
	struct rpt_code_bytes code;

	if (place.end < place.start)
		return;
	if (!rpt_code_bytes_find(dso, &place,
				 is_carrier ? &insns->carried : NULL, &code,
				 NULL) &&
	    code.len) {
		rpt_disassemble(&insns->dis, code.arch, code.data, code.len,
				ret->ip, &insn);
		/* capstone does not know all vector instructions; a byte alone
		 * is what is none */
		if (insn.is_code || insn.len > 1)
			ret->len = insn.len;
		memcpy(ret->bytes, code.data, ret->len);
		set_text(&insn, ret);
	}
	free(code.data);
}

static const struct known *know(struct rpt_script *script,
				struct rpt_script_line *line, unsigned cpumode,
				uint64_t ip)
{
	static const struct known nothing;
	const struct rpt_location *at =
		rpt_script_find(script, line, cpumode, ip);
	uint64_t addr = ip + at->addr_add;
	struct rpt_script_insns *insns = script->insns;
	struct known *known;

	if (!at->map.dso)
		return &nothing;
	if (!insns)
		insns = script->insns = insns_new(script->setup);
	known = &insns->known[(addr ^ addr >> 11) % KNOWN_NR];
	if (known->dso == at->map.dso && known->ip == ip && known->addr == addr)
		return known;
	*known = (struct known){ .dso = at->map.dso, .addr = addr, .ip = ip };
	find(insns, script, at->map.dso, known);
	return known;
}

void rpt_script_print_insn(struct rpt_script *script,
			   struct rpt_script_line *line)
{
	const struct known *known = know(script, line, line->sample.cpumode,
					 line->sample.fields.ip);
	struct rpt_text *t = &script->text;

	if (line->fields & RPT_FIELD_INSN_LEN) {
		rpt_text_put(t, " ilen: ", 7);
		rpt_text_dec(t, known->len, 0);
	}
	if ((line->fields & RPT_FIELD_INSN) && known->len) {
		rpt_text_put(t, " insn:", 6);
		for (uint8_t i = 0; i < known->len; i++)
			rpt_text_format(t, " %02x", known->bytes[i]);
	}
	if ((line->fields & RPT_FIELD_DISASM) && known->len) {
		rpt_text_put(t, "\t\t", 2);
		rpt_text_str(t, known->text);
	}
}
