/* playhead_statements.h: what a game says of its steps, as the protocol's requests. Part of
 * playhead.h. */
#ifndef PLAYHEAD_STATEMENTS_H
#define PLAYHEAD_STATEMENTS_H

#include "playhead_websocket.h"

static ph__buffer *ph__say(playhead *ph, const char *what)
{
    if (ph->state != PH__ON) return NULL;
    ph__request_begin(ph, 0); /* 0: answered only if it fails */
    ph__raw(&ph->text, "{\"do\":");
    ph__quoted(&ph->text, what);
    return &ph->text;
}

static bool ph__said(playhead *ph)
{
    ph__raw(&ph->text, "}");
    if (ph__request_end(ph, false)) return true;
    ph->counts.statements_dropped++;
    if (ph->text.failed)
        ph__fail(ph, "a statement was dropped: it has a number that is none, an id or JSON that is"
                     " none, or more than 1 MiB");
    return false;
}

static void ph__object(ph__buffer *b, const char *key, uint64_t id)
{
    ph__raw(b, ",\"");
    ph__raw(b, key);
    ph__raw(b, "\":");
    ph__id(b, id);
}

static void ph__site(ph__buffer *b, const char *file, int line)
{
    if (file) ph__member(b, "file", file);
    ph__raw(b, ",\"line\":");
    ph__whole(b, line);
}

void playhead_trace_state_at(playhead *ph, uint64_t agent, const playhead_transition *t,
                             const char *file, int line)
{
    ph__buffer *b = ph__say(ph, "trace_state");
    if (!b) return;
    ph__object(b, "agent", agent);
    ph__raw(b, ",\"trace\":{\"machine\":");
    ph__quoted(b, t->machine);
    ph__member(b, "source", t->source);
    ph__member(b, "target", t->target);
    ph__member(b, "won", t->won);
    ph__raw(b, ",\"also_true\":[");
    for (size_t i = 0; i < t->also_true_count; i++) {
        if (i) ph__raw(b, ",");
        ph__quoted(b, t->also_true[i]);
    }
    ph__raw(b, "],\"rejected\":[");
    for (size_t i = 0; i < t->rejected_count; i++) {
        ph__raw(b, i ? ",{\"condition\":" : "{\"condition\":");
        ph__quoted(b, t->rejected[i].condition);
        ph__member(b, "reason", t->rejected[i].reason);
        ph__raw(b, "}");
    }
    ph__raw(b, "],\"values\":{");
    for (size_t i = 0; i < t->value_count; i++) {
        if (i) ph__raw(b, ",");
        ph__quoted(b, t->values[i].name);
        ph__raw(b, ":");
        if (t->values[i].text)
            ph__quoted(b, t->values[i].text);
        else
            ph__number(b, t->values[i].number);
    }
    ph__raw(b, "},\"beliefs\":[");
    for (size_t i = 0; i < t->belief_count; i++) {
        ph__raw(b, i ? ",{\"position\":" : "{\"position\":");
        ph__vector(b, t->beliefs[i].position);
        ph__object(b, "object", t->beliefs[i].object);
        ph__raw(b, ",\"seen\":");
        ph__number(b, t->beliefs[i].seen);
        ph__member(b, "note", t->beliefs[i].note);
        ph__raw(b, "}");
    }
    ph__raw(b, "]");
    ph__site(b, file, line);
    ph__raw(b, "}");
    ph__said(ph);
}

void playhead_log_at(playhead *ph, const char *level, const char *text, uint64_t object,
                     const char *file, int line)
{
    ph__buffer *b = ph__say(ph, "log");
    if (!b) return;
    ph__raw(b, ",\"line\":{\"text\":");
    ph__quoted(b, text);
    ph__member(b, "level", ph__or(level, "info"));
    ph__object(b, "object", object);
    ph__site(b, file, line);
    ph__raw(b, "}");
    ph__said(ph);
}

bool playhead_check_at(playhead *ph, bool condition, const char *message, uint64_t object,
                       const char *expression, const char *file, int line)
{
    ph__buffer *b = condition ? NULL : ph__say(ph, "report_failed_check");
    if (!b) return condition;
    ph__member(b, "message", message);
    ph__member(b, "expression", expression);
    ph__object(b, "object", object);
    ph__site(b, file, line);
    if (ph__said(ph)) ph->stop_at_end = true;
    return condition;
}

/* A statement with a name, a number and an object. */
static void ph__named_number(playhead *ph, const char *what, const char *name, double value,
                             uint64_t object)
{
    ph__buffer *b = ph__say(ph, what);
    if (!b) return;
    ph__member(b, "name", name);
    ph__raw(b, ",\"value\":");
    ph__number(b, value);
    ph__object(b, "object", object);
    ph__said(ph);
}

void playhead_watch(playhead *ph, const char *name, double value, uint64_t object)
{
    ph__named_number(ph, "watch", name, value, object);
}

/* A statement with a name, a value as JSON and an object. */
static void ph__named_value(playhead *ph, const char *what, const char *name, const char *json,
                            uint64_t object)
{
    ph__buffer *b = ph__say(ph, what);
    if (!b) return;
    ph__member(b, "name", name);
    ph__raw(b, ",\"value\":");
    ph__json_text(b, json);
    ph__object(b, "object", object);
    ph__said(ph);
}

