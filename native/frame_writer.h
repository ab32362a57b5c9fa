/* Writing frames into the arena: allocating, evicting, linking, publishing.
 *
 * These invariants hold whenever Python code can run:
 *   - [tail, head) is at most as long as the arena, and never overlaps itself;
 *   - the open frame lies in [open.start, head) and is never evicted;
 *   - every frame from tail to newest is complete, and ids count up by one.
 *
 * Readers in other processes, and readers of what a killed process left, rely on the order of
 * publishing. First comes the new base of latched packets, then the new tail, then a full fence.
 * Only then is anything overwritten. A finished frame is filled, and streaming stores are fenced,
 * before `newest` names it.
 *
 * Packets are appended for each object of each frame. Therefore the fast path (`quick_append`), the
 * packet's header and its links are inline functions in this header. frame_writer.c has the rest.
 */
#ifndef PLAYHEAD_FRAME_WRITER_H
#define PLAYHEAD_FRAME_WRITER_H

#include "latched_state_store.h"
#include "nontemporal_copy.h"

/* Memory of a closed packet of which its handler still has a view. */
typedef struct {
    uint64_t at, end; /* physical */
    void *owner;
} quarantine;

#define MAX_QUARANTINE 16

typedef struct {
    memory m;
    int open;             /* a frame is being recorded */
    uint64_t start;       /* of the open frame, or NONE */
    uint64_t before;      /* head before it was opened */
    uint64_t first, runs; /* offsets of its first packet and run, or NONE */
    uint64_t last, run;   /* of its newest packet and run, or NONE */
    uint64_t bytes;
    uint64_t latest_id;   /* of the newest finished frame, 0 = none yet */
    double latest_time;   /* its time: it may be evicted already */
    uint64_t tail;        /* what is, or is about to be, published as the tail */
    uint32_t count, check, flags;
    packet_header *last_at; /* where `last` is */
    /* The fast path to one more packet of the newest run (`quick_append`): that run, or NULL; the
     * head's address; the offset that the head may not pass, which is the arena's end or the
     * tail. There is no short way while memory is in quarantine. */
    run_header *quick;
    uint8_t *head_at;
    uint64_t until;
    quarantine quarantines[MAX_QUARANTINE];
    int quarantine_count;
} writer;

static inline uint8_t *address_at(const memory *m, uint64_t offset)
{
    return m->arena + offset % m->arena_size;
}

static inline frame_header *frame_at(const memory *m, uint64_t offset)
{
    return (frame_header *)(void *)address_at(m, offset);
}

static inline run_header *run_at(const memory *m, uint64_t offset)
{
    return (run_header *)(void *)address_at(m, offset);
}

static inline packet_header *packet_at(const memory *m, uint64_t offset)
{
    return (packet_header *)(void *)address_at(m, offset);
}

static inline uint64_t tail_of(const memory *m)
{
    return atomic_load_explicit(&m->header->tail, memory_order_acquire);
}

static inline uint64_t newest_of(const memory *m)
{
    return atomic_load_explicit(&m->header->newest, memory_order_acquire);
}

/* A packet's second word: what is neither its id nor where it is. */
static inline uint64_t header_word(uint16_t type, uint8_t targetable, uint8_t flags, uint32_t next)
{
    return type | (uint64_t)targetable << 16 | (uint64_t)flags << 24 | (uint64_t)next << 32;
}

static inline uint64_t pair(float low, float high)
{
    uint32_t bits[2];
    memcpy(&bits[0], &low, 4);
    memcpy(&bits[1], &high, 4);
    return bits[0] | (uint64_t)bits[1] << 32;
}

static inline void store_word(uint8_t *at, uint64_t word) { memcpy(at, &word, 8); }

/* Writes a packet's header word by word. Its check reads words right afterwards: after smaller or
 * larger stores the processor would have to wait for them to reach the cache. */
