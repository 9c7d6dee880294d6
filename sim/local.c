/* Local memory: given to a warp piece by piece, when it first touches one, and taken back when its block is done.
 *
 * A piece holds the same SIM_LOCAL_PIECE_BYTES of all 32 lanes' memory, lane after lane, and is zero when it is given.
 * So a kernel whose frames are large but hardly used costs what it uses, however many blocks are resident. */
#include "sim/engine.h"

#include <stdlib.h>
#include <string.h>

struct sim_local_piece { /* a piece that no warp has */
    struct sim_local_piece *next;
};

static uint64_t piece_bytes(const struct sim_program *program)
{
    uint64_t bytes = 32 * sim_local_lane_bytes(program);
    return bytes > sizeof(struct sim_local_piece) ? bytes : sizeof(struct sim_local_piece);
}

static uint64_t piece_count(const struct sim_program *program)
{
    return (program->stack_bytes + SIM_LOCAL_PIECE_BYTES - 1) / SIM_LOCAL_PIECE_BYTES;
}

uint8_t *sim_local_touch(struct sim_engine *engine, struct sim_warp *warp, uint64_t number)
{
    struct sim_local_piece *piece = engine->free_local;
    if (warp->local == NULL)
        warp->local = sim_engine_alloc(engine, piece_count(engine->program), sizeof(*warp->local));
    if (warp->local == NULL)
        return NULL;
    if (piece != NULL) {
        engine->free_local = piece->next;
        memset(piece, 0, piece_bytes(engine->program));
    } else {
        piece = sim_engine_alloc(engine, 1, piece_bytes(engine->program));
    }
    warp->local[number] = (uint8_t *)piece;
    return warp->local[number];
}

void sim_local_give_back(struct sim_engine *engine, struct sim_warp *warp)
{
    for (uint64_t i = 0; warp->local != NULL && i < piece_count(engine->program); i++) {
        if (warp->local[i] == NULL)
            continue;
        struct sim_local_piece *piece = (void *)warp->local[i];
        piece->next = engine->free_local;
        engine->free_local = piece;
        warp->local[i] = NULL;
    }
}

void sim_local_take_over(struct sim_engine *engine, struct sim_local_piece **pieces)
{
    while (*pieces != NULL) {
        struct sim_local_piece *piece = *pieces;
        *pieces = piece->next;
        piece->next = engine->free_local;
        engine->free_local = piece;
    }
}

void sim_local_free(struct sim_engine *engine)
{
    while (engine->free_local != NULL) {
        struct sim_local_piece *next = engine->free_local->next;
        free(engine->free_local);
        engine->free_local = next;
    }
}

/* How many of `bytes` bytes from `address` on lie in its piece. */
static uint64_t until_piece_end(uint64_t address, uint64_t bytes)
{
    uint64_t left = SIM_LOCAL_PIECE_BYTES - address % SIM_LOCAL_PIECE_BYTES;
    return bytes < left ? bytes : left;
}

bool sim_local_read(struct sim_engine *engine, struct sim_warp *warp, unsigned lane, uint64_t address, void *to,
                    uint64_t bytes)
{
    for (uint64_t done = 0, n; done < bytes; done += n) {
        const uint8_t *from = sim_local_at(engine, warp, lane, address + done);
        if (from == NULL)
            return false;
        n = until_piece_end(address + done, bytes - done);
        memcpy((uint8_t *)to + done, from, n);
    }
    return true;
}

bool sim_local_write(struct sim_engine *engine, struct sim_warp *warp, unsigned lane, uint64_t address,
                     const void *from, uint64_t bytes)
{
    for (uint64_t done = 0, n; done < bytes; done += n) {
        uint8_t *to = sim_local_at(engine, warp, lane, address + done);
        if (to == NULL)
            return false;
        n = until_piece_end(address + done, bytes - done);
        memcpy(to, (const uint8_t *)from + done, n);
    }
    return true;
}

bool sim_local_copy(struct sim_engine *engine, struct sim_warp *warp, unsigned lane, uint64_t to, uint64_t from,
                    uint64_t bytes)
{
    for (uint64_t done = 0, n; done < bytes; done += n) {
        const uint8_t *at = sim_local_at(engine, warp, lane, from + done);
        n = until_piece_end(from + done, bytes - done);
        if (at == NULL || !sim_local_write(engine, warp, lane, to + done, at, n))
            return false;
    }
    return true;
}
