//! The proof of one pair tried on the next.
//!
//! A proof is a binary tree of occluders: one that hides all of its part, or one whose shadow says where the part is cut
//! in two. Pairs that are decided one after another are neighbours, and mostly hidden by the same occluders, cut a little
//! further on. So each step of the last proof is tried on its part of the new pair: one occluder, and not a list of them.
//! What is left over is searched for a proof as any pair is.

use super::candidates::List;
use super::decide::{Decider, Found, Run, Steps, parts, prove};
use super::occluder::{Cut, Occluder, Shadow, Span};

/// A step of a proof.
#[derive(Clone, Copy, Debug)]
struct Step {
    occluder: u32,
    /// The steps of its parts, the one of which less is hidden first; [`NONE`] for an occluder that hides all.
    parts: [u32; 2],
}

const NONE: u32 = u32::MAX;

/// A part that the step of the last proof does not hide.
#[derive(Clone, Copy, Debug)]
struct Rest {
    a: Span,
    b: Span,
    depth: u32,
    /// Whose part it is, and which; [`NONE`] for the whole.
    of: u32,
    which: usize,
}

/// Proofs are kept up to so many steps.
const MOST: usize = 256;

/// The last proof, and the one that is being made.
#[derive(Debug, Default)]
pub struct Proofs {
    last: Vec<Step>,
    next: Vec<Step>,
    rest: Vec<Rest>,
}

impl Proofs {
    /// Whether the last proof hides a pair as well, cut where it has to be. If not, [`Proofs::decide_rest`] goes on.
    pub fn replay<R: Run>(
        &mut self,
        decider: &mut Decider<R>,
        occluders: &[Occluder],
        [a, b]: [&Span; 2],
        depth: u32,
    ) -> bool {
        self.next.clear();
        self.rest.clear();
        self.step(decider, occluders, [a, b], depth, 0, (NONE, 0));
        let hides = self.rest.is_empty();
        if hides {
            self.keep();
        }
        hides
    }

    /// Tries a step of the last proof on a part.
    fn step<R: Run>(
        &mut self,
        decider: &mut Decider<R>,
        occluders: &[Occluder],
        [a, b]: [&Span; 2],
        depth: u32,
        step: u32,
        (of, which): (u32, usize),
    ) {
        let at = self.next.len();
        if let Some(&Step {
            occluder,
            parts: next,
        }) = self.last.get(step as usize)
            && let Some(by) = occluders.get(occluder as usize)
        {
            let shadow = prove(by, a, b, decider.scale, &mut decider.room);
            let is_last = next[0] == NONE;
            if shadow == Shadow::Whole {
                decider.movable.note(occluder);
                self.link(of, which, at);
                self.next.push(Step {
                    occluder,
                    parts: [NONE; 2],
                });
                return;
            }
            if let Shadow::Part(cut) = shadow
                && depth > 0
            {
                self.link(of, which, at);
                self.next.push(Step {
                    occluder,
                    parts: [NONE; 2],
                });
                // An occluder that hid all of the last pair hides one side of the cut in this one.
                let next = if is_last { [NONE, step] } else { next };
                let parts = parts([a, b], cut.axis.into(), cut.at, cut.upper);
                for (which, [a, b]) in parts.into_iter().enumerate() {
                    let place = (at as u32, which);
                    self.step(decider, occluders, [&a, &b], depth - 1, next[which], place);
                }
                return;
            }
        }
        self.rest.push(Rest {
            a: *a,
            b: *b,
            depth,
            of,
            which,
        });
    }

    /// Decides on what the last proof does not hide of the pair that it was tried on, by a list of candidates.
    pub fn decide_rest<R: Run>(
        &mut self,
        decider: &mut Decider<R>,
        occluders: &[Occluder],
        list: List,
    ) -> Found {
        for number in 0..self.rest.len() {
            let Rest {
                a,
                b,
                depth,
                of,
                which,
            } = self.rest[number];
            let at = self.next.len();
            self.link(of, which, at);
            let mine = decider.narrow(&a, &b, list);
            let found = decider.search(occluders, [&a, &b], mine, depth, &mut self.next);
            decider.leave(list);
            if found != Found::Hidden {
                return found;
            }
        }
        self.keep();
        Found::Hidden
    }

    fn link(&mut self, of: u32, which: usize, to: usize) {
        if let Some(step) = self.next.get_mut(of as usize) {
            step.parts[which] = to as u32;
        }
    }

    fn keep(&mut self) {
        if self.next.len() <= MOST {
            std::mem::swap(&mut self.last, &mut self.next);
        }
    }
}

impl Steps for Vec<Step> {
    fn hidden_by(&mut self, occluder: u32) {
        self.push(Step {
            occluder,
            parts: [NONE; 2],
        });
    }

    fn cut(&mut self, occluder: u32, _: [&Span; 2], _: &Cut) -> usize {
        let at = self.len();
        self.push(Step {
            occluder,
            parts: [at as u32 + 1, NONE],
        });
        at
    }

    fn second(&mut self, of: usize) {
        let second = self.len() as u32;
        if let Some(step) = self.get_mut(of) {
            step.parts[1] = second;
        }
    }
}
