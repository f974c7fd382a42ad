/* cgroup_labels.h: the pod, the container and the unit of systemd that a
 * cgroup's path names.
 *
 * kubelet (its cgroup manager, drivers cgroupfs and systemd) makes
 *	/kubepods/burstable/podUID/ID
 *	/kubepods.slice/kubepods-burstable.slice/kubepods-burstable-podUID.slice/
 *		cri-containerd-ID.scope
 * with a UID of 32 hexadecimal digits and dashes, or underlines in a slice;
 * docker and podman make /docker/ID, docker-ID.scope, libpod-ID.scope.  An ID
 * has 64 hexadecimal digits.  systemd's parts end in what kind of unit they are
 * (systemd.unit(5)), and stand as systemctl shows them: escaped by \x2d.
 */
#ifndef RPT_CGROUP_LABELS_H
#define RPT_CGROUP_LABELS_H

#define RPT_POD_LEN	  37 /* with NUL */
#define RPT_CONTAINER_LEN 65

struct rpt_cgroup_labels {
	char pod[RPT_POD_LEN]; /* with dashes; "": the path names none */
	char container[RPT_CONTAINER_LEN];
};

struct rpt_cgroup_labels rpt_cgroup_labels_of(const char *path);

/* Return what runs in a cgroup, short: "pod UID ID", "pod UID" or "container
 * ID", with an ID of 12 digits as docker and podman show it; else the innermost
 * service or scope, or slice; else the path.  The caller frees it. */
char *rpt_cgroup_unit(const char *path);

#endif
