/* counted.c: a program that knows how many instructions it runs in user space,
 * with nothing linked to it: tests/machines/README.md has the sums.
 *
 * Each of ROUNDS rounds runs leaf_three(), leaf_two() and leaf_one() from
 * turn(), which three calls of deeper() have called: 3, 2 and 1 times LOOP_NR
 * turns of a loop of two instructions.  leaf_three() runs a thousandth of all
 * these turns more for each of PLUS. */
#ifndef PLUS
#define PLUS 0
#endif
enum { ROUNDS = 10, LOOP_NR = 1000000, MORE_NR = PLUS * (6 * LOOP_NR / 1000) };

/* A loop of two instructions. */
static inline void loop(unsigned long nr)
{
#if defined(__aarch64__)
	__asm__ volatile("1: subs %0, %0, #1\n\tb.ne 1b" : "+r"(nr) : : "cc");
#elif defined(__s390x__)
	__asm__ volatile("1: nop\n\tbrctg %0, 1b" : "+d"(nr));
#elif defined(__x86_64__) || defined(__i386__)
	__asm__ volatile("1: dec %0\n\tjne 1b" : "+r"(nr) : : "cc");
#elif defined(__arm__)
	__asm__ volatile("1: subs %0, %0, #1\n\tbne 1b" : "+r"(nr) : : "cc");
#elif defined(__riscv)
	__asm__ volatile("1: addi %0, %0, -1\n\tbnez %0, 1b" : "+r"(nr));
#elif defined(__powerpc64__)
	__asm__ volatile("mtctr %0\n1:\tnop\n\tbdnz 1b" : : "r"(nr) : "ctr");
#endif
}

__attribute__((noinline)) void leaf_three(unsigned long nr)
{
	loop(3 * nr + MORE_NR);
}

__attribute__((noinline)) void leaf_two(unsigned long nr)
{
	loop(2 * nr);
}

__attribute__((noinline)) void leaf_one(unsigned long nr)
{
	loop(nr);
}

/* Without what follows a call, the compiler would jump instead. */
#define IS_NO_TAIL __asm__ volatile("")

__attribute__((noinline)) void turn(unsigned long nr)
{
	leaf_three(nr);
	leaf_two(nr);
	leaf_one(nr);
	IS_NO_TAIL;
}

__attribute__((noinline)) void deeper(unsigned long nr, int depth)
{
	if (depth)
		deeper(nr, depth - 1);
	else
		turn(nr);
	IS_NO_TAIL;
}

#ifdef __arm__
/* Tables of unwinding name this function of the C library. */
void __aeabi_unwind_cpp_pr0(void)
{
}

void __aeabi_unwind_cpp_pr1(void)
{
}
#endif

static void leave(void)
{
#if defined(__aarch64__)
	__asm__ volatile("mov x8, #93\n\tmov x0, #0\n\tsvc #0");
#elif defined(__s390x__)
	__asm__ volatile("lghi %r2, 0\n\tsvc 1");
#elif defined(__x86_64__)
	__asm__ volatile("mov $60, %eax\n\txor %edi, %edi\n\tsyscall");
#elif defined(__i386__)
	__asm__ volatile("mov $1, %eax\n\txor %ebx, %ebx\n\tint $0x80");
#elif defined(__arm__)
	__asm__ volatile("mov r7, #1\n\tmov r0, #0\n\tswi 0");
#elif defined(__riscv)
	__asm__ volatile("li a7, 93\n\tli a0, 0\n\tecall");
#elif defined(__powerpc64__)
	__asm__ volatile("li 0, 1\n\tli 3, 0\n\tsc");
#endif
}

void _start(void)
{
	for (int i = 0; i < ROUNDS; i++)
		deeper(LOOP_NR, 2);
	leave();
}
