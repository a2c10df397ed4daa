//! How players of Quake III and its descendants move, written from the rules of its game, in single precision as there: the
//! slow twin of the server's limits.

pub type Vector = [f32; 3];

pub fn dot(a: Vector, b: Vector) -> f32 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

fn plus(a: Vector, by: f32, b: Vector) -> Vector {
    std::array::from_fn(|k| a[k] + by * b[k])
}

fn cross(a: Vector, b: Vector) -> Vector {
    std::array::from_fn(|k| {
        let (i, j) = ((k + 1) % 3, (k + 2) % 3);
        a[i] * b[j] - a[j] * b[i]
    })
}

fn length(of: Vector) -> f32 {
    dot(of, of).sqrt()
}

fn normalize(of: &mut Vector) -> f32 {
    let long = length(*of);
    if long > 0.0 {
        *of = of.map(|along| along / long);
    }
    long
}

/// A convex solid: outward normals, and distances.
#[derive(Clone, Debug)]
pub struct Brush {
    pub planes: Vec<(Vector, f32)>,
    pub bounds: [Vector; 2],
}

impl Brush {
    /// Of its planes besides those of the box around it.
    pub fn new(bounds: [Vector; 2], slanted: &[(Vector, f32)]) -> Self {
        let mut planes = slanted.to_vec();
        for k in 0..3 {
            for (corner, sign) in [(bounds[1], 1.0), (bounds[0], -1.0)] {
                let mut normal = [0.0; 3];
                normal[k] = sign;
                planes.push((normal, sign * corner[k]));
            }
        }
        Self { planes, bounds }
    }

    pub fn is_slanted(&self) -> bool {
        self.planes.len() > 6
    }
}

/// What players move in.
#[derive(Clone, Debug, Default)]
pub struct Place {
    pub brushes: Vec<Brush>,
    pub waters: Vec<[Vector; 2]>,
    /// Pads, and the velocities that they give.
    pub pads: Vec<([Vector; 2], Vector)>,
}

pub fn meet([a, b]: [Vector; 2], [c, d]: [Vector; 2]) -> bool {
    (0..3).all(|k| a[k] <= d[k] && c[k] <= b[k])
}

pub const HULL: [Vector; 2] = [[-15.0, -15.0, -24.0], [15.0, 15.0, 32.0]];
const EPSILON: f32 = 0.125;

struct Trace {
    fraction: f32,
    end: Vector,
    normal: Vector,
    is_stuck: bool,
}

impl Place {
    fn trace(&self, from: Vector, to: Vector) -> Trace {
        let mut trace = Trace {
            fraction: 1.0,
            end: to,
            normal: [0.0; 3],
            is_stuck: false,
        };
        let swept = [
            std::array::from_fn(|k| from[k].min(to[k]) + HULL[0][k] - 1.0),
            std::array::from_fn(|k| from[k].max(to[k]) + HULL[1][k] + 1.0),
        ];
        for brush in self.brushes.iter().filter(|of| meet(of.bounds, swept)) {
            let (mut enter, mut leave, mut hit) = (-1.0_f32, 1.0_f32, [0.0; 3]);
            let (mut starts_out, mut gets_out, mut misses) = (false, false, false);
            for &(normal, dist) in &brush.planes {
                let corner = std::array::from_fn(|k| HULL[usize::from(normal[k] < 0.0)][k]);
                let dist = dist - dot(corner, normal);
                let (first, last) = (dot(from, normal) - dist, dot(to, normal) - dist);
                starts_out |= first > 0.0;
                gets_out |= last > 0.0;
                if first > 0.0 && (last >= EPSILON || last >= first) {
                    misses = true;
                    break;
                }
                if first <= 0.0 && last <= 0.0 {
                    continue;
                }
                if first > last {
                    let at = ((first - EPSILON) / (first - last)).max(0.0);
                    if at > enter {
                        (enter, hit) = (at, normal);
                    }
                } else {
                    leave = leave.min(((first + EPSILON) / (first - last)).min(1.0));
                }
            }
            if misses {
                continue;
            }
            if !starts_out {
                if !gets_out {
                    trace.is_stuck = true;
                    trace.fraction = 0.0;
                }
            } else if enter < leave && enter > -1.0 && enter < trace.fraction {
                trace.fraction = enter.max(0.0);
                trace.normal = hit;
            }
        }
        if trace.fraction < 1.0 {
            trace.end = std::array::from_fn(|k| from[k] + trace.fraction * (to[k] - from[k]));
        }
        trace
    }

    pub fn is_stuck(&self, at: Vector) -> bool {
        self.trace(at, at).is_stuck
    }

