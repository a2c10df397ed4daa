// Recorded motion of people through a server of Godot and its clients, in Godot's own web template and Chromium. Writes whom each
// client has, frame by frame, for ../../wasm/test/judge.mjs.
//
//   motion.mjs TEMPLATE PACKAGE LEVEL TRACE TOLD [FRAMES]
//
// TEMPLATE and PACKAGE are as page.mjs has them, LEVEL is a bundle.
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { frames } from '../../wasm/test/judge.mjs';
import { play } from './page.mjs';

const [template, npm, level, trace, to, most = '1e9'] = process.argv.slice(2);
const here = dirname(fileURLToPath(import.meta.url));
const motion = frames(trace).slice(0, Number(most));
const numbers = Float32Array.from([motion[0].length, ...motion.flat(2)]);
const told = await play({
  template,
  npm,
  seconds: 1200,
  files: {
    'main.gd': readFileSync(join(here, 'motion.gd')),
    'loopback.gd': readFileSync(join(here, 'loopback.gd')),
    'addons/viewcell/viewcell_visibility.gd': readFileSync(join(here, '../addon/viewcell_visibility.gd')),
    'addons/viewcell_web/viewcell_web.gd': readFileSync(join(here, '../web/viewcell_web.gd')),
    'level.vcb': readFileSync(level),
    motion: Buffer.from(numbers.buffer),
  },
});
assert.equal(told.error, '');
const { hidden, all } = told;
assert.deepEqual([hidden.frames, all.frames], [motion.length, motion.length]);
assert.ok(!all.lines.includes('0'), 'without a bundle all are sent');
writeFileSync(to, hidden.lines + '\n');
const saved = (100 * (1 - hidden.bytes / all.bytes)).toFixed(1);
console.log(`Godot 4 (web): ${hidden.frames} frames, ${hidden.bytes} bytes to clients, without hiding ${all.bytes}: ${saved} % saved`);
