#include "report/export/cgroup_labels.h"

#include <ctype.h>
#include <string.h>

static size_t hex_len(const char *s)
{
	size_t len = 0;

	while (isxdigit((unsigned char)s[len]))
		len++;
	return len;
}

/* Copy the UID that text begins with, with dashes.  Return whether it does. */
static int take_uid(const char *text, char pod[RPT_POD_LEN])
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
		return 1;
	pod[0] = '\0';
	return 0;
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
