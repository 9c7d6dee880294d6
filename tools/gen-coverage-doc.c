/* Prints docs/ptx-coverage.md from tests/headings.def. Not installed; run it after a change of that file:
 *
 *     gen-coverage-doc > docs/ptx-coverage.md
 *     gen-coverage-doc DIRECTORY             writes each example as a module of its own instead, for ptxas
 */
#include "tests/headings.h"

#include <stdio.h>
#include <string.h>

static const char intro[] =
    "# The PTX ISA, heading by heading\n"
    "\n"
    "<!-- Written by tools/gen-coverage-doc.c from tests/headings.def; edit that. -->\n"
    "\n"
    "Every instruction heading of section 9.7 of the PTX ISA, as version 9.3 numbers them, and what simtlab does with\n"
    "it. *done*: all forms that `tests/headings.def` has are read and run. *part*: some forms are out, the last "
    "column\n"
    "says which, with one of them as an example. *out*: refused before anything runs, with file, line and column, "
    "when\n"
    "the kernel can reach it. `tests/test_headings.c` holds the simulator to this list, `tests/headings.sh` has ptxas\n"
    "assemble its examples. What each instruction computes, and in which types, says [isa.md](isa.md).\n"
    "\n"
    "Later versions number some sections anew. What 9.4 adds is out as well: the alternate floating-point formats'\n"
    "arithmetic, `applypriority.async.bulk`, `spcompress`, `spdecompress`, `fabric.try_atom` and the fabric's tensor "
    "copies.\n";

static size_t count_state(size_t from, size_t to, enum heading_state state)
{
    size_t count = 0;
    for (size_t i = from; i < to; i++)
        count += heading_rows[i].kind == HEADING_ROW_HEADING && heading_rows[i].state == state;
    return count;
}

/* The row after the section or heading that begins at `at`. */
static size_t end_of(size_t at, enum heading_row_kind kind)
{
    do {
        at++;
    } while (at < heading_row_count && heading_rows[at].kind > kind);
    return at;
}

static void print_summary(void)
{
    printf("\n| section | | done | part | out |\n|---|---|---|---|---|\n");
    for (size_t i = 0; i < heading_row_count; i++)
        if (heading_rows[i].kind == HEADING_ROW_SECTION) {
            const size_t end = end_of(i, HEADING_ROW_SECTION);
            printf("| %s | %s | %zu | %zu | %zu |\n", heading_rows[i].number, heading_rows[i].name,
                   count_state(i, end, HEADING_DONE), count_state(i, end, HEADING_PART),
                   count_state(i, end, HEADING_OUT));
        }
    printf("| | | %zu | %zu | %zu |\n", count_state(0, heading_row_count, HEADING_DONE),
           count_state(0, heading_row_count, HEADING_PART), count_state(0, heading_row_count, HEADING_OUT));
}

/* An instruction as code in a table's cell. */
static void print_code(const char *text, size_t length)
{
    printf("`");
    for (size_t i = 0; i < length; i++)
        printf(text[i] == '|' ? "\\|" : "%c", text[i]);
    printf("`");
}

/* The first instruction of an example, or all of one that has labels or declarations. */
static void print_example(const struct heading_row *example)
{
    const char *end = strchr(example->text, ';');
    const bool whole = *example->text == '{' || strstr(example->text, ": ") != NULL;
    print_code(example->text, end == NULL || whole ? strlen(example->text) : (size_t)(end - example->text) + 1);
}

static const struct heading_row *find_example(size_t heading, bool refused)
{
    for (size_t i = heading + 1; i < end_of(heading, HEADING_ROW_HEADING); i++)
        if ((heading_rows[i].state == EXAMPLE_REFUSED) == refused)
            return &heading_rows[i];
    return NULL;
}

static void print_heading(size_t at)
{
    static const char *const states[] = {[HEADING_DONE] = "done", [HEADING_PART] = "part", [HEADING_OUT] = "out"};
    const struct heading_row *heading = &heading_rows[at];
    printf("| %s | `%s` | %s | ", heading->number, heading->name, states[heading->state]);
    print_example(find_example(at, heading->state == HEADING_OUT));
    printf(" | %s", heading->remark);
    if (heading->state == HEADING_PART) {
        printf(": ");
        print_example(find_example(at, true));
    }
    printf(" |\n");
}

static void print_page(void)
{
    fputs(intro, stdout);
    print_summary();
    for (size_t i = 0; i < heading_row_count; i++) {
        if (heading_rows[i].kind == HEADING_ROW_SECTION)
            printf("\n## %s. %s\n\n| section | instruction | state | example | out |\n|---|---|---|---|---|\n",
                   heading_rows[i].number, heading_rows[i].name);
        if (heading_rows[i].kind == HEADING_ROW_HEADING)
            print_heading(i);
    }
}

/* DIRECTORY/ROW-NUMBER.ptx for each example. */
static bool write_examples(const char *directory)
{
    const char *number = "";
    bool ok = true;
    for (size_t i = 0; ok && i < heading_row_count; i++) {
        struct base_strbuf path = {0}, text = {0};
        if (heading_rows[i].kind != HEADING_ROW_EXAMPLE) {
            number = heading_rows[i].number;
            continue;
        }
        heading_module(&heading_rows[i], &text);
        base_strbuf_printf(&path, "%s/%04zu-%s.ptx", directory, i, number);
        FILE *file = fopen(path.data, "w");
        ok = file != NULL && fputs(text.data, file) >= 0;
        ok = file != NULL && fclose(file) == 0 && ok;
        base_strbuf_free(&path);
        base_strbuf_free(&text);
    }
    return ok;
}

int main(int argc, char **argv)
{
    if (argc == 2) {
        if (!write_examples(argv[1])) {
            perror(argv[1]);
            return 1;
        }
        return 0;
    }
    print_page();
    return fflush(stdout) == 0 && !ferror(stdout) ? 0 : 1;
}
