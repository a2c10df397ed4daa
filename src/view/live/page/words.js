// Numbers as people write them, and readings.

const counts = new Intl.NumberFormat("en");

export const count = (n) => counts.format(n);

export function percent(part, whole) {
  const share = whole ? (100 * part) / whole : 0;
  return `${share.toFixed(share < 10 ? 2 : 1)}\u00a0%`;
}

export function duration(micros) {
  if (micros < 1000) return `${micros < 10 ? micros.toFixed(1) : Math.round(micros)}\u00a0µs`;
  if (micros < 1e6) return `${(micros / 1000).toFixed(micros < 1e4 ? 2 : 1)}\u00a0ms`;
  return `${(micros / 1e6).toFixed(1)}\u00a0s`;
}

/** Seconds as people say them. */
export function time(seconds) {
  const [unit, name] = [[86400, "days"], [3600, "h"], [60, "min"]].find(([unit]) => seconds >= 2 * unit) ?? [1, "s"];
  return `${count(Math.max(1, Math.round(seconds / unit)))}\u00a0${name}`;
}

/** Bytes as people say them. */
export function size(bytes) {
  const [unit, name] = [[1e9, "GB"], [1e6, "MB"]].find(([unit]) => bytes >= unit) ?? [1e3, "KB"];
  const some = bytes / unit;
  return `${some < 10 ? some.toFixed(1) : count(Math.round(some))}\u00a0${name}`;
}

/** The least number of 1, 2 or 5 times a power of ten that is at least `least`. */
export function round(least) {
  const power = 10 ** Math.floor(Math.log10(least));
  return [1, 2, 5, 10].map((n) => n * power).find((n) => n >= least * 0.999999);
}

export function length(value, unit) {
  return unit === "m" && value >= 1000 ? `${count(value / 1000)}\u00a0km` : `${count(value)}\u00a0${unit}`;
}

/** The element of a name. */
export const $ = (id) => document.getElementById(id);

/** An element with text and children. */
export function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

/**
 * Shows readings: a column of values for each pane.
 * @param {Array<[string, ...string]>} rows name, then a value for each pane or one for all
 * @param {string[]} heads names of the panes where there are several
 */
export function readings(rows, heads) {
  const table = element("table");
  if (heads.length > 1) {
    const cells = heads.map((head) => element("th", { scope: "col" }, head));
    table.append(element("thead", {}, element("tr", {}, element("td"), ...cells)));
  }
  const body = element("tbody");
  for (const [name, ...values] of rows) {
    // One value stands for all.
    const span = values.length < heads.length ? { colspan: heads.length } : {};
    const cells = values.map((value) => element("td", span, value));
    body.append(element("tr", {}, element("th", { scope: "row" }, name), ...cells));
  }
  table.append(body);
  return table;
}

/** A legend: a swatch and a word each, or a ramp with numbers at even distances. */
export function legend(entries, css, along) {
  return entries.map(({ colour, ramp, text, ticks }) => {
    if (!ramp) {
      const swatch = element("i", { class: "swatch" });
      swatch.style.background = css(colour);
      return element("p", {}, swatch, text);
    }
    const bar = element("i", { class: "ramp" });
    const stops = [0, 0.25, 0.5, 0.75, 1].map((part) => css(along(ramp, part)));
    bar.style.backgroundImage = `linear-gradient(90deg, ${stops.join(", ")})`;
    const numbers = element("span", { class: "ticks" }, ...ticks.map((tick) => element("small", {}, tick)));
    return element("p", { class: "scale" }, element("span", {}, text), bar, numbers);
  });
}
