/**
 * Derivatives of an equilibrium with respect to numbers of the scene.
 *
 * At an equilibrium the residuals r(x, p) vanish, so that a small change of a parameter p moves the unknowns by ẋ = −K⁻¹ ∂r/∂p, K = ∂r/∂x. Two ways:
 * - direct: one solve per parameter gives ẋ; any output follows as a central difference along it;
 * - adjoint: one solve per output, Kᵀλ = ∂J/∂x, gives dJ/dp = ∂J/∂p − λᵀ ∂r/∂p for any number of parameters, and for fields along the rod.
 * ∂r/∂p is the central difference of the residuals of two worlds with p ± δ in the same state. No further equilibrium is computed. See docs/research.md.
 */
import { SimulationError } from './errors.ts';
import type { RestTangent } from './model.ts';
import type {
  EquilibriumDerivatives,
  EquilibriumOutput,
  OutputGradient,
  ParameterDerivative,
  SceneParameter,
} from './sensitivityTypes.ts';
import type { World, WorldState } from './world/types.ts';
import { createWorld } from './world/world.ts';

/** Relative size of δ, and the agreement of ∂r/∂p by δ and δ/2 that is good enough. */
const DELTA = 1e-4;
const AGREEMENT = 1e-6;
const MOST_REDUCTIONS = 8;
/** Step of differences over unknowns, relative to their scale. */
const UNKNOWN_STEP = 1e-6;
/** Newton correction, relative to the rod, above which a state is no equilibrium. */
const AT_REST = 1e-6;

/** Reads a world at rest in a given state. */
interface Reader {
  readonly world: World;
  readonly tangents: readonly RestTangent[];
  /** Sets the world to the state, with its own pins in place, then moves the unknowns by `scale` times `directions`. */
  pose(state: WorldState, directions?: readonly Float64Array[], scale?: number): void;
}

function createReader(world: World): Reader {
  const tangents = world.linearize();
  return {
    world,
    tangents,
    pose(state, directions, scale = 0) {
      world.restore(state);
      tangents.forEach((tangent, r) => {
        const trouble = tangent.place() || (directions ? tangent.move(directions[r], scale) : '');
        if (trouble) throw explainTrouble(world, r, trouble);
      });
    },
  };
}

const vectors = (tangents: readonly RestTangent[]): Float64Array[] =>
  tangents.map(({ size }) => new Float64Array(size));

function writeResiduals(out: readonly Float64Array[], { tangents, world }: Reader): void {
  tangents.forEach((tangent, r) => {
    const trouble = tangent.writeResidual(out[r]);
    if (trouble) throw explainTrouble(world, r, trouble);
  });
}

function explainTrouble({ rods, time }: World, r: number, trouble: string): SimulationError {
  const { id } = rods[r];
  return new SimulationError(id, time, `rod '${id}' has no derivative: ${trouble}`, 'look at its equilibrium first');
}

/** ∂r/∂p, and how prescribed unknowns move with p. */
interface ParameterChange extends Difference {
  /** The difference with twice the δ: errors are of second order in δ, so both together give a derivative of the next order. */
  readonly coarse: Difference;
  readonly error: number;
}

/** Worlds with p ± δ, and differences between them. */
interface Difference {
  readonly delta: number;
  readonly plus: Reader;
  readonly minus: Reader;
  readonly residual: Float64Array[];
  readonly prescribed: Float64Array[];
}

const extrapolate = (fine: number, coarse: number): number => fine + (fine - coarse) / 3;

/** Central differences over ±δ. */
function differentiateResidual(state: WorldState, parameter: SceneParameter, delta: number): Difference {
  const { value } = parameter;
  const [plus, minus] = [1, -1].map((sign) => {
    const world = createWorld(parameter.scene(value + sign * delta));
    // pins and loads are those of the state's time
    world.restore(state);
    const reader = createReader(world);
    reader.pose(state);
    return reader;
  });
  // the difference after rounding
  const width = value + delta - (value - delta);
  const subtract = (read: (out: readonly Float64Array[], reader: Reader) => void): Float64Array[] => {
    const [a, b] = [vectors(plus.tangents), vectors(plus.tangents)];
    read(a, plus);
    read(b, minus);
    return a.map((x, r) => x.map((one, d) => (one - b[r][d]) / width));
  };
  return {
    delta: width / 2,
    plus,
    minus,
    residual: subtract(writeResiduals),
    prescribed: subtract((out, { tangents }) => {
      for (const [r, tangent] of tangents.entries()) tangent.readUnknowns(out[r]);
    }),
  };
}

/** Largest work of residuals over typical changes of the unknowns. */
function measureWork(tangents: readonly RestTangent[], value: (rod: number, unknown: number) => number): number {
  let largest = 0;
  tangents.forEach(({ size, scale }, r) => {
    for (let d = 0; d < size; d++) largest = Math.max(largest, Math.abs(value(r, d) * scale[d]));
  });
  return largest;
}

