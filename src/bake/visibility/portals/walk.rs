//! Portal flow through one portal: the walk from cell to cell, looking through ever less.

use std::ops::Range;

use super::passages::Passages;
use super::winding::separators;
use super::winding::{Clip, ON_PLANE, Plane, Point, clip};
use viewcell_ingest::world::{BitMatrix, ones};

/// The walk through the passages of a level, with its memory kept from one source to the next.
///
/// The tradition's method (Teller and Séquin 1991, section 5; `vis` of Quake): from the source, a
/// portal, go depth first through every chain of portals that a straight line may lead through.
/// At each step the next portal is cut by the planes that separate the source from the portal
/// before it, and the source by the planes that separate that portal from the next. A chain ends
/// where nothing is left of either, or where all that the rows let it see is seen already.
///
/// Beyond the tradition, those planes are also held against every passage that a chain may still
/// hope to see. What lies outside of them is struck off for all that comes after in the chain,
/// so that chains end many steps earlier.
pub(super) struct Walk<'a> {
    passages: &'a Passages,
    /// Corners of the polygons of all frames, and planes of the last.
    points: Vec<Point>,
    planes: Vec<Plane>,
    /// One row a frame, of the window's words: the passages that the chain may lead through.
    allowed: Vec<u64>,
    frames: Vec<Frame>,
}

/// A polygon: the corners `points[from..to]`.
type Span = Range<usize>;

/// The chain has come into a cell.
struct Frame {
    /// What is left to try of the passages that lead out of it.
    exits: Range<usize>,
    /// The passage that led into it.
    through: usize,
    /// What of the source looks through it, and what of it the source looks through.
    source: Span,
    pass: Span,
    /// The planes that separate the two.
    planes: Range<usize>,
    /// Number of points before the frame came.
    points: usize,
}

/// The words of a row that are not all zero.
struct Window {
    words: Range<usize>,
}

impl Window {
    fn of(row: &[u64]) -> Self {
        let first = row.iter().position(|&word| word != 0).unwrap_or(0);
        let end = row.iter().rposition(|&word| word != 0).map_or(0, |i| i + 1);
        Self { words: first..end }
    }

    /// The passages of the window.
    fn bits(&self) -> Range<usize> {
        64 * self.words.start..64 * self.words.end
    }
}

impl<'a> Walk<'a> {
    /// A walk through these passages.
    pub(super) fn new(passages: &'a Passages) -> Self {
        Self {
            passages,
            points: Vec::new(),
            planes: Vec::new(),
            allowed: Vec::new(),
            frames: Vec::new(),
        }
    }

    /// Adds to `seen` the passages that are seen through the passage `source`.
    ///
    /// `rows` holds, for each passage, a superset of what is seen through it: nothing else is added.
    /// What is in `seen` already counts as seen.
    pub(super) fn see(&mut self, rows: &BitMatrix, source: usize, seen: &mut [u64]) {
        let window = Window::of(rows.row(source));
        let seen = &mut seen[window.words.clone()];
        let words = seen.len();
        self.allowed.clear();
        self.allowed
            .extend_from_slice(&rows.row(source)[window.words.clone()]);
        if self.allowed.iter().zip(&*seen).all(|(a, s)| a & !s == 0) {
            return;
        }
        self.points.clear();
        self.planes.clear();
        self.points.extend_from_slice(self.passages.winding(source));
        let whole = 0..self.points.len();
        self.frames.push(Frame {
            exits: self.passages.out_of(self.passages.to[source]),
            through: source,
            source: whole.clone(),
            pass: whole,
            planes: 0..0,
            points: 0,
        });
        while let Some(frame) = self.frames.last_mut() {
            let Some(exit) = frame.exits.next() else {
                self.points.truncate(frame.points);
                self.planes.truncate(frame.planes.start);
                self.frames.pop();
                continue;
            };
            if !window.bits().contains(&exit) {
                continue;
            }
            let depth = self.frames.len() - 1;
            let bit = exit - window.bits().start;
            if !get(&self.allowed[depth * words..], bit) {
                continue;
            }
            let row = &rows.row(exit)[window.words.clone()];
            let more = self.narrow(depth, row, seen);
            if !more && get(seen, bit) {
                continue;
            }
            let points = self.points.len();
            let Some((from, pass)) = self.squeeze(source, exit) else {
                self.points.truncate(points);
                continue;
            };
            seen[bit / 64] |= 1 << (bit % 64);
            let frame = Frame {
                exits: self.passages.out_of(self.passages.to[exit]),
                through: exit,
                source: from,
                pass,
                planes: self.planes.len()..self.planes.len(),
                points,
            };
            if !more || !self.enter(source, frame, seen, &window) {
                self.points.truncate(points);
            }
        }
    }

