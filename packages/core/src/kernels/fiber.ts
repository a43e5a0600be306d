/**
 * Stiff fibers by kernels: force, matrix and tensions of two fibers at once, one per lane (kernels/assembly/fibers.ts), then each fiber's block solve
 * with SIMD along its rows (kernels/assembly/blocks.ts). The numbers equal those of the reference, bit for bit, so it does not matter which fibers are
 * paired, nor whether one of them needs more iterations than the other.
 *
 * Work done once per step (pins, loads and the loop itself) stays here, in the model's own functions: with kernels it is a tenth of the time. In
 * contact, the factorization of a step's response and the solves with it are kernels too (kernels/assembly/symmetric.ts).
 */
import { blockSizes } from '../constants.ts';
import type { CreateFactor } from '../linalg/blockSymmetric.ts';
import type { BlockTridiagonal, CreateBlocks } from '../linalg/blockTridiagonal.ts';
import { ringRest } from '../models/fiber/elements.ts';
import { constrainHeld, imposeHeld, returnHeld } from '../models/fiber/held.ts';
import type { FiberKernel, PairKernel, PairMember } from '../models/fiber/kernel.ts';
import type { FiberRod } from '../models/fiber/rod.ts';
import { evaluateLoads, inertiaOf, isSettled, loadsMove, type Scheme, spreadLoads } from '../models/fiber/step.ts';
import { hasAny, take } from './copy.ts';
import { fiberBits, fiberFields, fiberSchemes } from './description.ts';
import {
  FIBER_HEAD,
  FIBER_KINDS,
  FIBER_STRUCTURE,
  type FiberAddresses,
  type FiberField,
  layOutFibers,
} from './fiberLayout.ts';
import { HEAP } from './layout.ts';
import { compileKernels } from './wasm.ts';

interface Exports {
  readonly solveBlocks: (count: number, diagonal: number, upper: number, lower: number, x: number) => number;
  readonly factorSymmetric: (
    count: number,
    diagonal: number,
    upper: number,
    factor: number,
    any: number,
    negative: number,
  ) => number;
  readonly solveSymmetric: (count: number, factor: number, x: number) => void;
  readonly assembleFibers: (block: number, kind: number, wanted: number) => number;
  readonly moveFibers: (block: number, share: number) => void;
}

const { BLOCK, BLOCK_AREA: AREA, BLOCK_FACTOR: FACTOR } = blockSizes;
/** Factors of fibers of one size that share a WebAssembly memory: every memory reserves much address space. */
const FACTORS_PER_MEMORY = 32;

const { COUPLED, FIBER_DRAG: DRAG } = fiberBits;

const kindOf: Readonly<Record<Scheme, number>> = {
  'energy-momentum': fiberSchemes.ENERGY_MOMENTUM,
  midpoint: fiberSchemes.MIDPOINT,
  'implicit-euler': fiberSchemes.BACKWARD_EULER,
};

function instantiate(module: WebAssembly.Module, bytes: number): { memory: WebAssembly.Memory; exports: Exports } {
  const memory = new WebAssembly.Memory({ initial: Math.ceil(bytes / 65536) });
  const instance = new WebAssembly.Instance(module, { env: { memory, askLoads: () => {} } });
  return { memory, exports: instance.exports as unknown as Exports };
}

export async function loadFiberKernel(): Promise<FiberKernel> {
  const module = await compileKernels();
  return {
    createBlocks: createBlocksOf(module),
    createFactor: createFactorOf(module),
    createPairs: (pairs) => createPairs(module, pairs),
  };
}

/** Loads the kernels of block elimination. */
export async function loadBlocks(): Promise<CreateBlocks> {
  return createBlocksOf(await compileKernels());
}

/** Allocates matrices in the kernel's memory, so that only right-hand sides are copied. */
function createBlocksOf(module: WebAssembly.Module): CreateBlocks {
  return (count): BlockTridiagonal => {
    const bytes = 8 * AREA * count;
    const x = HEAP + 3 * bytes;
    const { memory, exports } = instantiate(module, x + 8 * BLOCK * count);
    const blocks = (k: number): Float64Array => new Float64Array(memory.buffer, HEAP + k * bytes, AREA * count);
    const right = new Float64Array(memory.buffer, x, BLOCK * count);
    return {
      count,
      diagonal: blocks(0),
      upper: blocks(1),
      lower: blocks(2),
      solve: (vector) => {
        right.set(vector);
        const sign = exports.solveBlocks(count, HEAP, HEAP + bytes, HEAP + 2 * bytes, x);
        vector.set(right);
        return sign;
      },
    };
  };
}

