/* playhead_frame.h: types of packets, the frames that the game builds, and those that come back.
 *
 * The ring's layout is in docs/ring.md, "A frame by itself". Part of playhead.h. */
#ifndef PLAYHEAD_FRAME_H
#define PLAYHEAD_FRAME_H

#include "playhead_websocket.h"

#define PH__NONE UINT64_MAX

typedef struct {
    uint64_t id, previous, next;
    double time, delta;
    uint64_t packets, runs, jump, bytes, end;
    uint32_t count, flags, epoch, check;
} ph__frame;

typedef struct {
    uint32_t next, count, stride, size, channels;
    uint16_t type, flags;
} ph__run;

typedef struct {
    uint64_t id;
    uint16_t type;
    uint8_t targetable, flags;
    uint32_t next;
    float position[3], angles[3];
} ph__packet;

typedef char ph__frame_has_96_bytes[sizeof(ph__frame) == 96 ? 1 : -1];
typedef char ph__run_has_24_bytes[sizeof(ph__run) == 24 ? 1 : -1];
typedef char ph__packet_has_40_bytes[sizeof(ph__packet) == 40 ? 1 : -1];

enum { PH__RUN_LATCHED = 1, PH__PACKET_DAMAGED = 1, PH__PACKET_HIDDEN = 2, PH__FRAME_DROPPED = 4 };

/* --- types --- */

/* Bytes of one value of a numpy format, 0 if it is none that can be recorded. */
static size_t ph__format(const char *format)
{
    size_t size = 0;
    const char *at = format;
    if (!at) return 0;
    if (*at == '<' || *at == '|') at++;
    char kind = *at++;
    if (!kind || !strchr("fiubSU", kind)) return 0;
    while (*at >= '0' && *at <= '9' && size < 65536) size = size * 10 + (size_t)(*at++ - '0');
    return *at ? 0 : kind == 'U' ? size * 4 : size;
}

static bool ph__unit_or_role(ph__buffer *b, bool any, const char *name, const char *value)
{
    if (!value) return any;
    if (any) ph__raw(b, ",");
    ph__quoted(b, name);
    ph__raw(b, ":");
    ph__quoted(b, value);
    return true;
}

static void ph__definition(ph__buffer *b, const playhead_type *type)
{
    bool any = false;
    ph__raw(b, "{\"do\":\"define_type\",\"number\":");
    ph__whole(b, type->number);
    ph__member(b, "name", type->name);
    ph__raw(b, ",\"fields\":[");
    for (size_t i = 0; i < type->field_count; i++) {
        ph__raw(b, i ? ",[" : "[");
        ph__quoted(b, type->fields[i].name);
        ph__raw(b, ",");
        ph__quoted(b, type->fields[i].format);
        ph__raw(b, ",");
        ph__shape(b, type->fields[i].shape);
        ph__raw(b, "]");
    }
    ph__raw(b, "],\"units\":{");
    for (size_t i = 0; i < type->field_count; i++)
        any = ph__unit_or_role(b, any, type->fields[i].name, type->fields[i].unit);
    ph__raw(b, "},\"roles\":{");
    any = false;
    for (size_t i = 0; i < type->field_count; i++)
        any = ph__unit_or_role(b, any, type->fields[i].name, type->fields[i].role);
    if (type->tail_name) ph__unit_or_role(b, any, type->tail_name, type->tail_role);
    ph__raw(b, "}");
    if (type->tail) {
        ph__member(b, "tail", type->tail);
        ph__raw(b, ",\"tail_shape\":");
        ph__shape(b, type->tail_shape);
        ph__member(b, "tail_name", ph__or(type->tail_name, "tail"));
    }
    if (type->space) ph__member(b, "space", type->space);
    ph__raw(b, ",\"channels\":[");
    for (const char *at = type->channels; at && *at;) {
        char name[64];
        size_t size = strcspn(at, ","), kept = size < sizeof name ? size : sizeof name - 1;
        memcpy(name, at, kept);
        name[kept] = 0;
        if (at != type->channels) ph__raw(b, ",");
        ph__quoted(b, name);
        at += size;
        if (*at) at++;
    }
    ph__raw(b, "]}");
}

