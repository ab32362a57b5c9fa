/* Draws solid shapes into an image with a depth buffer: triangles with one color each, and round
 * limbs.
 *
 * Limbs behind something solid are not drawn. Their colors go into a second image, from which
 * `draw_outlines` makes the outline that is seen through walls.
 */
#include "raster.h"

/* Coordinates beyond this are no pixel of any screen. */
#define FARTHEST 1e7
/* Limbs are at least so many pixels thick from their middle on. */
#define THINNEST 0.55
/* The share of their color, in 256ths, that covered limbs have along their outline and inside. */
#define OUTLINE_COVER 190
#define INSIDE_COVER 38

typedef struct {
    point at;
    double nearness;
} corner;

/* A plane over the image: nearness is at_zero + x · by_x + y · by_y. */
typedef struct {
    double at_zero, by_x, by_y;
} depth_plane;

/* False if the three lie in a line. */
static bool plane_through(const corner c[3], depth_plane *into)
{
    double x1 = c[1].at.x - c[0].at.x, y1 = c[1].at.y - c[0].at.y;
    double x2 = c[2].at.x - c[0].at.x, y2 = c[2].at.y - c[0].at.y;
    double n1 = c[1].nearness - c[0].nearness, n2 = c[2].nearness - c[0].nearness;
    double area = x1 * y2 - x2 * y1;
    if (!(fabs(area) > 1e-9)) return false;
    into->by_x = (n1 * y2 - n2 * y1) / area;
    into->by_y = (n2 * x1 - n1 * x2) / area;
    into->at_zero = c[0].nearness - into->by_x * c[0].at.x - into->by_y * c[0].at.y;
    return true;
}

static inline int clamped(double value, int low, int high)
{
    return value <= low ? low : value >= high ? high : (int)value;
}

/* One row of a triangle. What is not opaque leaves the depth as it is. */
static inline void fill_row(uint32_t *pixels, float *depth, float depth_sign, int from, int to,
                            float nearness, float by_x, uint32_t color)
{
    uint32_t cover = color >> 24;
    if (cover == 255) {
        for (int x = from; x < to; x++, nearness += by_x) {
            if (nearness <= fabsf(depth[x])) continue;
            depth[x] = depth_sign * nearness;
            pixels[x] = color;
        }
        return;
    }
    cover += cover >> 7; /* 255 is 256 parts of 256 */
    for (int x = from; x < to; x++, nearness += by_x)
        if (nearness > fabsf(depth[x]) * (1.0f - DEPTH_BIAS))
            pixels[x] = mixed(pixels[x], color, cover);
}

/* The pixels whose middles are inside. */
static void fill_triangle(const picture *into, const corner c[3], uint32_t color)
{
    for (int i = 0; i < 3; i++)
        if (!(fabs(c[i].at.x) <= FARTHEST && fabs(c[i].at.y) <= FARTHEST)) return;
    depth_plane plane;
    if (!plane_through(c, &plane)) return;
    double top = fmin(c[0].at.y, fmin(c[1].at.y, c[2].at.y));
    double foot = fmax(c[0].at.y, fmax(c[1].at.y, c[2].at.y));
    int first = clamped(ceil(top - 0.5), 0, into->height);
    int last = clamped(ceil(foot - 0.5), 0, into->height);
    for (int row = first; row < last; row++) {
        double y = row + 0.5, left = FARTHEST, right = -FARTHEST;
        for (int i = 0; i < 3; i++) {
            const point *a = &c[i].at, *b = &c[(i + 1) % 3].at;
            if ((a->y <= y) == (b->y <= y)) continue;
            double x = a->x + (y - a->y) / (b->y - a->y) * (b->x - a->x);
            left = fmin(left, x);
            right = fmax(right, x);
        }
        int from = clamped(ceil(left - 0.5), 0, into->width);
        int to = clamped(ceil(right - 0.5), 0, into->width);
        if (from >= to) continue;
        ptrdiff_t start = (ptrdiff_t)row * into->width;
        double nearness = plane.at_zero + plane.by_y * y + plane.by_x * (from + 0.5);
        fill_row(into->pixels + start, into->depth + start, into->depth_sign, from, to,
                 (float)nearness, (float)plane.by_x, color);
    }
}

