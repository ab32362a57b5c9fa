/* The slow paths of ring_object.h: errors, and numbers that are not small integers. */
#include "ring_object.h"

int may_not_record(Ring *self)
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

int frame_may_end(Ring *self)
{
    if (!has_open_frame(self)) return 0;
    if (!self->recording_objects) return 1;
    PyErr_SetString(state_of((PyObject *)self)->recording_error,
                    "objects are being recorded: the frame can't end before record_objects() "
                    "returns");
    return 0;
}

int object_id_slow(PyObject *value, PyObject *error, uint64_t *id)
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
        PyErr_Format(error, "object id %R is out of range: ids go from 1 to 2**63-1, 0 is the "
                            "world",
                     value);
        return -1;
    }
    *id = (uint64_t)number;
    return 0;
}

int whole_number_slow(PyObject *value, uint64_t most, const char *what, PyObject *error,
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

int in_range(long long n, long long most, const char *what, PyObject *error)
{
    if (n >= 0 && n <= most) return 1;
    PyErr_Format(error, "%s %lld is out of range: it goes from 0 to %lld", what, n, most);
    return 0;
}
