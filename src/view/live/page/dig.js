// Ground that is dug in: a click makes a crater or a hill, and all that is shown follows.

import { Refused, ask } from "./api.js";
import { $, length } from "./words.js";

/** ms between questions what has become of the ground: while something waits, and else. */
const [SOON, LATER] = [150, 1000];

/** The radius and the depth of the controls, in metres. */
const sizes = ({ about }) => {
  const metres = Math.min(...about.spacing);
  return { radius: $("radius").value * metres, depth: ($("depth").value * metres) / 4 };
};

function tell(app) {
  const { radius, depth } = sizes(app);
  const rounded = (metres) => length(Number(metres.toPrecision(3)), "m");
  [$("wide").textContent, $("deep").textContent] = [rounded(radius), rounded(depth)];
}

/** Changes the ground around a place. */
export async function dig(app, place) {
  const at = app.panes[0].ground.name(place);
  try {
    await ask("0/dig", { at, do: $("effect").value, ...sizes(app) }, "POST");
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    app.say(error.message);
  }
  await follow(app);
}

/** Looks what has become of the ground, and shows it. */
async function follow(app) {
  const { head } = await ask("0/live");
  const before = app.live;
  app.live = head;
  if (head.error) app.say(head.error);
  if (before.version === head.version && before.decided === head.decided) return;
  const [pane] = app.panes;
  if (before.version !== head.version) {
    await pane.ground.load();
    app.scene?.reload();
  }
  pane.waits = head.areas.map(([from, to]) => ({ kind: "frame", from, to, colour: app.palette.mark }));
  if (head.version === head.decided) app.exposures = undefined;
  app.checked = [];
  await app.show();
}

/** Listens to the controls, and goes on asking. */
export function listenToDigs(app) {
  app.live = { version: 0, decided: 0 };
  const walk = document.querySelector("input[name=layer][value=walk]");
  walk.closest("label").hidden = true;
  for (const name of ["radius", "depth"]) $(name).addEventListener("input", () => tell(app));
  tell(app);
  const poll = async () => {
    try {
      await follow(app);
    } catch (error) {
      if (!(error instanceof Refused)) throw error; // the page's own questions say so
    }
    setTimeout(poll, app.live.version === app.live.decided ? LATER : SOON);
  };
  setTimeout(poll, SOON);
}
