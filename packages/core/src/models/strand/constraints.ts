/**
 * Analytic constraints [Hadap2006 §4]: a point on a path, a joint held to a value, limits of a joint.
 *
 * Each is a row with its own force λ. In every Newton iteration unit test forces give the rows' response S = J N⁻¹ Jᵀ by one sweep each, and S gives the
 * forces that bring the rows to their goals: directly if all rows are two-sided, as a complementarity problem if some are limits.
 *
 * NOTE: the paper computes forces from accelerations before the step, keeps them constant over it, and corrects the drift by a proportional-derivative
 * term. The response through the implicit step already contains the step, so the goal is the position at its end and nothing drifts; for stiff strands
 * forces from free accelerations would be far off. What remains of that term is its compliance: a row gives way by a thousandth of what the whole strand's
 * mass would, and pulls no harder than a multiple of loads, inertia and stiffness. A goal out of reach thus pulls with a finite force and without a pop,
 * and the step reports the distance.
 */

import { multiplyQuaternions, quaternionFromRotation, rotationFromQuaternion } from '../../math/quaternion.ts';
import { atan, hypot, hypotOf, square } from '../../math/rounded/index.ts';
import { createPinPose, type Pin, type PinPose } from '../../scene/compiled.ts';
import type { Scene } from '../../scene/types.ts';
import { compileTimed } from '../../scene/varying.ts';
import { writeSwingTwist } from './energy.ts';
import { ONE_SIDED, TWO_SIDED } from './lcp.ts';
import type { StrandJoint } from './options.ts';
import type { Constraints } from './records.ts';
import { COLUMNS, type Sweep } from './records.ts';
import type { StrandTree, TreeRod } from './rod.ts';
import { turn, turnBack } from './spatial.ts';

const SOFTNESS = 1e-3;

interface JointWish {
  readonly spec: StrandJoint;
  readonly joint: number;
  readonly first: number;
  readonly factor: (t: number) => number;
}

const rowsOfPin = (pin: Pin): number => Number(pin.holdX) + Number(pin.holdY) + Number(pin.holdZ);
const rowsOfJoint = ({ bend, twist, hold }: StrandJoint): number =>
  (hold ? 3 : 0) + (bend !== undefined ? 1 : 0) + (twist ? 2 : 0);

/** Rows of a tree, before there is one: its memory has a number for each. */
export function countRows(parts: readonly TreeRod[], scene: Scene): number {
  let rows = 0;
  parts.forEach(({ rod, drive }, k) => {
    for (const pin of drive.pins) if (pin.node > 0 || k > 0) rows += rowsOfPin(pin);
    for (const joint of scene.solver?.strand?.joints ?? []) if (joint.rod === rod.id) rows += rowsOfJoint(joint);
  });
  return rows;
}

/** The node that a location means on a rod of the scene. */
type NodeOf = (spec: StrandJoint, path: readonly (string | number)[]) => number;

export function createConstraints(
  tree: StrandTree,
  scene: Scene,
  force: Float64Array,
  nodeOf: NodeOf,
): Constraints | undefined {
  const count = force.length;
  if (count === 0) return undefined;
  const { kind, link, axis, points, joints } = listRows(tree, scene, count, nodeOf);
  const constraints: Constraints = {
    count,
    kind,
    link,
    axis,
    force,
    value: new Float64Array(count),
    direction: new Float64Array(3 * count),
    softness: new Float64Array(count),
    weight: new Float64Array(count),
    cap: new Float64Array(count).fill(Number.POSITIVE_INFINITY),
    active: new Uint8Array(count).fill(1),
    violation: 0,
    pins: points.map(({ rod, pin, first }) => ({ rod, node: pin.node, first, rows: rowsOfPin(pin) })),
    spring: 0,
    sor: scene.solver?.strand?.lcp === 'sor',
    response: new Float64Array(count * count),
    copy: new Float64Array(count * count),
    right: new Float64Array(count),
    mu: new Float64Array(count),
    columns: Array.from({ length: count }, () => new Float64Array(3 * tree.linkCount + 3)),
    evaluate: (owner, t) => {
      constraints.violation = 0;
      for (const { pin, pose, first, link: j } of points) {
        pin.evaluate(pose, t);
        evaluatePoint(constraints, owner, pose, first, rowsOfPin(pin), j);
      }
      for (const wish of joints) evaluateJoint(constraints, owner, wish, t);
    },
  };
  return constraints;
}

