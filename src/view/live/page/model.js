// A solid level in three dimensions: the ground of each view cell in the colour that the map has for it, and what hides, cut
// open towards the eye. Translucent walls did not pay: solids lie behind each other, and all turns grey.

import { ask } from "./api.js";
import { Program, add, texture } from "./gl.js";

/** Cells in a row of the texture of colours. */
const ROW = 1024;

const CELLS = `
in vec4 area; // least x and y, greatest x and y
in float height;
in float cell;
uniform mat4 matrix;
uniform sampler2D colours;
flat out vec4 tint;
void main() {
  vec2 corner = vec2(float(gl_VertexID & 1), float(gl_VertexID >> 1));
  int number = int(cell);
  tint = texelFetch(colours, ivec2(number % ${ROW}, number / ${ROW}), 0);
  gl_Position = matrix * vec4(mix(area.xy, area.zw, corner), height, 1.0);
}`;
const TINT = `
flat in vec4 tint;
out vec4 colour;
void main() { colour = vec4(tint.rgb, 1.0); }`;

const WALLS = `
in vec3 at;
uniform mat4 matrix;
out vec3 place;
void main() {
  place = at;
  gl_Position = matrix * vec4(at, 1.0);
}`;
const STONE = `
in vec3 place;
out vec4 colour;
void main() {
  vec3 normal = normalize(cross(dFdx(place), dFdy(place)));
  float light = 0.45 + 0.3 * abs(normal.z) + 0.25 * abs(normal.x * 0.8 + normal.y * 0.6);
  colour = vec4(vec3(0.56, 0.58, 0.64) * light, 1.0);
}`;

export class Model {
  /** Fetches a level. */
  static async load(gl, ground) {
    const { head, buffer, start } = await ask(`${ground.pane}/mesh`);
    const { triangles, cells } = head;
    const [corners, boxes] = [9 * triangles, 6 * cells];
    return new Model(gl, ground, {
      triangles,
      cells,
      corners: new Float32Array(buffer, start, corners),
      boxes: new Float32Array(buffer, start + 4 * corners, boxes),
      stands: new Uint8Array(buffer, start + 4 * (corners + boxes), cells),
    });
  }

  constructor(gl, ground, { triangles, cells, corners, boxes, stands }) {
    Object.assign(this, { gl, ground, triangles, corners, boxes, feet: ground.about.feet });
    // Who is in the air hides the ground.
    this.shown = Uint32Array.from(boxes.keys()).subarray(0, cells).filter((cell) => stands[cell]);
    this.walls = this.arrays(new Program(gl, WALLS, STONE), [["at", 3, this.corners]]);
    const area = new Float32Array(4 * this.shown.length);
    const height = new Float32Array(this.shown.length);
    // Over the floor, which the cells lie on.
    const lift = 0.25 * ground.about.cell[2];
    this.shown.forEach((cell, k) => {
      const [x, y, z, x1, y1] = this.boxes.subarray(6 * cell, 6 * cell + 6);
      area.set([x, y, x1, y1], 4 * k);
      height[k] = z + this.feet + lift;
    });
    this.floors = this.arrays(new Program(gl, CELLS, TINT), [
      ["area", 4, area], ["height", 1, height], ["cell", 1, Float32Array.from(this.shown)],
    ], 1);
    this.rows = Math.ceil(cells / ROW);
    this.tints = new Uint8Array(4 * ROW * this.rows);
    this.colours = texture(gl, gl.RGBA8, ROW, this.rows, this.tints);
    this.measure();
  }

  /** Buffers of numbers for a program; with a divisor one for each instance. */
  arrays(program, lists, divisor = 0) {
    const { gl } = this;
    const array = gl.createVertexArray();
    gl.bindVertexArray(array);
    for (const [name, size, numbers] of lists) {
      gl.bindBuffer(gl.ARRAY_BUFFER, gl.createBuffer());
      gl.bufferData(gl.ARRAY_BUFFER, numbers, gl.STATIC_DRAW);
      const place = gl.getAttribLocation(program.program, name);
      gl.enableVertexAttribArray(place);
      gl.vertexAttribPointer(place, size, gl.FLOAT, false, 0, 0);
      gl.vertexAttribDivisor(place, divisor);
    }
    return { program, array };
  }

  /** The box around all places. */
  measure() {
    const [low, high] = [[Infinity, Infinity, Infinity], [-Infinity, -Infinity, -Infinity]];
    for (const cell of this.shown) {
      for (let k = 0; k < 3; k += 1) {
        low[k] = Math.min(low[k], this.boxes[6 * cell + k]);
        high[k] = Math.max(high[k], this.boxes[6 * cell + 3 + k]);
      }
    }
    this.box = this.shown.length ? [low, high] : [[0, 0, 0], [1, 1, 1]];
  }

  /** Takes the colours that the map has for cells. */
  paint({ ground }) {
    const { gl } = this;
    this.tints.set(new Uint8Array(ground.tints.buffer));
    gl.bindTexture(gl.TEXTURE_2D, this.colours);
    gl.texSubImage2D(gl.TEXTURE_2D, 0, 0, 0, ROW, this.rows, gl.RGBA, gl.UNSIGNED_BYTE, this.tints);
  }

  /** Draws it cut open: of walls and ceilings those that face the eye. */
  draw({ matrix }) {
    const { gl, floors, walls } = this;
    walls.program.use({ matrix });
    gl.bindVertexArray(walls.array);
    gl.enable(gl.CULL_FACE);
    gl.enable(gl.POLYGON_OFFSET_FILL);
    gl.polygonOffset(2, 2); // behind the ground of cells, which lies on it
    gl.drawArrays(gl.TRIANGLES, 0, 3 * this.triangles);
    gl.disable(gl.POLYGON_OFFSET_FILL);
    gl.disable(gl.CULL_FACE);
    floors.program.use({ matrix });
    floors.program.texture("colours", 0, this.colours);
    gl.bindVertexArray(floors.array);
    gl.drawArraysInstanced(gl.TRIANGLE_STRIP, 0, 4, this.shown.length);
  }

  /** Where a ray meets the ground of a cell first; `cell` is the cell. */
  meet(from, along) {
    let [least, found] = [Infinity, undefined];
    for (const cell of this.shown) {
      const i = 6 * cell;
      const at = (this.boxes[i + 2] + this.feet - from[2]) / along[2];
      if (!(at > 0 && at < least)) continue;
      const [x, y] = [from[0] + at * along[0], from[1] + at * along[1]];
      const { boxes } = this;
      if (x >= boxes[i] && y >= boxes[i + 1] && x <= boxes[i + 3] && y <= boxes[i + 4]) [least, found] = [at, cell];
    }
    if (found === undefined) return undefined;
    return Object.assign(add(from, along, least), { cell: found });
  }

  /** The place on the map of a point that a ray has met. */
  placeAt(point) {
    const { cell } = point;
    if (cell === undefined) return undefined;
    return [...this.ground.point(point.slice(0, 2), cell).map(Math.floor), cell];
  }

  /** The ground below a point, and its cell. */
  under(point) {
    return this.meet(point, [0, 0, -1]);
  }

  /** The height of the ground below a point. */
  at(point) {
    return this.under(point)?.[2];
  }

  /** A point of the map in the world; of a place, on the ground of its cell. */
  lift([x, y], cell = this.ground.cellAt([x, y])) {
    const [east, north] = this.ground.unplaced([x, y], cell);
    const height = cell === undefined ? this.box[0][2] : this.boxes[6 * cell + 2] + this.feet;
    return [east, north, height];
  }
}
