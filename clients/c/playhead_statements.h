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
    ph__buffer *b = condition ? NULL : ph__say(ph, "check_failed");
    if (!b) return condition;
    ph__member(b, "message", message);
    ph__member(b, "expression", expression);
    ph__object(b, "object", object);
    ph__site(b, file, line);
    if (ph__said(ph)) ph->stop_at_end = true;
    return condition;
}

void playhead_watch(playhead *ph, const char *name, double value, uint64_t object)
{
    ph__buffer *b = ph__say(ph, "watch");
    if (!b) return;
    ph__member(b, "name", name);
    ph__raw(b, ",\"value\":");
    ph__number(b, value);
    ph__object(b, "object", object);
    ph__said(ph);
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
    const char *end = json + strlen(json), *behind = ph__skip(json, end, 0);
    if (!behind || ph__space(behind, end) != end || *ph__space(json, end) != '{') {
        ph__fail(ph, "what was to be said is no JSON object");
        return false;
    }
    if (ph->state != PH__ON) return false;
    ph__request_begin(ph, 0);
    ph__raw(&ph->text, json);
    if (ph__request_end(ph, false)) return true;
    ph->counts.statements_dropped++;
    return false;
}

#endif /* PLAYHEAD_STATEMENTS_H */
