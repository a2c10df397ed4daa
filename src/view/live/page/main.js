// The page: what is shown, and what people do with it.

import { Refused, ask, newest } from "./api.js";
import { listenToBake } from "./bake.js";
import { Camera, clamp, listen } from "./camera.js";
import { cut, listenToCuts } from "./cut.js";
import { dig, listenToDigs } from "./dig.js";
import { copy, flash, linked, save } from "./keep.js";
import { chooseFloor, listenToFloors, tellReach } from "./floor.js";
import { LAYERS, check, hasPlayers, showLegend } from "./layers.js";
import * as link from "./link.js";
import { Pane } from "./pane.js";
import { listenToScene, openScene, standAt } from "./three.js";
import { listenToPlay, pick, run, skip } from "./play.js";
import { Level } from "./level.js";
import { Solid } from "./solid.js";
import { Terrain } from "./terrain.js";
import { $, duration, readings } from "./words.js";

const POLL = 2000; // ms between questions whether the bundle is still the same

const state = { layer: "sight", place: undefined, pinned: false, level: 0, margin: 0, active: "a" };
const app = { state, panes: [], checked: [], walks: undefined, painted: { times: 0 } };
window.viewcell = app;

/** Asks about each pane's bundle; an answer of another generation reloads the page. */
app.askAll = async (path, query, method) => {
  const answers = app.panes.map(async (pane) => {
    const name = typeof path === "function" ? path(pane) : path;
    const answer = await ask(`${pane.index}/${name}`, query(pane), method);
    if (answer.head.generation !== pane.ground.about.generation) reload();
    return answer;
  });
  return Promise.all(answers);
};

app.say = (text) => {
  app.said = text;
  $("notice").textContent = text;
  $("notice").hidden = !text;
};

app.keepLink = () => link.write(linked(app));

app.placeRow = (place) => {
  const name = app.about.kind === "terrain" ? "Place" : "Cell";
  return [name, app.panes[0].ground.words(place)];
};

function reload(notice = "The bundle was replaced: this is the new one.") {
  if (app.reloading) return;
  app.reloading = true;
  sessionStorage.setItem("notice", notice);
  location.reload();
}
app.reload = reload;

/** Shows the layer as the state has it, and how long that took since `begun`. */
async function showNow(begun, step) {
  const started = performance.now();
  try {
    const rows = await LAYERS[state.layer].show(app, step);
    const [took, work] = [begun, started].map((from) => performance.now() - from);
    app.painted = { layer: state.layer, took, work, times: app.painted.times + 1 };
    const asked = app.took === undefined ? "" : `answered in ${duration(app.took)}, `;
    $("foot").textContent = rows.length && state.layer !== "plain" ? `${asked}painted in ${took.toFixed(1)} ms` : "";
    app.took = undefined;
    if (["exposure", "steps"].includes(state.layer)) $("legend").replaceChildren(...showLegend(app, state.layer));
    $("readings").replaceChildren(readings(rows, app.panes.map((pane) => pane.ground.about.name)));
    if (app.refused) app.say("");
    app.refused = false;
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    app.refused = true;
    app.say(error.message);
  }
  link.write(linked(app));
}

const showNewest = newest(showNow);
/** Shows the state as it is now; resolves when it, or a newer one, is painted. */
app.show = (begun = performance.now()) => showNewest(begun);

/** One step of a walk after the other: none may be left out. */
let walking = Promise.resolve();
function showWalk(begun = performance.now()) {
  const step = { a: state.a, b: state.b };
  walking = walking.then(() => state.layer === "walk" && showNow(begun, step));
  return walking;
}
const show = (begun) => (state.layer === "walk" ? showWalk(begun) : app.show(begun));

const checkNow = newest(async () => {
  if (state.layer !== "frontier") return;
  try {
    app.checked = await check(app);
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    app.checked = app.panes.map(() => error.message);
  }
  await app.show();
});

/** After a change of the players has come to rest. */
function settle() {
  clearTimeout(app.settling);
  app.checked = [];
  app.settling = setTimeout(() => checkNow(true), 300);
}

/* ---- places and players ---- */

function setPlace(place, begun) {
  if (!place || (state.place && String(place) === String(state.place))) return;
  state.place = place;
  standAt(app, place);
  show(begun);
}
app.setPlace = setPlace;

function movePlayer(who, place, begun) {
  if (!place || String(place) === String(state[who])) return;
  state[who] = place;
  settle();
  show(begun);
}

function setActive(who) {
  state.active = who;
  $("other").textContent = who === "a" ? "B" : "A";
}

