// Players whose ways are played: they walk on the ground, with lines between those who see or hear of
// each other, the frontier set of two of them, and what each scheme has come to so far.

import { Refused, ask } from "./api.js";
import { bits, halvesLegend, paintSet } from "./halves.js";
import { Counts, Ways } from "./ways.js";
import { $, count, element } from "./words.js";

/** Time between numbers while it plays, and between questions for what is not known yet. [Unit: ms] */
const NUMBERS = 250;
/** The longest that a frame takes: a page that nobody sees does not go on. [Unit: ms] */
const LONGEST = 250;
/** Frames whose times are kept. */
const TIMES = 600;
/** How near a tap is to a player. [Unit: CSS pixels] */
const REACH = 20;

/** The layer: shows the players where they are. */
export const players = {
  hint: "Click two players to see their regions. Space plays and stops, arrow keys go a second on or back.",

  async show(app) {
    const { state, panes: [pane] } = app;
    if (!app.play) {
      paintSet(app, pane, undefined, []);
      app.play = await begin(app);
      fillControls(app);
      fitToPlayers(app);
      learn(app);
    }
    const { play } = app;
    paintRegions(app);
    $("lines").value = state.lines ?? "";
    draw(app, true);
    return [];
  },

  legend: (app) => [
    { colour: app.palette.mark, text: "see each other" },
    { colour: app.palette.difference, text: "one hears of the other without seeing them: exposed" },
    { colour: LATE, text: "one sees the other without having heard: late" },
    ...halvesLegend(app).slice(0, 2),
  ],
};

const LATE = [235, 60, 60];
const OTHERS = [70, 76, 92];

/** A level is shown as far as players go, with a tenth around it. */
function fitToPlayers(app) {
  const { camera, panes: [{ ground, size }], play } = app;
  const box = app.about.kind === "cells" ? play.ways.box((at) => ground.point(at)) : undefined;
  if (!box?.every(Number.isFinite)) return;
  const [west, north, east, south] = box;
  const around = Math.max(0.1 * Math.max(east - west, south - north), 8);
  const inside = (at, most) => Math.min(Math.max(at, 0), most);
  camera.box = [
    inside(west - around, ground.width - 1),
    inside(north - around, ground.height - 1),
    inside(east + around, ground.width),
    inside(south + around, ground.height),
  ];
  if (camera.fitted) camera.fit(size);
}

/** Waits until the server knows who is where, and who sees whom. */
async function begin(app) {
  for (;;) {
    const answer = await ask("0/play");
    if ("players" in answer.head) {
      app.say("");
      const ways = new Ways(answer);
      const time = Math.min(Math.max(Number(app.state.time) || 0, 0), ways.length);
      return { ways, counts: new Map(), time, runs: false, speed: 1, drawn: 0, spent: [] };
    }
    app.say(`Finding out who sees whom: ${count(answer.head.known)} frames`);
    await new Promise((done) => setTimeout(done, NUMBERS));
  }
}

/** Learns what each scheme comes to, one after the other, as the server finds out. */
async function learn(app) {
  const { play } = app;
  for (const scheme of play.ways.schemes) {
    for (;;) {
      let answer;
      try {
        answer = await ask("0/counts", { scheme });
      } catch (error) {
        if (error instanceof Refused) return;
        throw error;
      }
      if (!answer.head.waits) {
        play.counts.set(scheme, new Counts(play.ways, answer));
        break;
      }
      await new Promise((done) => setTimeout(done, NUMBERS));
    }
    $("lines").append(element("option", { value: scheme }, `hear of each other, ${scheme}`));
    if (app.state.lines === scheme) $("lines").value = scheme;
    tell(app);
  }
  play.isLearnt = true;
}

function fillControls(app) {
  const { ways } = app.play;
  $("time").max = ways.frames - 1;
  for (const [k, name] of ["first", "second"].entries()) {
    const options = Array.from({ length: ways.players }, (_, n) => element("option", { value: n }, String(n)));
    $(name).replaceChildren(element("option", { value: "" }, "nobody"), ...options);
    const chosen = app.state.pair?.[k];
    $(name).value = chosen < ways.players ? chosen : "";
  }
}

/** Listens to the controls. */
export function listenToPlay(app) {
  $("run").addEventListener("click", () => run(app));
  $("speed").addEventListener("change", (event) => (app.play.speed = Number(event.target.value)));
  $("time").addEventListener("input", (event) => seek(app, Number(event.target.value) * app.play.ways.step));
  $("lines").addEventListener("change", (event) => {
    app.state.lines = event.target.value;
    draw(app, true);
    app.keepLink();
  });
  for (const name of ["first", "second"]) {
    $(name).addEventListener("change", () => choosePair(app));
  }
}

