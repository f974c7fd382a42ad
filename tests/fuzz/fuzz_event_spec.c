/* fuzz_event_spec.c: any text behind -e, on four machines, one with the
 * names of its vendor if libpfm4 is installed.
 *
 * Beyond memory errors: what was parsed can be configured, names are set, and
 * an error leaves the list as it was.
 */
#include "record/event/attr_config.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#define MACHINES PERFPAIR_SOURCE_DIR "/fixtures/machines/"

static const struct rec_event_env envs[] = {
	{ .sysfs = MACHINES "intel", .tracefs = MACHINES "tracefs" },
	{ .sysfs = MACHINES "hybrid", .tracefs = MACHINES "tracefs" },
	{ .sysfs = MACHINES "power" },
	{ .sysfs = MACHINES "icelake", .vendor_names = true },
};

static const struct rec_attr_host host = { .max_sample_hz = 100000,
					   .machine = "x86_64" };

static void try_text(const char *text, const struct rec_event_env *env)
{
	struct rec_attr_options opts = { .target = REC_TARGET_SYSTEM };
	struct pd_err err = PD_ERR_INIT;
	struct rec_event_list list;

	rec_event_list_init(&list);
	if (rec_event_parse(&list, text, env, &err)) {
		assert(list.nr == 0 && err.code < 0 && err.text[0]);
	} else {
		assert(list.nr > 0);
		for (size_t i = 0; i < list.nr; i++)
			assert(list.events[i].name &&
			       list.events[i].leader_idx <= i);
		rec_event_filter(&list, "a > 1", NULL);
		rec_attr_config(&list, &opts, &host, NULL, NULL);
	}
	rec_event_list_release(&list);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	char *text = malloc(len + 1);

	if (!text)
		return 0;
	setenv("LIBPFM_FORCE_PMU", "icx", 0);
	if (len)
		memcpy(text, data, len);
	text[len] = '\0';
	for (size_t i = 0; i < sizeof(envs) / sizeof(envs[0]); i++)
		try_text(text, &envs[i]);
	free(text);
	return 0;
}
