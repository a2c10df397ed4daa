import type { Camera, Mesh } from 'three';
import type { GLTF } from 'three/addons/loaders/GLTFLoader.js';
import type { Bundle } from './viewcell.js';

/** Hides what a camera cannot see of a scene that GLTFLoader read, by the bundle of the same file (`viewcell bake scene`). */
export class Culling {
  /** `keep` says which meshes stay as they are: such as those that cast shadows into sight. */
  constructor(bundle: Bundle, gltf: GLTF, options?: { keep?: (mesh: Mesh) => boolean });
  /** Shows and hides, by where the camera is; before each frame. Returns how many objects of the bundle are shown. */
  update(camera: Camera): number;
  /** Shows all again. */
  close(): void;
}
