//! Sorting many keys.

use super::changes::Key;

/// Sorts; many keys by digits of 11 bits, from the lowest, as far as digits differ.
pub(super) fn sort(keys: &mut Vec<Key>, spare: &mut Vec<Key>) {
    const BITS: u32 = 11;
    if keys.len() < 1 << BITS {
        keys.sort_unstable();
        return;
    }
    let (all, any) = keys
        .iter()
        .fold((Key::MAX, 0), |(all, any), key| (all & key, any | key));
    let differ = all ^ any;
    spare.clear();
    spare.resize(keys.len(), 0);
    for shift in (0..Key::BITS).step_by(BITS as usize) {
        let digit = |key: Key| (key >> shift) as usize & ((1 << BITS) - 1);
        if digit(differ) == 0 {
            continue;
        }
        let mut starts = [0_u32; 1 << BITS];
        for &key in &*keys {
            if let Some(start) = starts.get_mut(digit(key)) {
                *start += 1;
            }
        }
        let mut sum = 0;
        for start in &mut starts {
            (*start, sum) = (sum, sum + *start);
        }
        for &key in &*keys {
            let Some(start) = starts.get_mut(digit(key)) else {
                continue;
            };
            if let Some(place) = spare.get_mut(*start as usize) {
                *place = key;
            }
            *start += 1;
        }
        core::mem::swap(keys, spare);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::runtime::interest::changes::key;

    #[test]
    fn digits_sort_as_comparing_does() {
        let mut state = 1_u64;
        for count in [0, 1, 2047, 2048, 5000] {
            let mut keys: Vec<Key> = (0..count)
                .map(|_| {
                    state = state
                        .wrapping_mul(6_364_136_223_846_793_005)
                        .wrapping_add(1);
                    key((state >> 40) as u32 % 3000, (state >> 20) as u32 % 3000)
                })
                .collect();
            let mut expected = keys.clone();
            expected.sort_unstable();
            sort(&mut keys, &mut Vec::new());
            assert_eq!(keys, expected);
        }
    }
}
