// The package as its users have it: installed, and asked in Node.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { test } from 'node:test';
import { Worker } from 'node:worker_threads';
import { ViewcellError, load, open } from 'viewcell';
import { bytesOf, golden, places, reader } from './common.mjs';

const code = (code, words) => (error) => error instanceof ViewcellError && error.code === code && (!words || words.test(error.message));
const opened = (name) => open(bytesOf(golden(name)));

for (const name of ['13x9-voids-pairs.vcb', '13x9-voids.vcb', '40x9-pairs.vcb', '1x1.vcb', 'level.vcb']) {
  test(`${name}: every pair, one by one and at once, as the independent reader has it`, async () => {
    const bundle = await opened(name);
    const all = places(bundle);
    const pairs = all.flatMap((a) => all.map((b) => [a, b].flat()));
    const lines = pairs.map((pair) => pair.join(' ')).join('\n') + '\n';
    const expected = reader('visible', golden(name), '--pairs', '-', lines).split('\n').slice(0, -1).map(Number);
    const answers = bundle.visiblePairs(Uint32Array.from(pairs.flat()));
    assert.ok(answers instanceof Uint8Array);
    assert.deepEqual(Array.from(answers), expected);
    assert.deepEqual(pairs.map((pair) => Number(bundle.visible(...pair))), expected);
    all.forEach((a, i) => {
      assert.deepEqual(Array.from(bundle.pvsMask(a)), expected.slice(i * all.length, (i + 1) * all.length));
      for (const b of all.slice(0, 5)) assert.equal(Number(bundle.visible(a, b)), expected[i * all.length + all.indexOf(b)]);
    });
    bundle.close();
  });
}

test('more pairs than go in one call', async () => {
  const bundle = await opened('40x9-pairs.vcb');
  const pairs = new Uint32Array(4 * 50000).map((_, i) => (i * 7919) % (i % 2 ? 9 : 40));
  const answers = bundle.visiblePairs(pairs);
  for (let i = 0; i < answers.length; i += 997) assert.equal(answers[i] === 1, bundle.visible(...pairs.subarray(4 * i, 4 * i + 4)));
  pairs[4 * 40000 + 3] = 9;
  assert.throws(() => bundle.visiblePairs(pairs), { name: 'RangeError', message: /pair 40000: .*outside the grid of 40 x 9/ });
  assert.equal(bundle.visiblePairs(new Uint32Array(0)).length, 0);
  bundle.close();
});

test('what a terrain is, and where its places are', async () => {
  const bundle = await opened('13x9-voids-pairs.vcb');
  assert.equal(bundle.kind, 'terrain');
  assert.deepEqual([bundle.width, bundle.height, bundle.blocks, bundle.blockColumns], [13, 9, 4, 2]);
  assert.deepEqual(bundle.locate(3 * bundle.dx, 2 * bundle.dy), [3, 2]);
  assert.equal(bundle.locate(-bundle.dx, 0), null);
  assert.equal(bundle.locate(NaN, 0), null);
  assert.equal(bundle.locateGeoreferenced(1e300, 0), null);
  const heights = places(bundle).map((place) => bundle.groundHeight(place));
  assert.ok(heights.includes(null) && heights.some((height) => typeof height === 'number'));
  assert.deepEqual(bundle.pvs([0, 0], bundle.levels - 1).length, 4);
  bundle.close();
});

// As C, Python, C# and the engines have it.
test('nobody can be at a void, so that it is nowhere', async () => {
  const bundle = await opened('13x9-voids-pairs.vcb');
  let voids = 0;
  for (const [column, row] of places(bundle)) {
    const isVoid = bundle.groundHeight([column, row]) === null;
    assert.deepEqual(bundle.locate(column * bundle.dx, row * bundle.dy), isVoid ? null : [column, row]);
    assert.equal(bundle.visible(column, row, column, row), !isVoid);
    voids += isVoid;
  }
  assert.equal(voids, 39);
  bundle.close();
});

