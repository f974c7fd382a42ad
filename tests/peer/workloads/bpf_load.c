/* bpf_load N: loads a BPF program of two instructions N times, each of which
 * the kernel tells by KSYMBOL and BPF_EVENT records. */
#include <errno.h>
#include <linux/bpf.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	static const struct bpf_insn code[] = {
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0 },
		{ .code = BPF_JMP | BPF_EXIT },
	};
	union bpf_attr attr = {
		.prog_type = BPF_PROG_TYPE_SOCKET_FILTER,
		.insn_cnt = sizeof(code) / sizeof(code[0]),
		.insns = (uintptr_t)code,
		.license = (uintptr_t) "GPL",
		.prog_name = "neighbour",
	};

	for (int nr = argc > 1 ? atoi(argv[1]) : 1; nr; nr--) {
		int fd = (int)syscall(SYS_bpf, BPF_PROG_LOAD, &attr,
				      sizeof(attr));

		if (fd < 0) {
			printf("no BPF program: %s\n", strerror(errno));
			return 77;
		}
		close(fd);
	}
	return 0;
}
