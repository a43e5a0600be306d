/**
 * Steps of a rod as linear equations, for derivatives of a run (core/src/runSensitivity.ts): the chain of stages of a step, and the state between steps.
 *
 * The schemes are those of step.ts: implicit Euler has one stage, TR-BDF2 two. The adjoint of a step goes through its stages in reverse order. The second stage of
 * TR-BDF2 combines angles of the start with those of the first stage, whose frames may have turned: `turn` carries the derivative by that angle.
 */

import { SceneError } from '../../errors.ts';
import { square } from '../../math/rounded/index.ts';
import type { LinearStep, StepPoint, StepStage, StepTangent } from '../../model.ts';
import { cloneArrays, copyArrays } from '../snapshot.ts';
import type { DerBundle } from './bundle.ts';
import { evaluatePins, followCenterline, poseSamples, restoreFrames } from './kinematics.ts';
import { NO_LENGTH } from './newton.ts';
import type { BundleSystem } from './parts.ts';
import { predict } from './predict.ts';
import type { DerRod } from './rod.ts';
import { takeSnapshot } from './snapshot.ts';
import {
  countReadings,
  evaluateAt,
  linearizeStage,
  readStage,
  type StageAdjoint,
  type StagePull,
  type SteppedRod,
  turnFrom,
} from './stageTangent.ts';
import { trapezoidalStage, trBdf2Numbers } from './step.ts';

const NAMES = [
  'q',
  'v',
  'acceleration',
  'edgeTension',
  'edgeReference',
  'edgeTangent',
  'jointReferenceTwist',
  'history',
] as const;

/** Difference of velocities, relative to the largest, by which the steps of a run may deviate from those of the scheme. */
const SAME = 1e-6;

const MIXED =
  'was not a single step of the integrator: a pin is released, a load jumps, or the step failed and was split; use shorter steps, and jumps that take some time';

/** The linearized steps of a rod. Throws SceneError if the rod or the scheme does not support them. */
export function linearizeDerSteps(bundle: DerBundle, rod: number): StepTangent {
  const { ders, tools, scheme, newton } = bundle;
  const der = ders[rod];
  refuse(der, scheme);
  const own: SteppedRod = { der, work: tools[rod].work };
  const { size, edgeCount } = der;
  const takePoint = (): StepPoint => cloneArrays(der, NAMES);
  /** First stage of TR-BDF2, solved again. */
  const solveFirst = (from: StepPoint, t: number, h: number): boolean => {
    const { system, starts }: BundleSystem = bundle.systemOfRod[rod];
    copyArrays(der, from, NAMES);
    evaluatePins(der, t);
    restoreFrames(der, own.work.edgeWork);
    takeSnapshot(starts[0], der);
    const out = { ok: false, iterations: 0, iterationsMax: 0, shifts: 0, reason: '' };
    return trapezoidalStage({ system, starts, t, h, options: newton, out });
  };
  return {
    size: 3 * size + edgeCount,
    scale: listScales(der),
    unknownOfNode: (node) => 4 * node,
    takePoint,
    move: (point, direction, amount) => moveRod(own, point, direction, amount),
    readChange: (out, point) => readChange(out, der, point),
    linearize(from, to, t, h) {
      const stages =
        scheme === 'implicit-euler'
          ? [eulerStage(own, from, to, t, h)]
          : solveFirst(from, t, h)
            ? trBdf2Stages(own, from, takePoint(), to, t, h)
            : undefined;
      return stages && hasTaken(own, stages[stages.length - 1]) ? linearizeStages(own, stages, h) : MIXED;
    },
    readStages(stages) {
      const each = countReadings(der);
      const out = new Float64Array(each * stages.length);
      for (const [k, stage] of stages.entries()) readStage(out, each * k, own, stage);
      return out;
    },
  };
}

