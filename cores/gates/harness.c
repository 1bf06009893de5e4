/* Options of the harness, and how it says what it found. Standard output has one line, which the purity
 * gate's lines look like; standard error has MemorySanitizer's report.
 *
 * Usage: HARNESS --core=FILE [--walks=N] [--length=N] [--seed=N] [--set=NAME=VALUE]... [--record=FILE]
 *                [--replay=FILE]...
 * Exit status: 0 nothing found, 1 something, 2 it could not be checked. */

#include "harness.h"

#include <sanitizer/common_interface_defs.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

World world;

static const char *core_file = "core";
static char origin[512];
static bool is_said;

void set_origin(const char *format, ...)
{
    va_list list;
    va_start(list, format);
    vsnprintf(origin, sizeof origin, format, list);
    va_end(list);
}

void say(const char *reason, const char *what, const char *remedy)
{
    is_said = true;
    printf("%s: %s: %s, in %s (%s), %s\n", core_file, reason, what, last_call(), origin, remedy);
    fflush(stdout);
}

void found(const char *reason, const char *what, const char *remedy)
{
    say(reason, what, remedy);
    exit(1);
}

void cannot(const char *format, ...)
{
    va_list list;
    va_start(list, format);
    fprintf(stderr, "%s: cannot check: ", core_file);
    vfprintf(stderr, format, list);
    fputc('\n', stderr);
    va_end(list);
    exit(2);
}

/* MemorySanitizer exits by itself when the core decides something on what is not initialised. */
static void at_death(void)
{
    if (!is_said)
        say("uninitialised-read", "a decision on bytes that nobody wrote", "write them first, or read less");
}

/* Not reentrant, and the last thing that happens. */
static void at_signal(int number)
{
    if (number == SIGVTALRM)
        say("endless", "a call that does not return", "bound the loop");
    else
        say("crash", strsignal(number), "stay inside of what the core is given");
    _exit(1);
}

static void catch_signals(void)
{
    static const int numbers[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGVTALRM, SIGTRAP};
    static char stack[1 << 16];
    struct sigaction action = {.sa_handler = at_signal, .sa_flags = SA_ONSTACK};
    sigaltstack(&(stack_t){.ss_sp = stack, .ss_size = sizeof stack}, NULL);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        sigaction(numbers[i], &action, NULL);
}

static uint64_t number(const char *option, const char *text, uint64_t max)
{
    char *end;
    uint64_t value = strtoull(text, &end, 10);
    if (*text < '0' || *text > '9' || *end != '\0' || value > max)
        cannot("%s=%s: a number up to %llu is wanted", option, text, (unsigned long long)max);
    return value;
}

/* A number of the environment. */
static uint8_t *named(CmcEnv *env, const char *name, size_t len)
{
    const struct {
        const char *name;
        uint8_t *value;
    } values[] = {
        {"nodes", &env->nodes},
        {"network", &env->network},
        {"drops", &env->drops},
        {"dups", &env->dups},
        {"crashes", &env->crashes},
        {"max_messages", &env->max_messages},
        {"max_replies", &env->max_replies},
        {"max_persists", &env->max_persists},
    };
    for (size_t i = 0; i < sizeof values / sizeof *values; i++)
        if (strlen(values[i].name) == len && memcmp(values[i].name, name, len) == 0)
            return values[i].value;
    return NULL;
}

/* Whether there is a parameter of that name, which has the value now. */
static bool set_parameter(const char *name, size_t len, uint8_t value)
{
    for (size_t i = 0; &cmc_setup != NULL && i < cmc_setup.parameter_count; i++) {
        const CmcParameter *parameter = &cmc_setup.parameters[i];
        if (strlen(parameter->name) != len || memcmp(parameter->name, name, len) != 0)
            continue;
        if (value < parameter->min || value > parameter->max)
            cannot("%s is %u to %u", parameter->name, parameter->min, parameter->max);
        world.settings[i] = value;
        world.is_set[i] = true;
        return true;
    }
    return false;
}

