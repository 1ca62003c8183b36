#include "jobs/folder.h"

#include <pthread.h>
#include <stdlib.h>

#include "base/sort.h"
#include "base/thread.h"

struct crew {
    const struct folder *folder;
    uint32_t *order; /* of files */
    pthread_mutex_t lock;
    size_t next; /* in `order` */
};

static bool larger_first(void *ctx, uint32_t a, uint32_t b)
{
    const struct folder *folder = ctx;
    return folder->sizes[a] >= folder->sizes[b];
}

/* The next file, or `count`. */
static size_t take(struct crew *crew)
{
    const struct folder *folder = crew->folder;
    pthread_mutex_lock(&crew->lock);
    size_t at = crew->next < folder->count ? crew->next++ : folder->count;
    pthread_mutex_unlock(&crew->lock);
    return at == folder->count ? at : crew->order[at];
}

static void *work(void *ctx)
{
    struct crew *crew = ctx;
    const struct folder *folder = crew->folder;
    for (;;) {
        if (folder->stopped != NULL && folder->stopped(folder->ctx))
            return NULL;
        size_t index = take(crew);
        if (index == folder->count)
            return NULL;
        folder->work(folder->ctx, index);
    }
}

bool folder_run(const struct folder *folder)
{
    struct crew crew = {.folder = folder, .order = sort_indices(folder->count, larger_first, (void *)folder)};
    unsigned wanted = folder->workers < folder->count ? folder->workers : (unsigned)folder->count, started = 0;
    pthread_t *threads = calloc(wanted + 1, sizeof *threads);
    if (crew.order == NULL || threads == NULL || pthread_mutex_init(&crew.lock, NULL) != 0) {
        free(crew.order);
        free(threads);
        return false;
    }
    while (started + 1 < wanted && thread_start(&threads[started], work, &crew))
        started++;
    work(&crew);
    for (unsigned i = 0; i < started; i++)
        pthread_join(threads[i], NULL);
    pthread_mutex_destroy(&crew.lock);
    free(crew.order);
    free(threads);
    return true;
}
