#include "report/symbols/dso_class.h"

#include <stdio.h>
#include <string.h>

#define KERNEL_NAME "[kernel.kallsyms]"

static bool starts_with(struct pd_str s, const char *prefix)
{
	size_t len = strlen(prefix);

	return s.len >= len && !memcmp(s.ptr, prefix, len);
}

static bool is_anonymous(struct pd_str name)
{
	return pd_str_eq(name, "//anon") || starts_with(name, "/dev/zero") ||
	       starts_with(name, "/anon_hugepage");
}

static bool has_no_file(struct pd_str name)
{
	return starts_with(name, "[stack") || starts_with(name, "/SYSV") ||
	       pd_str_eq(name, "[heap]");
}

void rpt_name_jit_memory(uint32_t pid, char buf[RPT_JIT_NAME_LEN],
			 struct rpt_named_map *ret)
{
	int len = snprintf(buf, RPT_JIT_NAME_LEN, "/tmp/perf-%d.map", (int)pid);

	*ret = (struct rpt_named_map){ RPT_DSO_USER,
				       { buf, (size_t)len },
				       true };
}

void rpt_name_map(const struct pd_mmap *mmap, uint32_t prot, uint32_t pid,
		  char buf[RPT_JIT_NAME_LEN], struct rpt_named_map *ret)
{
	static const uint32_t map_hugetlb = 0x40000;

	*ret = (struct rpt_named_map){ RPT_DSO_USER, mmap->filename, false };
	if (starts_with(mmap->filename, "[vdso]")) {
		ret->kind = RPT_DSO_VDSO;
		return;
	}
	if (!is_anonymous(mmap->filename) && !has_no_file(mmap->filename) &&
	    !(mmap->flags & map_hugetlb))
		return;
	ret->is_absolute = true;
	if (prot & RPT_PROT_EXEC)
		rpt_name_jit_memory(pid, buf, ret);
}

bool rpt_is_kernel_image(struct pd_str name, struct pd_str *ret_ref)
{
	size_t len = strlen(KERNEL_NAME);

	if (!starts_with(name, KERNEL_NAME))
		return false;
	*ret_ref = (struct pd_str){ name.ptr + len, name.len - len };
	return true;
}

bool rpt_is_module_name(struct pd_str name)
{
	if (starts_with(name, "["))
		return !starts_with(name, "[kernel.") &&
		       !starts_with(name, "[guest.kernel.") &&
		       !starts_with(name, "[vdso") &&
		       !starts_with(name, "[vsyscall]");
	for (size_t i = name.len; i-- > 2;)
		if (!memcmp(name.ptr + i - 2, ".ko", 3))
			return i + 1 == name.len || name.ptr[i + 1] == '.';
	return false;
}

bool rpt_module_name(const char *name, char *buf, size_t len)
{
	const char *slash = strrchr(name, '/');
	const char *base = slash ? slash + 1 : name;
	const char *end = strstr(base, ".ko");

	*buf = '\0';
	if (base[0] == '[') {
		snprintf(buf, len, "%s", base);
		return true;
	}
	if (!end || (end[3] != '\0' && end[3] != '.'))
		return false;
	snprintf(buf, len, "[%.*s]", (int)(end - base), base);
	for (char *at = buf; (at = strchr(at, '-'));)
		*at = '_';
	return true;
}

/* As basename(3): "." for "", and slashes at the end do not count. */
static void put_base(const char *name, char *buf, size_t len)
{
	size_t end = strlen(name), start;

	while (end > 1 && name[end - 1] == '/')
		end--;
	start = end ? end - 1 : 0;
	while (start && name[start - 1] != '/')
		start--;
	snprintf(buf, len, "%.*s", (int)(end - start), name + start);
	if (!end)
		snprintf(buf, len, ".");
}

const char *rpt_dso_short_name(const struct rpt_dso *dso, char *buf, size_t len)
{
	const char *name = dso ? rpt_dso_name(dso) : "[unknown]";
	int pid;

	if (dso && sscanf(name, "/tmp/perf-%d.map", &pid) == 1)
		snprintf(buf, len, "[JIT] tid %d", pid);
	else if (dso && rpt_dso_kind(dso) == RPT_DSO_KERNEL)
		snprintf(buf, len, "%s",
			 strstr(name, "vmlinux") ? "[kernel.vmlinux]" : name);
	else if (!dso || rpt_dso_kind(dso) != RPT_DSO_MODULE ||
		 !rpt_module_name(name, buf, len))
		put_base(name, buf, len);
	return buf;
}