    /// Writes the row of the next frame: what this one allows and `row` does too. Tells whether
    /// any of that is not seen yet.
    fn narrow(&mut self, depth: usize, row: &[u64], seen: &[u64]) -> bool {
        let words = row.len();
        let here = depth * words;
        if self.allowed.len() < here + 2 * words {
            self.allowed.resize(here + 2 * words, 0);
        }
        let (now, next) = self.allowed[here..].split_at_mut(words);
        let mut more = 0;
        for (((next, now), row), seen) in next.iter_mut().zip(now).zip(row).zip(seen) {
            *next = *now & row;
            more |= *next & !seen;
        }
        more != 0
    }

    /// What of the source looks through the last frame's passage and `exit`, and what of `exit`
    /// it sees; none if nothing.
    fn squeeze(&mut self, source: usize, exit: usize) -> Option<(Span, Span)> {
        let passages = self.passages;
        let frame = self.frames.last()?;
        let through = frame.through;
        let start = self.points.len();
        self.points.extend_from_slice(passages.winding(exit));
        let mut target = start..self.points.len();
        let mut from = frame.source.clone();
        let pass = frame.pass.clone();
        let planes = frame.planes.clone();

        let whole = passages.sphere[exit];
        cut(
            &mut self.points,
            &mut target,
            &passages.plane[source],
            whole,
        )?;
        if through != source {
            cut(
                &mut self.points,
                &mut target,
                &passages.plane[through],
                whole,
            )?;
        }
        for i in planes {
            let plane = self.planes[i];
            cut(&mut self.points, &mut target, &plane, whole)?;
        }
        let whole = passages.sphere[source];
        let behind = passages.plane[exit].flipped();
        cut(&mut self.points, &mut from, &behind, whole)?;
        if through != source {
            let first = self.planes.len();
            separators(
                passages.face(through, &self.points[pass], 1.0),
                passages.face(exit, &self.points[target.clone()], -1.0),
                &mut self.planes,
            );
            let mut left = Some(());
            for i in first..self.planes.len() {
                let plane = self.planes[i].flipped();
                left = cut(&mut self.points, &mut from, &plane, whole);
                if left.is_none() {
                    break;
                }
            }
            self.planes.truncate(first);
            left?;
        }
        Some((from, target))
    }

    /// Puts a frame on top, with its planes, unless they leave nothing to see in it.
    fn enter(&mut self, source: usize, mut frame: Frame, seen: &[u64], window: &Window) -> bool {
        separators(
            self.passages
                .face(source, &self.points[frame.source.clone()], 1.0),
            self.passages
                .face(frame.through, &self.points[frame.pass.clone()], -1.0),
            &mut self.planes,
        );
        frame.planes.end = self.planes.len();
        let first = self.frames.len() * seen.len();
        let mut more = 0;
        for (word, &seen) in seen.iter().enumerate() {
            let hoped = self.allowed[first + word] & !seen;
            let mut left = hoped;
            for bit in ones(&[hoped]) {
                let passage = window.bits().start + 64 * word + bit;
                if self.is_outside(passage, frame.planes.clone()) {
                    left &= !(1 << bit);
                }
            }
            self.allowed[first + word] &= left | seen;
            more |= left;
        }
        if more != 0 {
            self.frames.push(frame);
        } else {
            self.planes.truncate(frame.planes.start);
        }
        more != 0
    }

    /// Whether nothing of a passage is in front of all of these planes.
    fn is_outside(&mut self, passage: usize, planes: Range<usize>) -> bool {
        let winding = self.passages.winding(passage);
        let (centre, radius) = self.passages.sphere[passage];
        let mut cutting = 0;
        for plane in &self.planes[planes.clone()] {
            let height = plane.height(centre);
            if height >= radius {
                continue;
            }
            // The centre is one of its points.
            if height <= ON_PLANE
                && (height + radius <= ON_PLANE
                    || winding.iter().all(|&p| plane.height(p) <= ON_PLANE))
            {
                return true;
            }
            cutting += 1;
        }
        if cutting < 2 {
            return false;
        }
        let start = self.points.len();
        self.points.extend_from_slice(winding);
        let mut left = start..self.points.len();
        let whole = (centre, radius);
        let outside = self.planes[planes]
            .iter()
            .any(|plane| cut(&mut self.points, &mut left, plane, whole).is_none());
        self.points.truncate(start);
        outside
    }
}

/// Cuts a polygon down to what is in front of a plane; none if nothing is. The sphere holds the
/// polygon, and often tells without a look at its corners.
fn cut(
    points: &mut Vec<Point>,
    polygon: &mut Span,
    plane: &Plane,
    (centre, radius): (Point, f64),
) -> Option<()> {
    let height = plane.height(centre);
    if height >= radius {
        return Some(());
    }
    if height + radius <= ON_PLANE {
        return None;
    }
    let before = points.len();
    match clip(points, polygon.start, polygon.end, plane, ON_PLANE) {
        Clip::All => {}
        Clip::Nothing => return None,
        Clip::Part => *polygon = before..points.len(),
    }
    Some(())
}

fn get(row: &[u64], bit: usize) -> bool {
    row[bit / 64] >> (bit % 64) & 1 == 1
}
