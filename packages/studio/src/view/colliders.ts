/**
 * Things in the way, in neutral grey, where they are. A plane is drawn as a disc about the rods; what is given by a formula or a grid
 * comes as a mesh, which the worker makes of it.
 */
import { type HairShadowUniforms, hairLight } from '@tendril-sim/bridge/three';
import type { BlendSpec } from '@tendril-sim/core';
import {
  Box3,
  BoxGeometry,
  BufferAttribute,
  BufferGeometry,
  CapsuleGeometry,
  CircleGeometry,
  Color,
  DoubleSide,
  Group,
  Mesh,
  MeshStandardMaterial,
  Quaternion,
  ShaderChunk,
  SphereGeometry,
  TorusGeometry,
  Vector3,
} from 'three';
import type { ColliderInfo } from '../protocol.ts';
import { skinWrap } from '../skin.ts';
import { aroundRods } from './frameCamera.ts';

type Triple = readonly [number, number, number];

const isTriple = (value: unknown): value is Triple =>
  Array.isArray(value) && value.length === 3 && value.every((x) => typeof x === 'number');

export interface Colliders {
  readonly group: Group;
  /** Of those that stay where they are, but for planes, which have no end. */
  readonly bounds: Box3;
  /** Of those that move, where they are now, as far as they are near the rods; valid until the next call. */
  movingBounds(rods: Box3): Box3;
  /** Position and orientation w x y z. */
  place(collider: number, at: ArrayLike<number>): void;
  at(collider: number): number[] | undefined;
  /** Colour of skin under hair. */
  shade(color: string): void;
  /** Meshes that change with time, as they are at t [s]. */
  deform(t: number): void;
  dispose(): void;
}

/** Of the physical material: light that falls on skin at a slant reaches beyond the edge of its own shadow. */
const wrapped = ShaderChunk.lights_physical_pars_fragment.replace(
  'vec3 irradiance = dotNL * directLight.color;',
  `const vec3 wrap = vec3(${skinWrap.join(', ')});
  float slant = dot(geometryNormal, directLight.direction);
  vec3 irradiance = max(vec3(0.0), (slant + wrap) / (1.0 + wrap)) * directLight.color;`,
);

/** Skin, from which hair takes light. */
function shadeByHair(material: MeshStandardMaterial, shadow: HairShadowUniforms): void {
  material.onBeforeCompile = (shader) => {
    Object.assign(shader.uniforms, shadow);
    shader.vertexShader = shader.vertexShader
      .replace('#include <common>', '#include <common>\nvarying vec3 vHairPlace;')
      .replace(
        '#include <fog_vertex>',
        'vHairPlace = (modelMatrix * vec4(transformed, 1.0)).xyz;\n#include <fog_vertex>',
      );
    shader.fragmentShader = shader.fragmentShader
      .replace('#include <lights_physical_pars_fragment>', wrapped)
      .replace('#include <common>', `#include <common>\nvarying vec3 vHairPlace;\n${hairLight}`)
      .replace(
        '#include <opaque_fragment>',
        `vec2 underHair = hairLight(vHairPlace);
        outgoingLight *= mix(0.25, 1.0, underHair.y * (0.35 + 0.65 * underHair.x));
        #include <opaque_fragment>`,
      );
  };
  material.customProgramCacheKey = () => 'tendril-under-hair';
}

type ColliderMesh = Mesh<BufferGeometry, MeshStandardMaterial>;

/** A mesh part of whose vertices take the colour of hair: how much of it each has, 0…1. */
interface Shade {
  readonly mesh: ColliderMesh;
  readonly shaded: Float32Array;
  readonly plain: Color;
}

/** The mesh of a collider in its initial pose; undefined if its shape is not drawn. */
function createMesh(collider: ColliderInfo, near: Box3, shadow?: HairShadowUniforms): ColliderMesh | undefined {
  const geometry = geometryOf(collider, near);
  if (!geometry) return undefined;
  const hollow = collider.hollow === true;
  const flat = collider.type === 'plane';
  const material = new MeshStandardMaterial({
    color: typeof collider.color === 'string' ? collider.color : '#9aa0a8',
    roughness: shadow ? 0.6 : 0.8,
    side: DoubleSide,
    transparent: hollow || flat,
    opacity: hollow ? 0.18 : flat ? 0.16 : 1,
    depthWrite: !hollow && !flat,
  });
  if (shadow && !hollow && !flat) shadeByHair(material, shadow);
  const mesh = new Mesh(geometry, material);
  mesh.castShadow = !hollow && !flat;
  mesh.receiveShadow = !flat;
  if (isTriple(collider.position)) mesh.position.set(...collider.position);
  if (isTriple(collider.rotation)) {
    const turn = new Vector3(...collider.rotation);
    const angle = turn.length();
    if (angle > 0) mesh.quaternion.copy(new Quaternion().setFromAxisAngle(turn.divideScalar(angle), angle));
  }
  return mesh;
}

