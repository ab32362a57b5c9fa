/* Lines into a picture in memory: smooth, thin or broad, thousands in one call; given in its pixels,
 * or between points of a world that is seen through a camera. */

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* A line's coordinates are pixels, those of a pixel's middle end in .5. Beyond this they are no
 * place on any screen, and shares of them lose their meaning. */
#define FARTHEST 1e9
#define BROADEST 1e4

typedef struct {
    uint32_t *pixels; /* 0xffRRGGBB, rows without a gap */
    int width, height;
} picture;

typedef struct {
    double x, y;
} point;

/* `cover` of 256 parts of the color over what is there. Red and blue are counted together. */
static inline uint32_t mixed(uint32_t under, uint32_t color, uint32_t cover)
{
    const uint32_t ends = 0x00ff00ffu, middle = 0x0000ff00u;
    uint32_t rest = 256 - cover;
    uint32_t red_blue = ((under & ends) * rest + (color & ends) * cover) >> 8;
    uint32_t green = ((under & middle) * rest + (color & middle) * cover) >> 8;
    return 0xff000000u | (red_blue & ends) | (green & middle);
}

/* Keep what is inside of one edge: `away` grows towards the inside. False if that is nothing. */
static bool keep_inside(point *from, point *to, double away_from, double away_to)
{
    if (away_from < 0 && away_to < 0) return false;
    if (away_from >= 0 && away_to >= 0) return true;
    double share = away_from / (away_from - away_to);
    point at = {from->x + (to->x - from->x) * share, from->y + (to->y - from->y) * share};
    *(away_from < 0 ? from : to) = at;
    return true;
}

/* Cut a line at a frame around the picture, so wide that what is cut off would not reach into it.
 * False if nothing is left of it. */
static bool cut(point *from, point *to, const picture *into, double margin)
{
    const double right = into->width + margin, foot = into->height + margin;
    return keep_inside(from, to, from->x + margin, to->x + margin)
        && keep_inside(from, to, right - from->x, right - to->x)
        && keep_inside(from, to, from->y + margin, to->y + margin)
        && keep_inside(from, to, foot - from->y, foot - to->y);
}

/* Steep lines come to another row at each step: its memory is asked for some steps before. */
#define AHEAD 16
static inline void fetch_ahead(const uint32_t *pixels, ptrdiff_t place)
{
#if defined(__GNUC__)
    /* An address outside of the picture is as good: nothing is read. */
    __builtin_prefetch((const void *)((uintptr_t)pixels + (uintptr_t)place * sizeof *pixels), 1);
#else
    (void)pixels, (void)place;
#endif
}

/* After Wu, "An Efficient Antialiasing Technique", 1991: along its longer side a line takes two
 * pixels at each step, each by how near it is. The first and the last step count by how much of
 * them it covers, so that what moves does so smoothly.
 *
 * `along` and `across` are steps in memory; the line goes from `begin` to `end` along, and is at
 * `level` across where it begins. */
static inline void walk(uint32_t *pixels, ptrdiff_t along, ptrdiff_t across, int long_side,
                        int short_side, double begin, double end, double level, double slope,
                        uint32_t color)
{
    if (end - begin < 1.0) { /* a dot */
        double middle = (begin + end) / 2, kept = begin;
        begin = middle - 0.5, end = middle + 0.5;
        level += (begin - kept) * slope;
    }
    int first = (int)floor(begin), last = (int)ceil(end);
    double height = level + slope * (first + 0.5 - begin) - 0.5;
    const double fixed = 65536.0;
    int64_t at = (int64_t)floor(height * fixed), rise = (int64_t)floor(slope * fixed);
    for (int step = first; step < last; step++, at += rise) {
        if (step < 0 || step >= long_side) continue;
        fetch_ahead(pixels, (step + AHEAD) * along + ((at + AHEAD * rise) >> 16) * across);
        int64_t place = at >> 16;
        uint32_t low = (uint32_t)(at >> 8) & 255u, high = 256u - low;
        if (step == first || step == last - 1) {
            double covered = fmin(step + 1, end) - fmax(step, begin);
            uint32_t part = (uint32_t)(covered * 256.0);
            low = low * part >> 8, high = high * part >> 8;
        }
        ptrdiff_t one = step * along + place * across, next = one + across;
        if (place >= 0 && place < short_side) pixels[one] = mixed(pixels[one], color, high);
        if (place >= -1 && place < short_side - 1)
            pixels[next] = mixed(pixels[next], color, low);
    }
}

