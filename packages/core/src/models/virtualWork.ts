/**
 * Virtual work at an equilibrium: for any small displacement, the work of loads and pins must equal the change of the elastic energy.
 *
 * Checks models that compute the reaction at the base from the loads: their forces balance in any shape. Uses only poses, energies,
 * loads and reactions, not the model's residual or its derivatives.
 */
import { hypot } from '../math/rounded/index.ts';
import type { ActingRod, Samples } from '../port.ts';
import { virtualBendCount } from './virtualBend.ts';

/** Half of the difference between the two poses that are compared [rad]: rounding and curvature both cost less than 1e-7. */
const ANGLE = 1e-4;

/**
 * Bends rods by an angle [rad] in a direction of virtualBend.ts, poses their samples and returns their elastic energy [J]; angle 0 brings
 * them back. Undefined: forces act that loads and reactions do not contain.
 */
export type Bend = (direction: number, angle: number) => number | undefined;

/** Largest error of virtual work, relative to the work of the forces that act; `moment` [N m] is the reference if none act. */
export function measureWorkError(rods: readonly ActingRod[], bend: Bend, moment: number): number {
  let worst = 0;
  for (let direction = 0; direction < virtualBendCount; direction++) {
    const after = bend(direction, ANGLE);
    if (after === undefined) break;
    const poses = rods.map(({ samples }) => copyPose(samples));
    const taken = after - (bend(direction, -ANGLE) ?? 0);
    const work: Work = { done: 0, size: 0, doubt: 0 };
    rods.forEach((rod, r) => {
      addWork(work, rod, poses[r]);
    });
    const scale = Math.max(work.size + Math.abs(taken), 2 * ANGLE * moment);
    const missing = Math.abs(taken - work.done) - work.doubt;
    if (scale > 0) worst = Math.max(worst, missing / scale);
  }
  bend(0, 0);
  return worst;
}

interface Work {
  done: number;
  /** Sum of the sizes of its parts. */
  size: number;
  /** Error by rounding of positions, which are sums along the rod and, far from the origin, large numbers. */
  doubt: number;
}

type RodPose = Pick<Samples, 'nodePosition' | 'edgeTangent' | 'edgeDirector'>;

function copyPose({ nodePosition, edgeTangent, edgeDirector }: Samples): RodPose {
  return {
    nodePosition: nodePosition.slice(),
    edgeTangent: edgeTangent.slice(),
    edgeDirector: edgeDirector.slice(),
  };
}

/** Work from the present pose to `after`. */
function addWork(out: Work, rod: ActingRod, after: RodPose): void {
  const { samples, nodeForce, edgeTorque } = rod;
  let farthest = 0;
  let forces = 0;
  for (let k = 0; k < nodeForce.length; k++) {
    farthest = Math.max(farthest, Math.abs(samples.nodePosition[k]));
    forces += Math.abs(nodeForce[k]);
  }
  out.doubt += forces * (nodeForce.length / 3) * Number.EPSILON * farthest;
  addProducts(out, nodeForce, (k) => after.nodePosition[k] - samples.nodePosition[k]);
  addProducts(out, edgeTorque, (k) => turnOfEdge(samples, after, k));
}

function addProducts(out: Work, force: Float64Array, moved: (k: number) => number): void {
  for (let o = 0; o < force.length; o += 3) {
    const [fx, fy, fz] = [force[o], force[o + 1], force[o + 2]];
    if (fx === 0 && fy === 0 && fz === 0) continue;
    const [x, y, z] = [moved(o), moved(o + 1), moved(o + 2)];
    out.done += fx * x + fy * y + fz * z;
    out.size += hypot(fx, fy, fz) * hypot(x, y, z);
  }
}

/** Component k of the rotation vectors of edges, for small turns: the swing of the tangent, and the turn of the director about it. */
function turnOfEdge({ edgeTangent: t, edgeDirector: d }: RodPose, after: RodPose, k: number): number {
  const c = k % 3;
  const o = k - c;
  const cross = (a: Float64Array, b: Float64Array, i: number): number => {
    const [p, q] = [o + ((i + 1) % 3), o + ((i + 2) % 3)];
    return a[p] * b[q] - a[q] * b[p];
  };
  let about = 0;
  for (let i = 0; i < 3; i++) about += 0.5 * (t[o + i] + after.edgeTangent[o + i]) * cross(d, after.edgeDirector, i);
  return cross(t, after.edgeTangent, c) + about * 0.5 * (t[k] + after.edgeTangent[k]);
}
