// Interest management by sight: who observes whom, frame by frame, for any networking library.

const shown = (x) => (typeof x === 'string' ? JSON.stringify(x) : String(x));

function positive(of, name, least = Number.MIN_VALUE) {
  if (typeof of !== 'number' || !(of >= least) || of === Infinity) throw new RangeError(`${name}: expected seconds ${least > 0 ? 'above' : 'from'} 0, found ${shown(of)}`);
  return of;
}

// Who observes whom. Each frame of the server: `put` for everybody who is there, `update`, which tells what has changed. Hidden is
// only who was proven hidden for all that both may reach until the next update counts; whoever is not known sees all and is
// seen by all. In a solid level of at most 256 players by a watch, elsewhere pair by pair.
export class ObserverSets {
  #bundle;
  #options;
  #watch = null;
  #players = new Map();
  #free;

  // speed: greatest speeds along the ground, and up or down, dashes and knock-back included. interval: the longest time from one
  // update to the next. maxAhead: whoever sees further ahead, by their ping, observes everybody. hold: for how long an observer is kept after
  // sight has ended. milliseconds: of an update; pairs that are not come to are observed. step: how high stairs are.
  constructor(bundle, { players = 64, speed, interval = 0.1, maxAhead = 0.3, hold = 1, milliseconds = 1, step = 0, work = null }) {
    if (!Array.isArray(speed) || speed.length !== 2 || !speed.every((of) => of >= 0))
      throw new TypeError(`speed: expected [along the ground, up or down], found ${shown(speed)}`);
    if (!Number.isInteger(players) || players < 1) throw new RangeError(`players: expected at least 1, found ${shown(players)}`);
    positive(interval, 'interval');
    positive(hold, 'hold', 0);
    if (!(maxAhead >= interval)) throw new RangeError(`maxAhead: expected at least the interval of ${interval} s, found ${shown(maxAhead)}`);
    this.#bundle = bundle;
    this.#options = { speed, interval, maxAhead, hold, milliseconds, step, work };
    this.#free = Array.from({ length: players }, (_, i) => players - 1 - i);
    if (bundle.kind === 'solid' && players <= 256) this.#watch = bundle.watch(players, { maxAhead });
  }

  // Where a player is, and the round trip to their client in seconds. False where there is no room: then all observe them.
  put(key, position, { ping = 0 } = {}) {
    let player = this.#players.get(key);
    if (!player) {
      if (this.#free.length === 0) return false;
      player = { key, slot: this.#free.pop(), isKnown: false, until: new Map(), observers: new Set() };
      this.#players.set(key, player);
    }
    const { interval, maxAhead } = this.#options;
    player.position = Array.from(position);
    // A ping that is none is one of which nothing is known.
    player.ahead = ping >= 0 && ping + interval <= maxAhead ? ping + interval : Infinity;
    player.isPut = true;
    return true;
  }

  #mover(player, until) {
    return { position: player.position, speed: this.#options.speed, until };
  }

  #sees(viewer, player) {
    if (this.#watch) return this.#watch.sends(viewer.slot, player.slot);
    return this.#bundle.seesInMotion(this.#mover(viewer, viewer.ahead), this.#mover(player, this.#options.interval));
  }

  // Who observes whom at a time in seconds. Whoever was not put since the last update has gone. Gives what has changed, the pairs
  // of new players included: { viewer, player, observes }.
  update(time) {
    for (const [key, player] of this.#players) if (!player.isPut) this.remove(key);
    const { speed, interval, step, work, milliseconds, hold } = this.#options;
    const watch = this.#watch;
    if (watch) {
      for (const { slot, position, ahead } of this.#players.values()) watch.set(slot, { position, speed, seesUntil: ahead, shownUntil: interval, step });
      watch.begin();
      if (work !== null) watch.look(work);
      else watch.lookFor(milliseconds);
    }
    const changes = [];
    for (const player of this.#players.values())
      for (const viewer of this.#players.values()) {
        if (viewer === player) continue;
        const sees = this.#sees(viewer, player);
        if (sees) player.until.set(viewer, time + hold);
        const observes = sees || player.until.get(viewer) > time;
        if (observes === player.observers.has(viewer) && viewer.isKnown && player.isKnown) continue;
        if (observes) player.observers.add(viewer);
        else player.observers.delete(viewer);
        changes.push({ viewer: viewer.key, player: player.key, observes });
      }
    for (const player of this.#players.values()) [player.isKnown, player.isPut] = [true, false];
    return changes;
  }

  // A player has gone.
  remove(key) {
    const gone = this.#players.get(key);
    if (!gone) return;
    this.#players.delete(key);
    this.#free.push(gone.slot);
    this.#watch?.set(gone.slot, null);
    for (const player of this.#players.values()) {
      player.until.delete(gone);
      player.observers.delete(gone);
    }
  }

  // Whether a player's client is to be told of another player, as of the last update; who came since then is asked about at once.
  observes(viewer, other) {
    const [from, to] = [this.#players.get(viewer), this.#players.get(other)];
    if (viewer === other || !from || !to) return true;
    if (from.isKnown && to.isKnown) return to.observers.has(from);
    return this.#bundle.seesInMotion(this.#mover(from, from.ahead), this.#mover(to, this.#options.interval));
  }

  // Frees its memory. May be called more than once.
  close() {
    this.#watch?.close();
  }
}
