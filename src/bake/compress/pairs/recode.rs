//! Transcoding: from one byte code to another, symbol by symbol: without a look at who sees whom.
//!
//! The symbols of a record follow from its first bytes alone, and most symbols have a number in the
//! old code. So they are counted by number, and each number is looked up in the new code once.

use rustc_hash::FxHashMap;

use super::codebook::{Codebook, Coded, Histogram};
use viewcell::format::blockpair::MaskNode;
use viewcell::format::dictionary::{Code, Dictionary, ESCAPE};

/// How often the symbols of a code occur.
#[derive(Debug, Default)]
struct Counts {
    /// By number.
    numbered: Vec<u64>,
    /// Of those that are written out.
    others: FxHashMap<u32, u64>,
}

/// How often symbols occur in records of one code.
#[derive(Debug, Default)]
pub struct RecordCounts {
    nodes: Counts,
    leaves: Counts,
}

/// What a symbol is to be.
#[derive(Clone, Copy)]
struct Entry {
    coded: Coded,
    /// How many children of a node are mixed.
    mixed: u8,
}

/// Records of an old code become records of a new one.
pub struct Recoder<'a> {
    old: Dictionary<'a>,
    new: &'a Codebook,
    /// By number in the old code.
    nodes: Vec<Entry>,
    leaves: Vec<Entry>,
}

/// Symbols one after the other, as a record has them: first bytes, then further bytes.
struct Symbols<'a, const WIDTH: usize> {
    /// First bytes below this stand alone.
    short: u8,
    firsts: &'a [u8],
    more: &'a [u8],
}

/// A symbol in an old code.
enum Old {
    Number(usize),
    Written(u32),
}

impl<'a, const WIDTH: usize> Symbols<'a, WIDTH> {
    /// So many symbols at the start of `bytes`. `None` where these are too few.
    fn new(code: &Code<WIDTH>, bytes: &'a [u8], count: usize) -> Option<Self> {
        let (firsts, more) = bytes.split_at_checked(count)?;
        Some(Self {
            short: code.short(),
            firsts,
            more,
        })
    }

    /// Shows all of them; returns the bytes behind. `None` where these are too few.
    #[inline(always)]
    fn each(self, mut show: impl FnMut(Old) -> Option<()>) -> Option<&'a [u8]> {
        let short = self.short;
        let mut more = self.more;
        for &first in self.firsts {
            if first < short {
                show(Old::Number(first.into()))?;
            } else if first < ESCAPE {
                let (&second, rest) = more.split_first()?;
                more = rest;
                let page = usize::from(first - short) << 8 | usize::from(second);
                show(Old::Number(usize::from(short) + page))?;
            } else {
                let (symbol, rest) = more.split_at_checked(WIDTH)?;
                more = rest;
                let mut bytes = [0; 4];
                bytes[..WIDTH].copy_from_slice(symbol);
                show(Old::Written(u32::from_le_bytes(bytes)))?;
            }
        }
        Some(more)
    }
}

/// Children of a node that are mixed.
fn mixed(node: u32) -> u8 {
    MaskNode(node).mixed().count_ones() as u8
}

impl Counts {
    fn note(&mut self, symbol: &Old) -> Option<()> {
        match *symbol {
            Old::Number(number) => *self.numbered.get_mut(number)? += 1,
            Old::Written(symbol) => *self.others.entry(symbol).or_default() += 1,
        }
        Some(())
    }
}

impl RecordCounts {
    /// Counts the symbols of `records` records, end to end. `None` where the bytes are none.
    pub fn count(&mut self, old: &Dictionary, mut bytes: &[u8], records: usize) -> Option<()> {
        self.nodes.numbered.resize(old.nodes.len(), 0);
        self.leaves.numbered.resize(old.leaves.len(), 0);
        for _ in 0..records {
            let mut count = 1;
            for _ in 0..2 {
                let mut next = 0;
                bytes = Symbols::new(&old.nodes, bytes, count)?.each(|symbol| {
                    next += usize::from(mixed(match symbol {
                        Old::Number(number) => old.nodes.numbered(number),
                        Old::Written(node) => node,
                    }));
                    self.nodes.note(&symbol)
                })?;
                count = next;
            }
            let leaves = Symbols::new(&old.leaves, bytes, count)?;
            bytes = leaves.each(|symbol| self.leaves.note(&symbol))?;
        }
        Some(())
    }

    /// Adds them to a histogram.
    pub fn add_to(&self, old: &Dictionary, histogram: &mut Histogram) {
        for (number, &count) in self.nodes.numbered.iter().enumerate() {
            histogram.add_node(old.nodes.numbered(number), count);
        }
        for (number, &count) in self.leaves.numbered.iter().enumerate() {
            histogram.add_leaf(old.leaves.numbered(number) as u16, count);
        }
        for (&node, &count) in &self.nodes.others {
            histogram.add_node(node, count);
        }
        for (&leaf, &count) in &self.leaves.others {
            histogram.add_leaf(leaf as u16, count);
        }
    }
}

