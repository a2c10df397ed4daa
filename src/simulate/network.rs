//! How packets travel: how long they take, how much fits through, which get lost.

use viewcell::dice::Dice;

/// How packets travel.
#[derive(Clone, Debug, PartialEq)]
pub struct Network {
    /// There and back: between a client and the server, and between two peers. [Unit: ms]
    pub rtt: f64,
    /// The same for each player, again from the first where there are more players; empty for
    /// [`Network::rtt`]. Two peers have the mean of theirs. [Unit: ms]
    pub rtts: Vec<f64>,
    /// How much players differ: the standard deviation of the logarithm of a player's time, which
    /// is log-normal with the median that is given above; 0 for no difference.
    pub spread: f64,
    /// Added to each way at random, from nothing to this. [Unit: ms]
    pub jitter: f64,
    /// The share of packets that get lost.
    pub loss: f64,
    /// How many packets get lost in a row where any do, on average (Gilbert-Elliott: a state in
    /// which all get lost); 1 for independent losses.
    pub burst: f64,
    /// What the line of each client carries, up and down, more than 0; none for any amount. The
    /// server's carries any. [Unit: kbit/s]
    pub bandwidth: Option<f64>,
    /// For how long a packet may wait for a line that is busy. One that would wait longer gets lost.
    /// [Unit: ms]
    pub queue: f64,
}

impl Default for Network {
    /// All arrives at once.
    fn default() -> Self {
        Self {
            rtt: 0.0,
            rtts: Vec::new(),
            spread: 0.0,
            jitter: 0.0,
            loss: 0.0,
            burst: 1.0,
            bandwidth: None,
            queue: 100.0,
        }
    }
}

impl Network {
    /// Whether all arrives at once, so that questions are answered within a frame.
    pub fn is_instant(&self) -> bool {
        self.is_prompt() && self.loss == 0.0
    }

    /// Whether what arrives does so at once: packets may get lost.
    pub fn is_prompt(&self) -> bool {
        let instant = |rtt: &f64| *rtt == 0.0;
        let rtt = if self.rtts.is_empty() {
            self.rtt == 0.0
        } else {
            self.rtts.iter().all(instant)
        };
        rtt && self.jitter == 0.0 && self.bandwidth.is_none()
    }

    /// The time there and back of each player. The same seed gives the same times. [Unit: ms]
    pub fn times(&self, players: usize, seed: u64) -> Vec<f64> {
        // Not the dice that packets get lost by: players differ the same way whatever gets lost.
        let mut dice = Dice(seed ^ 0x7274_7400);
        (0..players)
            .map(|player| {
                let median = match self.rtts.get(player % self.rtts.len().max(1)) {
                    Some(rtt) => *rtt,
                    None => self.rtt,
                };
                if self.spread > 0.0 {
                    median * (self.spread * normal(&mut dice)).exp()
                } else {
                    median
                }
            })
            .collect()
    }

    /// The longest that a position may take through the server, but for losses: up, down, and
    /// whatever may be added to both. [Unit: ms]
    pub fn longest(&self, players: usize, seed: u64) -> f64 {
        let longest = self.times(players, seed).into_iter().fold(0.0, f64::max);
        longest + 2.0 * self.jitter + self.waiting()
    }

    /// How long a packet and its answer may wait for lines. [Unit: ms]
    fn waiting(&self) -> f64 {
        // A packet of the size of a frame on the wire takes this long to pass.
        let passes = |bandwidth| 2.0 * (self.queue + 1500.0 * 8.0 / bandwidth);
        self.bandwidth.map_or(0.0, passes)
    }
}

/// How long packets take between the server and each client, as the server knows it from their pings.
#[derive(Clone, Debug, Default)]
pub struct Timing {
    /// The shortest and the longest time of each client's packets, one way. [Unit: ms]
    ways: Vec<[f64; 2]>,
    /// Packets in a row that may get lost. [Unit: frames]
    spare: u32,
}

impl Timing {
    /// Of a network. The same seed gives the same times.
    pub fn new(network: &Network, players: usize, seed: u64) -> Self {
        let waiting = network.waiting() / 2.0;
        let times = network.times(players, seed).into_iter();
        let ways = times.map(|time| [time / 2.0, time / 2.0 + network.jitter + waiting]);
        Self {
            ways: ways.collect(),
            spare: if network.loss > 0.0 { 2 } else { 0 },
        }
    }

    /// The frames in which a client goes by what the server sends in a frame: from the first after it has arrived
    /// to the last before what is sent a frame later has.
    pub fn frames_until_next(&self, client: usize, frame: usize, step: f64) -> [usize; 2] {
        let [first, last] = self.ways.get(client).copied().unwrap_or_default();
        let next = frame + 1 + frames(last, step) + self.spare as usize;
        [frame + frames(first, step), next - 1]
    }