/* The part of a triangle in front of the eye: none, one or two triangles. */
static void draw_triangle(const picture *into, const camera *eye, const seen_point *const s[3],
                          uint32_t color)
{
    corner clipped[4];
    int count = 0;
    for (int i = 0; i < 3; i++) {
        const seen_point *a = s[i], *b = s[(i + 1) % 3];
        if (a->in_front) clipped[count++] = (corner){a->at, a->nearness};
        if (a->in_front == b->in_front) continue;
        seen_point cut = a->in_front ? at_near(eye, b, a) : at_near(eye, a, b);
        clipped[count++] = (corner){cut.at, cut.nearness};
    }
    if (count < 3) return;
    fill_triangle(into, clipped, color);
    if (count == 4) {
        corner rest[3] = {clipped[0], clipped[2], clipped[3]};
        fill_triangle(into, rest, color);
    }
}

PyObject *draw_triangles(PyObject *Py_UNUSED(module), PyObject *args)
{
    Py_buffer pixels, depth, points, corners, colors, matrix;
    picture into;
    camera eye;
    int is_body;
    if (!PyArg_ParseTuple(args, "w*w*piiy*y*y*y*ddd:draw_triangles", &pixels, &depth, &is_body,
                          &into.width, &into.height, &points, &corners, &colors, &matrix, &eye.near, &eye.wide,
                          &eye.high))
        return NULL;
    into.pixels = pixels.buf;
    into.depth = depth.buf;
    into.depth_sign = is_body ? -1.0f : 1.0f;
    Py_ssize_t count, triangles = colors.len / (Py_ssize_t)sizeof(uint32_t);
    seen_point *seen = NULL;
    if (picture_fits(&into, &pixels) && picture_fits(&into, &depth) && camera_fits(&eye, &matrix)
        && rows_fit("the colors", &colors, triangles, sizeof(uint32_t)))
        seen = points_seen(&eye, &points, &count);
    bool fits = seen && indices_fit("corners", &corners, 3 * triangles, count);
    if (fits) {
        PyThreadState *state = unlocked(triangles);
        for (Py_ssize_t i = 0; i < triangles; i++) {
            const seen_point *const three[3] = {&seen[index_at(&corners, 3 * i)],
                                                &seen[index_at(&corners, 3 * i + 1)],
                                                &seen[index_at(&corners, 3 * i + 2)]};
            draw_triangle(&into, &eye, three, color_at(&colors, i));
        }
        locked(state);
    }
    PyMem_RawFree(seen);
    PyBuffer_Release(&pixels);
    PyBuffer_Release(&depth);
    PyBuffer_Release(&points);
    PyBuffer_Release(&corners);
    PyBuffer_Release(&colors);
    PyBuffer_Release(&matrix);
    return fits ? Py_NewRef(Py_None) : NULL;
}

/* --- limbs ------------------------------------------------------------------------------------- */

/* On the screen a limb is two circles and what lies between them. A pixel is known by how far along
 * the limb's middle line it lies, and how far aside. */
typedef struct {
    point from;
    float x, y, length;            /* the direction of the middle line, of length 1; its pixels */
    float radius, radius_per;      /* at its start, and its change a pixel along */
    float nearness, nearness_per;  /* likewise */
    float light_aside, light_over; /* change of light a pixel aside, and a pixel beyond an end */
    float fading;                  /* loss of light, times the square of a pixel's distance */
} limb;

/* Light comes from the upper left, over the viewer's shoulder. */
#define LIGHT_MIDDLE 0.92f
#define LIGHT_FADES 0.275f
#define LIGHT_X (-0.16f)
#define LIGHT_Y (-0.22f)
#define LIGHT_LEAST 0.25f

