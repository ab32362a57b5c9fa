/* The bytes of the ring: what lies where in its one block of memory.
 *
 * The block holds, in this order: header, latch table (entries, two arrays of buckets), map of
 * the latch slots, latch slots, arena. It contains no addresses: every link is an offset. So the
 * same bytes work on the heap, in a mapped file and in another process.
 *
 * Offsets into the arena are *virtual*: they only grow and never wrap. An offset refers to the byte
 * at `offset % arena_size`. Comparing an offset with the tail is enough to know whether its bytes
 * are still in the ring, and a stale offset can never be mistaken for a newer frame at the same
 * position.
 *
 * All numbers are little-endian; offsets, sizes and strides are multiples of 8. docs/ring.md
 * describes the same bytes for readers without this code. A change here needs a change there, and
 * a new LAYOUT_MAJOR.
 */
#ifndef PLAYHEAD_LAYOUT_H
#define PLAYHEAD_LAYOUT_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define MAGIC "PLAYHEAD"
#define LAYOUT_MAJOR 1 /* readers refuse any other version */
#define LAYOUT_MINOR 0
#define BYTE_ORDER_MARK 0x01020304u
#define NONE UINT64_MAX /* an offset that leads nowhere */
#define LINE 64u        /* bytes of a cache line, and of a latch slot's unit */

#define MAX_BLOCK (16ull << 30) /* links between packets are 32 bits of 8-byte steps */
#define MAX_ID INT64_MAX
#define FIRST_OBJECT 32 /* packets of this type and above are a game's objects, never the world */
#define MAX_ORDERS 32

typedef struct {
    char magic[8];
    uint32_t byte_order;
    uint16_t major, minor;
    uint64_t total; /* bytes of the whole block */
    uint64_t entries_at, entry_count;
    uint64_t buckets_at, bucket_count; /* two arrays: by key, by object */
    uint64_t map_at, units;            /* one byte of map for each unit of the slots */
    uint64_t slots_at;
    uint64_t arena_at, arena_size;
    uint32_t frame_size, run_size, packet_size, version_size; /* bytes of the structs below */
    uint32_t check; /* CRC-32C of everything above; the fields below change */
    uint32_t reserved;

    /* Published: a reader loads `newest` first, then `tail`. An offset below the tail is gone. */
    _Atomic uint64_t tail;   /* the oldest frame */
    _Atomic uint64_t newest; /* the newest finished frame, or NONE */
    _Atomic uint64_t closed; /* 1 once the writer has left in good order */

    /* Only the writer uses these; a reader shows them. */
    uint64_t head; /* where the next allocation is tried */
    uint64_t live; /* bytes of all frames, the open one too, padding included */
    uint64_t frames_recorded, frames_evicted;
    uint64_t packets_recorded, packets_dropped;
    uint64_t latch_refused, latch_used; /* units */
    uint64_t entries_used;
    uint32_t free_entry; /* heads of free lists: index + 1, 0 = empty */
    uint32_t free_units[MAX_ORDERS];
    uint32_t reserved_too;
} block_header;

/* One finished simulation step. */
typedef struct {
    uint64_t id;
    uint64_t previous; /* offset of the older frame; may be gone */
    _Atomic uint64_t next; /* offset of the newer frame, or NONE */
    double time;       /* seconds on the timeline */
    double delta;      /* seconds since the frame before */
    uint64_t packets;  /* offset of the first packet, or NONE */
    /* private to the ring */
    uint64_t runs;     /* offset of the first run, or NONE */
    uint64_t jump;     /* skip link to a much older frame, for finding in O(log n) */
    uint64_t bytes;    /* of this frame with padding, without the waste at the arena's end */
    uint64_t end;      /* offset behind its last byte */
    uint32_t count;    /* packets */
    uint32_t flags;
    uint32_t epoch;
    uint32_t check;    /* see checksum.h */
} frame_header;

enum {
    FRAME_DAMAGED = 1, /* a handler failed in it */
    FRAME_LATCHES = 2, /* it holds latched packets: eviction must move them */
    FRAME_DROPPED = 4, /* a packet found no room */
    FRAME_REFUSED = 8, /* a latched packet found no room in the latch area */
};

