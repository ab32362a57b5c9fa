/* playhead_orders.h: what the service says, and what the game does then: pause, show, resume,
 * advance, pads and calls. Part of playhead.h. */
#ifndef PLAYHEAD_ORDERS_H
#define PLAYHEAD_ORDERS_H

#include "playhead_frame.h"
#include "playhead_statements.h"

/* --- pads --- */

/* Nothing is held any more, as when playback begins. */
static void ph__let_go(playhead *ph)
{
    for (int i = 0; i < ph->pad_count; i++) {
        bool held = ph->pads[i].now.held;
        memset(&ph->pads[i], 0, sizeof *ph->pads);
        ph->pads[i].now.held = held;
    }
}

static void ph__hold(playhead *ph, ph__json order)
{
    ph__json left = ph__get(order, "left"), right = ph__get(order, "right"), axis;
    uint64_t player = 0, buttons = 0;
    playhead_pad_state pad;
    ph__read_id(ph__get(order, "player"), &player);
    if (player >= (uint64_t)ph->pad_count) {
        ph__fail(ph, "a pad came for a player whose pad is not taken");
        return;
    }
    memset(&pad, 0, sizeof pad);
    pad.held = true;
    for (int i = 0; i < 2 && ph__element(&left, &axis); i++)
        ph__read_axis(axis, -1, &pad.left[i]);
    for (int i = 0; i < 2 && ph__element(&right, &axis); i++)
        ph__read_axis(axis, -1, &pad.right[i]);
    ph__read_axis(ph__get(order, "left_trigger"), 0, &pad.left_trigger);
    ph__read_axis(ph__get(order, "right_trigger"), 0, &pad.right_trigger);
    ph__read_id(ph__get(order, "buttons"), &buttons);
    pad.buttons = (uint32_t)(buttons & PH__BUTTONS);
    ph->pads[player].pressed |= pad.buttons & ~ph->pads[player].now.buttons;
    ph->pads[player].now = pad;
}

/* What a step is played with, as the input `pad`: what is at rest is left out. */
static void ph__state_pad(playhead *ph, int player, const playhead_pad_state *pad)
{
    static const char *const buttons[] = {"A",    "B",  "X",    "Y",    "LB",    "RB", "START",
                                          "BACK", "UP", "LEFT", "DOWN", "RIGHT", "LS", "RS"};
    const char *const axes[] = {"left x",  "left y",       "right x",
                                "right y", "left trigger", "right trigger"};
    const double values[] = {pad->left[0],  pad->left[1],      pad->right[0],
                             pad->right[1], pad->left_trigger, pad->right_trigger};
    char name[16] = "pad";
    playhead_map map;
    map.size = 0;
    map.failed = false;
    for (int i = 0; i < 6; i++)
        if (values[i] < 0 || values[i] > 0) playhead_put_number(&map, axes[i], values[i]);
    for (int i = 0; i < 14; i++)
        if (pad->buttons >> i & 1) playhead_put_bool(&map, buttons[i], true);
    if (player) snprintf(name, sizeof name, "pad %d", player);
    playhead_input(ph, name, playhead_map_text(&map), 0);
}

playhead_pad_state playhead_pad(playhead *ph, int player)
{
    playhead_pad_state none;
    memset(&none, 0, sizeof none);
    if (player < 0 || player >= ph->pad_count || !playhead_recording(ph)) return none;
    ph__pad *pad = &ph->pads[player];
    if (!pad->is_given) {
        pad->given = pad->now;
        pad->given.buttons |= pad->pressed;
        pad->pressed = 0;
        pad->is_given = true;
        if (pad->given.held) ph__state_pad(ph, player, &pad->given);
    }
    return pad->given;
}

/* --- standing still --- */

