/** A sample of a terrain: column from 0 in the west, row from 0 in the north. Or the number of a cell. */
export type Place = readonly [column: number, row: number] | { readonly column: number; readonly row: number } | number;

/** A position: metres east and south of sample (0, 0), and any height; or in the units and axes of a level, or of the engine that it was exported from, in a solid one
 * of a player's origin. */
export type Point = readonly [x: number, y: number, z: number] | Float64Array | { readonly x: number; readonly y: number; readonly z: number };

/** What went wrong with a bundle. Arguments of a wrong type are a TypeError, places off the map a RangeError. */
export class ViewcellError extends Error {
  readonly code:
    | 'FORMAT' | 'KIND' | 'CLOSED' | 'VOID' | 'OUTSIDE' | 'UNREACHABLE' | 'ARGUMENT' | 'FULL' | 'MEMORY' | 'IO' | 'VERSION' | 'INTERNAL';
}

/** Takes WebAssembly from elsewhere than beside the module. Before the first `open`. */
export function load(source: BufferSource | Response | WebAssembly.Module): Promise<void>;

/** Opens the bundle that the bytes are; they are copied. */
export function open(bytes: ArrayBuffer | SharedArrayBuffer | ArrayBufferView): Promise<Bundle>;

/** How far frontier sets of a terrain or a solid level are grown. */
export interface FrontierOptions {
  /** Until so many quads have been tried, 64 by default; 0 for no limit. */
  budget?: number;
}

/** Of a session on a terrain or in a solid level. */
export interface SessionOptions extends FrontierOptions {
  /** On a terrain. */
  margin?: number;
  patience?: number;
  peers?: boolean;
}

export interface CellSessionOptions {
  patience?: number;
  peers?: boolean;
}

export interface Notice {
  /** Whom to tell. */
  to: number;
  /** About whom. */
  about: number;
  what: 'position' | 'frontier';
}

interface Terrain {
  readonly kind: 'terrain';
  readonly width: number;
  readonly height: number;
  /** Levels of the quadtree. */
  readonly levels: number;
  readonly mutual: boolean;
  /** Metres between columns. */
  readonly dx: number;
  /** Metres between rows. */
  readonly dy: number;
  readonly eyeHeight: number;
  readonly playerHeight: number;
  /** Words of a PVS. */
  readonly blocks: number;
  readonly blockColumns: number;
}

interface Level {
  readonly kind: 'cells';
  readonly cells: number;
  /** Words of a PVS. */
  readonly words: number;
  readonly greatestDistance: number;
  readonly mutual: boolean;
  readonly hasBsp: boolean;
  readonly hasNeighbours: boolean;
}

interface Solid {
  readonly kind: 'solid';
  readonly cells: number;
  /** Words of a PVS. */
  readonly words: number;
  /** What hides: convex solids, and faces of no solid. */
  readonly solids: number;
  readonly faces: number;
  readonly mutual: boolean;
  /** Size of the smallest cells, by axis. */
  readonly cell: readonly [number, number, number];
  /** Least and greatest corner of the body, from the player's origin. */
  readonly hull: readonly [readonly [number, number, number], readonly [number, number, number]];
  /** Heights of the eye over the origin: crouched, standing. */
  readonly eye: readonly [number, number];
  /** Which coordinate of a position, counted from 1, is along x, y and z of the level, with z up; [1, 2, 3] if no engine was named. */
  readonly axes: readonly [number, number, number];
  /** Units of the level in one of positions. */
  readonly scale: number;
  /** How many objects a scene draws; 0 of a level. */
  readonly objects: number;
}

/** How a player moves, in the bundle's units and seconds. Pairs: along the ground, and up or down; no limit if not given. */
export interface Motion {
  position: Point;
  velocity?: Point | null;
  speed?: readonly [number, number];
  acceleration?: readonly [number, number];
  /** Greatest sudden changes of velocity, added up; by default 0. */
  impulse?: readonly [number, number];
  /** How far a position may be from where the player truly was; by default 0. */
  error?: readonly [number, number];
}

/** A player at some time to come: seconds from now. */
export interface Mover extends Motion {
  from?: number;
  until?: number;
}

/** A player in a frame of a watch. */
export interface Watched extends Motion {
  /** Seconds until what is sent now no longer counts for what they see: a round trip and the time to the next frame. 0.1. */
  seesUntil?: number;
  /** Seconds to the next frame. 0.05. */
  shownUntil?: number;
  /** By how much stairs may lift them at once. 0. */
  step?: number;
  /** Lowest and highest eye over the origin; the bundle's if not given. */
  eye?: readonly [number, number];
  /** Least and greatest corner of what is seen of them, from the origin; the bundle's if not given. */
  body?: readonly [Point, Point];
}

