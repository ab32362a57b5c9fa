/* Reading latched state: what was true at a frame, and its versions.
 *
 * Frames are read as find_frames.h describes. In addition, a reader loads an entry's generation
 * first and compares it afterwards: if it has changed, everything is read again. Only the process
 * that records may follow the chains of the table; others scan all entries.
 */
#include "python_methods.h"
#include "find_frames.h"

/* A latched packet as read: where its run's header and bytes were copied to. */
typedef struct {
    run_header run;
    packet_header packet;
    version_header version;
    const uint8_t *payload; /* borrowed: to be copied, then checked */
    uint64_t size;
    uint64_t at; /* offset in the arena, or NONE: in the latch area */
} latched_packet;

/* Whether the run at `from`, with `room` bytes behind it, is a latched packet of this key. */
static int latched_parse(const uint8_t *from, uint64_t room, const latched_key *key,
                         latched_packet *into)
{
    if (room < sizeof into->run + sizeof into->packet + sizeof into->version) return 0;
    memcpy(&into->run, from, sizeof into->run);
    memcpy(&into->packet, from + sizeof into->run, sizeof into->packet);
    memcpy(&into->version, from + sizeof into->run + sizeof into->packet, sizeof into->version);
    if (into->run.size < sizeof into->version || run_bytes(&into->run) > room) return 0;
    into->payload = from + sizeof into->run + sizeof into->packet + sizeof into->version;
    into->size = into->run.size - sizeof into->version;
    return into->packet.id == key->object && into->version.key == key->key
           && into->version.kind == key->kind;
}

enum { BASE_DAMAGED = -1, VERSION_DAMAGED = -2 };

/* Whether a version in the arena can be trusted: it lies in the frame that it names, and that
 * frame is intact. A version of the frame that is not finished, which a killed process may have left, is
 * trusted too. So is one that is evicted meanwhile; the caller checks for that afterwards. */
static int version_whole(Ring *self, const latched_packet *v)
{
    uint64_t start, newest = NONE;
    frame_header frame;
    if (!self->verifies || v->at == NONE) return 1;
    while (newest != newest_of(&self->w.m)) { /* again if its frame may have been finished since */
        newest = newest_of(&self->w.m);
        if (frame_find(self, v->version.frame, &start, &frame) > 0 && v->at > start
            && v->at < frame.end && frame_whole(self, v->version.frame) > 0)
            return 1;
        PyErr_Clear();
        int found = newest_read(self, &start, &frame);
        PyErr_Clear();
        if (found == 0 || (found > 0 && v->at >= frame.end) || !still_held(self, v->at)) return 1;
    }
    return 0;
}

/* Reads the version at an offset of the arena: 1, or 0 if it is gone or not this key's. */
static int version_read(Ring *self, const latched_key *key, uint64_t at, latched_packet *into)
{
    const memory *m = &self->w.m;
    into->at = at;
    if (at == NONE || at & 7 || at < tail_of(m)) return 0;
    uint64_t physical = at % m->arena_size;
    return latched_parse(m->arena + physical, m->arena_size - physical, key, into)
           && still_held(self, at);
}

/* Reads the newest evicted version: 1, 0 if there is none, BASE_DAMAGED, also if it is torn. */
static int base_read(Ring *self, const entry_header *entry, const latched_key *key,
                     latched_packet *into)
{
    const memory *m = &self->w.m;
    uint64_t base = atomic_load_explicit(&entry->base, memory_order_acquire);
    into->at = NONE;
    if (!base) return 0;
    if (base > m->units) return BASE_DAMAGED;
    const uint8_t *from = unit_at(m, base - 1);
    if (!latched_parse(from, (m->units - base + 1) * LINE, key, into)) return BASE_DAMAGED;
    return slot_check(&into->run, from + sizeof into->run) == into->run.next ? 1 : BASE_DAMAGED;
}

