/* Writing frames into the arena: see frame_writer.h for the invariants and the order of
 * publishing.
 *
 * `allocate` makes room, evicting the oldest frames if necessary. There are two other reasons to
 * evict: `latch_allocate` evicts where that frees latch slots, and the tier empties its store.
 */
#include "frame_writer.h"

/* Tells readers what is evicted. A full fence must follow before anything there is overwritten. */
static inline void publish_tail(writer *w)
{
    atomic_store_explicit(&w->m.header->tail, w->tail, memory_order_release);
}

/* Evicts the oldest frame. `floor` is where the arena's live part begins if it was the last.
 *
 * The tail is published frame by frame. A base replaces the one before it, which the frames up to
 * here may still need: so no second base may follow while readers may still ask for those frames.
 */
void evict_oldest(writer *w, uint64_t floor)
{
    memory *m = &w->m;
    frame_header *frame = frame_at(m, w->tail);
    if (frame->flags & FRAME_LATCHES) {
        uint64_t at = frame->runs;
        while (at != NONE) {
            run_header *run = run_at(m, at);
            uint64_t next = run->next ? at + 8ull * run->next : NONE;
            if (run->flags & RUN_LATCHED) latch_evict(m, run, at);
            at = next;
        }
    }
    m->header->live -= frame->bytes;
    m->header->frames_evicted++;
    w->tail = w->tail == newest_of(m) ? floor
                                      : atomic_load_explicit(&frame->next, memory_order_relaxed);
#ifndef PLAYHEAD_PLANT_LATE_TAIL /* a fault on purpose, built for the test that it is caught */
    publish_tail(w);
#endif
}

/* How many bytes to skip from `at` to be clear of memory under quarantine; 0 = it is clear. */
static uint64_t quarantine_overlap(const writer *w, uint64_t at, uint64_t bytes)
{
    uint64_t physical = at % w->m.arena_size;
    for (int i = 0; i < w->quarantine_count; i++)
        if (physical < w->quarantines[i].end && physical + bytes > w->quarantines[i].at)
            return w->quarantines[i].end - physical;
    return 0;
}

/* Finds room for `bytes` in a row, evicts what is there, and moves the head behind it. Returns
 * its offset. NONE: it can't fit beside the open frame; then nothing was evicted. */
static uint64_t allocate(writer *w, uint64_t bytes, uint64_t align)
{
    memory *m = &w->m;
    uint64_t size = m->arena_size, head = m->header->head, at = head;
    if (bytes > size) return NONE;
    for (uint64_t further = 1; further; at += further) {
        at = align_up(at, align);
        if (at % size + bytes > size) at += size - at % size;
        further = quarantine_overlap(w, at, bytes);
        if (at - head > 2 * size) return NONE;
    }
    uint64_t floor = w->open ? w->start : at;
    if (at + bytes - floor > size) return NONE;
    uint64_t tail = w->tail;
    if (!holds_any(w)) {
        w->tail = floor;
        publish_tail(w);
    }
    while (at + bytes - w->tail > size) evict_oldest(w, floor);
    if (tail != w->tail) atomic_thread_fence(memory_order_seq_cst);
    m->header->head = at + bytes;
    return at;
}

/* Adds an allocation at `at` to the open frame's bytes: padding counts, a jump over the
 * arena's end or over quarantined memory does not. */
static inline void account(writer *w, uint64_t head, uint64_t at, uint64_t bytes)
{
    uint64_t padding = at - head;
    if (padding >= LINE || at % w->m.arena_size == 0) padding = 0;
    w->bytes += bytes + padding;
    w->m.header->live += bytes + padding;
}

int frame_open(writer *w)
{
    uint64_t before = w->m.header->head;
    uint64_t at = allocate(w, sizeof(frame_header), 8);
    if (at == NONE) return 0;
    w->open = 1;
    w->start = at;
    w->before = before;
    w->first = w->runs = w->last = w->run = NONE;
    w->quick = NULL;
    w->bytes = 0;
    w->count = w->check = w->flags = 0;
    account(w, at, at, sizeof(frame_header));
    return 1;
}

