/** The map S between the unknowns of a rod or body and its contact points, in all forms that are needed. */
import { addEntry, type BorderedBand } from '../../linalg/bandMatrix.ts';
import { axesOf, type ContactSides } from '../../port.ts';
import type { DerBody } from './body.ts';
import type { DerRod, PointMasses } from './rod.ts';

/** Removes the contact forces from a rod, and makes space for others if they follow. */
export function clearContact(der: DerRod, then: 'others-follow' | 'none'): void {
  if (!der.contact) {
    if (then === 'none') return;
    der.contact = {
      nodeForce: new Float64Array(3 * der.nodeCount),
      edgeTorque: new Float64Array(3 * der.edgeCount),
      active: then === 'others-follow',
    };
    return;
  }
  if (der.contact.active) {
    der.contact.nodeForce.fill(0);
    der.contact.edgeTorque.fill(0);
  }
  der.contact.active = then === 'others-follow';
}

/** Force on the two nodes, torque about the edge: the arm is tangent × lever, so that lever × force · tangent = arm · force. */
export function addSideForce(der: DerRod, { edge, weight, arm, force }: ContactSides, c: number): void {
  const contact = der.contact;
  if (!contact) return;
  const a = 3 * edge[c];
  const b = edge[c] + 1 < der.nodeCount ? a + 3 : 0;
  const w = weight[c];
  const o = 3 * c;
  const torque = arm[o] * force[o] + arm[o + 1] * force[o + 1] + arm[o + 2] * force[o + 2];
  for (let k = 0; k < 3; k++) {
    contact.nodeForce[a + k] += (1 - w) * force[o + k];
    contact.nodeForce[b + k] += w * force[o + k];
    contact.edgeTorque[a + k] += torque * der.edgeTangent[a + k];
  }
}

export function addBodyForce(
  { contact, start }: { readonly contact: Float64Array; readonly start: { readonly position: Float64Array } },
  { arm, force }: ContactSides,
  c: number,
): void {
  const o = 3 * c;
  for (let k = 0; k < 3; k++) {
    const a = (k + 1) % 3;
    const b = (k + 2) % 3;
    contact[k] += force[o + k];
    contact[3 + k] += (arm[o + a] - start.position[a]) * force[o + b] - (arm[o + b] - start.position[b]) * force[o + a];
  }
}

export function readBodyVelocity(
  out: Float64Array,
  { velocity, pose, start }: DerBody,
  { arm }: ContactSides,
  c: number,
): void {
  const w = pose.angularVelocity;
  for (let k = 0; k < 3; k++) {
    const a = (k + 1) % 3;
    const b = (k + 2) % 3;
    out[3 * c + k] =
      velocity[k] + w[a] * (arm[3 * c + b] - start.position[b]) - w[b] * (arm[3 * c + a] - start.position[a]);
  }
}

/** x += Sᵀ g of side c, which has no direction. */
export function addSide(
  x: Float64Array,
  der: DerRod,
  g: Float64Array,
  { edge, weight, arm }: ContactSides,
  c: number,
): void {
  const a = 4 * edge[c];
  const b = edge[c] + 1 < der.nodeCount ? a + 4 : 0;
  const w = weight[c];
  const o = 3 * c;
  for (let k = 0; k < 3; k++) {
    x[a + k] += (1 - w) * g[o + k];
    x[b + k] += w * g[o + k];
  }
  x[a + 3] += arm[o] * g[o] + arm[o + 1] * g[o + 1] + arm[o + 2] * g[o + 2];
}

/** out = scale·S x of side c, which has no direction. */
export function readSide(
  out: Float64Array,
  der: DerRod,
  x: Float64Array,
  { edge, weight, arm }: ContactSides,
  c: number,
  scale: number,
): void {
  const a = 4 * edge[c];
  const b = edge[c] + 1 < der.nodeCount ? a + 4 : 0;
  const w = weight[c];
  for (let k = 0; k < 3; k++) out[3 * c + k] = scale * ((1 - w) * x[a + k] + w * x[b + k] + x[a + 3] * arm[3 * c + k]);
}

