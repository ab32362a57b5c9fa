/* The latch area: its slots, which a buddy allocator hands out in units of 64 bytes, and its table
 * of keys. latched_state_store.h says what the area is for, and how other processes read it.
 */
#include "latched_state_store.h"

#define FREE_BLOCK 0x80u
#define ENDED_PAIR 0x40u    /* its key's newest version is a tombstone in a finished frame */
#define RESERVED_PAIR 0x20u /* its entry is never removed: see entry_reserve_always */
#define ORDER_BITS 0x1fu
#define MAX_LATCH_ORDER 31

/* --- slots ---------------------------------------------------------------------------------- */

typedef struct {
    uint32_t next, previous; /* unit + 1 */
} free_links;

static void slots_push(memory *m, uint32_t unit, uint32_t order)
{
    free_links *links = (free_links *)(void *)unit_at(m, unit);
    uint32_t first = m->header->free_units[order];
    links->next = first;
    links->previous = 0;
    if (first) ((free_links *)(void *)unit_at(m, first - 1))->previous = unit + 1;
    m->header->free_units[order] = unit + 1;
    m->map[unit] = (uint8_t)((order + 1) | FREE_BLOCK);
}

static void slots_unlink(memory *m, uint32_t unit, uint32_t order)
{
    free_links *links = (free_links *)(void *)unit_at(m, unit);
    if (links->previous)
        ((free_links *)(void *)unit_at(m, links->previous - 1))->next = links->next;
    else
        m->header->free_units[order] = links->next;
    if (links->next)
        ((free_links *)(void *)unit_at(m, links->next - 1))->previous = links->previous;
    m->map[unit] = 0;
}

/* Allocates 2^order units; returns the first one + 1, or 0 if there are not that many in a row. */
static uint32_t slots_allocate(memory *m, uint32_t order)
{
    uint32_t at = order;
    while (at < MAX_LATCH_ORDER && !m->header->free_units[at]) at++;
    if (at >= MAX_LATCH_ORDER) return 0;
    uint32_t unit = m->header->free_units[at] - 1;
    slots_unlink(m, unit, at);
    while (at > order) {
        at--;
        slots_push(m, unit + (1u << at), at);
    }
    m->map[unit] = (uint8_t)(order + 1);
    m->header->latch_used += 1ull << order;
    return unit + 1;
}

static void slots_free(memory *m, uint32_t unit, uint32_t order)
{
    m->header->latch_used -= 1ull << order;
    m->map[unit] = 0;
    m->no_room = MAX_LATCH_ORDER;
    while (order + 1 < MAX_LATCH_ORDER) {
        uint64_t buddy = (uint64_t)unit ^ (1ull << order);
        if (buddy + (1ull << order) > m->units) break;
        if (m->map[buddy] != (uint8_t)((order + 1) | FREE_BLOCK)) break;
        slots_unlink(m, (uint32_t)buddy, order);
        if (buddy < unit) unit = (uint32_t)buddy;
        order++;
    }
    slots_push(m, unit, order);
}

/* Whether 2^order units in a row are free, or will be once all ended keys are removed. */
int slots_could_allocate(memory *m, uint32_t order)
{
    for (uint32_t at = order; at < MAX_LATCH_ORDER; at++)
        if (m->header->free_units[at]) return 1;
    if (!m->ended || order >= m->no_room) return 0;
    uint64_t span = 1ull << order;
    for (uint64_t unit = 0; unit + span <= m->units; unit += span) {
        uint64_t at = unit;
        while (at < unit + span && m->map[at] & (FREE_BLOCK | ENDED_PAIR))
            at += 1ull << ((m->map[at] & ORDER_BITS) - 1);
        if (at >= unit + span) return 1;
    }
    m->no_room = order; /* until a key ends, or a pair is freed */
    return 0;
}

void slots_prepare(memory *m)
{
    uint64_t unit = 0;
    m->no_room = MAX_LATCH_ORDER;
    while (unit < m->units) {
        uint32_t order = 0;
        while (order + 1 < MAX_LATCH_ORDER && !(unit & (1ull << order))
               && unit + (1ull << (order + 1)) <= m->units)
            order++;
        slots_push(m, (uint32_t)unit, order);
        unit += 1ull << order;
    }
}