/** The player at a point of a view, with a finger's or a mouse's reach. */
function playerAt(view, point, type) {
  const { ground } = app.panes[0];
  const reach = type === "touch" ? 32 : 16;
  const near = ["a", "b"].map((who) => {
    const [x, y] = view.locate(ground.middle(state[who]));
    return [Math.hypot(x - point[0], y - point[1]), who];
  });
  const [distance, who] = near.sort((p, q) => p[0] - q[0])[0];
  return distance <= reach ? who : undefined;
}

function step(dx, dy, by) {
  if (state.layer === "play") return skip(app, by * (dx || -dy));
  const { ground } = app.panes[0];
  const who = hasPlayers(state) ? state.active : "place";
  let place = state[who] ?? app.middle;
  for (let k = 0; k < by; k += 1) place = ground.step(place, dx, dy);
  app.camera.follow(ground.middle(place), app.panes[0].size);
  if (who === "place") {
    state.pinned = true;
    setPlace(place);
  } else {
    movePlayer(who, place);
  }
  drawAll();
}

/* ---- the camera ---- */

let drawing;
function drawAll() {
  drawing ??= requestAnimationFrame(() => {
    drawing = undefined;
    for (const pane of app.panes) pane.draw();
    link.write(linked(app));
  });
}

function resize() {
  for (const pane of app.panes) pane.resize();
  if (app.camera.fitted) app.camera.fit(app.panes[0].size);
  for (const pane of app.panes) pane.draw();
  app.scene?.resize();
}

function fit() {
  app.camera.fit(app.panes[0].size);
  app.scene?.fit();
  drawAll();
}

/** Listens to the pointer over a map, or over the same in three dimensions. */
function watch(view) {
  const placeAt = (point) => view.placeAt(point);
  listen(view.box, {
    hover(point, begun) {
      if (state.layer === "play") return;
      const grabs = hasPlayers(state) && playerAt(view, point);
      view.box.style.cursor = grabs ? "grab" : hasPlayers(state) ? "default" : "crosshair";
      if (!state.pinned && !hasPlayers(state)) setPlace(placeAt(point), begun);
    },
    leave() {},
    tap(point, begun) {
      if (state.layer === "play") return pick(app, view, point);
      const place = placeAt(point);
      if (!place) return;
      if (app.about.digs && $("dig").checked) return dig(app, place);
      if (hasPlayers(state)) return movePlayer(state.active, place, begun);
      const again = state.pinned && String(place) === String(state.place);
      state.pinned = !again;
      setPlace(place, begun);
    },
    grab(point, type) {
      view.box.focus({ preventScroll: true });
      const who = hasPlayers(state) && playerAt(view, point, type);
      if (!who) return false;
      setActive(who);
      return true;
    },
    drag(point, begun) {
      movePlayer(state.active, placeAt(point), begun);
    },
    drop() {},
    pan(dx, dy) {
      view.pan(dx, dy);
      drawAll();
    },
    zoom(factor, point) {
      view.zoom(factor, point);
      drawAll();
    },
  });
}

/* ---- controls ---- */

function choose(layer) {
  const radio = document.querySelector(`input[name=layer][value=${layer}]`);
  if (!radio || radio.closest("[hidden]")) return;
  if (!state.a) layer = "plain"; // all is void: nobody is anywhere
  radio.checked = true;
  state.layer = layer;
  [app.walks, app.walked] = [];
  run(app, false);
  app.say("");
  for (const part of document.querySelectorAll("[data-layers]")) {
    part.hidden = !part.dataset.layers.split(" ").includes(layer) || part.matches("[data-other]");
  }
  $("hint").textContent = LAYERS[layer].hint;
  $("legend").replaceChildren(...showLegend(app, layer));
  if (layer === "frontier") settle();
  return show();
}

function tellControls() {
  const side = 2 ** state.level * (app.about.side ?? 1);
  $("side").textContent = side === 1 ? "1 sample" : `${side} × ${side} samples`;
  $("level").value = state.level;
  $("steps").textContent = `${state.margin} step${state.margin === 1 ? "" : "s"}`;
  $("margin").value = state.margin;
}

const KEYS = {
  ArrowLeft: (by) => step(-1, 0, by),
  ArrowRight: (by) => step(1, 0, by),
  ArrowUp: (by) => step(0, -1, by),
  ArrowDown: (by) => step(0, 1, by),
  "+": () => zoom(1.5),
  "=": () => zoom(1.5),
  "-": () => zoom(1 / 1.5),
  0: fit,
  b: () => (setActive(state.active === "a" ? "b" : "a"), show()),
  p: () => (state.pinned = !state.pinned),
  d: () => ($("dig").checked = !$("dig").checked),
  " ": () => state.layer === "play" && run(app),
  v: () => $("three").click(),
  c: () => copy(app),
  s: () => save(app),
};

