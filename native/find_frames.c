/* Finding frames, by id or by time, and verifying them: see find_frames.h for what a reader may
 * rely on. */
#include "python_methods.h"
#include "find_frames.h"

PyObject *raise_evicted(Ring *self, uint64_t id)
{
    PyErr_Format(state_of((PyObject *)self)->evicted_error, "frame %llu is not held",
                 (unsigned long long)id);
    return NULL;
}

int raise_damaged(Ring *self, uint64_t at, const char *what)
{
    PyErr_Format(state_of((PyObject *)self)->damaged_error,
                 "the ring is damaged at offset %llu: %s", (unsigned long long)at, what);
    return -1;
}

/* Copies a frame's header: 1, 0 if it is gone, -1 if it is damaged. */
int frame_copy(const memory *m, uint64_t at, frame_header *into, damage *fault)
{
    if (at == NONE || at < tail_of(m)) return 0;
    if (at & 7 || at % m->arena_size + sizeof *into > m->arena_size)
        return set_damage(fault, at, "a link leads outside of the frames");
    memcpy((void *)into, (const void *)frame_at(m, at), sizeof *into);
    if (!held_in_memory(m, at)) return 0;
    if (into->id == 0 || into->end < at + sizeof *into || into->end - at > m->arena_size
        || into->end & 7 || !isfinite(into->time) || !isfinite(into->delta))
        return set_damage(fault, at, "this is no frame");
    return 1;
}

int newest_read(Ring *self, uint64_t *at, frame_header *into)
{
    if (self->closed) {
        PyErr_SetString(state_of((PyObject *)self)->evicted_error, "the ring is closed");
        return -1;
    }
    *at = newest_of(&self->w.m);
    int found = frame_read(self, *at, into);
    if (found == 0) { /* the writer can have evicted it between the two loads */
        *at = newest_of(&self->w.m);
        found = frame_read(self, *at, into);
    }
    return found;
}

