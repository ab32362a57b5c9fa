/* Unpacking a group of frames: see tier_packed_frames.h for the bytes. Every count and index is checked
 * before it is used.
 */
#include "tier_packed_frames.h"

uint64_t unpacked_measure(const packer *p)
{
    return align_up(p->room, LINE) + align_up(p->most_tracks * sizeof(unpacked_track), LINE);
}

uint8_t *unpacked_layout(unpacked_group *o, const packer *p, uint8_t *at)
{
    *o = (unpacked_group){.room = p->room, .most_tracks = p->most_tracks, .bytes = at};
    o->tracks = (unpacked_track *)(void *)(at += align_up(p->room, LINE));
    return at + align_up(p->most_tracks * sizeof(unpacked_track), LINE);
}

/* A position in the list of which tracks the frames' packets belong to. */
typedef struct {
    uint64_t at, runs_at, end;
} group_cursor;

/* Goes on to the next frame: `runs_at` is where its runs are listed. False: there is none. */
static int cursor_next_frame(const unpacked_group *o, group_cursor *w)
{
    if (w->end - w->at < 2) return 0;
    uint16_t mark = load_short(o->bytes + w->at);
    w->at += 2;
    if (mark == 0) return w->runs_at != 0;
    if (mark != 1 || w->end - w->at < 2) return 0;
    w->runs_at = w->at;
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

/* Counts the packets of the frame that `cursor_next_frame` went to. False: an index is no track. */
static int cursor_count(const unpacked_group *o, const group_cursor *w)
{
    uint64_t at = w->runs_at + 2;
    uint16_t index = NO_TRACK;
    for (uint16_t runs = load_short(o->bytes + w->runs_at); runs; runs--) {
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

static group_shape shape_at(const unpacked_group *o, uint16_t index)
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
    for (; i + 8 <= count; i += 8) { /* eight bytes at once */
        uint64_t word = load_word(row + i);
        word ^= word << 8; /* each byte is XORed with all those below it */
        word ^= word << 16;
        word ^= word << 32;
        word ^= before * 0x0101010101010101ull;
        store_word(row + i, word);
        before = (uint8_t)(word >> 56);
    }
    for (; i < count; i++) before = row[i] ^= before;
}

int unpacked_parse(unpacked_group *o)
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
        o->tracks[i] = (unpacked_track){.id = load_word(ids + 8ull * i), .shape = shape};
    }
    group_cursor w = {.end = o->shapes_at};
    for (uint32_t i = 0; i < h->frames; i++)
        if (!cursor_next_frame(o, &w) || !cursor_count(o, &w)) return 0;
    uint64_t at = h->rows;
    for (uint32_t i = 0; i < h->tracks; i++) {
        unpacked_track *t = &o->tracks[i];
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
static void packet_restore(const unpacked_group *o, const unpacked_track *t,
                           const group_shape *shape, uint8_t *to)
{
    uint64_t count = t->count;
    const uint8_t *row = o->bytes + t->rows + t->next;
    store_word(to, t->id);
    store_word(to + 8, header_word(shape->type, row[0], row[count], 0));
    row += 2 * count;
    uint8_t *bytes = to + offsetof(packet_header, position);
    for (uint64_t i = 0; i < ROW_HEADER - 2 + (uint64_t)shape->size; i++, row += count)
        bytes[i] = *row;
    if (shape->derived) derived_toggle(to);
}

/* Writes the image of frame `index` of the group, `length` bytes. `frame` is its header, but what
 * image_seal fills in. False: the bytes contradict themselves. */
int unpacked_image(unpacked_group *o, uint32_t index, frame_header *frame, uint8_t *to,
                   uint64_t length)
{
    group_cursor w = {.end = o->shapes_at};
    for (uint32_t i = 0; i < o->header.tracks; i++) o->tracks[i].next = 0;
    if (!cursor_next_frame(o, &w)) return 0;
    for (uint32_t i = 0; i < index; i++)
        if (!cursor_count(o, &w) || !cursor_next_frame(o, &w)) return 0;
    uint64_t at = w.runs_at + 2, used = FIRST_RUN;
    uint32_t sum = 0, ordinal = 0;
    uint16_t track_index = NO_TRACK;
    for (uint16_t runs = load_short(o->bytes + w.runs_at); runs; runs--) {
        uint16_t count = load_short(o->bytes + at);
        at += 2;
        if (!count) return 0;
        run_header run = {.count = count};
        group_shape shape = {0};
        uint8_t *header = to + used;
        for (uint16_t i = 0; i < count; i++, at += 2) {
            track_index = (uint16_t)(track_index + load_short(o->bytes + at) + 1);
            if (track_index >= o->header.tracks) return 0;
            unpacked_track *t = &o->tracks[track_index];
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
