#define _POSIX_C_SOURCE 200809L
#include "json/piece.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

/* Decides upon the next piece's size. */
static int prepare(struct piece *piece, uint64_t found)
{
    bool goes_on = piece->len > 0 && found == piece->found;
    piece->unfinished = goes_on ? piece->unfinished + piece->len : 0;
    piece->found = found;
    if (piece->unfinished > PIECE_LONGEST)
        return EFBIG;
    piece->wanted = !goes_on ? piece->least : piece->wanted * 2 < PIECE_MOST ? piece->wanted * 2 : PIECE_MOST;
    if (piece->wanted <= piece->capacity)
        return 0;
    free(piece->data);
    piece->data = malloc(piece->wanted);
    piece->capacity = piece->data == NULL ? 0 : piece->wanted;
    return piece->data == NULL ? ENOMEM : 0;
}

int piece_read(struct piece *piece, int fd, uint64_t found)
{
    int errnum = prepare(piece, found);
    piece->len = 0;
    while (errnum == 0 && piece->len < piece->wanted) {
        ssize_t n = read(fd, piece->data + piece->len, piece->wanted - piece->len);
        if (n == 0)
            break;
        if (n > 0)
            piece->len += (size_t)n;
        else if (errno != EINTR)
            errnum = errno;
    }
    return errnum;
}

void piece_free(struct piece *piece)
{
    free(piece->data);
    *piece = (struct piece){0};
}
