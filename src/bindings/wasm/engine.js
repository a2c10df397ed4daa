// The WebAssembly module: its memory, its functions, and what goes wrong in it.

import { Frontier, Region, Session } from './sets.js';

const ABI = 2;
// Where small answers are written, and where words of text are.
const SCRATCH = 1024;
// A module whose bundles are all closed is let go if its memory is larger: memory never shrinks.
const KEEP = 64 << 20;
const CODES = {
  '-1': 'INTERNAL', '-2': 'VERSION', '-3': 'IO', '-4': 'FORMAT', '-5': 'KIND', '-6': 'CLOSED', '-7': 'OUTSIDE',
  '-8': 'VOID', '-9': 'INTERNAL', '-10': 'ARGUMENT', '-11': 'INTERNAL', '-12': 'UNREACHABLE', '-13': 'FULL',
};
const [OUTSIDE, VOID, UNREACHABLE] = [-7, -8, -12];

// What went wrong; `code` is one of FORMAT, KIND, CLOSED, VOID, OUTSIDE, ARGUMENT, FULL, MEMORY, VERSION
// and INTERNAL.
export class ViewcellError extends Error {
  constructor(code, message, options) {
    super(message, options);
    this.name = 'ViewcellError';
    this.code = code;
  }
}

let compiled = null;
let current = null;

// Takes WebAssembly from elsewhere than beside this module: bytes, a Response, or a WebAssembly.Module.
// Before the first `open`.
export async function load(source) {
  current = null;
  compiled = compile(source).catch((error) => {
    compiled = null;
    throw error;
  });
  await compiled;
}

async function compile(source) {
  if (source instanceof WebAssembly.Module) return source;
  if (typeof Response === 'function' && source instanceof Response) {
    if (!source.ok) throw new ViewcellError('IO', `viewcell.wasm: ${source.status} ${source.statusText} from ${source.url}`);
    source = await source.arrayBuffer();
  }
  return WebAssembly.compile(source);
}

async function beside() {
  const url = new URL('viewcell.wasm', import.meta.url);
  if (url.protocol !== 'file:') return compile(await fetch(url));
  // Named apart, so that bundlers for the web do not look for it.
  const files = 'node:fs/promises';
  const { readFile } = await import(/* @vite-ignore */ /* webpackIgnore: true */ files);
  return compile(await readFile(url));
}

// The engine that new bundles go into.
export async function engine() {
  compiled ??= beside().catch((error) => {
    compiled = null;
    throw error;
  });
  const module = await compiled;
  if (!current || current.dead) current = new Engine((await WebAssembly.instantiate(module, {})).exports);
  return current;
}

// Closes what nobody holds any more. A late help: `close` is what frees memory in time.
const forgotten = typeof FinalizationRegistry === 'function' ? new FinalizationRegistry((close) => close()) : null;

class Engine {
  constructor(exports) {
    this.exports = exports;
    this.dead = null;
    this.bundles = new Map();
    this.regions = 0;
    this.scratch = this.allocate(SCRATCH);
  }

  living() {
    if (this.dead) throw new ViewcellError('CLOSED', `closed when this happened: ${this.dead.message}`);
    return this;
  }

  // Calls a function of the C interface. A trap is the end of this module and of all bundles in it: its
  // memory may be half changed.
  call(name, ...values) {
    this.living();
    try {
      return this.exports[name](...values);
    } catch (error) {
      throw this.trapped(error);
    }
  }

  trapped(error) {
    if (!(error instanceof WebAssembly.RuntimeError) && !(error instanceof RangeError)) return error;
    this.dead = this.isFull()
      ? new ViewcellError('MEMORY', 'out of memory in WebAssembly; bundles that were open are closed, open them anew', { cause: error })
      : new ViewcellError('INTERNAL', 'a fault of viewcell itself; please report it', { cause: error });
    return this.dead;
  }

  // Whether a trap was for want of memory: nothing asks for more than a gigabyte at a time, and what
  // memory can grow to is known by trying alone.
  isFull() {
    try {
      return this.exports.memory.grow((1 << 30) / 65536) < 0;
    } catch {
      return true;
    }
  }

  ask(name, ...values) {
    const status = this.call(name, ...values);
    if (status < 0) this.fail(status);
    return status;
  }

  fail(status) {
    throw new ViewcellError(CODES[status] ?? 'INTERNAL', this.text(this.exports.viewcell_status_text(status)));
  }