/* --- the table ------------------------------------------------------------------------------ */

static inline uint64_t key_bucket(const memory *m, uint64_t object, uint32_t kind, uint64_t key)
{
    return mix(object ^ mix(key + kind * 0x9e3779b97f4a7c15ull)) % m->bucket_count;
}

entry_header *entry_find(const memory *m, uint64_t object, uint32_t kind, uint64_t key)
{
    if (!m->bucket_count) return NULL;
    uint32_t index = m->by_key[key_bucket(m, object, kind, key)];
    while (index) {
        entry_header *entry = &m->entries[index - 1];
        if (entry->object == object && entry->kind == kind && entry->key == key) return entry;
        index = entry->next_key;
    }
    return NULL;
}

static void entry_bump(entry_header *entry)
{
    uint32_t generation = atomic_load_explicit(&entry->generation, memory_order_relaxed);
    atomic_store_explicit(&entry->generation, generation + 1, memory_order_release);
}

entry_header *entry_add(memory *m, uint64_t object, uint32_t kind, uint64_t key)
{
    uint32_t index = m->header->free_entry;
    if (!index) return NULL;
    entry_header *entry = &m->entries[index - 1];
    m->header->free_entry = entry->next_key;
    m->header->entries_used++;
    entry->object = object;
    entry->kind = kind;
    entry->key = key;
    entry->pair = 0;
    entry->order = 0;
    atomic_store_explicit(&entry->newest, NONE, memory_order_relaxed);
    atomic_store_explicit(&entry->base, 0, memory_order_relaxed);
    uint32_t *bucket = &m->by_key[key_bucket(m, object, kind, key)];
    entry->next_key = *bucket;
    *bucket = index;
    bucket = &m->by_object[mix(object) % m->bucket_count];
    entry->next_object = *bucket;
    *bucket = index;
    entry_bump(entry); /* odd: in use */
    return entry;
}

static inline int entry_is(const memory *m, const entry_header *entry, uint8_t bit)
{
    return entry->pair && (m->map[entry->pair - 1] & bit) != 0;
}

/* Marks whether evicting a finished frame will remove the entry. */
void entry_set_ended(memory *m, entry_header *entry, int ended)
{
    if (!entry->pair || entry_is(m, entry, RESERVED_PAIR)) return;
    if (ended == entry_is(m, entry, ENDED_PAIR)) return;
    m->map[entry->pair - 1] ^= ENDED_PAIR;
    m->ended += ended ? 1 : UINT64_MAX;
    if (ended) m->no_room = MAX_LATCH_ORDER;
}

/* Publishes an entry's base. The half with the base before may be overwritten afterwards: because
 * of the fence no reader sees that without the new generation. */
void base_publish(entry_header *entry, uint64_t base)
{
    uint32_t generation = atomic_load_explicit(&entry->generation, memory_order_relaxed);
    atomic_store_explicit(&entry->base, base, memory_order_release);
    atomic_store_explicit(&entry->generation, generation + 2, memory_order_release);
    atomic_thread_fence(memory_order_release);
}

/* Removes an entry; of a reserved one only its value. */
void entry_remove(memory *m, entry_header *entry)
{
    if (entry_is(m, entry, RESERVED_PAIR)) {
        atomic_store_explicit(&entry->newest, NONE, memory_order_release);
        base_publish(entry, 0);
        return;
    }
    entry_set_ended(m, entry, 0);
    uint32_t index = (uint32_t)(entry - m->entries) + 1;
    entry_bump(entry); /* even: free */
    uint32_t *link = &m->by_key[key_bucket(m, entry->object, entry->kind, entry->key)];
    while (*link != index) link = &m->entries[*link - 1].next_key;
    *link = entry->next_key;
    link = &m->by_object[mix(entry->object) % m->bucket_count];
    while (*link != index) link = &m->entries[*link - 1].next_object;
    *link = entry->next_object;
    atomic_store_explicit(&entry->newest, NONE, memory_order_relaxed);
    atomic_store_explicit(&entry->base, 0, memory_order_relaxed);
    if (entry->pair) slots_free(m, entry->pair - 1, entry->order);
    entry->pair = 0;
    entry->next_key = m->header->free_entry;
    m->header->free_entry = index;
    m->header->entries_used--;
}

