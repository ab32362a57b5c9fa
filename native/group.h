/* Groups of frames, packed: what one object left from frame to frame is laid side by side.
 *
 * A *track* is the packets of one id and one shape (type, payload size, channels, latched or not)
 * over the frames of a group; an object that leaves several of one shape in a frame has several.
 * For each byte of a packet a track has a row with that byte of all its packets, each XORed with
 * the one before it. What does not change becomes zeros, what changes little mostly zeros, and
 * what changes alike in two places becomes the same row twice: all of that LZ packs well.
 *
 * A group's bytes, before LZ:
 *   - each frame's packets in recording order: u16 0 = the same as in the frame before; or u16 1,
 *     how many runs (u16), and for each run its packets (u16) and their tracks (u16 each, less
 *     the track before + 1). Tracks are numbered as they first appear: so most are 0;
 *   - the shapes, 16 bytes each; each track's shape, u16; each track's id, u64;
 *   - the tracks' rows: targetable, flags, position and angles (26), then the payload's.
 * Positions and angles often say in single precision what the payload says first in double: a
 * shape of which that is mostly so has only the difference in its rows.
 *
 * Nothing here needs the interpreter or takes memory; no packed byte is believed. Included by
 * ring.c.
 */
#include "lz.h"

#define GROUP_MOST 128      /* frames in a group */
#define GROUP_FLAG_BITS 24  /* of a frame's flags; those above say how far its group's end is */
#define ROW_HEADER 26u      /* rows of a packet's header */
#define TOLD_FROM 48u       /* payload bytes that can tell positions and angles: six doubles */
#define NO_TRACK UINT16_MAX
#define MOST_TRACKS (UINT16_MAX - 1)
#define SHAPE_BYTES 16u
#define TRACK_BYTES 10u     /* of a track's shape and id */

typedef struct {
    uint16_t type, flags;
    uint32_t size, channels;
    uint32_t told; /* positions and angles are told by the payload */
} group_shape;

_Static_assert(sizeof(group_shape) == SHAPE_BYTES, "group shape");

/* How a group's payload in the older tier begins; an entry for each frame follows. */
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

/* Takes what the payload tells of positions and angles out of a packet's header, or puts it
 * back: both are the same. */
static void told_toggle(uint8_t *packet)
{
    for (int i = 0; i < 6; i++) {
        double wide;
        uint32_t bits, said;
        memcpy(&wide, packet + sizeof(packet_header) + 8 * i, sizeof wide);
        float narrow = (float)wide;
        memcpy(&said, &narrow, sizeof said);
        uint8_t *at = packet + offsetof(packet_header, position) + 4 * i;
        memcpy(&bits, at, sizeof bits);
        bits ^= said;
        memcpy(at, &bits, sizeof bits);
    }
}

/* --- packing ---------------------------------------------------------------------------------- */

typedef struct {
    uint64_t id;
    uint32_t count;  /* packets */
    uint32_t newest; /* where its newest packet stands; each says where the one before does */
    uint16_t shape;
    uint16_t again;  /* the next track of this id and shape + 1, or 0 */
    uint16_t cursor; /* of the first one: which of them had the newest packet … */
    uint16_t seen;   /* … in which frame, counted from 1 */
} track;

typedef struct {
    uint64_t room;                  /* bytes of images that a group may have */
    uint8_t *images;                /* those of its frames; then the packed bytes */
    uint8_t *bytes;                 /* before LZ */
    track *tracks;
    group_shape *shapes;
    uint16_t *first;                /* a table of the first tracks by id and shape: index + 1 */
    uint32_t *places;               /* lz_pack's */
    uint32_t most_tracks, most_shapes, table_bits, lz_bits;
    /* Of the group that is being packed: */
    uint32_t at[GROUP_MOST];        /* where each image begins */
    uint64_t next[GROUP_MOST];      /* where the frame after it begins in the ring */
    uint64_t used;                  /* bytes of images */
    uint32_t frames, shape_count, track_count;
    uint64_t length;
} packer;

