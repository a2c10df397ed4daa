//! Faces of one plane as one occluder: large convex polygons within their union.
//!
//! What is not covered by any face is cut into convex holes. From a face a polygon grows: from all of the plane
//! a half is cut off for each hole, along an edge of the hole or of the face, so that as much as can be is left.
//! What is left is convex, holds the face, and has no part of a hole. Such polygons overlap, and so have no
//! seams where the faces have theirs: of a wall with a door they are all that is left of the door, all that is
//! right of it, and all that is above it.

/// A point in the plane.
pub(super) type Flat = [f64; 2];

/// The points p with normal · p <= dist.
#[derive(Clone, Copy)]
struct HalfPlane {
    normal: Flat,
    dist: f64,
}

impl HalfPlane {
    fn height(&self, p: Flat) -> f64 {
        self.normal[0] * p[0] + self.normal[1] * p[1] - self.dist
    }

    fn flipped(&self) -> Self {
        Self {
            normal: self.normal.map(|x| -x),
            dist: -self.dist,
        }
    }

    fn moved(&self, out: f64) -> Self {
        Self {
            dist: self.dist + out,
            ..*self
        }
    }
}

/// The halves that a polygon, anticlockwise, is the common part of.
fn halves(polygon: &[Flat]) -> impl Iterator<Item = HalfPlane> {
    (0..polygon.len()).filter_map(|i| {
        let (p, q) = (polygon[i], polygon[(i + 1) % polygon.len()]);
        let (x, y) = (q[0] - p[0], q[1] - p[1]);
        let length = x.hypot(y);
        (length > 1e-9).then(|| {
            let normal = [y / length, -x / length];
            let dist = |p: Flat| normal[0] * p[0] + normal[1] * p[1];
            HalfPlane {
                normal,
                dist: dist(p).max(dist(q)),
            }
        })
    })
}

fn clip(polygon: &[Flat], half: HalfPlane) -> Vec<Flat> {
    let mut kept = Vec::with_capacity(polygon.len() + 1);
    for (i, &p) in polygon.iter().enumerate() {
        let q = polygon[(i + 1) % polygon.len()];
        let (f, g) = (half.height(p), half.height(q));
        if f <= 0.0 {
            kept.push(p);
        }
        if f < 0.0 && g > 0.0 || f > 0.0 && g < 0.0 {
            let t = f / (f - g);
            kept.push([p[0] + t * (q[0] - p[0]), p[1] + t * (q[1] - p[1])]);
        }
    }
    kept
}

/// The area of a polygon.
pub(super) fn area(polygon: &[Flat]) -> f64 {
    let mut sum = 0.0;
    for (i, p) in polygon.iter().enumerate() {
        let q = polygon[(i + 1) % polygon.len()];
        sum += p[0] * q[1] - q[0] * p[1];
    }
    0.5 * sum
}

/// Least and greatest coordinates.
fn bounds(polygon: &[Flat]) -> [Flat; 2] {
    let mut all = [[f64::INFINITY; 2], [f64::NEG_INFINITY; 2]];
    for p in polygon {
        for k in 0..2 {
            all[0][k] = all[0][k].min(p[k]);
            all[1][k] = all[1][k].max(p[k]);
        }
    }
    all
}

fn touches(a: &[Flat; 2], b: &[Flat; 2], slack: f64) -> bool {
    (0..2).all(|k| a[0][k] <= b[1][k] + slack && b[0][k] <= a[1][k] + slack)
}

/// Whether a polygon is nowhere wider than `slack`.
fn is_sliver(polygon: &[Flat], slack: f64) -> bool {
    let [min, max] = bounds(polygon);
    polygon.len() < 3 || area(polygon) <= slack * (max[0] - min[0]).hypot(max[1] - min[1])
}

/// A convex polygon in the union of faces.
pub(super) struct Cover {
    pub polygon: Vec<Flat>,
    /// How many times the area of the face that it has grown from it has.
    pub gain: f64,
}

/// As many faces that touch are taken together.
const MOST: usize = 400;
/// As many corners: growing takes time that grows with their square, and with the corners of each face.
const MOST_CORNERS: usize = 4096;
/// Faces of more corners stay as they are.
const MOST_OF_FACE: usize = 128;

/// Convex polygons that lie in the union of convex ones, which are anticlockwise, but for gaps narrower than
/// `3 slack` and as much at the rim. Each of the faces lies in one of them.
pub(super) fn covers(faces: &[Vec<Flat>], slack: f64) -> Vec<Cover> {
    let mut covers = Vec::new();
    for mut group in together(faces, slack) {
        group.retain(|&face| {
            let few = faces[face].len() <= MOST_OF_FACE;
            if !few {
                let polygon = faces[face].clone();
                covers.push(Cover { polygon, gain: 1.0 });
            }
            few
        });
        let (mut first, mut corners) = (0, 0);
        for (at, &face) in group.iter().enumerate() {
            if at - first == MOST || corners + faces[face].len() > MOST_CORNERS {
                cover(faces, &group[first..at], slack, &mut covers);
                (first, corners) = (at, 0);
            }
            corners += faces[face].len();
        }
        if first < group.len() {
            cover(faces, &group[first..], slack, &mut covers);
        }
    }
    covers
}

