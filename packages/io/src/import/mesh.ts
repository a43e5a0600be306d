/** Triangle meshes from OBJ, glTF, USD and Alembic files: surfaces to grow hair on, or to collide with, at rest or as an animation moves them. */
import { InputError } from '../errors.ts';
import { isAlembic } from './abcContainer.ts';
import { openAlembicMesh } from './alembic.ts';
import { curveFileLimit, type Placement } from './curves.ts';
import { isGltf, openGltfMesh } from './gltf.ts';
import type { MeshFile, MeshMotion, TriangleMesh } from './meshFile.ts';
import { openObjMesh } from './obj.ts';
import { openUsdMesh } from './usdMesh.ts';
import { isUsd } from './usdStage.ts';

/** Opens a file with meshes, by its name and its first bytes. Throws InputError. */
function openMesh(bytes: Uint8Array, source: string): MeshFile {
  if (bytes.length > curveFileLimit)
    throw new InputError(source, `the file has ${bytes.length} bytes; ${curveFileLimit} are read at most`);
  if (isGltf(bytes, source)) return openGltfMesh(bytes, source);
  if (isAlembic(bytes, source)) return openAlembicMesh(bytes, source);
  if (isUsd(bytes, source)) return openUsdMesh(bytes, source);
  return openObjMesh(bytes, source);
}

/** Reads a mesh from bytes, at rest; throws `InputError`. */
export function readMesh(bytes: Uint8Array, source: string, placement: Placement = {}): TriangleMesh {
  const file = openMesh(bytes, source);
  const { warnings } = file;
  return {
    ...file.mesh,
    position: place(file.mesh.position, placement, file),
    ...(warnings.length > 0 && { warnings }),
  };
}

/** Names of the animations in a file with meshes. Throws `InputError`. */
export function listAnimations(bytes: Uint8Array, source: string): readonly string[] {
  return openMesh(bytes, source).animations;
}

/** Reads a mesh and one of its animations; without a name, the only one. Throws `InputError`. */
export function readMeshMotion(
  bytes: Uint8Array,
  source: string,
  { animation, ...placement }: Placement & { readonly animation?: string },
): { readonly mesh: TriangleMesh; readonly motion: MeshMotion; readonly warnings: readonly string[] } {
  const file = openMesh(bytes, source);
  const { mesh, animations: names, warnings } = file;
  const quoted = names.map((one) => `'${one}'`).join(', ');
  if (names.length === 0)
    throw new InputError(
      source,
      'there is no animation in it; a mesh that moves is a .glb, .gltf, .usda, .usdc, .usdz or .abc file with keys or samples in time',
    );
  if (animation === undefined && names.length > 1)
    throw new InputError(source, `there are ${names.length} animations in it; name one: ${quoted}`);
  const name = animation ?? names[0];
  if (!names.includes(name)) throw new InputError(source, `there is no animation '${name}' in it; it has ${quoted}`);
  const motion = file.motion(name);
  return {
    mesh: { ...mesh, position: place(mesh.position, placement, file) },
    motion: { ...motion, positionsAt: (time) => place(motion.positionsAt(time), placement, file) },
    warnings,
  };
}

/** In metres with z up. */
function place(p: Float64Array, placement: Placement, file: Pick<MeshFile, 'unit' | 'up'>): Float64Array {
  const unit = placement.unit ?? file.unit;
  const isYUp = (placement.up ?? file.up) === 'y';
  const position = new Float64Array(p.length);
  for (let i = 0; i < p.length; i += 3) {
    position[i] = unit * p[i];
    position[i + 1] = unit * (isYUp ? -p[i + 2] : p[i + 1]);
    position[i + 2] = unit * (isYUp ? p[i + 1] : p[i + 2]);
  }
  return position;
}
