/**
 * Angular momentum of free strands in steps with contact.
 *
 * Implicit Euler applies forces at the initial positions, while internal forces lie along lines through the final positions: a strand that rotates by φ
 * per step would lose φ²/2 of its rotation each time. The missing part,
 *     −h Σ m (u − U) × (v₀ − c),   U and c the means of u and v₀,
 * is restored as a rigid rotation after the step, which changes neither momentum nor shape. Strands that touch or are linked get it back together, if
 * nothing else touches them. No more energy is added than the step lost: components about axes of small inertia are omitted first.
 *
 * Derivation: docs/notes/strand.md#angular-momentum.
 */

import { elasticEnergy } from './energy.ts';
import type { Bulk, Departure } from './records.ts';
import type { StrandTree } from './rod.ts';
import { invert3, turn, turnBack } from './spatial.ts';

export const createBulk = (): Bulk => ({
  mass: 0,
  center: new Float64Array(3),
  velocity: new Float64Array(3),
  before: new Float64Array(3),
  angular: new Float64Array(3),
  inertia: new Float64Array(9),
  missing: new Float64Array(3),
  lost: 0,
  push: new Float64Array(3),
  pressure: 0,
  moment: new Float64Array(3),
});

/** True if nothing but contact, links and loads acts on the tree. */
export const isFree = ({ base, rootHeld, constraints }: StrandTree): boolean =>
  !rootHeld && !constraints && base.free[0] === 1 && base.free[1] === 1 && base.free[2] === 1;

/** The same at time t, whatever the base was evaluated for last. */
export const isFreeAt = ({ base, constraints }: StrandTree, t: number): boolean =>
  !constraints && !base.pins.some((pin) => pin.holds(t));

const x = new Float64Array(3);
const u = new Float64Array(3);
const v0 = new Float64Array(3);
const r = new Float64Array(3);
const f = new Float64Array(3);

/** out += factor · a × b */
function addCross(out: Float64Array, factor: number, a: Float64Array, b: Float64Array): void {
  out[0] += factor * (a[1] * b[2] - a[2] * b[1]);
  out[1] += factor * (a[2] * b[0] - a[0] * b[2]);
  out[2] += factor * (a[0] * b[1] - a[1] * b[0]);
}

/** I += mass (r² − r rᵀ) */
function addInertiaOf(I: Float64Array, mass: number, at: Float64Array): void {
  const square = at[0] * at[0] + at[1] * at[1] + at[2] * at[2];
  for (let i = 0; i < 3; i++)
    for (let k = 0; k < 3; k++) I[3 * i + k] += mass * ((i === k ? square : 0) - at[i] * at[k]);
}

/** Place and mean velocity of a node's mass, the tip of a link or the base after the last; returns the mass. */
function readNode(tree: StrandTree, at: Departure, j: number): number {
  const { linkCount, origin, length, world, tipMass, base, q } = tree;
  const tip = j < linkCount;
  for (let k = 0; k < 3; k++) {
    x[k] = tip ? origin[3 * j + k] + length[j] * world[9 * j + 3 * k + 2] : q[k];
    u[k] = (x[k] - (tip ? at.tip[3 * j + k] : at.base[k])) / at.h;
    v0[k] = tip ? at.velocity[3 * j + k] : at.baseVelocity[k];
  }
  return tip ? tipMass[j] : base.mass;
}

/** Sums over the tree at the end of the step; `kinetic`: energy that its motion has then [J]. */
export function measureBulk(out: Bulk, tree: StrandTree, at: Departure, kinetic: number): void {
  const { linkCount, inertia, world, base, tipForce } = tree;
  const { center, velocity, before, angular, missing } = out;
  out.mass = 0;
  const { bending, twisting } = elasticEnergy(tree);
  out.lost = at.elastic - bending - twisting - kinetic;
  for (const list of [center, velocity, before, angular, missing, out.inertia]) list.fill(0);
  for (let j = 0; j <= linkCount; j++) {
    const m = readNode(tree, at, j);
    out.mass += m;
    for (let k = 0; k < 3; k++) {
      center[k] += m * x[k];
      velocity[k] += m * u[k];
      before[k] += m * v0[k];
      const force = j < linkCount ? tipForce[3 * j + k] : base.force[k];
      out.lost += 0.5 * m * v0[k] * v0[k] + at.h * force * u[k];
    }
  }
  for (let k = 0; k < 3; k++) {
    center[k] /= out.mass;
    velocity[k] /= out.mass;
    before[k] /= out.mass;
  }
  for (let j = 0; j <= linkCount; j++) {
    const m = readNode(tree, at, j);
    for (let k = 0; k < 3; k++) {
      r[k] = x[k] - center[k];
      u[k] -= velocity[k];
      v0[k] -= before[k];
    }
    addCross(missing, -at.h * m, u, v0);
    addCross(angular, m, r, u);
    addInertiaOf(out.inertia, m, r);
  }
  for (let j = 0; j < linkCount; j++) {
    const polar = inertia[36 * j + 14];
    out.lost += 0.5 * polar * (at.spin[j] * at.spin[j]);
    addPolar(out, world, j, polar, at.turned[j]);
  }
}