/** Whom a server must send to whom, frame by frame: `set` for everybody, `begin`, `look`, `sends`. */
export class Watch {
  private constructor();
  readonly players: number;
  /** What the frame came to until now, in ordered pairs; work: looks of about a microsecond. */
  readonly counts: { pairs: number; hidden: number; kept: number; looked: number; work: number };
  /** Null: they have gone. */
  set(player: number, of: Watched | null): void;
  /**
   * What hides besides the level, in place of what did before: closed doors, least and greatest corner of each, and smoke, to be
   * given in each frame while there is any; it hides one player from another if it stays until the one sees and the other is shown.
   */
  occluders(
    doors: readonly (readonly [Point, Point])[],
    smokes?: readonly { centre: Point; radius: number; seconds: number }[],
  ): void;
  begin(): void;
  /** True if all were looked at; who is not is sent. */
  look(work: number): boolean;
  lookFor(milliseconds: number): boolean;
  sends(viewer: number, player: number): boolean;
  close(): void;
}

/** An open bundle. What is of one kind alone is undefined, or an error, of the others. */
export interface Bundle
  extends Partial<Omit<Terrain, 'kind' | 'mutual'>>, Partial<Omit<Level, 'kind' | 'mutual'>>, Partial<Omit<Solid, 'kind' | 'mutual'>> {
  readonly kind: 'terrain' | 'cells' | 'solid';
  readonly mutual: boolean;
  /** View cells. */
  readonly places: number;
  /** The sample at metres east and south of sample (0, 0); null off the map, and where nobody can be. */
  locate(east: number, south: number): [column: number, row: number] | null;
  /** The cell that holds a point of a level, or null. */
  locate(x: number, y: number, z: number): number | null;
  /** Least and greatest corner of a place: a cell's box; a sample's square, at the height of its ground. Null of a void. */
  bounds(place: Place): [[number, number, number], [number, number, number]] | null;
  locateGeoreferenced(x: number, y: number): [column: number, row: number] | null;
  /** Ground height of a sample in metres; null of a void. */
  groundHeight(place: Place): number | null;
  /** Whether somebody at b may be seen from a. */
  visible(a: Place, b: Place): boolean;
  /** The same of two samples, without an object: for loops. */
  visible(c0: number, r0: number, c1: number, r1: number): boolean;
  /** c0, r0, c1, r1 of each pair, or a, b of cells. 1 or 0 of each. */
  visiblePairs(pairs: Uint32Array): Uint8Array;
  /** Whether a player at position a may see one at position b. True where either is at no place. */
  visiblePoints(a: Point, b: Point): boolean;
  /** x, y, z of a and of b, for each pair. 1 or 0 of each. */
  visiblePointPairs(pairs: Float64Array): Uint8Array;
  /** Whether two may see each other on their paths, up to so far each. Errs towards true. Positions in a solid level. */
  visibleWithin(a: Place | Point, b: Place | Point, reachA: number, reachB: number): boolean;
  /** All that may be seen from a place, or from the quad of a level: a word of 64 bits a block of 8 x 8 samples. */
  pvs(place: Place, level?: number): BigUint64Array;
  /** The same as a byte of 1 or 0 a sample, row by row. */
  pvsMask(place: Place, level?: number): Uint8Array;
  /** Visible steps from cell to cell; null where none lead there. */
  distance(a: number, b: number): number | null;
  /** Two regions, no place of one visible from any place of the other; null if a and b see each other. */
  frontier(a: Place, b: Place, options?: FrontierOptions): Frontier | null;
  /** A region from its bytes. */
  region(bytes: Uint8Array): Region;
  /** Whether one may see the other, each at any of their own times. Errs towards true. In `viewcell/server`. */
  seesInMotion(from: Mover, to: Mover): boolean;
  /** Of a solid level, in `viewcell/server`. Whoever sees further ahead than `maxAhead` seconds, by default 0.2, is sent everybody. */
  watch(players: number, options?: { maxAhead?: number }): Watch;
  session(players: number, options?: SessionOptions | CellSessionOptions): Session;
  /** Closes the bundle and its sessions, and frees their memory. */
  close(): void;
  [Symbol.dispose](): void;
}

export class Frontier {
  private constructor();
  readonly a: Region;
  readonly b: Region;
  close(): void;
}

export class Region {
  private constructor();
  /** Samples or cells; null of a region made from bytes. */
  readonly area: number | null;
  readonly bytes: Uint8Array;
  /** Of a level of cells. */
  readonly words: BigUint64Array | null;
  contains(place: Place): boolean;
  close(): void;
}

export class Session {
  private constructor();
  readonly players: number;
  readonly sets: number;
  /** A player has come to a place, in a solid level to a position (in no cell all are told), or is gone. */
  move(player: number, place: Place | Point | null): Notice[];
  /** The same where news takes time: clients go by what is told now between the mover's times. In `viewcell/server`. */
  moveInMotion(player: number, mover: Mover): Notice[];
  tick(): void;
  age(player: number, other: number): number | null;
  contains(player: number, other: number, place: Place): boolean;
  /** The player's own half of the set with another, for `Bundle.region`. */
  half(player: number, other: number): Uint8Array | null;
  close(): void;
}
