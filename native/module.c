/* The extension `playhead.native._ring`: a recording of frames in one block of memory of fixed
 * size.
 *
 * Where to look first: ring_layout.h (the bytes), frame_writer.h (the invariants and the order of
 * publishing), find_frames.h (what a reader may rely on). Recording is in frame_begin_commit.c and
 * record_*.c, reading in find_frames.c and read_*.c, frames by themselves in serialized_frame_*.c,
 * packed frames in compressed_tier.c and tier_*.c, the Python types in ring_type.c,
 * writable_packet.c and compressed_tier_type.c. What is called for each packet is `static inline`
 * in a header, so that speed does not depend on optimisation at link time.
 *
 * The extension knows offsets and bytes; names, layouts and friendly errors are Python's
 * business.
 */
#define PLAYHEAD_DEFINES_NUMPY
#include "python_numpy.h"

#include "python_methods.h"
#include "compressed_tier.h"

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
    state->tier_type = (PyTypeObject *)PyType_FromModuleAndSpec(module, &tier_spec, NULL);
    if (!state->release || !state->packet_dtype || !state->capacity_error || !state->evicted_error
        || !state->damaged_error || !state->recording_error || !state->ring_type
        || !state->packet_type || !state->tier_type)
        return -1;
    if (PyModule_AddType(module, state->ring_type) < 0
        || PyModule_AddType(module, state->packet_type) < 0
        || PyModule_AddType(module, state->tier_type) < 0
        || PyModule_AddObjectRef(module, "PACKET_DTYPE", (PyObject *)state->packet_dtype) < 0)
        return -1;
    return PyModule_AddIntConstant(module, "ALIGNED_FROM", ALIGNED_FROM);
}

static int module_traverse(PyObject *module, visitproc visit, void *arg)
{
    module_state *state = PyModule_GetState(module);
    Py_VISIT(state->ring_type);
    Py_VISIT(state->tier_type);
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
    Py_CLEAR(state->tier_type);
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
    {"gather_floats", (PyCFunction)(void (*)(void))module_gather_floats, METH_FASTCALL,
     "gather_floats(objects, name, into): an attribute of many objects into a float64 column; "
     "with `into` of shape (n, k) each value is a sequence of k numbers"},
    {"image_stamp", module_image_stamp, METH_O,
     "image_stamp(image) -> (id, time, delta, packets, epoch, flags, 0, bytes): its header"},
    {"image_packets", module_image_packets, METH_O,
     "image_packets(image) -> [(id, type, targetable, flags, position, angles, channels, run "
     "flags, payload)]: copies"},
    {"image_runs", module_image_runs, METH_O,
     "image_runs(image) -> [(type, channels, flags, headers, payloads)]: views of its memory"},
    {"image_verify", module_image_verify, METH_O,
     "image_verify(image): whether it is whole, and its check right where it has one"},
    {"tier_workspace", module_tier_workspace, METH_O,
     "tier_workspace(room) -> bytes that Tier needs for groups of `room` bytes"},
    {"image_encode", module_image_encode, METH_VARARGS,
     "image_encode(id, time, delta, epoch, packets): an image of these packets, none of which is latched"},
    {"features", module_features, METH_NOARGS, "How this processor computes checks and copies."},
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

PyMODINIT_FUNC PyInit__ring(void);
PyMODINIT_FUNC PyInit__ring(void) { return PyModuleDef_Init(&ring_module); }