/**
 * The same sums from the current motion: `lost` is the energy about the centre of mass, of joints and motion; `push`, `moment` and `pressure` are
 * force, moment about the centre of mass and power of the loads.
 */
export function measureMotion(out: Bulk, tree: StrandTree): void {
  const { linkCount, inertia, world, motion, linkTorque } = tree;
  const { center, velocity, angular, push, moment } = out;
  const { bending, twisting } = elasticEnergy(tree);
  out.mass = 0;
  out.pressure = 0;
  out.lost = bending + twisting;
  for (const list of [center, velocity, angular, push, moment, out.inertia]) list.fill(0);
  for (let pass = 0; pass < 2; pass++) {
    for (let j = 0; j <= linkCount; j++) {
      const m = readMotion(tree, j);
      if (pass === 0) out.mass += m;
      for (let k = 0; k < 3; k++) {
        if (pass === 0) {
          center[k] += m * x[k];
          velocity[k] += m * u[k];
          push[k] += f[k];
          continue;
        }
        r[k] = x[k] - center[k];
        u[k] -= velocity[k];
        out.lost += 0.5 * m * u[k] * u[k];
        out.pressure += f[k] * u[k];
      }
      if (pass === 0) continue;
      addCross(angular, m, r, u);
      addCross(moment, 1, r, f);
      addInertiaOf(out.inertia, m, r);
    }
    for (let k = 0; k < 3 && pass === 0; k++) {
      center[k] /= out.mass;
      velocity[k] /= out.mass;
    }
  }
  for (let j = 0; j < linkCount; j++) {
    addPolar(out, world, j, inertia[36 * j + 14], motion[6 * j + 2]);
    out.lost += 0.5 * inertia[36 * j + 14] * (motion[6 * j + 2] * motion[6 * j + 2]);
    for (let k = 0; k < 3; k++) moment[k] += linkTorque[3 * j + k];
  }
}

/** Place, velocity and load of a node as they are; returns the mass. */
function readMotion(tree: StrandTree, j: number): number {
  const { linkCount, origin, length, world, tipMass, tipForce, motion, base, q, v } = tree;
  if (j === linkCount) {
    for (let k = 0; k < 3; k++) {
      x[k] = q[k];
      u[k] = v[k];
      f[k] = base.force[k];
    }
    return base.mass;
  }
  const l = length[j];
  r[0] = motion[6 * j + 3] + l * motion[6 * j + 1];
  r[1] = motion[6 * j + 4] - l * motion[6 * j];
  r[2] = motion[6 * j + 5];
  turn(u, 0, world, 9 * j, r, 0);
  for (let k = 0; k < 3; k++) {
    x[k] = origin[3 * j + k] + l * world[9 * j + 3 * k + 2];
    f[k] = tipForce[3 * j + k];
  }
  return tipMass[j];
}

/** Polar inertia of a link that spins about its axis. */
function addPolar({ angular, inertia }: Bulk, world: Float64Array, j: number, polar: number, spin: number): void {
  for (let i = 0; i < 3; i++) {
    const along = polar * world[9 * j + 3 * i + 2];
    angular[i] += spin * along;
    for (let k = 0; k < 3; k++) inertia[3 * i + k] += along * world[9 * j + 3 * k + 2];
  }
}

const rotation = new Float64Array(3);
const regular = new Float64Array(9);
const inverse = new Float64Array(9);
const gained = new Float64Array(3);

/**
 * Writes the rotation that restores `missing`, as far as `lost` allows, to `rotation`, and subtracts its energy from `lost`. Components about axes whose
 * inertia is below a fraction of the largest are omitted, more and more of them.
 */
