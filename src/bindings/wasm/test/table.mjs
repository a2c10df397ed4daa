// Asks the questions of a table and compares: table.mjs BUNDLE QUESTIONS ANSWERS. See ../../table.
import { readFileSync } from 'node:fs';
import { open } from 'viewcell';
import { bytesOf } from './common.mjs';

const [path, questions, answers] = process.argv.slice(2);
const bundle = await open(bytesOf(path));
const pairs = new Uint32Array(bytesOf(questions));
const expected = readFileSync(answers);
const each = bundle.kind === 'terrain' ? 4 : 2;
const report = (name, found, seconds) => {
  const wrong = found.findIndex((answer, i) => Number(answer) !== expected[i]);
  if (found.length !== expected.length || wrong >= 0) throw new Error(`${name}: question ${wrong} is answered otherwise`);
  console.log(`${name}\t${found.length}\t${Math.round((seconds * 1e9) / found.length)}`);
};
const timed = (ask) => {
  let best = Infinity;
  let found;
  for (let i = 0; i < 5; i++) {
    const begun = performance.now();
    found = ask();
    best = Math.min(best, (performance.now() - begun) / 1000);
  }
  return [found, best];
};
report('JavaScript, one by one', ...timed(() => {
  const found = new Uint8Array(expected.length);
  for (let i = 0; i < found.length; i++) {
    const at = i * each;
    found[i] = each === 4 ? bundle.visible(pairs[at], pairs[at + 1], pairs[at + 2], pairs[at + 3]) : bundle.visible(pairs[at], pairs[at + 1]);
  }
  return found;
}));
report('JavaScript, at once', ...timed(() => bundle.visiblePairs(pairs)));
