/**
 * The pin at the end of a rod: its terms in a stage's potential (energy.ts). holdSolve.ts moves the end to the pin. The potential gets λ·(x − X) +
 * ½ρ|x − X|² for the last node's position, and the same for its directors d1 and d2 if the pin clamps the frame.
 */
import type { Pin, PinPose } from '../../scene/compiled.ts';

/** Pose of the end, which the terms read. */
interface EndPose {
  readonly nodeCount: number;
  readonly nodePosition: Float64Array;
  readonly nodeFrame: Float64Array;
}

/** Arrays that the terms are added to (assembly.ts). */
interface EndAssembly {
  readonly nodeGradient: Float64Array;
  readonly nodeTensor: Float64Array;
  readonly nodeSpin: Float64Array;
  readonly nodeMoment: Float64Array;
}

export interface Hold {
  readonly pin: Pin;
  readonly pinPose: PinPose;
  /** Number of constraints: 3 of the position, 3 of the frame if the pin clamps it. */
  readonly rows: 3 | 6;
  /** Prescribed position of the last node [m], and its frame, row by row. */
  readonly position: Float64Array;
  readonly frame: Float64Array;
  /** Force [N] and torque [N m] of the rod on the pin, world axes. Part of the state. */
  readonly multiplier: Float64Array;
  /** ρ of the position [N/m] and of the directors [N m]. */
  stiffness: number;
  turning: number;
  /** Current ρ as a multiple of its first value. */
  growth: number;
  /** Motion of the last node by the curvatures, 3N per constraint: position over the rod's length, rotation. */
  readonly jacobian: Float64Array;
  /** Curvatures by unit forces of the constraints, with the last factor of the rod; and the factor (LDLᵀ) of how these move the last node. */
  readonly response: Float64Array;
  readonly factor: Float64Array;
  /** Distance of the last node from its place, as in `jacobian`. */
  readonly gap: Float64Array;
}

export function createHold(pin: Pin, pinPose: PinPose, elementCount: number, multiplier: Float64Array): Hold {
  const rows = pin.orientation === 'frame' ? 6 : 3;
  return {
    pin,
    pinPose,
    rows,
    position: new Float64Array(3),
    frame: new Float64Array(9),
    multiplier,
    stiffness: 0,
    turning: 0,
    growth: 1,
    jacobian: new Float64Array(rows * 3 * elementCount),
    response: new Float64Array(rows * 3 * elementCount),
    factor: new Float64Array(rows * rows),
    gap: new Float64Array(rows),
  };
}

const couple = new Float64Array(6);

/** Λ_k = τ' × d̂_k, whose torque Σ d_k × Λ_k is τ at the goal: τ' = τ − ½ t (t·τ). */
function writeCouple({ frame, multiplier }: Hold): void {
  const along = 0.5 * (frame[2] * multiplier[3] + frame[5] * multiplier[4] + frame[8] * multiplier[5]);
  const x = multiplier[3] - along * frame[2];
  const y = multiplier[4] - along * frame[5];
  const z = multiplier[5] - along * frame[8];
  for (let n = 0; n < 2; n++) {
    couple[3 * n] = y * frame[6 + n] - z * frame[3 + n];
    couple[3 * n + 1] = z * frame[n] - x * frame[6 + n];
    couple[3 * n + 2] = x * frame[3 + n] - y * frame[n];
  }
}

/** Energy of a hold [J]: the sum, of magnitudes, and of forces on the position and on the directors. */
export interface HoldEnergy {
  sum: number;
  scale: number;
  push: number;
  turnPush: number;
}

const energy: HoldEnergy = { sum: 0, scale: 0, push: 0, turnPush: 0 };

/** The terms of Φ at the current pose. */
export function measureHold(h: EndPose, hold: Hold): HoldEnergy {
  const { multiplier, stiffness, turning, position, frame } = hold;
  const i = h.nodeCount - 1;
  energy.sum = energy.scale = energy.push = energy.turnPush = 0;
  for (let k = 0; k < 3; k++) {
    const ahead = h.nodePosition[3 * i + k] - position[k];
    const work = multiplier[k] * ahead;
    const penalty = 0.5 * stiffness * ahead * ahead;
    energy.sum += work + penalty;
    energy.scale += Math.abs(work) + penalty;
    energy.push += Math.abs(multiplier[k]) + stiffness * Math.abs(ahead);
  }
  if (hold.rows === 3) return energy;
  writeCouple(hold);
  for (let k = 0; k < 6; k++) {
    const o = 3 * (k % 3) + (k < 3 ? 0 : 1);
    const ahead = h.nodeFrame[9 * i + o] - frame[o];
    const work = couple[k] * ahead;
    const penalty = 0.5 * turning * ahead * ahead;
    energy.sum += work + penalty;
    energy.scale += Math.abs(work) + penalty;
    energy.turnPush += Math.abs(couple[k]) + turning * Math.abs(ahead);
  }
  return energy;
}

/** Work of the pin's torque in a change of the last frame from the goal to the current pose [J]. */
export function measureCoupleWork(h: EndPose, hold: Hold): number {
  if (hold.rows === 3) return 0;
  writeCouple(hold);
  let work = 0;
  for (let k = 0; k < 6; k++) {
    const o = 3 * (k % 3) + (k < 3 ? 0 : 1);
    work -= couple[k] * (h.nodeFrame[9 * (h.nodeCount - 1) + o] - hold.frame[o]);
  }
  return work;
}

/** Adds gradient and second derivative to the assembly; terms `multipliers`: of the multipliers alone. */
export function addHold(h: EndPose, a: EndAssembly, hold: Hold, terms: 'all' | 'multipliers' = 'all'): void {
  const { nodeGradient, nodeTensor, nodeSpin, nodeMoment } = a;
  const { multiplier, position, frame } = hold;
  const stiffness = terms === 'all' ? hold.stiffness : 0;
  const turning = terms === 'all' ? hold.turning : 0;
  const i = h.nodeCount - 1;
  for (let k = 0; k < 3; k++)
    nodeGradient[3 * i + k] += multiplier[k] + stiffness * (h.nodePosition[3 * i + k] - position[k]);
  for (const k of [0, 3, 5]) nodeTensor[6 * i + k] += stiffness;
  if (hold.rows === 3) return;
  writeCouple(hold);
  nodeSpin[i] += turning;
  for (let n = 0; n < 2; n++) {
    for (let r = 0; r < 3; r++) {
      const f = couple[3 * n + r] + turning * (h.nodeFrame[9 * i + 3 * r + n] - frame[3 * r + n]);
      for (let k = 0; k < 3; k++) nodeMoment[9 * i + 3 * r + k] += f * h.nodeFrame[9 * i + 3 * k + n];
    }
  }
}