/** Both maps for sides c … end − 1 of one rod. */
export function addSides(
  x: Float64Array,
  der: DerRod,
  g: Float64Array,
  sides: ContactSides,
  c: number,
  end: number,
): void {
  const { edge, weight, arm, direction: n } = sides;
  if (!n) {
    for (let s = c; s < end; s++) addSide(x, der, g, sides, s);
    return;
  }
  // a call per side would double the time: contact needs them in every iteration
  const last = der.nodeCount - 1;
  for (let s = c, o = 3 * c; s < end; s++, o += 3) {
    const a = 4 * edge[s];
    const b = edge[s] < last ? a + 4 : 0;
    const px = g[s] * n[o];
    const py = g[s] * n[o + 1];
    const pz = g[s] * n[o + 2];
    const w = weight[s];
    const u = 1 - w;
    x[a] += u * px;
    x[a + 1] += u * py;
    x[a + 2] += u * pz;
    x[a + 3] += arm[o] * px + arm[o + 1] * py + arm[o + 2] * pz;
    x[b] += w * px;
    x[b + 1] += w * py;
    x[b + 2] += w * pz;
  }
}

export function readSides(
  out: Float64Array,
  der: DerRod,
  x: Float64Array,
  sides: ContactSides,
  c: number,
  end: number,
  scale: number,
): void {
  const { edge, weight, arm, direction: n } = sides;
  if (!n) {
    for (let s = c; s < end; s++) readSide(out, der, x, sides, s, scale);
    return;
  }
  const last = der.nodeCount - 1;
  for (let s = c, o = 3 * c; s < end; s++, o += 3) {
    const a = 4 * edge[s];
    const b = edge[s] < last ? a + 4 : 0;
    const w = weight[s];
    const u = 1 - w;
    const spin = x[a + 3];
    const vx = u * x[a] + w * x[b] + spin * arm[o];
    const vy = u * x[a + 1] + w * x[b + 1] + spin * arm[o + 1];
    const vz = u * x[a + 2] + w * x[b + 2] + spin * arm[o + 2];
    out[s] = scale * (n[o] * vx + n[o + 1] * vy + n[o + 2] * vz);
  }
}

/** For a pinned node: replaces the velocity of its path at the end by its displacement over the step times `rate`. */
export function replacePinVelocity(
  out: Float64Array,
  der: DerRod,
  start: Float64Array,
  { edge, weight, direction: n }: ContactSides,
  c: number,
  rate: number,
): void {
  const { q, v, fixed, nodeCount } = der;
  const a = 4 * edge[c];
  const b = edge[c] + 1 < nodeCount ? a + 4 : 0;
  const w = weight[c];
  for (let k = 0; k < 3; k++) {
    let more = 0;
    if (fixed[a + k]) more += (1 - w) * (rate * (q[a + k] - start[a + k]) - v[a + k]);
    if (fixed[b + k]) more += w * (rate * (q[b + k] - start[b + k]) - v[b + k]);
    if (n) out[c] += n[3 * c + k] * more;
    else out[3 * c + k] += more;
  }
}

/** Result of the last `writeRow`. */
export const row: Float64Array = new Float64Array(7);
export const unknown: Int32Array = new Int32Array(7);

/**
 * Unknowns that affect a side, in order, and for axis k, or along its direction, the contribution of each to its velocity. Of free unknowns alone, fixed ones contribute
 * nothing.
 */
export function writeRow(der: DerRod, sides: ContactSides, c: number, k: number, unknowns: 'free' | 'all'): void {
  const { edge, weight, arm, direction: n } = sides;
  const a = 4 * edge[c];
  const b = edge[c] + 1 < der.nodeCount ? a + 4 : 0;
  unknown[3] = a + 3;
  row[3] = n ? 0 : arm[3 * c + k];
  for (let m = 0; m < 3; m++) {
    const part = n ? n[3 * c + m] : m === k ? 1 : 0;
    unknown[m] = a + m;
    unknown[4 + m] = b + m;
    row[m] = unknowns === 'free' && der.fixed[a + m] ? 0 : (1 - weight[c]) * part;
    row[4 + m] = unknowns === 'free' && der.fixed[b + m] ? 0 : weight[c] * part;
    if (n) row[3] += arm[3 * c + m] * part;
  }
}