function findRotation({ inertia, missing, angular }: Bulk, lost: number): number {
  const size = inertia[0] + inertia[4] + inertia[8];
  rotation.fill(0);
  for (let part = 1e-14; part < 1; part *= 100) {
    regular.set(inertia);
    for (let k = 0; k < 9; k += 4) regular[k] += part * size;
    if (invert3(inverse, 0, regular, 0) === 0) continue;
    turn(rotation, 0, inverse, 0, missing, 0);
    turn(gained, 0, inertia, 0, rotation, 0);
    let energy = 0;
    for (let k = 0; k < 3; k++) energy += rotation[k] * (angular[k] + 0.5 * gained[k]);
    if (energy <= lost) return energy;
  }
  rotation.fill(0);
  return 0;
}

/** Adds the rotation about `center` to the rates of a free tree. */
function rotateTree({ v, q, linkCount, parent, world }: StrandTree, center: Float64Array): void {
  for (let k = 0; k < 3; k++) r[k] = q[k] - center[k];
  u.fill(0);
  addCross(u, 1, rotation, r);
  for (let k = 0; k < 3; k++) v[k] += u[k];
  for (let j = 0; j < linkCount; j++) {
    if (parent[j] >= 0) continue;
    turnBack(r, 0, world, 9 * j, rotation, 0);
    for (let k = 0; k < 3; k++) v[3 + 3 * j + k] += r[k];
  }
}

/** Restores a tree's missing rotation, as far as the energy allows. */
export function rotateBack(bulk: Bulk, tree: StrandTree): void {
  bulk.lost -= findRotation(bulk, bulk.lost);
  rotateTree(tree, bulk.center);
  turn(gained, 0, bulk.inertia, 0, rotation, 0);
  for (let k = 0; k < 3; k++) bulk.angular[k] += gained[k];
}

/** Forces of contacts and links on a tree, at its position at the end of the step. */
function measurePush(out: Bulk, { contact, linkCount, origin, length, world, q }: StrandTree): void {
  out.push.fill(0);
  out.moment.fill(0);
  out.pressure = 0;
  if (!contact) return;
  for (let j = 0; j <= linkCount; j++) {
    for (let k = 0; k < 3; k++) {
      const o = 3 * j + k;
      const place = j < linkCount ? origin[o] + length[j] * world[9 * j + 3 * k + 2] : q[k];
      r[k] = place - out.center[k];
      f[k] = j < linkCount ? contact.tip[o] : contact.base[k];
      out.push[k] += f[k];
      out.pressure += Math.abs(f[k]);
      if (j < linkCount) out.moment[k] += contact.torque[o];
    }
    addCross(out.moment, 1, r, f);
  }
}

const whole = createBulk();

/** Restores the angular momentum that trees which only push each other lost together, after each has its own restored. */
export function restoreTogether(bulks: readonly Bulk[], trees: readonly StrandTree[], h: number): void {
  whole.mass = 0;
  whole.lost = 0;
  whole.pressure = 0;
  for (const list of [whole.center, whole.velocity, whole.angular, whole.missing, whole.inertia, whole.push])
    list.fill(0);
  for (let i = 0; i < bulks.length; i++) {
    const { mass, center, velocity, lost, push } = bulks[i];
    measurePush(bulks[i], trees[i]);
    whole.mass += mass;
    whole.lost += lost;
    whole.pressure += bulks[i].pressure;
    for (let k = 0; k < 3; k++) {
      whole.center[k] += mass * center[k];
      whole.velocity[k] += mass * velocity[k];
      whole.push[k] += push[k];
    }
  }
  // something else pushes them
  for (let k = 0; k < 3; k++) if (!(Math.abs(whole.push[k]) <= 1e-12 * whole.pressure)) return;
  for (let k = 0; k < 3; k++) {
    whole.center[k] /= whole.mass;
    whole.velocity[k] /= whole.mass;
  }
  for (const { mass, center, velocity, angular, inertia, push, moment } of bulks) {
    for (let k = 0; k < 3; k++) {
      r[k] = center[k] - whole.center[k];
      u[k] = velocity[k] - whole.velocity[k];
      whole.angular[k] += angular[k];
      whole.missing[k] -= h * moment[k];
    }
    addCross(whole.missing, -h, r, push);
    addCross(whole.missing, h * h, u, push);
    addCross(whole.angular, mass, r, u);
    addInertiaOf(whole.inertia, mass, r);
    for (let k = 0; k < 9; k++) whole.inertia[k] += inertia[k];
  }
  findRotation(whole, whole.lost);
  for (const tree of trees) rotateTree(tree, whole.center);
}
