#include "format/support/read_for.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

enum { NOBODY = 65534, PATH_LEN = 128 };

static char folder[] = "/tmp/perfpair-read-for-XXXXXX";

static const char *at(const char *name)
{
	static char paths[4][PATH_LEN];
	static unsigned next;
	char *path = paths[next++ % 4];

	snprintf(path, PATH_LEN, "%s/%s", folder, name);
	return path;
}

static void put(const char *name, mode_t mode)
{
	int fd = open(at(name), O_WRONLY | O_CREAT | O_CLOEXEC, mode);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, "text\n", 5), 5);
	close(fd);
}

static int setup(void **state)
{
	(void)state;
	assert_non_null(mkdtemp(folder));
	assert_int_equal(chmod(folder, 0755), 0);
	assert_int_equal(mkdir(at("in"), 0755), 0);
	assert_int_equal(mkdir(at("closed"), 0700), 0);
	put("secret", 0600);
	put("open", 0644);
	put("in/open", 0644);
	put("closed/open", 0644);
	assert_int_equal(mkfifo(at("fifo"), 0644), 0);
	assert_int_equal(symlink(at("open"), at("in/out")), 0);
	assert_int_equal(symlink("/open", at("in/up")), 0);
	assert_int_equal(link(at("open"), at("hard")), 0);
	assert_int_equal(symlink("secret", at("soft")), 0);
	return 0;
}

static int teardown(void **state)
{
	static const char *const names[] = {
		"in/open", "closed/open", "in/out", "in/up", "in",   "closed",
		"secret",  "open",	  "fifo",   "hard",  "soft", "",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		remove(at(names[i]));
	return 0;
}

/* Return 0 if the file is opened, and has its text. */
static int tried(const struct sup_name *name)
{
	int fd = sup_read_for(name);
	char text[8] = "";

	if (fd < 0)
		return fd;
	assert_int_equal(read(fd, text, sizeof(text) - 1), 5);
	assert_string_equal(text, "text\n");
	close(fd);
	return 0;
}

static int tried_for(const char *path, uid_t user)
{
	const struct sup_name name = { .path = path, .user = user };

	return tried(&name);
}

static void test_read_for__only_regular_files(void **state)
{
	(void)state;
	assert_int_equal(tried_for(at("open"), getuid()), 0);
	assert_int_equal(tried_for(at("fifo"), getuid()), -EINVAL);
	assert_int_equal(tried_for(at("in"), getuid()), -EINVAL);
	assert_int_equal(tried_for("/dev/zero", getuid()), -EINVAL);
	assert_int_equal(tried_for(at("none"), getuid()), -ENOENT);
	assert_int_equal(tried_for("", getuid()), -ENOENT);
}

static void test_read_for__what_the_user_may_read(void **state)
{
	const int dumpable = prctl(PR_GET_DUMPABLE);

	(void)state;
	assert_int_equal(tried_for(at("secret"), getuid()), 0);
	assert_int_equal(tried_for(at("secret"), SUP_ANYBODY), -EACCES);
	assert_int_equal(tried_for(at("secret"), NOBODY), -EACCES);
	assert_int_equal(tried_for(at("closed/open"), SUP_ANYBODY), -EACCES);
	assert_int_equal(tried_for(at("closed/open"), NOBODY), -EACCES);
	assert_int_equal(tried_for(at("open"), SUP_ANYBODY), 0);
	assert_int_equal(tried_for(at("open"), NOBODY), 0);
	/* this thread has the rights that it had */
	assert_int_equal(tried_for(at("secret"), getuid()), 0);
	assert_int_equal(prctl(PR_GET_DUMPABLE), dumpable);
	if (getuid())
		skip();
	assert_int_equal(chown(at("secret"), NOBODY, NOBODY), 0);
	assert_int_equal(tried_for(at("secret"), NOBODY), 0);
	assert_int_equal(tried_for(at("secret"), 1), -EACCES);
	assert_int_equal(chown(at("secret"), 0, 0), 0);
}

static void test_read_for__where_anybody_puts_files(void **state)
{
	static const struct {
		const char *name;
		int rc;
	} tries[] = { { "open", -EINVAL }, /* it has two names */
		      { "hard", -EINVAL },
		      { "soft", -EINVAL },
		      { "secret", 0 } };

	(void)state;
	for (size_t i = 0; i < sizeof(tries) / sizeof(tries[0]); i++) {
		const struct sup_name name = { .path = at(tries[i].name),
					       .user = getuid(),
					       .is_open_to_all = true };

		assert_int_equal(tried(&name), tries[i].rc);
	}
}

static int below(const char *path)
{
	const struct sup_name name = { .path = path,
				       .root_len = strlen(at("in")),
				       .user = getuid() };

	return tried(&name);
}

static void test_read_for__what_lies_below_a_folder(void **state)
{
	const struct sup_name proc = { .path = "/proc/self/status",
				       .root_len = 5 };

	(void)state;
	assert_int_equal(below(at("in/open")), 0);
	assert_int_equal(below(at("in/up")), 0); /* to in/open */
	assert_int_equal(below(at("in/../in/open")), -ENOENT);
	assert_int_equal(below(at("in/../open")), 0); /* of in, itself */
	assert_int_equal(below(at("in/out")), -ENOENT);
	assert_int_equal(tried(&proc), -EINVAL); /* it has no length */
}

/* Let a system call fail from here on. */
static int without(uint32_t call, uint32_t error)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
			 offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, call, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | error),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	const struct sock_fprog program = { 4, code };

	return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
	       prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

