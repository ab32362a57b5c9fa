/* playhead_playable.h: a game that the playthrough tester plays. What it says of itself, and what
 * its player sees; docs/protocol.md, "A game that is tested", explains each value.
 *
 *     #define PLAYHEAD_IMPLEMENTATION
 *     #include "playhead.h"
 *     #include "playhead_playable.h"
 *
 *     playhead_playable playable = {0};
 *     playable.name = "my game";
 *     playable.player = HERO_ID;
 *     playable.on.user = &game;
 *     playable.on.restart = begin_anew;
 *     playhead_serve_playable(ph, &playable); // it has to stay where it is
 *     ...
 *     playhead_end_frame(ph);                 // of each step, and behind it:
 *     playhead_observe(&playable, game.time, &seen, &pad);
 */
#ifndef PLAYHEAD_PLAYABLE_H
#define PLAYHEAD_PLAYABLE_H

#include "playhead.h"

#ifdef __cplusplus
extern "C" {
#endif

#define PLAYHEAD_WAY 256 /* the most positions of a way */

/* What tools have the game do. Each but the last returns NULL, or why it can't, in words for a person;
 * each may be NULL, and then the game can't do it. */
typedef struct {
    void *user;
    const char *(*restart)(void *user, bool seeded, int64_t seed); /* start again */
    const char *(*load)(void *user, const char *path);
    const char *(*save)(void *user, const char *path);
    const char *(*debug)(void *user, const char *name, const char *argument); /* JSON */
    /* Find the way on foot to within `reach` of the goal, as a navigation mesh does. Returns how many
     * positions were written to `way`, which has room for so many; 0 if there is no way. */
    size_t (*find_path)(void *user, const double start[3], const double goal[3], double reach,
                        double (*way)[3], size_t room);
} playhead_playable_callbacks;

/* A game that is tested; all zero but for `player` will do. */
typedef struct {
    const char *name;
    uint64_t player;      /* the id of the object that is played */
    double interval;      /* seconds of game time between two observations; 0 = 1/30 */
    const char *columns;  /* the game's own, as JSON: {"coins": "float", "door": "bool"} */
    const char *outcomes; /* {"coins": "equal"}: also "includes" and "noted" */
    const char *levels;   /* ["cave", "town"] */
    const char *sticks;   /* NULL = "world"; "player", "camera" */
    const char *settings; /* the agent's, as YAML */
    const char *debug;    /* the names of debug functions, as JSON: ["luck"] */
    playhead_playable_callbacks on;
    /* The client's own. */
    playhead *ph;
    double due, time;
    uint32_t pressed, before;
    char *facts, *found;
    double way[PLAYHEAD_WAY][3];
    char path[1024], called[128], argument[1024];
} playhead_playable;

/* Something around the player that an agent may act on. */
typedef struct {
    const char *label;
    double position[3], hp;
    uint64_t object; /* its id; 0 = not said */
} playhead_thing;

/* What the player sees after a step. All zero is somebody at the origin. */
typedef struct {
    double position[3], facing, camera[2];
    bool message, in_air, can_jump, dead, finished;
    const char *level, *event, *screen, *field; /* NULL = "" */
    const playhead_thing *enemies, *bosses, *items, *people;
    size_t enemy_count, boss_count, item_count, person_count;
    const char *extras; /* a value for each column, as JSON: a `playhead_map`'s text */
} playhead_observation;

/* Let tools play the game. False without memory. */
bool playhead_serve_playable(playhead *ph, playhead_playable *playable);
/* A step was made with this pad: publish what its player sees, once in each interval. */
bool playhead_observe(playhead_playable *playable, double time, const playhead_observation *seen,
                      const playhead_pad_state *pad);

#ifdef __cplusplus
}
#endif

#endif /* PLAYHEAD_PLAYABLE_H */

#if defined(PLAYHEAD_IMPLEMENTATION) && !defined(PLAYHEAD_PLAYABLE_DONE)
#define PLAYHEAD_PLAYABLE_DONE

static void ph__key(ph__buffer *b, const char *key, bool first)
{
    ph__raw(b, first ? "{\"" : ",\"");
    ph__raw(b, key);
    ph__raw(b, "\":");
}

static void ph__truth(ph__buffer *b, const char *key, bool value)
{
    ph__key(b, key, false);
    ph__raw(b, value ? "true" : "false");
}

static void ph__numbers(ph__buffer *b, const double *values, int count)
{
    for (int i = 0; i < count; i++) {
        ph__raw(b, i ? "," : "[");
        ph__number(b, values[i]);
    }
    ph__raw(b, "]");
}