/* The same for a line that is so many pixels thick across: each pixel by how much of it is covered.
 * It reaches half a pixel beyond its ends, or there would be a seam where the next one begins. */
static void walk_broad(uint32_t *pixels, ptrdiff_t along, ptrdiff_t across, int long_side,
                       int short_side, double begin, double end, double level, double slope,
                       uint32_t color, double thick)
{
    if (end - begin < 1.0) { /* a dot, as long as it is thick */
        double middle = (begin + end) / 2, kept = begin;
        begin = middle - thick / 2, end = middle + thick / 2;
        level += (begin - kept) * slope;
    } else {
        begin -= 0.5, end += 0.5;
        level -= 0.5 * slope;
    }
    int first = (int)fmax(floor(begin), 0.0), last = (int)fmin(ceil(end), long_side);
    for (int step = first; step < last; step++) {
        double reached = fmin(step + 1, end) - fmax(step, begin);
        double low = level + slope * (step + 0.5 - begin) - thick / 2, high = low + thick;
        int lowest = (int)fmax(floor(low), 0.0), highest = (int)fmin(ceil(high), short_side);
        for (int place = lowest; place < highest; place++) {
            double covered = (fmin(place + 1, high) - fmax(place, low)) * reached;
            ptrdiff_t at = step * along + place * across;
            pixels[at] = mixed(pixels[at], color, (uint32_t)(fmax(covered, 0.0) * 256.0));
        }
    }
}

static void draw_line(const picture *into, const double line[4], uint32_t color, double width)
{
    for (int i = 0; i < 4; i++)
        if (!(fabs(line[i]) <= FARTHEST)) return; /* also what is no number */
    point from = {line[0], line[1]}, to = {line[2], line[3]};
    if (!cut(&from, &to, into, width)) return;
    double x = to.x - from.x, y = to.y - from.y;
    bool flat = fabs(x) >= fabs(y);
    if (flat ? x < 0 : y < 0) {
        point kept = from;
        from = to, to = kept;
        x = -x, y = -y;
    }
    double slope = flat ? (x > 0 ? y / x : 0.0) : x / y;
    if (width > 1.0) {
        double thick = width * sqrt(1.0 + slope * slope);
        if (flat)
            walk_broad(into->pixels, 1, into->width, into->width, into->height, from.x, to.x,
                       from.y, slope, color, thick);
        else
            walk_broad(into->pixels, into->width, 1, into->height, into->width, from.y, to.y,
                       from.x, slope, color, thick);
    } else if (flat) {
        walk(into->pixels, 1, into->width, into->width, into->height, from.x, to.x, from.y, slope,
             color);
    } else {
        walk(into->pixels, into->width, 1, into->height, into->width, from.y, to.y, from.x, slope,
             color);
    }
}

static PyObject *wrong_size(const char *what, Py_ssize_t is, Py_ssize_t wanted)
{
    return PyErr_Format(PyExc_ValueError, "%s take %zd bytes, not %zd", what, is, wanted);
}

/* Whether its memory is as large as it says; false with an exception set. */
static bool picture_fits(const picture *into, const Py_buffer *pixels)
{
    const Py_ssize_t color = sizeof(uint32_t), width = into->width, height = into->height;
    if (width < 1 || height < 1) {
        PyErr_Format(PyExc_ValueError, "a picture of %zd by %zd pixels has none", width, height);
        return false;
    }
    /* Divided, as the product may be no number of a Py_ssize_t. */
    if (pixels->len % color == 0 && pixels->len / color % width == 0
        && pixels->len / color / width == height)
        return true;
    PyErr_Format(PyExc_ValueError, "the pixels take %zd bytes, not %zd for each of %zd by %zd",
                 pixels->len, color, width, height);
    return false;
}

