//! What each player is to all others: bits, in words for 64 numbers of players.

use super::changes::{Key, key};

/// How far apart two players are, as long as neither goes farther than its slack from where it settled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Apart {
    /// Out of each other's reach.
    Far,
    /// In or out of reach: distances are to be measured.
    Unsettled,
    /// Within each other's reach.
    Near,
}

/// 64 others.
#[derive(Clone, Copy, Debug, Default)]
struct Word {
    /// Which 64.
    number: u32,
    /// Those who are not far.
    around: u64,
    unsettled: u64,
    /// Those within reach.
    near: u64,
    /// Those around whom nothing hides.
    seen: u64,
}

impl Word {
    /// Those whom the player is told of.
    fn aware(&self) -> u64 {
        self.near & self.seen
    }
}

/// What others are to one player.
#[derive(Debug, Default)]
pub(super) struct Row {
    /// In order; none in which nobody is around.
    words: Vec<Word>,
}

/// What has changed: pairs, observer first, the lowest bit set where it begins. A pair may change
/// several times in a tick.
pub(super) type Turns = Vec<Key>;

/// The others whose bits are set in a word.
#[derive(Clone, Debug)]
struct Each {
    number: u32,
    bits: u64,
}

impl Iterator for Each {
    type Item = u32;

    #[inline]
    fn next(&mut self) -> Option<u32> {
        if self.bits == 0 {
            return None;
        }
        let other = self.number << 6 | self.bits.trailing_zeros();
        self.bits &= self.bits - 1;
        Some(other)
    }
}

#[inline]
fn each(number: u32, bits: u64) -> Each {
    Each { number, bits }
}

/// Says which of 64 others the observer is told of now, and was not, and the other way round.
#[inline]
fn turn(turns: &mut Turns, observer: u32, number: u32, before: u64, now: u64) {
    for other in each(number, before ^ now) {
        turns.push(key(observer, other) | now >> (other & 63) & 1);
    }
}

impl Row {
    #[inline]
    fn find(&self, number: u32) -> Result<usize, usize> {
        // Where many are around, no word is left out.
        let first = self.words.first().map_or(0, |word| word.number);
        let guess = number.wrapping_sub(first) as usize;
        let word = self.words.get(guess);
        if word.is_some_and(|word| word.number == number) {
            return Ok(guess);
        }
        self.words.binary_search_by_key(&number, |word| word.number)
    }

    /// How far another was said to be.
    #[inline]
    pub(super) fn apart(&self, other: u32) -> Apart {
        let (number, bit) = (other >> 6, 1_u64 << (other & 63));
        let word = self.find(number).ok().and_then(|at| self.words.get(at));
        match word.map(|word| (word.around & bit != 0, word.unsettled & bit != 0)) {
            Some((true, true)) => Apart::Unsettled,
            Some((true, false)) => Apart::Near,
            _ => Apart::Far,
        }
    }

    /// Those around, in order.
    pub(super) fn around(&self) -> impl Iterator<Item = u32> + '_ {
        let words = self.words.iter();
        words.flat_map(|word| each(word.number, word.around))
    }

    /// Those whom the player is told of, in order.
    pub(super) fn aware(&self) -> impl Iterator<Item = u32> + '_ {
        let words = self.words.iter();
        words.flat_map(|word| each(word.number, word.aware()))
    }

    /// Another is so far now. Whether one who was far is seen is asked. Returns whether the other
    /// is seen.
    pub(super) fn settle(
        &mut self,
        observer: u32,
        other: u32,
        apart: Apart,
        is_seen: impl FnOnce() -> bool,
        turns: &mut Turns,
    ) -> bool {
        let (number, bit) = (other >> 6, 1_u64 << (other & 63));
        let at = match (self.find(number), apart) {
            (Ok(at), _) => at,
            (Err(_), Apart::Far) => return false,
            (Err(at), _) => {
                let word = Word {
                    number,
                    ..Word::default()
                };
                self.words.insert(at, word);
                at
            }
        };
        let Some(word) = self.words.get_mut(at) else {
            return false;
        };
        let before = word.aware();
        if apart == Apart::Far {
            for bits in [
                &mut word.around,
                &mut word.unsettled,
                &mut word.near,
                &mut word.seen,
            ] {
                *bits &= !bit;
            }
        } else {
            if word.around & bit == 0 && is_seen() {
                word.seen |= bit;
            }
            word.around |= bit;
            word.unsettled &= !bit;
            match apart {
                Apart::Near => word.near |= bit,
                _ => word.unsettled |= bit,
            }
        }
        turn(turns, observer, number, before, word.aware());
        let is_seen = word.seen & bit != 0;
        if word.around == 0 {
            self.words.remove(at);
        }
        is_seen
    }

    /// Measures the distances of those who are unsettled.
    #[inline]
    pub(super) fn measure(
        &mut self,
        observer: u32,
        mut is_near: impl FnMut(u32) -> bool,
        turns: &mut Turns,
    ) {
        for word in &mut self.words {
            let number = word.number;
            if word.unsettled == 0 {
                continue;
            }
            let mut near = 0;
            for other in each(number, word.unsettled) {
                near |= u64::from(is_near(other)) << (other & 63);
            }
            let before = word.aware();
            word.near = word.near & !word.unsettled | near;
            turn(turns, observer, number, before, word.aware());
        }
    }

    /// Says of all around, in order, whether they are seen now; lists those of whom that is new.
    pub(super) fn look(
        &mut self,
        observer: u32,
        seen: &[bool],
        news: &mut Vec<(u32, bool)>,
        turns: &mut Turns,
    ) {
        news.clear();
        let mut seen = seen.iter();
        for word in &mut self.words {
            let number = word.number;
            let mut now = 0;
            for other in each(number, word.around) {
                now |= u64::from(seen.next() == Some(&true)) << (other & 63);
            }
            let (before, changed) = (word.aware(), word.seen ^ now);
            word.seen = now;
            turn(turns, observer, number, before, word.aware());
            news.extend(each(number, changed).map(|other| (other, now >> (other & 63) & 1 == 1)));
        }
    }

    /// Says whether one of those around is seen now.
    #[inline]
    pub(super) fn see(&mut self, observer: u32, other: u32, is_seen: bool, turns: &mut Turns) {
        let (number, bit) = (other >> 6, 1_u64 << (other & 63));
        let found = self.find(number).ok().and_then(|at| self.words.get_mut(at));
        if let Some(word) = found {
            let before = word.aware();
            let seen = if is_seen { bit } else { 0 };
            word.seen = word.seen & !bit | seen & word.around;
            turn(turns, observer, number, before, word.aware());
        }
    }

    pub(super) fn bytes(&self) -> usize {
        self.words.capacity() * size_of::<Word>()
    }
}
