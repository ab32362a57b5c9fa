/* Recording many packets of one type in one call, from numpy columns (`record_batch`).
 *
 * All columns are read and checked before the first packet is appended. From then on no Python code
 * runs, so the columns can't change any more. Headers are written and their checksums computed in
 * one loop; large payloads bypass the cache (nontemporal_copy.h).
 */
#include "python_methods.h"
#include "ring_object.h"

/* One column of n rows. The bytes of a row are contiguous; rows are any stride apart. */
typedef struct {
    Py_buffer view;
    const uint8_t *at;
    Py_ssize_t stride, row; /* bytes */
    int wide;               /* 64-bit floats, to be narrowed */
    int plain;              /* all columns of the call are numpy arrays, so no Python code runs
                             * until they are written */
} column;

static int column_kind(const Py_buffer *view)
{
    const char *format = view->format ? view->format : "B";
    if (*format == '<' || *format == '=' || *format == '@' || *format == '|') format++;
    return format[0] && !format[1] ? format[0] : 0;
}

/* Describes an array of plain numbers, or of records of such, without asking for its buffer:
 * numpy may need longer for that than writing the rows takes. False for anything else. */
static int column_from_array(column *c, PyObject *object)
{
    static const char formats[NPY_NTYPES_LEGACY][2] = {
        [NPY_BOOL] = "?",   [NPY_BYTE] = "b",     [NPY_UBYTE] = "B",    [NPY_SHORT] = "h",
        [NPY_USHORT] = "H", [NPY_INT] = "i",      [NPY_UINT] = "I",     [NPY_LONG] = "l",
        [NPY_ULONG] = "L",  [NPY_LONGLONG] = "q", [NPY_ULONGLONG] = "Q", [NPY_FLOAT] = "f",
        [NPY_DOUBLE] = "d", [NPY_VOID] = "V",
    };
    if (!c->plain) return 0;
    PyArrayObject *array = (PyArrayObject *)object;
    int number = PyArray_TYPE(array);
    if (number < 0 || number >= NPY_NTYPES_LEGACY || !formats[number][0]) return 0;
    if (!PyArray_ISNOTSWAPPED(array) || PyDataType_REFCHK(PyArray_DESCR(array))) return 0;
    c->view.buf = PyArray_DATA(array);
    c->view.format = (char *)formats[number];
    c->view.itemsize = PyArray_ITEMSIZE(array);
    c->view.ndim = PyArray_NDIM(array);
    c->view.shape = PyArray_DIMS(array);
    c->view.strides = PyArray_STRIDES(array);
    return 1;
}

/* Reads a column whose rows have `width` items (0 = flat) of one of `kinds`; n < 0 sets n. 0 or
 * -1. */
static int column_read(column *c, PyObject *object, const char *name, const char *kinds,
                       int width, Py_ssize_t *n, PyObject *error)
{
    if (!column_from_array(c, object)
        && PyObject_GetBuffer(object, &c->view, PyBUF_RECORDS_RO) < 0) {
        PyErr_Clear();
        PyErr_Format(error, "record_batch: %s is %R, not a numpy array", name,
                     (PyObject *)Py_TYPE(object));
        return -1;
    }
    const Py_buffer *v = &c->view;
    int kind = column_kind(v);
    if (!kind || !strchr(kinds, kind)) {
        PyErr_Format(error, "record_batch: %s has items of format '%s', wanted one of '%s'", name,
                     v->format ? v->format : "B", kinds);
        return -1;
    }
    if (v->ndim != (width ? 2 : 1) || (width && v->shape[1] != width)) {
        if (width)
            PyErr_Format(error, "record_batch: %s must have the shape (n, %d)", name, width);
        else
            PyErr_Format(error, "record_batch: %s must have the shape (n,)", name);
        return -1;
    }
    if (*n >= 0 && v->shape[0] != *n) {
        PyErr_Format(error, "record_batch: %s has %zd rows, ids has %zd", name, v->shape[0], *n);
        return -1;
    }
    if (width && v->shape[0] && v->strides[1] != v->itemsize) {
        PyErr_Format(error, "record_batch: the rows of %s are not contiguous: "
                            "pass numpy.ascontiguousarray(%s)", name, name);
        return -1;
    }
    *n = v->shape[0];
    c->at = v->buf;
    c->stride = v->strides[0];
    c->wide = kind == 'd';
    return 0;
}

/* Whether items of this format are Python objects: their addresses would mean nothing later. */
static int holds_objects(const char *format)
{
    int in_name = 0; /* of a field: between colons */
    for (; format && *format; format++) {
        if (*format == ':') in_name = !in_name;
        if (*format == 'O' && !in_name) return 1;
    }
    return 0;
}

