/* playhead.h: a game in C or C++ recorded by playhead, paused, scrubbed back and resumed.
 *
 * Copy this folder. In one source file:
 *     #define PLAYHEAD_IMPLEMENTATION
 *     #include "playhead.h"        (before other headers)
 * elsewhere only the #include. C99 and C++17; needs sockets, nothing else (Windows: ws2_32). This
 * header is all that a game calls; the others beside it are what it is made of.
 *
 *     playhead_options options = {0};
 *     options.url = "ws://127.0.0.1:5671/?token=TOKEN";
 *     options.name = "my game";
 *     options.on.apply = put_back;
 *     playhead *ph = playhead_open(&options);
 *     playhead_define_type(ph, &guard_type);
 *     while (running) {
 *         if (playhead_live(ph)) {
 *             step(dt);
 *             playhead_begin_frame(ph, time, dt);
 *             playhead_add(ph, &packet, &payload, sizeof payload);   for each object
 *             playhead_end_frame(ph);
 *         }
 *         playhead_update(ph);
 *     }
 *     playhead_close(ph, 1000);
 *
 * No call blocks, except `playhead_wait` and `playhead_close`, which say for how long. Without a
 * service all calls do nothing; every second the service is looked for. What a slow service has
 * no room for is dropped and counted. One `playhead` belongs to one thread; callbacks come from
 * within `playhead_update`, `playhead_end_frame` and `playhead_wait`, and must not close it.
 */
#ifndef PLAYHEAD_H
#define PLAYHEAD_H

#if defined(PLAYHEAD_IMPLEMENTATION) && !defined(_WIN32)
/* The sockets' declarations, also under -std=c99. */
#ifndef _POSIX_C_SOURCE
#define _POSIX_C_SOURCE 200809L
#endif
#ifndef _DARWIN_C_SOURCE
#define _DARWIN_C_SOURCE
#endif
#endif

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct playhead playhead;

/* What is said of an object beside its payload. All zero is a visible, targetable object. */
typedef struct {
    uint64_t id;                  /* 1 ... 2^63-1, the object's own for as long as it lives */
    uint16_t type;                /* a defined type's number */
    bool hidden;                  /* not visible at this frame */
    bool untargetable;            /* not to be picked by tools */
    float position[3], angles[3]; /* for showing; angles in radians */
} playhead_packet;

/* A member of a payload. {"hand", "<f4", {3}, "m", "position"}: three floats. */
typedef struct {
    const char *name;
    const char *format; /* numpy's: "<f4", "<f8", "<i4", "<u8", "|u1", "|b1", "|S16", ... */
    uint32_t shape[3];  /* {0}: a single number; {3}: three; {3, 4}: rows and columns */
    const char *unit;   /* NULL, "m", "m/s", "rad", "s", ... */
    const char *role;   /* NULL, "position", "velocity", "health", "state", ... */
} playhead_field;

/* What packets of one type hold. The fields follow each other without holes: a struct whose
 * members are sorted by size, or packed. */
typedef struct {
    uint16_t number; /* from 32 on */
    const char *name;
    const playhead_field *fields;
    size_t field_count;
    size_t size;             /* of the fields together, sizeof the struct: checked */
    const char *tail;        /* NULL, or what repeats behind them: a format, "utf8", "msgpack" */
    uint32_t tail_shape[3];  /* {3, 4} for joint matrices */
    const char *tail_name;   /* "joints" */
    const char *tail_role;   /* "joints" */
    const char *space;       /* of joint matrices: "model" or "world" */
    const char *channels;    /* NULL, or names with commas between them */
} playhead_type;

typedef struct {
    uint64_t id;
    const char *type; /* its name */
    float position[3], angles[3];
    bool visible;
} playhead_stand_in;

