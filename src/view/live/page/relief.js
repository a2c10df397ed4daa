// Ground in three dimensions: heights on a grid, drawn in squares that are coarser the farther away they are (a quadtree
// of levels of detail). The pixels of the map are its colours.

import { Program, add, texture } from "./gl.js";

/** Quads along a square. */
const SIDE = 32;
/** A square is divided nearer than so many of its sides. */
const NEAR = 4;
/** The longest side of the textures: a larger ground is drawn with every second, third or so of its samples. */
const LONGEST = 4096;
/** Steps of a ray at most. */
const STEPS = 6000;

const VERTEX = `
in vec3 at; // column, row, and whether it is the lower edge of a skirt
uniform mat4 matrix;
uniform vec4 square; // first column and row, samples a quad, metres that a skirt hangs down
uniform vec4 grid; // columns, rows, metres a column, metres a row
uniform sampler2D heights;
out vec2 place;
void main() {
  vec2 sample_ = min(square.xy + at.xy * square.z, grid.xy - 1.0);
  float height = texelFetch(heights, ivec2(sample_), 0).r - at.z * square.w;
  place = (sample_ + 0.5) / grid.xy;
  gl_Position = matrix * vec4((sample_.x + 0.5) * grid.z, -(sample_.y + 0.5) * grid.w, height, 1.0);
}`;

const FRAGMENT = `
in vec2 place;
uniform sampler2D colours;
out vec4 colour;
void main() {
  colour = texture(colours, place);
  if (colour.a < 0.5) discard;
}`;

export class Relief {
  /** @param gl the context @param ground what has `width`, `height`, `relief` and its pane's pixels */
  constructor(gl, ground) {
    const { heights, spacing } = ground.relief;
    Object.assign(this, { gl, ground, program: new Program(gl, VERTEX, FRAGMENT) });
    const most = Math.min(LONGEST, gl.getParameter(gl.MAX_TEXTURE_SIZE));
    this.factor = Math.ceil(Math.max(ground.width, ground.height) / most);
    [this.columns, this.rows] = [ground.width, ground.height].map((side) => Math.ceil(side / this.factor));
    this.step = spacing.map((metres) => metres * this.factor);
    this.fill(heights);
    this.heightMap = texture(gl, gl.R32F, this.columns, this.rows, this.heights);
    this.mesh();
    this.triangles = 0;
  }

  /** Takes the heights, and the least in place of none. */
  fill(heights) {
    const { columns, rows, factor, ground } = this;
    this.heights = new Float32Array(columns * rows);
    let [low, high] = [Infinity, -Infinity];
    for (let i = 0; i < heights.length; i += 1) {
      if (heights[i] < low) low = heights[i];
      if (heights[i] > high) high = heights[i];
    }
    if (low > high) [low, high] = [0, 0];
    for (let row = 0; row < rows; row += 1) {
      for (let column = 0; column < columns; column += 1) {
        const height = heights[row * factor * ground.width + column * factor];
        this.heights[row * columns + column] = Number.isNaN(height) ? low : height;
      }
    }
    this.range = [low, high];
  }

  /** The ground has changed. */
  reload() {
    const { gl } = this;
    this.fill(this.ground.relief.heights);
    gl.bindTexture(gl.TEXTURE_2D, this.heightMap);
    gl.texSubImage2D(gl.TEXTURE_2D, 0, 0, 0, this.columns, this.rows, gl.RED, gl.FLOAT, this.heights);
  }

