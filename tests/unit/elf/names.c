/* Symbols of every shape that symbol_table.h has a rule for; linked alone, so
 * that the addresses are those of this listing. */
__asm__(".text\n"
	".globl _start, short1, longer1, __longest1, _half1, strong2\n"
	".globl unsized4, hidden5\n"
	".hidden hidden5\n"
	".weak weak2_is_longer\n"
	".type short1,%function\n.type longer1,%function\n"
	".type __longest1,%function\n.type _half1,%function\n"
	".type weak2_is_longer,%function\n.type strong2,%function\n"
	".type local2_is_longer,%function\n.type unsized4,%function\n"
	".type object6,%object\n.type sized8,%function\n"
	".type outer9,%function\n.type inner9,%function\n"
	".type last10,%function\n"
	"_start: .skip 16\n"
	"__longest1: _half1: short1: longer1: .skip 32\n" /* 0x10 */
	".size short1,32\n.size longer1,32\n"
	".size __longest1,32\n.size _half1,16\n"
	"weak2_is_longer: strong2: local2_is_longer: .skip 32\n" /* 0x30 */
	".size weak2_is_longer,32\n.size strong2,32\n"
	".size local2_is_longer,32\n"
	"label3: .skip 32\n"			/* 0x50 */
	"unsized4: .skip 64\n"			/* 0x70 */
	"hidden5: .skip 16\n"			/* 0xb0 */
	"object6: .skip 16\n.size object6,16\n" /* 0xc0 */
	"label7: .skip 48\n"			/* 0xd0 */
	"sized8: .skip 64\n.size sized8,32\n"	/* 0x100 */
	"outer9: .skip 16\n"			/* 0x140 */
	"inner9: .skip 48\n.size inner9,16\n"	/* 0x150 */
	".size outer9,64\n"
	"last10: .skip 16\n" /* 0x180 */
	".section .elsewhere,\"ax\"\n"
	"label11: .skip 16\n");
