//! An order of places of which the first lie apart, for samples.

/// The numbers below `count`, each once, such that the first of them are spread evenly: steps of
/// the golden section.
pub(crate) fn spread(count: usize) -> impl Iterator<Item = usize> {
    let are_prime = |mut a: usize, mut b: usize| {
        while b > 0 {
            (a, b) = (b, a % b);
        }
        a == 1
    };
    let golden = (count as f64 * 0.618_034) as usize;
    let step = (golden.max(1)..).find(|&step| are_prime(step, count));
    let step = step.unwrap_or(1);
    (0..count).map(move |k| (k as u64 * step as u64 % count as u64) as usize)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_number_comes_once_and_the_first_lie_apart() {
        for count in [1, 2, 3, 4, 7, 24, 100, 1849] {
            let mut all: Vec<usize> = spread(count).collect();
            let mut first: Vec<usize> = all.iter().copied().take(10).collect();
            all.sort_unstable();
            assert!(all.into_iter().eq(0..count), "{count}");
            if count >= 100 {
                first.sort_unstable();
                let apart = first.windows(2).map(|pair| pair[1] - pair[0]).min();
                assert!(apart >= Some(count / 30), "{count}: {first:?}");
            }
        }
    }
}