test('a solid level: cells, positions, and ways', async () => {
  const bundle = await opened('solid.vcb');
  assert.equal(bundle.kind, 'solid');
  assert.deepEqual([bundle.solids, bundle.eye, bundle.hull], [7, [22, 22], [[-16, -16, -24], [16, 16, 32]]]);
  const cells = places(bundle);
  const middles = cells.map((cell) => {
    const [low, high] = bundle.bounds(cell);
    return low.map((at, axis) => (at + high[axis]) / 2);
  });
  assert.deepEqual(middles.map((middle) => bundle.locate(...middle)), cells);
  const pairs = cells.flatMap((a) => cells.map((b) => [a, b]));
  const seen = pairs.map(([a, b]) => Number(bundle.visible(a, b)));
  assert.ok(seen.includes(0) && seen.includes(1));
  assert.deepEqual(Array.from(bundle.visiblePairs(Uint32Array.from(pairs.flat()))), seen);
  assert.deepEqual(cells.flatMap((cell) => Array.from(bundle.pvsMask(cell))), seen);
  const points = Float64Array.from(pairs.flatMap(([a, b]) => [...middles[a], ...middles[b]]));
  assert.deepEqual(Array.from(bundle.visiblePointPairs(points)), seen);
  const [west, east, door] = [[48, 48, 32], [480, 48, 32], { x: 264, y: 224, z: 32 }];
  assert.deepEqual([bundle.visiblePoints(west, east), bundle.visiblePoints(west, door)], [false, true]);
  assert.deepEqual([8, 300].map((reach) => bundle.visibleWithin(west, east, reach, reach)), [false, true]);
  // Above the ceiling is nobody expected: whoever is there sees all.
  assert.equal(bundle.locate(48, 48, 999), null);
  assert.ok(bundle.visiblePoints([48, 48, 999], east) && bundle.visibleWithin(west, [48, 48, 999], 0, 0));
  assert.throws(() => bundle.bounds(bundle.cells), RangeError);
  assert.throws(() => bundle.visiblePoints(west, 3), TypeError);
  assert.throws(() => bundle.visiblePointPairs(new Float64Array(5)), RangeError);
  for (const ask of [() => bundle.distance(0, 1), () => bundle.groundHeight(0)])
    assert.throws(ask, code('KIND', /bundle is of solid/));
  bundle.close();
});

test('positions in each kind of world', async () => {
  for (const name of ['40x9-pairs.vcb', 'level.vcb']) {
    const bundle = await opened(name);
    const middles = places(bundle).map((place) => {
      const [low, high] = bundle.bounds(place);
      return low.map((at, axis) => (at + high[axis]) / 2);
    });
    let hidden = 0;
    for (const a of middles.filter((_, i) => i % 7 === 0)) for (const b of middles) {
      const [from, to] = [bundle.locate(...a), bundle.locate(...b)];
      const seen = from === null || to === null || bundle.visible(from, to);
      assert.equal(bundle.visiblePoints(a, b), seen);
      hidden += !seen;
    }
    assert.ok(hidden > 0, name);
    // Who is at no place sees all and is seen by all.
    for (const lost of [[NaN, 0, 0], [-1e9, 0, 0]])
      assert.ok(bundle.visiblePoints(middles[0], lost) && bundle.visiblePoints(lost, middles[0]));
    bundle.close();
  }
});

test('sight with a look-ahead only ever adds', async () => {
  const bundle = await opened('13x9-voids-pairs.vcb');
  let more = 0;
  for (const a of places(bundle)) for (const b of [[0, 0], [12, 8], [6, 4]]) {
    const now = bundle.visible(a, b);
    const soon = bundle.visibleWithin(a, b, 1e6, 1e6);
    assert.ok(soon || !now);
    assert.equal(bundle.visibleWithin(a, b, 0, 0) || !now, true);
    more += soon && !now;
  }
  assert.ok(more > 0);
  const level = await opened('level.vcb');
  for (const a of places(level)) for (const b of places(level)) assert.ok(level.visibleWithin(a, b, 10, 10) || !level.visible(a, b));
  bundle.close();
  level.close();
});

