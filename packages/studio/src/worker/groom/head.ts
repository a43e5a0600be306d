/** What hair grows on, ready for growing, drawing and keeping hair out of it. */
import {
  compileSurfaceMap,
  createHeadField,
  createSurface,
  type HeadField,
  paintSurface,
  SceneError,
  type Surface,
  vertexMap,
} from '@tendril-sim/core';
import { listAnimations, readMesh, readTexture } from '@tendril-sim/io';
import type { ColliderInfo } from '../../protocol.ts';
import { skinColor } from '../../skin.ts';
import { headMesh, type Mesh } from './heads.ts';

const triangleLimit = 40_000;

export interface Head {
  readonly name: string;
  readonly surface: Surface;
  /** To be seen, and to be in the way. */
  readonly drawn: Mesh;
  readonly coarse: Mesh;
  readonly field: HeadField | undefined;
  /** Of a mesh of one's own: its file, and the names of its animations. */
  readonly file?: Uint8Array;
  /** The file of a texture on it. */
  readonly texture?: Uint8Array;
  readonly animations: readonly string[];
}

const made = new Map<string, Head>();

/** Made once. */
export function builtIn(id: 'head' | 'ball'): Head {
  const known = made.get(id);
  if (known) return known;
  const head = makeHead(id);
  made.set(id, head);
  return head;
}

function makeHead(id: 'head' | 'ball'): Head {
  const drawn = headMesh(id, { isFine: true });
  const coarse = headMesh(id, { isFine: false });
  const field = createHeadField(coarse, { draft: true });
  return { name: id, surface: createSurface(drawn), drawn, coarse, field, animations: [] };
}

export function readHead(bytes: Uint8Array, name: string): Head {
  const { position, triangle, color, uv } = readMesh(bytes, name);
  if (triangle.length / 3 > triangleLimit)
    throw new SceneError([], `${name} has ${triangle.length / 3} triangles; ${triangleLimit} are taken at most`);
  const surface = createSurface({ position, triangle, ...(color && { color }), ...(uv && { uv }) });
  const mesh = { position: surface.position, triangle: surface.triangle };
  const field = createHeadField(mesh, { draft: true });
  return { name, surface, drawn: mesh, coarse: mesh, field, file: bytes, animations: listAnimations(bytes, name) };
}

/** The head with the colours of a picture. */
export function paintHead(head: Head, bytes: Uint8Array, name: string): Head {
  return { ...head, surface: paintSurface(head.surface, readTexture(bytes, name)), texture: bytes };
}

/** Meshes taller than this [m] are whole characters. */
const bodyHeight = 0.6;

/** Where hair grows on a mesh of one's own until its user says so: on the top of a character's head, else where the mesh faces up. */
export function guessScalp({ drawn: { position } }: Head): string {
  let [low, high] = [Infinity, -Infinity];
  for (let i = 2; i < position.length; i += 3) {
    low = Math.min(low, position[i]);
    high = Math.max(high, position[i]);
  }
  // a head is an eighth of a body; hair grows on its upper half
  return high - low > bodyHeight ? `z > ${(high - (high - low) / 16).toFixed(3)}` : 'nz > 0';
}

/** `shaded`: where hair grows the skin is as dark as hair. */
export function colliderOf({ drawn: { position, triangle }, surface }: Head, scalp: string): ColliderInfo {
  const density = compileSurfaceMap(scalp, 'scalp');
  const same = surface.position.length === position.length;
  const shaded = same
    ? Float32Array.from(vertexMap(surface, density, 'scalp'), (value) => (value > 0 ? 1 : 0))
    : undefined;
  const triples = (values: ArrayLike<number>): number[][] =>
    Array.from({ length: values.length / 3 }, (_, k) => [values[3 * k], values[3 * k + 1], values[3 * k + 2]]);
  return {
    type: 'mesh',
    vertices: triples(position),
    faces: triples(triangle),
    color: skinColor,
    ...(shaded && { shaded }),
  };
}
