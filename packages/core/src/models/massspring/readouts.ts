/** Read-outs of a rod that do not move it: energies, momentum, quantities along it, and reactions of its pins. */

import type { ChannelReaders } from '../../channels.ts';
import { atan2, hypot } from '../../math/rounded/index.ts';
import type { Channel, Energies, Momentum, Reaction } from '../../model.ts';
import type { Samples } from '../../port.ts';
import { addPointMomentum } from '../momentum.ts';
import { evaluateAltitude, volumeOf } from './altitude.ts';
import { forEachForce, forEachRow, type Row } from './energy.ts';
import { subtractLinkForces } from './linkedEdges.ts';
import type { Hair } from './rod.ts';
import { measureLift, type Workspace, writeLoads } from './step.ts';

export function addEnergies(out: Energies, hair: Hair, t: number): void {
  const { v, mass, size, drive, samples, q } = hair;
  for (let d = 0; d < size; d++) out.kinetic += 0.5 * mass[d] * v[d] * v[d];
  // the springs do not distinguish bending from twist: both are in `bending`
  forEachRow(hair, q, q, (row) => {
    const energy = 0.5 * row.stiffness * row.value * row.value;
    if (row.apart === 2) out.stretching += energy;
    else out.bending += energy;
  });
  for (const source of drive.sources) out.potential += source.potential(samples, t);
  const lift = measureLift(hair, t);
  out.potential += lift;
  out.beside = (out.beside ?? 0) + lift;
}

export function addMomentum(out: Momentum, { q, v, mass, particleCount }: Hair): void {
  for (let p = 0; p < particleCount; p++) addPointMomentum(out, mass[3 * p], { x: q, o: 3 * p, v, p: 3 * p });
}

/**
 * Rate of a spring's length [m/s]. The velocities at the ends of midpoint steps alternate in sign in modes that are strongly damped, so the rate is taken
 * from the lengths at both ends of the last step.
 */
function rateOf({ v, lastStep }: Hair, row: Row): number {
  const span = lastStep[0];
  if (span > 0) return (row.length - lengthOf(row, lastStep.subarray(1))) / span;
  let rate = 0;
  for (let p = 0; p < row.count; p++)
    for (let k = 0; k < 3; k++) rate += row.weight[p] * row.direction[k] * v[3 * row.particle[p] + k];
  return rate;
}

/** Length or altitude of a row at other positions [m]. */
function lengthOf({ count, particle, first, kind }: Row, x: Float64Array): number {
  if (count === 4) return evaluateAltitude(x, first, kind, volumeOf(x, first));
  const [a, b] = [3 * particle[0], 3 * particle[1]];
  return hypot(x[b] - x[a], x[b + 1] - x[a + 1], x[b + 2] - x[a + 2]);
}

/** Forces on prescribed particles; a clamp's three add up to a force and a torque about its node. */
export function measureReactions(hair: Hair, work: Workspace, t: number): Reaction[] {
  const { pins, poses, q, mass, massDamping, acceleration, v, fixed, stubs, start, stride, size } = hair;
  writeLoads(work.external, hair, t);
  const residual = work.right;
  for (let d = 0; d < size; d++) residual[d] = mass[d] * (acceleration[d] + massDamping[d] * v[d]) - work.external[d];
  subtractLinkForces(hair, residual);
  forEachForce(hair, (row) => {
    const f = row.stiffness * (row.value + row.damping * rateOf(hair, row));
    for (let p = 0; p < row.count; p++)
      for (let k = 0; k < 3; k++) residual[3 * row.particle[p] + k] += f * row.weight[p] * row.direction[k];
  });
  return pins.flatMap((pin, p): Reaction[] => {
    if (!poses[p].active) return [];
    const node = 3 * (start + stride * pin.node);
    const force: [number, number, number] = [0, 0, 0];
    const torque: [number, number, number] = [0, 0, 0];
    for (let k = 0; k < 3; k++) if (fixed[node + k]) force[k] = residual[node + k];
    const stub = pin.orientation === 'frame' ? stubs.find((one) => one.pin === p) : undefined;
    for (const particle of stub ? [stub.ghost, stub.main] : []) {
      for (let k = 0; k < 3; k++) {
        const [a, b] = [(k + 1) % 3, (k + 2) % 3];
        const o = 3 * particle;
        force[k] += residual[o + k];
        torque[k] += (q[o + a] - q[node + a]) * residual[o + b] - (q[o + b] - q[node + b]) * residual[o + a];
      }
    }
    return [{ rod: hair.rod.id, node: pin.node, force, torque }];
  });
}

