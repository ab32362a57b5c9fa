/* Groups of frames, packed: what one object recorded in successive frames is stored side by side.
 *
 * A *track* contains the packets of one id and one shape (type, payload size, channels, latched or
 * not) over the frames of a group. An object that records several packets of one shape in a frame
 * has several tracks. For each byte of a packet, a track has a row with that byte of all its
 * packets, each XORed with the one before it. Bytes that do not change become zeros, and bytes that
 * change little become mostly zeros. Bytes that change alike at two positions give the same row
 * twice. LZ4 packs all of these well.
 *
 * The bytes of a group before compression:
 *   - each frame's packets in recording order: u16 0 = the same as in the frame before; or u16 1,
 *     the number of runs (u16), and for each run its number of packets (u16) and their tracks (u16
 *     each, less the track before + 1). Tracks are numbered as they first appear, so most are 0;
 *   - the shapes, 16 bytes each; each track's shape, u16; each track's id, u64;
 *   - the tracks' rows: targetable, flags, position and angles (26), then the payload's.
 * Positions and angles are often the payload's own leading doubles in single precision. A shape for
 * which this is mostly true is *derived*: its rows contain only the difference.
 *
 * tier_pack.c packs groups, tier_unpack.c unpacks them. Neither needs the interpreter or allocates
 * memory, and tier_unpack.c trusts no packed byte.
 */
#ifndef PLAYHEAD_TIER_PACKED_FRAMES_H
#define PLAYHEAD_TIER_PACKED_FRAMES_H

#include "serialized_frame.h"
#include "lz4_block.h"

#define GROUP_MOST 128     /* frames in a group */
#define GROUP_FLAG_BITS 24 /* of a frame's flags; those above count up to its group's newest */
#define ROW_HEADER 26u     /* rows of a packet's header */
#define DERIVED_FROM 48u   /* payload bytes that positions and angles derive from: six doubles */
#define NO_TRACK UINT16_MAX
#define MOST_TRACKS (UINT16_MAX - 1)
#define SHAPE_BYTES 16u
#define TRACK_BYTES 10u    /* of a track's shape and id */

typedef struct {
    uint16_t type, flags;
    uint32_t size, channels;
    uint32_t derived; /* positions and angles derive from the payload */
} group_shape;

_Static_assert(sizeof(group_shape) == SHAPE_BYTES, "group shape");

/* How a group's payload in the store begins; an entry for each frame follows. */
typedef struct {
    uint64_t first; /* id of its oldest frame */
    uint32_t frames, shapes, tracks;
    uint32_t rows;   /* where the rows begin */
    uint32_t length; /* bytes before LZ */
    uint32_t packed; /* bytes after it */
} group_header;

typedef struct {
    uint32_t packets, length, check; /* of the frame's image */
} group_entry;

_Static_assert(sizeof(group_header) == 32 && sizeof(group_entry) == 12, "group header");

static inline uint16_t load_short(const uint8_t *at)
{
    uint16_t number;
    memcpy(&number, at, sizeof number);
    return number;
}

static inline void store_short(uint8_t *at, uint64_t number)
{
    uint16_t narrow = (uint16_t)number;
    memcpy(at, &narrow, sizeof narrow);
}

/* XORs positions and angles of a packet's header with the first six doubles of its payload, in
 * single precision. Done twice, the header is as before. */
static inline void derived_toggle(uint8_t *packet)
{
    for (int i = 0; i < 6; i++) {
        double wide;
        uint32_t bits, narrow_bits;
        memcpy(&wide, packet + sizeof(packet_header) + 8 * i, sizeof wide);
        float narrow = (float)wide;
        memcpy(&narrow_bits, &narrow, sizeof narrow_bits);
        uint8_t *at = packet + offsetof(packet_header, position) + 4 * i;
        memcpy(&bits, at, sizeof bits);
        bits ^= narrow_bits;
        memcpy(at, &bits, sizeof bits);
    }
}

/* --- packing (tier_pack.c) ------------------------------------------------------------------ */

typedef struct {
    uint64_t id;
    uint32_t count;  /* packets */
    uint32_t newest; /* where its newest packet is; `next` of each leads to the one before */
    uint16_t shape;
    uint16_t next_alike; /* the next track of this id and shape + 1, or 0 */
    uint16_t cursor;     /* of the first one: which of them had the newest packet … */
    uint16_t seen;       /* … in which frame, counted from 1 */
} track;

typedef struct {
    uint64_t room;                  /* bytes of images that a group may have */
    uint8_t *images;                /* those of its frames; then the packed bytes */
    uint8_t *bytes;                 /* before LZ */
    track *tracks;
    group_shape *shapes;
    uint16_t *first;                /* a table of the first tracks by id and shape: index + 1 */
    uint32_t *positions;            /* lz_pack's */
    uint32_t most_tracks, most_shapes, table_bits, lz_bits;
    /* Of the group that is being packed: */
    uint32_t at[GROUP_MOST];        /* where each image begins */
    uint64_t next[GROUP_MOST];      /* where the frame after it begins in the ring */
    uint64_t used;                  /* bytes of images */
    uint32_t frames, shape_count, track_count;
    uint64_t length;
} packer;

/* Describes a packer for groups of `room` bytes and returns the memory that it needs; then lays
 * it out at an address, and returns what is behind it. */
uint64_t packer_measure(packer *p, uint64_t room);
uint8_t *packer_layout(packer *p, uint8_t *at);

/* Adds the image of a ring's frame to the group: 1, 0 if it is full, -1 if the frame is gone,
 * damaged, or can never be packed. */
int packer_add_frame(packer *p, const memory *m, uint64_t start);

/* The two steps of packing, before LZ: tables, then rows. False: there is no room. */
int group_plan(packer *p);
int group_lay_out(packer *p);

/* --- unpacking (tier_unpack.c) -------------------------------------------------------------- */

typedef struct {
    uint64_t id;
    uint32_t rows;  /* where they begin */
    uint16_t count; /* packets */
    uint16_t next;  /* index of the next packet; while parsing, how many there are */
    uint16_t shape;
} unpacked_track;

/* A group as it was before LZ, with its rows' XOR undone. */
typedef struct {
    uint64_t last; /* id of its newest frame, or 0 */
    uint64_t used; /* the count of requests when it was last asked for */
    uint64_t room;
    uint32_t most_tracks;
    uint8_t *bytes;
    unpacked_track *tracks;
    group_header header;
    uint64_t shapes_at;
} unpacked_group;

uint64_t unpacked_measure(const packer *p);
uint8_t *unpacked_layout(unpacked_group *o, const packer *p, uint8_t *at);

/* Checks a group's bytes, just unpacked from LZ, and undoes the XOR. False: they contradict
 * themselves. */
int unpacked_parse(unpacked_group *o);

/* Writes the image of frame `index` of the group, `length` bytes. `frame` is its header, without
 * what image_seal fills in. False: the bytes contradict themselves. */
int unpacked_image(unpacked_group *o, uint32_t index, frame_header *frame, uint8_t *to,
                   uint64_t length);

#endif
