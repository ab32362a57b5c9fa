/* Recording packets that handlers write themselves, directly into the ring.
 *
 * `record_objects` is the loop over all objects of a world. For each object it looks up the plan of
 * the object's type, asks the handler for a size, appends a packet, lends it to the handler's
 * `record`, and writes header and links. If a handler raises, only its own packet is lost: a header
 * that is flagged as damaged remains, and `fault` is called with the exception.
 */
#include "python_methods.h"
#include "record_packets.h"

static PacketWriter *packet_new(Ring *self)
{
    module_state *state = state_of((PyObject *)self);
    PacketWriter *packet = PyObject_GC_New(PacketWriter, state->packet_type);
    if (!packet) return NULL;
    packet->ring = NULL;
    packet->payload = NULL;
    packet->size = packet->exports = 0;
    packet->view = NULL;
    packet->closed = 1;
    PyObject_GC_Track((PyObject *)packet);
    return packet;
}

/* Closes the packet. If views of it are left, its memory goes under quarantine. 0 or -1. */
static int packet_close(Ring *self, PacketWriter *packet)
{
    writer *w = &self->w;
    if (packet->view) {
        PyObject *released = PyObject_CallMethodNoArgs(packet->view,
                                                       state_of((PyObject *)self)->release);
        if (!released) PyErr_Clear(); /* an array still uses it, which `exports` counts */
        Py_XDECREF(released);
        Py_CLEAR(packet->view);
    }
    packet->closed = 1;
    if (!packet->exports) { /* no view is left: the ring and its spare packet are no cycle */
        Py_CLEAR(packet->ring);
        return 0;
    }
    uint64_t from = (uint64_t)(packet->payload - w->m.arena);
    uint64_t to = from + align_up((uint64_t)packet->size, 8);
    w->quarantines[w->quarantine_count++] = (quarantine){from, to, Py_NewRef((PyObject *)packet)};
    Py_CLEAR(self->spare);
    return -1;
}

enum { WROTE = 1, NO_ROOM = 0, FAILED = -1 };

/* Calls `record` over two different fillings. Bytes that still differ were never written: the
 * handler asked for more than it needs, or forgets some. */
static PyObject *record_twice(PacketWriter *packet, PyObject *record, PyObject *const *args,
                              int fill)
{
    uint32_t check[2] = {0, 0};
    size_t whole = (size_t)packet->size / 8, rest = (size_t)packet->size % 8;
    PyObject *result = NULL;
    for (int pass = 0; pass < 2; pass++) {
        memset(packet->payload, pass ? ~fill & 0xff : fill & 0xff, (size_t)packet->size);
        Py_XDECREF(result);
        result = PyObject_Vectorcall(record, args, 2, NULL);
        if (!result) return NULL;
        uint8_t tail[8] = {0};
        memcpy(tail, packet->payload + 8 * whole, rest);
        check[pass] = check_words(check_words(0, packet->payload, whole), tail, 1);
    }
    if (check[0] == check[1]) return result;
    Py_DECREF(result);
    PyErr_Format(PyExc_BufferError, "record() left holes in its packet: size() said %zd bytes, "
                                    "some of them were not written", packet->size);
    return NULL;
}

enum { SENTINEL = 0xA5 }; /* seldom the last byte of a payload: no small number ends in it */

/* Calls `record` once over zeros, so that no older bytes remain. The last byte is set to
 * SENTINEL: if it is still there, the handler may have asked for more than it wrote. Then
 * `record` is called again over another byte, which makes it certain. */
static PyObject *record_once(PacketWriter *packet, PyObject *record, PyObject *const *args,
                             int *partial)
{
    *partial = 0;
    if (!packet->size) return PyObject_Vectorcall(record, args, 2, NULL);
    uint8_t *last = packet->payload + packet->size - 1;
    for (int sentinel = SENTINEL;; sentinel = ~SENTINEL & 0xff) {
        memset(packet->payload, 0, (size_t)packet->size);
        *last = (uint8_t)sentinel;
        PyObject *result = PyObject_Vectorcall(record, args, 2, NULL);
        if (!result || *last != sentinel) return result;
        if (sentinel != SENTINEL) {
            *last = 0;
            *partial = 1;
            return result;
        }
        Py_DECREF(result);
    }
}

/* Calls `record(object, packet)`, which writes one packet straight into the ring. FAILED: the
 * exception is set, and the packet's header is in the frame, flagged damaged. */
