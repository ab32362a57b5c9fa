/* Draws smooth lines into an image, thin or broad, thousands in one call. The lines are given in
 * pixels, or as points of a world that is seen through a camera. */
#include "raster.h"

/* A line's coordinates are pixels, those of a pixel's middle end in .5. Beyond this they are no
 * pixel of any screen, and fractions of them lose their meaning. */
#define FARTHEST 1e9
#define BROADEST 1e4

/* Clip to the inside of one edge: `away` grows inwards. False if nothing is left. */
static bool keep_inside(point *from, point *to, double away_from, double away_to)
{
    if (away_from < 0 && away_to < 0) return false;
    if (away_from >= 0 && away_to >= 0) return true;
    double share = away_from / (away_from - away_to);
    point at = {from->x + (to->x - from->x) * share, from->y + (to->y - from->y) * share};
    *(away_from < 0 ? from : to) = at;
    return true;
}

/* Cut a line at a frame around the image, so wide that what is cut off would not reach into it.
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
static inline void fetch_ahead(const uint32_t *pixels, ptrdiff_t index)
{
#if defined(__GNUC__)
    /* An address outside of the image is fine too: nothing is read. */
    __builtin_prefetch((const void *)((uintptr_t)pixels + (uintptr_t)index * sizeof *pixels), 1);
#else
    (void)pixels, (void)index;
#endif
}

/* How near a line is, along its longer side: nearness at coordinate 0, and its change a pixel. */
typedef struct {
    double at_zero, slope;
} line_depth;

/* The part of a line's cover that is left where something is in front of it. */
static inline uint32_t seen_through(const picture *into, ptrdiff_t at, float nearness,
                                    uint32_t cover)
{
    bool behind = fabsf(into->depth[at]) > nearness * (1.0f + DEPTH_BIAS);
    return behind ? cover >> into->faintness : cover;
}

/* After Wu, "An Efficient Antialiasing Technique", 1991: along its longer side a line takes two
 * pixels at each step, each by how near it is. The first and the last step count by how much of
 * them it covers, so that what moves does so smoothly.
 *
 * `along` and `across` are steps in memory; the line goes from `begin` to `end` along, and is at
 * `level` across where it begins. Without a depth nothing covers lines. */
static inline void walk(const picture *into, line_depth is, ptrdiff_t along, ptrdiff_t across,
                        int long_side, int short_side, double begin, double end, double level,
                        double slope, uint32_t color)
{
    uint32_t *pixels = into->pixels;
    if (end - begin < 1.0) { /* a dot */
        double middle = (begin + end) / 2, unclipped = begin;
        begin = middle - 0.5, end = middle + 0.5;
        level += (begin - unclipped) * slope;
    }
    int first = (int)floor(begin), last = (int)ceil(end);
    double height = level + slope * (first + 0.5 - begin) - 0.5;
    const double fixed = 65536.0;
    int64_t at = (int64_t)floor(height * fixed), rise = (int64_t)floor(slope * fixed);
    for (int step = first; step < last; step++, at += rise) {
        if (step < 0 || step >= long_side) continue;
        fetch_ahead(pixels, (step + AHEAD) * along + ((at + AHEAD * rise) >> 16) * across);
        int64_t index = at >> 16;
        uint32_t low = (uint32_t)(at >> 8) & 255u, high = 256u - low;
        if (step == first || step == last - 1) {
            double covered = fmin(step + 1, end) - fmax(step, begin);
            uint32_t part = (uint32_t)(covered * 256.0);
            low = low * part >> 8, high = high * part >> 8;
        }
        ptrdiff_t one = step * along + index * across, next = one + across;
        bool first_in = index >= 0 && index < short_side;
        bool next_in = index >= -1 && index < short_side - 1;
        if (into->depth) {
            float nearness = (float)(is.at_zero + is.slope * (step + 0.5));
            if (first_in) high = seen_through(into, one, nearness, high);
            if (next_in) low = seen_through(into, next, nearness, low);
        }
        if (first_in) pixels[one] = mixed(pixels[one], color, high);
        if (next_in) pixels[next] = mixed(pixels[next], color, low);
    }
}

/* The same for a line that is so many pixels thick across: each pixel by how much of it is covered.
 * It reaches half a pixel beyond its ends, or there would be a seam where the next one begins. */
static void walk_broad(uint32_t *pixels, ptrdiff_t along, ptrdiff_t across, int long_side,
                       int short_side, double begin, double end, double level, double slope,
                       uint32_t color, double thick)
{
    if (end - begin < 1.0) { /* a dot, as long as it is thick */
        double middle = (begin + end) / 2, unclipped = begin;
        begin = middle - thick / 2, end = middle + thick / 2;
        level += (begin - unclipped) * slope;
    } else {
        begin -= 0.5, end += 0.5;
        level -= 0.5 * slope;
    }
    int first = (int)fmax(floor(begin), 0.0), last = (int)fmin(ceil(end), long_side);
    for (int step = first; step < last; step++) {
        double reached = fmin(step + 1, end) - fmax(step, begin);
        double low = level + slope * (step + 0.5 - begin) - thick / 2, high = low + thick;
        int lowest = (int)fmax(floor(low), 0.0), highest = (int)fmin(ceil(high), short_side);
        for (int index = lowest; index < highest; index++) {
            double covered = (fmin(index + 1, high) - fmax(index, low)) * reached;
            ptrdiff_t at = step * along + index * across;
            pixels[at] = mixed(pixels[at], color, (uint32_t)(fmax(covered, 0.0) * 256.0));
        }
    }
}

