/**
 * Cuts a rod of a running world in two. The pieces have the properties, natural shape, pins and loads of the old rod.
 *
 * In the new scene the pieces are straight lines with the rest lengths of the edges; the state (WorldOptions.start) gives their
 * actual shapes. So lengths, masses and natural strains do not change, to rounding. Quantities that vary along the rod are read at
 * the ends and middles of edges, on both sides of a node, so that jumps at nodes are preserved.
 */

import { normalize, turnFrame, twistBetween, type Vector, vectorOf } from '../curve/vector.ts';
import { SceneError } from '../errors.ts';
import { cos, sin } from '../math/rounded/index.ts';
import type { Samples } from '../port.ts';
import { animates } from './animate.ts';
import type { Rod } from './compiled.ts';
import { fractionOf } from './layout.ts';
import type { FieldSpec, LoadSpec, Location, PinSpec, RodSpec, Scene, Varying, Vec3 } from './types.ts';
import { compileVarying } from './varying.ts';

/** Origin of a rod of the new scene: nodes `from`…`to` of an old rod, counted round beyond the last node. */
export interface Piece {
  /** Index of the old rod. */
  readonly rod: number;
  /** First node, in the old rod. */
  readonly from: number;
  /** Last node, in the old rod. */
  readonly to: number;
  /** The old rod as it was, a ring. */
  readonly closed?: boolean;
}

/** A rod that is not cut. */
export function wholeOf(rod: Rod, index: number): Piece {
  return { rod: index, from: 0, to: rod.edgeCount, ...(rod.closed && { closed: true }) };
}

/** A rod that was cut in two. */
export interface Split {
  /** The scene with the rod in two pieces. */
  readonly scene: Scene;
  /** One for each rod of the new scene. */
  readonly pieces: readonly Piece[];
}

/** Distance from a node, relative to the edge, below which a point is at the node. */
const BESIDE = 1e-6;

/** Cuts a rod at a node. `rods`: the compiled rods of the scene. A ring becomes one open rod. */
export function splitRod(scene: Scene, rods: readonly Rod[], index: number, node: number): Split {
  const rod = rods[index];
  refuse(scene, rod, node);
  const last = rod.closed ? rod.nodeCount : rod.nodeCount - 1;
  const parts: readonly Piece[] = rod.closed
    ? [{ rod: index, from: node, to: node + last }]
    : [
        { rod: index, from: 0, to: node },
        { rod: index, from: node, to: last },
      ];
  const ids = parts.map((_, k) => (k === 0 ? rod.id : freeId(rods, rod.id)));
  /** Position of a point of the old rod in the new scene: at the cut, the end of the first piece. */
  const find = (at: Location): { readonly rod: string; readonly at: Location } => {
    const i = nodeOf(rod, at);
    const k = rod.closed || i <= node ? 0 : 1;
    const here = (i - parts[k].from + rod.nodeCount) % rod.nodeCount;
    return { rod: ids[k], at: { node: here } };
  };
  const moved = <T extends { readonly rod: string; readonly at: Location }>(one: T): T =>
    one.rod === rod.id ? { ...one, ...find(one.at) } : one;
  const named = <T extends { readonly rods?: readonly string[] }>(one: T): T =>
    one.rods?.includes(rod.id) ? { ...one, rods: [...one.rods.filter((id) => id !== rod.id), ...ids] } : one;
  const pieces = rods.flatMap((one, k) => (k === index ? parts : [wholeOf(one, k)]));
  return {
    pieces,
    scene: {
      ...scene,
      rods: scene.rods.flatMap((spec, k) =>
        k === index ? parts.map((piece, p) => pieceOf(scene, spec, rod, piece, ids[p])) : [spec],
      ),
      ...(scene.pins && {
        pins: scene.pins.map((pin) => (pin.rod === rod.id ? moved(held(pin, rod, nodeOf(rod, pin.at))) : pin)),
      }),
      ...(scene.welds && { welds: scene.welds.map(moved) }),
      ...(scene.loads && { loads: scene.loads.flatMap((load) => splitLoad(load, rod, parts, ids, moved)) }),
      ...(scene.fields && { fields: scene.fields.flatMap((field) => splitField(field, rods, rod, parts, ids, named)) }),
      ...(scene.colliders && { colliders: scene.colliders.map(named) }),
      ...(scene.output?.probes && {
        output: { ...scene.output, probes: scene.output.probes.map((one) => ('rod' in one ? moved(one) : one)) },
      }),
    },
  };
}

