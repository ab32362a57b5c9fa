/* The Python type of the packet that a handler is writing: see writable_packet.h. */
#include "writable_packet.h"

int vector_read_any(float *into, PyObject *value, const char *what)
{
    if (PyTuple_CheckExact(value) && PyTuple_GET_SIZE(value) == 3) {
        for (int i = 0; i < 3; i++) {
            PyObject *item = PyTuple_GET_ITEM(value, i);
            double number = PyFloat_CheckExact(item) ? PyFloat_AS_DOUBLE(item)
                                                     : PyFloat_AsDouble(item);
            if (number == -1.0 && PyErr_Occurred()) return -1;
            into[i] = (float)number;
        }
        return 0;
    }
    PyObject *items = PySequence_Tuple(value); /* a copy: no item's __float__ can change it */
    if (!items) return -1;
    if (PyTuple_GET_SIZE(items) != 3) {
        PyErr_Format(PyExc_ValueError, "%s has %zd numbers, not 3", what,
                     PyTuple_GET_SIZE(items));
        Py_DECREF(items);
        return -1;
    }
    for (int i = 0; i < 3; i++) {
        double number = PyFloat_AsDouble(PyTuple_GET_ITEM(items, i));
        if (number == -1.0 && PyErr_Occurred()) {
            Py_DECREF(items);
            return -1;
        }
        into[i] = (float)number;
    }
    Py_DECREF(items);
    return 0;
}

static int packet_is_open(PacketWriter *self)
{
    if (!self->closed) return 1;
    PyErr_SetString(PyExc_ValueError,
                    "this packet is closed: a handler may write it only inside record()");
    return 0;
}

static PyObject *packet_get_vector(PyObject *op, void *which)
{
    PacketWriter *self = (PacketWriter *)op;
    const float *v = which ? self->angles : self->position;
    return Py_BuildValue("(ddd)", (double)v[0], (double)v[1], (double)v[2]);
}

static int packet_set_vector(PyObject *op, PyObject *value, void *which)
{
    PacketWriter *self = (PacketWriter *)op;
    if (!packet_is_open(self)) return -1;
    if (!value) {
        PyErr_SetString(PyExc_AttributeError, "a packet's header can't be deleted");
        return -1;
    }
    return vector_read_any(which ? self->angles : self->position, value,
                           which ? "angles" : "position");
}

/* `which` is the switch's offset in the struct. */
static PyObject *packet_get_switch(PyObject *op, void *which)
{
    return PyBool_FromLong(*((char *)op + (uintptr_t)which));
}

static int packet_set_switch(PyObject *op, PyObject *value, void *which)
{
    PacketWriter *self = (PacketWriter *)op;
    if (!packet_is_open(self)) return -1;
    int on = value ? PyObject_IsTrue(value) : -1;
    if (on < 0) {
        if (!PyErr_Occurred())
            PyErr_SetString(PyExc_AttributeError, "a packet's header can't be deleted");
        return -1;
    }
    *((char *)op + (uintptr_t)which) = (char)on;
    return 0;
}

static PyObject *packet_get_payload(PyObject *op, void *Py_UNUSED(closure))
{
    PacketWriter *self = (PacketWriter *)op;
    if (!packet_is_open(self)) return NULL;
    if (!self->view && !(self->view = PyMemoryView_FromObject(op))) return NULL;
    return Py_NewRef(self->view);
}

static int packet_getbuffer(PyObject *op, Py_buffer *view, int flags)
{
    PacketWriter *self = (PacketWriter *)op;
    if (!packet_is_open(self)) {
        view->obj = NULL;
        return -1;
    }
    if (PyBuffer_FillInfo(view, op, self->payload, self->size, 0, flags) < 0) return -1;
    self->exports++;
    return 0;
}

static void packet_releasebuffer(PyObject *op, Py_buffer *Py_UNUSED(view))
{
    ((PacketWriter *)op)->exports--;
}

static int packet_traverse(PyObject *op, visitproc visit, void *arg)
{
    PacketWriter *self = (PacketWriter *)op;
    Py_VISIT(Py_TYPE(op));
    Py_VISIT(self->ring);
    Py_VISIT(self->view);
    return 0;
}

static int packet_clear(PyObject *op)
{
    PacketWriter *self = (PacketWriter *)op;
    Py_CLEAR(self->view);
    Py_CLEAR(self->ring);
    return 0;
}

static void packet_dealloc(PyObject *op)
{
    PyTypeObject *type = Py_TYPE(op);
    PyObject_GC_UnTrack(op);
    packet_clear(op);
    type->tp_free(op);
    Py_DECREF(type);
}

static PyGetSetDef packet_getset[] = {
    {"position", packet_get_vector, packet_set_vector, "Where the object is, for showing.", NULL},
    {"angles", packet_get_vector, packet_set_vector, "How it is turned, radians.", (void *)1},
    {"targetable", packet_get_switch, packet_set_switch, "Whether it may be selected.",
     (void *)offsetof(PacketWriter, targetable)},
    {"visible", packet_get_switch, packet_set_switch, "Whether it was to be seen.",
     (void *)offsetof(PacketWriter, visible)},
    {"cut", packet_get_switch, packet_set_switch, "Whether a text in it was too long.",
     (void *)offsetof(PacketWriter, cut)},
    {"payload", packet_get_payload, NULL, "The bytes asked for, writable, in the ring.", NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

static PyType_Slot packet_slots[] = {
    {Py_tp_doc, "A packet while a handler writes it; closed when record() returns."},
    {Py_tp_getset, packet_getset},
    {Py_tp_traverse, packet_traverse},
    {Py_tp_clear, packet_clear},
    {Py_tp_dealloc, packet_dealloc},
    {Py_bf_getbuffer, packet_getbuffer},
    {Py_bf_releasebuffer, packet_releasebuffer},
    {0, NULL},
};

PyType_Spec packet_spec = {
    .name = "playhead.native._ring.PacketWriter",
    .basicsize = sizeof(PacketWriter),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_IMMUTABLETYPE
             | Py_TPFLAGS_DISALLOW_INSTANTIATION,
    .slots = packet_slots,
};
