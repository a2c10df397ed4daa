//! Summary statistics of a scheme: means with confidence intervals, percentiles, greatest values.

use viewcell::dice::Dice;

use super::play::Play;
use super::run::Outcome;

/// A mean of many, and how sure it is.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Spread {
    /// The mean.
    pub mean: f64,
    /// 95 of 100 are no greater.
    pub p95: f64,
    /// The greatest.
    pub worst: f64,
    /// Where the mean lies with 95 % confidence.
    pub confidence: [f64; 2],
}

/// What a scheme comes to in one run.
#[derive(Clone, Debug, PartialEq)]
pub struct Figures {
    /// Packets of a frame, of all.
    pub packets_per_frame: Spread,
    /// Bytes of a client's frame, up and down.
    pub bytes_per_client_frame: Spread,
    /// Packets of a client's frame: from it, and to it from the server.
    pub up_down: [f64; 2],
    /// Packets against those of perfect peers.
    pub ratio_to_perfect: f64,
    /// Frames in which somebody was late, of all pairs.
    pub late_frames: u64,
    /// The same, of those who had just been put somewhere else.
    pub late_jumps: u64,
    /// How long somebody was late on average, of those who were. [Unit: ms]
    pub late_ms_mean: f64,
    /// The longest. [Unit: ms]
    pub late_ms_worst: f64,
    /// Times a minute that a player became late for a client.
    pub late_per_minute: f64,
    /// Seconds a minute in which a client knows where somebody is whom it cannot see.
    pub exposed_seconds_per_minute: f64,
    /// The share of those who cannot be seen of whom a client knows where they are.
    pub exposed_share: f64,
    /// How far away those are on average. [Unit: of the field]
    pub exposed_distance: f64,
    /// Agreements a minute, of all pairs.
    pub negotiations_per_minute: f64,
    /// Frontier sets in force at the end.
    pub sets_in_force: u64,
    /// What these take, those that several pairs share counted once. [Unit: bytes]
    pub set_bytes: u64,
    /// How long sets lasted that have ended. [Unit: s]
    pub set_seconds: Spread,
    /// The same, one by one. [Unit: s]
    pub lasted: Vec<f64>,
    /// Packets that got lost.
    pub lost: u64,
    /// [Unit: µs]
    pub cpu_us_per_tick: f64,
}

/// Frames of a block that is drawn as a whole: players do the same thing for a while.
const BLOCK_SECONDS: f64 = 10.0;
/// How many times means are drawn.
const DRAWS: usize = 200;

/// What a scheme came to; `perfect` is the number of packets that perfect peers send.
pub fn figures(outcome: &Outcome, play: &Play, perfect: u64) -> Figures {
    let (score, frames) = (&outcome.score, play.frames as f64);
    let (players, minutes) = (play.players as f64, play.seconds() / 60.0);
    let block = (BLOCK_SECONDS * 1000.0 / play.step).ceil() as usize;
    let total: u64 = outcome.packets.iter().sum();
    let share = |part: u64, all: u64| {
        if all == 0 {
            0.0
        } else {
            part as f64 / all as f64
        }
    };
    let seconds = play.step / 1000.0;
    let bytes: Vec<f64> = score
        .bytes
        .iter()
        .map(|b| f64::from(*b) / players)
        .collect();
    let packets: Vec<f64> = score.packets.iter().map(|p| f64::from(*p)).collect();
    let lasted = outcome
        .sets
        .lasted
        .iter()
        .map(|frames| f64::from(*frames) * seconds);
    let lasted: Vec<f64> = lasted.collect();
    Figures {
        packets_per_frame: spread(&packets, block),
        bytes_per_client_frame: spread(&bytes, block),
        up_down: outcome
            .packets
            .map(|packets| packets as f64 / frames / players),
        ratio_to_perfect: share(total, perfect),
        late_frames: score.late_frames,
        late_jumps: score.late_jumps,
        late_ms_mean: share(score.late_frames, score.late_events) * play.step,
        late_ms_worst: f64::from(score.late_longest) * play.step,
        late_per_minute: score.late_events as f64 / minutes,
        exposed_seconds_per_minute: score.exposed_frames as f64 * seconds / minutes / players,
        exposed_share: share(score.exposed_pairs, score.hidden_pairs),
        exposed_distance: score.exposed_distance / (score.exposed_pairs.max(1) as f64),
        negotiations_per_minute: outcome.sets.agreed as f64 / minutes,
        sets_in_force: outcome.sets.in_force,
        set_bytes: outcome.sets.bytes,
        set_seconds: spread(&lasted, 1),
        lasted,
        lost: outcome.lost,
        cpu_us_per_tick: outcome.work.as_secs_f64() * 1e6 / frames,
    }
}

