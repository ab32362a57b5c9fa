/* Frame images. An image is a copy of one frame as a string of bytes, in the ring's own layout.
 *
 * It begins with the frame's header; the runs follow without gaps. An image has none of the padding
 * that a frame has in the ring, where the arena wraps and where payloads begin at cache lines.
 * Offsets count from the start of the image, and links to other frames are empty. An image can be
 * sent, stored in a file, and recorded into another ring after a check.
 *
 * serialized_frame_encode.c makes images, serialized_frame_decode.c reads them, and
 * serialized_frame_ingest.c records them.
 * The content of an image is not trusted, and its memory may change while it is read. Therefore each
 * header is copied once, and only the copy is checked and used.
 */
#ifndef PLAYHEAD_SERIALIZED_FRAME_H
#define PLAYHEAD_SERIALIZED_FRAME_H

#include "find_frames.h"

#define FIRST_RUN sizeof(frame_header)

static inline uint64_t image_stride(uint64_t size)
{
    return align_up(sizeof(packet_header) + size, 8);
}

/* --- reading one (serialized_frame_decode.c) --------------------------------------------------- */

typedef struct {
    const uint8_t *bytes;
    uint64_t length;
    PyObject *error;    /* DamagedError */
    frame_header frame; /* the copy that was checked */
    uint64_t at, end;   /* of the run read last; at `end` the next one begins */
    uint64_t count;     /* packets before `end` */
    uint32_t sum;       /* their part of the check, and their runs' */
} frame_image;

/* Copies an image's header and checks it. 0, or -1 with DamagedError set. */
int image_open(frame_image *image, const Py_buffer *buffer, PyObject *error);

/* Copies and checks the next run's header: 1; 0 behind the last, when all is well; -1. */
int image_run(frame_image *image, run_header *run);

/* Copies and checks the header of a packet of the run read last. 0 or -1. */
int image_packet(const frame_image *image, const run_header *run, uint32_t index,
                 packet_header *into);

/* Sets DamagedError, naming the byte. Returns -1. */
int image_damaged(const frame_image *image, uint64_t at, const char *what, ...);

static inline const uint8_t *image_packet_at(const frame_image *image, const run_header *run,
                                             uint32_t index)
{
    return image->bytes + image->at + sizeof *run + (uint64_t)index * run->stride;
}

/* --- writing one (serialized_frame_encode.c) ------------------------------------------------- */

/* A frame's header as an image begins with it: `length` and `check` are still to be filled in,
 * which image_seal does; `sum` is what runs and packets add to the check. */
void image_header(frame_header *into, const frame_header *frame);
void image_seal(frame_header *frame, uint64_t length, uint32_t sum);

/* The length of a frame's image, and the image itself. Both need no interpreter. They return 0 if
 * the frame is gone, -1 if it is damaged. */
int64_t image_measure(const memory *m, uint64_t start, const frame_header *frame,
                      damage *fault);
int image_fill(const memory *m, uint64_t start, const frame_header *frame, uint8_t *bytes,
               uint64_t length, damage *fault);

#endif
