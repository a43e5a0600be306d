/**
 * Stiff fibers by kernels: force, matrix and tensions of two fibers at once, one per lane (kernels/assembly/fibers.ts), then each fiber's block solve
 * with SIMD along its rows (kernels/assembly/blocks.ts). The numbers equal those of the reference, bit for bit, so it does not matter which fibers are
 * paired, nor whether one of them needs more iterations than the other.
 *
 * Work done once per step (pins, loads and the loop itself) stays here, in the model's own functions: with kernels it is a tenth of the time. In
 * contact, the factorization of a step's response and the solves with it are kernels too (kernels/assembly/symmetric.ts).
 */
import { blockSizes } from '../constants.ts';
import type { BlockTridiagonal, CreateBlocks, CreateFactor } from '../linalg/blockTridiagonal.ts';
import { ringRest } from '../models/fiber/elements.ts';
import { constrainHeld, imposeHeld, returnHeld } from '../models/fiber/held.ts';
import type { FiberKernel, PairKernel, PairMember } from '../models/fiber/kernel.ts';
import type { FiberRod } from '../models/fiber/rod.ts';
import { evaluateLoads, inertiaOf, loadsMove, type Scheme, spreadLoads } from '../models/fiber/step.ts';
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

/** Matrices in the kernel's memory, so that nothing is copied but the right-hand side. */
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
  const rooms = new Map<number, ReturnType<typeof instantiate> & { taken: number }>();
  return (count) => {
    const area = 8 * AREA * count;
    const x = HEAP + 2 * area;
    const negative = x + 8 * BLOCK * count;
    const first = negative + 16;
    const bytes = 8 * FACTOR * count;
    let room = rooms.get(count);
    if (!room || room.taken === FACTORS_PER_MEMORY) {
      room = { ...instantiate(module, first + FACTORS_PER_MEMORY * bytes), taken: 0 };
      rooms.set(count, room);
    }
    const { memory, exports } = room;
    const at = first + room.taken++ * bytes;
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
        factor: (positive) =>
          exports.factorSymmetric(count, HEAP, HEAP + area, at, positive ? 0 : 1, negative) === 0 ? -1 : counted[0],
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
      const work = layOutFibers(edgeCount, cursor, true);
      common = work.addresses;
      cursor = work.end;
      shared.set(edgeCount, common);
    }
    const own = layOutFibers(edgeCount, cursor, false);
    const block = own.end;
    cursor = block + FIBER_STRUCTURE;
    return { block, addresses: { ...common, ...own.addresses } as FiberAddresses };
  });
  const { memory, exports } = instantiate(module, cursor);
  return placed.map(({ block, addresses }, k) => createPair(exports, memory.buffer, block, addresses, pairs[k]));
}

