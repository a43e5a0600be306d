/**
 * Derivatives of a run with respect to numbers of the scene, by the discrete adjoint.
 *
 * A step maps the state and the parameters to the next state. Going backwards through the steps, λₙ = (∂Sₙ₊₁/∂Sₙ)ᵀ λₙ₊₁ carries the derivatives of an output by the
 * state, and every step adds −μᵀ ∂r/∂p, where μ solves the transposed equations of its stages (stepPort.ts). States are saved every √N steps, and each segment between
 * is run again when the adjoint gets there: memory grows as √N, for about one more run. See docs/research.md.
 */
import { SceneError, SimulationError, StoppedError } from './errors.ts';
import type { Scene } from './scene/types.ts';
import type { EquilibriumOutput, SceneParameter } from './sensitivityTypes.ts';
import type { StepPoint, StepTangent } from './stepPort.ts';
import type { World, WorldState } from './world/types.ts';
import { createWorld } from './world/world.ts';

/** Relative size of differences by a parameter, and by a number of the state. */
const PARAMETER_STEP = 1e-5;
const STATE_STEP = 1e-6;

/** A number that is read from a run: the sum over its steps of weight × reading. */
export interface RunOutput extends Pick<EquilibriumOutput, 'of' | 'coordinate'> {
  /** Weight of the reading after the step that ends at `time`. Default: 1 for the last step, 0 for others. */
  weight?(step: { readonly time: number; readonly isLast: boolean }): number;
}

/** Options of `differentiateRun`. */
export interface RunDerivativeOptions {
  /** Numbers to differentiate; they share one pass over the run. */
  readonly outputs: readonly RunOutput[];
  /** Numbers of the scene to differentiate by. */
  readonly parameters: readonly SceneParameter[];
  /** End of the run [s]. Default: `time.duration` of the scene. */
  readonly until?: number;
  /** Called before every step, forwards and backwards, with the fraction that is done; returning true stops with StoppedError. */
  readonly onStep?: (done: number) => boolean;
}

/** Outputs of a run and their derivatives. */
export interface RunDerivatives {
  /** Values of the outputs. */
  readonly values: readonly number[];
  /** Derivatives, for each output by each parameter [unit of the output per unit of the parameter]. */
  readonly derivatives: readonly (readonly number[])[];
  /** Number of steps. */
  readonly steps: number;
  /** Largest number of states that were in memory at the same time. */
  readonly states: number;
}

/** A world whose steps can be linearized. */
interface Reader {
  readonly world: World;
  readonly tangents: readonly StepTangent[];
}

const open = (scene: Scene): Reader => {
  const world = createWorld(scene);
  return { world, tangents: world.linearizeSteps() };
};

/** Worlds with p ± δ, 2δ after rounding, and the derivative of their initial states, rod by rod. */
interface Variation {
  readonly plus: Reader;
  readonly minus: Reader;
  readonly width: number;
  readonly initial: readonly Float64Array[];
}

function vary({ tangents, world }: Reader, { name, value, scale, scene }: SceneParameter): Variation {
  if (!Number.isFinite(value)) throw new RangeError(`parameter '${name}' is ${value}, not a finite number`);
  const delta = PARAMETER_STEP * (scale ?? (Math.abs(value) || 1));
  const width = value + delta - (value - delta);
  const scenes = [scene(value + delta), scene(value - delta)];
  if (scenes.some(({ time }) => JSON.stringify(time) !== JSON.stringify(world.scene.time)))
    throw new SceneError(['time'], `parameter '${name}' changes the steps of the run, which have no derivative`);
  const [plus, minus] = scenes.map(open);
  const points = tangents.map((tangent) => tangent.takePoint());
  const changeOf = (reader: Reader, r: number): Float64Array => {
    const out = new Float64Array(tangents[r].size);
    if (reader.tangents[r]?.size !== out.length)
      throw new SceneError(['rods', r], `parameter '${name}' changes the number of nodes, which has no derivative`);
    reader.tangents[r].readChange(out, points[r]);
    return out;
  };
  const initial = tangents.map((_, r) => {
    const below = changeOf(minus, r);
    return changeOf(plus, r).map((one, k) => (one - below[k]) / width);
  });
  return { plus, minus, width, initial };
}

