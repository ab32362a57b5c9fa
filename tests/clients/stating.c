/* A game of one step, which states values of every kind, and some that are none. */
#define PLAYHEAD_IMPLEMENTATION
#include "playhead.h"

static void error(void *user, const char *message)
{
    (void)message;
    ++*(int *)user;
}

static void state_inputs(playhead *ph)
{
    playhead_map map = {0, false, ""}, empty = {0, false, ""};
    playhead_put_number(&map, "left x", 0.5);
    playhead_put_bool(&map, "A", true);
    playhead_put_text(&map, "who", "me");
    playhead_put_json(&map, "list", " [1, 2] ");
    playhead_input_number(ph, "number", -0.1, 0);
    playhead_input_text(ph, "text", "a \"b\"\n\xff\xc3\xa9", 0);
    playhead_input_bool(ph, "bool", true, 0);
    playhead_input(ph, "json", " [1, {\"a\": null}]\n", 0);
    playhead_input(ph, "map", playhead_map_text(&map), 0);
    playhead_input(ph, "empty", playhead_map_text(&empty), 0);
    playhead_event(ph, "hit", "{\"by\": 7}", (uint64_t)1 << 60);
    playhead_event(ph, "door", NULL, 0);
}

/* Seven things that can't be stated. */
static void state_nonsense(playhead *ph)
{
    static char large[1 << 20];
    playhead_map full = {0, false, ""}, strange = {0, false, ""};
    playhead_image image = {"png", large, sizeof large - 1, 1, 1, NULL};
    for (int i = 0; i < 1000; i++) playhead_put_number(&full, "n", i);
    playhead_put_number(&strange, "n", (double)INFINITY);
    playhead_input(ph, "full", playhead_map_text(&full), 0);
    playhead_input(ph, "strange", playhead_map_text(&strange), 0);
    playhead_input(ph, "no", "{\"a\":}", 0);
    playhead_input_number(ph, "no", (double)NAN, 0);
    playhead_event(ph, "no", "1 2", 0);
    playhead_picture(ph, &image);
    if (playhead_publish(ph, "no", "nul")) abort();
}

int main(int argc, char **argv)
{
    unsigned char data[256];
    int errors = 0;
    playhead_options options;
    memset(&options, 0, sizeof options);
    options.url = argc > 1 ? argv[1] : "";
    options.on.user = &errors;
    options.on.error = error;
    playhead *ph = playhead_open(&options);
    if (!ph) return 1;
    while (!playhead_recording(ph)) playhead_wait(ph, 10);
    state_inputs(ph);
    state_nonsense(ph);
    playhead_phase(ph, "boss");
    for (size_t i = 0; i < sizeof data; i++) data[i] = (unsigned char)i;
    for (size_t size = 0; size < 5; size++) {
        playhead_image image = {"webp", data, size, 640, 480, "map"};
        playhead_picture(ph, &image);
    }
    if (!playhead_publish(ph, "score", "{\"level\": 3}")) return 1;
    playhead_begin_frame(ph, 1, 1);
    playhead_end_frame(ph);
    while (playhead_status(ph).waiting) playhead_wait(ph, 10);
    printf("{\"event\": \"end\", \"dropped\": %llu, \"errors\": %d}\n",
           (unsigned long long)playhead_status(ph).statements_dropped, errors);
    playhead_close(ph, 0);
    return 0;
}
