/**
 * Rods whose properties change during a run (`animate`): factors in time; a formula may also vary along the rod.
 *
 * The rule for every factor: at each instant the rod has the properties of a rod whose scene has the current values. So a section that swells gets
 * stiffer and heavier, and a rod that grows keeps its mass per length and its natural angles. A change of mass does not change velocities: added mass
 * moves with the rod. A model that copies numbers of a rod must copy them again when it moves the rod to another time.
 */
import { SceneError } from '../errors.ts';
import type { Rod, RodAnimation } from './compiled.ts';
import { compileExpression } from './expression.ts';
import type { AnimatedField, RodSpec, Timed } from './types.ts';
import type { Path, Requirement } from './varying.ts';
import { anyNumber, atPath, compileTimed, nonNegative, positive } from './varying.ts';

/** Fields of `animate`, and what their factors must be. */
const requirements: Readonly<Record<AnimatedField, Requirement>> = {
  E: positive,
  G: positive,
  curvature: anyNumber,
  length: positive,
  density: positive,
  radius: positive,
  massDamping: nonNegative,
  stiffnessDamping: nonNegative,
  friction: nonNegative,
};

/** Fields of `animate`. */
export const animatedFields: readonly AnimatedField[] = /* @__PURE__ */ Object.keys(requirements) as AnimatedField[];

/** A factor at time t [s] and fraction u of the rest length. */
type Factor = (t: number, u: number) => number;

/** Throws SceneError, with the path of the field, if the factor does not meet `requirement`. */
function compileFactor(spec: Timed, path: Path, requirement: Requirement): Factor {
  const values = new Float64Array(2);
  const raw = ((): Factor => {
    if (typeof spec === 'number' || 'keys' in spec) return compileTimed(spec, path);
    const evaluate = atPath([...path, 'formula'], () => compileExpression(spec.formula, ['t', 'u']));
    return (t, u) => {
      values[0] = t;
      values[1] = u;
      return evaluate(values);
    };
  })();
  const checked: Factor = (t, u) => {
    const factor = raw(t, u);
    if (requirement.test(factor) && Number.isFinite(factor)) return factor;
    throw new SceneError(
      path,
      `the factor is ${factor} at t = ${t} s, u = ${u}; it must be ${requirement === anyNumber ? 'a finite number' : requirement.words}`,
    );
  };
  checked(0, 0);
  checked(0, 1);
  if (typeof spec === 'object' && 'keys' in spec) {
    spec.keys.forEach(([, value], k) => {
      if (!requirement.test(value))
        throw new SceneError([...path, 'keys', k, 1], `the factor is ${value}; it must be ${requirement.words}`);
    });
  }
  return checked;
}

/** Arrays of a rod that follow its factors. */
const arrays = [
  'edgeLengthRest',
  'edgeEA',
  'edgeInertia',
  'edgeRadius',
  'nodeMass',
  'nodeDamping',
  'halfEI1',
  'halfEI2',
  'halfGJ',
  'halfDamping',
  'halfStrainRest',
] as const;

/** A rod whose arrays can change. */
type AnimatedRod = Pick<Rod, (typeof arrays)[number] | 'nodeCount' | 'edgeCount' | 'nodeArc' | 'length' | 'surface'>;

/**
 * The animation of a rod, and the factors of friction that it needs; undefined if nothing changes. `hasGeometry`: the section has sizes, from which its
 * stiffness and mass follow.
 */
export function compileAnimation(
  spec: RodSpec,
  rod: AnimatedRod,
  hasGeometry: boolean,
  path: Path,
): Pick<Rod, 'animation' | 'surface'> {
  const { animate, natural, law } = spec;
  if (!animate) return {};
  const place = [...path, 'animate'];
  const fields = animatedFields.filter((field) => animate[field] !== undefined);
  if (fields.length === 0) return {};
  const fixed = fields.find((field) => field === 'length' || field === 'curvature');
  if (fixed && natural === 'equilibrium')
    throw new SceneError(
      [...place, fixed],
      `natural: equilibrium finds the natural shape of the start, and '${fixed}' changes it; give the natural shape itself, or remove '${fixed}'`,
    );
  const ruled = fields.find((field) => !['density', 'massDamping', 'stiffnessDamping', 'friction'].includes(field));
  if (ruled && law)
    throw new SceneError(
      [...place, ruled],
      `'${ruled}' is for linear elastic rods, and this rod has the law '${law.type}'; remove one of them`,
    );
  const factors = new Map(
    fields.map((field) => [field, compileFactor(animate[field] ?? 1, [...place, field], requirements[field])]),
  );
  const surface = fields.includes('friction') ? copySurface(rod) : rod.surface;
  const target = { ...rod, ...(surface && { surface }) };
  return { animation: createAnimation(target, factors, hasGeometry), ...(surface && { surface }) };
}

/** Gives the rod its own arrays of contact factors, so that they can change. */
function copySurface({ surface, edgeCount }: AnimatedRod): NonNullable<Rod['surface']> {
  const ones = (): Float64Array => new Float64Array(edgeCount).fill(1);
  return surface ?? { edgeFriction: ones(), edgeRestitution: ones() };
}

