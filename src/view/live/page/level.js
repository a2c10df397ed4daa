// A level of cells on the page: a plan from above, with a cell at each pixel.

import { ask } from "./api.js";
import { count } from "./words.js";

const NONE = 0xffffffff;
/** Pixels a step: a level is some hundred of them across. */
const STEP = 4;

export class Level {
  constructor(pane, about) {
    Object.assign(this, { pane, about });
    this.stretch = 1;
    this.unit = about.unit ?? "units";
  }

  /** Fetches the plan, cut at a height, or of all floors. */
  async load(cut) {
    const { head, buffer, start } = await ask(`${this.pane}/ground`, { cut });
    Object.assign(this, { width: head.width, height: head.height, range: head.heights, cut });
    this.corner = head.corner;
    this.scale = head.pixel || NaN;
    const count = this.width * this.height;
    this.cells = new Uint32Array(buffer, start, count);
    this.floors = new Float32Array(buffer, start + 4 * count, count);
    this.light = new Uint8Array(buffer, start + 8 * count, count);
  }

  /** A place is a pixel, and the cell that lies there. */
  at(x, y) {
    const inside = x >= 0 && y >= 0 && x < this.width && y < this.height;
    const cell = inside ? this.cells[y * this.width + x] : NONE;
    return cell === NONE ? undefined : [x, y, cell];
  }

  /** Heights of floors, and how far they are apart; none where nothing tells where cells lie. */
  get relief() {
    return Number.isNaN(this.scale) ? undefined : { heights: this.floors, spacing: [this.scale, this.scale] };
  }

  placeAt([x, y]) {
    return this.at(Math.floor(x), Math.floor(y));
  }

  middle([x, y]) {
    return [x + 0.5, y + 0.5];
  }

  name([, , cell]) {
    return String(cell);
  }

  words(place) {
    const floor = this.floors[place[1] * this.width + place[0]];
    return Number.isNaN(this.scale) ? `${place[2]}` : `${place[2]} · floor at ${Math.round(floor)}`;
  }

  /** Links name a pixel, to put players where they were. */
  link(place) {
    return place.join();
  }

  parse(text) {
    const [x, y, cell] = (text ?? "").split(",").map(Number);
    const place = Number.isInteger(x) && Number.isInteger(y) ? this.at(x, y) : undefined;
    // With another cut the cell may be there all the same.
    const known = Number.isInteger(cell) && cell >= 0 && cell < this.about.cells;
    return place && known ? [x, y, cell] : place;
  }

  title() {
    const { name, cells, unbaked } = this.about;
    return `${name}: ${count(cells)} cells${unbaked ? ", not baked" : ""}`;
  }

  step(place, dx, dy) {
    let next = place;
    for (let k = 0; k < STEP; k += 1) next = this.at(next[0] + dx, next[1] + dy) ?? next;
    return next;
  }

  /** A point in units of the level as one of the plan. */
  point([x, y]) {
    return [(x - this.corner[0]) / this.scale, (this.corner[1] - y) / this.scale];
  }

  /** How the server knows the cell of a number. */
  named(number) {
    return String(number);
  }

  /** Whether a set has the cell of a number. */
  holds(bits, cell) {
    return ((bits[cell >> 3] >> (cell & 7)) & 1) === 1;
  }

  index([, , cell]) {
    return cell;
  }

  get setBytes() {
    return Math.ceil(this.about.cells / 64) * 8;
  }

  /** Adds `value` to the classes of the pixels of a set of cells. */
  spread(bits, classes, value = 1) {
    const { cells } = this;
    for (let i = 0; i < cells.length; i += 1) {
      const cell = cells[i];
      if (cell !== NONE && (bits[cell >> 3] >> (cell & 7)) & 1) classes[i] += value;
    }
  }

  /** A class for each pixel out of one for each cell. */
  perPixel(numbers, classes) {
    const { cells } = this;
    for (let i = 0; i < cells.length; i += 1) classes[i] = cells[i] === NONE ? 0 : numbers[cells[i]];
    return classes;
  }

  /** What a link says of the plan. */
  linked() {
    return { cut: this.cut };
  }
}