/** Rows of all constraints, rod by rod: those of pins beyond the base, then those of joints. */
interface Rows extends Pick<Constraints, 'kind' | 'link' | 'axis'> {
  /** Pins and joints, with the first of their rows. */
  readonly points: readonly {
    readonly rod: string;
    readonly pin: Pin;
    readonly pose: PinPose;
    readonly first: number;
    readonly link: number;
  }[];
  readonly joints: readonly JointWish[];
}

function listRows(tree: StrandTree, scene: Scene, count: number, nodeOf: NodeOf): Rows {
  const kind = new Uint8Array(count);
  const link = new Int32Array(count);
  const axis = new Int32Array(count).fill(-1);
  const points: { rod: string; pin: Pin; pose: PinPose; first: number; link: number }[] = [];
  const joints: JointWish[] = [];
  let at = 0;
  tree.rods.forEach(({ rod, drive, firstLink }, k) => {
    for (const pin of drive.pins) {
      if (pin.node === 0 && k === 0) continue;
      points.push({ rod: rod.id, pin, pose: createPinPose(), first: at, link: firstLink + pin.node - 1 });
      [pin.holdX, pin.holdY, pin.holdZ].forEach((holds, world) => {
        if (!holds) return;
        link[at] = firstLink + pin.node - 1;
        axis[at++] = world;
      });
    }
    scene.solver?.strand?.joints?.forEach((spec, i) => {
      if (spec.rod !== rod.id) return;
      const path = ['solver', 'strand', 'joints', i];
      const joint = firstLink + nodeOf(spec, path);
      const first = at;
      for (let r = 0; r < rowsOfJoint(spec); r++) {
        link[at] = joint;
        kind[at++] = spec.hold && r < 3 ? TWO_SIDED : ONE_SIDED;
      }
      joints.push({ spec, joint, first, factor: compileTimed(spec.hold?.factor, [...path, 'hold', 'factor']) });
    });
  });
  return { kind, link, axis, points, joints };
}

function evaluatePoint(
  out: Constraints,
  tree: StrandTree,
  pose: PinPose,
  first: number,
  rows: number,
  j: number,
): void {
  for (let r = first; r < first + rows; r++) {
    const k = out.axis[r];
    const x = tree.origin[3 * j + k] + tree.length[j] * tree.world[9 * j + 3 * k + 2];
    out.active[r] = pose.active ? 1 : 0;
    out.value[r] = pose.active ? x - pose.position[k] : 0;
  }
  out.violation = Math.max(out.violation, gapOf(out, first, rows));
}

/** Distance from where the rows of a pin hold it [m]. */
export function gapOf({ value }: Pick<Constraints, 'value'>, first: number, rows: number): number {
  return hypotOf(value.subarray(first, first + rows));
}

const goal = new Float64Array(4);
const error = new Float64Array(4);
const vector = new Float64Array(3);
const slopes = new Float64Array(9);
const angles = new Float64Array(3);

