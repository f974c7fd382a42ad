/* aarch64_code.h: what instructions of aarch64 tell where no call frame
 * information does.  Instructions are little-endian whatever the data are. */
#ifndef RPT_AARCH64_CODE_H
#define RPT_AARCH64_CODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define RPT_AARCH64_SIGRETURN_LEN 8
#define RPT_AARCH64_PROLOGUE_LEN  12

/* Return whether code is "mov x8, #139; svc #0", to which a signal handler
 * returns, in the vdso or in a C library. */
bool rpt_aarch64_is_sigreturn(const uint8_t code[RPT_AARCH64_SIGRETURN_LEN]);

/* Return the length of the frame that a function makes with its frame record at
 * the bottom, by "stp x29, x30, [sp, #-len]!" among its first instructions; if
 * there is none, 16, that of the record alone. */
uint64_t rpt_aarch64_frame_len(const uint8_t code[RPT_AARCH64_PROLOGUE_LEN]);

#endif