bool playhead_define_type(playhead *ph, const playhead_type *type)
{
    uint64_t size = 0;
    char reason[200];
    ph__type *types, *defined = NULL;
    for (size_t i = 0; i < type->field_count; i++) {
        const playhead_field *field = &type->fields[i];
        uint64_t bytes = ph__format(field->format);
        for (size_t k = 0; k < 3 && field->shape[k]; k++) bytes *= field->shape[k] & 0xffff;
        if (bytes == 0 || !field->name) {
            snprintf(reason, sizeof reason, "type %.60s: field %.60s has the format \"%.20s\"",
                     type->name, ph__or(field->name, "?"), ph__or(field->format, ""));
            ph__fail(ph, reason);
            return false;
        }
        size += bytes;
    }
    if (type->number < 32 || !type->name || size != type->size) {
        snprintf(reason, sizeof reason,
                 "type %.60s, number %u: numbers begin at 32; its fields have %llu bytes, the"
                 " struct %llu (has it holes?)", ph__or(type->name, "?"), (unsigned)type->number,
                 (unsigned long long)size, (unsigned long long)type->size);
        ph__fail(ph, reason);
        return false;
    }
    ph->text.size = 0;
    ph->text.failed = false;
    ph__definition(&ph->text, type);
    char *json = ph__done(&ph->text);
    for (size_t i = 0; i < ph->type_count; i++)
        if (ph->types[i].number == type->number) defined = &ph->types[i];
    if (!defined && json) {
        types = (ph__type *)PLAYHEAD_REALLOC(ph->types, (ph->type_count + 1) * sizeof *types);
        if (types) {
            ph->types = types;
            defined = &types[ph->type_count++];
            defined->json = NULL;
        }
    }
    if (!defined || !json) {
        PLAYHEAD_FREE(json);
        ph__fail(ph, "no memory for a type's definition");
        return false;
    }
    PLAYHEAD_FREE(defined->json);
    defined->number = type->number;
    defined->size = type->size;
    defined->tail = type->tail != NULL;
    defined->json = json;
    return ph->state < PH__ATTACHING || ph__ask(ph, json);
}

bool playhead_define_skeleton(playhead *ph, uint16_t type, int32_t number, const char *name,
                              const char *const *joints, const int32_t *parents, size_t count)
{
    ph__buffer *b = &ph->text;
    b->size = 0;
    b->failed = false;
    ph__raw(b, "{\"do\":\"define_skeleton\",\"type\":");
    ph__whole(b, type);
    ph__raw(b, ",\"number\":");
    ph__whole(b, number);
    ph__member(b, "name", name);
    ph__raw(b, ",\"joints\":[");
    for (size_t i = 0; i < count; i++) {
        if (i) ph__raw(b, ",");
        ph__quoted(b, joints[i]);
    }
    ph__raw(b, "],\"parents\":[");
    for (size_t i = 0; i < count; i++) {
        if (i) ph__raw(b, ",");
        ph__whole(b, parents[i]);
    }
    ph__raw(b, "]}");
    ph__bytes(b, "", 1);
    if (b->failed || !ph__grow(&ph->skeletons, b->size, PH__MAX_TEXT)) {
        ph__fail(ph, "no room for a skeleton's definition");
        return false;
    }
    char *kept = ph->skeletons.data + ph->skeletons.size;
    memcpy(kept, b->data, b->size);
    ph->skeletons.size += b->size;
    return ph->state < PH__ATTACHING || ph__ask(ph, kept);
}

static const ph__type *ph__type_of(const playhead *ph, uint16_t number)
{
    for (size_t i = 0; i < ph->type_count; i++)
        if (ph->types[i].number == number) return &ph->types[i];
    return NULL;
}