static uint32_t bits_for(uint64_t n, uint32_t least, uint32_t most)
{
    uint32_t bits = least;
    while (bits < most && (1ull << bits) < n) bits++;
    return bits;
}

/* Describes a packer for groups of `room` bytes; returns the memory that it needs. */
static uint64_t packer_measure(packer *p, uint64_t room)
{
    *p = (packer){.room = room};
    p->most_tracks = (uint32_t)(room / 128 < 256 ? 256 : room / 128);
    if (p->most_tracks > MOST_TRACKS) p->most_tracks = MOST_TRACKS;
    p->most_shapes = (uint32_t)(room / 512 < 64 ? 64 : room / 512);
    p->table_bits = bits_for(2ull * p->most_tracks, 9, 17);
    p->lz_bits = bits_for(room / 64, 6, 11);
    return align_up(lz_bound(room), LINE) + align_up(room, LINE)
           + align_up(p->most_tracks * sizeof(track), LINE)
           + align_up(p->most_shapes * sizeof(group_shape), LINE)
           + align_up(sizeof(uint16_t) << p->table_bits, LINE)
           + align_up((LZ_WAYS * sizeof(uint32_t)) << p->lz_bits, LINE);
}

static uint8_t *packer_place(packer *p, uint8_t *at)
{
    p->images = at;
    p->bytes = at += align_up(lz_bound(p->room), LINE);
    p->tracks = (track *)(void *)(at += align_up(p->room, LINE));
    at += align_up(p->most_tracks * sizeof(track), LINE);
    p->shapes = (group_shape *)(void *)at;
    at += align_up(p->most_shapes * sizeof(group_shape), LINE);
    p->first = (uint16_t *)(void *)at;
    at += align_up(sizeof(uint16_t) << p->table_bits, LINE);
    p->places = (uint32_t *)(void *)at;
    return at + align_up((LZ_WAYS * sizeof(uint32_t)) << p->lz_bits, LINE);
}

/* Takes the image of a ring's frame into the group: 1, 0 if it is full, -1 if the frame is gone,
 * damaged, or can never be packed. */
static int packer_take(packer *p, const memory *m, uint64_t start)
{
    frame_header frame;
    damage found = {0, ""};
    if (p->frames == GROUP_MOST) return 0;
    if (frame_copy(m, start, &frame, &found) <= 0 || frame.flags >> GROUP_FLAG_BITS) return -1;
    int64_t length = image_measure(m, start, &frame, &found);
    if (length <= 0) return -1;
    if ((uint64_t)length > p->room - p->used) return p->frames ? 0 : -1;
    uint8_t *image = p->images + p->used;
    if (image_fill(m, start, &frame, image, (uint64_t)length, &found) <= 0) return -1;
    p->at[p->frames] = (uint32_t)p->used;
    p->next[p->frames++] = atomic_load_explicit(&frame.next, memory_order_relaxed);
    p->used += (uint64_t)length;
    return 1;
}

static uint32_t shape_find(packer *p, const run_header *run, uint32_t guess)
{
    for (uint32_t n = 0; n < p->shape_count; n++) { /* they mostly come in the same order */
        uint32_t i = guess + n < p->shape_count ? guess + n : guess + n - p->shape_count;
        const group_shape *shape = &p->shapes[i];
        if (shape->size == run->size && shape->type == run->type
            && shape->channels == run->channels && shape->flags == run->flags)
            return i;
    }
    if (p->shape_count == p->most_shapes) return p->most_shapes;
    p->shapes[p->shape_count] = (group_shape){run->type, run->flags, run->size, run->channels, 0};
    return p->shape_count++;
}

static uint16_t track_add(packer *p, uint64_t id, uint32_t shape)
{
    if (p->track_count == p->most_tracks) return NO_TRACK;
    uint16_t index = (uint16_t)p->track_count++;
    p->tracks[index] = (track){.id = id, .shape = (uint16_t)shape, .cursor = index};
    return index;
}