/* The service has gone in mid-playback: the game gets its own state back and runs on. */
static void ph__give_back(playhead *ph)
{
    ph->steps = 0;
    if (ph->pad_count) memset(ph->pads, 0, (size_t)ph->pad_count * sizeof *ph->pads);
    if (ph->mode == PH__LIVE) return;
    for (size_t i = ph->hidden.count; i-- > 0;)
        if (ph->on.unhide) ph->on.unhide(ph->on.user, ph->hidden.ids[i]);
    for (size_t i = ph->stand_ins.count; i-- > 0;)
        if (ph->on.remove_stand_in) ph->on.remove_stand_in(ph->on.user, ph->stand_ins.ids[i]);
    ph->hidden.count = ph->stand_ins.count = 0;
    if (ph->touched && ph->frame.size) ph__apply_image(ph, ph->frame.data, ph->frame.size);
    bool stood = ph->mode == PH__PAUSED;
    ph->touched = false;
    ph->mode = PH__LIVE;
    if (stood && ph->on.resumed) ph->on.resumed(ph->on.user);
}

/* `paused` follows the frame it stands at, so it waits until that frame has found room. */
static void ph__stand(playhead *ph)
{
    if (ph->mode != PH__PAUSING || ph->open) return;
    if (ph->unsent) {
        if (!ph__queue(ph, PH__BINARY, ph->frame.data, ph->frame.size, false)) return;
        ph->unsent = false;
        ph->owed = 0;
        ph->counts.frames++;
        ph->counts.frames_dropped--;
    }
    if (!ph__ask(ph, "{\"do\":\"paused\"}")) return;
    ph->mode = PH__PAUSED;
    ph->touched = false;
    ph->steps = 0;
    ph__let_go(ph);
    if (ph->on.paused) ph->on.paused(ph->on.user);
}

static void ph__step_ended(playhead *ph)
{
    for (int i = 0; i < ph->pad_count; i++) ph->pads[i].is_given = false;
    if (ph->stop_at_end || (ph->steps && --ph->steps == 0)) {
        ph->stop_at_end = false;
        ph->mode = PH__PAUSING;
    }
    ph__stand(ph);
}

/* The game stands at its newest frame, which resuming gives back: so there has to be one. */
static void ph__pause(playhead *ph)
{
    ph->steps = 0;
    if (ph->mode == PH__PAUSED)
        ph__ask(ph, "{\"do\":\"paused\"}");
    else if (ph->open || !ph->placed)
        ph->stop_at_end = true;
    else
        ph->mode = PH__PAUSING;
    ph__stand(ph);
}

/* Run on; after so many steps, if that is not 0, stand still again. */
static void ph__resume(playhead *ph, uint64_t steps)
{
    bool was = ph->mode != PH__LIVE;
    ph->mode = PH__LIVE;
    ph->stop_at_end = false;
    ph->steps = steps;
    ph->hidden.count = ph->stand_ins.count = 0;
    if (was && ph->on.resumed) ph->on.resumed(ph->on.user);
    ph__ask(ph, "{\"do\":\"resumed\"}");
}

/* --- showing a frame --- */

static void ph__each_id(playhead *ph, ph__json list, ph__ids *ids, bool keep,
                        void (*call)(void *, uint64_t))
{
    ph__json element;
    uint64_t id;
    while (ph__element(&list, &element)) {
        if (!ph__read_id(element, &id)) continue;
        if (keep)
            ph__keep(ids, id);
        else
            ph__forget(ids, id);
        if (call) call(ph->on.user, id);
    }
}

/* An object is shown while a packet is restored into it: showing it later would undo that. */
static void ph__show(playhead *ph, ph__json order, const char *image, size_t size)
{
    ph__json rows = ph__get(order, "stand_ins"), row;
    uint64_t frame = 0;
    double time = 0;
    ph__each_id(ph, ph__get(order, "unhide"), &ph->hidden, false, ph->on.unhide);
    if (image) {
        ph->touched = true;
        ph__apply_image(ph, image, size);
    }
    ph__each_id(ph, ph__get(order, "hide"), &ph->hidden, true, ph->on.hide);
    ph__each_id(ph, ph__get(order, "remove_stand_ins"), &ph->stand_ins, false,
                ph->on.remove_stand_in);
    while (ph__element(&rows, &row)) {
        char type[64];
        playhead_stand_in shown;
        memset(&shown, 0, sizeof shown);
        ph__text(ph__get(row, "type"), type, sizeof type);
        shown.type = type;
        shown.visible = !ph__is(ph__get(row, "visible"), "false");
        if (!ph__read_id(ph__get(row, "id"), &shown.id)
            || !ph__read_vector(ph__get(row, "position"), shown.position)
            || !ph__read_vector(ph__get(row, "angles"), shown.angles))
            continue;
        ph__keep(&ph->stand_ins, shown.id);
        if (ph->on.stand_in) ph->on.stand_in(ph->on.user, &shown);
    }
    ph__read_id(ph__get(order, "frame"), &frame);
    ph__read_number(ph__get(order, "time"), &time);
    if (ph->on.shown) ph->on.shown(ph->on.user, frame, time);
}

