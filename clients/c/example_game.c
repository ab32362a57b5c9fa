/* A small game on playhead: balls bounce about in a yard, a guard flees from them.
 *
 *     cc -O2 -o example example_game.c && ./example --url "ws://127.0.0.1:5671/?token=TOKEN"
 *
 * It has no window. What it does it says as lines of JSON, a hash of its state among it, so that
 * anybody can see that a run which was paused and scrubbed ends as one that never was:
 *
 *     ./example --steps 600          alone: the state after each step
 *     ./example --steps 600 --url …  recorded
 */
#define PLAYHEAD_IMPLEMENTATION
#include "playhead.h"

enum { BALL = 32, GUARD = 33, GUARD_ID = 1, MOST = 12, PADS = 2 };
enum { PATROL, FLEE, DOWN };
static const char *const STATES[] = {"patrol", "flee", "down"};
/* A picture of one pixel, as PNG: there is no screen to take one of. */
static const unsigned char SCREEN[] = {
    137, 80, 78, 71, 13, 10, 26, 10, 0, 0, 0, 13, 73, 72, 68, 82, 0, 0,
    0, 1, 0, 0, 0, 1, 8, 2, 0, 0, 0, 144, 119, 83, 222, 0, 0, 0,
    12, 73, 68, 65, 84, 120, 156, 99, 112, 104, 112, 0, 0, 2, 4, 1, 1, 93,
    254, 4, 149, 0, 0, 0, 0, 73, 69, 78, 68, 174, 66, 96, 130};
static const char SEED[] = "88172645463325252"; /* beyond 2^53: a text, where it is an input */
static const double STEP = 1.0 / 60, YARD = 5, REACH = 2;

typedef struct {
    double position[3], velocity[3];
    uint32_t bounces, color;
} ball;

typedef struct {
    double position[3], timer;
    float health;
    int32_t state;
} guard;

static const playhead_field BALL_FIELDS[] = {
    {"position", "<f8", {3}, "m", "position"},
    {"velocity", "<f8", {3}, "m/s", "velocity"},
    {"bounces", "<u4", {0}, NULL, NULL},
    {"color", "<u4", {0}, NULL, NULL},
};
static const playhead_field GUARD_FIELDS[] = {
    {"position", "<f8", {3}, "m", "position"},
    {"timer", "<f8", {0}, "s", NULL},
    {"health", "<f4", {0}, NULL, "health"},
    {"state", "<i4", {0}, NULL, "state"},
};

typedef struct {
    uint64_t id; /* 0 = free */
    bool hidden;
    ball now;
} slot;

typedef struct {
    playhead *ph;
    uint64_t random, next_id, steps;
    slot balls[MOST];
    guard guard;
    bool guard_hidden, report;
    uint64_t stand_ins[64]; /* ids; 0 = free */
} game;

static void report(const game *g, const char *event, uint64_t frame, double time);

/* --- the game --- */

static double chance(game *g)
{
    g->random ^= g->random << 13;
    g->random ^= g->random >> 7;
    g->random ^= g->random << 17;
    return (double)(g->random >> 11) / 9007199254740992.0;
}

static void spawn(game *g)
{
    slot *free = g->balls;
    while (free < g->balls + MOST && free->id) free++;
    if (free == g->balls + MOST) return;
    memset(free, 0, sizeof *free);
    free->id = g->next_id++;
    for (int i = 0; i < 2; i++) {
        free->now.position[i] = (chance(g) - 0.5) * YARD;
        free->now.velocity[i] = (chance(g) - 0.5) * 12;
    }
    free->now.position[2] = 2 + chance(g) * 3;
    free->now.color = (uint32_t)(chance(g) * 0xffffff);
    playhead_log(g->ph, "info", "a ball comes in", free->id);
}

/* What tools play with, if any does: the stick pushes the guard, A throws a ball in. */
static void play(game *g)
{
    for (int player = 0; player < PADS; player++) {
        playhead_pad_state pad = playhead_pad(g->ph, player);
        if (player == 0) g->guard.position[0] += pad.left[0] * 2 * STEP;
        if (pad.buttons & PLAYHEAD_A) spawn(g);
    }
}

