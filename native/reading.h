/* Reading frames, in the process that records and in any other. Included by ring.c.
 *
 * Nothing read is believed: another process may be overwriting it, or may have died, or the file
 * may be anybody's. So: copy, fence, look whether the tail has passed; and every offset is
 * checked against the frame, and every frame against the arena, before it is followed.
 */

static PyObject *say_evicted(Ring *self, uint64_t id)
{
    PyErr_Format(state_of((PyObject *)self)->evicted_error, "frame %llu is not held",
                 (unsigned long long)id);
    return NULL;
}

static int say_damaged(Ring *self, uint64_t at, const char *what)
{
    PyErr_Format(state_of((PyObject *)self)->damaged_error,
                 "the ring is damaged at offset %llu: %s", (unsigned long long)at, what);
    return -1;
}

/* What is wrong, and at which offset: for what runs without the interpreter. */
typedef struct {
    uint64_t at;
    const char *what;
} damage;

static inline int damaged_at(damage *found, uint64_t at, const char *what)
{
    *found = (damage){at, what};
    return -1;
}

/* Whether what was copied from `at` before this call is still the truth. */
static inline int held_in(const memory *m, uint64_t at)
{
    atomic_thread_fence(memory_order_acquire);
    return at >= tail_of(m);
}

static inline int still_held(const Ring *self, uint64_t at) { return held_in(&self->w.m, at); }

/* Copies a frame's header: 1, 0 if it is gone, -1 if it is damaged. */
static int frame_copy(const memory *m, uint64_t at, frame_header *into, damage *found)
{
    if (at == NONE || at < tail_of(m)) return 0;
    if (at & 7 || at % m->arena_size + sizeof *into > m->arena_size)
        return damaged_at(found, at, "a link leads to no place for a frame");
    memcpy((void *)into, (const void *)frame_at(m, at), sizeof *into);
    if (!held_in(m, at)) return 0;
    if (into->id == 0 || into->end < at + sizeof *into || into->end - at > m->arena_size
        || into->end & 7 || !isfinite(into->time) || !isfinite(into->delta))
        return damaged_at(found, at, "this is no frame");
    return 1;
}

static int frame_read(Ring *self, uint64_t at, frame_header *into)
{
    damage found = {0, ""};
    int held = frame_copy(&self->w.m, at, into, &found);
    return held < 0 ? say_damaged(self, found.at, found.what) : held;
}

static int newest_read(Ring *self, uint64_t *at, frame_header *into)
{
    if (self->closed) {
        PyErr_SetString(state_of((PyObject *)self)->evicted_error, "the ring is closed");
        return -1;
    }
    *at = newest_of(&self->w.m);
    int held = frame_read(self, *at, into);
    if (held == 0) { /* a writer can have lapped us between the two loads */
        *at = newest_of(&self->w.m);
        held = frame_read(self, *at, into);
    }
    return held;
}

/* Goes back from (at, frame) to the newest frame for which `later` is false. 1, 0 gone, -1. */
static int walk_back(Ring *self, uint64_t *at, frame_header *frame,
                     int (*later)(const frame_header *, double, uint64_t), double time,
                     uint64_t id)
{
    while (later(frame, time, id)) {
        frame_header candidate;
        int held = 0;
        if (frame->jump != NONE && frame->jump < *at) {
            held = frame_read(self, frame->jump, &candidate);
            if (held < 0) return -1;
            if (held && candidate.id >= frame->id)
                return say_damaged(self, frame->jump, "a skip link leads forward");
        }
        if (held && later(&candidate, time, id)) {
            *at = frame->jump;
            *frame = candidate;
            continue;
        }
        if (frame->previous == NONE || frame->previous >= *at) {
            if (frame->previous != NONE)
                return say_damaged(self, *at, "the link to the older frame leads forward");
            return 0;
        }
        held = frame_read(self, frame->previous, &candidate);
        if (held <= 0) return held;
        if (candidate.id + 1 != frame->id)
            return say_damaged(self, frame->previous, "frame ids do not count up by one");
        *at = frame->previous;
        *frame = candidate;
    }
    return 1;
}

static int later_than(const frame_header *frame, double time, uint64_t id)
{
    (void)id;
    return frame->time > time;
}

static int newer_than(const frame_header *frame, double time, uint64_t id)
{
    (void)time;
    return frame->id > id;
}

