/* Packing a group of frames: see tier_packed_frames.h for the bytes.
 *
 * There are three steps. `packer_add_frame` collects images. `group_plan` writes which tracks each
 * frame's packets belong to, and links the packets of each track (through `next` of their headers).
 * `group_lay_out` writes the rows. If a table is full, the group ends early, and the remaining
 * frames go into the next group.
 */
#include "tier_packed_frames.h"

static uint32_t bits_for(uint64_t n, uint32_t least, uint32_t most)
{
    uint32_t bits = least;
    while (bits < most && (1ull << bits) < n) bits++;
    return bits;
}

/* Describes a packer for groups of `room` bytes; returns the memory that it needs. */
uint64_t packer_measure(packer *p, uint64_t room)
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

uint8_t *packer_layout(packer *p, uint8_t *at)
{
    p->images = at;
    p->bytes = at += align_up(lz_bound(p->room), LINE);
    p->tracks = (track *)(void *)(at += align_up(p->room, LINE));
    at += align_up(p->most_tracks * sizeof(track), LINE);
    p->shapes = (group_shape *)(void *)at;
    at += align_up(p->most_shapes * sizeof(group_shape), LINE);
    p->first = (uint16_t *)(void *)at;
    at += align_up(sizeof(uint16_t) << p->table_bits, LINE);
    p->positions = (uint32_t *)(void *)at;
    return at + align_up((LZ_WAYS * sizeof(uint32_t)) << p->lz_bits, LINE);
}

int packer_add_frame(packer *p, const memory *m, uint64_t start)
{
    frame_header frame;
    damage fault = {0, ""};
    if (p->frames == GROUP_MOST) return 0;
    if (frame_copy(m, start, &frame, &fault) <= 0 || frame.flags >> GROUP_FLAG_BITS) return -1;
    int64_t length = image_measure(m, start, &frame, &fault);
    if (length <= 0) return -1;
    if ((uint64_t)length > p->room - p->used) return p->frames ? 0 : -1;
    uint8_t *image = p->images + p->used;
    if (image_fill(m, start, &frame, image, (uint64_t)length, &fault) <= 0) return -1;
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
        if (!newest->next_alike) {
            uint16_t added = track_add(p, id, shape);
            if (added == NO_TRACK) return added;
            newest->next_alike = (uint16_t)(added + 1);
        }
        first->cursor = (uint16_t)(newest->next_alike - 1);
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
int group_plan(packer *p)
{
    for (;;) {
        uint64_t to = 0, listed = 0, listed_bytes = 0;
        uint32_t frame = 0;
        p->shape_count = p->track_count = 0;
        memset(p->first, 0, sizeof(uint16_t) << p->table_bits);
        for (; frame < p->frames; frame++) {
            uint64_t from = to;
            if (!frame_plan(p, frame, &to)) break;
            uint64_t bytes = to - from - 2;
            if (frame && bytes == listed_bytes
                && !memcmp(p->bytes + listed, p->bytes + from + 2, bytes)) {
                store_short(p->bytes + from, 0);
                to = from + 2;
            } else {
                listed = from + 2;
                listed_bytes = bytes;
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

/* Finds the shapes whose positions and angles mostly derive from their payloads. */
static void shapes_detect_derived(packer *p)
{
    for (uint32_t i = 0; i < p->track_count; i++) {
        const track *t = &p->tracks[i];
        group_shape *shape = &p->shapes[t->shape];
        if (shape->size < DERIVED_FROM || shape->flags & RUN_LATCHED) continue;
        uint8_t copy[sizeof(packet_header) + DERIVED_FROM];
        memcpy(copy, p->images + t->newest, sizeof copy);
        derived_toggle(copy);
        int zeros = 0;
        for (int k = 0; k < 6; k++)
            zeros += !load_half(copy + offsetof(packet_header, position) + 4 * k);
        /* More of the packets agree than differ. */
        shape->derived += zeros >= 3 ? 1u : UINT32_MAX;
    }
    for (uint32_t i = 0; i < p->shape_count; i++)
        p->shapes[i].derived = (int32_t)p->shapes[i].derived > 0;
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

/* Lays a planned group out, before LZ. False: there is no room, which should never happen. */
int group_lay_out(packer *p)
{
    uint64_t need = p->length + SHAPE_BYTES * (uint64_t)p->shape_count
                    + TRACK_BYTES * (uint64_t)p->track_count;
    for (uint32_t i = 0; i < p->track_count; i++)
        need += (uint64_t)p->tracks[i].count * (ROW_HEADER + p->shapes[p->tracks[i].shape].size);
    if (need > p->room) return 0;
    shapes_detect_derived(p);
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
        for (uint32_t k = 0; shape->derived && k < t->count; k++) derived_toggle(packets[k]);
        to = track_rows(to, packets, t->count, shape->size);
    }
    p->length = (uint64_t)(to - p->bytes);
    return 1;
}
