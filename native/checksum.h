/* The check over a frame, by which a reader tells a whole frame from a torn one.
 *
 * CRC-32C throughout, over 8-byte little-endian words, without the customary inversions.
 * A packet: its header's five words with `next` taken as zero, seeded with the packet's ordinal
 * in the frame; then, if it has a payload, four CRCs (seed 0) over the payload's words in turn,
 * word i in lane i % 4, of which the words lane 0 | lane 1 << 32 and lane 2 | lane 3 << 32 follow.
 * A run: its three words, seeded with the ordinal of its first packet.
 * The frame: the twelve words of its header with `next` and `check` taken as zero, seed 0.
 * `check` is the sum of all these, modulo 2^32. A sum lets each packet be checked in the pass
 * that writes it; the seeds make order count; four lanes hide the instruction's latency.
 */
#ifndef PLAYHEAD_CHECKSUM_H
#define PLAYHEAD_CHECKSUM_H

#include "layout.h"

#if defined(__x86_64__) && (defined(__GNUC__) || defined(__clang__))
#define HAVE_X86 1
#include <immintrin.h>
#define WITH_CRC __attribute__((target("sse4.2")))
#elif defined(__ARM_FEATURE_CRC32)
#include <arm_acle.h>
#endif

static uint32_t crc_table[256];

static void checksum_prepare(void)
{
    for (uint32_t i = 0; i < 256; i++) {
        uint32_t crc = i;
        for (int bit = 0; bit < 8; bit++) crc = (crc >> 1) ^ (crc & 1 ? 0x82F63B78u : 0);
        crc_table[i] = crc;
    }
}

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

/* The bodies below are compiled twice, with the instruction and without it. */
#define CHECK_WORDS(CRC)                                                         \
    for (size_t i = 0; i < words; i++) seed = CRC(seed, load_word(at + 8 * i));   \
    return seed;

#define CHECK_HEADER(CRC)                                                        \
    crc = CRC(crc, load_word(at));                                               \
    crc = CRC(crc, load_word(at + 8) & 0xffffffffu);                             \
    crc = CRC(crc, load_word(at + 16));                                          \
    crc = CRC(crc, load_word(at + 24));                                          \
    crc = CRC(crc, load_word(at + 32));

/* The same from a header's words, as they are about to be written. */
#define CHECK_FIVE(CRC, crc, a, b, c, d, e)                                      \
    CRC(CRC(CRC(CRC(CRC(crc, a), (b) & 0xffffffffu), c), d), e)

#define CHECK_PAYLOAD(CRC)                                                       \
    uint32_t a = 0, b = 0, c = 0, d = 0;                                         \
    size_t words = (size + 7) / 8, i = 0;                                        \
    for (; i + 4 <= words; i += 4) {                                             \
        a = CRC(a, load_word(payload + 8 * i));                                  \
        b = CRC(b, load_word(payload + 8 * i + 8));                              \
        c = CRC(c, load_word(payload + 8 * i + 16));                             \
        d = CRC(d, load_word(payload + 8 * i + 24));                             \
    }                                                                            \
    if (i < words) a = CRC(a, load_word(payload + 8 * i));                       \
    if (i + 1 < words) b = CRC(b, load_word(payload + 8 * i + 8));               \
    if (i + 2 < words) c = CRC(c, load_word(payload + 8 * i + 16));              \
    crc = CRC(crc, a | (uint64_t)b << 32);                                       \
    crc = CRC(crc, c | (uint64_t)d << 32);

#define CHECK_PACKETS(CRC)                                                       \
    uint32_t sum = 0;                                                            \
    for (uint64_t n = 0; n < count; n++, at += stride) {                         \
        uint32_t crc = ordinal + (uint32_t)n;                                    \
        CHECK_HEADER(CRC)                                                        \
        if (size) {                                                              \
            const uint8_t *payload = at + sizeof(packet_header);                 \
            CHECK_PAYLOAD(CRC)                                                   \
        }                                                                        \
        sum += crc;                                                              \
    }                                                                            \
    return sum;

static uint32_t check_words_soft(uint32_t seed, const uint8_t *at, size_t words)
{
    CHECK_WORDS(crc_soft)
}

static uint32_t check_header_soft(const uint8_t *at, uint32_t crc)
{
    CHECK_HEADER(crc_soft)
    return crc;
}

static uint32_t check_packets_soft(const uint8_t *at, uint64_t count, uint64_t stride, size_t size,
                                   uint32_t ordinal)
{
    CHECK_PACKETS(crc_soft)
}

#if HAVE_X86
#define crc_hard(crc, word) ((uint32_t)_mm_crc32_u64((crc), (word)))

WITH_CRC static uint32_t check_words_hard(uint32_t seed, const uint8_t *at, size_t words)
{
    CHECK_WORDS(crc_hard)
}

WITH_CRC static uint32_t check_header_hard(const uint8_t *at, uint32_t crc)
{
    CHECK_HEADER(crc_hard)
    return crc;
}

WITH_CRC static uint32_t check_packets_hard(const uint8_t *at, uint64_t count, uint64_t stride,
                                            size_t size, uint32_t ordinal)
{
    CHECK_PACKETS(crc_hard)
}
#endif

static uint32_t (*check_words)(uint32_t, const uint8_t *, size_t) = check_words_soft;
static uint32_t (*check_header)(const uint8_t *, uint32_t) = check_header_soft;
static uint32_t (*check_packets)(const uint8_t *, uint64_t, uint64_t, size_t,
                                 uint32_t) = check_packets_soft;

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
