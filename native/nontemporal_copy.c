/* The copies of large payloads: see nontemporal_copy.h. There are three versions: one for any processor,
 * one with SSE 4.2, one with AVX-512.
 */
#include "nontemporal_copy.h"

/* Copies `size` bytes to a 64-byte boundary and returns the packet's check, which `crc` began. */
#define COPY_TAIL(CRC)                                                           \
    if (done < size) {                                                           \
        uint64_t last[8] = {0};                                                  \
        memcpy(last, from + done, size - done);                                  \
        memcpy(to + done, last, align_up(size - done, 8));                       \
        size_t words = (size - done + 7) / 8;                                    \
        for (size_t i = 0; i < words; i++) lane[i & 3] = CRC(lane[i & 3], last[i]); \
    }                                                                            \
    crc = CRC(crc, lane[0] | (uint64_t)lane[1] << 32);                           \
    crc = CRC(crc, lane[2] | (uint64_t)lane[3] << 32);                           \
    return crc;

#define COPY_LANES(CRC)                                                          \
    for (int i = 0; i < 8; i += 4) {                                             \
        lane[0] = CRC(lane[0], load_word(from + done + 8 * i));                  \
        lane[1] = CRC(lane[1], load_word(from + done + 8 * i + 8));              \
        lane[2] = CRC(lane[2], load_word(from + done + 8 * i + 16));             \
        lane[3] = CRC(lane[3], load_word(from + done + 8 * i + 24));             \
    }

static uint32_t copy_payload_soft(uint8_t *to, const uint8_t *from, size_t size, uint32_t crc)
{
    uint32_t lane[4] = {0};
    size_t done = 0;
    for (; done + LINE <= size; done += LINE) {
        memcpy(to + done, from + done, LINE);
        COPY_LANES(crc_soft)
    }
    COPY_TAIL(crc_soft)
}

#if HAVE_X86
/* How far ahead the source is prefetched: memory takes about as long as copying so much. Past the
 * source's end that does no harm, and the next row begins there. */
#define AHEAD 1536

WITH_CRC static uint32_t copy_payload_sse(uint8_t *to, const uint8_t *from, size_t size,
                                          uint32_t crc)
{
    uint32_t lane[4] = {0};
    size_t done = 0;
    for (; done + LINE <= size; done += LINE) {
        for (int i = 0; i < 4; i++)
            _mm_stream_si128((__m128i *)(void *)(to + done) + i,
                             _mm_loadu_si128((const __m128i *)(const void *)(from + done) + i));
        _mm_prefetch((const char *)from + done + AHEAD, _MM_HINT_T0);
        COPY_LANES(crc_hard)
    }
    COPY_TAIL(crc_hard)
}

__attribute__((target("avx512f,sse4.2"))) static uint32_t
copy_payload_avx512(uint8_t *to, const uint8_t *from, size_t size, uint32_t crc)
{
    uint32_t lane[4] = {0};
    size_t done = 0;
    for (; done + LINE <= size; done += LINE) {
        _mm512_stream_si512((__m512i *)(void *)(to + done),
                            _mm512_loadu_si512((const void *)(from + done)));
        _mm_prefetch((const char *)from + done + AHEAD, _MM_HINT_T0);
        COPY_LANES(crc_hard)
    }
    COPY_TAIL(crc_hard)
}
#endif

uint32_t (*copy_payload)(uint8_t *, const uint8_t *, size_t, uint32_t) = copy_payload_soft;
int copies_stream = 0;

const char *copy_prepare(void)
{
    int has_crc = checksum_prepare();
#if HAVE_X86
    if (has_crc) {
        copies_stream = 1;
        if (__builtin_cpu_supports("avx512f")) {
            copy_payload = copy_payload_avx512;
            return "crc32c, avx512 streaming";
        }
        copy_payload = copy_payload_sse;
        return "crc32c, sse2 streaming";
    }
#endif
    (void)has_crc;
    return "portable";
}