/** Factors in the kernels' memory, with space for the matrix and the right-hand side. */
function createFactorOf(module: WebAssembly.Module): CreateFactor {
  const memories = new Map<number, ReturnType<typeof instantiate> & { taken: number }>();
  return (count) => {
    const area = 8 * AREA * count;
    const x = HEAP + 2 * area;
    const negative = x + 8 * BLOCK * count;
    const first = negative + 16;
    const bytes = 8 * FACTOR * count;
    let shared = memories.get(count);
    if (!shared || shared.taken === FACTORS_PER_MEMORY) {
      shared = { ...instantiate(module, first + FACTORS_PER_MEMORY * bytes), taken: 0 };
      memories.set(count, shared);
    }
    const { memory, exports } = shared;
    const at = first + shared.taken++ * bytes;
    const right = new Float64Array(memory.buffer, x, BLOCK * count);
    const counted = new Int32Array(memory.buffer, negative, 1);
    const none = new Float64Array(0);
    return {
      count,
      lower: none,
      carried: none,
      negative: 0,
      kernel: {
        diagonal: new Float64Array(memory.buffer, HEAP, AREA * count),
        upper: new Float64Array(memory.buffer, HEAP + area, AREA * count),
        factor: (rule) =>
          exports.factorSymmetric(count, HEAP, HEAP + area, at, rule === 'stop-at-negative' ? 0 : 1, negative) === 0
            ? -1
            : counted[0],
        solve: (vector) => {
          right.set(vector);
          exports.solveSymmetric(count, at, x);
          vector.set(right);
        },
      },
    };
  };
}

/** All pairs of a bundle in one memory. */
function createPairs(module: WebAssembly.Module, pairs: readonly (readonly FiberRod[])[]): PairKernel[] {
  const shared = new Map<number, Partial<Record<FiberField, number>>>();
  let cursor = HEAP;
  const placed = pairs.map(([{ edgeCount }]) => {
    let common = shared.get(edgeCount);
    if (!common) {
      const work = layOutFibers(edgeCount, cursor, 'shared');
      common = work.addresses;
      cursor = work.end;
      shared.set(edgeCount, common);
    }
    const own = layOutFibers(edgeCount, cursor, 'own');
    const block = own.end;
    cursor = block + FIBER_STRUCTURE;
    return { block, addresses: { ...common, ...own.addresses } as FiberAddresses };
  });
  const { memory, exports } = instantiate(module, cursor);
  return placed.map((place, k) => createPair(exports, memory.buffer, place, pairs[k]));
}

/** A pair of fibers in the kernel's memory. */
interface Pair {
  readonly exports: Exports;
  readonly doubles: Float64Array;
  readonly integers: Int32Array;
  readonly fibers: readonly FiberRod[];
  /** Address of the pair's structure [bytes]. */
  readonly block: number;
  /** Index in `doubles` of each field. */
  readonly place: FiberAddresses;
  /** COUPLED if masses of a ring are coupled, else 0. */
  readonly coupled: number;
  readonly lanes: readonly Lane[];
}

/** The linear system of one fiber. */
interface Lane {
  readonly matrix: BlockTridiagonal;
  readonly right: Float64Array;
  /** Returns 0 if the matrix is singular. */
  solve(): number;
}

/** A step of a pair: scheme, start and length [s]. */
interface PairStep {
  readonly scheme: Scheme;
  readonly t: number;
  readonly h: number;
}

function createPair(
  exports: Exports,
  buffer: ArrayBuffer,
  { block, addresses }: { readonly block: number; readonly addresses: FiberAddresses },
  fibers: readonly FiberRod[],
): PairKernel {
  const doubles = new Float64Array(buffer);
  const place = Object.fromEntries(fiberFields.map(([name]) => [name, addresses[name] >> 3])) as FiberAddresses;
  const pair: Pair = {
    exports,
    doubles,
    integers: new Int32Array(buffer),
    fibers,
    block,
    place,
    coupled: fibers.some(({ couplingMass }) => hasAny(couplingMass)) ? COUPLED : 0,
    lanes: (['0', '1'] as const).map((lane) =>
      createLane({ exports, doubles, addresses, ringCount: fibers[0].ringCount }, lane),
    ),
  };
  writePairConstants(pair, addresses);
  return { solve: (scheme, t, h, members, wanted) => solvePair(pair, { scheme, t, h }, members, wanted) };
}

