#include "rules/twins.h"

static uint64_t mix(uint64_t hash, uint64_t value)
{
    hash = (hash ^ value) * UINT64_C(0x9e3779b97f4a7c15);
    return hash ^ hash >> 32;
}

uint64_t twins_hash(const struct plan *plan)
{
    uint64_t hash = plan->guide_count;
    for (uint64_t i = 0; i < plan->guide_count; i++) {
        struct guide guide;
        plan_guide(plan, i, &guide);
        hash = mix(hash, (uint64_t)guide.guide_start);
        hash = mix(hash, (uint64_t)guide.anchor->name << 32 | guide.anchor->tid);
        hash = mix(hash, guide.anchor->group);
    }
    return hash;
}

bool twins_are(const struct plan *a, const struct plan *b)
{
    if (a->guide_count != b->guide_count)
        return false;
    for (uint64_t i = 0; i < a->guide_count; i++) {
        struct guide x, y;
        plan_guide(a, i, &x);
        plan_guide(b, i, &y);
        if (x.anchor->name != y.anchor->name || x.anchor->tid != y.anchor->tid || x.anchor->group != y.anchor->group ||
            decimal_compare(&x.start, &y.start) != 0)
            return false;
    }
    return true;
}
