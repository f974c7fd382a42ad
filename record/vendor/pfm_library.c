/* pfm_library.c: load libpfm.so.4. */
#include "record/vendor/pfm_library.h"

#ifdef REC_WITHOUT_LIBRARIES

const struct pfm_library *rec_pfm_library(void)
{
	return NULL;
}

#else

#include <dlfcn.h>
#include <stdbool.h>
#include <string.h>

/* Set the function pointer at ret; a void pointer is not one in C. */
static bool find(void *handle, const char *name, void *ret)
{
	void *symbol = dlsym(handle, name);

	memcpy(ret, &symbol, sizeof(symbol));
	return symbol != NULL;
}

static bool load(struct pfm_library *lib)
{
	void *handle = dlopen("libpfm.so.4", RTLD_NOW | RTLD_LOCAL);

	return handle && find(handle, "pfm_initialize", &lib->initialize) &&
	       find(handle, "pfm_get_pmu_info", &lib->get_pmu_info) &&
	       find(handle, "pfm_get_event_next", &lib->get_event_next) &&
	       find(handle, "pfm_get_event_info", &lib->get_event_info) &&
	       find(handle, "pfm_get_event_attr_info", &lib->get_attr_info) &&
	       find(handle, "pfm_get_os_event_encoding", &lib->get_encoding) &&
	       lib->initialize() == PFM_SUCCESS;
}

const struct pfm_library *rec_pfm_library(void)
{
	static struct pfm_library lib;
	static enum { NOT_TRIED, LOADED, MISSING } state;

	if (state == NOT_TRIED)
		state = load(&lib) ? LOADED : MISSING;
	return state == LOADED ? &lib : NULL;
}

#endif
