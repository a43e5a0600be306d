/**
 * Layout of a bundle: its state, which rods are solved together, and their work space.
 *
 * Bundles have thousands of rods, most of them alike. Equal rods share their joint plan (jointPlan.ts), the order of unknowns (system.ts) and work space;
 * and their arrays are allocated in large blocks (math/arena.ts). That halved the time to create a world of 10,000 hairs of 32 nodes, from 10.3 to 5.0 s,
 * and reduced garbage from 650 to 150 kB per rod. A third of the rest is garbage collection, a fifth compiling rods (scene/rods.ts), the remainder is
 * here and in the kernels' constants.
 */
import { createArena } from '../../math/arena.ts';
import type { BundleState, Coupling, Drive } from '../../model.ts';
import { type Allocate, sampleSize } from '../../port.ts';
import type { Rod } from '../../scene/compiled.ts';
import { BODY_MEMORY, type DerBody } from './body.ts';
import type { BodyParts } from './bodyParts.ts';
import type { BreakingPart } from './breaking.ts';
import type { System } from './coupling.ts';
import type { HingeParts } from './hingeParts.ts';
import { createJointPlanner } from './jointPlan.ts';
import { type DerKernel, type PairKernel, type PairMember, pairKey } from './kernel.ts';
import type { MaterialPart } from './material.ts';
import type { DerOptions } from './options.ts';
import { createDerRod, type DerRod, memorySize, unknownCount } from './rod.ts';
import { createSnapshot, type Snapshot } from './snapshot.ts';
import { createWorkspace, type Workspace } from './stage.ts';
import { createSystem, joinMembers } from './system.ts';

/** Work space is shared by rods of the same shape. */
export interface Tools {
  readonly work: Workspace;
  readonly start: Snapshot;
  readonly entry: Snapshot;
}

/** Rods and bodies of a system, by their indices in the bundle. */
export interface SystemMembers {
  readonly rods: number[];
  readonly bodies: number[];
}

/** Rods joined by bodies into one system; a rod without bodies is a separate system. */
export function findSystems(rodCount: number, { bodies, welds }: Coupling): SystemMembers[] {
  const group = Array.from({ length: rodCount }, (_, k) => k);
  const root = (k: number): number => (group[k] === k ? k : root(group[k]));
  bodies.forEach((_, b) => {
    const tied = welds.filter((weld) => weld.body === b);
    for (const weld of tied) group[root(weld.rod)] = root(tied[0].rod);
  });
  const systems = new Map<number, SystemMembers>();
  for (let k = 0; k < rodCount; k++) {
    const system = systems.get(root(k)) ?? { rods: [], bodies: [] };
    system.rods.push(k);
    systems.set(root(k), system);
  }
  bodies.forEach((_, b) => {
    const weld = welds.find((candidate) => candidate.body === b);
    if (weld) systems.get(root(weld.rod))?.bodies.push(b);
  });
  return [...systems.values()];
}

/** Smallest unit of a step: a system, or two single rods that a kernel moves at once. Threads share units. */
export interface Unit {
  readonly systems: readonly number[];
  /** For two rods: their kernel, and both as one system for steps that the kernel does not support. */
  readonly pair?: { readonly kernel: PairKernel; readonly system: System; readonly starts: readonly Snapshot[] };
}

/**
 * After this many systems during which some rod always waits for a partner, the waiting rods stay alone: so there are indices at which rods can be
 * divided without dividing pairs, for the ranges of threads. A thread that starts at such an index finds the same pairs.
 */
const BLOCK = 128;

/** Pairs single rods of the same layout, in the order of the scene; the remaining ones stay alone. Systems by unit. */
export function pairUp(parts: readonly SystemMembers[], ders: readonly DerRod[]): number[][] {
  const waiting = new Map<string, number>();
  const out: number[][] = [];
  let begin = 0;
  parts.forEach(({ rods: [k], bodies }, s) => {
    if (s - begin >= BLOCK) waiting.clear();
    if (waiting.size === 0) begin = s;
    const key = bodies.length === 0 ? pairKey(ders[k]) : undefined;
    const other = key === undefined ? undefined : waiting.get(key);
    if (key === undefined || other === undefined) {
      if (key !== undefined) waiting.set(key, out.length);
      out.push([s]);
      return;
    }
    out[other].push(s);
    waiting.delete(key);
  });
  return out;
}

export function createUnits(
  paired: readonly (readonly number[])[],
  systems: readonly BundleSystem[],
  ders: readonly DerRod[],
  tools: readonly Tools[],
  kernel: DerKernel,
): Unit[] {
  const member = (s: number): PairMember & { index: number } => {
    const [k] = systems[s].rods;
    return { der: ders[k], work: tools[k].work, start: tools[k].start, index: k };
  };
  const pairs = paired.filter(({ length }) => length === 2);
  const kernels = kernel.createPairs(pairs.map(([a, b]) => [member(a), member(b)]));
  let next = 0;
  return paired.map((list): Unit => {
    if (list.length < 2) return { systems: list };
    const one = kernels[next++];
    const system = joinMembers(
      list.flatMap((s) => systems[s].system.members),
      [],
      undefined,
    );
    system.pair = one.solve;
    return { systems: list, pair: { kernel: one, system, starts: list.flatMap((s) => systems[s].starts) } };
  });
}

