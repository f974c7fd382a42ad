#include "format/support/read_for.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <limits.h>
#include <linux/capability.h>
#include <linux/openat2.h>
#include <pthread.h>
#include <pwd.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/fsuid.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { GROUPS_MAX = 1024, NO_GROUP = 65534, SELF_LEN = 32 };

/* glibc's setgroups() is of all threads. */
#ifdef SYS_setgroups32
#define SETGROUPS SYS_setgroups32
#else
#define SETGROUPS SYS_setgroups
#endif

/* A user, his group, and others that he is in. */
struct groups {
	uid_t user;
	gid_t own;
	gid_t items[GROUPS_MAX];
	size_t nr;
};

static void self_path(int fd, char ret[SELF_LEN])
{
	snprintf(ret, SELF_LEN, "/proc/self/fd/%d", fd);
}

/* Return which capabilities are in effect; all if that cannot be asked. */
static uint64_t capabilities(void)
{
	struct __user_cap_header_struct header = {
		.version = _LINUX_CAPABILITY_VERSION_3
	};
	struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3] = { 0 };

	return syscall(SYS_capget, &header, data)
		       ? UINT64_MAX
		       : (uint64_t)data[1].effective << 32 | data[0].effective;
}

bool sup_reads_as_we_do(uid_t user)
{
	return !user || (user == getuid() && user == geteuid() &&
			 getgid() == getegid() && !capabilities());
}

/* Add the groups of which the user with that name is a member. */
static void read_members(const char *name, struct groups *ret)
{
	FILE *file = fopen("/etc/group", "re");
	struct group *entry;

	while (file && (entry = fgetgrent(file)))
		for (char **at = entry->gr_mem; *at; at++)
			if (!strcmp(*at, name) && ret->nr < GROUPS_MAX)
				ret->items[ret->nr++] = entry->gr_gid;
	if (file)
		fclose(file);
}

/* Read the groups out of the files, since a static program has no name
 * services: a user who is in none has the group of nobody, and less is read for
 * him. */
static void read_groups(uid_t user, struct groups *ret)
{
	FILE *file = fopen("/etc/passwd", "re");
	struct passwd *entry = NULL;

	ret->user = user;
	ret->own = NO_GROUP;
	ret->nr = 0;
	while (file && (entry = fgetpwent(file)) && entry->pw_uid != user)
		continue;
	if (entry) {
		ret->own = entry->pw_gid;
		read_members(entry->pw_name, ret);
	}
	if (file)
		fclose(file);
}

/* Remember the last user's: most files are of few. */
static void find_groups(uid_t user, struct groups *ret)
{
	static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
	static struct groups last; /* of user 0: nobody's yet */

	pthread_mutex_lock(&lock);
	if (last.user != user)
		read_groups(user, &last);
	*ret = last;
	pthread_mutex_unlock(&lock);
}

static bool drop_capabilities(void)
{
	struct __user_cap_header_struct header = {
		.version = _LINUX_CAPABILITY_VERSION_3
	};
	struct __user_cap_data_struct none[_LINUX_CAPABILITY_U32S_3] = { 0 };

	return !syscall(SYS_capset, &header, none);
}

/* Neither call says whether it failed, but for what the next one returns. */
static bool take_ids(uid_t user, gid_t group)
{
	setfsgid(group);
	setfsuid(user);
	return (gid_t)setfsgid((gid_t)-1) == group &&
	       (uid_t)setfsuid((uid_t)-1) == user;
}

/* Give this thread the rights of another user, whose groups these are, or of
 * the real one (NULL), for good.  Return false if that failed. */
static bool take_rights(const struct groups *groups)
{
	const bool is_real = getuid() == geteuid() && getgid() == getegid();

	if (!groups)
		return (is_real || take_ids(getuid(), getgid())) &&
		       drop_capabilities();
	return !syscall(SETGROUPS, groups->nr, groups->items) &&
	       take_ids(groups->user, groups->own) && drop_capabilities();
}

static bool may_enter(const char *folder)
{
	struct stat st;

	return !stat(folder, &st) && (st.st_mode & S_IXOTH);
}

/* Return whether a file, and each folder that it lies in, is open to all. */
static bool may_anybody_read(int fd, const struct stat *st)
{
	char self[SELF_LEN], path[PATH_MAX];
	ssize_t len;

	self_path(fd, self);
	len = readlink(self, path, sizeof(path) - 1);
	if (!(st->st_mode & S_IROTH) || len <= 0 || *path != '/')
		return false;
	path[len] = '\0';
	for (char *slash = strrchr(path, '/'); slash > path;
	     slash = strrchr(path, '/')) {
		*slash = '\0';
		if (!may_enter(path))
			return false;
	}
	return may_enter("/");
}

/* A file while it is opened. */
struct opening {
	const struct sup_name *name;
	int root_fd;		     /* -1: none */
	const struct groups *groups; /* NULL: none are taken */
	bool has_rights;	     /* of the user */
	int fd;			     /* or a negative errno */
};

