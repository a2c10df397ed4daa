//! Ground as patches, slices and quadtrees, as Pennings has it (chapter 4).

use std::collections::VecDeque;
use std::ops::Range;

use super::change::{Body, Branches, ChangeSet, Version};
use super::cubes::{Cubes, Pyramid, Share};
use super::error::GroundError;
use super::frame::{Frame, Square};
use super::layered::Layered;
use super::path::{Path, offset};
use super::stamp::Effect;
use super::tree::{DIVIDED, EMPTY, Material, Node, Tree};

/// Layered ground in the paper's structure: a stack of quadtrees for each patch.
#[derive(Clone, Debug)]
pub struct Patches {
    frame: Frame,
    version: Version,
    stacks: Vec<Stack>,
    /// Of all slices.
    nodes: u64,
}

/// The slices of a patch from the lowest that is not empty to the highest.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Stack {
    /// The lowest slice's number.
    pub(super) bottom: i32,
    pub(super) slices: VecDeque<Tree>,
}

impl Stack {
    /// Slices upwards from `bottom`; the empty ones at both ends are left out.
    pub fn new(bottom: i32, slices: impl IntoIterator<Item = Tree>) -> Self {
        let slices = slices.into_iter().collect();
        let mut stack = Self { bottom, slices };
        stack.trim();
        stack
    }

    /// The numbers of its slices.
    pub fn range(&self) -> Range<i32> {
        self.bottom..self.bottom + self.slices.len() as i32
    }

    /// A slice; `None` where all of it is empty.
    pub fn slice(&self, number: i32) -> Option<&Tree> {
        self.slices.get(usize::try_from(number - self.bottom).ok()?)
    }

    /// A slice to change. The stack grows up or down to it, and is not divided anew.
    fn slice_mut(&mut self, number: i32) -> &mut Tree {
        if self.slices.is_empty() {
            self.bottom = number;
        }
        while number < self.bottom {
            self.slices.push_front(Tree::of(EMPTY));
            self.bottom -= 1;
        }
        while number >= self.bottom + self.slices.len() as i32 {
            self.slices.push_back(Tree::of(EMPTY));
        }
        &mut self.slices[(number - self.bottom) as usize]
    }

    /// Takes empty slices off both ends.
    fn trim(&mut self) {
        let empty = |tree: Option<&Tree>| tree.is_some_and(|tree| tree.uniform() == Some(EMPTY));
        while empty(self.slices.back()) {
            self.slices.pop_back();
        }
        while empty(self.slices.front()) {
            self.slices.pop_front();
            self.bottom += 1;
        }
        if self.slices.is_empty() {
            self.bottom = 0;
        }
    }

    fn nodes(&self) -> u64 {
        self.slices.iter().map(Tree::nodes).sum()
    }
}

impl Patches {
    /// Of a stack for each patch of the frame.
    ///
    /// # Panics
    ///
    /// If there are more or fewer.
    pub fn new(frame: Frame, version: Version, stacks: Vec<Stack>) -> Self {
        assert_eq!(stacks.len(), frame.patches().len());
        let nodes = stacks.iter().map(Stack::nodes).sum();
        Self {
            frame,
            version,
            stacks,
            nodes,
        }
    }

    /// The stacks of the patches, in the frame's order.
    pub fn stacks(&self) -> &[Stack] {
        &self.stacks
    }

    /// The leaves that a box of cubes touches, patch by patch, slice by slice: the affected nodes of
    /// Pennings' step 1. Where a slice is not there, its root is such a leaf.
    pub fn affected(&self, corner: [i32; 3], size: [u32; 3]) -> Vec<(u32, i32, Path)> {
        let mut found = Vec::new();
        let [x, y, z] = corner;
        let (columns, rows) = (x as u32..x as u32 + size[0], y as u32..y as u32 + size[1]);
        for patch in self.frame.patches_in(columns.clone(), rows.clone()) {
            let square = self.frame.patches()[patch];
            let within = [
                [
                    columns.start.saturating_sub(square.x),
                    rows.start.saturating_sub(square.y),
                ],
                [
                    columns.end - square.x.min(columns.end),
                    rows.end - square.y.min(rows.end),
                ],
            ];
            for slice in z..z + size[2] as i32 {
                let mut leaf = |path, _, _, _| found.push((patch as u32, slice, path));
                match self.stacks[patch].slice(slice) {
                    Some(tree) => tree.leaves_in(square.level, within, &mut leaf),
                    None => leaf(Path::ROOT, [0, 0], 0, EMPTY),
                }
            }
        }
        found
    }

