/* Reading frame images: see serialized_frame.h. `image_run` goes from run to run and checks each one. At
 * the end the frame's own checksum is compared.
 */
#include "python_methods.h"
#include "serialized_frame.h"

int image_damaged(const frame_image *image, uint64_t at, const char *what, ...)
{
    va_list values;
    va_start(values, what);
    PyObject *text = PyUnicode_FromFormatV(what, values);
    va_end(values);
    if (text)
        PyErr_Format(image->error, "the frame image is damaged at byte %llu: %U",
                     (unsigned long long)at, text);
    Py_XDECREF(text);
    return -1;
}

/* Copies an image's header and checks it. 0 or -1. */
int image_open(frame_image *image, const Py_buffer *buffer, PyObject *error)
{
    *image = (frame_image){.bytes = buffer->buf, .length = (uint64_t)buffer->len, .error = error,
                           .end = FIRST_RUN};
    frame_header *frame = &image->frame;
    uint64_t length = image->length;
    if (length < sizeof *frame || length & 7)
        return image_damaged(image, length, "it ends there: an image has a header of %zu bytes, "
                                            "and its length is a multiple of 8", sizeof *frame);
    memcpy((void *)frame, image->bytes, sizeof *frame);
    uint64_t run = length > FIRST_RUN ? FIRST_RUN : NONE;
    uint64_t packet = run == NONE ? NONE : run + sizeof(run_header);
#define AT(field) offsetof(frame_header, field)
    if (frame->bytes != length || frame->end != length)
        return image_damaged(image, frame->bytes != length ? AT(bytes) : AT(end),
                             "it says that the image has %llu bytes, but it has %llu",
                             (unsigned long long)(frame->bytes != length ? frame->bytes
                                                                         : frame->end),
                             (unsigned long long)length);
    if (frame->id == 0 || frame->id > MAX_ID)
        return image_damaged(image, AT(id), "frame id %llu is out of range: ids go from 1 to "
                                            "2**63-1", (unsigned long long)frame->id);
    if (frame->previous != NONE)
        return image_damaged(image, AT(previous), "an image has no older frame");
    if (atomic_load_explicit(&frame->next, memory_order_relaxed) != NONE)
        return image_damaged(image, AT(next), "an image has no newer frame");
    if (frame->jump != NONE)
        return image_damaged(image, AT(jump), "an image has no older frame to skip to");
    if (!isfinite(frame->time)) return image_damaged(image, AT(time), "the time is not finite");
    if (!isfinite(frame->delta) || frame->delta < 0)
        return image_damaged(image, AT(delta), "the delta is negative or not finite");
    if (frame->runs != run || frame->packets != packet)
        return image_damaged(image, frame->runs != run ? AT(runs) : AT(packets),
                             "the first run begins at byte %zu and its first packet at byte %zu, "
                             "or there is none", FIRST_RUN, FIRST_RUN + sizeof(run_header));
    return 0;
}

/* After the last run: whether the image is what its header says. 0 or -1. */
static int image_finish(const frame_image *image)
{
    const frame_header *frame = &image->frame;
    if (image->count != frame->count)
        return image_damaged(image, AT(count), "it says %u packets, but there are %llu",
                             frame->count, (unsigned long long)image->count);
    if (frame->check && frame->check != image->sum + check_frame(frame))
        return image_damaged(image, AT(check), "the bytes do not match the check %u; where none "
                                               "is computed it is 0", frame->check);
    return 0;
}
#undef AT

/* Copies and checks the next run's header: 1; 0 behind the last, when all is well; -1. */
int image_run(frame_image *image, run_header *run)
{
    uint64_t at = image->at = image->end, left = image->length - at;
    if (!left) return image_finish(image);
    if (left < sizeof *run)
        return image_damaged(image, at, "%llu bytes are left, too few for a run",
                             (unsigned long long)left);
    memcpy(run, image->bytes + at, sizeof *run);
    uint64_t stride = image_stride(run->size);
    if (run->stride != stride)
        return image_damaged(image, at, "a run of %u-byte payloads has a stride of %u, not %llu",
                             run->size, run->stride, (unsigned long long)stride);
    uint64_t bytes = sizeof *run + run->count * stride;
    if (!run->count || bytes > left)
        return image_damaged(image, at, "a run of %u packets, %llu bytes each, where %llu bytes "
                                        "are left for it and its header",
                             run->count, (unsigned long long)stride, (unsigned long long)left);
    if (8ull * run->next != (bytes == left ? 0 : bytes))
        return image_damaged(image, at, "the run's next says %u, where %llu steps of 8 bytes "
                                        "lead to the next run", run->next,
                             (unsigned long long)(bytes == left ? 0 : bytes / 8));
    if (run->flags & RUN_LATCHED && run->size < sizeof(version_header))
        return image_damaged(image, at, "a latched packet of %u bytes is too short", run->size);
    if (image->frame.check) {
        uint32_t ordinal = (uint32_t)image->count;
        image->sum += check_run(run, ordinal)
                      + check_packets(image->bytes + at + sizeof *run, run->count, stride,
                                      run->size, ordinal);
    }
    image->count += run->count;
    image->end = at + bytes;
    return 1;
}

