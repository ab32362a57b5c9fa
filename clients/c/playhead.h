/* playhead.h: a game in C or C++ recorded by playhead, paused, scrubbed back and resumed.
 *
 * In one source file:
 *     #define PLAYHEAD_IMPLEMENTATION
 *     #include "playhead.h"        (before other headers)
 * elsewhere only the #include. C99 and C++17; needs sockets, nothing else (Windows: ws2_32).
 *
 *     playhead_options options = {0};
 *     options.url = "ws://127.0.0.1:5671/?token=TOKEN";
 *     options.name = "my game";
 *     options.on.apply = put_back;
 *     playhead *ph = playhead_open(&options);
 *     playhead_declare(ph, &guard_type);
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
    uint16_t type;                /* a declared type's number */
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
    /* The game stands still from now on: `playhead_live` is false. Ignore the player's input. */
    void (*paused)(void *user);
    /* Hide an object; show it again as it was before. */
    void (*hide)(void *user, uint64_t id);
    void (*unhide)(void *user, uint64_t id);
    /* Put a payload back into its object. It has at least the declared size, 8-byte aligned. */
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
bool playhead_declare(playhead *ph, const playhead_type *type);
/* A skeleton for a type with a field "skeleton" ("<i4"); a root's parent is -1. */
bool playhead_skeleton(playhead *ph, uint16_t type, int32_t number, const char *name,
                       const char *const *joints, const int32_t *parents, size_t count);

/* Whether the game is to run: false while it stands still for playback. */
bool playhead_live(const playhead *ph);
/* Whether frames are recorded now; the calls may be made in any case. */
bool playhead_recording(const playhead *ph);

/* A frame: after a step of the game, whose own clock says `time`. False: nobody records. */
bool playhead_begin_frame(playhead *ph, double time, double delta);
bool playhead_add(playhead *ph, const playhead_packet *packet, const void *payload, size_t size);
/* The same, to be written by the caller before the next call; NULL: it is not recorded. */
void *playhead_reserve(playhead *ph, const playhead_packet *packet, size_t size);
bool playhead_end_frame(playhead *ph);

/* Send, receive and carry out orders. Call it often, also while the game stands still. */
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

/* Statements: recorded in the frame that is ended next. They keep where they were called from. */
#define playhead_trace_state(ph, agent, transition) \
    playhead_trace_state_at(ph, agent, transition, __FILE__, __LINE__)
#define playhead_log(ph, level, text, object) \
    playhead_log_at(ph, level, text, object, __FILE__, __LINE__)
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
void playhead_mark(playhead *ph, const char *name, const char *note, uint64_t object);
void playhead_name(playhead *ph, uint64_t object, const char *name);
void playhead_despawn(playhead *ph, uint64_t object);
void playhead_draw(playhead *ph, const playhead_drawing *drawing);
void playhead_line(playhead *ph, const float start[3], const float end[3], const uint8_t color[3],
                   uint64_t object, const char *channel);
/* Any other statement of the protocol, as JSON: {"do": "fact", ...}. */
bool playhead_say(playhead *ph, const char *json);

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

/* ------------------------------------------------------------------------------------------- */

#ifdef PLAYHEAD_IMPLEMENTATION
#ifndef PLAYHEAD_IMPLEMENTED
#define PLAYHEAD_IMPLEMENTED

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef _WIN32
#include <winsock2.h>
#include <ws2tcpip.h>
typedef SOCKET ph__socket;
#define PH__NO_SOCKET INVALID_SOCKET
#else
#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>
typedef int ph__socket;
#define PH__NO_SOCKET (-1)
#endif

#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "playhead's frames are little-endian, and payloads go out as they lie in memory"
#endif

#ifndef PLAYHEAD_REALLOC
#define PLAYHEAD_REALLOC realloc
#define PLAYHEAD_FREE free
#endif

#define PH__NONE UINT64_MAX
#define PH__MAX_ID ((uint64_t)INT64_MAX)
#define PH__MAX_FRAME ((size_t)64 << 20) /* the protocol's */
#define PH__MAX_TEXT ((size_t)1 << 20)   /* the protocol's, for a request */
#define PH__MAX_DEPTH 32                 /* of JSON within JSON */
#define PH__URGENT ((size_t)64 << 10)    /* room beyond the queue's limit: pongs, `paused` */
#define PH__CHUNK ((size_t)64 << 10)     /* read at once */
#define PH__CHUNKS 32                    /* at most in one update, so that the game goes on */
#define PH__RETRY 1000                   /* milliseconds between attempts to connect */
#define PH__PATIENCE 5000                /* milliseconds for the service to say welcome */
#define PH__SILENCE 10000                /* milliseconds without a word before a ping */
#define PH__DEAD 20000                   /* milliseconds that a ping may stay unanswered */

/* The ring's layout: docs/ring.md, "A frame by itself". */
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

typedef struct {
    char *data;
    size_t start, size, room; /* what counts is [start, size) */
    bool failed;              /* something found no room */
} ph__buffer;

typedef struct {
    uint16_t number;
    size_t size;
    bool tail;
    char *json; /* said again after each reconnection */
} ph__type;

/* Ids in ascending order. */
typedef struct {
    uint64_t *ids;
    size_t count, room;
} ph__ids;

typedef enum {
    PH__OFF,
    PH__CONNECTING,
    PH__SHAKING,   /* the WebSocket's handshake */
    PH__GREETING,  /* hello is said */
    PH__ATTACHING, /* the game and its types are said */
    PH__ON
} ph__state;
typedef enum { PH__LIVE, PH__PAUSING, PH__PAUSED } ph__mode;

struct playhead {
    playhead_callbacks on;
    bool can_restore;
    size_t frame_limit, queue_limit;
    char host[64], port[8];
    char *path, *hello, *game; /* request target; two requests as JSON */
    char origin[256];          /* our name, from the welcome */
    char error[256];
    ph__type *types;
    size_t type_count;
    ph__buffer skeletons; /* requests as JSON, each ended by a zero */

    ph__socket socket;
    ph__state state;
    int64_t since, heard, pinged; /* milliseconds: of this state; newest byte; open ping or 0 */
    uint64_t random;
    char accept[32]; /* what the service has to answer our key with */
    uint64_t sequence, attach, messages; /* counts; the sequence of `game` */
    ph__buffer in, message, out, text;
    uint8_t fragments; /* opcode of an unfinished message, 0 = none */
    ph__buffer order;  /* a `show` that waits for its image */
    bool has_order;

    ph__mode mode;
    bool stop_at_end; /* pause when the next frame is ended */
    bool placed;      /* a frame was recorded on this connection */
    bool busy;        /* in a callback */
    ph__buffer frame;  /* the one being built; at rest the newest, to give the game back from */
    bool open, unsent, touched; /* in a frame; the newest is not queued; playback moved objects */
    size_t run, last;  /* offsets of the newest run and packet, 0 = none */
    double owed; /* deltas of frames that were dropped */
    ph__ids hidden, stand_ins;
    playhead_counts counts;
};

