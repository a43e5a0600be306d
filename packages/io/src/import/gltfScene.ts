/**
 * Nodes and primitives of a glTF file, and where vertices are for given transforms of the nodes: morph targets first, then the joints of a
 * skin, or the node's own transform if there is no skin.
 */
import { InputError } from '../errors.ts';
import { type GltfDocument, item, type Json, numbers, readAccessor, whole } from './gltfDocument.ts';
import { followJoints, normalizeWeights, type SkinWeights } from './skinning.ts';
import {
  compose,
  determinant,
  fromMatrix,
  fromQuaternion,
  identity,
  type Transform,
  transformAll,
} from './transform.ts';

/** Translation, rotation (x, y, z, w) and scale of a node. */
export interface Placing {
  readonly translation: readonly number[];
  readonly rotation: readonly number[];
  readonly scale: readonly number[];
}

export interface GltfNode {
  readonly index: number;
  /** Index of the parent among the nodes of the file; -1: none. */
  readonly parent: number;
  /** As the file has it at rest; a transform if the file gives a matrix. */
  readonly rest: Placing | Transform;
  /** Weights of morph targets at rest. */
  readonly weights?: readonly number[];
}

interface Skin extends SkinWeights {
  /** Nodes of the joints, and what takes a vertex from the mesh to each joint's axes. */
  readonly nodes: readonly number[];
  readonly inverseBind: readonly Transform[];
}

export interface GltfPrimitive {
  readonly name: string;
  readonly node: number;
  readonly mode: number;
  /** In the axes of the mesh, 3 per vertex. */
  readonly position: Float64Array;
  readonly index: Uint32Array;
  readonly color?: Float64Array;
  /** Texture coordinates, 2 per vertex; (0, 0) is the top left of a picture. */
  readonly uv?: Float64Array;
  /** Displacements of morph targets, 3 per vertex, and their weights at rest. */
  readonly targets: readonly Float64Array[];
  readonly targetWeights: readonly number[];
  readonly skin?: Skin;
}

export interface GltfScene {
  readonly source: string;
  /** Nodes of the scene, parents before their children. */
  readonly nodes: readonly GltfNode[];
  readonly primitives: readonly GltfPrimitive[];
}

/** Transforms and weights that replace those at rest. */
export interface GltfPose {
  readonly placing: (node: GltfNode) => Transform;
  readonly weights: (node: number) => readonly number[] | undefined;
}

export const restPose: GltfPose = {
  placing: ({ rest }) => ('translation' in rest ? transformOf(rest) : rest),
  weights: () => undefined,
};

export function transformOf({ translation, rotation: [x, y, z, w], scale }: Placing): Transform {
  const turned = fromQuaternion(w, x, y, z);
  return [...turned.slice(0, 9).map((value, k) => value * scale[Math.floor(k / 3)]), ...translation];
}

/** Reads the file's scene: all its nodes, and the primitives of their meshes. */
export function readGltfScene(document: GltfDocument): GltfScene {
  const { json, source } = document;
  const nodes = nodesOf(json, source);
  const known = new Set(nodes.map(({ index }) => index));
  const primitives = nodes.flatMap(({ index }) => {
    const node = item(json, 'nodes', index, source);
    if (node.mesh === undefined) return [];
    const mesh = item(json, 'meshes', node.mesh, source);
    const count = Array.isArray(mesh.primitives) ? mesh.primitives.length : 0;
    return Array.from({ length: count }, (_, p) => {
      const primitive = readPrimitive(document, item(mesh, 'primitives', p, source), { node, index, mesh });
      const lost = primitive.skin?.nodes.find((joint) => !known.has(joint));
      if (lost !== undefined)
        throw new InputError(source, `joint ${lost} of '${primitive.name}' is not a node of the scene`);
      return primitive;
    });
  });
  return { source, nodes, primitives };
}

