/* A room for plans, without a window: plan_room "ws://..." [SECONDS]
 *
 * The player walks with pad 0. A switch opens the door in the wall, behind it stands a lamp. What
 * tools ask of it (plan.game, plan.map, plan.act) and what it publishes (plan.state) is in
 * docs/protocol.md. With PLAN_ROOM_BUG=door the door stays shut, with lamp the lamp lights twice. */
#define PLAYHEAD_IMPLEMENTATION
#include "playhead.h"

#include <math.h>

enum { PLAYER = 1, SWITCH, DOOR, LAMP, COLUMNS = 15, ROWS = 7 };
static const double STEP = 1.0 / 60, SPEED = 3, CELL = 0.5;
static const char WALLS[ROWS][COLUMNS + 1] = {
    "###############",
    "#......#......#",
    "#......#......#",
    "#......D......#",
    "#......#......#",
    "#......#......#",
    "###############",
};

typedef struct {
    playhead *ph;
    double time, x, y, facing;
    int map, lit;
    bool on, open;
    const char *bug;
} room;

typedef struct {
    uint64_t id;
    const char *type, *actions;
    double x, y;
} thing;

static const thing THINGS[] = {
    {SWITCH, "switch", "[\"use\"]", 2.5, 2.5},
    {DOOR, "door", "[]", 3.5, 1.5},
    {LAMP, "lamp", "[\"light\"]", 6, 1},
};
enum { THING_COUNT = sizeof THINGS / sizeof *THINGS };

static const char *state_of(const room *r, uint64_t id)
{
    if (id == SWITCH) return r->on ? "on" : "off";
    if (id == DOOR) return r->open ? "open" : "closed";
    return r->lit ? "lit" : "dark";
}

static void recording(void *user)
{
    const room *r = user;
    playhead_name(r->ph, PLAYER, "player");
    for (int i = 0; i < THING_COUNT; i++) playhead_name(r->ph, THINGS[i].id, THINGS[i].type);
}

static const char *plan_game(void *user, playhead_call *call)
{
    (void)user, (void)call;
    return "{\"name\": \"room\", \"step\": 0.016666666666666666, \"player\": 1, \"sticks\": \"world\","
           " \"types\": [\"switch\", \"door\", \"lamp\"], \"names\": [\"switch\", \"door\", \"lamp\"],"
           " \"actions\": [{\"name\": \"use\", \"reach\": 0.8, \"event\": \"used\", \"timeout\": 2,"
           " \"expect\": {\"target.state\": \"on\"}}, {\"name\": \"light\", \"reach\": 0.8,"
           " \"event\": \"lit\", \"timeout\": 2, \"expect\": {\"lit\": 1}}]}";
}

static const char *plan_map(void *user, playhead_call *call)
{
    static char text[512];
    const room *r = user;
    (void)call;
    size_t size = (size_t)snprintf(text, sizeof text,
                                   "{\"cell\": %g, \"origin\": [0, 0, 0], \"rows\": [", CELL);
    for (int row = 0; row < ROWS; row++) {
        text[size++] = row ? ',' : ' ';
        text[size++] = '"';
        for (int column = 0; column < COLUMNS; column++) {
            char cell = WALLS[row][column];
            text[size++] = cell == 'D' ? (char)(r->open ? '.' : '#') : cell;
        }
        text[size++] = '"';
    }
    memcpy(text + size, "]}", 3);
    return text;
}

static const char *refuse(playhead_call *call, const char *why)
{
    call->error = why;
    call->refused = true;
    return NULL;
}

static const char *plan_act(void *user, playhead_call *call)
{
    room *r = user;
    double actor = 0;
    char action[32];
    const thing *target = NULL;
    if (!playhead_get_number(call->argument, "actor", &actor) ||
        !playhead_get_text(call->argument, "action", action, sizeof action))
        return refuse(call, "give `action` and `actor`");
    for (int i = 0; i < THING_COUNT; i++)
        if ((double)THINGS[i].id == actor) target = &THINGS[i];
    if (!target) return refuse(call, "there is no such actor");
    if (hypot(target->x - r->x, target->y - r->y) > 1) return refuse(call, "it is out of reach");
    if (!strcmp(action, "use") && target->id == SWITCH) {
        r->on = true;
        r->open = strcmp(r->bug, "door") != 0;
        r->map++;
        playhead_event(r->ph, "used", "true", SWITCH);
    } else if (!strcmp(action, "light") && target->id == LAMP) {
        r->lit += strcmp(r->bug, "lamp") ? 1 : 2;
        playhead_event(r->ph, "lit", "true", LAMP);
    } else {
        return refuse(call, "this action is not possible with this actor");
    }
    return NULL;
}

