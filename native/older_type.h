/* The older tier as Python sees it: its frames, unpacked when they are read, and its type.
 * Included by ring.c.
 */
#include "older.h"

/* --- reading ------------------------------------------------------------------------------------ */

/* A frame here: its own header, and where its packed group stands. */
typedef struct {
    frame_header frame;
    uint64_t last; /* id of the frame that holds the group */
    uint64_t start; /* where it begins */
    const uint8_t *payload;
    group_header header;
    group_entry entry;
    uint32_t index; /* which of the group's frames it is */
} packed_frame;

static int say_group_damaged(Older *self, uint64_t id)
{
    PyErr_Format(state_of((PyObject *)self)->damaged_error,
                 "frame %llu can't be unpacked: its group contradicts itself",
                 (unsigned long long)id);
    return -1;
}

/* Reads the tables of the group in the frame that begins at `start`: 1, 0 gone, -1. */
static int group_read(Older *self, const frame_header *last, uint64_t id, packed_frame *into)
{
    Ring *kept = self->kept;
    for (uint64_t at = last->runs; at != NONE;) {
        run_header run;
        int held = run_read(kept, into->start, last, at, &run);
        if (held <= 0) return held;
        if (!(run.flags & RUN_LATCHED)) {
            into->payload = place(&kept->w.m, at) + sizeof run + sizeof(packet_header);
            if (run.size < sizeof into->header) break;
            memcpy(&into->header, into->payload, sizeof into->header);
            if (!still_held(kept, into->start)) return 0;
            const group_header *h = &into->header;
            uint64_t table = sizeof *h + sizeof into->entry * (uint64_t)h->frames;
            if (h->frames > GROUP_MOST || id < h->first || id - h->first >= h->frames
                || into->last != h->first + h->frames - 1 || table + h->packed != run.size
                || h->length > self->p.room)
                break;
            into->index = (uint32_t)(id - h->first);
            memcpy(&into->entry,
                   into->payload + sizeof *h + sizeof into->entry * (uint64_t)into->index,
                   sizeof into->entry);
            into->payload += table;
            return still_held(kept, into->start);
        }
        at = run.next ? at + 8ull * run.next : NONE;
    }
    return still_held(kept, into->start) ? say_group_damaged(self, id) : 0;
}

/* Finds a frame here: 1, or -1 with EvictedError or DamagedError set. */
static int packed_find(Older *self, uint64_t id, packed_frame *into)
{
    int held = 0;
    if (!id || id > atomic_load_explicit(&self->complete, memory_order_acquire)) {
        say_evicted(self->kept, id);
        return -1;
    }
    RING_LOCK((PyObject *)self->kept)
    frame_header last;
    held = frame_find(self->kept, id, &into->start, &into->frame);
    if (held > 0) {
        into->last = id + (into->frame.flags >> GROUP_FLAG_BITS);
        into->frame.flags &= (1u << GROUP_FLAG_BITS) - 1;
        held = frame_find(self->kept, into->last, &into->start, &last);
    }
    if (held > 0) held = group_read(self, &last, id, into);
    RING_UNLOCK()
    if (held > 0) return 1;
    /* Evicted meanwhile: perhaps the group's newest frame, but this one was asked for. */
    if (!held || PyErr_ExceptionMatches(state_of((PyObject *)self)->evicted_error))
        say_evicted(self->kept, id);
    return -1;
}

/* The opened group of a frame: unpacked now, if it is in neither place. NULL: it is evicted or
 * contradicts itself. Under the lock. */
static opened *group_open(Older *self, const packed_frame *from)
{
    opened *into = self->places;
    self->asked++;
    for (int i = 0; i < OPENED; i++) {
        if (self->places[i].last == from->last) {
            self->places[i].used = self->asked;
            return &self->places[i];
        }
        if (self->places[i].used < into->used) into = &self->places[i];
    }
    into->last = 0;
    into->used = self->asked;
    into->header = from->header;
    if (!lz_unpack(from->payload, from->header.packed, into->bytes, from->header.length)
        || !still_held(self->kept, from->start) || !opened_parse(into))
        return NULL;
    into->last = from->last;
    return into;
}