  text(at) {
    const bytes = new Uint8Array(this.exports.memory.buffer, at);
    return new TextDecoder().decode(bytes.slice(0, bytes.indexOf(0)));
  }

  allocate(bytes) {
    // Lengths from 2^31 on are negative to WebAssembly, which takes them modulo 2^32.
    const at = bytes > 0xffff0000 ? 0 : this.call('viewcell_allocate', bytes) >>> 0;
    if (at === 0) throw new ViewcellError('MEMORY', `out of memory in WebAssembly: no room for ${bytes} bytes`);
    return at;
  }

  release(at, bytes) {
    this.call('viewcell_release', at, bytes);
  }

  // Runs `body` with so many bytes of memory that are given back at the end.
  within(bytes, body) {
    const at = bytes <= SCRATCH ? this.scratch : this.allocate(bytes);
    try {
      return body(at);
    } finally {
      if (at !== this.scratch && !this.dead) this.release(at, bytes);
    }
  }

  u32(at, count = 1) {
    return new Uint32Array(this.exports.memory.buffer, at, count);
  }

  open(owner, bytes) {
    const room = this.allocate(bytes.length);
    new Uint8Array(this.exports.memory.buffer, room, bytes.length).set(bytes);
    const record = { handle: 0, room, length: bytes.length, builder: 0, sessions: new Set() };
    const message = this.scratch + 16;
    const status = this.call('viewcell_open_memory', ABI, room, bytes.length, this.scratch, message, SCRATCH - 16);
    record.handle = this.u32(this.scratch)[0];
    if (status < 0) {
      const why = status === -4 || status === -5 ? this.text(message) : '';
      this.release(room, bytes.length);
      throw new ViewcellError(CODES[status], why || this.text(this.call('viewcell_status_text', status)));
    }
    this.bundles.set(record.handle, record);
    forgotten?.register(owner, () => this.closeRecord(record), owner);
    return { handle: record.handle, ...this.info(record.handle) };
  }

  closeBundle(owner, handle) {
    forgotten?.unregister(owner);
    const record = this.bundles.get(handle);
    if (record) this.closeRecord(record);
  }

  closeRecord(record) {
    if (this.dead || !this.bundles.delete(record.handle)) return;
    for (const session of record.sessions) this.call('viewcell_session_close', session);
    if (record.builder) this.call('viewcell_frontier_close', record.builder);
    this.call('viewcell_close', record.handle);
    this.release(record.room, record.length);
    if (this.bundles.size === 0 && this.regions === 0 && this.exports.memory.buffer.byteLength > KEEP && current === this) current = null;
  }

  info(handle) {
    const at = this.scratch;
    const kind = this.ask('viewcell_kind', handle);
    if (kind === 3) {
      this.ask('viewcell_solid_info', handle, at);
      const [cells, solids, faces, mutual] = this.u32(at, 4);
      const numbers = Array.from(new Float64Array(this.exports.memory.buffer, at + 16, 11));
      const [cell, low, high] = [0, 3, 6].map((from) => numbers.slice(from, from + 3));
      return { solid: { cells, words: Math.ceil(cells / 64), solids, faces, mutual: mutual === 1, cell, hull: [low, high], eye: numbers.slice(9) } };
    }
    if (kind === 1) {
      this.ask('viewcell_info', handle, at);
      const [width, height, levels, mutual] = this.u32(at, 4);
      const [dx, dy, eyeHeight, playerHeight] = new Float64Array(this.exports.memory.buffer, at + 16, 4);
      const [blocks, blockColumns] = Array.from(new BigUint64Array(this.exports.memory.buffer, at + 48, 2), Number);
      return { terrain: { width, height, levels, mutual: mutual === 1, dx, dy, eyeHeight, playerHeight, blocks, blockColumns } };
    }
    this.ask('viewcell_cells_info', handle, at);
    const [cells, words, greatestDistance, mutual, bsp, neighbours] = this.u32(at, 6);
    return { level: { cells, words, greatestDistance, mutual: mutual === 1, hasBsp: bsp === 1, hasNeighbours: neighbours === 1 } };
  }

  // A place that a function writes, of so many numbers; null outside.
  place(name, handle, numbers, ...values) {
    const status = this.call(name, handle, ...values, this.scratch);
    if (status === OUTSIDE || status === VOID) return null;
    if (status < 0) this.fail(status);
    const [a, b] = this.u32(this.scratch, 2);
    return numbers === 2 ? [a, b] : a;
  }

