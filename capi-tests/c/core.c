/* Cores: every event comes with its fields, effects are counted and judged, calibration mode lists
 * actions, states are aligned and padded with zeros. */
#include "check.h"

#include <stdlib.h>

/* Knows what it has seen: a bit for each kind of event. */
typedef struct {
    uint8_t durable;
    uint8_t pad[7];
    uint16_t seen;
} Witness;

static void witness_init(const CmcNode *node, uint32_t index, void *state, CmcOut *out)
{
    (void)index, (void)state;
    if (node->id == 0) {
        cmc_send(out, 1, "hello", 5);
        cmc_arm(out, 15);
        cmc_arm(out, 3);
        cmc_cancel(out, 15);
        cmc_persist(out, "\7", 1);
        cmc_wake(out, 7);
    }
}

static void witness_step(const CmcNode *node, void *state, const CmcEvent *event, CmcOut *out)
{
    Witness *witness = state;
    int good = 1;
    (void)out;
    switch (event->kind) {
    case CMC_EV_MESSAGE:
        good = node->id == 1 && event->peer == 0 && event->len == 5 &&
               memcmp(event->data, "hello", 5) == 0;
        break;
    case CMC_EV_TIMER:
        good = event->id == 3;
        break;
    case CMC_EV_FLUSHED:
        good = event->len == 1 && event->data[0] == 7 && witness->durable == 7;
        break;
    case CMC_EV_WAKE:
        good = event->id == 7;
        break;
    case CMC_EV_CLIENT:
        good = event->id == 0 && node->id == 0;
        break;
    case CMC_EV_RESET:
        good = event->peer == 1 - node->id;
        break;
    case CMC_EV_RESTART:
        good = witness->seen == 0;
        break;
    default:
        good = 0;
    }
    good = good && (uintptr_t)state % 16 == 0;
    witness->seen = (uint16_t)(witness->seen | (good ? 1u << event->kind : 1u << 15));
}

static void witness_persist(const CmcNode *node, void *durable, const uint8_t *record, size_t len)
{
    (void)node, (void)len;
    *(uint8_t *)durable = record[0];
}

static const CmcCore witness = {
    .size = sizeof(CmcCore),
    .name = "witness",
    .state_size = sizeof(Witness),
    .durable_size = 1,
    .init = witness_init,
    .step = witness_step,
    .apply_persist = witness_persist,
};

static unsigned seen_of(const CmcWorld *world, size_t node)
{
    const void *state;
    size_t len;
    return cmc_world_state(world, node, &state, &len) == CMC_OK ? ((const Witness *)state)->seen : 0;
}

static bool all_good(void *user, const CmcWorld *world)
{
    (void)user;
    return ((seen_of(world, 0) | seen_of(world, 1)) & 1u << 15) == 0;
}

static bool saw(void *user, const CmcWorld *world)
{
    unsigned bit = 1u << *(const int *)user;
    return ((seen_of(world, 0) | seen_of(world, 1)) & bit) != 0;
}

static void every_event_comes(void)
{
    static const int kinds[] = {CMC_EV_MESSAGE, CMC_EV_TIMER,  CMC_EV_FLUSHED, CMC_EV_WAKE,
                                CMC_EV_CLIENT,  CMC_EV_RESET, CMC_EV_RESTART};
    CmcEnv env = {.size = sizeof env, .nodes = 2, .crashes = 1, .clients = {1}};
    CmcModel *model = NULL;
    OK(cmc_model_new(&witness, &env, &model));
    OK(cmc_model_invariant(model, "every event is what it should be", all_good, NULL));
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        char name[32];
        snprintf(name, sizeof name, "event %d", kinds[i]);
        OK(cmc_model_sometimes(model, name, saw, (void *)&kinds[i]));
    }
    CmcResult *result = searched(model, NULL);
    CHECK(verdict_of(result) == CMC_PASS);
    TEXT(why_of(result), "");
    cmc_result_free(result);
    cmc_model_free(model);
}

/* Asks for what its settings say. */
static void asking_init(const CmcNode *node, uint32_t index, void *state, CmcOut *out)
{
    uint8_t bytes[40] = {0};
    (void)index, (void)state;
    switch (node->settings[0]) {
    case 0:
        for (int i = 0; i <= CMC_MAX_EFFECTS; i++)
            cmc_wake(out, 0);
        break;
    case 1:
        cmc_send(out, 0, bytes, CMC_MAX_BYTES + 1);
        break;
    case 2:
        cmc_arm(out, CMC_MAX_TIMERS);
        break;
    case 3:
        cmc_wake(out, CMC_MAX_WAITERS);
        break;
    case 4:
        cmc_send(out, 1, "", 0);
        break;
    case 5:
        cmc_emit(out, (CmcEffectKind)99, 0, 0, NULL, 0);
        break;
    default:
        cmc_send(out, 0, bytes, CMC_MAX_BYTES);
        cmc_reply(out, NULL, 0);
    }
}