/* Whether the newest run has room for one more packet of this kind, right behind its last. */
static inline int run_has_room(const writer *w, uint16_t type, uint32_t channels, uint64_t size,
                               uint16_t flags)
{
    uint64_t head = w->m.header->head;
    if (w->run == NONE || (flags & RUN_LATCHED)) return 0;
    if (head % w->m.arena_size == 0) return 0; /* it ended just at the arena's end */
    const run_header *run = run_at(&w->m, w->run);
    return run->type == type && run->size == size && run->channels == channels
           && run->flags == flags
           && w->run + sizeof(run_header) + (uint64_t)run->count * run->stride == head
           && room_for(&w->m, head, run->stride) > 0;
}

/* Appends room for up to `most` packets in one row; `*granted` is how many. Returns the first
 * one's offset, or NONE if not even one fits. Their headers and links are still to be written. */
uint64_t run_append(writer *w, uint16_t type, uint32_t channels, uint64_t size,
                    uint16_t flags, uint64_t most, uint64_t *granted)
{
    memory *m = &w->m;
    uint64_t stride = stride_of(size), at, head = m->header->head;
    w->quick = NULL;
    if (size > UINT32_MAX - 2 * LINE) return NONE; /* more than a run's header can hold */
    if (size >= ALIGNED_FROM) flags |= RUN_ALIGNED;
    if (run_has_room(w, type, channels, size, flags)) {
        uint64_t count = room_for(m, head, stride);
        if (count > most) count = most;
        if (!quarantine_overlap(w, head, count * stride)) { /* or a new run begins behind that */
            at = allocate(w, count * stride, 8);
            if (at == NONE) return NONE;
            account(w, head, at, count * stride);
            run_at(m, w->run)->count += (uint32_t)count;
            *granted = count;
            return at;
        }
    }
    uint64_t align = flags & RUN_ALIGNED ? LINE : 8, start = align_up(head, align);
    uint64_t space = m->arena_size - start % m->arena_size, count = 0;
    if (space > sizeof(run_header)) count = (space - sizeof(run_header)) / stride;
    if (count == 0) count = (m->arena_size - sizeof(run_header)) / stride;
    if (count > most) count = most;
    if (count == 0) return NONE;
    at = allocate(w, sizeof(run_header) + count * stride, align);
    if (at == NONE) return NONE;
    account(w, head, at, sizeof(run_header) + count * stride);
    run_header *run = run_at(m, at);
    *run = (run_header){0, (uint32_t)count, (uint32_t)stride, (uint32_t)size, channels, type,
                        flags};
    if (w->run == NONE)
        w->runs = at;
    else
        run_at(m, w->run)->next = (uint32_t)((at - w->run) / 8);
    w->run = at;
    *granted = count;
    return at + sizeof(run_header);
}

/* Whether `count` packets of a stride can fit beside the open frame, however they are cut. */
int could_fit(const writer *w, uint64_t stride, uint64_t count)
{
    uint64_t size = w->m.arena_size, taken = w->m.header->head - w->start;
    uint64_t need = count * stride + 4 * sizeof(run_header) + 2 * LINE;
    return need <= size && taken + need + stride <= size;
}