/** Colours the vertices between the mesh's own colour and a dark shade of the hair's. */
function colorShade({ mesh, shaded, plain }: Shade, color: string): void {
  const dark = new Color(color).lerp(plain, 0.12).multiplyScalar(0.62);
  const colors = new Float32Array(3 * shaded.length);
  shaded.forEach((part, k) => {
    colors.set(
      [plain.r + part * (dark.r - plain.r), plain.g + part * (dark.g - plain.g), plain.b + part * (dark.b - plain.b)],
      3 * k,
    );
  });
  mesh.geometry.setAttribute('color', new BufferAttribute(colors, 3));
  mesh.material.color.set('#ffffff');
  mesh.material.vertexColors = true;
  mesh.material.needsUpdate = true;
}

/** Moves the vertices to their positions at time t. */
function deformMesh({ mesh, keys, smooth, blend }: Deforming, t: number): void {
  const { position } = mesh.geometry.attributes;
  if (blend) {
    const weights = new Float64Array(blend.shapes.length);
    writeValues(weights, keys, t, smooth);
    position.array.set(blend.rest);
    blend.shapes.forEach((shape, s) => {
      for (let i = 0; i < shape.length; i++) position.array[i] += weights[s] * shape[i];
    });
  } else writeValues(position.array, keys, t, smooth);
  position.needsUpdate = true;
  mesh.geometry.computeVertexNormals();
}

export interface Surroundings {
  /** Bounds of the rods. */
  readonly rods: Box3;
  /** Numbers of the colliders that move. */
  readonly moving: readonly number[];
  /** Of hair. */
  readonly shadow?: HairShadowUniforms;
}

/** Creates the meshes of all colliders. */
export function createColliders(
  colliders: readonly ColliderInfo[],
  { rods: near, moving, shadow }: Surroundings,
): Colliders {
  const group = new Group();
  const shades: Shade[] = [];
  const meshes = colliders.map((collider) => {
    const mesh = createMesh(collider, near, shadow);
    if (!mesh) return undefined;
    if (collider.shaded instanceof Float32Array)
      shades.push({ mesh, shaded: collider.shaded, plain: mesh.material.color.clone() });
    group.add(mesh);
    return mesh;
  });
  const bounds = new Box3();
  meshes.forEach((mesh, k) => {
    if (mesh && colliders[k].type !== 'plane' && !moving.includes(k)) bounds.expandByObject(mesh);
  });
  const [own, all] = [new Box3(), new Box3()];
  const deforming = colliders.flatMap((collider, k): Deforming[] => {
    const keys = keysOf(collider);
    const mesh = meshes[k];
    const smooth = collider.interpolation === 'smooth';
    return keys && mesh ? [{ mesh, keys, smooth, blend: blendOf(collider) }] : [];
  });
  return {
    group,
    bounds,
    movingBounds(rods) {
      all.makeEmpty();
      for (const k of moving) {
        const mesh = meshes[k];
        if (!mesh || colliders[k].type === 'plane') continue;
        if (!mesh.geometry.boundingBox) mesh.geometry.computeBoundingBox();
        mesh.updateMatrix();
        if (mesh.geometry.boundingBox) all.union(own.copy(mesh.geometry.boundingBox).applyMatrix4(mesh.matrix));
      }
      return all.isEmpty() ? all : all.intersect(aroundRods(rods));
    },
    place(collider, at) {
      const mesh = meshes[collider];
      if (!mesh) return;
      mesh.position.set(at[0], at[1], at[2]);
      mesh.quaternion.set(at[4], at[5], at[6], at[3]).normalize();
    },
    at: (collider) => meshes[collider]?.position.toArray(),
    shade(color) {
      for (const one of shades) colorShade(one, color);
    },
    deform(t) {
      for (const one of deforming) deformMesh(one, t);
    },
    dispose() {
      for (const mesh of meshes) {
        mesh?.geometry.dispose();
        mesh?.material.dispose();
      }
    },
  };
}

/** Coordinates of all vertices, or weights of all blend shapes, at a time. */
interface MeshKey {
  readonly time: number;
  readonly values: readonly number[];
}

interface Deforming {
  readonly mesh: ColliderMesh;
  readonly keys: readonly MeshKey[];
  readonly smooth: boolean;
  readonly blend?: { readonly rest: Float32Array; readonly shapes: readonly Float32Array[] };
}