/* The track of the next packet of an id and a shape in frame `frame`, counted from 1. */
static uint16_t track_find(packer *p, uint64_t id, uint32_t shape, uint32_t frame)
{
    uint64_t mask = (1ull << p->table_bits) - 1, slot = mix(id + shape * 0x9e3779b97f4a7c15ull);
    for (;; slot++) {
        uint16_t *entry = &p->first[slot & mask];
        if (!*entry) {
            uint16_t index = track_add(p, id, shape);
            if (index == NO_TRACK) return index;
            *entry = (uint16_t)(index + 1);
            p->tracks[index].seen = (uint16_t)frame;
            return index;
        }
        uint16_t index = (uint16_t)(*entry - 1);
        track *first = &p->tracks[index];
        if (first->id != id || first->shape != shape) continue;
        if (first->seen != frame) { /* its first packet in this frame */
            first->seen = (uint16_t)frame;
            first->cursor = index;
            return index;
        }
        track *newest = &p->tracks[first->cursor];
        if (!newest->again) {
            uint16_t added = track_add(p, id, shape);
            if (added == NO_TRACK) return added;
            newest->again = (uint16_t)(added + 1);
        }
        first->cursor = (uint16_t)(newest->again - 1);
        return first->cursor;
    }
}

/* Writes which tracks a frame's packets belong to, at `*to`, and links the packets of each track.
 * False: one of the tables is full. */
static int frame_plan(packer *p, uint32_t frame, uint64_t *to)
{
    uint64_t at = p->at[frame] + FIRST_RUN;
    uint64_t end = frame + 1 < p->frames ? p->at[frame + 1] : p->used, counted = *to + 2;
    uint32_t runs = 0, shape = 0;
    uint16_t before = NO_TRACK;
    if (p->room - *to < 4) return 0;
    store_short(p->bytes + *to, 1);
    *to += 4;
    for (; at < end; runs++) {
        run_header run;
        memcpy(&run, p->images + at, sizeof run);
        shape = shape_find(p, &run, runs ? shape + 1 : 0);
        if (shape == p->most_shapes || run.count > UINT16_MAX || runs == UINT16_MAX
            || p->room - *to < 2 + 2ull * run.count)
            return 0;
        store_short(p->bytes + *to, run.count);
        *to += 2;
        at += sizeof run;
        for (uint32_t i = 0; i < run.count; i++, at += run.stride, *to += 2) {
            packet_header *packet = (packet_header *)(void *)(p->images + at);
            uint16_t index = track_find(p, packet->id, shape, frame + 1);
            if (index == NO_TRACK) return 0;
            store_short(p->bytes + *to, index - before - 1u);
            before = index;
            packet->next = p->tracks[index].newest;
            p->tracks[index].newest = (uint32_t)at;
            p->tracks[index].count++;
        }
    }
    store_short(p->bytes + counted, runs);
    return 1;
}

/* Writes which tracks the packets of all frames belong to; the group is cut where a table is
 * full. False: not even one frame fits. */
static int group_plan(packer *p)
{
    for (;;) {
        uint64_t to = 0, told = 0, told_bytes = 0;
        uint32_t frame = 0;
        p->shape_count = p->track_count = 0;
        memset(p->first, 0, sizeof(uint16_t) << p->table_bits);
        for (; frame < p->frames; frame++) {
            uint64_t from = to;
            if (!frame_plan(p, frame, &to)) break;
            uint64_t bytes = to - from - 2;
            if (frame && bytes == told_bytes
                && !memcmp(p->bytes + told, p->bytes + from + 2, bytes)) {
                store_short(p->bytes + from, 0);
                to = from + 2;
            } else {
                told = from + 2;
                told_bytes = bytes;
            }
        }
        p->length = to;
        if (frame == p->frames) return 1;
        if (!frame) return 0;
        p->used = p->at[frame];
        p->frames = frame;
    }
}

