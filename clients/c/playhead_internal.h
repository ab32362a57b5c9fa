/* playhead_internal.h: what a `playhead` holds, and what all of its parts use: errors, time, ids.
 *
 * The first of the implementation's headers: it brings the system's sockets. Part of playhead.h. */
#ifndef PLAYHEAD_INTERNAL_H
#define PLAYHEAD_INTERNAL_H

#include "playhead_json.h"

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

#define PH__MAX_FRAME ((size_t)64 << 20) /* the protocol's */
#define PH__URGENT ((size_t)64 << 10)    /* room beyond the queue's limit: pongs, `paused` */
#define PH__CHUNK ((size_t)64 << 10)     /* read at once */
#define PH__CHUNKS 32                    /* at most in one update, so that the game goes on */
#define PH__RETRY 1000                   /* milliseconds between attempts to connect */
#define PH__PATIENCE 5000                /* milliseconds for the service to say welcome */
#define PH__SILENCE 10000                /* milliseconds without a word before a ping */
#define PH__DEAD 20000                   /* milliseconds that a ping may stay unanswered */
#define PH__PADS 16                      /* players, at most */
#define PH__BUTTONS 0x3fffu              /* all that there are */

typedef struct {
    uint16_t number;
    size_t size;
    bool tail;
    char *json; /* said again after each reconnection */
} ph__type;

/* A player's pad. */
typedef struct {
    playhead_pad_state now;   /* as the newest order says */
    playhead_pad_state given; /* what this step was given: within one it stays the same */
    uint32_t pressed;         /* buttons that went down since the last step that took it */
    bool is_given;
} ph__pad;

/* What tools may call. */
typedef struct {
    char *name;
    playhead_function function;
    void *user;
} ph__served;

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
    ph__served *served;
    size_t served_count;
    ph__pad *pads;
    int pad_count;

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
    uint64_t steps;   /* to be made until it stands again, 0 = it was not told to advance */
    bool placed;      /* a frame was recorded on this connection */
    bool busy;        /* in a callback */
    ph__buffer frame;  /* the one being built; at rest the newest, to give the game back from */
    bool open, unsent, touched; /* in a frame; the newest is not queued; playback moved objects */
    size_t run, last;  /* offsets of the newest run and packet, 0 = none */
    double owed; /* deltas of frames that were dropped */
    ph__ids hidden, stand_ins;
    playhead_counts counts;
};

/* --- errors, time, numbers, ids --- */

static void ph__fail(playhead *ph, const char *message)
{
    snprintf(ph->error, sizeof ph->error, "%s", message);
    if (ph->on.error) ph->on.error(ph->on.user, ph->error);
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

#endif /* PLAYHEAD_INTERNAL_H */