/** Plays, or stops. */
export function run(app, runs = !app.play?.runs) {
  const { play } = app;
  if (!play) return;
  play.runs = runs;
  $("run").textContent = runs ? "Stop" : "Play";
  if (!runs) {
    draw(app, true);
    return app.keepLink();
  }
  if (play.time >= play.ways.length) seek(app, 0);
  requestAnimationFrame((now) => {
    play.last = now;
    requestAnimationFrame((next) => tick(app, next));
  });
}

function tick(app, now) {
  const { play, state } = app;
  if (!play.runs || state.layer !== "play") return;
  const begun = performance.now();
  play.time += Math.min(now - play.last, LONGEST) * play.speed;
  play.last = now;
  if (play.time >= play.ways.length) {
    play.time = play.ways.length;
    return run(app, false);
  }
  draw(app, now - (play.told ?? 0) >= NUMBERS, now);
  play.drawn += 1;
  play.spent[play.drawn % TIMES] = performance.now() - begun;
  requestAnimationFrame((next) => tick(app, next));
}

/** Goes to a time. */
export function seek(app, time) {
  const { play } = app;
  if (!play) return;
  play.time = Math.min(Math.max(time, 0), play.ways.length);
  // A set that was agreed on at another time says nothing of this one.
  play.set = undefined;
  draw(app, true);
  app.keepLink();
}

/** Goes on or back by seconds. */
export const skip = (app, seconds) => app.play && seek(app, app.play.time + 1000 * seconds);

/* ---- the two whose regions are shown ---- */

/** Takes the player near a point into the pair. */
export function pick(app, view, point) {
  const { play, state, panes: [pane] } = app;
  if (!play) return;
  const frame = play.ways.frame(play.time);
  let [nearest, least] = [undefined, REACH];
  for (let player = 0; player < play.ways.players; player += 1) {
    if (!play.ways.isHere(frame, player)) continue;
    const at = pane.ground.point(play.ways.point(play.time, player), play.ways.place(frame, player));
    const [x, y] = view.locate(at);
    const far = Math.hypot(x - point[0], y - point[1]);
    if (far < least) [nearest, least] = [player, far];
  }
  if (nearest === undefined || state.pair?.includes(nearest)) return;
  // The one who was chosen before stays.
  const [, second] = state.pair ?? [];
  $("first").value = second ?? $("first").value;
  $($("first").value === "" ? "first" : "second").value = nearest;
  choosePair(app);
}

function choosePair(app) {
  const { play, state } = app;
  const chosen = ["first", "second"].map((name) => $(name).value);
  const both = chosen.every((value) => value !== "") && chosen[0] !== chosen[1];
  state.pair = both ? chosen.map(Number) : undefined;
  [play.set, play.sets] = [undefined, 0];
  paintRegions(app);
  draw(app, true);
  app.keepLink();
}

function paintRegions(app) {
  paintSet(app, app.panes[0], app.play.set?.answer, app.panes[0].marks);
  app.play.isPainted = Boolean(app.play.set);
}

/** Keeps the pair's set while both are in their halves, and asks for another once one is not. */
function keepRegions(app, frame) {
  const { play, state, panes: [pane] } = app;
  const { ways } = play;
  const { ground } = pane;
  const isTogether = state.pair?.every((player) => ways.isHere(frame, player));
  if (!isTogether) return clearRegions(app);
  const [a, b] = state.pair;
  const places = [ways.place(frame, a), ways.place(frame, b)];
  const { set } = play;
  if (set) {
    const inside = places.every((place, k) => ground.holds(bits(set.answer, k * ground.setBytes, ground.setBytes), place));
    if (inside) return undefined;
  }
  clearRegions(app);
  const seen = ways.sees.has(frame, a, b) || ways.sees.has(frame, b, a);
  const key = places.join();
  if (seen || play.asks || play.failed === key) return undefined;
  play.asks = true;
  const [from, to] = places.map((place) => ground.named(place));
  const time = play.time;
  return ask("0/frontier", { a: from, b: to })
    .then((answer) => {
      if (String(state.pair) !== String([a, b])) return;
      if (answer.head.sizes.some((size) => size === 0)) play.failed = key;
      else play.set = { answer, since: time };
      play.sets = (play.sets ?? 0) + 1;
      paintRegions(app);
      if (!play.runs) draw(app, true);
    })
    .catch((error) => {
      if (!(error instanceof Refused)) throw error;
      play.failed = key;
      app.say(error.message);
    })
    .finally(() => (play.asks = false));
}

function clearRegions(app) {
  app.play.set = undefined;
  if (app.play.isPainted) paintRegions(app);
}

/* ---- what is drawn, and told ---- */