interface LaneParts extends Pick<Pair, 'exports' | 'doubles'> {
  readonly addresses: FiberAddresses;
  readonly ringCount: number;
}

function createLane({ exports, doubles, addresses, ringCount }: LaneParts, lane: '0' | '1'): Lane {
  const view = (field: FiberField, count: number): Float64Array =>
    doubles.subarray(addresses[field] >> 3, (addresses[field] >> 3) + count);
  return {
    matrix: {
      count: ringCount,
      diagonal: view(`diagonal${lane}`, AREA * ringCount),
      upper: view(`upper${lane}`, AREA * ringCount),
      lower: view(`lower${lane}`, AREA * ringCount),
    },
    right: view(`right${lane}`, BLOCK * ringCount),
    solve: () =>
      exports.solveBlocks(
        ringCount,
        addresses[`diagonal${lane}`],
        addresses[`upper${lane}`],
        addresses[`lower${lane}`],
        addresses[`right${lane}`],
      ),
  };
}

/** Copies numbers of one fiber to its lane. */
function put({ doubles, place }: Pair, field: FiberField, lane: number, from: Float64Array): void {
  const o = place[field] + lane;
  for (let k = 0; k < from.length; k++) doubles[o + 2 * k] = from[k];
}

function writePairConstants(pair: Pair, addresses: FiberAddresses): void {
  const { integers, block, fibers } = pair;
  integers[block >> 2] = fibers[0].ringCount;
  integers.set(
    fiberFields.map(([name]) => addresses[name]),
    (block >> 2) + FIBER_HEAD,
  );
  fibers.forEach((fiber, lane) => {
    put(pair, 'longRest', lane, fiber.longRest);
    put(pair, 'shearRest', lane, fiber.shearRest);
    put(pair, 'ringRest', lane, Float64Array.of(ringRest(fiber, 0), ringRest(fiber, 1), ringRest(fiber, 4)));
    put(pair, 'particleMass', lane, fiber.particleMass);
    put(pair, 'couplingMass', lane, fiber.couplingMass);
    writeStiffness(pair, lane);
  });
}

function writeStiffness(pair: Pair, lane: number): void {
  const fiber = pair.fibers[lane];
  put(pair, 'longStiffness', lane, fiber.longStiffness);
  put(pair, 'shearStiffness', lane, fiber.shearStiffness);
  put(pair, 'ringStiffness', lane, fiber.ringStiffness);
}

/** Inputs of a step: its start, damping, the factors of inertia. */
function writeStart(pair: Pair, { scheme, h }: PairStep, lane: number, { fiber, work }: PairMember): void {
  const { doubles, place } = pair;
  const { x0, y, v0, elements } = work;
  const { ringCount, edgeCount } = fiber;
  y.set(x0);
  imposeHeld(fiber, y);
  put(pair, 'x0', lane, x0);
  put(pair, 'y', lane, y);
  put(pair, 'v0', lane, v0);
  if (fiber.rod.animation) writeStiffness(pair, lane);
  put(pair, 'edgeChi', lane, elements.edgeChi);
  put(pair, 'ringChi', lane, elements.ringChi);
  const o = place.tau + lane;
  for (let k = 0; k < 14 * edgeCount + 6; k++) doubles[o + 2 * k] = 0;
  for (let i = 0; i < ringCount; i++) {
    const { moved, speeds, weight } = inertiaOf(fiber, work, scheme, h, i);
    doubles[place.moved + 2 * i + lane] = moved;
    doubles[place.speeds + 2 * i + lane] = speeds;
    doubles[place.matrixMass + 2 * i + lane] = weight * fiber.particleMass[i];
    doubles[place.matrixCoupling + 2 * i + lane] = weight * fiber.couplingMass[i];
  }
}

function writeLoads(pair: Pair, { scheme, h }: PairStep, lane: number, { fiber, work }: PairMember): void {
  spreadLoads(fiber, work, scheme);
  put(pair, 'load', lane, work.load);
  put(pair, 'drag', lane, fiber.loads.nodeDrag);
  pair.doubles[pair.place.dragFactor + lane] = (((scheme === 'implicit-euler' ? 0.5 : 1) / h) * fiber.loadFactor) / 16;
}