/** Reduces δ until halving it no longer changes the result. */
function findChange(state: WorldState, parameter: SceneParameter, checks: boolean): ParameterChange {
  const { value, scale = Math.abs(value) || 1, name } = parameter;
  if (!Number.isFinite(value)) throw new RangeError(`parameter '${name}' is ${value}, not a finite number`);
  let delta = DELTA * scale;
  if (!checks) {
    const only = differentiateResidual(state, parameter, delta);
    return { ...only, coarse: only, error: 0 };
  }
  let best: ParameterChange | undefined;
  for (let k = 0; k < MOST_REDUCTIONS; k++, delta /= 8) {
    const coarse = differentiateResidual(state, parameter, delta);
    const fine = differentiateResidual(state, parameter, delta / 2);
    const { tangents } = fine.plus;
    const size = measureWork(tangents, (r, d) => fine.residual[r][d]);
    const gap = measureWork(tangents, (r, d) => fine.residual[r][d] - coarse.residual[r][d]);
    const error = size > 0 ? gap / size : 0;
    if (!best || error < best.error) {
      const residual = fine.residual.map((x, r) => x.map((one, d) => extrapolate(one, coarse.residual[r][d])));
      best = { ...fine, residual, coarse, error };
    }
    if (error <= AGREEMENT) break;
  }
  return best as ParameterChange;
}

/**
 * Derivatives of the equilibrium that `world` is in. Scenes of rods of model der without contact, links and bodies. Throws SceneError for
 * other scenes, and SimulationError if the world is not at rest. Without `checks`, parameters are differentiated by a single δ, with an error of
 * about 1e-7 that is not verified: half the cost, for fits.
 */
export function createDerivatives(
  world: World,
  { checks = true }: { readonly checks?: boolean } = {},
): EquilibriumDerivatives {
  const state = world.save();
  const base = createReader(world);
  const { tangents } = base;
  tangents.forEach((tangent, r) => {
    const trouble = tangent.factor();
    if (trouble) throw explainTrouble(world, r, trouble);
  });
  insistAtRest(base);
  const changes = new Map<SceneParameter, ParameterChange>();
  const changeOf = (parameter: SceneParameter): ParameterChange => {
    const change = changes.get(parameter) ?? findChange(state, parameter, checks);
    changes.set(parameter, change);
    return change;
  };
  return {
    by: (parameter) => differentiateDirectly(state, tangents, changeOf(parameter)),
    gradientOf(output) {
      const read = createRead(base, output);
      const lambda = differentiateOutput(state, base, output, read);
      lambda.forEach((x, r) => {
        if (x.some(Number.isNaN)) throw explainTrouble(world, r, 'the output is not a number close to the equilibrium');
      });
      for (const [r, tangent] of tangents.entries()) tangent.solve(lambda[r], 'transposed');
      return createGradient({ state, base, output, read, lambda, changeOf });
    },
  };
}

function insistAtRest(reader: Reader): void {
  const { rods, time } = reader.world;
  const correction = vectors(reader.tangents);
  writeResiduals(correction, reader);
  reader.tangents.forEach((tangent, r) => {
    tangent.solve(correction[r], 'plain');
    const { size, scale } = tangent;
    for (let d = 0; d < size; d++)
      if (!(Math.abs(correction[r][d]) <= AT_REST * scale[d]))
        throw new SimulationError(
          rods[r].id,
          time,
          `rod '${rods[r].id}' is not in equilibrium`,
          'call equilibrate, and check that it converges, before you ask for derivatives',
        );
  });
}

function differentiateDirectly(
  state: WorldState,
  tangents: readonly RestTangent[],
  { delta, plus, minus, residual, prescribed, error }: ParameterChange,
): ParameterDerivative {
  const directions = residual.map((x) => x.map((one) => -one));
  for (const [r, tangent] of tangents.entries()) tangent.solve(directions[r], 'plain');
  const displacements: Float64Array[] = [];
  return {
    error,
    of(output) {
      plus.pose(state, directions, delta);
      const above = output.of(plus.world);
      minus.pose(state, directions, -delta);
      return (above - output.of(minus.world)) / (2 * delta);
    },
    nodeDisplacement(rod) {
      displacements[rod] ??= Float64Array.from({ length: 3 * plus.world.rods[rod].nodeCount }, (_, k) => {
        const d = tangents[rod].unknownOfNode(Math.floor(k / 3)) + (k % 3);
        return directions[rod][d] + prescribed[rod][d];
      });
      return displacements[rod];
    },
  };
}

