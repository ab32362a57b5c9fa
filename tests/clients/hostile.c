/* Gives clients/c what a hostile service might send, without a socket between them.
 *
 * Standard input holds conversations, each of a length (u32) and so many bytes, as they would come
 * out of the socket. For each a line is printed: how many packets were put back, whether the game
 * was told of an error, and whether the connection was dropped. */
#define PLAYHEAD_IMPLEMENTATION
#include "playhead.h"

typedef struct {
    unsigned long applied, errors, sum;
} seen;

static void add(seen *s, const void *data, size_t size)
{
    const unsigned char *bytes = (const unsigned char *)data;
    for (size_t i = 0; i < size; i++) s->sum += bytes[i];
}

static void apply(void *user, const playhead_packet *packet, const void *payload, size_t size)
{
    seen *s = (seen *)user;
    if ((uintptr_t)payload % 8) abort(); /* it is said to be aligned */
    s->applied++;
    add(s, packet, sizeof *packet);
    add(s, payload, size);
}

static void stand_in(void *user, const playhead_stand_in *one)
{
    add((seen *)user, one, sizeof *one);
    add((seen *)user, one->type, strlen(one->type));
}

static void id(void *user, uint64_t id) { add((seen *)user, &id, sizeof id); }
static void look_at(void *user, uint64_t id, const float position[3])
{
    (void)id;
    add((seen *)user, position, sizeof(float) * 3);
}

static void error(void *user, const char *message)
{
    ((seen *)user)->errors++;
    add((seen *)user, message, strlen(message));
}

static const char *called(void *user, playhead_call *call)
{
    double number = 0;
    char text[8];
    bool truth = false;
    add((seen *)user, call->argument, strlen(call->argument));
    playhead_get_number(call->argument, "x", &number);
    playhead_get_text(call->argument, NULL, text, sizeof text);
    playhead_get_bool(call->argument, "y", &truth);
    return call->argument;
}

/* Steps of the game, as long as it may make any. */
static void play(playhead *ph, seen *s, const playhead_packet *packet, const double *payload)
{
    for (int step = 2; step < 5 && playhead_live(ph); step++) {
        for (int player = -1; player < 3; player++) {
            playhead_pad_state pad = playhead_pad(ph, player);
            for (int i = 0; i < 2; i++)
                if (!(fabs(pad.left[i]) <= 1 && fabs(pad.right[i]) <= 1)) abort();
            if (!(pad.left_trigger >= 0 && pad.right_trigger <= 1) || pad.buttons >> 14) abort();
            add(s, &pad.buttons, sizeof pad.buttons);
        }
        playhead_begin_frame(ph, step, 1);
        playhead_add(ph, packet, payload, 3 * sizeof *payload);
        playhead_end_frame(ph);
    }
}

static void converse(const char *data, size_t size)
{
    static const playhead_field fields[] = {{"x", "<f8", {3}, NULL, NULL}};
    seen s = {0, 0, 0};
    playhead_options options;
    playhead_type type;
    playhead_packet packet;
    double payload[3] = {1, 2, 3};
    memset(&options, 0, sizeof options);
    memset(&type, 0, sizeof type);
    memset(&packet, 0, sizeof packet);
    options.url = "ws://127.0.0.1:1/";
    options.name = "game";
    options.pads = 2;
    options.on.user = &s;
    options.on.apply = apply;
    options.on.hide = options.on.unhide = options.on.remove_stand_in = id;
    options.on.stand_in = stand_in;
    options.on.look_at = look_at;
    options.on.error = error;
    playhead *ph = playhead_open(&options);
    type.number = 32;
    type.name = "thing";
    type.fields = fields;
    type.field_count = 1;
    type.size = sizeof payload;
    if (!ph || !playhead_define_type(ph, &type) || !playhead_serve(ph, "f", called, &s)) abort();
    ph->state = PH__ON;
    packet.id = 7;
    packet.type = 32;
    playhead_begin_frame(ph, 1, 1);
    playhead_add(ph, &packet, payload, sizeof payload);
    playhead_end_frame(ph);
    ph__pause(ph);
    ph->out.start = ph->out.size = 0;
    if (!ph__grow(&ph->in, size, (size_t)1 << 30)) abort();
    memcpy(ph->in.data, data, size);
    ph->in.size = size;
    for (size_t taken = 1; taken && ph->state == PH__ON;) {
        taken = ph__next(ph);
        if (ph->state == PH__ON) ph->in.start += taken;
        if (ph->state == PH__ON) play(ph, &s, &packet, payload);
    }
    printf("%lu %d %d\n", s.applied, s.errors != 0, ph->state != PH__ON);
    playhead_close(ph, 0);
    fprintf(stderr, "%lu", s.sum & 1); /* all of it was read */
}

int main(void)
{
    uint32_t size;
    while (fread(&size, sizeof size, 1, stdin) == 1) {
        char *data = (char *)malloc(size ? size : 1);
        if (!data || fread(data, 1, size, stdin) != size) abort();
        converse(data, size);
        free(data);
    }
    return 0;
}
