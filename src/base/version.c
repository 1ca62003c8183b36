#include "layertrack.h"

const char *lt_version(void)
{
    return LT_VERSION;
}
