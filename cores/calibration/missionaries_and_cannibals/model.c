/* The parameters, invariants and traces of MissionariesAndCannibals. Solution is there to be
 * violated. */

#include "../predicates.h"
#include "../text.h"
#include "missionaries_and_cannibals.h"

/* Nobody is there who does not exist. */
static bool type_ok(const uint8_t *k, const void *state)
{
    const State *s = state;
    return s->bank_of_boat <= WEST && s->east >> people(k) == 0;
}

/* Not everybody is across. */
static bool solution(const uint8_t *k, const void *state)
{
    const State *s = state;
    return who_is_on_bank(k, s, EAST) != 0;
}

static const Predicate invariants[] = {
    {"TypeOK", type_ok},
    {"Solution", solution},
};

static void add_person(Text *to, const uint8_t *k, unsigned person)
{
    if (person < k[MISSIONARIES])
        text_add(to, "m%u", person + 1);
    else
        text_add(to, "c%u", person - k[MISSIONARIES] + 1);
}

static void add_people(Text *to, const uint8_t *k, unsigned who)
{
    const char *separator = "";
    text_add(to, "{");
    for (unsigned person = 0; person < people(k); person++) {
        if (!(who >> person & 1))
            continue;
        text_add(to, "%s", separator);
        add_person(to, k, person);
        separator = ",";
    }
    text_add(to, "}");
}

static size_t format_state(const CmcNode *node, const void *state, char *text, size_t cap)
{
    const uint8_t *k = node->settings;
    const State *s = state;
    Text to = {text, cap, 0};
    text_add(&to, "bank_of_boat=%s who_is_on_bank[E]=", s->bank_of_boat == EAST ? "E" : "W");
    add_people(&to, k, who_is_on_bank(k, s, EAST));
    text_add(&to, " who_is_on_bank[W]=");
    add_people(&to, k, who_is_on_bank(k, s, WEST));
    return to.len;
}

static size_t format_action(const CmcNode *node, const CmcEvent *action, char *text, size_t cap)
{
    Text to = {text, cap, 0};
    text_add(&to, "Move(");
    add_people(&to, node->settings, 1u << action->data[0] | 1u << action->data[1]);
    text_add(&to, ")");
    return to.len;
}

static const CmcFormat format = {
    .size = sizeof(CmcFormat),
    .state = format_state,
    .action = format_action,
};

static int describe(CmcModel *model)
{
    return add_description(model, invariants, sizeof invariants / sizeof *invariants, &format);
}

static const CmcParameter parameters[] = {
    [MISSIONARIES] = {"Missionaries", 3, 0, 7, "how many missionaries"},
    [CANNIBALS] = {"Cannibals", 3, 0, 7, "how many cannibals"},
};

const CmcSetup cmc_setup = {
    .size = sizeof(CmcSetup),
    .parameters = parameters,
    .parameter_count = sizeof parameters / sizeof *parameters,
    .describe = describe,
};