void frame_commit(writer *w, double time, double delta, uint32_t epoch, uint32_t flags)
{
    memory *m = &w->m;
    frame_header *frame = frame_at(m, w->start);
    uint64_t previous = newest_of(m);
    int alone = !holds_any(w);
    frame->id = w->latest_id + 1;
    frame->previous = previous;
    atomic_store_explicit(&frame->next, NONE, memory_order_relaxed);
    frame->time = time;
    frame->delta = delta;
    frame->packets = w->first;
    frame->runs = w->runs;
    frame->jump = NONE;
    if (!alone) {
        uint64_t back = skip_length(frame->id);
        frame->jump = previous;
        if (back > 1) {
            uint64_t half = frame_at(m, previous)->jump;
            frame->jump = half == NONE || half < w->tail ? NONE : frame_at(m, half)->jump;
        }
    }
    frame->bytes = w->bytes;
    frame->end = m->header->head;
    frame->count = w->count;
    frame->flags = w->flags | flags;
    frame->epoch = epoch;
    uint32_t ordinal = 0;
    for (uint64_t at = w->runs; at != NONE;) {
        const run_header *run = run_at(m, at);
        w->check += check_run(run, ordinal);
        ordinal += run->count;
        if (run->flags & RUN_LATCHED) latch_commit(m, run, at);
        at = run->next ? at + 8ull * run->next : NONE;
    }
    frame->check = w->check + check_frame(frame);
    if (!alone)
        atomic_store_explicit(&frame_at(m, previous)->next, w->start, memory_order_release);
    copy_finish();
    atomic_store_explicit(&m->header->newest, w->start, memory_order_release);
#ifdef PLAYHEAD_PLANT_LATE_TAIL
    publish_tail(w);
#endif
    w->latest_id = frame->id;
    w->latest_time = time;
    w->open = 0;
    w->start = NONE;
    m->header->frames_recorded++;
}

void frame_abort(writer *w)
{
    memory *m = &w->m;
    for (uint64_t at = w->runs; at != NONE;) {
        const run_header *run = run_at(m, at);
        uint64_t next = run->next ? at + 8ull * run->next : NONE;
        if (run->flags & RUN_LATCHED) {
            entry_header *entry = &m->entries[run_version(run)->entry];
            uint64_t newest = atomic_load_explicit(&entry->newest, memory_order_relaxed);
            while (newest != NONE && newest >= w->start)
                newest = run_version(run_at(m, newest))->previous;
            if (newest != NONE && newest < w->tail) newest = NONE;
            atomic_store_explicit(&entry->newest, newest, memory_order_release);
            entry_set_ended(m, entry, newest != NONE
                                          && run_version(run_at(m, newest))->flags
                                                 & VERSION_TOMBSTONE);
        }
        at = next;
    }
    for (uint64_t at = w->runs; at != NONE;) { /* keys that were new in this frame */
        const run_header *run = run_at(m, at);
        uint64_t next = run->next ? at + 8ull * run->next : NONE;
        if (run->flags & RUN_LATCHED) {
            entry_header *entry = &m->entries[run_version(run)->entry];
            if ((atomic_load_explicit(&entry->generation, memory_order_relaxed) & 1)
                && atomic_load_explicit(&entry->newest, memory_order_relaxed) == NONE
                && !atomic_load_explicit(&entry->base, memory_order_relaxed))
                entry_remove(m, entry);
        }
        at = next;
    }
    m->header->live -= w->bytes;
    m->header->packets_recorded -= w->count;
    m->header->head = w->before;
    if (!holds_any(w)) {
        w->tail = w->before;
        publish_tail(w);
    }
    w->open = 0;
    w->start = NONE;
}

/* --- latched packets ------------------------------------------------------------------------ */

/* Called when a latched packet's payload is written: adds the packet to the check. */
void version_written(writer *w)
{
    run_header *run = run_at(&w->m, w->run);
    uint8_t *packet = (uint8_t *)(run + 1);
    w->check += check_packets(packet, 1, 0, run->size, w->count - 1);
}

/* The entry of a key, with room for a version; NULL if there is none. The oldest frames are
 * evicted as long as that can make the room, which it can where keys ended in them; otherwise
 * none is. */
