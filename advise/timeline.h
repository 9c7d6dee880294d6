/* What warps did with their time, kept from a run by the clock: for a trace and for a picture.
 *
 * Give advise_timeline_event() to sim_run() as its clock hook. At most `limit` events are kept. When there are more,
 * the SMs with the highest numbers are let go, half of those that are left each time, so that the others' whole time
 * stays; when one SM alone has too many, what comes later is left out. `dropped` and `cut` tell of it.
 */
#ifndef ADVISE_TIMELINE_H
#define ADVISE_TIMELINE_H

#include "base/vec.h"
#include "sim/sim.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A warp's stay on its SM. */
struct advise_stay {
    uint32_t place, warp, block[3];
    uint64_t from, to;
    bool ended; /* false: the end was not seen, and `to` is where what is known ends */
};

struct advise_moment {
    uint64_t from;
    uint32_t cycles, stay, pc; /* stay: number in its SM's stays */
    uint32_t sectors, wavefronts;
    uint8_t kind; /* enum sim_clock_event_kind: SPAN or REQUEST */
    uint8_t reason, space, access;
};

struct advise_sm {
    uint32_t number;
    BASE_VEC(struct advise_stay) stays;     /* by begin */
    BASE_VEC(struct advise_moment) moments; /* of one stay in order, as spans come */
    BASE_VEC(uint32_t) current;             /* by place: its stay, plus one; 0: none */
};

struct advise_timeline {
    uint64_t limit;                 /* of events */
    BASE_VEC(struct advise_sm) sms; /* by number; those that have nothing are empty */
    uint64_t count;                 /* of events kept */
    uint32_t kept_sms;              /* SMs below this number are kept; 0: nothing was dropped yet */
    uint32_t used_sms;              /* SMs that had a warp: the highest number plus one */
    uint64_t told;                  /* all events that there were */
    bool cut;                       /* the last SM's later events were left out */
    uint64_t cut_at;                /* from this cycle on */
    bool failed;                    /* no memory */
};

/* A sim_clock_hook; `user` is the timeline. */
void advise_timeline_event(void *user, const struct sim_clock_event *event);
void advise_timeline_free(struct advise_timeline *timeline);

#endif