/// Runs of faces that touch each other.
fn together(faces: &[Vec<Flat>], slack: f64) -> Vec<Vec<usize>> {
    let boxes: Vec<_> = faces.iter().map(|face| bounds(face)).collect();
    let mut group: Vec<usize> = (0..faces.len()).collect();
    fn root(group: &mut [usize], mut i: usize) -> usize {
        while group[i] != i {
            group[i] = group[group[i]];
            i = group[i];
        }
        i
    }
    let mut order: Vec<usize> = (0..faces.len()).collect();
    order.sort_by(|&i, &j| boxes[i][0][0].total_cmp(&boxes[j][0][0]).then(i.cmp(&j)));
    for (at, &i) in order.iter().enumerate() {
        for &j in &order[at + 1..] {
            if boxes[j][0][0] > boxes[i][1][0] + slack {
                break;
            }
            if touches(&boxes[i], &boxes[j], slack) {
                let (a, b) = (root(&mut group, i), root(&mut group, j));
                group[a.max(b)] = a.min(b);
            }
        }
    }
    let mut runs = vec![Vec::new(); faces.len()];
    for i in 0..faces.len() {
        runs[root(&mut group, i)].push(i);
    }
    runs.retain(|run| !run.is_empty());
    runs
}

fn cover(faces: &[Vec<Flat>], group: &[usize], slack: f64, covers: &mut Vec<Cover>) {
    let all = bounds(
        &group
            .iter()
            .flat_map(|&i| faces[i].iter().copied())
            .collect::<Vec<_>>(),
    );
    let [[west, south], [east, north]] = all;
    let whole = vec![[west, south], [east, south], [east, north], [west, north]];
    let mut holes = vec![whole.clone()];
    for &i in group {
        let edges: Vec<HalfPlane> = halves(&faces[i]).map(|half| half.moved(slack)).collect();
        let within = bounds(&faces[i]);
        let mut left = Vec::with_capacity(holes.len() + 2);
        for hole in holes {
            if touches(&bounds(&hole), &within, slack) {
                subtract(hole, &edges, slack, &mut left);
            } else {
                left.push(hole);
            }
        }
        holes = left;
    }
    let mut seeds = group.to_vec();
    seeds.sort_by(|&i, &j| area(&faces[j]).total_cmp(&area(&faces[i])).then(i.cmp(&j)));
    let first = covers.len();
    for &seed in &seeds {
        let seed = &faces[seed];
        let is_in = |cover: &Cover| {
            halves(&cover.polygon).all(|half| seed.iter().all(|&p| half.height(p) <= slack))
        };
        if covers[first..].iter().any(is_in) {
            continue;
        }
        let polygon = grow(seed, &whole, &holes, slack);
        let gain = area(&polygon) / area(seed);
        covers.push(Cover { polygon, gain });
    }
}

/// Adds the parts of a hole outside the edges.
fn subtract(hole: Vec<Flat>, edges: &[HalfPlane], slack: f64, left: &mut Vec<Vec<Flat>>) {
    let mut inner = hole.clone();
    let mut parts = Vec::new();
    for edge in edges {
        let outer = clip(&inner, edge.flipped());
        inner = clip(&inner, *edge);
        if !is_sliver(&outer, slack) {
            parts.push(outer);
        }
        if is_sliver(&inner, slack) {
            // Nothing of it is in the face.
            left.push(hole);
            return;
        }
    }
    left.extend(parts);
}

fn grow(seed: &[Flat], whole: &[Flat], holes: &[Vec<Flat>], slack: f64) -> Vec<Flat> {
    let middle: Flat =
        std::array::from_fn(|k| seed.iter().map(|p| p[k]).sum::<f64>() / seed.len() as f64);
    let distance = |hole: &[Flat]| {
        let [min, max] = bounds(hole);
        let off = |k: usize| (min[k] - middle[k]).max(middle[k] - max[k]).max(0.0);
        off(0).hypot(off(1))
    };
    let mut near: Vec<(f64, &Vec<Flat>)> =
        holes.iter().map(|hole| (distance(hole), hole)).collect();
    near.sort_by(|a, b| a.0.total_cmp(&b.0));
    let own: Vec<HalfPlane> = halves(seed).collect();
    let mut grown = whole.to_vec();
    for (_, hole) in near {
        let mut common = hole.clone();
        for half in halves(&grown) {
            common = clip(&common, half);
            if common.len() < 3 {
                break;
            }
        }
        if is_sliver(&common, slack) {
            continue;
        }
        let beside_hole = halves(hole).map(|half| half.flipped());
        let fits = |half: &HalfPlane| seed.iter().all(|&p| half.height(p) <= 2.0 * slack);
        let misses = |half: &HalfPlane| hole.iter().all(|&p| half.height(p) >= -2.0 * slack);
        let cuts = beside_hole.chain(own.iter().copied());
        let best = cuts
            .filter(|half| fits(half) && misses(half))
            .map(|half| clip(&grown, half))
            .map(|left| (area(&left), left))
            .max_by(|a, b| a.0.total_cmp(&b.0));
        match best {
            Some((_, left)) => grown = left,
            None => return seed.to_vec(),
        }
    }
    grown
}