/* Finds a frame by its id: 1, or -1 with EvictedError or DamagedError set. */
static int frame_find(Ring *self, uint64_t id, uint64_t *at, frame_header *frame)
{
    if (self->seen_at != NONE && !self->closed && id - self->seen_id + 1 <= 2) {
        int held = frame_read(self, self->seen_at, frame);
        if (held < 0) return -1;
        *at = self->seen_at;
        if (held && frame->id == self->seen_id && id != frame->id) {
            uint64_t beside = id < frame->id ? frame->previous
                              : atomic_load_explicit(&frame->next, memory_order_acquire);
            held = id > frame->id && beside > newest_of(&self->w.m)
                       ? 0 : frame_read(self, beside, frame);
            if (held < 0) return -1;
            *at = beside;
        }
        if (held && frame->id == id) goto found;
    }
    int held = newest_read(self, at, frame);
    if (held < 0) return -1;
    if (!held || id > frame->id) goto gone;
    held = walk_back(self, at, frame, newer_than, 0, id);
    if (held < 0) return -1;
    if (!held || frame->id != id) goto gone;
found:
    self->seen_id = id;
    self->seen_at = *at;
    return 1;
gone:
    say_evicted(self, id);
    return -1;
}

/* Copies a run's header: 1, 0 if its frame is gone, -1 if it is damaged. */
static int run_copy(const memory *m, uint64_t start, const frame_header *frame, uint64_t at,
                    run_header *run, damage *found)
{
    uint64_t physical = at % m->arena_size;
    if (at & 7 || at < start + sizeof *frame || at + sizeof *run > frame->end
        || physical + sizeof *run > m->arena_size)
        return damaged_at(found, at, "a run lies outside its frame");
    memcpy(run, run_at(m, at), sizeof *run);
    if (!held_in(m, start)) return 0;
    uint64_t bytes = sizeof *run + (uint64_t)run->count * run->stride;
    if (!run->count || run->stride & 7 || run->stride < sizeof(packet_header) + (uint64_t)run->size
        || bytes > frame->end - at || physical + bytes > m->arena_size
        || (run->next && 8ull * run->next < bytes))
        return damaged_at(found, at, "a run contradicts itself");
    if ((run->flags & RUN_LATCHED) && run->size < sizeof(version_header))
        return damaged_at(found, at, "a latched packet is too short");
    return 1;
}

static int run_read(Ring *self, uint64_t start, const frame_header *frame, uint64_t at,
                    run_header *run)
{
    damage found = {0, ""};
    int held = run_copy(&self->w.m, start, frame, at, run, &found);
    return held < 0 ? say_damaged(self, found.at, found.what) : held;
}

/* A read-only array over memory that `owner` keeps alive. Takes over the descriptor. */
static PyObject *view_of(PyObject *owner, const uint8_t *data, int nd, npy_intp *dims,
                         npy_intp *strides, PyArray_Descr *descriptor)
{
    PyObject *array = PyArray_NewFromDescr(&PyArray_Type, descriptor, nd, dims, strides,
                                           (void *)(uintptr_t)data, 0, NULL);
    if (!array) return NULL;
    if (PyArray_SetBaseObject((PyArrayObject *)array, Py_NewRef(owner)) < 0) {
        Py_DECREF(array);
        return NULL;
    }
    return array;
}

/* (type, channels, flags, headers, payloads or None): views of a run's packets, of which `first`
 * is the first one, in memory that `owner` keeps alive. */
static PyObject *run_view(PyObject *owner, PyArray_Descr *packet, const uint8_t *first,
                          const run_header *run)
{
    npy_intp dims[2] = {run->count, run->size}, strides[2] = {run->stride, 1};
    Py_INCREF(packet);
    PyObject *headers = view_of(owner, first, 1, dims, strides, packet), *payloads;
    if (!headers) return NULL;
    if (run->size)
        payloads = view_of(owner, first + sizeof(packet_header), 2, dims, strides,
                           PyArray_DescrFromType(NPY_UINT8));
    else
        payloads = Py_NewRef(Py_None);
    if (!payloads) {
        Py_DECREF(headers);
        return NULL;
    }
    PyObject *tuple = PyTuple_New(5);
    if (!tuple) {
        Py_DECREF(headers);
        Py_DECREF(payloads);
        return NULL;
    }
    PyTuple_SET_ITEM(tuple, 0, PyLong_FromLong(run->type));
    PyTuple_SET_ITEM(tuple, 1, PyLong_FromUnsignedLong(run->channels));
    PyTuple_SET_ITEM(tuple, 2, PyLong_FromLong(run->flags));
    PyTuple_SET_ITEM(tuple, 3, headers);
    PyTuple_SET_ITEM(tuple, 4, payloads);
    return tuple;
}

