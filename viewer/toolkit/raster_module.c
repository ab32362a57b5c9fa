/* The extension `playhead.viewer.toolkit._raster`: draws smooth lines, triangles and round limbs
 * into an image in memory, thousands in one call. Qt's painter takes four to six times as long for
 * smooth lines.
 *
 * This file checks arguments and has the table of functions. raster_lines.c and raster_solids.c
 * draw. They share raster.h.
 */
#include "raster.h"

bool rows_fit(const char *what, const Py_buffer *buffer, Py_ssize_t rows, Py_ssize_t row)
{
    /* Divided, because the product may overflow a Py_ssize_t. */
    if (buffer->len % row == 0 && buffer->len / row == rows) return true;
    PyErr_Format(PyExc_ValueError, "%s take %zd bytes, not %zd for each of %zd", what, buffer->len,
                 row, rows);
    return false;
}

bool picture_fits(const picture *into, const Py_buffer *pixels)
{
    const Py_ssize_t color = sizeof(uint32_t), width = into->width, height = into->height;
    if (width < 1 || height < 1) {
        PyErr_Format(PyExc_ValueError, "a picture of %zd by %zd pixels has none", width, height);
        return false;
    }
    if (pixels->len % color == 0 && pixels->len / color % width == 0
        && pixels->len / color / width == height)
        return true;
    PyErr_Format(PyExc_ValueError, "the pixels take %zd bytes, not %zd for each of %zd by %zd",
                 pixels->len, color, width, height);
    return false;
}

bool camera_fits(camera *eye, const Py_buffer *matrix)
{
    if (!rows_fit("the matrix", matrix, 1, sizeof eye->matrix)) return false;
    memcpy(eye->matrix, matrix->buf, sizeof eye->matrix);
    return true;
}

bool indices_fit(const char *what, const Py_buffer *indices, Py_ssize_t count, Py_ssize_t points)
{
    if (!rows_fit(what, indices, count, sizeof(int64_t))) return false;
    for (Py_ssize_t i = 0; i < count; i++) {
        int64_t at = index_at(indices, i);
        if (at >= 0 && at < points) continue;
        PyErr_Format(PyExc_IndexError, "%s: number %zd is point %lld of %zd", what, i,
                     (long long)at, points);
        return false;
    }
    return true;
}

bool points_fit(const Py_buffer *points, Py_ssize_t *count)
{
    const Py_ssize_t row = 3 * sizeof(double);
    *count = points->len / row;
    return rows_fit("the points", points, *count, row);
}

seen_point *points_seen(const camera *eye, const Py_buffer *points, Py_ssize_t *count)
{
    const Py_ssize_t row = 3 * sizeof(double);
    if (!points_fit(points, count)) return NULL;
    seen_point *seen = PyMem_RawMalloc((size_t)(*count ? *count : 1) * sizeof *seen);
    if (!seen) return (seen_point *)PyErr_NoMemory();
    for (Py_ssize_t i = 0; i < *count; i++) {
        double world[3];
        memcpy(world, (const char *)points->buf + i * row, sizeof world);
        look_at(eye, world, &seen[i]);
    }
    return seen;
}

static PyMethodDef methods[] = {
    {"draw_lines", draw_lines, METH_VARARGS,
     "draw_lines(pixels, width, height, lines, colors, broad=1): lines over a picture"},
    {"draw_edges", draw_edges, METH_VARARGS,
     "draw_edges(pixels, depth, faintness, width, height, points, starts, ends, colors, matrix, near, wide, "
     "high): lines between points of a world"},
    {"draw_triangles", draw_triangles, METH_VARARGS,
     "draw_triangles(pixels, depth, is_body, width, height, points, corners, colors, matrix, near, wide, "
     "high): triangles between points of a world"},
    {"draw_capsules", draw_capsules, METH_VARARGS,
     "draw_capsules(pixels, depth, covered, width, height, points, starts, ends, radii, colors, "
     "matrix, near, wide, high): round limbs between points of a world"},
    {"draw_outlines", draw_outlines, METH_VARARGS,
     "draw_outlines(pixels, depth, covered, width, height): the outlines of covered limbs"},
    {NULL, NULL, 0, NULL},
};

static PyModuleDef_Slot slots[] = {
#if PY_VERSION_HEX >= 0x030D0000
    {Py_mod_gil, Py_MOD_GIL_NOT_USED},
#endif
    {0, NULL},
};

static struct PyModuleDef raster = {
    PyModuleDef_HEAD_INIT,
    .m_name = "playhead.viewer.toolkit._raster",
    .m_doc = "Lines, triangles and limbs drawn into a picture in memory.",
    .m_methods = methods,
    .m_slots = slots,
};

PyMODINIT_FUNC PyInit__raster(void);
PyMODINIT_FUNC PyInit__raster(void) { return PyModuleDef_Init(&raster); }
