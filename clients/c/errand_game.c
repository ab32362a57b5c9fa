/* A room that the playthrough tester plays: the same as in ../js/example/errand.js, but y is up, and
 * lengths are centimetres.
 *
 *     cc -O2 -o errand errand_game.c -lm && ./errand --url "ws://127.0.0.1:5671/?token=TOKEN"
 *     playhead demo-record --connect 5670 errand.csv --script person.py
 *     playhead replay --connect 5670 errand.csv --seeds 1..10
 *
 * The player pulls a lever, reads what it says, and goes through the door that opens to the exit.
 * Chance decides where a coin lies and whether the day is lucky; the exit opens on lucky days only,
 * and what tests need for that is the debug function `luck`.
 */
#define PLAYHEAD_IMPLEMENTATION
#include "playhead.h"
#include "playhead_playable.h"

enum { PLAYER = 1, LEVER = 2, COIN = 3, THING = 32, PAGES = 2 };
static const double STEP = 1.0 / 60, SPEED = 300;
static const double LEVER_AT[2] = {300, 600}, EXIT_AT[2] = {1100, 400};

typedef struct {
    int32_t state;
} thing;

static const playhead_field FIELDS[] = {{"state", "<i4", {0}, NULL, "state"}};

typedef struct {
    playhead *ph;
    playhead_playable playable;
    double time, x, ahead, facing, coin[2]; /* `ahead` is -z */
    uint32_t before, random;
    int page, coins; /* page: of what the lever says; -1 while nothing is read */
    bool open, lucky, finished, coin_taken;
} room;

static double chance(room *r)
{
    r->random = r->random * 1664525u + 1013904223u;
    return (double)r->random / 4294967296.0;
}

/* Everything is as at the beginning; the seed decides what is left to chance. */
static const char *begin(void *user, bool seeded, int64_t seed)
{
    room *r = (room *)user;
    r->random = (uint32_t)seed * 2654435761u + 12345u;
    r->time = r->facing = 0;
    r->x = r->ahead = 100;
    r->page = -1;
    r->coins = 0;
    r->before = 0;
    r->open = r->finished = r->coin_taken = false;
    for (int i = 0; i < 4; i++) chance(r);
    r->lucky = !seeded || seed == 0 || chance(r) < 0.5;
    r->coin[0] = 250 + 100 * chance(r);
    r->coin[1] = 300 + 100 * chance(r);
    return NULL;
}

static const char *debug(void *user, const char *name, const char *argument)
{
    if (strcmp(name, "luck") != 0) return "there is only luck";
    ((room *)user)->lucky = strcmp(argument, "true") == 0;
    return NULL;
}

/* The way on foot: through the door, if the wall is between. */
static size_t find_path(void *user, const double start[3], const double goal[3], double reach,
                        double (*way)[3], size_t room_for)
{
    size_t count = 0;
    (void)user;
    (void)reach;
    if (room_for < 2) return 0;
    if ((start[0] < 600) != (goal[0] < 600)) {
        way[0][0] = 600;
        way[0][1] = 0;
        way[0][2] = -400;
        count = 1;
    }
    memcpy(way[count], goal, sizeof way[count]);
    return count + 1;
}

static double away(const room *r, const double at[2])
{
    return hypot(r->x - at[0], r->ahead - at[1]);
}

static bool is_free(const room *r, double x, double ahead)
{
    if (x < 30 || ahead < 30 || x > 1170 || ahead > 770) return false;
    return fabs(x - 600) > 40 || (r->open && ahead > 300 && ahead < 500);
}

static void step(room *r, const playhead_pad_state *pad)
{
    uint32_t pressed = pad->buttons & ~r->before;
    r->before = pad->buttons;
    r->time += STEP;
    if (r->page >= 0) {
        if ((pressed & PLAYHEAD_A) && ++r->page == PAGES) {
            r->page = -1;
            r->open = true;
        }
    } else {
        double dx = pad->left[0] * SPEED * STEP, dy = pad->left[1] * SPEED * STEP;
        if (is_free(r, r->x + dx, r->ahead)) r->x += dx;
        if (is_free(r, r->x, r->ahead + dy)) r->ahead += dy;
        if (hypot(pad->left[0], pad->left[1]) > 0.1) r->facing = atan2(pad->left[1], pad->left[0]);
        if ((pressed & PLAYHEAD_A) && !r->open && away(r, LEVER_AT) < 100) r->page = 0;
    }
    if (!r->coin_taken && away(r, r->coin) < 50) {
        r->coin_taken = true;
        r->coins++;
    }
    if (r->lucky && away(r, EXIT_AT) < 60) r->finished = true;
}