/* Appends a packet, whose header was copied, to a list of such. 0 or -1. */
static int packet_list(PyObject *list, const packet_header *h, const run_header *run,
                       const uint8_t *payload)
{
    PyObject *item = Py_BuildValue(
        "(KHOB(ddd)(ddd)IHy#)", (unsigned long long)h->id, run->type,
        h->targetable ? Py_True : Py_False, h->flags, (double)h->position[0],
        (double)h->position[1], (double)h->position[2], (double)h->angles[0],
        (double)h->angles[1], (double)h->angles[2], run->channels, run->flags,
        (const char *)payload, (Py_ssize_t)run->size);
    int appended = item ? PyList_Append(list, item) : -1;
    Py_XDECREF(item);
    return appended;
}

static PyObject *run_packets(Ring *self, uint64_t at, const run_header *run, PyObject *list)
{
    const uint8_t *packet = place(&self->w.m, at) + sizeof *run;
    for (uint32_t i = 0; i < run->count; i++, packet += run->stride) {
        packet_header h;
        memcpy(&h, packet, sizeof h);
        if (packet_list(list, &h, run, packet + sizeof h) < 0) return NULL;
    }
    return list;
}

static int frame_verify(Ring *self, uint64_t id);

/* Whether a frame may be believed: 1, or -1 with DamagedError or EvictedError set. Of a ring that
 * lies in a file each frame is verified once; a ring of this process is believed. */
static int frame_whole(Ring *self, uint64_t id)
{
    if (!self->verifies) return 1;
    uint32_t *place = &self->whole[id % VERIFIED], known = (uint32_t)(id / VERIFIED + 1);
    if (*place == known) return 1;
    PyObject *error = state_of((PyObject *)self)->damaged_error;
    int whole = frame_verify(self, id);
    if (whole > 0) {
        *place = known;
        return 1;
    }
    if (whole == 0 || PyErr_ExceptionMatches(error))
        PyErr_Format(error, "frame %llu is damaged: its bytes do not match its checksum; other "
                            "frames can be read, and `playhead clip recover` saves them as a clip",
                     (unsigned long long)id);
    return -1;
}

/* Both kinds of reading a frame's runs: as views, or packet by packet as copies. */
static PyObject *frame_runs(Ring *self, uint64_t id, int copies)
{
    frame_header frame;
    uint64_t start;
    if (frame_find(self, id, &start, &frame) < 0 || frame_whole(self, id) < 0) return NULL;
    PyObject *list = PyList_New(0);
    uint64_t at = frame.runs;
    while (list && at != NONE) {
        run_header run;
        int held = run_read(self, start, &frame, at, &run);
        PyObject *done = NULL;
        if (held == 0) say_evicted(self, id);
        if (held > 0 && copies) done = Py_XNewRef(run_packets(self, at, &run, list));
        if (held > 0 && !copies) {
            done = run_view((PyObject *)self, state_of((PyObject *)self)->packet_dtype,
                            place(&self->w.m, at) + sizeof run, &run);
            if (done && PyList_Append(list, done) < 0) Py_CLEAR(done);
        }
        if (!done) Py_CLEAR(list);
        Py_XDECREF(done);
        at = run.next ? at + 8ull * run.next : NONE;
    }
    if (list && !still_held(self, start)) {
        say_evicted(self, id);
        Py_CLEAR(list);
    }
    return list;
}

static int frame_argument(PyObject *op, PyObject *value, uint64_t *id)
{
    return object_id(value, state_of(op)->evicted_error, id);
}

static PyObject *ring_runs(PyObject *op, PyObject *frame)
{
    uint64_t id;
    PyObject *result = NULL;
    if (frame_argument(op, frame, &id) < 0) return NULL;
    RING_LOCK(op)
    result = frame_runs((Ring *)op, id, 0);
    RING_UNLOCK()
    return result;
}

static PyObject *ring_packets(PyObject *op, PyObject *frame)
{
    uint64_t id;
    PyObject *result = NULL;
    if (frame_argument(op, frame, &id) < 0) return NULL;
    RING_LOCK(op)
    result = frame_runs((Ring *)op, id, 1);
    RING_UNLOCK()
    return result;
}

