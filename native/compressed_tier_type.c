/* The tier as a Python type. Its frames are unpacked when they are read. See compressed_tier.h. */
#include "python_methods.h"
#include "compressed_tier.h"

/* --- reading -------------------------------------------------------------------------------- */

/* A frame of the tier: its own header, and where its packed group is. */
typedef struct {
    frame_header frame;
    uint64_t last; /* id of the frame that holds the group */
    uint64_t start; /* where it begins */
    const uint8_t *payload;
    group_header header;
    group_entry entry;
    uint32_t index; /* the frame's index in the group */
} packed_frame;

static int raise_group_damaged(Tier *self, uint64_t id)
{
    PyErr_Format(state_of((PyObject *)self)->damaged_error,
                 "frame %llu can't be unpacked: its group contradicts itself",
                 (unsigned long long)id);
    return -1;
}

/* Reads the tables of the group in the frame that begins at `start`: 1, 0 gone, -1. */
static int group_read(Tier *self, const frame_header *last, uint64_t id, packed_frame *into)
{
    Ring *reader = self->reader;
    for (uint64_t at = last->runs; at != NONE;) {
        run_header run;
        int found = run_read(reader, into->start, last, at, &run);
        if (found <= 0) return found;
        if (!(run.flags & RUN_LATCHED)) {
            into->payload = address_at(&reader->w.m, at) + sizeof run + sizeof(packet_header);
            if (run.size < sizeof into->header) break;
            memcpy(&into->header, into->payload, sizeof into->header);
            if (!still_held(reader, into->start)) return 0;
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
            return still_held(reader, into->start);
        }
        at = run.next ? at + 8ull * run.next : NONE;
    }
    return still_held(reader, into->start) ? raise_group_damaged(self, id) : 0;
}

/* Finds a frame of the tier: 1, or -1 with EvictedError or DamagedError set. */
static int packed_find(Tier *self, uint64_t id, packed_frame *into)
{
    int found = 0;
    if (!id || id > atomic_load_explicit(&self->complete, memory_order_acquire)) {
        raise_evicted(self->reader, id);
        return -1;
    }
    RING_LOCK((PyObject *)self->reader)
    frame_header last;
    found = frame_find(self->reader, id, &into->start, &into->frame);
    if (found > 0) {
        into->last = id + (into->frame.flags >> GROUP_FLAG_BITS);
        into->frame.flags &= (1u << GROUP_FLAG_BITS) - 1;
        found = frame_find(self->reader, into->last, &into->start, &last);
    }
    if (found > 0) found = group_read(self, &last, id, into);
    RING_UNLOCK()
    if (found > 0) return 1;
    /* Evicted meanwhile: perhaps the group's newest frame, but this one was asked for. */
    if (!found || PyErr_ExceptionMatches(state_of((PyObject *)self)->evicted_error))
        raise_evicted(self->reader, id);
    return -1;
}

/* The unpacked group of a frame: from the cache, or unpacked now. NULL: it is evicted or
 * contradicts itself. Called under the lock. */
static unpacked_group *group_unpack(Tier *self, const packed_frame *from)
{
    unpacked_group *into = self->cache;
    self->requests++;
    for (int i = 0; i < CACHED_GROUPS; i++) {
        if (self->cache[i].last == from->last) {
            self->cache[i].used = self->requests;
            return &self->cache[i];
        }
        if (self->cache[i].used < into->used) into = &self->cache[i];
    }
    into->last = 0;
    into->used = self->requests;
    into->header = from->header;
    if (!lz_unpack(from->payload, from->header.packed, into->bytes, from->header.length)
        || !still_held(self->reader, from->start) || !unpacked_parse(into))
        return NULL;
    into->last = from->last;
    return into;
}

