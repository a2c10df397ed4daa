// How players move, where they may be then, and watches: whom a server must send to whom, frame by frame.

// The sizes of viewcell_mover and viewcell_watched.
const MOVER = 136;
const WATCHED = 352;

const shown = (x) => (Array.isArray(x) ? `[${x}]` : String(x));

function numbers(of, count, name) {
  const all = Array.isArray(of) || ArrayBuffer.isView(of) ? [...of] : count === 3 ? [of?.x, of?.y, of?.z] : [];
  if (all.length !== count || !all.every((x) => typeof x === 'number')) throw new TypeError(`${name}: expected ${count} numbers, found ${shown(of)}`);
  return all;
}

function seconds(of, name) {
  if (typeof of !== 'number' || !(of >= 0)) throw new RangeError(`${name}: expected seconds from 0, found ${shown(of)}`);
  return of;
}

const NAMES = ['position', 'velocity', 'speed', 'acceleration', 'impulse', 'error', 'from', 'until'];

// Writes a mover as the C interface has it. A limit that is not given is none; impulses and errors are 0.
export function writeMover(view, mover, names = NAMES) {
  if (mover === null || typeof mover !== 'object') throw new TypeError(`expected a mover as { position, ... }, found ${shown(mover)}`);
  for (const name of Object.keys(mover))
    if (!names.includes(name)) throw new TypeError(`a mover has no "${name}"; it has ${names.join(', ')}`);
  const write = (at, all) => all.forEach((number, i) => view.setFloat64(at + 8 * i, number, true));
  const has = mover.velocity !== undefined && mover.velocity !== null;
  write(0, numbers(mover.position, 3, 'position'));
  write(24, has ? numbers(mover.velocity, 3, 'velocity') : [0, 0, 0]);
  view.setUint32(48, has ? 1 : 0, true);
  view.setUint32(52, 0, true);
  const limits = { speed: Infinity, acceleration: Infinity, impulse: 0, error: 0 };
  Object.entries(limits).forEach(([name, none], i) => write(56 + 16 * i, numbers(mover[name] ?? [none, none], 2, name)));
  write(120, [seconds(mover.from ?? 0, 'from'), seconds(mover.until ?? 0, 'until')]);
}

// Whom a server must send to whom in a solid level. Each frame: `set` for everybody who is there, `begin`, `look`, then `sends`.
// Hidden is only who was proven hidden for all that both may reach.
export class Watch {
  #of;

  constructor(players, of) {
    this.#of = of;
    this.players = players;
    Object.freeze(this);
  }

  #player(player) {
    if (!Number.isInteger(player) || player < 0 || player >= this.players)
      throw new RangeError(`expected a player from 0 to ${this.players - 1}, found ${shown(player)}`);
    return player;
  }

  // Where a player is in the frame that begins next, and how they may move; null where they have gone.
  set(player, of) {
    const { engine, handle: watch } = this.#of;
    this.#player(player);
    if (of === null) {
      engine.ask('viewcell_watch_set', watch, player, 0);
      return;
    }
    const { seesUntil = 0.1, shownUntil = 0.05, step = 0, eye, body, ...mover } = of;
    const limits = NAMES.slice(0, -2);
    engine.within(WATCHED, (at) => {
      const view = engine.view(at);
      writeMover(view, mover, limits);
      view.setFloat64(128, seconds(seesUntil, 'seesUntil'), true);
      writeMover(engine.view(at + MOVER), mover, limits);
      view.setFloat64(MOVER + 128, seconds(shownUntil, 'shownUntil'), true);
      view.setFloat64(272, step, true);
      const given = (at, what) => what.forEach((number, i) => view.setFloat64(at + 8 * i, number, true));
      given(280, eye ? numbers(eye, 2, 'eye') : [0, 0]);
      given(296, body ? [...numbers(body[0], 3, 'body'), ...numbers(body[1], 3, 'body')] : [0, 0, 0, 0, 0, 0]);
      view.setUint32(344, eye ? 1 : 0, true);
      view.setUint32(348, body ? 1 : 0, true);
      engine.ask('viewcell_watch_set', watch, player, at);
    });
  }

  // What hides besides the level from the next frame on, in place of what did before: closed doors, [least, greatest corner] of
  // each, and spheres of smoke with the seconds for which they stay.
  occluders(doors, smokes = []) {
    const { engine, handle: watch } = this.#of;
    const one = (number, what) => numbers([number], 1, what)[0];
    const boxes = doors.flatMap(([low, high]) => [...numbers(low, 3, 'door'), ...numbers(high, 3, 'door')]);
    const spheres = smokes.flatMap(({ centre, radius, seconds: stay }) => [...numbers(centre, 3, 'centre'), one(radius, 'radius'), one(stay, 'seconds')]);
    const all = [...boxes, ...spheres];
    engine.within(8 * all.length, (at) => {
      new Float64Array(engine.exports.memory.buffer, at, all.length).set(all);
      engine.ask('viewcell_watch_occluders', watch, doors.length, at, smokes.length, at + 8 * boxes.length);
    });
  }

  // Begins a frame: all are sent of whom no proof of before still holds.
  begin() {
    this.#of.engine.ask('viewcell_watch_begin', this.#of.handle);
  }

  // Looks at pairs of which nothing is known, with so much work, about a microsecond each. True if all were looked at.
  look(work) {
    if (!Number.isInteger(work) || work < 0 || work > 0xffffffff) throw new RangeError(`look: expected a whole number from 0, found ${shown(work)}`);
    return this.#of.engine.ask('viewcell_watch_look', this.#of.handle, work) === 1;
  }

  // The same for so many milliseconds.
  lookFor(milliseconds) {
    for (const end = performance.now() + milliseconds; performance.now() < end; ) if (this.look(16)) return true;
    return this.look(0);
  }

  // Whether a player must be sent to a viewer; false where either is not there, and of a player and themselves.
  sends(viewer, player) {
    return this.#of.engine.ask('viewcell_watch_sends', this.#of.handle, this.#player(viewer), this.#player(player)) === 1;
  }

  // What the frame came to until now: ordered pairs, hidden, hidden by a proof of before, looked at, and work done.
  get counts() {
    const { engine, handle: watch } = this.#of;
    engine.ask('viewcell_watch_counts', watch, engine.scratch);
    const [pairs, hidden, kept, looked, , , work] = engine.u32(engine.scratch, 7);
    return { pairs, hidden, kept, looked, work };
  }

  // Frees its memory. May be called more than once.
  close() {
    this.#of.close();
  }
}
