/* Reading frames, in the process that records and in any other.
 *
 * Readers trust no byte. Another process may be overwriting it or may have died, or the file may
 * not be a ring at all. Therefore a reader copies, fences, and checks whether the tail has passed.
 * Every offset is checked against its frame, and every frame against the arena, before the reader
 * follows it.
 *
 * Functions that take a `memory` need no interpreter, because the tier's thread uses them too. They
 * return 1 for success, 0 if what was read is gone, or -1 with the damage described. Functions that
 * take a Ring set a Python exception.
 */
#ifndef PLAYHEAD_READ_FRAMES_H
#define PLAYHEAD_READ_FRAMES_H

#include "ring_object.h"

/* What is damaged, and at which offset: for code that runs without the interpreter. */
typedef struct {
    uint64_t at;
    const char *what;
} damage;

static inline int set_damage(damage *fault, uint64_t at, const char *what)
{
    *fault = (damage){at, what};
    return -1;
}

/* Whether what was copied from `at` before this call was not overwritten. */
static inline int held_in_memory(const memory *m, uint64_t at)
{
    atomic_thread_fence(memory_order_acquire);
    return at >= tail_of(m);
}

static inline int still_held(const Ring *self, uint64_t at)
{
    return held_in_memory(&self->w.m, at);
}

int frame_copy(const memory *m, uint64_t at, frame_header *into, damage *fault);
int run_copy(const memory *m, uint64_t start, const frame_header *frame, uint64_t at,
             run_header *run, damage *fault);

/* Readers that set DamagedError. `newest_read` also gives where the frame begins. */
int newest_read(Ring *self, uint64_t *at, frame_header *into);
int run_read(Ring *self, uint64_t start, const frame_header *frame, uint64_t at,
             run_header *run);

/* Finds a frame by its id: 1, or -1 with EvictedError or DamagedError set. */
int frame_find(Ring *self, uint64_t id, uint64_t *at, frame_header *frame);

/* Whether a frame can be trusted: 1, or -1 with DamagedError or EvictedError set. */
int frame_whole(Ring *self, uint64_t id);

/* Reads the id of a frame out of a method's argument. 0 or -1. */
int frame_argument(PyObject *op, PyObject *value, uint64_t *id);

/* These set EvictedError and DamagedError. */
PyObject *raise_evicted(Ring *self, uint64_t id);
int raise_damaged(Ring *self, uint64_t at, const char *what);

/* frame_copy with DamagedError set. Inline, because a search calls it for each step. */
static inline int frame_read(Ring *self, uint64_t at, frame_header *into)
{
    damage fault = {0, ""};
    int found = frame_copy(&self->w.m, at, into, &fault);
    return found < 0 ? raise_damaged(self, fault.at, fault.what) : found;
}

/* --- as Python objects ---------------------------------------------------------------------- */

PyObject *stamp_of(const frame_header *frame, uint64_t at);
PyObject *run_view(PyObject *owner, PyArray_Descr *packet, const uint8_t *first,
                   const run_header *run);
int packet_list(PyObject *list, const packet_header *h, const run_header *run,
                const uint8_t *payload);

#endif
