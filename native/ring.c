/* The ring: a recording of frames in one block of memory of fixed size.
 *
 * One translation unit. What lies where: layout.h. Order of publishing and the invariants that
 * hold whenever Python code can run: frames.h. Latched state: latch.h. The handler's view of its
 * packet: packet.h. Batches of numpy columns: batch.h. Reading: reading.h. Columns out of objects:
 * gather.h.
 *
 * The ring knows offsets and bytes; names, layouts and friendly errors are Python's business.
 * On a free-threaded build each method is one critical section on the ring.
 */
#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <numpy/arrayobject.h>

#include "packet.h"

#if PY_VERSION_HEX >= 0x030D0000
#define RING_LOCK(op) Py_BEGIN_CRITICAL_SECTION(op)
#define RING_UNLOCK() Py_END_CRITICAL_SECTION()
#else
#define RING_LOCK(op) {
#define RING_UNLOCK() }
#endif

typedef struct {
    PyTypeObject *ring_type, *packet_type;
    PyArray_Descr *packet_dtype;
    PyObject *capacity_error, *evicted_error, *damaged_error, *recording_error;
    PyObject *release;
    const char *features;
} module_state;

typedef struct {
    PyObject_HEAD
    writer w;
    Py_buffer buffer;
    PacketWriter *spare;  /* reused from packet to packet */
    PacketWriter *packet; /* open now: a handler is writing */
    int writable;         /* this process records into it */
    int closed;
    int gathering;        /* record_objects is running, so the frame may not end */
    uint64_t seen_id, seen_at; /* the frame read last, to find its neighbours at once */
} Ring;

static struct PyModuleDef ring_module;

static inline module_state *state_of(PyObject *op)
{
    return (module_state *)PyType_GetModuleState(Py_TYPE(op));
}

static int may_not_record(Ring *self)
{
    PyObject *error = state_of((PyObject *)self)->recording_error;
    if (self->closed)
        PyErr_SetString(error, "the ring is closed");
    else if (!self->writable)
        PyErr_SetString(error, "this ring is open for reading: another process records into it");
    else
        PyErr_SetString(error, "a handler is writing a packet: nothing else can be recorded "
                               "before its record() returns");
    return 0;
}

static inline int may_record(Ring *self)
{
    return !self->closed && self->writable && !self->packet ? 1 : may_not_record(self);
}

static inline int has_open_frame(Ring *self)
{
    if (!may_record(self)) return 0;
    if (self->w.open) return 1;
    PyErr_SetString(state_of((PyObject *)self)->recording_error,
                    "no frame is open: call begin() first");
    return 0;
}

static int frame_may_end(Ring *self)
{
    if (!has_open_frame(self)) return 0;
    if (!self->gathering) return 1;
    PyErr_SetString(state_of((PyObject *)self)->recording_error,
                    "objects are being recorded: the frame can't end before record_objects() "
                    "returns");
    return 0;
}

/* The value of a whole number of one digit, as nearly all are; -1 for others. */
static inline long long small_number(PyObject *value)
{
    if (!PyLong_CheckExact(value)) return -1;
#if PY_VERSION_HEX >= 0x030C0000
    PyLongObject *number = (PyLongObject *)value;
    return PyUnstable_Long_IsCompact(number) ? PyUnstable_Long_CompactValue(number) : -1;
#else
    Py_ssize_t digits = Py_SIZE(value);
    return digits == 1 ? (long long)((PyLongObject *)value)->ob_digit[0] : digits ? -1 : 0;
#endif
}

static int object_id_slow(PyObject *value, PyObject *error, uint64_t *id)
{
    int overflow;
    if (!PyLong_CheckExact(value)) {
        PyObject *index = PyBool_Check(value) ? NULL : PyNumber_Index(value);
        if (!index) {
            PyErr_Clear();
            PyErr_Format(error, "object id %R is no whole number", value);
            return -1;
        }
        int result = object_id_slow(index, error, id);
        Py_DECREF(index);
        return result;
    }
    long long number = PyLong_AsLongLongAndOverflow(value, &overflow);
    if (overflow || number < 0) {
        PyErr_Format(error, "object id %R is out of range: ids go from 1 to 2**63-1, 0 is the world",
                     value);
        return -1;
    }
    *id = (uint64_t)number;
    return 0;
}

static inline int object_id(PyObject *value, PyObject *error, uint64_t *id)
{
    long long small = small_number(value);
    if (small < 0) return object_id_slow(value, error, id);
    *id = (uint64_t)small;
    return 0;
}