static PyObject *ring_find(PyObject *op, PyObject *value)
{
    Ring *self = (Ring *)op;
    double time = PyFloat_AsDouble(value);
    if (time == -1.0 && PyErr_Occurred()) return NULL;
    if (isnan(time)) {
        PyErr_SetString(state_of(op)->recording_error, "the time to find is not a number");
        return NULL;
    }
    PyObject *result = NULL;
    RING_LOCK(op)
    frame_header frame;
    uint64_t at;
    int held = newest_read(self, &at, &frame);
    if (held == 0)
        PyErr_SetString(state_of(op)->evicted_error, "no frame is held");
    else if (held > 0 && walk_back(self, &at, &frame, later_than, time, 0) >= 0) {
        self->seen_id = frame.id;
        self->seen_at = at;
        result = PyLong_FromUnsignedLongLong(frame.id);
    }
    RING_UNLOCK()
    return result;
}

/* (id, time, delta, packets, epoch, flags, offset, bytes) */
static PyObject *stamp_of(const frame_header *frame, uint64_t at)
{
    return Py_BuildValue("(KddIIIKK)", (unsigned long long)frame->id, frame->time, frame->delta,
                         frame->count, frame->epoch, frame->flags, (unsigned long long)at,
                         (unsigned long long)frame->bytes);
}

static PyObject *ring_stamp(PyObject *op, PyObject *value)
{
    uint64_t id, at;
    frame_header frame;
    PyObject *result = NULL;
    if (frame_argument(op, value, &id) < 0) return NULL;
    RING_LOCK(op)
    if (frame_find((Ring *)op, id, &at, &frame) > 0)
        result = stamp_of(&frame, at);
    RING_UNLOCK()
    return result;
}

/* Recomputes a frame's check: 1 whole, 0 not, -1 error. */
static int frame_verify(Ring *self, uint64_t id)
{
    frame_header frame;
    uint64_t start;
    if (frame_find(self, id, &start, &frame) < 0) return -1;
    uint32_t sum = check_frame(&frame), ordinal = 0;
    uint64_t packet = frame.packets, linked = NONE;
    for (uint64_t at = frame.runs; at != NONE;) {
        run_header run;
        int held = run_read(self, start, &frame, at, &run);
        if (held == 0) say_evicted(self, id);
        if (held <= 0) return -1;
        const uint8_t *first = place(&self->w.m, at) + sizeof run;
        for (uint32_t i = 0; i < run.count; i++) { /* the list must lead through the runs */
            packet_header h;
            memcpy(&h, first + (uint64_t)i * run.stride, sizeof h);
            uint64_t here = at + sizeof run + (uint64_t)i * run.stride;
            if (packet != here || h.type != run.type) goto broken;
            linked = here;
            packet = here + 8ull * h.next;
        }
        sum += check_run(&run, ordinal);
        sum += check_packets(first, run.count, run.stride, run.size, ordinal);
        ordinal += run.count;
        at = run.next ? at + 8ull * run.next : NONE;
    }
    if (sum == frame.check && ordinal == frame.count
        && (ordinal ? packet == linked : packet == NONE) && still_held(self, start))
        return 1;
broken: /* or overwritten meanwhile, which says nothing about it */
    if (still_held(self, start)) return 0;
    say_evicted(self, id);
    return -1;
}

static PyObject *ring_verify(PyObject *op, PyObject *value)
{
    uint64_t id;
    if (frame_argument(op, value, &id) < 0) return NULL;
    int whole = -1;
    RING_LOCK(op)
    whole = frame_verify((Ring *)op, id);
    RING_UNLOCK()
    return whole < 0 ? NULL : PyBool_FromLong(whole);
}

static PyObject *ring_holds(PyObject *op, PyObject *value)
{
    uint64_t id, at;
    frame_header frame;
    int held = 0;
    if (frame_argument(op, value, &id) < 0) return NULL;
    RING_LOCK(op)
    held = frame_find((Ring *)op, id, &at, &frame);
    if (held < 0 && PyErr_ExceptionMatches(state_of(op)->evicted_error)) {
        PyErr_Clear();
        held = 0;
    }
    RING_UNLOCK()
    return held < 0 ? NULL : PyBool_FromLong(held);
}

/* --- facts ------------------------------------------------------------------------------------ */

