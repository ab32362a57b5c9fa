/* Recording packets whose payload is given: one (`record`), or a list of them (`record_list`).
 *
 * This is the path of a game that records object by object. Parsing a row, appending a packet and
 * computing its checksum are inlined into one another, and nothing is allocated.
 */
#include "python_methods.h"
#include "record_packets.h"

int append_damaged(writer *w, uint64_t id, uint16_t type, uint32_t channels)
{
    uint64_t at;
    packet_header *packet = packet_append(w, type, channels, 0, &at);
    w->flags |= FRAME_DAMAGED;
    if (!packet) {
        count_dropped(w, 1);
        return 0;
    }
    *packet = (packet_header){.id = id, .type = type, .flags = PACKET_DAMAGED};
    packet_written(w, packet, at, 0);
    return 1;
}

static inline int row_write(Ring *self, const row_header *row, const void *payload, uint64_t size)
{
    writer *w = &self->w;
    if (!has_open_frame(self)) return -1; /* converting a number can run any code, commit() too */
    uint64_t at;
    packet_header *packet = packet_append(w, row->type, row->channels, size, &at);
    if (!packet) {
        count_dropped(w, 1);
        return 0;
    }
    header_write((uint8_t *)packet, row->id, header_word(row->type, row->targetable, 0, 0),
                 row->position, row->angles);
    if (size < ALIGNED_FROM) {
        if (size) memcpy(packet + 1, payload, size);
        packet_written(w, packet, at, size);
        return 1;
    }
    w->check += copy_payload((uint8_t *)(packet + 1), payload, size,
                             check_header((const uint8_t *)packet, w->count));
    packets_linked(w, packet, at, 1, 0);
    return 1;
}

/* A function of its own, so that rows without a payload need no buffer. */
static int row_write_payload(Ring *self, const row_header *row, PyObject *object)
{
    Py_buffer payload;
    if (PyObject_GetBuffer(object, &payload, PyBUF_SIMPLE) < 0) return -1;
    int result = row_write(self, row, payload.buf, (uint64_t)payload.len);
    PyBuffer_Release(&payload);
    return result;
}

/* Records one row: id, type, targetable, position, angles, payload or NULL. 1, 0 dropped, -1. */
static inline int record_row(Ring *self, PyObject *error, PyObject *const *row, Py_ssize_t n,
                             uint32_t channels)
{
    row_header header = {.channels = channels};
    uint64_t type;
    if (object_id(row[0], error, &header.id) < 0) return -1;
    if (whole_number(row[1], UINT16_MAX, "type", error, &type) < 0) return -1;
    int targetable = row[2] == Py_True ? 1 : row[2] == Py_False ? 0 : PyObject_IsTrue(row[2]);
    if (targetable < 0) return -1;
    header.type = (uint16_t)type;
    header.targetable = (uint8_t)targetable;
    if (vector_read(header.position, row[3], "position") < 0) return -1;
    if (vector_read(header.angles, row[4], "angles") < 0) return -1;
    if (n > 5 && row[5] != Py_None) {
        row_header copy = header; /* so that `header` itself stays in registers */
        return row_write_payload(self, &copy, row[5]);
    }
    return row_write(self, &header, NULL, 0);
}

PyObject *ring_record(PyObject *op, PyObject *const *args, Py_ssize_t n)
{
    Ring *self = (Ring *)op;
    if (n < 5 || n > 7) {
        PyErr_SetString(PyExc_TypeError, "record(id, type, targetable, position, angles, "
                                         "payload=None, channels=0)");
        return NULL;
    }
    int result = -1;
    RING_LOCK(op)
    PyObject *error = state_of(op)->recording_error;
    uint64_t channels = 0;
    if (has_open_frame(self)
        && (n < 7 || !whole_number(args[6], UINT32_MAX, "channels", error, &channels)))
        result = record_row(self, error, args, n, (uint32_t)channels);
    RING_UNLOCK()
    return result < 0 ? NULL : Py_NewRef(result ? Py_True : Py_False);
}

PyObject *ring_record_list(PyObject *op, PyObject *const *args, Py_ssize_t n)
{
    Ring *self = (Ring *)op;
    if (n < 1 || n > 2) {
        PyErr_SetString(PyExc_TypeError, "record_list(rows, channels=0)");
        return NULL;
    }
    PyObject *rows = PySequence_Fast(args[0], "record_list: rows is no list");
    if (!rows) return NULL;
    long long recorded = 0;
    RING_LOCK(op)
    PyObject *error = state_of(op)->recording_error;
    uint64_t channels = 0;
    if (!has_open_frame(self)
        || (n > 1 && whole_number(args[1], UINT32_MAX, "channels", error, &channels) < 0))
        recorded = -1;
    for (Py_ssize_t i = 0; recorded >= 0 && i < PySequence_Fast_GET_SIZE(rows); i++) {
        PyObject *row = PySequence_Fast_GET_ITEM(rows, i);
        int result = -1;
        if (!PyTuple_Check(row) || PyTuple_GET_SIZE(row) < 5 || PyTuple_GET_SIZE(row) > 6)
            PyErr_Format(error, "row %zd is not a tuple (id, type, targetable, position, angles"
                                "[, payload]): %R", i, row);
        else {
            Py_INCREF(row);
            result = record_row(self, error, &PyTuple_GET_ITEM(row, 0), PyTuple_GET_SIZE(row),
                                (uint32_t)channels);
            Py_DECREF(row);
        }
        recorded = result < 0 ? -1 : recorded + result;
    }
    RING_UNLOCK()
    Py_DECREF(rows);
    return recorded < 0 ? NULL : PyLong_FromLongLong(recorded);
}
