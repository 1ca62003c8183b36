#define _DEFAULT_SOURCE /* getentropy */
#define _DARWIN_C_SOURCE
#include "serve/access.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#if defined(__APPLE__)
#include <sys/random.h>
#endif

#define DIGITS  "0123456789"
#define LETTERS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"

bool access_make_token(char token[TOKEN_LENGTH + 1])
{
    static const char alphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz" DIGITS "-_";
    unsigned char random[TOKEN_BYTES];
    if (getentropy(random, sizeof random) != 0)
        return false;
    for (unsigned in = 0, out = 0; in < TOKEN_BYTES; in += 3, out += 4) {
        uint32_t bits = (uint32_t)random[in] << 16 | (uint32_t)random[in + 1] << 8 | random[in + 2];
        for (unsigned k = 0; k < 4; k++)
            token[out + k] = alphabet[bits >> (18 - 6 * k) & 63];
    }
    token[TOKEN_LENGTH] = '\0';
    return true;
}

bool access_host(const char *host, uint16_t port)
{
    static const char *const names[] = {"127.0.0.1", "localhost"};
    char suffix[8];
    snprintf(suffix, sizeof suffix, ":%u", port);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        size_t len = strlen(names[i]);
        if (strncmp(host, names[i], len) != 0)
            continue;
        /* Browsers leave the standard port out. */
        if (strcmp(host + len, suffix) == 0 || (port == 80 && host[len] == '\0'))
            return true;
    }
    return false;
}

bool access_method(const char *method)
{
    return strcmp(method, "GET") == 0 || strcmp(method, "HEAD") == 0;
}

const char *access_path(const char *uri, const char *token)
{
    if (strlen(uri) < TOKEN_LENGTH + 2 || uri[0] != '/' || uri[TOKEN_LENGTH + 1] != '/')
        return NULL;
    unsigned difference = 0;
    for (unsigned i = 0; i < TOKEN_LENGTH; i++)
        difference |= (unsigned)(unsigned char)uri[i + 1] ^ (unsigned)(unsigned char)token[i];
    return difference == 0 ? uri + TOKEN_LENGTH + 2 : NULL;
}

bool access_names(const char *path)
{
    for (;;) {
        size_t len = strspn(path, LETTERS DIGITS "._-+@");
        if (len == 0 || path[0] == '.')
            return false;
        if (path[len] == '\0')
            return true;
        if (path[len] != '/')
            return false;
        path += len + 1;
    }
}

/* A host name or an IPv4 address. To a browser, what ends in a number is an address or nothing at all. */
static bool is_host(const char *host, size_t len)
{
    char name[254];
    struct in_addr address;
    if (len >= sizeof name || host[0] == '-')
        return false;
    memcpy(name, host, len);
    name[len] = '\0';
    for (const char *label = name;; label++) {
        size_t size = strcspn(label, ".");
        if (size == 0 || size > 63)
            return false;
        if (label[size] == '\0') {
            bool number = strspn(label, DIGITS) == size || strncmp(label, "0x", 2) == 0 || strncmp(label, "0X", 2) == 0;
            return !number || inet_pton(AF_INET, name, &address) == 1;
        }
        label += size;
    }
}

bool access_ui_url(const char *url, char *origin, unsigned origin_size)
{
    const char *at = url;
    if (strncmp(at, "https://", 8) == 0)
        at += 8;
    else if (strncmp(at, "http://", 7) == 0)
        at += 7;
    else
        return false;
    size_t host = strspn(at, LETTERS DIGITS ".-");
    if (!is_host(at, host))
        return false;
    at += host;
    if (*at == ':') {
        size_t digits = strspn(at + 1, DIGITS);
        unsigned long port = strtoul(at + 1, NULL, 10);
        if (digits == 0 || digits > 5 || port == 0 || port > UINT16_MAX)
            return false;
        at += 1 + digits;
    }
    size_t len = (size_t)(at - url);
    if (*at != '/' || at[strlen(at) - 1] != '/' || at[strspn(at, LETTERS DIGITS "/._~-")] != '\0' || len >= origin_size)
        return false;
    memcpy(origin, url, len);
    origin[len] = '\0';
    return true;
}
