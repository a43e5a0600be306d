/** Animations of a glTF file: transforms and morph weights of its nodes in time. */
import { InputError } from '../errors.ts';
import { type GltfDocument, item, type Json, readAccessor } from './gltfDocument.ts';
import { type GltfNode, type GltfPose, type GltfScene, type Placing, restPose, transformOf } from './gltfScene.ts';
import { normalizeQuaternion, slerp } from './transform.ts';

export interface GltfAnimation {
  readonly name: string;
  /** Times of all keys [s], increasing. */
  readonly times: readonly number[];
  poseAt(time: number): GltfPose;
}

type Property = 'translation' | 'rotation' | 'scale' | 'weights';
const properties: readonly string[] = ['translation', 'rotation', 'scale', 'weights'];

interface Channel {
  readonly node: number;
  readonly property: Property;
  readonly times: Float64Array;
  /** `width` numbers per key; for `CUBICSPLINE` in-tangent, value and out-tangent. */
  readonly values: Float64Array;
  readonly width: number;
  readonly interpolation: 'LINEAR' | 'STEP' | 'CUBICSPLINE';
}

/** Names of the animations in the file; those without a name are called by their number. */
export function animationNames({ json }: GltfDocument): string[] {
  const list: readonly unknown[] = Array.isArray(json.animations) ? json.animations : [];
  return list.map((one, k) => {
    const name = typeof one === 'object' && one !== null ? (one as Json).name : undefined;
    return typeof name === 'string' && name !== '' ? name : String(k);
  });
}

/** Reads the animation of that name. Throws InputError if there is none. */
export function readGltfAnimation(document: GltfDocument, scene: GltfScene, name: string): GltfAnimation {
  const { json, source } = document;
  const names = animationNames(document);
  const index = names.indexOf(name);
  if (index < 0) {
    const known = names.length > 0 ? `it has ${names.map((one) => `'${one}'`).join(', ')}` : 'it has none';
    throw new InputError(source, `there is no animation '${name}' in it; ${known}`);
  }
  const animation = item(json, 'animations', index, source);
  const count = Array.isArray(animation.channels) ? animation.channels.length : 0;
  const channels = Array.from({ length: count }, (_, k) => readChannel(document, animation, k)).filter(
    (channel): channel is Channel => channel !== undefined,
  );
  if (channels.length === 0)
    throw new InputError(source, `animation '${name}' moves nothing: it has no channels for nodes`);
  const times = [...new Set(channels.flatMap((channel) => [...channel.times]))].sort((a, b) => a - b);
  return { name, times, poseAt: (time) => poseAt(scene, channels, time) };
}

function readChannel(document: GltfDocument, animation: Json, k: number): Channel | undefined {
  const { source } = document;
  const channel = item(animation, 'channels', k, source);
  const { node, path } = (channel.target ?? {}) as Json;
  // other paths belong to extensions
  if (node === undefined || !properties.includes(String(path))) return undefined;
  const sampler = item(animation, 'samplers', channel.sampler, source);
  const interpolation = (sampler.interpolation ?? 'LINEAR') as Channel['interpolation'];
  if (!['LINEAR', 'STEP', 'CUBICSPLINE'].includes(interpolation))
    throw new InputError(source, `channel ${k} of an animation has an unknown interpolation`);
  const { values: times } = readAccessor(document, sampler.input);
  const { values, components } = readAccessor(document, sampler.output);
  const perKey = interpolation === 'CUBICSPLINE' ? 3 : 1;
  const width = values.length / (perKey * times.length);
  const expected = path === 'rotation' ? 4 : path === 'weights' ? width : 3;
  if (
    times.length === 0 ||
    !Number.isInteger(width) ||
    width !== expected ||
    (path !== 'weights' && components !== width)
  )
    throw new InputError(source, `channel ${k} of an animation has ${values.length} numbers for ${times.length} keys`);
  if (times.some((time, i) => !(time >= 0) || (i > 0 && time <= times[i - 1])) || !values.every(Number.isFinite))
    throw new InputError(source, `channel ${k} of an animation has times out of order, or values that are not numbers`);
  return { node: Number(node), property: path as Property, times, values, width, interpolation };
}

function poseAt(scene: GltfScene, channels: readonly Channel[], time: number): GltfPose {
  const changed = new Map<number, Partial<Record<Property, readonly number[]>>>();
  for (const channel of channels)
    changed.set(channel.node, { ...changed.get(channel.node), [channel.property]: valueAt(channel, time) });
  const placing = (node: GltfNode): Placing | undefined => {
    const change = changed.get(node.index);
    if (!change || !(change.translation || change.rotation || change.scale)) return undefined;
    if (!('translation' in node.rest))
      throw new InputError(scene.source, `node ${node.index} has a matrix and is animated; glTF allows one of both`);
    return { ...node.rest, ...change };
  };
  return {
    placing(node) {
      const moved = placing(node);
      return moved ? transformOf(moved) : restPose.placing(node);
    },
    weights: (node) => changed.get(node)?.weights,
  };
}

/** Value of a channel at a time; constant before the first key and after the last. */
function valueAt({ times, values, width, interpolation, property }: Channel, time: number): number[] {
  const last = times.length - 1;
  let i = 0;
  while (i < last - 1 && times[i + 1] <= time) i++;
  const cubic = interpolation === 'CUBICSPLINE';
  const keyAt = (key: number, part = 1): Float64Array => {
    const o = width * (cubic ? 3 * key + part : key);
    return values.subarray(o, o + width);
  };
  if (last === 0 || time <= times[0]) return unit(property, [...keyAt(0)]);
  if (time >= times[last]) return unit(property, [...keyAt(last)]);
  const span = times[i + 1] - times[i];
  const t = (time - times[i]) / span;
  const [a, b] = [keyAt(i), keyAt(i + 1)];
  if (interpolation === 'STEP') return [...a];
  if (!cubic) return property === 'rotation' ? slerp(a, b, t) : [...a].map((value, k) => value + t * (b[k] - value));
  const [out, into] = [keyAt(i, 2), keyAt(i + 1, 0)];
  const [t2, t3] = [t * t, t * t * t];
  return unit(
    property,
    [...a].map(
      (value, k) =>
        (2 * t3 - 3 * t2 + 1) * value +
        span * (t3 - 2 * t2 + t) * out[k] +
        (3 * t2 - 2 * t3) * b[k] +
        span * (t3 - t2) * into[k],
    ),
  );
}

/** Rotations as unit quaternions; other values as they are. */
function unit(property: Property, values: number[]): number[] {
  return property === 'rotation' ? normalizeQuaternion(values) : values;
}
