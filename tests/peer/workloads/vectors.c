/* vectors: frames whose size the processor decides: vectors of SVE that live
 * over a call (aarch64, -march=armv8-a+sve). */
#include <arm_sve.h>

static volatile int sum;
static int numbers[512];

__attribute__((noinline)) static int turn(int nr)
{
	for (int i = 0; i < nr; i++)
		sum += i;
	return nr;
}

__attribute__((noinline)) static int add_up(int depth)
{
	svbool_t all = svptrue_b32();
	svint32_t a = svld1(all, numbers);
	svint32_t b = svld1(all, numbers + 64);
	int nr = depth ? add_up(depth - 1) : turn(3);

	return nr + (int)svaddv(all, svadd_x(all, a, b));
}

int main(void)
{
	for (int i = 0; i < 512; i++)
		numbers[i] = i;
	sum += add_up(0) + add_up(5);
	return sum == 0;
}
