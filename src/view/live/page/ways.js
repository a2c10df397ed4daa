// The ways of players, as the server tells them: where each is in each frame, and who sees whom.

const [HERE, DEAD, JUMPED] = [1, 2, 4];

/** One bit of a square of players for each frame. */
class Pairs {
  constructor(players, buffer, start) {
    Object.assign(this, { players, row: Math.ceil((players * players) / 8) });
    this.bytes = new Uint8Array(buffer, start);
  }

  /** Whether one sees, or has heard of, another. */
  has(frame, one, other) {
    const bit = one * this.players + other;
    return ((this.bytes[frame * this.row + (bit >> 3)] >> (bit & 7)) & 1) === 1;
  }
}

export class Ways {
  constructor({ head, buffer, start }) {
    const { players, frames, step, schemes } = head;
    Object.assign(this, { players, frames, step, schemes });
    const all = players * frames;
    this.at = new Float32Array(buffer, start, 2 * all);
    this.places = new Uint32Array(buffer, start + 8 * all, all);
    this.flags = new Uint8Array(buffer, start + 12 * all, all);
    this.sees = new Pairs(players, buffer, start + 13 * all);
  }

  /** How long it all takes. [Unit: ms] */
  get length() {
    return (this.frames - 1) * this.step;
  }

  frame(time) {
    return Math.min(Math.max(Math.floor(time / this.step), 0), this.frames - 1);
  }

  is(flag, frame, player) {
    return (this.flags[frame * this.players + player] & flag) !== 0;
  }

  isHere(frame, player) {
    return this.is(HERE, frame, player);
  }

  isDead(frame, player) {
    return this.is(DEAD, frame, player);
  }

  place(frame, player) {
    return this.places[frame * this.players + player];
  }

  /**
   * The box in which players are but for one frame in two hundred at each side: west, north, east, south.
   * Levels have closets far away, which nobody is in for longer than a teleporter takes.
   */
  box(toGround) {
    const along = [[], []];
    for (let i = 0; i < this.flags.length; i += 1) {
      if (!(this.flags[i] & HERE)) continue;
      toGround([this.at[2 * i], this.at[2 * i + 1]]).forEach((at, axis) => along[axis].push(at));
    }
    if (!along[0].length) return undefined;
    const sorted = along.map((numbers) => Float64Array.from(numbers).sort());
    const at = (numbers, part) => numbers[Math.round(part * (numbers.length - 1))];
    const [low, high] = [0.005, 0.995].map((part) => sorted.map((numbers) => at(numbers, part)));
    return [...low, ...high];
  }

  /** Where a player is, between this frame and the next unless they are put somewhere else. */
  point(time, player) {
    const frame = this.frame(time);
    const [i, j] = [frame, frame + 1].map((at) => 2 * (at * this.players + player));
    const walks = frame + 1 < this.frames && !this.is(JUMPED, frame + 1, player);
    const part = walks ? time / this.step - frame : 0;
    const between = (axis) => this.at[i + axis] + (walks ? part * (this.at[j + axis] - this.at[i + axis]) : 0);
    return [between(0), between(1)];
  }
}

/** What a scheme has come to up to each frame. */
export class Counts {
  constructor(ways, { buffer, start }) {
    const { frames, players } = ways;
    const sums = [0, 1, 2, 3].map((k) => {
      const numbers = new Uint32Array(buffer, start + 4 * k * frames, frames);
      let sum = 0;
      return Float64Array.from(numbers, (number) => (sum += number));
    });
    [this.packets, this.bytes, this.late, this.exposed] = sums;
    this.told = new Pairs(players, buffer, start + 16 * frames);
  }
}
