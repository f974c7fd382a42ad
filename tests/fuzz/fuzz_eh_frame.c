/* fuzz_eh_frame.c: any bytes as .eh_frame_hdr and .eh_frame of a file, which is
 * asked for the bounds of functions and for the pieces that are carried.
 *
 *	u8 flags, u16 length of .eh_frame_hdr, its bytes, those of .eh_frame
 *
 * Both stand at the start of the file; addresses are ADDR more than offsets. */
#include "format/carried/cfi_pieces.h"
#include "format/symtab/eh_frame.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

enum { IS_64 = 1, IS_BIG = 2, IS_AARCH64 = 4, IS_SCANNED = 8 };
enum { ADDR = 0x1000, CODE_LEN = 0x8000, HIT_NR = 200, READ_NR_MAX = 60 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

struct file {
	const uint8_t *bytes;
	size_t len;
	size_t read_nr;
};

static int read_at(void *ctx, uint64_t off, void *ret, size_t len)
{
	struct file *file = ctx;

	file->read_nr++;
	if (len > file->len || off > file->len - len)
		return -EBADMSG;
	memcpy(ret, file->bytes + off, len);
	return 0;
}

static void check(bool is_true)
{
	if (!is_true)
		abort();
}

/* An address costs a few reads, whatever the file says. */
static void find_bounds(const struct pd_elf_image *elf, struct file *file,
			const uint64_t *hits, bool is_scanned)
{
	struct pd_eh_frame *frames;

	if (pd_eh_frame_open(elf, is_scanned, &frames))
		return;
	for (size_t i = 0; i < HIT_NR; i++) {
		uint64_t start, end;

		file->read_nr = 0;
		if (pd_eh_frame_bounds(frames, hits[i], &start, &end))
			check(start <= hits[i] && hits[i] < end);
		check(file->read_nr <= READ_NR_MAX);
	}
	pd_eh_frame_close(frames);
}

/* Pieces that are written are read back. */
static void write_pieces(const struct pd_elf_image *elf,
			 const struct pd_carried_cfi *frames)
{
	struct pd_carried_file file = { .is_big_endian = elf->is_big_endian,
					.frames = frames };
	struct pd_buf b = PD_BUF_INIT;
	struct pd_carried carried = { .files = &file, .file_nr = 1 };
	struct pd_carried_piece *pieces;
	uint8_t *room;

	pd_carried_cfi_write(&b, &file, 1);
	check(!pd_buf_status(&b));
	check(!pd_carried_cfi_read(&carried, b.data, b.len, 0, NULL));
	check(carried.frames_nr == 1);
	check(carried.frames->piece_nr == frames->piece_nr);
	pieces = calloc(frames->piece_nr + (size_t)1, sizeof(*pieces));
	room = malloc((size_t)carried.frames->text_len + 1);
	check(pieces && room);
	check(!pd_carried_pieces(&carried, carried.frames, pieces, room, NULL));
	for (uint32_t i = 0; i < frames->piece_nr; i++) {
		const struct pd_carried_piece *p = &frames->pieces[i];

		check(pieces[i].off == p->off && pieces[i].len == p->len);
		check(pieces[i].start == p->start && pieces[i].kind == p->kind);
		check(!memcmp(pieces[i].data, p->data, p->len));
	}
	free(pieces);
	free(room);
	free(carried.frames);
	pd_buf_release(&b);
}

static void find_pieces(const struct pd_elf_image *elf, const uint64_t *hits)
{
	size_t budget = 1 << 16;
	const struct pd_cfi_limits limits = { .budget = &budget };
	struct pd_cfi_pieces pieces;

	(void)pd_cfi_pieces_find(elf, hits, HIT_NR, &limits, &pieces);
	check(pieces.text_len <= 1 << 16);
	if (pieces.is_there)
		write_pieces(elf, &pieces.frames);
	pd_cfi_pieces_release(&pieces);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	struct file file;
	struct pd_elf_section sections[3] = {
		[1] = { .name = ".eh_frame_hdr", .type = SHT_PROGBITS },
		[2] = { .name = ".eh_frame", .type = SHT_PROGBITS },
	};
	struct pd_elf_image elf = {
		.from = { .read = read_at, .ctx = &file },
		.segments = { { 0, ADDR, CODE_LEN } },
		.segment_nr = 1,
		.sections = sections,
		.section_nr = 3,
	};
	uint64_t hits[HIT_NR];
	size_t hdr_len;

	if (len < 3)
		return 0;
	hdr_len = data[1] | (size_t)data[2] << 8;
	file = (struct file){ data + 3, len - 3, 0 };
	hdr_len = hdr_len < file.len ? hdr_len : file.len;
	elf.is_64 = data[0] & IS_64;
	elf.is_big_endian = data[0] & IS_BIG;
	elf.swap = elf.is_big_endian != PD_HOST_IS_BIG_ENDIAN;
	elf.machine = data[0] & IS_AARCH64 ? EM_AARCH64 : EM_X86_64;
	sections[1].addr = ADDR;
	sections[1].len = hdr_len;
	sections[2].off = hdr_len;
	sections[2].addr = ADDR + hdr_len;
	sections[2].len = file.len - hdr_len;
	for (size_t i = 0; i < HIT_NR; i++)
		hits[i] = i * 17;
	find_bounds(&elf, &file, hits, data[0] & IS_SCANNED);
	find_pieces(&elf, hits);
	return 0;
}