static PyObject *tier_image(PyObject *op, PyObject *value)
{
    Tier *self = (Tier *)op;
    packed_frame from;
    uint64_t id;
    if (frame_argument(op, value, &id) < 0 || packed_find(self, id, &from) < 0) return NULL;
    uint64_t length = from.entry.length;
    if (length < FIRST_RUN || length > self->p.room) {
        raise_group_damaged(self, id);
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
    PyThread_acquire_lock(self->unpacking, WAIT_LOCK);
    unpacked_group *group = group_unpack(self, &from);
    good = group && unpacked_image(group, from.index, &header, to, length);
    PyThread_release_lock(self->unpacking);
    Py_END_ALLOW_THREADS
    if (good) return result;
    Py_DECREF(result);
    if (still_held(self->reader, from.start))
        raise_group_damaged(self, id);
    else
        raise_evicted(self->reader, id);
    return NULL;
}

static PyObject *tier_stamp(PyObject *op, PyObject *value)
{
    packed_frame from;
    uint64_t id;
    if (frame_argument(op, value, &id) < 0 || packed_find((Tier *)op, id, &from) < 0) return NULL;
    from.frame.count = from.entry.packets;
    from.frame.bytes = from.entry.length;
    return stamp_of(&from.frame, 0);
}

/* --- the object ----------------------------------------------------------------------------- */

static PyObject *tier_get_accounts(PyObject *op, void *Py_UNUSED(closure))
{
    Tier *self = (Tier *)op;
    uint64_t unpacked = tier_unpacked(self, self->ring->w.m.header->head);
    return Py_BuildValue(
        "{sKsKsKsKsK}", "packed", (unsigned long long)atomic_load(&self->packed), "bytes_before",
        (unsigned long long)atomic_load(&self->bytes_before), "bytes_after",
        (unsigned long long)atomic_load(&self->bytes_after), "lost",
        (unsigned long long)atomic_load(&self->lost), "waiting",
        (unsigned long long)(unpacked > tier_due(self) ? unpacked - tier_due(self) : 0));
}

static PyObject *tier_get_complete(PyObject *op, void *Py_UNUSED(closure))
{
    uint64_t complete = atomic_load_explicit(&((Tier *)op)->complete, memory_order_acquire);
    return PyLong_FromUnsignedLongLong(complete);
}

static PyObject *tier_get_next(PyObject *op, void *Py_UNUSED(closure))
{
    return PyLong_FromUnsignedLongLong(((Tier *)op)->next_id);
}

static PyObject *tier_get_is_lost(PyObject *op, void *Py_UNUSED(closure))
{
    return PyBool_FromLong((long)atomic_load(&((Tier *)op)->is_lost));
}

/* Bytes of memory that a tier needs beside its store, whose groups have up to `room` bytes. */
PyObject *module_tier_workspace(PyObject *Py_UNUSED(module), PyObject *value)
{
    packer p;
    unsigned long long room = PyLong_AsUnsignedLongLong(value);
    if (PyErr_Occurred()) return NULL;
    if (room > UINT32_MAX / 2) {
        PyErr_Format(PyExc_ValueError, "groups of %llu bytes: 2 GiB at most", room);
        return NULL;
    }
    uint64_t bytes = packer_measure(&p, align_up(room, LINE));
    return PyLong_FromUnsignedLongLong(bytes + CACHED_GROUPS * unpacked_measure(&p));
}

static PyObject *tier_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
    static char *names[] = {"ring", "store", "reader", "buffer", "room", NULL};
    PyTypeObject *ring = ((module_state *)PyType_GetModuleState(type))->ring_type;
    PyObject *hot, *store, *reader, *buffer;
    unsigned long long room;
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "O!O!O!OK:Tier", names, ring, &hot, ring,
                                     &store, ring, &reader, &buffer, &room))
        return NULL;
    if (((Ring *)hot)->tier || !((Ring *)hot)->writable || !((Ring *)store)->writable
        || ((Ring *)reader)->writable
        || ((Ring *)store)->buffer.buf != ((Ring *)reader)->buffer.buf) {
        PyErr_SetString(PyExc_ValueError, "Tier(ring, store, reader, …): ring must be open for "
                                          "recording and have no tier yet, store must be another "
                                          "such ring, and reader must read the store's memory");
        return NULL;
    }
    Tier *self = (Tier *)type->tp_alloc(type, 0);
    if (!self) return NULL;
    self->wake = PyThread_allocate_lock();
    self->packing = PyThread_allocate_lock();
    self->unpacking = PyThread_allocate_lock();
    if (!self->wake || !self->packing || !self->unpacking
        || PyObject_GetBuffer(buffer, &self->buffer, PyBUF_WRITABLE) < 0) {
        if (!PyErr_Occurred()) PyErr_NoMemory();
        Py_DECREF(self);
        return NULL;
    }
    PyThread_acquire_lock(self->wake, WAIT_LOCK);
    uint64_t need = packer_measure(&self->p, align_up(room, LINE));
    need += CACHED_GROUPS * unpacked_measure(&self->p);
    if (room > UINT32_MAX / 2 || need > (uint64_t)self->buffer.len
        || (uintptr_t)self->buffer.buf % LINE) {
        PyErr_Format(PyExc_ValueError, "groups of %llu bytes need %llu bytes on a cache line",
                     room, (unsigned long long)need);
        Py_DECREF(self);
        return NULL;
    }
    uint8_t *at = packer_layout(&self->p, self->buffer.buf);
    for (int i = 0; i < CACHED_GROUPS; i++) at = unpacked_layout(&self->cache[i], &self->p, at);
    self->ring = (Ring *)Py_NewRef(hot);
    self->store = (Ring *)Py_NewRef(store);
    self->reader = (Ring *)Py_NewRef(reader);
    self->due = self->ring->w.m.arena_size / 2;
    self->next_id = self->ring->w.latest_id + 1;
    self->store->w.latest_id = self->next_id - 1;
    self->has_base = self->next_id == 1;
    atomic_init(&self->next_at, self->ring->w.m.header->head);
    self->ring->tier = self;
    return (PyObject *)self;
}