/* Reads payload rows: any items, each row C-contiguous. */
static int column_read_rows(column *c, PyObject *object, Py_ssize_t n, PyObject *error)
{
    if (!column_from_array(c, object)
        && PyObject_GetBuffer(object, &c->view, PyBUF_RECORDS_RO) < 0) {
        PyErr_Clear();
        PyErr_Format(error, "record_batch: payload is %R, not a numpy array of plain values",
                     (PyObject *)Py_TYPE(object));
        return -1;
    }
    const Py_buffer *v = &c->view;
    if (holds_objects(v->format)) {
        PyErr_Format(error, "record_batch: payload holds Python objects (format '%s'): only "
                            "their values can be recorded", v->format);
        return -1;
    }
    if (v->ndim < 1 || v->shape[0] != n) {
        PyErr_Format(error, "record_batch: payload has %zd rows, ids has %zd",
                     v->ndim < 1 ? (Py_ssize_t)-1 : v->shape[0], n);
        return -1;
    }
    c->row = v->itemsize;
    for (int i = v->ndim - 1; n && i > 0; i--) {
        if (v->strides[i] != c->row && v->shape[i] > 1) {
            PyErr_SetString(error, "record_batch: the rows of payload are not contiguous: "
                                   "pass numpy.ascontiguousarray(payload)");
            return -1;
        }
        c->row *= v->shape[i];
    }
    c->at = v->buf;
    c->stride = v->strides[0];
    return 0;
}

enum { BATCH_TYPE, BATCH_IDS, BATCH_POSITIONS, BATCH_ANGLES, BATCH_TARGETABLE, BATCH_PAYLOAD,
       BATCH_VISIBLE, BATCH_CHANNELS, BATCH_FLAGS, BATCH_ARGUMENTS };

typedef struct {
    column ids, positions, angles, targetable, payload, visible;
    uint8_t flags; /* of all rows */
} columns;

/* Values of a column that was left out: every row is this one. */
static const float no_angles[3] = {0};
static const uint8_t one = 1;

static void column_default(column *c, const void *value)
{
    c->at = value;
    c->stride = 0;
}

/* The bits of a row's three floats, 32 each, narrowed if they are wide. */
static inline void vector_load(uint32_t into[3], const uint8_t *from, int wide)
{
    for (int i = 0; i < 3; i++) {
        if (wide) {
            double number;
            memcpy(&number, from + i * sizeof number, sizeof number);
            float narrow = (float)number;
            memcpy(&into[i], &narrow, sizeof narrow);
        } else
            memcpy(&into[i], from + i * sizeof(float), sizeof(float));
    }
}

static inline uint64_t join(uint32_t low, uint32_t high) { return low | (uint64_t)high << 32; }

/* Writes the headers of `count` rows, `stride` bytes apart, and steps the columns on. Returns the
 * sum of their checks. */
#define HEADERS_WRITE(CRC)                                                                      \
    uint32_t sum = 0;                                                                           \
    const uint8_t *ids = c->ids.at, *positions = c->positions.at, *angles = c->angles.at;       \
    const uint8_t *targetable = c->targetable.at, *visible = c->visible.at, flags = c->flags;   \
    for (uint64_t i = 0; i < count; i++, to += stride) {                                        \
        uint32_t p[3], a[3];                                                                    \
        vector_load(p, positions, wide & 1);                                                    \
        vector_load(a, angles, wide & 2);                                                       \
        uint64_t id = load_word(ids), xy = join(p[0], p[1]), za = join(p[2], a[0]);             \
        uint64_t bc = join(a[1], a[2]);                                                         \
        uint8_t seen = (uint8_t)(flags | (*visible ? 0 : PACKET_HIDDEN));                       \
        uint64_t word = header_word(type, *targetable != 0, seen, step);                        \
        store_word(to, id);                                                                     \
        store_word(to + 8, word);                                                               \
        store_word(to + 16, xy);                                                                \
        store_word(to + 24, za);                                                                \
        store_word(to + 32, bc);                                                                \
        uint32_t check = CHECK_FIVE(CRC, ordinal + (uint32_t)i, id, word, xy, za, bc);          \
        sum += check;                                                                           \
        ids += c->ids.stride;                                                                   \
        positions += c->positions.stride;                                                       \
        angles += c->angles.stride;                                                             \
        targetable += c->targetable.stride;                                                     \
        visible += c->visible.stride;                                                           \
    }                                                                                           \
    c->ids.at = ids;                                                                            \
    c->positions.at = positions;                                                                \
    c->angles.at = angles;                                                                      \
    c->targetable.at = targetable;                                                              \
    c->visible.at = visible;                                                                    \
    return sum;