static bool is_free(const room *r, double x, double y)
{
    long column = lround(x / CELL), row = lround(y / CELL);
    if (row < 0 || row >= ROWS || column < 0 || column >= COLUMNS) return false;
    char cell = WALLS[row][column];
    return cell == '.' || (cell == 'D' && r->open);
}

static void publish(const room *r)
{
    char text[1024];
    size_t size = (size_t)snprintf(
        text, sizeof text,
        "{\"time\": %.9g, \"position\": [%.9g, %.9g, 0], \"facing\": %.9g, \"map\": %d,"
        " \"values\": {\"lit\": %d, \"door\": \"%s\"}, \"actors\": [",
        r->time, r->x, r->y, r->facing, r->map, r->lit, state_of(r, DOOR));
    for (int i = 0; i < THING_COUNT; i++) {
        const thing *one = &THINGS[i];
        size += (size_t)snprintf(
            text + size, sizeof text - size,
            "%s{\"id\": %d, \"type\": \"%s\", \"name\": \"%s\", \"position\": [%g, %g, 0],"
            " \"values\": {\"state\": \"%s\"}, \"actions\": %s}",
            i ? ", " : "", (int)one->id, one->type, one->type, one->x, one->y,
            state_of(r, one->id), one->actions);
    }
    snprintf(text + size, sizeof text - size, "]}");
    playhead_publish(r->ph, "plan.state", text);
}

static void add(const room *r, uint64_t id, double x, double y)
{
    playhead_packet packet;
    int32_t state = 0;
    memset(&packet, 0, sizeof packet);
    packet.id = id;
    packet.type = 32;
    packet.position[0] = (float)x;
    packet.position[1] = (float)y;
    playhead_add(r->ph, &packet, &state, sizeof state);
}

static void step(room *r)
{
    playhead_pad_state pad = playhead_pad(r->ph, 0);
    double dx = pad.left[0] * SPEED * STEP, dy = pad.left[1] * SPEED * STEP;
    r->time += STEP;
    if (is_free(r, r->x + dx, r->y)) r->x += dx;
    if (is_free(r, r->x, r->y + dy)) r->y += dy;
    if (dx != 0 || dy != 0) r->facing = atan2(dy, dx);
    playhead_begin_frame(r->ph, r->time, STEP);
    add(r, PLAYER, r->x, r->y);
    for (int i = 0; i < THING_COUNT; i++) add(r, THINGS[i].id, THINGS[i].x, THINGS[i].y);
    playhead_end_frame(r->ph);
    publish(r);
}

int main(int argc, char **argv)
{
    static const playhead_field FIELDS[] = {{"state", "<i4", {0}, NULL, "state"}};
    playhead_type type;
    playhead_options options;
    room r;
    double left = argc > 2 ? atof(argv[2]) : 3600;
    memset(&type, 0, sizeof type);
    memset(&options, 0, sizeof options);
    memset(&r, 0, sizeof r);
    r.x = r.y = 1;
    r.bug = getenv("PLAN_ROOM_BUG") ? getenv("PLAN_ROOM_BUG") : "";
    type.number = 32;
    type.name = "thing";
    type.fields = FIELDS;
    type.field_count = 1;
    type.size = sizeof(int32_t);
    options.url = argc > 1 ? argv[1] : "ws://127.0.0.1:5671/";
    options.name = "room";
    options.pads = 1;
    options.cannot_restore = true;
    options.on.user = &r;
    options.on.recording = recording;
    r.ph = playhead_open(&options);
    if (!r.ph || !playhead_define_type(r.ph, &type)) return 1;
    playhead_serve(r.ph, "plan.game", plan_game, &r);
    playhead_serve(r.ph, "plan.map", plan_map, &r);
    playhead_serve(r.ph, "plan.act", plan_act, &r);
    for (; left > 0; left -= STEP) {
        if (playhead_live(r.ph)) step(&r);
        playhead_update(r.ph);
        playhead_wait(r.ph, (int)(1000 * STEP));
    }
    playhead_close(r.ph, 1000);
    return 0;
}
