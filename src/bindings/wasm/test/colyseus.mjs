// A Colyseus server and its clients on this machine, with recorded motion: after every frame each client has the players whom the
// library says, and nobody else; who was left out could not be seen by any line until the next frame counts, by a judge of the
// map's source; and how many bytes that saves.
//
// node colyseus.mjs ROOM.mjs BUNDLE TRACE.csv LEVEL.map
// [FRAMES [HOLD [PING]]], in seconds.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { Server } from '@colyseus/core';
import { WebSocketTransport } from '@colyseus/ws-transport';
import { Client } from 'colyseus.js';
import { open } from 'viewcell/server';
import { brushes } from './brushes.mjs';
import { Judge, frames } from './judge.mjs';

const [roomFile, level, trace, map, most = Infinity, ...given] = process.argv.slice(2);
const { HiddenRoom } = await import(pathToFileURL(roomFile));

const STEP = 0.05;
const [HOLD, PING] = [Number(given[0] ?? 0.5), Number(given[1] ?? 0.05)];
const WORK = 1e6;
// Of people in QuakeWorld: what `viewcell simulate fit` measures, and free fall.
const SPEED = [1000, 700];
const MOTION = { speed: SPEED, interval: STEP, maxAhead: 0.2, hold: HOLD, step: 18, work: WORK };

const motion = frames(trace).slice(0, Number(most));
const players = motion[0].length;
const bundle = await open(readFileSync(level));
const judge = new Judge(motion, brushes(map), SPEED.map((speed) => speed * STEP));

// A room whose players go where they were recorded, frame by frame.
class TraceRoom extends HiddenRoom {
  onCreate(options) {
    this.maxClients = players;
    super.onCreate(options);
    this.patchRate = null;
    this.frame = 0;
    this.isOpen = options.isOpen;
    rooms.set(this.roomName, this);
  }

  ping() {}

  now() {
    return this.frame * STEP;
  }

  onJoin(client, { player }) {
    super.onJoin(client);
    this.pings.get(client.sessionId).seconds = PING;
    sessions.get(this.roomName)[player] = client.sessionId;
  }

  // All are in all views: what a room without viewcell sends.
  onBeforePatch() {
    if (!this.isOpen) return super.onBeforePatch();
    for (const client of this.clients) for (const player of this.state.players.values()) if (!client.view.has(player)) client.view.add(player);
  }

  advance(frame) {
    this.frame = frame;
    this.state.frame = frame + 1;
    sessions.get(this.roomName).forEach((key, i) => Object.assign(this.state.players.get(key), { x: motion[frame][i][0], y: motion[frame][i][1], z: motion[frame][i][2] }));
    this.broadcastPatch();
  }
}

const rooms = new Map();
const sessions = new Map([['hidden', []], ['open', []]]);
const server = new Server({ transport: new WebSocketTransport(), greet: false });
server.define('hidden', TraceRoom, { bundle, motion: MOTION, isOpen: false });
server.define('open', TraceRoom, { bundle, motion: MOTION, isOpen: true });
await server.listen(0, '127.0.0.1');
const { port } = server.transport.server.address();

async function join(name) {
  const clients = [];
  for (let player = 0; player < players; player++) {
    const room = await new Client(`ws://127.0.0.1:${port}`).joinOrCreate(name, { player });
    const of = { room, bytes: 0, waits: () => {} };
    room.connection.transport.ws.addEventListener('message', ({ data }) => (of.bytes += data.byteLength ?? data.length));
    room.onStateChange(() => of.waits());
    clients.push(of);
  }
  return clients;
}

// Resolves when a client has a frame.
const has = (of, frame) =>
  new Promise((resolve) => {
    of.waits = () => of.room.state.frame === frame + 1 && resolve();
    of.waits();
  });

const [hidden, all] = [await join('hidden'), await join('open')];
const watch = bundle.watch(players, { maxAhead: MOTION.maxAhead });
const until = new Float64Array(players * players).fill(-1);
const figures = { frames: 0, pairs: 0, sent: 0, inSight: 0, late: 0, judged: 0 };
for (let frame = 0; frame < motion.length; frame++) {
  rooms.get('hidden').advance(frame);
  rooms.get('open').advance(frame);
  await Promise.all([...hidden, ...all].map((of) => has(of, frame)));

  // What the library says.
  motion[frame].forEach((position, i) => watch.set(i, { position, speed: SPEED, seesUntil: PING + STEP, shownUntil: STEP, step: 18 }));
  watch.begin();
  assert.ok(watch.look(WORK));
  const keys = sessions.get('hidden');
  for (let a = 0; a < players; a++)
    for (let b = 0; b < players; b++) {
      const { state } = hidden[a].room;
      const found = state.players.get(keys[b]);
      if (a !== b && watch.sends(a, b)) until[a * players + b] = frame * STEP + HOLD;
      const expected = a === b || watch.sends(a, b) || until[a * players + b] > frame * STEP;
      assert.equal(found !== undefined, expected, `frame ${frame}: client ${a} has player ${b}`);
      if (found) assert.deepEqual([found.x, found.y, found.z], motion[frame][b], `frame ${frame}: where ${b} is`);
      if (a === b) continue;
      figures.pairs++;
      if (found) figures.sent++;
      if (found) {
        figures.inSight += judge.inSight(frame, a, b);
        continue;
      }
      figures.judged++;
      const late = judge.isLate(frame, a, b, Math.ceil(PING / STEP) + 1, 1);
      if (late) console.log(`late: frame ${frame}: ${a} sees ${b}: ${motion[frame][a]} ${motion[frame][b]}`);
      figures.late += late;
    }
  figures.frames++;
}
const bytes = (of) => of.reduce((sum, { bytes }) => sum + bytes, 0);
const [sent, unfiltered] = [bytes(hidden), bytes(all)];
const share = (part, whole) => `${((100 * part) / whole).toFixed(1)} %`;
console.log(`${figures.frames} frames of ${players} players; in sight ${share(figures.inSight, figures.pairs)} of pairs, sent ${share(figures.sent, figures.pairs)}`);
console.log(`late ${figures.late} of ${figures.judged} left out; bytes received ${sent} of ${unfiltered}, saved ${share(unfiltered - sent, unfiltered)}`);
assert.equal(figures.late, 0);
assert.ok(figures.sent < 0.9 * figures.pairs);
for (const of of [...hidden, ...all]) await of.room.leave();
await server.gracefullyShutdown(false);
process.exit(0);