/* A track's packets, oldest first. */
static void track_packets(const packer *p, const track *t, uint8_t **packets)
{
    uint32_t at = t->newest;
    for (uint32_t i = t->count; i-- > 0;) {
        packets[i] = p->images + at;
        at = ((const packet_header *)(const void *)packets[i])->next;
    }
}

/* Finds the shapes whose positions and angles are mostly told by their payloads. */
static void shapes_judge(packer *p)
{
    for (uint32_t i = 0; i < p->track_count; i++) {
        const track *t = &p->tracks[i];
        group_shape *shape = &p->shapes[t->shape];
        if (shape->size < TOLD_FROM || shape->flags & RUN_LATCHED) continue;
        uint8_t copy[sizeof(packet_header) + TOLD_FROM];
        memcpy(copy, p->images + t->newest, sizeof copy);
        told_toggle(copy);
        int zeros = 0;
        for (int k = 0; k < 6; k++)
            zeros += !load_half(copy + offsetof(packet_header, position) + 4 * k);
        /* Above the middle: more of the packets agree than differ. */
        shape->told += zeros >= 3 ? 1u : UINT32_MAX;
    }
    for (uint32_t i = 0; i < p->shape_count; i++)
        p->shapes[i].told = (int32_t)p->shapes[i].told > 0;
}

/* Writes a track's rows: for each byte of a packet those of all packets. */
static uint8_t *track_rows(uint8_t *to, uint8_t *const *packets, uint32_t count, uint32_t size)
{
    for (uint32_t row = 0; row < ROW_HEADER + size; row++, to += count) {
        uint64_t at = row < 2 ? offsetof(packet_header, targetable) + row
                              : offsetof(packet_header, position) + row - 2;
        uint8_t before = 0;
        for (uint32_t i = 0; i < count; i++) {
            uint8_t byte = packets[i][at];
            to[i] = byte ^ before;
            before = byte;
        }
    }
    return to;
}

/* Lays a planned group out, before LZ. False: there is no room, which there always is. */
static int group_lay(packer *p)
{
    uint64_t need = p->length + SHAPE_BYTES * (uint64_t)p->shape_count
                    + TRACK_BYTES * (uint64_t)p->track_count;
    for (uint32_t i = 0; i < p->track_count; i++)
        need += (uint64_t)p->tracks[i].count * (ROW_HEADER + p->shapes[p->tracks[i].shape].size);
    if (need > p->room) return 0;
    shapes_judge(p);
    uint8_t *to = p->bytes + p->length;
    memcpy(to, p->shapes, SHAPE_BYTES * (uint64_t)p->shape_count);
    to += SHAPE_BYTES * (uint64_t)p->shape_count;
    for (uint32_t i = 0; i < p->track_count; i++, to += 2) store_short(to, p->tracks[i].shape);
    for (uint32_t i = 0; i < p->track_count; i++, to += 8) store_word(to, p->tracks[i].id);
    for (uint32_t i = 0; i < p->track_count; i++) {
        const track *t = &p->tracks[i];
        const group_shape *shape = &p->shapes[t->shape];
        uint8_t *packets[GROUP_MOST];
        track_packets(p, t, packets);
        for (uint32_t k = 0; shape->told && k < t->count; k++) told_toggle(packets[k]);
        to = track_rows(to, packets, t->count, shape->size);
    }
    p->length = (uint64_t)(to - p->bytes);
    return 1;
}

/* --- unpacking -------------------------------------------------------------------------------- */

typedef struct {
    uint64_t id;
    uint32_t rows;  /* where they begin */
    uint16_t count; /* packets */
    uint16_t next;  /* which of them comes next: `walk` counts */
    uint16_t shape;
} opened_track;

/* A group as it was before LZ, with its rows' XOR undone. */
typedef struct {
    uint64_t last; /* id of its newest frame, or 0 */
    uint64_t used; /* when it was asked for, so to speak */
    uint64_t room;
    uint32_t most_tracks;
    uint8_t *bytes;
    opened_track *tracks;
    group_header header;
    uint64_t shapes_at;
} opened;

