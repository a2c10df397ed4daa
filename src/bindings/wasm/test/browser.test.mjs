// The package in Chromium: a page asks a bundle, and tells what it found.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { open } from 'viewcell';
import { chromium, told } from './browser.mjs';
import { bytesOf, golden } from './common.mjs';

const PAGE = `<!doctype html><meta charset="utf-8"><title>viewcell</title>
<script type="importmap">{ "imports": { "viewcell": "/package/viewcell.js" } }</script>
<script type="module">
  const told = {};
  try {
    const { open, ViewcellError } = await import('viewcell');
    const bytes = await (await fetch('/bundle.vcb')).arrayBuffer();
    const bundle = await open(bytes);
    const pairs = new Uint32Array(await (await fetch('/pairs')).arrayBuffer());
    told.answers = Array.from(bundle.visiblePairs(pairs));
    told.one = bundle.visible(...pairs.subarray(0, 4));
    told.seen = Array.from(bundle.pvsMask([20, 4]));
    told.area = bundle.frontier([0, 0], [39, 8])?.a.area ?? null;
    bundle.close();
    try { bundle.visible(0, 0, 1, 1); } catch (error) { told.closed = error instanceof ViewcellError && error.code; }
    try { await open(bytes.slice(9)); } catch (error) { told.damaged = error.code; }
  } catch (error) {
    told.error = String(error?.stack ?? error);
  }
  await fetch('/told', { method: 'POST', body: JSON.stringify(told) });
</script>`;

test('Chromium answers as Node does', { skip: chromium ? false : 'skipped: no Chromium', timeout: 120_000 }, async () => {
  const path = golden('40x9-pairs.vcb');
  const pairs = new Uint32Array(4 * 5000).map((_, i) => (i * 7919 + (i >> 3)) % (i % 2 ? 9 : 40));
  const bodies = { '/': () => PAGE, '/pairs': () => Buffer.from(pairs.buffer), '/bundle.vcb': () => readFileSync(path) };
  const file = (url) => url.startsWith('/package/') && readFileSync(join('node_modules/viewcell', url.slice('/package/'.length)));
  const get = (url) => (bodies[url] ?? (() => file(url)))();
  const found = await told({ get, flags: ['--disable-gpu'], seconds: 100 });
  assert.equal(found.error, undefined);
  const bundle = await open(bytesOf(path));
  assert.deepEqual(found.answers, Array.from(bundle.visiblePairs(pairs)));
  assert.equal(found.one, bundle.visible(...pairs.subarray(0, 4)));
  assert.deepEqual(found.seen, Array.from(bundle.pvsMask([20, 4])));
  const frontier = bundle.frontier([0, 0], [39, 8]);
  assert.equal(found.area, frontier?.a.area ?? null);
  assert.deepEqual([found.closed, found.damaged], ['CLOSED', 'FORMAT']);
});
