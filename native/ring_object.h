/* The ring as a Python object: its fields, the conditions for recording into it, and parsing the
 * numbers that its methods are given.
 *
 * On a free-threaded build each method is one critical section on the ring (RING_LOCK). On other
 * builds Python's own lock has the same effect. Whatever can run Python code inside a method (an
 * iterator, `size()`, an attribute) can call the ring again. Therefore a method checks
 * `has_open_frame` again after such a call.
 */
#ifndef PLAYHEAD_RING_OBJECT_H
#define PLAYHEAD_RING_OBJECT_H

#include "writable_packet.h"

#if PY_VERSION_HEX >= 0x030D0000
#define RING_LOCK(op) Py_BEGIN_CRITICAL_SECTION(op)
#define RING_UNLOCK() Py_END_CRITICAL_SECTION()
#else
#define RING_LOCK(op) {
#define RING_UNLOCK() }
#endif

typedef struct {
    PyTypeObject *ring_type, *packet_type, *tier_type;
    PyArray_Descr *packet_dtype;
    PyObject *capacity_error, *evicted_error, *damaged_error, *recording_error;
    PyObject *release;
    const char *features;
} module_state;

typedef struct tier_object Tier; /* compressed_tier.h */

typedef struct {
    PyObject_HEAD
    writer w;
    Py_buffer buffer;
    PacketWriter *spare;   /* reused from packet to packet */
    PacketWriter *packet;  /* open now: a handler is writing */
    int writable;          /* this process records into it */
    int closed;
    int noticed_flags;     /* PACKET_CUT and PACKET_PARTIAL, if the newest packet has them */
    int recording_objects; /* record_objects is running, so the frame may not end */
    Tier *tier;            /* borrowed: the tier that packs its frames, or NULL */
    /* The frame that was read last: its neighbours are found without a search. */
    uint64_t cached_id, cached_at;
    int verifies; /* each frame is verified before its packets are read */
    /* The frames found intact: id / VERIFIED_FRAMES + 1 at index id % VERIFIED_FRAMES. */
    uint32_t *whole_frames;
} Ring;

#define VERIFIED_FRAMES 65536u

static inline module_state *state_of(PyObject *op)
{
    return (module_state *)PyType_GetModuleState(Py_TYPE(op));
}

int may_not_record(Ring *self);
int frame_may_end(Ring *self);
int object_id_slow(PyObject *value, PyObject *error, uint64_t *id);
int whole_number_slow(PyObject *value, uint64_t most, const char *what, PyObject *error,
                      uint64_t *number);
int in_range(long long n, long long most, const char *what, PyObject *error);

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

/* The value of an integer of one digit, as nearly all are; -1 for others. */
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

static inline int object_id(PyObject *value, PyObject *error, uint64_t *id)
{
    long long small = small_number(value);
    if (small < 0) return object_id_slow(value, error, id);
    *id = (uint64_t)small;
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

/* Lays a new ring out in the buffer, with a latch area of about `latch` bytes. 0 or -1. */
int block_create(Ring *self, uint64_t latch);

/* Opens the ring that is in the buffer; nothing in it is trusted. Returns 0 or -1. */
int block_attach(Ring *self);

#endif