static uint64_t opened_measure(const packer *p)
{
    return align_up(p->room, LINE) + align_up(p->most_tracks * sizeof(opened_track), LINE);
}

static uint8_t *opened_place(opened *o, const packer *p, uint8_t *at)
{
    *o = (opened){.room = p->room, .most_tracks = p->most_tracks, .bytes = at};
    o->tracks = (opened_track *)(void *)(at += align_up(p->room, LINE));
    return at + align_up(p->most_tracks * sizeof(opened_track), LINE);
}

/* Where one is in the list of which tracks the frames' packets belong to. */
typedef struct {
    uint64_t at, told, end;
} walk;

/* Goes on to the next frame: `told` is where its runs are said. False: there is none. */
static int walk_frame(const opened *o, walk *w)
{
    if (w->end - w->at < 2) return 0;
    uint16_t mark = load_short(o->bytes + w->at);
    w->at += 2;
    if (mark == 0) return w->told != 0;
    if (mark != 1 || w->end - w->at < 2) return 0;
    w->told = w->at;
    uint16_t runs = load_short(o->bytes + w->at);
    w->at += 2;
    while (runs--) {
        if (w->end - w->at < 2) return 0;
        uint64_t bytes = 2 + 2ull * load_short(o->bytes + w->at);
        if (w->end - w->at < bytes) return 0;
        w->at += bytes;
    }
    return 1;
}

/* Counts the packets of the frame that `walk_frame` went to. False: a track is none. */
static int walk_count(const opened *o, const walk *w)
{
    uint64_t at = w->told + 2;
    uint16_t index = NO_TRACK;
    for (uint16_t runs = load_short(o->bytes + w->told); runs; runs--) {
        uint16_t count = load_short(o->bytes + at);
        at += 2;
        for (; count; count--, at += 2) {
            index = (uint16_t)(index + load_short(o->bytes + at) + 1);
            if (index >= o->header.tracks) return 0;
            if (o->tracks[index].next == GROUP_MOST) return 0;
            o->tracks[index].next++;
        }
    }
    return 1;
}

static group_shape shape_at(const opened *o, uint16_t index)
{
    group_shape shape;
    memcpy(&shape, o->bytes + o->shapes_at + SHAPE_BYTES * (uint64_t)index, sizeof shape);
    return shape;
}

/* Undoes the XOR of a row. */
static void row_restore(uint8_t *row, uint32_t count)
{
    uint8_t before = 0;
    uint32_t i = 0;
    for (; i + 8 <= count; i += 8) { /* eight bytes at once: each takes all those below it */
        uint64_t word = load_word(row + i);
        word ^= word << 8;
        word ^= word << 16;
        word ^= word << 32;
        word ^= before * 0x0101010101010101ull;
        store_word(row + i, word);
        before = (uint8_t)(word >> 56);
    }
    for (; i < count; i++) before = row[i] ^= before;
}

/* Takes a group's bytes, just unpacked, up. False: they contradict themselves. */
static int opened_parse(opened *o)
{
    const group_header *h = &o->header;
    uint64_t tables = SHAPE_BYTES * (uint64_t)h->shapes + TRACK_BYTES * (uint64_t)h->tracks;
    if (h->tracks > o->most_tracks || h->rows > h->length || tables > h->rows) return 0;
    o->shapes_at = h->rows - tables;
    const uint8_t *shapes = o->bytes + o->shapes_at + SHAPE_BYTES * (uint64_t)h->shapes;
    const uint8_t *ids = shapes + 2ull * h->tracks;
    for (uint32_t i = 0; i < h->tracks; i++) {
        uint16_t shape = load_short(shapes + 2ull * i);
        if (shape >= h->shapes) return 0;
        o->tracks[i] = (opened_track){.id = load_word(ids + 8ull * i), .shape = shape};
    }
    walk w = {.end = o->shapes_at};
    for (uint32_t i = 0; i < h->frames; i++)
        if (!walk_frame(o, &w) || !walk_count(o, &w)) return 0;
    uint64_t at = h->rows;
    for (uint32_t i = 0; i < h->tracks; i++) {
        opened_track *t = &o->tracks[i];
        uint64_t rows = ROW_HEADER + (uint64_t)shape_at(o, t->shape).size;
        t->count = t->next;
        t->rows = (uint32_t)at;
        if (rows * t->count > h->length - at) return 0;
        for (uint64_t row = 0; row < rows; row++, at += t->count)
            row_restore(o->bytes + at, t->count);
    }
    return at == h->length;
}

