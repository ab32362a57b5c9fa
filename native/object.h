/* The ring as a Python object: what it holds, when it may be recorded into, and the numbers that
 * its calls are given. Included by ring.c.
 */
#ifndef PLAYHEAD_OBJECT_H
#define PLAYHEAD_OBJECT_H

#include "packet.h"

#if PY_VERSION_HEX >= 0x030D0000
#define RING_LOCK(op) Py_BEGIN_CRITICAL_SECTION(op)
#define RING_UNLOCK() Py_END_CRITICAL_SECTION()
#else
#define RING_LOCK(op) {
#define RING_UNLOCK() }
#endif

typedef struct {
    PyTypeObject *ring_type, *packet_type, *older_type;
    PyArray_Descr *packet_dtype;
    PyObject *capacity_error, *evicted_error, *damaged_error, *recording_error;
    PyObject *release;
    const char *features;
} module_state;

typedef struct older_tier Older; /* older.h */

typedef struct {
    PyObject_HEAD
    writer w;
    Py_buffer buffer;
    PacketWriter *spare;  /* reused from packet to packet */
    PacketWriter *packet; /* open now: a handler is writing */
    int writable;         /* this process records into it */
    int closed;
    int noticed;          /* PACKET_CUT and PACKET_PARTIAL, if the packet written last has them */
    int gathering;        /* record_objects is running, so the frame may not end */
    uint64_t seen_id, seen_at; /* the frame read last, to find its neighbours at once */
    Older *older;         /* borrowed: what packs its frames, or NULL */
    int verifies;         /* each frame is verified before its packets are given away */
    uint32_t *whole;      /* of VERIFIED frames, each in the place of its id: id / VERIFIED + 1 */
} Ring;

#define VERIFIED 65536u

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

#endif
