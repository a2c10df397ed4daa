// What can be shown: each layer asks the server, paints the answers, and tells what they say.
//
// Sets come as bits, counts as numbers; who sees whom is never decided here.

import { positions } from "./floor.js";
import { bits, halvesLegend, paintSet } from "./halves.js";
import { along, css, steps } from "./paint.js";
import { DIM } from "./pane.js";
import { players } from "./play.js";
import { listPlaces, scaleOf } from "./places.js";
import { count, legend, percent } from "./words.js";

const NONE = 0xffffffff;

/** The numbers behind an answer's head. */
const numbers = (answer) => new Uint32Array(answer.buffer, answer.start);

/** Whether there are players in what is shown. */
export const hasPlayers = ({ layer }) => layer === "frontier" || layer === "walk";

/** Marks of both players, and the straight line between them. */
function playerMarks(app, pane, sees) {
  const { a, b, active } = app.state;
  const [from, to] = [a, b].map((place) => pane.ground.middle(place));
  const { palette } = app;
  const colour = sees ? palette.mark : [70, 70, 70];
  return [
    { kind: "line", from, to, colour, dashed: !sees },
    { kind: "player", at: from, colour: palette.a, name: "A", active: active === "a" },
    { kind: "player", at: to, colour: palette.b, name: "B", active: active === "b" },
  ];
}

const paintHalves = (app, pane, answer) =>
  paintSet(app, pane, answer, playerMarks(app, pane, answer.head.visible));

const whole = (pane) => pane.ground.about.samples ?? pane.ground.about.cells;
const share = (pane, size) => {
  const noun = pane.ground.about.side > 1 ? ` cell${size === 1 ? "" : "s"}` : "";
  return `${count(size)}${noun}  (${percent(size, whole(pane))})`;
};

/** Everything that may be seen from a place. */
const sight = {
  hint: "Hover to see what is visible from there; click or tap to keep the place.",

  async show(app) {
    const { state, panes } = app;
    if (!state.place) return plain.show(app);
    const level = app.about.kind === "terrain" ? state.level : undefined;
    const answers = await app.askAll("pvs", (pane) => ({ at: pane.ground.name(state.place), level }));
    panes.forEach((pane, k) => {
      pane.classes.fill(0);
      const { setBytes } = pane.ground;
      pane.ground.spread(bits(answers[k], 0, setBytes), pane.classes);
      // What counts as visible until that is decided.
      if (answers[k].head.waits) pane.ground.spread(bits(answers[k], setBytes, setBytes), pane.classes, 2);
    });
    const only = panes.length > 1 ? compare(panes) : [];
    const { hidden, visible, difference, mark } = app.palette;
    for (const pane of panes) {
      pane.paint(pane.table("sight", () => [hidden, visible, difference, mark]), placeMarks(pane, state, mark));
    }
    const column = (tell) => panes.map((pane, k) => tell(answers[k].head, pane, k));
    app.took = answers[0].head.micros;
    return [
      app.placeRow(state.place),
      ...(answers[0].head.bounds ? [["Positions", positions(answers[0].head.bounds, app.about.unit)]] : []),
      ["Visible", ...column((head, pane) => share(pane, head.seen))],
      ["Hidden", ...column((head, pane) => share(pane, whole(pane) - head.seen))],
      ...(panes.length > 1 ? [["Only here", ...column((_, pane, k) => count(only[k]))]] : []),
      ...(app.about.digs ? [["Being decided", ...column((head, pane) => share(pane, head.waits))]] : []),
    ];
  },

  legend: ({ about, palette, panes }) => [
    { colour: palette.visible, text: "visible" },
    { colour: palette.hidden, text: "hidden" },
    ...(about.digs ? [{ colour: palette.mark, text: "visible until that is decided" }] : []),
    ...(panes.length > 1 ? [{ colour: palette.difference, text: "visible in this bundle alone" }] : []),
  ],
};

/** Gives what one pane alone has class 2; tells how many places that is, for each. */
function compare([one, two]) {
  const only = [0, 0];
  for (let i = 0; i < one.classes.length; i += 1) {
    if (one.classes[i] === two.classes[i]) continue;
    const which = one.classes[i] ? 0 : 1;
    [one, two][which].classes[i] = 2;
    only[which] += 1;
  }
  return only;
}

