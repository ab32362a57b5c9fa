/* Copies one number field of many Python objects into a numpy column (`gather_floats`), which
 * `record_batch` then records. It needs no ring.
 */
#include "python_methods.h"
#include "python_numpy.h"

/* Writes a sequence of `count` numbers; returns -1 with an error set if it is none. */
static int sequence_read(PyObject *value, Py_ssize_t count, char *to, npy_intp stride)
{
    PyObject *items = PySequence_Fast(value, "not a sequence of numbers");
    if (!items) return -1;
    int result = 0;
    if (PySequence_Fast_GET_SIZE(items) != count) {
        PyErr_Format(PyExc_ValueError, "%zd numbers, not %zd", PySequence_Fast_GET_SIZE(items),
                     count);
        result = -1;
    }
    for (Py_ssize_t i = 0; !result && i < count && i < PySequence_Fast_GET_SIZE(items); i++) {
        PyObject *item = Py_NewRef(PySequence_Fast_GET_ITEM(items, i));
        double number = PyFloat_AsDouble(item);
        Py_DECREF(item);
        if (number == -1.0 && PyErr_Occurred())
            result = -1;
        else
            memcpy(to + i * stride, &number, sizeof number);
    }
    Py_DECREF(items);
    return result;
}

PyObject *module_gather_floats(PyObject *Py_UNUSED(module), PyObject *const *args, Py_ssize_t n)
{
    if (n != 3 || !PyUnicode_Check(args[1]) || !PyArray_Check(args[2])) {
        PyErr_SetString(PyExc_TypeError, "gather_floats(objects, name, into)");
        return NULL;
    }
    PyArrayObject *into = (PyArrayObject *)args[2];
    int wide = PyArray_NDIM(into) == 2;
    if (PyArray_TYPE(into) != NPY_DOUBLE || !PyArray_ISWRITEABLE(into)
        || PyArray_ISBYTESWAPPED(into) || (!wide && PyArray_NDIM(into) != 1)) {
        PyErr_SetString(PyExc_TypeError, "gather_floats: into must be a writable float64 array "
                                         "of the shape (n,) or (n, k)");
        return NULL;
    }
    PyObject *objects = PySequence_Fast(args[0], "gather_floats: objects is no sequence");
    if (!objects) return NULL;
    Py_ssize_t rows = PyArray_DIM(into, 0);
    if (PySequence_Fast_GET_SIZE(objects) != rows) {
        PyErr_Format(PyExc_ValueError, "gather_floats: %zd objects for %zd rows",
                     PySequence_Fast_GET_SIZE(objects), rows);
        Py_DECREF(objects);
        return NULL;
    }
    char *to = PyArray_BYTES(into);
    int failed = 0;
    /* Reading an attribute can run code that changes the list: so its size is read each time. */
    for (Py_ssize_t i = 0; !failed && i < rows && i < PySequence_Fast_GET_SIZE(objects); i++) {
        PyObject *object = Py_NewRef(PySequence_Fast_GET_ITEM(objects, i));
        PyObject *value = PyObject_GetAttr(object, args[1]);
        Py_DECREF(object);
        if (!value)
            failed = 1;
        else if (wide)
            failed = sequence_read(value, PyArray_DIM(into, 1), to, PyArray_STRIDE(into, 1));
        else {
            double number = PyFloat_AsDouble(value);
            failed = number == -1.0 && PyErr_Occurred();
            if (!failed) memcpy(to, &number, sizeof number);
        }
        Py_XDECREF(value);
        to += PyArray_STRIDE(into, 0);
    }
    Py_DECREF(objects);
    if (failed) return NULL;
    Py_RETURN_NONE;
}