function createPair(
  exports: Exports,
  buffer: ArrayBuffer,
  block: number,
  addresses: FiberAddresses,
  fibers: readonly FiberRod[],
): PairKernel {
  const doubles = new Float64Array(buffer);
  const integers = new Int32Array(buffer);
  const { ringCount, edgeCount, size } = fibers[0];
  const place = Object.fromEntries(fiberFields.map(([name]) => [name, addresses[name] >> 3])) as FiberAddresses;
  /** Copies numbers of one fiber to its lane. */
  const put = (field: FiberField, lane: number, from: Float64Array): void => {
    const o = place[field] + lane;
    for (let k = 0; k < from.length; k++) doubles[o + 2 * k] = from[k];
  };
  const view = (field: FiberField, count: number): Float64Array => doubles.subarray(place[field], place[field] + count);
  const lanes = (['0', '1'] as const).map((lane) => ({
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
  }));
  integers[block >> 2] = ringCount;
  integers.set(
    fiberFields.map(([name]) => addresses[name]),
    (block >> 2) + FIBER_HEAD,
  );
  const coupled = fibers.some(({ couplingMass }) => hasAny(couplingMass)) ? COUPLED : 0;
  const writeStiffness = (lane: number): void => {
    put('longStiffness', lane, fibers[lane].longStiffness);
    put('shearStiffness', lane, fibers[lane].shearStiffness);
    put('ringStiffness', lane, fibers[lane].ringStiffness);
  };
  fibers.forEach((fiber, lane) => {
    put('longRest', lane, fiber.longRest);
    put('shearRest', lane, fiber.shearRest);
    put('ringRest', lane, Float64Array.of(ringRest(fiber, 0), ringRest(fiber, 1), ringRest(fiber, 4)));
    put('particleMass', lane, fiber.particleMass);
    put('couplingMass', lane, fiber.couplingMass);
    writeStiffness(lane);
  });

  /** Inputs of a step: its start, damping, the factors of inertia. */
  const begin = (scheme: Scheme, h: number, lane: number, { fiber, work }: PairMember): void => {
    const { x0, y, v0, elements } = work;
    y.set(x0);
    imposeHeld(fiber, y);
    put('x0', lane, x0);
    put('y', lane, y);
    put('v0', lane, v0);
    if (fiber.rod.moduli) writeStiffness(lane);
    put('edgeChi', lane, elements.edgeChi);
    put('ringChi', lane, elements.ringChi);
    const o = place.tau + lane;
    for (let k = 0; k < 14 * edgeCount + 6; k++) doubles[o + 2 * k] = 0;
    for (let i = 0; i < ringCount; i++) {
      const { moved, speeds, weight } = inertiaOf(fiber, work, scheme, h, i);
      doubles[place.moved + 2 * i + lane] = moved;
      doubles[place.speeds + 2 * i + lane] = speeds;
      doubles[place.matrixMass + 2 * i + lane] = weight * fiber.particleMass[i];
      doubles[place.matrixCoupling + 2 * i + lane] = weight * fiber.couplingMass[i];
    }
  };
  const writeLoads = (scheme: Scheme, h: number, lane: number, { fiber, work }: PairMember): void => {
    spreadLoads(fiber, work, scheme);
    put('load', lane, work.load);
    put('drag', lane, fiber.loads.nodeDrag);
    doubles[place.dragFactor + lane] = (((scheme === 'implicit-euler' ? 0.5 : 1) / h) * fiber.loadFactor) / 16;
  };

  const solve = (scheme: Scheme, t: number, h: number, members: readonly PairMember[], wanted: number): number => {
    const kind = kindOf[scheme];
    const share = scheme === 'implicit-euler' ? 1 : 0.5;
    let [active, converged, moving, kinds] = [wanted, 0, 0, coupled];
    for (let lane = 0; lane < members.length; lane++) {
      if (!(wanted & (1 << lane))) continue;
      const { fiber, work } = members[lane];
      begin(scheme, h, lane, members[lane]);
      evaluateLoads(fiber, work, scheme, t, h);
      if (loadsMove(fiber)) moving |= 1 << lane;
      if (fiber.loadsFollow || hasAny(fiber.loads.nodeDrag)) kinds |= DRAG;
      writeLoads(scheme, h, lane, members[lane]);
    }
    integers[(block >> 2) + FIBER_KINDS] = kinds;
    for (let iteration = 1; active !== 0; iteration++) {
      for (let lane = 0; lane < members.length; lane++) {
        if (iteration === 1 || !(active & moving & (1 << lane))) continue;
        const { fiber, work } = members[lane];
        take(work.y, 0, doubles, place.y + lane, size);
        if (fiber.loadsFollow) evaluateLoads(fiber, work, scheme, t, h);
        writeLoads(scheme, h, lane, members[lane]);
      }
      active &= ~exports.assembleFibers(block, kind, active);
      for (let lane = 0; lane < 2; lane++) {
        const { matrix, right, solve: eliminate } = lanes[lane];
        if (active & (1 << lane)) {
          const { fiber, work } = members[lane];
          constrainHeld(fiber, matrix, right);
          work.iterations++;
          work.iterationsMax = Math.max(work.iterationsMax, iteration);
          if (eliminate() !== 0) {
            returnHeld(fiber, right);
            continue;
          }
          active &= ~(1 << lane);
        }
        // a fiber that has converged keeps its state
        right.fill(0);
      }
      exports.moveFibers(block, share);
      for (let lane = 0; lane < members.length; lane++) {
        if (!(active & (1 << lane))) continue;
        const { tolerance, iterations } = members[lane].options;
        const s = doubles[place.outcome + lane];
        const largest = doubles[place.outcome + 2 + lane];
        const done = s === 1 && largest < tolerance;
        if (done) {
          converged |= 1 << lane;
          take(members[lane].work.y, 0, doubles, place.y + lane, size);
        }
        if (done || !(largest < Infinity) || iteration >= iterations) active &= ~(1 << lane);
      }
    }
    return converged;
  };
  return { solve };
}