function nodesOf(json: Json, source: string): GltfNode[] {
  const scenes = Array.isArray(json.scenes) ? json.scenes : [];
  const roots: unknown =
    scenes.length > 0 ? item(json, 'scenes', json.scene ?? 0, source).nodes : nodesWithoutParent(json);
  const queue: { index: unknown; parent: number }[] = [];
  for (const index of Array.isArray(roots) ? roots : []) queue.push({ index, parent: -1 });
  const visited = new Set<unknown>();
  const nodes: GltfNode[] = [];
  for (let k = 0; k < queue.length; k++) {
    const { index, parent } = queue[k];
    const node = item(json, 'nodes', index, source);
    // nodes are trees; with shared children or circles there would be no end of them
    if (visited.has(index)) throw new InputError(source, `nodes[${String(index)}] has two parents; glTF allows one`);
    visited.add(index);
    for (const child of Array.isArray(node.children) ? node.children : [])
      queue.push({ index: child, parent: index as number });
    const weights = Array.isArray(node.weights) ? node.weights.map(Number) : undefined;
    nodes.push({ index: index as number, parent, rest: restOf(node, source), ...(weights && { weights }) });
  }
  return nodes;
}

/** Without a scene, all trees of the file count. */
function nodesWithoutParent(json: Json): number[] {
  const nodes: readonly (Json | null)[] = Array.isArray(json.nodes) ? json.nodes : [];
  const children = new Set(nodes.flatMap((node) => (Array.isArray(node?.children) ? node.children : [])));
  return nodes.map((_, k) => k).filter((k) => !children.has(k));
}

function restOf(node: Json, source: string): Placing | Transform {
  if (node.matrix !== undefined) return fromMatrix(numbers(node.matrix, 16, [], source));
  return {
    translation: numbers(node.translation, 3, [0, 0, 0], source),
    rotation: numbers(node.rotation, 4, [0, 0, 0, 1], source),
    scale: numbers(node.scale, 3, [1, 1, 1], source),
  };
}

interface Owner {
  readonly node: Json;
  readonly index: number;
  readonly mesh: Json;
}

function readPrimitive(document: GltfDocument, primitive: Json, { node, index, mesh }: Owner): GltfPrimitive {
  const { source } = document;
  const name = String(node.name ?? mesh.name ?? '');
  const attributes = (primitive.attributes ?? {}) as Json;
  const position = readVectors(document, attributes.POSITION, name);
  const count = position.length / 3;
  const corners =
    primitive.indices === undefined
      ? Uint32Array.from({ length: count }, (_, k) => k)
      : Uint32Array.from(readAccessor(document, primitive.indices).values);
  const wrong = corners.findIndex((vertex) => vertex >= count);
  if (wrong >= 0)
    throw new InputError(source, `index ${wrong} of '${name}' is ${corners[wrong]}, and it has ${count} vertices`);
  const color = attributes.COLOR_0 === undefined ? undefined : readAccessor(document, attributes.COLOR_0);
  const uv = attributes.TEXCOORD_0 === undefined ? undefined : readAccessor(document, attributes.TEXCOORD_0).values;
  if (uv && uv.length !== 2 * count)
    throw new InputError(source, `'${name}' has ${count} vertices and ${uv.length / 2} texture coordinates`);
  const targets = targetsOf(document, primitive, { name, count });
  return {
    name,
    node: index,
    mode: whole(primitive.mode, 4, 'mode', source),
    position,
    index: corners,
    targets,
    targetWeights: targets.map((_, k) => (Array.isArray(mesh.weights) ? Number(mesh.weights[k] ?? 0) : 0)),
    ...(color && { color: color.values.filter((_, k) => k % color.components < 3) }),
    ...(uv && { uv }),
    ...(node.skin !== undefined && { skin: readSkin(document, node.skin, attributes, { name, count }) }),
  };
}

function readVectors(document: GltfDocument, accessor: unknown, name: string): Float64Array {
  const { values, components } = readAccessor(document, accessor);
  if (components === 3) return values;
  throw new InputError(document.source, `positions of '${name}' have ${components} components, expected 3`);
}

interface Vertices {
  readonly name: string;
  readonly count: number;
}

function targetsOf(document: GltfDocument, primitive: Json, { name, count }: Vertices): Float64Array[] {
  const targets = Array.isArray(primitive.targets) ? primitive.targets : [];
  return targets.map((_, k) => {
    const target = item(primitive, 'targets', k, document.source);
    if (target.POSITION === undefined) return new Float64Array(3 * count);
    const values = readVectors(document, target.POSITION, name);
    if (values.length !== 3 * count)
      throw new InputError(
        document.source,
        `morph target ${k} of '${name}' has ${values.length / 3} vertices, expected ${count}`,
      );
    return values;
  });
}

