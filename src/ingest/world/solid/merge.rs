//! Convex merging: two solids whose union is convex become one.
//!
//! A pair whose segments straddle the seam of two solids is proved hidden by neither of them. A convex union has no
//! seam.

use super::polyhedron::Solid;
use viewcell::convex::Plane;

/// Solids with more planes together stay two: to compare them takes time that grows with the cube of the planes.
const MOST_PLANES: usize = 256;
/// Vertices further before a plane than this stick out of it. [Unit: of the file]
const OUT: f64 = 1e-7;

/// Solids with the same union. Pairs of which the union is convex are merged, and what lies within another is
/// left out, in order and over again until nothing changes. A merged solid holds nothing that is not in its
/// parts, but for slivers thinner than solids can be (1e-5 units), which count as closed.
///
/// Faces between merged solids are lost: planes of faces ([`FacePlane`](super::FacePlane)) are to be collected
/// from the solids before they are merged. Time grows with the pairs whose boxes touch.
pub fn merge_solids(solids: &[Solid]) -> Vec<Solid> {
    let mut solids: Vec<Option<Solid>> = solids.iter().cloned().map(Some).collect();
    // By their least x, to find those whose boxes touch.
    let mut order: Vec<usize> = (0..solids.len()).collect();
    let least =
        |solids: &[Option<Solid>], i: usize| solids[i].as_ref().map_or(0.0, |s| s.bounds.min[0]);
    loop {
        order.retain(|&i| solids[i].is_some());
        order.sort_by(|&a, &b| {
            least(&solids, a)
                .total_cmp(&least(&solids, b))
                .then(a.cmp(&b))
        });
        let mut merged = false;
        for at in 0..order.len() {
            let i = order[at];
            for &j in &order[at + 1..] {
                let (Some(a), Some(b)) = (&solids[i], &solids[j]) else {
                    if solids[i].is_none() {
                        break;
                    }
                    continue;
                };
                if b.bounds.min[0] > a.bounds.max[0] + OUT {
                    break;
                }
                if let Some(union) = convex_union(a, b) {
                    // The least x is that of `i`, so that the order stays.
                    solids[i] = Some(union);
                    solids[j] = None;
                    merged = true;
                }
            }
        }
        if !merged {
            return solids.into_iter().flatten().collect();
        }
    }
}

/// The union of two solids if it is convex.
pub fn convex_union(a: &Solid, b: &Solid) -> Option<Solid> {
    if !a.bounds.grown(OUT).touches(&b.bounds) {
        return None;
    }
    let holds =
        |plane: &Plane, other: &Solid| other.vertices.iter().all(|&v| plane.height(v) <= OUT);
    let [of_a, of_b] = [(a, b), (b, a)].map(|(one, other)| -> Vec<Plane> {
        one.planes
            .iter()
            .copied()
            .filter(|plane| holds(plane, other))
            .collect()
    });
    if of_b.len() == b.planes.len() {
        return Some(b.clone());
    }
    if of_a.len() == a.planes.len() {
        return Some(a.clone());
    }
    let planes = a.planes.len() + b.planes.len();
    if of_a.len() + of_b.len() < 4 || planes > MOST_PLANES {
        return None;
    }
    // The only convex polyhedron that it can be, of planes of the two.
    let union = Solid::from_planes(of_a.into_iter().chain(of_b)).ok()?;
    // Volumes first: that is quick, and seldom passes by mistake.
    let both = Solid::from_planes(a.planes.iter().chain(&b.planes).copied());
    let parts = a.volume() + b.volume() - both.map_or(0.0, |both| both.volume());
    let whole = union.volume();
    if (whole - parts).abs() > 1e-6 * whole {
        return None;
    }
    let rest = without(&union, a);
    let nothing = rest.iter().all(|piece| without(piece, b).is_empty());
    nothing.then_some(union)
}

/// What is left of a solid without another, in convex pieces.
fn without(solid: &Solid, other: &Solid) -> Vec<Solid> {
    let (mut pieces, mut inside) = (Vec::new(), solid.clone());
    for plane in &other.planes {
        pieces.extend(inside.behind(plane.flipped()));
        match inside.behind(*plane) {
            Some(rest) => inside = rest,
            None => break,
        }
    }
    pieces
}
