// A server of one room: node server.mjs LEVEL.vcb [PORT]. It listens on this machine alone.

import { readFile } from 'node:fs/promises';
import { Server } from '@colyseus/core';
import { WebSocketTransport } from '@colyseus/ws-transport';
import { open } from 'viewcell/server';
import { HiddenRoom } from './room.mjs';

const [level, port = '2567'] = process.argv.slice(2);
if (!level) throw new Error('usage: node server.mjs LEVEL.vcb [PORT]');
const bundle = await open(await readFile(level));
if (bundle.kind !== 'solid') throw new Error(`${level}: expected a solid level, found ${bundle.kind}`);
const server = new Server({ transport: new WebSocketTransport(), greet: false });
// Metres a second of a player who runs; a patch every 50 ms, which may come 50 ms late.
server.define('level', HiddenRoom, { bundle, motion: { speed: [10, 20], interval: 0.1, step: 0.4 } });
await server.listen(Number(port), '127.0.0.1');
console.log(`listening on 127.0.0.1:${port}`);