function zoom(factor) {
  const { size } = app.panes[0];
  app.camera.zoomAt(factor, size.map((side) => side / 2), size);
  drawAll();
}

function onKey(event) {
  if (event.ctrlKey || event.metaKey || event.altKey || $("keys").open) return;
  const inControl = event.target.closest("aside, header, dialog");
  const arrow = event.key.startsWith("Arrow");
  if (inControl && (arrow || event.key === " " || event.target.matches("select"))) return;
  const layer = document.querySelectorAll("#layers label:not([hidden]) input")[event.key - 1];
  const key = KEYS[event.key.length === 1 ? event.key.toLowerCase() : event.key];
  if (layer) choose(layer.value);
  else if (key) key(event.shiftKey && arrow ? 10 : 1);
  else return;
  event.preventDefault();
}

/* ---- the beginning ---- */

/** Two places apart, for players to begin at. */
function somewhere(ground, partX, partY) {
  const [x, y] = [ground.width * partX, ground.height * partY];
  for (let far = 0; far < Math.max(ground.width, ground.height); far += 1) {
    for (const [dx, dy] of [[far, 0], [-far, 0], [0, far], [0, -far], [far, far], [-far, -far]]) {
      const place = ground.placeAt([x + dx, y + dy]);
      if (place) return place;
    }
  }
  return undefined;
}

/** The place that a player does not see which is nearest to the middle of the other half of the map; none if there is none. */
async function hiddenFrom(place) {
  const { ground } = app.panes[0];
  if (!place || app.about.unbaked) return undefined;
  const answer = await ask("0/pvs", { at: ground.name(place) });
  const seen = new Uint8Array(ground.light.length);
  ground.spread(new Uint8Array(answer.buffer, answer.start, ground.setBytes), seen);
  const { width, height, light } = ground;
  let [best, least] = [undefined, Infinity];
  for (let i = 0; i < light.length; i += 1) {
    if (seen[i] || !light[i]) continue;
    const far = Math.hypot((i % width) - 0.7 * width, Math.floor(i / width) - 0.5 * height);
    if (far < least) [best, least] = [i, far];
  }
  return best === undefined ? undefined : ground.placeAt([(best % width) + 0.5, Math.floor(best / width) + 0.5]);
}

/** The part of the map where places are, but for a few far away, with some room around. */
function inhabited({ width, height, light }) {
  const along = [new Float64Array(width), new Float64Array(height)];
  let all = 0;
  for (let i = 0; i < light.length; i += 1) {
    if (!light[i]) continue;
    along[0][i % width] += 1;
    along[1][Math.floor(i / width)] += 1;
    all += 1;
  }
  const ends = along.map((counts) => {
    const end = (from, step) => {
      let at = from;
      for (let left = 0.003 * all; at >= 0 && at < counts.length && left >= counts[at]; at += step) left -= counts[at];
      return at;
    };
    const [low, high] = [end(0, 1), end(counts.length - 1, -1) + 1];
    const room = 0.05 * (high - low);
    return [Math.max(0, low - room), Math.min(counts.length, high + room)];
  });
  return all ? [ends[0][0], ends[1][0], ends[0][1], ends[1][1]] : undefined;
}
app.inhabited = inhabited;

async function begin() {
  const given = link.read();
  const { ground } = app.panes[0];
  const height = given.cut === undefined ? undefined : Number(given.cut);
  if (app.about.kind === "cells") await cut(app, Number.isNaN(height) ? undefined : height);
  if (app.about.kind === "solid") {
    chooseFloor(app, Number(given.floor) - 1);
    $("reach").value = Number(given.reach) / app.about.cell[0] || 0;
    tellReach(app);
  }
  state.place = ground.parse(given.at);
  state.pinned = Boolean(state.place);
  state.a = ground.parse(given.a) ?? somewhere(ground, 0.3, 0.5);
  state.b = ground.parse(given.b) ?? (await hiddenFrom(state.a)) ?? somewhere(ground, 0.7, 0.5);
  app.middle = somewhere(ground, 0.5, 0.5);
  const pair = (given.pair ?? "").split(",").map(Number);
  state.pair = pair.length === 2 && pair.every(Number.isInteger) && pair[0] !== pair[1] ? pair : undefined;
  [state.time, state.lines] = [Number(given.t) || 0, given.lines];
  state.level = clamp(Math.round(Number(given.level)) || 0, 0, (app.about.levels ?? 1) - 1);
  state.margin = clamp(Math.round(Number(given.margin)) || 0, 0, 20);
  $("level").max = (app.about.levels ?? 1) - 1;
  app.camera.box = inhabited(ground) ?? app.camera.whole;
  const view = (given.view ?? "").split(",").map(Number);
  resize();
  fit();
  if (view.length === 3 && view.every(Number.isFinite) && view[2] > 0) {
    app.camera.zoomAt(view[2] / app.camera.zoom, [0, 0], app.panes[0].size);
    Object.assign(app.camera, { x: view[0], y: view[1], fitted: false });
  }
  tellControls();
  setActive("a");
  if (given.three) await openScene(app, given.three);
  // Not waited for: counting exposure takes its time.
  const usual = app.about.players ? "play" : "sight";
  choose(given.layer in LAYERS ? given.layer : usual) ?? choose("sight");
}

