/* Packing frames into the tier's store, and restarting it: see compressed_tier.h.
 *
 * `next_id` and `next_at` are the first frame that is not packed; `complete` is published after the
 * group that ends there is in the store.
 */
#include "compressed_tier.h"

enum { PACK_IDLE, PACK_LOST };

static void tier_wake(Tier *self)
{
    if (!atomic_exchange(&self->signalled, 1)) PyThread_release_lock(self->wake);
}

/* Where keys have ended and the latch area is three quarters full, frames may soon be evicted to
 * make room there, long before the arena is full. */
void tier_frame_added(Tier *self)
{
    const memory *m = &self->ring->w.m;
    uint32_t is_urgent = m->ended && (m->header->entries_used > m->entry_count / 4 * 3
                                      || m->header->latch_used > m->units / 4 * 3);
    if (is_urgent != atomic_load_explicit(&self->is_urgent, memory_order_relaxed))
        atomic_store(&self->is_urgent, is_urgent);
    if (tier_unpacked(self, m->header->head) >= tier_due(self)) tier_wake(self);
}

/* --- packing: in a thread of its own, without the interpreter ------------------------------- */

/* Collects images of the frames from `at` up to, but without, `newest`. False: the first one is
 * gone, or can never be packed. */
static int tier_collect(Tier *self, uint64_t at, uint64_t newest)
{
    packer *p = &self->p;
    p->frames = 0;
    p->used = 0;
    while (at != newest && packer_add_frame(p, &self->ring->w.m, at) > 0)
        at = p->next[p->frames - 1];
    return p->frames > 0;
}

/* Writes a frame's latched packets into the store's open frame. False: there is no room for one;
 * then the tier starts again, for without it the latched state of its frames would be wrong. */
static int store_latched(writer *w, const uint8_t *image, uint64_t length)
{
    uint64_t at = FIRST_RUN;
    while (at < length) {
        const run_header *run = (const run_header *)(const void *)(image + at);
        if (run->flags & RUN_LATCHED) {
            const version_header *version = run_version(run);
            const packet_header *packet = (const packet_header *)(const void *)(run + 1);
            uint64_t bytes = run->size - sizeof *version;
            uint8_t *to = latch_append(w, packet->id, run->type, run->channels, version->kind,
                                       version->key, bytes, version->flags);
            if (!to) return 0;
            if (bytes & 7) memset(to + (bytes & ~7ull), 0, 8);
            memcpy(to, version + 1, bytes);
            version_written(w);
        }
        at += sizeof *run + (uint64_t)run->count * run->stride;
    }
    return 1;
}

/* Writes the packed group into the store's open frame. */
static int store_group(writer *w, const group_header *header, const group_entry *entries,
                       const uint8_t *packed)
{
    uint64_t table = header->frames * sizeof *entries, granted;
    uint64_t size = sizeof *header + table + header->packed;
    uint64_t at = run_append(w, 0, 0, size, 0, 1, &granted);
    if (at == NONE) return 0;
    packet_header *packet = packet_at(&w->m, at);
    const float nowhere[3] = {0};
    header_write((uint8_t *)packet, 0, 0, nowhere, nowhere);
    uint8_t *to = (uint8_t *)(packet + 1);
    if (size & 7) memset(to + (size & ~7ull), 0, 8);
    memcpy(to, header, sizeof *header);
    memcpy(to + sizeof *header, entries, table);
    memcpy(to + sizeof *header + table, packed, header->packed);
    packets_linked(w, packet, at, 1, 0);
    w->check += check_packets((const uint8_t *)packet, 1, 0, size, w->count - 1);
    return 1;
}