/* --- calls --- */

static bool ph__ask_to_serve(playhead *ph)
{
    ph__request_begin(ph, ++ph->sequence);
    ph__raw(&ph->text, "{\"do\":\"serve\",\"names\":[");
    for (size_t i = 0; i < ph->served_count; i++) {
        if (i) ph__raw(&ph->text, ",");
        ph__quoted(&ph->text, ph->served[i].name);
    }
    ph__raw(&ph->text, "]}");
    return ph__request_end(ph, true);
}

bool playhead_serve(playhead *ph, const char *name, playhead_function function, void *user)
{
    ph__served *served = ph->served, *end = served + ph->served_count;
    while (served < end && strcmp(served->name, name) != 0) served++;
    if (served == end) {
        char *copy = ph__copy(name, strlen(name));
        size_t size = (ph->served_count + 1) * sizeof *served;
        ph__served *more = copy ? (ph__served *)PLAYHEAD_REALLOC(ph->served, size) : NULL;
        if (!more) {
            PLAYHEAD_FREE(copy);
            ph__fail(ph, "no memory for what is served");
            return false;
        }
        ph->served = more;
        served = &more[ph->served_count++];
        served->name = copy;
    }
    served->function = function;
    served->user = user;
    return ph->state < PH__ATTACHING || ph__ask_to_serve(ph);
}

/* Say what came of a call; false if that finds no room, or the result is no JSON. */
static bool ph__return(playhead *ph, uint64_t number, const char *result, const playhead_call *call)
{
    ph__buffer *b = &ph->text;
    ph__request_begin(ph, 0);
    ph__raw(b, "{\"do\":\"return\",\"call\":");
    ph__id(b, number);
    if (call->error) {
        ph__member(b, "error", *call->error ? call->error : "it can't be done");
        ph__raw(b, call->refused ? ",\"refused\":true" : "");
    } else {
        ph__raw(b, ",\"result\":");
        ph__json_text(b, result);
    }
    ph__raw(b, "}");
    return b->size <= PH__MAX_TEXT - 4096 && ph__request_end(ph, true);
}

static void ph__call(playhead *ph, ph__json order)
{
    char name[320];
    uint64_t number = 0;
    ph__json argument = ph__get(order, "argument");
    const char *result = NULL;
    playhead_call call;
    memset(&call, 0, sizeof call);
    call.name = name;
    call.error = "it is not served";
    ph__read_id(ph__get(order, "call"), &number);
    ph__text(ph__get(order, "name"), name, sizeof name);
    char *copy = argument.at ? ph__copy(argument.at, (size_t)(argument.end - argument.at))
                             : ph__copy("null", 4);
    call.argument = copy;
    for (size_t i = 0; i < ph->served_count; i++) {
        ph__served served = ph->served[i];
        if (strcmp(served.name, name) != 0) continue;
        call.error = copy ? NULL : "no memory for its argument";
        if (copy) result = served.function(served.user, &call);
        break;
    }
    if (!ph__return(ph, number, result, &call)) {
        call.error = "what came of it is no JSON, or too much to be sent";
        call.refused = false;
        if (!ph__return(ph, number, NULL, &call)) ph__fail(ph, "a call was not answered: no room");
    }
    PLAYHEAD_FREE(copy);
}

/* --- what the service says --- */

