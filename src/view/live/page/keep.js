// What one sees, to keep: a link, or a picture.

import { hasPlayers, legendOf } from "./layers.js";
import * as link from "./link.js";
import { along, css } from "./paint.js";
import { element } from "./words.js";

/** The state as a link has it. */
export function linked(app) {
  const { state } = app;
  const { ground } = app.panes[0];
  const { layer, place, level, margin, a, b } = state;
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

/** Height of the title and of a line of the legend in a picture. [Unit: CSS pixels] */
const LINE = 30;

/** Saves what is shown, views side by side, with a title above and a legend below. */
export function save(app) {
  picture(app).toBlob((blob) => {
    const url = URL.createObjectURL(blob);
    const name = app.panes[0].ground.about.name.replace(/\.vcb$/, "");
    element("a", { href: url, download: `${name}-${app.state.layer}.png` }).click();
    setTimeout(() => URL.revokeObjectURL(url), 10000);
  });
}

/** That picture. */
export function picture(app) {
  const copies = [...app.panes, ...(app.scene ? [app.scene] : [])].map((view) => view.snapshot());
  const density = window.devicePixelRatio || 1;
  const line = LINE * density;
  const keys = legendOf(app);
  const whole = element("canvas", {
    width: copies.reduce((sum, copy) => sum + copy.width, 8 * (copies.length - 1)),
    height: Math.max(...copies.map((copy) => copy.height)) + 2 * line,
  });
  const context = whole.getContext("2d");
  context.fillStyle = "#14171f";
  context.fillRect(0, 0, whole.width, whole.height);
  let left = 0;
  for (const copy of copies) {
    context.drawImage(copy, left, line);
    left += copy.width + 8;
  }
  context.scale(density, density);
  context.textBaseline = "middle";
  context.fillStyle = "white";
  const layer = document.querySelector("input[name=layer]:checked + span").textContent;
  const place = app.state.place && !hasPlayers(app.state) ? ` · ${app.panes[0].ground.words(app.state.place)}` : "";
  context.font = "600 14px system-ui, sans-serif";
  context.fillText(`${app.panes[0].ground.title()} · ${layer}${place}`, 12, LINE / 2);
  context.font = "13px system-ui, sans-serif";
  const y = whole.height / density - LINE / 2;
  let x = 12;
  for (const { colour, ramp, text, ticks } of keys) {
    if (ramp) {
      const shades = context.createLinearGradient(x, 0, x + 200, 0);
      for (let k = 0; k <= 8; k += 1) shades.addColorStop(k / 8, css(along(ramp, k / 8)));
      context.fillStyle = shades;
      context.fillRect(x, y - 11, 200, 8);
      context.fillStyle = "white";
      ticks.forEach((tick, k) => {
        const part = k / Math.max(ticks.length - 1, 1);
        context.fillText(tick, x + part * (200 - context.measureText(tick).width), y + 6);
      });
      x += 210;
    } else {
      context.fillStyle = css(colour);
      context.fillRect(x, y - 7, 14, 14);
      x += 20;
    }
    context.fillStyle = "white";
    context.fillText(text, x, y);
    x += context.measureText(text).width + 20;
  }
  return whole;
}
