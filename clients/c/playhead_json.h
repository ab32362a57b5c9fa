/* playhead_json.h: buffers that grow, and JSON: written into them, and read in place.
 *
 * Knows nothing of games or services. Part of playhead.h. */
#ifndef PLAYHEAD_JSON_H
#define PLAYHEAD_JSON_H

#include "playhead.h" /* the types of what a game hands over */

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifndef PLAYHEAD_REALLOC
#define PLAYHEAD_REALLOC realloc
#define PLAYHEAD_FREE free
#endif

#define PH__MAX_ID ((uint64_t)INT64_MAX)
#define PH__MAX_TEXT ((size_t)1 << 20) /* the protocol's, for a request */
#define PH__MAX_DEPTH 32               /* of JSON within JSON */

typedef struct {
    char *data;
    size_t start, size, room; /* what counts is [start, size) */
    bool failed;              /* something found no room */
    bool fixed;               /* its memory is somebody else's, and does not grow */
} ph__buffer;

static bool ph__grow(ph__buffer *b, size_t more, size_t limit)
{
    if (more > limit || b->size > limit - more) return false;
    size_t needed = b->size + more, room = b->room ? b->room : 256;
    if (needed <= b->room) return true;
    if (b->fixed) return false;
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

static const char *ph__or(const char *text, const char *otherwise)
{
    return text ? text : otherwise;
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

static char *ph__done(ph__buffer *b)
{
    char *copy = b->failed ? NULL : ph__copy(b->data, b->size);
    b->size = 0;
    b->failed = false;
    return copy;
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

/* A number from `least` to 1; `to` stays as it is if there is none. */
static void ph__read_axis(ph__json value, double least, double *to)
{
    double number;
    if (ph__read_number(value, &number)) *to = number < least ? least : number > 1 ? 1 : number;
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

/* --- JSON that the game hands over, and is handed --- */

/* The value of a text, with nothing behind it; an empty one if it is none. */
static ph__json ph__parsed(const char *json)
{
    ph__json value = {NULL, NULL};
    const char *end, *behind;
    if (!json) return value;
    end = json + strlen(json);
    behind = ph__skip(json, end, 0);
    if (!behind || ph__space(behind, end) != end) return value;
    value.at = ph__space(json, end);
    value.end = behind;
    return value;
}

/* NULL is `null`. What is no JSON makes the whole statement fail. */
static void ph__json_text(ph__buffer *b, const char *json)
{
    ph__json value = ph__parsed(json ? json : "null");
    if (!value.at) b->failed = true;
    while (value.at < value.end) { /* as in `ph__quoted`: one wrong byte would end the connection */
        size_t size = ph__character((const unsigned char *)value.at);
        ph__bytes(b, size ? value.at : "?", size ? size : 1);
        value.at += size ? size : 1;
    }
}

static ph__json ph__member_of(const char *json, const char *key)
{
    ph__json value = ph__parsed(json);
    return key ? ph__get(value, key) : value;
}

bool playhead_get_number(const char *json, const char *key, double *number)
{
    double read;
    if (!ph__read_number(ph__member_of(json, key), &read)) return false;
    *number = read;
    return true;
}

bool playhead_get_text(const char *json, const char *key, char *text, size_t room)
{
    return room > 0 && ph__text(ph__member_of(json, key), text, room);
}

bool playhead_get_bool(const char *json, const char *key, bool *truth)
{
    ph__json value = ph__member_of(json, key);
    if (!ph__is(value, "true") && !ph__is(value, "false")) return false;
    *truth = ph__is(value, "true");
    return true;
}

/* A map's text as a buffer that ends before the brace and the zero which close it. */
static ph__buffer ph__put(playhead_map *map, const char *name)
{
    ph__buffer b;
    memset(&b, 0, sizeof b);
    b.data = map->text;
    b.size = map->size;
    b.room = sizeof map->text - 2;
    b.failed = map->failed;
    b.fixed = true;
    ph__raw(&b, map->size ? "," : "{");
    ph__quoted(&b, name);
    ph__raw(&b, ":");
    return b;
}

static void ph__did_put(playhead_map *map, const ph__buffer *b)
{
    map->failed = b->failed;
    if (!b->failed) map->size = b->size;
}

void playhead_put_number(playhead_map *map, const char *name, double value)
{
    ph__buffer b = ph__put(map, name);
    ph__number(&b, value);
    ph__did_put(map, &b);
}

void playhead_put_text(playhead_map *map, const char *name, const char *value)
{
    ph__buffer b = ph__put(map, name);
    ph__quoted(&b, value);
    ph__did_put(map, &b);
}

void playhead_put_bool(playhead_map *map, const char *name, bool value)
{
    ph__buffer b = ph__put(map, name);
    ph__raw(&b, value ? "true" : "false");
    ph__did_put(map, &b);
}

void playhead_put_json(playhead_map *map, const char *name, const char *json)
{
    ph__buffer b = ph__put(map, name);
    ph__json_text(&b, json);
    ph__did_put(map, &b);
}

const char *playhead_map_text(playhead_map *map)
{
    if (map->failed) return "";
    memcpy(map->text + map->size, map->size ? "}" : "{}", map->size ? 2 : 3);
    return map->text;
}

#endif /* PLAYHEAD_JSON_H */