/* --- building a frame --- */

/* In playhead_orders.h: a frame is ended. */
static void ph__step_ended(playhead *ph);

bool playhead_live(const playhead *ph) { return ph->mode == PH__LIVE; }

bool playhead_recording(const playhead *ph) { return ph->state == PH__ON && ph->mode == PH__LIVE; }

bool playhead_begin_frame(playhead *ph, double time, double delta)
{
    ph__frame frame;
    if (!playhead_recording(ph)) return false;
    if (!isfinite(time) || !isfinite(delta) || delta < 0) {
        ph__fail(ph, "a frame's time and delta are finite, and delta is not negative");
        return false;
    }
    memset(&frame, 0, sizeof frame);
    frame.id = 1; /* the recorder counts its own */
    frame.previous = frame.next = frame.jump = frame.packets = frame.runs = PH__NONE;
    frame.time = time;
    frame.delta = delta + ph->owed; /* since the newest frame that was sent */
    ph->frame.size = 0;
    ph->run = ph->last = 0;
    ph->unsent = false;
    ph->open = ph__grow(&ph->frame, sizeof frame, ph->frame_limit);
    if (!ph->open) return false;
    memcpy(ph->frame.data, &frame, sizeof frame);
    ph->frame.size = sizeof frame;
    return true;
}

/* The header of the open frame: the buffer comes from `realloc`, so it is aligned for it. */
static ph__frame *ph__header_of(playhead *ph) { return (ph__frame *)(void *)ph->frame.data; }

static void *ph__packet_dropped(playhead *ph)
{
    ph__header_of(ph)->flags |= PH__FRAME_DROPPED;
    ph->counts.packets_dropped++;
    return NULL;
}

void *playhead_reserve(playhead *ph, const playhead_packet *packet, size_t size)
{
    if (!ph->open) return NULL;
    const ph__type *type = ph__type_of(ph, packet->type);
    if (!type || (type->tail ? size < type->size : size != type->size)
        || packet->id == 0 || packet->id > PH__MAX_ID || size > ph->frame_limit) {
        if (!ph->error[0])
            ph__fail(ph, "a packet's id is none, or its size is not that of its type");
        return ph__packet_dropped(ph);
    }
    size_t stride = (sizeof(ph__packet) + size + 7) & ~(size_t)7;
    ph__run *run = ph->run ? (ph__run *)(void *)(ph->frame.data + ph->run) : NULL;
    bool joins = run && run->type == packet->type && run->size == size;
    size_t more = joins ? stride : stride + sizeof(ph__run);
    if (!ph__grow(&ph->frame, more, ph->frame_limit)) return ph__packet_dropped(ph);
    char *data = ph->frame.data; /* it may have moved */
    ph__frame *frame = ph__header_of(ph);
    size_t at = ph->frame.size;
    memset(data + at, 0, more);
    run = (ph__run *)(void *)(data + ph->run);
    if (!joins) {
        if (ph->run)
            run->next = (uint32_t)((at - ph->run) / 8);
        else
            frame->runs = at;
        ph->run = at;
        run = (ph__run *)(void *)(data + at);
        run->stride = (uint32_t)stride;
        run->size = (uint32_t)size;
        run->type = packet->type;
        at += sizeof(ph__run);
    }
    run->count++;
    frame->count++;
    ph__packet *stored = (ph__packet *)(void *)(data + at);
    stored->id = packet->id;
    stored->type = packet->type;
    stored->targetable = !packet->untargetable;
    stored->flags = packet->hidden ? PH__PACKET_HIDDEN : 0;
    memcpy(stored->position, packet->position, sizeof stored->position);
    memcpy(stored->angles, packet->angles, sizeof stored->angles);
    if (ph->last)
        ((ph__packet *)(void *)(data + ph->last))->next = (uint32_t)((at - ph->last) / 8);
    else
        frame->packets = at;
    ph->last = at;
    ph->frame.size += more;
    return stored + 1;
}

