/**
 * glTF 2.0, binary (.glb) or text with embedded buffers (.gltf): line primitives as curves, triangles as a mesh, in the axes of the file (y up,
 * metres), at rest or as an animation moves them.
 */
import { InputError } from '../errors.ts';
import { type Curves, chainSegments, createCurveBuilder } from './curves.ts';
import { animationNames, readGltfAnimation } from './gltfAnimation.ts';
import { openGltf } from './gltfDocument.ts';
import {
  type GltfPose,
  type GltfPrimitive,
  type GltfScene,
  placePrimitive,
  readGltfScene,
  restPose,
  worldTransforms,
} from './gltfScene.ts';
import type { MeshFile, TriangleMesh } from './meshFile.ts';

export function isGltf(bytes: Uint8Array, source: string): boolean {
  return /\.(glb|gltf)$/i.test(source) || String.fromCharCode(...bytes.subarray(0, 4)) === 'glTF';
}

export function readGltfCurves(bytes: Uint8Array, source: string): Curves {
  const out = createCurveBuilder(source);
  const other = new Set<number>();
  for (const { name, mode, position: p, index } of placeAll(readGltfScene(openGltf(bytes, source)), restPose)) {
    const add = (vertices: ArrayLike<number>, closed: boolean): void => {
      out.begin(name, closed);
      for (let k = 0; k < vertices.length; k++)
        out.point(p[3 * vertices[k]], p[3 * vertices[k] + 1], p[3 * vertices[k] + 2]);
    };
    if (mode === 1) for (const { vertices, closed } of chainSegments(index)) add(vertices, closed);
    else if (mode === 2 || mode === 3) add(index, mode === 2);
    else other.add(mode);
  }
  if (out.pointCount === 0)
    throw new InputError(source, 'there are no lines in it; a glTF file with curves has primitives of mode 1, 2 or 3');
  const warnings = other.size > 0 ? ['points and triangles in it are left out'] : [];
  return out.build({ unit: 1, up: 'y', warnings });
}

/** Opens the triangles of a glTF file. Throws InputError. */
export function openGltfMesh(bytes: Uint8Array, source: string): MeshFile {
  const document = openGltf(bytes, source);
  const scene = readGltfScene(document);
  const mesh = meshOf(scene);
  return {
    mesh,
    unit: 1,
    up: 'y',
    warnings: [],
    animations: animationNames(document),
    motion(name) {
      const { times, poseAt } = readGltfAnimation(document, scene, name);
      return { name, times, positionsAt: (time) => trianglesAt(scene, poseAt(time), mesh.position.length) };
    },
  };
}

/** Vertices of all triangles in a pose, `length` numbers. */
function trianglesAt(scene: GltfScene, pose: GltfPose, length: number): Float64Array {
  const out = new Float64Array(length);
  let o = 0;
  for (const { mode, position } of placeAll(scene, pose)) {
    if (mode < 4) continue;
    out.set(position, o);
    o += position.length;
  }
  return out;
}

interface Placed extends Pick<GltfPrimitive, 'name' | 'mode' | 'index' | 'color' | 'uv'> {
  /** In the axes of the file, 3 per vertex. */
  readonly position: Float64Array;
  readonly mirrored: boolean;
}

function* placeAll(scene: GltfScene, pose: GltfPose): Generator<Placed> {
  const worlds = worldTransforms(scene, pose);
  for (const primitive of scene.primitives)
    yield { ...primitive, ...placePrimitive(scene, primitive, { worlds, pose }) };
}

function meshOf(scene: GltfScene): TriangleMesh {
  const { source } = scene;
  const position: number[] = [];
  const triangle: number[] = [];
  const color: number[] = [];
  const vertexUv: number[] = [];
  for (const { mode, position: p, index, color: c, uv, mirrored } of placeAll(scene, restPose)) {
    if (mode < 4) continue;
    const first = position.length / 3;
    for (let i = 0; i < p.length; i++) position.push(p[i]);
    if (c) for (let i = 0; i < c.length; i++) color.push(c[i]);
    // a part without texture coordinates has zeros
    for (let i = 0; i < p.length / 3; i++) vertexUv.push(uv?.[2 * i] ?? 0, uv ? 1 - uv[2 * i + 1] : 0);
    const add = (a: number, b: number, d: number): void => {
      if (mirrored) triangle.push(first + a, first + d, first + b);
      else triangle.push(first + a, first + b, first + d);
    };
    if (mode === 4) for (let k = 0; k + 2 < index.length; k += 3) add(index[k], index[k + 1], index[k + 2]);
    else
      for (let k = 2; k < index.length; k++) {
        if (mode === 6) add(index[0], index[k - 1], index[k]);
        else if (k % 2 === 0) add(index[k - 2], index[k - 1], index[k]);
        else add(index[k - 1], index[k - 2], index[k]);
      }
  }
  if (triangle.length === 0) throw new InputError(source, 'there are no triangles in it');
  return {
    position: Float64Array.from(position),
    triangle: Uint32Array.from(triangle),
    ...(color.length === position.length && { color: Float64Array.from(color) }),
    ...(scene.primitives.some(({ uv }) => uv) && {
      uv: Float64Array.from(triangle.flatMap((vertex) => [vertexUv[2 * vertex], vertexUv[2 * vertex + 1]])),
    }),
  };
}
