// Asks viewcell bundles who can see whom: the C interface as WebAssembly, in the manner of JavaScript.

import { ViewcellError, engine, load } from './engine.js';
import { Frontier, Region, Session, frontierBudget, placeAt, placeOf, pointOf, sessionOptions } from './sets.js';

export { Frontier, Region, Session, ViewcellError, load };

// Pairs that are asked in one call: what they take of memory is the same however many there are.
const CHUNK = 1 << 14;

// Opens the bundle that an ArrayBuffer, or a view of one, holds. The bytes are copied.
export async function open(bytes) {
  if (bytes instanceof ArrayBuffer || isShared(bytes)) bytes = new Uint8Array(bytes);
  else if (ArrayBuffer.isView(bytes)) bytes = new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  else throw new TypeError(`open: expected an ArrayBuffer or a view of one, found ${nameOf(bytes)}`);
  return new Bundle(await engine(), bytes, TOKEN);
}

const TOKEN = Symbol('viewcell');
const isShared = (x) => typeof SharedArrayBuffer === 'function' && x instanceof SharedArrayBuffer;
const nameOf = (x) => (x === null ? 'null' : typeof x === 'object' ? (x.constructor?.name ?? 'an object') : typeof x);

// An open bundle, of a terrain, of a level of cells or of a solid level. `open` makes them.
export class Bundle {
  #engine;
  #handle;
  #terrain = null;

  constructor(engine, bytes, token) {
    if (token !== TOKEN) throw new TypeError('use open() to make a bundle');
    this.#engine = engine;
    const { handle, ...info } = engine.open(this, bytes);
    this.#handle = handle;
    this.#terrain = info.kind === 'terrain' ? info : null;
    Object.assign(this, info);
    Object.freeze(this);
  }