bool playhead_add(playhead *ph, const playhead_packet *packet, const void *payload, size_t size)
{
    void *to = playhead_reserve(ph, packet, size);
    if (to && size) memcpy(to, payload, size);
    return to != NULL;
}

bool playhead_end_frame(playhead *ph)
{
    if (!ph->open) return false;
    ph__frame *frame = ph__header_of(ph);
    double delta = frame->delta;
    frame->bytes = frame->end = ph->frame.size;
    ph->open = false;
    if (ph->state != PH__ON) return false; /* the connection was lost in mid-frame */
    bool sent = ph__queue(ph, PH__BINARY, ph->frame.data, ph->frame.size, false);
    ph->unsent = !sent;
    ph->owed = sent ? 0 : delta;
    ph->placed = true;
    if (sent)
        ph->counts.frames++;
    else
        ph->counts.frames_dropped++;
    ph__step_ended(ph);
    return sent;
}

/* --- a frame that comes back --- */

/* Whether an image is whole: one run behind the other, inside, with as many packets as it says. */
static bool ph__whole_image(const char *image, size_t size)
{
    ph__frame frame;
    if (size < sizeof frame || size > PH__MAX_FRAME) return false;
    memcpy(&frame, image, sizeof frame);
    if (frame.bytes != size || (frame.runs == PH__NONE) != (frame.count == 0)) return false;
    uint64_t count = 0, at = frame.runs;
    while (count < frame.count) {
        ph__run run;
        if (at % 8 || at < sizeof frame || at > size || size - at < sizeof run) return false;
        memcpy(&run, image + at, sizeof run);
        uint64_t bytes = sizeof run + (uint64_t)run.count * run.stride;
        if (run.count == 0 || run.stride % 8 || run.size > size
            || run.stride < sizeof(ph__packet) + run.size || bytes > size - at)
            return false;
        count += run.count;
        at += bytes;
        if ((uint64_t)run.next * 8 != (count < frame.count ? bytes : 0)) return false;
    }
    return count == frame.count;
}

static void ph__apply_image(playhead *ph, const char *image, size_t size)
{
    ph__frame frame;
    bool strange = false;
    if (!ph__whole_image(image, size)) {
        ph__fail(ph, "a frame to be shown is damaged: nothing of it was put back");
        return;
    }
    memcpy(&frame, image, sizeof frame);
    if (!ph->on.apply || !ph->can_restore) return;
    uint64_t at = frame.runs;
    for (uint64_t count = 0; count < frame.count;) {
        ph__run run;
        memcpy(&run, image + at, sizeof run);
        const ph__type *type = ph__type_of(ph, run.type);
        bool fits = type && !(run.flags & PH__RUN_LATCHED)
                    && (type->tail ? run.size >= type->size : run.size == type->size);
        strange |= !fits;
        for (uint32_t i = 0; i < run.count && fits; i++) {
            const char *place = image + at + sizeof run + (size_t)i * run.stride;
            ph__packet stored;
            memcpy(&stored, place, sizeof stored);
            if (stored.flags & PH__PACKET_DAMAGED) continue;
            playhead_packet packet;
            packet.id = stored.id;
            packet.type = run.type;
            packet.hidden = (stored.flags & PH__PACKET_HIDDEN) != 0;
            packet.untargetable = !stored.targetable;
            memcpy(packet.position, stored.position, sizeof packet.position);
            memcpy(packet.angles, stored.angles, sizeof packet.angles);
            ph->on.apply(ph->on.user, &packet, place + sizeof stored, run.size);
        }
        count += run.count;
        at += (uint64_t)run.next * 8;
    }
    if (strange) ph__fail(ph, "packets of another layout than defined were not put back");
}

#endif /* PLAYHEAD_FRAME_H */
