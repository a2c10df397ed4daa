import type { Bundle, Point } from './viewcell.js';

export * from './viewcell.js';

/** In the unit of the bundle, and seconds. */
export interface ObserverOptions {
  /** The most players at a time, by default 64; of at most 256 in a solid level a watch is kept. */
  players?: number;
  /** Greatest speeds along the ground, and up or down, dashes and knock-back included. */
  speed: readonly [number, number];
  /** The longest time from one update to the next. 0.1. */
  interval?: number;
  /** Nobody sees further ahead, whatever their ping. 0.3. */
  maxAhead?: number;
  /** For how long an observer is kept after sight has ended. 1. */
  hold?: number;
  /** Of an update; pairs that are not come to are observed. 1. */
  milliseconds?: number;
  /** So many looks in place of milliseconds: the same answers on every machine. */
  work?: number | null;
  /** How high stairs are. 0. */
  step?: number;
}

/** Who observes whom: `put` for everybody who is there, `update`, each frame of the server. */
export class ObserverSets<Key = string> {
  constructor(bundle: Bundle, options: ObserverOptions);
  /** Where a player is, and the round trip to their client in seconds. False where there is no room. */
  put(key: Key, position: Point, options?: { ping?: number }): boolean;
  /** What has changed. Whoever was not put since the last update has gone. */
  update(time: number): { viewer: Key; player: Key; observes: boolean }[];
  remove(key: Key): void;
  observes(viewer: Key, other: Key): boolean;
  close(): void;
}