    /// Makes changes without asking for which version they are; they were checked.
    fn make(&mut self, branches: &Branches) {
        let mut patches: Vec<u32> = branches.records.iter().map(|r| r.patch).collect();
        patches.dedup();
        let nodes = |stacks: &[Stack]| -> u64 {
            let touched = patches.iter().map(|&patch| &stacks[patch as usize]);
            touched.map(Stack::nodes).sum()
        };
        let before = nodes(&self.stacks);
        for (record, codes) in branches.iter() {
            let level = self.frame.patches()[record.patch as usize].level;
            let tree = self.stacks[record.patch as usize].slice_mut(record.slice);
            let sound = tree.swap_in(record.path, level, codes);
            debug_assert!(sound, "checked before");
        }
        // Only now, so that no path leads to a node that was joined with its siblings.
        for record in &branches.records {
            let stack = &mut self.stacks[record.patch as usize];
            stack.slice_mut(record.slice).prune(record.path);
        }
        for &patch in &patches {
            self.stacks[patch as usize].trim();
        }
        self.nodes = self.nodes - before + nodes(&self.stacks);
    }
}

impl Layered for Patches {
    fn frame(&self) -> &Frame {
        &self.frame
    }

    fn version(&self) -> Version {
        self.version
    }

    fn slices(&self) -> Range<i32> {
        let filled = || self.stacks.iter().filter(|stack| !stack.slices.is_empty());
        let from = filled().map(|stack| stack.bottom).min();
        let to = filled().map(|stack| stack.range().end).max();
        from.unwrap_or(0)..to.unwrap_or(0)
    }

    fn material(&self, column: u32, row: u32, slice: i32) -> Material {
        let Some(patch) = self.frame.patch_at(column, row) else {
            return EMPTY;
        };
        let Square { x, y, level } = self.frame.patches()[patch];
        let tree = self.stacks[patch].slice(slice);
        tree.map_or(EMPTY, |tree| tree.material(level, column - x, row - y))
    }

    fn top(&self, column: u32, row: u32) -> Option<i32> {
        let patch = self.frame.patch_at(column, row)?;
        let Square { x, y, level } = self.frame.patches()[patch];
        let stack = &self.stacks[patch];
        let is_ground = |tree: &Tree| tree.material(level, column - x, row - y) != EMPTY;
        let index = stack.slices.iter().rposition(is_ground)?;
        Some(stack.bottom + index as i32)
    }

    fn plan(&self, cubes: &Cubes, effect: Effect) -> ChangeSet {
        let mut branches = Branches::default();
        let ([x, y, _], [width, height, _]) = (cubes.corner(), cubes.size());
        let (columns, rows) = (x as u32..x as u32 + width, y as u32..y as u32 + height);
        let patches = self.frame.patches_in(columns, rows);
        let mut pyramid = Pyramid::default();
        let empty = Tree::of(EMPTY);
        for slice in cubes.slices() {
            if patches.is_empty() {
                break;
            }
            pyramid.fill(cubes, slice);
            for &patch in &patches {
                let tree = self.stacks[patch].slice(slice).unwrap_or(&empty);
                let mut planner = Planner {
                    tree,
                    pyramid: &pyramid,
                    effect,
                    place: (patch as u32, slice),
                    branches: &mut branches,
                };
                planner.node(tree.root, self.frame.patches()[patch], Path::ROOT);
            }
        }
        if patches.len() > 1 {
            branches = by_patch(&branches);
        }
        ChangeSet::new(self.version, Body::Branches(branches))
    }

