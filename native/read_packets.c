/* Reading the packets of a frame: as numpy views of the ring's own memory (`runs`), or one by one
 * as copies (`packets`).
 *
 * Views are borrowed: call `holds(frame)` after using them, to know whether they were intact.
 */
#include "python_methods.h"
#include "find_frames.h"

/* A read-only array over memory that `owner` keeps alive. Steals the reference to the
 * descriptor. */
static PyObject *view_of(PyObject *owner, const uint8_t *data, int nd, npy_intp *dims,
                         npy_intp *strides, PyArray_Descr *descriptor)
{
    PyObject *array = PyArray_NewFromDescr(&PyArray_Type, descriptor, nd, dims, strides,
                                           (void *)(uintptr_t)data, 0, NULL);
    if (!array) return NULL;
    if (PyArray_SetBaseObject((PyArrayObject *)array, Py_NewRef(owner)) < 0) {
        Py_DECREF(array);
        return NULL;
    }
    return array;
}

/* (type, channels, flags, headers, payloads or None): views of a run's packets, of which `first`
 * is the first one, in memory that `owner` keeps alive. */
PyObject *run_view(PyObject *owner, PyArray_Descr *packet, const uint8_t *first,
                   const run_header *run)
{
    npy_intp dims[2] = {run->count, run->size}, strides[2] = {run->stride, 1};
    Py_INCREF(packet);
    PyObject *headers = view_of(owner, first, 1, dims, strides, packet), *payloads;
    if (!headers) return NULL;
    if (run->size)
        payloads = view_of(owner, first + sizeof(packet_header), 2, dims, strides,
                           PyArray_DescrFromType(NPY_UINT8));
    else
        payloads = Py_NewRef(Py_None);
    if (!payloads) {
        Py_DECREF(headers);
        return NULL;
    }
    PyObject *tuple = PyTuple_New(5);
    if (!tuple) {
        Py_DECREF(headers);
        Py_DECREF(payloads);
        return NULL;
    }
    PyTuple_SET_ITEM(tuple, 0, PyLong_FromLong(run->type));
    PyTuple_SET_ITEM(tuple, 1, PyLong_FromUnsignedLong(run->channels));
    PyTuple_SET_ITEM(tuple, 2, PyLong_FromLong(run->flags));
    PyTuple_SET_ITEM(tuple, 3, headers);
    PyTuple_SET_ITEM(tuple, 4, payloads);
    return tuple;
}

/* Appends a packet, whose header was copied, to a list of such. 0 or -1. */
int packet_list(PyObject *list, const packet_header *h, const run_header *run,
                const uint8_t *payload)
{
    PyObject *item = Py_BuildValue(
        "(KHOB(ddd)(ddd)IHy#)", (unsigned long long)h->id, run->type,
        h->targetable ? Py_True : Py_False, h->flags, (double)h->position[0],
        (double)h->position[1], (double)h->position[2], (double)h->angles[0],
        (double)h->angles[1], (double)h->angles[2], run->channels, run->flags,
        (const char *)payload, (Py_ssize_t)run->size);
    int appended = item ? PyList_Append(list, item) : -1;
    Py_XDECREF(item);
    return appended;
}

static PyObject *run_packets(Ring *self, uint64_t at, const run_header *run, PyObject *list)
{
    const uint8_t *packet = address_at(&self->w.m, at) + sizeof *run;
    for (uint32_t i = 0; i < run->count; i++, packet += run->stride) {
        packet_header h;
        memcpy(&h, packet, sizeof h);
        if (packet_list(list, &h, run, packet + sizeof h) < 0) return NULL;
    }
    return list;
}

/* Both kinds of reading a frame's runs: as views, or packet by packet as copies. */
static PyObject *frame_runs(Ring *self, uint64_t id, int copies)
{
    frame_header frame;
    uint64_t start;
    if (frame_find(self, id, &start, &frame) < 0 || frame_whole(self, id) < 0) return NULL;
    PyObject *list = PyList_New(0);
    uint64_t at = frame.runs;
    while (list && at != NONE) {
        run_header run;
        int found = run_read(self, start, &frame, at, &run);
        PyObject *done = NULL;
        if (found == 0) raise_evicted(self, id);
        if (found > 0 && copies) done = Py_XNewRef(run_packets(self, at, &run, list));
        if (found > 0 && !copies) {
            done = run_view((PyObject *)self, state_of((PyObject *)self)->packet_dtype,
                            address_at(&self->w.m, at) + sizeof run, &run);
            if (done && PyList_Append(list, done) < 0) Py_CLEAR(done);
        }
        if (!done) Py_CLEAR(list);
        Py_XDECREF(done);
        at = run.next ? at + 8ull * run.next : NONE;
    }
    if (list && !still_held(self, start)) {
        raise_evicted(self, id);
        Py_CLEAR(list);
    }
    return list;
}

static PyObject *locked_frame_runs(PyObject *op, PyObject *frame, int copies)
{
    uint64_t id;
    PyObject *result = NULL;
    if (frame_argument(op, frame, &id) < 0) return NULL;
    RING_LOCK(op)
    result = frame_runs((Ring *)op, id, copies);
    RING_UNLOCK()
    return result;
}

PyObject *ring_runs(PyObject *op, PyObject *frame)
{
    return locked_frame_runs(op, frame, 0);
}

PyObject *ring_packets(PyObject *op, PyObject *frame)
{
    return locked_frame_runs(op, frame, 1);
}