test('no place of one half of a frontier set sees any of the other', async () => {
  let sets = 0;
  for (const [name, options] of [['40x9-pairs.vcb', {}], ['40x9-pairs.vcb', { budget: 3 }], ['40x9-pairs.vcb', { budget: 0 }],
    ['level.vcb', {}], ['solid.vcb', {}]]) {
    const bundle = await opened(name);
    const all = places(bundle);
    for (const a of all.filter((_, i) => i % (all.length > 99 ? 31 : 3) === 0)) for (const b of all.filter((_, i) => i % (all.length > 99 ? 37 : 2) === 0)) {
      let frontier;
      try {
        frontier = bundle.frontier(a, b, options);
      } catch (error) {
        assert.ok(code('VOID')(error), error);
        continue;
      }
      if (!frontier) {
        assert.ok(bundle.visible(a, b) || bundle.visible(b, a));
        continue;
      }
      sets++;
      assert.ok(frontier.a.contains(a) && frontier.b.contains(b) && !frontier.a.contains(b));
      const halves = [frontier.a, frontier.b].map((half) => all.filter((place) => half.contains(place)));
      assert.deepEqual(halves.map((half) => half.length), [frontier.a.area, frontier.b.area]);
      for (const p of halves[0]) for (const q of halves[1]) assert.ok(!bundle.visible(p, q) && !bundle.visible(q, p));
      const sent = bundle.region(frontier.b.bytes);
      assert.deepEqual(all.filter((place) => sent.contains(place)), halves[1]);
      sent.close();
      frontier.close();
      frontier.close();
    }
    bundle.close();
  }
  assert.ok(sets > 10, `${sets} sets`);
});

test('a session tells what may be seen, and keeps silent no longer than it may', async () => {
  for (const name of ['40x9-pairs.vcb', 'level.vcb']) {
    const bundle = await opened(name);
    const session = bundle.session(3, bundle.kind === 'terrain' ? { budget: 9, peers: false } : { patience: 1 });
    const all = places(bundle);
    const at = [null, null, null];
    let [told, silent, dice] = [0, 0, 1];
    for (let tick = 0; tick < 1000; tick++) {
      session.tick();
      for (let player = 0; player < 3; player++) {
        dice = (dice * 48271) % 2147483647;
        const place = tick % 100 === 99 ? null : all[dice % all.length];
        try {
          told += session.move(player, place).length;
          at[player] = place;
        } catch (error) {
          assert.ok(code('VOID')(error), error);
        }
      }
      for (const [a, b] of [[0, 1], [1, 2], [2, 0]]) {
        if (session.age(a, b) === null) continue;
        silent++;
        assert.ok(!bundle.visible(at[a], at[b]));
        assert.ok(session.contains(a, b, at[a]));
        const half = bundle.region(session.half(a, b));
        assert.ok(half.contains(at[a]));
        half.close();
      }
    }
    assert.ok(told > 10 && silent > 3 && session.sets > 0, `${name}: ${told} ${silent} ${session.sets}`);
    assert.throws(() => session.move(3, all[0]), RangeError);
    assert.throws(() => session.age(1, 1), RangeError);
    session.close();
    session.close();
    assert.throws(() => session.tick(), code('CLOSED'));
    bundle.close();
  }
});

