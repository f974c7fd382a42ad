#include "report/export/cgroup_labels.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			test_cgroup_labels__paths_of_kubelet_and_docker),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
