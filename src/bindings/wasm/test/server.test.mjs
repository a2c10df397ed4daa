// What only servers ask, in the package as its users have it.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ObserverSets, ViewcellError, Watch, open } from 'viewcell/server';
import { bytesOf, golden } from './common.mjs';

// The same numbers each time.
function dice(seed) {
  let at = seed;
  return () => (at = (at * 1103515245 + 12345) % 2147483648) / 2147483648;
}

const middleOf = (bundle, cell) => {
  const [low, high] = bundle.bounds(cell);
  return low.map((at, axis) => (at + high[axis]) / 2);
};

test('a watch sends everybody who is not proven hidden, and reads each field', async () => {
  const bundle = await open(bytesOf(golden('solid.vcb')));
  const watch = bundle.watch(4, { maxAhead: 0.3 });
  assert.ok(watch instanceof Watch && watch.players === 4);
  const base = (i) => ({ position: [i % 2 === 0 ? 48 : 480, 48 + 8 * i, 32], speed: [32, 32], seesUntil: 0.05, shownUntil: 0.05 });
  const frame = (change) => {
    for (let i = 0; i < 4; i++) watch.set(i, { ...base(i), ...change });
    watch.begin();
    assert.ok(watch.look(100000));
    return watch.counts;
  };
  const { pairs, hidden, kept } = frame({});
  assert.deepEqual([pairs, hidden > 0, kept], [12, true, 0]);
  // The two rooms do not see each other.
  for (let a = 0; a < 4; a++) for (let b = 0; b < 4; b++) assert.equal(watch.sends(a, b), a !== b && a % 2 === b % 2, `${a} ${b}`);
  assert.ok(frame({}).kept > 0);
  // Each of these alone brings everybody into sight.
  for (const change of [
    { eye: [-20, 1e5] }, { body: [[-1e5, -1e5, -1e5], [1e5, 1e5, 1e5]] }, { seesUntil: 0.3, speed: [1e6, 1e6] },
    { shownUntil: 0.3, speed: [1e6, 1e6] }, { error: [1e5, 1e5] }, { position: [0, 0, 1e6] },
  ])
    assert.equal(frame(change).hidden, 0, JSON.stringify(change));
  // A velocity within limits says where somebody goes; impulses and accelerations that it may change.
  const still = { velocity: [0, 0, 0], speed: [1e5, 1e5], acceleration: [0, 0] };
  assert.ok(frame(still).hidden > 0);
  for (const change of [{ impulse: [1e6, 1e6] }, { acceleration: [1e7, 1e7] }, { velocity: [1e5, 1e5, 0] }, { velocity: null }])
    assert.equal(frame({ ...still, ...change }).hidden, 0, JSON.stringify(change));
  watch.set(2, null);
  watch.begin();
  assert.deepEqual([watch.counts.pairs, watch.sends(2, 0), watch.sends(0, 2)], [6, false, false]);
  watch.occluders([[[200, -50, -50], [330, 400, 400]]]);
  watch.occluders([], [{ centre: [264, 224, 40], radius: 120, seconds: 9 }]);
  watch.occluders([]);
  assert.throws(() => watch.occluders([], [{ centre: [0, 0, 0], seconds: 9 }]), TypeError);
  assert.equal(watch.lookFor(50), true);
  assert.throws(() => watch.set(4, base(0)), RangeError);
  assert.throws(() => watch.set(0, { position: [1, 2] }), TypeError);
  assert.throws(() => watch.set(0, { ...base(0), sped: [1, 2] }), /no "sped"/);
  assert.throws(() => watch.look(-1), RangeError);
  assert.throws(() => bundle.watch(257), RangeError);
  assert.throws(() => bundle.watch(2, { maxAhead: NaN }), RangeError);
  watch.close();
  watch.close();
  assert.throws(() => watch.begin(), (error) => error instanceof ViewcellError && error.code === 'CLOSED');
  const orphan = bundle.watch(2);
  bundle.close();
  assert.throws(() => orphan.begin(), (error) => error.code === 'CLOSED');
  const terrain = await open(bytesOf(golden('13x9-voids-pairs.vcb')));
  assert.throws(() => terrain.watch(2), (error) => error.code === 'KIND');
  terrain.close();
});

test('motion: of any world, and in sessions nobody is told too late', async () => {
  for (const name of ['13x9-voids-pairs.vcb', 'level.vcb', 'solid.vcb']) {
    const bundle = await open(bytesOf(golden(name)));
    const session = bundle.session(2);
    const roll = dice(name.length);
    let [sees, told] = [0, 0];
    const cells = Array.from({ length: bundle.places }, (_, i) => (bundle.kind === 'terrain' ? [i % bundle.width, Math.floor(i / bundle.width)] : i)).filter(
      (cell) => bundle.bounds(cell) && bundle.locate(...middleOf(bundle, cell)) !== null,
    );
    for (let i = 0; i < 300; i++) {
      const [a, b] = [0, 1].map(() => middleOf(bundle, cells[Math.floor(roll() * cells.length)]));
      const [from, to] = [a, b].map((position) => ({ position, speed: [50 * roll(), 10], until: 0.3 }));
      const seesNow = bundle.seesInMotion(from, to);
      if (bundle.visiblePoints(a, b)) assert.ok(seesNow, `${name}: ${a} ${b}`);
      assert.ok(bundle.seesInMotion({ ...from, speed: [1e6, 1e6] }, to) || !seesNow);
      session.moveInMotion(0, from);
      const notices = session.moveInMotion(1, to);
      const isTold = (viewer) => notices.some(({ to, about }) => to === viewer && about === 1 - viewer);
      assert.equal(isTold(0), seesNow, `${name}: ${a} ${b}`);
      sees += seesNow;
      told += notices.length;
    }
    assert.ok(sees > 20 && sees < 300 && told >= sees, `${name}: ${sees} ${told}`);
    bundle.close();
  }
});

