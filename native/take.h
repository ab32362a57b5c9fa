/* Recording a frame image: what came from outside goes into the open frame, run by run.
 *
 * First all of it is checked, then it is copied; a run of small packets in one piece. Included by
 * ring.c.
 */

/* A run that was checked, under the ring's own number of its type. */
typedef struct {
    uint64_t first; /* of its packets, from the image's start */
    uint32_t count, size, channels;
    uint16_t type;
} intake_run;

typedef struct {
    intake_run *runs;
    size_t count, room;
} intake;

/* Asks `types` for a run's type: (number, channels). 0 or -1. */
static int intake_type(const frame_image *image, PyObject *types, uint16_t number,
                       PyObject *error, intake_run *into)
{
    uint64_t type, channels;
    PyObject *key = PyLong_FromLong(number);
    PyObject *pair = key ? PyObject_GetItem(types, key) : NULL;
    Py_XDECREF(key);
    if (!pair) {
        if (!PyErr_ExceptionMatches(PyExc_KeyError)) return -1;
        PyErr_Clear();
        return image_damaged(image, image->at + offsetof(run_header, type),
                             "packets of type %d, which is not one of the types given for this "
                             "image", number);
    }
    int result = -1;
    if (!PyTuple_Check(pair) || PyTuple_GET_SIZE(pair) != 2)
        PyErr_Format(PyExc_TypeError, "take: the types give %R for %d, not a tuple (type, "
                                      "channels)", pair, number);
    else if (!whole_number(PyTuple_GET_ITEM(pair, 0), UINT16_MAX, "type", error, &type)
             && !whole_number(PyTuple_GET_ITEM(pair, 1), UINT32_MAX, "channels", error,
                              &channels)) {
        into->type = (uint16_t)type;
        into->channels = (uint32_t)channels;
        result = 0;
    }
    Py_DECREF(pair);
    return result;
}

/* Checks the packets of the run read last. 0 or -1. */
static int intake_check_run(const frame_image *image, const run_header *run, uint16_t type)
{
    if (run->flags & RUN_LATCHED)
        return image_damaged(image, image->at + offsetof(run_header, flags),
                             "a latched packet can't be taken: what it says goes through latch()");
    for (uint32_t i = 0; i < run->count; i++) {
        packet_header h;
        if (image_packet(image, run, i, &h) < 0) return -1;
        if (h.id == 0 && type >= FIRST_OBJECT)
            return image_damaged(image, (uint64_t)(image_packet_at(image, run, i) - image->bytes),
                                 "object id 0 is the world: objects have ids from 1 on");
    }
    return 0;
}

/* Checks a whole image and lists its runs. 0 or -1. */
static int intake_check(intake *in, frame_image *image, PyObject *types, PyObject *error)
{
    run_header run;
    int more, known = -1; /* the type that was looked up last */
    intake_run next = {0};
    while ((more = image_run(image, &run)) > 0) {
        if (known != run.type && intake_type(image, types, run.type, error, &next) < 0) return -1;
        known = run.type;
        if (intake_check_run(image, &run, next.type) < 0) return -1;
        if (in->count == in->room) {
            size_t room = in->room ? 2 * in->room : 32;
            void *grown = PyMem_Realloc(in->runs, room * sizeof *in->runs);
            if (!grown) {
                PyErr_NoMemory();
                return -1;
            }
            in->runs = grown;
            in->room = room;
        }
        next.first = image->at + sizeof run;
        next.count = run.count;
        next.size = run.size;
        in->runs[in->count++] = next;
    }
    return more;
}

/* A packet's second word as it is in the ring: of another type, without flags that mean nothing. */
static inline uint64_t taken_word(uint64_t word, uint16_t type, uint64_t stride)
{
    uint8_t flags = (uint8_t)(word >> 24) & PACKET_FLAGS;
    return header_word(type, (word >> 16 & 0xff) != 0, flags, (uint32_t)(stride / 8));
}

/* What all packets written so far have in common, to be looked at in the end. */
typedef struct {
    uint64_t ids;   /* all bits that any of them has */
    uint64_t words; /* the same of their second words */
    int world;      /* an object's id was 0 */
} taken_bits;

static inline void taken_look(taken_bits *bits, uint64_t id, uint64_t word, uint16_t type)
{
    bits->ids |= id;
    bits->words |= word;
    bits->world |= id == 0 && type >= FIRST_OBJECT;
}

