/* The ring: a recording of frames in one block of memory of fixed size.
 *
 * One translation unit. What lies where: layout.h. Order of publishing and the invariants that
 * hold whenever Python code can run: frames.h; latched state: latch.h. The object and its block:
 * object.h, block.h. Recording: record.h for packets that are given, handler.h for those that
 * handlers write (their view of one: packet.h), batch.h for numpy columns, gather.h for columns
 * out of objects. Reading: reading.h, latched.h. A frame by itself: image.h to read one, make.h,
 * take.h to record one. The older tier: lz.h, group.h, older.h. Here: latching, frames, the type
 * and the module.
 *
 * The ring knows offsets and bytes; names, layouts and friendly errors are Python's business.
 * On a free-threaded build each method is one critical section on the ring.
 */
#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <numpy/arrayobject.h>

/* In this order: each uses those before it. */
#include "object.h"
#include "block.h"
#include "batch.h"
#include "gather.h"
#include "record.h"
#include "handler.h"
#include "reading.h"
#include "latched.h"
#include "image.h"
#include "make.h"
#include "take.h"
#include "older_type.h"

/* --- latched packets ------------------------------------------------------------------------- */

static int latch_one(writer *w, uint64_t object, uint16_t type, uint32_t channels, uint16_t kind,
                     uint64_t key, const void *bytes, uint64_t size, uint16_t flags)
{
    uint8_t *payload = latch_append(w, object, type, channels, kind, key, size, flags);
    if (!payload) return 0;
    uint64_t whole = size & ~7ull;
    if (size & 7) memset(payload + whole, 0, 8);
    if (size) memcpy(payload, bytes, size);
    version_written(w);
    return 1;
}

static PyObject *ring_latch(PyObject *op, PyObject *args)
{
    Ring *self = (Ring *)op;
    PyObject *object;
    long long type, channels, kind;
    unsigned long long key;
    Py_buffer payload;
    if (!PyArg_ParseTuple(args, "OLLLKy*:latch", &object, &type, &channels, &kind, &key, &payload))
        return NULL;
    int result = -1;
    RING_LOCK(op)
    uint64_t id;
    PyObject *error = state_of(op)->recording_error;
    if (object_id(object, error, &id) == 0 && in_range(type, UINT16_MAX, "type", error)
        && in_range(channels, UINT32_MAX, "channels", error)
        && in_range(kind, UINT16_MAX, "kind", error) && has_open_frame(self))
        result = latch_one(&self->w, id, (uint16_t)type, (uint32_t)channels, (uint16_t)kind, key,
                           payload.buf, (uint64_t)payload.len, 0);
    RING_UNLOCK()
    PyBuffer_Release(&payload);
    return result < 0 ? NULL : PyBool_FromLong(result);
}

static PyObject *ring_reserve(PyObject *op, PyObject *args)
{
    Ring *self = (Ring *)op;
    PyObject *object;
    long long kind, bytes;
    unsigned long long key;
    if (!PyArg_ParseTuple(args, "OLKL:reserve", &object, &kind, &key, &bytes)) return NULL;
    int result = -1;
    RING_LOCK(op)
    uint64_t id;
    PyObject *error = state_of(op)->recording_error;
    if (object_id(object, error, &id) == 0 && in_range(kind, UINT16_MAX, "kind", error)
        && in_range(bytes, UINT32_MAX, "bytes", error) && may_record(self))
        result = entry_keep(&self->w.m, id, (uint32_t)kind, key, version_bytes((uint64_t)bytes));
    RING_UNLOCK()
    return result < 0 ? NULL : PyBool_FromLong(result);
}