/** Free unknowns: without the prescribed ones, but with welded nodes, which move with their body. */
export function addPointMass(
  matrix: BorderedBand,
  der: DerRod,
  sides: ContactSides,
  c: number,
  scale: number,
  unknowns: 'free' | 'all',
): void {
  const rho = scale * sides.mass[c];
  const axes = axesOf(sides);
  for (let k = 0; k < axes; k++) {
    writeRow(der, sides, c, k, unknowns);
    for (let i = 0; i < 7; i++) {
      if (row[i] === 0) continue;
      for (let j = 0; j <= i; j++) if (row[j] !== 0) addEntry(matrix, unknown[i], unknown[j], rho * row[i] * row[j]);
    }
  }
}

/** Velocity of an unknown for contact: the displacement over the step, if a pin prescribes it. */
function rateOf({ q, v, fixed }: DerRod, start: Float64Array, d: number, rate: number): number {
  return fixed[d] ? rate * (q[d] - start[d]) : v[d];
}

/** Component k of S v of side c, with the displacements of pinned nodes over the step instead of their velocities. */
export function velocityOf(
  der: DerRod,
  { edge, weight, arm }: ContactSides,
  c: number,
  k: number,
  start: Float64Array,
  rate: number,
): number {
  const a = 4 * edge[c];
  const b = edge[c] + 1 < der.nodeCount ? a + 4 : 0;
  const w = weight[c];
  return (
    (1 - w) * rateOf(der, start, a + k, rate) + w * rateOf(der, start, b + k, rate) + der.v[a + 3] * arm[3 * c + k]
  );
}

const pull = new Float64Array(3);

/** Adds ρ(S v − goal)/h of the point masses to the residual, and its derivative to the matrix. */
export function addPointMasses(
  residual: Float64Array,
  matrix: BorderedBand | undefined,
  der: DerRod,
  { sides, from, to, rate, start }: PointMasses,
): void {
  const { goal, mass, edge, weight, arm } = sides;
  if (!goal) return;
  for (let c = from; c < to; c++) {
    if (mass[c] === 0) continue;
    const a = 4 * edge[c];
    const b = edge[c] + 1 < der.nodeCount ? a + 4 : 0;
    const w = weight[c];
    for (let k = 0; k < 3; k++) {
      pull[k] = rate * mass[c] * (velocityOf(der, sides, c, k, start, rate) - goal[3 * c + k]);
      residual[a + k] += (1 - w) * pull[k];
      residual[b + k] += w * pull[k];
      residual[a + 3] += arm[3 * c + k] * pull[k];
    }
    if (matrix) addPointMass(matrix, der, sides, c, rate * rate, 'all');
  }
}

/** One past the last side of the rod that side c belongs to. */
export function endOfRod(sides: ContactSides, c: number): number {
  const rod = sides.rod[c];
  let end = c + 1;
  while (end < sides.count && sides.rod[end] === rod) end++;
  return end;
}

/** True if one of sides c … end − 1 ends farther from its goal than admissible. */
export function leavesRoom(
  der: DerRod,
  sides: ContactSides,
  c: number,
  end: number,
  start: Float64Array,
  dt: number,
): boolean {
  const { clearance } = sides;
  for (let s = c; s < end && clearance; s++)
    if (clearance[s] < Infinity && missGoal(der, sides, s, s + 1, start, 1 / dt) * dt > clearance[s]) return true;
  return false;
}

/** Largest distance of sides c … end − 1 of a rod that have a mass from their goals [m/s]. */
export function missGoal(
  der: DerRod,
  sides: ContactSides,
  c: number,
  end: number,
  start: Float64Array,
  rate: number,
): number {
  const { goal } = sides;
  let most = 0;
  for (let s = c; s < end && goal; s++)
    for (let k = 0; k < 3 && sides.mass[s] > 0; k++)
      most = Math.max(most, Math.abs(velocityOf(der, sides, s, k, start, rate) - goal[3 * s + k]));
  return most;
}
