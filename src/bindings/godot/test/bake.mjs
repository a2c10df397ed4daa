// The baking add-on in Godot's own web template and Chromium: a scene of every kind of node that hides is exported there, baked by the
// program, and asked with positions of the scene; then two clients are hidden from each other by MultiplayerSynchronizers.
//
//   bake.mjs TEMPLATE PACKAGE PROGRAM
//
// TEMPLATE and PACKAGE are as page.mjs has them, PROGRAM is viewcell.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { play } from './page.mjs';

const [template, npm, program] = process.argv.slice(2);
const here = dirname(fileURLToPath(import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'viewcell-godot-bake-'));

function bake(path, body) {
  assert.equal(path, '/bake');
  const { obj, mtl, places } = JSON.parse(body);
  for (const [name, text] of Object.entries({ 'level.obj': obj, 'level.mtl': mtl, 'places.csv': places })) writeFileSync(join(folder, name), text);
  const bundle = join(folder, 'level.vcb');
  // As plugin.gd has them.
  const options = ['--no-checkpoint', '--reach', join(folder, 'places.csv'), '--from', 'godot', '--quality', 'samples'];
  const player = ['--hull=-0.3,-0.3,0,0.3,0.3,1.8', '--eye', '1.0,1.7'];
  execFileSync(program, ['bake', 'solid', join(folder, 'level.obj'), '-o', bundle, ...options, ...player, '--quiet']);
  return readFileSync(bundle);
}

const addon = ['level_export', 'scene_geometry', 'bake_run', 'viewcell_visibility'];
const told = await play({
  template,
  npm,
  answer: bake,
  files: {
    'main.gd': readFileSync(join(here, 'bake.gd')),
    'loopback.gd': readFileSync(join(here, 'loopback.gd')),
    'addons/viewcell_web/viewcell_web.gd': readFileSync(join(here, '../web/viewcell_web.gd')),
    ...Object.fromEntries(addon.map((name) => [`addons/viewcell/${name}.gd`, readFileSync(join(here, `../addon/${name}.gd`))])),
  },
});
rmSync(folder, { recursive: true });
assert.equal(told.why, '');
assert.equal(told.error, '');
assert.deepEqual(told.digests, [true, true, true]);
assert.match(told.refused[0], /nothing in the scene hides/);
assert.match(told.refused[1], /viewcell_spawn/);
assert.deepEqual(told.places.trim().split('\n').length, 3);
assert.equal(told.notes.filter((note) => /it moves/.test(note)).length, 2);
assert.equal(told.notes.filter((note) => /hides nothing/.test(note)).length, 2);
assert.deepEqual(told.progress, ['visibility', 0.25, 'a note\nanother\n']);
assert.equal(told.right, true);
assert.deepEqual(told.wrong, Array(47).fill(false));
// The screen is one-sided.
assert.deepEqual(told.screen, [false, true]);
// Two squares, each cut so that it lies lower: along the edge from or to the peak of 6 m.
const corners = (obj) => obj.split('\n').filter((line) => line.startsWith('v ')).map((line) => line.slice(2).split(' ').map(Number));
assert.equal(corners(told.heights).length, 12);
assert.deepEqual(corners(told.heights).filter(([x, y, z]) => x === 100 && y === 6 && z === 0.5).length, 2);
// Four squares of 2 m, of which one has the hole in a corner.
const terrain = corners(told.terrain3d);
assert.equal(terrain.length, 18);
assert.ok(terrain.every(([x, y, z]) => x >= -4 && x <= 0 && z >= 0 && z <= 4 && y === x + 10 * z));
// Nobody late in any frame, nobody sent who has been out of sight for longer than is held, and both happen.
assert.deepEqual([told.frames, told.late, told.extra, told.has_own], [240, 0, 0, 240]);
assert.ok(told.not_sent > 60 && told.received > 60, `${told.not_sent} ${told.received}`);
assert.deepEqual([...told.others, told.removed], [false, true, true, true]);
console.log(`Godot 4 (web): a scene of ${told.triangles} triangles, baked and asked with right and with 47 wrong axes; 240 frames of a server and two clients, late 0, hidden in ${told.not_sent}`);
