/* The Python type `Ring`: creating one, its counters, and the table of its methods, which
 * record_*.c, read_*.c and serialized_frame_*.c define.
 */
#include "python_methods.h"
#include "find_frames.h"

static PyObject *ring_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
    static char *names[] = {"buffer", "latch", "verify", NULL};
    PyObject *buffer;
    long long latch = -1;
    int verify = 0;
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "O|L$p:Ring", names, &buffer, &latch, &verify))
        return NULL;
    Ring *self = (Ring *)type->tp_alloc(type, 0);
    if (!self) return NULL;
    self->w.start = NONE;
    self->cached_at = NONE;
    int flags = latch < 0 ? PyBUF_SIMPLE : PyBUF_WRITABLE;
    if (PyObject_GetBuffer(buffer, &self->buffer, flags) < 0) {
        Py_DECREF(self);
        return NULL;
    }
    if ((uintptr_t)self->buffer.buf % LINE) {
        PyErr_Format(PyExc_ValueError, "the buffer begins at %p: a ring needs a multiple of %u, "
                                       "such as an mmap has", self->buffer.buf, LINE);
        Py_DECREF(self);
        return NULL;
    }
    if ((latch < 0 ? block_attach(self) : block_create(self, (uint64_t)latch)) < 0) {
        Py_DECREF(self);
        return NULL;
    }
    if (verify && latch < 0) {
        self->whole_frames = PyMem_Calloc(VERIFIED_FRAMES, sizeof *self->whole_frames);
        if (!self->whole_frames) {
            Py_DECREF(self);
            return PyErr_NoMemory();
        }
        self->verifies = 1;
    }
    return (PyObject *)self;
}

static int ring_traverse(PyObject *op, visitproc visit, void *arg)
{
    Ring *self = (Ring *)op;
    Py_VISIT(Py_TYPE(op));
    /* Before Python 3.13 the collector clears a memoryview though its bytes are in use, and
     * crashes: one that owns this ring's memory is not visited. */
    if (self->buffer.obj && !PyMemoryView_Check(self->buffer.obj)) Py_VISIT(self->buffer.obj);
    Py_VISIT(self->spare);
    Py_VISIT(self->packet);
    for (int i = 0; i < self->w.quarantine_count; i++)
        Py_VISIT((PyObject *)self->w.quarantines[i].owner);
    return 0;
}

static int ring_clear(PyObject *op)
{
    Ring *self = (Ring *)op;
    Py_CLEAR(self->spare);
    Py_CLEAR(self->packet);
    while (self->w.quarantine_count > 0) {
        PyObject *owner = self->w.quarantines[--self->w.quarantine_count].owner;
        Py_DECREF(owner);
    }
    return 0;
}

static void ring_dealloc(PyObject *op)
{
    Ring *self = (Ring *)op;
    PyTypeObject *type = Py_TYPE(op);
    PyObject_GC_UnTrack(op);
    ring_clear(op);
    if (self->buffer.obj) PyBuffer_Release(&self->buffer);
    PyMem_Free(self->whole_frames);
    type->tp_free(op);
    Py_DECREF(type);
}

/* --- properties ----------------------------------------------------------------------------- */

/* newest, oldest: (id, time) or None. */
static PyObject *ring_get_end(PyObject *op, void *oldest)
{
    Ring *self = (Ring *)op;
    PyObject *result = NULL;
    RING_LOCK(op)
    frame_header frame;
    uint64_t at;
    int found = self->closed ? 0 : newest_read(self, &at, &frame);
    for (int i = 0; found > 0 && oldest && i < 1000; i++) {
        at = tail_of(&self->w.m);
        uint64_t newest = newest_of(&self->w.m);
        found = newest < at ? 0 : frame_read(self, at, &frame);
        if (found || newest < at) break; /* the open frame can have evicted all others */
        found = 1; /* the writer evicted it: read the new oldest */
    }
    if (found == 0) result = Py_NewRef(Py_None);
    if (found > 0) result = Py_BuildValue("(Kd)", (unsigned long long)frame.id, frame.time);
    RING_UNLOCK()
    return result;
}

static PyObject *ring_get_is_open(PyObject *op, void *Py_UNUSED(closure))
{
    return PyBool_FromLong(((Ring *)op)->w.open);
}

static PyObject *ring_get_open_packets(PyObject *op, void *Py_UNUSED(closure))
{
    return PyLong_FromUnsignedLong(((Ring *)op)->w.count);
}

/* The accounts: live + gap + waste = capacity at every moment. */
static PyObject *ring_get_accounts(PyObject *op, void *Py_UNUSED(closure))
{
    Ring *self = (Ring *)op;
    PyObject *result = NULL;
    RING_LOCK(op)
    const block_header *h = self->w.m.header;
    uint64_t used = h->head - tail_of(&self->w.m);
    result = Py_BuildValue(
        "{sKsKsKsKsKsKsKsKsKsKsKsKsKsKsi}", "total", (unsigned long long)h->total, "capacity",
        (unsigned long long)h->arena_size, "live", (unsigned long long)h->live, "gap",
        (unsigned long long)(h->arena_size - used), "waste", (unsigned long long)(used - h->live),
        "frames_recorded", (unsigned long long)h->frames_recorded, "frames_evicted",
        (unsigned long long)h->frames_evicted, "packets_recorded",
        (unsigned long long)h->packets_recorded, "packets_dropped",
        (unsigned long long)h->packets_dropped, "latch_capacity",
        (unsigned long long)(h->units * LINE), "latch_used",
        (unsigned long long)(h->latch_used * LINE), "latch_keys",
        (unsigned long long)h->entries_used, "latch_refused",
        (unsigned long long)h->latch_refused, "latch_evicted",
        (unsigned long long)self->w.m.evicted_early, "quarantined", self->w.quarantine_count);
    RING_UNLOCK()
    return result;
}

