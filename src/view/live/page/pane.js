// One bundle on the page: a canvas of the ground, and one of the marks above it.

import { Table, css } from "./paint.js";
import { element, length, round } from "./words.js";

/** Of names on the map: the font, their height, and the margins left and right of the text together. */
const LABEL = "500 12px system-ui, sans-serif";
const LABEL_HEIGHT = 18;
const LABEL_MARGIN = 10;

/** The light of what is on other floors. */
export const DIM = 0.3;

export class Pane {
  constructor(index, ground, palette, camera) {
    Object.assign(this, { index, ground, palette, camera });
    this.tables = new Map();
    this.canvas = element("canvas", { class: "ground" });
    this.overlay = element("canvas", { class: "marks", "aria-hidden": "true" });
    this.caption = element("p", { class: "caption" }, ground.about.name);
    this.box = element("section", { class: "pane", tabindex: "0", role: "application" },
      this.canvas, this.overlay, this.caption);
    this.box.setAttribute("aria-label", `Map of ${ground.about.name}. Arrow keys move the place.`);
    this.marks = [];
    this.measure();
  }

  /** Makes room for the pixels of the ground. */
  measure() {
    const { width, height } = this.ground;
    this.raster = element("canvas", { width, height });
    this.context = this.raster.getContext("2d", { willReadFrequently: true });
    this.image = this.context.createImageData(width, height);
    this.pixels = new Uint32Array(this.image.data.buffer);
    this.classes = new Uint8Array(this.pixels.length);
  }

  get size() {
    return [this.box.clientWidth, this.box.clientHeight];
  }

  /** The place at a point of the pane. */
  placeAt(point) {
    return this.ground.placeAt(this.camera.toGround(point, this.size));
  }

  /** Where a point of the ground is in the pane. */
  locate(at) {
    return this.camera.toPane(at, this.size);
  }

  pan(dx, dy) {
    this.camera.pan(dx, dy);
  }

  zoom(factor, point) {
    this.camera.zoomAt(factor, point, this.size);
  }

  /** The table of a list of colours, made once; `least` is the light of the darkest ground. */
  table(key, colours, least = this.palette.plainLight) {
    const made = this.tables.get(key) ?? new Table(colours(), least);
    this.tables.set(key, made);
    return made;
  }

  /** Paints `classes` (one a pixel) with a table, and shows them. */
  paint(table, marks) {
    table.paint(this.pixels, this.classes, this.ground.light);
    this.ground.painted?.(table);
    const { elsewhere } = this.ground;
    if (elsewhere) {
      // In the darkest light: what is on other floors is not to outshine this one.
      const dim = this.table("elsewhere", () => [this.palette.nothing], DIM).pixels[1];
      for (const i of elsewhere) this.pixels[i] = dim;
    }
    this.context.putImageData(this.image, 0, 0);
    this.marks = marks;
    this.draw();
    this.scene?.repaint();
  }

  /** Fits the canvases to the window. */
  resize() {
    const [width, height] = this.size;
    this.density = window.devicePixelRatio || 1;
    for (const canvas of [this.canvas, this.overlay]) {
      canvas.width = Math.max(1, Math.round(width * this.density));
      canvas.height = Math.max(1, Math.round(height * this.density));
    }
  }

  /** Draws what is painted, as the camera looks at it. */
  draw() {
    this.drawGround(this.canvas.getContext("2d"));
    this.drawMarksAlone();
  }

  /** Draws the marks anew, on the ground as it is. */
  drawMarksAlone() {
    const context = this.overlay.getContext("2d");
    context.clearRect(0, 0, this.overlay.width, this.overlay.height);
    this.drawMarks(context);
    this.scene?.drawMarks();
  }

  drawGround(context) {
    const { camera, density, ground } = this;
    context.setTransform(1, 0, 0, 1, 0, 0);
    context.clearRect(0, 0, this.canvas.width, this.canvas.height);
    context.imageSmoothingEnabled = camera.zoom * density < 1;
    const [x, y] = camera.toPane([0, 0], this.size);
    const [x1, y1] = camera.toPane([ground.width, ground.height], this.size);
    // Whole pixels, so that the edges of samples are sharp.
    const [left, top, right, bottom] = [x, y, x1, y1].map((at) => Math.round(at * density));
    context.drawImage(this.raster, left, top, right - left, bottom - top);
  }

  drawMarks(context) {
    context.setTransform(this.density, 0, 0, this.density, 0, 0);
    context.lineJoin = "round";
    for (const mark of [...(this.waits ?? []), ...this.marks]) this[mark.kind](context, mark);
    for (const { x, y, text } of this.labels(context)) this.label(context, x, y, text);
    this.scaleBar(context);
    if (this.ground.north) this.northArrow(context);
  }

  /** Strokes a path light and wide, then dark and thin: seen on any ground. */
  stroke(context, path, colour, width = 2) {
    for (const [style, wide] of [["white", width + 2], [colour, width]]) {
      context.strokeStyle = style;
      context.lineWidth = wide;
      context.stroke(path);
    }
  }

  ring(context, { at, colour }) {
    const [x, y] = this.camera.toPane(at, this.size);
    const path = new Path2D();
    path.arc(x, y, 7, 0, 7);
    this.stroke(context, path, css(colour));
    context.fillStyle = css(colour);
    context.fillRect(x - 1, y - 1, 2, 2);
  }

  frame(context, { from, to, colour }) {
    const [x, y] = this.camera.toPane(from, this.size);
    const [x1, y1] = this.camera.toPane(to, this.size);
    const path = new Path2D();
    path.rect(x, y, x1 - x, y1 - y);
    this.stroke(context, path, css(colour));
  }

