// A terrain on the page: one pixel a sample, or a view cell of several. Places are named by samples of the heightmap:
// a cell by the one in its middle.

import { ask } from "./api.js";

/** The longest side of a canvas that browsers draw. */
const LONGEST = 16384;

export class Terrain {
  constructor(pane, about) {
    Object.assign(this, { pane, about, width: about.width, height: about.height });
    this.stretch = about.spacing[1] / about.spacing[0];
    this.scale = about.spacing[0]; // metres a pixel
    this.unit = "m";
    this.blocks = Math.ceil(about.width / 8);
  }

  /** Fetches the ground. */
  async load() {
    if (Math.max(this.width, this.height) > LONGEST) {
      throw new Error(`This terrain is too large to draw: expected at most ${LONGEST} view cells a side.`);
    }
    const { buffer, start } = await ask(`${this.pane}/ground`);
    const count = this.width * this.height;
    this.heights = new Float32Array(buffer, start, count);
    this.light = new Uint8Array(buffer, start + 4 * count, count);
  }

  /** Heights, and metres between them. */
  get relief() {
    return { heights: this.heights, spacing: this.about.spacing };
  }

  /** The place at a point of the ground; none outside and at voids. */
  placeAt([x, y]) {
    const place = [Math.floor(x), Math.floor(y)];
    return this.has(place) ? place : undefined;
  }

  has([column, row]) {
    const inside = column >= 0 && row >= 0 && column < this.width && row < this.height;
    return inside && this.light[row * this.width + column] > 0;
  }

  /** The middle of a place, on the ground. */
  middle([column, row]) {
    return [column + 0.5, row + 0.5];
  }

  /** How the server knows a place. */
  name(place) {
    const { side, heightmap } = this.about;
    return place.map((at, k) => Math.floor((at * side + Math.min((at + 1) * side, heightmap[k]) - 1) / 2)).join();
  }

  /** The same for people. */
  words(place) {
    const { side } = this.about;
    const cell = side > 1 ? ` and its cell of ${side} × ${side} samples` : "";
    return `${this.name(place)}${cell} · ${this.heights[this.index(place)].toFixed(1)} m`;
  }

  /** How a link has it. */
  link(place) {
    return this.name(place);
  }

  /** What the bundle is, in a line. */
  title() {
    const { name, heightmap, side, mode, unbaked } = this.about;
    const cells = side > 1 ? ` in cells of ${side} × ${side}` : "";
    return `${name}: ${heightmap.join(" × ")} samples${cells}, ${unbaked ? "not baked" : mode}`;
  }

  /** The place of a link. */
  parse(text) {
    const numbers = (text ?? "").split(",").map(Number);
    const { side, heightmap } = this.about;
    const isSample = (at, k) => Number.isInteger(at) && at >= 0 && at < heightmap[k];
    if (numbers.length !== 2 || !numbers.every(isSample)) return undefined;
    const place = numbers.map((at) => Math.floor(at / side));
    return this.has(place) ? place : undefined;
  }

  /** One step from a place; itself where the way ends. */
  step(place, dx, dy) {
    const next = [place[0] + dx, place[1] + dy];
    return this.has(next) ? next : place;
  }

  /** A point in metres from the first sample of the heightmap as one of the ground. */
  point(metres) {
    const { spacing, side } = this.about;
    return metres.map((at, k) => at / spacing[k] + 0.5 / side);
  }

  /** How the server knows the place of a number. */
  named(number) {
    return this.name([number % this.width, Math.floor(number / this.width)]);
  }

  /** Whether a block bitmap has the place of a number. */
  holds(bits, number) {
    const [column, row] = [number % this.width, Math.floor(number / this.width)];
    const byte = ((row >> 3) * this.blocks + (column >> 3)) * 8 + (row & 7);
    return ((bits[byte] >> (column & 7)) & 1) === 1;
  }

  /** The number of a place among all, for arrays of numbers. */
  index([column, row]) {
    return row * this.width + column;
  }

  /** Adds `value` to the classes of the samples of a block bitmap. */
  spread(bits, classes, value = 1) {
    const { width, height, blocks } = this;
    for (let row = 0, out = 0; row < height; row += 1) {
      let byte = (row >> 3) * blocks * 8 + (row & 7);
      for (let left = width; left > 0; left -= 8, byte += 8) {
        const eight = bits[byte];
        const run = left < 8 ? left : 8;
        if (eight === 0) {
          out += run;
          continue;
        }
        for (let bit = 0; bit < run; bit += 1, out += 1) {
          if ((eight >> bit) & 1) classes[out] += value;
        }
      }
    }
  }

  /** Bytes of a set of places. */
  get setBytes() {
    return this.blocks * Math.ceil(this.height / 8) * 8;
  }

  /** A class for each pixel out of one for each place: they are the same. */
  perPixel(numbers) {
    return numbers;
  }

  /** Where the north is up. */
  get north() {
    const t = this.about.transform;
    return Boolean(this.about.crs && t && t[2] === 0 && t[4] === 0 && t[5] < 0);
  }
}
