/* The packet that a handler is writing: a writable buffer inside the ring.
 *
 * The buffer is open only while the handler's `record` runs. If the handler retains a view of it,
 * that memory is quarantined: the ring does not reuse it until the view is gone, so a late write
 * can't reach another packet. call_handlers.c opens and closes packets.
 */
#ifndef PLAYHEAD_WRITABLE_PACKET_H
#define PLAYHEAD_WRITABLE_PACKET_H

#include "frame_writer.h"
#include "python_numpy.h"

typedef struct {
    PyObject_HEAD
    PyObject *ring;    /* owns the memory while the packet or a view of it can be read; else NULL */
    uint8_t *payload;
    Py_ssize_t size;
    Py_ssize_t exports;
    PyObject *view;    /* the memoryview handed out as `payload`, or NULL */
    float position[3];
    float angles[3];
    char targetable, visible, cut, closed;
} PacketWriter;

extern PyType_Spec packet_spec;

/* Reads three numbers out of a sequence. 0, or -1 with an exception set. */
int vector_read_any(float *into, PyObject *value, const char *what);

/* The same, inlined for the usual case: a tuple of three floats. */
static inline int vector_read(float into[3], PyObject *value, const char *what)
{
    if (PyTuple_CheckExact(value) && PyTuple_GET_SIZE(value) == 3) {
        PyObject *x = PyTuple_GET_ITEM(value, 0), *y = PyTuple_GET_ITEM(value, 1);
        PyObject *z = PyTuple_GET_ITEM(value, 2);
        if (PyFloat_CheckExact(x) && PyFloat_CheckExact(y) && PyFloat_CheckExact(z)) {
            into[0] = (float)PyFloat_AS_DOUBLE(x);
            into[1] = (float)PyFloat_AS_DOUBLE(y);
            into[2] = (float)PyFloat_AS_DOUBLE(z);
            return 0;
        }
    }
    float slow[3];
    if (vector_read_any(slow, value, what) < 0) return -1;
    for (int i = 0; i < 3; i++) into[i] = slow[i];
    return 0;
}

#endif