  line(context, { from, to, colour, dashed }) {
    const path = new Path2D();
    path.moveTo(...this.camera.toPane(from, this.size));
    path.lineTo(...this.camera.toPane(to, this.size));
    context.setLineDash(dashed ? [6, 6] : []);
    this.stroke(context, path, css(colour));
    context.setLineDash([]);
  }

  /** Many thin lines of one colour. */
  lines(context, { lines, colour, dashed }) {
    if (!lines.length) return;
    const { size } = this;
    context.beginPath();
    for (const [from, to] of lines) {
      context.moveTo(...this.camera.toPane(from, size));
      context.lineTo(...this.camera.toPane(to, size));
    }
    context.setLineDash(dashed ? [5, 5] : []);
    context.strokeStyle = css(colour);
    context.lineWidth = 1.5;
    context.stroke();
    context.setLineDash([]);
  }

  /** A player among many; pale if they are dead. */
  walker(context, { at, colour, name, dead }) {
    const [x, y] = this.camera.toPane(at, this.size);
    context.globalAlpha = dead ? 0.45 : 1;
    context.beginPath();
    context.arc(x, y, 9, 0, 7);
    context.fillStyle = css(colour);
    context.fill();
    context.strokeStyle = "white";
    context.lineWidth = 1.5;
    context.stroke();
    context.fillStyle = "white";
    context.font = "600 11px system-ui, sans-serif";
    context.textAlign = "center";
    context.textBaseline = "middle";
    context.fillText(name, x, y + 0.5);
    context.globalAlpha = 1;
  }

  player(context, { at, colour, name, active }) {
    const [x, y] = this.camera.toPane(at, this.size);
    const path = new Path2D();
    path.arc(x, y, active ? 13 : 11, 0, 7);
    context.fillStyle = css(colour);
    context.fill(path);
    context.strokeStyle = "white";
    context.lineWidth = active ? 3 : 1.5;
    context.stroke(path);
    context.fillStyle = "white";
    context.font = "600 13px system-ui, sans-serif";
    context.textAlign = "center";
    context.textBaseline = "middle";
    context.fillText(name, x, y + 0.5);
  }

  /** Where the names of the ground's parts are written, each as long as it may be without lying over another. */
  labels(context) {
    context.font = LABEL;
    const all = (this.ground.labels ?? []).map(({ at, texts }) => {
      const [x, y] = this.camera.toPane(at, this.size);
      return { x, y: Math.max(y, 20), texts, text: texts.at(-1) };
    });
    const wide = (text) => context.measureText(text).width + LABEL_MARGIN;
    const areApart = (a, b) => Math.abs(a.y - b.y) >= LABEL_HEIGHT || a.x + wide(a.text) <= b.x || b.x + wide(b.text) <= a.x;
    // Those without room for the shortest name are left out.
    const written = [];
    for (const label of all) if (written.every((other) => areApart(other, label))) written.push(label);
    for (const label of written) {
      const others = written.filter((other) => other !== label);
      label.text = label.texts.find((text) => others.every((other) => areApart({ ...label, text }, other)));
    }
    return written;
  }

  label(context, x, y, text) {
    context.font = LABEL;
    context.textAlign = "left";
    context.textBaseline = "bottom";
    const wide = context.measureText(text).width;
    context.fillStyle = "rgb(20 24 33 / 0.72)";
    context.fillRect(x, y - LABEL_HEIGHT, wide + LABEL_MARGIN, LABEL_HEIGHT);
    context.fillStyle = "white";
    context.fillText(text, x + 5, y - 3);
  }

  scaleBar(context) {
    const { camera, ground } = this;
    const [width, height] = this.size;
    const most = Math.min(160, width / 3);
    let value = round(((most / camera.zoom) * ground.scale) / 2.5);
    if (!Number.isFinite(value)) return;
    const long = (value / ground.scale) * camera.zoom;
    const text = length(value, ground.unit);
    const [x, y] = [12, height - 14];
    context.font = "500 12px system-ui, sans-serif";
    context.textAlign = "left";
    context.textBaseline = "alphabetic";
    context.fillStyle = "rgb(20 24 33 / 0.72)";
    const wide = Math.max(long, context.measureText(text).width) + 16;
    context.beginPath();
    context.roundRect(x - 4, y - 22, wide, 30, 6);
    context.fill();
    context.fillStyle = "white";
    context.fillText(text, x + 4, y - 8);
    context.fillRect(x + 4, y - 2, long, 3);
  }

  northArrow(context) {
    const [width] = this.size;
    const [x, y] = [width - 26, 30];
    context.fillStyle = "rgb(20 24 33 / 0.72)";
    context.beginPath();
    context.arc(x, y, 17, 0, 7);
    context.fill();
    context.fillStyle = "white";
    context.beginPath();
    context.moveTo(x, y - 13);
    context.lineTo(x + 5, y + 1);
    context.lineTo(x, y - 2);
    context.lineTo(x - 5, y + 1);
    context.fill();
    context.font = "600 11px system-ui, sans-serif";
    context.textAlign = "center";
    context.textBaseline = "alphabetic";
    context.fillText("N", x, y + 12);
  }

  /** What is shown, marks included, as a canvas of its own. */
  snapshot() {
    const copy = element("canvas", { width: this.canvas.width, height: this.canvas.height });
    const context = copy.getContext("2d");
    context.fillStyle = getComputedStyle(this.box).backgroundColor;
    context.fillRect(0, 0, copy.width, copy.height);
    context.drawImage(this.canvas, 0, 0);
    context.drawImage(this.overlay, 0, 0);
    return copy;
  }
}
