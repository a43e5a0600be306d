/** Pins and loads of a pair, as the kernel reads them. */

import { evaluatePins } from '../models/der/kinematics.ts';
import type { DerRod } from '../models/der/rod.ts';
import { sumLoads } from '../models/der/stage.ts';
import { dependsOnState } from '../models/loadJacobian.ts';
import type { Loads } from '../port.ts';
import { hasAny, interleave } from './copy.ts';
import { type Pair, writeSamples } from './derPairState.ts';
import { loadBits } from './description.ts';
import { FIXED_COUNT, LOADS } from './layout.ts';

const { ASK_LOADS: ASK, WITH_TORQUE: TORQUE, WITH_DRAG: DRAG } = loadBits;

/** Prescribed unknowns and active joints of a rod of the pair, as of the last `evaluatePins`. */
export function writeLists({ memory, block, addresses, shared }: Pair, { fixed, size, jointActive }: DerRod): void {
  const { integers, bytes } = memory;
  let count = 0;
  for (let d = 0; d < size; d++) if (fixed[d]) integers[(addresses.fixed >> 2) + count++] = d;
  shared.fixed = count;
  integers[(block >> 2) + FIXED_COUNT] = count;
  bytes.set(jointActive, addresses.active);
}

/** Held frames, positions of pinned nodes, and their velocities. */
export function writePoses({ memory, addresses, inLane }: Pair): void {
  const { doubles } = memory;
  const place = addresses.place >> 3;
  const placeRate = addresses.placeRate >> 3;
  const heldTangent = addresses.heldTangent >> 3;
  const heldDirector = addresses.heldDirector >> 3;
  const heldTheta = addresses.heldTheta >> 3;
  const heldRate = addresses.heldRate >> 3;
  for (let lane = 0; lane < 2; lane++) {
    const { pins, poses, held } = inLane[lane];
    for (let h = 0; h < held.count; h++) {
      const { tangent, director, twist, angularVelocity: w } = poses[held.pin[h]];
      let spin = 0;
      for (let k = 0; k < 3; k++) {
        doubles[heldTangent + 6 * h + 2 * k + lane] = tangent[k];
        doubles[heldDirector + 6 * h + 2 * k + lane] = director[k];
        const a = k === 2 ? 0 : k + 1;
        const b = k === 0 ? 2 : k - 1;
        doubles[heldRate + 8 * h + 2 * k + lane] = w[a] * tangent[b] - w[b] * tangent[a];
        spin += w[k] * tangent[k];
      }
      doubles[heldRate + 8 * h + 6 + lane] = spin;
      doubles[heldTheta + 2 * h + lane] = twist;
    }
    for (let p = 0; p < pins.length; p++) {
      const { node, holdX, holdY, holdZ } = pins[p];
      const { position, velocity, active } = poses[p];
      if (!active) continue;
      const o = 8 * node + lane;
      if (holdX) {
        doubles[place + o] = position[0];
        doubles[placeRate + o] = velocity[0];
      }
      if (holdY) {
        doubles[place + o + 2] = position[1];
        doubles[placeRate + o + 2] = velocity[1];
      }
      if (holdZ) {
        doubles[place + o + 4] = position[2];
        doubles[placeRate + o + 4] = velocity[2];
      }
    }
  }
}

/** Moves pins to time t; returns false if the two rods have different active pins. */
export function movePins(pair: Pair, t: number): boolean {
  const { memory, block, addresses, inLane, shared } = pair;
  const { doubles, integers } = memory;
  const heldThetaStart = addresses.heldThetaStart >> 3;
  const isSame = inLane[1] === inLane[0];
  let pattern = 0;
  for (let lane = 0; lane < 2; lane++) {
    const { pins, poses, held } = inLane[lane];
    let bits = 0;
    for (let h = 0; h < held.count; h++) {
      const start = heldThetaStart + 2 * h + lane;
      doubles[start] = lane === 1 && isSame ? doubles[start - 1] : poses[held.pin[h]].twist;
    }
    for (let p = 0; p < pins.length; p++) {
      if (lane === 0 || !isSame) pins[p].evaluate(poses[p], t);
      if (poses[p].active) bits += 2 ** p;
    }
    if (lane === 1 && bits !== pattern) return false;
    pattern = bits;
  }
  if (pattern !== shared.pattern) {
    evaluatePins(inLane[0], t);
    writeLists(pair, inLane[0]);
    shared.pattern = pattern;
  }
  integers[(block >> 2) + FIXED_COUNT] = shared.fixed;
  writePoses(pair);
  return true;
}

/** Loads of both lanes; `ask`: bit that makes the kernel request them at every iterate, or 0. */
export function writeLoads({ memory, block, addresses }: Pair, a: Loads, b: Loads, ask: number): void {
  const { doubles, integers } = memory;
  const torque = hasAny(a.edgeTorque) || hasAny(b.edgeTorque) ? TORQUE : 0;
  interleave(doubles, addresses.force >> 3, a.nodeForce, 0, b.nodeForce, 0, a.nodeForce.length);
  if (torque) interleave(doubles, addresses.torque >> 3, a.edgeTorque, 0, b.edgeTorque, 0, a.edgeTorque.length);
  if (ask) interleave(doubles, addresses.drag >> 3, a.nodeDrag, 0, b.nodeDrag, 0, a.nodeDrag.length);
  integers[(block >> 2) + LOADS] = ask | torque | (ask ? DRAG : 0);
}

/** True if loads of the pair depend on its state, so that the kernel must request them. */
export function hasStateLoads({ rods }: Pair): boolean {
  return dependsOnState(rods[0].drive) || dependsOnState(rods[1].drive);
}

/** Makes the kernel request loads at time t. */
export function askLoads({ memory, block, ask }: Pair): void {
  memory.ask = ask;
  memory.integers[(block >> 2) + LOADS] = ASK;
}

/** Callback of the kernel: computes the loads for its current state. */
export function answerLoads(pair: Pair): void {
  const { inLane, rods, loadTime } = pair;
  for (let lane = 0; lane < 2; lane++) {
    if (inLane[lane] !== rods[lane]) continue;
    writeSamples(pair, lane);
    sumLoads(rods[lane], loadTime, rods[lane].loads);
  }
  writeLoads(pair, inLane[0].loads, inLane[1].loads, ASK);
}

/** Loads at t: now or, if they depend on the state, whenever the kernel requests them. */
export function readLoads(pair: Pair, t: number): void {
  pair.loadTime = t;
  askLoads(pair);
  if (hasStateLoads(pair)) return;
  const { inLane, shared } = pair;
  sumLoads(inLane[0], t, shared.loads[0]);
  sumLoads(inLane[1], t, shared.loads[1]);
  writeLoads(pair, shared.loads[0], shared.loads[1], 0);
}
