// The world of a pane in three dimensions, beside its map: in the map's colours, with its marks. One turns around it, flies,
// or stands in it where a player stands.

import { add, cross, projection, through, unit } from "./gl.js";
import { Model } from "./model.js";
import { Pane } from "./pane.js";
import { Relief } from "./relief.js";
import { element } from "./words.js";

/** Half the height of the picture, a unit before the eye. */
const SLOPE = 0.55;
/** How far a turn goes a CSS pixel. [Unit: radians] */
const TURN = 0.005;
const STEEPEST = 1.5;

/** Whether this browser draws in three dimensions. */
export const canDraw = () => Boolean(element("canvas").getContext("webgl2"));

export class Scene {
  /** Fetches what there is to draw beside the map of a pane. */
  static async load(pane) {
    const scene = new Scene(pane);
    const { gl } = scene;
    const { ground } = pane;
    scene.world = ground.relief ? new Relief(gl, ground) : await Model.load(gl, ground);
    scene.fit();
    return scene;
  }

  constructor(pane) {
    this.pane = pane;
    this.canvas = element("canvas", { class: "ground" });
    this.overlay = element("canvas", { class: "marks", "aria-hidden": "true" });
    this.told = element("p", { class: "caption told", role: "status" });
    this.box = element("section", { class: "pane scene", tabindex: "0", role: "application" }, this.canvas, this.overlay, this.told);
    this.box.setAttribute("aria-label", `${pane.ground.about.name} in three dimensions. Arrow keys turn, W A S D move.`);
    this.gl = this.canvas.getContext("webgl2", { antialias: true });
    Object.assign(this, { mode: "orbit", yaw: 0.6, pitch: -0.7, isStale: true });
    // Marks are drawn as on the map, but for where they are.
    this.marks = Object.create(Pane.prototype);
    this.marks.camera = { toPane: (at) => this.locate(at) };
  }

  get size() {
    return [this.box.clientWidth, this.box.clientHeight];
  }

  /* ---- the camera ---- */

  /** Looks at all of the world. */
  fit() {
    const [low, high] = this.world.box;
    this.size3 = Math.hypot(...high.map((x, k) => x - low[k])) || 1;
    this.target = low.map((x, k) => (x + high[k]) / 2);
    const [width, height] = this.size;
    this.distance = (0.8 * this.size3) / Math.min(1, width / height || 1);
    Object.assign(this, { yaw: 0.6, pitch: -0.7 });
    if (this.mode !== "orbit") this.setMode("orbit");
    this.draw();
  }

  /** Right, up and forward. */
  get axes() {
    const [c, s] = [Math.cos(this.pitch), Math.sin(this.pitch)];
    const forward = [Math.sin(this.yaw) * c, Math.cos(this.yaw) * c, s];
    const right = [Math.cos(this.yaw), -Math.sin(this.yaw), 0];
    return [right, cross(right, forward), forward];
  }

  get eye() {
    return this.mode === "orbit" ? add(this.target, this.axes[2], -this.distance) : this.at;
  }

  /** Turns around the world, flies from where the eye is, or stands at a place of the map. */
  setMode(mode, place) {
    const { eye } = this;
    if (mode === "stand" && place) this.stand(this.pane.ground.middle(place), place[2]);
    else if (mode !== "orbit") this.at = eye;
    if (mode === "stand" || this.mode === "stand") this.pitch = mode === "stand" ? 0 : -0.5;
    if (mode === "orbit" && this.at) this.target = add(this.at, this.axes[2], this.distance);
    this.mode = mode;
    this.box.dataset.mode = mode;
    this.draw();
  }

  /** Puts the eye over a point of the map. */
  stand(at, cell) {
    this.at = add(this.world.lift(at, cell), [0, 0, 1], this.height);
  }

  /** Turns the world, or the head. */
  pan(dx, dy) {
    const back = this.mode === "orbit" ? 1 : -0.6;
    this.yaw += back * dx * TURN;
    this.pitch = Math.min(Math.max(this.pitch - back * dy * TURN, -STEEPEST), this.mode === "orbit" ? -0.02 : STEEPEST);
    this.draw();
  }

  /** Comes nearer to what is at a point, or goes on. */
  zoom(factor, point) {
    if (this.mode !== "orbit") return this.move(0, Math.log(factor) * 20);
    const before = this.distance;
    this.distance = Math.min(Math.max(before / factor, this.size3 / 2000), 3 * this.size3);
    const there = point && this.meet(point);
    if (there) this.target = this.target.map((x, k) => x + (there[k] - x) * (1 - this.distance / before));
    this.draw();
    return undefined;
  }

  /** Moves to the right and on, in steps of a hundredth of what is in sight, or in a player's. */
  move(right, on) {
    const [east, , forward] = this.axes;
    const flat = this.mode === "fly" ? forward : unit([forward[0], forward[1], 0]);
    const long = this.mode === "orbit" ? this.distance / 40 : this.mode === "fly" ? this.size3 / 150 : this.stride;
    const by = add(east.map((x) => x * right * long), flat, on * long);
    if (this.mode === "orbit") this.target = add(this.target, by);
    else this.at = add(this.at, by);
    if (this.mode === "stand") {
      const foot = this.world.at(this.at);
      if (foot !== undefined) this.at[2] = foot + this.height;
      // The map goes along.
      const below = this.world.under(this.at);
      const place = below && this.world.placeAt(below);
      this.isWalking = true;
      if (place) this.moved?.(place);
      this.isWalking = false;
    }
    this.draw();
  }