/* The numbers here were checked not to be NaN: so a minimum is one instruction, not three. */
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC push_options
#pragma GCC optimize("finite-math-only", "no-signed-zeros")
#endif

/* Pixels that are looked at together: without a branch, a compiler makes vectors of them. */
#define LANES 4
#define MOST_LANES 8
#if defined(__GNUC__)
#define INLINED static inline __attribute__((always_inline))
#else
#define INLINED static inline
#endif

/* Narrow a row's columns to those where `start + slope * column` is from `low` to `high`. `inverse`
 * is that of the slope; 0 if it is none. */
INLINED void narrow(float start, float inverse, float low, float high, float *left, float *right)
{
    if (inverse == 0) {
        if (start < low || start > high) *right = *left - 1;
        return;
    }
    float one = (low - start) * inverse, other = (high - start) * inverse;
    float first = one < other ? one : other, last = one < other ? other : one;
    if (first > *left) *left = first;
    if (last < *right) *right = last;
}

INLINED float within(float value, float low, float high)
{
    return value > low ? (value < high ? value : high) : low;
}

/* Some columns of a row from the one on that is so far along and aside. Of a limb's cover nothing
 * is left where it is covered itself; `behind` says where something solid covers it. Returns whether
 * it does so anywhere. */
INLINED int fill_lanes(uint32_t *restrict pixels, float *restrict depth, uint32_t *restrict behind,
                       const limb *its, float along, float aside, const float rgb[3],
                       const int lanes)
{
    const limb is = *its;
    const float red = rgb[0], green = rgb[1], blue = rgb[2];
    uint32_t hidden = 0;
    for (int i = 0; i < lanes; i++) {
        float far_along = along + (float)i * is.x, d = aside + (float)i * is.y;
        float on = within(far_along, 0, is.length), over = far_along - on;
        float squared = d * d + over * over;
        float cover = within(is.radius + on * is.radius_per + 0.5f - sqrtf(squared), 0, 1);
        float nearness = is.nearness + on * is.nearness_per, there = depth[i];
        /* The faces of a body lie as near as the limbs along their edges. */
        float least = nearness * (1.0f + DEPTH_BIAS);
        uint32_t most = cover > 0.5f ? 1u : 0u;
        behind[i] = there > least ? most : 0u;
        hidden |= behind[i];
        cover = fabsf(there) > least ? 0.0f : cover;
        float light = within(LIGHT_MIDDLE - is.fading * squared + is.light_aside * d
                                 + is.light_over * over,
                             LIGHT_LEAST, 1);
        uint32_t under = pixels[i];
        float r = (float)(int)(under >> 16 & 255), g = (float)(int)(under >> 8 & 255),
              b = (float)(int)(under & 255);
        r += (red * light - r) * cover;
        g += (green * light - g) * cover;
        b += (blue * light - b) * cover;
        pixels[i] = 0xff000000u | (uint32_t)(int)r << 16 | (uint32_t)(int)g << 8 | (uint32_t)(int)b;
        depth[i] = cover > 0.5f ? -nearness : there;
    }
    return (int)hidden;
}

/* The edge of an image that is narrower than this is drawn through a copy. */
INLINED int fill_few(uint32_t *pixels, float *depth, uint32_t *behind, int columns, const limb *is,
                     float along, float aside, const float rgb[3], const int lanes)
{
    uint32_t colors[MOST_LANES] = {0};
    float near[MOST_LANES] = {0};
    memcpy(colors, pixels, (size_t)columns * sizeof *pixels);
    memcpy(near, depth, (size_t)columns * sizeof *depth);
    fill_lanes(colors, near, behind, is, along, aside, rgb, lanes);
    memcpy(pixels, colors, (size_t)columns * sizeof *pixels);
    memcpy(depth, near, (size_t)columns * sizeof *depth);
    memset(behind + columns, 0, (size_t)(lanes - columns) * sizeof *behind);
    uint32_t hidden = 0;
    for (int i = 0; i < columns; i++) hidden |= behind[i];
    return (int)hidden;
}