function placeMarks(pane, { place, level }, colour) {
  if (pane.ground.about.kind !== "terrain" || level === 0) {
    return [{ kind: "ring", at: pane.ground.middle(place), colour }];
  }
  const side = 2 ** level;
  const from = place.map((at) => Math.floor(at / side) * side);
  return [{ kind: "frame", from, to: from.map((at) => at + side), colour }];
}

/** Two regions that cannot see each other, grown anew for every move. */
const frontier = {
  hint: "Drag A and B. While each stays in their own colour, neither can see the other.",

  async show(app) {
    const { a, b, margin, reach } = app.state;
    const asked = { terrain: { margin }, cells: {}, solid: { reach } }[app.about.kind];
    const answers = await app.askAll("frontier", ({ ground }) => ({
      a: ground.name(a),
      b: ground.name(b),
      ...asked,
    }));
    app.panes.forEach((pane, k) => paintHalves(app, pane, answers[k]));
    const column = (tell) => app.panes.map((pane, k) => tell(answers[k].head, pane));
    app.took = answers[0].head.micros;
    const checked = column((head, pane) => (head.visible ? "–" : app.checked[pane.index] ?? "…"));
    return [
      ["Frontier set", ...column((head) => (head.visible ? "none: they see each other" : "yes"))],
      ...(reach ? [["On their ways", ...column((head) => (head.within ? "may see each other" : "hidden"))]] : []),
      ["A’s half", ...column((head, pane) => share(pane, head.sizes[0]))],
      ["B’s half", ...column((head, pane) => share(pane, head.sizes[1]))],
      ["Checked", ...checked],
    ];
  },

  legend: halvesLegend,
};

/** Looks from every member of a set; fills in what was found. */
export async function check(app) {
  const { a, b } = app.state;
  const query = ({ ground }) => ({
    a: ground.name(a),
    b: ground.name(b),
  });
  const answers = await app.askAll("check", query);
  return answers.map(({ head }) => {
    return head.holds ? `valid, looked from ${count(head.looked)}` : `NOT valid: ${head.sees.join(" sees ")}`;
  });
}

/** Two players who agree on a set, and on another when one leaves their half. */
const walk = {
  hint: "Walk with the arrow keys, or drag. A set lasts until somebody leaves their half of it.",

  async show(app, step = app.state) {
    const { panes } = app;
    const { a, b } = step;
    // Who has not moved is not named.
    const to = ({ ground }) => ({
      a: app.walked?.a === a ? undefined : ground.name(a),
      b: app.walked?.b === b ? undefined : ground.name(b),
    });
    const path = (pane) => (app.walks ? `walk/${app.walks[pane.index]}` : "walk");
    const moved = await app.askAll(path, to, "POST");
    app.walks ??= moved.map(({ head }) => head.walk);
    app.walked = { a, b };
    panes.forEach((pane, k) => paintHalves(app, pane, moved[k]));
    const column = (tell) => panes.map((pane, k) => tell(moved[k].head, pane));
    const now = (head) => {
      if (head.age !== null) return `silent for ${count(head.age)} steps`;
      return head.visible ? "they see each other" : "waiting: the last set was left too soon";
    };
    return [
      ["Now", ...column(now)],
      ["Steps", ...column((head) => count(head.ticks - 1))],
      ["Sets agreed on", ...column((head) => count(head.sets))],
      ["Renegotiations", ...column((head) => count(Math.max(0, head.sets - 1)))],
      ["Positions told", ...column((head) => count(head.told))],
      ["A’s half", ...column((head, pane) => share(pane, head.sizes[0]))],
      ["B’s half", ...column((head, pane) => share(pane, head.sizes[1]))],
    ];
  },

  legend: halvesLegend,
};

