/* A core for tests: a token goes round, and each node counts how often it had it, up to `rounds`, its
 * one byte of settings. With one node it goes from the node to itself. */
#ifndef TOKEN_H
#define TOKEN_H

#include <cmc.h>

typedef struct {
    uint8_t had;
} Token;

static inline uint8_t token_rounds(const CmcNode *node)
{
    return node->len > 0 ? node->settings[0] : 2;
}

static inline void token_init(const CmcNode *node, uint32_t index, void *state, CmcOut *out)
{
    (void)index, (void)state;
    if (node->id == 0)
        cmc_send(out, (uint8_t)(1 % node->nodes), "token", 5);
}

static inline void token_step(const CmcNode *node, void *state, const CmcEvent *event, CmcOut *out)
{
    Token *token = (Token *)state;
    if (event->kind == CMC_EV_MESSAGE && token->had < token_rounds(node)) {
        token->had++;
        cmc_send(out, (uint8_t)((node->id + 1) % node->nodes), "token", 5);
    } else if (event->kind == CMC_EV_CLIENT) {
        cmc_reply(out, &token->had, 1);
    }
}

static const CmcCore token_core = {
    .size = sizeof(CmcCore),
    .name = "token",
    .state_size = sizeof(Token),
    .init = token_init,
    .step = token_step,
};

static const uint8_t token_default_rounds[1] = {2};

/* Three nodes, two rounds. */
static const CmcEnv token_env = {
    .size = sizeof(CmcEnv), .nodes = 3, .settings_len = 1, .settings = token_default_rounds};

/* Of `user`, a Token: no node had the token more often. */
static inline bool token_had_at_most(void *user, const CmcWorld *world)
{
    size_t nodes, len;
    const void *state;
    if (cmc_world_nodes(world, &nodes) != CMC_OK)
        return false;
    for (size_t node = 0; node < nodes; node++) {
        if (cmc_world_state(world, node, &state, &len) != CMC_OK)
            return false;
        if (((const Token *)state)->had > ((const Token *)user)->had)
            return false;
    }
    return true;
}

#endif