function refuse(scene: Scene, rod: Rod, node: number): void {
  const reject = (words: string): never => {
    throw new SceneError(['rods'], `rod '${rod.id}' cannot be cut here: ${words}`);
  };
  if (!rod.closed && !(node > 0 && node < rod.nodeCount - 1)) reject('this is its end');
  if (scene.welds?.some((weld) => weld.rod === rod.id)) reject('it carries a body; restart without the weld');
  if (scene.links?.some(({ rod: id, to }) => id === rod.id || ('rod' in to && to.rod === rod.id)))
    reject('it is linked; restart without its links');
  if (scene.rods.some(({ id, parent }) => parent?.rod === rod.id || (id === rod.id && parent)))
    reject('others grow from it, or it from another');
  const uneven = rod.halfEI1.some((EI, h) => Math.abs(EI / rod.halfEI2[h] - 1) > 1e-6);
  if (uneven && Math.abs(seamOf(rod)) > 1e-6) reject('its section is not round, and its ends meet at an angle');
  if (animates(rod, 'length', 'curvature')) reject('its natural shape changes in time');
  if (rod.strength) reject("it has 'break', and its pieces would not know what has broken; remove 'break'");
  if (rod.law) reject("its 'law' has internal variables, which a new rod would not have");
  if (rod.naturalFromEquilibrium) reject("its natural shape is 'equilibrium', which is computed for the whole rod");
}

function freeId(rods: readonly Rod[], id: string): string {
  for (let k = 2; ; k++) if (!rods.some((rod) => rod.id === `${id}-${k}`)) return `${id}-${k}`;
}

function nodeOf(rod: Rod, at: Location): number {
  if (at === 'start') return 0;
  if (at === 'end') return rod.nodeCount - 1;
  if ('node' in at) return at.node;
  const arc = (fractionOf(at, rod.length, []) ?? 0) * rod.length;
  let best = 0;
  for (let i = 1; i < rod.nodeCount; i++)
    if (Math.abs(rod.nodeArc[i] - arc) < Math.abs(rod.nodeArc[best] - arc)) best = i;
  return best;
}

const vectorAt = (values: Float64Array, k: number): Vec3 => [values[3 * k], values[3 * k + 1], values[3 * k + 2]];

/** The pin with its pose written out explicitly, because the initial shape changes. */
function held(pin: PinSpec, rod: Rod, node: number): PinSpec {
  const { hold = 'clamp' } = pin;
  const place = hold === 'clamp' || hold === 'position' || hold === 'hinge';
  const frame = hold === 'clamp' || hold === 'frame' || hold === 'hinge';
  const { nodePosition, nodeTangent, nodeDirector } = rod.laid ?? rod;
  return {
    ...pin,
    ...(place && { position: pin.position ?? vectorAt(nodePosition, node) }),
    ...((frame || hold === 'tangent') && { tangent: pin.tangent ?? vectorAt(nodeTangent, node) }),
    ...(frame && { d1: pin.d1 ?? vectorAt(nodeDirector, node) }),
  };
}

function pieceOf(scene: Scene, spec: RodSpec, rod: Rod, piece: Piece, id: string): RodSpec {
  const { edges: _, closed: __, frame: ___, velocity: ____, parent: _____, ...rest } = spec;
  const count = piece.to - piece.from;
  const points: Vec3[] = [vectorAt(rod.nodePosition, piece.from)];
  for (let j = 0; j < count; j++) {
    const [x, y, z] = points[j];
    points.push([x, y, z + rod.edgeLengthRest[(piece.from + j) % rod.edgeCount]]);
  }
  const named = <T>(value: T | string | undefined, table: Readonly<Record<string, T>> | undefined): T | undefined =>
    typeof value === 'string' ? table?.[value] : value;
  const section = named(spec.section, scene.sections);
  const material = named(spec.material, scene.materials);
  const part = <T>(value: T): T => partOf(value, rod, piece);
  return {
    ...rest,
    id,
    shape: { type: 'points', points },
    natural: { curvature: strainOf(rod, piece), length: arcOf(rod, piece, count) },
    ...(section && { section: part(section) }),
    ...(material && { material: part(material) }),
    ...(spec.surface && { surface: part(spec.surface) }),
    ...(spec.animate && { animate: formulasOf(spec.animate, rod, piece) }),
  };
}

/** Rest length of the first edges of a piece [m]. */
function arcOf(rod: Rod, piece: Piece, edges: number): number {
  let sum = 0;
  for (let j = 0; j < edges; j++) sum += rod.edgeLengthRest[(piece.from + j) % rod.edgeCount];
  return sum;
}

