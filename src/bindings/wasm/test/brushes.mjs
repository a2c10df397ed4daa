// Lines of sight between the brushes of a Quake map, by its source: a judge that shares nothing with viewcell.
import { readFileSync } from 'node:fs';

const EDGE = 1e-6;

const minus = (a, b) => [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];

// Where three planes meet; null where they do not.
function corner([a, b, c]) {
  const across = cross(b.normal, c.normal);
  const depth = dot(a.normal, across);
  if (Math.abs(depth) < 1e-9) return null;
  const [u, v] = [cross(c.normal, a.normal), cross(a.normal, b.normal)];
  return [0, 1, 2].map((k) => (a.far * across[k] + b.far * u[k] + c.far * v[k]) / depth);
}

function brush(planes) {
  const corners = [];
  for (let i = 0; i < planes.length; i++)
    for (let j = 0; j < i; j++)
      for (let k = 0; k < j; k++) {
        const at = corner([planes[i], planes[j], planes[k]]);
        if (at && planes.every(({ normal, far }) => dot(normal, at) <= far + 1e-3)) corners.push(at);
      }
  const bound = (pick) => [0, 1, 2].map((axis) => pick(...corners.map((at) => at[axis])));
  return { planes, low: bound(Math.min), high: bound(Math.max) };
}

// The brushes of the world that nobody sees through: no liquids, no clip, no doors.
export function brushes(file) {
  const found = [];
  let [depth, entity, planes, isClear] = [0, -1, [], false];
  for (const line of readFileSync(file, 'latin1').split('\n').map((of) => of.trim())) {
    if (line === '{') {
      depth++;
      if (depth === 1) entity++;
      [planes, isClear] = [[], false];
    } else if (line === '}') {
      if (depth === 2 && entity === 0 && !isClear && planes.length > 3) found.push(brush(planes));
      depth--;
    } else if (line.startsWith('(')) {
      const words = line.split(/\s+/);
      const points = [1, 6, 11].map((at) => words.slice(at, at + 3).map(Number));
      const normal = cross(minus(points[0], points[1]), minus(points[2], points[1]));
      const length = Math.sqrt(dot(normal, normal));
      const unit = normal.map((of) => of / length);
      planes.push({ normal: unit, far: dot(unit, points[0]) });
      isClear ||= /^[*+]|^(clip|trigger|hint|skip)/i.test(words[15]);
    }
  }
  return found;
}

// Whether the open segment from a to b passes through a brush, by more than an edge.
export function blocks({ planes, low, high }, a, b) {
  for (let k = 0; k < 3; k++) if (Math.max(a[k], b[k]) < low[k] || Math.min(a[k], b[k]) > high[k]) return false;
  let [enters, leaves] = [0, 1];
  for (const { normal, far } of planes) {
    const [from, to] = [dot(normal, a) - far, dot(normal, b) - far];
    if (from >= -EDGE && to >= -EDGE) return false;
    if (from > -EDGE) enters = Math.max(enters, (from + EDGE) / (from - to));
    else if (to > -EDGE) leaves = Math.min(leaves, (from + EDGE) / (from - to));
    if (enters >= leaves) return false;
  }
  return true;
}
