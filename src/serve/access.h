/*
 * access.h - which requests are answered at all
 *
 * Pure checks over the text of a request: no sockets, no files. What runs on
 * the same host, and every page in the user's browser, can reach a loopback
 * port; so a request must name the address that was printed (a foreign name
 * that resolves to 127.0.0.1 is DNS rebinding), know the token in the path,
 * and do nothing but read.
 */
#ifndef SERVE_ACCESS_H
#define SERVE_ACCESS_H

#include <stdbool.h>
#include <stdint.h>

#define TOKEN_BYTES  24 /* of randomness */
#define TOKEN_LENGTH 32 /* as text, in base64url */

/* Makes an unguessable token. False when the system has no randomness to give. */
bool access_make_token(char token[TOKEN_LENGTH + 1]);

/*
 * Whether `host`, the request's only Host header, is 127.0.0.1:PORT or
 * localhost:PORT to the letter; port 80 may be left out.
 */
bool access_host(const char *host, uint16_t port);

/* GET or HEAD. */
bool access_method(const char *method);

/*
 * What follows "/TOKEN/" in a request's path as it was sent (not decoded), or
 * NULL when the path does not start so. Takes the same time for every wrong token.
 */
const char *access_path(const char *uri, const char *token);

/*
 * Whether a path below a folder is made of plain names only: letters, digits
 * and "._-+@", none of them empty or with a dot in front. So there are
 * no "..", no hidden files, no escapes to decode, no other drives.
 */
bool access_names(const char *path);

/*
 * Whether `url` is an address of a Perfetto UI that is safe to put into a
 * header and one to a browser: http or https, a host name or IPv4 address, a
 * port from 1 on, a path of plain characters that ends in "/"; no user, query
 * or fragment. Fills `origin` with its scheme, host and port.
 */
bool access_ui_url(const char *url, char *origin, unsigned origin_size);

#endif
