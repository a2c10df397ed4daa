// Floors of a solid level: all side by side, or one.

import { $, count, element, length } from "./words.js";

/** Shows the floor that is chosen, from now on. */
export function listenToFloors(app) {
  const { floors } = app.panes[0].ground;
  const options = floors.map(([low, high], k) => {
    const heights = [low, high].map(Math.round).join(" to ");
    return element("option", { value: k }, `floor ${k + 1}: ground at ${heights}`);
  });
  $("floor").append(...options);
  $("floor").closest(".control").hidden = floors.length < 2;
  $("floor").addEventListener("change", ({ target }) => {
    chooseFloor(app, target.value === "" ? undefined : Number(target.value));
    app.show();
  });
}

/** Lays out a floor, or all; places stay where they are in the level. */
export function chooseFloor(app, floor) {
  const { state, panes, camera } = app;
  const { ground } = panes[0];
  const places = ["place", "a", "b"].filter((who) => state[who]);
  const local = places.map((who) => ground.local(state[who]));
  const known = ground.floors[floor] ? floor : undefined;
  for (const pane of panes) {
    pane.ground.lay(known);
    pane.measure();
  }
  places.forEach((who, k) => (state[who] = ground.placed(local[k])));
  camera.measure(ground.width, ground.height);
  camera.box = app.inhabited(ground) ?? camera.whole;
  camera.fit(panes[0].size);
  $("floor").value = known ?? "";
}

/** The positions of a view cell, for people. */
export function positions([low, high], unit) {
  return `${low.map((from, axis) => `${count(from)} to ${count(high[axis])}`).join(", ")} ${unit}`;
}

/** Tells how far players come, by the slider: steps of a smallest cell's side. */
export function tellReach(app) {
  const reach = $("reach").value * app.about.cell[0];
  app.state.reach = reach || undefined;
  $("far").textContent = reach ? length(reach, app.about.unit ?? "units") : "nowhere";
}
