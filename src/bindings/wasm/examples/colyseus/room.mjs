// A Colyseus room in which clients are sent the players whom they may see, and nobody else: what is in a client's StateView is what
// a viewcell bundle does not prove hidden.

import { Room } from '@colyseus/core';
import { MapSchema, StateView, schema } from '@colyseus/schema';
import { ObserverSets } from 'viewcell/server';

export const Player = schema({ x: 'number', y: 'number', z: 'number' }, 'Player');

// `view`: each player is sent to those clients only whose view has it.
export const World = schema({ players: { map: Player, view: true }, frame: 'uint32' }, 'World');

export class HiddenRoom extends Room {
  // options.bundle: an open bundle; options.motion: what ObserverSets takes. Not from clients: give them to `define`.
  onCreate({ bundle, motion }) {
    this.state = new World();
    this.state.players = new MapSchema();
    this.bundle = bundle;
    this.sets = new ObserverSets(bundle, { players: this.maxClients < 256 ? this.maxClients : 256, ...motion });
    this.pings = new Map();
    this.onMessage('pong', (client, sent) => this.pong(client, sent));
    this.clock.setInterval(() => this.ping(), 1000);
  }

  // The round trip is the server's to measure: the number comes back, the time stays here.
  ping() {
    const at = performance.now();
    for (const client of this.clients) {
      this.pings.get(client.sessionId).sent = at;
      client.send('ping', at);
    }
  }

  pong(client, sent) {
    const ping = this.pings.get(client.sessionId);
    if (ping && sent === ping.sent) ping.seconds = (performance.now() - sent) / 1000;
  }

  onJoin(client) {
    client.view = new StateView();
    // Until it is measured, the longest look-ahead.
    this.pings.set(client.sessionId, { sent: 0, seconds: Infinity });
    const player = new Player();
    Object.assign(player, this.spawn(client));
    this.state.players.set(client.sessionId, player);
    client.view.add(player);
  }

  // Where a new player stands: a game's own.
  spawn() {
    return { x: 0, y: 0, z: 0 };
  }

  onLeave(client) {
    this.state.players.delete(client.sessionId);
    this.pings.delete(client.sessionId);
    this.sets.remove(client.sessionId);
  }

  onDispose() {
    this.sets.close();
  }

  now() {
    return performance.now() / 1000;
  }

  // Just before a patch is sent: who comes into a view, and who leaves it.
  onBeforePatch() {
    for (const [key, { x, y, z }] of this.state.players) {
      // The state has the engine's axes.
      this.sets.put(key, [x, y, z], { ping: this.pings.get(key).seconds });
    }
    const views = new Map(this.clients.map((client) => [client.sessionId, client.view]));
    for (const { viewer, player, observes } of this.sets.update(this.now())) {
      const [view, of] = [views.get(viewer), this.state.players.get(player)];
      if (observes) view?.add(of);
      else view?.remove(of);
    }
  }
}
