/* The functions that Python calls: the method tables in ring_type.c and module.c list them, and
 * _ring.pyi describes their arguments.
 */
#ifndef PLAYHEAD_PYTHON_METHODS_H
#define PLAYHEAD_PYTHON_METHODS_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>

extern PyType_Spec ring_spec; /* ring_type.c */

/* frame_begin_commit.c */
PyObject *ring_begin(PyObject *op, PyObject *Py_UNUSED(none));
PyObject *ring_commit(PyObject *op, PyObject *args);
PyObject *ring_abort(PyObject *op, PyObject *Py_UNUSED(none));
PyObject *ring_close(PyObject *op, PyObject *Py_UNUSED(none));

/* record_packets.c */
PyObject *ring_record(PyObject *op, PyObject *const *args, Py_ssize_t n);
PyObject *ring_record_list(PyObject *op, PyObject *const *args, Py_ssize_t n);

/* record_columns.c */
PyObject *ring_record_batch(PyObject *op, PyObject *const *args, Py_ssize_t n,
                            PyObject *names);

/* call_handlers.c */
PyObject *ring_record_objects(PyObject *op, PyObject *const *args, Py_ssize_t n);
PyObject *ring_record_by(PyObject *op, PyObject *args);

/* record_latched.c */
PyObject *ring_latch(PyObject *op, PyObject *args);
PyObject *ring_reserve(PyObject *op, PyObject *args);
PyObject *ring_despawn(PyObject *op, PyObject *args);

/* find_frames.c */
PyObject *ring_find(PyObject *op, PyObject *value);
PyObject *ring_stamp(PyObject *op, PyObject *value);
PyObject *ring_verify(PyObject *op, PyObject *value);
PyObject *ring_holds(PyObject *op, PyObject *value);

/* read_packets.c */
PyObject *ring_runs(PyObject *op, PyObject *frame);
PyObject *ring_packets(PyObject *op, PyObject *frame);

/* read_latched.c */
PyObject *ring_latched(PyObject *op, PyObject *args);
PyObject *ring_latched_all(PyObject *op, PyObject *value);
PyObject *ring_versions(PyObject *op, PyObject *args);

/* serialized_frame_encode.c */
PyObject *ring_image(PyObject *op, PyObject *value);
PyObject *module_image_encode(PyObject *module, PyObject *args);

/* serialized_frame_ingest.c */
PyObject *ring_ingest(PyObject *op, PyObject *const *args, Py_ssize_t n);

/* serialized_frame_decode.c */
PyObject *module_image_stamp(PyObject *module, PyObject *object);
PyObject *module_image_packets(PyObject *module, PyObject *object);
PyObject *module_image_verify(PyObject *module, PyObject *object);
PyObject *module_image_runs(PyObject *module, PyObject *object);

/* columns_from_objects.c */
PyObject *module_gather_floats(PyObject *Py_UNUSED(module), PyObject *const *args, Py_ssize_t n);

/* compressed_tier_type.c */
PyObject *module_tier_workspace(PyObject *Py_UNUSED(module), PyObject *value);

#endif