function readSkin(document: GltfDocument, index: unknown, attributes: Json, { name, count }: Vertices): Skin {
  const { json, source } = document;
  const skin = item(json, 'skins', index, source);
  const nodes = (Array.isArray(skin.joints) ? skin.joints : []).map((joint) => whole(joint, 0, 'joint', source));
  if (nodes.length === 0) throw new InputError(source, `the skin of '${name}' has no joints`);
  const bind = skin.inverseBindMatrices === undefined ? undefined : readAccessor(document, skin.inverseBindMatrices);
  if (bind && (bind.components !== 16 || bind.values.length < 16 * nodes.length))
    throw new InputError(source, `the skin of '${name}' needs ${nodes.length} inverse bind matrices`);
  const inverseBind = nodes.map((_, k) => (bind ? fromMatrix(bind.values, 16 * k) : identity));
  const sets = [0, 1, 2, 3].filter((k) => attributes[`JOINTS_${k}`] !== undefined);
  if (sets.length === 0) throw new InputError(source, `'${name}' has a skin, but no joints at its vertices (JOINTS_0)`);
  const perVertex = 4 * sets.length;
  const joint = new Uint32Array(perVertex * count);
  const weight = new Float64Array(perVertex * count);
  sets.forEach((set, s) => {
    const joints = readAccessor(document, attributes[`JOINTS_${set}`]);
    const weights = readAccessor(document, attributes[`WEIGHTS_${set}`]);
    for (const { values, components } of [joints, weights])
      if (components !== 4 || values.length !== 4 * count)
        throw new InputError(source, `joints and weights of '${name}' must be four per vertex`);
    for (let i = 0; i < count; i++)
      for (let k = 0; k < 4; k++) {
        joint[perVertex * i + 4 * s + k] = joints.values[4 * i + k];
        weight[perVertex * i + 4 * s + k] = weights.values[4 * i + k];
      }
  });
  const skinned = { perVertex, joint, weight, nodes, inverseBind };
  normalizeWeights(skinned, { joints: nodes.length, name, source });
  return skinned;
}

/** Transforms of all nodes to the axes of the scene, by the index of the node. */
export function worldTransforms({ nodes }: GltfScene, pose: GltfPose): ReadonlyMap<number, Transform> {
  const worlds = new Map<number, Transform>();
  for (const node of nodes) worlds.set(node.index, compose(worlds.get(node.parent) ?? identity, pose.placing(node)));
  return worlds;
}

/** Vertices of a primitive in the axes of the scene. `mirrored`: its triangles face the other way. */
export function placePrimitive(
  scene: GltfScene,
  primitive: GltfPrimitive,
  { worlds, pose }: { readonly worlds: ReadonlyMap<number, Transform>; readonly pose: GltfPose },
): { readonly position: Float64Array; readonly mirrored: boolean } {
  const { name, skin, node } = primitive;
  const own = scene.nodes.find(({ index }) => index === node);
  const shape = morph(primitive, pose.weights(node) ?? own?.weights ?? primitive.targetWeights);
  const worldOf = (k: number): Transform => worlds.get(k) ?? identity;
  const joints = skin ? skin.nodes.map((joint, k) => compose(worldOf(joint), skin.inverseBind[k])) : [worldOf(node)];
  const position = skin ? followJoints(shape, skin, joints) : transformAll(shape, joints[0]);
  const wrong = position.findIndex((x) => !Number.isFinite(x));
  if (wrong >= 0) throw new InputError(scene.source, `vertex ${Math.floor(wrong / 3)} of '${name}' is not finite`);
  return { position, mirrored: determinant(joints[0]) < 0 };
}

function morph({ position, targets }: GltfPrimitive, weights: readonly number[]): Float64Array {
  if (!targets.some((_, k) => (weights[k] ?? 0) !== 0)) return position;
  const out = position.slice();
  targets.forEach((target, k) => {
    const weight = weights[k] ?? 0;
    if (weight !== 0) for (let i = 0; i < out.length; i++) out[i] += weight * target[i];
  });
  return out;
}
