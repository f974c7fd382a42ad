#include "format/symtab/perf_map_line.h"

#include "format/symtab/hex_number.h"

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

bool pd_is_perf_map(struct pd_str path, uint32_t *ret_pid)
{
	static const char head[] = "/tmp/perf-", tail[] = ".map";
	const size_t head_len = sizeof(head) - 1, tail_len = sizeof(tail) - 1;
	uint64_t pid = 0;
	size_t end;

	if (path.len <= head_len + tail_len ||
	    memcmp(path.ptr, head, head_len) != 0 ||
	    memcmp(path.ptr + path.len - tail_len, tail, tail_len) != 0)
		return false;
	end = path.len - tail_len;
	if (path.ptr[head_len] == '0' && end > head_len + 1)
		return false;
	for (size_t i = head_len; i < end; i++) {
		if (!is_digit(path.ptr[i]) || pid > UINT32_MAX / 10)
			return false;
		pid = pid * 10 + (uint64_t)(path.ptr[i] - '0');
	}
	if (pid > UINT32_MAX)
		return false;
	if (ret_pid)
		*ret_pid = (uint32_t)pid;
	return true;
}

static bool starts_with(struct pd_str s, const char *head)
{
	size_t len = strlen(head);

	return s.len >= len && !memcmp(s.ptr, head, len);
}

static bool ends_with(struct pd_str s, const char *tail)
{
	size_t len = strlen(tail);

	return s.len >= len && !memcmp(s.ptr + s.len - len, tail, len);
}

bool pd_may_be_jit_file(struct pd_str path)
{
	return pd_is_unlinked(path) || starts_with(path, "/dev/shm/") ||
	       ends_with(path, ".dll") || ends_with(path, ".exe");
}

bool pd_is_unlinked(struct pd_str path)
{
	return starts_with(path, "/memfd:") || ends_with(path, " (deleted)");
}

/* Move over blanks, a number, and the blank behind it.  Return false if it is
 * none. */
static bool read_number(struct pd_str *line, uint64_t *ret)
{
	const char *at = line->ptr, *end = line->ptr + line->len;

	while (at < end && (*at == ' ' || *at == '\t'))
		at++;
	if (end - at > 2 && at[0] == '0' && (at[1] | 0x20) == 'x')
		at += 2;
	*line = (struct pd_str){ at, (size_t)(end - at) };
	if (!pd_hex_number(line, ret) || !line->len || *line->ptr != ' ')
		return false;
	line->ptr++;
	line->len--;
	return true;
}

bool pd_perf_map_line_read(struct pd_str line, struct pd_perf_map_line *ret)
{
	if (line.len && line.ptr[line.len - 1] == '\r')
		line.len--;
	if (!read_number(&line, &ret->start) || !read_number(&line, &ret->len))
		return false;
	ret->name = line;
	return line.len && ret->len <= UINT64_MAX - ret->start &&
	       !memchr(line.ptr, '\0', line.len);
}

struct pd_symbol_start pd_perf_map_symbol(const struct pd_perf_map_line *line)
{
	return (struct pd_symbol_start){
		.start = line->start,
		.rank = line->len != 0,
		.name = line->len ? (struct pd_str){ "", 0 } : line->name,
	};
}