/* Goes back from (at, frame) to the newest frame for which `later` is false. 1, 0 gone, -1. */
static int walk_back(Ring *self, uint64_t *at, frame_header *frame,
                     int (*later)(const frame_header *, double, uint64_t), double time,
                     uint64_t id)
{
    while (later(frame, time, id)) {
        frame_header candidate;
        int found = 0;
        if (frame->jump != NONE && frame->jump < *at) {
            found = frame_read(self, frame->jump, &candidate);
            if (found < 0) return -1;
            if (found && candidate.id >= frame->id)
                return raise_damaged(self, frame->jump, "a skip link leads forward");
        }
        if (found && later(&candidate, time, id)) {
            *at = frame->jump;
            *frame = candidate;
            continue;
        }
        if (frame->previous == NONE || frame->previous >= *at) {
            if (frame->previous != NONE)
                return raise_damaged(self, *at, "the link to the older frame leads forward");
            return 0;
        }
        found = frame_read(self, frame->previous, &candidate);
        if (found <= 0) return found;
        if (candidate.id + 1 != frame->id)
            return raise_damaged(self, frame->previous, "frame ids do not count up by one");
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
int frame_find(Ring *self, uint64_t id, uint64_t *at, frame_header *frame)
{
    if (self->cached_at != NONE && !self->closed && id - self->cached_id + 1 <= 2) {
        int found = frame_read(self, self->cached_at, frame);
        if (found < 0) return -1;
        *at = self->cached_at;
        if (found && frame->id == self->cached_id && id != frame->id) {
            uint64_t beside = id < frame->id ? frame->previous
                              : atomic_load_explicit(&frame->next, memory_order_acquire);
            found = id > frame->id && beside > newest_of(&self->w.m)
                       ? 0 : frame_read(self, beside, frame);
            if (found < 0) return -1;
            *at = beside;
        }
        if (found && frame->id == id) goto fault;
    }
    int found = newest_read(self, at, frame);
    if (found < 0) return -1;
    if (!found || id > frame->id) goto gone;
    found = walk_back(self, at, frame, newer_than, 0, id);
    if (found < 0) return -1;
    if (!found || frame->id != id) goto gone;
fault:
    self->cached_id = id;
    self->cached_at = *at;
    return 1;
gone:
    raise_evicted(self, id);
    return -1;
}

/* Copies a run's header: 1, 0 if its frame is gone, -1 if it is damaged. */
int run_copy(const memory *m, uint64_t start, const frame_header *frame, uint64_t at,
             run_header *run, damage *fault)
{
    uint64_t physical = at % m->arena_size;
    if (at & 7 || at < start + sizeof *frame || at + sizeof *run > frame->end
        || physical + sizeof *run > m->arena_size)
        return set_damage(fault, at, "a run lies outside its frame");
    memcpy(run, run_at(m, at), sizeof *run);
    if (!held_in_memory(m, start)) return 0;
    uint64_t bytes = sizeof *run + (uint64_t)run->count * run->stride;
    if (!run->count || run->stride & 7 || run->stride < sizeof(packet_header) + (uint64_t)run->size
        || bytes > frame->end - at || physical + bytes > m->arena_size
        || (run->next && 8ull * run->next < bytes))
        return set_damage(fault, at, "a run contradicts itself");
    if ((run->flags & RUN_LATCHED) && run->size < sizeof(version_header))
        return set_damage(fault, at, "a latched packet is too short");
    return 1;
}

int run_read(Ring *self, uint64_t start, const frame_header *frame, uint64_t at,
             run_header *run)
{
    damage fault = {0, ""};
    int found = run_copy(&self->w.m, start, frame, at, run, &fault);
    return found < 0 ? raise_damaged(self, fault.at, fault.what) : found;
}

/* Recomputes a frame's checksum: 1 if the frame is intact, 0 if not, -1 on an error. */
static int frame_verify(Ring *self, uint64_t id)
{
    frame_header frame;
    uint64_t start;
    if (frame_find(self, id, &start, &frame) < 0) return -1;
    uint32_t sum = check_frame(&frame), ordinal = 0;
    uint64_t packet = frame.packets, linked = NONE;
    for (uint64_t at = frame.runs; at != NONE;) {
        run_header run;
        int found = run_read(self, start, &frame, at, &run);
        if (found == 0) raise_evicted(self, id);
        if (found <= 0) return -1;
        const uint8_t *first = address_at(&self->w.m, at) + sizeof run;
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
broken: /* or overwritten meanwhile: then it is not damaged */
    if (still_held(self, start)) return 0;
    raise_evicted(self, id);
    return -1;
}

/* Whether a frame can be trusted. Each frame of a ring file is verified once; a ring of this
 * process is trusted. */
int frame_whole(Ring *self, uint64_t id)
{
    if (!self->verifies) return 1;
    uint32_t *slot = &self->whole_frames[id % VERIFIED_FRAMES];
    uint32_t known = (uint32_t)(id / VERIFIED_FRAMES + 1);
    if (*slot == known) return 1;
    PyObject *error = state_of((PyObject *)self)->damaged_error;
    int whole = frame_verify(self, id);
    if (whole > 0) {
        *slot = known;
        return 1;
    }
    if (whole == 0 || PyErr_ExceptionMatches(error))
        PyErr_Format(error, "frame %llu is damaged: its bytes do not match its checksum; other "
                            "frames can be read, and `playhead clip recover` saves them as a clip",
                     (unsigned long long)id);
    return -1;
}

int frame_argument(PyObject *op, PyObject *value, uint64_t *id)
{
    return object_id(value, state_of(op)->evicted_error, id);
}

PyObject *ring_find(PyObject *op, PyObject *value)
{
    Ring *self = (Ring *)op;
    double time = PyFloat_AsDouble(value);
    if (time == -1.0 && PyErr_Occurred()) return NULL;
    if (isnan(time)) {
        PyErr_SetString(state_of(op)->recording_error, "time nan: give a number of seconds");
        return NULL;
    }
    PyObject *result = NULL;
    RING_LOCK(op)
    frame_header frame;
    uint64_t at;
    int found = newest_read(self, &at, &frame);
    if (found == 0)
        PyErr_SetString(state_of(op)->evicted_error, "no frame is held");
    else if (found > 0 && walk_back(self, &at, &frame, later_than, time, 0) >= 0) {
        self->cached_id = frame.id;
        self->cached_at = at;
        result = PyLong_FromUnsignedLongLong(frame.id);
    }
    RING_UNLOCK()
    return result;
}

/* (id, time, delta, packets, epoch, flags, offset, bytes) */
PyObject *stamp_of(const frame_header *frame, uint64_t at)
{
    return Py_BuildValue("(KddIIIKK)", (unsigned long long)frame->id, frame->time, frame->delta,
                         frame->count, frame->epoch, frame->flags, (unsigned long long)at,
                         (unsigned long long)frame->bytes);
}

PyObject *ring_stamp(PyObject *op, PyObject *value)
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

PyObject *ring_verify(PyObject *op, PyObject *value)
{
    uint64_t id;
    if (frame_argument(op, value, &id) < 0) return NULL;
    int whole = -1;
    RING_LOCK(op)
    whole = frame_verify((Ring *)op, id);
    RING_UNLOCK()
    return whole < 0 ? NULL : PyBool_FromLong(whole);
}

PyObject *ring_holds(PyObject *op, PyObject *value)
{
    uint64_t id, at;
    frame_header frame;
    int found = 0;
    if (frame_argument(op, value, &id) < 0) return NULL;
    RING_LOCK(op)
    found = frame_find((Ring *)op, id, &at, &frame);
    if (found < 0 && PyErr_ExceptionMatches(state_of(op)->evicted_error)) {
        PyErr_Clear();
        found = 0;
    }
    RING_UNLOCK()
    return found < 0 ? NULL : PyBool_FromLong(found);
}
