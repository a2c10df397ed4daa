// Bundles that the tests ask, and the answers of the independent reader.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

export const root = process.env.VIEWCELL_ROOT;
export const golden = (name) => join(root, 'tests/golden/v1', name);

export function bytesOf(path) {
  const file = readFileSync(path);
  return file.buffer.slice(file.byteOffset, file.byteOffset + file.byteLength);
}

export function reader(...args) {
  return execFileSync('python3', [join(root, 'scripts/read-bundle'), ...args.slice(0, -1)], {
    input: args.at(-1), encoding: 'utf8', maxBuffer: 1 << 28,
  });
}

// Every place of a bundle.
export function places(bundle) {
  if (bundle.kind !== 'terrain') return Array.from({ length: bundle.cells }, (_, c) => c);
  return Array.from({ length: bundle.width * bundle.height }, (_, i) => [i % bundle.width, Math.floor(i / bundle.width)]);
}