/** The instants of a run, and what to call before each step. */
interface Schedule {
  readonly times: readonly number[];
  readonly weightOf: (output: RunOutput, n: number) => number;
  readonly check: (done: number) => void;
}

/**
 * Runs a scene and differentiates outputs of the run. Rods of model der with tr-bdf2 or implicit-euler, without contact, links, bodies, hinges, closed rods and
 * laws with internal variables. Throws SceneError for other scenes, SimulationError if a step is not a single step of the integrator, and StoppedError if `onStep` asks
 * for it.
 */
export function differentiateRun(scene: Scene, options: RunDerivativeOptions): RunDerivatives {
  const { outputs, parameters, onStep } = options;
  const base = open(scene);
  const variations = parameters.map((parameter) => vary(base, parameter));
  const check = (done: number): void => {
    if (onStep?.(done)) throw new StoppedError(base.world.time);
  };
  const weigh = ({ weight }: RunOutput, step: { readonly time: number; readonly isLast: boolean }): number =>
    weight?.(step) ?? (step.isLast ? 1 : 0);
  const end = options.until ?? scene.time?.duration ?? 0;
  const forward = runForwards(base, end, check);
  const { times, saved, stride } = forward;
  const last = times.length - 1;
  const schedule: Schedule = {
    times,
    check,
    weightOf: (output, n) => (n === 0 ? 0 : weigh(output, { time: times[n], isLast: n === last })),
  };
  const values = outputs.map(() => 0);
  const derivatives = outputs.map(() => parameters.map(() => 0));
  const adjoints = outputs.map(() => base.tangents.map(({ size }) => new Float64Array(size)));
  const run = { base, variations, outputs, values, derivatives, adjoints, schedule };
  let states = saved.length;
  for (let c = saved.length - 1; c >= 0; c--) {
    const from = c * stride;
    const to = Math.min(last, from + stride);
    const segment = runSegment(run, saved[c], from, to);
    states = Math.max(states, c + 1 + segment.length);
    for (let n = to; n > from; n--) pullStep(run, segment[n - 1 - from], segment[n - from], n);
    saved.pop();
  }
  adjoints.forEach((rods, o) => {
    variations.forEach(({ initial }, p) => {
      rods.forEach((adjoint, r) => {
        derivatives[o][p] += dot(adjoint, initial[r]);
      });
    });
  });
  return { values, derivatives, steps: last, states };
}

const dot = (a: ArrayLike<number>, b: ArrayLike<number>): number => {
  let sum = 0;
  for (let k = 0; k < a.length; k++) sum += a[k] * b[k];
  return sum;
};

/** Times after each step, and the states after every `stride` steps. */
function runForwards(
  { world }: Reader,
  end: number,
  check: (done: number) => void,
): { readonly times: number[]; readonly saved: WorldState[]; readonly stride: number } {
  const step = world.scene.time?.step;
  if (!step || !(end > 0)) throw new SceneError(['time'], 'a run needs time: { duration, step }');
  const stride = Math.max(1, Math.ceil(Math.sqrt(end / step)));
  const times = [world.time];
  const saved: WorldState[] = [];
  // as `tendril run`: a last step may be shorter
  const tolerance = step * 1e-6;
  for (let n = 0; world.time < end - tolerance; n++) {
    check((0.2 * world.time) / end);
    if (n % stride === 0) saved.push(world.save());
    advance(world, end);
    times.push(world.time);
  }
  return { times, saved, stride };
}

function advance(world: World, end: number): void {
  const { step = 0 } = world.scene.time ?? {};
  const remaining = end - world.time;
  world.step(remaining < step * (1 - 1e-6) ? remaining : step);
}