/** How many see each place. */
const exposure = {
  hint: "What share of the map sees each place: light ones are exposed, dark ones sheltered.",

  async show(app) {
    const { state, panes, palette } = app;
    if (!app.exposures) {
      await plain.show(app); // while it is counted
      app.exposures = await countAll(app);
    }
    if (!app.exposures) return [];
    const scale = scaleOf(app.exposures.map(numbers));
    panes.forEach((pane, k) => {
      const kinds = Uint8Array.from(numbers(app.exposures[k]), (n) => 255 * Math.min(Math.max(scale.part(n), 0), 1));
      pane.classes = pane.ground.perPixel(kinds, pane.classes);
      const marks = state.place ? [{ kind: "ring", at: pane.ground.middle(state.place), colour: palette.mark }] : [];
      pane.paint(pane.table("exposure", () => steps(palette.numbers, 256), palette.numberLight), marks);
    });
    app.scale = scale.ticks(whole(panes[0]));
    listPlaces(app, numbers(app.exposures[0]), (n) => percent(n, whole(panes[0])));
    const seen = (pane, k) => {
      const n = numbers(app.exposures[k])[pane.ground.index(state.place)];
      return share(pane, n);
    };
    return [
      ...(state.place ? [app.placeRow(state.place), ["Seen from", ...panes.map(seen)]] : []),
      ["Most exposed", ...panes.map((pane, k) => share(pane, app.exposures[k].head.most))],
    ];
  },

  legend: ({ palette, scale }) => (scale ? [{ ramp: palette.numbers, text: "share of the map that sees it", ticks: scale }] : []),
};

/** Waits until the server has counted, or until something else is to be shown. */
async function countAll(app) {
  while (app.state.layer === "exposure") {
    const answers = await app.askAll("exposure", () => ({}));
    if (answers.every(({ head }) => "most" in head)) {
      app.say("");
      return answers;
    }
    const part = Math.min(...answers.map(({ head }) => head.part ?? 1));
    app.say(`Counting who sees each place: ${Math.round(100 * part)} %`);
    await new Promise((done) => setTimeout(done, 200));
  }
  return undefined;
}

/** How many visible steps lead from a cell to each cell. */
const distances = {
  hint: "Hover to see how many visible steps away each cell is: 1 is visible, 2 is visible from there.",

  async show(app) {
    const { state, panes, palette } = app;
    if (!state.place) return plain.show(app);
    const answers = await app.askAll("distances", (pane) => ({ at: pane.ground.name(state.place) }));
    const greatest = Math.max(...answers.map(({ head }) => head.greatest));
    app.steps = greatest;
    panes.forEach((pane, k) => {
      const far = Uint8Array.from(numbers(answers[k]), (n) => (n === NONE ? greatest + 1 : n));
      pane.classes = pane.ground.perPixel(far, pane.classes);
      const colours = () => [...steps([...palette.numbers].reverse(), greatest + 1), palette.nothing];
      const marks = [{ kind: "ring", at: pane.ground.middle(state.place), colour: palette.mark }];
      pane.paint(pane.table("distances", colours, palette.numberLight), marks);
    });
    const at = (k, n) => numbers(answers[k]).filter((d) => d === n).length;
    const rows = Array.from({ length: greatest + 1 }, (_, n) => [
      n === 0 ? "Itself" : `${n} step${n > 1 ? "s" : ""}`,
      ...panes.map((_, k) => count(at(k, n))),
    ]);
    return [app.placeRow(state.place), ...rows.slice(1), ["No way", ...panes.map((_, k) => count(at(k, NONE)))]];
  },

  legend: ({ palette, steps: most }) => [
    { ramp: [...palette.numbers].reverse(), text: "visible steps", ticks: most ? ["0", String(most)] : [] },
    { colour: palette.nothing, text: "no chain of steps leads there" },
  ],
};

/** The ground alone. */
const plain = {
  hint: "The ground alone, in the light of the north-west.",

  async show(app) {
    for (const pane of app.panes) {
      pane.classes.fill(0);
      const marks = app.state.place
        ? [{ kind: "ring", at: pane.ground.middle(app.state.place), colour: app.palette.mark }]
        : [];
      pane.paint(pane.table("plain", () => [app.palette.neutral]), marks);
    }
    return app.state.place ? [app.placeRow(app.state.place)] : [];
  },

  legend: () => [],
};

export const LAYERS = { sight, frontier, walk, exposure, steps: distances, play: players, plain };

/** What the colours of the layer that is shown mean. */
export function legendOf(app, layer = app.state.layer) {
  const isOnFloors = app.panes[0].ground.floors?.length > 1 && app.about.kind === "solid";
  const others = isOnFloors ? [{ colour: app.palette.nothing.map((c) => c * DIM), text: "on other floors" }] : [];
  return [...LAYERS[layer].legend(app), ...others];
}

export const showLegend = (app, layer) => legend(legendOf(app, layer), css, along);