static uint32_t headers_write_soft(uint8_t *to, uint64_t count, uint64_t stride, columns *c,
                                   uint16_t type, uint32_t ordinal)
{
    uint32_t step = (uint32_t)(stride / 8);
    int wide = c->positions.wide | c->angles.wide << 1;
    HEADERS_WRITE(crc_soft)
}

#if HAVE_X86
WITH_CRC static uint32_t headers_write_hard(uint8_t *to, uint64_t count, uint64_t stride,
                                            columns *c, uint16_t type, uint32_t ordinal)
{
    uint32_t step = (uint32_t)(stride / 8);
    if (!c->positions.wide && !c->angles.wide) {
        enum { wide = 0 };
        HEADERS_WRITE(crc_hard)
    }
    int wide = c->positions.wide | c->angles.wide << 1;
    HEADERS_WRITE(crc_hard)
}
#endif

static uint32_t headers_write(uint8_t *to, uint64_t count, uint64_t stride, columns *c,
                              uint16_t type, uint32_t ordinal)
{
#if HAVE_X86
    if (copies_stream) /* set only where there is SSE 4.2 */
        return headers_write_hard(to, count, stride, c, type, ordinal);
#endif
    return headers_write_soft(to, count, stride, c, type, ordinal);
}

/* Writes the next `count` rows at `at`; returns their part of the frame's check. */
static uint32_t rows_write(writer *w, uint64_t at, columns *c, uint64_t count, uint16_t type,
                           uint64_t size)
{
    uint64_t stride = stride_of(size), whole = size & ~7ull;
    uint8_t *first = address_at(&w->m, at), *to = first + sizeof(packet_header);
    uint32_t sum = 0;
    if (size >= ALIGNED_FROM) {
        int alone = copies_stream && stride - size >= LINE; /* headers on lines of their own */
        for (uint64_t i = 0; i < count; i++, to += stride, c->payload.at += c->payload.stride) {
            uint64_t words[5];
            uint32_t seed = headers_write((uint8_t *)words, 1, stride, c, type,
                                          w->count + (uint32_t)i);
            uint8_t *header = to - sizeof(packet_header);
            if (alone && i) /* the run's header is on the first one's cache line */
                header_stream(header, words);
            else
                memcpy(header, words, sizeof words);
            sum += copy_payload(to, c->payload.at, size, seed);
        }
    } else {
        sum = headers_write(first, count, stride, c, type, w->count);
        if (size) {
            for (uint64_t i = 0; i < count; i++, to += stride, c->payload.at += c->payload.stride) {
                if (size & 7) memset(to + whole, 0, 8);
                memcpy(to, c->payload.at, size);
            }
            sum = check_packets(first, count, stride, size, w->count);
        }
    }
    ((packet_header *)(void *)(first + (count - 1) * stride))->next = 0;
    return sum;
}

/* All the bits that any of the ids has. */
static uint64_t ids_bits(const column *ids, Py_ssize_t n)
{
    uint64_t all = 0;
    if (ids->stride == 8) /* a loop of its own, so that it is vectorised */
        for (Py_ssize_t i = 0; i < n; i++) all |= load_word(ids->at + 8 * i);
    else
        for (Py_ssize_t i = 0; i < n; i++) all |= load_word(ids->at + i * ids->stride);
    return all;
}

static void columns_release(columns *c)
{
    column *all[] = {&c->ids, &c->positions, &c->angles, &c->targetable, &c->payload, &c->visible};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (all[i]->view.obj) PyBuffer_Release(&all[i]->view);
}

