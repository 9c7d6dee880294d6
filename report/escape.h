/* Text of others inside XML and HTML. Internal to report/. */
#ifndef REPORT_ESCAPE_H
#define REPORT_ESCAPE_H

#include "base/strbuf.h"

#include <stddef.h>

/* Appends text that reads as itself between tags and inside quoted attributes. Bytes that are not UTF-8 become U+FFFD;
 * control characters but for tab and newline, which neither form can hold, '?'. */
void report_escape(struct base_strbuf *out, const char *text, size_t length);

#endif