/* Reads the version before one that was read: as version_read, or VERSION_DAMAGED. A link that
 * leads to a version of the same key is good, even out of a frame that is damaged; one that leads
 * nowhere proves nothing. */
static int version_before(Ring *self, const latched_key *key, latched_packet *v)
{
    uint64_t at = v->version.previous < v->at ? v->version.previous : NONE;
    int whole = version_whole(self, v), found = version_read(self, key, at, v);
    if (!self->verifies || found) return found;
    if (whole && (at == NONE || !still_held(self, at))) return 0;
    v->at = NONE; /* the version is not there: nothing was copied from it */
    return VERSION_DAMAGED;
}

/* The version of an entry that was true at a frame: 1, 0 if there is none, or what is damaged. */
static int version_at(Ring *self, const entry_header *entry, const latched_key *key,
                      uint64_t frame, latched_packet *into)
{
    uint64_t at = atomic_load_explicit(&entry->newest, memory_order_acquire);
    latched_packet candidate;
    int found = version_read(self, key, at, into);
    if (!found && self->verifies && at != NONE && still_held(self, at)) return VERSION_DAMAGED;
    while (found > 0) {
        if (into->version.frame <= frame) {
            if (!version_whole(self, into)) return VERSION_DAMAGED;
            return !(into->version.flags & VERSION_TOMBSTONE);
        }
        uint64_t jump = into->version.jump;
        if (jump != NONE && jump < into->at && version_read(self, key, jump, &candidate)
            && candidate.version.frame > frame && version_whole(self, &candidate))
            *into = candidate;
        else
            found = version_before(self, key, into);
    }
    if (found < 0) return found;
    found = base_read(self, entry, key, into);
    return found > 0 ? into->version.frame <= frame : found;
}

static PyObject *version_object(const latched_packet *v)
{
    return Py_BuildValue("(KHy#)", (unsigned long long)v->version.frame, v->run.type,
                         (const char *)v->payload, (Py_ssize_t)v->size);
}

static PyObject *named_version_object(const latched_key *key, const latched_packet *v)
{
    return Py_BuildValue("(KIKKHy#)", (unsigned long long)key->object, key->kind,
                         (unsigned long long)key->key, (unsigned long long)v->version.frame,
                         v->run.type, (const char *)v->payload, (Py_ssize_t)v->size);
}

/* Finds an entry without trusting the chains, which only the writer may follow. */
static const entry_header *entry_look_up(Ring *self, const latched_key *key)
{
    const memory *m = &self->w.m;
    if (self->writable) return entry_find(m, key->object, key->kind, key->key);
    for (uint64_t i = 0; i < m->entry_count; i++) {
        const entry_header *entry = &m->entries[i];
        if (entry->object == key->object && entry->kind == key->kind && entry->key == key->key
            && atomic_load_explicit(&entry->generation, memory_order_acquire) & 1)
            return entry;
    }
    return NULL;
}

/* The entry's generation and its key: the start of reading it. Odd if it is in use. */
static uint32_t entry_begin_read(const entry_header *entry, latched_key *key)
{
    uint32_t generation = atomic_load_explicit(&entry->generation, memory_order_acquire);
    *key = (latched_key){entry->object, entry->key, entry->kind};
    return generation;
}

/* Whether nothing that was copied since entry_begin_read was overwritten: `at` is the oldest
 * offset in the arena that was read, or NONE. */
static int entry_unchanged(const Ring *self, const entry_header *entry, uint32_t generation,
                           uint64_t at)
{
    atomic_thread_fence(memory_order_acquire);
    return generation == atomic_load_explicit(&entry->generation, memory_order_relaxed)
           && still_held(self, at);
}