/** Tension: the force along the edge through a cut after node j. */
function readTension(out: Float64Array, hair: Hair): void {
  const { rod, samples, start, stride } = hair;
  const { edgeTangent: t } = samples;
  forEachForce(hair, (row) => {
    for (let j = 0; j < rod.edgeCount; j++) {
      const cut = start + stride * j;
      let beyond = 0;
      for (let p = 0; p < row.count; p++) if (row.particle[p] > cut) beyond += row.weight[p];
      if (beyond === 0) continue;
      const along = row.direction[0] * t[3 * j] + row.direction[1] * t[3 * j + 1] + row.direction[2] * t[3 * j + 2];
      out[j] += row.stiffness * row.value * beyond * along;
    }
  });
}

/** An angle between neighbouring edges at inner nodes, over the length between; `a`, `b`: offsets of the edges in arrays of samples. */
function readTurns(out: Float64Array, { rod }: Hair, angleOf: (a: number, b: number) => number): void {
  for (let i = 1; i < rod.edgeCount; i++) {
    const length = 0.5 * (rod.edgeLengthRest[i - 1] + rod.edgeLengthRest[i]);
    out[i] = angleOf(3 * (i - 1), 3 * i) / length;
  }
}

function bendingAngle({ edgeTangent: t }: Samples, a: number, b: number): number {
  const cosine = t[a] * t[b] + t[a + 1] * t[b + 1] + t[a + 2] * t[b + 2];
  const bx = t[a + 1] * t[b + 2] - t[a + 2] * t[b + 1];
  const by = t[a + 2] * t[b] - t[a] * t[b + 2];
  const bz = t[a] * t[b + 1] - t[a + 1] * t[b];
  return atan2(hypot(bx, by, bz), cosine);
}

/** Angle from the parallel-transported director of the previous edge to the actual director. */
function twistAngle({ edgeTangent: t, edgeDirector: d }: Samples, a: number, b: number): number {
  const cosine = t[a] * t[b] + t[a + 1] * t[b + 1] + t[a + 2] * t[b + 2];
  const bx = t[a + 1] * t[b + 2] - t[a + 2] * t[b + 1];
  const by = t[a + 2] * t[b] - t[a] * t[b + 2];
  const bz = t[a] * t[b + 1] - t[a + 1] * t[b];
  const w = 1 / Math.max(1e-12, 1 + cosine);
  const [x, y, z] = [d[a], d[a + 1], d[a + 2]];
  const [cx, cy, cz] = [by * z - bz * y, bz * x - bx * z, bx * y - by * x];
  const ex = x + cx + w * (by * cz - bz * cy);
  const ey = y + cy + w * (bz * cx - bx * cz);
  const ez = z + cz + w * (bx * cy - by * cx);
  const sine =
    t[b] * (ey * d[b + 2] - ez * d[b + 1]) +
    t[b + 1] * (ez * d[b] - ex * d[b + 2]) +
    t[b + 2] * (ex * d[b + 1] - ey * d[b]);
  return atan2(sine, ex * d[b] + ey * d[b + 1] + ez * d[b + 2]);
}

export function readChannel(out: Float64Array, hair: Hair, channel: Channel): void {
  const { samples } = hair;
  out.fill(0);
  const readers: ChannelReaders = {
    tension: () => readTension(out, hair),
    curvature: () => readTurns(out, hair, (a, b) => bendingAngle(samples, a, b)),
    twist: () => readTurns(out, hair, (a, b) => twistAngle(samples, a, b)),
  };
  readers[channel]();
}
