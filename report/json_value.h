/* Small values of JSON documents. Internal to report/. A failed allocation shows as NULL or as `*failed`. */
#ifndef REPORT_JSON_VALUE_H
#define REPORT_JSON_VALUE_H

#include "base/utf8.h"
#include "report/report.h"

#include <jansson.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static inline json_t *json_count(uint64_t value)
{
    return value <= INT64_MAX ? json_integer((json_int_t)value) : json_real((double)value);
}

/* A kernel prints, and files are called, whatever they like; JSON holds only UTF-8. */
static inline json_t *json_text(const char *text, size_t size)
{
    json_t *value = json_stringn(text, size);
    if (value)
        return value;
    struct base_strbuf clean = {0};
    for (size_t i = 0; i < size;) {
        size_t length = base_utf8_length(text + i, size - i);
        if (length > 0)
            base_strbuf_append(&clean, text + i, length);
        else
            base_strbuf_puts(&clean, "\xef\xbf\xbd");
        i += length > 0 ? length : 1;
    }
    value = clean.failed ? NULL : json_stringn(clean.data, clean.length);
    base_strbuf_free(&clean);
    return value;
}

static inline json_t *json_name(const char *text)
{
    return json_text(text, strlen(text));
}

/* Sets nothing when there is nothing to say; a failed allocation shows as `*failed`. */
static inline void set(json_t *object, const char *key, json_t *value, bool *failed)
{
    if (json_object_set_new(object, key, value) != 0)
        *failed = true;
}

static inline void set_name(json_t *object, const char *key, const char *text, bool *failed)
{
    if (text && text[0] != '\0')
        set(object, key, json_name(text), failed);
}

static inline json_t *json_dim3(const uint32_t dim[3])
{
    json_t *array = json_array();
    for (int i = 0; i < 3; i++) {
        if (json_array_append_new(array, json_integer((json_int_t)dim[i])) != 0) {
            json_decref(array);
            return NULL;
        }
    }
    return array;
}

/* The whole document on one line; the object is given up. */
static inline void json_finish(json_t *object, bool failed, struct base_strbuf *out)
{
    char *text = failed ? NULL : json_dumps(object, 0);
    if (text) {
        base_strbuf_puts(out, text);
        base_strbuf_putc(out, '\n');
    } else {
        out->failed = true;
    }
    free(text);
    json_decref(object);
}

#endif