/** ∂J/∂x, 0 for prescribed unknowns. */
function differentiateOutput(
  state: WorldState,
  base: Reader,
  { coordinate, reaction }: EquilibriumOutput,
  read: Read,
): Float64Array[] {
  const out = vectors(base.tangents);
  if (reaction) {
    base.tangents[reaction.rod].writeReactionDerivative(out[reaction.rod], reaction);
    return out;
  }
  if (coordinate) {
    const { rod, node, axis } = coordinate;
    const d = base.tangents[rod].unknownOfNode(node) + axis;
    if (!base.tangents[rod].fixed[d]) out[rod][d] = 1;
    return out;
  }
  const direction = vectors(base.tangents);
  base.tangents.forEach(({ size, scale, fixed }, r) => {
    for (let d = 0; d < size; d++) {
      if (fixed[d]) continue;
      direction[r][d] = 1;
      const step = UNKNOWN_STEP * scale[d];
      base.pose(state, direction, step);
      const above = read(base);
      base.pose(state, direction, -step);
      out[r][d] = (above - read(base)) / (2 * step);
      direction[r][d] = 0;
    }
  });
  base.world.restore(state);
  return out;
}

/** Frequencies closer than this, relatively, change places when a parameter changes. */
const TWINS = 1e-3;

/** A mode with the same frequency as mode `index`, or undefined: its frequency has no derivative, because the two may change places. */
export function findTwin(omega: Float64Array, index: number): number | undefined {
  return [index - 1, index + 1].find(
    (other) => Math.abs((omega[other] ?? Infinity) - omega[index]) <= TWINS * Math.abs(omega[index]),
  );
}

/** Reads an output in a state that need not be an equilibrium, up to a constant. */
type Read = (reader: Reader) => number;

function createRead(base: Reader, { of, reaction, frequency }: EquilibriumOutput): Read {
  if (reaction) return ({ tangents }) => tangents[reaction.rod].readReaction(reaction);
  if (!frequency) return ({ world }) => of(world);
  const { rod, index } = frequency;
  const { omega, shapes, growth } = base.world.modes(index + 2)[rod];
  if (growth)
    throw explainTrouble(
      base.world,
      rod,
      'derivatives of frequencies need loads with a potential; remove followers, torques and wind',
    );
  const twin = findTwin(omega, index);
  if (twin !== undefined)
    throw explainTrouble(
      base.world,
      rod,
      `modes ${index} and ${twin} have the same frequency, which then has no derivative`,
    );
  const shape = base.tangents[rod].shapeOf(shapes[index]);
  const square = omega[index] * Math.abs(omega[index]);
  const stiffness = base.tangents[rod].readRayleigh(shape, 0);
  const mass = (stiffness - base.tangents[rod].readRayleigh(shape, square)) / square;
  // of a simple eigenvalue: dω² = φᵀ(dK − ω² dM)φ/φᵀMφ, with the mode unchanged
  return ({ tangents }) => tangents[rod].readRayleigh(shape, square) / (2 * Math.abs(omega[index]) * mass);
}

/** ∂J/∂p in the same state, except for prescribed unknowns. */
function differentiateRead(state: WorldState, { plus, minus, delta }: Difference, read: Read): number {
  plus.pose(state);
  const above = read(plus);
  minus.pose(state);
  return (above - read(minus)) / (2 * delta);
}

interface GradientInput {
  readonly state: WorldState;
  readonly base: Reader;
  readonly output: EquilibriumOutput;
  readonly read: Read;
  readonly lambda: readonly Float64Array[];
  changeOf(parameter: SceneParameter): ParameterChange;
}

function createGradient({ state, base, output, read, lambda, changeOf }: GradientInput): OutputGradient {
  const { tangents, world } = base;
  return {
    by(parameter) {
      const change = changeOf(parameter);
      const { coarse, residual } = change;
      let sum = extrapolate(differentiateRead(state, change, read), differentiateRead(state, coarse, read));
      residual.forEach((one, r) => {
        for (let d = 0; d < one.length; d++) sum -= lambda[r][d] * one[d];
      });
      return sum;
    },
    byNodeForce: (rod) =>
      Float64Array.from({ length: 3 * world.rods[rod].nodeCount }, (_, k) => {
        const d = tangents[rod].unknownOfNode(Math.floor(k / 3)) + (k % 3);
        return lambda[rod][d];
      }),
    byNatural(rod) {
      const tangent = tangents[rod];
      const { node, length } = tangent.joints;
      const derivative = new Float64Array(3 * node.length);
      world.restore(state);
      tangent.writeNaturalWork(derivative, lambda[rod]);
      for (let k = 0; k < derivative.length; k++)
        derivative[k] = (output.coordinate ? 0 : explicitNatural(base, read, rod, k)) - derivative[k];
      return { node, length, derivative };
    },
  };
}

/** ∂J/∂(natural strain) in the same shape: an energy or a torque depends on it directly, a position does not. */
function explicitNatural(reader: Reader, read: Read, rod: number, k: number): number {
  const [joint, axis] = [Math.floor(k / 3), k % 3];
  const tangent = reader.tangents[rod];
  const step = UNKNOWN_STEP / tangent.joints.length[joint];
  const at = (amount: number): number => tangent.withNatural(joint, axis, amount, () => read(reader));
  return (at(step) - at(-step)) / (2 * step);
}