static int whole_number_slow(PyObject *value, uint64_t most, const char *what, PyObject *error,
                             uint64_t *number)
{
    int overflow;
    long long n = PyLong_AsLongLongAndOverflow(value, &overflow);
    if (n == -1 && PyErr_Occurred()) return -1;
    if (overflow || n < 0 || (uint64_t)n > most) {
        PyErr_Format(error, "%s %R is out of range: it goes from 0 to %llu", what, value,
                     (unsigned long long)most);
        return -1;
    }
    *number = (uint64_t)n;
    return 0;
}

static inline int whole_number(PyObject *value, uint64_t most, const char *what, PyObject *error,
                               uint64_t *number)
{
    long long small = small_number(value);
    if (small < 0 || (uint64_t)small > most)
        return whole_number_slow(value, most, what, error, number);
    *number = (uint64_t)small;
    return 0;
}

static int in_range(long long n, long long most, const char *what, PyObject *error)
{
    if (n >= 0 && n <= most) return 1;
    PyErr_Format(error, "%s %lld is out of range: it goes from 0 to %lld", what, n, most);
    return 0;
}

static void dropped(writer *w, uint64_t packets)
{
    w->m.header->packets_dropped += packets;
    w->flags |= FRAME_DROPPED;
}

#include "batch.h"
#include "reading.h"
#include "gather.h"

/* --- one packet ----------------------------------------------------------------------------- */

/* Where a packet of a frame can be undone to. */
typedef struct {
    uint64_t head, first, runs, last, run, bytes;
    packet_header *last_at;
    uint32_t run_count;
} undo_point;

static undo_point undo_mark(const writer *w)
{
    return (undo_point){w->m.header->head, w->first, w->runs, w->last,
                        w->run,            w->bytes, w->last_at,
                        w->run == NONE ? 0 : run_at(&w->m, w->run)->count};
}

/* Takes back room appended since `point`. Frames evicted for it stay evicted. */
static void undo_to(writer *w, const undo_point *point)
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

static int append_damaged(writer *w, uint64_t id, uint16_t type, uint32_t channels)
{
    uint64_t at;
    packet_header *packet = packet_append(w, type, channels, 0, &at);
    w->flags |= FRAME_DAMAGED;
    if (!packet) {
        dropped(w, 1);
        return 0;
    }
    *packet = (packet_header){.id = id, .type = type, .flags = PACKET_DAMAGED};
    packet_written(w, packet, at, 0);
    return 1;
}

/* What a packet's header says, parsed. */
typedef struct {
    uint64_t id;
    uint16_t type;
    uint8_t targetable;
    uint32_t channels;
    float position[3], angles[3];
} row_header;

static inline int row_write(Ring *self, const row_header *row, const void *payload, uint64_t size)
{
    writer *w = &self->w;
    if (!has_open_frame(self)) return -1; /* converting a number can run anything, commit() too */
    uint64_t at;
    packet_header *packet = packet_append(w, row->type, row->channels, size, &at);
    if (!packet) {
        dropped(w, 1);
        return 0;
    }
    header_write((uint8_t *)packet, row->id, header_word(row->type, row->targetable, 0, 0),
                 row->position, row->angles);
    if (size < ALIGNED_FROM) {
        if (size) memcpy(packet + 1, payload, size);
        packet_written(w, packet, at, size);
        return 1;
    }
    w->check += copy_payload((uint8_t *)(packet + 1), payload, size,
                             check_header((const uint8_t *)packet, w->count));
    packets_linked(w, packet, at, 1, 0);
    return 1;
}

/* A function of its own, so that rows without a payload need no buffer. */
static int row_write_payload(Ring *self, const row_header *row, PyObject *object)
{
    Py_buffer payload;
    if (PyObject_GetBuffer(object, &payload, PyBUF_SIMPLE) < 0) return -1;
    int result = row_write(self, row, payload.buf, (uint64_t)payload.len);
    PyBuffer_Release(&payload);
    return result;
}

