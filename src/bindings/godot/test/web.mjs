// The add-on for web exports, in Godot's own web template and Chromium: asks the questions of a table and compares.
//
//   web.mjs TEMPLATE PACKAGE BUNDLE QUESTIONS ANSWERS
//
// TEMPLATE and PACKAGE are as page.mjs has them; see ../../table for the others.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { play } from './page.mjs';

const [template, npm, bundle, questions, answers] = process.argv.slice(2);
const here = dirname(fileURLToPath(import.meta.url));
const numbers = new Uint32Array(Uint8Array.from(readFileSync(questions)).buffer);
const expected = readFileSync(answers);
const each = numbers.length / expected.length;
const info = execFileSync('python3', [join(here, '../../../../scripts/read-bundle'), 'info', bundle], { encoding: 'utf8' });
const width = each === 4 ? Number(/(\d+) x (\d+)/.exec(info)[1]) : 0;
const places = each === 4 ? width * Number(/(\d+) x (\d+)/.exec(info)[2]) : Number(/(\d+) cells/.exec(info)[1]);
const pairs = new BigInt64Array(2 * expected.length);
for (let i = 0; i < pairs.length; i++) {
  const at = (i * each) / 2;
  pairs[i] = BigInt(each === 4 ? numbers[at + 1] * width + numbers[at] : numbers[at]);
}

const told = await play({
  template,
  npm,
  files: {
    'main.gd': readFileSync(join(here, 'main.gd')),
    'addons/viewcell_web/viewcell_web.gd': readFileSync(join(here, '../web/viewcell_web.gd')),
    'level.vcb': readFileSync(bundle),
    questions: Buffer.from(pairs.buffer),
  },
});
assert.equal(told.error, '');
assert.deepEqual(told.shape.slice(0, 3), [true, each === 4, places]);
const found = Buffer.from(told.answers, 'base64');
assert.equal(found.length, expected.length);
const wrong = found.findIndex((answer, i) => answer !== expected[i]);
assert.equal(wrong, -1, `question ${wrong} is answered otherwise`);
assert.deepEqual(told.one, Array.from(expected.subarray(0, 20)));
assert.deepEqual([...Buffer.from(told.nowhere, 'base64')].slice(0, 2), [0, 0]);
assert.equal(told.odd, 0);
assert.ok(told.off.every((at) => at === -1), String(told.off));
if (each === 4) {
  // Nobody can be at a void, which sees nothing, not even itself.
  const lines = Array.from({ length: places }, (_, i) => [i % width, Math.floor(i / width)]).map(([c, r]) => `${c} ${r} ${c} ${r}\n`);
  const asked = [join(here, '../../../../scripts/read-bundle'), 'visible', bundle, '--pairs', '-'];
  const valid = execFileSync('python3', asked, { input: lines.join(''), encoding: 'utf8' }).split('\n');
  assert.deepEqual(told.located, Array.from({ length: places }, (_, i) => (valid[i] === '1' ? i : -1)));
  if (basename(bundle).includes('voids')) assert.equal(told.located.filter((at) => at === -1).length, 39);
}
if (basename(bundle) === 'godot.vcb')
  assert.deepEqual(told.arms, [true, true, true, true, false, false, true, true, true, true]);
assert.deepEqual(told.others, [...Array(20).fill(''), ...Array(20).fill(0)]);
assert.deepEqual(told.closed, [false, false, -1, 0]);
for (const [words, text, isOpen, visible] of told.refused) {
  assert.notEqual(words, '');
  assert.deepEqual([text, isOpen, visible], [words, false, false]);
}
assert.match(told.astray, /nothing\.js/);
assert.deepEqual(told.again, ['', expected[0]]);
console.log(`Godot 4 (web), at once\t${found.length}\t${Math.round(told.nanoseconds)}`);
