#include "report/timeline/cgroup_labels.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#define UID	   "0f1e2d3c-4b5a-6978-8796-a5b4c3d2e1f0"
#define UNDERLINES "0f1e2d3c_4b5a_6978_8796_a5b4c3d2e1f0"
#define ID                                 \
	"0123456789abcdef0123456789abcdef" \
	"0123456789abcdef0123456789abcdef"

static void test_cgroup_labels__paths_of_kubelet_and_docker(void **state)
{
	static const struct {
		const char *path, *pod, *container;
	} cases[] = {
		{ "/kubepods/burstable/pod" UID "/" ID, UID, ID },
		{ "/kubepods.slice/kubepods-burstable.slice/"
		  "kubepods-burstable-pod" UNDERLINES
		  ".slice/cri-containerd-" ID ".scope",
		  UID, ID },
		{ "/docker/" ID, "", ID },
		{ "/system.slice/docker-" ID ".scope", "", ID },
		{ "/user.slice/user-1000.slice", "", "" },
		{ "/kubepods/podinator", "", "" },
		{ "/pod" UID "0", "", "" },
		{ "/docker/" ID "0", "", "" },
		{ "", "", "" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct rpt_cgroup_labels labels =
			rpt_cgroup_labels_of(cases[i].path);

		assert_string_equal(labels.pod, cases[i].pod);
		assert_string_equal(labels.container, cases[i].container);
	}
}

static void test_cgroup_labels__short_names(void **state)
{
	static const struct {
		const char *path, *unit;
	} cases[] = {
		{ "/kubepods/burstable/pod" UID "/" ID,
		  "pod " UID " 0123456789ab" },
		{ "/kubepods.slice/kubepods-besteffort.slice/"
		  "kubepods-besteffort-pod" UNDERLINES ".slice/crio-" ID
		  ".scope",
		  "pod " UID " 0123456789ab" },
		{ "/kubepods.slice/kubepods-pod" UNDERLINES ".slice",
		  "pod " UID },
		{ "/docker/" ID, "container 0123456789ab" },
		{ "/system.slice/docker-" ID ".scope/init.scope",
		  "container 0123456789ab" },
		{ "/user.slice/user-1000.slice/user@1000.service/user.slice/"
		  "libpod-" ID ".scope/container",
		  "container 0123456789ab" },
		{ "/system.slice/nginx.service", "nginx.service" },
		{ "/system.slice/runner.service/job 7", "runner.service" },
		{ "/system.slice/system-getty.slice/getty@tty1.service",
		  "getty@tty1.service" },
		{ "/user.slice/user-1000.slice/user@1000.service/app.slice/"
		  "app-a\\x2db-42.scope",
		  "app-a\\x2db-42.scope" },
		{ "/user.slice/user-1000.slice", "user-1000.slice" },
		{ "/.service/a.servicex", "/.service/a.servicex" },
		{ "/", "/" },
		{ "", "" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char *unit = rpt_cgroup_unit(cases[i].path);

		assert_string_equal(unit, cases[i].unit);
		free(unit);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			test_cgroup_labels__paths_of_kubelet_and_docker),
		cmocka_unit_test(test_cgroup_labels__short_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