static int note_covered(uint32_t *covered, const uint32_t *behind, uint32_t color, int lanes)
{
    int count = 0;
    for (int i = 0; i < lanes; i++)
        if (behind[i]) covered[i] = color, count++;
    return count;
}

INLINED int fill_limb(const picture *into, uint32_t *covered, const limb *is, uint32_t color,
                      const int lanes)
{
    const float rgb[3] = {(float)(color >> 16 & 255), (float)(color >> 8 & 255),
                          (float)(color & 255)};
    int hidden = 0;
    float last_radius = is->radius + is->length * is->radius_per;
    float widest = (is->radius > last_radius ? is->radius : last_radius) + 0.5f;
    double rise = (double)is->y * is->length, run = (double)is->x * is->length;
    /* The pixels whose middles are as near as that. */
    int first = clamped((rise < 0 ? is->from.y + rise : is->from.y) - widest + 0.5, 0,
                        into->height);
    int last = clamped((rise > 0 ? is->from.y + rise : is->from.y) + widest + 0.5, 0, into->height);
    int leftmost = clamped((run < 0 ? is->from.x + run : is->from.x) - widest + 0.5, 0,
                           into->width);
    int rightmost = clamped((run > 0 ? is->from.x + run : is->from.x) + widest + 0.5, 0,
                            into->width);
    /* Along and aside at the first row's column 0, and their changes a column and a row. */
    float down = (float)(first + 0.5 - is->from.y), right_of = (float)(0.5 - is->from.x);
    float first_along = right_of * is->x + down * is->y;
    float first_aside = right_of * is->y - down * is->x;
    uint32_t behind[MOST_LANES];
    if (rightmost - leftmost <= lanes && into->width >= lanes) { /* the usual case */
        int from = leftmost + lanes <= into->width ? leftmost : into->width - lanes;
        ptrdiff_t at = (ptrdiff_t)first * into->width + from;
        first_along += (float)from * is->x, first_aside += (float)from * is->y;
        for (int row = 0; row < last - first; row++, at += into->width) {
            float along = first_along + (float)row * is->y;
            float aside = first_aside - (float)row * is->x;
            if (fill_lanes(into->pixels + at, into->depth + at, behind, is, along, aside, rgb,
                           lanes))
                hidden += note_covered(covered + at, behind, color, lanes);
        }
        return hidden;
    }
    float by_x = fabsf(is->x) < 1e-6f ? 0 : 1 / is->x, by_y = fabsf(is->y) < 1e-6f ? 0 : 1 / is->y;
    for (int row = first; row < last; row++) {
        float along = first_along + (float)(row - first) * is->y;
        float aside = first_aside - (float)(row - first) * is->x;
        float left = (float)leftmost, right = (float)(rightmost - 1);
        narrow(along, by_x, -widest, is->length + widest, &left, &right);
        narrow(aside, by_y, -widest, widest, &left, &right);
        if (!(left <= right)) continue;
        int from = (int)left, to = (int)right + 1;
        from += (float)from < left;
        int room = (to - from + lanes - 1) / lanes * lanes;
        /* The last pixels of a row are done together with the pixels before them. */
        if (from + room > into->width) from = into->width > room ? into->width - room : 0;
        for (; from < to; from += lanes) {
            ptrdiff_t at = (ptrdiff_t)row * into->width + from;
            float here = along + (float)from * is->x, there = aside + (float)from * is->y;
            int columns = into->width - from;
            int any = columns < lanes ? fill_few(into->pixels + at, into->depth + at, behind,
                                                 columns, is, here, there, rgb, lanes)
                                      : fill_lanes(into->pixels + at, into->depth + at, behind, is,
                                                   here, there, rgb, lanes);
            if (any) hidden += note_covered(covered + at, behind, color, lanes);
        }
    }
    return hidden;
}

static int fill_any_limb(const picture *into, uint32_t *covered, const limb *is, uint32_t color)
{
    return fill_limb(into, covered, is, color, LANES);
}