  bounds(handle, cell) {
    this.ask('viewcell_cells_bounds', handle, cell, this.scratch, this.scratch + 24);
    const numbers = Array.from(new Float64Array(this.exports.memory.buffer, this.scratch, 6));
    return [numbers.slice(0, 3), numbers.slice(3)];
  }

  // Asks about two positions of a solid level.
  points(name, handle, from, to, ...values) {
    new Float64Array(this.exports.memory.buffer, this.scratch, 6).set([...from, ...to]);
    return this.ask(name, handle, this.scratch, this.scratch + 24, ...values) === 1;
  }

  pointPairs(handle, pairs, answers) {
    const count = answers.length;
    this.within(count * 49, (at) => {
      const numbers = new Float64Array(this.exports.memory.buffer, at, 6 * count);
      for (let i = 0; i < count; i++) {
        numbers.set(pairs.subarray(6 * i, 6 * i + 3), 3 * i);
        numbers.set(pairs.subarray(6 * i + 3, 6 * i + 6), 3 * (count + i));
      }
      const out = at + count * 48;
      this.ask('viewcell_solid_visible_pairs', handle, count, at, at + count * 24, out);
      answers.set(new Uint8Array(this.exports.memory.buffer, out, count));
    });
  }

  height(handle, column, row) {
    const status = this.call('viewcell_height_at', handle, column, row, this.scratch);
    if (status === VOID) return null;
    if (status < 0) this.fail(status);
    return new Float32Array(this.exports.memory.buffer, this.scratch, 1)[0];
  }

  pairs(handle, isTerrain, pairs, answers) {
    const count = answers.length;
    return this.within(pairs.length * 4 + count, (at) => {
      const out = at + pairs.length * 4;
      const numbers = this.u32(at, pairs.length);
      let status;
      if (isTerrain) {
        numbers.set(pairs);
        status = this.call('viewcell_visible_pairs_at', handle, count, at, out);
      } else {
        for (let i = 0; i < count; i++) {
          numbers[i] = pairs[2 * i];
          numbers[count + i] = pairs[2 * i + 1];
        }
        status = this.call('viewcell_cells_visible_pairs', handle, count, at, at + count * 4, out);
      }
      if (status >= 0) answers.set(new Uint8Array(this.exports.memory.buffer, out, count));
      return status;
    });
  }

  // A bitmap of so many words that a function writes behind these arguments.
  words(name, handle, count, ...values) {
    return this.within(count * 8, (at) => {
      this.ask(name, handle, ...values, at, count);
      return new BigUint64Array(this.exports.memory.buffer, at, count).slice();
    });
  }

  count(name, handle, ...values) {
    this.ask(name, handle, ...values, this.scratch);
    return this.u32(this.scratch)[0];
  }

  distance(handle, a, b) {
    const status = this.call('viewcell_cells_distance', handle, a, b);
    if (status === UNREACHABLE) return null;
    if (status < 0) this.fail(status);
    return status;
  }

  cellsFrontier(bundle, handle, a, b, { construction }) {
    const count = this.count('viewcell_cells_frontier_words', handle, construction);
    return this.within(count * 8, (at) => {
      if (this.ask('viewcell_cells_frontier', handle, a, b, construction, at, count) === 0) return null;
      const words = new BigUint64Array(this.exports.memory.buffer, at, 2 * bundle.words).slice();
      const half = (from) => new Region(bundle, { words: words.subarray(from, from + bundle.words) });
      return new Frontier(half(0), half(bundle.words));
    });
  }

  frontier(bundle, handle, a, b, { fields }) {
    const record = this.bundles.get(handle);
    if (!record.builder) {
      this.ask('viewcell_frontier_new', handle, this.scratch);
      record.builder = this.u32(this.scratch)[0];
    }
    this.ask('viewcell_frontier_defaults', this.scratch);
    for (const [field, value] of fields) this.u32(this.scratch + field * 4)[0] = value;
    this.placed(this.call('viewcell_frontier_begin_at', record.builder, ...a, ...b, this.scratch), a, b);
    while (this.ask('viewcell_frontier_step', record.builder, 0xffffffff) === 0);
    const halves = [0, 1].map((side) => {
      const area = this.area(record.builder, side);
      return { area, code: this.encoded('viewcell_frontier_encode', record.builder, side, 0) };
    });
    if (halves.every(({ area }) => area === 0)) return null;
    return new Frontier(...halves.map(({ area, code }) => this.region(bundle, handle, code, area)));
  }