static int raise_latched_damaged(Ring *self, const latched_key *key, int found)
{
    if (found == VERSION_DAMAGED)
        PyErr_Format(state_of((PyObject *)self)->damaged_error,
                     "what object %llu had latched (kind %u, key %llu) stands in a frame that is "
                     "damaged: other frames can be read, and `playhead clip recover` saves them as "
                     "a clip",
                     (unsigned long long)key->object, key->kind, (unsigned long long)key->key);
    else
        PyErr_Format(state_of((PyObject *)self)->damaged_error,
                     "the latch area is damaged: what object %llu had latched (kind %u, key "
                     "%llu) does not match its check",
                     (unsigned long long)key->object, key->kind, (unsigned long long)key->key);
    return -1;
}

/* The value of an entry at the frame `id`, which begins at `start`; None if it has none.
 * `required` is the key that the entry must have; without it the value includes its key. */
static PyObject *entry_value(Ring *self, const entry_header *entry, const latched_key *required,
                             uint64_t start, uint64_t id)
{
    do { /* again if a live writer changed the entry or evicted the version meanwhile */
        latched_key key;
        latched_packet v = {.at = NONE};
        uint32_t generation = entry_begin_read(entry, &key);
        uint64_t newest = atomic_load_explicit(&entry->newest, memory_order_acquire);
        int found = 0;
        if (generation & 1
            && (!required || (key.object == required->object && key.kind == required->kind
                              && key.key == required->key)))
            found = version_at(self, entry, &key, id, &v);
        PyObject *value = found <= 0 ? Py_NewRef(Py_None)
                          : required  ? version_object(&v)
                                    : named_version_object(&key, &v);
        if (!value) return NULL;
        if (found == VERSION_DAMAGED /* or the writer aborted its frame, or evicted the version */
            && (newest != atomic_load_explicit(&entry->newest, memory_order_acquire)
                || !still_held(self, start))) {
            Py_DECREF(value);
            continue;
        }
        if (entry_unchanged(self, entry, generation, v.at)) {
            /* latched_all goes on: reading the frame itself will report the damage. */
            if (found >= 0 || (found == VERSION_DAMAGED && !required)) return value;
            Py_DECREF(value);
            raise_latched_damaged(self, &key, found);
            return NULL;
        }
        Py_DECREF(value);
    } while (still_held(self, start));
    return raise_evicted(self, id);
}

PyObject *ring_latched(PyObject *op, PyObject *args)
{
    Ring *self = (Ring *)op;
    PyObject *frame_given, *object, *result = NULL, *error = state_of(op)->recording_error;
    unsigned long long key;
    long long kind;
    uint64_t frame, id, at;
    if (!PyArg_ParseTuple(args, "OOLK:latched", &frame_given, &object, &kind, &key)
        || frame_argument(op, frame_given, &frame) < 0 || object_id(object, error, &id) < 0
        || !in_range(kind, UINT16_MAX, "kind", error))
        return NULL;
    RING_LOCK(op)
    frame_header header;
    if (frame_find(self, frame, &at, &header) > 0) {
        latched_key required = {id, key, (uint32_t)kind};
        const entry_header *entry = entry_look_up(self, &required);
        result = entry ? entry_value(self, entry, &required, at, frame) : Py_NewRef(Py_None);
        if (result && !still_held(self, at)) {
            Py_CLEAR(result);
            raise_evicted(self, frame);
        }
    }
    RING_UNLOCK()
    return result;
}

/* [(object, kind, key, frame, type, payload)]: all that was latched at a frame, in no order. */
PyObject *ring_latched_all(PyObject *op, PyObject *value)
{
    Ring *self = (Ring *)op;
    const memory *m = &self->w.m;
    uint64_t id, at;
    PyObject *list = NULL;
    if (frame_argument(op, value, &id) < 0) return NULL;
    RING_LOCK(op)
    frame_header header;
    if (frame_find(self, id, &at, &header) > 0) list = PyList_New(0);
    for (uint64_t i = 0; list && i < m->entry_count; i++) {
        const entry_header *entry = &m->entries[i];
        if (!(atomic_load_explicit(&entry->generation, memory_order_acquire) & 1)) continue;
        PyObject *item = entry_value(self, entry, NULL, at, id);
        if (!item || (item != Py_None && PyList_Append(list, item) < 0)) Py_CLEAR(list);
        Py_XDECREF(item);
    }
    if (list && !still_held(self, at)) {
        Py_CLEAR(list);
        raise_evicted(self, id);
    }
    RING_UNLOCK()
    return list;
}

