/* The block of memory that a ring lies in: laying out a new one, and opening an existing one.
 *
 * The magic of a new block is written last, so an unfinished block is not taken for a ring. An
 * existing block may be any file: its header is copied, the copy is checked, and only the copy is
 * used.
 */
#include "ring_object.h"

/* Sets the addresses. `header` is the copy that was checked; the block's own is only written to,
 * and shown. */
static void memory_map(memory *m, uint8_t *block, const block_header *header)
{
    m->header = (block_header *)(void *)block;
    m->units = header->units;
    m->entry_count = header->entry_count;
    m->bucket_count = header->bucket_count;
    m->entries = (entry_header *)(void *)(block + header->entries_at);
    m->by_key = (uint32_t *)(void *)(block + header->buckets_at);
    m->by_object = m->by_key + header->bucket_count;
    m->map = block + header->map_at;
    m->slots = block + header->slots_at;
    m->arena = block + header->arena_at;
    m->arena_size = header->arena_size;
}

static uint32_t header_check(const block_header *header)
{
    uint8_t bytes[HEADER_ROOM] = {0};
    memcpy(bytes, (const void *)header, offsetof(block_header, check));
    return check_words(0, bytes, sizeof bytes / 8);
}

/* Lays the block out: a latch area of about `latch` bytes, the rest is arena. */
int block_create(Ring *self, uint64_t latch)
{
    uint64_t total = (uint64_t)self->buffer.len & ~(uint64_t)(LINE - 1);
    block_header header = {.byte_order = BYTE_ORDER_MARK, .major = LAYOUT_MAJOR,
                           .minor = LAYOUT_MINOR, .total = total,
                           .frame_size = sizeof(frame_header), .run_size = sizeof(run_header),
                           .packet_size = sizeof(packet_header),
                           .version_size = sizeof(version_header)};
    memcpy(header.magic, MAGIC, 8);
    uint64_t count = latch / 640; /* an entry, and slots for two halves of some 250 bytes */
    uint64_t fixed = count * (sizeof(entry_header) + 2 * sizeof(uint32_t)) + 3 * LINE;
    header.entries_at = HEADER_ROOM;
    header.entry_count = header.bucket_count = count;
    header.buckets_at = header.entries_at + align_up(count * sizeof(entry_header), LINE);
    header.map_at = header.buckets_at + align_up(count * 2 * sizeof(uint32_t), LINE);
    header.units = latch > fixed ? (latch - fixed) / (LINE + 1) : 0;
    header.slots_at = header.map_at + align_up(header.units, LINE);
    header.arena_at = header.slots_at + header.units * LINE;
    if (total > MAX_BLOCK || header.arena_at + 2 * LINE > total) {
        PyErr_Format(state_of((PyObject *)self)->capacity_error,
                     "memory of %zd bytes can't hold a ring: it needs %llu bytes at least "
                     "(%llu of them for latched state) and %llu at most",
                     self->buffer.len, (unsigned long long)(header.arena_at + 2 * LINE),
                     (unsigned long long)latch, (unsigned long long)MAX_BLOCK);
        return -1;
    }
    header.arena_size = total - header.arena_at;
    header.check = header_check(&header);
    atomic_init(&header.tail, 0);
    atomic_init(&header.newest, NONE);
    memset(self->buffer.buf, 0, header.slots_at);
    memcpy((uint8_t *)self->buffer.buf + 8, (uint8_t *)(void *)&header + 8, sizeof header - 8);
    memory_map(&self->w.m, self->buffer.buf, &header);
    for (uint64_t i = count; i-- > 0;) {
        self->w.m.entries[i].next_key = self->w.m.header->free_entry;
        self->w.m.header->free_entry = (uint32_t)i + 1;
        atomic_store_explicit(&self->w.m.entries[i].newest, NONE, memory_order_relaxed);
    }
    slots_prepare(&self->w.m);
    self->writable = 1;
    atomic_thread_fence(memory_order_release);
    memcpy(self->buffer.buf, MAGIC, 8); /* from here on it is a ring */
    return 0;
}

/* Opens a block that another process wrote. Nothing in it is trusted. */
int block_attach(Ring *self)
{
    PyObject *error = state_of((PyObject *)self)->damaged_error;
    uint64_t length = (uint64_t)self->buffer.len;
    block_header copy = {0}, *h = &copy;
    if (length >= HEADER_ROOM) memcpy((void *)&copy, self->buffer.buf, sizeof copy);
    if (memcmp(h->magic, MAGIC, 8)) {
        PyErr_SetString(error, "not a ring: it does not begin with PLAYHEAD");
        return -1;
    }
    if (h->byte_order != BYTE_ORDER_MARK || h->major != LAYOUT_MAJOR) {
        PyErr_Format(error, "a ring of layout %u.%u (byte order %x): this playhead reads layout "
                            "%d.x, little-endian",
                     h->major, h->minor, h->byte_order, LAYOUT_MAJOR);
        return -1;
    }
    if (h->check != header_check(h)) {
        PyErr_SetString(error, "the ring's header is damaged: its checksum does not match");
        return -1;
    }
    uint64_t at = HEADER_ROOM;
    int good = h->frame_size == sizeof(frame_header) && h->run_size == sizeof(run_header)
               && h->packet_size == sizeof(packet_header)
               && h->version_size == sizeof(version_header) && h->total <= MAX_BLOCK
               && h->entry_count <= h->total && h->bucket_count == h->entry_count
               && h->units <= h->total && h->entries_at == at;
    if (good) {
        at += align_up(h->entry_count * sizeof(entry_header), LINE);
        good = h->buckets_at == at;
        at += align_up(h->bucket_count * 2 * sizeof(uint32_t), LINE);
        good = good && h->map_at == at;
        at += align_up(h->units, LINE);
        good = good && h->slots_at == at;
        at += h->units * LINE;
        good = good && h->arena_at == at && at + 2 * LINE <= h->total
               && h->arena_size == h->total - at && h->arena_size % LINE == 0;
    }
    if (!good) {
        PyErr_SetString(error, "the ring's header contradicts itself");
        return -1;
    }
    if (h->total > length) {
        PyErr_Format(error, "the ring is cut off: %llu of its %llu bytes are there",
                     (unsigned long long)length, (unsigned long long)h->total);
        return -1;
    }
    memory_map(&self->w.m, self->buffer.buf, h);
    return 0;
}