static int batch_record(Ring *self, PyObject *const *given, PyObject *error)
{
    writer *w = &self->w;
    columns c = {0};
    uint64_t type, channels = 0, flags = 0;
    Py_ssize_t n = -1;
    int result = -1;
    if (whole_number(given[BATCH_TYPE], UINT16_MAX, "type", error, &type) < 0) return -1;
    if (given[BATCH_CHANNELS]
        && whole_number(given[BATCH_CHANNELS], UINT32_MAX, "channels", error, &channels) < 0)
        return -1;
    if (given[BATCH_FLAGS]
        && whole_number(given[BATCH_FLAGS], PACKET_FLAGS, "flags", error, &flags) < 0)
        return -1;
    c.flags = (uint8_t)flags;
#define GIVEN(which) (given[which] && given[which] != Py_None)
    int plain = 1;
    for (int i = BATCH_IDS; i <= BATCH_VISIBLE; i++)
        if ((i <= BATCH_POSITIONS || GIVEN(i)) && !PyArray_CheckExact(given[i])) plain = 0;
    c.ids.plain = c.positions.plain = c.angles.plain = plain;
    c.targetable.plain = c.payload.plain = c.visible.plain = plain;
    column_default(&c.angles, no_angles);
    column_default(&c.targetable, &one);
    column_default(&c.visible, &one);
    if (column_read(&c.ids, given[BATCH_IDS], "ids", "qQlL", 0, &n, error) < 0) goto done;
    if (c.ids.view.itemsize != 8) {
        PyErr_SetString(error, "record_batch: ids must be 64-bit whole numbers");
        goto done;
    }
    if (column_read(&c.positions, given[BATCH_POSITIONS], "positions", "fd", 3, &n, error) < 0
        || (GIVEN(BATCH_ANGLES)
            && column_read(&c.angles, given[BATCH_ANGLES], "angles", "fd", 3, &n, error) < 0)
        || (GIVEN(BATCH_TARGETABLE)
            && column_read(&c.targetable, given[BATCH_TARGETABLE], "targetable", "?bB", 0, &n,
                           error) < 0)
        || (GIVEN(BATCH_VISIBLE)
            && column_read(&c.visible, given[BATCH_VISIBLE], "visible", "?bB", 0, &n, error) < 0)
        || (GIVEN(BATCH_PAYLOAD)
            && column_read_rows(&c.payload, given[BATCH_PAYLOAD], n, error) < 0))
        goto done;
#undef GIVEN
    if (ids_bits(&c.ids, n) > MAX_ID) {
        PyErr_SetString(error, "record_batch: an object id is out of range: ids go from 1 to "
                               "2**63-1, 0 is the world");
        goto done;
    }
    if (!has_open_frame(self)) goto done; /* asking for a buffer can run any code, commit() too */
    uint64_t size = (uint64_t)c.payload.row, stride = stride_of(size);
    result = 1;
    if (n == 0) goto done;
    if (size > w->m.arena_size || !could_fit(w, stride, (uint64_t)n)) {
        count_dropped(w, (uint64_t)n);
        result = 0;
        goto done;
    }
    for (uint64_t row = 0, granted; row < (uint64_t)n; row += granted) {
        uint64_t at = run_append(w, (uint16_t)type, (uint32_t)channels, size, 0,
                                 (uint64_t)n - row, &granted);
        if (at == NONE) { /* quarantined memory is in the way */
            count_dropped(w, (uint64_t)n - row);
            result = 0;
            break;
        }
        w->check += rows_write(w, at, &c, granted, (uint16_t)type, size);
        packets_linked(w, packet_at(&w->m, at), at, granted, stride);
    }
done:
    columns_release(&c);
    return result;
}

PyObject *ring_record_batch(PyObject *op, PyObject *const *args, Py_ssize_t n,
                            PyObject *names)
{
    static const char *const known[BATCH_ARGUMENTS] = {"type",       "ids",     "positions",
                                                       "angles",     "targetable", "payload",
                                                       "visible",    "channels", "flags"};
    PyObject *given[BATCH_ARGUMENTS] = {0};
    if (n > BATCH_ARGUMENTS) {
        PyErr_Format(PyExc_TypeError, "record_batch() takes %d arguments, %zd were given",
                     BATCH_ARGUMENTS, n);
        return NULL;
    }
    for (Py_ssize_t i = 0; i < n; i++) given[i] = args[i];
    for (Py_ssize_t i = 0; names && i < PyTuple_GET_SIZE(names); i++) {
        int at = 0;
        while (at < BATCH_ARGUMENTS
               && PyUnicode_CompareWithASCIIString(PyTuple_GET_ITEM(names, i), known[at]))
            at++;
        if (at == BATCH_ARGUMENTS || given[at]) {
            PyErr_Format(PyExc_TypeError, "record_batch(): %R is unknown, or given twice",
                         PyTuple_GET_ITEM(names, i));
            return NULL;
        }
        given[at] = args[n + i];
    }
    if (!given[BATCH_TYPE] || !given[BATCH_IDS] || !given[BATCH_POSITIONS]) {
        PyErr_SetString(PyExc_TypeError, "record_batch() needs type, ids and positions");
        return NULL;
    }
    int result = -1;
    RING_LOCK(op)
    if (has_open_frame((Ring *)op))
        result = batch_record((Ring *)op, given, state_of(op)->recording_error);
    RING_UNLOCK()
    return result < 0 ? NULL : PyBool_FromLong(result);
}