static void test_read_for__old_kernels(void **state)
{
	int status = 0;
	pid_t pid = fork();

	(void)state;
	if (!pid) {
		if (without(SYS_openat2, ENOSYS)) /* older than 5.6 */
			_exit(77);
		_exit(below(at("in/open")) != 0 ||
		      below(at("in/out")) != -EXDEV ||
		      below(at("in/../open")) != -EXDEV);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	if (WEXITSTATUS(status) == 77)
		skip();
	assert_int_equal(status, 0);
}

/* Become nobody, with all capabilities in effect. */
static int become_nobody(void)
{
	struct __user_cap_header_struct header = {
		.version = _LINUX_CAPABILITY_VERSION_3
	};
	struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3];

	if (prctl(PR_SET_KEEPCAPS, 1) || setresgid(NOBODY, NOBODY, NOBODY) ||
	    setresuid(NOBODY, NOBODY, NOBODY) ||
	    syscall(SYS_capget, &header, data))
		return -1;
	for (int i = 0; i < _LINUX_CAPABILITY_U32S_3; i++)
		data[i].effective = data[i].permitted;
	return (int)syscall(SYS_capset, &header, data);
}

static void test_read_for__real_user_with_capabilities(void **state)
{
	int status = 0;
	pid_t pid;

	(void)state;
	if (getuid())
		skip();
	pid = fork();
	if (!pid) {
		if (become_nobody() || tried_for(at("secret"), 0) ||
		    tried_for(at("secret"), NOBODY) != -EACCES ||
		    tried_for(at("secret"), 1) != -EACCES ||
		    tried_for(at("open"), NOBODY))
			_exit(1);
		if (without(SYS_capset, EPERM))
			_exit(0);
		_exit(tried_for(at("secret"), NOBODY) != -EACCES ||
		      tried_for(at("open"), NOBODY));
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_read_for__only_regular_files),
		cmocka_unit_test(test_read_for__what_the_user_may_read),
		cmocka_unit_test(test_read_for__where_anybody_puts_files),
		cmocka_unit_test(test_read_for__what_lies_below_a_folder),
		cmocka_unit_test(test_read_for__old_kernels),
		cmocka_unit_test(test_read_for__real_user_with_capabilities),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
