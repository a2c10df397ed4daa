// A project of Godot in its own web template and Chromium.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { chromium, told } from '../../wasm/test/browser.mjs';

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

const PROJECT = {
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
};
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
  setTimeout(() => tell({ failed: 'nothing was told for SECONDS s', log }), SECONDS * 1000);
</script>`;

// Plays a project of these files until it posts JSON to /told, which is given. What it posts elsewhere, `answer` answers, by path
// and bytes; after so many seconds that is an error. `template` is a folder with index.js and index.wasm of Godot 4, `npm` one
// with the npm package `viewcell`.
export async function play({ template, npm, files, answer = () => '', seconds = 90 }) {
  const game = pack({ ...PROJECT, ...files });
  const get = (url) => {
    if (url === '/') return PAGE.replaceAll('SECONDS', seconds);
    if (url === '/index.pck') return game;
    const [, folder, name] = /^\/(viewcell\/)?([\w.]+)$/.exec(url);
    return readFileSync(join(folder ? npm : template, name));
  };
  const headers = { 'Cross-Origin-Opener-Policy': 'same-origin', 'Cross-Origin-Embedder-Policy': 'require-corp' };
  const found = await told({ get, answer, headers, flags: ['--enable-unsafe-swiftshader'], seconds: seconds + 30 });
  assert.equal(found.failed, undefined, JSON.stringify(found, null, 1));
  return found;
}