static void ph__things(ph__buffer *b, const char *key, const playhead_thing *things, size_t count)
{
    ph__key(b, key, false);
    ph__raw(b, "[");
    for (size_t i = 0; i < count; i++) {
        if (i) ph__raw(b, ",");
        ph__key(b, "label", true);
        ph__quoted(b, things[i].label);
        ph__key(b, "position", false);
        ph__numbers(b, things[i].position, 3);
        ph__key(b, "hp", false);
        ph__number(b, things[i].hp);
        ph__key(b, "object", false);
        ph__id(b, things[i].object);
        ph__raw(b, "}");
    }
    ph__raw(b, "]");
}

static const char *ph__facts(void *user, playhead_call *call)
{
    (void)call;
    return ((playhead_playable *)user)->facts;
}

/* What a callback has said: null, or the caller's error. */
static const char *ph__came(const char *why, playhead_call *call)
{
    call->error = why;
    call->refused = why != NULL;
    return NULL;
}

static const char *ph__anew(playhead_playable *p, const char *why, playhead_call *call)
{
    p->due = p->time = -1e300;
    p->pressed = 0;
    return ph__came(why, call);
}

static const char *ph__restart(void *user, playhead_call *call)
{
    playhead_playable *p = (playhead_playable *)user;
    double seed = 0;
    bool seeded = playhead_get_number(call->argument, "seed", &seed);
    return ph__anew(p, p->on.restart(p->on.user, seeded, (int64_t)seed), call);
}

static const char *ph__load(void *user, playhead_call *call)
{
    playhead_playable *p = (playhead_playable *)user;
    if (!playhead_get_text(call->argument, "path", p->path, sizeof p->path))
        return ph__came("path: the file of a saved game", call);
    return ph__anew(p, p->on.load(p->on.user, p->path), call);
}

static const char *ph__save(void *user, playhead_call *call)
{
    playhead_playable *p = (playhead_playable *)user;
    if (!playhead_get_text(call->argument, "path", p->path, sizeof p->path))
        return ph__came("path: the file of a saved game", call);
    return ph__came(p->on.save(p->on.user, p->path), call);
}

static const char *ph__debug(void *user, playhead_call *call)
{
    playhead_playable *p = (playhead_playable *)user;
    ph__json argument = ph__member_of(call->argument, "argument");
    size_t size = argument.at ? (size_t)(argument.end - argument.at) : 0;
    if (!playhead_get_text(call->argument, "name", p->called, sizeof p->called))
        return ph__came("name: that of a debug function", call);
    if (size >= sizeof p->argument) return ph__came("argument: it is too long", call);
    if (size) memcpy(p->argument, argument.at, size);
    p->argument[size] = 0;
    return ph__came(p->on.debug(p->on.user, p->called, size ? p->argument : "null"), call);
}

static bool ph__position(const char *json, const char *key, double *to)
{
    ph__json list = ph__member_of(json, key), number;
    for (int i = 0; i < 3; i++)
        if (!ph__element(&list, &number) || !ph__read_number(number, &to[i])) return false;
    return true;
}

static const char *ph__find_path(void *user, playhead_call *call)
{
    playhead_playable *p = (playhead_playable *)user;
    double start[3], goal[3], reach;
    size_t count;
    ph__buffer b;
    if (!ph__position(call->argument, "start", start) || !ph__position(call->argument, "goal", goal)
        || !playhead_get_number(call->argument, "near", &reach))
        return ph__came("start, goal, near: two positions and a distance", call);
    count = p->on.find_path(p->on.user, start, goal, reach, p->way, PLAYHEAD_WAY);
    if (count > PLAYHEAD_WAY) count = 0; /* it has no end here: none is better than a part */
    memset(&b, 0, sizeof b);
    ph__raw(&b, "[");
    for (size_t i = 0; i < count; i++) {
        if (i) ph__raw(&b, ",");
        ph__numbers(&b, p->way[i], 3);
    }
    ph__raw(&b, "]");
    PLAYHEAD_FREE(p->found);
    p->found = ph__done(&b);
    ph__free(&b);
    return p->found;
}