    /// The last frame in which anybody goes by what was known before a position that a client sends in a frame.
    pub fn longest_until_known(&self, client: usize, frame: usize, step: f64) -> usize {
        let up = self
            .ways
            .get(client)
            .map_or(0, |[_, last]| frames(*last, step));
        let known = (frame + up + self.spare as usize).saturating_sub(1);
        let ends = (0..self.ways.len()).map(|other| self.frames_until_next(other, known, step)[1]);
        ends.max().unwrap_or(known)
    }
}

/// In how many frames something has arrived that takes so long.
fn frames(time: f64, step: f64) -> usize {
    (time / step - 1e-9).ceil().max(0.0) as usize
}

/// A number of the normal distribution, by the method of Box and Muller.
fn normal(dice: &mut Dice) -> f64 {
    let radius = (-2.0 * (1.0 - dice.fraction()).ln()).sqrt();
    radius * (std::f64::consts::TAU * dice.fraction()).cos()
}

/// Which packets get lost.
#[derive(Debug, Default)]
pub(super) struct Losses {
    /// For each who sends, whether packets get lost now: players, then the server.
    losing: Vec<bool>,
}

impl Losses {
    pub(super) fn new(players: usize) -> Self {
        Self {
            losing: vec![false; players + 1],
        }
    }

    /// Whether the next packet of a sender gets lost.
    pub(super) fn next(&mut self, network: &Network, from: u32, dice: &mut Dice) -> bool {
        let (loss, burst) = (network.loss, network.burst);
        if loss <= 0.0 {
            return false;
        }
        let last = self.losing.len() - 1;
        let losing = &mut self.losing[(from as usize).min(last)];
        // Two states: a packet ends a burst with 1 / burst, and begins one as often as makes up
        // the share that gets lost.
        let chance = match (*losing, burst > 1.0) {
            (_, false) => loss,
            (true, true) => 1.0 - 1.0 / burst,
            (false, true) => loss / (burst * (1.0 - loss)),
        };
        *losing = dice.fraction() < chance;
        *losing
    }
}

/// Lines that carry so much and no more, one a client and way.
#[derive(Debug, Default)]
pub(super) struct Lines {
    /// When each line is free again. [Unit: ms]
    free: Vec<f64>,
}

impl Lines {
    pub(super) fn new(players: usize) -> Self {
        Self {
            free: vec![0.0; players],
        }
    }

    /// A packet comes to a line; returns when it has passed, none if it would wait too long. Whoever
    /// has no line, as the server, has it free at all times.
    pub(super) fn pass(
        &mut self,
        network: &Network,
        line: u32,
        now: f64,
        bytes: u64,
    ) -> Option<f64> {
        let line = self.free.get_mut(line as usize).zip(network.bandwidth);
        let Some((free, bandwidth)) = line else {
            return Some(now);
        };
        let begin = free.max(now);
        if begin - now > network.queue {
            return None;
        }
        // Kilobits a second are bits a millisecond.
        *free = begin + bytes as f64 * 8.0 / bandwidth;
        Some(*free)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_of_players_are_log_normal_about_their_median() {
        let network = Network {
            rtt: 80.0,
            spread: 0.5,
            ..Network::default()
        };
        let mut times = network.times(20_001, 3);
        assert_eq!(times, network.times(20_001, 3));
        assert_ne!(times, network.times(20_001, 4));
        let logs: Vec<f64> = times.iter().map(|time| (time / 80.0).ln()).collect();
        let mean = logs.iter().sum::<f64>() / logs.len() as f64;
        let square = logs.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / logs.len() as f64;
        assert!(
            mean.abs() < 0.02 && (square.sqrt() - 0.5).abs() < 0.02,
            "{mean} {square}"
        );
        times.sort_by(f64::total_cmp);
        assert!((times[10_000] - 80.0).abs() < 2.0, "{}", times[10_000]);
    }

    #[test]
    fn each_player_may_have_a_time_of_their_own() {
        let network = Network {
            rtts: vec![10.0, 200.0],
            ..Network::default()
        };
        assert_eq!(network.times(3, 1), [10.0, 200.0, 10.0]);
        assert_eq!(network.longest(3, 1), 200.0);
        assert!(!network.is_prompt() && Network::default().is_instant());
    }

    #[test]
    fn a_line_lets_packets_pass_one_after_the_other() {
        let network = Network {
            bandwidth: Some(80.0),
            queue: 25.0,
            ..Network::default()
        };
        let mut lines = Lines::new(1);
        // 100 bytes are 800 bits: ten milliseconds.
        let mut pass = |now| lines.pass(&network, 0, now, 100);
        assert_eq!(
            [pass(0.0), pass(0.0), pass(0.0)],
            [10.0, 20.0, 30.0].map(Some)
        );
        assert_eq!(pass(0.0), None, "30 ms are more than the queue holds");
        assert_eq!(pass(5.0), Some(40.0));
        assert_eq!(pass(100.0), Some(110.0));
        assert_eq!(lines.pass(&network, 9, 3.0, 100), Some(3.0));
    }
}
