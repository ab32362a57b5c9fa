/* The older tier: frames that are about to leave a ring, packed group by group into another.
 *
 * That other one, the store, is a ring as all are: it finds frames, evicts the oldest, and keeps
 * what was latched. Its frames have the ids, times and latched packets of those they stand for;
 * a group's newest frame also holds the group, packed (group.h). Upper bits of a frame's flags
 * say how many frames farther on that is.
 *
 * One thread packs, in `run`, without the interpreter's lock: it reads the ring as another process
 * would, and nobody else writes into the store. Whoever reads does so through `kept`, which
 * reads the store as another process would. The thread sleeps until half of the ring is not
 * packed yet, so a group has as long as the ring takes to fill the other half. What comes too
 * late is lost, and the tier starts anew behind it (`begin`), for ids must count up by one.
 *
 * Unpacked groups are kept in two places. No lock here is waited for with the interpreter's.
 * Included by older_type.h.
 */
#include "group.h"

#define OPENED 2

struct older_tier {
    PyObject_HEAD
    Ring *ring, *store, *kept;
    Py_buffer buffer;
    packer p;
    opened places[OPENED];
    PyThread_type_lock wake;    /* held until there is something to do */
    PyThread_type_lock working; /* over the packer and the store: one packs at a time */
    PyThread_type_lock opening; /* over the places */
    uint64_t due;     /* bytes behind the first unpacked frame that wake the thread */
    uint64_t next_id; /* the first unpacked frame */
    int based;        /* the store knows what held before its first frame */
    uint64_t asked;   /* how often a group was asked for */
    _Atomic uint64_t next_at; /* where it begins in the ring */
    _Atomic uint64_t complete; /* the newest frame that can be read here, 0 = none */
    _Atomic uint64_t packed, lost, bytes_before, bytes_after;
    _Atomic uint32_t running, signalled, stopped, lost_place;
    _Atomic uint32_t hurried; /* the ring's latch area is nearly full: frames may go early */
};

enum { WORK_IDLE, WORK_LOST };

static void older_signal(Older *self)
{
    if (!atomic_exchange(&self->signalled, 1)) PyThread_release_lock(self->wake);
}

/* Bytes of frames that are not packed yet, of which half a ring may be. */
static inline uint64_t older_unpacked(const Older *self, uint64_t end)
{
    uint64_t next = atomic_load_explicit(&self->next_at, memory_order_acquire);
    return end > next ? end - next : 0;
}

/* Bytes behind the first unpacked frame with which there is something to do. */
static inline uint64_t older_due(const Older *self)
{
    return atomic_load(&self->hurried) && self->p.room < self->due ? self->p.room : self->due;
}

/* Called when the ring has one frame more. Where keys have ended and the latch area is three
 * quarters full, frames may soon go to make room there, long before the arena is full. */
static void older_nudge(Older *self)
{
    const memory *m = &self->ring->w.m;
    uint32_t hurried = m->ended && (m->header->entries_used > m->entry_count / 4 * 3
                                    || m->header->latch_used > m->units / 4 * 3);
    if (hurried != atomic_load_explicit(&self->hurried, memory_order_relaxed))
        atomic_store(&self->hurried, hurried);
    if (older_unpacked(self, m->header->head) >= older_due(self)) older_signal(self);
}

/* --- packing: in a thread of its own, without the interpreter ---------------------------------- */

/* Takes the images of the frames from `at` on, but `newest`. False: the first one is gone, or can
 * never be packed. */
static int older_collect(Older *self, uint64_t at, uint64_t newest)
{
    packer *p = &self->p;
    p->frames = 0;
    p->used = 0;
    while (at != newest && packer_take(p, &self->ring->w.m, at) > 0) at = p->next[p->frames - 1];
    return p->frames > 0;
}