/* Copies and checks the header of a packet of the run read last. 0 or -1. */
int image_packet(const frame_image *image, const run_header *run, uint32_t index,
                 packet_header *into)
{
    const uint8_t *from = image_packet_at(image, run, index);
    uint64_t at = (uint64_t)(from - image->bytes);
    memcpy(into, from, sizeof *into);
    uint64_t step = index + 1 < run->count ? run->stride
                    : image->end < image->length ? run->stride + sizeof *run
                                                 : 0;
    if (into->id > MAX_ID)
        return image_damaged(image, at, "object id %llu is out of range: ids go from 1 to "
                                        "2**63-1, 0 is the world", (unsigned long long)into->id);
    if (into->type != run->type)
        return image_damaged(image, at, "a packet of type %d in a run of type %d", into->type,
                             run->type);
    if (8ull * into->next != step)
        return image_damaged(image, at, "the packet's next says %u, where %llu steps of 8 bytes "
                                        "lead to the next packet", into->next,
                             (unsigned long long)(step / 8));
    return 0;
}

/* Reads an image to its end; with `list` its packets are appended. 0 or -1. */
static int image_read(frame_image *image, PyObject *list)
{
    run_header run;
    int more;
    while ((more = image_run(image, &run)) > 0)
        for (uint32_t i = 0; i < run.count; i++) {
            packet_header h;
            if (image_packet(image, &run, i, &h) < 0) return -1;
            if (list
                && packet_list(list, &h, &run, image_packet_at(image, &run, i) + sizeof h) < 0)
                return -1;
        }
    return more;
}

static PyObject *damaged_of(PyObject *module)
{
    return ((module_state *)PyModule_GetState(module))->damaged_error;
}

PyObject *module_image_stamp(PyObject *module, PyObject *object)
{
    Py_buffer buffer;
    frame_image image;
    if (PyObject_GetBuffer(object, &buffer, PyBUF_SIMPLE) < 0) return NULL;
    PyObject *result = NULL;
    if (image_open(&image, &buffer, damaged_of(module)) == 0) result = stamp_of(&image.frame, 0);
    PyBuffer_Release(&buffer);
    return result;
}

PyObject *module_image_packets(PyObject *module, PyObject *object)
{
    Py_buffer buffer;
    frame_image image;
    if (PyObject_GetBuffer(object, &buffer, PyBUF_SIMPLE) < 0) return NULL;
    PyObject *list = PyList_New(0);
    if (list
        && (image_open(&image, &buffer, damaged_of(module)) < 0 || image_read(&image, list) < 0))
        Py_CLEAR(list);
    PyBuffer_Release(&buffer);
    return list;
}

PyObject *module_image_verify(PyObject *module, PyObject *object)
{
    Py_buffer buffer;
    frame_image image;
    PyObject *error = damaged_of(module);
    if (PyObject_GetBuffer(object, &buffer, PyBUF_SIMPLE) < 0) return NULL;
    int whole = image_open(&image, &buffer, error) == 0 && image_read(&image, NULL) == 0;
    PyBuffer_Release(&buffer);
    if (!whole) {
        if (!PyErr_ExceptionMatches(error)) return NULL;
        PyErr_Clear();
    }
    return PyBool_FromLong(whole);
}

/* Views own an image's memory through a capsule of this name. With a memoryview instead, which is
 * reachable as their `base`, any code could release the memory under them. */
#define OWNER_NAME "playhead.native._ring.kept"

static void owner_release(PyObject *capsule)
{
    Py_buffer *buffer = PyCapsule_GetPointer(capsule, OWNER_NAME);
    PyBuffer_Release(buffer);
    PyMem_Free(buffer);
}

static PyObject *owner_of_buffer(PyObject *object, Py_buffer **buffer)
{
    *buffer = PyMem_Malloc(sizeof **buffer);
    if (!*buffer) return PyErr_NoMemory();
    if (PyObject_GetBuffer(object, *buffer, PyBUF_SIMPLE) < 0) {
        PyMem_Free(*buffer);
        return NULL;
    }
    PyObject *capsule = PyCapsule_New(*buffer, OWNER_NAME, owner_release);
    if (!capsule) {
        PyBuffer_Release(*buffer);
        PyMem_Free(*buffer);
    }
    return capsule;
}

PyObject *module_image_runs(PyObject *module, PyObject *object)
{
    module_state *state = PyModule_GetState(module);
    frame_image image;
    run_header run;
    Py_buffer *buffer;
    PyObject *owner = owner_of_buffer(object, &buffer);
    if (!owner) return NULL;
    PyObject *list = PyList_New(0);
    int more = list ? image_open(&image, buffer, state->damaged_error) : -1;
    while (more >= 0 && (more = image_run(&image, &run)) > 0) {
        packet_header h;
        for (uint32_t i = 0; more > 0 && i < run.count; i++)
            more = image_packet(&image, &run, i, &h) < 0 ? -1 : 1;
        if (more < 0) break;
        PyObject *view = run_view(owner, state->packet_dtype, image_packet_at(&image, &run, 0),
                                  &run);
        if (!view || PyList_Append(list, view) < 0) more = -1;
        Py_XDECREF(view);
        if (more < 0) break;
    }
    if (more < 0) Py_CLEAR(list);
    Py_DECREF(owner);
    return list;
}