static int tier_traverse(PyObject *op, visitproc visit, void *arg)
{
    Tier *self = (Tier *)op;
    Py_VISIT(Py_TYPE(op));
    Py_VISIT(self->ring);
    Py_VISIT(self->store);
    Py_VISIT(self->reader);
    if (self->buffer.obj && !PyMemoryView_Check(self->buffer.obj)) Py_VISIT(self->buffer.obj);
    return 0;
}

static void tier_dealloc(PyObject *op)
{
    Tier *self = (Tier *)op;
    PyTypeObject *type = Py_TYPE(op);
    PyObject_GC_UnTrack(op);
    if (self->ring && self->ring->tier == self) self->ring->tier = NULL;
    Py_XDECREF(self->ring);
    Py_XDECREF(self->store);
    Py_XDECREF(self->reader);
    if (self->buffer.obj) PyBuffer_Release(&self->buffer);
    if (self->wake) {
        PyThread_acquire_lock(self->wake, NOWAIT_LOCK);
        PyThread_release_lock(self->wake);
        PyThread_free_lock(self->wake);
    }
    if (self->packing) PyThread_free_lock(self->packing);
    if (self->unpacking) PyThread_free_lock(self->unpacking);
    type->tp_free(op);
    Py_DECREF(type);
}

static PyMethodDef tier_methods[] = {
    {"run", tier_run, METH_NOARGS,
     "run(): pack the frames that are due, and wait, without the interpreter's lock, until stop(), "
     "or until frames were lost -> whether they were: then begin() and run() again"},
    {"begin", tier_begin, METH_VARARGS,
     "begin(frame, latched): forget all and begin with this frame of the ring; `latched` is the "
     "state before it, as latched_all() returns it -> whether there was room for that"},
    {"settle", tier_settle, METH_NOARGS,
     "settle(): pack the frames that are due, in this thread -> False if frames were lost"},
    {"nudge", tier_nudge, METH_NOARGS, "nudge(): have run() check whether frames are due."},
    {"stop", tier_stop, METH_NOARGS, "stop(): end run() for good."},
    {"image", tier_image, METH_O, "image(frame) -> the frame by itself, as bytes: see serialized_frame.h"},
    {"stamp", tier_stamp, METH_O,
     "stamp(frame) -> (id, time, delta, packets, epoch, flags, 0, bytes of its image)"},
    {NULL, NULL, 0, NULL},
};

static PyGetSetDef tier_getset[] = {
    {"accounts", tier_get_accounts, NULL, "Frames and bytes packed, lost, waiting.", NULL},
    {"complete", tier_get_complete, NULL, "The newest frame that can be read, or 0.", NULL},
    {"is_lost", tier_get_is_lost, NULL, "Whether frames were lost: then begin().", NULL},
    {"next", tier_get_next, NULL, "The first frame that is not packed.", NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

static PyType_Slot tier_slots[] = {
    {Py_tp_doc, "Tier(ring, store, reader, buffer, room): packs the ring's frames into another, "
                "`store`, which `reader` reads; groups have up to `room` bytes."},
    {Py_tp_new, tier_new},
    {Py_tp_methods, tier_methods},
    {Py_tp_getset, tier_getset},
    {Py_tp_traverse, tier_traverse},
    {Py_tp_dealloc, tier_dealloc},
    {0, NULL},
};

PyType_Spec tier_spec = {
    .name = "playhead.native._ring.Tier",
    .basicsize = sizeof(Tier),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_IMMUTABLETYPE,
    .slots = tier_slots,
};
