// Frontier sets, regions and sessions, and what callers may write in their options.

export const NOWHERE = 0xffffffff;

const isIndex = (x) => typeof x === 'number' && x >>> 0 === x;

// A place of a bundle as the C interface has it: a number. Of a terrain callers write [column, row] of a sample, or of a
// quad of a level, in which any of its samples stands for it. Errors name what was expected and found.
export function placeOf(bundle, place, level = 0) {
  if (bundle.kind !== 'terrain') {
    if (level !== 0) throw new RangeError('level: a bundle of cells has no quads');
    if (typeof place !== 'number') throw new TypeError(`expected the number of a cell, found ${shown(place)}`);
    if (!isIndex(place) || place >= bundle.cells)
      throw new RangeError(`expected a cell from 0 to ${bundle.cells - 1}, found ${place}`);
    return place;
  }
  if (!isIndex(level) || level >= bundle.levels)
    throw new RangeError(`level: expected 0 to ${bundle.levels - 1}, found ${shown(level)}`);
  const [column, row] = Array.isArray(place) || ArrayBuffer.isView(place) ? place : [place?.column, place?.row];
  if (typeof column !== 'number' || typeof row !== 'number')
    throw new TypeError(`expected a sample as [column, row], found ${shown(place)}`);
  const across = Math.ceil(bundle.width / 2 ** level);
  const down = Math.ceil(bundle.height / 2 ** level);
  if (!isIndex(column) || !isIndex(row) || column >= across || row >= down)
    throw new RangeError(`(${column}, ${row}) lies outside the grid of ${across} x ${down} ${level ? `quads of level ${level}` : 'samples'}`);
  return (row * bundle.width + column) * 2 ** level;
}

// The place that has a number, as callers read it.
export function placeAt(bundle, number) {
  if (number === null || bundle.kind !== 'terrain') return number;
  return [number % bundle.width, Math.floor(number / bundle.width)];
}

// A position: three numbers.
export function pointOf(point) {
  const [x, y, z] = Array.isArray(point) || ArrayBuffer.isView(point) ? point : [point?.x, point?.y, point?.z];
  if (![x, y, z].every((at) => typeof at === 'number')) throw new TypeError(`expected a position as [x, y, z], found ${shown(point)}`);
  return [x, y, z];
}

function shown(x) {
  if (typeof x === 'string') return JSON.stringify(x);
  return Array.isArray(x) ? `[${x}]` : String(x);
}

// How options are written: the place of each word in viewcell_session_options.
const WORDS = { budget: 0, margin: 1, patience: 2, peers: 3 };
// How many quads are tried for a frontier set, as a rule: VIEWCELL_BUDGET.
const BUDGET = 64;

function word(name, value) {
  if (name === 'peers') {
    if (typeof value !== 'boolean') throw new TypeError(`${name}: expected true or false, found ${shown(value)}`);
    return value ? 1 : 0;
  }
  if (!isIndex(value)) throw new RangeError(`${name}: expected a whole number from 0 to 4294967295, found ${shown(value)}`);
  return value;
}

function known(options, names) {
  if (options === null || typeof options !== 'object') throw new TypeError(`options: expected an object, found ${shown(options)}`);
  for (const name of Object.keys(options))
    if (!names.includes(name)) throw new TypeError(`options: there is no "${name}"; there are ${names.join(', ') || 'none'}`);
}

// How many quads are tried for a frontier set.
export function frontierBudget(options, bundle) {
  known(options, bundle.kind === 'cells' ? [] : ['budget']);
  return word('budget', options.budget ?? BUDGET);
}

// Words of viewcell_session_options, and what they become.
export function sessionOptions(options, bundle) {
  const isOf = { terrain: ['budget', 'margin'], cells: [], solid: ['budget'] };
  known(options, [...isOf[bundle.kind], 'patience', 'peers']);
  const given = Object.entries(options).filter(([, value]) => value !== undefined);
  return given.map(([name, value]) => [WORDS[name], word(name, value)]);
}

