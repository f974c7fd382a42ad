/* Key-value store; hash_key() is made dearer by DEARER percent of its loop. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#define N      (1u << 17)
#define ROUNDS 20 + (20 * DEARER + 50) / 100
static uint64_t keys[N], vals[N];
static uint32_t table[2 * N];
static uint64_t arr[N / 4];
__attribute__((noinline)) uint32_t hash_key(uint64_t k)
{
	uint64_t h = k;
	for (int i = 0; i < (ROUNDS); i++) {
		h ^= h >> 29;
		h *= 0xbf58476d1ce4e5b9u;
		__asm__ volatile("" : "+r"(h));
	}
	return (uint32_t)(h >> 20);
}
__attribute__((noinline)) void make_keys(uint64_t seed)
{
	for (uint32_t i = 0; i < N; i++) {
		for (int k = 0; k < 12; k++) {
			seed ^= seed << 13;
			seed ^= seed >> 7;
			seed ^= seed << 17;
		}
		keys[i] = seed;
	}
}
__attribute__((noinline)) void insert_all(void)
{
	memset(table, 0, sizeof table);
	for (uint32_t i = 0; i < N; i++) {
		uint32_t h = (i % 4 ? (uint32_t)(keys[i] >> 11)
				    : hash_key(keys[i])) %
			     (2 * N);
		while (table[h])
			h = (h + 1) % (2 * N);
		table[h] = i + 1;
	}
}
__attribute__((noinline)) uint64_t lookup_all(void)
{
	uint64_t s = 0;
	for (int r = 0; r < 2; r++)
		for (uint32_t i = 0; i < N; i++) {
			uint32_t h = (i % 4 ? (uint32_t)(keys[i] >> 11)
					    : hash_key(keys[i])) %
				     (2 * N);
			while (table[h] != i + 1)
				h = (h + 1) % (2 * N);
			s += h;
		}
	return s;
}
static int cmp(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
	return (x > y) - (x < y);
}
__attribute__((noinline)) void sort_some(void)
{
	memcpy(arr, keys, sizeof arr);
	qsort(arr, N / 4, 8, cmp);
}
__attribute__((noinline)) uint32_t checksum(void)
{
	uint32_t c = ~0u;
	for (size_t i = 0; i < N; i++) {
		c ^= (uint32_t)keys[i];
		for (int b = 0; b < 16; b++)
			c = c & 1 ? c >> 1 ^ 0xedb88320u : c >> 1;
	}
	return c;
}
__attribute__((noinline)) void fold(void)
{
	for (uint32_t i = 1; i < N; i++)
		vals[i] = vals[i - 1] * 31 + keys[i] % 1009;
}
int main(void)
{
	uint64_t s = 0;
	for (int r = 0; r < 55; r++) {
		make_keys(88172645463325252u + r);
		insert_all();
		s += lookup_all();
		sort_some();
		s += checksum();
		fold();
		s += vals[N - 1];
	}
	printf("%lu\n", s);
	return 0;
}