/* What tools may call: `{"health": 50}`, answered with what it was before. */
static const char *heal(void *user, playhead_call *call)
{
    static char before[32];
    game *g = (game *)user;
    double health;
    if (!playhead_get_number(call->argument, "health", &health) || health < 0 || health > 100) {
        call->error = "health: a number from 0 to 100";
        call->refused = true;
        return NULL;
    }
    if (g->guard.state == DOWN) {
        call->error = "the guard is down";
        return NULL;
    }
    snprintf(before, sizeof before, "%.9g", (double)g->guard.health);
    g->guard.health = (float)health;
    return before;
}

static void move(ball *b)
{
    b->velocity[2] -= 9.81 * STEP;
    for (int i = 0; i < 3; i++) {
        double low = i < 2 ? -YARD : 0, high = i < 2 ? YARD : 20;
        b->position[i] += b->velocity[i] * STEP;
        if (b->position[i] < low || b->position[i] > high) {
            b->position[i] = b->position[i] < low ? low : high;
            b->velocity[i] *= -0.98;
            b->bounces++;
        }
    }
}

static void go(game *g, int32_t state, const char *won, double distance)
{
    playhead_rejected rejected[] = {{"tired", "it has rested enough"}};
    playhead_value values[] = {{"distance", distance, NULL},
                               {"health", (double)g->guard.health, NULL}};
    playhead_transition t = {0};
    t.machine = "guard";
    t.source = STATES[g->guard.state];
    t.target = STATES[state];
    t.won = won;
    t.rejected = rejected;
    t.rejected_count = 1;
    t.values = values;
    t.value_count = 2;
    playhead_trace_state(g->ph, GUARD_ID, &t);
    g->guard.state = state;
    g->guard.timer = 0;
}

static void think(game *g)
{
    guard *me = &g->guard;
    const slot *nearest = NULL;
    double best = 1e9;
    for (const slot *s = g->balls; s < g->balls + MOST; s++) {
        double x = s->now.position[0] - me->position[0], y = s->now.position[1] - me->position[1];
        double z = s->now.position[2], square = x * x + y * y + z * z;
        if (s->id && square < best) {
            best = square;
            nearest = s;
        }
    }
    me->timer += STEP;
    if (me->state == DOWN) {
        if (me->timer < 2) return;
        me->health = 100;
        go(g, PATROL, "rested", best);
    }
    if (nearest && best < REACH * REACH) {
        me->health -= 20;
        if (me->health <= 0) {
            if (!playhead_check(g->ph, me->health > 0, "the guard is up", GUARD_ID))
                report(g, "check", 0, 0);
            go(g, DOWN, "hit", best);
            return;
        }
    }
    if (me->state == PATROL && nearest && best < 9) go(g, FLEE, "a ball is near", best);
    if (me->state == FLEE && best > 16) go(g, PATROL, "nothing near", best);
    for (int i = 0; i < 2; i++) {
        double way = me->state == FLEE && nearest ? me->position[i] - nearest->now.position[i]
                     : (i ? 0 : (g->steps / 240 % 2 ? -1 : 1)) - me->position[i] * 0.1;
        me->position[i] += (way > 1 ? 1 : way < -1 ? -1 : way) * 2 * STEP;
        if (me->position[i] > YARD) me->position[i] = YARD;
        if (me->position[i] < -YARD) me->position[i] = -YARD;
    }
    if (nearest) {
        static const uint8_t red[3] = {255, 0, 0};
        float from[3] = {(float)me->position[0], (float)me->position[1], 1}, to[3];
        for (int i = 0; i < 3; i++) to[i] = (float)nearest->now.position[i];
        playhead_line(g->ph, from, to, red, GUARD_ID, "ai");
    }
    playhead_watch(g->ph, "distance²", best, GUARD_ID);
}

static void step(game *g)
{
    g->steps++;
    if (g->steps == 1) playhead_input_text(g->ph, "seed", SEED, 0);
    if (g->steps == 1) playhead_phase(g->ph, "warm-up");
    if (g->steps == 31) playhead_phase(g->ph, "match");
    play(g);
    if (g->steps % 40 == 1) spawn(g);
    if (g->steps % 90 == 0) {
        slot *oldest = NULL;
        for (slot *s = g->balls; s < g->balls + MOST; s++)
            if (s->id && (!oldest || s->id < oldest->id)) oldest = s;
        if (oldest) {
            char bounces[16];
            snprintf(bounces, sizeof bounces, "%u", (unsigned)oldest->now.bounces);
            playhead_event(g->ph, "ball gone", bounces, oldest->id);
            playhead_despawn(g->ph, oldest->id);
            oldest->id = 0;
        }
    }
    for (slot *s = g->balls; s < g->balls + MOST; s++)
        if (s->id) move(&s->now);
    think(g);
    if (g->steps == 1 || g->steps % 60 == 0) {
        playhead_image screen = {"png", SCREEN, sizeof SCREEN, 1, 1, NULL};
        playhead_picture(g->ph, &screen);
    }
}