/* `near_ends`: how near it is where it begins and ends; looked at only where there is depth. */
static void draw_line(const picture *into, const double line[4], const double near_ends[2],
                      uint32_t color, double width)
{
    for (int i = 0; i < 4; i++)
        if (!(fabs(line[i]) <= FARTHEST)) return; /* NaN, too */
    point from = {line[0], line[1]}, to = {line[2], line[3]};
    line_depth is = {near_ends[0], 0.0};
    bool level_first = fabs(to.x - from.x) >= fabs(to.y - from.y);
    double before = level_first ? from.x : from.y, after = level_first ? to.x : to.y;
    if (fabs(after - before) >= 1e-6) {
        is.slope = (near_ends[1] - near_ends[0]) / (after - before);
        is.at_zero -= is.slope * before;
    }
    if (!cut(&from, &to, into, width)) return;
    double x = to.x - from.x, y = to.y - from.y;
    bool flat = level_first; /* as it was before the cut, or `is` would be of the other side */
    if (flat ? x < 0 : y < 0) {
        point swap = from;
        from = to, to = swap;
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
        walk(into, is, 1, into->width, into->width, into->height, from.x, to.x, from.y, slope,
             color);
    } else {
        walk(into, is, into->width, 1, into->height, into->width, from.y, to.y, from.x, slope,
             color);
    }
}

PyObject *draw_lines(PyObject *Py_UNUSED(module), PyObject *args)
{
    const double nowhere[2] = {0.0, 0.0};
    Py_buffer pixels, lines, colors;
    picture into = {0};
    double width = 1.0;
    if (!PyArg_ParseTuple(args, "w*iiy*y*|d:draw_lines", &pixels, &into.width, &into.height, &lines,
                          &colors, &width))
        return NULL;
    into.pixels = pixels.buf;
    Py_ssize_t count = colors.len / (Py_ssize_t)sizeof(uint32_t);
    bool fits = picture_fits(&into, &pixels)
        && rows_fit("the colors", &colors, count, sizeof(uint32_t))
        && rows_fit("the lines", &lines, count, 4 * sizeof(double));
    if (fits && !(width >= 1.0 && width <= BROADEST)) {
        PyErr_Format(PyExc_ValueError, "lines are 1 to %d pixels wide", (int)BROADEST);
        fits = false;
    }
    if (fits) {
        PyThreadState *state = unlocked(count);
        for (Py_ssize_t i = 0; i < count; i++) {
            double ends[4];
            memcpy(ends, (const char *)lines.buf + i * (Py_ssize_t)sizeof ends, sizeof ends);
            draw_line(&into, ends, nowhere, color_at(&colors, i), width);
        }
        locked(state);
    }
    PyBuffer_Release(&pixels);
    PyBuffer_Release(&lines);
    PyBuffer_Release(&colors);
    return fits ? Py_NewRef(Py_None) : NULL;
}

/* --- through a camera ------------------------------------------------------------------------- */

static void draw_edge(const picture *into, const camera *eye, const seen_point *from,
                      const seen_point *to, uint32_t color)
{
    if (!from->in_front && !to->in_front) return;
    seen_point one = from->in_front ? *from : at_near(eye, from, to);
    seen_point other = to->in_front ? *to : at_near(eye, to, from);
    double line[4] = {one.at.x, one.at.y, other.at.x, other.at.y};
    double near_ends[2] = {one.nearness, other.nearness};
    draw_line(into, line, near_ends, color, 1.0);
}

PyObject *draw_edges(PyObject *Py_UNUSED(module), PyObject *args)
{
    Py_buffer pixels, depth, points, starts, ends, colors, matrix;
    picture into;
    camera eye;
    if (!PyArg_ParseTuple(args, "w*z*iiiy*y*y*y*y*ddd:draw_edges", &pixels, &depth,
                          &into.faintness, &into.width, &into.height, &points, &starts, &ends,
                          &colors, &matrix, &eye.near, &eye.wide, &eye.high))
        return NULL;
    if (into.faintness < 0 || into.faintness > 9) into.faintness = 9; /* not seen at all */
    into.pixels = pixels.buf;
    into.depth = depth.buf;
    Py_ssize_t count, edges = colors.len / (Py_ssize_t)sizeof(uint32_t);
    seen_point *seen = NULL;
    if (picture_fits(&into, &pixels) && (!into.depth || picture_fits(&into, &depth))
        && camera_fits(&eye, &matrix) && rows_fit("the colors", &colors, edges, sizeof(uint32_t)))
        seen = points_seen(&eye, &points, &count);
    bool fits = seen && indices_fit("where lines start", &starts, edges, count)
        && indices_fit("where lines end", &ends, edges, count);
    if (fits) {
        PyThreadState *state = unlocked(edges);
        for (Py_ssize_t i = 0; i < edges; i++)
            draw_edge(&into, &eye, &seen[index_at(&starts, i)], &seen[index_at(&ends, i)],
                      color_at(&colors, i));
        locked(state);
    }
    PyMem_RawFree(seen);
    PyBuffer_Release(&pixels);
    PyBuffer_Release(&depth);
    PyBuffer_Release(&points);
    PyBuffer_Release(&starts);
    PyBuffer_Release(&ends);
    PyBuffer_Release(&colors);
    PyBuffer_Release(&matrix);
    return fits ? Py_NewRef(Py_None) : NULL;
}