static PyObject *lines_draw(const picture *into, const Py_buffer *pixels, const Py_buffer *lines,
                            const Py_buffer *colors, double width)
{
    const Py_ssize_t line = 4 * sizeof(double), color = sizeof(uint32_t);
    if (!picture_fits(into, pixels)) return NULL;
    if (!(width >= 1.0 && width <= BROADEST))
        return PyErr_Format(PyExc_ValueError, "lines are 1 to %d pixels wide", (int)BROADEST);
    Py_ssize_t count = colors->len / color;
    if (lines->len != count * line || colors->len % color)
        return wrong_size("the lines", lines->len, count * line);
    Py_BEGIN_ALLOW_THREADS
    for (Py_ssize_t i = 0; i < count; i++) {
        double ends[4];
        uint32_t with;
        memcpy(ends, (const char *)lines->buf + i * line, sizeof ends);
        memcpy(&with, (const char *)colors->buf + i * color, sizeof with);
        draw_line(into, ends, with, width);
    }
    Py_END_ALLOW_THREADS
    Py_RETURN_NONE;
}

static PyObject *draw_lines(PyObject *Py_UNUSED(module), PyObject *args)
{
    Py_buffer pixels, lines, colors;
    picture into;
    double width = 1.0;
    if (!PyArg_ParseTuple(args, "w*iiy*y*|d:draw_lines", &pixels, &into.width, &into.height, &lines,
                          &colors, &width))
        return NULL;
    into.pixels = pixels.buf;
    PyObject *told = lines_draw(&into, &pixels, &lines, &colors, width);
    PyBuffer_Release(&pixels);
    PyBuffer_Release(&lines);
    PyBuffer_Release(&colors);
    return told;
}

/* --- through a camera ------------------------------------------------------------------------- */

/* A camera, as `View` in viewer/models/camera.py has it: points are rows, times a 4 × 4 matrix. */
typedef struct {
    double matrix[4][4];
    double near;       /* depths from which on something is in front of the eye */
    double wide, high; /* the picture in pixels, which need not be whole numbers */
} camera;

typedef struct {
    double x, y, depth; /* before the division */
    point at;           /* its pixel, if it is in front */
    bool in_front;
} seen_point;

static point divided(const camera *eye, double x, double y, double depth)
{
    return (point){(x / depth + 1) * eye->wide / 2, (1 - y / depth) * eye->high / 2};
}

static void look_at(const camera *eye, const double world[3], seen_point *into)
{
    double clip[4];
    for (int i = 0; i < 4; i++)
        clip[i] = world[0] * eye->matrix[0][i] + world[1] * eye->matrix[1][i]
            + world[2] * eye->matrix[2][i] + eye->matrix[3][i];
    *into = (seen_point){.x = clip[0], .y = clip[1], .depth = clip[3]};
    into->in_front = clip[3] > eye->near; /* not if it is no number */
    if (into->in_front) into->at = divided(eye, clip[0], clip[1], clip[3]);
}

/* Where a line comes out from behind the eye. */
static point at_near(const camera *eye, const seen_point *behind, const seen_point *front)
{
    double share = (eye->near - behind->depth) / (front->depth - behind->depth);
    return divided(eye, behind->x + (front->x - behind->x) * share,
                   behind->y + (front->y - behind->y) * share, eye->near);
}

static void draw_edge(const picture *into, const camera *eye, const seen_point *from,
                      const seen_point *to, uint32_t color)
{
    if (!from->in_front && !to->in_front) return;
    point one = from->in_front ? from->at : at_near(eye, from, to);
    point other = to->in_front ? to->at : at_near(eye, to, from);
    double line[4] = {one.x, one.y, other.x, other.y};
    draw_line(into, line, color, 1.0);
}

enum { PIXELS, POINTS, STARTS, ENDS, COLORS, MATRIX, BUFFERS };

