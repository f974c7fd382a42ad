#include "record/targets/privileges.h"

#include <errno.h>
#include <linux/capability.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "format/file/layout.h"

/* Linux 5.9; older headers do not have it. */
#ifndef CAP_CHECKPOINT_RESTORE
#define CAP_CHECKPOINT_RESTORE 40
#endif

int rec_privileges_drop(uint64_t keep)
{
	struct __user_cap_header_struct header = {
		.version = _LINUX_CAPABILITY_VERSION_3
	};
	struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3] = { 0 };

	if (syscall(SYS_capget, &header, data))
		return -errno;
	for (int i = 0; i < _LINUX_CAPABILITY_U32S_3; i++) {
		uint32_t mask = (uint32_t)(keep >> (32 * i));

		data[i].permitted &= mask;
		data[i].effective &= mask;
		data[i].inheritable &= mask;
	}
	return syscall(SYS_capset, &header, data) ? -errno : 0;
}

void rec_privileges_keep_reading(uint64_t also)
{
	(void)!rec_privileges_drop(also | PD_BIT(CAP_SYS_PTRACE) |
				   PD_BIT(CAP_DAC_READ_SEARCH) |
				   PD_BIT(CAP_CHECKPOINT_RESTORE));
}
