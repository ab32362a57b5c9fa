/* playhead_websocket.h: the WebSocket to the gateway: handshake, messages out, messages in.
 *
 * What is sent waits in one queue; what comes is handed to `ph__message`. Part of playhead.h. */
#ifndef PLAYHEAD_WEBSOCKET_H
#define PLAYHEAD_WEBSOCKET_H

#include "playhead_socket.h"

/* In playhead_orders.h: one whole message of the service; the service is gone. */
static void ph__message(playhead *ph, int opcode, const char *data, size_t size);
static void ph__give_back(playhead *ph);

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

/* --- receiving --- */

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

/* --- the handshake --- */

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
        ph__drop(ph, NULL); /* nothing listens: no error, the game runs without it */
    else
        ph__request_handshake(ph);
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

#endif /* PLAYHEAD_WEBSOCKET_H */
