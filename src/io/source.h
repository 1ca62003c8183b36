/*
 * source.h - a trace as blocks of uncompressed bytes, in order, twice
 *
 * A file is read in place; a pipe is spooled as it comes to an unlinked file
 * in $TMPDIR. gzip is told from plain by its first bytes. The first round
 * also takes a SHA-256, of the stored bytes as a rule. With two threads or more
 * reading, inflating and hashing go on in a thread of their own, a few
 * blocks ahead. A source knows nothing of JSON.
 */
#ifndef SOURCE_H
#define SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "gzip/gunzip.h"

#define SOURCE_HASH_HEX 64

struct source;

/* What the hash of the first round, a SHA-256 as a rule, is of. */
enum source_hash {
    SOURCE_HASH_STORED,  /* the bytes as stored */
    SOURCE_HASH_OUTSIDE, /* the uncompressed bytes but for [skip_from, skip_to) */
    SOURCE_CRC_OUTSIDE,  /* the same, and it is a CRC-32 */
    SOURCE_HASH_NONE     /* nothing: source_sha256() is that of no bytes */
};

struct source_options {
    const char *path; /* "-": standard input */
    unsigned threads; /* >= 1 */
    enum source_hash hash;
    uint64_t skip_from, skip_to;
    bool as_stored; /* the blocks are the stored bytes, gzip or not */
};

/* Opens; refuses what cannot be a trace (a folder, the terminal). NULL with *error set. */
struct source *source_open(const struct source_options *options, struct lt_error *error);
void source_free(struct source *source);

/*
 * The next block, valid until the next call; *len 0 is the end. A gzip file
 * that is damaged gives all bytes that can be had before its error
 * (LT_TRACE); source_is_truncated() tells one that was merely cut.
 */
enum lt_status source_next(struct source *source, const unsigned char **data, size_t *len, struct lt_error *error);
bool source_is_truncated(const struct source *source);

/*
 * Tells, between two calls of source_next(), where the insertion will be:
 * the way into a gzip file near there is kept from now on.
 */
void source_insertion(struct source *source, uint64_t offset);

/* Goes back to the start for another round (of the same bytes, unhashed). */
enum lt_status source_rewind(struct source *source, struct lt_error *error);

/*
 * LT_IO when the file is no longer the one that was opened (its size or time
 * of change moved), or this round brought other bytes than the first.
 */
enum lt_status source_check_unchanged(struct source *source, struct lt_error *error);

/* Known from the start. */
const char *source_name(const struct source *source); /* for people: the path, or "standard input" */
bool source_is_gzip(const struct source *source);
uint64_t source_expected_size(const struct source *source); /* stored bytes; 0: not known (a pipe) */
/* Whether it is standard input. */
bool source_is_stdin(const struct source *source);

bool source_is_same_file(const struct source *source, int fd);

/* Bytes so far, or, after the end of the first round, in all. */
uint64_t source_stored_read(const struct source *source);
uint64_t source_stored_size(const struct source *source);
uint64_t source_uncompressed_size(const struct source *source);

/* After the end of the first round: hexadecimal digits and a NUL. */
const char *source_sha256(const struct source *source);

/*
 * The same: the CRC-32 that SOURCE_CRC_OUTSIDE asks for; of a gzip file
 * otherwise that of all uncompressed bytes, which its trailers tell; else "".
 */
const char *source_crc32(const struct source *source);

/* For copying stored bytes: readable with pread() from offset 0 on. */
int source_fd(const struct source *source);

/* Where gzip_splice() may start; NULL: at the beginning. */
const struct gunzip_point *source_splice_point(const struct source *source, uint64_t insert_offset);

/*
 * Copies up to `size` uncompressed bytes around a place, for messages, and
 * counts the lines before it. Reads the source again from its start; works
 * after any error. Returns how many bytes `excerpt` holds from `from` on.
 */
size_t source_look_at(struct source *source, uint64_t from, unsigned char *excerpt, size_t size, uint64_t line_of,
                      uint64_t *line);

#endif