static PyObject *ring_despawn(PyObject *op, PyObject *args)
{
    Ring *self = (Ring *)op;
    PyObject *object;
    long long type, kind = -1;
    if (!PyArg_ParseTuple(args, "OL|L:despawn", &object, &type, &kind)) return NULL;
    long long ended = -1;
    RING_LOCK(op)
    uint64_t id;
    memory *m = &self->w.m;
    PyObject *error = state_of(op)->recording_error;
    if (object_id(object, error, &id) == 0 && in_range(type, UINT16_MAX, "type", error)
        && has_open_frame(self)) {
        ended = 0;
        struct { uint64_t key; uint16_t kind; } *keys = NULL;
        size_t count = 0, room = 0;
        uint32_t index = m->bucket_count
                             ? m->by_object[mix(id) % m->bucket_count] : 0;
        for (; index; index = m->entries[index - 1].next_object) {
            const entry_header *entry = &m->entries[index - 1];
            if (entry->object != id || (kind >= 0 && entry->kind != (uint64_t)kind)
                || !entry_holds(&self->w, entry))
                continue;
            if (count == room) {
                room = room ? 2 * room : 16;
                void *grown = PyMem_Realloc(keys, room * sizeof *keys);
                if (!grown) { ended = -1; PyErr_NoMemory(); break; }
                keys = grown;
            }
            keys[count].key = entry->key;
            keys[count++].kind = (uint16_t)entry->kind;
        }
        for (size_t i = 0; ended >= 0 && i < count; i++)
            ended += latch_one(&self->w, id, (uint16_t)type, 0, keys[i].kind, keys[i].key, NULL, 0,
                               VERSION_TOMBSTONE);
        PyMem_Free(keys);
    }
    RING_UNLOCK()
    return ended < 0 ? NULL : PyLong_FromLongLong(ended);
}

/* --- frames ---------------------------------------------------------------------------------- */

static PyObject *ring_begin(PyObject *op, PyObject *Py_UNUSED(none))
{
    Ring *self = (Ring *)op;
    PyObject *result = NULL;
    RING_LOCK(op)
    if (may_record(self)) {
        if (self->w.open)
            PyErr_SetString(state_of(op)->recording_error, "a frame is open already");
        else {
            quarantine_review(self);
            if (frame_open(&self->w))
                result = PyLong_FromUnsignedLongLong(self->w.latest_id + 1);
            else
                PyErr_Format(state_of(op)->capacity_error,
                             "an arena of %llu bytes has no room for a frame's header",
                             (unsigned long long)self->w.m.arena_size);
        }
    }
    RING_UNLOCK()
    return result;
}

static PyObject *ring_commit(PyObject *op, PyObject *args)
{
    Ring *self = (Ring *)op;
    double time, delta;
    long long epoch = 0, flags = 0;
    if (!PyArg_ParseTuple(args, "dd|LL:commit", &time, &delta, &epoch, &flags)) return NULL;
    PyObject *result = NULL, *error = state_of(op)->recording_error;
    RING_LOCK(op)
    if (frame_may_end(self) && in_range(epoch, UINT32_MAX, "epoch", error)
        && in_range(flags, UINT32_MAX, "flags", error)) {
        if (!isfinite(time) || !isfinite(delta) || delta < 0)
            PyErr_Format(error, "time %R, delta %R: both must be finite, the delta not negative",
                         PyTuple_GET_ITEM(args, 0), PyTuple_GET_ITEM(args, 1));
        else if (self->w.latest_id && time < self->w.latest_time)
            PyErr_Format(error, "time %R runs backwards: the newest frame is later",
                         PyTuple_GET_ITEM(args, 0));
        else {
            frame_commit(&self->w, time, delta, (uint32_t)epoch, (uint32_t)flags);
            result = PyLong_FromUnsignedLongLong(self->w.latest_id);
            if (self->older) older_nudge(self->older);
        }
    }
    RING_UNLOCK()
    return result;
}

static PyObject *ring_abort(PyObject *op, PyObject *Py_UNUSED(none))
{
    Ring *self = (Ring *)op;
    int done = 0;
    RING_LOCK(op)
    if (frame_may_end(self)) {
        frame_abort(&self->w);
        done = 1;
    }
    RING_UNLOCK()
    if (!done) return NULL;
    Py_RETURN_NONE;
}

static PyObject *ring_close(PyObject *op, PyObject *Py_UNUSED(none))
{
    Ring *self = (Ring *)op;
    int done = 1;
    RING_LOCK(op)
    if (!self->closed && self->writable) {
        if (self->w.open && (done = frame_may_end(self))) frame_abort(&self->w);
        if (done) atomic_store_explicit(&self->w.m.header->closed, 1, memory_order_release);
    }
    if (done) self->closed = 1;
    RING_UNLOCK()
    if (!done) return NULL;
    Py_RETURN_NONE;
}