static PyObject *older_image(PyObject *op, PyObject *value)
{
    Older *self = (Older *)op;
    packed_frame from;
    uint64_t id;
    if (frame_argument(op, value, &id) < 0 || packed_find(self, id, &from) < 0) return NULL;
    uint64_t length = from.entry.length;
    if (length < FIRST_RUN || length > self->p.room) {
        say_group_damaged(self, id);
        return NULL;
    }
    PyObject *result = PyBytes_FromStringAndSize(NULL, (Py_ssize_t)length);
    if (!result) return NULL;
    uint8_t *to = (uint8_t *)PyBytes_AS_STRING(result);
    from.frame.count = from.entry.packets;
    frame_header header;
    image_header(&header, &from.frame);
    header.check = from.entry.check;
    int good;
    Py_BEGIN_ALLOW_THREADS
    PyThread_acquire_lock(self->opening, WAIT_LOCK);
    opened *group = group_open(self, &from);
    good = group && opened_image(group, from.index, &header, to, length);
    PyThread_release_lock(self->opening);
    Py_END_ALLOW_THREADS
    if (good) return result;
    Py_DECREF(result);
    if (still_held(self->kept, from.start))
        say_group_damaged(self, id);
    else
        say_evicted(self->kept, id);
    return NULL;
}

static PyObject *older_stamp(PyObject *op, PyObject *value)
{
    packed_frame from;
    uint64_t id;
    if (frame_argument(op, value, &id) < 0 || packed_find((Older *)op, id, &from) < 0) return NULL;
    from.frame.count = from.entry.packets;
    from.frame.bytes = from.entry.length;
    return stamp_of(&from.frame, 0);
}

/* --- the object --------------------------------------------------------------------------------- */

static PyObject *older_get_accounts(PyObject *op, void *Py_UNUSED(closure))
{
    Older *self = (Older *)op;
    uint64_t unpacked = older_unpacked(self, self->ring->w.m.header->head);
    return Py_BuildValue(
        "{sKsKsKsKsK}", "packed", (unsigned long long)atomic_load(&self->packed), "bytes_before",
        (unsigned long long)atomic_load(&self->bytes_before), "bytes_after",
        (unsigned long long)atomic_load(&self->bytes_after), "lost",
        (unsigned long long)atomic_load(&self->lost), "waiting",
        (unsigned long long)(unpacked > older_due(self) ? unpacked - older_due(self) : 0));
}

static PyObject *older_get_complete(PyObject *op, void *Py_UNUSED(closure))
{
    uint64_t complete = atomic_load_explicit(&((Older *)op)->complete, memory_order_acquire);
    return PyLong_FromUnsignedLongLong(complete);
}

static PyObject *older_get_next(PyObject *op, void *Py_UNUSED(closure))
{
    return PyLong_FromUnsignedLongLong(((Older *)op)->next_id);
}

static PyObject *older_get_is_lost(PyObject *op, void *Py_UNUSED(closure))
{
    return PyBool_FromLong((long)atomic_load(&((Older *)op)->lost_place));
}

/* Bytes of memory that a tier needs beside its store, whose groups have up to `room` bytes. */
static PyObject *module_older_workspace(PyObject *Py_UNUSED(module), PyObject *value)
{
    packer p;
    unsigned long long room = PyLong_AsUnsignedLongLong(value);
    if (PyErr_Occurred()) return NULL;
    if (room > UINT32_MAX / 2) {
        PyErr_Format(PyExc_ValueError, "groups of %llu bytes: 2 GiB at most", room);
        return NULL;
    }
    uint64_t bytes = packer_measure(&p, align_up(room, LINE));
    return PyLong_FromUnsignedLongLong(bytes + OPENED * opened_measure(&p));
}

static PyObject *older_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
    static char *names[] = {"ring", "store", "kept", "buffer", "room", NULL};
    PyTypeObject *ring = ((module_state *)PyType_GetModuleState(type))->ring_type;
    PyObject *hot, *store, *kept, *buffer;
    unsigned long long room;
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "O!O!O!OK:Older", names, ring, &hot, ring,
                                     &store, ring, &kept, &buffer, &room))
        return NULL;
    if (((Ring *)hot)->older || !((Ring *)hot)->writable || !((Ring *)store)->writable
        || ((Ring *)kept)->writable
        || ((Ring *)store)->buffer.buf != ((Ring *)kept)->buffer.buf) {
        PyErr_SetString(PyExc_ValueError, "Older(ring, store, kept, …): a ring that is recorded "
                                          "into and has no older tier; another one, for writing "
                                          "and for reading");
        return NULL;
    }
    Older *self = (Older *)type->tp_alloc(type, 0);
    if (!self) return NULL;
    self->wake = PyThread_allocate_lock();
    self->working = PyThread_allocate_lock();
    self->opening = PyThread_allocate_lock();
    if (!self->wake || !self->working || !self->opening
        || PyObject_GetBuffer(buffer, &self->buffer, PyBUF_WRITABLE) < 0) {
        if (!PyErr_Occurred()) PyErr_NoMemory();
        Py_DECREF(self);
        return NULL;
    }
    PyThread_acquire_lock(self->wake, WAIT_LOCK);
    uint64_t need = packer_measure(&self->p, align_up(room, LINE));
    need += OPENED * opened_measure(&self->p);
    if (room > UINT32_MAX / 2 || need > (uint64_t)self->buffer.len
        || (uintptr_t)self->buffer.buf % LINE) {
        PyErr_Format(PyExc_ValueError, "groups of %llu bytes need %llu bytes on a cache line",
                     room, (unsigned long long)need);
        Py_DECREF(self);
        return NULL;
    }
    uint8_t *at = packer_place(&self->p, self->buffer.buf);
    for (int i = 0; i < OPENED; i++) at = opened_place(&self->places[i], &self->p, at);
    self->ring = (Ring *)Py_NewRef(hot);
    self->store = (Ring *)Py_NewRef(store);
    self->kept = (Ring *)Py_NewRef(kept);
    self->due = self->ring->w.m.arena_size / 2;
    self->next_id = self->ring->w.latest_id + 1;
    self->store->w.latest_id = self->next_id - 1;
    self->based = self->next_id == 1;
    atomic_init(&self->next_at, self->ring->w.m.header->head);
    self->ring->older = self;
    return (PyObject *)self;
}