/* Return whether the file of a descriptor lies below that of another. */
static bool is_below(int fd, int root_fd)
{
	char self[SELF_LEN], path[PATH_MAX], root[PATH_MAX];
	ssize_t len, root_len;

	self_path(fd, self);
	len = readlink(self, path, sizeof(path));
	self_path(root_fd, self);
	root_len = readlink(self, root, sizeof(root));
	if (root_len == 1)
		return true; /* "/" */
	return root_len > 0 && len > root_len && path[root_len] == '/' &&
	       !memcmp(path, root, (size_t)root_len);
}

/* Find the file without openat2(). */
static int find_by_links(const struct opening *o, int flags)
{
	int fd;

	if (!strncmp(o->name->path, "/proc/", 6))
		return -ENOSYS;
	fd = open(o->name->path, flags);
	if (fd < 0 || is_below(fd, o->root_fd))
		return fd < 0 ? -errno : fd;
	close(fd);
	return -EXDEV;
}

static int find(struct opening *o)
{
	struct open_how how = {
		.flags = O_PATH | O_CLOEXEC |
			 (o->name->is_open_to_all ? O_NOFOLLOW : 0),
		.resolve = RESOLVE_IN_ROOT,
	};
	const struct sup_name *name = o->name;
	long fd = o->root_fd < 0 ? open(name->path, (int)how.flags)
				 : syscall(SYS_openat2, o->root_fd,
					   name->path + name->root_len, &how,
					   sizeof(how));

	if (fd < 0 && errno == ENOSYS && o->root_fd >= 0)
		return find_by_links(o, (int)how.flags);
	return fd < 0 ? -errno : (int)fd;
}

/* Return a negative errno if the file is not to be read. */
static int judge(const struct opening *o, int found)
{
	const uid_t user = o->name->user;
	struct stat st;

	if (fstat(found, &st))
		return -errno;
	if (!S_ISREG(st.st_mode) || (o->root_fd >= 0 && !st.st_size) ||
	    (o->name->is_open_to_all && st.st_nlink > 1))
		return -EINVAL;
	if (o->has_rights)
		return 0;
	return st.st_uid == user || may_anybody_read(found, &st) ? 0 : -EACCES;
}

static int open_it(struct opening *o)
{
	const int flags = O_RDONLY | O_CLOEXEC | O_NONBLOCK;
	int found = find(o), rc, fd;
	char self[SELF_LEN];

	if (found < 0)
		return found;
	rc = judge(o, found);
	if (!rc) {
		self_path(found, self);
		fd = open(self, flags);
		if (fd < 0 && errno == ENOENT && o->root_fd < 0)
			fd = open(o->name->path, flags); /* no /proc here */
		rc = fd < 0 ? -errno : fd;
	}
	close(found);
	return rc;
}

static void *open_as_user(void *arg)
{
	struct opening *o = arg;

	o->has_rights = take_rights(o->groups);
	o->fd = o->has_rights ? open_it(o) : -EPERM;
	return NULL;
}

/* The kernel takes a program with such a thread for one that is not to be
 * dumped or traced; keep what it was. */
static int open_in_thread(struct opening *o)
{
	static atomic_int dumpable = -1; /* before the first */
	pthread_t thread;
	int unknown = -1, rc;

	atomic_compare_exchange_strong(&dumpable, &unknown,
				       prctl(PR_GET_DUMPABLE));
	rc = -pthread_create(&thread, NULL, open_as_user, o);
	if (rc)
		return rc;
	pthread_join(thread, NULL);
	if (dumpable == 1)
		prctl(PR_SET_DUMPABLE, 1);
	return o->fd;
}

static int open_for(struct opening *o)
{
	const uint64_t needed =
		UINT64_C(1) << CAP_SETUID | UINT64_C(1) << CAP_SETGID;
	const uid_t user = o->name->user;
	struct groups groups;
	int fd;

	o->has_rights = sup_reads_as_we_do(user);
	if (o->has_rights)
		return open_it(o);
	if (user != getuid() &&
	    (user == SUP_ANYBODY || (capabilities() & needed) != needed))
		return open_it(o);
	fd = find(o);
	if (fd == -ENOENT || fd == -ENOTDIR)
		return fd; /* most are, and need no thread */
	if (fd >= 0)
		close(fd);
	if (user != getuid()) {
		find_groups(user, &groups);
		o->groups = &groups;
	}
	fd = open_in_thread(o);
	/* such as a user whom this namespace does not have, or a system call
	 * that a filter refuses */
	return o->has_rights ? fd : open_it(o);
}

/* Open the folder that the path does not leave; -1 if there is none. */
static int open_root(const struct sup_name *name)
{
	char root[PATH_MAX];
	int fd;

	if (!name->root_len)
		return -1;
	if (name->root_len >= sizeof(root))
		return -ENAMETOOLONG;
	memcpy(root, name->path, name->root_len);
	root[name->root_len] = '\0';
	fd = open(root, O_PATH | O_DIRECTORY | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

/* Call with the folder open. */
static int in_root(const struct sup_name *name, int (*call)(struct opening *o))
{
	struct opening o = { .name = name, .root_fd = open_root(name) };
	int rc;

	if (name->root_len && o.root_fd < 0)
		return o.root_fd;
	rc = call(&o);
	if (o.root_fd >= 0)
		close(o.root_fd);
	return rc;
}

int sup_read_for(const struct sup_name *name)
{
	return in_root(name, open_for);
}

int sup_find(const struct sup_name *name)
{
	return in_root(name, find);
}
