//! Pairs packed into integers, so that sorting and merging them is quick.

/// Pairs of indices below 2^30 as one number each, which sorts by the update, then by the subscription.
/// The lowest bit is free.
pub type Key = u64;

/// The number of a pair.
#[inline]
pub fn key(update: u32, subscription: u32) -> Key {
    u64::from(update) << 32 | u64::from(subscription) << 1
}

/// The pair of a number.
#[inline]
pub fn indices(key: Key) -> (u32, u32) {
    ((key >> 32) as u32, key as u32 >> 1)
}

/// Sorts; many keys by radix, digits of 11 bits, from the lowest, as far as digits differ.
pub fn sort(keys: &mut Vec<Key>, spare: &mut Vec<Key>) {
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

/// Adds sorted pairs to sorted pairs, none of which are the same.
pub fn merge(pairs: &mut Vec<Key>, fresh: &mut Vec<Key>, spare: &mut Vec<Key>) {
    if pairs.is_empty() {
        core::mem::swap(pairs, fresh);
        return;
    }
    spare.clear();
    let mut rest = pairs.as_slice();
    for &new in &*fresh {
        let before = rest.partition_point(|&pair| pair < new);
        let (first, after) = rest.split_at_checked(before).unwrap_or((rest, &[]));
        spare.extend_from_slice(first);
        spare.push(new);
        rest = after;
    }
    spare.extend_from_slice(rest);
    core::mem::swap(pairs, spare);
}

#[cfg(test)]
mod tests {
    use super::*;

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
