/* Calls of a core as lines of text:
 *
 *   cmc-events 1
 *   nodes COUNT                      before the first call, and again where a walk has others
 *   settings HEX
 *   init NODE INDEX                  the state of the node is zero again
 *   step NODE KIND PEER ID HEX       KIND as in CMC_EV_KIND; RESTART forgets the volatile bytes first
 *   persist NODE HEX
 *   actions NODE
 *
 * HEX is two digits a byte, or - for none. Lines that start with # and empty lines say nothing. What
 * cannot be read is an error with its line, and never skipped. */

#include "harness.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const kinds[] = {
    [CMC_EV_MESSAGE] = "MESSAGE", [CMC_EV_TIMER] = "TIMER", [CMC_EV_FLUSHED] = "FLUSHED", [CMC_EV_WAKE] = "WAKE",
    [CMC_EV_CLIENT] = "CLIENT",   [CMC_EV_RESET] = "RESET", [CMC_EV_RESTART] = "RESTART", [CMC_EV_ACTION] = "ACTION",
};
enum { KINDS = sizeof kinds / sizeof *kinds };

static FILE *recording;

static void append_hex(char *line, size_t cap, const uint8_t *bytes, size_t len)
{
    size_t at = strlen(line);
    at += (size_t)snprintf(line + at, cap - at, len == 0 ? " -" : " ");
    for (size_t i = 0; i < len && at < cap; i++)
        at += (size_t)snprintf(line + at, cap - at, "%02x", bytes[i]);
}

void describe_init(char *line, size_t cap, uint8_t node, uint32_t index)
{
    snprintf(line, cap, "init %u %u", node, index);
}

void describe_step(char *line, size_t cap, uint8_t node, const CmcEvent *event)
{
    snprintf(line, cap, "step %u %s %u %u", node, kinds[event->kind], event->peer, event->id);
    append_hex(line, cap, event->data, event->len);
}

void describe_persist(char *line, size_t cap, uint8_t node, const uint8_t *record, size_t len)
{
    snprintf(line, cap, "persist %u", node);
    append_hex(line, cap, record, len);
}

/* At once, so that the call which ends the harness is there. */
void record_line(const char *line)
{
    if (recording != NULL && (fprintf(recording, "%s\n", line) < 0 || fflush(recording) != 0))
        cannot("the recording cannot be written");
}

void record_world(void)
{
    char line[2 * CMC_MAX_SETTINGS + 16] = "settings";
    if (recording == NULL)
        return;
    append_hex(line, sizeof line, world.settings, world.settings_len);
    fprintf(recording, "nodes %u\n", world.nodes);
    record_line(line);
}

void record_to(const char *path)
{
    recording = fopen(path, "w");
    if (recording == NULL)
        cannot("%s cannot be written", path);
    record_line("cmc-events 1");
}

/* Where the reader is; of the line, what is not yet read. */
typedef struct Reader {
    const char *path;
    unsigned line;
    char *rest;
} Reader;

static _Noreturn void malformed(const Reader *reader, const char *what)
{
    cannot("%s:%u: %s", reader->path, reader->line, what);
}

static const char *word(Reader *reader, const char *what)
{
    char *start = reader->rest + strspn(reader->rest, " ");
    size_t len = strcspn(start, " ");
    if (len == 0)
        malformed(reader, what);
    reader->rest = start + len;
    if (*reader->rest != '\0')
        *reader->rest++ = '\0';
    return start;
}

static uint32_t number(Reader *reader, uint32_t max, const char *what)
{
    const char *text = word(reader, what);
    uint64_t value = 0;
    for (const char *c = text; *c != '\0'; c++) {
        if (*c < '0' || *c > '9')
            malformed(reader, what);
        value = value * 10 + (uint64_t)(*c - '0');
        if (value > max)
            malformed(reader, what);
    }
    return (uint32_t)value;
}

static uint8_t node(Reader *reader)
{
    return (uint8_t)number(reader, world.nodes - 1u, "no such node; the line nodes says how many there are");
}

