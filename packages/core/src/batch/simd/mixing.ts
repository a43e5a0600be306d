/** Acceleration of the iterations (../mixing.ts) with the kernels: histories of contacts and islands in their memory, behind the list of contacts. */
import { historyLengths, type IslandHistories, MIXING_HISTORY, type MixedIslands, type Mixing } from '../mixing.ts';
import type { LaneMemory } from './memory.ts';

/** The same with the addresses of the islands of contacts and of whether an island moves. */
export interface LaneMixing extends Mixing {
  readonly of: number;
  readonly moves: number;
}

/** Begins the iterations of the first contacts of the list, which have islands; `recordBytes`: of four contacts. */
export function openMixing(memory: LaneMemory, recordBytes: number, islands: MixedIslands): LaneMixing {
  const { kernels, pairs } = memory;
  const records = Math.ceil(islands.of.length / 4);
  const count = islands.moves.length;
  let end = pairs.list + recordBytes * records;
  const reserve = (bytes: number): number => {
    end += 16 * Math.ceil(bytes / 16);
    return end - 16 * Math.ceil(bytes / 16);
  };
  const names = Object.keys(historyLengths) as (keyof IslandHistories)[];
  const at = Object.fromEntries(names.map((name) => [name, reserve(8 * historyLengths[name] * count)])) as Record<
    keyof IslandHistories,
    number
  >;
  const [of, moves, histories] = [reserve(16 * records), reserve(count), reserve(16 * MIXING_HISTORY * records)];
  memory.reserve(end);
  const { buffer } = memory.floats;
  const wordsOf = (name: keyof IslandHistories): Int32Array => new Int32Array(buffer, at[name], count).fill(0);
  const numbersOf = (name: keyof IslandHistories): Float64Array =>
    new Float64Array(buffer, at[name], historyLengths[name] * count).fill(0);
  // lanes behind the last contact have no island
  const own = { of: new Int32Array(buffer, of, 4 * records).fill(-1), moves: new Uint8Array(buffer, moves, count) };
  own.of.set(islands.of);
  own.moves.set(islands.moves);
  const { counts, rows, sums, products, right } = at;
  const ends = 4 * records;
  return {
    of,
    moves,
    islands: own,
    histories: {
      counts: wordsOf('counts'),
      rows: wordsOf('rows'),
      norms: numbersOf('norms'),
      sums: numbersOf('sums'),
      products: numbersOf('products'),
      right: numbersOf('right'),
    },
    addErrors() {
      kernels.addErrors(pairs.list, ends, of, moves, sums);
    },
    keepChanges() {
      kernels.keepChanges(pairs.list, ends, of, moves, counts, histories, products, right);
    },
    combineChanges() {
      kernels.combineChanges(pairs.list, ends, of, moves, rows, histories, right);
    },
  };
}