/* --- the object ------------------------------------------------------------------------------ */

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
    self->seen_at = NONE;
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
        self->whole = PyMem_Calloc(VERIFIED, sizeof *self->whole);
        if (!self->whole) {
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
    /* Before Python 3.13 the collector takes a memoryview apart though its bytes are in use, and
     * crashes: one that holds this ring's memory is not shown to it. */
    if (self->buffer.obj && !PyMemoryView_Check(self->buffer.obj)) Py_VISIT(self->buffer.obj);
    Py_VISIT(self->spare);
    Py_VISIT(self->packet);
    for (int i = 0; i < self->w.held_count; i++) Py_VISIT((PyObject *)self->w.held[i].owner);
    return 0;
}

static int ring_clear(PyObject *op)
{
    Ring *self = (Ring *)op;
    Py_CLEAR(self->spare);
    Py_CLEAR(self->packet);
    while (self->w.held_count > 0) {
        PyObject *owner = self->w.held[--self->w.held_count].owner;
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
    PyMem_Free(self->whole);
    type->tp_free(op);
    Py_DECREF(type);
}

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
     "record_by(id, type, size, record, object, channels=0, fill=-1): have record(object, packet) "
     "write one packet"},
    {"take", (PyCFunction)(void (*)(void))ring_take, METH_FASTCALL,
     "take(image, types): record all packets of a frame image -> how many found room"},
    {"latch", ring_latch, METH_VARARGS,
     "latch(object, type, channels, kind, key, payload): a packet that stays true until replaced"},
    {"reserve", ring_reserve, METH_VARARGS,
     "reserve(object, kind, key, bytes): keep room for versions of a key of up to so many bytes, "
     "whatever else is latched -> False if that is more than a third of the latch area"},
    {"despawn", ring_despawn, METH_VARARGS,
     "despawn(object, type, kind=-1): end all that is latched for an object, or only what is of a"
     " kind; returns how many keys"},
    {"close", ring_close, METH_NOARGS, "Stop recording into it; an open frame is forgotten."},
    READING_METHODS
    LATCHED_METHODS
    {"image", ring_image, METH_O, "image(frame) -> the frame by itself, as bytes: see image.h"},
    {NULL, NULL, 0, NULL},
};

static PyType_Slot ring_slots[] = {
    {Py_tp_doc, "Ring(buffer, latch=-1, *, verify=False): frames in a block of memory; with `latch` bytes of "
                "latch area a new one is laid out, without it the one that is there is read; with `verify` each frame "
                "of it is verified before it is."},
    {Py_tp_new, ring_new},
    {Py_tp_methods, ring_methods},
    {Py_tp_getset, reading_getset},
    {Py_tp_traverse, ring_traverse},
    {Py_tp_clear, ring_clear},
    {Py_tp_dealloc, ring_dealloc},
    {0, NULL},
};

static PyType_Spec ring_spec = {
    .name = "playhead.native._ring.Ring",
    .basicsize = sizeof(Ring),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_IMMUTABLETYPE,
    .slots = ring_slots,
};

/* --- the module ------------------------------------------------------------------------------ */

static PyObject *module_features(PyObject *module, PyObject *Py_UNUSED(none))
{
    return PyUnicode_FromString(((module_state *)PyModule_GetState(module))->features);
}

static PyObject *module_noop(PyObject *Py_UNUSED(module), PyObject *const *Py_UNUSED(args),
                             Py_ssize_t Py_UNUSED(n))
{
    Py_RETURN_NONE;
}

/* The numpy record that a packet's header is. */
static PyArray_Descr *packet_descriptor(void)
{
    PyObject *spec = Py_BuildValue("[(ss)(ss)(ss)(ss)(ss)(ss(i))(ss(i))]", "id", "<u8", "type",
                                   "<u2", "targetable", "u1", "flags", "u1", "next", "<u4",
                                   "position", "<f4", 3, "angles", "<f4", 3);
    PyArray_Descr *descriptor = NULL;
    if (spec && !PyArray_DescrConverter(spec, &descriptor)) descriptor = NULL;
    Py_XDECREF(spec);
    return descriptor;
}