function evaluateJoint(out: Constraints, tree: StrandTree, { spec, joint, first, factor }: JointWish, t: number): void {
  const { deformation, toJoint } = tree;
  const D = 4 * joint;
  let r = first;
  if (spec.hold) {
    const share = factor(t);
    for (let k = 0; k < 3; k++) vector[k] = -share * spec.hold.rotation[k];
    quaternionFromRotation(goal, 0, vector, 0);
    multiplyQuaternions(error, 0, goal, 0, deformation, D);
    rotationFromQuaternion(vector, 0, error, 0);
    for (let k = 0; k < 3; k++, r++) {
      out.value[r] = vector[k];
      out.violation = Math.max(out.violation, Math.abs(vector[k]) * tree.length[joint]);
      for (let i = 0; i < 3; i++) out.direction[3 * r + i] = toJoint[9 * joint + 3 * k + i];
    }
  }
  if (spec.bend === undefined && !spec.twist) return;
  writeSwingTwist(angles, slopes, deformation, D);
  const [gx, gy, gt] = angles;
  const g = hypot(gx, gy);
  if (spec.bend !== undefined) {
    out.value[r] = spec.bend - 2 * atan(g);
    for (let k = 0; k < 3; k++)
      vector[k] = g > 0 ? (-2 / (1 + g * g)) * ((gx / g) * slopes[k] + (gy / g) * slopes[3 + k]) : 0;
    turnBack(out.direction, 3 * r, toJoint, 9 * joint, vector, 0);
    out.violation = Math.max(out.violation, -out.value[r] * tree.length[joint]);
    r++;
  }
  if (!spec.twist) return;
  for (let side = 0; side < 2; side++, r++) {
    const sign = side === 0 ? 1 : -1;
    out.value[r] = sign * (2 * atan(gt) - spec.twist[side]);
    for (let k = 0; k < 3; k++) vector[k] = (sign * 2 * slopes[6 + k]) / (1 + gt * gt);
    turnBack(out.direction, 3 * r, toJoint, 9 * joint, vector, 0);
    out.violation = Math.max(out.violation, -out.value[r] * tree.length[joint]);
  }
}

/** Forces of the rows → tips (world axes) and joints (child's axes). */
export function applyConstraints(constraints: Constraints, tree: StrandTree): void {
  const { count, axis, link, force, direction, spring } = constraints;
  tree.pull.fill(0);
  tree.hold.fill(0);
  if (spring > 0) pullBySprings(constraints, tree);
  for (let r = 0; r < count; r++) {
    if (axis[r] >= 0) tree.pull[3 * link[r] + axis[r]] += force[r];
    else for (let k = 0; k < 3; k++) tree.hold[3 * link[r] + k] += force[r] * direction[3 * r + k];
  }
}

/** Stiffness of row r as a spring. */
function springOf({ spring, axis, link, kind, value, active }: Constraints, tree: StrandTree, r: number): number {
  if (!active[r] || (kind[r] !== TWO_SIDED && value[r] > 0)) return 0;
  const K = tree.stiffness[3 * link[r]];
  return axis[r] >= 0 ? (spring * K) / (tree.reach * tree.length[link[r]]) : spring * K;
}

/** Replaces rows by springs: their forces, and their contribution to the links' own terms. */
function pullBySprings(constraints: Constraints, tree: StrandTree): void {
  const { count, axis, link, force, value } = constraints;
  tree.pointMasses ??= new Float64Array(36 * tree.linkCount);
  tree.pointMasses.fill(0);
  for (let r = 0; r < count; r++) {
    const k = springOf(constraints, tree, r);
    force[r] = -k * value[r];
    if (axis[r] < 0 || k === 0) continue;
    const j = link[r];
    const l = tree.length[j];
    // the world's axis in the link's: J = (e × … ; e) of the tip
    const x = tree.world[9 * j + 3 * axis[r]];
    const y = tree.world[9 * j + 3 * axis[r] + 1];
    const z = tree.world[9 * j + 3 * axis[r] + 2];
    row[0] = -l * y;
    row[1] = l * x;
    row[2] = 0;
    row[3] = x;
    row[4] = y;
    row[5] = z;
    for (let a = 0; a < 6; a++) for (let b = 0; b < 6; b++) tree.pointMasses[36 * j + 6 * a + b] += k * row[a] * row[b];
  }
}

const row = new Float64Array(6);

/** Adds the stiffness of the springs that replace rows on joint j to its pivot. */
export function addJointSprings(D: Float64Array, constraints: Constraints, tree: StrandTree, j: number): void {
  for (let r = 0; r < constraints.count; r++) {
    if (constraints.axis[r] >= 0 || constraints.link[r] !== j) continue;
    const k = springOf(constraints, tree, r);
    const e = constraints.direction;
    for (let a = 0; a < 3; a++) for (let b = 0; b < 3; b++) D[3 * a + b] += k * e[3 * r + a] * e[3 * r + b];
  }
}