static void ph__ordered(playhead *ph, ph__json order)
{
    char name[16];
    ph__text(ph__get(order, "order"), name, sizeof name);
    if (strcmp(name, "pause") == 0) {
        ph__pause(ph);
    } else if (strcmp(name, "show") == 0) {
        if (ph->mode != PH__PAUSED) {
            ph__fail(ph, "an order to show a frame came while the game was not paused");
        } else if (ph__is(ph__get(order, "image"), "true")) {
            size_t size = (size_t)(order.end - order.at);
            ph->order.size = 0;
            ph->has_order = ph__grow(&ph->order, size, PH__MAX_FRAME);
            if (!ph->has_order) return;
            memcpy(ph->order.data, order.at, size);
            ph->order.size = size;
        } else {
            ph__show(ph, order, NULL, 0);
        }
    } else if (strcmp(name, "look_at") == 0) {
        uint64_t id;
        float position[3];
        if (ph->on.look_at && ph__read_id(ph__get(order, "object"), &id)
            && ph__read_vector(ph__get(order, "position"), position))
            ph->on.look_at(ph->on.user, id, position);
    } else if (strcmp(name, "resume") == 0) {
        ph__resume(ph, 0);
    } else if (strcmp(name, "advance") == 0) {
        uint64_t steps = 0;
        ph__read_id(ph__get(order, "steps"), &steps);
        ph__resume(ph, steps ? steps : 1);
    } else if (strcmp(name, "pad") == 0) {
        ph__hold(ph, order);
    } else if (strcmp(name, "call") == 0) {
        ph__call(ph, order);
    }
}

static void ph__attach(playhead *ph, ph__json answer)
{
    bool all;
    if (!ph__text(ph__get(answer, "origin"), ph->origin, sizeof ph->origin)) {
        ph__drop(ph, "the service's welcome has no origin");
        return;
    }
    ph->state = PH__ATTACHING;
    ph->since = ph__now();
    all = ph__ask(ph, ph->game);
    ph->attach = ph->sequence;
    for (size_t i = 0; i < ph->type_count; i++) all &= ph__ask(ph, ph->types[i].json);
    for (size_t at = 0; at < ph->skeletons.size; at += strlen(ph->skeletons.data + at) + 1)
        all &= ph__ask(ph, ph->skeletons.data + at);
    if (ph->served_count) all &= ph__ask_to_serve(ph);
    if (!all) ph__drop(ph, "the types' definitions are larger than the queue");
}

static void ph__answered(playhead *ph, ph__json answer, uint64_t sequence)
{
    char is[16], message[200];
    ph__text(ph__get(answer, "is"), is, sizeof is);
    if (strcmp(is, "error") == 0) {
        bool lost = ph->state != PH__ON;
        ph__text(ph__get(answer, "kind"), is, sizeof is);
        ph__text(ph__get(answer, "message"), message, sizeof message);
        if (lost || strcmp(is, "hello") == 0)
            ph__drop(ph, message);
        else
            ph__fail(ph, message);
    } else if (ph->state == PH__GREETING && strcmp(is, "welcome") == 0) {
        ph__attach(ph, answer);
    } else if (ph->state == PH__ATTACHING && sequence == ph->attach) {
        ph->state = PH__ON;
        ph->counts.connections++;
        ph->error[0] = 0;
        if (ph->on.recording) ph->on.recording(ph->on.user);
    }
}

static void ph__message(playhead *ph, int opcode, const char *data, size_t size)
{
    ph->messages++;
    if (opcode == PH__BINARY) {
        ph__json order = {ph->order.data, ph->order.data + ph->order.size};
        if (!ph->has_order) {
            ph__fail(ph, "a frame came that no order announced");
            return;
        }
        ph->has_order = false;
        ph__show(ph, order, data, size);
        return;
    }
    ph__json text = {data, ph__skip(data, data + size, 0)};
    if (!text.end || ph__space(text.end, data + size) != data + size) {
        ph__fail(ph, "the service said something that is no JSON");
        return;
    }
    ph__json order = ph__get(text, "order"), answer = ph__get(text, "answer");
    uint64_t sequence = 0;
    ph__read_id(ph__get(text, "sequence"), &sequence);
    if (answer.at)
        ph__answered(ph, answer, sequence);
    else if (order.at && ph->state == PH__ON)
        ph__ordered(ph, order);
}

#endif /* PLAYHEAD_ORDERS_H */