/* How many points and edges there are; -1 with an exception set if the sizes are wrong. */
static int edges_check(const picture *into, const Py_buffer buffers[BUFFERS], Py_ssize_t *points,
                       Py_ssize_t *edges)
{
    const Py_ssize_t place = 3 * sizeof(double), color = sizeof(uint32_t);
    if (!picture_fits(into, &buffers[PIXELS])) return -1;
    *points = buffers[POINTS].len / place;
    *edges = buffers[COLORS].len / color;
    if (buffers[POINTS].len % place)
        return wrong_size("the points", buffers[POINTS].len, *points * place), -1;
    for (int which = STARTS; which <= ENDS; which++)
        if (buffers[which].len != *edges * (Py_ssize_t)sizeof(int64_t))
            return wrong_size("the ends", buffers[which].len, *edges * sizeof(int64_t)), -1;
    if (buffers[MATRIX].len != sizeof(double[4][4]))
        return wrong_size("the matrix", buffers[MATRIX].len, sizeof(double[4][4])), -1;
    for (int which = STARTS; which <= ENDS; which++) {
        const char *places = buffers[which].buf;
        for (Py_ssize_t i = 0; i < *edges; i++) {
            int64_t at;
            memcpy(&at, places + i * sizeof at, sizeof at);
            if (at >= 0 && at < *points) continue;
            PyErr_Format(PyExc_IndexError, "edge %zd ends at point %lld of %zd", i, (long long)at,
                         *points);
            return -1;
        }
    }
    return 0;
}

static PyObject *edges_draw(const picture *into, const Py_buffer buffers[BUFFERS], camera *eye)
{
    Py_ssize_t points, edges;
    if (edges_check(into, buffers, &points, &edges) < 0) return NULL;
    memcpy(eye->matrix, buffers[MATRIX].buf, sizeof eye->matrix);
    seen_point *seen = PyMem_RawMalloc((size_t)(points ? points : 1) * sizeof *seen);
    if (!seen) return PyErr_NoMemory();
    Py_BEGIN_ALLOW_THREADS
    for (Py_ssize_t i = 0; i < points; i++) {
        double world[3];
        memcpy(world, (const char *)buffers[POINTS].buf + i * sizeof world, sizeof world);
        look_at(eye, world, &seen[i]);
    }
    for (Py_ssize_t i = 0; i < edges; i++) {
        int64_t from, to;
        uint32_t color;
        memcpy(&from, (const char *)buffers[STARTS].buf + i * sizeof from, sizeof from);
        memcpy(&to, (const char *)buffers[ENDS].buf + i * sizeof to, sizeof to);
        memcpy(&color, (const char *)buffers[COLORS].buf + i * sizeof color, sizeof color);
        draw_edge(into, eye, &seen[from], &seen[to], color);
    }
    Py_END_ALLOW_THREADS
    PyMem_RawFree(seen);
    Py_RETURN_NONE;
}

static PyObject *draw_edges(PyObject *Py_UNUSED(module), PyObject *args)
{
    Py_buffer buffers[BUFFERS];
    picture into;
    camera eye;
    if (!PyArg_ParseTuple(args, "w*iiy*y*y*y*y*ddd:draw_edges", &buffers[PIXELS], &into.width,
                          &into.height, &buffers[POINTS], &buffers[STARTS], &buffers[ENDS],
                          &buffers[COLORS], &buffers[MATRIX], &eye.near, &eye.wide, &eye.high))
        return NULL;
    into.pixels = buffers[PIXELS].buf;
    PyObject *told = edges_draw(&into, buffers, &eye);
    for (int which = 0; which < BUFFERS; which++) PyBuffer_Release(&buffers[which]);
    return told;
}

static PyMethodDef methods[] = {
    {"draw_edges", draw_edges, METH_VARARGS,
     "draw_edges(pixels, width, height, points, starts, ends, colors, matrix, near, wide, high): "
     "lines between points of a world"},
    {"draw_lines", draw_lines, METH_VARARGS,
     "draw_lines(pixels, width, height, lines, colors, broad=1): lines over a picture"},
    {NULL, NULL, 0, NULL},
};

static PyModuleDef_Slot slots[] = {
#if PY_VERSION_HEX >= 0x030D0000
    {Py_mod_gil, Py_MOD_GIL_NOT_USED},
#endif
    {0, NULL},
};

static struct PyModuleDef strokes = {
    PyModuleDef_HEAD_INIT,
    .m_name = "playhead.native._strokes",
    .m_doc = "Lines into a picture in memory.",
    .m_methods = methods,
    .m_slots = slots,
};

PyMODINIT_FUNC PyInit__strokes(void) { return PyModuleDef_Init(&strokes); }