/// The mean of numbers in the order of time, with its confidence by drawing blocks of them anew.
pub fn spread(numbers: &[f64], block: usize) -> Spread {
    if numbers.is_empty() {
        return Spread::default();
    }
    let mut sorted = numbers.to_vec();
    sorted.sort_by(f64::total_cmp);
    let at = |share: f64, sorted: &[f64]| {
        let place = (share * sorted.len() as f64).ceil() as usize;
        sorted[place.clamp(1, sorted.len()) - 1]
    };
    let mut before = vec![0.0];
    for number in numbers {
        before.push(before[before.len() - 1] + number);
    }
    let block = block.clamp(1, numbers.len());
    let starts = (numbers.len() - block + 1) as u32;
    let draws = numbers.len().div_ceil(block);
    // A seed of its own: the same numbers are as sure in each run.
    let mut dice = Dice(numbers.len() as u64);
    let mut means: Vec<f64> = (0..DRAWS)
        .map(|_| {
            let sum: f64 = (0..draws)
                .map(|_| {
                    let start = dice.roll(starts) as usize;
                    before[start + block] - before[start]
                })
                .sum();
            sum / (draws * block) as f64
        })
        .collect();
    means.sort_by(f64::total_cmp);
    Spread {
        mean: before[numbers.len()] / numbers.len() as f64,
        p95: at(0.95, &sorted),
        worst: sorted[sorted.len() - 1],
        confidence: [at(0.025, &means), at(0.975, &means)],
    }
}

/// Where the mean of runs with different seeds lies with 95 % confidence: by Student's t.
pub fn of_runs(numbers: &[f64]) -> (f64, [f64; 2]) {
    /// Quantiles of 97.5 % for 1 to 30 degrees of freedom.
    const T: [f64; 30] = [
        12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.160,
        2.145, 2.131, 2.120, 2.110, 2.101, 2.093, 2.086, 2.080, 2.074, 2.069, 2.064, 2.060, 2.056,
        2.052, 2.048, 2.045, 2.042,
    ];
    let n = numbers.len();
    let mean = numbers.iter().sum::<f64>() / n.max(1) as f64;
    if n < 2 {
        return (mean, [mean; 2]);
    }
    let square: f64 = numbers.iter().map(|x| (x - mean) * (x - mean)).sum();
    let t = T.get(n - 2).copied().unwrap_or(1.96);
    let half = t * (square / (n - 1) as f64 / n as f64).sqrt();
    (mean, [mean - half, mean + half])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_spread_is_that_of_its_numbers() {
        let numbers: Vec<f64> = (1..=100).map(f64::from).collect();
        let found = spread(&numbers, 5);
        assert_eq!((found.mean, found.p95, found.worst), (50.5, 95.0, 100.0));
        let [low, high] = found.confidence;
        assert!(
            low < 50.5 && high > 50.5 && low > 20.0 && high < 80.0,
            "{found:?}"
        );
        assert_eq!(spread(&[], 5), Spread::default());
        assert_eq!(spread(&[3.0; 7], 100).confidence, [3.0; 2]);
    }

    #[test]
    fn the_mean_of_runs_lies_where_student_says() {
        // t of 2 degrees of freedom is 4.303; the deviation of 1, 2, 3 is 1.
        let (mean, [low, high]) = of_runs(&[1.0, 2.0, 3.0]);
        let half = 4.303 / 3.0_f64.sqrt();
        assert!((mean - 2.0).abs() < 1e-12);
        assert!((low - (2.0 - half)).abs() < 1e-9 && (high - (2.0 + half)).abs() < 1e-9);
        assert_eq!(of_runs(&[5.0]), (5.0, [5.0; 2]));
    }
}