/* --- memory, time, numbers --- */

static void ph__fail(playhead *ph, const char *message)
{
    snprintf(ph->error, sizeof ph->error, "%s", message);
    if (ph->on.error) ph->on.error(ph->on.user, ph->error);
}

static bool ph__grow(ph__buffer *b, size_t more, size_t limit)
{
    if (more > limit || b->size > limit - more) return false;
    size_t needed = b->size + more, room = b->room ? b->room : 256;
    if (needed <= b->room) return true;
    while (room < needed) room = room > limit / 2 ? limit : room * 2;
    char *data = (char *)PLAYHEAD_REALLOC(b->data, room);
    if (!data) return false;
    b->data = data;
    b->room = room;
    return true;
}

static void ph__free(ph__buffer *b)
{
    PLAYHEAD_FREE(b->data);
    memset(b, 0, sizeof *b);
}

static char *ph__copy(const char *data, size_t size)
{
    char *copy = (char *)PLAYHEAD_REALLOC(NULL, size + 1);
    if (!copy) return NULL;
    memcpy(copy, data, size);
    copy[size] = 0;
    return copy;
}

static int64_t ph__now(void)
{
#ifdef _WIN32
    return (int64_t)GetTickCount64();
#else
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
#endif
}

/* Masks keep other people's text from looking like HTTP to a proxy; a game sends its own. Good
 * enough for that and for a handshake's key; no secret hangs on it. */
static uint64_t ph__random(playhead *ph)
{
    uint64_t x = ph->random;
    x ^= x << 13;
    x ^= x >> 7;
    x ^= x << 17;
    return ph->random = x;
}

/* Where an id belongs in the list; whether it is there. */
static bool ph__find(const ph__ids *list, uint64_t id, size_t *at)
{
    size_t low = 0, high = list->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (list->ids[middle] < id)
            low = middle + 1;
        else
            high = middle;
    }
    *at = low;
    return low < list->count && list->ids[low] == id;
}

static void ph__keep(ph__ids *list, uint64_t id)
{
    size_t at;
    if (ph__find(list, id, &at)) return;
    if (list->count == list->room) {
        size_t room = list->room ? list->room * 2 : 64;
        uint64_t *ids = (uint64_t *)PLAYHEAD_REALLOC(list->ids, room * sizeof *ids);
        if (!ids) return;
        list->ids = ids;
        list->room = room;
    }
    memmove(list->ids + at + 1, list->ids + at, (list->count - at) * sizeof *list->ids);
    list->ids[at] = id;
    list->count++;
}

static void ph__forget(ph__ids *list, uint64_t id)
{
    size_t at;
    if (!ph__find(list, id, &at)) return;
    list->count--;
    memmove(list->ids + at, list->ids + at + 1, (list->count - at) * sizeof *list->ids);
}

/* --- writing JSON --- */

static void ph__bytes(ph__buffer *b, const char *data, size_t size)
{
    if (b->failed || !ph__grow(b, size, PH__MAX_TEXT)) {
        b->failed = true;
        return;
    }
    memcpy(b->data + b->size, data, size);
    b->size += size;
}

static void ph__raw(ph__buffer *b, const char *text) { ph__bytes(b, text, strlen(text)); }

/* Bytes of the UTF-8 character at `text`, 0 if there is none. */
static size_t ph__character(const unsigned char *text)
{
    unsigned char c = text[0];
    size_t more = c < 0x80 ? 0 : c >= 0xc2 && c < 0xe0 ? 1 : c >= 0xe0 && c < 0xf0 ? 2
                  : c >= 0xf0 && c < 0xf5 ? 3 : 9;
    if (more == 9) return 0;
    for (size_t i = 1; i <= more; i++)
        if ((text[i] & 0xc0) != 0x80) return 0; /* also the text's end */
    if ((c == 0xe0 && text[1] < 0xa0) || (c == 0xed && text[1] > 0x9f)
        || (c == 0xf0 && text[1] < 0x90) || (c == 0xf4 && text[1] > 0x8f))
        return 0;
    return more + 1;
}

/* What is no UTF-8 becomes question marks: one wrong byte would end the connection. */
static void ph__quoted(ph__buffer *b, const char *text)
{
    const unsigned char *at = (const unsigned char *)(text ? text : "");
    ph__raw(b, "\"");
    while (*at) {
        size_t size = ph__character(at);
        if (size == 0) {
            ph__raw(b, "?");
            at++;
        } else if (*at < 0x20 || *at == '"' || *at == '\\') {
            char escape[8];
            snprintf(escape, sizeof escape, "\\u%04x", (unsigned)*at);
            ph__raw(b, escape);
            at++;
        } else {
            ph__bytes(b, (const char *)at, size);
            at += size;
        }
    }
    ph__raw(b, "\"");
}

/* A number that is none makes the whole statement fail: JSON has no word for it. */
static void ph__number(ph__buffer *b, double value)
{
    char digits[40], clean[40];
    size_t size = 0;
    bool point = false;
    if (!isfinite(value)) {
        b->failed = true;
        return;
    }
    snprintf(digits, sizeof digits, "%.17g", value);
    for (const char *at = digits; *at; at++) { /* a locale may have another decimal point */
        bool plain = (*at >= '0' && *at <= '9') || *at == '-' || *at == '+' || *at == 'e';
        if (plain)
            clean[size++] = *at;
        else if (!point) {
            clean[size++] = '.';
            point = true;
        }
    }
    ph__bytes(b, clean, size);
}

static void ph__whole(ph__buffer *b, int64_t value)
{
    char digits[24];
    snprintf(digits, sizeof digits, "%lld", (long long)value);
    ph__raw(b, digits);
}

/* An object's id; beyond 2^53-1 it is text, since JSON's numbers are doubles to many. */
static void ph__id(ph__buffer *b, uint64_t id)
{
    if (id > PH__MAX_ID) b->failed = true;
    if (id > ((uint64_t)1 << 53) - 1) ph__raw(b, "\"");
    ph__whole(b, (int64_t)id);
    if (id > ((uint64_t)1 << 53) - 1) ph__raw(b, "\"");
}

static void ph__vector(ph__buffer *b, const float *v)
{
    for (int i = 0; i < 3; i++) {
        ph__raw(b, i ? "," : "[");
        ph__number(b, (double)v[i]);
    }
    ph__raw(b, "]");
}

static void ph__shape(ph__buffer *b, const uint32_t *shape)
{
    ph__raw(b, "[");
    for (int i = 0; i < 3 && shape[i]; i++) {
        if (i) ph__raw(b, ",");
        ph__whole(b, shape[i]);
    }
    ph__raw(b, "]");
}