/* --- recording it, and putting it back --- */

static void record(game *g)
{
    playhead_packet packet;
    playhead_map yard = {0, false, ""};
    int balls = 0;
    if (!playhead_begin_frame(g->ph, (double)g->steps * STEP, STEP)) return;
    memset(&packet, 0, sizeof packet);
    packet.id = GUARD_ID;
    packet.type = GUARD;
    for (int i = 0; i < 3; i++) packet.position[i] = (float)g->guard.position[i];
    playhead_add(g->ph, &packet, &g->guard, sizeof g->guard);
    for (const slot *s = g->balls; s < g->balls + MOST; s++) {
        if (!s->id) continue;
        packet.id = s->id;
        packet.type = BALL;
        for (int i = 0; i < 3; i++) packet.position[i] = (float)s->now.position[i];
        playhead_add(g->ph, &packet, &s->now, sizeof s->now);
        balls++;
    }
    playhead_end_frame(g->ph);
    playhead_put_number(&yard, "step", (double)g->steps);
    playhead_put_number(&yard, "balls", balls);
    playhead_publish(g->ph, "yard", playhead_map_text(&yard));
}

static slot *find(game *g, uint64_t id)
{
    for (slot *s = g->balls; s < g->balls + MOST; s++)
        if (s->id == id) return s;
    return NULL;
}

static void apply(void *user, const playhead_packet *packet, const void *payload, size_t size)
{
    game *g = (game *)user;
    slot *s = find(g, packet->id);
    if (packet->type == GUARD && packet->id == GUARD_ID) memcpy(&g->guard, payload, size);
    if (packet->type == BALL && s) memcpy(&s->now, payload, size);
}

static void hide(game *g, uint64_t id, bool hidden)
{
    slot *s = find(g, id);
    if (id == GUARD_ID) g->guard_hidden = hidden;
    if (s) s->hidden = hidden;
}

static void hidden(void *user, uint64_t id) { hide((game *)user, id, true); }
static void unhidden(void *user, uint64_t id) { hide((game *)user, id, false); }

/* --- saying what it does --- */

static uint32_t mixed(uint32_t hash, const void *data, size_t size) /* FNV-1a */
{
    const unsigned char *bytes = (const unsigned char *)data;
    for (size_t i = 0; i < size; i++) hash = (hash ^ bytes[i]) * 16777619u;
    return hash;
}

static uint32_t state_of(const game *g)
{
    uint32_t hash = mixed(2166136261u, &g->random, sizeof g->random);
    hash = mixed(hash, &g->steps, sizeof g->steps);
    hash = mixed(hash, &g->guard, sizeof g->guard);
    for (const slot *s = g->balls; s < g->balls + MOST; s++) {
        if (!s->id) continue;
        hash = mixed(hash, &s->id, sizeof s->id);
        hash = mixed(hash, &s->now, sizeof s->now);
    }
    return hash;
}

/* Everybody who can be seen, with a hash of his state. */
static void report(const game *g, const char *event, uint64_t frame, double time)
{
    if (!g->report) return;
    printf("{\"event\": \"%s\", \"step\": %llu, \"state\": %u, \"frame\": %llu, \"time\": %.9f, ",
           event, (unsigned long long)g->steps, state_of(g), (unsigned long long)frame, time);
    printf("\"objects\": {");
    const char *comma = "";
    if (!g->guard_hidden) {
        printf("\"%d\": %u", GUARD_ID, mixed(2166136261u, &g->guard, sizeof g->guard));
        comma = ", ";
    }
    for (const slot *s = g->balls; s < g->balls + MOST; s++) {
        if (!s->id || s->hidden) continue;
        printf("%s\"%llu\": %u", comma, (unsigned long long)s->id,
               mixed(2166136261u, &s->now, sizeof s->now));
        comma = ", ";
    }
    printf("}, \"stand_ins\": [");
    comma = "";
    for (size_t i = 0; i < 64; i++) {
        if (!g->stand_ins[i]) continue;
        printf("%s%llu", comma, (unsigned long long)g->stand_ins[i]);
        comma = ", ";
    }
    printf("]}\n");
    fflush(stdout);
}