/* NAME=VALUE, as cmc --set has it. */
static void set(CmcEnv *env, const char *text)
{
    const char *equals = strchr(text, '=');
    if (equals == NULL)
        cannot("--set=%s: NAME=VALUE is wanted", text);
    size_t len = (size_t)(equals - text);
    uint8_t value = (uint8_t)number("--set", equals + 1, 255);
    uint8_t *place = named(env, text, len);
    if (place != NULL)
        *place = value;
    else if (len == 7 && memcmp(text, "clients", len) == 0)
        memset(env->clients, value, sizeof env->clients);
    else if (!set_parameter(text, len, value))
        cannot("--set=%s: no such setting", text);
}

/* What model.c says, or three nodes that are asked, and crash, and lose messages. */
static CmcEnv environment(void)
{
    CmcEnv env = {.nodes = 3, .drops = 2, .crashes = 2};
    if (&cmc_setup == NULL) {
        memset(env.clients, 3, sizeof env.clients);
        return env;
    }
    if (cmc_setup.parameter_count > CMC_MAX_SETTINGS)
        cannot("more than %d settings", CMC_MAX_SETTINGS);
    world.settings_len = (uint16_t)cmc_setup.parameter_count;
    for (size_t i = 0; i < cmc_setup.parameter_count; i++)
        world.settings[i] = cmc_setup.parameters[i].value;
    return cmc_setup.env == NULL ? (CmcEnv){.nodes = 1} : *cmc_setup.env;
}

/* Called by the model's describe(), which may refuse settings. */
CmcStatus cmc_model_settings(const CmcModel *model, const uint8_t **settings, size_t *len)
{
    (void)model;
    *settings = world.settings;
    *len = world.settings_len;
    return CMC_OK;
}

bool are_settings_accepted(void)
{
    return &cmc_setup == NULL || cmc_setup.describe == NULL || cmc_setup.describe((CmcModel *)&world) == CMC_OK;
}

static void check_core(void)
{
    if (cmc_core.size != sizeof(CmcCore) || cmc_core.init == NULL || cmc_core.step == NULL)
        cannot("its cmc_core has another size, no init() or no step()");
    if (cmc_core.state_size == 0 || cmc_core.state_size > 65536 || cmc_core.durable_size > cmc_core.state_size)
        cannot("the sizes in its cmc_core are out of bounds");
    if (cmc_core.durable_size > 0 && cmc_core.apply_persist == NULL)
        cannot("its cmc_core has durable bytes and no apply_persist()");
}

/* What stands behind OPTION= in `text`, or NULL. */
static const char *value_of(const char *text, const char *option)
{
    size_t len = strlen(option);
    return strncmp(text, option, len) == 0 && text[len] == '=' ? text + len + 1 : NULL;
}

int main(int count, char **arguments)
{
    uint64_t walks = 300, length = 120, seed = 1;
    bool is_replay = false;
    CmcEnv env = environment();
    for (int i = 1; i < count; i++) {
        const char *text = arguments[i], *value;
        if ((value = value_of(text, "--core")) != NULL)
            core_file = value;
        else if ((value = value_of(text, "--walks")) != NULL)
            walks = number("--walks", value, 1000000);
        else if ((value = value_of(text, "--length")) != NULL)
            length = number("--length", value, 1000000);
        else if ((value = value_of(text, "--seed")) != NULL)
            seed = number("--seed", value, UINT64_MAX);
        else if ((value = value_of(text, "--set")) != NULL)
            set(&env, value);
        else if ((value = value_of(text, "--record")) != NULL)
            record_to(value);
        else if (value_of(text, "--replay") != NULL)
            is_replay = true;
        else
            cannot("%s is no option", text);
    }
    check_core();
    if (!are_settings_accepted())
        cannot("its model refuses the settings");
    catch_signals();
    __sanitizer_set_death_callback(at_death);
    world.nodes = env.nodes == 0 ? 1 : env.nodes;
    if (world.nodes > CMC_MAX_NODES)
        cannot("more than %d nodes", CMC_MAX_NODES);
    forget_states();
    for (int i = 1; i < count; i++)
        if (value_of(arguments[i], "--replay") != NULL)
            replay(value_of(arguments[i], "--replay"));
    for (uint64_t i = 0; !is_replay && i < walks; i++) {
        set_origin("--walks=1 --seed=%llu", (unsigned long long)(seed + i));
        walk(&env, seed + i, (unsigned)length);
    }
    printf("%s: clean: ", core_file);
    print_calls();
    return 0;
}
