//! Faces that hide nothing: why, how many, and the one note that tells of them.

/// What becomes of a face that hides nothing, from the least to the most.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Stays {
    /// It is drawn, and stops players: it may move, or is seen through.
    Drawn,
    /// It is not drawn, and stops players, as a clip brush does.
    Hull,
    /// It is not there.
    Out,
}

/// Why a face hides nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Reason {
    /// Behind a number of faces.
    pub(crate) what: String,
    pub(crate) stays: Stays,
}

impl Reason {
    pub(crate) fn new(what: &str, stays: Stays) -> Self {
        Self {
            what: what.to_owned(),
            stays,
        }
    }

    /// Of two reasons the one that leaves less; of equal ones the first.
    pub(crate) fn of_both(first: Option<Self>, second: Option<Self>) -> Option<Self> {
        match (first, second) {
            (Some(a), Some(b)) if b.stays > a.stays => Some(b),
            (first, second) => first.or(second),
        }
    }
}

/// All faces of a file, and those that hide nothing by their reason.
#[derive(Clone, Debug, Default)]
pub(crate) struct Unhiding {
    faces: usize,
    /// What, how many, and the first.
    reasons: Vec<(String, usize, String)>,
}

impl Unhiding {
    /// Counts faces, which have one reason, or hide.
    pub(crate) fn count(
        &mut self,
        faces: usize,
        reason: Option<&Reason>,
        place: impl FnOnce() -> String,
    ) {
        self.faces += faces;
        let Some(Reason { what, .. }) = reason.filter(|_| faces > 0) else {
            return;
        };
        match self.reasons.iter_mut().find(|(of, ..)| of == what) {
            Some((_, number, _)) => *number += faces,
            None => self.reasons.push((what.clone(), faces, place())),
        }
    }

    /// The note, if there is something to tell.
    pub(crate) fn note(&self) -> Option<String> {
        let number: usize = self.reasons.iter().map(|(_, number, _)| number).sum();
        let each: Vec<String> = self
            .reasons
            .iter()
            .map(|(what, number, first)| format!("{number} {what} (the first: {first})"))
            .collect();
        let of = match number {
            0 => return None,
            number if number == self.faces => format!("all {number} faces"),
            number => format!("{number} of {} faces", self.faces),
        };
        Some(format!(
            "{of} hide nothing: {}; `keep` takes what has a name as drawn and opaque",
            each.join(", ")
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_note_counts_all_reasons() {
        let mut faces = Unhiding::default();
        faces.count(10, None, String::new);
        assert_eq!(faces.note(), None);
        let [glass, hull] = [
            Reason::new("blended", Stays::Drawn),
            Reason::new("of collision", Stays::Hull),
        ];
        faces.count(2, Some(&glass), || "material glass".into());
        faces.count(3, Some(&hull), || "node 2, UCX_a".into());
        faces.count(1, Some(&glass), || "material ice".into());
        let note = faces.note().unwrap();
        let due = "6 of 16 faces hide nothing: 3 blended (the first: material glass), \
                   3 of collision (the first: node 2, UCX_a)";
        assert!(note.starts_with(due), "{note}");
        let both = Reason::of_both(Some(glass.clone()), Some(hull.clone()));
        assert_eq!(both, Some(hull.clone()));
        assert_eq!(Reason::of_both(Some(hull.clone()), Some(glass)), Some(hull));
    }
}
