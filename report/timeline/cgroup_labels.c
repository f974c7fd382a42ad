#include "report/timeline/cgroup_labels.h"

#include "report/base/memory.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static size_t hex_len(const char *s)
{
	size_t len = 0;

	while (isxdigit((unsigned char)s[len]))
		len++;
	return len;
}

/* Copy the UID that text begins with, with dashes.  Return whether it does. */
static bool take_uid(const char *text, char pod[RPT_POD_LEN])
{
	size_t digits = 0, len = 0;

	for (; len + 1 < RPT_POD_LEN; len++) {
		char c = text[len];

		if (isxdigit((unsigned char)c))
			digits++;
		else if (c != '-' && c != '_')
			break;
		pod[len] = c == '_' ? '-' : c;
	}
	pod[len] = '\0';
	if (digits == 32 && !isxdigit((unsigned char)text[len]))
		return true;
	pod[0] = '\0';
	return false;
}

/* Take the pod and the container of one part of a path, which has len bytes. */
static void take_part(const char *part, size_t len,
		      struct rpt_cgroup_labels *labels)
{
	for (size_t i = 0; i < len; i++) {
		if (!strncmp(part + i, "pod", 3) && !labels->pod[0] &&
		    (!i || part[i - 1] == '-') &&
		    take_uid(part + i + 3, labels->pod))
			return;
		if ((!i || part[i - 1] == '-') &&
		    hex_len(part + i) == RPT_CONTAINER_LEN - 1) {
			memcpy(labels->container, part + i,
			       RPT_CONTAINER_LEN - 1);
			return;
		}
	}
}

struct rpt_cgroup_labels rpt_cgroup_labels_of(const char *path)
{
	struct rpt_cgroup_labels labels = { 0 };

	while (*path) {
		size_t len = strcspn(path, "/");

		take_part(path, len, &labels);
		path += len + (path[len] == '/');
	}
	return labels;
}

#define SHORT_ID_LEN 12

static bool ends_with(const char *part, size_t len, const char *ending)
{
	size_t ending_len = strlen(ending);

	return len > ending_len &&
	       !memcmp(part + len - ending_len, ending, ending_len);
}

/* Return the innermost part of a path with one of the endings, a service's or
 * scope's before a slice's; the path if there is none. */
static char *systemd_unit(const char *path)
{
	static const char *const endings[] = { ".slice", ".service", ".scope" };
	const char *best = path, *part = path;
	size_t best_len = strlen(path);
	bool is_found = false; /* a service or scope */

	while (*part) {
		size_t len = strcspn(part, "/");

		for (size_t i = is_found; i < 3; i++) {
			if (!ends_with(part, len, endings[i]))
				continue;
			is_found = i > 0;
			best = part;
			best_len = len;
		}
		part += len + (part[len] == '/');
	}
	return rpt_alloc_text(best, best_len);
}

char *rpt_cgroup_unit(const char *path)
{
	const struct rpt_cgroup_labels labels = rpt_cgroup_labels_of(path);
	bool has_pod = labels.pod[0], has_id = labels.container[0];
	char text[sizeof("container ") + RPT_POD_LEN + SHORT_ID_LEN];

	if (!has_pod && !has_id)
		return systemd_unit(path);
	snprintf(text, sizeof(text), "%s%s%s%.*s",
		 has_pod ? "pod " : "container ", labels.pod,
		 has_pod && has_id ? " " : "", SHORT_ID_LEN, labels.container);
	return rpt_alloc_text(text, strlen(text));
}
