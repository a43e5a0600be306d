/** Data of one pair of rods in the kernel's memory, and copying of state and samples. */

import { type TurnPlace, turnPlaceOf } from '../models/der/guard.ts';
import type { PairMember } from '../models/der/kernel.ts';
import type { DerRod } from '../models/der/rod.ts';
import type { StepStart } from '../models/der/slip.ts';
import { interleave, placeOf, take, takeNodes } from './copy.ts';
import type { KernelMemory, Shared } from './derMemory.ts';
import type { Addresses } from './layout.ts';

/** Offsets of both rods' numbers in the bundle's array. */
type Places = readonly [number, number];

export interface Pair {
  readonly memory: KernelMemory;
  /** Address of the pair's record, which lists the others. */
  readonly block: number;
  readonly addresses: Addresses;
  /** Where the kernel writes the outcome of a stage, and of a step with contact. */
  readonly outcome: number;
  readonly contactOutcome: number;
  readonly shared: Shared;
  readonly members: readonly [PairMember, PairMember];
  readonly rods: readonly [DerRod, DerRod];
  /** The rod in each lane: one rod is in both if the other lane idles, and the second lane is ignored. */
  readonly inLane: [DerRod, DerRod];
  /** State of all rods of the bundle, and the offsets of the pair's rods. */
  readonly wholeQ: Float64Array;
  readonly wholeV: Float64Array;
  readonly wholeMemory: Float64Array;
  readonly q: Places;
  readonly v: Places;
  readonly memoryPlace: Places;
  readonly history: Places;
  /** Numbers of `memory` that the kernel's step copies: reference directors, reference twist, tensions, accelerations. */
  readonly kept: number;
  /** The buffer of each rod's samples, and the offsets of its five arrays. */
  readonly samples: readonly [Float64Array, Float64Array];
  readonly samplePlaces: Int32Array;
  /** Offsets of each lane's unknowns, for the check of how far edges turn. */
  readonly turnPlaces: readonly [TurnPlace, TurnPlace];
  /** Time of the loads that the kernel requests. */
  loadTime: number;
  /** Callback of the kernel for loads that depend on the state. */
  readonly ask: () => void;
}

export function createPairState(
  memory: KernelMemory,
  block: number,
  addresses: Addresses,
  shared: Shared,
  members: readonly [PairMember, PairMember],
): Omit<Pair, 'ask'> {
  const first = members[0].der;
  const second = members[1].der;
  const places = (of: (der: DerRod) => Float64Array): Places => [placeOf(of(first)), placeOf(of(second))];
  const turnPlace = (lane: number): TurnPlace => ({
    ...turnPlaceOf(first),
    start: (addresses.q >> 3) + lane,
    step: 2,
  });
  return {
    memory,
    block,
    addresses,
    outcome: memory.exports.outcomeAddress() >> 3,
    contactOutcome: memory.exports.contactOutcomeAddress() >> 3,
    shared,
    members,
    rods: [first, second],
    inLane: [first, second],
    wholeQ: memory.wholeOf(first.q),
    wholeV: memory.wholeOf(first.v),
    wholeMemory: memory.wholeOf(first.memory),
    q: places(({ q }) => q),
    v: places(({ v }) => v),
    memoryPlace: places((der) => der.memory),
    history: places(({ history }) => history),
    kept: 4 * first.edgeCount + first.joints.count + first.size,
    samples: [memory.wholeOf(first.samples.nodePosition), memory.wholeOf(second.samples.nodePosition)],
    samplePlaces: Int32Array.from(
      [first, second].flatMap(({ samples }) => Object.values(samples)),
      placeOf,
    ),
    turnPlaces: [turnPlace(0), turnPlace(1)],
    loadTime: 0,
  };
}

/** Puts rods a and b of the pair (0 or 1) in the lanes. */
export function setLanes({ inLane, rods }: Pair, a: number, b: number): void {
  inLane[0] = rods[a];
  inLane[1] = rods[b];
}

/** Copies the state of rod a to the first lane and of rod b to the second. */
export function load(pair: Pair, a: number, b: number): void {
  const { memory, addresses, wholeQ, wholeV, wholeMemory, q, v, memoryPlace, rods } = pair;
  const { doubles } = memory;
  const { size } = rods[0];
  setLanes(pair, a, b);
  interleave(doubles, addresses.q >> 3, wholeQ, q[a], wholeQ, q[b], size);
  interleave(doubles, addresses.v >> 3, wholeV, v[a], wholeV, v[b], size);
  interleave(doubles, addresses.reference >> 3, wholeMemory, memoryPlace[a], wholeMemory, memoryPlace[b], pair.kept);
}

/** Copies the state back, with samples; `last`: kind of the rod's last step. */
export function unload(pair: Pair, lane: number, last: number): void {
  const { memory, addresses, wholeQ, wholeV, wholeMemory, rods } = pair;
  const { doubles } = memory;
  const { size } = rods[0];
  take(wholeQ, pair.q[lane], doubles, (addresses.q >> 3) + lane, size);
  take(wholeV, pair.v[lane], doubles, (addresses.v >> 3) + lane, size);
  take(wholeMemory, pair.memoryPlace[lane], doubles, (addresses.reference >> 3) + lane, pair.kept);
  wholeMemory[pair.history[lane] + 1] = last;
  writeSamples(pair, lane);
}

/** Samples of the rod in a lane, from the kernel's state. */
export function writeSamples({ memory, addresses, samples, samplePlaces, rods }: Pair, lane: number): void {
  const { doubles } = memory;
  const { nodeCount, edgeCount } = rods[0];
  const to = samples[lane];
  const o = 5 * lane;
  const v = (addresses.v >> 3) + lane;
  takeNodes(to, samplePlaces[o], doubles, (addresses.q >> 3) + lane, nodeCount);
  takeNodes(to, samplePlaces[o + 1], doubles, v, nodeCount);
  take(to, samplePlaces[o + 2], doubles, (addresses.tangent >> 3) + lane, 3 * edgeCount);
  take(to, samplePlaces[o + 3], doubles, (addresses.m1 >> 3) + lane, 3 * edgeCount);
  for (let j = 0; j < edgeCount; j++) to[samplePlaces[o + 4] + j] = doubles[v + 8 * j + 6];
}

/** Start of an implicit Euler step with contact, and its prediction by velocities. */
export function writeStart({ memory, addresses, rods }: Pair, { q, v }: StepStart, h: number, lane: number): void {
  const { doubles } = memory;
  const rate = (addresses.qRate >> 3) + lane;
  const hat = (addresses.qHat >> 3) + lane;
  for (let d = 0; d < rods[0].size; d++) {
    doubles[rate + 2 * d] = q[d];
    doubles[hat + 2 * d] = q[d] + h * v[d];
  }
}
