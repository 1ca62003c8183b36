/*
 * scan.h - find the event array, its closing bracket and each event's fields
 *
 * A scanner takes the uncompressed bytes of one trace in blocks of any size,
 * in order, and hands over every element of the event array with the few
 * fields that layertrack reads. It knows JSON and the layout of a Chrome
 * trace; it knows nothing of files, kernels or layers. Its memory does not
 * grow with the trace.
 *
 * Two parsers stand behind this one interface:
 *
 *   SCAN_FAST   our own, at memory speed; tolerant exactly where the
 *               specification (section 4) says, with one warning per kind
 *   SCAN_STRICT yajl; refuses whatever is not strict JSON
 *
 * They must agree: what SCAN_STRICT accepts, SCAN_FAST accepts with the same
 * events and no warning.
 */
#ifndef SCAN_H
#define SCAN_H

#include "json/scan_event.h"

enum scan_parser { SCAN_FAST, SCAN_STRICT };

struct scan;

/*
 * Makes a scanner. `event` is called for every element in order, from within
 * scan_feed() and scan_finish() of the calling thread. Returns NULL when
 * memory is out.
 */
struct scan *scan_new(enum scan_parser parser, scan_event_fn *event, void *ctx);
void scan_free(struct scan *scan);

/*
 * Takes the next `len` bytes. After any result other than SCAN_OK only
 * scan_problem(), scan_warnings() and scan_free() may be called.
 */
enum scan_status scan_feed(struct scan *scan, const unsigned char *data, size_t len);

/* Says that the bytes have ended, and completes `layout` when that is SCAN_OK. */
enum scan_status scan_finish(struct scan *scan, struct scan_layout *layout);

/*
 * The offset at which guides go once the event array has been closed,
 * UINT64_MAX before. A reader may ask between blocks.
 */
uint64_t scan_insert_offset(const struct scan *scan);

/*
 * Where the scan stands (`what` is SCAN_FINE) or why it was refused. For a
 * gzip input that ends too early this tells after which whole event.
 */
const struct scan_problem *scan_problem(struct scan *scan);
const struct scan_warnings *scan_warnings(const struct scan *scan);

#endif