static void asking_step(const CmcNode *node, void *state, const CmcEvent *event, CmcOut *out)
{
    (void)node, (void)state, (void)event, (void)out;
}

static const CmcCore asking = {
    .size = sizeof(CmcCore), .name = "asking", .state_size = 1, .init = asking_init, .step = asking_step};

static void what_is_asked_for_is_judged(void)
{
    static const char *const broken[] = {"cap:effects", "cap:bytes", "cap:timers", "cap:waiters",
                                         "effect",      "effect",    ""};
    for (uint8_t i = 0; i < sizeof broken / sizeof *broken; i++) {
        CmcEnv env = {.size = sizeof env, .nodes = 1, .settings_len = 1, .settings = &i};
        CmcModel *model = NULL;
        OK(cmc_model_new(&asking, &env, &model));
        CmcResult *result = searched(model, NULL);
        CHECK(verdict_of(result) == (i < 6 ? CMC_VIOLATED : CMC_PASS));
        TEXT(broken_by(result), broken[i]);
        cmc_result_free(result);
        cmc_model_free(model);
    }
}

/* Calibration: a number that goes up by one or by two, up to 4, from 0 or from 1. */
static uint32_t stairs_count(const CmcNode *node)
{
    (void)node;
    return 2;
}

static void stairs_init(const CmcNode *node, uint32_t index, void *state, CmcOut *out)
{
    (void)node, (void)out;
    *(uint8_t *)state = (uint8_t)index;
}

static size_t stairs_actions(const CmcNode *node, const void *state, CmcEvent *actions, size_t cap)
{
    size_t count = 0;
    (void)node;
    for (uint8_t by = 1; by <= 2; by++)
        if (*(const uint8_t *)state + by <= 4 && count < cap)
            actions[count++] = (CmcEvent){.id = by};
    return count;
}

static void stairs_step(const CmcNode *node, void *state, const CmcEvent *event, CmcOut *out)
{
    (void)node, (void)out;
    if (event->kind == CMC_EV_ACTION)
        *(uint8_t *)state = (uint8_t)(*(uint8_t *)state + event->id);
}

static void calibration_counts_as_tlc_does(void)
{
    static const CmcCore stairs = {
        .size = sizeof(CmcCore),
        .name = "stairs",
        .state_size = 1,
        .initial_count = stairs_count,
        .init = stairs_init,
        .step = stairs_step,
        .direct_actions = stairs_actions,
    };
    CmcModel *model = NULL;
    OK(cmc_model_new(&stairs, NULL, &model));
    CmcResult *result = searched(model, NULL);
    CHECK(verdict_of(result) == CMC_PASS);
    /* States 0 to 4; two initial ones and seven steps. */
    CmcCounts counts = counts_of(result);
    CHECK(counts.distinct == 5);
    CHECK(counts.generated == 9);
    CHECK(counts.depth == 3);
    uint64_t actions = 0;
    OK(cmc_result_receipt(result, CMC_ACTION, &actions));
    CHECK(actions == 7);
    cmc_result_free(result);
    cmc_model_free(model);
}

static void a_core_that_says_nonsense_is_refused(void)
{
    CmcModel *model = NULL;
    CmcCore core = witness;
    core.state_size = 0;
    FAILS(cmc_model_new(&core, NULL, &model), CMC_ERR_MODEL, "state_size is 0");
    core = witness;
    core.durable_size = 99;
    FAILS(cmc_model_new(&core, NULL, &model), CMC_ERR_MODEL, "durable_size is 99");
    core = witness;
    core.step = NULL;
    FAILS(cmc_model_new(&core, NULL, &model), CMC_ERR_MODEL, "step is NULL");
    core = witness;
    core.apply_persist = NULL;
    FAILS(cmc_model_new(&core, NULL, &model), CMC_ERR_MODEL, "apply_persist is NULL");
    CHECK(model == NULL);
}

int main(void)
{
    every_event_comes();
    what_is_asked_for_is_judged();
    calibration_counts_as_tlc_does();
    a_core_that_says_nonsense_is_refused();
    return done();
}
