// Draws of a scene in three.js what its bundle says can be seen: no proof is asked for, and no hysteresis is needed.

// How a node is called in a bundle.
const named = (nodes, index) => nodes[index].name || `node ${index}`;

// The objects that GLTFLoader made of each node, and the paths of nodes as a bundle has them.
function nodesOf(gltf) {
  const { json, associations } = gltf.parser;
  const nodes = json.nodes ?? [];
  const paths = new Map();
  const walk = (index, above) => {
    const path = above === null ? named(nodes, index) : `${above}/${named(nodes, index)}`;
    paths.set(index, path);
    for (const child of nodes[index].children ?? []) walk(child, path);
  };
  for (const root of json.scenes?.[json.scene ?? 0]?.nodes ?? []) walk(root, null);
  const made = new Map();
  for (const [object, of] of associations) {
    const index = of?.nodes;
    if (index === undefined || !object.isObject3D || !paths.has(index)) continue;
    // The primitives of a mesh lie below its node, each by itself; other nodes answer for themselves.
    const own = [object, ...object.children.filter((child) => associations.get(child)?.nodes === undefined)];
    const path = paths.get(index);
    made.set(path, [...(made.get(path) ?? []), ...own.filter((of) => of.isMesh)]);
  }
  return made;
}

// Hides what a camera cannot see of a scene that GLTFLoader read, by the bundle of the same file. What the bundle does not name stays
// as it is, and so does what `keep` says of, such as what casts shadows into sight: three.js draws no shadow of what it hides.
export class Culling {
  #bundle;
  #root;
  #meshes;
  #hidden = new Map();

  constructor(bundle, gltf, { keep = () => false } = {}) {
    const made = nodesOf(gltf);
    this.#bundle = bundle;
    this.#root = gltf.scene;
    // Of several objects of one path each is drawn while any of them may be seen.
    const numbers = new Map();
    bundle.objectPaths().forEach((path, number) => numbers.set(path, [...(numbers.get(path) ?? []), number]));
    const missing = [...numbers.keys()].filter((path) => !made.has(path) && new TextEncoder().encode(path).length < 900);
    if (missing.length > 0) throw new Error(`the bundle is of another scene: this one has no node ${missing[0]}; bake it again`);
    this.#meshes = [...numbers].map(([path, of]) => [of, (made.get(path) ?? []).filter((mesh) => !keep(mesh))]);
  }

  // Shows and hides, by where the camera is; before each frame. Returns how many objects of the bundle are shown.
  update(camera) {
    camera.updateWorldMatrix(true, false);
    const at = camera.position.clone().setFromMatrixPosition(camera.matrixWorld);
    this.#root.updateWorldMatrix(true, false);
    const { x, y, z } = this.#root.worldToLocal(at);
    // Where no engine was named, the level's own coordinates, in which z is up.
    const isOwn = this.#bundle.axes.join() === '1,2,3';
    const seen = new Set(this.#bundle.objectsSeen(isOwn ? [x, -z, y] : [x, y, z]));
    for (const [numbers, meshes] of this.#meshes) {
      const isSeen = numbers.some((number) => seen.has(number));
      for (const mesh of meshes) this.#show(mesh, isSeen);
    }
    return seen.size;
  }

  // Shows all again.
  close() {
    for (const mesh of [...this.#hidden.keys()]) this.#show(mesh, true);
  }

  // By layers, since what lies below a mesh may be seen where it is not.
  #show(mesh, isSeen) {
    if (isSeen === !this.#hidden.has(mesh)) return;
    if (isSeen) {
      mesh.layers.mask = this.#hidden.get(mesh);
      this.#hidden.delete(mesh);
    } else {
      this.#hidden.set(mesh, mesh.layers.mask);
      mesh.layers.disableAll();
    }
  }
}