impl<'a> Recoder<'a> {
    /// From a code to a code.
    pub fn new(old: Dictionary<'a>, new: &'a Codebook) -> Self {
        let node = |number| {
            let symbol = old.nodes.numbered(number);
            Entry {
                coded: new.node(symbol),
                mixed: mixed(symbol),
            }
        };
        let leaf = |number| Entry {
            coded: new.leaf(old.leaves.numbered(number) as u16),
            mixed: 0,
        };
        Self {
            old,
            new,
            nodes: (0..old.nodes.len()).map(node).collect(),
            leaves: (0..old.leaves.len()).map(leaf).collect(),
        }
    }

    /// Appends to `out` what a record at the start of `bytes` becomes; returns the bytes behind it.
    /// `None` where there is none.
    pub fn record<'b>(&self, mut bytes: &'b [u8], out: &mut Vec<u8>) -> Option<&'b [u8]> {
        let mut count = 1;
        for _ in 0..2 {
            let mut next = 0;
            let mut first = out.len();
            out.resize(first + count, ESCAPE);
            bytes = Symbols::new(&self.old.nodes, bytes, count)?.each(|symbol| {
                let entry = match symbol {
                    Old::Number(number) => *self.nodes.get(number)?,
                    Old::Written(node) => Entry {
                        coded: self.new.node(node),
                        mixed: mixed(node),
                    },
                };
                next += usize::from(entry.mixed);
                entry.coded.put(first, out);
                first += 1;
                Some(())
            })?;
            count = next;
        }
        let mut first = out.len();
        out.resize(first + count, ESCAPE);
        Symbols::new(&self.old.leaves, bytes, count)?.each(|symbol| {
            let coded = match symbol {
                Old::Number(number) => self.leaves.get(number)?.coded,
                Old::Written(leaf) => self.new.leaf(leaf as u16),
            };
            coded.put(first, out);
            first += 1;
            Some(())
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compress::pairs::PairSymbols;
    use proptest::prelude::*;
    use viewcell::format::Answer;

    /// Mixed pairs of few kinds, so that most symbols come again.
    fn pairs() -> impl Strategy<Value = Vec<PairSymbols>> {
        let row = prop_oneof![
            Just(0u64),
            Just(!0),
            Just(0xF0F0),
            0..1u64 << 20,
            any::<u64>()
        ];
        let rows = proptest::collection::vec(row, 64);
        proptest::collection::vec(rows, 1..12).prop_map(|all| {
            let mixed = all.into_iter().filter_map(|rows| {
                let mut pair = PairSymbols::default();
                let rows: [u64; 64] = rows.try_into().unwrap();
                (pair.analyse(&rows, !0, !0) == Answer::Mixed).then_some(pair)
            });
            mixed.collect()
        })
    }

    proptest! {
        #[test]
        fn counts_and_codes_are_those_of_the_symbols(
            known in pairs(), pairs in pairs(), times in 1..200usize,
        ) {
            let book = |some: &[PairSymbols], times: usize| {
                let mut histogram = Histogram::default();
                for pair in some {
                    (0..times).for_each(|_| histogram.count(pair.pair()));
                }
                Codebook::new(&histogram)
            };
            let (old, new) = (book(&known, times), book(&pairs, 1 + times / 2));
            let section = old.section();
            let dictionary = Dictionary::parse(&section).unwrap();
            let all: Vec<&PairSymbols> = known.iter().chain(&pairs).collect();
            let (mut bytes, mut expected) = (Vec::new(), Vec::new());
            let mut histogram = Histogram::default();
            for pair in &all {
                old.write(pair.pair(), &mut bytes);
                new.write(pair.pair(), &mut expected);
                histogram.count(pair.pair());
            }
            let mut counts = RecordCounts::default();
            prop_assert!(counts.count(&dictionary, &bytes, all.len()).is_some());
            let mut found = Histogram::default();
            counts.add_to(&dictionary, &mut found);
            prop_assert_eq!(Codebook::new(&found), Codebook::new(&histogram));

            let recoder = Recoder::new(dictionary, &new);
            let (mut recoded, mut rest) = (Vec::new(), &bytes[..]);
            for _ in &all {
                rest = recoder.record(rest, &mut recoded).unwrap();
            }
            prop_assert!(rest.is_empty());
            prop_assert_eq!(recoded, expected);
            if !bytes.is_empty() {
                let short = &bytes[..bytes.len() - 1];
                prop_assert!(RecordCounts::default().count(&dictionary, short, all.len()).is_none());
            }
        }
    }
}
