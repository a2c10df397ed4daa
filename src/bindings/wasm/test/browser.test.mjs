// The package in Chromium: a page that a server on the loopback serves asks a bundle, and tells the server
// what it found.
import assert from 'node:assert/strict';
import { spawn, execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { extname, join } from 'node:path';
import { test } from 'node:test';
import { open } from 'viewcell';
import { bytesOf, golden } from './common.mjs';

const NAMES = ['chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome'];
const has = (name) => {
  try {
    execFileSync(name, ['--version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
};
const chromium = NAMES.find(has);

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
const TYPES = { '.js': 'text/javascript', '.wasm': 'application/wasm', '.vcb': 'application/octet-stream' };

test('Chromium answers as Node does', { skip: chromium ? false : 'skipped: no Chromium', timeout: 120_000 }, async () => {
  const path = golden('40x9-pairs.vcb');
  const pairs = new Uint32Array(4 * 5000).map((_, i) => (i * 7919 + (i >> 3)) % (i % 2 ? 9 : 40));
  const profile = mkdtempSync(join(tmpdir(), 'viewcell-chromium-'));
  let browser;
  const served = await new Promise((resolve, reject) => {
    const server = createServer((request, response) => {
      if (request.method === 'POST') {
        let body = '';
        request.on('data', (part) => (body += part));
        request.on('end', () => (response.end(), resolve({ server, told: JSON.parse(body) })));
        return;
      }
      const bodies = { '/': () => PAGE, '/pairs': () => Buffer.from(pairs.buffer), '/bundle.vcb': () => readFileSync(path) };
      const file = request.url.startsWith('/package/') && (() => readFileSync(join('node_modules/viewcell', request.url.slice(9))));
      try {
        const body = (bodies[request.url] ?? file)();
        response.writeHead(200, { 'content-type': TYPES[extname(request.url)] ?? 'text/html' }).end(body);
      } catch {
        response.writeHead(404).end();
      }
    });
    server.listen(0, '127.0.0.1', () => {
      const flags = ['--headless', '--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage', `--user-data-dir=${profile}`, '--remote-debugging-port=0'];
      browser = spawn(chromium, [...flags, `http://127.0.0.1:${server.address().port}/`], { stdio: 'ignore', detached: true });
      browser.on('error', reject);
    });
  });
  served.server.closeAllConnections();
  served.server.close();
  // The whole group: what is started may be a script around the browser.
  const gone = new Promise((resolve) => browser.on('exit', resolve));
  process.kill(-browser.pid, 'SIGKILL');
  await gone;
  rmSync(profile, { recursive: true, force: true, maxRetries: 5 });
  const { told } = served;
  assert.equal(told.error, undefined);
  const bundle = await open(bytesOf(path));
  assert.deepEqual(told.answers, Array.from(bundle.visiblePairs(pairs)));
  assert.equal(told.one, bundle.visible(...pairs.subarray(0, 4)));
  assert.deepEqual(told.seen, Array.from(bundle.pvsMask([20, 4])));
  const frontier = bundle.frontier([0, 0], [39, 8]);
  assert.equal(told.area, frontier?.a.area ?? null);
  assert.deepEqual([told.closed, told.damaged], ['CLOSED', 'FORMAT']);
});