// Two regions, one around each player: no place of `a` is visible from any place of `b`.
export class Frontier {
  constructor(a, b) {
    this.a = a;
    this.b = b;
    Object.freeze(this);
  }

  close() {
    this.a.close();
    this.b.close();
  }
}

// One half of a frontier set.
export class Region {
  #bundle;
  #of;

  constructor(bundle, of) {
    this.#bundle = bundle;
    this.#of = of;
  }

  // Number of samples or cells; null of a region that was made from bytes.
  get area() {
    return this.#of.area;
  }

  // Bytes that say it all, to be sent and read with `bundle.region`: some hundred, of a level of cells a bitmap.
  get bytes() {
    return this.#of.bytes.slice();
  }

  // Of a level of cells, else null: cell c is bit c % 64 of word c >> 6.
  get words() {
    return this.#bundle.kind === 'cells' ? new BigUint64Array(this.bytes.buffer) : null;
  }

  // Whether a place is in it. While it is, its player may keep silent.
  contains(place) {
    return this.#of.contains(placeOf(this.#bundle, place));
  }

  // Frees its memory. May be called more than once.
  close() {
    this.#of.close();
  }
}

// Players and the frontier sets between them: moves go in, and out comes who must be told about whom.
export class Session {
  #bundle;
  #of;

  constructor(bundle, players, of) {
    this.#bundle = bundle;
    this.#of = of;
    this.players = players;
    Object.freeze(this);
  }

  #player(player) {
    if (!isIndex(player) || player >= this.players)
      throw new RangeError(`expected a player from 0 to ${this.players - 1}, found ${shown(player)}`);
    return player;
  }

  #pair(player, other) {
    if (this.#player(player) === this.#player(other)) throw new RangeError(`player ${player} has no frontier set with itself`);
    return [player, other];
  }

  // A player has come to a place, or is gone (null). In a solid level that is a position, which may be in no cell, or a
  // cell. Gives the notices that follow: { to, about, what }, where what is 'position', or, among peers, 'frontier'.
  move(player, place) {
    const { engine, session, locate } = this.#of;
    const isPoint = this.#bundle.kind === 'solid' && place !== null && typeof place === 'object';
    if (place === null) {
      engine.ask('viewcell_session_leave', session, this.#player(player));
      return [];
    }
    const at = isPoint ? (locate(pointOf(place)) ?? NOWHERE) : placeOf(this.#bundle, place);
    return engine.move(this.#bundle, session, this.players, this.#player(player), at);
  }

  // The same where news takes time: the player moves as a mover says, and clients go by what is told now between its times.
  // In `viewcell/server`.
  moveInMotion(player, mover) {
    const { engine, session } = this.#of;
    return engine.move(this.#bundle, session, this.players, this.#player(player), 0, mover);
  }

  // Lets a tick pass: the unit of ages and of patience.
  tick() {
    this.#of.engine.ask('viewcell_session_tick', this.#of.session);
  }

  // For how many ticks the frontier set of two players has lasted; null if they have none.
  age(player, other) {
    const [has, ticks] = this.#of.engine.u64('viewcell_session_age', this.#of.session, ...this.#pair(player, other));
    return has === 1 ? ticks : null;
  }

  // How many frontier sets were made so far.
  get sets() {
    return this.#of.engine.u64('viewcell_session_sets', this.#of.session)[1];
  }

  // Whether a place is in a player's own half of the frontier set with another.
  contains(player, other, place) {
    const [pair, at] = [this.#pair(player, other), placeOf(this.#bundle, place)];
    return this.#of.engine.ask('viewcell_session_contains', this.#of.session, ...pair, at) === 1;
  }

  // A player's own half of the frontier set with another as bytes for `bundle.region`; null if there is
  // none.
  half(player, other) {
    const bytes = this.#of.engine.encoded('viewcell_session_encode', this.#of.session, ...this.#pair(player, other));
    return bytes.length > 0 ? bytes : null;
  }

  // Frees its memory. May be called more than once.
  close() {
    this.#of.close();
  }
}