static void ph__member(ph__buffer *b, const char *key, const char *text)
{
    ph__raw(b, ",\"");
    ph__raw(b, key);
    ph__raw(b, "\":");
    ph__quoted(b, text);
}

/* --- reading JSON: nothing is trusted, nothing is copied but texts of stated size --- */

typedef struct {
    const char *at, *end;
} ph__json;

static const char *ph__space(const char *at, const char *end)
{
    while (at < end && (*at == ' ' || *at == '\t' || *at == '\n' || *at == '\r')) at++;
    return at;
}

static const char *ph__skip_text(const char *at, const char *end)
{
    for (at++; at < end && *at != '"'; at++) {
        if ((unsigned char)*at < 0x20) return NULL;
        if (*at == '\\' && ++at == end) return NULL;
    }
    return at < end ? at + 1 : NULL;
}

/* Behind the value at `at`, or NULL where there is none. */
static const char *ph__skip(const char *at, const char *end, int depth)
{
    static const char *const words[] = {"true", "false", "null"};
    if (depth > PH__MAX_DEPTH) return NULL;
    at = ph__space(at, end);
    if (at == end) return NULL;
    if (*at == '"') return ph__skip_text(at, end);
    if (*at == '{' || *at == '[') {
        bool keys = *at == '{';
        char close = keys ? '}' : ']';
        at = ph__space(at + 1, end);
        if (at < end && *at == close) return at + 1;
        for (;;) {
            if (keys) {
                if (at == end || *at != '"' || !(at = ph__skip_text(at, end))) return NULL;
                at = ph__space(at, end);
                if (at == end || *at++ != ':') return NULL;
            }
            at = ph__skip(at, end, depth + 1);
            if (!at) return NULL;
            at = ph__space(at, end);
            if (at == end) return NULL;
            if (*at == close) return at + 1;
            if (*at++ != ',') return NULL;
            at = ph__space(at, end);
        }
    }
    if (*at == '-' || (*at >= '0' && *at <= '9')) {
        const char *start = at;
        while (at < end && at - start < 64
               && ((*at >= '0' && *at <= '9') || *at == '-' || *at == '+' || *at == '.'
                   || *at == 'e' || *at == 'E'))
            at++;
        return at;
    }
    for (size_t i = 0; i < 3; i++) {
        size_t size = strlen(words[i]);
        if ((size_t)(end - at) >= size && memcmp(at, words[i], size) == 0) return at + size;
    }
    return NULL;
}

/* The value of a key; an empty one if there is none. */
static ph__json ph__get(ph__json object, const char *key)
{
    ph__json none = {NULL, NULL};
    const char *at = object.at ? ph__space(object.at, object.end) : NULL;
    size_t size = strlen(key);
    if (!at || at == object.end || *at != '{') return none;
    at = ph__space(at + 1, object.end);
    while (at < object.end && *at == '"') {
        const char *name = at + 1;
        if (!(at = ph__skip_text(at, object.end))) return none;
        bool found = (size_t)(at - 1 - name) == size && memcmp(name, key, size) == 0;
        at = ph__space(at, object.end);
        if (at == object.end || *at++ != ':') return none;
        ph__json value = {ph__space(at, object.end), ph__skip(at, object.end, 0)};
        if (!value.end) return none;
        if (found) return value;
        at = ph__space(value.end, object.end);
        if (at < object.end && *at == ',') at = ph__space(at + 1, object.end);
    }
    return none;
}

/* The next element of a list; `list->at` moves on. Begin with the list itself. */
static bool ph__element(ph__json *list, ph__json *element)
{
    if (!list->at) return false;
    const char *at = ph__space(list->at, list->end);
    if (at == list->end || (*at != '[' && *at != ',')) return false;
    element->at = ph__space(at + 1, list->end);
    element->end = ph__skip(element->at, list->end, 0);
    if (!element->end) return false;
    list->at = element->end;
    return true;
}

static bool ph__is(ph__json value, const char *word)
{
    size_t size = strlen(word);
    return value.at && (size_t)(value.end - value.at) == size && memcmp(value.at, word, size) == 0;
}