/** Energy of the rows while they are springs [J]. */
export function springEnergy(constraints: Constraints, tree: StrandTree): number {
  let sum = 0;
  for (let r = 0; r < constraints.count; r++)
    sum += 0.5 * springOf(constraints, tree, r) * (constraints.value[r] * constraints.value[r]);
  return sum;
}

const local = new Float64Array(3);
const unit = new Float64Array(3);

/** J x of row r, for the change x whose z the sweep holds. */
export function measureRow(
  out: Constraints,
  tree: StrandTree,
  { z, turn: Th }: Sweep,
  x: Float64Array,
  r: number,
): number {
  const j = out.link[r];
  if (out.axis[r] < 0) {
    let sum = 0;
    for (let i = 0; i < 3; i++) {
      for (let k = 0; k < 3; k++) sum += out.direction[3 * r + i] * Th[9 * j + 3 * i + k] * x[3 * j + k];
    }
    return sum;
  }
  const o = COLUMNS * j;
  local[0] = z[o + 3] + tree.length[j] * z[o + 1];
  local[1] = z[o + 4] - tree.length[j] * z[o];
  local[2] = z[o + 5];
  turn(unit, 0, tree.world, 9 * j, local, 0);
  return unit[out.axis[r]];
}

/**
 * Softness and force caps of the rows for a step of length h (0 for statics, where rows are nearly rigid), evaluated at its start. They must not
 * change during Newton's method: a taut strand would be pulled harder the harder it is pulled.
 */
export function prepareConstraints(out: Constraints, tree: StrandTree, h: number): void {
  const { stiffness, length, linkCount, tipForce, tipMass } = tree;
  let mass = tree.base.mass;
  let load = 0;
  let bend = 0;
  for (let j = 0; j < linkCount; j++) {
    mass += tipMass[j];
    load += hypot(tipForce[3 * j], tipForce[3 * j + 1], tipForce[3 * j + 2]);
    bend = Math.max(bend, stiffness[3 * j] / length[j], stiffness[3 * j + 1] / length[j]);
  }
  for (let r = 0; r < out.count; r++) {
    const j = out.link[r];
    const turn = Math.min(stiffness[3 * j], stiffness[3 * j + 1]);
    if (h === 0) {
      out.softness[r] = out.axis[r] >= 0 ? 1e-9 / bend / tree.reach : 1e-9 / turn;
      out.cap[r] = Number.POSITIVE_INFINITY;
      out.weight[r] = out.axis[r] >= 0 ? bend / tree.reach : turn;
      continue;
    }
    if (out.axis[r] >= 0) {
      out.softness[r] = (SOFTNESS * h * h) / mass;
      out.cap[r] = 20 * load + (0.1 * mass * tree.reach) / (h * h) + 2 * bend;
    } else out.softness[r] = (0.01 * SOFTNESS) / (turn + (mass * length[j] * length[j]) / (h * h));
    out.weight[r] = SOFTNESS / out.softness[r];
  }
}

const wanted = new Float64Array(3);

/** Distance of the rows from their goals, as torques: added to the residual in the merit of a step. */
export function constraintMerit(constraints: Constraints, reach: number): number {
  const { count, kind, value, force, softness, weight, cap, axis, active, pins } = constraints;
  const wantedOf = (r: number): number => force[r] - weight[r] * (value[r] + softness[r] * force[r]);
  let sum = 0;
  for (const { first, rows } of pins) {
    if (!active[first]) continue;
    wanted.fill(0);
    for (let i = 0; i < rows; i++) wanted[i] = wantedOf(first + i);
    const share = Math.min(1, cap[first] / hypotOf(wanted));
    for (let i = 0; i < rows; i++) sum += square((force[first + i] - share * wanted[i]) * reach);
  }
  for (let r = 0; r < count; r++) {
    if (!active[r] || axis[r] >= 0) continue;
    const allowed = kind[r] === TWO_SIDED ? wantedOf(r) : Math.max(0, wantedOf(r));
    sum += square(force[r] - allowed);
  }
  return sum;
}