/** Parts of the model that the layout depends on. */
interface LayoutParts {
  readonly allocate: Allocate;
  readonly materials: MaterialPart | undefined;
  readonly breaking: BreakingPart | undefined;
  readonly bodyParts: BodyParts | undefined;
  readonly hinges: HingeParts | undefined;
}

/** Numbers in the memory of a rod: its own, then those of broken edges and of its law. */
function memoryOf(
  rod: Rod,
  joints: number,
  { breaking, materials }: Pick<LayoutParts, 'breaking' | 'materials'>,
): number {
  return memorySize(rod, joints) + (breaking?.memorySize(rod) ?? 0) + (materials?.memorySize(rod, joints) ?? 0);
}

/** The state that the bundle's rods and bodies share, and their offsets in it. */
export function layOutState(
  rods: readonly Rod[],
  drives: readonly Drive[],
  options: DerOptions,
  coupling: Coupling,
  { allocate, materials, breaking, bodyParts, hinges }: LayoutParts,
): { readonly state: BundleState; readonly ders: DerRod[]; readonly bodyOf: ReadonlyMap<number, DerBody> } {
  const sizes = rods.map(unknownCount);
  const planOf = createJointPlanner();
  const plans = rods.map((rod, k) => planOf(rod, drives[k].pins));
  const memories = rods.map((rod, k) => memoryOf(rod, plans[k].count, { breaking, materials }));
  const total = (list: readonly number[]): number => list.reduce((a, b) => a + b, 0);
  const ownBodies = coupling.bodies.flatMap((_, b) => (coupling.welds.some((weld) => weld.body === b) ? [b] : []));
  const state = {
    q: allocate(total(sizes), sizes),
    v: allocate(total(sizes), sizes),
    memory: allocate(total(memories) + BODY_MEMORY * ownBodies.length, memories),
  };
  // samples of all rods in one block, in their order
  const sampled = rods.map(sampleSize);
  const samples = allocate(total(sampled), sampled);
  let atSamples = 0;
  const allocateSamples: Allocate = (length) => {
    atSamples += length;
    return samples.subarray(atSamples - length, atSamples);
  };
  const arena = createArena();
  let [atQ, atMemory] = [0, 0];
  const ders = rods.map((rod, k): DerRod => {
    const q = state.q.subarray(atQ, atQ + sizes[k]);
    const v = state.v.subarray(atQ, atQ + sizes[k]);
    const memory = state.memory.subarray(atMemory, atMemory + memories[k]);
    atQ += sizes[k];
    atMemory += memories[k];
    const der = createDerRod({
      rod,
      drive: drives[k],
      options,
      plan: plans[k],
      hinges,
      q,
      v,
      memory,
      allocateSamples,
      allocate: arena,
    });
    materials?.attach(der);
    breaking?.attach(der);
    return der;
  });
  const bodyOf = new Map<number, DerBody>();
  for (const b of ownBodies) {
    const welds = coupling.welds.filter((weld) => weld.body === b);
    const memory = state.memory.subarray(atMemory, atMemory + BODY_MEMORY);
    if (bodyParts) bodyOf.set(b, bodyParts.createDerBody(coupling.bodies[b], welds, ders, memory));
    atMemory += BODY_MEMORY;
  }
  return { state, ders, bodyOf };
}

/** Rods that are solved together need separate work space; others of the same shape share. `units`: from `pairUp`. */
export function createTools(
  parts: readonly SystemMembers[],
  ders: readonly DerRod[],
  units: readonly (readonly number[])[],
): Tools[] {
  const toolbox = new Map<string, Tools>();
  const tools: Tools[] = [];
  const place = new Map(units.flatMap((list) => list.map((s, lane) => [s, lane])));
  for (const [s, part] of parts.entries()) {
    for (const k of part.rods) {
      const der = ders[k];
      const apart = part.bodies.length > 0 ? k : place.get(s);
      const key = `${der.nodeCount} ${der.edgeCount} ${der.joints.count} ${der.held.count} ${part.bodies.length} ${apart}`;
      tools[k] = toolbox.get(key) ?? {
        work: createWorkspace(der),
        start: createSnapshot(der),
        entry: createSnapshot(der),
      };
      toolbox.set(key, tools[k]);
    }
  }
  return tools;
}

/** A system, its rods, and their state at the start of a step. */
export interface BundleSystem {
  readonly system: System;
  readonly rods: readonly number[];
  readonly starts: readonly Snapshot[];
}

export function createSystems(
  parts: readonly SystemMembers[],
  ders: readonly DerRod[],
  tools: readonly Tools[],
  bodyOf: ReadonlyMap<number, DerBody>,
  bodyParts: BodyParts | undefined,
): BundleSystem[] {
  return parts.map((part) => ({
    system: createSystem(
      part.rods.map((k) => ({ der: ders[k], work: tools[k].work, index: k })),
      part.bodies.map((b) => bodyOf.get(b) as DerBody),
      bodyParts,
    ),
    rods: part.rods,
    starts: part.rods.map((k) => tools[k].start),
  }));
}