    fn apply(&mut self, changes: &ChangeSet) -> Result<(), GroundError> {
        changes.check(self.version, &self.frame)?;
        changes.body.check_growth(self.slices())?;
        let Body::Branches(branches) = &changes.body else {
            return Err(GroundError::bad(
                "change set",
                "branches of quadtrees, as this structure makes them",
                "runs of columns",
            ));
        };
        self.make(branches);
        self.version = changes.to;
        Ok(())
    }

    fn nodes(&self) -> u64 {
        self.nodes
    }

    fn bytes(&self) -> usize {
        let slices = self.stacks.iter().flat_map(|stack| &stack.slices);
        let stacks = self
            .stacks
            .iter()
            .map(|stack| size_of::<Stack>() + stack.slices.capacity() * size_of::<Tree>());
        size_of::<Self>() + stacks.sum::<usize>() + slices.map(Tree::bytes).sum::<usize>()
    }
}

/// Slices of all patches, in the order of patches.
fn by_patch(branches: &Branches) -> Branches {
    let mut order: Vec<usize> = (0..branches.records.len()).collect();
    order.sort_by_key(|&i| branches.records[i].patch);
    let all: Vec<_> = branches.iter().collect();
    let mut sorted = Branches::default();
    for i in order {
        let (record, codes) = all[i];
        sorted.push(record.patch, record.slice, record.path, codes);
    }
    sorted
}

/// Finds what a stamp changes in one slice of one patch.
struct Planner<'a> {
    tree: &'a Tree,
    pyramid: &'a Pyramid,
    effect: Effect,
    place: (u32, i32),
    branches: &'a mut Branches,
}

impl Planner<'_> {
    /// Adds branches for what changes in a node that is there.
    fn node(&mut self, node: Node, square: Square, path: Path) {
        let share = self.pyramid.share(square.x, square.y, square.level);
        if share == Share::None {
            return;
        }
        let first = self.branches.codes.len();
        match node.material() {
            Some(material) => {
                if self.effect.on(material) == material {
                    return;
                }
                paint(
                    self.pyramid,
                    self.effect,
                    material,
                    square,
                    &mut self.branches.codes,
                );
                if self.branches.codes[first..] == [material] {
                    self.branches.codes.truncate(first);
                    return;
                }
            }
            None => {
                // One leaf takes the place of a whole branch, where all of it becomes one thing.
                let (Share::All, Some(material)) = (share, self.effect.on_all()) else {
                    let children = self.tree.children(node);
                    for (quarter, child) in children.into_iter().enumerate() {
                        self.node(child, part(square, quarter), path.child(quarter));
                    }
                    return;
                };
                self.branches.codes.push(material);
            }
        }
        let (patch, slice) = self.place;
        self.branches.records.push(super::change::Record {
            patch,
            slice,
            path,
            first: first as u32,
        });
    }
}

/// One of the four parts of a square.
fn part(square: Square, quarter: usize) -> Square {
    let (below, [dx, dy]) = (square.level - 1, offset(quarter));
    Square {
        x: square.x + (dx << below),
        y: square.y + (dy << below),
        level: below,
    }
}

/// Adds the codes of what becomes of a leaf, pruned.
fn paint(
    pyramid: &Pyramid,
    effect: Effect,
    material: Material,
    square: Square,
    codes: &mut Vec<u8>,
) {
    match pyramid.share(square.x, square.y, square.level) {
        Share::None => codes.push(material),
        Share::All => codes.push(effect.on(material)),
        Share::Some => {
            let first = codes.len();
            codes.push(DIVIDED);
            for quarter in 0..4 {
                paint(pyramid, effect, material, part(square, quarter), codes);
            }
            if let &[_, a, b, c, d] = &codes[first..]
                && a == b
                && a == c
                && a == d
            {
                codes.truncate(first);
                codes.push(a);
            }
        }
    }
}
