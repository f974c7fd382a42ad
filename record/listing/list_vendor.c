/* list_vendor.c: rows of the CPU's vendor's names. */
#include "record/listing/list_rows.h"

#include "record/vendor/vendor_names.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct collect {
	struct rec_list_rows *rows;
	bool is_missing;
	int rc;
};

static void add(void *ctx, const struct rec_vendor_row *vendor)
{
	struct collect *c = ctx;
	struct rec_list_row *row;

	if (c->rc)
		return;
	row = rec_list_add(c->rows, vendor->name);
	if (row) {
		row->text = rec_list_one_line(vendor->text);
		row->unit = strdup(vendor->pmu);
		row->is_missing = c->is_missing;
	}
	if (!row || !row->text || !row->unit)
		c->rc = -ENOMEM;
}

/* The library knows the CPU; a virtual machine may lack its counters. */
int rec_list_collect_vendor(struct rec_list_rows *rows,
			    const struct rec_list_conf *conf)
{
	union rec_attr cycles = { .sys = { .type = PERF_TYPE_HARDWARE } };
	struct collect c = { .rows = rows };

	c.is_missing = !conf->is_copy && !rec_list_can_open(&cycles);
	rec_vendor_walk(add, &c);
	return c.rc;
}

char *rec_list_vendor_encoding(const struct rec_list_pmus *pmus,
			       const char *name)
{
	struct rec_vendor_event event;
	union rec_attr attr = { 0 };

	if (rec_vendor_find(name, strlen(name), &event, NULL))
		return NULL;
	attr.sys.type = event.type;
	attr.sys.config = event.config;
	attr.sys.config1 = event.config1;
	attr.sys.config2 = event.config2;
	return rec_list_encoding(pmus, &attr);
}