/* Most processors have vectors of twice the size, which not all builds may count on. */
#if defined(__GNUC__) && defined(__x86_64__)
__attribute__((target("avx2"))) static int fill_limb_wide(const picture *into, uint32_t *covered,
                                                          const limb *is, uint32_t color)
{
    return fill_limb(into, covered, is, color, MOST_LANES);
}

static bool has_wide(void) { return __builtin_cpu_supports("avx2"); }
#else
#define fill_limb_wide fill_any_limb
static bool has_wide(void) { return false; }
#endif

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC pop_options
#endif

typedef int (*limb_filler)(const picture *, uint32_t *, const limb *, uint32_t);

static int draw_limb(limb_filler fill, const picture *into, uint32_t *covered, const camera *eye,
                     double per_length, const seen_point *from, const seen_point *to, double radius, uint32_t color)
{
    if (!from->in_front && !to->in_front) return 0;
    seen_point one = from->in_front ? *from : at_near(eye, from, to);
    seen_point other = to->in_front ? *to : at_near(eye, to, from);
    double ends[6] = {one.at.x,   one.at.y,     other.at.x,
                      other.at.y, one.nearness, other.nearness};
    for (int i = 0; i < 6; i++)
        if (!(fabs(ends[i]) <= FARTHEST)) return 0; /* NaN, too */
    double x = other.at.x - one.at.x, y = other.at.y - one.at.y, length = sqrt(x * x + y * y);
    double thick = radius * per_length / one.depth, thick_end = radius * per_length / other.depth;
    if (!(fabs(thick) <= FARTHEST && fabs(thick_end) <= FARTHEST)) return 0;
    if (thick < THINNEST) thick = THINNEST;
    if (thick_end < THINNEST) thick_end = THINNEST;
    limb is = {.from = one.at, .x = 1, .radius = (float)thick, .nearness = (float)one.nearness};
    if (length > 1e-6) {
        is.x = (float)(x / length), is.y = (float)(y / length);
        is.length = (float)length;
        is.radius_per = (float)((thick_end - thick) / length);
        is.nearness_per = (float)((other.nearness - one.nearness) / length);
    }
    float per_pixel = (float)(2 / (thick + thick_end));
    is.light_aside = (LIGHT_X * is.y - LIGHT_Y * is.x) * per_pixel;
    is.light_over = (LIGHT_X * is.x + LIGHT_Y * is.y) * per_pixel;
    is.fading = LIGHT_FADES * per_pixel * per_pixel;
    return fill(into, covered, &is, color);
}

PyObject *draw_capsules(PyObject *Py_UNUSED(module), PyObject *args)
{
    Py_buffer pixels, depth, covered, points, starts, ends, radii, colors, matrix;
    picture into;
    camera eye;
    if (!PyArg_ParseTuple(args, "w*w*w*iiy*y*y*y*y*y*ddd:draw_capsules", &pixels, &depth, &covered,
                          &into.width, &into.height, &points, &starts, &ends, &radii, &colors,
                          &matrix, &eye.near, &eye.wide, &eye.high))
        return NULL;
    into.pixels = pixels.buf;
    into.depth = depth.buf;
    Py_ssize_t count, limbs = colors.len / (Py_ssize_t)sizeof(uint32_t), hidden = 0;
    bool fits = picture_fits(&into, &pixels) && picture_fits(&into, &depth)
        && picture_fits(&into, &covered) && camera_fits(&eye, &matrix)
        && rows_fit("the colors", &colors, limbs, sizeof(uint32_t))
        && rows_fit("the radii", &radii, limbs, sizeof(double)) && points_fit(&points, &count)
        && indices_fit("where limbs start", &starts, limbs, count)
        && indices_fit("where limbs end", &ends, limbs, count);
    if (fits) {
        PyThreadState *state = unlocked(limbs);
        double per_length = pixels_per_length(&eye);
        limb_filler fill = has_wide() ? fill_limb_wide : fill_any_limb;
        for (Py_ssize_t i = 0; i < limbs; i++) {
            double radius;
            memcpy(&radius, (const char *)radii.buf + i * (Py_ssize_t)sizeof radius, sizeof radius);
            seen_point from, to;
            point_at(&eye, &points, &starts, i, &from);
            point_at(&eye, &points, &ends, i, &to);
            hidden += draw_limb(fill, &into, covered.buf, &eye, per_length, &from, &to, radius,
                                color_at(&colors, i));
        }
        locked(state);
    }
    PyBuffer_Release(&pixels);
    PyBuffer_Release(&depth);
    PyBuffer_Release(&covered);
    PyBuffer_Release(&points);
    PyBuffer_Release(&starts);
    PyBuffer_Release(&ends);
    PyBuffer_Release(&radii);
    PyBuffer_Release(&colors);
    PyBuffer_Release(&matrix);
    return fits ? PyLong_FromSsize_t(hidden) : NULL;
}

