/**
 * Skeletons and blend shapes of USD files (UsdSkel): a mesh that follows joints, with weights at its vertices, and shapes that are added to its
 * points. Bindings (`skel:skeleton`, `skel:animationSource`) may be set on the mesh or on a prim above it.
 */
import { InputError } from '../errors.ts';
import { followJoints, normalizeWeights, type SkinWeights } from './skinning.ts';
import {
  compose,
  fromMatrix,
  fromQuaternion,
  identity,
  invert,
  normalizeQuaternion,
  slerp,
  type Transform,
  transformAll,
} from './transform.ts';
import type { UsdAttribute, UsdPrim } from './usda.ts';
import {
  aroundTime,
  atRest,
  atTime,
  numbersOf,
  type UsdPlace,
  type UsdStage,
  wordOf,
  wordsOf,
  worldOf,
} from './usdStage.ts';

/** A mesh bound to a skeleton, or with blend shapes. */
export interface UsdSkinning {
  /** Attributes whose samples move the mesh. */
  readonly moving: readonly UsdAttribute[];
  /** Prims whose transforms place the skinned mesh. */
  readonly placedBy: UsdPlace;
  /** Points in the axes of the stage at a time code; undefined: in the pose in which the mesh was bound. */
  pointsAt(points: Float64Array, code: number | undefined): Float64Array;
}

interface Skeleton {
  readonly place: UsdPlace;
  readonly joints: readonly string[];
  /** Index of each joint's parent; -1: none. */
  readonly parent: readonly number[];
  /** To the axes of the skeleton when the mesh was bound, and relative to the parent without animation. */
  readonly bind: readonly Transform[];
  readonly rest: readonly Transform[];
}

/** How a mesh is skinned; undefined if it is not. Throws InputError if a binding is incomplete. */
export function skinningOf(stage: UsdStage, place: UsdPlace): UsdSkinning | undefined {
  const { prim } = place;
  const shapes = blendShapesOf(stage, prim);
  const hasJoints = prim.attributes.has('primvars:skel:jointIndices');
  if (!hasJoints && shapes.length === 0) return undefined;
  const skeletonPlace = targetOf(stage, place, 'skel:skeleton') ?? onlyPrim(stage, 'Skeleton');
  const animation =
    (skeletonPlace && targetOf(stage, skeletonPlace, 'skel:animationSource')) ??
    targetOf(stage, place, 'skel:animationSource') ??
    onlyPrim(stage, 'SkelAnimation');
  const morph = (points: Float64Array, code: number | undefined): Float64Array =>
    morphPoints(points, shapes, code === undefined ? undefined : animation?.prim, code ?? 0);
  const moving = animation ? [...animation.prim.attributes.values()] : [];
  if (!hasJoints)
    return {
      moving,
      placedBy: place,
      pointsAt: (points, code) => transformAll(morph(points, code), worldAt(stage, place, code)),
    };
  if (!skeletonPlace)
    throw new InputError(stage.source, `'${prim.name}' follows joints, but there is no Skeleton in the file`);
  const skeleton = readSkeleton(stage, skeletonPlace);
  const weights = weightsOf(stage, prim, skeleton);
  const geometry = numbersOf(prim, 'primvars:skel:geomBindTransform', atRest);
  const bound = geometry?.length === 16 ? fromMatrix(geometry) : identity;
  return {
    moving,
    placedBy: skeletonPlace,
    pointsAt(points, code) {
      const own = transformAll(morph(points, code), bound);
      const world = worldAt(stage, skeletonPlace, code);
      if (code === undefined) return transformAll(own, world);
      const joints = poseAt(skeleton, animation?.prim, code).map((joint, k) =>
        compose(world, compose(joint, inverseBind(skeleton, k, stage.source))),
      );
      return followJoints(own, weights(points.length / 3), joints);
    },
  };
}

function worldAt(stage: UsdStage, place: UsdPlace, code: number | undefined): Transform {
  return worldOf(place, code === undefined ? atRest : atTime(code), stage.warnings);
}

/** The prim that a relationship names, on the prim itself or on the nearest one above that sets it. */
function targetOf(stage: UsdStage, { prim, above }: UsdPlace, name: string): UsdPlace | undefined {
  for (const one of [prim, ...[...above].reverse()]) {
    const path = one.relations.get(name)?.[0];
    if (path !== undefined) return stage.byPath.get(path);
  }
  return undefined;
}