test('a session in a solid level tells all of who is in no cell', async () => {
  const bundle = await opened('solid.vcb');
  const session = bundle.session(3, { patience: 0 });
  const at = [null, null, null];
  let [told, silent, nowhere, dice] = [0, 0, 0, 1];
  const part = () => (dice = (dice * 48271) % 2147483647) / 2147483647;
  for (let turn = 0; turn < 1500; turn++) {
    const player = turn % 3;
    if (player === 0) session.tick();
    at[player] = [20 + 488 * part(), 20 + 216 * part(), 28 + (part() < 0.1 ? 999 : 64) * part()];
    const cell = bundle.locate(...at[player]);
    nowhere += cell === null;
    const notices = session.move(player, turn % 2 && cell !== null ? cell : at[player]);
    const heard = (to, about) => notices.some((notice) => notice.to === to && notice.about === about);
    for (const other of [0, 1, 2].filter((other) => other !== player && at[other] !== null)) {
      for (const [a, b] of [[player, other], [other, player]]) assert.equal(heard(a, b), bundle.visiblePoints(at[a], at[b]));
      told += heard(player, other);
      if (session.age(player, other) === null) continue;
      silent++;
      assert.ok(session.contains(player, other, cell) && !session.contains(other, player, cell));
    }
  }
  assert.ok(told > 100 && silent > 100 && nowhere > 30 && session.sets > 0, `${told} ${silent} ${nowhere} ${session.sets}`);
  assert.deepEqual(session.move(0, null), []);
  assert.equal(session.age(0, 1), null);
  assert.throws(() => session.move(0, bundle.cells), RangeError);
  assert.equal(session.half(0, 1), null);
  assert.throws(() => bundle.session(2, { margin: 1 }), TypeError);
  bundle.close();
});

test('bad input is an exception that says what was expected and what was found', async () => {
  const whole = bytesOf(golden('13x9-voids-pairs.vcb'));
  await assert.rejects(open('level.vcb'), { name: 'TypeError', message: /expected an ArrayBuffer.*found string/ });
  await assert.rejects(open(undefined), TypeError);
  await assert.rejects(open(new ArrayBuffer(0)), code('FORMAT'));
  await assert.rejects(open(new TextEncoder().encode('no bundle at all')), code('FORMAT', /./));
  await assert.rejects(open(whole.slice(0, whole.byteLength - 1)), code('FORMAT', /\d/));
  const bundle = await open(new DataView(whole));
  assert.throws(() => bundle.visible(13, 0, 0, 0), { name: 'RangeError', message: /\(13, 0\) lies outside the grid of 13 x 9/ });
  assert.throws(() => bundle.visible(0, 0, 0, 9), RangeError);
  for (const wrong of [-1, 0.5, NaN, 2 ** 32, Infinity]) assert.throws(() => bundle.visible(wrong, 0, 0, 0), RangeError);
  for (const wrong of [undefined, null, 'a', {}, 3, ['0', '0']]) assert.throws(() => bundle.visible(wrong, [0, 0]), TypeError);
  assert.throws(() => bundle.visible('0', 0, 0, 0), TypeError);
  assert.throws(() => bundle.visiblePairs([0, 0, 1, 1]), { name: 'TypeError', message: /expected a Uint32Array, found Array/ });
  assert.throws(() => bundle.visiblePairs(new Int32Array(4)), TypeError);
  assert.throws(() => bundle.visiblePairs(new Uint32Array(5)), { name: 'RangeError', message: /4 numbers a pair.*found 5/ });
  assert.throws(() => bundle.pvs([0, 0], 9), RangeError);
  assert.throws(() => bundle.distance(0, 0), code('KIND'));
  assert.throws(() => bundle.frontier([0, 0], [1, 1], { budget: 'fast' }), { message: /budget: expected a whole number from 0 to 4294967295, found "fast"/ });
  assert.throws(() => bundle.frontier([0, 0], [1, 1], { groww: 1 }), TypeError);
  assert.throws(() => bundle.frontier([0, 0], [1, 1], { budget: -1 }), RangeError);
  assert.throws(() => bundle.region(new Uint8Array([1, 2, 3])), code('FORMAT'));
  assert.throws(() => bundle.session(5000), RangeError);
  assert.throws(() => bundle.visibleWithin([0, 0], [1, 1], 'far', 1), TypeError);
  bundle.close();
  bundle.close();
  for (const ask of [() => bundle.visible(0, 0, 1, 1), () => bundle.visiblePairs(new Uint32Array(4)), () => bundle.pvs([0, 0]),
    () => bundle.frontier([0, 0], [1, 1]), () => bundle.session(2), () => bundle.locate(0, 0)]) assert.throws(ask, code('CLOSED'));
  const level = await opened('level.vcb');
  assert.throws(() => level.visible([0, 0], [1, 1]), TypeError);
  assert.throws(() => level.visible(0, level.cells), RangeError);
  assert.throws(() => level.visiblePairs(Uint32Array.of(0, 0, 0, level.cells)), { message: /pair 1/ });
  assert.throws(() => level.groundHeight(0), code('KIND'));
  level.close();
});