  // Closes the bundle and frees its memory. Frontier sets and regions that were made from it live on;
  // its sessions are closed with it. May be called more than once.
  close() {
    if (!this.#handle) return;
    this.#engine.closeBundle(this, this.#handle);
    this.#handle = 0;
  }

  [Symbol.dispose ?? Symbol.for('Symbol.dispose')]() {
    this.close();
  }

  #open(...kinds) {
    if (!this.#handle) throw new ViewcellError('CLOSED', 'the bundle was closed');
    if (kinds.length > 0 && !kinds.includes(this.kind))
      throw new ViewcellError('KIND', `this is for a bundle of ${kinds.join(' or ')}, and the bundle is of ${this.kind}`);
    return this.#engine.living();
  }

  // The place that a position belongs to: metres east and south of sample (0, 0), or x, y, z of a level.
  // Null off the map, and where nobody can be: at a void, at what is not walkable, in solid.
  locate(x, y, z = 0) {
    const position = [number(x, 'x'), number(y, 'y'), number(z, 'z')];
    return placeAt(this, this.#open().locate('viewcell_locate', this.#handle, position));
  }

  // The sample at a position in the bundle's coordinate reference system; null where there is none.
  locateGeoreferenced(x, y) {
    const position = [number(x, 'x'), number(y, 'y'), 0];
    return placeAt(this, this.#open('terrain').locate('viewcell_locate_georeferenced', this.#handle, position));
  }

  // The positions that a place stands for, [least, greatest corner]: the box of a cell, in a solid level of a player's
  // origin; of a terrain the square of a sample, at the height of its ground. Null of a void.
  bounds(place) {
    return this.#open().bounds(this.#handle, placeOf(this, place));
  }

  // Ground height of a sample in metres; null of a void.
  groundHeight(place) {
    const bounds = this.#open('terrain').bounds(this.#handle, placeOf(this, place));
    return bounds === null ? null : bounds[0][2];
  }

  // Whether somebody at position b, [x, y, z], may be seen from position a; in a solid level any part of a player whose
  // origin is there. True where either is at no place.
  visiblePoints(a, b) {
    return this.visiblePointPairs(Float64Array.of(...pointOf(a), ...pointOf(b)))[0] === 1;
  }

  // Answers many such pairs: x, y, z of a and of b. A Uint8Array of 1 and 0.
  visiblePointPairs(pairs) {
    const engine = this.#open();
    if (!(pairs instanceof Float64Array)) throw new TypeError(`visiblePointPairs: expected a Float64Array, found ${nameOf(pairs)}`);
    if (pairs.length % 6 !== 0) throw new RangeError(`visiblePointPairs: expected 6 numbers a pair, found ${pairs.length} numbers`);
    const answers = new Uint8Array(pairs.length / 6);
    for (let begin = 0; begin < answers.length; begin += CHUNK) {
      const some = answers.subarray(begin, begin + CHUNK);
      const places = engine.locateAll(this.#handle, pairs.subarray(6 * begin, 6 * (begin + some.length)));
      engine.pairs(this.#handle, some, (from, to) => {
        for (let i = 0; i < some.length; i++) [from[i], to[i]] = [places[2 * i], places[2 * i + 1]];
      });
    }
    return answers;
  }

  // Whether somebody at b may be seen from a. `visible(a, b)` takes places; `visible(c0, r0, c1, r1)`
  // takes samples as numbers and makes no object, for loops over many.
  visible(a, b, c1, r1) {
    const engine = this.#open();
    if (this.#terrain === null || c1 === undefined)
      return engine.ask('viewcell_visible', this.#handle, placeOf(this, a), placeOf(this, b)) === 1;
    return engine.ask('viewcell_visible', this.#handle, this.#sample(a, b), this.#sample(c1, r1)) === 1;
  }

  // The number of a sample of a terrain.
  #sample(column, row) {
    const { width, height } = this.#terrain;
    // Numbers that are no integers of 32 bits would be cut to some that are.
    if (!(column >>> 0 === column && column < width && row >>> 0 === row && row < height)) placeOf(this, [column, row]);
    return row * width + column;
  }

  // Answers many pairs: c0, r0, c1, r1 of each, or a, b of cells. A Uint8Array of 1 and 0.
  visiblePairs(pairs) {
    this.#open();
    if (!(pairs instanceof Uint32Array)) throw new TypeError(`visiblePairs: expected a Uint32Array, found ${nameOf(pairs)}`);
    const each = this.#terrain ? 4 : 2;
    if (pairs.length % each !== 0)
      throw new RangeError(`visiblePairs: expected ${each} numbers a pair (${this.#terrain ? 'c0, r0, c1, r1' : 'a, b'}), found ${pairs.length} numbers`);
    const answers = new Uint8Array(pairs.length / each);
    for (let begin = 0; begin < answers.length; begin += CHUNK) {
      const some = answers.subarray(begin, begin + CHUNK);
      this.#engine.pairs(this.#handle, some, (from, to) => this.#places(pairs, begin, from, to));
    }
    return answers;
  }

  // Writes the places of pairs from one on; errors name the pair that is outside.
  #places(pairs, begin, from, to) {
    const isTerrain = this.#terrain !== null;
    const [width, height] = isTerrain ? [this.width, this.height] : [1, this.cells];
    const step = isTerrain ? 2 : 1;
    const placed = (at, i) => {
      const column = isTerrain ? pairs[at] : 0;
      const row = pairs[at + step - 1];
      if (column >= width || row >= height) this.#blame(begin + i, isTerrain ? [column, row] : row);
      return row * width + column;
    };
    for (let i = 0, at = 2 * step * begin; i < from.length; i++, at += 2 * step) {
      from[i] = placed(at, i);
      to[i] = placed(at + step, i);
    }
  }

  // Says which pair is outside.
  #blame(pair, place) {
    try {
      placeOf(this, place);
    } catch (error) {
      throw new RangeError(`pair ${pair}: ${error.message}`);
    }
  }

  // Whether two may see each other on their paths: one now at a, who comes up to reachA far, and one at b.
  // Metres, or units of the level, where a and b are positions if it is solid. Errs towards true.
  visibleWithin(a, b, reachA, reachB) {
    const engine = this.#open();
    if (this.kind === 'solid') {
      const [from, to] = [pointOf(a), pointOf(b)];
      const reaches = [number(reachA, 'reachA'), number(reachB, 'reachB')];
      return engine.seesWithin(this.#handle, from, to, ...reaches) || engine.seesWithin(this.#handle, to, from, ...reaches.reverse());
    }
    const [from, to] = [placeOf(this, a), placeOf(this, b)];
    return engine.ask('viewcell_visible_within', this.#handle, from, to, number(reachA, 'reachA'), number(reachB, 'reachB')) === 1;
  }

  // Everything that may be seen from a place, as a bitmap. Terrain: a word of 64 bits a block of 8 x 8
  // samples; sample (c, r) is bit r % 8 * 8 + c % 8 of word (r >> 3) * blockColumns + (c >> 3). Cells:
  // cell c is bit c % 64 of word c >> 6. `level` asks for the quad of that level instead, whose column
  // and row among its like are the place.
  pvs(place, level = 0) {
    const engine = this.#open();
    return engine.pvs(this.#handle, this.blocks ?? this.words, placeOf(this, place, level), level);
  }

  // As `pvs`, with a byte of 1 or 0 for each sample, row by row from the north, or for each cell.
  pvsMask(place, level = 0) {
    const words = this.pvs(place, level);
    const bytes = new Uint8Array(words.buffer);
    if (!this.#terrain) return Uint8Array.from({ length: this.cells }, (_, c) => (bytes[c >> 3] >> (c & 7)) & 1);
    const { width, height, blockColumns } = this.#terrain;
    const mask = new Uint8Array(width * height);
    for (let r = 0; r < height; r++) {
      // Byte r % 8 of a word is row r of its block.
      const row = (r >> 3) * blockColumns * 8 + (r & 7);
      for (let c = 0; c < width; c++) mask[r * width + c] = (bytes[row + (c >> 3) * 8] >> (c & 7)) & 1;
    }
    return mask;
  }

  // The objects that a camera at a position may see in a scene, by number: all others need not be drawn. All where it is in no cell.
  objectsSeen(position) {
    const bits = this.#scene().objectsSeen(this.#handle, this.objects, pointOf(position));
    return Array.from({ length: this.objects }, (_, n) => n).filter((n) => (bits[n >> 5] >> (n & 31)) & 1);
  }

  // Where each object is in its scene: names from the root to it, with / between them.
  objectPaths() {
    const engine = this.#scene();
    return Array.from({ length: this.objects }, (_, n) => engine.objectPath(this.#handle, n));
  }

  #scene() {
    const engine = this.#open('solid');
    if (this.objects === 0) throw new ViewcellError('KIND', 'this is for a scene (viewcell bake scene), and the bundle is of a level');
    return engine;
  }

  // Whether one player may see another, each at any of their own times, as long as both keep to their limits:
  // { position, velocity, speed, acceleration, impulse, error, from, until }. Errs towards true. In `viewcell/server`.
  seesInMotion(from, to) {
    return this.#open().seesInMotion(this.#handle, from, to);
  }

  // A watch of so many players, none of whom is there yet. Whoever sees further ahead than maxAhead seconds is sent everybody. In
  // `viewcell/server`.
  watch(players, { maxAhead = 0.2 } = {}) {
    const engine = this.#open('solid');
    if (!Number.isInteger(players) || players < 0 || players > 256) throw new RangeError(`watch: expected 0 to 256 players, found ${players}`);
    if (!(maxAhead >= 0)) throw new RangeError(`maxAhead: expected seconds from 0, found ${maxAhead}`);
    return engine.watch(this.#handle, players, maxAhead);
  }

  // How many visible steps lead from cell to cell; null where no chain of them does.
  distance(a, b) {
    return this.#open('cells').distance(this.#handle, placeOf(this, a), placeOf(this, b));
  }

  // The frontier set of two players: two regions, no place of one visible from any place of the other.
  // Null if they see each other.
  frontier(a, b, options = {}) {
    const engine = this.#open();
    const [from, to] = [placeOf(this, a), placeOf(this, b)];
    return engine.frontier(this, this.#handle, from, to, frontierBudget(options, this));
  }

  // A region that `bytes` of another region, maybe of another process, describe.
  region(bytes) {
    const engine = this.#open();
    if (!(bytes instanceof Uint8Array)) throw new TypeError(`region: expected a Uint8Array, found ${nameOf(bytes)}`);
    return engine.region(this, this.#handle, bytes);
  }

  // A session of so many players, none of whom is anywhere yet.
  session(players, options = {}) {
    const engine = this.#open();
    if (!Number.isInteger(players) || players < 0 || players > 4096)
      throw new RangeError(`session: expected 0 to 4096 players, found ${players}`);
    return engine.session(this, this.#handle, players, sessionOptions(options, this));
  }
}

function number(x, name) {
  if (typeof x !== 'number') throw new TypeError(`${name}: expected a number, found ${nameOf(x)}`);
  return x;
}