function onlyPrim({ places }: UsdStage, type: string): UsdPlace | undefined {
  const found = places.filter(({ prim }) => prim.type === type);
  return found.length === 1 ? found[0] : undefined;
}

function readSkeleton({ source }: UsdStage, place: UsdPlace): Skeleton {
  const { prim } = place;
  const joints = wordsOf(prim, 'joints') ?? [];
  const matrices = (name: string): Transform[] | undefined => {
    const values = numbersOf(prim, name, atRest);
    if (values?.length !== 16 * joints.length) return undefined;
    return joints.map((_, k) => fromMatrix(values, 16 * k));
  };
  const bind = matrices('bindTransforms');
  if (joints.length === 0 || !bind)
    throw new InputError(source, `Skeleton "${prim.name}" needs joints, and a bind transform for each of them`);
  const parent = joints.map((joint) => {
    const parts = joint.split('/');
    for (let n = parts.length - 1; n > 0; n--) {
      const found = joints.indexOf(parts.slice(0, n).join('/'));
      if (found >= 0) return found;
    }
    return -1;
  });
  if (parent.some((p, k) => p >= k))
    throw new InputError(source, `joints of Skeleton "${prim.name}" are out of order: a parent comes after its child`);
  const rest =
    matrices('restTransforms') ??
    bind.map((own, k) => (parent[k] < 0 ? own : compose(invert(bind[parent[k]]) ?? identity, own)));
  return { place, joints, parent, bind, rest };
}

function inverseBind({ bind, joints }: Skeleton, k: number, source: string): Transform {
  const inverse = invert(bind[k]);
  if (!inverse) throw new InputError(source, `the bind transform of joint '${joints[k]}' has no inverse`);
  return inverse;
}

/** Joints in the axes of the skeleton at a time code. */
function poseAt({ joints, parent, rest }: Skeleton, animation: UsdPrim | undefined, code: number): Transform[] {
  const animated = (animation && wordsOf(animation, 'joints')) ?? [];
  const index = new Map(animated.map((joint, k) => [joint, k]));
  const translations = animation && numbersOf(animation, 'translations', atTime(code));
  const scales = animation && numbersOf(animation, 'scales', atTime(code));
  const rotations = animation && rotationsAt(animation, code);
  const out: Transform[] = [];
  joints.forEach((joint, k) => {
    const a = index.get(joint);
    const own = a === undefined || !translations || !rotations ? rest[k] : localOf(a, translations, rotations, scales);
    out.push(parent[k] < 0 ? own : compose(out[parent[k]], own));
  });
  return out;
}

function localOf(k: number, translations: Float64Array, rotations: Float64Array, scales?: Float64Array): Transform {
  const [w, x, y, z] = normalizeQuaternion(Array.from(rotations.subarray(4 * k, 4 * k + 4)));
  const turned = fromQuaternion(w, x, y, z);
  const scaled = turned.slice(0, 9).map((value, i) => value * (scales?.[3 * k + Math.floor(i / 3)] ?? 1));
  return [...scaled, ...translations.subarray(3 * k, 3 * k + 3)];
}

/** Four numbers per joint (w, x, y, z), along the shorter way between two samples. */
function rotationsAt(animation: UsdPrim, code: number): Float64Array | undefined {
  const attribute = animation.attributes.get('rotations');
  if (!attribute) return undefined;
  const { a, b, t } = aroundTime(attribute, code);
  if (!(a instanceof Float64Array)) return undefined;
  if (t === 0 || !(b instanceof Float64Array) || b.length !== a.length) return a;
  const out = new Float64Array(a.length);
  for (let i = 0; i + 3 < a.length; i += 4) out.set(slerp(a.subarray(i, i + 4), b.subarray(i, i + 4), t), i);
  return out;
}

