/* The dictionary of the tables, with the other spellings of the barriers. */
#include "isa/ptx/parse.h"

#include <string.h>

/* bar.* rows under their longer names, and .shared written in full. Those of barrier.* may carry ".aligned". */
static const struct {
    const char *text;
    enum isa_op op;
    bool takes_aligned;
} spellings[] = {
    {"barrier.sync", ISA_OP_BAR_SYNC, true},
    {"barrier.cta.sync", ISA_OP_BAR_SYNC, true},
    {"bar.cta.sync", ISA_OP_BAR_SYNC, false},
    {"barrier.arrive", ISA_OP_BAR_ARRIVE, true},
    {"barrier.cta.arrive", ISA_OP_BAR_ARRIVE, true},
    {"bar.cta.arrive", ISA_OP_BAR_ARRIVE, false},
    {"barrier.red.popc", ISA_OP_BAR_RED_POPC, true},
    {"barrier.cta.red.popc", ISA_OP_BAR_RED_POPC, true},
    {"bar.cta.red.popc", ISA_OP_BAR_RED_POPC, false},
    {"barrier.red.and", ISA_OP_BAR_RED_AND, true},
    {"barrier.cta.red.and", ISA_OP_BAR_RED_AND, true},
    {"bar.cta.red.and", ISA_OP_BAR_RED_AND, false},
    {"barrier.red.or", ISA_OP_BAR_RED_OR, true},
    {"barrier.cta.red.or", ISA_OP_BAR_RED_OR, true},
    {"bar.cta.red.or", ISA_OP_BAR_RED_OR, false},
    {"cp.async.ca.shared::cta.global", ISA_OP_CP_ASYNC_CA, false},
    {"cp.async.cg.shared::cta.global", ISA_OP_CP_ASYNC_CG, false},
    {"st.async.shared::cluster.mbarrier::complete_tx::bytes", ISA_OP_ST_ASYNC, false},
    {"st.async.mbarrier::complete_tx::bytes", ISA_OP_ST_ASYNC, false},
    {"st.async.weak.mbarrier::complete_tx::bytes", ISA_OP_ST_ASYNC, false},
    {"red.async.relaxed.cluster.mbarrier::complete_tx::bytes", ISA_OP_RED_ASYNC, false},
};

/* The tables fit with room to spare: they have a few hundred rows. */
_Static_assert(ISA_OP_COUNT + ISA_TYPE_COUNT + ISA_SREG_COUNT + sizeof spellings / sizeof *spellings + 160 <=
                   PTX_WORDS_MAX,
               "PTX_WORDS_MAX is too small");

static void add(struct ptx_words *words, enum ptx_word_kind kind, const char *text, uint32_t value, bool takes_aligned)
{
    if (words->count == PTX_WORDS_MAX)
        return;
    struct ptx_word *word = &words->words[words->count++];
    *word = (struct ptx_word){.text = text,
                              .length = (uint32_t)strlen(text),
                              .kind = (uint8_t)kind,
                              .value = value,
                              .takes_aligned = takes_aligned};
    uint16_t *slot = &words->slots[(ptx_hash(text, word->length) + kind) % PTX_WORD_SLOTS];
    word->next = *slot;
    *slot = (uint16_t)words->count;
}

void ptx_words_init(struct ptx_words *words)
{
    memset(words, 0, sizeof *words);
    for (unsigned op = 0; op < ISA_OP_COUNT; op++)
        if (!(isa_ops[op].flags & ISA_OPF_DERIVED))
            add(words, PTX_WORD_OP, isa_ops[op].mnemonic, op, false);
    for (size_t i = 0; i < sizeof spellings / sizeof *spellings; i++)
        add(words, PTX_WORD_OP, spellings[i].text, spellings[i].op, spellings[i].takes_aligned);
    for (unsigned type = 1; type < ISA_TYPE_COUNT; type++)
        add(words, PTX_WORD_TYPE, isa_types[type].name, type, false);
    for (unsigned sreg = 0; sreg < ISA_SREG_COUNT; sreg++)
        add(words, PTX_WORD_SREG, isa_sregs[sreg].name, sreg, false);
    for (size_t i = 0; i < isa_modifier_count; i++)
        add(words, PTX_WORD_MODIFIER, isa_modifiers[i].word, (uint32_t)i, false);
}

const struct ptx_word *ptx_words_find(const struct ptx_words *words, enum ptx_word_kind kind, const char *text,
                                      uint32_t length, const struct ptx_word *after)
{
    uint32_t at = after ? after->next : words->slots[(ptx_hash(text, length) + (uint32_t)kind) % PTX_WORD_SLOTS];
    for (; at; at = words->words[at - 1].next) {
        const struct ptx_word *word = &words->words[at - 1];
        if (word->kind == (uint8_t)kind && word->length == length && memcmp(word->text, text, length) == 0)
            return word;
    }
    return NULL;
}