/* Copies `count` packets of a run to `at`; returns their part of the frame's check. */
static uint32_t packets_take(writer *w, uint64_t at, const uint8_t *from, uint64_t count,
                             const intake_run *run, taken_bits *bits)
{
    uint64_t size = run->size, stride = stride_of(size), apart = image_stride(size);
    uint8_t *first = place(&w->m, at), *to = first;
    if (size >= ALIGNED_FROM) {
        int alone = copies_stream && stride - size >= LINE; /* as rows_write does it */
        uint32_t sum = 0;
        for (uint64_t i = 0; i < count; i++, to += stride, from += apart) {
            uint64_t words[5];
            memcpy(words, from, sizeof words);
            words[1] = taken_word(words[1], run->type, i + 1 < count ? stride : 0);
            taken_look(bits, words[0], words[1], run->type);
            if (alone && i)
                header_stream(to, words);
            else
                memcpy(to, words, sizeof words);
            sum += copy_payload(to + sizeof words, from + sizeof words, size,
                                check_header((const uint8_t *)words, w->count + (uint32_t)i));
        }
        return sum;
    }
    memmove(first, from, count * stride); /* an image may lie in this very block */
    for (uint64_t i = 0; i < count; i++, to += stride) {
        uint64_t word = taken_word(load_word(to + 8), run->type, i + 1 < count ? stride : 0);
        store_word(to + 8, word);
        taken_look(bits, load_word(to), word, run->type);
        if (size & 7) memset(to + sizeof(packet_header) + size, 0, 8 - (size & 7));
    }
    return check_packets(first, count, stride, size, w->count);
}

/* Records a checked run; returns how many of its packets found room, the others are dropped. */
static uint64_t run_take(writer *w, const uint8_t *from, const intake_run *run, taken_bits *bits)
{
    uint64_t stride = stride_of(run->size), done = 0, granted;
    if (run->size <= w->m.arena_size && could_fit(w, stride, run->count))
        for (; done < run->count; done += granted) {
            uint64_t at = run_append(w, run->type, run->channels, run->size, 0, run->count - done,
                                     &granted);
            if (at == NONE) break; /* quarantined memory lay in the way */
            w->check += packets_take(w, at, from, granted, run, bits);
            packets_linked(w, packet_at(&w->m, at), at, granted, stride);
            from += granted * image_stride(run->size);
        }
    if (done < run->count) dropped(w, run->count - done);
    return done;
}

/* Takes back all packets since `point`, when `before` was the writer. */
static void intake_undo(writer *w, const undo_point *point, const writer *before,
                        uint64_t recorded, uint64_t missed)
{
    undo_to(w, point);
    if (w->last != NONE) w->last_at->next = 0;
    w->count = before->count;
    w->check = before->check;
    w->flags = before->flags;
    w->m.header->packets_recorded = recorded;
    w->m.header->packets_dropped = missed;
}

/* Records all runs of a checked image; returns how many packets found room, -1 with an error. */
static long long intake_record(Ring *self, const frame_image *image, const intake *in)
{
    writer *w = &self->w;
    writer before = *w;
    undo_point point = undo_mark(w);
    uint64_t recorded = w->m.header->packets_recorded, missed = w->m.header->packets_dropped;
    taken_bits bits = {0};
    uint64_t done = 0;
    for (size_t i = 0; i < in->count; i++)
        done += run_take(w, image->bytes + in->runs[i].first, &in->runs[i], &bits);
    if (bits.ids > MAX_ID || bits.world) { /* they were checked: now they are others */
        intake_undo(w, &point, &before, recorded, missed);
        return image_damaged(image, 0, "it changed while it was taken: nothing of it is recorded");
    }
    if (bits.words & (uint64_t)PACKET_DAMAGED << 24) w->flags |= FRAME_DAMAGED;
    return (long long)done;
}

static PyObject *ring_take(PyObject *op, PyObject *const *args, Py_ssize_t n)
{
    Ring *self = (Ring *)op;
    Py_buffer buffer;
    if (n != 2) {
        PyErr_SetString(PyExc_TypeError, "take(image, types)");
        return NULL;
    }
    if (PyObject_GetBuffer(args[0], &buffer, PyBUF_SIMPLE) < 0) return NULL;
    long long recorded = -1;
    RING_LOCK(op)
    module_state *state = state_of(op);
    frame_image image;
    intake in = {0};
    if (has_open_frame(self) && image_open(&image, &buffer, state->damaged_error) == 0
        && intake_check(&in, &image, args[1], state->recording_error) == 0
        && has_open_frame(self)) /* looking a type up can run anything, commit() too */
        recorded = intake_record(self, &image, &in);
    PyMem_Free(in.runs);
    RING_UNLOCK()
    PyBuffer_Release(&buffer);
    return recorded < 0 ? NULL : PyLong_FromLongLong(recorded);
}
