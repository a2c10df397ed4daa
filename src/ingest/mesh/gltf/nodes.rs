//! Nodes of a scene: where they are, and what there is against their hiding.

use std::collections::HashSet;

use gltf::json::Extras;
use gltf::{Document, Node};

use super::animations::Changing;
use super::buffers::REMEDY;
use super::extensions::{Says, of_extras, of_node};
use super::placement::Placement;
use crate::error::IngestError;
use crate::mesh::selection::Selection;
use crate::mesh::undrawn::{Levels, level, of_object};
use crate::mesh::unhiding::{Reason, Stays};

/// A node of the scene, and where it is.
pub(super) struct Placed<'a> {
    pub(super) node: Node<'a>,
    pub(super) placement: Placement,
    /// The number of the node above it in the list.
    above: Option<usize>,
    /// Why its mesh hides nothing, if it does not.
    pub(super) reason: Option<Reason>,
}

/// All nodes of the scene that counts.
///
/// # Errors
///
/// No scene, a node in two places.
pub(super) fn nodes<'a>(
    document: &'a Document,
    changing: &Changing,
    selection: Option<&Selection>,
) -> Result<Vec<Placed<'a>>, IngestError> {
    let scene = document
        .default_scene()
        .or_else(|| document.scenes().next());
    let scene = scene.ok_or_else(|| IngestError::bad("a scene", "none", REMEDY))?;
    let conventions = selection.map(|selection| Conventions::of(document, changing, selection));
    let mut met = vec![false; document.nodes().len()];
    let mut waiting: Vec<_> = scene
        .nodes()
        .map(|node| (node, Placement::UNMOVED, None, None))
        .collect();
    let mut found = Vec::new();
    while let Some((node, parent, reason, above)) = waiting.pop() {
        // Also what keeps a node from being below itself.
        if std::mem::replace(&mut met[node.index()], true) {
            let place = format!("node {}", node.index());
            let expected = "each node in one place of the scene";
            return Err(IngestError::bad(expected, "one in two", REMEDY).at(place));
        }
        let placement = parent.then(&Placement::of(node.transform()));
        let (all, own) = conventions
            .as_ref()
            .map_or((None, None), |of| of.node(&node));
        let below = Reason::of_both(reason, all);
        waiting.extend(
            node.children()
                .map(|child| (child, placement, below.clone(), Some(found.len()))),
        );
        found.push(Placed {
            node,
            placement,
            above,
            reason: Reason::of_both(below, own),
        });
    }
    Ok(found)
}

/// A path of nodes is no longer, but for the name of the last: else it takes the square of their number.
const LONGEST: usize = 1000;

/// The names of a node of the list and of those above it, the last of them where they are too long, with `/` between them.
pub(super) fn path_of(all: &[Placed], of: usize) -> String {
    let (mut names, mut left) = (Vec::new(), LONGEST);
    for at in std::iter::successors(Some(of), |&at| all[at].above) {
        let node = &all[at].node;
        let name = match node.name().filter(|name| !name.is_empty()) {
            Some(name) => name.to_owned(),
            None => format!("node {}", node.index()),
        };
        if !names.is_empty() && name.len() >= left {
            break;
        }
        left = left.saturating_sub(name.len() + 1);
        names.push(name);
    }
    names.reverse();
    names.join("/")
}

/// What a file says of its nodes, besides where they are.
struct Conventions<'a> {
    changing: &'a Changing,
    selection: &'a Selection,
    levels: Levels,
    /// Nodes that are others from farther away.
    coarser: HashSet<u64>,
}

impl<'a> Conventions<'a> {
    fn of(document: &Document, changing: &'a Changing, selection: &'a Selection) -> Self {
        let (mut levels, mut coarser) = (Levels::default(), HashSet::new());
        for node in document.nodes() {
            levels.add(name_of_level(&node));
            let lod = node.extension_value("MSFT_lod");
            let ids = lod.and_then(|lod| lod["ids"].as_array());
            coarser.extend(ids.into_iter().flatten().filter_map(|id| id.as_u64()));
        }
        Self {
            changing,
            selection,
            levels,
            coarser,
        }
    }

    /// What there is against the hiding of a node and all below it, and against that of its mesh.
    fn node(&self, node: &Node) -> (Option<Reason>, Option<Reason>) {
        let name = node.name().unwrap_or("");
        let is_animated = self.changing.all || self.changing.nodes.contains(&node.index());
        let mut all = is_animated.then(|| Reason::new("animated", Stays::Drawn));
        let mut own = None;
        let mut add = |more: Option<Reason>| all = Reason::of_both(all.take(), more);
        for (extension, value) in node.extensions().into_iter().flatten() {
            match of_node(extension, value) {
                Says::Nothing => {}
                Says::OfAll(reason) => add(Some(reason)),
                Says::OfMesh(reason) => own = Reason::of_both(own, Some(reason)),
            }
        }
        add(hidden_by(node.extras()));
        add(of_object(name));
        add(self.levels.of(name_of_level(node)));
        let coarser = self.coarser.contains(&(node.index() as u64));
        add(coarser.then(|| Reason::new("of coarser levels of detail", Stays::Out)));
        let mesh = node.mesh();
        let of_mesh = mesh.as_ref().and_then(|mesh| mesh.name()).unwrap_or("");
        own = Reason::of_both(own, of_object(of_mesh));
        own = Reason::of_both(own, mesh.as_ref().and_then(|mesh| hidden_by(mesh.extras())));
        // A node that is kept is so with its mesh.
        if self.selection.keeps(&[name]) {
            (all, own) = (None, None);
        }
        let (all, own) = (
            self.selection.of(&[name], all),
            self.selection.of(&[of_mesh], own),
        );
        (all, own)
    }
}

/// What custom properties say.
pub(super) fn hidden_by(extras: &Extras) -> Option<Reason> {
    let extras = extras.as_ref()?;
    of_extras(&serde_json::from_str(extras.get()).ok()?)
}

/// The name with the level of detail: that of the node, or of its mesh.
fn name_of_level<'a>(node: &Node<'a>) -> &'a str {
    let name = node.name().unwrap_or("");
    let of_mesh = node.mesh().and_then(|mesh| mesh.name()).unwrap_or("");
    if level(name).is_none() && level(of_mesh).is_some() {
        of_mesh
    } else {
        name
    }
}
