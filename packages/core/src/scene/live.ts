/**
 * The fields of a scene that can change while it runs, declared in one place.
 *
 * `keep`: the state is valid for the changed scene. `turn`: positions and velocities are valid; the frames of a ring are turned to its
 * new twist (`turnRing`), an open rod must restart. Any other field needs a restart. A solver option may still change the layout of the
 * state: `World.restore` then throws, and the caller must restart.
 */
import { normalize, turnFrame, type Vector, vectorOf } from '../curve/vector.ts';
import type { RodStart } from './split.ts';
import type { Scene } from './types.ts';

/** How a running world handles a change of its scene: keeps its state, turns its rings, or restarts. */
export type Liveness = 'keep' | 'turn' | 'restart';

/** A star matches any name or number; a field also covers everything inside it. */
const liveFields: Readonly<Record<string, Exclude<Liveness, 'restart'>>> = {
  title: 'keep',
  description: 'keep',
  gravity: 'keep',
  materials: 'keep',
  sections: 'keep',
  loads: 'keep',
  fields: 'keep',
  solver: 'keep',
  statics: 'keep',
  output: 'keep',
  'time.duration': 'keep',
  'time.step': 'keep',
  'time.halvings': 'keep',
  'contact.friction': 'keep',
  'contact.iterations': 'keep',
  'contact.tolerance': 'keep',
  'colliders.*.friction': 'keep',
  'colliders.*.color': 'keep',
  'rods.*.section': 'keep',
  'rods.*.material': 'keep',
  'rods.*.surface': 'keep',
  'rods.*.animate': 'keep',
  'rods.*.color': 'keep',
  'rods.*.frame.twist': 'turn',
};

const patterns = Object.entries(liveFields).map(([field, liveness]) => ({ parts: field.split('.'), liveness }));

/** How a running world handles a change of the field at `path`, such as `['rods', 0, 'section', 'EI1']`. */
export function livenessOf(path: readonly PropertyKey[]): Liveness {
  const found = patterns.find(
    ({ parts }) => parts.length <= path.length && parts.every((part, k) => part === '*' || part === String(path[k])),
  );
  return found?.liveness ?? 'restart';
}

/** How a run of `before` can continue as `after`: the most restrictive answer over all fields in which they differ. */
export function continuationOf(before: Scene, after: Scene): Liveness {
  // a scene without a time shows its modes or an assumed duration
  if ((before.time === undefined) !== (after.time === undefined)) return 'restart';
  return compare(before, after, []);
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null;

function compare(a: unknown, b: unknown, path: readonly string[]): Liveness {
  if (Object.is(a, b)) return 'keep';
  const own = path.length > 0 ? livenessOf(path) : 'restart';
  if (own !== 'restart') return own;
  if (!isObject(a) || !isObject(b) || Array.isArray(a) !== Array.isArray(b)) return missing(a, b, path);
  if (Array.isArray(a) && Array.isArray(b) && a.length !== b.length) return 'restart';
  let worst: Liveness = 'keep';
  for (const name of new Set([...Object.keys(a), ...Object.keys(b)])) {
    const each = compare(a[name], b[name], [...path, name]);
    if (each === 'restart') return each;
    if (each === 'turn') worst = each;
  }
  return worst;
}

/** A group that one scene lacks is compared with an empty one, such as `contact` without its friction. */
function missing(a: unknown, b: unknown, path: readonly string[]): Liveness {
  const [present, absent] = a === undefined ? [b, a] : [a, b];
  const inside = path.length === 3 && path[0] === 'rods' && path[2] === 'frame';
  return absent === undefined && inside && isObject(present) ? compare(present, {}, path) : 'restart';
}

/** A ring with the same shape and velocities and `twist` more around it [rad], spread evenly. */
export function turnRing(start: RodStart, twist: number): RodStart {
  const count = start.edgeDirector.length / 3;
  const turn = (directors: Float64Array, tangentAt: (k: number) => Vector, shift: number): Float64Array => {
    const out = directors.slice();
    for (let k = 0; k < count; k++) {
      const d1 = vectorOf((c) => directors[3 * k + c]);
      out.set(turnFrame({ tangent: tangentAt(k), d1 }, (twist * (k + shift)) / count).d1, 3 * k);
    }
    return out;
  };
  const x = start.nodePosition;
  const edgeTangent = (j: number): Vector => normalize(vectorOf((c) => x[3 * ((j + 1) % count) + c] - x[3 * j + c]));
  return {
    ...start,
    edgeDirector: turn(start.edgeDirector, edgeTangent, 0),
    nodeDirector: turn(start.nodeDirector, (i) => vectorOf((c) => start.nodeTangent[3 * i + c]), -0.5),
    nodeTwist: start.nodeTwist.map((angle) => angle + twist / count),
  };
}