/** Newton's method for the fibers with a bit in `wanted`; returns the bits of those that converged. */
function solvePair(pair: Pair, step: PairStep, members: readonly PairMember[], wanted: number): number {
  const kind = kindOf[step.scheme];
  const share = step.scheme === 'implicit-euler' ? 1 : 0.5;
  const moving = startPair(pair, step, members, wanted);
  let [active, converged] = [wanted, 0];
  let firsts: readonly number[] = [];
  for (let iteration = 1; active !== 0; iteration++) {
    if (iteration > 1) refreshLoads(pair, step, members, active & moving);
    active &= ~pair.exports.assembleFibers(pair.block, kind, active);
    active = eliminateLanes(pair, members, active, iteration);
    pair.exports.moveFibers(pair.block, share);
    if (iteration === 1) firsts = members.map((_, lane) => pair.doubles[pair.place.outcome + 2 + lane]);
    const done = readConverged(pair, members, active, { iteration, firsts });
    converged |= done;
    for (let lane = 0; lane < members.length; lane++) {
      const largest = pair.doubles[pair.place.outcome + 2 + lane];
      const ends = !(largest < Infinity) || iteration >= members[lane].options.iterations;
      if (done & (1 << lane) || ends) active &= ~(1 << lane);
    }
  }
  return converged;
}

/** Writes the start of the step; returns the bits of the fibers whose loads change with the iterate. */
function startPair(pair: Pair, step: PairStep, members: readonly PairMember[], wanted: number): number {
  let [moving, kinds] = [0, pair.coupled];
  for (let lane = 0; lane < members.length; lane++) {
    if (!(wanted & (1 << lane))) continue;
    const { fiber, work } = members[lane];
    writeStart(pair, step, lane, members[lane]);
    evaluateLoads(fiber, work, step.scheme, step.t, step.h);
    if (loadsMove(fiber)) moving |= 1 << lane;
    if (fiber.loadsDependOnState || hasAny(fiber.loads.nodeDrag)) kinds |= DRAG;
    writeLoads(pair, step, lane, members[lane]);
  }
  pair.integers[(pair.block >> 2) + FIBER_KINDS] = kinds;
  return moving;
}

/** Loads at the current iterate, for the fibers with a bit in `some`. */
function refreshLoads(pair: Pair, step: PairStep, members: readonly PairMember[], some: number): void {
  for (let lane = 0; lane < members.length; lane++) {
    if (!(some & (1 << lane))) continue;
    const { fiber, work } = members[lane];
    readIterate(pair, work, lane);
    if (fiber.loadsDependOnState) evaluateLoads(fiber, work, step.scheme, step.t, step.h);
    writeLoads(pair, step, lane, members[lane]);
  }
}

function readIterate({ doubles, place, fibers }: Pair, { y }: PairMember['work'], lane: number): void {
  take(y, 0, doubles, place.y + lane, fibers[0].size);
}

/** Solves the linear systems of the active fibers; returns the bits of those whose matrix is not singular. */
function eliminateLanes({ lanes }: Pair, members: readonly PairMember[], active: number, iteration: number): number {
  let left = active;
  for (let lane = 0; lane < 2; lane++) {
    const { matrix, right, solve } = lanes[lane];
    if (active & (1 << lane)) {
      const { fiber, work } = members[lane];
      constrainHeld(fiber, matrix, right);
      work.iterations++;
      work.iterationsMax = Math.max(work.iterationsMax, iteration);
      if (solve() !== 0) {
        returnHeld(fiber, right);
        continue;
      }
      left &= ~(1 << lane);
    }
    // a fiber that has converged keeps its state
    right.fill(0);
  }
  return left;
}

/** Reads the state of the active fibers that have converged; returns their bits. */
function readConverged(
  pair: Pair,
  members: readonly PairMember[],
  active: number,
  { iteration, firsts }: { readonly iteration: number; readonly firsts: readonly number[] },
): number {
  const { doubles, place } = pair;
  let done = 0;
  for (let lane = 0; lane < members.length; lane++) {
    if (!(active & (1 << lane))) continue;
    const s = doubles[place.outcome + lane];
    const largest = doubles[place.outcome + 2 + lane];
    const { fiber, options } = members[lane];
    if (!(s === 1 && isSettled(fiber, options, { iteration, largest, first: firsts[lane] }))) continue;
    done |= 1 << lane;
    readIterate(pair, members[lane].work, lane);
  }
  return done;
}
