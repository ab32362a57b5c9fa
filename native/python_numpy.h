/* Includes Python and numpy in the way that every file of this extension must.
 *
 * numpy's table of functions is one variable for the whole extension. module.c defines and fills
 * it; the other files only refer to it.
 */
#ifndef PLAYHEAD_PYTHON_NUMPY_H
#define PLAYHEAD_PYTHON_NUMPY_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#define PY_ARRAY_UNIQUE_SYMBOL playhead_ring_numpy
#ifndef PLAYHEAD_DEFINES_NUMPY
#define NO_IMPORT_ARRAY
#endif
#include <numpy/arrayobject.h>

#endif