test('no file, and no module', async () => {
  const page = (status) => new Response('not here', { status, statusText: 'Not Found' });
  await assert.rejects(load(page(404)), code('IO', /404 Not Found/));
  await assert.rejects(load(page(200)), WebAssembly.CompileError);
  await assert.rejects(load(new Uint8Array(8)), WebAssembly.CompileError);
  await assert.rejects(load(undefined), TypeError);
  // What a server says in place of a bundle.
  await assert.rejects(page(404).arrayBuffer().then(open), code('FORMAT'));
  // The next one takes the module that the package has.
  const bundle = await opened('level.vcb');
  assert.equal(bundle.visible(0, 0), true);
  bundle.close();
});

test('what is closed says so, and what was made from it lives on or is closed with it', async () => {
  const bundle = await opened('40x9-pairs.vcb');
  let frontier = null;
  for (let c = 39; frontier === null; c--) frontier = bundle.frontier([0, 0], [c, 8]);
  const region = bundle.region(frontier.a.bytes);
  const session = bundle.session(2);
  bundle.close();
  const asks = [() => bundle.groundHeight([0, 0]), () => bundle.locateGeoreferenced(0, 0), () => bundle.visibleWithin([0, 0], [1, 1], 1, 1),
    () => bundle.pvsMask([0, 0]), () => bundle.region(new Uint8Array(9)), () => session.move(0, [0, 0]), () => session.age(0, 1), () => session.sets,
    () => session.half(0, 1), () => session.contains(0, 1, [0, 0])];
  for (const ask of asks) assert.throws(ask, code('CLOSED'), String(ask));
  assert.ok(frontier.a.contains([0, 0]) && region.contains([0, 0]));
  frontier.close();
  region.close();
  region.close();
  assert.throws(() => region.contains([0, 0]), code('CLOSED'));
  session.close();
});

test('what an argument of the caller throws comes through, and the bundle lives', async () => {
  class Mine extends Error {}
  const thrower = { get budget() { throw new Mine(); } };
  const place = { get 0() { throw new Mine(); }, get length() { throw new Mine(); }, get column() { throw new Mine(); } };
  const bundle = await opened('40x9-pairs.vcb');
  assert.throws(() => bundle.frontier([0, 0], [39, 8], thrower), Mine);
  assert.throws(() => bundle.session(2, thrower), Mine);
  assert.throws(() => bundle.visible(place, [0, 0]), (error) => error instanceof Mine || error instanceof TypeError);
  assert.equal(bundle.visible(0, 0, 0, 0), true);
  bundle.close();
});