/** Weights for a number of vertices. The mesh may list its joints in an order of its own, or follow one joint as a whole. */
function weightsOf({ source }: UsdStage, prim: UsdPrim, skeleton: Skeleton): (count: number) => SkinWeights {
  const attribute = prim.attributes.get('primvars:skel:jointIndices');
  const indices = numbersOf(prim, 'primvars:skel:jointIndices', atRest);
  const given = numbersOf(prim, 'primvars:skel:jointWeights', atRest);
  if (!indices || !given || indices.length !== given.length)
    throw new InputError(source, `'${prim.name}' needs as many joint weights as joint indices`);
  const own = wordsOf(prim, 'skel:joints');
  const order = own?.map((joint) => skeleton.joints.indexOf(joint));
  const missing = order?.findIndex((k) => k < 0) ?? -1;
  if (missing >= 0)
    throw new InputError(source, `'${prim.name}' names the joint '${own?.[missing]}', which its skeleton lacks`);
  const isWhole = attribute?.metadata.interpolation === 'constant';
  const size = attribute?.metadata.elementSize;
  return (count) => {
    const perVertex = isWhole ? indices.length : typeof size === 'number' ? size : indices.length / Math.max(1, count);
    if (!isWhole && (!Number.isInteger(perVertex) || perVertex * count !== indices.length))
      throw new InputError(source, `'${prim.name}' has ${indices.length} joint indices for ${count} vertices`);
    const at = (values: Float64Array, k: number): number => values[isWhole ? k % perVertex : k];
    const weights = {
      perVertex,
      joint: Uint32Array.from({ length: perVertex * count }, (_, k) => order?.[at(indices, k)] ?? at(indices, k)),
      weight: Float64Array.from({ length: perVertex * count }, (_, k) => at(given, k)),
    };
    normalizeWeights(weights, { joints: skeleton.joints.length, name: prim.name, source });
    return weights;
  };
}

/** Offsets of points at some weights, increasing; those at weight 0 are zero. */
interface BlendShape {
  readonly name: string;
  readonly keys: readonly { readonly weight: number; readonly offsets: Float64Array }[];
  readonly points: Float64Array | undefined;
}

function blendShapesOf(stage: UsdStage, prim: UsdPrim): BlendShape[] {
  const names = wordsOf(prim, 'skel:blendShapes') ?? [];
  const targets = prim.relations.get('skel:blendShapeTargets') ?? [];
  return names.flatMap((name, k): BlendShape[] => {
    const shape = stage.byPath.get(targets[k] ?? '')?.prim;
    const offsets = shape && numbersOf(shape, 'offsets', atRest);
    if (!shape || !offsets) return [];
    const between = [...shape.attributes].flatMap(([key, { value, metadata }]) =>
      /^inbetweens:[^:]+$/.test(key) && value instanceof Float64Array && typeof metadata.weight === 'number'
        ? [{ weight: metadata.weight, offsets: value }]
        : [],
    );
    const keys = [{ weight: 0, offsets: new Float64Array(offsets.length) }, ...between, { weight: 1, offsets }];
    keys.sort((a, b) => a.weight - b.weight);
    return [{ name, keys, points: numbersOf(shape, 'pointIndices', atRest) }];
  });
}

/** Points with blend shapes added, by the weights of an animation. */
function morphPoints(
  points: Float64Array,
  shapes: readonly BlendShape[],
  animation: UsdPrim | undefined,
  code: number,
): Float64Array {
  const names = (animation && wordsOf(animation, 'blendShapes')) ?? [];
  const weights = animation && numbersOf(animation, 'blendShapeWeights', atTime(code));
  if (!weights) return points;
  const out = points.slice();
  for (const { name, keys, points: chosen } of shapes) {
    const weight = weights[names.indexOf(name)] ?? 0;
    if (weight === 0) continue;
    // linear between neighbouring keys, and beyond the outermost ones
    const after = Math.max(
      1,
      keys.findIndex((key) => key.weight >= weight),
    );
    const [a, b] = keys[keys.length - 1].weight < weight ? keys.slice(-2) : [keys[after - 1], keys[after]];
    const t = (weight - a.weight) / (b.weight - a.weight);
    for (let i = 0; i < b.offsets.length; i++) {
      const at = 3 * (chosen ? chosen[Math.floor(i / 3)] : Math.floor(i / 3)) + (i % 3);
      if (at < out.length) out[at] += a.offsets[i] + t * (b.offsets[i] - a.offsets[i]);
    }
  }
  return out;
}

/** True for a prim that is not drawn. */
export function isHidden({ prim, above }: UsdPlace): boolean {
  return [...above, prim].some((one) => wordOf(one, 'visibility', 'inherited') === 'invisible');
}