    fn is_water(&self, at: Vector) -> bool {
        self.waters.iter().any(|of| meet(*of, [at, at]))
    }

    fn is_solid(&self, at: Vector) -> bool {
        let is_in = |of: &Brush| {
            of.planes
                .iter()
                .all(|(normal, dist)| dot(at, *normal) <= *dist)
        };
        self.brushes.iter().any(is_in)
    }
}

/// What a client presses: forward, right, up from -127 to 127, and where it looks in radians.
#[derive(Clone, Copy, Debug, Default)]
pub struct Command {
    pub forward: f32,
    pub right: f32,
    pub up: f32,
    pub yaw: f32,
    pub pitch: f32,
}

#[derive(Clone, Copy, Debug)]
pub struct Player {
    pub at: Vector,
    pub velocity: Vector,
    pub speed: f32,
    pub flies: bool,
    jump_held: bool,
    /// Seconds that are left of a jump out of water.
    pub water_jump: f32,
    /// The plane below, and whether it is walked on.
    ground: Option<Vector>,
    walks: bool,
    water: u8,
}

const OVERCLIP: f32 = 1.001;
const STEP: f32 = 18.0;
const GRAVITY: f32 = 800.0;

fn clip(of: Vector, normal: Vector) -> Vector {
    let back = dot(of, normal);
    let back = if back < 0.0 {
        back * OVERCLIP
    } else {
        back / OVERCLIP
    };
    plus(of, -back, normal)
}

impl Player {
    pub fn new(at: Vector) -> Self {
        Self {
            at,
            velocity: [0.0; 3],
            speed: 320.0,
            flies: false,
            jump_held: false,
            water_jump: 0.0,
            ground: None,
            walks: false,
            water: 0,
        }
    }

    /// A command of some milliseconds: in parts of up to 66, after each of which `moved` is told.
    pub fn run(
        &mut self,
        command: &Command,
        msec: u32,
        place: &Place,
        moved: &mut dyn FnMut(&Self),
    ) {
        let mut left = msec;
        while left > 0 {
            let part = left.min(66);
            left -= part;
            self.part(command, part as f32 * 0.001, place);
            moved(self);
        }
        let bounds = [0, 1].map(|side| plus(self.at, 1.0, HULL[side]));
        for (pad, push) in &place.pads {
            if meet(*pad, bounds) {
                self.velocity = *push;
            }
        }
    }

    fn part(&mut self, command: &Command, seconds: f32, place: &Place) {
        let mut command = *command;
        if command.up < 10.0 {
            self.jump_held = false;
        }
        self.find_water(place);
        self.find_ground(place);
        self.water_jump = (self.water_jump - seconds).max(0.0);
        if self.flies {
            self.fly(&command, seconds, place);
        } else if self.water_jump > 0.0 {
            self.jump_out_of_water(seconds, place);
        } else if self.water > 1 {
            self.swim(&command, seconds, place);
        } else if self.walks {
            self.walk(&mut command, seconds, place);
        } else {
            self.air(&command, seconds, place);
        }
        self.find_ground(place);
        self.find_water(place);
        self.velocity = self.velocity.map(f32::round_ties_even);
    }

    fn find_water(&mut self, place: &Place) {
        let levels = [-23.0, 1.0, 26.0];
        let up = |by: f32| plus(self.at, by, [0.0, 0.0, 1.0]);
        self.water = levels
            .iter()
            .take_while(|by| place.is_water(up(**by)))
            .count() as u8;
    }

    fn find_ground(&mut self, place: &Place) {
        (self.ground, self.walks) = (None, false);
        let below = plus(self.at, -0.25, [0.0, 0.0, 1.0]);
        let trace = place.trace(self.at, below);
        if trace.is_stuck || trace.fraction == 1.0 {
            return;
        }
        if self.velocity[2] > 0.0 && dot(self.velocity, trace.normal) > 10.0 {
            return;
        }
        self.ground = Some(trace.normal);
        if trace.normal[2] >= 0.7 {
            self.walks = true;
            self.water_jump = 0.0;
        }
    }

    fn rub(&mut self, seconds: f32) {
        let mut flat = self.velocity;
        if self.walks {
            flat[2] = 0.0;
        }
        let speed = length(flat);
        if speed < 1.0 {
            (self.velocity[0], self.velocity[1]) = (0.0, 0.0);
            return;
        }
        let mut drop = 0.0;
        if self.water <= 1 && self.walks {
            drop += speed.max(100.0) * 6.0 * seconds;
        }
        drop += speed * f32::from(self.water) * seconds;
        if self.flies {
            drop += speed * 3.0 * seconds;
        }
        let left = (speed - drop).max(0.0) / speed;
        self.velocity = self.velocity.map(|along| along * left);
    }

