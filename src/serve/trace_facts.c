#include "serve/trace_facts.h"

#include "base/text.h"
#include "layertrack.h"

char *trace_facts_json(const struct trace_facts *about)
{
    struct text text = {0};
    text_puts(&text, "{");
    text_key_string(&text, "tool_version", lt_version());
    text_puts(&text, ", ");
    text_key_string(&text, "trace_name", about->trace_name);
    text_puts(&text, ", ");
    text_key_u64(&text, "trace_bytes", about->trace_bytes);
    text_puts(&text, about->has_report ? ", \"has_report\": true" : ", \"has_report\": false");
    if (about->report_doubt != NULL) {
        text_puts(&text, ", ");
        text_key_string(&text, "report_doubt", about->report_doubt);
    }
    text_puts(&text, ", ");
    text_key_string(&text, "ui", about->ui);
    text_puts(&text, about->ui_is_local ? ", \"ui_is_local\": true}\n" : ", \"ui_is_local\": false}\n");
    text_add(&text, "", 1);
    if (!text.failed)
        return text.data;
    text_free(&text);
    return NULL;
}
