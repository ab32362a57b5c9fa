/* playhead_connection.h: a `playhead` from opening to closing, and its turns in between. Part of
 * playhead.h. */
#ifndef PLAYHEAD_CONNECTION_H
#define PLAYHEAD_CONNECTION_H

#include "playhead_orders.h"

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
    ph->pad_count = options->pads < 0 ? 0 : options->pads > PH__PADS ? PH__PADS : options->pads;
    if (ph->pad_count) {
        size_t size = (size_t)ph->pad_count * sizeof *ph->pads;
        ph->pads = (ph__pad *)PLAYHEAD_REALLOC(NULL, size);
        if (!ph->pads) {
            PLAYHEAD_FREE(ph);
            return NULL;
        }
        memset(ph->pads, 0, size);
    }
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

    ph__raw(&ph->text, "{\"do\":\"hello\",\"protocol\":[2,0]");
    ph__member(&ph->text, "name", name);
    ph__raw(&ph->text, "}");
    ph->hello = ph__done(&ph->text);

    ph__raw(&ph->text, "{\"do\":\"register_game\"");
    ph__member(&ph->text, "name", name);
    ph__raw(&ph->text, ph->can_restore ? ",\"can_restore\":true" : ",\"can_restore\":false");
    ph__raw(&ph->text, ",\"can_advance\":true,\"pads\":");
    ph__whole(&ph->text, ph->pad_count);
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
    for (size_t i = 0; i < ph->served_count; i++) PLAYHEAD_FREE(ph->served[i].name);
    PLAYHEAD_FREE(ph->types);
    PLAYHEAD_FREE(ph->served);
    PLAYHEAD_FREE(ph->pads);
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

#endif /* PLAYHEAD_CONNECTION_H */
