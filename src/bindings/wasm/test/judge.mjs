// Recorded motion, and a judge of who was told too late: looks along lines between the brushes of a map's source, and shares
// nothing with viewcell.
//
// judge.mjs TRACE.csv LEVEL.map TOLD VIEWER OTHER AHEAD UP: TOLD has a line a frame, for each viewer a word of 0 and 1, a digit a
// player; AHEAD and UP are how far players come in a frame at most. Looks VIEWER frames ahead for who sees, and OTHER for who is seen.
import { readFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { blocks, brushes } from './brushes.mjs';

// By frame, the positions of all players.
export function frames(file) {
  const all = new Map();
  for (const line of readFileSync(file, 'utf8').split('\n').slice(1)) {
    const [time, player, x, y, z] = line.split(',').map(Number);
    if (!line || time % 50 !== 0) continue;
    const frame = all.get(time) ?? [];
    frame[player] = [x, y, z];
    all.set(time, frame);
  }
  const players = Math.max(...[...all.values()].map((frame) => frame.length));
  return [...all.keys()].sort((a, b) => a - b).map((time) => all.get(time)).filter((frame) => frame.filter(Boolean).length === players);
}

// From the player's origin, a unit within the body of Quake; and its eye.
const POINTS = [[0, 0, 0], [0, 0, 31], [0, 0, -23], [15, 15, 31], [-15, 15, 31], [15, -15, 31], [-15, -15, 31], [15, -15, -23], [-15, 15, -23]];
const EYE = 22;

export class Judge {
  #motion;
  #solids;
  #most;
  // What blocked a line last is tried first.
  #last = new Map();

  // most: how far players come in a frame along the ground, and up or down; who comes further was put elsewhere.
  constructor(motion, solids, most) {
    this.#motion = motion;
    this.#solids = solids;
    this.#most = most;
  }

  // Whether any of some lines from an eye to a body is clear.
  #sees(from, to, pair) {
    const eye = [from[0], from[1], from[2] + EYE];
    return POINTS.some((point, i) => {
      const at = point.map((of, axis) => of + to[axis]);
      const key = pair * POINTS.length + i;
      const last = this.#last.get(key);
      if (last && blocks(last, eye, at)) return false;
      const found = this.#solids.find((solid) => blocks(solid, eye, at));
      if (found) this.#last.set(key, found);
      return !found;
    });
  }

  #pair(a, b) {
    return a * this.#motion[0].length + b;
  }

  inSight(frame, a, b) {
    return this.#sees(this.#motion[frame][a], this.#motion[frame][b], this.#pair(a, b));
  }

  // Where somebody is in frames to come, until they are put elsewhere.
  #ahead(player, frame, count) {
    const places = [this.#motion[frame][player]];
    for (let next = frame + 1; next <= frame + count && next < this.#motion.length; next++) {
      const [a, b] = [places.at(-1), this.#motion[next][player]];
      if (Math.hypot(b[0] - a[0], b[1] - a[1]) > this.#most[0] || Math.abs(b[2] - a[2]) > this.#most[1]) break;
      places.push(b);
    }
    return places;
  }

  // Whether a sees b from anywhere until so many frames later, to anywhere until so many.
  isLate(frame, a, b, viewer, other) {
    return this.#ahead(a, frame, viewer).some((from) => this.#ahead(b, frame, other).some((to) => this.#sees(from, to, this.#pair(a, b))));
  }
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  const [trace, map, told, viewer, other, ...most] = process.argv.slice(2);
  const motion = frames(trace);
  const judge = new Judge(motion, brushes(map), most.map(Number));
  const [figures, lines] = [{ pairs: 0, sent: 0, seen: 0, late: 0 }, readFileSync(told, 'utf8').trim().split('\n')];
  lines.forEach((line, frame) =>
    line.split(' ').forEach((word, a) =>
      [...word].forEach((digit, b) => {
        if (a === b) return;
        figures.pairs++;
        figures.seen += judge.inSight(frame, a, b);
        if (digit === '1') figures.sent++;
        else figures.late += judge.isLate(frame, a, b, Number(viewer), Number(other));
      }),
    ),
  );
  const share = (part) => `${((100 * part) / figures.pairs).toFixed(1)} %`;
  console.log(`${lines.length} frames; in sight ${share(figures.seen)} of pairs, sent ${share(figures.sent)}, late ${figures.late} of ${figures.pairs - figures.sent} left out`);
  process.exit(figures.late > 0 ? 1 : 0);
}