static int ph__digit(char c)
{
    return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10
           : c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

static int32_t ph__escape(const char *at, const char *end)
{
    int32_t code = 0;
    if (end - at < 4) return -1;
    for (int i = 0; i < 4; i++) {
        int digit = ph__digit(at[i]);
        if (digit < 0) return -1;
        code = code * 16 + digit;
    }
    return code;
}

/* A text as UTF-8, cut to `room` bytes with its zero. False if the value is no text. */
static bool ph__text(ph__json value, char *to, size_t room)
{
    size_t size = 0;
    to[0] = 0;
    if (!value.at || value.end - value.at < 2 || *value.at != '"') return false;
    const char *end = value.end - 1;
    for (const char *at = value.at + 1; at < end;) {
        char piece[4];
        size_t length = 1;
        piece[0] = *at++;
        if (piece[0] == '\\' && at < end) {
            char c = *at++;
            int32_t code = c == 'n' ? '\n' : c == 't' ? '\t' : c == 'r' ? '\r' : c == 'b' ? '\b'
                           : c == 'f' ? '\f' : (int32_t)(unsigned char)c;
            if (c == 'u') {
                code = ph__escape(at, end);
                if (code < 0) return false;
                at += 4;
                if (code >= 0xd800 && code < 0xdc00 && end - at >= 6 && at[0] == '\\'
                    && at[1] == 'u') {
                    int32_t low = ph__escape(at + 2, end);
                    if (low >= 0xdc00 && low < 0xe000) {
                        code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
                        at += 6;
                    }
                }
                if ((code >= 0xd800 && code < 0xe000) || code == 0) code = 0xfffd;
            }
            if (code < 0x80) {
                piece[0] = (char)code;
            } else if (code < 0x800) {
                piece[0] = (char)(0xc0 | code >> 6);
                piece[1] = (char)(0x80 | (code & 63));
                length = 2;
            } else if (code < 0x10000) {
                piece[0] = (char)(0xe0 | code >> 12);
                piece[1] = (char)(0x80 | (code >> 6 & 63));
                piece[2] = (char)(0x80 | (code & 63));
                length = 3;
            } else {
                piece[0] = (char)(0xf0 | code >> 18);
                piece[1] = (char)(0x80 | (code >> 12 & 63));
                piece[2] = (char)(0x80 | (code >> 6 & 63));
                piece[3] = (char)(0x80 | (code & 63));
                length = 4;
            }
        }
        if (size + length >= room) break;
        memcpy(to + size, piece, length);
        size += length;
    }
    to[size] = 0;
    return true;
}

/* Whole numbers from 0 on, as numbers or as text. */
static bool ph__read_id(ph__json value, uint64_t *id)
{
    const char *at = value.at, *end = value.end;
    if (at && end - at >= 2 && *at == '"') {
        at++;
        end--;
    }
    if (!at || at == end) return false;
    for (*id = 0; at < end; at++) {
        if (*at < '0' || *at > '9' || *id > (PH__MAX_ID - (uint64_t)(*at - '0')) / 10) return false;
        *id = *id * 10 + (uint64_t)(*at - '0');
    }
    return true;
}

/* Not `strtod`, which reads by the locale. Good to the last digit but one. */
static bool ph__read_number(ph__json value, double *number)
{
    const char *at = value.at, *end = value.end;
    uint64_t digits = 0;
    int power = 0, exponent = 0, sign = 1;
    bool minus = false, point = false, any = false;
    if (!at || at == end) return false;
    if (*at == '-') {
        minus = true;
        at++;
    }
    for (; at < end && ((*at >= '0' && *at <= '9') || (*at == '.' && !point)); at++) {
        if (*at == '.') {
            point = true;
            continue;
        }
        any = true;
        if (digits < UINT64_MAX / 10 - 1) {
            digits = digits * 10 + (uint64_t)(*at - '0');
            power -= point;
        } else {
            power += !point;
        }
    }
    if (at < end && (*at == 'e' || *at == 'E')) {
        at++;
        if (at < end && (*at == '-' || *at == '+')) sign = *at++ == '-' ? -1 : 1;
        for (; at < end && *at >= '0' && *at <= '9'; at++)
            if (exponent < 1000) exponent = exponent * 10 + (*at - '0');
    }
    if (!any || at != end) return false;
    double result = (double)digits;
    for (power += sign * exponent; power; ) {
        static const double tens[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                      1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                      1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
        int step = power > 22 ? 22 : power < -22 ? -22 : power;
        result = step > 0 ? result * tens[step] : result / tens[-step];
        power -= step;
    }
    *number = minus ? -result : result;
    return isfinite(*number);
}

static bool ph__read_vector(ph__json value, float *to)
{
    ph__json element;
    for (int i = 0; i < 3; i++) {
        double number;
        if (!ph__element(&value, &element) || !ph__read_number(element, &number)) return false;
        to[i] = (float)number;
    }
    return true;
}

/* --- SHA-1 and base64, for the handshake --- */

static uint32_t ph__turn(uint32_t x, int bits) { return x << bits | x >> (32 - bits); }

/* Of at most 119 bytes: a key and the protocol's constant have 60. */
static void ph__sha1(const char *text, size_t size, unsigned char digest[20])
{
    uint32_t h[5] = {0x67452301u, 0xefcdab89u, 0x98badcfeu, 0x10325476u, 0xc3d2e1f0u};
    unsigned char block[128] = {0};
    size_t whole = size < 56 ? 64 : 128;
    memcpy(block, text, size);
    block[size] = 0x80;
    block[whole - 2] = (unsigned char)(size * 8 >> 8);
    block[whole - 1] = (unsigned char)(size * 8 & 255);
    for (size_t at = 0; at < whole; at += 64) {
        uint32_t w[80], a = h[0], b = h[1], c = h[2], d = h[3], e = h[4];
        for (size_t i = 0; i < 16; i++) {
            const unsigned char *p = block + at + i * 4;
            w[i] = (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
        }
        for (size_t i = 16; i < 80; i++)
            w[i] = ph__turn(w[i - 3] ^ w[i - 8] ^ w[i - 14] ^ w[i - 16], 1);
        for (size_t i = 0; i < 80; i++) {
            uint32_t f = i < 20 ? (b & c) | (~b & d) : i >= 40 && i < 60
                         ? (b & c) | (b & d) | (c & d) : b ^ c ^ d;
            uint32_t k = i < 20 ? 0x5a827999u : i < 40 ? 0x6ed9eba1u : i < 60 ? 0x8f1bbcdcu
                         : 0xca62c1d6u;
            uint32_t t = ph__turn(a, 5) + f + e + k + w[i];
            e = d;
            d = c;
            c = ph__turn(b, 30);
            b = a;
            a = t;
        }
        h[0] += a;
        h[1] += b;
        h[2] += c;
        h[3] += d;
        h[4] += e;
    }
    for (size_t i = 0; i < 20; i++) digest[i] = (unsigned char)(h[i / 4] >> (24 - 8 * (i % 4)));
}

static void ph__base64(const unsigned char *data, size_t size, char *to)
{
    static const char set[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (size_t i = 0; i < size; i += 3) {
        uint32_t three = (uint32_t)data[i] << 16;
        if (i + 1 < size) three |= (uint32_t)data[i + 1] << 8;
        if (i + 2 < size) three |= data[i + 2];
        *to++ = set[three >> 18 & 63];
        *to++ = set[three >> 12 & 63];
        *to++ = i + 1 < size ? set[three >> 6 & 63] : '=';
        *to++ = i + 2 < size ? set[three & 63] : '=';
    }
    *to = 0;
}

/* --- the socket --- */

#ifdef _WIN32
static bool ph__again(void) { return WSAGetLastError() == WSAEWOULDBLOCK; }
static bool ph__underway(void) { return WSAGetLastError() == WSAEWOULDBLOCK; }
static void ph__shut(ph__socket s) { closesocket(s); }
#else
static bool ph__again(void) { return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR; }
static bool ph__underway(void) { return errno == EINPROGRESS || errno == EINTR; }
static void ph__shut(ph__socket s) { close(s); }
#endif

/* Sleep until there is something to read, or to write if that is asked for. */
static bool ph__poll(ph__socket s, bool read, bool write, int milliseconds)
{
#ifdef _WIN32
    fd_set in, out, failed; /* a refused connection is told as failed */
    struct timeval limit;
    limit.tv_sec = milliseconds / 1000;
    limit.tv_usec = (milliseconds % 1000) * 1000;
    FD_ZERO(&in);
    FD_ZERO(&out);
    FD_ZERO(&failed);
    if (read) FD_SET(s, &in);
    if (write) FD_SET(s, &out);
    FD_SET(s, &failed);
    return select(0, &in, &out, &failed, &limit) > 0;
#else
    struct pollfd one;
    one.fd = s;
    one.events = (short)((read ? POLLIN : 0) | (write ? POLLOUT : 0));
    one.revents = 0;
    return poll(&one, 1, milliseconds) > 0;
#endif
}

static bool ph__prepare(ph__socket s)
{
    int on = 1;
#ifdef _WIN32
    u_long without_blocking = 1;
    if (ioctlsocket(s, (long)FIONBIO, &without_blocking)) return false;
#else
    int flags = fcntl(s, F_GETFL, 0);
    if (flags < 0 || fcntl(s, F_SETFL, flags | O_NONBLOCK) < 0) return false;
    fcntl(s, F_SETFD, FD_CLOEXEC);
#endif
#ifdef SO_NOSIGPIPE
    setsockopt(s, SOL_SOCKET, SO_NOSIGPIPE, (const char *)&on, sizeof on);
#endif
    setsockopt(s, IPPROTO_TCP, TCP_NODELAY, (const char *)&on, sizeof on);
    return true;
}

static void ph__connect(playhead *ph)
{
    struct addrinfo wanted, *found = NULL;
    memset(&wanted, 0, sizeof wanted);
    wanted.ai_socktype = SOCK_STREAM;
    wanted.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV; /* a look-up of names would block */
    ph->since = ph__now();
    if (getaddrinfo(ph->host, ph->port, &wanted, &found) || !found) {
        ph__fail(ph, "the url's host is no numeric address");
        return;
    }
    ph->socket = socket(found->ai_family, found->ai_socktype, found->ai_protocol);
    if (ph->socket != PH__NO_SOCKET) {
        if (ph__prepare(ph->socket)
            && (connect(ph->socket, found->ai_addr,
#ifdef _WIN32
                        (int)found->ai_addrlen
#else
                        found->ai_addrlen
#endif
                        ) == 0
                || ph__underway())) {
            ph->state = PH__CONNECTING;
        } else {
            ph__shut(ph->socket);
            ph->socket = PH__NO_SOCKET;
        }
    }
    freeaddrinfo(found);
}

static void ph__apply_image(playhead *ph, const char *image, size_t size);

/* The service has gone in mid-playback: the game gets its own state back and runs on. */
static void ph__give_back(playhead *ph)
{
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

static void ph__drop(playhead *ph, const char *reason)
{
    if (ph->socket != PH__NO_SOCKET) ph__shut(ph->socket);
    ph->socket = PH__NO_SOCKET;
    ph->state = PH__OFF;
    ph->since = ph__now();
    ph->in.size = ph->in.start = ph->message.size = ph->out.size = ph->out.start = 0;
    ph->fragments = 0;
    ph->has_order = ph->stop_at_end = ph->unsent = ph->placed = false;
    ph->pinged = 0;
    ph->owed = 0;
    ph->origin[0] = 0;
    if (reason) ph__fail(ph, reason);
    ph__give_back(ph);
}

/* --- WebSocket: sending --- */

enum { PH__MORE = 0, PH__TEXT = 1, PH__BINARY = 2, PH__CLOSE = 8, PH__PING = 9, PH__PONG = 10 };

/* Room at the queue's end. It is moved to the front only when half of the memory is free, which
 * keeps the cost of moving below that of sending. */
static char *ph__room(playhead *ph, size_t size, bool urgent)
{
    ph__buffer *out = &ph->out;
    size_t waiting = out->size - out->start, limit = ph->queue_limit + (urgent ? PH__URGENT : 0);
    if (size > limit || waiting > limit - size) return NULL;
    if (out->start == out->size) out->start = out->size = 0;
    if (out->start && out->size + size > out->room && out->start >= out->room / 2) {
        memmove(out->data, out->data + out->start, waiting);
        out->start = 0;
        out->size = waiting;
    }
    if (!ph__grow(out, size, 2 * ph->queue_limit + PH__URGENT)) {
        memmove(out->data, out->data + out->start, waiting);
        out->start = 0;
        out->size = waiting;
        if (!ph__grow(out, size, 2 * ph->queue_limit + PH__URGENT)) return NULL;
    }
    return out->data + out->size;
}

static bool ph__queue(playhead *ph, int opcode, const char *data, size_t size, bool urgent)
{
    unsigned char head[14], mask[4];
    size_t length = 2;
    uint64_t key = ph__random(ph);
    memcpy(mask, &key, 4);
    head[0] = (unsigned char)(0x80 | opcode);
    if (size < 126) {
        head[1] = (unsigned char)(0x80 | size);
    } else {
        int bytes = size < 65536 ? 2 : 8;
        head[1] = (unsigned char)(0x80 | (bytes == 2 ? 126 : 127));
        for (int i = bytes - 1; i >= 0; i--)
            head[length++] = (unsigned char)((uint64_t)size >> (8 * i) & 255);
    }
    memcpy(head + length, mask, 4);
    length += 4;
    char *to = ph__room(ph, length + size, urgent);
    if (!to) return false;
    memcpy(to, head, length);
    to += length;
    uint64_t wide = 0;
    memcpy(&wide, mask, 4);
    wide |= wide << 32;
    size_t i = 0;
    for (; i + 8 <= size; i += 8) {
        uint64_t word;
        memcpy(&word, data + i, 8);
        word ^= wide;
        memcpy(to + i, &word, 8);
    }
    for (; i < size; i++) to[i] = (char)(data[i] ^ (char)mask[i & 3]);
    ph->out.size += length + size;
    return true;
}

static void ph__request_begin(playhead *ph, uint64_t sequence)
{
    ph->text.size = 0;
    ph->text.failed = false;
    ph__raw(&ph->text, "{\"origin\":");
    ph__quoted(&ph->text, ph->origin);
    ph__raw(&ph->text, ",\"sequence\":");
    ph__whole(&ph->text, (int64_t)sequence);
    ph__raw(&ph->text, ",\"ask\":");
}

static bool ph__request_end(playhead *ph, bool urgent)
{
    ph__raw(&ph->text, "}");
    return !ph->text.failed && ph__queue(ph, PH__TEXT, ph->text.data, ph->text.size, urgent);
}

/* A whole request that can't be dropped. */
static bool ph__ask(playhead *ph, const char *json)
{
    ph__request_begin(ph, ++ph->sequence);
    ph__raw(&ph->text, json);
    return ph__request_end(ph, true);
}

static void ph__flush(playhead *ph)
{
    ph__buffer *out = &ph->out;
    while (out->start < out->size) {
        size_t size = out->size - out->start;
        if (size > (size_t)1 << 20) size = (size_t)1 << 20;
#ifdef _WIN32
        int sent = send(ph->socket, out->data + out->start, (int)size, 0);
#elif defined(MSG_NOSIGNAL)
        ssize_t sent = send(ph->socket, out->data + out->start, size, MSG_NOSIGNAL);
#else
        ssize_t sent = send(ph->socket, out->data + out->start, size, 0);
#endif
        if (sent < 0) {
            if (!ph__again()) ph__drop(ph, "the connection broke");
            return;
        }
        out->start += (size_t)sent;
    }
}

/* --- orders --- */

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
    if (ph->on.paused) ph->on.paused(ph->on.user);
}

/* The game stands at its newest frame, which resuming gives back: so there has to be one. */
static void ph__pause(playhead *ph)
{
    if (ph->mode == PH__PAUSED)
        ph__ask(ph, "{\"do\":\"paused\"}");
    else if (ph->open || !ph->placed)
        ph->stop_at_end = true;
    else
        ph->mode = PH__PAUSING;
    ph__stand(ph);
}

static const ph__type *ph__type_of(const playhead *ph, uint16_t number)
{
    for (size_t i = 0; i < ph->type_count; i++)
        if (ph->types[i].number == number) return &ph->types[i];
    return NULL;
}

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
    if (strange) ph__fail(ph, "packets of another layout than declared were not put back");
}

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

/* Nobody is hidden while a packet is put into it: showing again gives back what was before. */
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
        bool was = ph->mode != PH__LIVE;
        ph->mode = PH__LIVE;
        ph->hidden.count = ph->stand_ins.count = 0;
        if (was && ph->on.resumed) ph->on.resumed(ph->on.user);
        ph__ask(ph, "{\"do\":\"resumed\"}");
    }
}

/* --- what the service says --- */

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
    if (!all) ph__drop(ph, "the types' declarations are larger than the queue");
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

/* --- WebSocket: receiving --- */

static void ph__refuse(playhead *ph, unsigned code, const char *reason)
{
    char bytes[2];
    bytes[0] = (char)(code >> 8);
    bytes[1] = (char)(code & 255);
    if (ph__queue(ph, PH__CLOSE, bytes, 2, true)) ph__flush(ph);
    if (ph->state != PH__OFF) ph__drop(ph, reason);
}

/* One whole frame of the WebSocket protocol. */
static void ph__received(playhead *ph, bool end, int opcode, const char *data, size_t size)
{
    if (opcode == PH__PING) {
        ph__queue(ph, PH__PONG, data, size, true);
    } else if (opcode == PH__PONG) {
        ph->pinged = 0;
    } else if (opcode == PH__CLOSE) {
        ph__refuse(ph, 1000, "the service closed the connection");
    } else if (opcode > PH__BINARY || (opcode == PH__MORE) != (ph->fragments != 0)) {
        ph__refuse(ph, 1002, "the service broke the WebSocket protocol");
    } else if (end && opcode == PH__TEXT) {
        ph__message(ph, opcode, data, size);
    } else { /* also a whole frame: its payloads are read in place, from aligned memory */
        if (!ph__grow(&ph->message, size, 2 * ph->frame_limit + PH__MAX_TEXT)) {
            ph__refuse(ph, 1009, "the service sent more than can be read");
            return;
        }
        if (opcode != PH__MORE) ph->fragments = (uint8_t)opcode;
        if (size) memcpy(ph->message.data + ph->message.size, data, size);
        ph->message.size += size;
        if (!end) return;
        opcode = ph->fragments;
        size = ph->message.size;
        ph->fragments = 0;
        ph->message.size = 0;
        ph__message(ph, opcode, size ? ph->message.data : "", size);
    }
}

/* Bytes that the frame at the front of `in` takes, 0 if it isn't all there; carries it out. */
static size_t ph__next(playhead *ph)
{
    const unsigned char *head = (const unsigned char *)ph->in.data + ph->in.start;
    size_t held = ph->in.size - ph->in.start, at = 2;
    if (held < 2) return 0;
    uint64_t size = head[1] & 127;
    int opcode = head[0] & 15;
    bool control = opcode >= PH__CLOSE;
    if (size >= 126) {
        size_t bytes = size == 126 ? 2 : 8;
        if (held < 2 + bytes) return 0;
        for (size = 0; at < 2 + bytes; at++) size = size << 8 | head[at];
    }
    if (head[0] & 0x70 || head[1] & 0x80 || (control && (size > 125 || !(head[0] & 0x80)))) {
        ph__refuse(ph, 1002, "the service broke the WebSocket protocol");
        return 0;
    }
    if (size > 2 * ph->frame_limit + PH__MAX_TEXT) {
        ph__refuse(ph, 1009, "the service sent more than can be read");
        return 0;
    }
    if (held - at < size) return 0;
    ph__received(ph, (head[0] & 0x80) != 0, opcode, (const char *)head + at, (size_t)size);
    return at + (size_t)size;
}

/* Whether a line is this header, whatever the case of its name, with just this value. */
static bool ph__header(const char *line, const char *end, const char *name, const char *value)
{
    for (; *name; name++, line++)
        if (line == end || (*line != *name && (*line | 0x20) != *name)) return false;
    while (line < end && (*line == ' ' || *line == '\t')) line++;
    while (end > line && (end[-1] == ' ' || end[-1] == '\t')) end--;
    return (size_t)(end - line) == strlen(value) && memcmp(line, value, strlen(value)) == 0;
}

static void ph__shake(playhead *ph)
{
    const char *at = ph->in.data, *end = NULL;
    bool accepted = false;
    for (size_t i = 4; i <= ph->in.size && !end; i++)
        if (memcmp(at + i - 4, "\r\n\r\n", 4) == 0) end = at + i - 2;
    if (!end) {
        if (ph->in.size > 8192) ph__drop(ph, "the service's answer to the handshake has no end");
        return;
    }
    if (end - at < 13 || memcmp(at, "HTTP/1.1 101 ", 13) != 0) {
        char reason[128];
        snprintf(reason, sizeof reason, "the service refused the connection: %.*s",
                 (int)strcspn(at, "\r"), at);
        ph__drop(ph, reason);
        return;
    }
    while (at < end) {
        const char *line = at;
        while (memcmp(at, "\r\n", 2) != 0) at++; /* `end` is behind one */
        accepted |= ph__header(line, at, "sec-websocket-accept:", ph->accept);
        at += 2;
    }
    if (!accepted) {
        ph__drop(ph, "what answered the handshake is no WebSocket");
        return;
    }
    ph->in.start = (size_t)(end + 2 - ph->in.data);
    ph->state = PH__GREETING;
    ph->sequence = 0;
    ph__ask(ph, ph->hello);
}

static void ph__receive(playhead *ph)
{
    size_t limit = 2 * ph->frame_limit + 2 * PH__MAX_TEXT;
    for (int i = 0; i < PH__CHUNKS && ph->state > PH__CONNECTING; i++) {
        if (!ph__grow(&ph->in, PH__CHUNK, limit)) {
            ph__drop(ph, "no memory to read what the service says");
            return;
        }
#ifdef _WIN32
        int got = recv(ph->socket, ph->in.data + ph->in.size, (int)PH__CHUNK, 0);
#else
        ssize_t got = recv(ph->socket, ph->in.data + ph->in.size, PH__CHUNK, 0);
#endif
        if (got == 0) {
            ph__drop(ph, "the service closed the connection");
            return;
        }
        if (got < 0) {
            if (!ph__again()) ph__drop(ph, "the connection broke");
            return;
        }
        ph->in.size += (size_t)got;
        ph->heard = ph__now();
        if (ph->state == PH__SHAKING) ph__shake(ph);
        while (ph->state > PH__SHAKING) {
            size_t taken = ph__next(ph);
            if (ph->state == PH__OFF || taken == 0) break;
            ph->in.start += taken;
        }
        if (ph->state == PH__OFF) return;
        if (ph->in.start) {
            memmove(ph->in.data, ph->in.data + ph->in.start, ph->in.size - ph->in.start);
            ph->in.size -= ph->in.start;
            ph->in.start = 0;
        }
    }
}

/* --- the face --- */

static bool ph__url(playhead *ph, const char *url)
{
    const char *at, *end;
    size_t host, port;
    if (!url || strncmp(url, "ws://", 5) != 0) return false;
    at = url + 5;
    end = *at == '[' ? strchr(at, ']') : at + strcspn(at, ":/?");
    if (!end) return false;
    if (*at == '[') at++;
    host = (size_t)(end - at);
    if (*end == ']') end++;
    if (host == 0 || host >= sizeof ph->host) return false;
    memcpy(ph->host, at, host);
    if (strcmp(ph->host, "localhost") == 0) memcpy(ph->host, "127.0.0.1", 10);
    memcpy(ph->port, "80", 3);
    if (*end == ':') {
        port = strspn(++end, "0123456789");
        if (port == 0 || port >= sizeof ph->port) return false;
        memcpy(ph->port, end, port);
        ph->port[port] = 0;
        end += port;
    }
    if ((*end && *end != '/' && *end != '?') || strpbrk(end, " \r\n")) return false;
    host = strlen(end);
    ph->path = (char *)PLAYHEAD_REALLOC(NULL, host + 2);
    if (!ph->path) return false;
    ph->path[0] = '/';
    memcpy(ph->path + (*end != '/'), end, host + 1);
    return true;
}

static char *ph__done(ph__buffer *b)
{
    char *copy = b->failed ? NULL : ph__copy(b->data, b->size);
    b->size = 0;
    b->failed = false;
    return copy;
}

static const char *ph__or(const char *text, const char *otherwise)
{
    return text ? text : otherwise;
}

playhead *playhead_open(const playhead_options *options)
{
    playhead *ph = (playhead *)PLAYHEAD_REALLOC(NULL, sizeof *ph);
    const char *angles = ph__or(options->angles, "xyz"), *name = ph__or(options->name, "game");
    if (!ph) return NULL;
    memset(ph, 0, sizeof *ph);
    ph->socket = PH__NO_SOCKET;
    ph->on = options->on;
    ph->can_restore = !options->cannot_restore;
    ph->frame_limit = options->frame_limit ? options->frame_limit : (size_t)4 << 20;
    if (ph->frame_limit > PH__MAX_FRAME) ph->frame_limit = PH__MAX_FRAME;
    if (ph->frame_limit < 4096) ph->frame_limit = 4096;
    ph->queue_limit = options->queue_limit ? options->queue_limit : (size_t)16 << 20;
    /* A frame has to find room when the game pauses, and the types when it connects. */
    if (ph->queue_limit < ph->frame_limit + PH__MAX_TEXT)
        ph->queue_limit = ph->frame_limit + PH__MAX_TEXT;
    ph->since = ph__now() - PH__RETRY;
    ph->random = (uint64_t)ph__now() * 0x9e3779b97f4a7c15u ^ (uint64_t)(uintptr_t)ph ^ 1;
#ifdef _WIN32
    WSADATA data;
    LARGE_INTEGER ticks;
    WSAStartup(MAKEWORD(2, 2), &data);
    QueryPerformanceCounter(&ticks);
    ph->random ^= (uint64_t)ticks.QuadPart << 20;
#else
    FILE *source = fopen("/dev/urandom", "rb");
    uint64_t seed;
    if (source) {
        if (fread(&seed, sizeof seed, 1, source) == 1) ph->random ^= seed;
        fclose(source);
    }
#endif
    if (ph->random == 0) ph->random = 1;

    ph__raw(&ph->text, "{\"do\":\"hello\",\"protocol\":[1,0]");
    ph__member(&ph->text, "name", name);
    ph__raw(&ph->text, "}");
    ph->hello = ph__done(&ph->text);

    ph__raw(&ph->text, "{\"do\":\"game\"");
    ph__member(&ph->text, "name", name);
    ph__raw(&ph->text, ph->can_restore ? ",\"can_restore\":true" : ",\"can_restore\":false");
    ph__raw(&ph->text, ",\"conventions\":{\"angles\":[");
    for (size_t i = 0; i < 3 && angles[i]; i++) {
        char axis[2] = {angles[i], 0};
        if (i) ph__raw(&ph->text, ",");
        ph__quoted(&ph->text, axis);
    }
    ph__raw(&ph->text, "]");
    ph__member(&ph->text, "up", ph__or(options->up, "z"));
    ph__member(&ph->text, "handedness", ph__or(options->handedness, "right"));
    ph__member(&ph->text, "unit", ph__or(options->unit, "m"));
    ph__raw(&ph->text, "}");
    if (options->build) {
        ph__raw(&ph->text, ",\"about\":{\"client\":\"C\"");
        ph__member(&ph->text, "build", options->build);
        ph__raw(&ph->text, "}");
    }
    ph__raw(&ph->text, "}");
    ph->game = ph__done(&ph->text);
    if (!ph__url(ph, options->url) || !ph->hello || !ph->game) {
        playhead_close(ph, 0);
        return NULL;
    }
    return ph;
}

/* Say goodbye, and listen until the service has closed its end too: a socket that is closed with
 * something unread resets the connection, and what was under way is lost. */
static void ph__part(playhead *ph, int milliseconds)
{
    int64_t end = ph__now() + milliseconds, left = milliseconds;
    char answers[4096];
    bool said = ph__ask(ph, "{\"do\":\"bye\"}")
                && ph__queue(ph, PH__CLOSE, "\x03\xe8", 2, true);
    ph->mode = PH__LIVE; /* who closes is not given anything back */
    for (; said && left > 0; left = end - ph__now()) {
        ph__flush(ph);
        if (ph->state != PH__ON) return;
        ph__poll(ph->socket, true, ph->out.start < ph->out.size, (int)left);
#ifdef _WIN32
        int got = recv(ph->socket, answers, (int)sizeof answers, 0);
#else
        ssize_t got = recv(ph->socket, answers, sizeof answers, 0);
#endif
        if (got == 0 || (got < 0 && !ph__again())) return;
    }
}

void playhead_close(playhead *ph, int milliseconds)
{
    if (!ph) return;
    if (ph->state == PH__ON) ph__part(ph, milliseconds);
    if (ph->socket != PH__NO_SOCKET) ph__shut(ph->socket);
#ifdef _WIN32
    WSACleanup();
#endif
    for (size_t i = 0; i < ph->type_count; i++) PLAYHEAD_FREE(ph->types[i].json);
    PLAYHEAD_FREE(ph->types);
    PLAYHEAD_FREE(ph->path);
    PLAYHEAD_FREE(ph->hello);
    PLAYHEAD_FREE(ph->game);
    PLAYHEAD_FREE(ph->hidden.ids);
    PLAYHEAD_FREE(ph->stand_ins.ids);
    ph__free(&ph->skeletons);
    ph__free(&ph->in);
    ph__free(&ph->message);
    ph__free(&ph->out);
    ph__free(&ph->text);
    ph__free(&ph->order);
    ph__free(&ph->frame);
    PLAYHEAD_FREE(ph);
}

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

static void ph__declaration(ph__buffer *b, const playhead_type *type)
{
    bool any = false;
    ph__raw(b, "{\"do\":\"type\",\"number\":");
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

bool playhead_declare(playhead *ph, const playhead_type *type)
{
    uint64_t size = 0;
    char reason[200];
    ph__type *types, *declared = NULL;
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
    ph__declaration(&ph->text, type);
    char *json = ph__done(&ph->text);
    for (size_t i = 0; i < ph->type_count; i++)
        if (ph->types[i].number == type->number) declared = &ph->types[i];
    if (!declared && json) {
        types = (ph__type *)PLAYHEAD_REALLOC(ph->types, (ph->type_count + 1) * sizeof *types);
        if (types) {
            ph->types = types;
            declared = &types[ph->type_count++];
            declared->json = NULL;
        }
    }
    if (!declared || !json) {
        PLAYHEAD_FREE(json);
        ph__fail(ph, "no memory for a type's declaration");
        return false;
    }
    PLAYHEAD_FREE(declared->json);
    declared->number = type->number;
    declared->size = type->size;
    declared->tail = type->tail != NULL;
    declared->json = json;
    return ph->state < PH__ATTACHING || ph__ask(ph, json);
}

bool playhead_skeleton(playhead *ph, uint16_t type, int32_t number, const char *name,
                       const char *const *joints, const int32_t *parents, size_t count)
{
    ph__buffer *b = &ph->text;
    b->size = 0;
    b->failed = false;
    ph__raw(b, "{\"do\":\"skeleton\",\"type\":");
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
        ph__fail(ph, "no room for a skeleton's declaration");
        return false;
    }
    char *kept = ph->skeletons.data + ph->skeletons.size;
    memcpy(kept, b->data, b->size);
    ph->skeletons.size += b->size;
    return ph->state < PH__ATTACHING || ph__ask(ph, kept);
}

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
            ph__fail(ph, "a packet's id is none, or its size is not that of its declared type");
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
    if (ph->stop_at_end) {
        ph->stop_at_end = false;
        ph->mode = PH__PAUSING;
    }
    ph__stand(ph);
    return sent;
}

