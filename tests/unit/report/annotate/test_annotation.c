#include "report/annotate/annotation.h"

#include "report/elf/elf_symbols.h"
#include "report/symbols/dso.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <errno.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The code that is annotated, byte for byte. */
__asm__(".text\n"
	".type annotated_code, @function\n"
	"annotated_code:\n"
	"	.byte 0x48, 0x89, 0xf8\n"	/* mov %rdi,%rax */
	"	.byte 0x48, 0x83, 0xc0, 0x07\n" /* add $0x7,%rax */
	"	.byte 0x06\n"			/* not in 64-bit mode */
	"	.byte 0x75, 0xf9\n"		/* jne to the add */
	"	.byte 0xc3\n"
	".size annotated_code, .-annotated_code\n"
	"after_annotated_code: nop\n");

static inline __attribute__((always_inline)) void
inlined_first(volatile int *at)
{
	at[0] = 1;
	at[1] = 2;
}

static inline __attribute__((always_inline)) void inlined_next(volatile int *at)
{
	at[2] = 3;
	at[3] = 4;
}

__attribute__((noinline, used)) static void code_with_inlined(volatile int *at)
{
	inlined_first(at);
	inlined_next(at);
}

enum { EVENT_NR = 2 };

struct state {
	struct rpt_symbols *symbols;
	struct rpt_dso *dso;
	const struct rpt_symbol *sym;
	struct rpt_code_hits hits;
};

static const struct rpt_symbol *find(struct rpt_dso *dso, const char *name)
{
	const struct rpt_symbol *found = NULL;
	struct rpt_symbol_table table;

	rpt_symbol_table_init(&table, true);
	assert_true(rpt_elf_symbols_read(&table, rpt_dso_runtime(dso),
					 PD_ELF_SPACE_FILE));
	for (size_t i = 0; i < table.nr && !found; i++)
		if (!strcmp(table.syms[i].name, name))
			found = rpt_dso_symbol(dso, table.syms[i].start);
	rpt_symbol_table_release(&table);
	return found;
}

static int set_up(void **state)
{
	static struct state s;
	struct rpt_symbols_conf conf = { .buildid_dir = "" };
	char path[4096];
	ssize_t len = readlink("/proc/self/exe", path, sizeof(path) - 1);
	struct rpt_dso_key key = { .kind = RPT_DSO_USER, .name = path };

	assert_true(len > 0);
	key.name_len = (size_t)len;
	s.symbols = rpt_symbols_new(&conf);
	s.dso = rpt_symbols_dso(s.symbols, &key);
	s.sym = find(s.dso, "annotated_code");
	assert_non_null(s.sym);
	assert_int_equal(s.sym->end - s.sym->start, 11);
	rpt_code_hits_init(&s.hits, EVENT_NR);
	*state = &s;
	return 0;
}

static int tear_down(void **state)
{
	struct state *s = *state;

	rpt_code_hits_release(&s->hits);
	rpt_symbols_free(s->symbols);
	return 0;
}

static void assert_count(struct rpt_hit_count count, uint64_t nr,
			 uint64_t period)
{
	assert_int_equal(count.nr, nr);
	assert_int_equal(count.period, period);
}

static void test_annotation__rows_have_text_targets_and_hits(void **state)
{
	struct state *s = *state;
	const struct rpt_annotator_conf conf = { .is_intel = false };
	struct rpt_annotator *annotator = rpt_annotator_new(&conf);
	struct pd_err err = PD_ERR_INIT;
	struct rpt_annotation code;

	rpt_code_hits_add(&s->hits, s->dso, s->sym->start, 0, 3, 30);
	rpt_code_hits_add(&s->hits, s->dso, s->sym->start + 3, 1, 1, 5);
	/* inside an instruction: counts there */
	rpt_code_hits_add(&s->hits, s->dso, s->sym->start + 5, 1, 2, 7);
	rpt_code_hits_add(&s->hits, s->dso, s->sym->start + 5, 0, 1, 10);
	rpt_code_hits_add(&s->hits, NULL, 0, 0, 6, 60);
	rpt_code_hits_close(&s->hits);
	assert_int_equal(s->hits.function_nr, 1);
	assert_count(rpt_code_hits_of(&s->hits, 0, 0), 4, 40);
	assert_count(rpt_code_hits_of(&s->hits, 0, 1), 3, 12);
	assert_count(s->hits.totals[0], 10, 100);

	assert_int_equal(rpt_annotate(annotator, &s->hits, 0, &code, &err), 0);
	assert_int_equal(code.row_nr, 5);
	assert_int_equal(code.len, 11);
	assert_false(code.is_cut);
	assert_int_equal(code.outside_nr, 0);
	assert_int_equal(code.rows[1].off, 3);
	assert_int_equal(code.rows[1].len, 4);
	assert_true(code.rows[1].is_code);
	assert_count(rpt_annotation_count(&code, 0, 0), 3, 30);
	assert_count(rpt_annotation_count(&code, 0, 1), 0, 0);
	assert_count(rpt_annotation_count(&code, 1, 0), 1, 10);
	assert_count(rpt_annotation_count(&code, 1, 1), 3, 12);
	assert_false(code.rows[2].is_code);
	assert_int_equal(code.rows[2].len, 1);
	assert_int_equal(code.rows[3].target, 1);
	assert_int_equal(code.rows[4].target, RPT_NO_ROW);
	rpt_annotation_release(&code);
	rpt_annotator_free(annotator);
}