static entry_header *latch_allocate(writer *w, uint64_t object, uint16_t kind, uint64_t key,
                                    uint64_t bytes)
{
    memory *m = &w->m;
    uint64_t tail = w->tail;
    entry_header *entry;
    for (;;) {
        entry = entry_find(m, object, kind, key);
        int added = !entry;
        if (added) entry = entry_add(m, object, kind, key);
        if (entry && entry_reserve(m, entry, bytes)) break;
        if (entry && added) entry_remove(m, entry);
        entry = NULL;
        if (!m->ended || !slots_could_allocate(m, pair_order(bytes))
            || !could_fit(w, align_up(bytes, LINE), 1))
            break;
        evict_oldest(w, w->start);
        m->evicted_early++;
    }
    if (tail != w->tail) atomic_thread_fence(memory_order_seq_cst);
    return entry;
}

/* Whether a key has a value at the frame that is open. */
int entry_holds(const writer *w, const entry_header *entry)
{
    uint64_t newest = atomic_load_explicit(&entry->newest, memory_order_relaxed);
    if (newest != NONE && newest >= w->tail)
        return !(run_version(run_at(&w->m, newest))->flags & VERSION_TOMBSTONE);
    return atomic_load_explicit(&entry->base, memory_order_relaxed) != 0;
}

/* Appends a latched packet: the next version of its key. Returns its payload, or NULL. */
uint8_t *latch_append(writer *w, uint64_t object, uint16_t type, uint32_t channels,
                      uint16_t kind, uint64_t key, uint64_t bytes, uint16_t flags)
{
    memory *m = &w->m;
    uint64_t size = sizeof(version_header) + bytes, granted;
    entry_header *entry = latch_allocate(w, object, kind, key, version_bytes(bytes));
    if (!entry) {
        m->header->latch_refused++;
        w->flags |= FRAME_REFUSED;
        /* The value before is not true any more: the key ends, for which there is always room. */
        entry = entry_find(m, object, kind, key);
        if (entry && entry_holds(w, entry)
            && latch_append(w, object, type, channels, kind, key, 0, VERSION_TOMBSTONE))
            version_written(w);
        return NULL;
    }
    uint64_t at = run_append(w, type, channels, size, RUN_LATCHED, 1, &granted);
    if (at == NONE) {
        if (atomic_load_explicit(&entry->newest, memory_order_relaxed) == NONE
            && !atomic_load_explicit(&entry->base, memory_order_relaxed))
            entry_remove(m, entry); /* it was added for this */
        m->header->packets_dropped++;
        w->flags |= FRAME_DROPPED;
        return NULL;
    }
    /* Making room may have evicted this key's tombstone, and the entry with it. */
    if (!(atomic_load_explicit(&entry->generation, memory_order_relaxed) & 1)) {
        entry = entry_add(m, object, kind, key);
        entry_reserve(m, entry, version_bytes(bytes));
    }
    uint64_t previous = atomic_load_explicit(&entry->newest, memory_order_relaxed);
    version_header version = {w->latest_id + 1, NONE, NONE, 1, key,
                              (uint32_t)(entry - m->entries), kind, flags};
    if (previous != NONE && previous >= w->tail) {
        const version_header *before = run_version(run_at(m, previous));
        version.previous = version.jump = previous;
        version.ordinal = before->ordinal + 1;
        if (skip_length(version.ordinal) > 1) {
            uint64_t half = before->jump;
            version.jump = half == NONE || half < w->tail
                               ? NONE
                               : run_version(run_at(m, half))->jump;
        }
    }
    packet_header *packet = packet_at(m, at);
    *packet = (packet_header){.id = object, .type = type};
    uint8_t *payload = (uint8_t *)packet + sizeof *packet;
    memcpy(payload, &version, sizeof version);
    entry_set_ended(m, entry, 0); /* a tombstone counts when its frame is finished */
    atomic_store_explicit(&entry->newest, w->run, memory_order_release);
    w->flags |= FRAME_LATCHES;
    packets_linked(w, packet, at, 1, 0);
    return payload + sizeof version;
}
