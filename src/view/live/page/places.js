// Counts of places: a scale that is fitted to them, and the places that most others see, and fewest.

import { $, element } from "./words.js";

/** How many places of each kind are listed. */
const LISTED = 4;
/** How far they are apart, as a share of the map. */
const APART = 0.08;

/** A linear scale from the 2nd to the 98th percentile of counts; those of 0 are of nothing. */
export function scaleOf(lists) {
  const sorted = Float64Array.from(lists.flatMap((list) => [...sampled(list)])).sort();
  const at = (part) => sorted[Math.round(part * (sorted.length - 1))] ?? 0;
  const [low, high] = [at(0.02), at(0.98)];
  return {
    part: (count) => (count - low) / Math.max(high - low, 1),
    ticks: (all) => [0, 1 / 3, 2 / 3, 1].map((part) => {
      const share = (100 * (low + part * (high - low))) / Math.max(all, 1);
      return `${share.toFixed(high >= all / 10 ? 0 : 2)}\u00a0%`;
    }),
  };
}

/** At most a hundred thousand of the counts above 0. */
function* sampled(list) {
  const step = Math.ceil(list.length / 100000);
  for (let i = 0; i < list.length; i += step) if (list[i] > 0) yield list[i];
}

/** Lists the most exposed and the best hidden places, to click on. */
export function listPlaces(app, counts, share) {
  const { ground } = app.panes[0];
  const { width, height } = ground;
  const places = { "Most exposed": -1, "Best hidden": 1 };
  const lists = Object.entries(places).map(([title, sign]) => {
    const found = [];
    const far = APART * Math.max(width, height);
    for (let k = 0; k < LISTED; k += 1) {
      let [best, least] = [undefined, Infinity];
      for (let i = 0; i < ground.light.length; i += 1) {
        if (ground.light[i] === 0) continue;
        const [x, y] = [i % width, Math.floor(i / width)];
        const number = ground.cells ? ground.cells[i] : i;
        const value = sign * counts[number];
        if (!(value < least) || counts[number] === 0) continue;
        if (found.every((at) => Math.hypot(at.x - x, at.y - y) >= far)) [best, least] = [{ x, y, count: counts[number] }, value];
      }
      if (best) found.push(best);
    }
    const items = found.map(({ x, y, count }) => {
      const place = ground.placeAt([x + 0.5, y + 0.5]);
      const button = element("button", { type: "button" }, `${ground.words(place).split(" · ")[0]}: ${share(count)}`);
      button.addEventListener("click", () => {
        app.state.pinned = true;
        app.camera.follow(ground.middle(place), app.panes[0].size);
        app.setPlace(place);
      });
      return element("li", {}, button);
    });
    return [element("h2", {}, title), element("ol", {}, ...items)];
  });
  // Those that are shown stay, so that nothing moves under the pointer.
  if (app.listed !== app.exposures) $("places").replaceChildren(...lists.flat());
  app.listed = app.exposures;
}