/* What the service orders; each may be NULL. */
typedef struct {
    void *user; /* given to all of them */
    /* The service listens: say what stays true (names). Comes again after each reconnection. */
    void (*recording)(void *user);
    /* The game is paused from now on: `playhead_live` is false. Ignore the player's input. */
    void (*paused)(void *user);
    /* Hide an object; show it again as it was before. */
    void (*hide)(void *user, uint64_t id);
    void (*unhide)(void *user, uint64_t id);
    /* Put a payload back into its object. It has at least the defined size, 8-byte aligned. */
    void (*apply)(void *user, const playhead_packet *packet, const void *payload, size_t size);
    /* Show or move what stands for a recorded object that is gone; take it away. */
    void (*stand_in)(void *user, const playhead_stand_in *stand_in);
    void (*remove_stand_in)(void *user, uint64_t id);
    /* All of the above is done for this frame: draw it. */
    void (*shown)(void *user, uint64_t frame, double time);
    /* Turn the camera to an object. */
    void (*look_at)(void *user, uint64_t id, const float position[3]);
    /* Everything is as it was before the pause: run on. Also when the service is gone. */
    void (*resumed)(void *user);
    /* Something was refused or has failed. The game goes on. */
    void (*error)(void *user, const char *message);
} playhead_callbacks;

typedef struct {
    const char *url;  /* ws://HOST:PORT/?token=TOKEN; HOST is a numeric address or localhost */
    const char *name; /* of the game */
    const char *build;       /* NULL, or its version */
    const char *up;          /* NULL = "z" */
    const char *handedness;  /* NULL = "right" */
    const char *unit;        /* NULL = "m" */
    const char *angles;      /* NULL = "xyz": the axes that angles turn about, in order */
    bool cannot_restore;     /* recorded packets can't be put back: `apply` is never called */
    int pads;                /* how many players' pads tools may hold: see `playhead_pad` */
    size_t frame_limit;      /* bytes of the largest frame; 0 = 4 MiB. Memory grows up to it */
    size_t queue_limit;      /* bytes that may wait to be sent; 0 = 16 MiB. Memory: twice that */
    playhead_callbacks on;
} playhead_options;

/* NULL without memory or with a url that is none. The texts are copied. */
playhead *playhead_open(const playhead_options *options);
/* Send what waits, for at most so many milliseconds, and free everything. */
void playhead_close(playhead *ph, int milliseconds);

/* Say what packets of a type hold, before the first frame that has some. False if it makes no
 * sense; `playhead_error` says why. */
bool playhead_define_type(playhead *ph, const playhead_type *type);
/* A skeleton for a type with a field "skeleton" ("<i4"); a root's parent is -1. */
bool playhead_define_skeleton(playhead *ph, uint16_t type, int32_t number, const char *name,
                              const char *const *joints, const int32_t *parents, size_t count);

/* Whether the game is to run: false while it stands still for playback. A tool may have it make a
 * number of steps: then this is true for so many frames, after `resumed`, and false again. */
bool playhead_live(const playhead *ph);
/* Whether frames are recorded now; the calls may be made in any case. */
bool playhead_recording(const playhead *ph);

/* A frame: after a step of the game, whose own clock says `time`. False: it is not recorded. */
bool playhead_begin_frame(playhead *ph, double time, double delta);
bool playhead_add(playhead *ph, const playhead_packet *packet, const void *payload, size_t size);
/* The same, to be written by the caller before the next call; NULL: it is not recorded. */
void *playhead_reserve(playhead *ph, const playhead_packet *packet, size_t size);
bool playhead_end_frame(playhead *ph);

/* Send, receive and carry out orders. Call it often, also while the game is paused. */
void playhead_update(playhead *ph);
/* The same, and sleep until the service says something, or so many milliseconds. */
void playhead_wait(playhead *ph, int milliseconds);

/* A named value that a decision looked at: a number, or a text if that is not NULL. */
typedef struct {
    const char *name;
    double number;
    const char *text;
} playhead_value;

/* An alternative that lost, and why. */
typedef struct {
    const char *condition, *reason;
} playhead_rejected;

/* What an agent holds true about another object. */
typedef struct {
    uint64_t object;
    float position[3];
    double seen; /* game time at which it was last perceived */
    const char *note;
} playhead_belief;