/* Records one row: id, type, targetable, position, angles, payload or NULL. 1, 0 dropped, -1. */
static inline int record_row(Ring *self, PyObject *error, PyObject *const *row, Py_ssize_t n,
                             uint32_t channels)
{
    row_header header = {.channels = channels};
    uint64_t type;
    if (object_id(row[0], error, &header.id) < 0) return -1;
    if (whole_number(row[1], UINT16_MAX, "type", error, &type) < 0) return -1;
    int targetable = row[2] == Py_True ? 1 : row[2] == Py_False ? 0 : PyObject_IsTrue(row[2]);
    if (targetable < 0) return -1;
    header.type = (uint16_t)type;
    header.targetable = (uint8_t)targetable;
    if (vector_take(header.position, row[3], "position") < 0) return -1;
    if (vector_take(header.angles, row[4], "angles") < 0) return -1;
    if (n > 5 && row[5] != Py_None) {
        row_header copy = header; /* `header` itself never needs to be in memory */
        return row_write_payload(self, &copy, row[5]);
    }
    return row_write(self, &header, NULL, 0);
}

static PyObject *ring_record(PyObject *op, PyObject *const *args, Py_ssize_t n)
{
    Ring *self = (Ring *)op;
    if (n < 5 || n > 7) {
        PyErr_SetString(PyExc_TypeError, "record(id, type, targetable, position, angles, "
                                         "payload=None, channels=0)");
        return NULL;
    }
    int result = -1;
    RING_LOCK(op)
    PyObject *error = state_of(op)->recording_error;
    uint64_t channels = 0;
    if (has_open_frame(self)
        && (n < 7 || !whole_number(args[6], UINT32_MAX, "channels", error, &channels)))
        result = record_row(self, error, args, n, (uint32_t)channels);
    RING_UNLOCK()
    return result < 0 ? NULL : Py_NewRef(result ? Py_True : Py_False);
}

static PyObject *ring_record_list(PyObject *op, PyObject *const *args, Py_ssize_t n)
{
    Ring *self = (Ring *)op;
    if (n < 1 || n > 2) {
        PyErr_SetString(PyExc_TypeError, "record_list(rows, channels=0)");
        return NULL;
    }
    PyObject *rows = PySequence_Fast(args[0], "record_list: rows is no list");
    if (!rows) return NULL;
    long long recorded = 0;
    RING_LOCK(op)
    PyObject *error = state_of(op)->recording_error;
    uint64_t channels = 0;
    if (!has_open_frame(self)
        || (n > 1 && whole_number(args[1], UINT32_MAX, "channels", error, &channels) < 0))
        recorded = -1;
    for (Py_ssize_t i = 0; recorded >= 0 && i < PySequence_Fast_GET_SIZE(rows); i++) {
        PyObject *row = PySequence_Fast_GET_ITEM(rows, i);
        int result = -1;
        if (!PyTuple_Check(row) || PyTuple_GET_SIZE(row) < 5 || PyTuple_GET_SIZE(row) > 6)
            PyErr_Format(error, "row %zd is not a tuple (id, type, targetable, position, angles"
                                "[, payload]): %R", i, row);
        else {
            Py_INCREF(row);
            result = record_row(self, error, &PyTuple_GET_ITEM(row, 0), PyTuple_GET_SIZE(row),
                                (uint32_t)channels);
            Py_DECREF(row);
        }
        recorded = result < 0 ? -1 : recorded + result;
    }
    RING_UNLOCK()
    Py_DECREF(rows);
    return recorded < 0 ? NULL : PyLong_FromLongLong(recorded);
}

/* --- packets that a handler writes itself ---------------------------------------------------- */

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

/* Shuts the packet. If views of it are left, its memory goes under quarantine. 0 or -1. */
static int packet_shut(Ring *self, PacketWriter *packet)
{
    writer *w = &self->w;
    if (packet->view) {
        PyObject *released = PyObject_CallMethodNoArgs(packet->view,
                                                       state_of((PyObject *)self)->release);
        if (!released) PyErr_Clear(); /* an array still looks through it: counted in exports */
        Py_XDECREF(released);
        Py_CLEAR(packet->view);
    }
    packet->closed = 1;
    if (!packet->exports) { /* nobody looks through it: a ring and its spare are no cycle */
        Py_CLEAR(packet->ring);
        return 0;
    }
    uint64_t from = (uint64_t)(packet->payload - w->m.arena);
    w->held[w->held_count++] = (quarantine){from, from + align_up((uint64_t)packet->size, 8),
                                            Py_NewRef((PyObject *)packet)};
    Py_CLEAR(self->spare);
    return -1;
}

static void quarantine_review(Ring *self)
{
    writer *w = &self->w;
    for (int i = w->held_count; i-- > 0;) {
        PacketWriter *owner = w->held[i].owner;
        if (owner->exports) continue;
        w->held[i] = w->held[--w->held_count];
        Py_DECREF(owner);
    }
}

enum { WROTE = 1, NO_ROOM = 0, FAILED = -1 };

