/* A game whose service does not read: records until fifty frames have found no room, and then goes
 * on until it is told to pause. */
#define PLAYHEAD_IMPLEMENTATION
#include "playhead.h"

static void paused(void *user) { *(bool *)user = true; }

int main(int argc, char **argv)
{
    static const playhead_field fields[] = {{"x", "<f4", {900}, NULL, NULL}};
    static float payload[900];
    bool stands = false;
    uint64_t step = 0;
    playhead_options options;
    playhead_type type;
    playhead_packet packet;
    memset(&options, 0, sizeof options);
    memset(&type, 0, sizeof type);
    memset(&packet, 0, sizeof packet);
    options.url = argc > 1 ? argv[1] : "";
    options.frame_limit = 4096;
    options.queue_limit = 1; /* the least there is */
    options.on.user = &stands;
    options.on.paused = paused;
    playhead *ph = playhead_open(&options);
    type.number = packet.type = 32;
    type.name = "thing";
    type.fields = fields;
    type.field_count = 1;
    type.size = sizeof payload;
    packet.id = 1;
    if (!ph || !playhead_define_type(ph, &type)) return 1;
    while (!playhead_recording(ph)) playhead_wait(ph, 10);
    for (bool told = false; !stands;) {
        if (!told || playhead_live(ph)) {
            step++;
            playhead_begin_frame(ph, (double)step, 1);
            playhead_add(ph, &packet, payload, sizeof payload);
            playhead_end_frame(ph);
        }
        playhead_update(ph);
        if (told) playhead_wait(ph, 1);
        if (!told && playhead_status(ph).frames_dropped >= 50) {
            told = true;
            printf("{\"event\": \"full\", \"waiting\": %zu}\n", playhead_status(ph).waiting);
            fflush(stdout);
        }
    }
    while (playhead_status(ph).waiting) playhead_wait(ph, 10);
    playhead_counts counts = playhead_status(ph);
    printf("{\"event\": \"end\", \"step\": %llu, \"frames\": %llu, \"dropped\": %llu}\n",
           (unsigned long long)step, (unsigned long long)counts.frames,
           (unsigned long long)counts.frames_dropped);
    playhead_close(ph, 0);
    return 0;
}