/* A machine of an agent went from one state to another. */
typedef struct {
    const char *machine, *source, *target;
    const char *won; /* the condition that decided */
    const char *const *also_true;
    size_t also_true_count;
    const playhead_rejected *rejected;
    size_t rejected_count;
    const playhead_value *values;
    size_t value_count;
    const playhead_belief *beliefs;
    size_t belief_count;
} playhead_transition;

/* A debug drawing of this frame, or under a name one that stays until drawn again. */
typedef struct {
    const char *shape;      /* "line", "lines", "sphere", "box", "polygon", "text" */
    const float *points;    /* three floats each */
    size_t point_count;
    float size[3];          /* a box's edges; a sphere's radius is the first */
    float angles[3];
    const char *text;
    uint8_t color[3];
    uint64_t object;        /* 0 = the world's */
    const char *channel, *latch; /* NULL = none */
} playhead_drawing;

/* A compressed picture of the game's screen: a whole file. */
typedef struct {
    const char *format; /* "jpeg", "png", "webp" */
    const void *data;
    size_t size; /* 1 MiB as base64: about 780,000 bytes at most */
    uint32_t width, height;
    const char *name; /* NULL = "screen"; of one name the last in a frame counts */
} playhead_image;

/* A small map as JSON text, for an input, an event, what is published, or a call's result:
 *     playhead_map keys = {0};
 *     playhead_put_bool(&keys, "jump", true);
 *     playhead_put_number(&keys, "turn", -0.5);
 *     playhead_input(ph, "keys", playhead_map_text(&keys), 0); */
typedef struct {
    size_t size;
    bool failed; /* something found no room, or was no number */
    char text[2032];
} playhead_map;

void playhead_put_number(playhead_map *map, const char *name, double value);
void playhead_put_text(playhead_map *map, const char *name, const char *value);
void playhead_put_bool(playhead_map *map, const char *name, bool value);
void playhead_put_json(playhead_map *map, const char *name, const char *json);
/* Good for as long as the map is; "", which is no JSON and refused as such, if it has failed. */
const char *playhead_map_text(playhead_map *map);
/* And back: a member of a JSON map, or the value itself where `key` is NULL. False if it is not
 * there, or something else; nothing is changed then but the text, which is empty. */
bool playhead_get_number(const char *json, const char *key, double *number);
bool playhead_get_text(const char *json, const char *key, char *text, size_t room);
bool playhead_get_bool(const char *json, const char *key, bool *truth);

/* Statements: recorded in the frame that is ended next. They keep where they were called from. */
#define playhead_trace_state(ph, agent, transition) \
    playhead_trace_state_at(ph, agent, transition, __FILE__, __LINE__)
#define playhead_log(ph, level, text, object) \
    playhead_log_at(ph, level, text, object, __FILE__, __LINE__)
/* A stretch of the run begins, and goes on until the next one; "" ends it. */
#define playhead_phase(ph, name) playhead_phase_at(ph, name, __FILE__, __LINE__)
/* The recorder assert. If the condition is false, the game pauses at the end of this frame and
 * all tools look at the object. Gives the condition back; without a service nothing happens. */