/* Has the packet written over two different fillings: bytes that still differ were never written,
 * so the handler asked for more than it needs, or forgets some of it. */
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

/* Has `record(object, packet)` write one packet straight into the ring. FAILED leaves the error
 * set and the packet's header in the frame, flagged damaged. */
static int record_by(Ring *self, uint64_t id, uint16_t type, uint32_t channels, uint64_t size,
                     PyObject *record, PyObject *object, int fill)
{
    writer *w = &self->w;
    if (w->held_count == MAX_QUARANTINE) {
        PyErr_SetString(PyExc_BufferError, "handlers keep views of 16 closed packets: "
                                           "drop them, a packet is only lent to record()");
        append_damaged(w, id, type, channels);
        return FAILED;
    }
    /* Making one can run the garbage collector, and a finalizer anything, commit() too. */
    if (!self->spare && (!(self->spare = packet_new(self)) || !has_open_frame(self)))
        return FAILED;
    undo_point point = undo_mark(w);
    uint64_t at;
    packet_header *lent = packet_append(w, type, channels, size, &at);
    if (!lent) {
        dropped(w, 1);
        return NO_ROOM;
    }
    PacketWriter *packet = self->spare;
    packet->ring = Py_NewRef((PyObject *)self);
    packet->payload = (uint8_t *)(lent + 1);
    packet->size = (Py_ssize_t)size;
    memset(packet->position, 0, sizeof packet->position);
    memset(packet->angles, 0, sizeof packet->angles);
    packet->targetable = packet->visible = 1;
    packet->closed = 0;
    self->packet = (PacketWriter *)Py_NewRef((PyObject *)packet);
    PyObject *args[2] = {object, (PyObject *)packet};
    PyObject *result = NULL, *type_, *value, *trace;
    if (fill < 0)
        result = PyObject_Vectorcall(record, args, 2, NULL);
    else
        result = record_twice(packet, record, args, fill);
    PyErr_Fetch(&type_, &value, &trace);
    Py_XDECREF(result);
    int kept = packet_shut(self, packet);
    self->packet = NULL;
#ifdef Py_GIL_DISABLED
    Py_CLEAR(self->spare);
#else
    if (self->spare && Py_REFCNT(packet) > 2) Py_CLEAR(self->spare); /* kept: not used again */
#endif
    packet_header header = {.id = id, .type = type, .targetable = (uint8_t)packet->targetable,
                            .flags = packet->visible ? 0 : PACKET_HIDDEN};
    memcpy(header.position, packet->position, sizeof header.position);
    memcpy(header.angles, packet->angles, sizeof header.angles);
    Py_DECREF(packet);
    if (result && !kept) {
        *lent = header;
        packet_written(w, lent, at, size);
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
 * With ids the objects are only gathered there; with record None only headers are left. */
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
    if (plan) { /* without one its type has no handler: told without an exception */
        Py_INCREF(plan); /* what it calls can take it out of the plans */
        int result = record_planned(self, error, plan, id_object, object, fill);
        Py_DECREF(plan);
        if (result != FAILED) return result;
    }
    PyObject *t, *v, *b;
    PyErr_Fetch(&t, &v, &b);
    PyErr_NormalizeException(&t, &v, &b);
    if (v && b) PyException_SetTraceback(v, b);
    PyObject *args[3] = {id_object, name, v ? v : Py_None};
    PyObject *told = PyObject_Vectorcall(*fault, args, 3, NULL);
    Py_XDECREF(t);
    Py_XDECREF(v);
    Py_XDECREF(b);
    Py_XDECREF(told);
    return told ? NO_ROOM : FAILED;
}

static PyObject *ring_record_objects(PyObject *op, PyObject *const *args, Py_ssize_t n)
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
    self->gathering++;
    PyObject *iterator = recorded < 0 ? NULL : PyObject_GetIter(args[0]), *entry;
    if (!iterator) recorded = -1;
    while (recorded >= 0 && (entry = PyIter_Next(iterator))) {
        int result = record_entry(self, error, entry, plans, &args[2], fill);
        Py_DECREF(entry);
        recorded = result == FAILED ? -1 : recorded + (result == WROTE);
    }
    if (recorded >= 0 && PyErr_Occurred()) recorded = -1;
    Py_XDECREF(iterator);
    self->gathering--;
    RING_UNLOCK()
    return recorded < 0 ? NULL : PyLong_FromLongLong(recorded);
}

static PyObject *ring_record_by(PyObject *op, PyObject *args)
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

