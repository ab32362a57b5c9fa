/* The tier: frames that are about to leave a ring, packed in groups into another ring.
 *
 * That other ring, the store, is an ordinary ring: it finds frames, evicts the oldest, and has
 * latched state. Each of its frames stands for one frame of the first ring and has the same id,
 * time and latched packets. The newest frame of a group also contains the packed group
 * (tier_packed_frames.h). In all other frames, the upper bits of the flags say how many frames
 * later the group is.
 *
 * One thread packs, in `run`, without the interpreter's lock. It reads the ring as another process
 * would, and nothing else writes into the store. Readers use `reader`, a second Ring over the
 * store's memory, which also reads as another process would. The thread sleeps until half of the
 * ring is not packed yet, so it has as long to pack a group as the ring takes to fill the other
 * half. If a frame is overwritten before it is packed, it is lost, and the tier starts again after
 * it (`begin`), because ids must count up by one.
 *
 * Two unpacked groups are cached. No thread waits for a lock of the tier while it has Python's.
 */
#ifndef PLAYHEAD_COMPRESSED_TIER_H
#define PLAYHEAD_COMPRESSED_TIER_H

#include "tier_packed_frames.h"

#define CACHED_GROUPS 2

struct tier_object {
    PyObject_HEAD
    Ring *ring, *store, *reader;
    Py_buffer buffer;
    packer p;
    unpacked_group cache[CACHED_GROUPS];
    PyThread_type_lock wake;      /* the thread waits on it until there is something to do */
    PyThread_type_lock packing;   /* over the packer and the store: one packs at a time */
    PyThread_type_lock unpacking; /* over the cache */
    uint64_t due;      /* the thread is woken when so many bytes are not packed */
    uint64_t next_id;  /* the first frame that is not packed */
    int has_base;      /* the store has the state that was latched before its first frame */
    uint64_t requests; /* how often a group was asked for */
    _Atomic uint64_t next_at;  /* where the first frame that is not packed begins in the ring */
    _Atomic uint64_t complete; /* the newest frame that can be read here, 0 = none */
    _Atomic uint64_t packed, lost, bytes_before, bytes_after;
    _Atomic uint32_t running, signalled, stopped;
    _Atomic uint32_t is_lost;   /* frames were lost: the tier must start again */
    _Atomic uint32_t is_urgent; /* the latch area is nearly full: frames may be evicted early */
};

extern PyType_Spec tier_spec;

/* The ring has one frame more. Wakes the thread if enough frames are not packed. */
void tier_frame_added(Tier *self);

/* Bytes of the frames that are not packed yet: up to half of the ring. */
static inline uint64_t tier_unpacked(const Tier *self, uint64_t end)
{
    uint64_t next = atomic_load_explicit(&self->next_at, memory_order_acquire);
    return end > next ? end - next : 0;
}

/* How many bytes may be unpacked before there is something to do. */
static inline uint64_t tier_due(const Tier *self)
{
    return atomic_load(&self->is_urgent) && self->p.room < self->due ? self->p.room : self->due;
}

/* The methods of the type that compressed_tier.c has. */
PyObject *tier_run(PyObject *op, PyObject *Py_UNUSED(none));
PyObject *tier_settle(PyObject *op, PyObject *Py_UNUSED(none));
PyObject *tier_nudge(PyObject *op, PyObject *Py_UNUSED(none));
PyObject *tier_stop(PyObject *op, PyObject *Py_UNUSED(none));
PyObject *tier_begin(PyObject *op, PyObject *args);

#endif