#define playhead_check(ph, condition, message, object) \
    playhead_check_at(ph, condition, message, object, #condition, __FILE__, __LINE__)

void playhead_trace_state_at(playhead *ph, uint64_t agent, const playhead_transition *transition,
                             const char *file, int line);
void playhead_log_at(playhead *ph, const char *level, const char *text, uint64_t object,
                     const char *file, int line);
bool playhead_check_at(playhead *ph, bool condition, const char *message, uint64_t object,
                       const char *expression, const char *file, int line);
void playhead_watch(playhead *ph, const char *name, double value, uint64_t object);
void playhead_phase_at(playhead *ph, const char *name, const char *file, int line);
/* What came from outside in this frame; of several of one name and object the last counts. The
 * value as JSON, such as a `playhead_map`'s, or as a number, a text, true or false. */
void playhead_input(playhead *ph, const char *name, const char *json, uint64_t object);
void playhead_input_number(playhead *ph, const char *name, double value, uint64_t object);
void playhead_input_text(playhead *ph, const char *name, const char *value, uint64_t object);
void playhead_input_bool(playhead *ph, const char *name, bool value, uint64_t object);
/* Something happened in the game in this frame; each counts. The value as JSON, NULL = none. */
void playhead_event(playhead *ph, const char *name, const char *json, uint64_t object);
void playhead_picture(playhead *ph, const playhead_image *image);
void playhead_mark(playhead *ph, const char *name, const char *note, uint64_t object);
void playhead_name(playhead *ph, uint64_t object, const char *name);
void playhead_despawn(playhead *ph, uint64_t object);
void playhead_draw(playhead *ph, const playhead_drawing *drawing);
void playhead_line(playhead *ph, const float start[3], const float end[3], const uint8_t color[3],
                   uint64_t object, const char *channel);
/* Any other statement of the protocol, as JSON: {"do": "fact", ...}. */
bool playhead_say(playhead *ph, const char *json);

/* The newest value under a name, as JSON, for all who subscribe. Nothing of it is recorded. */
bool playhead_publish(playhead *ph, const char *name, const char *json);

/* A call by a tool. */
typedef struct {
    const char *name;
    const char *argument; /* JSON; "null" if there is none */
    const char *error;    /* set it if the call can't be answered: why, in words for a person */
    bool refused;         /* and this, if the caller is to blame and not the game */
} playhead_call;

/* Answers a call with JSON (NULL is null), or sets its error. It is called between two steps, also
 * while the game is paused. Its texts are copied as soon as it has returned. */
typedef const char *(*playhead_function)(void *user, playhead_call *call);

/* Tools may call this function from now on, under this name. False without memory or room. */
bool playhead_serve(playhead *ph, const char *name, playhead_function function, void *user);

/* The buttons of a pad. */
enum {
    PLAYHEAD_A = 1, PLAYHEAD_B = 2, PLAYHEAD_X = 4, PLAYHEAD_Y = 8, PLAYHEAD_LB = 16,
    PLAYHEAD_RB = 32, PLAYHEAD_START = 64, PLAYHEAD_BACK = 128, PLAYHEAD_UP = 256,
    PLAYHEAD_LEFT = 512, PLAYHEAD_DOWN = 1024, PLAYHEAD_RIGHT = 2048, PLAYHEAD_LS = 4096,
    PLAYHEAD_RS = 8192
};

/* What a player's pad is like. All zero is one at rest. */
typedef struct {
    double left[2], right[2]; /* sticks: -1 ... 1, right and up positive */
    double left_trigger, right_trigger; /* 0 ... 1 */
    uint32_t buttons; /* those that are down, PLAYHEAD_A | PLAYHEAD_LB */
    bool held; /* false: no tool has held it yet, so play with a device of your own */
} playhead_pad_state;

/* The pad to play this step with; players count from 0. Within a step it stays the same; a button
 * that was pressed and let go since the last step is down in it. What is given is recorded in the
 * step's frame as the input "pad", "pad 1" for player 1. */
playhead_pad_state playhead_pad(playhead *ph, int player);

typedef struct {
    bool connected, recording, live;
    uint64_t frames;             /* handed to the connection */
    uint64_t frames_dropped;     /* too large, or no room because the service is slow */
    uint64_t packets_dropped;    /* their frame had no room, or their size was not the type's */
    uint64_t statements_dropped;
    uint64_t connections;
    size_t waiting;              /* bytes to be sent */
} playhead_counts;

playhead_counts playhead_status(const playhead *ph);
/* What went wrong most recently, or "". */
const char *playhead_error(const playhead *ph);

#ifdef __cplusplus
}
#endif

#endif /* PLAYHEAD_H */

#ifdef PLAYHEAD_IMPLEMENTATION
#include "playhead_connection.h" /* which includes the others */
#endif