/** The natural strain of the halves as a curvature that is constant in each. */
function strainOf(rod: Rod, piece: Piece): readonly [Varying, Varying, Varying] {
  const count = piece.to - piece.from;
  const length = arcOf(rod, piece, count);
  const seam = seamOf(rod);
  const component = (k: number): Varying => {
    const along: [number, number][] = [];
    let s = 0;
    for (let h = 0; h < 2 * count; h++) {
      const edge = (piece.from + (h >> 1)) % rod.edgeCount;
      const size = rod.edgeLengthRest[edge] / 2;
      // the half at the seam is already in the frame transported once round
      const turned = piece.from + (h >> 1) >= rod.edgeCount && 2 * edge + (h & 1) > 0 ? seam : 0;
      const strain = vectorAt(rod.halfStrainRest, 2 * edge + (h & 1));
      const value = turnedAbout(strain, turned)[k] / size;
      along.push([s / length, value], [Math.min(1, (s + size) / length), value]);
      s += size;
    }
    return along.every(([, value]) => value === along[0][1]) ? along[0][1] : { along };
  };
  return [component(0), component(1), component(2)];
}

const turnedAbout = ([x, y, z]: Vec3, angle: number): Vec3 =>
  angle === 0 ? [x, y, z] : [x * cos(angle) + y * sin(angle), y * cos(angle) - x * sin(angle), z];

/**
 * The frame of a closed rod, transported once round, need not meet itself. This is the angle by which edges after the seam must be
 * turned to make it continuous, for a piece that crosses the seam.
 */
function seamOf(rod: Rod): number {
  if (!rod.closed) return 0;
  const last = rod.edgeCount - 1;
  const frameAt = (j: number): { tangent: Vector; d1: Vector } => {
    const [a, b] = [vectorAt(rod.nodePosition, j), vectorAt(rod.nodePosition, (j + 1) % rod.nodeCount)];
    return { tangent: normalize([b[0] - a[0], b[1] - a[1], b[2] - a[2]]), d1: vectorAt(rod.edgeDirector, j) };
  };
  const open = rod.nodeTwist[0] - twistBetween(frameAt(last), frameAt(0));
  return open - 2 * Math.PI * Math.round(open / (2 * Math.PI));
}

/** True if a quantity varies along the rod. */
const isVarying = (value: unknown): value is Exclude<Varying, number> =>
  typeof value === 'object' && value !== null && ('along' in value || 'formula' in value);

/** Restricts every quantity of a section or material that varies along the rod to a piece of it. */
function partOf<T>(value: T, rod: Rod, piece: Piece): T {
  if (isVarying(value)) return varyingOf(value, rod, piece) as T;
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, partOf(one, rod, piece)])) as T;
}

function varyingOf(value: Varying, rod: Rod, piece: Piece): Varying {
  const profile = compileVarying(value, rod.length, []);
  if (profile.constant) return profile.at(0);
  const count = piece.to - piece.from;
  const length = arcOf(rod, piece, count);
  const along: [number, number][] = [];
  let s = 0;
  for (let j = 0; j < count; j++) {
    const edge = (piece.from + j) % rod.edgeCount;
    const size = rod.edgeLengthRest[edge];
    for (const place of [0, 0.5, 1]) {
      const inside = Math.min(1 - BESIDE, Math.max(BESIDE, place));
      const u = (rod.nodeArc[edge] + inside * size) / rod.length;
      along.push([Math.min(1, (s + place * size) / length), profile.at(Math.min(1, u))]);
    }
    s += size;
  }
  return { along };
}

/** Replaces u of the whole rod in a formula by its value in terms of u of the piece. */
function formulasOf<T>(value: T, rod: Rod, piece: Piece): T {
  if (typeof value === 'string') {
    const from = arcOf(rod, { ...piece, from: 0 }, piece.from) / rod.length;
    const size = arcOf(rod, piece, piece.to - piece.from) / rod.length;
    const whole = rod.closed ? `mod(${from} + ${size}*u, 1)` : `(${from} + ${size}*u)`;
    return value.replace(/\bu\b/g, whole) as T;
  }
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((one) => formulasOf(one, rod, piece)) as T;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, formulasOf(one, rod, piece)])) as T;
}

function splitLoad(
  load: LoadSpec,
  rod: Rod,
  parts: readonly Piece[],
  ids: readonly string[],
  moved: <T extends { readonly rod: string; readonly at: Location }>(one: T) => T,
): LoadSpec[] {
  if (!('rod' in load) || load.rod !== rod.id) return [load];
  if (load.type !== 'distributed') return [moved(load)];
  const { from = 0, to = 1 } = load;
  return parts.flatMap((piece, k): LoadSpec[] => {
    const length = arcOf(rod, piece, piece.to - piece.from);
    const start = rod.closed ? 0 : rod.nodeArc[piece.from];
    const clip = (u: number): number => Math.min(1, Math.max(0, (u * rod.length - start) / length));
    const [a, b] = [clip(from), clip(to)];
    return b > a ? [{ ...load, rod: ids[k], from: a, to: b }] : [];
  });
}

