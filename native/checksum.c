/* The checksums of frames and packets: see checksum.h. Each function is compiled twice, with the
 * processor's CRC instruction and without it; `checksum_prepare` chooses one.
 */
#include "checksum.h"

uint32_t crc_table[256];

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

uint32_t (*check_words)(uint32_t, const uint8_t *, size_t) = check_words_soft;
uint32_t (*check_header)(const uint8_t *, uint32_t) = check_header_soft;
uint32_t (*check_packets)(const uint8_t *, uint64_t, uint64_t, size_t,
                          uint32_t) = check_packets_soft;

int checksum_prepare(void)
{
    for (uint32_t i = 0; i < 256; i++) {
        uint32_t crc = i;
        for (int bit = 0; bit < 8; bit++) crc = (crc >> 1) ^ (crc & 1 ? 0x82F63B78u : 0);
        crc_table[i] = crc;
    }
#if HAVE_X86
    __builtin_cpu_init();
    if (__builtin_cpu_supports("sse4.2")) {
        check_words = check_words_hard;
        check_header = check_header_hard;
        check_packets = check_packets_hard;
        return 1;
    }
#endif
    return 0;
}