/* newest, oldest: (id, time) or None. */
static PyObject *ring_get_end(PyObject *op, void *oldest)
{
    Ring *self = (Ring *)op;
    PyObject *result = NULL;
    RING_LOCK(op)
    frame_header frame;
    uint64_t at;
    int held = self->closed ? 0 : newest_read(self, &at, &frame);
    for (int i = 0; held > 0 && oldest && i < 1000; i++) {
        at = tail_of(&self->w.m);
        uint64_t newest = newest_of(&self->w.m);
        held = newest < at ? 0 : frame_read(self, at, &frame);
        if (held || newest < at) break; /* the open frame can have taken the place of all others */
        held = 1; /* the writer moved on: take the new oldest */
    }
    if (held == 0) result = Py_NewRef(Py_None);
    if (held > 0) result = Py_BuildValue("(Kd)", (unsigned long long)frame.id, frame.time);
    RING_UNLOCK()
    return result;
}

static PyObject *ring_get_is_open(PyObject *op, void *Py_UNUSED(closure))
{
    return PyBool_FromLong(((Ring *)op)->w.open);
}

static PyObject *ring_get_open_packets(PyObject *op, void *Py_UNUSED(closure))
{
    return PyLong_FromUnsignedLong(((Ring *)op)->w.count);
}

/* The accounts: live + gap + waste = capacity at every moment. */
static PyObject *ring_get_accounts(PyObject *op, void *Py_UNUSED(closure))
{
    Ring *self = (Ring *)op;
    PyObject *result = NULL;
    RING_LOCK(op)
    const block_header *h = self->w.m.header;
    uint64_t used = h->head - tail_of(&self->w.m);
    result = Py_BuildValue(
        "{sKsKsKsKsKsKsKsKsKsKsKsKsKsKsi}", "total", (unsigned long long)h->total, "capacity",
        (unsigned long long)h->arena_size, "live", (unsigned long long)h->live, "gap",
        (unsigned long long)(h->arena_size - used), "waste", (unsigned long long)(used - h->live),
        "frames_recorded", (unsigned long long)h->frames_recorded, "frames_evicted",
        (unsigned long long)h->frames_evicted, "packets_recorded",
        (unsigned long long)h->packets_recorded, "packets_dropped",
        (unsigned long long)h->packets_dropped, "latch_capacity",
        (unsigned long long)(h->units * LINE), "latch_used",
        (unsigned long long)(h->latch_used * LINE), "latch_keys",
        (unsigned long long)h->entries_used, "latch_refused",
        (unsigned long long)h->latch_refused, "latch_evicted",
        (unsigned long long)self->w.m.evicted_early, "quarantined", self->w.held_count);
    RING_UNLOCK()
    return result;
}

static PyObject *ring_get_latch_evicted(PyObject *op, void *Py_UNUSED(closure))
{
    return PyLong_FromUnsignedLongLong(((Ring *)op)->w.m.evicted_early);
}

static PyObject *ring_get_finished(PyObject *op, void *Py_UNUSED(closure))
{
    const block_header *h = ((Ring *)op)->w.m.header;
    return PyBool_FromLong(atomic_load_explicit(&h->closed, memory_order_acquire) == 1);
}

#define READING_METHODS                                                                          \
    {"find", ring_find, METH_O, "find(time): the newest frame at or before it, clamped."},        \
    {"stamp", ring_stamp, METH_O,                                                                 \
     "stamp(frame) -> (id, time, delta, packets, epoch, flags, offset, bytes)"},                  \
    {"runs", ring_runs, METH_O,                                                                   \
     "runs(frame) -> [(type, channels, flags, headers, payloads)]: views of the ring itself"},    \
    {"packets", ring_packets, METH_O,                                                             \
     "packets(frame) -> [(id, type, targetable, flags, position, angles, channels, run flags, "   \
     "payload)]: copies"},                                                                        \
    {"holds", ring_holds, METH_O, "holds(frame): whether it can still be read"},                  \
    {"verify", ring_verify, METH_O, "verify(frame): whether its checksum and links are right"},

static PyGetSetDef reading_getset[] = {
    {"newest", ring_get_end, NULL, "(id, time) of the newest frame, or None.", NULL},
    {"oldest", ring_get_end, NULL, "(id, time) of the oldest frame, or None.", (void *)1},
    {"is_open", ring_get_is_open, NULL, "Whether a frame is being recorded.", NULL},
    {"open_packets", ring_get_open_packets, NULL, "Packets in the open frame.", NULL},
    {"accounts", ring_get_accounts, NULL, "Where every byte is, and what was counted.", NULL},
    {"latch_evicted", ring_get_latch_evicted, NULL,
     "Frames that were evicted early, to make room in the latch area.", NULL},
    {"finished", ring_get_finished, NULL, "Whether the writer left in good order.", NULL},
    {NULL, NULL, NULL, NULL, NULL},
};