static int digit(char c)
{
    return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static size_t hex(Reader *reader, uint8_t *bytes, size_t cap)
{
    const char *text = word(reader, "bytes are missing; write - for none");
    size_t len = strlen(text) / 2;
    if (strcmp(text, "-") == 0)
        return 0;
    if (strlen(text) % 2 != 0 || len > cap)
        malformed(reader, "two digits a byte, and no more bytes than fit");
    for (size_t i = 0; i < len; i++) {
        if (digit(text[2 * i]) < 0 || digit(text[2 * i + 1]) < 0)
            malformed(reader, "bytes are written with 0 to 9 and a to f");
        bytes[i] = (uint8_t)(digit(text[2 * i]) << 4 | digit(text[2 * i + 1]));
    }
    return len;
}

static void step(Reader *reader)
{
    CmcOut out;
    CmcEvent event = {0};
    uint8_t which = node(reader);
    const char *kind = word(reader, "the kind of event is missing");
    for (uint8_t i = 1; i < KINDS; i++)
        if (strcmp(kind, kinds[i]) == 0)
            event.kind = i;
    if (event.kind == 0)
        malformed(reader, "no such kind of event");
    event.peer = (uint8_t)number(reader, 255, "the peer is no byte");
    event.id = (uint8_t)number(reader, 255, "the number is no byte");
    event.len = (uint8_t)hex(reader, event.data, sizeof event.data);
    if (event.kind == CMC_EV_RESTART)
        crash_state(which);
    call_step(which, &event, &out);
}

static void persist(Reader *reader)
{
    uint8_t record[CMC_MAX_BYTES];
    uint8_t which = node(reader);
    if (cmc_core.apply_persist == NULL)
        malformed(reader, "the core has no apply_persist()");
    call_persist(which, record, hex(reader, record, sizeof record));
}

static void actions(Reader *reader)
{
    static CmcEvent listed[CMC_MAX_ACTIONS];
    uint8_t which = node(reader);
    if (cmc_core.direct_actions == NULL)
        malformed(reader, "the core has no direct_actions()");
    call_actions(which, listed);
}

static void line_of(Reader *reader)
{
    const char *what = word(reader, "an empty line");
    CmcOut out;
    if (strcmp(what, "nodes") == 0) {
        world.nodes = (uint8_t)number(reader, CMC_MAX_NODES, "too many nodes");
        if (world.nodes == 0)
            malformed(reader, "no nodes");
        forget_states();
    } else if (strcmp(what, "settings") == 0) {
        world.settings_len = (uint16_t)hex(reader, world.settings, sizeof world.settings);
    } else if (strcmp(what, "init") == 0) {
        uint8_t which = node(reader);
        call_init(which, number(reader, UINT32_MAX, "the index is no number"), &out);
    } else if (strcmp(what, "step") == 0) {
        step(reader);
    } else if (strcmp(what, "persist") == 0) {
        persist(reader);
    } else if (strcmp(what, "actions") == 0) {
        actions(reader);
    } else {
        malformed(reader, "a line says nodes, settings, init, step, persist or actions");
    }
    if (reader->rest[strspn(reader->rest, " ")] != '\0')
        malformed(reader, "more on the line than belongs there");
}

void replay(const char *path)
{
    char line[2 * CMC_MAX_SETTINGS + 64];
    Reader reader = {.path = path};
    bool is_headed = false;
    FILE *file = fopen(path, "r");
    if (file == NULL)
        cannot("%s cannot be read", path);
    while (fgets(line, sizeof line, file) != NULL) {
        reader.line++;
        size_t len = strcspn(line, "\n");
        if (line[len] == '\0' && !feof(file))
            malformed(&reader, "a line without end");
        line[len] = '\0';
        reader.rest = line;
        set_origin("line %u of %s", reader.line, path);
        if (!is_headed && strcmp(line, "cmc-events 1") != 0)
            malformed(&reader, "no recording of this version; its first line is cmc-events 1");
        if (is_headed && line[0] != '#' && line[0] != '\0')
            line_of(&reader);
        is_headed = true;
    }
    if (!is_headed)
        cannot("%s is empty", path);
    fclose(file);
}
