/* The checksum of a frame. A reader uses it to distinguish a complete frame from a damaged or half
 * written one.
 *
 * Everything is CRC-32C over 8-byte little-endian words, without the customary inversions.
 *   - A packet: five words, its header with `next` taken as zero; the seed is the packet's
 *     ordinal in the frame. If it has a payload, four CRCs with seed 0 run over the payload's words:
 *     word i goes into lane i % 4. The words lane 0 | lane 1 << 32 and lane 2 | lane 3 << 32 follow
 *     the header's words.
 *   - A run: its three words; the seed is the ordinal of its first packet.
 *   - The frame: the twelve words of its header with `next` and `check` taken as zero, seed 0.
 * `check` is the sum of all these, modulo 2^32. Because it is a sum, each packet can be checked in
 * the pass that writes it. The seeds make the order count. Four lanes hide the latency of the CRC
 * instruction.
 *
 * checksum.c has the functions. The macros for the checksum of a header are here because
 * record_columns.c computes it in the same loop that writes the headers.
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