function draw(app, numbers, now = performance.now()) {
  const { play, state, panes: [pane] } = app;
  if (!play || state.layer !== "play") return;
  const { ways, time } = play;
  const frame = ways.frame(time);
  keepRegions(app, frame);
  const points = [];
  for (let player = 0; player < ways.players; player += 1) {
    const place = ways.place(frame, player);
    points.push(ways.isHere(frame, player) ? pane.ground.point(ways.point(time, player), place) : undefined);
  }
  pane.marks = [...lines(app, frame, points), ...dots(app, frame, points, pane.ground)];
  pane.drawMarksAlone();
  if (play.frame !== frame) $("time").value = frame;
  play.frame = frame;
  if (!numbers) return;
  play.told = now;
  state.time = Math.round(time);
  tell(app);
}

/** Lines between those who see each other, or hear of each other in the scheme that is chosen. */
function lines({ play, state, palette }, frame, points) {
  const { sees, players } = play.ways;
  const told = play.counts.get(state.lines)?.told;
  const [seen, exposed, late] = [[], [], []];
  for (let one = 0; one < players; one += 1) {
    for (let other = one + 1; other < players; other += 1) {
      if (!points[one] || !points[other]) continue;
      const [there, back] = [sees.has(frame, one, other), sees.has(frame, other, one)];
      const line = [points[one], points[other]];
      if (!told) {
        if (there || back) seen.push(line);
        continue;
      }
      const [hears, heard] = [told.has(frame, one, other), told.has(frame, other, one)];
      if ((there && !hears) || (back && !heard)) late.push(line);
      else if ((hears && !there) || (heard && !back)) exposed.push(line);
      else if (there || back) seen.push(line);
    }
  }
  return [
    { kind: "lines", lines: exposed, colour: palette.difference, dashed: true },
    { kind: "lines", lines: seen, colour: palette.mark },
    { kind: "lines", lines: late, colour: LATE },
  ];
}

function dots({ play, state, palette }, frame, points, ground) {
  const marks = [];
  points.forEach((at, player) => {
    if (!at) return;
    const k = state.pair?.indexOf(player) ?? -1;
    const colour = k < 0 ? OTHERS : [palette.a, palette.b][k];
    // Who is on a floor that is not shown is as pale as who is dead.
    const isPale = play.ways.isDead(frame, player) || ground.shows?.(play.ways.place(frame, player)) === false;
    marks.push({ kind: "walker", at, colour, name: String(player), dead: isPale });
  });
  return marks;
}

const clock = (ms) => {
  const tenths = Math.round(ms / 100);
  const [minutes, rest] = [Math.floor(tenths / 600), tenths % 600];
  return `${minutes}:${(rest / 10).toFixed(1).padStart(4, "0")}`;
};

/** Tells the time, and what has been counted up to it. */
function tell(app) {
  const { play, state } = app;
  const { ways, counts, time } = play;
  const frame = ways.frame(time);
  $("clock").textContent = `${clock(time)} of ${clock(ways.length)}`;
  let seen = 0;
  for (let pair = 0; pair < ways.players ** 2; pair += 1) {
    seen += ways.sees.has(frame, Math.floor(pair / ways.players), pair % ways.players) ? 1 : 0;
  }
  const all = ways.players * (ways.players - 1);
  const set = play.set ? `for ${((time - play.set.since) / 1000).toFixed(1)} s` : "none";
  const pair = state.pair ? ` · set of ${state.pair.join(" and ")}: ${set}, ${count(play.sets ?? 0)} made` : "";
  const rows = [...counts].map(([name, kept]) => [
    name,
    count(kept.packets[frame]),
    count(Math.round(kept.bytes[frame] / 1000)),
    count(kept.late[frame]),
    count(kept.exposed[frame]),
  ]);
  const waits = play.isLearnt ? "" : " · counting…";
  const words = `${count(seen)} of ${count(all)} see the other${pair}${waits}`;
  fill($("counts"), words, rows);
}

/** Fills the table of what is counted; its cells stay, and only their text is another. */
function fill(box, words, rows) {
  const heads = ["so far", "packets", "kB", "late", "exposed"];
  if (box.querySelectorAll("tbody tr").length !== rows.length || !box.firstChild) {
    const row = (cells, name) => element("tr", {}, ...cells.map((_, k) => element(k ? name : "th", k ? {} : { scope: "row" })));
    const head = element("tr", {}, ...heads.map((text) => element("th", { scope: "col" }, text)));
    const table = element("table", {}, element("thead", {}, head), element("tbody", {}, ...rows.map((cells) => row(cells, "td"))));
    box.replaceChildren(element("p"), table);
  }
  box.firstChild.textContent = words;
  const cells = box.querySelectorAll("tbody th, tbody td");
  rows.flat().forEach((text, k) => {
    if (cells[k].textContent !== text) cells[k].textContent = text;
  });
}