static int record_by(Ring *self, uint64_t id, uint16_t type, uint32_t channels, uint64_t size,
                     PyObject *record, PyObject *object, int fill)
{
    writer *w = &self->w;
    if (w->quarantine_count == MAX_QUARANTINE) {
        PyErr_SetString(PyExc_BufferError, "handlers keep views of 16 closed packets: "
                                           "drop them, a packet is only lent to record()");
        append_damaged(w, id, type, channels);
        return FAILED;
    }
    /* Making one can run the garbage collector, and a finalizer can run any code, commit() too. */
    if (!self->spare && (!(self->spare = packet_new(self)) || !has_open_frame(self)))
        return FAILED;
    undo_point point = undo_mark(w);
    uint64_t at;
    packet_header *header_at = packet_append(w, type, channels, size, &at);
    if (!header_at) {
        count_dropped(w, 1);
        return NO_ROOM;
    }
    PacketWriter *packet = self->spare;
    packet->ring = Py_NewRef((PyObject *)self);
    packet->payload = (uint8_t *)(header_at + 1);
    packet->size = (Py_ssize_t)size;
    memset(packet->position, 0, sizeof packet->position);
    memset(packet->angles, 0, sizeof packet->angles);
    packet->targetable = packet->visible = 1;
    packet->cut = 0;
    packet->closed = 0;
    self->packet = (PacketWriter *)Py_NewRef((PyObject *)packet);
    PyObject *args[2] = {object, (PyObject *)packet};
    PyObject *result = NULL, *type_, *value, *trace;
    int partial = 0;
    if (fill < 0)
        result = record_once(packet, record, args, &partial);
    else
        result = record_twice(packet, record, args, fill);
    PyErr_Fetch(&type_, &value, &trace);
    Py_XDECREF(result);
    int view_left = packet_close(self, packet);
    self->packet = NULL;
#ifdef Py_GIL_DISABLED
    Py_CLEAR(self->spare);
#else
    /* The handler still refers to it: it is not reused. */
    if (self->spare && Py_REFCNT(packet) > 2) Py_CLEAR(self->spare);
#endif
    uint8_t flags = (uint8_t)((packet->visible ? 0 : PACKET_HIDDEN)
                              | (packet->cut ? PACKET_CUT : 0) | (partial ? PACKET_PARTIAL : 0));
    if (result && !view_left)
        header_write((uint8_t *)header_at, id,
                     header_word(type, (uint8_t)packet->targetable, flags, 0), packet->position,
                     packet->angles);
    Py_DECREF(packet);
    if (result && !view_left) {
        self->noticed_flags = flags & (PACKET_CUT | PACKET_PARTIAL);
        packet_written(w, header_at, at, size);
        return WROTE;
    }
    undo_to(w, &point);
    append_damaged(w, id, type, channels);
    if (type_)
        PyErr_Restore(type_, value, trace);
    else
        PyErr_Format(PyExc_BufferError, "record() kept a view of its packet of %llu bytes: "
                                        "the packet is lent, copy what must stay",
                     (unsigned long long)size);
    return FAILED;
}

/* record_objects' plan for a type: (type, channels, size or -1, size(), record(), ids, objects).
 * With ids the objects are only collected there; with record None only headers are written. */
enum { PLAN_TYPE, PLAN_CHANNELS, PLAN_FIXED, PLAN_SIZE, PLAN_RECORD, PLAN_IDS, PLAN_OBJECTS,
       PLAN_LENGTH };

static int is_plan(PyObject *plan)
{
    return PyTuple_Check(plan) && PyTuple_GET_SIZE(plan) == PLAN_LENGTH;
}

static int record_planned(Ring *self, PyObject *error, PyObject *plan, PyObject *id_object,
                          PyObject *object, int fill)
{
    uint64_t id, size = 0;
    if (object_id(id_object, error, &id) < 0) return FAILED;
    if (id == 0) {
        PyErr_SetString(error, "object id 0 is the world: objects have ids from 1 on");
        return FAILED;
    }
    if (PyTuple_GET_ITEM(plan, PLAN_IDS) != Py_None) {
        if (PyList_Append(PyTuple_GET_ITEM(plan, PLAN_IDS), id_object) < 0) return FAILED;
        return PyList_Append(PyTuple_GET_ITEM(plan, PLAN_OBJECTS), object) < 0 ? FAILED : NO_ROOM;
    }
    uint16_t type = (uint16_t)PyLong_AsUnsignedLong(PyTuple_GET_ITEM(plan, PLAN_TYPE));
    uint32_t channels = (uint32_t)PyLong_AsUnsignedLong(PyTuple_GET_ITEM(plan, PLAN_CHANNELS));
    if (PyTuple_GET_ITEM(plan, PLAN_RECORD) == Py_None)
        return append_damaged(&self->w, id, type, channels); /* muted */
    Py_ssize_t fixed = PyLong_AsSsize_t(PyTuple_GET_ITEM(plan, PLAN_FIXED));
    if (fixed >= 0)
        size = (uint64_t)fixed;
    else {
        PyObject *given = PyObject_CallOneArg(PyTuple_GET_ITEM(plan, PLAN_SIZE), object);
        int bad = !given || whole_number(given, (uint64_t)1 << 62, "size() gave", error, &size);
        Py_XDECREF(given);
        if (bad) {
            PyObject *t, *v, *b;
            PyErr_Fetch(&t, &v, &b);
            append_damaged(&self->w, id, type, channels);
            PyErr_Restore(t, v, b);
            return FAILED;
        }
    }
    return record_by(self, id, type, channels, size, PyTuple_GET_ITEM(plan, PLAN_RECORD), object,
                     fill);
}

/* Calls `fault` with an exception, with None for a type without a handler, or with the flags of a
 * packet that was written but is incomplete. NO_ROOM or FAILED. */