void playhead_input(playhead *ph, const char *name, const char *json, uint64_t object)
{
    ph__named_value(ph, "input", name, json, object);
}

void playhead_input_number(playhead *ph, const char *name, double value, uint64_t object)
{
    ph__named_number(ph, "input", name, value, object);
}

void playhead_input_text(playhead *ph, const char *name, const char *value, uint64_t object)
{
    ph__buffer *b = ph__say(ph, "input");
    if (!b) return;
    ph__member(b, "name", name);
    ph__member(b, "value", value);
    ph__object(b, "object", object);
    ph__said(ph);
}

void playhead_input_bool(playhead *ph, const char *name, bool value, uint64_t object)
{
    ph__named_value(ph, "input", name, value ? "true" : "false", object);
}

void playhead_event(playhead *ph, const char *name, const char *json, uint64_t object)
{
    ph__named_value(ph, "event", name, json, object);
}

void playhead_phase_at(playhead *ph, const char *name, const char *file, int line)
{
    ph__buffer *b = ph__say(ph, "phase");
    if (!b) return;
    ph__member(b, "name", name);
    ph__site(b, file, line);
    ph__said(ph);
}

void playhead_picture(playhead *ph, const playhead_image *image)
{
    ph__buffer *b = ph__say(ph, "picture");
    size_t size = (image->size + 2) / 3 * 4 + 1;
    if (!b) return;
    ph__member(b, "name", ph__or(image->name, "screen"));
    ph__member(b, "format", image->format);
    ph__raw(b, ",\"width\":");
    ph__whole(b, image->width);
    ph__raw(b, ",\"height\":");
    ph__whole(b, image->height);
    ph__raw(b, ",\"data\":\"");
    if (image->size < PH__MAX_TEXT && ph__grow(b, size, PH__MAX_TEXT)) {
        ph__base64((const unsigned char *)image->data, image->size, b->data + b->size);
        b->size += size - 1;
    } else {
        b->failed = true;
    }
    ph__raw(b, "\"");
    ph__said(ph);
}

bool playhead_publish(playhead *ph, const char *name, const char *json)
{
    ph__buffer *b = ph__say(ph, "publish");
    if (!b) return false;
    ph__member(b, "name", name);
    ph__raw(b, ",\"body\":");
    ph__json_text(b, json);
    return ph__said(ph);
}

void playhead_mark(playhead *ph, const char *name, const char *note, uint64_t object)
{
    ph__buffer *b = ph__say(ph, "mark");
    if (!b) return;
    ph__member(b, "name", name);
    ph__member(b, "note", note);
    ph__object(b, "object", object);
    ph__said(ph);
}

void playhead_name(playhead *ph, uint64_t object, const char *name)
{
    ph__buffer *b = ph__say(ph, "name");
    if (!b) return;
    ph__object(b, "object", object);
    ph__member(b, "name", name);
    ph__said(ph);
}

void playhead_despawn(playhead *ph, uint64_t object)
{
    ph__buffer *b = ph__say(ph, "despawn");
    if (!b) return;
    ph__object(b, "object", object);
    ph__said(ph);
}

void playhead_draw(playhead *ph, const playhead_drawing *d)
{
    ph__buffer *b = ph__say(ph, "draw");
    if (!b) return;
    ph__member(b, "shape", d->shape);
    ph__raw(b, ",\"points\":[");
    for (size_t i = 0; i < d->point_count; i++) {
        if (i) ph__raw(b, ",");
        ph__vector(b, d->points + 3 * i);
    }
    ph__raw(b, "],\"size\":");
    ph__vector(b, d->size);
    ph__raw(b, ",\"angles\":");
    ph__vector(b, d->angles);
    ph__raw(b, ",\"color\":[");
    for (int i = 0; i < 3; i++) {
        if (i) ph__raw(b, ",");
        ph__whole(b, d->color[i]);
    }
    ph__raw(b, "]");
    ph__object(b, "object", d->object);
    if (d->text) ph__member(b, "text", d->text);
    if (d->channel) ph__member(b, "channel", d->channel);
    if (d->latch) ph__member(b, "latch", d->latch);
    ph__said(ph);
}

void playhead_line(playhead *ph, const float start[3], const float end[3], const uint8_t color[3],
                   uint64_t object, const char *channel)
{
    float points[6];
    playhead_drawing drawing;
    memset(&drawing, 0, sizeof drawing);
    memcpy(points, start, sizeof *start * 3);
    memcpy(points + 3, end, sizeof *end * 3);
    memcpy(drawing.color, color, sizeof drawing.color);
    drawing.shape = "line";
    drawing.points = points;
    drawing.point_count = 2;
    drawing.object = object;
    drawing.channel = channel;
    playhead_draw(ph, &drawing);
}

bool playhead_say(playhead *ph, const char *json)
{
    ph__json value = ph__parsed(json);
    if (!value.at || *value.at != '{') {
        ph__fail(ph, "what was to be said is no JSON object");
        return false;
    }
    if (ph->state != PH__ON) return false;
    ph__request_begin(ph, 0);
    ph__json_text(&ph->text, json);
    if (ph__request_end(ph, false)) return true;
    ph->counts.statements_dropped++;
    return false;
}

#endif /* PLAYHEAD_STATEMENTS_H */
