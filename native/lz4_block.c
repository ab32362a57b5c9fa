/* Packing and unpacking LZ4 blocks: see lz4_block.h. */
#include "lz4_block.h"

#define LZ_MATCH 4    /* bytes that a match has at least */
#define LZ_FAR 65535  /* how far back it may begin */
#define LZ_LAST 12    /* no match begins in this many bytes at the end … */
#define LZ_LITERAL 5  /* … or reaches into these */
#define LZ_GOOD 32    /* a match of this length is used without looking for a better one */
#define LZ_DENSE 16   /* so many positions inside a match are remembered */

/* How many bytes from `a` and from `b` on are equal, before `end`. */
static uint64_t lz_length(const uint8_t *a, const uint8_t *b, const uint8_t *end)
{
    const uint8_t *from = b;
    while (b + 8 <= end && load_word(a) == load_word(b)) {
        a += 8;
        b += 8;
    }
    while (b < end && *a == *b) {
        a++;
        b++;
    }
    return (uint64_t)(b - from);
}

typedef struct {
    const uint8_t *from;
    uint32_t *positions; /* LZ_WAYS for each hash: position + 1, 0 = none */
    uint32_t bits;
} lz_memory;

static inline uint32_t *lz_positions(const lz_memory *seen, uint64_t at)
{
    uint32_t hash = (load_half(seen->from + at) * 2654435761u) >> (32 - seen->bits);
    return seen->positions + (uint64_t)hash * LZ_WAYS;
}

static inline void lz_remember(const lz_memory *seen, uint64_t at)
{
    uint32_t *positions = lz_positions(seen, at);
    memmove(positions + 1, positions, (LZ_WAYS - 1) * sizeof *positions);
    positions[0] = (uint32_t)at + 1;
}

/* The longest match for what is at `at`: its length, or 0; `*begins` says where. */
static uint64_t lz_search(const lz_memory *seen, uint64_t at, uint64_t end, uint64_t *begins)
{
    const uint8_t *from = seen->from;
    const uint32_t *positions = lz_positions(seen, at);
    uint64_t best = 0;
    for (int i = 0; i < LZ_WAYS && positions[i]; i++) {
        uint64_t position = positions[i] - 1;
        if (at - position > LZ_FAR) break; /* the entries after it are older */
        if (load_half(from + position) != load_half(from + at)) continue;
        if (best && from[position + best] != from[at + best]) continue;
        uint64_t length = lz_length(from + position, from + at, from + end);
        if (length > best) {
            best = length;
            *begins = position;
            if (at + best == end) break; /* no longer match is possible */
        }
    }
    return best;
}

static inline uint8_t *lz_rest(uint8_t *to, uint64_t rest)
{
    for (; rest >= 255; rest -= 255) *to++ = 255;
    *to++ = (uint8_t)rest;
    return to;
}

/* Writes a sequence; `match` is 0 in the newest one. */
static uint8_t *lz_sequence(uint8_t *to, const uint8_t *literals, uint64_t count, uint64_t match,
                            uint64_t back)
{
    uint64_t more = match ? match - LZ_MATCH : 0;
    *to++ = (uint8_t)((count < 15 ? count : 15) << 4 | (more < 15 ? more : 15));
    if (count >= 15) to = lz_rest(to, count - 15);
    memcpy(to, literals, count);
    to += count;
    if (!match) return to;
    *to++ = (uint8_t)back;
    *to++ = (uint8_t)(back >> 8);
    return more >= 15 ? lz_rest(to, more - 15) : to;
}

uint64_t lz_pack(const uint8_t *from, uint64_t n, uint8_t *to, uint32_t *positions,
                 uint32_t bits)
{
    const lz_memory seen = {from, positions, bits};
    uint8_t *start = to;
    uint64_t at = 0, done = 0, begins = 0, better = 0;
    memset(positions, 0, ((uint64_t)LZ_WAYS << bits) * sizeof *positions);
    while (n > LZ_LAST && at < n - LZ_LAST) {
        uint64_t end = n - LZ_LITERAL, length = lz_search(&seen, at, end, &begins);
        lz_remember(&seen, at);
        if (length < LZ_MATCH) {
            at += 1 + ((at - done) >> 7); /* skips incompressible bytes in growing steps */
            continue;
        }
        while (length < LZ_GOOD && at + 1 < n - LZ_LAST) { /* perhaps the next byte begins one */
            uint64_t longer = lz_search(&seen, at + 1, end, &better);
            if (longer <= length + 1) break;
            lz_remember(&seen, ++at);
            length = longer;
            begins = better;
        }
        while (at > done && begins > 0 && from[at - 1] == from[begins - 1]) {
            at--;
            begins--;
            length++;
        }
        to = lz_sequence(to, from + done, at - done, length, at - begins);
        done = at + length;
        uint64_t last = done < n - LZ_LAST ? done : n - LZ_LAST;
        for (uint64_t i = at + 1, dense = 0; i < last && dense < LZ_DENSE; i++, dense++)
            lz_remember(&seen, i);
        if (last > at + LZ_DENSE + 2) lz_remember(&seen, last - 2);
        at = done;
    }
    to = lz_sequence(to, from + done, n - done, 0, 0);
    return (uint64_t)(to - start);
}

/* Reads the rest of a count. False at the block's end. */
static int lz_count(const uint8_t **from, const uint8_t *end, uint64_t *count)
{
    uint8_t more = 255;
    while (more == 255) {
        if (*from == end) return 0;
        more = *(*from)++;
        *count += more;
    }
    return 1;
}

int lz_unpack(const uint8_t *from, uint64_t n, uint8_t *to, uint64_t size)
{
    const uint8_t *end = from + n, *start = to, *full = to + size;
    while (from < end) {
        uint8_t token = *from++;
        uint64_t count = token >> 4, length = token & 15;
        if (count == 15 && !lz_count(&from, end, &count)) return 0;
        if (count > (uint64_t)(end - from) || count > (uint64_t)(full - to)) return 0;
        memcpy(to, from, count);
        to += count;
        from += count;
        if (from == end) break;
        if (end - from < 2) return 0;
        uint64_t back = from[0] | (uint64_t)from[1] << 8;
        from += 2;
        if (length == 15 && !lz_count(&from, end, &length)) return 0;
        length += LZ_MATCH;
        if (!back || back > (uint64_t)(to - start) || length > (uint64_t)(full - to)) return 0;
        const uint8_t *match = to - back;
        if (back == 1)
            memset(to, *match, length);
        else /* copied bytes become part of the match: each turn can copy twice as many */
            for (uint64_t left = length, most = back; left;) {
                uint64_t part = left < most ? left : most;
                memcpy(to + (length - left), match, part);
                left -= part;
                most += part;
            }
        to += length;
    }
    return to == full;
}