test('a level is asked with the positions of the engine that it comes from', async () => {
  // The L of tests/solid/axes.rs, by each engine: corner, end of the short arm, and of the long one.
  const engines = {
    unity: ([a, b, up]) => [a, up, b],
    unreal: ([a, b, up]) => [100 * a, 100 * b, 100 * up],
    godot: ([a, b, up]) => [a, up, -b],
    blender: (at) => at,
  };
  for (const [name, of] of Object.entries(engines)) {
    const bundle = await open(bytesOf(golden(`../axes/${name}.vcb`)));
    const places = [[1.5, 1.5, 0.1], [1.5, 7, 0.1], [18, 1.5, 0.1]].map((at) => of(at));
    const holds = (turn) => {
      const [corner, short, long] = places.map((at) => bundle.locate(...turn(at)));
      if ([corner, short, long].includes(null)) return false;
      return bundle.visible(corner, short) && bundle.visible(corner, long) && !bundle.visible(short, long);
    };
    places.forEach((at) => {
      const [low, high] = bundle.bounds(bundle.locate(...at));
      at.forEach((x, i) => assert.ok(low[i] <= x && x <= high[i], `${name} ${low} ${high}`));
    });
    for (const order of [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]])
      for (let signs = 0; signs < 8; signs++) {
        const turn = (at) => order.map((axis, i) => at[axis] * ((signs >> i) & 1 ? -1 : 1));
        assert.equal(holds(turn), signs === 0 && `${order}` === '0,1,2', `${name} ${order} ${signs}`);
      }
    bundle.close();
  }
});

for (const name of ['13x9-voids-pairs.vcb', 'solid.vcb']) {
  test(`${name}: observer sets say what the library does, and hold it for a while`, async () => {
    const bundle = await open(bytesOf(golden(name)));
    const [speed, interval, maxAhead, hold, work] = [[8, 8], 0.1, 0.3, 0.25, 1e5];
    const sets = new ObserverSets(bundle, { players: 3, speed, interval, maxAhead, hold, work });
    const watch = bundle.kind === 'solid' ? bundle.watch(3, { maxAhead }) : null;
    const roll = dice(5);
    const at = [];
    const until = new Map();
    const views = new Set();
    let [hidden, held, changed] = [0, 0, 0];
    assert.equal(sets.observes('a', 'b'), true, 'who is not known observes all');
    for (let frame = 0; frame < 400; frame++) {
      const now = 10 + 0.05 * frame;
      for (let i = 0; i < 3; i++) {
        // They stay for a while, and are put elsewhere then.
        while (frame % 12 === 4 * i || !at[i]) {
          const cell = Math.floor(roll() * bundle.places);
          const place = bundle.kind === 'terrain' ? [cell % bundle.width, Math.floor(cell / bundle.width)] : cell;
          at[i] = bundle.bounds(place) && middleOf(bundle, place);
          if (at[i]) break;
        }
        assert.ok(sets.put(i, at[i], { ping: 0.05 * i }));
        watch?.set(i, { position: at[i], speed, seesUntil: 0.05 * i + interval, shownUntil: interval });
      }
      assert.equal(sets.put('a fourth', at[0]), false, 'no room');
      watch?.begin();
      watch?.look(work);
      for (const { viewer, player, observes } of sets.update(now)) {
        changed++;
        views[observes ? 'add' : 'delete'](`${viewer} ${player}`);
      }
      for (let a = 0; a < 3; a++)
        for (let b = 0; b < 3; b++) {
          if (a === b) continue;
          const from = { position: at[a], speed, until: 0.05 * a + interval };
          const sees = watch ? watch.sends(a, b) : bundle.seesInMotion(from, { position: at[b], speed, until: interval });
          if (sees) until.set(`${a} ${b}`, now + hold);
          const expected = sees || until.get(`${a} ${b}`) > now;
          assert.equal(sets.observes(a, b), expected, `frame ${frame}: ${a} ${b}`);
          assert.equal(views.has(`${a} ${b}`), expected, 'what has changed');
          hidden += !expected;
          held += expected && !sees;
        }
    }
    assert.ok(hidden > 20 && held > 20 && changed > 20 && changed < 800, `${hidden} ${held} ${changed}`);
    sets.put(0, at[0]);
    sets.update(99);
    assert.equal(sets.observes(0, 1), true, 'who is not put has gone');
    sets.put('new', at[1]);
    assert.equal(sets.observes(0, 'new'), bundle.seesInMotion({ position: at[0], speed, until: interval }, { position: at[1], speed, until: interval }));
    for (const wrong of [{}, { speed: [1] }, { speed, interval: 0 }, { speed, maxAhead: 0.01 }, { speed, players: 0 }, { speed, hold: -1 }])
      assert.throws(() => new ObserverSets(bundle, wrong), /expected/, JSON.stringify(wrong));
    sets.close();
    sets.close();
    bundle.close();
  });
}
