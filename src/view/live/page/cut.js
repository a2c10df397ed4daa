// Cuts through a level of cells: what lies above is taken off.

import { newest } from "./api.js";
import { $ } from "./words.js";

/** Heights that the slider knows. */
const CUTS = 48;

/** Cuts the level where the slider says, from now on. */
export function listenToCuts(app) {
  const cutNow = newest(async ({ at }) => {
    await cut(app, at);
    await app.show();
  });
  $("cut").max = CUTS;
  $("cut").addEventListener("input", () => {
    const [low, high] = app.panes[0].ground.range;
    const down = $("cut").value / CUTS;
    // At the top nothing is cut: all floors are to be seen.
    cutNow({ at: down === 0 ? undefined : Math.round(high - down * (high - low)) });
  });
}

/** Fetches the plans cut at a height, unless they are; tells which it is. */
export async function cut(app, at) {
  if (at !== app.panes[0].ground.cut) {
    await Promise.all(app.panes.map(({ ground }) => ground.load(at)));
  }
  const [low, high] = app.panes[0].ground.range;
  $("cut").closest(".control").hidden = high <= low;
  $("cut").value = at === undefined ? 0 : Math.round(((high - at) / (high - low)) * CUTS);
  $("height").textContent = at === undefined ? "all floors" : `${at} units`;
}
