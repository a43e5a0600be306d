/**
 * Energy balance of rods over one step, from samples and loads.
 *
 * A step from t to t + h may change kinetic plus elastic energy by the work of the loads, and damping may take more:
 *     gain = (T₁ + E₁) − (T₀ + E₀) − work ≤ 0, but for the error of the scheme.
 * All is measured in a frame that travels with the mean velocity of what holds the rods, so that pins on a common path do no work in it
 * and the speed of the whole does not hide a gain. A load that changes over the step has done the larger of the works of its two ends. Mass damping acts on
 * velocities in world axes, so in the frame it may do work: it blows the rods back.
 */
import type { Loads, Samples } from './port.ts';
import type { Rod } from './scene/compiled.ts';

export interface BalancedRod {
  readonly rod: Rod;
  readonly samples: Samples;
}

/** Kinetic plus elastic energy at the start, and the gain that no work explains, both in J. */
export interface Balance {
  start: number;
  gain: number;
  /** Magnitude of the summed terms [J]: gains are compared with it. */
  scale: number;
}

/** Motion and loads of some rods at one instant. */
export interface Instant {
  readonly position: Float64Array;
  readonly velocity: Float64Array;
  readonly tangent: Float64Array;
  readonly spin: Float64Array;
  readonly force: Float64Array;
  readonly torque: Float64Array;
  elastic: number;
  /** True if the loads at this instant are known; otherwise those of the other end of the step are used for both. */
  hasLoads: boolean;
}

export function createInstant(rods: readonly BalancedRod[]): Instant {
  let nodes = 0;
  let edges = 0;
  for (const { rod } of rods) {
    nodes += rod.nodeCount;
    edges += rod.edgeCount;
  }
  return {
    position: new Float64Array(3 * nodes),
    velocity: new Float64Array(3 * nodes),
    tangent: new Float64Array(3 * edges),
    spin: new Float64Array(edges),
    force: new Float64Array(3 * nodes),
    torque: new Float64Array(3 * edges),
    elastic: 0,
    hasLoads: false,
  };
}

/** Records the current samples, the loads of each rod if known, and the elastic energy [J]. */
export function noteInstant(
  out: Instant,
  rods: readonly BalancedRod[],
  loads: readonly Loads[] | undefined,
  elastic: number,
): void {
  let node = 0;
  let edge = 0;
  for (let r = 0; r < rods.length; r++) {
    const { rod, samples } = rods[r];
    out.position.set(samples.nodePosition, 3 * node);
    out.velocity.set(samples.nodeVelocity, 3 * node);
    out.tangent.set(samples.edgeTangent, 3 * edge);
    out.spin.set(samples.edgeSpin, edge);
    if (loads) {
      out.force.set(loads[r].nodeForce, 3 * node);
      out.torque.set(loads[r].edgeTorque, 3 * edge);
    }
    node += rod.nodeCount;
    edge += rod.edgeCount;
  }
  out.elastic = elastic;
  out.hasLoads = loads !== undefined;
}

function kineticEnergy(rods: readonly BalancedRod[], { velocity, spin }: Instant, frame: Float64Array): number {
  let sum = 0;
  let node = 0;
  let edge = 0;
  for (const { rod } of rods) {
    const { nodeMass, edgeInertia, nodeCount, edgeCount } = rod;
    for (let i = 0; i < nodeCount; i++) {
      const o = 3 * (node + i);
      const x = velocity[o] - frame[0];
      const y = velocity[o + 1] - frame[1];
      const z = velocity[o + 2] - frame[2];
      sum += nodeMass[i] * (x * x + y * y + z * z);
    }
    for (let j = 0; j < edgeCount; j++) sum += edgeInertia[j] * spin[edge + j] * spin[edge + j];
    node += nodeCount;
    edge += edgeCount;
  }
  return 0.5 * sum;
}

/** Work of the forces of `at` over the step, in the frame. */
function workOf(at: Instant, from: Instant, to: Instant, frame: Float64Array, h: number): number {
  const { force, torque } = at;
  const { position: x } = from;
  const { position: y } = to;
  const shiftX = h * frame[0];
  const shiftY = h * frame[1];
  const shiftZ = h * frame[2];
  let sum = 0;
  for (let o = 0; o < force.length; o += 3) {
    sum += force[o] * (y[o] - x[o] - shiftX);
    sum += force[o + 1] * (y[o + 1] - x[o + 1] - shiftY);
    sum += force[o + 2] * (y[o + 2] - x[o + 2] - shiftZ);
  }
  for (let j = 0; 3 * j < torque.length; j++) {
    const o = 3 * j;
    if (torque[o] === 0 && torque[o + 1] === 0 && torque[o + 2] === 0) continue;
    const turned = 0.5 * h * (from.spin[j] + to.spin[j]);
    for (let k = 0; k < 3; k++) {
      const a = o + ((k + 1) % 3);
      const b = o + ((k + 2) % 3);
      const swing = from.tangent[a] * to.tangent[b] - from.tangent[b] * to.tangent[a];
      sum += torque[o + k] * (swing + 0.5 * turned * (from.tangent[o + k] + to.tangent[o + k]));
    }
  }
  return sum;
}

/** Work of mass damping over the step, in the frame [J]; 0 where it only takes energy. */
function workOfDamping(rods: readonly BalancedRod[], { from, to, frame, h }: Omit<BalancedStep, 'pinWork'>): number {
  if (frame[0] === 0 && frame[1] === 0 && frame[2] === 0) return 0;
  let sum = 0;
  let node = 0;
  for (const { rod } of rods) {
    for (let i = 0; i < rod.nodeCount; i++) {
      const damping = (rod.nodeMass[i] * rod.nodeDamping[i]) / h;
      for (let k = 0; k < 3; k++) {
        const o = 3 * (node + i) + k;
        const moved = to.position[o] - from.position[o];
        sum -= damping * moved * (moved - h * frame[k]);
      }
    }
    node += rod.nodeCount;
  }
  return Math.max(0, sum);
}

/** Balance over a step of length h [s]; `frame`: velocity of the frame [m/s]; `pinWork`: work of the pins in it [J]. */
export function measureBalance(
  out: Balance,
  rods: readonly BalancedRod[],
  { from, to, frame, h, pinWork }: BalancedStep,
): void {
  const before = kineticEnergy(rods, from, frame) + from.elastic;
  const after = kineticEnergy(rods, to, frame) + to.elastic;
  const last = workOf(to, from, to, frame, h);
  const first = from.hasLoads ? workOf(from, from, to, frame, h) : last;
  const damping = workOfDamping(rods, { from, to, frame, h });
  out.start = before;
  out.gain = after - before - Math.max(first, last) - pinWork - damping;
  out.scale = before + Math.abs(first) + Math.abs(last) + Math.abs(pinWork) + damping;
}

export interface BalancedStep {
  readonly from: Instant;
  readonly to: Instant;
  readonly frame: Float64Array;
  readonly h: number;
  readonly pinWork: number;
}
