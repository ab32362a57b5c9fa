/* Making frame images: from a frame in the ring (`image`), or from given packets (`image_encode`).
 * See serialized_frame.h for what an image is.
 */
#include "python_methods.h"
#include "serialized_frame.h"
#include "record_packets.h"

/* A frame's header as an image begins with it: `length` and `check` are still to be filled in. */
void image_header(frame_header *into, const frame_header *frame)
{
    *into = (frame_header){.id = frame->id, .previous = NONE, .time = frame->time,
                           .delta = frame->delta, .packets = NONE, .runs = NONE, .jump = NONE,
                           .count = frame->count, .flags = frame->flags, .epoch = frame->epoch};
    atomic_init(&into->next, NONE);
}

/* Fills in the length and the check, of which `sum` is the part of runs and packets. */
void image_seal(frame_header *frame, uint64_t length, uint32_t sum)
{
    frame->bytes = frame->end = length;
    if (length > FIRST_RUN) {
        frame->runs = FIRST_RUN;
        frame->packets = FIRST_RUN + sizeof(run_header);
    }
    frame->check = sum + check_frame(frame);
}

/* --- of a frame in the ring ----------------------------------------------------------------- */

/* The length of a frame's image, 0 if the frame is gone, -1 if it is damaged. */
int64_t image_measure(const memory *m, uint64_t start, const frame_header *frame,
                      damage *fault)
{
    uint64_t length = FIRST_RUN;
    for (uint64_t at = frame->runs; at != NONE;) {
        run_header run;
        int found = run_copy(m, start, frame, at, &run, fault);
        if (found <= 0) return found;
        length += sizeof run + run.count * image_stride(run.size);
        at = run.next ? at + 8ull * run.next : NONE;
    }
    return (int64_t)length;
}

/* Clears a latched packet's links into its ring's own table and chain: they mean nothing
 * elsewhere. */
static void version_unlink(uint8_t *packet)
{
    version_header version;
    memcpy(&version, packet + sizeof(packet_header), sizeof version);
    version.previous = version.jump = NONE;
    version.entry = 0;
    memcpy(packet + sizeof(packet_header), &version, sizeof version);
}

/* Copies a run's packets to `to`, links them, and adds their checks: to `*ring_sum` as they are
 * in the ring, to `*sum` as they are in the image. `last` packets have no next one. False:
 * damaged. */
static int image_copy_run(uint8_t *to, const uint8_t *from, const run_header *run, int last,
                          uint32_t ordinal, uint32_t *ring_sum, uint32_t *sum)
{
    uint64_t stride = image_stride(run->size);
    run_header header = *run;
    header.stride = (uint32_t)stride;
    header.flags = run->flags & RUN_LATCHED;
    header.next = last ? 0 : (uint32_t)((sizeof header + run->count * stride) / 8);
    memcpy(to, &header, sizeof header);
    uint8_t *first = to + sizeof header;
    if (run->stride == stride)
        memcpy(first, from, run->count * stride);
    else
        for (uint64_t i = 0; i < run->count; i++)
            memcpy(first + i * stride, from + i * run->stride, stride);
    uint32_t packets = check_packets(first, run->count, stride, run->size, ordinal);
    *ring_sum += packets + check_run(run, ordinal);
    uint8_t *packet = first;
    for (uint32_t i = 0; i < run->count; i++, packet += stride) {
        uint64_t step = i + 1 < run->count ? stride : last ? 0 : stride + sizeof header;
        uint64_t word = load_word(packet + 8);
        if ((uint16_t)word != run->type || load_word(packet) > MAX_ID) return 0;
        store_word(packet + 8, (word & 0xffffffffu) | step / 8 << 32);
        if (run->flags & RUN_LATCHED) version_unlink(packet);
    }
    if (run->flags & RUN_LATCHED)
        packets = check_packets(first, run->count, stride, run->size, ordinal);
    *sum += packets + check_run(&header, ordinal);
    return 1;
}

/* Writes a frame's image, `length` bytes: 1, 0 if the frame is gone, -1 if it is damaged. The
 * ring may be overwritten meanwhile: each run is read and checked again. */
int image_fill(const memory *m, uint64_t start, const frame_header *frame, uint8_t *bytes,
               uint64_t length, damage *fault)
{
    frame_header header;
    image_header(&header, frame);
    uint64_t used = FIRST_RUN;
    uint32_t ring_sum = check_frame(frame), sum = 0, ordinal = 0;
    for (uint64_t at = frame->runs; at != NONE;) {
        run_header run;
        int found = run_copy(m, start, frame, at, &run, fault);
        if (found <= 0) return found;
        uint64_t room = sizeof run + run.count * image_stride(run.size);
        if (room > length - used) goto broken;
        const uint8_t *from = address_at(m, at) + sizeof run;
        if (!image_copy_run(bytes + used, from, &run, !run.next, ordinal, &ring_sum, &sum))
            goto broken;
        used += room;
        ordinal += run.count;
        at = run.next ? at + 8ull * run.next : NONE;
    }
    if (used == length && ring_sum == frame->check && ordinal == frame->count && frame->delta >= 0
        && (frame->runs == NONE) == (frame->packets == NONE)) {
        image_seal(&header, length, sum);
        memcpy(bytes, (const void *)&header, sizeof header);
        return held_in_memory(m, start);
    }
broken: /* or overwritten meanwhile: then it is not damaged */
    if (!held_in_memory(m, start)) return 0;
    return set_damage(fault, start, "the frame's packets do not match their runs, or its check");
}

