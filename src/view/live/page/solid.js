// A solid level on the page: the plans of its floors side by side, or one of them.

import { ask } from "./api.js";
import { Level } from "./level.js";

const NONE = 0xffffffff;
/** The light of cells in three dimensions. */
const LIGHT = 225;
/** Pixels between two floors. */
const GAP = 24;

export class Solid extends Level {
  /** Fetches the plans of all floors. */
  async load() {
    const { head, buffer, start } = await ask(`${this.pane}/ground`);
    const { width, height, floors } = head;
    Object.assign(this, { plan: [width, height], floors, corner: head.corner, scale: head.pixel });
    const [each, { cells }] = [width * height, this.about];
    const lights = start + 4 * each * floors.length + cells;
    this.plans = floors.map((_, k) => ({
      cells: new Uint32Array(buffer, start + 4 * each * k, each),
      light: new Uint8Array(buffer, lights + each * k, each),
    }));
    this.floorOf = new Uint8Array(buffer, start + 4 * each * floors.length, cells);
    this.byCell = new Uint8Array(cells);
    this.tints = new Uint32Array(cells);
    this.lay();
  }

  /** Lays out one floor, or all. */
  lay(floor) {
    const [width, height] = this.plan;
    const shown = this.floors.map((_, k) => k).filter((k) => floor === undefined || k === floor);
    const columns = Math.max(1, Math.min(shown.length, Math.round(Math.sqrt((1.5 * shown.length * height) / width))));
    const rows = Math.ceil(shown.length / columns);
    this.floor = floor;
    this.width = columns * (width + GAP) - GAP;
    this.height = rows * (height + GAP) - GAP;
    this.cells = new Uint32Array(this.width * this.height).fill(NONE);
    this.light = new Uint8Array(this.cells.length);
    this.elsewhere = [];
    this.corners = this.floors.map(() => undefined);
    shown.forEach((k, n) => {
      const [left, top] = [(n % columns) * (width + GAP), Math.floor(n / columns) * (height + GAP)];
      this.corners[k] = [left, top];
      for (let row = 0; row < height; row += 1) {
        const [from, to] = [row * width, (top + row) * this.width + left];
        this.cells.set(this.plans[k].cells.subarray(from, from + width), to);
        this.light.set(this.plans[k].light.subarray(from, from + width), to);
        for (let x = 0; x < width; x += 1) {
          const isEmpty = this.cells[to + x] === NONE;
          if (isEmpty && this.plans.some(({ cells }) => cells[from + x] !== NONE)) this.elsewhere.push(to + x);
        }
      }
    });
  }

  /** Where the floors that are shown begin, and their names, the longest first. */
  get labels() {
    return this.corners.flatMap((corner, k) => {
      if (!corner || this.floors.length < 2) return [];
      const heights = this.floors[k].map(Math.round).join(" to ");
      return [{ at: corner, texts: [`floor ${k + 1}: ground at ${heights} ${this.unit}`, `floor ${k + 1}`, `${k + 1}`] }];
    });
  }

  /** Where the plan of a cell's floor begins; that of the floor which is shown if its own is not. */
  cornerOf(cell) {
    return this.corners[this.floorOf[cell]] ?? this.corners.find(Boolean);
  }

  /** Whether the floor of a cell is shown. */
  shows(cell) {
    return Boolean(this.corners[this.floorOf[cell]]);
  }

  /** A place by its pixel on the plan of its floor, which is the same however floors are laid out. */
  local([x, y, cell]) {
    const [left, top] = this.cornerOf(cell);
    return [x - left, y - top, cell];
  }

  placed([x, y, cell]) {
    const [left, top] = this.cornerOf(cell);
    return [x + left, y + top, cell];
  }

  words(place) {
    const floor = this.floorOf[place[2]] + 1;
    return this.floors.length > 1 ? `${place[2]} · floor ${floor}` : `${place[2]}`;
  }

  link(place) {
    return this.local(place).join();
  }

  parse(text) {
    const numbers = (text ?? "").split(",").map(Number);
    const [x, y, cell] = numbers;
    const inside = x >= 0 && y >= 0 && x < this.plan[0] && y < this.plan[1];
    const known = numbers.length === 3 && numbers.every(Number.isInteger) && cell >= 0 && cell < this.about.cells;
    return inside && known ? this.placed(numbers) : undefined;
  }

  /** A point in units of the level, on the floor of a cell. */
  point(at, cell) {
    const [[x, y], [left, top]] = [super.point(at), this.cornerOf(cell)];
    return [x + left, y + top];
  }

  /** As of every level; and notes the classes of all cells, also of those that lie under others. */
  spread(bits, classes, value = 1) {
    super.spread(bits, classes, value);
    const { byCell } = this;
    for (let cell = 0; cell < byCell.length; cell += 1) if ((bits[cell >> 3] >> (cell & 7)) & 1) byCell[cell] += value;
  }

  perPixel(numbers, classes) {
    this.byCell.set(numbers.subarray(0, this.byCell.length));
    return super.perPixel(numbers, classes);
  }

  /** The colours of cells, in one light, out of the classes that were noted. */
  painted({ pixels }) {
    this.byCell.forEach((kind, cell) => (this.tints[cell] = pixels[(kind << 8) | LIGHT]));
    this.byCell.fill(0);
  }

  /** Its cells lie over each other: it has a mesh. */
  get relief() {
    return undefined;
  }

  /** The cell at a point of the map. */
  cellAt([x, y]) {
    return this.at(Math.floor(x), Math.floor(y))?.[2];
  }

  /** A point of the map, on the floor of a cell, as one in units of the level. */
  unplaced([x, y], cell) {
    const [left, top] = this.cornerOf(cell);
    return [this.corner[0] + (x - left) * this.scale, this.corner[1] - (y - top) * this.scale];
  }

  linked() {
    return { floor: this.floor === undefined ? undefined : this.floor + 1 };
  }
}