static inline void header_write(uint8_t *at, uint64_t id, uint64_t word, const float position[3],
                                const float angles[3])
{
    store_word(at, id);
    store_word(at + 8, word);
    store_word(at + 16, pair(position[0], position[1]));
    store_word(at + 24, pair(position[2], angles[0]));
    store_word(at + 32, pair(angles[1], angles[2]));
}

/* Whether the ring has any finished frame. */
static inline int holds_any(const writer *w)
{
    uint64_t newest = newest_of(&w->m);
    return newest != NONE && newest >= w->tail;
}

/* The most packets of a stride that fit behind `at` before the arena's end. */
static inline uint64_t room_for(const memory *m, uint64_t at, uint64_t stride)
{
    return (m->arena_size - at % m->arena_size) / stride;
}

static inline uint64_t stride_of(uint64_t size)
{
    uint64_t bytes = sizeof(packet_header) + size;
    return size >= ALIGNED_FROM ? align_up(bytes, LINE) : align_up(bytes, 8);
}

/* After a packet was appended alone: prepares the fast path for the next one. */
static inline void quick_prepare(writer *w, packet_header *packet, uint64_t stride)
{
    const memory *m = &w->m;
    if (w->quarantine_count) return;
    uint64_t head = m->header->head;
    w->head_at = (uint8_t *)packet + stride;
    uint64_t lap = head + (uint64_t)(m->arena + m->arena_size - w->head_at);
    w->until = w->tail + m->arena_size;
    if (w->until > lap) w->until = lap;
    w->quick = run_at(m, w->run);
}

/* The fast path: one more packet of the newest run, with no wrap and no eviction. Does what
 * run_append would do, or returns NULL: then run_append must. */
static inline packet_header *quick_append(writer *w, uint16_t type, uint32_t channels,
                                          uint64_t size, uint64_t *at)
{
    run_header *run = w->quick;
    if (!run || run->size != size || run->type != type || run->channels != channels) return NULL;
    block_header *header = w->m.header;
    uint64_t stride = run->stride, head = header->head;
    if (head + stride > w->until) return NULL;
    packet_header *packet = (packet_header *)(void *)w->head_at;
    run->count++;
    header->head = head + stride;
    header->live += stride;
    w->bytes += stride;
    w->head_at += stride;
    *at = head;
    return packet;
}

/* Links packets whose headers are written: the frame's newest packet to the first of them. */
static inline void packets_linked(writer *w, packet_header *packet, uint64_t first, uint64_t count,
                                  uint64_t stride)
{
    if (w->last == NONE)
        w->first = first;
    else
        w->last_at->next = (uint32_t)((first - w->last) / 8);
    w->last = first + (count - 1) * stride;
    w->last_at = (packet_header *)(void *)((uint8_t *)packet + (count - 1) * stride);
    w->count += (uint32_t)count;
    w->m.header->packets_recorded += count;
}

static inline void count_dropped(writer *w, uint64_t packets)
{
    w->m.header->packets_dropped += packets;
    w->flags |= FRAME_DROPPED;
}

/* --- in frame_writer.c ---------------------------------------------------------------------- */

/* Opens a frame. False: the arena has no room for its header. */
int frame_open(writer *w);
void frame_commit(writer *w, double time, double delta, uint32_t epoch, uint32_t flags);
void frame_abort(writer *w);

/* Evicts the oldest frame: see frame_writer.c for what must follow. */
void evict_oldest(writer *w, uint64_t floor);
int could_fit(const writer *w, uint64_t stride, uint64_t count);
uint64_t run_append(writer *w, uint16_t type, uint32_t channels, uint64_t size,
                    uint16_t flags, uint64_t most, uint64_t *granted);

/* --- latched packets ------------------------------------------------------------------------ */

int entry_holds(const writer *w, const entry_header *entry);
uint8_t *latch_append(writer *w, uint64_t object, uint16_t type, uint32_t channels,
                      uint16_t kind, uint64_t key, uint64_t bytes, uint16_t flags);
void version_written(writer *w);

#endif
