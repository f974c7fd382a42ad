#include "report/scrub/name_key.h"

#include "report/base/whole_file.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

enum { KEY_LEN = 16, FILE_LEN_MAX = 1 << 16 };

static uint64_t read_le(const uint8_t *p, size_t len)
{
	uint64_t v = 0;

	for (size_t i = 0; i < len; i++)
		v |= (uint64_t)p[i] << (8 * i);
	return v;
}

static uint64_t rotate(uint64_t v, unsigned bits)
{
	return v << bits | v >> (64 - bits);
}

static void mix(uint64_t v[4], unsigned rounds)
{
	while (rounds--) {
		v[0] += v[1];
		v[1] = rotate(v[1], 13) ^ v[0];
		v[0] = rotate(v[0], 32);
		v[2] += v[3];
		v[3] = rotate(v[3], 16) ^ v[2];
		v[0] += v[3];
		v[3] = rotate(v[3], 21) ^ v[0];
		v[2] += v[1];
		v[1] = rotate(v[1], 17) ^ v[2];
		v[2] = rotate(v[2], 32);
	}
}

uint64_t rpt_name_key_hash(const struct rpt_name_key *key, const void *data,
			   size_t len)
{
	const uint64_t *k = key->words;
	uint64_t v[4] = {
		k[0] ^ UINT64_C(0x736f6d6570736575),
		k[1] ^ UINT64_C(0x646f72616e646f6d),
		k[0] ^ UINT64_C(0x6c7967656e657261),
		k[1] ^ UINT64_C(0x7465646279746573),
	};
	const uint8_t *p = data;
	size_t left = len;
	uint64_t word;

	for (; left >= 8; p += 8, left -= 8) {
		word = read_le(p, 8);
		v[3] ^= word;
		mix(v, 2);
		v[0] ^= word;
	}
	word = (left ? read_le(p, left) : 0) | (uint64_t)len << 56;
	v[3] ^= word;
	mix(v, 2);
	v[0] ^= word;
	v[2] ^= 0xff;
	mix(v, 4);
	return v[0] ^ v[1] ^ v[2] ^ v[3];
}

void rpt_name_key_set(struct rpt_name_key *ret, const uint8_t bytes[KEY_LEN])
{
	ret->words[0] = read_le(bytes, 8);
	ret->words[1] = read_le(bytes + 8, 8);
}

int rpt_name_key_draw(struct rpt_name_key *ret, struct pd_err *err)
{
	uint8_t bytes[KEY_LEN];
	ssize_t n = getrandom(bytes, sizeof(bytes), 0);

	if (n != (ssize_t)sizeof(bytes))
		return pd_err_set(err, n < 0 ? -errno : -EIO,
				  "no random key: %s", strerror(errno));
	rpt_name_key_set(ret, bytes);
	return 0;
}

int rpt_name_key_read(struct rpt_name_key *ret, const char *path,
		      struct pd_err *err)
{
	const struct rpt_name_key first = { { 1, 0 } }, second = { { 2, 0 } };
	size_t len;
	char *text = rpt_whole_file(path, FILE_LEN_MAX, &len, err);
	int rc = err->code;

	if (!text)
		return rc ? rc : -EIO;
	rc = 0;
	if (len < KEY_LEN)
		rc = pd_err_set(err, -EINVAL,
				"a key has at least %d bytes (head -c 32 "
				"/dev/urandom > %s makes one)",
				KEY_LEN, path);
	ret->words[0] = rpt_name_key_hash(&first, text, len);
	ret->words[1] = rpt_name_key_hash(&second, text, len);
	free(text);
	return rc;
}

void rpt_name_key_hide(const struct rpt_name_key *key, struct pd_str name,
		       struct pd_buf *to)
{
	char text[RPT_HIDDEN_LEN + 1];

	snprintf(text, sizeof(text), "x%012" PRIx64,
		 rpt_name_key_hash(key, name.ptr, name.len) >> 16);
	pd_buf_bytes(to, text, RPT_HIDDEN_LEN);
}