function refuse({ rod, held, material }: DerRod, scheme: string): void {
  const say = (path: readonly string[], what: string): never => {
    throw new SceneError(path, `derivatives of a run ${what}`);
  };
  if (scheme !== 'tr-bdf2' && scheme !== 'implicit-euler')
    say(['solver', 'der', 'integrator'], `support the integrators tr-bdf2 and implicit-euler, not ${scheme}`);
  if (rod.closed) say(['rods'], `support open rods, and rod '${rod.id}' is closed`);
  if (held.hinged.includes(1)) say(['pins'], `support no hinges, and rod '${rod.id}' has one`);
  if (material && !material.law.isElastic)
    say(['rods'], `support laws without internal variables, and rod '${rod.id}' has the law '${rod.law?.type}'`);
}

function listScales({ size, edgeCount, rod, stiffnessScale, mass }: DerRod): Float64Array {
  const edge = rod.length / edgeCount;
  let rate = 0;
  for (let d = 0; d < size; d++) if (mass[d] > 0) rate = Math.max(rate, Math.sqrt(stiffnessScale[d] / mass[d]));
  return Float64Array.from({ length: 3 * size + edgeCount }, (_, k) => {
    if (k >= 3 * size) return stiffnessScale[4 * (k - 3 * size)] * edge;
    const unit = ((k % size) & 3) === 3 ? 1 : edge;
    return k < size ? unit : k < 2 * size ? unit * (rate || 1) : unit * (rate * rate || 1);
  });
}

function moveRod({ der, work }: SteppedRod, point: StepPoint, direction: Float64Array, amount: number): string {
  const { size, edgeCount, q, v, acceleration, edgeTension } = der;
  copyArrays(der, point, NAMES);
  for (let d = 0; d < size; d++) {
    q[d] += amount * direction[d];
    v[d] += amount * direction[size + d];
    acceleration[d] += amount * direction[2 * size + d];
  }
  for (let j = 0; j < edgeCount; j++) edgeTension[j] += amount * direction[3 * size + j];
  if (!followCenterline(der, work.edgeWork)) return NO_LENGTH;
  poseSamples(der);
  return '';
}

function readChange(out: Float64Array, der: DerRod, point: StepPoint): void {
  const { size, edgeCount } = der;
  for (let d = 0; d < size; d++) {
    out[d] = der.q[d] - point.q[d];
    out[size + d] = der.v[d] - point.v[d];
    out[2 * size + d] = der.acceleration[d] - point.acceleration[d];
  }
  for (let j = 0; j < edgeCount; j++) {
    out[4 * j + 3] += turnFrom(der, point, j);
    out[3 * size + j] = der.edgeTension[j] - point.edgeTension[j];
  }
}

/** First guess of a stage that begins at a point; see predict.ts. */
function guessFrom(der: DerRod, point: StepPoint, span: number): StepStage['guess'] {
  copyArrays(der, point, NAMES);
  // only positions and lengths matter
  for (let j = 0; j < der.edgeCount; j++) {
    let length = 0;
    for (let k = 0; k < 3; k++) length += square(point.q[4 * j + 4 + k] - point.q[4 * j + k]);
    der.edgeLength[j] = Math.sqrt(length);
  }
  const { part, half } = predict(der, span, 'by-acceleration');
  return { q: der.q.slice(), part, span, half };
}

function eulerStage({ der }: SteppedRod, from: StepPoint, to: StepPoint, t: number, h: number): StepStage {
  const qHat = from.q.map((one, d) => one + h * from.v[d]);
  return {
    t: t + h,
    inertia: 1 / (h * h),
    rate: 1 / h,
    span: h,
    from,
    guess: guessFrom(der, from, h),
    qHat,
    qRate: from.q,
    to,
  };
}

function trBdf2Stages(
  { der }: SteppedRod,
  from: StepPoint,
  middle: StepPoint,
  to: StepPoint,
  t: number,
  h: number,
): StepStage[] {
  const { gamma, k, w0, w1, d2 } = trBdf2Numbers(h);
  const qRate = middle.q.map((one, d) => w1 * one - w0 * from.q[d]);
  return [
    {
      t: t + gamma * h,
      inertia: 1 / (k * k),
      rate: 1 / k,
      from,
      guess: guessFrom(der, from, gamma * h),
      qHat: from.q.map((one, d) => one + 2 * k * from.v[d] + k * k * from.acceleration[d]),
      qRate: from.q.map((one, d) => one + k * from.v[d]),
      to: middle,
    },
    {
      t: t + h,
      inertia: 1 / (d2 * d2),
      rate: 1 / d2,
      from: middle,
      guess: guessFrom(der, middle, (1 - gamma) * h),
      qHat: qRate.map((one, d) => one + d2 * (w1 * middle.v[d] - w0 * from.v[d])),
      qRate,
      to,
    },
  ];
}