static int module_exec(PyObject *module)
{
    module_state *state = PyModule_GetState(module);
    if (PyArray_ImportNumPyAPI() < 0) return -1;
    state->features = copy_prepare();
    state->release = PyUnicode_InternFromString("release");
    state->packet_dtype = packet_descriptor();
    PyObject *errors = PyImport_ImportModule("playhead.errors");
    if (!errors) return -1;
    state->capacity_error = PyObject_GetAttrString(errors, "CapacityError");
    state->evicted_error = PyObject_GetAttrString(errors, "EvictedError");
    state->damaged_error = PyObject_GetAttrString(errors, "DamagedError");
    state->recording_error = PyObject_GetAttrString(errors, "RecordingError");
    Py_DECREF(errors);
    state->ring_type = (PyTypeObject *)PyType_FromModuleAndSpec(module, &ring_spec, NULL);
    state->packet_type = (PyTypeObject *)PyType_FromModuleAndSpec(module, &packet_spec, NULL);
    state->older_type = (PyTypeObject *)PyType_FromModuleAndSpec(module, &older_spec, NULL);
    if (!state->release || !state->packet_dtype || !state->capacity_error || !state->evicted_error
        || !state->damaged_error || !state->recording_error || !state->ring_type
        || !state->packet_type || !state->older_type)
        return -1;
    if (PyModule_AddType(module, state->ring_type) < 0
        || PyModule_AddType(module, state->packet_type) < 0
        || PyModule_AddType(module, state->older_type) < 0
        || PyModule_AddObjectRef(module, "PACKET_DTYPE", (PyObject *)state->packet_dtype) < 0)
        return -1;
    return PyModule_AddIntConstant(module, "ALIGNED_FROM", ALIGNED_FROM);
}

static int module_traverse(PyObject *module, visitproc visit, void *arg)
{
    module_state *state = PyModule_GetState(module);
    Py_VISIT(state->ring_type);
    Py_VISIT(state->older_type);
    Py_VISIT(state->packet_type);
    Py_VISIT(state->packet_dtype);
    Py_VISIT(state->capacity_error);
    Py_VISIT(state->evicted_error);
    Py_VISIT(state->damaged_error);
    Py_VISIT(state->recording_error);
    return 0;
}

static int module_clear(PyObject *module)
{
    module_state *state = PyModule_GetState(module);
    Py_CLEAR(state->ring_type);
    Py_CLEAR(state->older_type);
    Py_CLEAR(state->packet_type);
    Py_CLEAR(state->packet_dtype);
    Py_CLEAR(state->capacity_error);
    Py_CLEAR(state->evicted_error);
    Py_CLEAR(state->damaged_error);
    Py_CLEAR(state->recording_error);
    Py_CLEAR(state->release);
    return 0;
}

static void module_free(void *module) { module_clear(module); }

static PyMethodDef module_methods[] = {
    {"gather_floats", (PyCFunction)(void (*)(void))module_gather, METH_FASTCALL,
     "gather_floats(objects, name, into): an attribute of many objects into a float64 column; "
     "with `into` of shape (n, k) each value is a sequence of k numbers"},
    IMAGE_FUNCTIONS
    OLDER_FUNCTIONS
    {"make_image", module_make_image, METH_VARARGS,
     "make_image(id, time, delta, epoch, packets): the image that has them; none is latched"},
    {"features", module_features, METH_NOARGS, "How this machine checks and copies."},
    {"noop", (PyCFunction)(void (*)(void))module_noop, METH_FASTCALL,
     "Does nothing: the floor that benchmarks of record() are measured against."},
    {NULL, NULL, 0, NULL},
};

static PyModuleDef_Slot module_slots[] = {
    {Py_mod_exec, module_exec},
#if PY_VERSION_HEX >= 0x030D0000
    {Py_mod_gil, Py_MOD_GIL_NOT_USED},
#endif
    {0, NULL},
};

static struct PyModuleDef ring_module = {
    PyModuleDef_HEAD_INIT,
    .m_name = "playhead.native._ring",
    .m_doc = "Frames and packets in one block of fixed size.",
    .m_size = sizeof(module_state),
    .m_methods = module_methods,
    .m_slots = module_slots,
    .m_traverse = module_traverse,
    .m_clear = module_clear,
    .m_free = module_free,
};

PyMODINIT_FUNC PyInit__ring(void) { return PyModuleDef_Init(&ring_module); }
