/*
 * page.h - the page's files, put into the program by embed.cmake
 */
#ifndef SERVE_PAGE_H
#define SERVE_PAGE_H

#include <stddef.h>

struct page_file {
    const char *name; /* as in page/ */
    const unsigned char *data;
    size_t size;
};

extern const struct page_file page_files[];
extern const size_t page_file_count;

#endif