/* Writes a frame's latched packets into the store's open frame; 0 if there is no room for one:
 * then the tier begins anew, for without it what held at its frames would be told wrongly. */
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
static int older_store(Older *self)
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
    if (!group_lay(p)) return 0;
    header.rows = rows + SHAPE_BYTES * p->shape_count + TRACK_BYTES * p->track_count;
    header.length = (uint32_t)p->length;
    for (uint32_t i = 0; i < p->frames; i++) {
        const frame_header *frame = &frames[i];
        uint32_t left = p->frames - 1 - i;
        if (!frame_open(w) || !store_latched(w, p->images + p->at[i], frame->bytes)) return 0;
        if (!left) { /* the images are needed no more: the packed bytes take their place */
            header.packed = (uint32_t)lz_pack(p->bytes, p->length, p->images, p->places,
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
static int older_work(Older *self)
{
    const memory *m = &self->ring->w.m;
    packer *p = &self->p;
    while (!atomic_load(&self->stopped)) {
        frame_header newest;
        damage found = {0, ""};
        uint64_t at = newest_of(m);
        if (at == NONE) break;
        int held = frame_copy(m, at, &newest, &found);
        if (!held && at != newest_of(m)) continue; /* lapped: look again */
        uint64_t first = atomic_load_explicit(&self->next_at, memory_order_relaxed);
        if (held <= 0 || at <= first || older_unpacked(self, newest.end) < older_due(self))
            break;
        if (!self->based || !older_collect(self, first, at) || !group_plan(p)) return WORK_LOST;
        uint64_t before = p->used, next = p->next[p->frames - 1];
        if (!older_store(self)) return WORK_LOST;
        atomic_fetch_add(&self->bytes_before, before);
        self->next_id += p->frames;
        atomic_store_explicit(&self->complete, self->next_id - 1, memory_order_release);
        atomic_store_explicit(&self->next_at, next, memory_order_release);
    }
    return WORK_IDLE;
}

static int older_work_alone(Older *self)
{
    PyThread_acquire_lock(self->working, WAIT_LOCK);
    /* Half a group may stand in the store: until it has begun anew nobody goes on with that. */
    int work = atomic_load(&self->lost_place) ? WORK_LOST : older_work(self);
    if (work == WORK_LOST) atomic_store(&self->lost_place, 1);
    PyThread_release_lock(self->working);
    return work;
}

static PyObject *older_run(PyObject *op, PyObject *Py_UNUSED(none))
{
    Older *self = (Older *)op;
    int work = WORK_IDLE;
    if (atomic_exchange(&self->running, 1)) {
        PyErr_SetString(state_of(op)->recording_error, "a thread packs these frames already");
        return NULL;
    }
    Py_BEGIN_ALLOW_THREADS
    while (work == WORK_IDLE && !atomic_load(&self->stopped)) {
        PyThread_acquire_lock(self->wake, WAIT_LOCK);
        atomic_store(&self->signalled, 0);
        work = older_work_alone(self);
    }
    Py_END_ALLOW_THREADS
    atomic_store(&self->running, 0);
    return PyBool_FromLong(!atomic_load(&self->stopped));
}

static PyObject *older_settle(PyObject *op, PyObject *Py_UNUSED(none))
{
    Older *self = (Older *)op;
    int work;
    Py_BEGIN_ALLOW_THREADS
    work = older_work_alone(self);
    Py_END_ALLOW_THREADS
    return PyBool_FromLong(work != WORK_LOST);
}

static PyObject *older_nudged(PyObject *op, PyObject *Py_UNUSED(none))
{
    older_signal((Older *)op);
    Py_RETURN_NONE;
}

static PyObject *older_stop(PyObject *op, PyObject *Py_UNUSED(none))
{
    Older *self = (Older *)op;
    atomic_store(&self->stopped, 1);
    older_signal(self);
    Py_RETURN_NONE;
}

/* --- beginning anew ----------------------------------------------------------------------------- */

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

/* Puts into the latch area what held before the first frame. False: there is no room. */
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
        latched_key wanted = {object, key, kind};
        good = store_base(m, &wanted, frame, (uint16_t)type, (const uint8_t *)bytes,
                          (uint64_t)size);
    }
    return good;
}

/* Under the lock. As store_bases. */
static int older_restart(Older *self, uint64_t id, uint64_t at, PyObject *rows)
{
    writer *w = &self->store->w;
    uint64_t first = self->next_id; /* all from the oldest one here up to the new one are lost */
    if (atomic_load(&self->complete) && holds_any(w)) first = frame_at(&w->m, w->tail)->id;
    atomic_store_explicit(&self->complete, 0, memory_order_release);
    store_clear(w);
    int based = store_bases(&w->m, rows);
    if (based <= 0) store_clear(w);
    if (based < 0) return -1;
    w->latest_id = id - 1;
    self->based = based;
    if (id > first) atomic_fetch_add(&self->lost, id - first);
    self->next_id = id;
    atomic_store_explicit(&self->next_at, at, memory_order_release);
    atomic_store(&self->lost_place, 0);
    return based;
}

static PyObject *older_begin(PyObject *op, PyObject *args)
{
    Older *self = (Older *)op;
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
    PyThread_acquire_lock(self->working, WAIT_LOCK);
    Py_END_ALLOW_THREADS
    int based = older_restart(self, id, at, rows);
    PyThread_release_lock(self->working);
    return based < 0 ? NULL : PyBool_FromLong(based);
}