static void add(room *r, uint64_t id, double x, double ahead, int32_t state)
{
    playhead_packet packet;
    thing payload;
    memset(&packet, 0, sizeof packet);
    packet.id = id;
    packet.type = THING;
    packet.position[0] = (float)x;
    packet.position[2] = (float)-ahead;
    payload.state = state;
    playhead_add(r->ph, &packet, &payload, sizeof payload);
}

static void record(room *r, const playhead_pad_state *pad)
{
    playhead_thing coin = {"coin", {r->coin[0], 0, -r->coin[1]}, 0, COIN};
    playhead_observation seen;
    playhead_map extras = {0, false, ""};
    if (!playhead_begin_frame(r->ph, r->time, STEP)) return;
    add(r, PLAYER, r->x, r->ahead, r->page);
    add(r, LEVER, LEVER_AT[0], LEVER_AT[1], r->open);
    if (!r->coin_taken) add(r, COIN, r->coin[0], r->coin[1], 0);
    playhead_end_frame(r->ph);
    memset(&seen, 0, sizeof seen);
    seen.position[0] = r->x;
    seen.position[2] = -r->ahead;
    seen.facing = r->facing;
    seen.level = "room";
    seen.message = r->page >= 0;
    seen.event = r->page >= 0 ? "lever" : "";
    seen.finished = r->finished;
    seen.items = &coin;
    seen.item_count = r->coin_taken ? 0 : 1;
    playhead_put_bool(&extras, "door", r->open);
    playhead_put_number(&extras, "coins", r->coins);
    playhead_put_bool(&extras, "lucky", r->lucky);
    seen.extras = playhead_map_text(&extras);
    playhead_observe(&r->playable, r->time, &seen, pad);
}

static void recording(void *user)
{
    room *r = (room *)user;
    playhead_name(r->ph, PLAYER, "player");
    playhead_name(r->ph, LEVER, "lever");
    playhead_name(r->ph, COIN, "coin");
}

static void failed(void *user, const char *message)
{
    (void)user;
    fprintf(stderr, "playhead: %s\n", message);
}

int main(int argc, char **argv)
{
    static room r; /* zero */
    playhead_options options;
    playhead_type type;
    double seconds = 3600, speed = 1, ran = 0;
    memset(&options, 0, sizeof options);
    options.url = "ws://127.0.0.1:5671/";
    for (int i = 1; i + 1 < argc; i += 2) {
        if (strcmp(argv[i], "--url") == 0) options.url = argv[i + 1];
        if (strcmp(argv[i], "--seconds") == 0) seconds = atof(argv[i + 1]);
        if (strcmp(argv[i], "--speed") == 0) speed = atof(argv[i + 1]);
    }
    options.name = "errand";
    options.up = "y";
    options.unit = "cm";
    options.pads = 1;
    options.cannot_restore = true;
    options.on.user = &r;
    options.on.recording = recording;
    options.on.error = failed;
    r.ph = playhead_open(&options);
    memset(&type, 0, sizeof type);
    type.number = THING;
    type.name = "thing";
    type.fields = FIELDS;
    type.field_count = 1;
    type.size = sizeof(thing);
    r.playable.name = "errand";
    r.playable.player = PLAYER;
    r.playable.columns = "{\"door\": \"bool\", \"coins\": \"float\", \"lucky\": \"bool\"}";
    r.playable.outcomes = "{\"door\": \"equal\", \"coins\": \"equal\"}";
    r.playable.settings = "debug: [{call: luck, on: differs, column: lucky}]";
    r.playable.debug = "[\"luck\"]";
    r.playable.on.user = &r;
    r.playable.on.restart = begin;
    r.playable.on.debug = debug;
    r.playable.on.find_path = find_path;
    begin(&r, false, 0);
    if (!r.ph || !playhead_define_type(r.ph, &type) || !playhead_serve_playable(r.ph, &r.playable))
        return 1;
    while (ran < seconds) {
        if (playhead_live(r.ph) && playhead_recording(r.ph)) {
            playhead_pad_state pad = playhead_pad(r.ph, 0);
            step(&r, &pad);
            record(&r, &pad);
        }
        playhead_wait(r.ph, (int)(1000 * STEP / speed));
        ran += STEP / speed;
    }
    playhead_close(r.ph, 1000);
    return 0;
}
