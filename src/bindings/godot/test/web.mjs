// The add-on for web exports, in Godot's own web template and Chromium: asks the questions of a table and compares.
//
//   web.mjs TEMPLATE PACKAGE BUNDLE QUESTIONS ANSWERS
//
// TEMPLATE is a folder with index.js and index.wasm of Godot 4, PACKAGE one with the npm package `viewcell`. See
// ../../table for the others. The server listens on the loopback, and ends with what it is told.
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { basename, dirname, extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const [template, npm, bundle, questions, answers] = process.argv.slice(2);
const here = dirname(fileURLToPath(import.meta.url));
const has = (name) => {
  try {
    execFileSync(name, ['--version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
};
const chromium = ['chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome'].find(has);
if (!chromium) {
  console.log('skipped: Godot on the web: no Chromium');
  process.exit(0);
}

// Godot's archive of a game, version 2: a head, the list of files, and their bytes.
function pack(files) {
  const names = Object.keys(files).map((name) => {
    const bytes = Buffer.from(`res://${name}`);
    return Buffer.concat([bytes, Buffer.alloc((4 - (bytes.length % 4)) % 4)]);
  });
  const bytes = Object.values(files).map((file) => Buffer.from(file));
  const head = Buffer.alloc(6 * 4 + 8 + 16 * 4 + 4);
  head.write('GDPC');
  [2, 4, 2, 0, 0].forEach((number, i) => head.writeUInt32LE(number, 4 + 4 * i));
  head.writeUInt32LE(bytes.length, head.length - 4);
  let at = head.length + names.reduce((sum, name) => sum + 4 + name.length + 8 + 8 + 16 + 4, 0);
  const entries = bytes.map((file, i) => {
    const [length, place] = [Buffer.alloc(4), Buffer.alloc(8 + 8 + 16 + 4)];
    length.writeUInt32LE(names[i].length);
    place.writeBigUInt64LE(BigInt(at));
    place.writeBigUInt64LE(BigInt(file.length), 8);
    at += file.length;
    return Buffer.concat([length, names[i], place]);
  });
  return Buffer.concat([head, ...entries, ...bytes]);
}

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

const game = pack({
  'project.godot': `config_version=5
[application]
config/name="viewcell"
run/main_scene="res://main.tscn"
config/features=PackedStringArray("4.2")
[rendering]
renderer/rendering_method="gl_compatibility"
`,
  'main.tscn': `[gd_scene load_steps=2 format=3]
[ext_resource type="Script" path="res://main.gd" id="1"]
[node name="Main" type="Node"]
script = ExtResource("1")
`,
  'main.gd': readFileSync(join(here, 'main.gd')),
  'addons/viewcell_web/viewcell_web.gd': readFileSync(join(here, '../web/viewcell_web.gd')),
  'level.vcb': readFileSync(bundle),
  questions: Buffer.from(pairs.buffer),
});
const PAGE = `<!doctype html><meta charset="utf-8"><title>viewcell</title><canvas id="canvas"></canvas>
<script src="index.js"></script>
<script>
  const tell = (told) => fetch('/told', { method: 'POST', body: JSON.stringify(told) });
  const log = [];
  const engine = new Engine({
    executable: 'index', mainPack: 'index.pck', canvas: document.getElementById('canvas'), args: ['--headless'],
    canvasResizePolicy: 0, emscriptenPoolSize: 8, godotPoolSize: 4, gdextensionLibs: [],
    onPrint: (...words) => log.push(words.join(' ')), onPrintError: (...words) => log.push(words.join(' ')),
  });
  engine.startGame().catch((error) => tell({ failed: String(error), log }));
  setTimeout(() => tell({ failed: 'nothing was told for 90 s', log }), 90_000);
</script>`;
const TYPES = { '.js': 'text/javascript', '.wasm': 'application/wasm', '': 'text/html' };

const profile = mkdtempSync(join(tmpdir(), 'viewcell-godot-'));
let browser;
const { server, told } = await new Promise((resolve, reject) => {
  const server = createServer((request, response) => {
    if (request.method === 'POST') {
      let body = '';
      request.on('data', (part) => (body += part));
      request.on('end', () => (response.end(), resolve({ server, told: JSON.parse(body) })));
      return;
    }
    const file = () => {
      if (request.url === '/') return PAGE;
      if (request.url === '/index.pck') return game;
      const [, folder, name] = /^\/(viewcell\/)?([\w.]+)$/.exec(request.url);
      return readFileSync(join(folder ? npm : template, name));
    };
    try {
      const headers = { 'Cross-Origin-Opener-Policy': 'same-origin', 'Cross-Origin-Embedder-Policy': 'require-corp' };
      headers['content-type'] = TYPES[extname(request.url)] ?? 'application/octet-stream';
      const body = file();
      response.writeHead(200, headers).end(body);
    } catch {
      response.writeHead(404).end();
    }
  });
  server.listen(0, '127.0.0.1', () => {
    const flags = ['--headless', '--no-sandbox', '--disable-dev-shm-usage', '--enable-unsafe-swiftshader', '--remote-debugging-port=0'];
    const page = `http://127.0.0.1:${server.address().port}/`;
    browser = spawn(chromium, [...flags, `--user-data-dir=${profile}`, page], { stdio: 'ignore', detached: true });
    browser.on('error', reject);
  });
  setTimeout(() => resolve({ server, told: { failed: 'the page was not there for 120 s' } }), 120_000).unref();
});
server.closeAllConnections();
server.close();
// The whole group: what is started may be a script around the browser.
const gone = new Promise((resolve) => browser.on('exit', resolve));
process.kill(-browser.pid, 'SIGKILL');
await gone;
rmSync(profile, { recursive: true, force: true });

assert.equal(told.failed, undefined, JSON.stringify(told, null, 1));
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