static int older_traverse(PyObject *op, visitproc visit, void *arg)
{
    Older *self = (Older *)op;
    Py_VISIT(Py_TYPE(op));
    Py_VISIT(self->ring);
    Py_VISIT(self->store);
    Py_VISIT(self->kept);
    if (self->buffer.obj && !PyMemoryView_Check(self->buffer.obj)) Py_VISIT(self->buffer.obj);
    return 0;
}

static void older_dealloc(PyObject *op)
{
    Older *self = (Older *)op;
    PyTypeObject *type = Py_TYPE(op);
    PyObject_GC_UnTrack(op);
    if (self->ring && self->ring->older == self) self->ring->older = NULL;
    Py_XDECREF(self->ring);
    Py_XDECREF(self->store);
    Py_XDECREF(self->kept);
    if (self->buffer.obj) PyBuffer_Release(&self->buffer);
    if (self->wake) {
        PyThread_acquire_lock(self->wake, NOWAIT_LOCK);
        PyThread_release_lock(self->wake);
        PyThread_free_lock(self->wake);
    }
    if (self->working) PyThread_free_lock(self->working);
    if (self->opening) PyThread_free_lock(self->opening);
    type->tp_free(op);
    Py_DECREF(type);
}

static PyMethodDef older_methods[] = {
    {"run", older_run, METH_NOARGS,
     "run(): pack what is due, and wait, without the interpreter's lock, until stop() or until "
     "the place was lost -> whether it was: then begin() and run() again"},
    {"begin", older_begin, METH_VARARGS,
     "begin(frame, latched): forget all and begin with this frame of the ring; `latched` is what "
     "held before it, as latched_all() gives it -> whether there was room for that"},
    {"settle", older_settle, METH_NOARGS,
     "settle(): pack what is due, here and now -> False if the place was lost"},
    {"nudge", older_nudged, METH_NOARGS, "nudge(): have run() look whether something is due."},
    {"stop", older_stop, METH_NOARGS, "stop(): have run() return for good."},
    {"image", older_image, METH_O, "image(frame) -> the frame by itself, as bytes: see image.h"},
    {"stamp", older_stamp, METH_O,
     "stamp(frame) -> (id, time, delta, packets, epoch, flags, 0, bytes of its image)"},
    {NULL, NULL, 0, NULL},
};

static PyGetSetDef older_getset[] = {
    {"accounts", older_get_accounts, NULL, "Frames and bytes packed, lost, waiting.", NULL},
    {"complete", older_get_complete, NULL, "The newest frame that can be read, or 0.", NULL},
    {"is_lost", older_get_is_lost, NULL, "Whether it must begin anew.", NULL},
    {"next", older_get_next, NULL, "The first frame that is not packed.", NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

static PyType_Slot older_slots[] = {
    {Py_tp_doc, "Older(ring, store, kept, buffer, room): packs the ring's frames into another, "
                "`store`, which `kept` reads; groups have up to `room` bytes."},
    {Py_tp_new, older_new},
    {Py_tp_methods, older_methods},
    {Py_tp_getset, older_getset},
    {Py_tp_traverse, older_traverse},
    {Py_tp_dealloc, older_dealloc},
    {0, NULL},
};

static PyType_Spec older_spec = {
    .name = "playhead.native._ring.Older",
    .basicsize = sizeof(Older),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_IMMUTABLETYPE,
    .slots = older_slots,
};

#define OLDER_FUNCTIONS                                                                          \
    {"older_workspace", module_older_workspace, METH_O,                                          \
     "older_workspace(room) -> bytes that Older needs for groups of `room` bytes"},
