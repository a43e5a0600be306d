/** Triangle meshes from OBJ and glTF files: surfaces to grow hair on, or to collide with. */
import { InputError } from '../errors.ts';
import { curveFileLimit, type Placement } from './curves.ts';
import { isGltf, readGltfMesh } from './gltf.ts';
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

/** Reads a mesh from bytes; throws `InputError`. */
export function readMesh(bytes: Uint8Array, source: string, placement: Placement = {}): TriangleMesh {
  if (bytes.length > curveFileLimit)
    throw new InputError(source, `the file has ${bytes.length} bytes; ${curveFileLimit} are read at most`);
  const gltf = isGltf(bytes, source);
  const mesh = gltf ? readGltfMesh(bytes, source) : readObjMesh(bytes, source);
  const { unit = 1, up = gltf ? 'y' : 'z' } = placement;
  const { position: p } = mesh;
  const position = new Float64Array(p.length);
  for (let i = 0; i < p.length; i += 3) {
    position[i] = unit * p[i];
    position[i + 1] = unit * (up === 'y' ? -p[i + 2] : p[i + 1]);
    position[i + 2] = unit * (up === 'y' ? p[i + 1] : p[i + 2]);
  }
  return { ...mesh, position };
}