  /** The square that all are drawn with, and skirts around it that hide seams. */
  mesh() {
    const { gl } = this;
    const at = [];
    const indices = [];
    const number = new Map();
    const vertex = (x, y, z) => {
      const key = `${x} ${y} ${z}`;
      if (!number.has(key)) {
        number.set(key, at.length / 3);
        at.push(x, y, z);
      }
      return number.get(key);
    };
    const quad = (a, b, c, d) => indices.push(a, b, c, c, b, d);
    for (let y = 0; y < SIDE; y += 1) {
      for (let x = 0; x < SIDE; x += 1) {
        quad(vertex(x, y, 0), vertex(x, y + 1, 0), vertex(x + 1, y, 0), vertex(x + 1, y + 1, 0));
      }
    }
    for (let k = 0; k < SIDE; k += 1) {
      for (const edge of [(n, z) => [n, 0, z], (n, z) => [n, SIDE, z], (n, z) => [0, n, z], (n, z) => [SIDE, n, z]]) {
        quad(vertex(...edge(k, 0)), vertex(...edge(k, 1)), vertex(...edge(k + 1, 0)), vertex(...edge(k + 1, 1)));
      }
    }
    this.array = gl.createVertexArray();
    gl.bindVertexArray(this.array);
    gl.bindBuffer(gl.ARRAY_BUFFER, gl.createBuffer());
    gl.bufferData(gl.ARRAY_BUFFER, new Float32Array(at), gl.STATIC_DRAW);
    const place = gl.getAttribLocation(this.program.program, "at");
    gl.enableVertexAttribArray(place);
    gl.vertexAttribPointer(place, 3, gl.FLOAT, false, 0, 0);
    gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, gl.createBuffer());
    gl.bufferData(gl.ELEMENT_ARRAY_BUFFER, new Uint16Array(indices), gl.STATIC_DRAW);
    this.count = indices.length;
  }

  /** The box of it all: least and greatest corner. */
  get box() {
    const [low, high] = this.range;
    return [[0, -this.rows * this.step[1], low], [this.columns * this.step[0], 0, high]];
  }

  /** Takes the colours of the map's pixels. */
  paint({ pixels, raster }) {
    const { gl, columns, rows, factor } = this;
    let source = pixels;
    if (factor > 1) {
      const small = new OffscreenCanvas(columns, rows).getContext("2d");
      small.drawImage(raster, 0, 0, columns, rows);
      source = small.getImageData(0, 0, columns, rows).data;
    }
    const bytes = new Uint8Array(source.buffer, source.byteOffset, 4 * columns * rows);
    if (!this.colours) this.colours = texture(gl, gl.RGBA8, columns, rows, bytes);
    gl.bindTexture(gl.TEXTURE_2D, this.colours);
    gl.texSubImage2D(gl.TEXTURE_2D, 0, 0, 0, columns, rows, gl.RGBA, gl.UNSIGNED_BYTE, bytes);
  }

  draw({ matrix, eye, sees }) {
    if (!this.colours) return;
    const { gl, program } = this;
    const [dx, dy] = this.step;
    program.use({ matrix, grid: [this.columns, this.rows, dx, dy] });
    program.texture("heights", 0, this.heightMap);
    program.texture("colours", 1, this.colours);
    gl.bindVertexArray(this.array);
    gl.disable(gl.BLEND);
    let drawn = 0;
    const [low, high] = this.range;
    const visit = (column, row, stride) => {
      if (column >= this.columns - 1 || row >= this.rows - 1) return;
      const side = SIDE * stride;
      const box = [[column * dx, -(row + side) * dy, low], [(column + side) * dx, -row * dy, high]];
      if (!sees(box)) return;
      const far = Math.hypot(...eye.map((at, k) => at - Math.min(Math.max(at, box[0][k]), box[1][k])));
      if (stride > 1 && far < NEAR * side * Math.max(dx, dy)) {
        const half = side / 2;
        for (const [x, y] of [[0, 0], [half, 0], [0, half], [half, half]]) visit(column + x, row + y, stride / 2);
        return;
      }
      program.set("square", [column, row, stride, stride * Math.max(dx, dy)]);
      gl.drawElements(gl.TRIANGLES, this.count, gl.UNSIGNED_SHORT, 0);
      drawn += this.count / 3;
    };
    let stride = 1;
    while (SIDE * stride < Math.max(this.columns, this.rows)) stride *= 2;
    visit(0, 0, stride);
    this.triangles = drawn;
  }

  /** The height of the ground at a point of the world, between samples; none outside. */
  at([x, y]) {
    const [column, row] = [x / this.step[0] - 0.5, -y / this.step[1] - 0.5];
    const [c, r] = [Math.min(Math.max(Math.floor(column), 0), this.columns - 2), Math.min(Math.max(Math.floor(row), 0), this.rows - 2)];
    if (column < -0.5 || row < -0.5 || column > this.columns - 0.5 || row > this.rows - 0.5) return undefined;
    const [s, t] = [column - c, row - r].map((part) => Math.min(Math.max(part, 0), 1));
    const height = (i, j) => this.heights[(r + j) * this.columns + c + i];
    return (1 - t) * ((1 - s) * height(0, 0) + s * height(1, 0)) + t * ((1 - s) * height(0, 1) + s * height(1, 1));
  }

  /** Where a ray meets the ground first. */
  meet(from, along) {
    const [low, high] = this.box;
    let [near, far] = [0, Infinity];
    for (let k = 0; k < 3; k += 1) {
      const ends = [low[k] - 1, high[k] + 1].map((edge) => (edge - from[k]) / along[k]);
      near = Math.max(near, Math.min(...ends));
      far = Math.min(far, Math.max(...ends));
    }
    if (!(near < far)) return undefined;
    const flat = Math.hypot(along[0], along[1]);
    const long = far - near;
    const step = Math.max(Math.min(Math.min(...this.step) / 2 / flat, long / 64), long / STEPS);
    let before = near;
    const count = Math.ceil(long / step);
    for (let k = 0; k <= count; k += 1) {
      const at = near + (long * k) / count;
      const point = add(from, along, at);
      const height = this.at(point);
      if (height === undefined || point[2] > height) {
        before = at;
        continue;
      }
      let [above, below] = [before, at];
      for (let halving = 0; halving < 12; halving += 1) {
        const middle = (above + below) / 2;
        const there = add(from, along, middle);
        if (there[2] > (this.at(there) ?? -Infinity)) above = middle;
        else below = middle;
      }
      return add(from, along, below);
    }
    return undefined;
  }

  /** The ground below a point. */
  under([x, y]) {
    const height = this.at([x, y]);
    return height === undefined ? undefined : [x, y, height];
  }

  /** The place of the map at a point of the world. */
  placeAt([x, y]) {
    return this.ground.placeAt([(x / this.step[0]) * this.factor, (-y / this.step[1]) * this.factor]);
  }

  /** A point of the map in the world, on the ground. */
  lift([x, y]) {
    const [dx, dy] = this.step.map((metres) => metres / this.factor);
    const [east, north] = [x * dx, -y * dy];
    return [east, north, this.at([east, north]) ?? this.range[0]];
  }
}