/* Packs the planned group into the store. False: there was no room, and half of it may be there. */
static int tier_store(Tier *self)
{
    packer *p = &self->p;
    writer *w = &self->store->w;
    group_header header = {.first = self->next_id, .frames = p->frames, .shapes = p->shape_count,
                           .tracks = p->track_count};
    group_entry entries[GROUP_MOST];
    frame_header frames[GROUP_MOST];
    uint64_t after = 0;
    for (uint32_t i = 0; i < p->frames; i++) {
        memcpy((void *)&frames[i], p->images + p->at[i], sizeof frames[i]);
        entries[i] = (group_entry){frames[i].count, (uint32_t)frames[i].bytes, frames[i].check};
    }
    uint32_t rows = (uint32_t)p->length;
    if (!group_lay_out(p)) return 0;
    header.rows = rows + SHAPE_BYTES * p->shape_count + TRACK_BYTES * p->track_count;
    header.length = (uint32_t)p->length;
    for (uint32_t i = 0; i < p->frames; i++) {
        const frame_header *frame = &frames[i];
        uint32_t left = p->frames - 1 - i;
        if (!frame_open(w) || !store_latched(w, p->images + p->at[i], frame->bytes)) return 0;
        if (!left) { /* the images are not needed any more: the packed bytes overwrite them */
            header.packed = (uint32_t)lz_pack(p->bytes, p->length, p->images, p->positions,
                                              p->lz_bits);
            if (!store_group(w, &header, entries, p->images)) return 0;
        }
        after += w->bytes;
        frame_commit(w, frame->time, frame->delta, frame->epoch,
                     frame->flags | left << GROUP_FLAG_BITS);
    }
    atomic_fetch_add(&self->bytes_after, after);
    atomic_fetch_add(&self->packed, p->frames);
    return 1;
}

/* Packs all that is due. */
static int tier_pack(Tier *self)
{
    const memory *m = &self->ring->w.m;
    packer *p = &self->p;
    while (!atomic_load(&self->stopped)) {
        frame_header newest;
        damage fault = {0, ""};
        uint64_t at = newest_of(m);
        if (at == NONE) break;
        int found = frame_copy(m, at, &newest, &fault);
        if (!found && at != newest_of(m)) continue; /* evicted meanwhile: look again */
        uint64_t first = atomic_load_explicit(&self->next_at, memory_order_relaxed);
        if (found <= 0 || at <= first || tier_unpacked(self, newest.end) < tier_due(self))
            break;
        if (!self->has_base || !tier_collect(self, first, at) || !group_plan(p)) return PACK_LOST;
        uint64_t before = p->used, next = p->next[p->frames - 1];
        if (!tier_store(self)) return PACK_LOST;
        atomic_fetch_add(&self->bytes_before, before);
        self->next_id += p->frames;
        atomic_store_explicit(&self->complete, self->next_id - 1, memory_order_release);
        atomic_store_explicit(&self->next_at, next, memory_order_release);
    }
    return PACK_IDLE;
}

static int tier_pack_locked(Tier *self)
{
    PyThread_acquire_lock(self->packing, WAIT_LOCK);
    /* The store may have half a group: nothing is packed until the tier has started again. */
    int work = atomic_load(&self->is_lost) ? PACK_LOST : tier_pack(self);
    if (work == PACK_LOST) atomic_store(&self->is_lost, 1);
    PyThread_release_lock(self->packing);
    return work;
}

PyObject *tier_run(PyObject *op, PyObject *Py_UNUSED(none))
{
    Tier *self = (Tier *)op;
    int work = PACK_IDLE;
    if (atomic_exchange(&self->running, 1)) {
        PyErr_SetString(state_of(op)->recording_error, "a thread packs these frames already");
        return NULL;
    }
    Py_BEGIN_ALLOW_THREADS
    while (work == PACK_IDLE && !atomic_load(&self->stopped)) {
        PyThread_acquire_lock(self->wake, WAIT_LOCK);
        atomic_store(&self->signalled, 0);
        work = tier_pack_locked(self);
    }
    Py_END_ALLOW_THREADS
    atomic_store(&self->running, 0);
    return PyBool_FromLong(!atomic_load(&self->stopped));
}

PyObject *tier_settle(PyObject *op, PyObject *Py_UNUSED(none))
{
    Tier *self = (Tier *)op;
    int work;
    Py_BEGIN_ALLOW_THREADS
    work = tier_pack_locked(self);
    Py_END_ALLOW_THREADS
    return PyBool_FromLong(work != PACK_LOST);
}

PyObject *tier_nudge(PyObject *op, PyObject *Py_UNUSED(none))
{
    tier_wake((Tier *)op);
    Py_RETURN_NONE;
}

PyObject *tier_stop(PyObject *op, PyObject *Py_UNUSED(none))
{
    Tier *self = (Tier *)op;
    atomic_store(&self->stopped, 1);
    tier_wake(self);
    Py_RETURN_NONE;
}

/* --- starting again -------------------------------------------------------------------------- */

