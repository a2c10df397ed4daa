// The limits of src/bindings/ioquake3, for movement.rs.
#include <math.h>
#include "viewcell.h"
#include "sv_viewcell_reach.h"

void reach(const viewcellPlayer_t *player, viewcell_mover *mover, double *step, float *bounds);

void reach(const viewcellPlayer_t *player, viewcell_mover *mover, double *step, float *bounds) {
    *mover = SV_ViewcellReach(player, step);
    SV_ViewcellBox(mover, *step, bounds, bounds + 3);
}
