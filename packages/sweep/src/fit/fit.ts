/**
 * Fits parameters of a scene to measurements: one equilibrium per experiment, residuals and their derivatives for the least squares of the core.
 *
 * Every experiment keeps the state of its last equilibrium and starts the next one from there, so that it stays on its branch.
 */
import {
  createDerivatives,
  createWorld,
  type EquilibriumDerivatives,
  type FitOptions,
  type FitPoint,
  type FitResult,
  fitLeastSquares,
  placeOn,
  type Scene,
  SceneError,
  type SceneParameter,
  SimulationError,
  StoppedError,
  type World,
  type WorldState,
} from '@tendril-sim/core';
import { InputError } from '@tendril-sim/io';
import { UnknownQuantityError } from '../run/expression.ts';
import type { FieldValue } from './family.ts';
import { compileOutput, type QuantityOutput } from './quantity.ts';
import type { Experiment, FitStudy, Measurement } from './study.ts';

/** A measurement beside the value of the model. */
export interface Comparison {
  /** Name of the experiment. */
  readonly experiment: string;
  /** Name of the measurement. */
  readonly name: string;
  /** Measured value, in SI. */
  readonly measured: number;
  /** Value of the fitted model, in SI. */
  readonly fitted: number;
  /** Standard deviation of the measurement, in SI. */
  readonly deviation: number;
}

/** Result of a fit of a scene. */
export interface SceneFit {
  /** Parameters and their intervals. */
  readonly result: FitResult;
  /** Measurements beside the values of the fitted model. */
  readonly comparisons: readonly Comparison[];
}

/** An experiment at some parameters. */
interface Trial {
  readonly world: World;
  readonly values: Float64Array;
}

/** How a fit reports its progress and is stopped. */
export interface FitProgress {
  /** Called after every iteration; returning false ends the fit with the current parameters. */
  readonly onIteration?: FitOptions['onIteration'];
  /** Called before every equilibrium and derivative; returning true ends the fit with the best parameters so far. */
  readonly isStopped?: () => boolean;
}

/**
 * Runs the fit. Throws InputError if an experiment has no equilibrium at the start, and StoppedError if it is stopped before the sum of squares at
 * the start is known.
 */
export function fitScene(study: FitStudy, { onIteration, isStopped = () => false }: FitProgress = {}): SceneFit {
  const { parameters, experiments, estimateDeviation, file } = study;
  const checkStop = (): void => {
    if (isStopped()) throw new StoppedError(0);
  };
  const setups = experiments.map((experiment) => createSetup(study, experiment, checkStop));
  let first = true;
  const evaluate = (values: Float64Array): FitPoint | undefined => {
    const trials: Trial[] = [];
    for (const setup of setups) {
      const trial = setup.solve(values, { isStart: first });
      if (!trial) return undefined;
      trials.push(trial);
    }
    first = false;
    return {
      residual: Float64Array.from(trials.flatMap((trial, e) => setups[e].weigh(trial))),
      jacobian: () => attempt(() => joinRows(trials.map((trial, e) => setups[e].differentiate(trial)))),
    };
  };
  const result = explained(study, () =>
    fitLeastSquares(parameters, {
      evaluate,
      estimateDeviation,
      ...(onIteration && { onIteration }),
      ...(file.confidence !== undefined && { confidence: file.confidence }),
      ...(file.iterations !== undefined && { iterations: file.iterations }),
    }),
  );
  const measured = experiments.flatMap(({ name, measurements }) => measurements.map((one) => ({ name, one })));
  return {
    result,
    comparisons: measured.map(({ name, one }, k) => ({
      experiment: name,
      name: one.name,
      measured: one.value,
      fitted: one.value + result.residual[k] * unitOf(one),
      deviation: one.deviation,
    })),
  };
}

/** Unit of the residual of a measurement. */
const unitOf = ({ deviation }: Measurement): number => (Number.isNaN(deviation) ? 1 : deviation);

/** Names the file in errors about the start of the fit. */
function explained<T>({ source }: FitStudy, action: () => T): T {
  try {
    return action();
  } catch (error) {
    if (error instanceof SceneError || error instanceof RangeError)
      throw new InputError(source, error.message, { cause: error });
    throw error;
  }
}

/** Undefined if the world is impossible, or its equilibrium is not found: a fit then tries other values. */
function attempt<T>(action: () => T): T | undefined {
  try {
    return action();
  } catch (error) {
    if (error instanceof SceneError || error instanceof SimulationError) return undefined;
    throw error;
  }
}