PyObject *ring_image(PyObject *op, PyObject *value)
{
    Ring *self = (Ring *)op;
    uint64_t id, start;
    PyObject *result = NULL;
    if (frame_argument(op, value, &id) < 0) return NULL;
    RING_LOCK(op)
    frame_header frame;
    if (frame_find(self, id, &start, &frame) > 0 && frame_whole(self, id) > 0) {
        damage fault = {0, ""};
        int64_t length = image_measure(&self->w.m, start, &frame, &fault);
        int found = length < 0 ? -1 : length > 0;
        if (found > 0) result = PyBytes_FromStringAndSize(NULL, (Py_ssize_t)length);
        if (result)
            found = image_fill(&self->w.m, start, &frame, (uint8_t *)PyBytes_AS_STRING(result),
                               (uint64_t)length, &fault);
        if (found <= 0) Py_CLEAR(result);
        if (found == 0) raise_evicted(self, id);
        if (found < 0) raise_damaged(self, fault.at, fault.what);
    }
    RING_UNLOCK()
    return result;
}

/* --- of packets that are given -------------------------------------------------------------- */

/* An image that grows. Its bytes object is not shared yet. */
typedef struct {
    PyObject *bytes;
    uint64_t used;
    uint64_t run, last; /* where the newest run and packet begin, or NONE */
    run_header header;  /* of that run */
} image_builder;

/* Room for `bytes` more: where it begins, or NULL with an error set. */
static uint8_t *builder_extend(image_builder *builder, uint64_t bytes, PyObject *error)
{
    uint64_t room = (uint64_t)PyBytes_GET_SIZE(builder->bytes), needed = builder->used + bytes;
    if (needed > MAX_BLOCK) {
        PyErr_Format(error, "the image would have %llu bytes: a frame has %llu at most",
                     (unsigned long long)needed, (unsigned long long)MAX_BLOCK);
        return NULL;
    }
    if (needed > room) {
        room = needed > 2 * room ? needed : 2 * room;
        if (_PyBytes_Resize(&builder->bytes, (Py_ssize_t)room) < 0) return NULL;
    }
    uint8_t *at = (uint8_t *)PyBytes_AS_STRING(builder->bytes) + builder->used;
    builder->used += bytes;
    return at;
}

static void builder_link(image_builder *builder, uint64_t at, size_t field, uint64_t to)
{
    uint32_t step = (uint32_t)((to - at) / 8);
    memcpy(PyBytes_AS_STRING(builder->bytes) + at + field, &step, sizeof step);
}

/* Writes the header of the newest run, of which the count was still to come. */
static void builder_end_run(image_builder *builder)
{
    if (builder->run != NONE)
        memcpy(PyBytes_AS_STRING(builder->bytes) + builder->run, &builder->header,
               sizeof builder->header);
}

static int builder_append(image_builder *builder, const row_header *row, uint8_t flags,
                          const uint8_t *payload, uint64_t size, PyObject *error)
{
    run_header *run = &builder->header;
    uint64_t stride = image_stride(size);
    if (stride > UINT32_MAX) {
        PyErr_Format(error, "a payload of %llu bytes: a packet has 4 GiB at most",
                     (unsigned long long)size);
        return -1;
    }
    if (builder->run == NONE || run->type != row->type || run->channels != row->channels
        || run->size != size) {
        uint64_t at = builder->used;
        if (!builder_extend(builder, sizeof *run, error)) return -1;
        if (builder->run != NONE) run->next = (uint32_t)((at - builder->run) / 8);
        builder_end_run(builder);
        builder->run = at;
        *run = (run_header){.stride = (uint32_t)stride, .size = (uint32_t)size,
                            .channels = row->channels, .type = row->type};
    }
    uint64_t at = builder->used;
    uint8_t *to = builder_extend(builder, stride, error);
    if (!to) return -1;
    header_write(to, row->id, header_word(row->type, row->targetable, flags, 0), row->position,
                 row->angles);
    if (size & 7) memset(to + stride - 8, 0, 8);
    if (size) memcpy(to + sizeof(packet_header), payload, size);
    if (builder->last != NONE)
        builder_link(builder, builder->last, offsetof(packet_header, next), at);
    builder->last = at;
    run->count++;
    return 0;
}

