/** Triangle meshes from OBJ and glTF files: surfaces to grow hair on, or to collide with. */
import { InputError } from '../errors.ts';
import { curveFileLimit, type Placement } from './curves.ts';
import { isGltf, readGltfMesh, readGltfMotion } from './gltf.ts';
import { readObjMesh } from './obj.ts';

/** Triangles in metres with z up. */
export interface TriangleMesh {
  /** 3 per vertex; metres with z up after `readMesh`. */
  readonly position: Float64Array;
  /** Corners, 3 per triangle, anticlockwise seen from outside. */
  readonly triangle: Uint32Array;
  /** Linear RGB, 3 per vertex, where the file has colours: they can serve as maps. */
  readonly color?: Float64Array;
}

/** How the vertices of a mesh move. */
export interface MeshMotion {
  /** Name of the animation in the file. */
  readonly name: string;
  /** Times of its keys [s], increasing. */
  readonly times: readonly number[];
  /** Vertices at a time, in the order of the mesh. */
  positionsAt(time: number): Float64Array;
}

/** Reads a mesh from bytes, at rest; throws `InputError`. */
export function readMesh(bytes: Uint8Array, source: string, placement: Placement = {}): TriangleMesh {
  checkSize(bytes, source);
  const gltf = isGltf(bytes, source);
  const mesh = gltf ? readGltfMesh(bytes, source) : readObjMesh(bytes, source);
  return { ...mesh, position: place(mesh.position, placement, gltf) };
}

/** Reads a mesh and one of its animations. Throws `InputError`: of the files that we read, glTF alone has animations. */
export function readMeshMotion(
  bytes: Uint8Array,
  source: string,
  { animation, ...placement }: Placement & { readonly animation?: string },
): { readonly mesh: TriangleMesh; readonly motion: MeshMotion } {
  checkSize(bytes, source);
  if (!isGltf(bytes, source))
    throw new InputError(source, 'this file has no animation; a mesh that moves is a .glb or .gltf file');
  const { mesh, motion } = readGltfMotion(bytes, source, animation);
  return {
    mesh: { ...mesh, position: place(mesh.position, placement, true) },
    motion: { ...motion, positionsAt: (time) => place(motion.positionsAt(time), placement, true) },
  };
}

function checkSize(bytes: Uint8Array, source: string): void {
  if (bytes.length > curveFileLimit)
    throw new InputError(source, `the file has ${bytes.length} bytes; ${curveFileLimit} are read at most`);
}

/** In metres with z up. */
function place(p: Float64Array, { unit = 1, up }: Placement, gltf: boolean): Float64Array {
  const isYUp = (up ?? (gltf ? 'y' : 'z')) === 'y';
  const position = new Float64Array(p.length);
  for (let i = 0; i < p.length; i += 3) {
    position[i] = unit * p[i];
    position[i + 1] = unit * (isYUp ? -p[i + 2] : p[i + 1]);
    position[i + 2] = unit * (isYUp ? p[i + 1] : p[i + 2]);
  }
  return position;
}