  /** The ground has changed. */
  reload() {
    this.world.reload?.();
    this.repaint();
  }

  /** What is shown, as a canvas of its own. */
  snapshot() {
    this.drawNow();
    const copy = element("canvas", { width: this.canvas.width, height: this.canvas.height });
    const context = copy.getContext("2d");
    context.drawImage(this.canvas, 0, 0);
    context.drawImage(this.overlay, 0, 0);
    return copy;
  }

  /** A player's step, and how high the eye is. */
  get stride() {
    const { about } = this.pane.ground;
    return about.cell ? about.cell[0] / 2 : Math.min(...about.spacing) / 2;
  }

  get height() {
    const { about } = this.pane.ground;
    const eye = Array.isArray(about.eye) ? about.eye[1] - about.feet : about.eye;
    return eye || this.size3 / 500;
  }

  /** Keys that move the eye; tells whether this was one. */
  key(key) {
    const turns = { ArrowLeft: [-24, 0], ArrowRight: [24, 0], ArrowUp: [0, -24], ArrowDown: [0, 24] };
    const moves = { w: [0, 1], s: [0, -1], a: [-1, 0], d: [1, 0] };
    if (turns[key]) this.pan(...turns[key].map((x) => -x));
    else if (moves[key]) this.move(...moves[key]);
    else return false;
    return true;
  }

  /* ---- what is where ---- */

  /** The ray through a point of the pane. */
  ray([x, y]) {
    const [width, height] = this.size;
    const [right, up, forward] = this.axes;
    const across = ((2 * x) / width - 1) * SLOPE * (width / height);
    return unit(add(add(forward, right, across), up, (1 - (2 * y) / height) * SLOPE));
  }

  meet(point) {
    return this.world.meet(this.eye, this.ray(point));
  }

  /** The place of the map at a point of the pane. */
  placeAt(point) {
    const there = this.meet(point);
    return there && this.world.placeAt(there);
  }

  /** Where a point of the map is in the pane; nowhere behind the eye. */
  locate(at) {
    const [width, height] = this.size;
    const [x, y, , w] = through(this.matrix, this.world.lift(at, at[2]));
    return w > 0 ? [((x / w + 1) / 2) * width, ((1 - y / w) / 2) * height] : [NaN, NaN];
  }

  /* ---- drawing ---- */

  /** Fits the canvases to the window. */
  resize() {
    const [width, height] = this.size;
    this.marks.density = window.devicePixelRatio || 1;
    for (const canvas of [this.canvas, this.overlay]) {
      canvas.width = Math.max(1, Math.round(width * this.marks.density));
      canvas.height = Math.max(1, Math.round(height * this.marks.density));
    }
    this.draw();
  }

  /** Draws with the next picture of the browser. */
  draw() {
    this.drawing ??= requestAnimationFrame(() => {
      this.drawing = undefined;
      this.drawNow();
    });
  }

  /** The map has other colours. */
  repaint() {
    this.isStale = true;
    this.draw();
  }

  drawNow() {
    const { gl, canvas, world, eye, axes } = this;
    if (!canvas.width || !world) return;
    const [width, height] = [canvas.width, canvas.height];
    if (this.isStale) world.paint(this.pane);
    this.isStale = false;
    const near = this.mode === "orbit" ? this.distance / 200 : Math.max(this.height / 4, this.size3 / 1e5);
    this.matrix = projection(eye, axes, width / height, SLOPE, near, 4 * this.size3 + this.distance);
    gl.viewport(0, 0, width, height);
    gl.clearColor(0.055, 0.063, 0.086, 1);
    gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
    gl.enable(gl.DEPTH_TEST);
    const sees = (box) => this.sees(box);
    world.draw({ matrix: this.matrix, eye, sees });
    this.drawMarks();
  }

  /** Whether a box may be in the picture: not if all its corners lie beyond one side of it. */
  sees([low, high]) {
    const beyond = [0, 0, 0, 0, 0];
    for (let k = 0; k < 8; k += 1) {
      const corner = [0, 1, 2].map((axis) => ((k >> axis) & 1 ? high[axis] : low[axis]));
      const [x, y, , w] = through(this.matrix, corner);
      [x < -w, x > w, y < -w, y > w, w < 0].forEach((is, side) => (beyond[side] += is));
    }
    return beyond.every((count) => count < 8);
  }

  /** Draws the marks of the map. */
  drawMarks() {
    if (!this.matrix) return;
    const context = this.overlay.getContext("2d");
    const { density } = this.marks;
    context.setTransform(density, 0, 0, density, 0, 0);
    context.clearRect(0, 0, this.overlay.width, this.overlay.height);
    context.lineJoin = "round";
    Object.defineProperty(this.marks, "size", { value: this.size, configurable: true });
    for (const mark of [...(this.pane.waits ?? []), ...this.pane.marks]) {
      if (mark.kind === "frame") this.frame(context, mark);
      else this.marks[mark.kind](context, mark);
    }
    const { triangles } = this.world;
    this.told.textContent = this.mode === "stand" ? "as a player stands there" : "";
    this.box.dataset.triangles = triangles;
  }

  /** A square of the map lies askew. */
  frame(context, { from, to, colour }) {
    const corners = [from, [to[0], from[1]], to, [from[0], to[1]]];
    const path = new Path2D();
    corners.forEach((at, k) => path[k ? "lineTo" : "moveTo"](...this.locate(at)));
    path.closePath();
    this.marks.stroke(context, path, `rgb(${colour.map(Math.round).join(" ")})`);
  }
}