function joinRows(parts: readonly Float64Array[]): Float64Array {
  const all = new Float64Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}

interface Setup {
  /** Equilibrium at these parameters; undefined if there is none, which at the start of the fit is an error. */
  solve(values: Float64Array, { isStart }: { readonly isStart: boolean }): Trial | undefined;
  /** Residuals in units of the deviations. */
  weigh(trial: Trial): number[];
  /** Their derivatives, row by row. */
  differentiate(trial: Trial): Float64Array;
}

function createSetup(study: FitStudy, experiment: Experiment, checkStop: () => void): Setup {
  const { parameters, family, file } = study;
  const { measurements, name, set, time } = experiment;
  let state: WorldState | undefined;
  let readings: readonly Reading[] | undefined;
  const build = (values: Float64Array): Scene => {
    const fields: FieldValue[] = [...set];
    for (const [k, { paths }] of parameters.entries())
      for (const path of paths) fields.push({ path, value: values[k] });
    const scene = family.build(fields);
    return file.stability ? { ...scene, statics: { ...scene.statics, stability: file.stability } } : scene;
  };
  const solve = (values: Float64Array, { isStart }: { readonly isStart: boolean }): Trial | undefined => {
    checkStop();
    const open = (): World => createWorld(build(values));
    const world = isStart ? open() : attempt(open);
    if (!world) return undefined;
    if (state) world.restore(state);
    const failed = world.equilibrate(time).find(({ converged }) => !converged);
    if (failed && isStart)
      throw new InputError(study.source, `${name}: no equilibrium at the start of the fit: ${failed.reason ?? ''}`);
    if (failed) return undefined;
    state = world.save();
    readings ??= measurements.map((one) => createReading(one, world, `${study.source}, ${name}`));
    return { world, values: values.slice() };
  };
  const weigh = (one: Measurement): number => one.value / unitOf(one);
  return {
    solve,
    weigh: ({ world }) =>
      measurements.map((one, m) => weigh({ ...one, value: (readings?.[m].read(world) ?? Number.NaN) - one.value })),
    differentiate({ world, values }) {
      const derivatives = createDerivatives(world, { checks: false });
      const n = parameters.length;
      const rows = new Float64Array(measurements.length * n);
      for (const [k, { name: label, scale }] of parameters.entries()) {
        checkStop();
        const parameter: SceneParameter = {
          name: label,
          value: values[k],
          ...(scale !== undefined && { scale }),
          scene: (value) => build(values.map((one, j) => (j === k ? value : one))),
        };
        const change = derivatives.by(parameter);
        for (const [m, one] of measurements.entries())
          rows[m * n + k] = weigh({ ...one, value: readings?.[m].differentiate(change) ?? Number.NaN });
      }
      return rows;
    },
  };
}

/** Reads a measured number from a world. */
interface Reading {
  read(world: World): number;
  differentiate(change: ReturnType<EquilibriumDerivatives['by']>): number;
}

function createReading({ point, quantity, name }: Measurement, world: World, source: string): Reading {
  if (point) return createPointReading(point, world, source);
  let output: QuantityOutput;
  try {
    output = compileOutput(quantity ?? '', world);
    output.of(world);
  } catch (error) {
    if (error instanceof UnknownQuantityError) throw new InputError(source, `'${name}': ${error.message}`);
    throw error;
  }
  return { read: output.of, differentiate: (change) => change.of(output) };
}

/** Linear between nodes, as probes are. */
function createPointReading(point: NonNullable<Measurement['point']>, world: World, source: string): Reading {
  const rod = world.rods.findIndex(({ id }) => id === point.rod);
  const curve = world.rods[rod];
  if ('s' in point.at && !(point.at.s >= 0 && point.at.s <= curve.length * (1 + 1e-9)))
    throw new InputError(source, `s = ${point.at.s} m is not on rod '${curve.id}', which is ${curve.length} m long`);
  const { edge, along } = placeOn(curve, point.at);
  const from = 3 * edge + point.axis;
  const to = 3 * ((edge + 1) % curve.nodeCount) + point.axis;
  const between = (values: Float64Array): number => (1 - along) * values[from] + along * values[to];
  return {
    read: (at) => between(at.samples[rod].nodePosition),
    differentiate: (change) => between(change.nodeDisplacement(rod)),
  };
}
