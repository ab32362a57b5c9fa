/* Copying large payloads into the arena without filling the processor's cache.
 *
 * Recorded bytes are seldom read soon, so large payloads are written with streaming stores. These
 * save reading each cache line before it is overwritten. The checksum is computed over the source
 * in the same pass. Small packets are written with ordinary stores, for which streaming would cost
 * more than it saves.
 *
 * Streaming stores are weakly ordered: `copy_finish` must be called before a frame is published.
 */
#ifndef PLAYHEAD_NONTEMPORAL_COPY_H
#define PLAYHEAD_NONTEMPORAL_COPY_H

#include "checksum.h"

/* Copies `size` bytes to a 64-byte boundary and returns the packet's check, which `crc` began. */
extern INTERNAL uint32_t (*copy_payload)(uint8_t *to, const uint8_t *from, size_t size,
                                         uint32_t crc);
extern INTERNAL int copies_stream; /* payloads are streamed; set only where there is SSE 4.2 */

/* Chooses the functions for this processor, here and in checksum.h; returns their description.
 * Called once, on import. */
const char *copy_prepare(void);

/* Writes a packet's header, and zeros into the unused bytes before it on its cache line: a line
 * written completely need not be read first. */
static inline void header_stream(uint8_t *at, const uint64_t words[5])
{
#if HAVE_X86
    __m128i *line = (__m128i *)(void *)(at + sizeof(packet_header) - LINE);
    const long long *word = (const long long *)(const void *)words;
    _mm_stream_si128(line, _mm_setzero_si128());
    _mm_stream_si128(line + 1, _mm_set_epi64x(word[0], 0));
    _mm_stream_si128(line + 2, _mm_set_epi64x(word[2], word[1]));
    _mm_stream_si128(line + 3, _mm_set_epi64x(word[4], word[3]));
#else
    memcpy(at, words, sizeof(packet_header));
#endif
}

/* Streaming stores are weakly ordered: before a frame is published they must have arrived. */
static inline void copy_finish(void)
{
#if HAVE_X86
    if (copies_stream) _mm_sfence();
#endif
}

#endif