static void test_annotation__rows_have_what_was_inlined(void **state)
{
	struct state *s = *state;
	const struct rpt_symbol *sym = find(s->dso, "code_with_inlined");
	const struct rpt_annotator_conf conf = { .is_intel = false };
	struct rpt_annotator *annotator = rpt_annotator_new(&conf);
	struct rpt_annotation code;
	uint32_t first_nr = 0, next_nr = 0;

	assert_non_null(sym);
	rpt_code_hits_add(&s->hits, s->dso, sym->start, 0, 1, 1);
	rpt_code_hits_close(&s->hits);
	assert_int_equal(rpt_annotate(annotator, &s->hits, 0, &code, NULL), 0);
	for (uint32_t i = 0; i < code.row_nr; i++) {
		const char *name =
			rpt_annotation_text(&code, code.rows[i].inlined_off);

		if (!code.rows[i].inlined_off)
			continue;
		first_nr += !strcmp(name, "inlined_first");
		next_nr += !strcmp(name, "inlined_next");
	}
	assert_in_range(first_nr, 2, code.row_nr);
	assert_in_range(next_nr, 2, code.row_nr);
	rpt_annotation_release(&code);
	rpt_annotator_free(annotator);
}

static void test_code_hits__functions_by_weight(void **state)
{
	struct state *s = *state;
	const struct rpt_symbol *after = find(s->dso, "after_annotated_code");
	uint32_t *order, nr;

	assert_non_null(after);
	rpt_code_hits_add(&s->hits, s->dso, s->sym->start, 0, 3, 30);
	rpt_code_hits_add(&s->hits, s->dso, after->start, 0, 1, 50);
	rpt_code_hits_close(&s->hits);
	assert_int_equal(s->hits.function_nr, 2);
	order = rpt_code_hits_order(&s->hits, 0, false, &nr);
	assert_int_equal(nr, 2);
	assert_ptr_equal(s->hits.functions[order[0]].sym, after);
	free(order);
	order = rpt_code_hits_order(&s->hits, 0, true, &nr);
	assert_ptr_equal(s->hits.functions[order[0]].sym, s->sym);
	free(order);
	order = rpt_code_hits_order(&s->hits, 1, false, &nr);
	assert_int_equal(nr, 0);
	free(order);
}

static void test_annotation__no_code_says_why(void **state)
{
	struct state *s = *state;
	const struct rpt_annotator_conf conf = { .is_intel = false };
	struct rpt_annotator *annotator = rpt_annotator_new(&conf);
	struct rpt_dso_key key = { .kind = RPT_DSO_USER,
				   .name = "/nowhere/lib",
				   .name_len = 12 };
	struct rpt_dso *dso = rpt_symbols_dso(s->symbols, &key);
	struct pd_err err = PD_ERR_INIT;
	struct rpt_annotation code;

	rpt_dso_add_symbol(dso, 0x100, 0x110, "gone", 4);
	rpt_code_hits_add(&s->hits, dso, 0x104, 0, 1, 1);
	rpt_code_hits_close(&s->hits);
	assert_int_equal(s->hits.function_nr, 1);
	assert_int_equal(rpt_annotate(annotator, &s->hits, 0, &code, &err),
			 -ENOENT);
	assert_non_null(strstr(err.text, "no code: "));
	assert_int_equal(code.row_nr, 0);
	rpt_annotation_release(&code);
	rpt_annotator_free(annotator);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
			test_annotation__rows_have_text_targets_and_hits,
			set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			test_annotation__rows_have_what_was_inlined, set_up,
			tear_down),
		cmocka_unit_test_setup_teardown(
			test_code_hits__functions_by_weight, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			test_annotation__no_code_says_why, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