static void ph__request_handshake(playhead *ph)
{
    unsigned char bytes[16], digest[20];
    char key[32], text[80], request[128];
    uint64_t random[2];
    random[0] = ph__random(ph);
    random[1] = ph__random(ph);
    memcpy(bytes, random, sizeof bytes);
    ph__base64(bytes, sizeof bytes, key);
    snprintf(text, sizeof text, "%s258EAFA5-E914-47DA-95CA-C5AB0DC85B11", key);
    ph__sha1(text, strlen(text), digest);
    ph__base64(digest, sizeof digest, ph->accept);
    bool v6 = strchr(ph->host, ':') != NULL;
    ph->out.start = ph->out.size = 0;
    ph->out.failed = false;
    ph__raw(&ph->out, "GET ");
    ph__raw(&ph->out, ph->path);
    ph__raw(&ph->out, " HTTP/1.1\r\nHost: ");
    ph__raw(&ph->out, v6 ? "[" : "");
    ph__raw(&ph->out, ph->host);
    ph__raw(&ph->out, v6 ? "]:" : ":");
    ph__raw(&ph->out, ph->port);
    snprintf(request, sizeof request, "\r\nSec-WebSocket-Key: %s\r\n", key);
    ph__raw(&ph->out, "\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                      "Sec-WebSocket-Version: 13");
    ph__raw(&ph->out, request);
    ph__raw(&ph->out, "\r\n");
    ph->state = PH__SHAKING;
    if (ph->out.failed) ph__drop(ph, "no memory for the handshake");
}

static void ph__connected(playhead *ph)
{
    int failed = 0;
#ifdef _WIN32
    int size = (int)sizeof failed;
#else
    socklen_t size = sizeof failed;
#endif
    if (!ph__poll(ph->socket, false, true, 0)) return;
    if (getsockopt(ph->socket, SOL_SOCKET, SO_ERROR, (char *)&failed, &size) || failed)
        ph__drop(ph, NULL); /* nobody listens: no error, the game runs without */
    else
        ph__request_handshake(ph);
}

void playhead_update(playhead *ph)
{
    int64_t now = ph__now();
    if (ph->busy) return;
    ph->busy = true;
    if (ph->state == PH__OFF && now - ph->since >= PH__RETRY) ph__connect(ph);
    if (ph->state == PH__CONNECTING) ph__connected(ph);
    if (ph->state > PH__CONNECTING) {
        ph__flush(ph);
        ph__receive(ph);
    }
    if (ph->state != PH__OFF && ph->state != PH__ON && now - ph->since > PH__PATIENCE)
        ph__drop(ph, ph->state == PH__CONNECTING ? NULL : "the service does not answer");
    if (ph->state == PH__ON) {
        ph__stand(ph);
        if (ph->pinged && now - ph->pinged > PH__DEAD) {
            ph__drop(ph, "the service has fallen silent");
        } else if (!ph->pinged && now - ph->heard > PH__SILENCE
                   && ph__queue(ph, PH__PING, "", 0, true)) {
            ph->pinged = now;
        }
    }
    if (ph->state > PH__CONNECTING) ph__flush(ph);
    ph->busy = false;
}

void playhead_wait(playhead *ph, int milliseconds)
{
    int64_t end = ph__now() + milliseconds, left = milliseconds;
    uint64_t heard = ph->messages;
    playhead_update(ph); /* what waits to be sent goes first */
    while (heard == ph->messages && left > 0) {
        bool waits = ph->out.start < ph->out.size || ph->state == PH__CONNECTING;
        if (ph->state != PH__OFF) {
            ph__poll(ph->socket, true, waits, (int)left);
        } else {
            int rest = left < 100 ? (int)left : 100; /* then look for the service */
#ifdef _WIN32
            Sleep((DWORD)rest);
#else
            poll(NULL, 0, rest);
#endif
        }
        playhead_update(ph);
        left = end - ph__now();
    }
}

/* --- statements --- */

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

playhead_counts playhead_status(const playhead *ph)
{
    playhead_counts counts = ph->counts;
    counts.connected = ph->state >= PH__GREETING;
    counts.recording = playhead_recording(ph);
    counts.live = playhead_live(ph);
    counts.waiting = ph->out.size - ph->out.start;
    return counts;
}

const char *playhead_error(const playhead *ph) { return ph->error; }

#endif /* PLAYHEAD_IMPLEMENTED */
#endif /* PLAYHEAD_IMPLEMENTATION */