/* Appends a packet, a tuple as image_packets returns it. 0 or -1; `*all` collects the packets'
 * flags. */
static int builder_append_tuple(image_builder *builder, PyObject *packet, Py_ssize_t index,
                                PyObject *error, uint8_t *all)
{
    if (!PyTuple_Check(packet) || PyTuple_GET_SIZE(packet) != 9) {
        PyErr_Format(error, "packet %zd is not a tuple (id, type, targetable, flags, position, "
                            "angles, channels, run flags, payload): %R", index, packet);
        return -1;
    }
    PyObject *const *of = &PyTuple_GET_ITEM(packet, 0);
    row_header row;
    uint64_t type, flags, channels, run_flags;
    int targetable = PyObject_IsTrue(of[2]);
    if (object_id(of[0], error, &row.id) < 0
        || whole_number(of[1], UINT16_MAX, "type", error, &type) < 0 || targetable < 0
        || whole_number(of[3], UINT8_MAX, "flags", error, &flags) < 0
        || vector_read(row.position, of[4], "position") < 0
        || vector_read(row.angles, of[5], "angles") < 0
        || whole_number(of[6], UINT32_MAX, "channels", error, &channels) < 0
        || whole_number(of[7], UINT16_MAX, "run flags", error, &run_flags) < 0)
        return -1;
    if (run_flags & RUN_LATCHED) {
        PyErr_Format(error, "packet %zd is latched: an image is made of others only", index);
        return -1;
    }
    row.type = (uint16_t)type;
    row.targetable = (uint8_t)targetable;
    row.channels = (uint32_t)channels;
    Py_buffer payload;
    if (PyObject_GetBuffer(of[8], &payload, PyBUF_SIMPLE) < 0) return -1;
    int result = builder_append(builder, &row, (uint8_t)flags, payload.buf, (uint64_t)payload.len,
                                error);
    PyBuffer_Release(&payload);
    *all |= (uint8_t)flags;
    return result;
}

/* Cuts the image to its length and fills in its header. NULL: an error is set. */
static PyObject *builder_finish(image_builder *builder, frame_header *frame)
{
    builder_end_run(builder);
    if (_PyBytes_Resize(&builder->bytes, (Py_ssize_t)builder->used) < 0) return NULL;
    uint8_t *bytes = (uint8_t *)PyBytes_AS_STRING(builder->bytes);
    uint32_t sum = 0, ordinal = 0;
    for (uint64_t at = FIRST_RUN; at < builder->used;) {
        run_header run;
        memcpy(&run, bytes + at, sizeof run);
        sum += check_run(&run, ordinal)
               + check_packets(bytes + at + sizeof run, run.count, run.stride, run.size, ordinal);
        ordinal += run.count;
        at += sizeof run + (uint64_t)run.count * run.stride;
    }
    frame_header header;
    frame->count = ordinal;
    image_header(&header, frame);
    image_seal(&header, builder->used, sum);
    memcpy(bytes, (const void *)&header, sizeof header);
    return builder->bytes;
}

PyObject *module_image_encode(PyObject *module, PyObject *args)
{
    PyObject *id, *rows, *packets, *error;
    frame_header frame = {0};
    long long epoch;
    if (!PyArg_ParseTuple(args, "OddLO:image_encode", &id, &frame.time, &frame.delta, &epoch,
                          &rows))
        return NULL;
    error = ((module_state *)PyModule_GetState(module))->recording_error;
    if (object_id(id, error, &frame.id) < 0 || !in_range(epoch, UINT32_MAX, "epoch", error))
        return NULL;
    if (!frame.id || !isfinite(frame.time) || !isfinite(frame.delta) || frame.delta < 0) {
        PyErr_Format(error, "frame %R, time %R, delta %R: ids go from 1 on, the times must be "
                            "finite, the delta not negative",
                     id, PyTuple_GET_ITEM(args, 1), PyTuple_GET_ITEM(args, 2));
        return NULL;
    }
    frame.epoch = (uint32_t)epoch;
    packets = PySequence_Fast(rows, "image_encode: packets is no list");
    if (!packets) return NULL;
    image_builder builder = {.used = FIRST_RUN, .run = NONE, .last = NONE};
    builder.bytes = PyBytes_FromStringAndSize(NULL, 4096);
    uint8_t flags = 0;
    int good = builder.bytes != NULL;
    for (Py_ssize_t i = 0; good && i < PySequence_Fast_GET_SIZE(packets); i++) {
        PyObject *packet = Py_NewRef(PySequence_Fast_GET_ITEM(packets, i));
        good = builder_append_tuple(&builder, packet, i, error, &flags) == 0;
        Py_DECREF(packet);
    }
    Py_DECREF(packets);
    if (flags & PACKET_DAMAGED) frame.flags = FRAME_DAMAGED;
    if (good) return builder_finish(&builder, &frame);
    Py_XDECREF(builder.bytes);
    return NULL;
}
