/* Appending one packet to the open frame: the functions that all record_*.c files share. */
#ifndef PLAYHEAD_RECORD_PACKETS_H
#define PLAYHEAD_RECORD_PACKETS_H

#include "ring_object.h"

/* The state of the open frame that `undo_to` goes back to. */
typedef struct {
    uint64_t head, first, runs, last, run, bytes;
    packet_header *last_at;
    uint32_t run_count;
} undo_point;

static inline undo_point undo_mark(const writer *w)
{
    return (undo_point){w->m.header->head, w->first, w->runs, w->last,
                        w->run,            w->bytes, w->last_at,
                        w->run == NONE ? 0 : run_at(&w->m, w->run)->count};
}

/* Gives up the room appended since `point`. Frames evicted for it stay evicted. */
static inline void undo_to(writer *w, const undo_point *point)
{
    memory *m = &w->m;
    m->header->live -= w->bytes - point->bytes;
    m->header->head = point->head;
    w->first = point->first;
    w->runs = point->runs;
    w->last = point->last;
    w->last_at = point->last_at;
    w->quick = NULL;
    w->run = point->run;
    w->bytes = point->bytes;
    if (w->run != NONE) {
        run_at(m, w->run)->count = point->run_count;
        run_at(m, w->run)->next = 0;
    }
}

static inline void packet_written(writer *w, packet_header *packet, uint64_t at, uint64_t size)
{
    const uint8_t *from = (const uint8_t *)packet;
    w->check += size ? check_packets(from, 1, 0, size, w->count) : check_header(from, w->count);
    packets_linked(w, packet, at, 1, 0);
}

/* Room for one packet, `*at` its offset; NULL if it doesn't fit. */
static inline packet_header *packet_append(writer *w, uint16_t type, uint32_t channels,
                                           uint64_t size, uint64_t *at)
{
    packet_header *packet = quick_append(w, type, channels, size, at);
    if (!packet) {
        uint64_t granted;
        if (size > w->m.arena_size) return NULL;
        *at = run_append(w, type, channels, size, 0, 1, &granted);
        if (*at == NONE) return NULL;
        packet = packet_at(&w->m, *at);
        quick_prepare(w, packet, stride_of(size));
    }
    if (size & 7) /* the padding counts in the check */
        memset((uint8_t *)(packet + 1) + (size & ~7ull), 0, 8);
    return packet;
}

/* Appends only a header, flagged damaged. False: there is no room for it. */
int append_damaged(writer *w, uint64_t id, uint16_t type, uint32_t channels);

/* The fields of a packet's header, read from Python. */
typedef struct {
    uint64_t id;
    uint16_t type;
    uint8_t targetable;
    uint32_t channels;
    float position[3], angles[3];
} row_header;

#endif
