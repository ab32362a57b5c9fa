/* Many packets of one type in one call, from numpy columns. Included by ring.c. */

/* One column: n rows, the bytes of a row contiguous, any stride from row to row. */
typedef struct {
    Py_buffer view;
    const uint8_t *at;
    Py_ssize_t stride, row; /* bytes */
    int wide;               /* 64-bit floats, to be narrowed */
} column;

static int column_kind(const Py_buffer *view)
{
    const char *format = view->format ? view->format : "B";
    if (*format == '<' || *format == '=' || *format == '@' || *format == '|') format++;
    return format[0] && !format[1] ? format[0] : 0;
}

/* Takes rows of `width` items (0 = flat) of one of `kinds`; n < 0 sets it. 0 or -1. */
static int column_take(column *c, PyObject *object, const char *name, const char *kinds,
                       int width, Py_ssize_t *n, PyObject *error)
{
    if (PyObject_GetBuffer(object, &c->view, PyBUF_RECORDS_RO) < 0) {
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

/* Whether items of this format hold Python objects, whose addresses mean nothing later. */
static int holds_objects(const char *format)
{
    int in_name = 0; /* of a field: between colons */
    for (; format && *format; format++) {
        if (*format == ':') in_name = !in_name;
        if (*format == 'O' && !in_name) return 1;
    }
    return 0;
}

/* Takes payload rows: any items, each row C-contiguous. */
static int column_take_rows(column *c, PyObject *object, Py_ssize_t n, PyObject *error)
{
    if (PyObject_GetBuffer(object, &c->view, PyBUF_RECORDS_RO) < 0) {
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

static inline void vector_load(float *into, const column *c, Py_ssize_t row)
{
    const uint8_t *from = c->at + row * c->stride;
    if (!c->wide) {
        memcpy(into, from, 3 * sizeof(float));
        return;
    }
    double wide[3];
    memcpy(wide, from, sizeof wide);
    for (int i = 0; i < 3; i++) into[i] = (float)wide[i];
}

enum { BATCH_TYPE, BATCH_IDS, BATCH_POSITIONS, BATCH_ANGLES, BATCH_TARGETABLE, BATCH_PAYLOAD,
       BATCH_VISIBLE, BATCH_CHANNELS, BATCH_ARGUMENTS };

typedef struct {
    column ids, positions, angles, targetable, payload, visible;
    int has_angles, has_targetable, has_payload, has_visible;
} columns;

static inline void header_load(packet_header *header, const columns *c, Py_ssize_t row,
                               uint16_t type, uint32_t next)
{
    memcpy(&header->id, c->ids.at + row * c->ids.stride, 8);
    header->type = type;
    header->targetable = c->has_targetable ? c->targetable.at[row * c->targetable.stride] != 0 : 1;
    header->flags = c->has_visible && !c->visible.at[row * c->visible.stride] ? PACKET_HIDDEN : 0;
    header->next = next;
    vector_load(header->position, &c->positions, row);
    if (c->has_angles)
        vector_load(header->angles, &c->angles, row);
    else
        memset(header->angles, 0, sizeof header->angles);
}

/* Writes `count` rows from `row` on at `at`; returns their part of the frame's check. */
static uint32_t rows_write(writer *w, uint64_t at, const columns *c, Py_ssize_t row,
                           uint64_t count, uint16_t type, uint64_t size)
{
    uint64_t stride = stride_of(size), whole = size & ~7ull;
    uint8_t *first = place(&w->m, at), *to = first;
    uint32_t step = (uint32_t)(stride / 8), sum = 0;
    const uint8_t *from = c->payload.at ? c->payload.at + row * c->payload.stride : NULL;
    for (uint64_t i = 0; i < count; i++, to += stride) {
        header_load((packet_header *)(void *)to, c, row + (Py_ssize_t)i, type,
                    i + 1 < count ? step : 0);
        if (size >= ALIGNED_FROM) {
            uint32_t seed = w->count + (uint32_t)i;
            seed = check_packets(to, 1, 0, 0, seed);
            sum += copy_payload(to + sizeof(packet_header), from, size, seed);
        } else if (size) {
            if (size & 7) memset(to + sizeof(packet_header) + whole, 0, 8);
            memcpy(to + sizeof(packet_header), from, size);
        }
        from += c->payload.stride;
    }
    if (size < ALIGNED_FROM) sum = check_packets(first, count, stride, size, w->count);
    return sum;
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
    uint64_t type, channels = 0;
    Py_ssize_t n = -1;
    int result = -1;
    if (whole_number(given[BATCH_TYPE], UINT16_MAX, "type", error, &type) < 0) return -1;
    if (given[BATCH_CHANNELS]
        && whole_number(given[BATCH_CHANNELS], UINT32_MAX, "channels", error, &channels) < 0)
        return -1;
#define GIVEN(which) (given[which] && given[which] != Py_None)
    c.has_angles = GIVEN(BATCH_ANGLES);
    c.has_targetable = GIVEN(BATCH_TARGETABLE);
    c.has_payload = GIVEN(BATCH_PAYLOAD);
    c.has_visible = GIVEN(BATCH_VISIBLE);
#undef GIVEN
    if (column_take(&c.ids, given[BATCH_IDS], "ids", "qQlL", 0, &n, error) < 0) goto done;
    if (c.ids.view.itemsize != 8) {
        PyErr_SetString(error, "record_batch: ids must be 64-bit whole numbers");
        goto done;
    }
    if (column_take(&c.positions, given[BATCH_POSITIONS], "positions", "fd", 3, &n, error) < 0
        || (c.has_angles
            && column_take(&c.angles, given[BATCH_ANGLES], "angles", "fd", 3, &n, error) < 0)
        || (c.has_targetable
            && column_take(&c.targetable, given[BATCH_TARGETABLE], "targetable", "?bB", 0, &n,
                           error) < 0)
        || (c.has_visible
            && column_take(&c.visible, given[BATCH_VISIBLE], "visible", "?bB", 0, &n, error) < 0)
        || (c.has_payload && column_take_rows(&c.payload, given[BATCH_PAYLOAD], n, error) < 0))
        goto done;
    uint64_t all = 0;
    for (Py_ssize_t i = 0; i < n; i++) all |= load_word(c.ids.at + i * c.ids.stride);
    if (all > MAX_ID) {
        PyErr_SetString(error, "record_batch: an object id is out of range: ids go from 1 to "
                               "2**63-1, 0 is the world");
        goto done;
    }
    if (!has_open_frame(self)) goto done; /* whoever gave the columns may have ended it */
    uint64_t size = (uint64_t)c.payload.row, stride = stride_of(size);
    result = 1;
    if (n == 0) goto done;
    if (size > w->m.arena_size || !could_fit(w, stride, (uint64_t)n)) {
        dropped(w, (uint64_t)n);
        result = 0;
        goto done;
    }
    for (uint64_t row = 0, granted; row < (uint64_t)n; row += granted) {
        uint64_t at = run_append(w, (uint16_t)type, (uint32_t)channels, size, 0,
                                 (uint64_t)n - row, &granted);
        if (at == NONE) { /* quarantined memory lay in the way */
            dropped(w, (uint64_t)n - row);
            result = 0;
            break;
        }
        w->check += rows_write(w, at, &c, (Py_ssize_t)row, granted, (uint16_t)type, size);
        packets_linked(w, at, granted, stride);
    }
done:
    columns_release(&c);
    return result;
}

static PyObject *ring_record_batch(PyObject *op, PyObject *const *args, Py_ssize_t n,
                                   PyObject *names)
{
    static const char *const known[BATCH_ARGUMENTS] = {"type",       "ids",     "positions",
                                                       "angles",     "targetable", "payload",
                                                       "visible",    "channels"};
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