/** A field that differs along the rod becomes one for each piece, and one for all other rods. */
function splitField(
  field: FieldSpec,
  rods: readonly Rod[],
  rod: Rod,
  parts: readonly Piece[],
  ids: readonly string[],
  named: <T extends { readonly rods?: readonly string[] }>(one: T) => T,
): FieldSpec[] {
  const differs =
    typeof field.weight === 'object' || (field.type === 'force' && field.formula.some((words) => /\bu\b/.test(words)));
  if (!differs || (field.rods && !field.rods.includes(rod.id))) return [named(field)];
  const others = (field.rods ?? rods.map(({ id }) => id)).filter((id) => id !== rod.id);
  const own = parts.map((piece, k): FieldSpec => {
    const weighed = {
      ...field,
      rods: [ids[k]],
      ...(field.weight !== undefined && { weight: varyingOf(field.weight, rod, piece) }),
    };
    return weighed.type === 'force' ? { ...weighed, formula: formulasOf(weighed.formula, rod, piece) } : weighed;
  });
  return others.length > 0 ? [{ ...field, rods: others }, ...own] : own;
}

/** State of a rod at an instant, which replaces its start in the scene. */
export type RodStart = Pick<
  Rod,
  'nodePosition' | 'nodeVelocity' | 'edgeSpin' | 'edgeDirector' | 'nodeTwist' | 'nodeTangent' | 'nodeDirector'
>;

/** The current state of a piece, as a start. `twistRate`: twist at the nodes [rad/m]; it counts full turns, which frames do not show. */
export function startOf(rod: Rod, samples: Samples, twistRate: ArrayLike<number>, piece: Piece): RodStart {
  const { from, closed = false } = piece;
  const edgeCount = piece.to - from;
  const nodes = Array.from({ length: closed ? edgeCount : edgeCount + 1 }, (_, i) => (from + i) % rod.nodeCount);
  const edges = Array.from({ length: edgeCount }, (_, j) => (from + j) % rod.edgeCount);
  const pick = (values: Float64Array, which: readonly number[]): Float64Array =>
    Float64Array.from(which.flatMap((k) => vectorAt(values, k)));
  const tangent = edges.map((j): Vector => vectorAt(samples.edgeTangent, j));
  const seam = seamOf(rod);
  const director = edges.map((j, k): Vector => {
    const d1 = vectorAt(samples.edgeDirector, j);
    return from + k < rod.edgeCount ? d1 : turnFrame({ tangent: tangent[k], d1 }, seam).d1;
  });
  const frameAt = (j: number): { tangent: Vector; d1: Vector } => ({ tangent: tangent[j], d1: director[j] });
  const nodeTwist = new Float64Array(nodes.length);
  for (let i = closed ? 0 : 1; i < edgeCount; i++) {
    const before = (i + edgeCount - 1) % edgeCount;
    const angle = twistBetween(frameAt(before), frameAt(i)) + (i === 0 ? seam : 0);
    const expected = twistRate[nodes[i]] * 0.5 * (rod.edgeLengthRest[edges[before]] + rod.edgeLengthRest[edges[i]]);
    nodeTwist[i] = angle + 2 * Math.PI * Math.round((expected - angle) / (2 * Math.PI));
  }
  return {
    nodePosition: pick(samples.nodePosition, nodes),
    nodeVelocity: pick(samples.nodeVelocity, nodes),
    edgeSpin: Float64Array.from(edges, (j) => samples.edgeSpin[j]),
    edgeDirector: Float64Array.from(director.flat()),
    nodeTwist,
    nodeTangent: meanAtNodes(tangent, closed),
    nodeDirector: meanAtNodes(director, closed),
  };
}

/** Values at nodes: the mean of both edges; at the ends extrapolated with constant curvature. */
function meanAtNodes(values: readonly Vector[], closed: boolean): Float64Array {
  const count = values.length;
  const nodes = Array.from({ length: closed ? count : count + 1 }, (_, i) => i);
  return Float64Array.from(
    nodes.flatMap((i) => {
      const end = !closed && (i === 0 || i === count);
      const a = values[end ? Math.min(i, count - 1) : (i + count - 1) % count];
      const b = values[end ? (i === 0 ? Math.min(1, count - 1) : Math.max(0, count - 2)) : i];
      return normalize(vectorOf((k) => (end ? 1.5 * a[k] - 0.5 * b[k] : a[k] + b[k])));
    }),
  );
}
