#include "format/base/zstd_block.h"

#include <zstd.h>

void pd_zstd_block_write(struct pd_buf *b, int level, const void *plain,
			 size_t len)
{
	size_t cap = ZSTD_compressBound(len), got;
	uint8_t *to = pd_buf_reserve(b, cap);
	ZSTD_CCtx *zstd;

	if (!to)
		return;
	zstd = ZSTD_createCCtx();
	if (!zstd) {
		b->status = -ENOMEM;
		return;
	}
	ZSTD_CCtx_setParameter(zstd, ZSTD_c_compressionLevel, level);
	ZSTD_CCtx_setParameter(zstd, ZSTD_c_checksumFlag, 1);
	got = ZSTD_compress2(zstd, to, cap, plain, len);
	if (ZSTD_isError(got))
		b->status = -EIO;
	else
		pd_buf_commit(b, got);
	ZSTD_freeCCtx(zstd);
}

int pd_zstd_block_read(const uint8_t *data, size_t len, uint8_t *ret,
		       size_t plain_len)
{
	ZSTD_DCtx *zstd = ZSTD_createDCtx();
	size_t got;

	if (!zstd)
		return -ENOMEM;
	got = ZSTD_decompressDCtx(zstd, ret, plain_len, data, len);
	ZSTD_freeDCtx(zstd);
	return ZSTD_isError(got) || got != plain_len ? -EBADMSG : 0;
}