/** True if the velocities at the end are those of the stage. */
function hasTaken(own: SteppedRod, stage: StepStage): boolean {
  const { v, rod } = own.der;
  if (!evaluateAt(own, stage)) return false;
  const speed = Math.max(...stage.to.v.map(Math.abs));
  const limit = SAME * speed + 1e-9 * stage.rate * rod.length;
  return v.every((one, d) => Math.abs(one - stage.to.v[d]) <= limit);
}

/** Adds the derivatives by the state from which a stage guesses its solution. */
function addGuess(
  [q, v, acceleration]: readonly [Float64Array, Float64Array, Float64Array],
  { guess }: StagePull,
  { guess: { part, span, half } }: StepStage,
): void {
  for (let d = 0; d < guess.length; d++) {
    q[d] += guess[d];
    v[d] += part * span * guess[d];
    acceleration[d] += part * half * guess[d];
  }
}

function linearizeStages(own: SteppedRod, stages: readonly StepStage[], h: number): LinearStep | string {
  const { size, edgeCount } = own.der;
  const tangents = stages.map((stage) => linearizeStage(own, stage));
  if (tangents.includes(undefined)) return 'has no derivative: an edge has no length';
  const each = countReadings(own.der);
  const pull = (k: number, adjoint: StageAdjoint, readings: Float64Array): StagePull => {
    const pulled = tangents[k]?.pullBack(adjoint);
    if (!pulled) throw new RangeError('the matrix of a step is singular');
    readings.set(pulled.readings, each * k);
    return pulled;
  };
  return {
    stages,
    pullBack(adjoint) {
      const readings = new Float64Array(each * stages.length);
      const end: StageAdjoint = {
        q: adjoint.slice(0, size),
        v: adjoint.slice(size, 2 * size),
        acceleration: adjoint.slice(2 * size, 3 * size),
        tension: adjoint.slice(3 * size),
        turn: new Float64Array(edgeCount),
      };
      adjoint.fill(0);
      const [q, v, acceleration] = [0, 1, 2].map((k) => adjoint.subarray(k * size, (k + 1) * size)) as [
        Float64Array,
        Float64Array,
        Float64Array,
      ];
      const last = pull(stages.length - 1, end, readings);
      if (stages.length === 1) {
        for (let d = 0; d < size; d++) {
          q[d] = last.hat[d] + last.rate[d] + last.start[d];
          v[d] = h * last.hat[d];
        }
        addGuess([q, v, acceleration], last, stages[0]);
        return readings;
      }
      const { k, w0, w1, d2 } = trBdf2Numbers(h);
      const both = last.hat.map((one, d) => one + last.rate[d]);
      const middle: StageAdjoint = {
        q: both.map((one, d) => w1 * one + last.start[d]),
        v: last.hat.map((one) => d2 * w1 * one),
        acceleration: new Float64Array(size),
        tension: new Float64Array(edgeCount),
        turn: Float64Array.from({ length: edgeCount }, (_, j) => -w0 * both[4 * j + 3]),
      };
      addGuess([middle.q, middle.v, middle.acceleration], last, stages[1]);
      const first = pull(0, middle, readings);
      for (let d = 0; d < size; d++) {
        q[d] = first.hat[d] + first.rate[d] + first.start[d] - w0 * both[d];
        v[d] = 2 * k * first.hat[d] + k * first.rate[d] - d2 * w0 * last.hat[d];
        acceleration[d] = k * k * first.hat[d];
      }
      addGuess([q, v, acceleration], first, stages[0]);
      return readings;
    },
  };
}