    fn push(&mut self, way: Vector, speed: f32, rate: f32, seconds: f32) {
        let missing = speed - dot(self.velocity, way);
        if missing > 0.0 {
            let more = (rate * seconds * speed).min(missing);
            self.velocity = plus(self.velocity, more, way);
        }
    }

    fn scale(&self, of: &Command) -> f32 {
        let parts = [of.forward, of.right, of.up];
        let most = parts
            .iter()
            .fold(0.0_f32, |most, part| most.max(part.abs()));
        let total = length(parts);
        if most == 0.0 {
            0.0
        } else {
            self.speed * most / (127.0 * total)
        }
    }

    /// Where forward and right are.
    fn ways(of: &Command) -> [Vector; 2] {
        let ((sin, cos), (down, level)) = (of.yaw.sin_cos(), of.pitch.sin_cos());
        [[cos * level, sin * level, -down], [sin, -cos, 0.0]]
    }

    fn fly(&mut self, command: &Command, seconds: f32, place: &Place) {
        self.rub(seconds);
        self.swim_or_fly(command, [0.0, 0.0, 0.0], [1.0, 8.0], seconds);
        self.step_slide(false, seconds, place);
    }

    fn swim_or_fly(
        &mut self,
        command: &Command,
        idle: Vector,
        [share, rate]: [f32; 2],
        seconds: f32,
    ) {
        let scale = self.scale(command);
        let [forward, right] = Self::ways(command);
        let mut wish = plus([0.0; 3], scale * command.forward, forward);
        wish = plus(wish, scale * command.right, right);
        wish[2] += scale * command.up;
        if scale == 0.0 {
            wish = idle;
        }
        let speed = normalize(&mut wish).min(self.speed * share);
        self.push(wish, speed, rate, seconds);
    }

    fn swim(&mut self, command: &Command, seconds: f32, place: &Place) {
        if self.water == 2 {
            let (sin, cos) = command.yaw.sin_cos();
            let spot = plus(self.at, 30.0, [cos, sin, 4.0 / 30.0]);
            let above = plus(spot, 16.0, [0.0, 0.0, 1.0]);
            if place.is_solid(spot) && !place.is_solid(above) && !place.is_water(above) {
                let [forward, _] = Self::ways(command);
                self.velocity = forward.map(|along| along * 200.0);
                self.velocity[2] = 350.0;
                self.water_jump = 2.0;
                return self.jump_out_of_water(seconds, place);
            }
        }
        self.rub(seconds);
        self.swim_or_fly(command, [0.0, 0.0, -60.0], [0.5, 4.0], seconds);
        if let Some(ground) = self.ground.filter(|of| dot(self.velocity, *of) < 0.0) {
            let long = length(self.velocity);
            self.velocity = clip(self.velocity, ground);
            normalize(&mut self.velocity);
            self.velocity = self.velocity.map(|along| along * long);
        }
        self.slide(false, seconds, place);
    }

    fn jump_out_of_water(&mut self, seconds: f32, place: &Place) {
        self.step_slide(true, seconds, place);
        self.velocity[2] -= GRAVITY * seconds;
        if self.velocity[2] < 0.0 {
            self.water_jump = 0.0;
        }
    }

    fn jumps(&mut self, command: &mut Command) -> bool {
        if command.up < 10.0 {
            return false;
        }
        if self.jump_held {
            command.up = 0.0;
            return false;
        }
        (self.ground, self.walks, self.jump_held) = (None, false, true);
        self.velocity[2] = 270.0;
        true
    }

    fn wish(&self, command: &Command, ground: Option<Vector>) -> (Vector, f32) {
        let level = Command {
            pitch: 0.0,
            ..*command
        };
        let mut ways = Self::ways(&level);
        if let Some(ground) = ground {
            for way in &mut ways {
                *way = clip(*way, ground);
                normalize(way);
            }
        }
        let mut wish = plus([0.0; 3], command.forward, ways[0]);
        wish = plus(wish, command.right, ways[1]);
        if ground.is_none() {
            wish[2] = 0.0;
        }
        let speed = normalize(&mut wish) * self.scale(command);
        (wish, speed)
    }

