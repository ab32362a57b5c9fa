/* Recording a frame image (`ingest`): its packets are copied into the open frame, run by run.
 *
 * The whole image is checked before the first byte is copied. A run of small packets is copied in
 * one piece. The image's memory may change in between, so the copy is checked again. If it differs
 * from what was checked before, everything that was copied is undone.
 */
#include "python_methods.h"
#include "serialized_frame.h"
#include "record_packets.h"

/* A checked run, with the ring's own number of its type. */
typedef struct {
    uint64_t first; /* of its packets, from the image's start */
    uint32_t count, size, channels;
    uint16_t type;
} ingest_run;

typedef struct {
    ingest_run *runs;
    size_t count, room;
} ingest_plan;

/* Asks `types` for a run's type: (number, channels). 0 or -1. */
static int ingest_type(const frame_image *image, PyObject *types, uint16_t number,
                       PyObject *error, ingest_run *into)
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
        PyErr_Format(PyExc_TypeError, "ingest: the types give %R for %d, not a tuple (type, "
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
static int ingest_check_run(const frame_image *image, const run_header *run, uint16_t type)
{
    if (run->flags & RUN_LATCHED)
        return image_damaged(image, image->at + offsetof(run_header, flags),
                             "a latched packet can't be ingested: latch() records it");
    for (uint32_t i = 0; i < run->count; i++) {
        packet_header h;
        if (image_packet(image, run, i, &h) < 0) return -1;
        if (h.id == 0 && type >= FIRST_OBJECT)
            return image_damaged(image, (uint64_t)(image_packet_at(image, run, i) - image->bytes),
                                 "object id 0 is the world: objects have ids from 1 on");
    }
    return 0;
}

/* Checks an image completely and lists its runs. Returns 0 or -1. */
static int ingest_check(ingest_plan *in, frame_image *image, PyObject *types, PyObject *error)
{
    run_header run;
    int more, known = -1; /* the type that was looked up last */
    ingest_run next = {0};
    while ((more = image_run(image, &run)) > 0) {
        if (known != run.type && ingest_type(image, types, run.type, error, &next) < 0) return -1;
        known = run.type;
        if (ingest_check_run(image, &run, next.type) < 0) return -1;
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

/* A packet's second word as the ring has it: with the ring's type, without flags that mean
 * nothing. */
static inline uint64_t ingested_word(uint64_t word, uint16_t type, uint64_t stride)
{
    uint8_t flags = (uint8_t)(word >> 24) & PACKET_FLAGS;
    return header_word(type, (word >> 16 & 0xff) != 0, flags, (uint32_t)(stride / 8));
}

/* What is checked again of all packets after they were copied. */
typedef struct {
    uint64_t ids;   /* all bits that any of them has */
    uint64_t words; /* the same of their second words */
    int world;      /* an object's id was 0 */
} common_bits;

static inline void common_bits_add(common_bits *bits, uint64_t id, uint64_t word, uint16_t type)
{
    bits->ids |= id;
    bits->words |= word;
    bits->world |= id == 0 && type >= FIRST_OBJECT;
}

/* Copies `count` packets of a run to `at`; returns their part of the frame's check. */
static uint32_t packets_ingest(writer *w, uint64_t at, const uint8_t *from, uint64_t count,
                               const ingest_run *run, common_bits *bits)
{
    uint64_t size = run->size, stride = stride_of(size), apart = image_stride(size);
    uint8_t *first = address_at(&w->m, at), *to = first;
    if (size >= ALIGNED_FROM) {
        int alone = copies_stream && stride - size >= LINE; /* as in rows_write */
        uint32_t sum = 0;
        for (uint64_t i = 0; i < count; i++, to += stride, from += apart) {
            uint64_t words[5];
            memcpy(words, from, sizeof words);
            words[1] = ingested_word(words[1], run->type, i + 1 < count ? stride : 0);
            common_bits_add(bits, words[0], words[1], run->type);
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
        uint64_t word = ingested_word(load_word(to + 8), run->type, i + 1 < count ? stride : 0);
        store_word(to + 8, word);
        common_bits_add(bits, load_word(to), word, run->type);
        if (size & 7) memset(to + sizeof(packet_header) + size, 0, 8 - (size & 7));
    }
    return check_packets(first, count, stride, size, w->count);
}

/* Records a checked run; returns how many of its packets found room, the others are dropped. */
static uint64_t run_ingest(writer *w, const uint8_t *from, const ingest_run *run, common_bits *bits)
{
    uint64_t stride = stride_of(run->size), done = 0, granted;
    if (run->size <= w->m.arena_size && could_fit(w, stride, run->count))
        for (; done < run->count; done += granted) {
            uint64_t at = run_append(w, run->type, run->channels, run->size, 0, run->count - done,
                                     &granted);
            if (at == NONE) break; /* quarantined memory splits the room */
            w->check += packets_ingest(w, at, from, granted, run, bits);
            packets_linked(w, packet_at(&w->m, at), at, granted, stride);
            from += granted * image_stride(run->size);
        }
    if (done < run->count) count_dropped(w, run->count - done);
    return done;
}

/* Undoes all packets since `point`; `before` is the writer as it was then. */
static void ingest_undo(writer *w, const undo_point *point, const writer *before,
                        uint64_t recorded, uint64_t dropped)
{
    undo_to(w, point);
    if (w->last != NONE) w->last_at->next = 0;
    w->count = before->count;
    w->check = before->check;
    w->flags = before->flags;
    w->m.header->packets_recorded = recorded;
    w->m.header->packets_dropped = dropped;
}

/* Records all runs of a checked image; returns how many packets found room, -1 with an error. */
static long long ingest_record(Ring *self, const frame_image *image, const ingest_plan *in)
{
    writer *w = &self->w;
    writer before = *w;
    undo_point point = undo_mark(w);
    uint64_t recorded = w->m.header->packets_recorded, dropped = w->m.header->packets_dropped;
    common_bits bits = {0};
    uint64_t done = 0;
    for (size_t i = 0; i < in->count; i++)
        done += run_ingest(w, image->bytes + in->runs[i].first, &in->runs[i], &bits);
    if (bits.ids > MAX_ID || bits.world) { /* they were checked before: so the memory has changed */
        ingest_undo(w, &point, &before, recorded, dropped);
        return image_damaged(image, 0, "it changed while it was read: nothing of it is recorded");
    }
    if (bits.words & (uint64_t)PACKET_DAMAGED << 24) w->flags |= FRAME_DAMAGED;
    return (long long)done;
}

PyObject *ring_ingest(PyObject *op, PyObject *const *args, Py_ssize_t n)
{
    Ring *self = (Ring *)op;
    Py_buffer buffer;
    if (n != 2) {
        PyErr_SetString(PyExc_TypeError, "ingest(image, types)");
        return NULL;
    }
    if (PyObject_GetBuffer(args[0], &buffer, PyBUF_SIMPLE) < 0) return NULL;
    long long recorded = -1;
    RING_LOCK(op)
    module_state *state = state_of(op);
    frame_image image;
    ingest_plan in = {0};
    if (has_open_frame(self) && image_open(&image, &buffer, state->damaged_error) == 0
        && ingest_check(&in, &image, args[1], state->recording_error) == 0
        && has_open_frame(self)) /* calling `types` can run any code, commit() too */
        recorded = ingest_record(self, &image, &in);
    PyMem_Free(in.runs);
    RING_UNLOCK()
    PyBuffer_Release(&buffer);
    return recorded < 0 ? NULL : PyLong_FromLongLong(recorded);
}
