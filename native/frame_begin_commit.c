/* Opening, finishing and discarding a frame, and ending the recording. */
#include "python_methods.h"
#include "ring_object.h"
#include "compressed_tier.h"

static void quarantine_review(Ring *self)
{
    writer *w = &self->w;
    for (int i = w->quarantine_count; i-- > 0;) {
        PacketWriter *owner = w->quarantines[i].owner;
        if (owner->exports) continue;
        w->quarantines[i] = w->quarantines[--w->quarantine_count];
        Py_DECREF(owner);
    }
}

PyObject *ring_begin(PyObject *op, PyObject *Py_UNUSED(none))
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

PyObject *ring_commit(PyObject *op, PyObject *args)
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
            if (self->tier) tier_frame_added(self->tier);
        }
    }
    RING_UNLOCK()
    return result;
}

PyObject *ring_abort(PyObject *op, PyObject *Py_UNUSED(none))
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

PyObject *ring_close(PyObject *op, PyObject *Py_UNUSED(none))
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