static PyObject *ring_get_latch_evicted(PyObject *op, void *Py_UNUSED(closure))
{
    return PyLong_FromUnsignedLongLong(((Ring *)op)->w.m.evicted_early);
}

static PyObject *ring_get_finished(PyObject *op, void *Py_UNUSED(closure))
{
    const block_header *h = ((Ring *)op)->w.m.header;
    return PyBool_FromLong(atomic_load_explicit(&h->closed, memory_order_acquire) == 1);
}

static PyGetSetDef ring_getset[] = {
    {"newest", ring_get_end, NULL, "(id, time) of the newest frame, or None.", NULL},
    {"oldest", ring_get_end, NULL, "(id, time) of the oldest frame, or None.", (void *)1},
    {"is_open", ring_get_is_open, NULL, "Whether a frame is being recorded.", NULL},
    {"open_packets", ring_get_open_packets, NULL, "Packets in the open frame.", NULL},
    {"accounts", ring_get_accounts, NULL, "Where every byte is, and all counters.", NULL},
    {"latch_evicted", ring_get_latch_evicted, NULL,
     "Frames that were evicted early, to make room in the latch area.", NULL},
    {"finished", ring_get_finished, NULL, "Whether the writer closed it.", NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

/* --- the type ------------------------------------------------------------------------------- */

static PyMethodDef ring_methods[] = {
    {"begin", ring_begin, METH_NOARGS, "Open a frame; returns the id that it will have."},
    {"commit", ring_commit, METH_VARARGS,
     "commit(time, delta, epoch=0, flags=0): finish the open frame and publish it."},
    {"abort", ring_abort, METH_NOARGS, "Forget the open frame."},
    {"record", (PyCFunction)(void (*)(void))ring_record, METH_FASTCALL,
     "record(id, type, targetable, position, angles, payload=None, channels=0) -> recorded?"},
    {"record_list", (PyCFunction)(void (*)(void))ring_record_list, METH_FASTCALL,
     "record_list([(id, type, targetable, position, angles[, payload])], channels=0) -> count"},
    {"record_batch", (PyCFunction)(void (*)(void))ring_record_batch, METH_FASTCALL | METH_KEYWORDS,
     "record_batch(type, ids, positions, angles=None, targetable=None, payload=None, "
     "visible=None, channels=0, flags=0) -> recorded?"},
    {"record_objects", (PyCFunction)(void (*)(void))ring_record_objects, METH_FASTCALL,
     "record_objects(objects, plans, fault, fill=-1) -> packets written by their handlers"},
    {"record_by", ring_record_by, METH_VARARGS,
     "record_by(id, type, size, record, object, channels=0, fill=-1): one packet, which "
     "record(object, packet) writes"},
    {"ingest", (PyCFunction)(void (*)(void))ring_ingest, METH_FASTCALL,
     "ingest(image, types): record all packets of a frame image -> how many there was room for"},
    {"latch", ring_latch, METH_VARARGS,
     "latch(object, type, channels, kind, key, payload): a packet that stays true until replaced"},
    {"reserve", ring_reserve, METH_VARARGS,
     "reserve(object, kind, key, bytes): keep room for versions of a key of up to so many bytes, "
     "whatever else is latched -> False if that is more than a third of the latch area"},
    {"despawn", ring_despawn, METH_VARARGS,
     "despawn(object, type, kind=-1): end all keys latched for an object, or those of one kind; "
     "returns how many"},
    {"close", ring_close, METH_NOARGS, "Stop recording into it; an open frame is forgotten."},
    {"find", ring_find, METH_O, "find(time): the newest frame at or before it, clamped."},
    {"stamp", ring_stamp, METH_O,
     "stamp(frame) -> (id, time, delta, packets, epoch, flags, offset, bytes)"},
    {"runs", ring_runs, METH_O,
     "runs(frame) -> [(type, channels, flags, headers, payloads)]: views of the ring itself"},
    {"packets", ring_packets, METH_O,
     "packets(frame) -> [(id, type, targetable, flags, position, angles, channels, run flags, "
     "payload)]: copies"},
    {"holds", ring_holds, METH_O, "holds(frame): whether it can still be read"},
    {"verify", ring_verify, METH_O, "verify(frame): whether its checksum and links are right"},
    {"latched", ring_latched, METH_VARARGS,
     "latched(frame, object, kind, key) -> (frame, type, payload) or None"},
    {"latched_all", ring_latched_all, METH_O,
     "latched_all(frame) -> [(object, kind, key, frame, type, payload)]"},
    {"versions", ring_versions, METH_VARARGS,
     "versions(frame, object, kind, key, limit) -> [(frame, type, payload)], newest first"},
    {"image", ring_image, METH_O, "image(frame) -> the frame by itself, as bytes: see serialized_frame.h"},
    {NULL, NULL, 0, NULL},
};

static PyType_Slot ring_slots[] = {
    {Py_tp_doc,
     "Ring(buffer, latch=-1, *, verify=False): frames in a block of memory. With `latch` bytes of "
     "latch area a new ring is laid out in it; without it the one that is there is read. With "
     "`verify` each frame is verified before it is read."},
    {Py_tp_new, ring_new},
    {Py_tp_methods, ring_methods},
    {Py_tp_getset, ring_getset},
    {Py_tp_traverse, ring_traverse},
    {Py_tp_clear, ring_clear},
    {Py_tp_dealloc, ring_dealloc},
    {0, NULL},
};

PyType_Spec ring_spec = {
    .name = "playhead.native._ring.Ring",
    .basicsize = sizeof(Ring),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_IMMUTABLETYPE,
    .slots = ring_slots,
};
