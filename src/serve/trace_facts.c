#include "serve/trace_facts.h"

#include <string.h>

#include "base/text.h"
#include "layertrack.h"

static void add_string(struct text *text, const char *key, const char *value)
{
    text_puts(text, key);
    text_json(text, value, strlen(value));
}

char *trace_facts_json(const struct trace_facts *about)
{
    struct text text = {0};
    add_string(&text, "{\"tool_version\": ", lt_version());
    add_string(&text, ", \"trace_name\": ", about->trace_name);
    text_puts(&text, ", \"trace_bytes\": ");
    text_u64(&text, about->trace_bytes);
    text_puts(&text, about->has_report ? ", \"has_report\": true" : ", \"has_report\": false");
    if (about->report_doubt != NULL)
        add_string(&text, ", \"report_doubt\": ", about->report_doubt);
    add_string(&text, ", \"ui\": ", about->ui);
    text_puts(&text, about->ui_is_local ? ", \"ui_is_local\": true}\n" : ", \"ui_is_local\": false}\n");
    text_add(&text, "", 1);
    if (!text.failed)
        return text.data;
    text_free(&text);
    return NULL;
}