/** What the adjoint works on. */
interface Run {
  readonly base: Reader;
  readonly variations: readonly Variation[];
  readonly outputs: readonly RunOutput[];
  readonly values: number[];
  readonly derivatives: number[][];
  /** By output and rod. */
  readonly adjoints: readonly (readonly Float64Array[])[];
  readonly schedule: Schedule;
}

/** A state within a segment. */
interface Moment {
  readonly state: WorldState;
  readonly points: readonly StepPoint[];
}

/** Runs the steps from … to again and keeps every state. */
function runSegment(
  { base: { world, tangents }, schedule }: Run,
  start: WorldState,
  from: number,
  to: number,
): Moment[] {
  const take = (): Moment => ({ state: world.save(), points: tangents.map((tangent) => tangent.takePoint()) });
  world.restore(start);
  const segment = [take()];
  for (let n = from; n < to; n++) {
    advance(world, schedule.times[schedule.times.length - 1]);
    segment.push(take());
  }
  return segment;
}

/** Adds the readings after step n, then takes all adjoints from its end to its start. */
function pullStep(run: Run, before: Moment, after: Moment, n: number): void {
  const { base, variations, outputs, derivatives, adjoints, schedule } = run;
  const { times, check } = schedule;
  check(1 - (0.8 * n) / (times.length - 1));
  for (const [o, output] of outputs.entries()) addReading(run, o, after, schedule.weightOf(output, n));
  const [t, dt] = [times[n - 1], times[n] - times[n - 1]];
  base.tangents.forEach((tangent, r) => {
    const step = tangent.linearize(before.points[r], after.points[r], t, dt);
    if (typeof step === 'string') {
      const { id } = base.world.rods[r];
      throw new SimulationError(id, t, `rod '${id}': the step from t = ${t} s ${step}`, 'see docs/research.md');
    }
    const readings = outputs.map((_, o) => step.pullBack(adjoints[o][r]));
    variations.forEach(({ plus, minus, width }, p) => {
      const above = plus.tangents[r].readStages(step.stages);
      const below = minus.tangents[r].readStages(step.stages);
      for (let k = 0; k < above.length; k++) above[k] = (above[k] - below[k]) / width;
      readings.forEach((weights, o) => {
        derivatives[o][p] += dot(weights, above);
      });
    });
  });
}

/** Adds an output's reading, and its derivatives by the state and directly by the parameters. */
function addReading(run: Run, o: number, { state, points }: Moment, weight: number): void {
  if (weight === 0) return;
  const { base, variations, outputs, values, derivatives, adjoints } = run;
  const { of, coordinate } = outputs[o];
  base.world.restore(state);
  values[o] += weight * of(base.world);
  if (coordinate) {
    const { rod, node, axis } = coordinate;
    adjoints[o][rod][base.tangents[rod].unknownOfNode(node) + axis] += weight;
    return;
  }
  base.tangents.forEach((tangent, r) => {
    const direction = new Float64Array(tangent.size);
    const read = (amount: number): number => {
      const trouble = tangent.move(points[r], direction, amount);
      return trouble ? Number.NaN : of(base.world);
    };
    for (let k = 0; k < tangent.size; k++) {
      const amount = STATE_STEP * tangent.scale[k];
      direction[k] = 1;
      adjoints[o][r][k] += (weight * (read(amount) - read(-amount))) / (2 * amount);
      direction[k] = 0;
    }
    tangent.move(points[r], direction, 0);
  });
  variations.forEach(({ plus, minus, width }, p) => {
    const [above, below] = [plus, minus].map((reader) => {
      reader.world.restore(state);
      // held frames are those of the parameter
      reader.tangents.forEach((tangent, r) => {
        tangent.move(points[r], new Float64Array(tangent.size), 0);
      });
      return of(reader.world);
    });
    derivatives[o][p] += (weight * (above - below)) / width;
  });
}