/* --- latched packets ------------------------------------------------------------------------- */

static void version_written(writer *w)
{
    run_header *run = run_at(&w->m, w->run);
    uint8_t *packet = (uint8_t *)(run + 1);
    w->check += check_packets(packet, 1, 0, run->size, w->count - 1);
}

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

static PyObject *ring_despawn(PyObject *op, PyObject *args)
{
    Ring *self = (Ring *)op;
    PyObject *object;
    long long type;
    if (!PyArg_ParseTuple(args, "OL:despawn", &object, &type)) return NULL;
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
            if (entry->object != id) continue;
            uint64_t newest = atomic_load_explicit(&entry->newest, memory_order_relaxed);
            if (newest != NONE && newest >= self->w.tail
                && run_version(run_at(m, newest))->flags & VERSION_TOMBSTONE)
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

/* --- the block ------------------------------------------------------------------------------- */

/* `header` is the copy that was checked; the block's own is only written to, and shown. */
static void memory_map(memory *m, uint8_t *block, const block_header *header)
{
    m->header = (block_header *)(void *)block;
    m->units = header->units;
    m->entry_count = header->entry_count;
    m->bucket_count = header->bucket_count;
    m->entries = (entry_header *)(void *)(block + header->entries_at);
    m->by_key = (uint32_t *)(void *)(block + header->buckets_at);
    m->by_object = m->by_key + header->bucket_count;
    m->map = block + header->map_at;
    m->slots = block + header->slots_at;
    m->arena = block + header->arena_at;
    m->arena_size = header->arena_size;
}

static uint32_t header_check(const block_header *header)
{
    uint8_t bytes[HEADER_ROOM] = {0};
    memcpy(bytes, (const void *)header, offsetof(block_header, check));
    return check_words(0, bytes, sizeof bytes / 8);
}

/* Lays the block out: a latch area of about `latch` bytes, the rest is arena. */
static int block_create(Ring *self, uint64_t latch)
{
    uint64_t total = (uint64_t)self->buffer.len & ~(uint64_t)(LINE - 1);
    block_header header = {.byte_order = BYTE_ORDER_MARK, .major = LAYOUT_MAJOR,
                           .minor = LAYOUT_MINOR, .total = total,
                           .frame_size = sizeof(frame_header), .run_size = sizeof(run_header),
                           .packet_size = sizeof(packet_header),
                           .version_size = sizeof(version_header)};
    memcpy(header.magic, MAGIC, 8);
    uint64_t count = latch / 640; /* an entry, and slots for two halves of some 250 bytes */
    uint64_t fixed = count * (sizeof(entry_header) + 2 * sizeof(uint32_t)) + 3 * LINE;
    header.entries_at = HEADER_ROOM;
    header.entry_count = header.bucket_count = count;
    header.buckets_at = header.entries_at + align_up(count * sizeof(entry_header), LINE);
    header.map_at = header.buckets_at + align_up(count * 2 * sizeof(uint32_t), LINE);
    header.units = latch > fixed ? (latch - fixed) / (LINE + 1) : 0;
    header.slots_at = header.map_at + align_up(header.units, LINE);
    header.arena_at = header.slots_at + header.units * LINE;
    if (total > MAX_BLOCK || header.arena_at + 2 * LINE > total) {
        PyErr_Format(state_of((PyObject *)self)->capacity_error,
                     "memory of %zd bytes can't hold a ring: it needs %llu bytes at least "
                     "(%llu of them for latched state) and %llu at most",
                     self->buffer.len, (unsigned long long)(header.arena_at + 2 * LINE),
                     (unsigned long long)latch, (unsigned long long)MAX_BLOCK);
        return -1;
    }
    header.arena_size = total - header.arena_at;
    header.check = header_check(&header);
    atomic_init(&header.tail, 0);
    atomic_init(&header.newest, NONE);
    memset(self->buffer.buf, 0, header.slots_at);
    memcpy((uint8_t *)self->buffer.buf + 8, (uint8_t *)(void *)&header + 8, sizeof header - 8);
    memory_map(&self->w.m, self->buffer.buf, &header);
    for (uint64_t i = count; i-- > 0;) {
        self->w.m.entries[i].next_key = self->w.m.header->free_entry;
        self->w.m.header->free_entry = (uint32_t)i + 1;
        atomic_store_explicit(&self->w.m.entries[i].newest, NONE, memory_order_relaxed);
    }
    slots_prepare(&self->w.m);
    self->writable = 1;
    atomic_thread_fence(memory_order_release);
    memcpy(self->buffer.buf, MAGIC, 8); /* from here on it is a ring */
    return 0;
}

/* Takes up a block that another process wrote; believes nothing in it. */
static int block_attach(Ring *self)
{
    PyObject *error = state_of((PyObject *)self)->damaged_error;
    uint64_t length = (uint64_t)self->buffer.len;
    block_header copy = {0}, *h = &copy;
    if (length >= HEADER_ROOM) memcpy((void *)&copy, self->buffer.buf, sizeof copy);
    if (memcmp(h->magic, MAGIC, 8)) {
        PyErr_SetString(error, "not a ring: it does not begin with PLAYHEAD");
        return -1;
    }
    if (h->byte_order != BYTE_ORDER_MARK || h->major != LAYOUT_MAJOR) {
        PyErr_Format(error, "a ring of layout %u.%u (byte order %x): this playhead reads layout "
                            "%d.x, little-endian",
                     h->major, h->minor, h->byte_order, LAYOUT_MAJOR);
        return -1;
    }
    if (h->check != header_check(h)) {
        PyErr_SetString(error, "the ring's header is damaged: its checksum does not match");
        return -1;
    }
    uint64_t at = HEADER_ROOM;
    int good = h->frame_size == sizeof(frame_header) && h->run_size == sizeof(run_header)
               && h->packet_size == sizeof(packet_header)
               && h->version_size == sizeof(version_header) && h->total <= MAX_BLOCK
               && h->entry_count <= h->total && h->bucket_count == h->entry_count
               && h->units <= h->total && h->entries_at == at;
    if (good) {
        at += align_up(h->entry_count * sizeof(entry_header), LINE);
        good = h->buckets_at == at;
        at += align_up(h->bucket_count * 2 * sizeof(uint32_t), LINE);
        good = good && h->map_at == at;
        at += align_up(h->units, LINE);
        good = good && h->slots_at == at;
        at += h->units * LINE;
        good = good && h->arena_at == at && at + 2 * LINE <= h->total
               && h->arena_size == h->total - at && h->arena_size % LINE == 0;
    }
    if (!good) {
        PyErr_SetString(error, "the ring's header contradicts itself");
        return -1;
    }
    if (h->total > length) {
        PyErr_Format(error, "the ring is cut off: %llu of its %llu bytes are there",
                     (unsigned long long)length, (unsigned long long)h->total);
        return -1;
    }
    memory_map(&self->w.m, self->buffer.buf, h);
    return 0;
}

static PyObject *ring_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
    static char *names[] = {"buffer", "latch", NULL};
    PyObject *buffer;
    long long latch = -1;
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "O|L:Ring", names, &buffer, &latch))
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
     "visible=None, channels=0) -> recorded?"},
    {"record_objects", (PyCFunction)(void (*)(void))ring_record_objects, METH_FASTCALL,
     "record_objects(objects, plans, fault, fill=-1) -> packets written by their handlers"},
    {"record_by", ring_record_by, METH_VARARGS,
     "record_by(id, type, size, record, object, channels=0, fill=-1): have record(object, packet) "
     "write one packet"},
    {"latch", ring_latch, METH_VARARGS,
     "latch(object, type, channels, kind, key, payload): a packet that stays true until replaced"},
    {"despawn", ring_despawn, METH_VARARGS,
     "despawn(object, type): end all that is latched for an object; returns how many keys"},
    {"close", ring_close, METH_NOARGS, "Stop recording into it; an open frame is forgotten."},
    READING_METHODS
    {NULL, NULL, 0, NULL},
};

static PyType_Slot ring_slots[] = {
    {Py_tp_doc, "Ring(buffer, latch=-1): frames in a block of memory; with `latch` bytes of "
                "latch area a new one is laid out, without it the one that is there is read."},
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
    if (!state->release || !state->packet_dtype || !state->capacity_error || !state->evicted_error
        || !state->damaged_error || !state->recording_error || !state->ring_type
        || !state->packet_type)
        return -1;
    if (PyModule_AddType(module, state->ring_type) < 0
        || PyModule_AddType(module, state->packet_type) < 0
        || PyModule_AddObjectRef(module, "PACKET_DTYPE", (PyObject *)state->packet_dtype) < 0)
        return -1;
    return PyModule_AddIntConstant(module, "ALIGNED_FROM", ALIGNED_FROM);
}

static int module_traverse(PyObject *module, visitproc visit, void *arg)
{
    module_state *state = PyModule_GetState(module);
    Py_VISIT(state->ring_type);
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