/* Packets of one type, one size and one set of channels that follow one another at equal distances.
 * What they share is stored here once, which keeps a packet's own header at 40 bytes. */
typedef struct {
    uint32_t next;     /* 8-byte steps to the frame's next run; 0 = it is the newest. In a latch
                        * slot: the copy's check */
    uint32_t count;
    uint32_t stride;   /* bytes from packet to packet */
    uint32_t size;     /* payload bytes of each */
    uint32_t channels; /* bit set */
    uint16_t type;
    uint16_t flags;
} run_header;

enum {
    RUN_LATCHED = 1,
    RUN_ALIGNED = 2, /* payloads begin at cache lines, so that they can be streamed */
};

/* The record of one object in one frame, written by its handler. The payload follows. */
typedef struct {
    uint64_t id; /* 1 ... 2^63-1; 0 is the world */
    uint16_t type;
    uint8_t targetable;
    uint8_t flags;
    uint32_t next; /* 8-byte steps to the frame's next packet; 0 = the newest recorded */
    float position[3];
    float angles[3]; /* radians */
} packet_header;

enum {
    PACKET_DAMAGED = 1, /* the handler failed: there is only this header */
    PACKET_HIDDEN = 2,  /* recorded as not visible */
    PACKET_CUT = 4,     /* a text or a blob in it was too long: its beginning is there */
    PACKET_PARTIAL = 8, /* its handler asked for more bytes than it wrote: the rest is zero */
    PACKET_FLAGS = 15,
};

/* The start of a latched packet's payload. */
typedef struct {
    uint64_t frame;    /* id of the frame it was recorded in */
    uint64_t previous; /* offset of the run of the version before; may be gone */
    uint64_t jump;     /* skip link to a much older version */
    uint64_t ordinal;  /* counts the versions of this key */
    uint64_t key;
    uint32_t entry;    /* index in the latch table */
    uint16_t kind;
    uint16_t flags;
} version_header;

enum { VERSION_TOMBSTONE = 1 };

/* A key of the latch table: object, kind and key. */
typedef struct {
    uint64_t object, key;
    uint32_t kind;
    _Atomic uint32_t generation; /* odd = in use; goes up at each change of owner or base */
    _Atomic uint64_t newest;     /* offset of the newest version's run in the arena, or NONE */
    _Atomic uint64_t base;       /* unit + 1 of the copy of the newest evicted version, 0 = none */
    uint32_t pair;               /* unit + 1 of the two slots, 0 = none */
    uint32_t order;              /* the pair has 2^order units */
    uint32_t next_key, next_object; /* chains of the two bucket arrays: index + 1 */
} entry_header;

_Static_assert(sizeof(block_header) <= 512, "the block's header has outgrown its place");
_Static_assert(sizeof(frame_header) == 96, "frame header");
_Static_assert(sizeof(run_header) == 24, "run header");
_Static_assert(sizeof(packet_header) == 40, "packet header");
_Static_assert(sizeof(version_header) == 48, "version header");
_Static_assert(sizeof(entry_header) == 56, "latch entry");

#define HEADER_ROOM 512u
#define ALIGNED_FROM 512u /* payloads of this size and more begin at cache lines */

static inline uint64_t align_up(uint64_t n, uint64_t to) { return (n + to - 1) & ~(to - 1); }

/* How many steps back a skip link goes from the n-th of a chain: the smallest weight in n's
 * skew-binary form (weights 2^k - 1). Every node then needs one link besides `previous`, and any
 * node is reached in O(log n): Myers, "An applicative random-access stack" (1983). */
static inline uint64_t skip_length(uint64_t n)
{
    uint64_t weight = 1;
    while (n) {
        int bits = 0;
        for (uint64_t m = n + 1; m > 1; m >>= 1) bits++;
        weight = ((uint64_t)1 << bits) - 1;
        n -= weight;
    }
    return weight;
}

#endif