/* Empties the store: no frame, nothing latched. Offsets and ids go on counting up. */
static void store_clear(writer *w)
{
    memory *m = &w->m;
    if (w->open) frame_abort(w);
    while (holds_any(w)) evict_oldest(w, m->header->head);
    for (uint64_t i = 0; i < m->entry_count; i++)
        if (atomic_load_explicit(&m->entries[i].generation, memory_order_relaxed) & 1)
            entry_remove(m, &m->entries[i]);
    atomic_thread_fence(memory_order_seq_cst);
}

/* Puts the state that was latched before the first frame into the latch area. False: there is no
 * room. */
static int store_base(memory *m, const latched_key *key, uint64_t frame, uint16_t type,
                      const uint8_t *bytes, uint64_t size)
{
    run_header run = {.count = 1, .type = type, .flags = RUN_LATCHED,
                      .size = (uint32_t)(sizeof(version_header) + size)};
    if (size > MAX_BLOCK / 8) return 0;
    run.stride = (uint32_t)stride_of(run.size);
    entry_header *entry = entry_add(m, key->object, key->kind, key->key);
    if (!entry) return 0;
    if (!entry_reserve(m, entry, run_bytes(&run))) {
        entry_remove(m, entry);
        return 0;
    }
    packet_header packet = {.id = key->object, .type = type};
    version_header version = {frame, NONE, NONE, 1, key->key, (uint32_t)(entry - m->entries),
                              (uint16_t)key->kind, 0};
    uint8_t *to = unit_at(m, entry->pair - 1), *at = to + sizeof run;
    memset(to, 0, run_bytes(&run));
    memcpy(at, &packet, sizeof packet);
    memcpy(at + sizeof packet, &version, sizeof version);
    if (size) memcpy(at + sizeof packet + sizeof version, bytes, size);
    run.next = slot_check(&run, at);
    memcpy(to, &run, sizeof run);
    base_publish(entry, entry->pair);
    return 1;
}

/* 1, 0 if there is no room for one, -1. */
static int store_bases(memory *m, PyObject *rows)
{
    int good = 1;
    for (Py_ssize_t i = 0; good > 0 && i < PyList_GET_SIZE(rows); i++) {
        unsigned long long object, key, frame;
        unsigned int kind, type;
        const char *bytes;
        Py_ssize_t size;
        PyObject *row = PyList_GET_ITEM(rows, i);
        if (!PyTuple_Check(row)
            || !PyArg_ParseTuple(row, "KIKKIy#:begin", &object, &kind, &key, &frame, &type,
                                 &bytes, &size))
            return -1;
        latched_key latched = {object, key, kind};
        good = store_base(m, &latched, frame, (uint16_t)type, (const uint8_t *)bytes,
                          (uint64_t)size);
    }
    return good;
}

/* Under the lock. As store_bases. */
static int tier_restart(Tier *self, uint64_t id, uint64_t at, PyObject *rows)
{
    writer *w = &self->store->w;
    /* All frames from the oldest one here up to the new one are lost. */
    uint64_t first = self->next_id;
    if (atomic_load(&self->complete) && holds_any(w)) first = frame_at(&w->m, w->tail)->id;
    atomic_store_explicit(&self->complete, 0, memory_order_release);
    store_clear(w);
    int has_base = store_bases(&w->m, rows);
    if (has_base <= 0) store_clear(w);
    if (has_base < 0) return -1;
    w->latest_id = id - 1;
    self->has_base = has_base;
    if (id > first) atomic_fetch_add(&self->lost, id - first);
    self->next_id = id;
    atomic_store_explicit(&self->next_at, at, memory_order_release);
    atomic_store(&self->is_lost, 0);
    return has_base;
}

PyObject *tier_begin(PyObject *op, PyObject *args)
{
    Tier *self = (Tier *)op;
    unsigned long long id;
    PyObject *rows;
    if (!PyArg_ParseTuple(args, "KO!:begin", &id, &PyList_Type, &rows)) return NULL;
    uint64_t at = 0;
    frame_header frame;
    int found;
    RING_LOCK((PyObject *)self->ring)
    found = frame_find(self->ring, id, &at, &frame);
    RING_UNLOCK()
    if (found < 0) return NULL;
    Py_BEGIN_ALLOW_THREADS
    PyThread_acquire_lock(self->packing, WAIT_LOCK);
    Py_END_ALLOW_THREADS
    int has_base = tier_restart(self, id, at, rows);
    PyThread_release_lock(self->packing);
    return has_base < 0 ? NULL : PyBool_FromLong(has_base);
}
