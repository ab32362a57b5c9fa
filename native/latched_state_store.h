/* The latch area: state that stays true after the frame that recorded it has been evicted.
 *
 * Each key (object, kind, key) has a chain of versions in the arena, newest first. It also has a
 * *base* in the slots of the latch area: a copy of the newest version that was evicted. The slots
 * for the base are allocated when a version is recorded, so that eviction cannot fail. They are a
 * pair of halves, which are written alternately and published by one store. If the process is
 * killed in between, the old base is still intact. Each base has a checksum of its own, since no
 * frame's checksum covers it.
 *
 * A reader in another process loads an entry's generation, reads the entry, and compares the
 * generation again (read_latched.c). Functions that change the latch area are called only by the
 * process that records.
 */
#ifndef PLAYHEAD_LATCHED_STATE_STORE_H
#define PLAYHEAD_LATCHED_STATE_STORE_H

#include "checksum.h"

typedef struct {
    block_header *header;
    uint8_t *arena;
    uint64_t arena_size;
    /* Copies that were checked when the block was opened: those in the block may change. */
    uint64_t units, entry_count, bucket_count;
    entry_header *entries;
    uint32_t *by_key, *by_object; /* buckets: entry index + 1 */
    uint8_t *map;                 /* for each block of units its order + 1, and bits of the .c file */
    uint8_t *slots;
    /* Only in the process that records: */
    uint64_t ended;         /* keys that evicting frames will remove */
    uint32_t no_room;       /* not even evicting all frames makes room for a pair of this order */
    uint64_t evicted_early; /* frames evicted so that something could be latched */
} memory;

#define MAX_LATCH_ORDER 31

typedef struct {
    uint64_t object, key;
    uint32_t kind;
} latched_key;

static inline uint8_t *unit_at(const memory *m, uint64_t unit) { return m->slots + unit * LINE; }

static inline uint64_t mix(uint64_t x)
{
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull; /* the finalizer of splitmix64 */
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebull;
    return x ^ (x >> 31);
}

/* Bytes of a latched run: header, one packet, its payload. */
static inline uint64_t run_bytes(const run_header *run)
{
    return sizeof(run_header) + sizeof(packet_header) + align_up(run->size, 8);
}

static inline const version_header *run_version(const run_header *run)
{
    return (const version_header *)(const void *)((const uint8_t *)run + sizeof(run_header)
                                                  + sizeof(packet_header));
}

/* Bytes of the run of a version, whose own payload has `bytes`. */
static inline uint64_t version_bytes(uint64_t bytes)
{
    return sizeof(run_header) + sizeof(packet_header)
           + align_up(sizeof(version_header) + bytes, 8);
}

/* --- slots ---------------------------------------------------------------------------------- */

void slots_prepare(memory *m);
int slots_could_allocate(memory *m, uint32_t order);
uint32_t pair_order(uint64_t bytes);

/* --- the table ------------------------------------------------------------------------------ */

entry_header *entry_find(const memory *m, uint64_t object, uint32_t kind, uint64_t key);
entry_header *entry_add(memory *m, uint64_t object, uint32_t kind, uint64_t key);
void entry_remove(memory *m, entry_header *entry);
void entry_set_ended(memory *m, entry_header *entry, int ended);
int entry_reserve(memory *m, entry_header *entry, uint64_t bytes);
int entry_reserve_always(memory *m, uint64_t object, uint32_t kind, uint64_t key, uint64_t bytes);
void base_publish(entry_header *entry, uint64_t base);
uint32_t slot_check(const run_header *run, const uint8_t *packet);
void latch_commit(memory *m, const run_header *run, uint64_t run_offset);
void latch_evict(memory *m, const run_header *run, uint64_t run_offset);

#endif