/* Appends the versions that began at or before a frame: 1, 0 if a live writer was in the way.
 * Those in frames that are damaged are left out, and where the chain is broken it ends. */
static int versions_append(Ring *self, const entry_header *entry, const latched_key *required,
                           uint64_t frame, Py_ssize_t limit, PyObject *list)
{
    latched_key key;
    uint32_t generation = entry_begin_read(entry, &key);
    uint64_t here = atomic_load_explicit(&entry->newest, memory_order_acquire), oldest = NONE;
    uint64_t newest = here;
    uint64_t began = UINT64_MAX;
    int found = 1, broken = 0;
    latched_packet v;
    if (!(generation & 1) || key.object != required->object || key.kind != required->kind
        || key.key != required->key)
        return entry_unchanged(self, entry, generation, NONE);
    int has_base = !version_read(self, &key, here, &v);
    while (found > 0 && PyList_GET_SIZE(list) < limit) {
        if (has_base) {
            if (self->verifies && here != NONE && still_held(self, here)) {
                broken = 1;
                break;
            }
            found = base_read(self, entry, &key, &v);
            /* Skips a base whose version is also in the arena: its frame is just being evicted. */
            if (found <= 0 || v.version.frame >= began) break;
        } else
            oldest = here;
        began = v.version.frame;
        if (began <= frame && version_whole(self, &v)) {
            PyObject *item = v.version.flags & VERSION_TOMBSTONE
                                 ? Py_BuildValue("(KHO)", (unsigned long long)began, v.run.type,
                                                 Py_None)
                                 : version_object(&v);
            int appended = item ? PyList_Append(list, item) : -1;
            Py_XDECREF(item);
            if (appended < 0) return -1;
        }
        if (has_base) break;
        here = v.version.previous < here ? v.version.previous : NONE;
        int before = version_before(self, &key, &v);
        broken = before < 0;
        if (broken) break;
        has_base = !before;
    }
    if (broken && newest != atomic_load_explicit(&entry->newest, memory_order_acquire)) return 0;
    if (!entry_unchanged(self, entry, generation, oldest)) return 0;
    return found < 0 ? raise_latched_damaged(self, &key, found) : 1;
}

/* [(frame, type, payload)]: up to `limit` versions that began at or before a frame, newest first;
 * one whose payload is None ended the key. */
PyObject *ring_versions(PyObject *op, PyObject *args)
{
    Ring *self = (Ring *)op;
    PyObject *frame_given, *object, *list = NULL, *error = state_of(op)->recording_error;
    unsigned long long key;
    long long kind;
    Py_ssize_t limit;
    uint64_t frame, id, at;
    if (!PyArg_ParseTuple(args, "OOLKn:versions", &frame_given, &object, &kind, &key, &limit)
        || frame_argument(op, frame_given, &frame) < 0 || object_id(object, error, &id) < 0
        || !in_range(kind, UINT16_MAX, "kind", error))
        return NULL;
    RING_LOCK(op)
    frame_header header;
    if (frame_find(self, frame, &at, &header) > 0) {
        latched_key required = {id, key, (uint32_t)kind};
        const entry_header *entry = entry_look_up(self, &required);
        int done = 0;
        while (!done && still_held(self, at)) {
            Py_XSETREF(list, PyList_New(0));
            done = !list  ? -1
                   : entry ? versions_append(self, entry, &required, frame, limit, list)
                           : 1;
        }
        if (done <= 0 || !still_held(self, at)) Py_CLEAR(list);
        if (!list && done >= 0) raise_evicted(self, frame);
    }
    RING_UNLOCK()
    return list;
}
