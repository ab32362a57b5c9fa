/* Recording latched packets: state that stays true until it is replaced or its object ends.
 * latched_state_store.h explains how it outlives its frame.
 */
#include "python_methods.h"
#include "ring_object.h"

static int latch_one(writer *w, uint64_t object, uint16_t type, uint32_t channels, uint16_t kind,
                     uint64_t key, const void *bytes, uint64_t size, uint16_t flags)
{
    uint8_t *payload = latch_append(w, object, type, channels, kind, key, size, flags);
    if (!payload) return 0;
    uint64_t whole = size & ~7ull;
    if (size & 7) memset(payload + whole, 0, 8);
    if (size) memcpy(payload, bytes, size);
    version_written(w);
    return 1;
}

PyObject *ring_latch(PyObject *op, PyObject *args)
{
    Ring *self = (Ring *)op;
    PyObject *object;
    long long type, channels, kind;
    unsigned long long key;
    Py_buffer payload;
    if (!PyArg_ParseTuple(args, "OLLLKy*:latch", &object, &type, &channels, &kind, &key, &payload))
        return NULL;
    int result = -1;
    RING_LOCK(op)
    uint64_t id;
    PyObject *error = state_of(op)->recording_error;
    if (object_id(object, error, &id) == 0 && in_range(type, UINT16_MAX, "type", error)
        && in_range(channels, UINT32_MAX, "channels", error)
        && in_range(kind, UINT16_MAX, "kind", error) && has_open_frame(self))
        result = latch_one(&self->w, id, (uint16_t)type, (uint32_t)channels, (uint16_t)kind, key,
                           payload.buf, (uint64_t)payload.len, 0);
    RING_UNLOCK()
    PyBuffer_Release(&payload);
    return result < 0 ? NULL : PyBool_FromLong(result);
}

PyObject *ring_reserve(PyObject *op, PyObject *args)
{
    Ring *self = (Ring *)op;
    PyObject *object;
    long long kind, bytes;
    unsigned long long key;
    if (!PyArg_ParseTuple(args, "OLKL:reserve", &object, &kind, &key, &bytes)) return NULL;
    int result = -1;
    RING_LOCK(op)
    uint64_t id;
    PyObject *error = state_of(op)->recording_error;
    if (object_id(object, error, &id) == 0 && in_range(kind, UINT16_MAX, "kind", error)
        && in_range(bytes, UINT32_MAX, "bytes", error) && may_record(self))
        result = entry_reserve_always(&self->w.m, id, (uint32_t)kind, key,
                                      version_bytes((uint64_t)bytes));
    RING_UNLOCK()
    return result < 0 ? NULL : PyBool_FromLong(result);
}

PyObject *ring_despawn(PyObject *op, PyObject *args)
{
    Ring *self = (Ring *)op;
    PyObject *object;
    long long type, kind = -1;
    if (!PyArg_ParseTuple(args, "OL|L:despawn", &object, &type, &kind)) return NULL;
    long long ended = -1;
    RING_LOCK(op)
    uint64_t id;
    memory *m = &self->w.m;
    PyObject *error = state_of(op)->recording_error;
    if (object_id(object, error, &id) == 0 && in_range(type, UINT16_MAX, "type", error)
        && has_open_frame(self)) {
        ended = 0;
        struct { uint64_t key; uint16_t kind; } *keys = NULL;
        size_t count = 0, room = 0;
        uint32_t index = m->bucket_count
                             ? m->by_object[mix(id) % m->bucket_count] : 0;
        for (; index; index = m->entries[index - 1].next_object) {
            const entry_header *entry = &m->entries[index - 1];
            if (entry->object != id || (kind >= 0 && entry->kind != (uint64_t)kind)
                || !entry_holds(&self->w, entry))
                continue;
            if (count == room) {
                room = room ? 2 * room : 16;
                void *grown = PyMem_Realloc(keys, room * sizeof *keys);
                if (!grown) { ended = -1; PyErr_NoMemory(); break; }
                keys = grown;
            }
            keys[count].key = entry->key;
            keys[count++].kind = (uint16_t)entry->kind;
        }
        for (size_t i = 0; ended >= 0 && i < count; i++)
            ended += latch_one(&self->w, id, (uint16_t)type, 0, keys[i].kind, keys[i].key, NULL, 0,
                               VERSION_TOMBSTONE);
        PyMem_Free(keys);
    }
    RING_UNLOCK()
    return ended < 0 ? NULL : PyLong_FromLongLong(ended);
}