    fn walk(&mut self, command: &mut Command, seconds: f32, place: &Place) {
        let Some(ground) = self.ground else { return };
        if self.water > 2 && dot(Self::ways(command)[0], ground) > 0.0 {
            return self.swim(command, seconds, place);
        }
        if self.jumps(command) {
            return if self.water > 1 {
                self.swim(command, seconds, place)
            } else {
                self.air(command, seconds, place)
            };
        }
        self.rub(seconds);
        let (wish, mut speed) = self.wish(command, Some(ground));
        if self.water > 0 {
            let share = 1.0 - 0.5 * f32::from(self.water) / 3.0;
            speed = speed.min(self.speed * share);
        }
        self.push(wish, speed, 10.0, seconds);
        let long = length(self.velocity);
        self.velocity = clip(self.velocity, ground);
        normalize(&mut self.velocity);
        self.velocity = self.velocity.map(|along| along * long);
        if self.velocity[0] != 0.0 || self.velocity[1] != 0.0 {
            self.step_slide(false, seconds, place);
        }
    }

    fn air(&mut self, command: &Command, seconds: f32, place: &Place) {
        self.rub(seconds);
        let (wish, speed) = self.wish(command, None);
        self.push(wish, speed, 1.0, seconds);
        if let Some(ground) = self.ground {
            self.velocity = clip(self.velocity, ground);
        }
        self.step_slide(true, seconds, place);
    }

    fn step_slide(&mut self, falls: bool, seconds: f32, place: &Place) {
        let before = *self;
        if !self.slide(falls, seconds, place) {
            return;
        }
        let up = |at: Vector, by: f32| plus(at, by, [0.0, 0.0, 1.0]);
        let below = place.trace(before.at, up(before.at, -STEP));
        if self.velocity[2] > 0.0 && (below.fraction == 1.0 || below.normal[2] < 0.7) {
            return;
        }
        let above = place.trace(before.at, up(before.at, STEP));
        if above.is_stuck {
            return;
        }
        let step = above.end[2] - before.at[2];
        (self.at, self.velocity) = (above.end, before.velocity);
        self.slide(falls, seconds, place);
        let down = place.trace(self.at, up(self.at, -step));
        if !down.is_stuck {
            self.at = down.end;
        }
        if down.fraction < 1.0 {
            self.velocity = clip(self.velocity, down.normal);
        }
    }

    /// Whether anything was met.
    fn slide(&mut self, falls: bool, seconds: f32, place: &Place) -> bool {
        let mut end_velocity = self.velocity;
        if falls {
            end_velocity[2] -= GRAVITY * seconds;
            self.velocity[2] = 0.5 * (self.velocity[2] + end_velocity[2]);
            if let Some(ground) = self.ground {
                self.velocity = clip(self.velocity, ground);
            }
        }
        let mut planes: Vec<Vector> = self.ground.into_iter().collect();
        let mut first = self.velocity;
        normalize(&mut first);
        planes.push(first);
        let mut left = seconds;
        let mut met = false;
        'bumps: for _ in 0..4 {
            let trace = place.trace(self.at, plus(self.at, left, self.velocity));
            if trace.is_stuck {
                self.velocity[2] = 0.0;
                return true;
            }
            self.at = trace.end;
            if trace.fraction == 1.0 {
                break;
            }
            met = true;
            left -= left * trace.fraction;
            if planes.len() >= 5 {
                self.velocity = [0.0; 3];
                return true;
            }
            if planes.iter().any(|plane| dot(trace.normal, *plane) > 0.99) {
                self.velocity = plus(self.velocity, 1.0, trace.normal);
                continue;
            }
            planes.push(trace.normal);
            for (i, plane) in planes.iter().enumerate() {
                if dot(self.velocity, *plane) >= 0.1 {
                    continue;
                }
                let mut clipped = clip(self.velocity, *plane);
                let mut end = clip(end_velocity, *plane);
                for (j, other) in planes.iter().enumerate() {
                    if j == i || dot(clipped, *other) >= 0.1 {
                        continue;
                    }
                    clipped = clip(clipped, *other);
                    end = clip(end, *other);
                    if dot(clipped, *plane) >= 0.0 {
                        continue;
                    }
                    let mut crease = cross(*plane, *other);
                    normalize(&mut crease);
                    clipped = crease.map(|along| along * dot(crease, self.velocity));
                    end = crease.map(|along| along * dot(crease, end_velocity));
                    let third = planes.iter().enumerate();
                    let is_third =
                        |(k, of): (usize, &Vector)| k != i && k != j && dot(clipped, *of) < 0.1;
                    if third.into_iter().any(is_third) {
                        self.velocity = [0.0; 3];
                        return true;
                    }
                }
                (self.velocity, end_velocity) = (clipped, end);
                continue 'bumps;
            }
        }
        if falls {
            self.velocity = end_velocity;
        }
        met
    }
}
