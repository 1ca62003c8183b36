#include "base/path.h"

#include <string.h>

static void add_parts(struct text *out, size_t root, const char *path)
{
    while (*path != '\0') {
        size_t len = strcspn(path, "/");
        if (len == 2 && memcmp(path, "..", 2) == 0) {
            while (out->len > root && out->data[--out->len] != '/')
                continue;
        } else if (len > 0 && (len != 1 || path[0] != '.')) {
            text_add(out, "/", 1);
            text_add(out, path, len);
        }
        path += len;
        path += *path == '/';
    }
}

void path_add_absolute(struct text *out, const char *cwd, const char *path)
{
    size_t root = out->len;
    if (path[0] != '/')
        add_parts(out, root, cwd);
    add_parts(out, root, path);
}

const char *path_below(const char *path, const char *folder)
{
    size_t len = strlen(folder);
    return strncmp(path, folder, len) == 0 && path[len] == '/' ? path + len + 1 : NULL;
}