test('workers open a bundle of their own, of bytes that they share', async () => {
  const whole = new Uint8Array(bytesOf(golden('40x9-pairs.vcb')));
  const shared = new SharedArrayBuffer(whole.length);
  new Uint8Array(shared).set(whole);
  const bundle = await open(shared);
  const pairs = new Uint32Array(4 * 20000).map((_, i) => (i * 7919) % (i % 2 ? 9 : 40));
  const expected = bundle.visiblePairs(pairs);
  const script = `
    const { parentPort, workerData } = require('node:worker_threads');
    import('viewcell').then(async ({ open }) => {
      const bundle = await open(workerData.shared);
      const answers = bundle.visiblePairs(workerData.pairs);
      bundle.close();
      let closed;
      try { bundle.visible(0, 0, 0, 0); } catch (error) { closed = error.code; }
      parentPort.postMessage({ answers, closed });
    });`;
  const work = () => new Promise((resolve, reject) => {
    const worker = new Worker(script, { eval: true, workerData: { shared, pairs } });
    worker.on('message', resolve);
    worker.on('error', reject);
  });
  for (const { answers, closed } of await Promise.all(Array.from({ length: 8 }, work))) {
    assert.deepEqual(answers, expected);
    assert.equal(closed, 'CLOSED');
  }
  bundle.close();
});

test('every single damaged byte: an answer or an exception, and the process lives', async () => {
  const whole = new Uint8Array(bytesOf(golden('13x9-voids-pairs.vcb')));
  let [refused, asked] = [0, 0];
  for (let i = 0; i < whole.length; i += 3) {
    const damaged = whole.slice();
    damaged[i] ^= 1 << i % 8;
    try {
      const bundle = await open(damaged);
      bundle.visiblePairs(Uint32Array.of(0, 0, 12, 8, 5, 5, 7, 7));
      try { bundle.frontier([0, 0], [12, 8])?.close(); } catch (error) { assert.ok(code('VOID')(error) || error instanceof RangeError, error); }
      bundle.close();
      asked++;
    } catch (error) {
      assert.ok(error instanceof ViewcellError && ['FORMAT', 'KIND'].includes(error.code) || error instanceof RangeError, error);
      refused++;
    }
  }
  assert.ok(refused > 10 && asked > 100, `${refused} ${asked}`);
});

test('10,000 opens leave nothing behind', async () => {
  const bytes = bytesOf(golden('40x9-pairs.vcb'));
  const round = async () => {
    const bundle = await open(bytes);
    bundle.frontier([0, 0], [39, 8])?.close();
    const session = bundle.session(4);
    session.move(0, [1, 1]);
    bundle.close();
    assert.throws(() => session.tick(), code('CLOSED'));
  };
  // No part of the package's interface, but here.
  const { engine } = await import('./node_modules/viewcell/engine.js');
  const memory = (await engine()).exports.memory;
  for (let i = 0; i < 100; i++) await round();
  const before = memory.buffer.byteLength;
  for (let i = 0; i < 10000; i++) await round();
  assert.equal(memory.buffer.byteLength, before, 'bytes of WebAssembly memory');
});

test('no room in WebAssembly is an exception, and the next open finds room', () => {
  // 40 MB at most: a bundle as such goes in, a session of 4,096 players does not, and traps.
  const script = `
    import assert from 'node:assert/strict';
    import { open } from 'viewcell';
    import { bytesOf, golden } from './common.mjs';
    const bytes = bytesOf(golden('40x9-pairs.vcb'));
    await assert.rejects(open(new ArrayBuffer(64 << 20)), { code: 'MEMORY' });
    const bundle = await open(bytes);
    assert.ok(bundle.visible(0, 0, 0, 0));
    assert.throws(() => bundle.session(4096), { code: 'MEMORY' });
    assert.throws(() => bundle.visible(0, 0, 0, 0), { code: 'CLOSED', message: /out of memory/ });
    bundle.close();
    const anew = await open(bytes);
    assert.ok(anew.visible(0, 0, 0, 0));
    console.log('lives');`;
  const out = execFileSync(process.execPath, ['--wasm-max-mem-pages=640', '--input-type=module', '-e', script], { encoding: 'utf8' });
  assert.equal(out, 'lives\n');
});

test('what only servers ask says where it is', async () => {
  const bundle = await opened('solid.vcb');
  const mover = { position: [48, 48, 32] };
  for (const ask of [() => bundle.watch(2), () => bundle.seesInMotion(mover, mover)])
    assert.throws(ask, code('KIND', /viewcell\/server/));
  bundle.close();
});
