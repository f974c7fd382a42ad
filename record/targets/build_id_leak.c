#include "record/targets/build_id_leak.h"

#include <elf.h>
#include <linux/perf_event.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "format/layout.h"

enum { EVENT_NR = 3, ASKING = 1, ID_LEN = 20 };

/* The least that the kernel takes a build-id from. */
struct image {
	Elf64_Ehdr ehdr;
	Elf64_Phdr phdr;
	Elf64_Nhdr note;
	char name[4];
	uint8_t id[ID_LEN];
};

static void fill(struct image *image)
{
	const uint16_t one = 1;
	const bool is_little = *(const uint8_t *)&one;

	*image = (struct image){
		.ehdr = {
			.e_type = ET_DYN,
			.e_version = EV_CURRENT,
			.e_ehsize = sizeof(image->ehdr),
			.e_phoff = offsetof(struct image, phdr),
			.e_phentsize = sizeof(image->phdr),
			.e_phnum = 1,
		},
		.phdr = {
			.p_type = PT_NOTE,
			.p_offset = offsetof(struct image, note),
			.p_filesz = sizeof(*image) -
				    offsetof(struct image, note),
			.p_align = 4,
		},
		.note = {
			.n_namesz = sizeof(image->name),
			.n_descsz = ID_LEN,
			.n_type = NT_GNU_BUILD_ID,
		},
		.name = ELF_NOTE_GNU,
	};
	memcpy(image->ehdr.e_ident, ELFMAG, SELFMAG);
	image->ehdr.e_ident[EI_CLASS] = ELFCLASS64;
	image->ehdr.e_ident[EI_DATA] = is_little ? ELFDATA2LSB : ELFDATA2MSB;
	image->ehdr.e_ident[EI_VERSION] = EV_CURRENT;
	memset(image->id, 0x5a, sizeof(image->id));
}

/* A file in memory that has a build-id; -1: none can be had. */
static int make_file(void)
{
	struct image image;
	int fd = memfd_create("perfpair-probe", MFD_CLOEXEC);

	fill(&image);
	if (fd < 0)
		return -1;
	if (write(fd, &image, sizeof(image)) == (ssize_t)sizeof(image))
		return fd;
	close(fd);
	return -1;
}

static int open_event(bool asks)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_SW_DUMMY,
		.sample_period = 1,
		.exclude_kernel = 1,
		.exclude_hv = 1,
		.mmap = 1,
		.mmap_data = 1,
		.mmap2 = 1,
		.build_id = asks,
	};

	return (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1,
			    PERF_FLAG_FD_CLOEXEC);
}

/* How many MMAP2 records in the ring have the bit; *ret_nr: of how many. */
static unsigned count_marked(const uint8_t *ring, size_t page_len,
			     unsigned *ret_nr)
{
	const struct perf_event_mmap_page *control = (const void *)ring;
	uint64_t head = __atomic_load_n(&control->data_head, __ATOMIC_ACQUIRE);
	unsigned marked_nr = 0;

	*ret_nr = 0;
	for (uint64_t at = 0; head <= page_len && at < head;) {
		struct perf_event_header header;

		memcpy(&header, ring + page_len + at, sizeof(header));
		if (header.size < sizeof(header))
			break;
		at += header.size;
		/* the ring's own mapping may be told of too */
		if (header.type != PD_RECORD_MMAP2)
			continue;
		++*ret_nr;
		marked_nr += !!(header.misc & PD_MISC_MMAP_BUILD_ID);
	}
	return marked_nr;
}

/* Maps the file while all listen to one ring. */
static bool try_with(const int fds[EVENT_NR], int file)
{
	size_t page_len = (size_t)sysconf(_SC_PAGESIZE);
	unsigned marked_nr, nr;
	uint8_t *ring = mmap(NULL, 2 * page_len, PROT_READ | PROT_WRITE,
			     MAP_SHARED, fds[0], 0);
	bool leaks = true;
	void *map;

	if (ring == MAP_FAILED)
		return true;
	for (int i = 1; i < EVENT_NR; i++)
		if (ioctl(fds[i], PERF_EVENT_IOC_SET_OUTPUT, fds[0]))
			goto out;
	map = mmap(NULL, page_len, PROT_READ, MAP_PRIVATE, file, 0);
	if (map == MAP_FAILED)
		goto out;
	munmap(map, page_len);
	marked_nr = count_marked(ring, page_len, &nr);
	/* only the one that asked, and that it was seen to get */
	leaks = nr < EVENT_NR || marked_nr != 1;
out:
	munmap(ring, 2 * page_len);
	return leaks;
}

bool rec_build_id_leaks(void)
{
	int fds[EVENT_NR];
	int file = make_file();
	bool leaks = true;
	int nr = 0;

	if (file < 0)
		return true;
	for (; nr < EVENT_NR; nr++) {
		fds[nr] = open_event(nr == ASKING);
		if (fds[nr] < 0)
			break;
	}
	if (nr == EVENT_NR)
		leaks = try_with(fds, file);
	while (nr)
		close(fds[--nr]);
	close(file);
	return leaks;
}
