// The WebAssembly module: its memory, its functions, and what goes wrong in it.

import { Watch, writeMover } from './motion.js';
import { Frontier, Region, Session } from './sets.js';

const ABI = 4;
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

// The module that is loaded unless another was: `viewcell-server.wasm` has motion and watches as well.
let beside = 'viewcell.wasm';

// For `viewcell/server`: before the first `open`.
export function serve() {
  beside = 'viewcell-server.wasm';
}

async function read(name) {
  const url = new URL(name, import.meta.url);
  if (url.protocol !== 'file:') return compile(await fetch(url));
  // Named apart, so that bundlers for the web do not look for it.
  const files = 'node:fs/promises';
  const { readFile } = await import(/* @vite-ignore */ /* webpackIgnore: true */ files);
  return compile(await readFile(url));
}

// The engine that new bundles go into.
export async function engine() {
  compiled ??= read(beside).catch((error) => {
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
    const record = { handle: 0, room, length: bytes.length, builder: 0, sessions: new Set(), served: new Map() };
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
    for (const [handle, close] of record.served) this.call(close, handle);
    if (record.builder) this.call('viewcell_frontier_close', record.builder);
    this.call('viewcell_close', record.handle);
    this.release(record.room, record.length);
    if (this.bundles.size === 0 && this.regions === 0 && this.exports.memory.buffer.byteLength > KEEP && current === this) current = null;
  }

  // What a bundle is of: the fields of viewcell_world, where they lie.
  info(handle) {
    const at = this.scratch;
    this.ask('viewcell_info', handle, at);
    const { buffer } = this.exports.memory;
    const whole = (offset, count) => Array.from(new Uint32Array(buffer, at + offset, count));
    const long = (offset) => Number(new BigUint64Array(buffer, at + offset, 1)[0]);
    const numbers = (offset, count) => Array.from(new Float64Array(buffer, at + offset, count));
    const [kind, mutual] = whole(0, 2);
    const common = { mutual: mutual === 1, places: long(8) };
    const words = long(16);
    if (kind === 1) {
      const [width, height, levels, blockColumns] = whole(24, 4);
      const [dx, dy, playerHeight, eyeHeight] = numbers(40, 4);
      return { kind: 'terrain', ...common, width, height, levels, dx, dy, eyeHeight, playerHeight, blocks: words, blockColumns };
    }
    if (kind === 2) {
      const [greatestDistance, bsp, neighbours] = whole(80, 3);
      return { kind: 'cells', ...common, cells: common.places, words, greatestDistance, hasBsp: bsp === 1, hasNeighbours: neighbours === 1 };
    }
    const [solids, faces] = whole(92, 2);
    const hull = [numbers(136, 3), numbers(160, 3)];
    const axes = Array.from(new Int32Array(buffer, at + 184, 3));
    const [objects, scale] = [whole(196, 1)[0], numbers(200, 1)[0]];
    return { kind: 'solid', ...common, cells: common.places, words, solids, faces, cell: numbers(112, 3), hull, eye: numbers(64, 2), axes, scale, objects };
  }

  positions(at, ...positions) {
    new Float64Array(this.exports.memory.buffer, at, 3 * positions.length).set(positions.flat());
  }

  // The number of the place that a position is at; null where nobody can be.
  locate(name, handle, position) {
    this.positions(this.scratch, position);
    const status = this.call(name, handle, this.scratch, this.scratch + 24);
    if (status === OUTSIDE || status === VOID) return null;
    if (status < 0) this.fail(status);
    return this.u32(this.scratch + 24)[0];
  }

  // The positions of a place; null where there is no terrain.
  bounds(handle, place) {
    const status = this.call('viewcell_bounds', handle, place, this.scratch);
    if (status === VOID) return null;
    if (status < 0) this.fail(status);
    const numbers = Array.from(new Float64Array(this.exports.memory.buffer, this.scratch, 6));
    return [numbers.slice(0, 3), numbers.slice(3)];
  }

  // Whether somebody at one position may see somebody at another, who come so far.
  seesWithin(handle, from, to, ...reaches) {
    this.positions(this.scratch, from, to);
    return this.ask('viewcell_sees_within', handle, this.scratch, this.scratch + 24, ...reaches) === 1;
  }

  // Answers pairs of places. `write` puts those who look and those who are looked at into two arrays.
  pairs(handle, answers, write) {
    const count = answers.length;
    this.within(count * 9, (at) => {
      write(this.u32(at, count), this.u32(at + 4 * count, count));
      const out = at + 8 * count;
      this.ask('viewcell_visible_pairs', handle, count, at, at + 4 * count, out);
      answers.set(new Uint8Array(this.exports.memory.buffer, out, count));
    });
  }

  // The places of positions, three numbers each; 0xffffffff for none, where all is seen.
  locateAll(handle, positions) {
    const count = positions.length / 3;
    return this.within(count * 28, (at) => {
      new Float64Array(this.exports.memory.buffer, at, positions.length).set(positions);
      this.ask('viewcell_locate_all', handle, count, at, at + 24 * count);
      return this.u32(at + 24 * count, count).slice();
    });
  }

  // A bitmap of so many words.
  pvs(handle, count, place, level) {
    return this.within(count * 8, (at) => {
      this.ask('viewcell_pvs', handle, place, level, at, count);
      return new BigUint64Array(this.exports.memory.buffer, at, count).slice();
    });
  }

  // Which objects of a scene a camera at a position may see, a bit each.
  objectsSeen(handle, objects, position) {
    const count = Math.ceil(objects / 64);
    return this.within(24 + count * 8, (at) => {
      this.positions(at, position);
      this.ask('viewcell_objects_seen', handle, at, at + 24, count);
      return new Uint32Array(this.exports.memory.buffer, at + 24, 2 * count).slice();
    });
  }

  // Where an object is in its scene.
  objectPath(handle, object) {
    const length = this.ask('viewcell_object_path', handle, object, 0, 0);
    return this.within(length + 1, (at) => {
      this.ask('viewcell_object_path', handle, object, at, length + 1);
      return this.text(at);
    });
  }

  distance(handle, a, b) {
    const status = this.call('viewcell_distance', handle, a, b);
    if (status === UNREACHABLE) return null;
    if (status < 0) this.fail(status);
    return status;
  }

  // Writes options over the defaults.
  options(name, fields) {
    this.ask(name, this.scratch);
    for (const [field, value] of fields) this.u32(this.scratch + field * 4)[0] = value;
    return this.scratch;
  }

  frontier(bundle, handle, a, b, budget) {
    const record = this.bundles.get(handle);
    if (!record.builder) {
      this.ask('viewcell_frontier_new', handle, this.scratch);
      record.builder = this.u32(this.scratch)[0];
    }
    this.placed(bundle, this.call('viewcell_frontier_begin', record.builder, a, b, budget), a, b);
    while (this.ask('viewcell_frontier_step', record.builder, 0xffffffff) === 0);
    const halves = [0, 1].map((side) => {
      const area = this.u64('viewcell_frontier_area', record.builder, side)[1];
      return { area, code: this.encoded('viewcell_frontier_encode', record.builder, side, 0) };
    });
    if (halves.every(({ area }) => area === 0)) return null;
    return new Frontier(...halves.map(({ area, code }) => this.region(bundle, handle, code, area)));
  }

  // Says which places a void may be.
  placed(bundle, status, ...places) {
    if (status === VOID) {
      const named = places.map((place) => `(${place % bundle.width}, ${Math.floor(place / bundle.width)})`);
      throw new ViewcellError('VOID', `${named.join(' or ')} is a void: nobody stands there`);
    }
    if (status < 0) this.fail(status);
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
      contains: (place) => this.ask('viewcell_region_contains', region, place) === 1,
      close: () => {
        forgotten?.unregister(made);
        close();
      },
    });
    forgotten?.register(made, close, made);
    return made;
  }

  session(bundle, handle, players, fields) {
    const record = this.bundles.get(handle);
    const options = this.options('viewcell_session_defaults', fields);
    this.ask('viewcell_session_new', handle, players, options, this.scratch + 512);
    const session = this.u32(this.scratch + 512)[0];
    record.sessions.add(session);
    const close = () => {
      if (!this.dead && record.sessions.delete(session)) this.call('viewcell_session_close', session);
    };
    const made = new Session(bundle, players, {
      engine: this,
      session,
      locate: (position) => this.locate('viewcell_locate', handle, position),
      close: () => {
        forgotten?.unregister(made);
        close();
      },
    });
    forgotten?.register(made, close, made);
    return made;
  }

  // The notices of a move to a place, or as a mover is about to.
  move(bundle, session, players, player, place, mover = null) {
    const room = Math.max(1, 2 * (players - 1));
    return this.within(room * 12 + SCRATCH, (at) => {
      const told = at + room * 12;
      if (mover) {
        writeMover(this.view(told + 8), mover);
        this.served('viewcell_session_move_in_motion', session, player, told + 8, at, room, told);
      } else this.placed(bundle, this.call('viewcell_session_move', session, player, place, at, room, told), place);
      const count = this.u32(told)[0];
      const words = this.u32(at, count * 3);
      return Array.from({ length: count }, (_, i) => ({
        to: words[3 * i],
        about: words[3 * i + 1],
        what: words[3 * i + 2] === 1 ? 'frontier' : 'position',
      }));
    });
  }

  // Asks a function that only the module of `viewcell/server` has.
  served(name, ...values) {
    if (!(name in this.exports))
      throw new ViewcellError('KIND', 'motion and watches are in the module for servers: import from "viewcell/server"');
    return this.ask(name, ...values);
  }

  view(at) {
    return new DataView(this.exports.memory.buffer, at);
  }

  seesInMotion(handle, from, to) {
    writeMover(this.view(this.scratch), from);
    writeMover(this.view(this.scratch + 136), to);
    return this.served('viewcell_sees_in_motion', handle, this.scratch, this.scratch + 136) === 1;
  }

  watch(handle, players, maxAhead) {
    this.served('viewcell_watch_new', handle, players, maxAhead, this.scratch);
    return this.keep(handle, 'viewcell_watch_close', (of) => new Watch(players, of));
  }

  // What was just made of a bundle, and is closed with it.
  keep(bundle, name, make) {
    const { served } = this.bundles.get(bundle);
    const handle = this.u32(this.scratch)[0];
    served.set(handle, name);
    const close = () => {
      if (!this.dead && served.delete(handle)) this.call(name, handle);
    };
    const made = make({
      engine: this,
      handle,
      close: () => {
        forgotten?.unregister(made);
        close();
      },
    });
    forgotten?.register(made, close, made);
    return made;
  }

  u64(name, handle, ...values) {
    const status = this.ask(name, handle, ...values, this.scratch);
    return [status, Number(new BigUint64Array(this.exports.memory.buffer, this.scratch, 1)[0])];
  }
}
