/**
 * Discrete elastic rods two at a time, in WebAssembly with SIMD: the Newton method of models/der/newton.ts and the schemes of models/der/step.ts, one
 * rod per lane.
 *
 * The formulas are the model's, translated (kernels/translate.ts); the loop around them is written by hand (kernels/assembly). A step copies the state
 * of both rods in, runs its stages and copies state and samples back. Constants of a pair stay in memory; the first guess, the start of the step, loads
 * and frames are in work space that pairs share, because a frame of 10,000 strands is limited by memory as much as by arithmetic.
 *
 * Measurements and rejected alternatives: docs/notes/kernels.md.
 */
import type { DerKernel, PairKernel, PairMember } from '../models/der/kernel.ts';
import { pairKey } from '../models/der/kernel.ts';
import type { DerRod } from '../models/der/rod.ts';
import { createLoads } from '../port.ts';
import { interleave } from './copy.ts';
import type { Exports, KernelMemory, Shared } from './derMemory.ts';
import { createPair } from './derPair.ts';
import { pairFields } from './description.ts';
import { type Addresses, HEAD, HEAP, layOutPair, own, type PairField, STRUCTURE } from './layout.ts';
import { compileKernels } from './wasm.ts';

export async function loadDerKernel(): Promise<DerKernel> {
  const module = await compileKernels();
  return { createPairs: (pairs) => createPairs(module, pairs) };
}

function createPairs(module: WebAssembly.Module, pairs: readonly (readonly [PairMember, PairMember])[]): PairKernel[] {
  const shared = new Map<string, Shared>();
  let cursor = HEAP;
  const placed = pairs.map(([first]) => {
    const { der } = first;
    const key = pairKey(der) ?? '';
    let work = shared.get(key);
    if (!work) {
      const layout = layOutPair(first, cursor, (field) => !own.has(field));
      work = { ...layout, loads: [createLoads(der.rod), createLoads(der.rod)], pattern: -1, fixed: 0 };
      cursor += work.size;
      shared.set(key, work);
    }
    const constants = layOutPair(first, cursor, (field) => own.has(field));
    cursor += constants.size;
    const block = cursor;
    cursor += STRUCTURE;
    return { block, work, addresses: { ...work.addresses, ...constants.addresses } };
  });
  const wholes = new Map<ArrayBufferLike, Float64Array>();
  const memory = new WebAssembly.Memory({ initial: Math.ceil(cursor / 65536) + 1 });
  const kernelMemory: { -readonly [K in keyof KernelMemory]?: KernelMemory[K] } = {
    doubles: new Float64Array(memory.buffer),
    bytes: new Uint8Array(memory.buffer),
    integers: new Int32Array(memory.buffer),
    wholeOf: (list) => {
      const known = wholes.get(list.buffer) ?? new Float64Array(list.buffer);
      wholes.set(list.buffer, known);
      return known;
    },
    ask: () => {},
  };
  const instance = new WebAssembly.Instance(module, { env: { memory, askLoads: () => kernelMemory.ask?.() } });
  kernelMemory.exports = instance.exports as unknown as Exports;
  return placed.map(({ block, work, addresses }, k) => {
    const [first, second] = pairs[k];
    writeConstants(kernelMemory as KernelMemory, block, addresses, [first.der, second.der]);
    return createPair(kernelMemory as KernelMemory, block, addresses, work, pairs[k]);
  });
}

/** Constants of both rods, and their layout. */
function writeConstants(
  kernelMemory: KernelMemory,
  block: number,
  addresses: Addresses,
  [first, second]: readonly [DerRod, DerRod],
): void {
  const { doubles, integers } = kernelMemory;
  const pack = (field: PairField, of: (der: DerRod) => Float64Array): void => {
    interleave(doubles, addresses[field] >> 3, of(first), 0, of(second), 0, of(first).length);
  };
  /** Copies the values of node i and edge i from those of the four unknowns. */
  const halve = (field: PairField, of: (der: DerRod) => Float64Array): void => {
    const [a, b] = [of(first), of(second)];
    let at = addresses[field] >> 3;
    for (let d = 0; d < a.length; d += (d & 3) === 0 ? 3 : 1) {
      doubles[at++] = a[d];
      doubles[at++] = b[d];
    }
  };
  integers.set([first.nodeCount, first.joints.count, first.held.count], block >> 2);
  integers.set(
    pairFields.map(([name]) => addresses[name]),
    (block >> 2) + HEAD,
  );
  integers.set(first.joints.before, addresses.before >> 2);
  integers.set(first.joints.after, addresses.after >> 2);
  integers.set(first.joints.node, addresses.node >> 2);
  const edgeOf = (pin: number): number =>
    first.pins[pin].orientation === 'frame' ? Math.min(first.pins[pin].node, first.edgeCount - 1) : -1;
  integers.set(Int32Array.from(first.held.pin, edgeOf), addresses.heldEdge >> 2);
  halve('mass', (der) => der.mass);
  halve('massDamping', (der) => der.massDamping);
  halve('stiffnessScale', (der) => der.stiffnessScale);
  pack('lengthRest', (der) => der.rod.edgeLengthRest);
  pack('stiffness', (der) => der.edgeStiffness);
  pack('edgeDamping', (der) => der.edgeDamping);
  pack('constants', (der) => der.joints.constants);
  pack('jointDamping', (der) => der.joints.damping);
  pack('offset', (der) => der.jointOffset);
}