async function poll() {
  try {
    const { head } = await ask("about");
    head.panes.forEach((about, k) => {
      if (about.generation !== app.panes[k].ground.about.generation) reload();
    });
    const fault = head.panes.map((about) => about.fault).find(Boolean);
    if (fault) app.say(app.about.unbaked ? fault : `${fault}. What you see is the bundle before it.`);
    else if (app.faulty) app.say("");
    app.faulty = Boolean(fault);
  } catch (error) {
    app.say(error.message);
    app.faulty = true;
  }
  setTimeout(poll, POLL);
}

async function main() {
  const { head } = await ask("about");
  app.about = head.panes[0];
  app.palette = head.palette;
  const [one, other = one] = head.panes.map((about) => `${about.heightmap ?? [about.width, about.height]} ${about.side} ${about.cells}`);
  if (one !== other) throw new Error("These bundles are no longer of the same world: start viewcell view again.");
  const World = { terrain: Terrain, cells: Level, solid: Solid }[app.about.kind];
  const grounds = head.panes.map((about, k) => new World(k, about));
  await Promise.all(grounds.map((ground) => ground.load()));
  const { width, height, stretch } = grounds[0];
  app.camera = new Camera(width, height, stretch);
  app.panes = grounds.map((ground, k) => new Pane(k, ground, app.palette, app.camera));
  $("panes").replaceChildren(...app.panes.map((pane) => pane.box));
  app.watch = watch;
  app.resize = resize;
  document.body.classList.toggle("compares", app.panes.length > 1);
  const only = [app.about.kind, app.about.unbaked ? "unbaked" : "baked"];
  if (app.about.players) only.push("players");
  if (app.about.digs) only.push("digs");
  if (app.about.levels > 1) only.push("levels");
  for (const part of document.querySelectorAll("[data-only]")) {
    part.hidden = !only.includes(part.dataset.only);
    part.toggleAttribute("data-other", part.hidden);
  }
  $("subject").textContent = grounds.map((ground) => ground.title()).join(" · ");
  document.title = `${head.panes.map((about) => about.name).join(" and ")} – viewcell`;
  app.panes.forEach(watch);
  $("layers").addEventListener("change", (event) => choose(event.target.value));
  $("level").addEventListener("input", (event) => ((state.level = Number(event.target.value)), tellControls(), show()));
  $("margin").addEventListener("input", (event) => ((state.margin = Number(event.target.value)), tellControls(), show()));
  if (app.about.kind === "cells") listenToCuts(app);
  if (app.about.kind === "solid") {
    listenToFloors(app);
    $("reach").addEventListener("input", () => (tellReach(app), show()));
  }
  listenToPlay(app);
  listenToScene(app);
  if (app.about.digs) listenToDigs(app);
  if (app.about.unbaked) listenToBake(app);
  $("swap").addEventListener("click", () => KEYS.b());
  $("again").addEventListener("click", () => choose("walk"));
  $("fit").addEventListener("click", fit);
  $("copy").addEventListener("click", () => copy(app));
  $("save").addEventListener("click", () => save(app));
  $("help").addEventListener("click", () => $("keys").showModal());
  addEventListener("keydown", onKey);
  addEventListener("hashchange", () => begin());
  new ResizeObserver(resize).observe($("panes"));
  await begin();
  const notice = sessionStorage.getItem("notice");
  if (notice) flash(app, notice);
  sessionStorage.removeItem("notice");
  document.documentElement.dataset.ready = "yes";
  setTimeout(poll, POLL);
}

main().catch((error) => {
  $("subject").textContent = "Nothing to see";
  app.say(error.message);
  throw error;
});