  placed(status, ...places) {
    if (status === VOID) throw new ViewcellError('VOID', `${places.map(([c, r]) => `(${c}, ${r})`).join(' or ')} is a void: nobody stands there`);
    if (status < 0) this.fail(status);
  }

  area(builder, side) {
    this.ask('viewcell_frontier_area', builder, side, this.scratch);
    return Number(new BigUint64Array(this.exports.memory.buffer, this.scratch, 1)[0]);
  }

  // The bytes that a function writes: asked for twice where they are many.
  encoded(name, handle, ...values) {
    const room = SCRATCH - 16;
    const status = this.call(name, handle, ...values, this.scratch + 16, room, this.scratch);
    const length = this.u32(this.scratch)[0];
    if (status >= 0) return new Uint8Array(this.exports.memory.buffer, this.scratch + 16, length).slice();
    if (status !== -9) this.fail(status);
    return this.within(length + SCRATCH, (at) => {
      this.ask(name, handle, ...values, at, length, this.scratch);
      return new Uint8Array(this.exports.memory.buffer, at, length).slice();
    });
  }

  region(bundle, handle, code, area = null) {
    const region = this.within(code.length + SCRATCH, (at) => {
      new Uint8Array(this.exports.memory.buffer, at, code.length).set(code);
      this.ask('viewcell_region_decode', handle, at, code.length, this.scratch);
      return this.u32(this.scratch)[0];
    });
    this.regions++;
    const close = () => {
      if (this.dead || this.call('viewcell_region_close', region) < 0) return;
      this.regions--;
    };
    const made = new Region(bundle, {
      bytes: code.slice(),
      area,
      contains: (column, row) => this.ask('viewcell_region_contains_at', region, column, row) === 1,
      close: () => {
        forgotten?.unregister(made);
        close();
      },
    });
    forgotten?.register(made, close, made);
    return made;
  }

  session(bundle, handle, players, { fields, construction, patience, peers }) {
    const record = this.bundles.get(handle);
    if (bundle.kind !== 'cells') {
      this.ask('viewcell_session_defaults', this.scratch);
      for (const [field, value] of fields) this.u32(this.scratch + field * 4)[0] = value;
      this.ask('viewcell_session_new', handle, players, this.scratch, this.scratch + 512);
    } else {
      this.ask('viewcell_cells_session_new', handle, players, construction, patience, peers, this.scratch + 512);
    }
    const session = this.u32(this.scratch + 512)[0];
    record.sessions.add(session);
    const close = () => {
      if (!this.dead && record.sessions.delete(session)) this.call('viewcell_session_close', session);
    };
    const made = new Session(bundle, players, {
      engine: this,
      session,
      close: () => {
        forgotten?.unregister(made);
        close();
      },
    });
    forgotten?.register(made, close, made);
    return made;
  }

  // The notices of a move.
  move(session, isTerrain, players, player, place) {
    const room = Math.max(1, 2 * (players - 1));
    return this.within(room * 12 + SCRATCH, (at) => {
      const told = at + room * 12;
      const move = (name, ...to) => this.call(name, session, player, ...to, at, room, told);
      // Behind what is told, at a multiple of eight.
      const point = told + 16 - (told % 8);
      if (!isTerrain && Array.isArray(place)) new Float64Array(this.exports.memory.buffer, point, 3).set(place);
      const status = isTerrain
        ? move('viewcell_session_move_at', ...(place ?? [0xffffffff, 0]))
        : Array.isArray(place)
          ? move('viewcell_solid_session_move', point)
          : move('viewcell_cells_session_move', place ?? 0xffffffff);
      this.placed(status, place);
      const count = this.u32(told)[0];
      const words = this.u32(at, count * 3);
      return Array.from({ length: count }, (_, i) => ({
        to: words[3 * i],
        about: words[3 * i + 1],
        what: words[3 * i + 2] === 1 ? 'frontier' : 'position',
      }));
    });
  }

  u64(name, handle, ...values) {
    const status = this.ask(name, handle, ...values, this.scratch);
    return [status, Number(new BigUint64Array(this.exports.memory.buffer, this.scratch, 1)[0])];
  }
}
