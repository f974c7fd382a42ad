#include "record/carry/elf_bounds.h"

#include "record/base/read_file.h"
#include "record/names/hit_set.h"
#include "tests/unit/made_go.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

enum { HITS_MAX = 4000 };

/* This program, and addresses of its code that count as hit. */
struct self {
	struct pd_elf_image elf;
	const struct pd_elf_section *text;
	uint64_t hits[HITS_MAX];
	size_t nr;
};

static void open_self(struct self *self)
{
	int fd = open("/proc/self/exe", O_RDONLY);

	*self = (struct self){ .nr = 0 };
	assert_true(fd >= 0);
	assert_int_equal(pd_elf_image_read(rec_read_at(fd), &self->elf), 0);
	self->text = pd_elf_image_find(&self->elf, ".text");
	assert_non_null(self->text);
	for (uint64_t at = 0; at < self->text->len && self->nr < HITS_MAX;
	     at += 5)
		self->hits[self->nr++] = self->text->off + at;
}

static void close_self(struct self *self)
{
	close((int)(intptr_t)self->elf.from.ctx);
	pd_elf_image_release(&self->elf);
}

static void find(const struct self *self, struct rec_name_list *list)
{
	assert_int_equal(rec_elf_bounds(&self->elf, self->hits, self->nr,
					UINT64_MAX, NULL, list),
			 0);
}

/* Where a function starts in the file. */
static uint64_t off_of_open_self(void)
{
	uint64_t addr = (uint64_t)(uintptr_t)open_self;
	FILE *maps = fopen("/proc/self/maps", "r");
	unsigned long start, end, off;
	char line[512], modes[5];
	uint64_t ret = 0;

	assert_non_null(maps);
	while (!ret && fgets(line, sizeof(line), maps))
		if (sscanf(line, "%lx-%lx %4s %lx", &start, &end, modes,
			   &off) == 4 &&
		    addr >= start && addr < end)
			ret = addr - start + off;
	fclose(maps);
	assert_true(ret);
	return ret;
}

static void test_elf_bounds__functions_without_a_name_have_bounds(void **state)
{
	struct rec_name_list list = { .nr = 0 };
	struct self self;
	uint64_t end = 0, own;

	(void)state;
	open_self(&self);
	own = off_of_open_self();
	self.nr = 1;
	self.hits[0] = own + 8;
	find(&self, &list);
	assert_int_equal(list.nr, 1);
	assert_int_equal(list.items[0].start, own);
	assert_int_equal(list.items[0].source, PD_CARRIED_FDE);
	assert_int_equal(list.items[0].text.len, 0);
	rec_name_list_release(&list);
	close_self(&self);

	open_self(&self);
	find(&self, &list);
	assert_true(list.nr > 10);
	for (uint32_t i = 0; i < list.nr; i++) {
		assert_true(list.items[i].start >= end && list.items[i].len);
		end = list.items[i].start + list.items[i].len;
		assert_true(rec_hits_below(self.hits, self.nr, end) >
			    rec_hits_below(self.hits, self.nr,
					   list.items[i].start));
	}
	rec_name_list_release(&list);
	close_self(&self);
}

static void test_elf_bounds__what_has_a_name_needs_none(void **state)
{
	struct rec_name_list list = { .nr = 0 };
	struct pd_carried_name name = { .text = { "f", 1 } };
	struct self self;

	(void)state;
	open_self(&self);
	name.start = self.text->off;
	name.len = self.text->len;
	assert_true(rec_name_list_add(&list, &name));
	find(&self, &list);
	assert_int_equal(list.nr, 1);
	rec_name_list_release(&list);
	close_self(&self);
}

static void test_elf_bounds__there_is_an_end_of_time(void **state)
{
	struct rec_name_list list = { .nr = 0 };
	struct self self;

	(void)state;
	open_self(&self);
	assert_int_equal(
		rec_elf_bounds(&self.elf, self.hits, self.nr, 0, NULL, &list),
		-ETIME);
	assert_true(list.nr <= 1);
	rec_name_list_release(&list);
	close_self(&self);
}

static void test_elf_bounds__go_programs_have_names(void **state)
{
	const uint64_t hits[] = { MADE_GO_CODE - 1, MADE_GO_CODE + 5,
				  MADE_GO_CODE + 63, MADE_GO_CODE + 70 };
	struct rec_name_span spans[4];
	struct rec_name_list list = { .nr = 0 };
	struct made_go m = { .version = PD_GO_1_18 };

	(void)state;
	m.elf.is_64 = true;
	made_go(&m);
	for (size_t i = 0; i < 4; i++)
		spans[i] = (struct rec_name_span){ 0, UINT64_MAX };
	assert_int_equal(
		rec_elf_bounds(&m.elf, hits, 4, UINT64_MAX, spans, &list), 0);
	assert_int_equal(list.nr, 2);
	assert_int_equal(list.items[0].source, PD_CARRIED_GO);
	assert_int_equal(list.items[0].start, MADE_GO_CODE);
	assert_int_equal(list.items[0].len, MADE_GO_FUNCTION_LEN);
	assert_true(pd_str_eq(list.items[0].text, "main.main"));
	assert_true(pd_str_eq(list.items[1].text, "main.Sum[...]"));
	assert_int_equal(spans[0].end, MADE_GO_CODE);
	assert_int_equal(spans[2].start, MADE_GO_CODE);
	assert_int_equal(spans[2].end, MADE_GO_CODE + MADE_GO_FUNCTION_LEN);
	rec_name_list_release(&list);
	/* a table that is too long to be looked for is none */
	m.sections[1].name = ".data.rel.ro";
	m.sections[1].len = UINT64_C(1) << 40;
	m.data[MADE_GO_TABLE] ^= 4;
	assert_int_equal(
		rec_elf_bounds(&m.elf, hits, 4, UINT64_MAX, NULL, &list), 0);
	assert_int_equal(list.nr, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			test_elf_bounds__functions_without_a_name_have_bounds),
		cmocka_unit_test(test_elf_bounds__what_has_a_name_needs_none),
		cmocka_unit_test(test_elf_bounds__there_is_an_end_of_time),
		cmocka_unit_test(test_elf_bounds__go_programs_have_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