/* Writes a packet, but its `next`, from a track's rows. */
static void packet_restore(const opened *o, const opened_track *t, const group_shape *shape,
                           uint8_t *to)
{
    uint64_t count = t->count;
    const uint8_t *row = o->bytes + t->rows + t->next;
    store_word(to, t->id);
    store_word(to + 8, header_word(shape->type, row[0], row[count], 0));
    row += 2 * count;
    uint8_t *bytes = to + offsetof(packet_header, position);
    for (uint64_t i = 0; i < ROW_HEADER - 2 + (uint64_t)shape->size; i++, row += count)
        bytes[i] = *row;
    if (shape->told) told_toggle(to);
}

/* Writes the image of frame `index` of the group, `length` bytes. `frame` is its header, but what
 * image_seal fills in. False: the bytes contradict themselves. */
static int opened_image(opened *o, uint32_t index, frame_header *frame, uint8_t *to,
                        uint64_t length)
{
    walk w = {.end = o->shapes_at};
    for (uint32_t i = 0; i < o->header.tracks; i++) o->tracks[i].next = 0;
    if (!walk_frame(o, &w)) return 0;
    for (uint32_t i = 0; i < index; i++)
        if (!walk_count(o, &w) || !walk_frame(o, &w)) return 0;
    uint64_t at = w.told + 2, used = FIRST_RUN;
    uint32_t sum = 0, ordinal = 0;
    uint16_t track_index = NO_TRACK;
    for (uint16_t runs = load_short(o->bytes + w.told); runs; runs--) {
        uint16_t count = load_short(o->bytes + at);
        at += 2;
        if (!count) return 0;
        run_header run = {.count = count};
        group_shape shape = {0};
        uint8_t *header = to + used;
        for (uint16_t i = 0; i < count; i++, at += 2) {
            track_index = (uint16_t)(track_index + load_short(o->bytes + at) + 1);
            if (track_index >= o->header.tracks) return 0;
            opened_track *t = &o->tracks[track_index];
            if (!i) {
                shape = shape_at(o, t->shape);
                run.stride = (uint32_t)image_stride(shape.size);
                run.size = shape.size;
                run.channels = shape.channels;
                run.type = shape.type;
                run.flags = shape.flags;
                uint64_t bytes = sizeof run + (uint64_t)count * run.stride;
                if (bytes > length - used || run.stride < sizeof(packet_header)) return 0;
                used += sizeof run;
                if (runs > 1) run.next = (uint32_t)(bytes / 8);
            }
            if (t->next >= t->count || shape_at(o, t->shape).size != shape.size) return 0;
            uint64_t step = i + 1 < count ? run.stride : runs > 1 ? run.stride + sizeof run : 0;
            if (shape.size & 7) store_word(to + used + run.stride - 8, 0);
            packet_restore(o, t, &shape, to + used);
            uint32_t next = (uint32_t)(step / 8);
            memcpy(to + used + offsetof(packet_header, next), &next, sizeof next);
            t->next++;
            used += run.stride;
        }
        memcpy(header, &run, sizeof run);
        sum += check_run(&run, ordinal)
               + check_packets(header + sizeof run, count, run.stride, run.size, ordinal);
        ordinal += count;
    }
    if (used != length || ordinal != frame->count) return 0;
    uint32_t check = frame->check;
    image_seal(frame, length, sum);
    memcpy(to, (const void *)frame, sizeof *frame);
    return frame->check == check;
}
