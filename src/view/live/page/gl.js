// WebGL 2: programs, textures, and the few matrices that a view in three dimensions needs.

/** A program of a vertex and a fragment shader, with the places of its uniforms. */
export class Program {
  constructor(gl, vertex, fragment) {
    this.gl = gl;
    this.program = gl.createProgram();
    for (const [kind, source] of [[gl.VERTEX_SHADER, vertex], [gl.FRAGMENT_SHADER, fragment]]) {
      const shader = gl.createShader(kind);
      gl.shaderSource(shader, `#version 300 es\nprecision highp float;\nprecision highp sampler2D;\n${source}`);
      gl.compileShader(shader);
      gl.attachShader(this.program, shader);
    }
    gl.linkProgram(this.program);
    if (!gl.getProgramParameter(this.program, gl.LINK_STATUS)) {
      throw new Error(`WebGL: ${gl.getProgramInfoLog(this.program)}`);
    }
    this.places = new Map();
  }

  /** Uses the program, with these uniforms: numbers, lists of 2 to 4 numbers, or matrices of 16. */
  use(uniforms) {
    const { gl } = this;
    gl.useProgram(this.program);
    for (const [name, value] of Object.entries(uniforms)) this.set(name, value);
  }

  set(name, value) {
    const { gl, places } = this;
    if (!places.has(name)) places.set(name, gl.getUniformLocation(this.program, name));
    const at = places.get(name);
    if (typeof value === "number") gl.uniform1f(at, value);
    else if (value.length === 16) gl.uniformMatrix4fv(at, false, value);
    else gl[`uniform${value.length}fv`](at, value);
  }

  /** A texture at a unit. */
  texture(name, unit, texture) {
    const { gl } = this;
    gl.activeTexture(gl.TEXTURE0 + unit);
    gl.bindTexture(gl.TEXTURE_2D, texture);
    gl.uniform1i(gl.getUniformLocation(this.program, name), unit);
  }
}

/** A texture of one number a pixel (`R32F`) or of colours (`RGBA8`). */
export function texture(gl, format, width, height, data) {
  const made = gl.createTexture();
  gl.bindTexture(gl.TEXTURE_2D, made);
  for (const [name, value] of [
    [gl.TEXTURE_MIN_FILTER, gl.NEAREST],
    [gl.TEXTURE_MAG_FILTER, gl.NEAREST],
    [gl.TEXTURE_WRAP_S, gl.CLAMP_TO_EDGE],
    [gl.TEXTURE_WRAP_T, gl.CLAMP_TO_EDGE],
  ]) {
    gl.texParameteri(gl.TEXTURE_2D, name, value);
  }
  const [layout, type] = format === gl.R32F ? [gl.RED, gl.FLOAT] : [gl.RGBA, gl.UNSIGNED_BYTE];
  gl.texImage2D(gl.TEXTURE_2D, 0, format, width, height, 0, layout, type, data);
  return made;
}

/* ---- vectors and matrices, by columns ---- */

export const add = (a, b, times = 1) => a.map((x, k) => x + times * b[k]);
export const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
export const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
export const unit = (a) => a.map((x) => x / Math.hypot(...a));

/** From the world to the screen, for an eye that looks along `forward` with `right` and `up` beside it. */
export function projection(eye, [right, up, forward], aspect, slope, near, far) {
  const [sx, sy] = [1 / (slope * aspect), 1 / slope];
  const [a, b] = [(far + near) / (far - near), (-2 * far * near) / (far - near)];
  const rows = [
    [...right.map((x) => x * sx), -dot(right, eye) * sx],
    [...up.map((x) => x * sy), -dot(up, eye) * sy],
    [...forward.map((x) => x * a), -dot(forward, eye) * a + b],
    [...forward, -dot(forward, eye)],
  ];
  return Float32Array.from({ length: 16 }, (_, k) => rows[k % 4][k >> 2]);
}

/** A point through a matrix, before the division: x, y, z, w. */
export const through = (m, [x, y, z]) => [0, 1, 2, 3].map((r) => m[r] * x + m[4 + r] * y + m[8 + r] * z + m[12 + r]);
