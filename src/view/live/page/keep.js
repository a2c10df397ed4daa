// What one sees, to keep: a link, or a picture.

import { hasPlayers } from "./layers.js";
import * as link from "./link.js";
import { element } from "./words.js";

/** The state as a link has it. */
export function linked(app) {
  const { state } = app;
  const { ground } = app.panes[0];
  const { layer, place, level, margin, a, b, construction } = state;
  const { x, y, zoom, fitted } = app.camera;
  const players = hasPlayers(state);
  return {
    layer,
    at: !players && layer !== "play" && place ? ground.link(place) : undefined,
    level: layer === "sight" && level ? level : undefined,
    a: players ? ground.link(a) : undefined,
    b: players ? ground.link(b) : undefined,
    reach: layer === "frontier" && state.reach ? state.reach : undefined,
    margin: layer === "frontier" && margin ? margin : undefined,
    construction: layer === "frontier" || layer === "play" ? construction : undefined,
    t: layer === "play" && state.time ? state.time : undefined,
    pair: layer === "play" && state.pair ? state.pair.join() : undefined,
    lines: layer === "play" && state.lines ? state.lines : undefined,
    three: app.scene?.mode,
    view: fitted ? undefined : [x, y, zoom].map((n) => n.toFixed(2)).join(),
    ...ground.linked?.(),
  };
}

/** Puts a link to what one sees into the clipboard. */
export async function copy(app) {
  const address = link.address(linked(app));
  try {
    await navigator.clipboard.writeText(address);
    flash(app, "Link copied.");
  } catch {
    history.replaceState(null, "", address);
    flash(app, "The link is in the address bar.");
  }
}

/** Says something for a moment. */
export function flash(app, text) {
  app.say(text);
  setTimeout(() => app.said === text && app.say(""), 2500);
}

/** Saves what is shown, panes side by side. */
export function save(app) {
  const copies = [...app.panes, ...(app.scene ? [app.scene] : [])].map((view) => view.snapshot());
  const whole = element("canvas", {
    width: copies.reduce((sum, copy) => sum + copy.width, 8 * (copies.length - 1)),
    height: Math.max(...copies.map((copy) => copy.height)),
  });
  const context = whole.getContext("2d");
  let x = 0;
  for (const copy of copies) {
    context.drawImage(copy, x, 0);
    x += copy.width + 8;
  }
  whole.toBlob((blob) => {
    const url = URL.createObjectURL(blob);
    const name = app.panes[0].ground.about.name.replace(/\.vcb$/, "");
    element("a", { href: url, download: `${name}-${app.state.layer}.png` }).click();
    setTimeout(() => URL.revokeObjectURL(url), 10000);
  });
}