static int report_fault(PyObject *const *fault, PyObject *id, PyObject *name, PyObject *what)
{
    PyObject *args[3] = {id, name, what};
    PyObject *result = PyObject_Vectorcall(*fault, args, 3, NULL);
    Py_XDECREF(result);
    return result ? NO_ROOM : FAILED;
}

static int record_entry(Ring *self, PyObject *error, PyObject *entry, PyObject *plans,
                        PyObject *const *fault, int fill)
{
    if (!PyTuple_Check(entry) || PyTuple_GET_SIZE(entry) != 3) {
        PyErr_Format(error, "objects() gave %R, not a tuple (id, type, object)", entry);
        return FAILED;
    }
    PyObject *id_object = PyTuple_GET_ITEM(entry, 0), *name = PyTuple_GET_ITEM(entry, 1);
    PyObject *object = PyTuple_GET_ITEM(entry, 2);
    PyObject *plan = PyDict_GetItemWithError(plans, name);
    if (!plan && PyErr_Occurred()) return FAILED;
    if (plan == Py_None) return NO_ROOM; /* switched off */
    if (plan && !is_plan(plan)) {
        PyErr_Format(PyExc_TypeError, "the plan of %R is no plan: %R", name, plan);
        return FAILED;
    }
    if (plan) { /* without a plan its type has no handler: reported without an exception */
        Py_INCREF(plan); /* what it calls can remove it from the plans */
        self->noticed_flags = 0;
        int result = record_planned(self, error, plan, id_object, object, fill);
        Py_DECREF(plan);
        if (result != FAILED && !self->noticed_flags) return result;
        if (result != FAILED) {
            PyObject *noticed = PyLong_FromLong(self->noticed_flags);
            int reported = noticed ? report_fault(fault, id_object, name, noticed) : FAILED;
            Py_XDECREF(noticed);
            return reported == FAILED ? FAILED : result;
        }
    }
    PyObject *t, *v, *b;
    PyErr_Fetch(&t, &v, &b);
    PyErr_NormalizeException(&t, &v, &b);
    if (v && b) PyException_SetTraceback(v, b);
    int reported = report_fault(fault, id_object, name, v ? v : Py_None);
    Py_XDECREF(t);
    Py_XDECREF(v);
    Py_XDECREF(b);
    return reported;
}

PyObject *ring_record_objects(PyObject *op, PyObject *const *args, Py_ssize_t n)
{
    Ring *self = (Ring *)op;
    if (n < 3 || n > 4 || !PyDict_Check(args[1])) {
        PyErr_SetString(PyExc_TypeError, "record_objects(objects, plans, fault, fill=-1)");
        return NULL;
    }
    long long recorded = 0;
    RING_LOCK(op)
    PyObject *error = state_of(op)->recording_error, *plans = args[1], *plan, *key;
    int fill = n > 3 ? (int)PyLong_AsLong(args[3]) : -1;
    Py_ssize_t at = 0;
    if (!has_open_frame(self) || (fill == -1 && PyErr_Occurred())) recorded = -1;
    while (recorded >= 0 && PyDict_Next(plans, &at, &key, &plan))
        if (plan != Py_None && !is_plan(plan)) {
            PyErr_Format(PyExc_TypeError, "the plan of %R is no plan: %R", key, plan);
            recorded = -1;
        }
    self->recording_objects++;
    PyObject *iterator = recorded < 0 ? NULL : PyObject_GetIter(args[0]), *entry;
    if (!iterator) recorded = -1;
    while (recorded >= 0 && (entry = PyIter_Next(iterator))) {
        int result = record_entry(self, error, entry, plans, &args[2], fill);
        Py_DECREF(entry);
        recorded = result == FAILED ? -1 : recorded + (result == WROTE);
    }
    if (recorded >= 0 && PyErr_Occurred()) recorded = -1;
    Py_XDECREF(iterator);
    self->recording_objects--;
    RING_UNLOCK()
    return recorded < 0 ? NULL : PyLong_FromLongLong(recorded);
}

PyObject *ring_record_by(PyObject *op, PyObject *args)
{
    Ring *self = (Ring *)op;
    PyObject *id_object, *record, *object;
    long long type, channels = 0;
    Py_ssize_t size;
    int fill = -1, result = FAILED;
    if (!PyArg_ParseTuple(args, "OLnOO|Li:record_by", &id_object, &type, &size, &record, &object,
                          &channels, &fill))
        return NULL;
    RING_LOCK(op)
    uint64_t id;
    PyObject *error = state_of(op)->recording_error;
    if (object_id(id_object, error, &id) < 0 || !in_range(type, UINT16_MAX, "type", error)
        || !in_range(channels, UINT32_MAX, "channels", error) || !has_open_frame(self))
        ;
    else if (size < 0)
        PyErr_Format(error, "a payload of %zd bytes: sizes are not negative", size);
    else
        result = record_by(self, id, (uint16_t)type, (uint32_t)channels, (uint64_t)size, record,
                           object, fill);
    RING_UNLOCK()
    return result == FAILED ? NULL : PyBool_FromLong(result);
}