/** Values at t: linear between the keys, or, if smooth, a cubic through the four nearest keys, close to the spline that rods collide with. */
function writeValues(
  out: { [k: number]: number; length: number },
  keys: readonly MeshKey[],
  t: number,
  smooth: boolean,
): void {
  const last = keys.length - 1;
  let k = 0;
  while (k + 2 <= last && keys[k + 1].time <= t) k++;
  const [a, b] = [keys[k], keys[Math.min(k + 1, last)]];
  const span = b.time - a.time;
  const w = span > 0 ? Math.min(1, Math.max(0, (t - a.time) / span)) : 0;
  if (!smooth || span === 0) {
    for (let i = 0; i < out.length; i++) out[i] = a.values[i] + w * (b.values[i] - a.values[i]);
    return;
  }
  const [before, after] = [keys[Math.max(0, k - 1)], keys[Math.min(k + 2, last)]];
  const slope = (p: MeshKey, q: MeshKey, i: number): number => (span * (q.values[i] - p.values[i])) / (q.time - p.time);
  const [toB, outA, intoB] = [w * w * (3 - 2 * w), w * (1 - w) * (1 - w), -w * w * (1 - w)];
  for (let i = 0; i < out.length; i++)
    out[i] =
      a.values[i] +
      toB * (b.values[i] - a.values[i]) +
      outA * (k === 0 ? 0 : slope(before, b, i)) +
      intoB * (k + 1 === last ? 0 : slope(a, after, i));
}

function keysOf({ deform, blend }: ColliderInfo): MeshKey[] | undefined {
  if (isBlend(blend)) return blend.keys.map(({ time, weights }) => ({ time, values: weights }));
  if (!Array.isArray(deform) || deform.length === 0) return undefined;
  return (deform as { time: number; vertices: number[][] }[]).map(({ time, vertices }) => ({
    time,
    values: vertices.flat(),
  }));
}

function isBlend(blend: unknown): blend is BlendSpec {
  return typeof blend === 'object' && blend !== null && 'shapes' in blend && 'keys' in blend;
}

function blendOf({ blend, vertices }: ColliderInfo): Deforming['blend'] {
  if (!isBlend(blend)) return undefined;
  const flat = (list: readonly (readonly number[])[]): Float32Array => Float32Array.from(list.flat());
  return { rest: flat(vertices as number[][]), shapes: blend.shapes.map(flat) };
}

function geometryOf(collider: ColliderInfo, near: Box3): BufferGeometry | undefined {
  const { type, radius, size, from, to } = collider;
  if (type === 'sphere' && typeof radius === 'number') return new SphereGeometry(radius, 48, 32);
  if (type === 'ellipsoid' && isTriple(collider.radii)) return new SphereGeometry(1, 48, 32).scale(...collider.radii);
  if (type === 'torus' && typeof radius === 'number' && typeof collider.ring === 'number')
    return new TorusGeometry(collider.ring, radius, 32, 96);
  if (type === 'box' && isTriple(size)) return new BoxGeometry(...size);
  if (type === 'plane') {
    const normal = new Vector3(...(isTriple(collider.normal) ? collider.normal : ([0, 0, 1] as const))).normalize();
    const reach = near.isEmpty() ? 1 : near.getSize(new Vector3()).length();
    const turn = new Quaternion().setFromUnitVectors(new Vector3(0, 0, 1), normal);
    // about the foot of the rods' middle, in the plane's own axes (it is seldom turned)
    const origin = new Vector3(...(isTriple(collider.position) ? collider.position : ([0, 0, 0] as const)));
    const foot = near.isEmpty() ? new Vector3() : near.getCenter(new Vector3()).sub(origin);
    foot.addScaledVector(normal, -foot.dot(normal));
    return new CircleGeometry(0.8 * reach, 72).applyQuaternion(turn).translate(foot.x, foot.y, foot.z);
  }
  if (type === 'capsule' && typeof radius === 'number' && isTriple(from) && isTriple(to)) {
    const a = new Vector3(...from);
    const b = new Vector3(...to);
    const along = b.clone().sub(a);
    const turn = new Quaternion().setFromUnitVectors(new Vector3(0, 1, 0), along.clone().normalize());
    const middle = a.add(b).multiplyScalar(0.5);
    return new CapsuleGeometry(radius, along.length(), 12, 32)
      .applyQuaternion(turn)
      .translate(middle.x, middle.y, middle.z);
  }
  const { vertices, faces } = collider;
  if (Array.isArray(vertices) && Array.isArray(faces)) {
    const geometry = new BufferGeometry();
    const index: number[] = [];
    for (const face of faces as number[][])
      for (let k = 2; k < face.length; k++) index.push(face[0], face[k - 1], face[k]);
    geometry.setAttribute('position', new BufferAttribute(new Float32Array((vertices as number[][]).flat()), 3));
    geometry.setIndex(index);
    geometry.computeVertexNormals();
    return geometry;
  }
  return undefined;
}