/* The check of a latched run, whose packet is at `packet`, in its slot. */
uint32_t slot_check(const run_header *run, const uint8_t *packet)
{
    run_header header = *run;
    header.next = 0;
    return check_run(&header, 0) + check_packets(packet, 1, 0, header.size, 0);
}

/* The order of a pair of slots, each large enough for `bytes`; MAX_LATCH_ORDER if there is none. */
uint32_t pair_order(uint64_t bytes)
{
    uint64_t half = align_up(bytes, LINE) / LINE;
    uint32_t order = 1;
    while (order < MAX_LATCH_ORDER && (1ull << order) < 2 * half) order++;
    return order;
}

/* Makes sure that both halves of the entry's slots are large enough for `bytes`; 0 if there is no
 * room. */
int entry_reserve(memory *m, entry_header *entry, uint64_t bytes)
{
    uint32_t order = pair_order(bytes);
    if (entry->pair && entry->order >= order) return 1;
    uint32_t pair = order < MAX_LATCH_ORDER ? slots_allocate(m, order) : 0;
    if (!pair) return 0;
    uint64_t base = atomic_load_explicit(&entry->base, memory_order_relaxed);
    if (base) {
        const uint8_t *old = unit_at(m, base - 1);
        memcpy(unit_at(m, pair - 1), old, run_bytes((const run_header *)(const void *)old));
        base_publish(entry, pair);
    }
    if (entry->pair) {
        m->map[pair - 1] |= m->map[entry->pair - 1] & (ENDED_PAIR | RESERVED_PAIR);
        slots_free(m, entry->pair - 1, entry->order);
    }
    entry->pair = pair;
    entry->order = order;
    return 1;
}

/* Reserves an entry, with room for versions of `bytes`, for a key that may be recorded only when
 * everything else is full. Uses a third of the slots at most; 0 if there is no such room. */
int entry_reserve_always(memory *m, uint64_t object, uint32_t kind, uint64_t key, uint64_t bytes)
{
    uint32_t order = pair_order(bytes);
    if (m->entry_count < 8 || (1ull << order) > m->units / 3) return 0;
    entry_header *entry = entry_find(m, object, kind, key);
    int added = !entry;
    if (added && !(entry = entry_add(m, object, kind, key))) return 0;
    if (!entry_reserve(m, entry, bytes)) {
        if (added) entry_remove(m, entry);
        return 0;
    }
    entry_set_ended(m, entry, 0);
    m->map[entry->pair - 1] |= RESERVED_PAIR;
    return 1;
}

/* The frame of a latched run is finished: if its key ended there, evicting it makes room. */
void latch_commit(memory *m, const run_header *run, uint64_t run_offset)
{
    const version_header *version = run_version(run);
    entry_header *entry = &m->entries[version->entry];
    if (version->flags & VERSION_TOMBSTONE
        && atomic_load_explicit(&entry->newest, memory_order_relaxed) == run_offset)
        entry_set_ended(m, entry, 1);
}

/* Moves a latched run of the frame that is being evicted into its slots. */
void latch_evict(memory *m, const run_header *run, uint64_t run_offset)
{
    const version_header *version = run_version(run);
    entry_header *entry = &m->entries[version->entry];
    uint64_t newest = atomic_load_explicit(&entry->newest, memory_order_relaxed);
    if (version->flags & VERSION_TOMBSTONE) {
        if (newest == run_offset)
            entry_remove(m, entry);
        else
            base_publish(entry, 0);
        return;
    }
    uint64_t base = atomic_load_explicit(&entry->base, memory_order_relaxed);
    uint64_t half = (1ull << entry->order) / 2;
    uint64_t into = base == entry->pair ? entry->pair + half : entry->pair;
    run_header *copy = (run_header *)(void *)unit_at(m, into - 1);
    memcpy(copy, run, run_bytes(run));
    copy->next = slot_check(copy, (const uint8_t *)(copy + 1));
    base_publish(entry, into);
}