/** Fractions of the rest length at which factors are evaluated. They mark material points, so they do not change when the rod grows. */
interface Places {
  /** Middles of edges and of half edges, as fractions of the rest length. */
  readonly middles: Float64Array;
  readonly quarters: Float64Array;
}

function placeFactors({ edgeCount, edgeLengthRest, nodeArc, length }: AnimatedRod): Places {
  const at = (j: number, part: number): number => (nodeArc[j] + part * edgeLengthRest[j]) / length;
  return {
    middles: Float64Array.from({ length: edgeCount }, (_, j) => at(j, 0.5)),
    quarters: Float64Array.from({ length: 2 * edgeCount }, (_, half) => at(half >> 1, half % 2 === 0 ? 0.25 : 0.75)),
  };
}

type Base = Readonly<Record<(typeof arrays)[number] | 'edgeFriction', Float64Array>>;

/** What the arrays of a rod at time t are computed from. */
interface Moving {
  readonly rod: AnimatedRod;
  readonly base: Base;
  readonly places: Places;
  readonly hasGeometry: boolean;
  readonly factor: RodAnimation['factor'];
}

function moveEdges({ rod, base, places, hasGeometry, factor }: Moving, t: number): void {
  for (let j = 0; j < rod.edgeCount; j++) {
    const u = places.middles[j];
    const swelling = factor('radius', t, u);
    const area = hasGeometry ? swelling * swelling : 1;
    const grown = factor('length', t, u);
    rod.edgeLengthRest[j] = grown * base.edgeLengthRest[j];
    rod.edgeEA[j] = factor('E', t, u) * area * base.edgeEA[j];
    rod.edgeInertia[j] = grown * factor('density', t, u) * area * area * base.edgeInertia[j];
    rod.edgeRadius[j] = swelling * base.edgeRadius[j];
    if (rod.surface) rod.surface.edgeFriction[j] = factor('friction', t, u) * base.edgeFriction[j];
  }
}

function moveHalves({ rod, base, places, hasGeometry, factor }: Moving, t: number): void {
  for (let half = 0; half < 2 * rod.edgeCount; half++) {
    const u = places.quarters[half];
    const swelling = hasGeometry ? factor('radius', t, u) : 1;
    const inertia = swelling * swelling * swelling * swelling;
    const bend = factor('E', t, u) * inertia;
    rod.halfEI1[half] = bend * base.halfEI1[half];
    rod.halfEI2[half] = bend * base.halfEI2[half];
    rod.halfGJ[half] = factor('G', t, u) * inertia * base.halfGJ[half];
    rod.halfDamping[half] = factor('stiffnessDamping', t, u) * base.halfDamping[half];
    const curved = factor('curvature', t, u);
    for (let k = 3 * half; k < 3 * half + 3; k++) rod.halfStrainRest[k] = curved * base.halfStrainRest[k];
  }
}

function moveNodes({ rod, base, hasGeometry, factor }: Moving, t: number): void {
  for (let i = 0; i < rod.nodeCount; i++) {
    const u = rod.nodeArc[i] / rod.length;
    const swelling = hasGeometry ? factor('radius', t, u) : 1;
    rod.nodeMass[i] = factor('density', t, u) * factor('length', t, u) * swelling * swelling * base.nodeMass[i];
    rod.nodeDamping[i] = factor('massDamping', t, u) * base.nodeDamping[i];
  }
}

function createAnimation(
  rod: AnimatedRod,
  factors: ReadonlyMap<AnimatedField, Factor>,
  hasGeometry: boolean,
): RodAnimation {
  const edgeFriction = rod.surface?.edgeFriction.slice() ?? new Float64Array(0);
  const base = { ...Object.fromEntries(arrays.map((name) => [name, rod[name].slice()])), edgeFriction } as Base;
  const factor = (field: AnimatedField, t: number, u: number): number => factors.get(field)?.(t, u) ?? 1;
  const moving: Moving = { rod, base, places: placeFactors(rod), hasGeometry, factor };
  let time = Number.NaN;
  return {
    fields: [...factors.keys()],
    factor,
    moveTo(t) {
      if (t === time) return t;
      // if a factor throws, the arrays belong to no time
      time = Number.NaN;
      moveEdges(moving, t);
      moveHalves(moving, t);
      moveNodes(moving, t);
      time = t;
      return t;
    },
  };
}

/** True if one of the fields of a rod changes. */
export function animates({ animation }: Pick<Rod, 'animation'>, ...fields: readonly AnimatedField[]): boolean {
  return animation?.fields.some((field) => fields.includes(field)) ?? false;
}

/** Returns a function that moves rods to time t. If that changes a rod's arrays, it calls `write`, in which the model copies what it needs from them. */
export function followAnimation(rods: readonly Pick<Rod, 'animation'>[], write: () => void): (t: number) => void {
  let last: number | undefined;
  return (t) => {
    let moved = t;
    // always: another body of the same rods may have moved the arrays to another time
    for (const { animation } of rods) if (animation) moved = animation.moveTo(t);
    if (moved === last) return;
    last = moved;
    write();
  };
}