/* A real game would show something at its position: the frame may come again with another. */
static void stood_in(void *user, const playhead_stand_in *s)
{
    game *g = (game *)user;
    size_t free = 64;
    for (size_t i = 64; i-- > 0;) {
        if (g->stand_ins[i] == s->id) return;
        if (!g->stand_ins[i]) free = i;
    }
    if (free < 64) g->stand_ins[free] = s->id;
}

static void unstood(void *user, uint64_t id)
{
    game *g = (game *)user;
    for (size_t i = 0; i < 64; i++)
        if (g->stand_ins[i] == id) g->stand_ins[i] = 0;
}

static void shown(void *user, uint64_t frame, double time)
{
    report((game *)user, "shown", frame, time);
}

static void looked_at(void *user, uint64_t id, const float position[3])
{
    if (((game *)user)->report)
        printf("{\"event\": \"look_at\", \"object\": %llu, \"x\": %.6f}\n",
               (unsigned long long)id, (double)position[0]);
    fflush(stdout);
}

static void recording(void *user)
{
    game *g = (game *)user;
    playhead_name(g->ph, GUARD_ID, "Guard");
    report(g, "recording", 0, 0);
}

static void paused(void *user) { report((game *)user, "paused", 0, 0); }
static void resumed(void *user) { report((game *)user, "resumed", 0, 0); }
static void failed(void *user, const char *message)
{
    (void)user;
    fprintf(stderr, "playhead: %s\n", message);
}

int main(int argc, char **argv)
{
    const char *url = NULL;
    uint64_t steps = 600;
    int rate = 60;
    game g;
    memset(&g, 0, sizeof g);
    for (int i = 1; i + 1 < argc; i += 2) {
        if (strcmp(argv[i], "--url") == 0) url = argv[i + 1];
        if (strcmp(argv[i], "--steps") == 0) steps = strtoull(argv[i + 1], NULL, 10);
        if (strcmp(argv[i], "--rate") == 0) rate = atoi(argv[i + 1]);
    }
    g.random = strtoull(SEED, NULL, 10);
    g.next_id = ((uint64_t)1 << 53) + 1; /* ids that no double can hold */
    g.guard.health = 100;
    g.report = true;

    playhead_options options;
    memset(&options, 0, sizeof options);
    options.url = url ? url : "ws://127.0.0.1:1/"; /* nothing listens there */
    options.name = "balls";
    options.build = "1.0";
    options.pads = PADS;
    options.on.user = &g;
    options.on.recording = recording;
    options.on.paused = paused;
    options.on.apply = apply;
    options.on.hide = hidden;
    options.on.unhide = unhidden;
    options.on.stand_in = stood_in;
    options.on.remove_stand_in = unstood;
    options.on.shown = shown;
    options.on.look_at = looked_at;
    options.on.resumed = resumed;
    options.on.error = failed;
    g.ph = playhead_open(&options);
    if (!g.ph) {
        fprintf(stderr, "no url of a gateway: %s\n", options.url);
        return 1;
    }
    playhead_type ball_type, guard_type;
    memset(&ball_type, 0, sizeof ball_type);
    ball_type.number = BALL;
    ball_type.name = "ball";
    ball_type.fields = BALL_FIELDS;
    ball_type.field_count = sizeof BALL_FIELDS / sizeof *BALL_FIELDS;
    ball_type.size = sizeof(ball);
    guard_type = ball_type;
    guard_type.number = GUARD;
    guard_type.name = "guard";
    guard_type.fields = GUARD_FIELDS;
    guard_type.field_count = sizeof GUARD_FIELDS / sizeof *GUARD_FIELDS;
    guard_type.size = sizeof(guard);
    guard_type.channels = "ai";
    if (!playhead_define_type(g.ph, &ball_type) || !playhead_define_type(g.ph, &guard_type)
        || !playhead_serve(g.ph, "guard.heal", heal, &g))
        return 1;

    /* A run to be recorded begins when somebody records. */
    while (url && !playhead_recording(g.ph)) playhead_wait(g.ph, 100);
    while (g.steps < steps) {
        if (playhead_live(g.ph)) {
            step(&g);
            record(&g);
            if (!url) report(&g, "step", 0, (double)g.steps * STEP);
        }
        if (url) playhead_wait(g.ph, playhead_live(g.ph) ? 1000 / rate : 250);
    }
    report(&g, "end", 0, 0);
    playhead_close(g.ph, 2000);
    return 0;
}
