//! The `DICT` section: byte codes for the symbols of tree code 2.
//!
//! ```text
//! 0   node pages      u16      P of the node code
//! 2   leaf pages      u16      P of the leaf code
//! 4   node symbols    u32      number
//! 8   leaf symbols    u32      number
//! 12  reserved        u32      0
//! 16  node symbols    u32 each
//!     leaf symbols    u16 each
//! ```
//!
//! A symbol has a first byte, and perhaps more. First bytes below S = 255 − P stand for the
//! symbol of that number. First byte S + p, of the P *pages*, and a second byte q stand for
//! symbol S + 256·p + q. First byte 255 is followed by the symbol itself. First bytes and further
//! bytes are stored apart, so that the place of the n-th symbol follows from counting.

use crate::format::bytes::{u16_at, u32_at};

/// Length of what stands before the symbols.
pub const DICTIONARY_HEAD: usize = 16;

/// First byte of a symbol that is written out.
pub const ESCAPE: u8 = 255;

/// The byte code of symbols of `WIDTH` bytes.
#[derive(Clone, Copy, Debug)]
pub struct Code<'a, const WIDTH: usize> {
    /// First bytes below this stand alone.
    short: u8,
    symbols: &'a [u8],
}

/// The code of nodes: symbols are [`super::blockpair::MaskNode`]s.
pub type NodeCode<'a> = Code<'a, 4>;
/// The code of leaves: symbols are 2×2 viewpoints by 2×2 targets.
pub type LeafCode<'a> = Code<'a, 2>;

impl<'a, const WIDTH: usize> Code<'a, WIDTH> {
    /// A code with so many pages, over symbols of `WIDTH` bytes.
    const fn new(pages: u8, symbols: &'a [u8]) -> Self {
        Self {
            short: ESCAPE - pages,
            symbols,
        }
    }

    /// Number of symbols that have a number.
    pub const fn len(&self) -> usize {
        self.symbols.len() / WIDTH
    }

    /// Whether all symbols are written out.
    pub const fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// First bytes below this stand alone.
    pub const fn short(&self) -> u8 {
        self.short
    }

    /// Symbol of a number; all ones (visible) where there is none.
    #[inline]
    pub fn numbered(&self, number: usize) -> u32 {
        raw::<WIDTH>(self.symbols, number.saturating_mul(WIDTH))
    }

    /// The symbol of a first byte, whose further bytes are at `at` of `more`, and how many of
    /// these it has. Missing bytes are taken for a symbol of ones, which says visible.
    #[inline]
    pub fn symbol(&self, first: u8, more: &[u8], at: usize) -> (u32, usize) {
        if first < self.short {
            (self.numbered(first.into()), 0)
        } else if first < ESCAPE {
            match more.get(at) {
                Some(&second) => {
                    let page = usize::from(first - self.short) << 8 | usize::from(second);
                    (self.numbered(usize::from(self.short) + page), 1)
                }
                None => (!0, 1),
            }
        } else {
            (raw::<WIDTH>(more, at), WIDTH)
        }
    }

    /// Number of further bytes of symbols with these first bytes.
    #[inline]
    pub fn further(&self, firsts: &[u8]) -> usize {
        // Bytes are summed in runs that cannot overflow a byte: the compiler makes vectors of it.
        let mut total = 0;
        for run in firsts.chunks(32) {
            let (mut long, mut escaped) = (0u8, 0u8);
            for &first in run {
                long += u8::from(first >= self.short);
                escaped += u8::from(first == ESCAPE);
            }
            total += usize::from(long) + usize::from(escaped) * (WIDTH - 1);
        }
        total
    }
}

/// A symbol of `WIDTH` bytes; ones where it is not there.
#[inline]
fn raw<const WIDTH: usize>(bytes: &[u8], at: usize) -> u32 {
    let symbol = match WIDTH {
        2 => u16_at(bytes, at).map(u32::from),
        _ => u32_at(bytes, at),
    };
    symbol.unwrap_or(!0)
}

/// Both codes of a bundle.
#[derive(Clone, Copy, Debug)]
pub struct Dictionary<'a> {
    /// The code of nodes.
    pub nodes: NodeCode<'a>,
    /// The code of leaves.
    pub leaves: LeafCode<'a>,
}

impl<'a> Dictionary<'a> {
    /// Reads the `DICT` section. `None` unless it is as long as it says, with at most 255 pages.
    pub fn parse(bytes: &'a [u8]) -> Option<Self> {
        let node_pages = u8::try_from(u16_at(bytes, 0)?).ok()?;
        let leaf_pages = u8::try_from(u16_at(bytes, 2)?).ok()?;
        let nodes = usize::try_from(u32_at(bytes, 4)?).ok()?.checked_mul(4)?;
        let leaves = usize::try_from(u32_at(bytes, 8)?).ok()?.checked_mul(2)?;
        let symbols = bytes.get(DICTIONARY_HEAD..)?;
        let (nodes, rest) = symbols.split_at_checked(nodes)?;
        (rest.len() == leaves).then_some(Self {
            nodes: Code::new(node_pages, nodes),
            leaves: Code::new(leaf_pages, rest),
        })
    }
}
