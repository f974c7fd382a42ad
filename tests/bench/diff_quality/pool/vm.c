/* A small stack machine; op_mix() is made dearer by DEARER percent of its loop.
 */
#include <stdint.h>
#include <stdio.h>
#define STEPS 30 + (30 * DEARER + 50) / 100
typedef struct {
	uint64_t st[64];
	int sp;
	uint64_t mem[4096];
} vm;
#define OP __attribute__((noinline)) void
OP op_push(vm *m, uint64_t v)
{
	m->st[m->sp++ & 63] = v;
}
OP op_add(vm *m, uint64_t v)
{
	m->st[(m->sp - 2) & 63] += m->st[(m->sp - 1) & 63] + v;
	m->sp--;
}
OP op_div(vm *m, uint64_t v)
{
	m->st[(m->sp - 1) & 63] /= (v | 1) + (m->st[(m->sp - 2) & 63] & 0xff);
}
OP op_mix(vm *m, uint64_t v)
{
	uint64_t x = m->st[(m->sp - 1) & 63];
	for (int i = 0; i < (STEPS); i++) {
		x = (x ^ v) * 0x9e3779b97f4a7c15u;
		__asm__ volatile("" : "+r"(x));
	}
	m->st[(m->sp - 1) & 63] = x;
}
OP op_load(vm *m, uint64_t v)
{
	m->st[m->sp++ & 63] = m->mem[(m->st[(m->sp - 1) & 63] + v) & 4095];
}
OP op_store(vm *m, uint64_t v)
{
	m->mem[(m->st[(m->sp - 1) & 63] * 7 + v) & 4095] =
		m->st[(m->sp - 2) & 63];
	m->sp--;
}
OP op_scan(vm *m, uint64_t v)
{
	uint64_t s = 0;
	for (int i = 0; i < 96; i++)
		s += m->mem[(v + i) & 4095] ^ s >> 3;
	m->st[(m->sp - 1) & 63] ^= s;
}
OP op_sort(vm *m, uint64_t v)
{
	uint64_t *a = m->mem + (v & 2047);
	for (int i = 1; i < 16; i++) {
		uint64_t x = a[i];
		int j = i;
		while (j && a[j - 1] > x) {
			a[j] = a[j - 1];
			j--;
		}
		a[j] = x;
	}
}
OP dispatch(vm *m, uint32_t n)
{
	uint64_t r = 1;
	for (uint32_t i = 0; i < n; i++) {
		r = r * 6364136223846793005u + 1442695040888963407u;
		uint64_t v = r >> 40;
		switch (r >> 60) {
		case 0:
		case 1:
		case 2:
			op_push(m, v);
			break;
		case 3:
		case 4:
		case 5:
			op_add(m, v);
			break;
		case 6:
			op_div(m, v);
			break;
		case 7:
			op_mix(m, v);
			break;
		case 8:
		case 9:
		case 10:
			op_load(m, v);
			break;
		case 11:
		case 12:
		case 13:
			op_store(m, v);
			break;
		case 14:
			op_scan(m, v);
			break;
		default:
			op_sort(m, v);
		}
	}
}
int main(void)
{
	static vm m;
	dispatch(&m, 42000000);
	printf("%lu\n", m.st[0]);
	return 0;
}
