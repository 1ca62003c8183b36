/*
 * line.h - lines in which a name does nothing
 *
 * Whoever watches a build reads commands from what programs print: GitHub's
 * runner from a line that begins with :: (behind any white space) or holds
 * ##[, Azure's and others' from ##vso[ and the like. A kernel or a file may be
 * called so, and anybody may have chosen its name.
 */
#ifndef LINE_H
#define LINE_H

#include "base/text.h"

/*
 * Appends bytes that are a line, or the beginning or a field of one: what
 * breaks or reorders a line, and what is not UTF-8, as \xNN (as printable()
 * shows it), and what would be a command with one character as \xNN: ##\x5b,
 * \x3a:. Nothing else changes; what was made safe once does not change again.
 */
void line_add(struct text *out, const char *bytes, size_t len);

/* Appends whole JSON, of any number of lines, with ##[ as ##\u005b: its values stay what they are. */
void line_add_json(struct text *out, const char *bytes, size_t len);

#endif
