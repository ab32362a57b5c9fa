/* What the rasterisers share: the image, its colors, its depth, and the camera.
 *
 * Depth is stored as *nearness*, a float for each pixel: z / w in clip coordinates, which is linear
 * along lines on the screen. It is larger the nearer something is, and 0 where nothing is. Bodies
 * store theirs as a negative number, which distinguishes a body behind a wall from a limb behind
 * another limb.
 */
#ifndef PLAYHEAD_RASTER_H
#define PLAYHEAD_RASTER_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef struct {
    uint32_t *pixels; /* 0xffRRGGBB, rows without a gap */
    float *depth;     /* nearness of each pixel, or NULL */
    int width, height;
    float depth_sign; /* of what triangles store: -1 for those of bodies */
    int faintness;    /* lines behind something keep their cover / 2^faintness */
} picture;

typedef struct {
    double x, y;
} point;

/* Something may lie so much farther than what covers it, as a share, and is still drawn: the
 * outline of a side lies in that side. */
#define DEPTH_BIAS 1e-3f
/* What is farther than any depth still has one. */
#define LEAST_NEARNESS 1e-9

/* The color of a pixel under `cover` / 256 of another color. Red and blue are computed together. */
static inline uint32_t mixed(uint32_t under, uint32_t color, uint32_t cover)
{
    const uint32_t ends = 0x00ff00ffu, middle = 0x0000ff00u;
    uint32_t rest = 256 - cover;
    uint32_t red_blue = ((under & ends) * rest + (color & ends) * cover) >> 8;
    uint32_t green = ((under & middle) * rest + (color & middle) * cover) >> 8;
    return 0xff000000u | (red_blue & ends) | (green & middle);
}

/* A camera, as `View` in viewer/scene/view_camera.py has it: points are rows, times a 4 × 4 matrix. */
typedef struct {
    double matrix[4][4];
    double near;       /* depths from which on something is in front of the eye */
    double wide, high; /* the size in pixels, which need not be integers */
} camera;

typedef struct {
    double x, y, z, depth; /* before the division */
    point at;              /* its pixel, if it is in front */
    double nearness;       /* likewise */
    bool in_front;
} seen_point;

static inline void divide(const camera *eye, seen_point *seen)
{
    seen->at.x = (seen->x / seen->depth + 1) * eye->wide / 2;
    seen->at.y = (1 - seen->y / seen->depth) * eye->high / 2;
    seen->nearness = fmax(seen->z / seen->depth, LEAST_NEARNESS);
}

static inline void look_at(const camera *eye, const double world[3], seen_point *into)
{
    double clip[4];
    for (int i = 0; i < 4; i++)
        clip[i] = world[0] * eye->matrix[0][i] + world[1] * eye->matrix[1][i]
            + world[2] * eye->matrix[2][i] + eye->matrix[3][i];
    *into = (seen_point){.x = clip[0], .y = clip[1], .z = clip[2], .depth = clip[3]};
    into->in_front = clip[3] > eye->near; /* not if it is no number */
    if (into->in_front) divide(eye, into);
}

/* The point of a line where it comes out from behind the eye. */
static inline seen_point at_near(const camera *eye, const seen_point *behind,
                                 const seen_point *front)
{
    double share = (eye->near - behind->depth) / (front->depth - behind->depth);
    seen_point cut = {.x = behind->x + (front->x - behind->x) * share,
                      .y = behind->y + (front->y - behind->y) * share,
                      .z = behind->z + (front->z - behind->z) * share,
                      .depth = eye->near,
                      .in_front = true};
    divide(eye, &cut);
    return cut;
}

/* Pixels that a length of 1 takes at a depth of 1. */
static inline double pixels_per_length(const camera *eye)
{
    double up[3] = {eye->matrix[0][1], eye->matrix[1][1], eye->matrix[2][1]};
    return sqrt(up[0] * up[0] + up[1] * up[1] + up[2] * up[2]) * eye->high / 2;
}

/* So many shapes take some milliseconds. Fewer are drawn without releasing Python's lock: a thread
 * that gets it in between may hold it for longer than drawing the whole image takes. */
#define MANY 20000

static inline PyThreadState *unlocked(Py_ssize_t things)
{
    return things > MANY ? PyEval_SaveThread() : NULL;
}

static inline void locked(PyThreadState *state)
{
    if (state) PyEval_RestoreThread(state);
}

/* --- checking arguments ---------------------------------------------------------------------- */

/* Whether a buffer has this many rows, each of `row` bytes; false with an exception set. */
bool rows_fit(const char *what, const Py_buffer *buffer, Py_ssize_t rows, Py_ssize_t row);
/* Whether a buffer has 4 bytes for each pixel; false with an exception set. */
bool picture_fits(const picture *into, const Py_buffer *pixels);
bool camera_fits(camera *eye, const Py_buffer *matrix);
/* Whether these are `count` indices of so many points; false with an exception set. */
bool indices_fit(const char *what, const Py_buffer *indices, Py_ssize_t count, Py_ssize_t points);
/* Whether these are points, and how many; false with an exception set. */
bool points_fit(const Py_buffer *points, Py_ssize_t *count);
/* All points as the camera sees them, to be freed with PyMem_RawFree; NULL with an exception. A
 * shape that shares no points is cheaper to project when it is drawn: see `point_at`. */
seen_point *points_seen(const camera *eye, const Py_buffer *points, Py_ssize_t *count);

static inline int64_t index_at(const Py_buffer *indices, Py_ssize_t i)
{
    int64_t at;
    memcpy(&at, (const char *)indices->buf + i * (Py_ssize_t)sizeof at, sizeof at);
    return at;
}

static inline void point_at(const camera *eye, const Py_buffer *points, const Py_buffer *indices,
                            Py_ssize_t i, seen_point *into)
{
    double world[3];
    memcpy(world, (const char *)points->buf + index_at(indices, i) * (Py_ssize_t)sizeof world,
           sizeof world);
    look_at(eye, world, into);
}

static inline uint32_t color_at(const Py_buffer *colors, Py_ssize_t i)
{
    uint32_t color;
    memcpy(&color, (const char *)colors->buf + i * (Py_ssize_t)sizeof color, sizeof color);
    return color;
}

PyObject *draw_lines(PyObject *module, PyObject *args);
PyObject *draw_edges(PyObject *module, PyObject *args);
PyObject *draw_triangles(PyObject *module, PyObject *args);
PyObject *draw_capsules(PyObject *module, PyObject *args);
PyObject *draw_outlines(PyObject *module, PyObject *args);

#endif