/* --- what is covered --------------------------------------------------------------------------- */

static inline bool is_covered(const picture *in, const uint32_t *covered, int x, int y)
{
    return x >= 0 && y >= 0 && x < in->width && y < in->height
        && covered[(ptrdiff_t)y * in->width + x];
}

/* Of pixels in a row that are looked at together, whether any has a color. */
static inline bool any_covered(const uint32_t *covered, int count)
{
    uint32_t any = 0;
    for (int i = 0; i < count; i++) any |= covered[i];
    return any != 0;
}

/* Most of an image is not covered: such parts are skipped in blocks. */
#define BLOCK 32

/* The outlines in a row; returns whether it has any. */
static bool outline_row(const picture *into, const uint32_t *covered, int y)
{
    const uint32_t *row = covered + (ptrdiff_t)y * into->width;
    bool any = false;
    for (int from = 0; from < into->width; from += BLOCK) {
        int to = from + BLOCK;
        if (to <= into->width ? !any_covered(row + from, BLOCK)
                              : !any_covered(row + from, into->width - from))
            continue;
        any = true;
        for (int x = from; x < to && x < into->width; x++) {
            ptrdiff_t at = (ptrdiff_t)y * into->width + x;
            if (!covered[at] || into->depth[at] < 0) continue; /* or a body is in front */
            bool inside = is_covered(into, covered, x - 1, y) && is_covered(into, covered, x + 1, y)
                && is_covered(into, covered, x, y - 1) && is_covered(into, covered, x, y + 1);
            into->pixels[at] = mixed(into->pixels[at], covered[at],
                                     inside ? INSIDE_COVER : OUTLINE_COVER);
        }
    }
    return any;
}

/* What is covered is forgotten with that. */
static void fill_outlines(const picture *into, uint32_t *covered)
{
    bool above = false; /* whether the row above is still to be emptied */
    for (int y = 0; y < into->height; y++) {
        bool any = outline_row(into, covered, y);
        uint32_t *row = covered + (ptrdiff_t)y * into->width;
        if (above) memset(row - into->width, 0, (size_t)into->width * sizeof *row);
        above = any;
        if (any && y + 1 == into->height) memset(row, 0, (size_t)into->width * sizeof *row);
    }
}

PyObject *draw_outlines(PyObject *Py_UNUSED(module), PyObject *args)
{
    Py_buffer pixels, depth, covered;
    picture into;
    if (!PyArg_ParseTuple(args, "w*w*w*ii:draw_outlines", &pixels, &depth, &covered, &into.width,
                          &into.height))
        return NULL;
    into.pixels = pixels.buf;
    into.depth = depth.buf;
    bool fits = picture_fits(&into, &pixels) && picture_fits(&into, &depth)
        && picture_fits(&into, &covered);
    if (fits) fill_outlines(&into, covered.buf);
    PyBuffer_Release(&pixels);
    PyBuffer_Release(&depth);
    PyBuffer_Release(&covered);
    return fits ? Py_NewRef(Py_None) : NULL;
}