bool playhead_serve_playable(playhead *ph, playhead_playable *p)
{
    ph__buffer b;
    memset(&b, 0, sizeof b);
    p->ph = ph;
    p->due = p->time = -1e300;
    if (!(p->interval > 0)) p->interval = 1.0 / 30;
    ph__key(&b, "name", true);
    ph__quoted(&b, ph__or(p->name, "game"));
    ph__key(&b, "interval", false);
    ph__number(&b, p->interval);
    ph__key(&b, "player", false);
    ph__id(&b, p->player);
    ph__key(&b, "columns", false);
    ph__raw(&b, ph__or(p->columns, "{}"));
    ph__key(&b, "outcomes", false);
    ph__raw(&b, ph__or(p->outcomes, "{}"));
    ph__key(&b, "levels", false);
    ph__raw(&b, ph__or(p->levels, "[]"));
    ph__key(&b, "debug", false);
    ph__raw(&b, p->on.debug ? ph__or(p->debug, "[]") : "[]");
    ph__member(&b, "sticks", ph__or(p->sticks, "world"));
    ph__member(&b, "settings", ph__or(p->settings, ""));
    ph__truth(&b, "loads", p->on.load != NULL);
    ph__truth(&b, "saves", p->on.save != NULL);
    ph__truth(&b, "restarts", p->on.restart != NULL);
    ph__truth(&b, "paths", p->on.find_path != NULL);
    ph__raw(&b, "}");
    PLAYHEAD_FREE(p->facts);
    p->facts = ph__done(&b);
    ph__free(&b);
    return p->facts && playhead_serve(ph, "replay.game", ph__facts, p)
           && (!p->on.restart || playhead_serve(ph, "replay.restart", ph__restart, p))
           && (!p->on.load || playhead_serve(ph, "replay.load", ph__load, p))
           && (!p->on.save || playhead_serve(ph, "replay.save", ph__save, p))
           && (!p->on.find_path || playhead_serve(ph, "replay.path", ph__find_path, p))
           && (!p->on.debug || playhead_serve(ph, "replay.debug", ph__debug, p));
}

bool playhead_observe(playhead_playable *p, double time, const playhead_observation *seen,
                      const playhead_pad_state *pad)
{
    ph__buffer b;
    char *text;
    bool sent;
    p->pressed |= pad->buttons & ~p->before;
    p->before = pad->buttons;
    if (time < p->time) p->due = -1e300; /* the clock began again */
    p->time = time;
    if (time < p->due - 1e-9) return false;
    p->due = (p->due < time - p->interval ? time : p->due) + p->interval;
    memset(&b, 0, sizeof b);
    ph__key(&b, "game_time", true);
    ph__number(&b, time);
    ph__key(&b, "pad", false);
    ph__key(&b, "left", true);
    ph__numbers(&b, pad->left, 2);
    ph__key(&b, "right", false);
    ph__numbers(&b, pad->right, 2);
    ph__key(&b, "left_trigger", false);
    ph__number(&b, pad->left_trigger);
    ph__key(&b, "right_trigger", false);
    ph__number(&b, pad->right_trigger);
    ph__key(&b, "buttons", false);
    ph__whole(&b, (int64_t)(pad->buttons | p->pressed));
    ph__raw(&b, "}");
    ph__key(&b, "seen", false);
    ph__key(&b, "position", true);
    ph__numbers(&b, seen->position, 3);
    ph__key(&b, "facing", false);
    ph__number(&b, seen->facing);
    ph__key(&b, "camera", false);
    ph__numbers(&b, seen->camera, 2);
    ph__truth(&b, "message", seen->message);
    ph__truth(&b, "in_air", seen->in_air);
    ph__truth(&b, "can_jump", seen->can_jump);
    ph__truth(&b, "dead", seen->dead);
    ph__truth(&b, "finished", seen->finished);
    ph__member(&b, "level", ph__or(seen->level, ""));
    ph__member(&b, "event", ph__or(seen->event, ""));
    ph__member(&b, "screen", ph__or(seen->screen, ""));
    ph__member(&b, "field", ph__or(seen->field, ""));
    ph__things(&b, "enemies", seen->enemies, seen->enemy_count);
    ph__things(&b, "bosses", seen->bosses, seen->boss_count);
    ph__things(&b, "items", seen->items, seen->item_count);
    ph__things(&b, "people", seen->people, seen->person_count);
    ph__key(&b, "extras", false);
    ph__raw(&b, ph__or(seen->extras, "{}"));
    ph__raw(&b, "}}");
    p->pressed = 0;
    text = ph__done(&b);
    ph__free(&b);
    sent = text && playhead_publish(p->ph, "observation", text);
    PLAYHEAD_FREE(text);
    return sent;
}
#endif /* PLAYHEAD_IMPLEMENTATION */
