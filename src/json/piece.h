/*
 * piece.h - a file's JSON text in pieces, as yajl takes it best
 *
 * Of a string or number that goes on behind a piece yajl looks at all that
 * came so far once more with every piece: pieces of one size would take
 * quadratic time. So they double, up to PIECE_MOST, while yajl finds
 * nothing, and what goes on beyond PIECE_LONGEST is refused.
 */
#ifndef PIECE_H
#define PIECE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define PIECE_MOST ((size_t)1 << 20)

/* Longer than any string of ours: a name of 1 MiB of which every byte is an escape of six. */
#define PIECE_LONGEST ((uint64_t)8 << 20)

/* Set to zero, then `least`. */
struct piece {
    size_t least; /* bytes of the first piece, and of each behind one in which yajl found something */
    unsigned char *data;
    size_t len;
    size_t capacity, wanted;
    uint64_t found, unfinished;
};

/*
 * Reads the next piece: `len` is 0 at the end of the file. `found` counts
 * what yajl has called so far. 0, or an errno value; EFBIG: something is longer
 * than PIECE_LONGEST.
 */
int piece_read(struct piece *piece, int fd, uint64_t found);

void piece_free(struct piece *piece);

#endif
