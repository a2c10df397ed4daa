// Rooms in three.js, in Chromium: with what the bundle hides left out, every pixel is as it was.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { open } from 'viewcell';
import { chromium, told } from './browser.mjs';
import { bytesOf } from './common.mjs';

// Rooms of 8 m with doors and crates, as glTF: nodes that stretch a cube, each room's below a node of its own.
function rooms(side, random) {
  const corners = Array.from({ length: 8 }, (_, c) => [c & 1, (c >> 1) & 1, (c >> 2) & 1]).flat();
  const faces = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
  const bytes = Buffer.concat([Buffer.from(Float32Array.from(corners).buffer), Buffer.from(Uint16Array.from(faces.flatMap(([a, b, c, d]) => [a, b, c, a, c, d])).buffer)]);
  const nodes = [];
  const solids = [];
  const box = (name, [x, y, z], [u, v, w], [a, c] = [0, 0]) => {
    solids.push([[x + a, y, z + c], [u + a, v, w + c]]);
    return nodes.push({ name, mesh: 0, translation: [x, y, z], scale: [u - x, v - y, w - z] }) - 1;
  };
  const all = 8 * side;
  const roots = [box('floor', [-0.3, -0.3, -0.3], [all + 0.3, 0, all + 0.3]), box('roof', [-0.3, 3, -0.3], [all + 0.3, 3.3, all + 0.3])];
  for (let line = 0; line <= side; line++) for (let room = 0; room < side; room++) {
    const door = 0.5 + 6 * random();
    for (const [part, [from, to]] of (line % side ? [[0, door], [door + 1.1, 8]] : [[0, 8]]).entries()) {
      const [low, high] = [8 * room + from, 8 * room + to];
      roots.push(box(`x/${line} ${room}.${part}`, [8 * line - 0.15, 0, low], [8 * line + 0.15, 3, high]));
      roots.push(box(`z/${line} ${room}.${part}`, [low, 0, 8 * line - 0.15], [high, 3, 8 * line + 0.15]));
    }
  }
  for (let room = 0; room < side * side; room++) {
    const corner = [8 * (room % side), 8 * Math.floor(room / side)];
    const children = Array.from({ length: 4 }, () => {
      const [x, z, size] = [1 + 5 * random(), 1 + 5 * random(), 0.3 + 0.6 * random()];
      return box('crate', [x, 0.01, z], [x + size, 0.01 + size, z + size], corner);
    });
    roots.push(nodes.push({ children, translation: [corner[0], 0, corner[1]] }) - 1);
  }
  const scene = {
    asset: { version: '2.0' }, scene: 0, scenes: [{ nodes: roots }], nodes,
    meshes: [{ primitives: [{ attributes: { POSITION: 0 }, indices: 1 }] }],
    accessors: [{ bufferView: 0, componentType: 5126, count: 8, type: 'VEC3', min: [0, 0, 0], max: [1, 1, 1] }, { bufferView: 1, componentType: 5123, count: 36, type: 'SCALAR' }],
    bufferViews: [{ buffer: 0, byteLength: 96 }, { buffer: 0, byteOffset: 96, byteLength: 72 }],
    buffers: [{ byteLength: bytes.length, uri: `data:application/octet-stream;base64,${bytes.toString('base64')}` }],
  };
  return { scene, solids };
}

const program = ['target/release/viewcell', 'target/debug/viewcell'].map((of) => join(process.env.VIEWCELL_ROOT, of)).find(existsSync);
const missing = !chromium ? 'no Chromium' : !program ? 'cargo build makes the program' : !existsSync('node_modules/three') ? 'three could not be fetched' : '';

test('three.js draws the same with what is hidden left out', { skip: missing ? `skipped: ${missing}` : false, timeout: 300_000 }, async () => {
  let state = 7;
  const random = () => (state = (state * 48271) % 2147483647) / 2147483647;
  const side = 5;
  const { scene, solids } = rooms(side, random);
  writeFileSync('rooms.gltf', JSON.stringify(scene));
  // Whoever is in a wall, or so near that it is cut off before the eye, looks through it.
  const isFree = (at) => !solids.some(([low, high]) => at.every((x, k) => low[k] - 0.05 < x && x < high[k] + 0.05));
  // In three.js y is up, as in glTF and Godot.
  for (const axes of [['--from', 'godot'], []]) {
    const [least, most] = [0.2, 8 * side - 0.2];
    const volume = axes.length ? [least, 0.4, least, most, 2.6, most] : [least, -most, 0.4, most, -least, 2.6];
    execFileSync(program, ['bake', 'scene', 'rooms.gltf', '-o', 'rooms.vcb', '--force', '--quiet', '--cell', '2', '--volume', volume.join(), ...axes]);
    const bundle = await open(bytesOf('rooms.vcb'));
    assert.equal(new Set(bundle.objectPaths()).size < bundle.objects, true, 'crates of a room have one path');
    const place = () => [least + random() * (most - least), 0.4 + 2.2 * random(), least + random() * (most - least)];
    const cameras = Array.from({ length: 70 }, place).filter(isFree).slice(0, 60).map((at) => [...at, 6.3 * random()]);
    const bodies = { '/': () => readFileSync('three.html'), '/cameras': () => JSON.stringify(cameras), '/rooms.gltf': () => readFileSync('rooms.gltf'), '/rooms.vcb': () => readFileSync('rooms.vcb') };
    const folders = [['/package/', 'node_modules/viewcell'], ['/three/', 'node_modules/three']];
    const file = (url) => { const [from, to] = folders.find(([from]) => url.startsWith(from)); return readFileSync(join(to, url.slice(from.length))); };
    const found = await told({ get: (url) => (bodies[url] ?? (() => file(url)))(), flags: ['--enable-unsafe-swiftshader', '--use-gl=angle', '--use-angle=swiftshader'], seconds: 140 });
    assert.equal(found.error, undefined);
    const { picture, ...counts } = found;
    writeFileSync('three.png', Buffer.from(picture.split(',')[1], 'base64'));
    console.log(axes.join(' '), JSON.stringify(counts));
    assert.deepEqual([found.cameras, found.other], [cameras.length, 0]);
    assert.match(found.refused, /another scene.*elsewhere/);
    assert.ok(found.drawn[1] < found.drawn[0] / 2 && found.calls[1] < found.calls[0] * 0.8, JSON.stringify(counts));
    bundle.close();
  }
});
