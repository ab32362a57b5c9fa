/* The check of a frame, by which a reader tells a whole frame from a torn one.
 *
 * CRC-32C throughout, over 8-byte little-endian words, without the customary inversions.
 * A packet: its header's five words with `next` taken as zero, seeded with the packet's ordinal
 * in the frame; then, if it has a payload, four CRCs (seed 0) over the payload's words in turn,
 * word i in lane i % 4, of which the words lane 0 | lane 1 << 32 and lane 2 | lane 3 << 32 follow.
 * A run: its three words, seeded with the ordinal of its first packet.
 * The frame: the twelve words of its header with `next` and `check` taken as zero, seed 0.
 * `check` is the sum of all these, modulo 2^32. A sum lets each packet be checked in the pass
 * that writes it; the seeds make order count; four lanes hide the instruction's latency.
 *
 * checksum.c has the functions. The macros of a header's check are here because record_columns.c
 * checks packet headers in the same loop that writes them.
 */
#ifndef PLAYHEAD_CHECKSUM_H
#define PLAYHEAD_CHECKSUM_H

#include "ring_layout.h"

#if defined(__x86_64__) && (defined(__GNUC__) || defined(__clang__))
#define HAVE_X86 1
#include <immintrin.h>
#define WITH_CRC __attribute__((target("sse4.2")))
#elif defined(__ARM_FEATURE_CRC32)
#include <arm_acle.h>
#endif

/* Variables that the files of this extension share. -fvisibility=hidden covers definitions only:
 * without this the others would reach a variable through a table. */
#if defined(__GNUC__)
#define INTERNAL __attribute__((visibility("hidden")))
#else
#define INTERNAL
#endif

extern INTERNAL uint32_t crc_table[256];

static inline uint64_t load_word(const void *at)
{
    uint64_t word;
    memcpy(&word, at, 8);
    return word;
}

static inline uint32_t crc_soft(uint32_t crc, uint64_t word)
{
#if defined(__ARM_FEATURE_CRC32)
    return __crc32cd(crc, word);
#else
    for (int byte = 0; byte < 8; byte++, word >>= 8)
        crc = (crc >> 8) ^ crc_table[(crc ^ word) & 0xff];
    return crc;
#endif
}

#if HAVE_X86
#define crc_hard(crc, word) ((uint32_t)_mm_crc32_u64((crc), (word)))
#endif

/* The same from a header's words, as they are about to be written. */
#define CHECK_FIVE(CRC, crc, a, b, c, d, e)                                      \
    CRC(CRC(CRC(CRC(CRC(crc, a), (b) & 0xffffffffu), c), d), e)

/* The functions for this processor. Until checksum_prepare they are the portable ones. */
extern INTERNAL uint32_t (*check_words)(uint32_t seed, const uint8_t *at, size_t words);
extern INTERNAL uint32_t (*check_header)(const uint8_t *at, uint32_t crc);
extern INTERNAL uint32_t (*check_packets)(const uint8_t *at, uint64_t count, uint64_t stride,
                                          size_t size, uint32_t ordinal);

/* Chooses the functions; true if the processor has the CRC instruction. Called once, on import. */
int checksum_prepare(void);

static inline uint32_t check_run(const run_header *run, uint32_t ordinal)
{
    return check_words(ordinal, (const uint8_t *)run, sizeof *run / 8);
}

static inline uint32_t check_frame(const frame_header *frame)
{
    frame_header copy;
    memcpy((void *)&copy, (const void *)frame, sizeof copy);
    atomic_store_explicit(&copy.next, 0, memory_order_relaxed);
    copy.check = 0;
    return check_words(0, (const uint8_t *)&copy, sizeof copy / 8);
}

#endif
