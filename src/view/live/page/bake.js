// A world that is not baked: what to check of its file, and a bake that the page begins, follows and stops.

import { Refused, ask } from "./api.js";
import { $, element, readings, size, time } from "./words.js";

/** ms between questions how far the bake is. */
const SOON = 300;

const STAGES = {
  prepare: "Preparing",
  resume: "Taking over what was done before",
  visibility: "Finding who sees whom",
  compress: "Compressing",
  finish: "Writing",
};

/** Tells what the file is, and listens to the buttons. */
export function listenToBake(app) {
  const { facts, notes } = app.about.unbaked;
  $("facts").replaceChildren(readings(facts, [""]));
  $("notes").replaceChildren(...notes.map((note) => element("li", {}, note)));
  $("bake").addEventListener("click", () => request(app, "0/bake", { quality: $("quality").value }));
  $("stop").addEventListener("click", () => request(app, "0/stop"));
  follow(app);
  foresee();
}

/** Asks what each quality takes, one after another, and says so where one is chosen. */
async function foresee() {
  for (const option of $("quality").options) {
    try {
      const { head } = await ask("0/forecast", { quality: option.value });
      option.textContent = `${option.value}: ${time(head.seconds)}, ${size(head.bytes)}`;
    } catch (error) {
      // What cannot be foreseen is told by the bake; or there is a bundle by now.
      if (!(error instanceof Refused)) throw error;
    }
  }
  $("quality").dataset.foreseen = "yes";
}

async function request(app, path, query) {
  try {
    await ask(path, query, "POST");
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    app.say(error.message);
  }
  follow(app);
}

/** Asks how far the bake is, while one goes on; and goes on with the bundle once it is there. */
async function follow(app) {
  clearTimeout(app.following);
  let head;
  try {
    ({ head } = await ask("0/bake"));
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    return app.say(error.message);
  }
  clearTimeout(app.following);
  tell(app, head);
  if (head.bake === "running") app.following = setTimeout(() => follow(app), SOON);
  if (head.bake === "done") app.reload(`Baked: this is ${app.about.unbaked.output}.`);
}

function tell(app, head) {
  const runs = head.bake === "running";
  $("bake").disabled = $("quality").disabled = runs;
  $("stop").hidden = $("done").hidden = !runs;
  $("stop").disabled = Boolean(head.stopping);
  if (head.quality) $("quality").value = head.quality;
  $("bake").textContent = head.bake === "stopped" ? "Go on" : "Bake";
  if (runs) $("done").value = head.part;
  const { output } = app.about.unbaked;
  $("stage").textContent = {
    none: `Into ${output}.`,
    running: head.stopping
      ? "Stopping…"
      : `${STAGES[head.stage] ?? head.stage}: ${Math.floor(100 * head.part)} %, ${Math.round(head.seconds)} s so far`,
    stopped: "Stopped. What is done is kept; another quality begins anew.",
    failed: head.error,
    done: "Done.",
  }[head.bake];
}
