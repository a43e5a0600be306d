/**
 * Anderson acceleration of the iterations of strands in contact with each other [Anderson1965]. The iterate q has 6 numbers per contact, 3 for each
 * side: the inputs of the contact law (pairList.ts). A plain iteration adds MIXING_RELAXATION times the errors of the copies; the accelerated one combines
 * the last iterates so that the error is least. If the error becomes more than twice as large, the plain iteration is taken instead, and the history is
 * discarded. Every island (strands joined by contacts) has its own history.
 */
import {
  MIXING_NUMBERS as NUMBERS,
  MIXING_RELAXATION as RELAXATION,
  MIXING_WINDOW as WINDOW,
} from './mixingNumbers.ts';

/** Growth of the error after which the history is discarded. */
const MOST_GROWTH = 2;
/** Added to the diagonal of the least-squares problem, as a part of its trace: the last iterates are often nearly dependent. */
const RIDGE = 1e-10;

/** History of a contact: the last error, the last plain iterate, and the changes of both in the last iterations. */
export const MIXING_HISTORY: number = 2 * NUMBERS * (WINDOW + 1);

/** The island of every contact (−1: of none), and whether an island still iterates. */
export interface MixedIslands {
  readonly of: Int32Array;
  readonly moves: Uint8Array;
}

/** What the acceleration keeps of every island. */
export interface IslandHistories {
  /** Number of iterations since its history began; −1: it begins with the last plain iterate. */
  readonly counts: Int32Array;
  /** Number of changes that the next iterate combines. */
  readonly rows: Int32Array;
  /** Norm of its error, and the sum of squares for the next one. */
  readonly norms: Float64Array;
  readonly sums: Float64Array;
  /** Inner products of the changes of the error with each other, and with the error; then the factors of the changes. */
  readonly products: Float64Array;
  readonly right: Float64Array;
}

/** Lengths of the arrays of a number of islands. */
export const historyLengths: Readonly<Record<keyof IslandHistories, number>> = {
  counts: 1,
  rows: 1,
  norms: 1,
  sums: 1,
  products: WINDOW * WINDOW,
  right: WINDOW,
};

/** Loops over the contacts of all islands that move. */
export interface MixingLoops {
  /** Adds the squares of the errors of all contacts to the sums of their islands. */
  addErrors(): void;
  /** Updates the histories of contacts by their errors, and the inner products of their islands. */
  keepChanges(): void;
  /** Replaces the iterate by the next one. */
  combineChanges(): void;
}

export interface Mixing extends MixingLoops {
  readonly islands: MixedIslands;
  readonly histories: IslandHistories;
}

/** Measures the errors of all islands, and discards the history of those whose error grew after an accelerated iteration. */
function measureErrors({ islands: { moves }, histories: { counts, rows, norms, sums } }: Mixing): void {
  for (let island = 0; island < moves.length; island++) {
    if (moves[island] === 0) continue;
    const norm = Math.sqrt(sums[island]);
    const grew = rows[island] > 0 && norm > MOST_GROWTH * norms[island];
    norms[island] = grew ? Infinity : norm;
    if (grew) counts[island] = -1;
  }
}

const slotOf = (count: number): number => Math.max(0, count - 1) % WINDOW;

/** Removes the inner products of the changes that the next ones replace. */
function clearProducts({ islands: { moves }, histories: { counts, products, right } }: Mixing): void {
  right.fill(0);
  for (let island = 0; island < moves.length; island++) {
    if (moves[island] === 0) continue;
    const slot = slotOf(counts[island]);
    const first = WINDOW * WINDOW * island;
    for (let a = 0; a < WINDOW; a++) products[first + WINDOW * a + slot] = products[first + WINDOW * slot + a] = 0;
  }
}

const matrix = new Float64Array(WINDOW * WINDOW);

/** Solves for the factors of an island's changes by Cholesky's method, in `right`. Returns whether it succeeded. */
function findFactors(products: Float64Array, right: Float64Array, n: number): boolean {
  matrix.set(products);
  let trace = 0;
  for (let i = 0; i < n; i++) trace += matrix[i * WINDOW + i];
  if (!(trace > 0)) return false;
  for (let i = 0; i < n; i++) {
    matrix[i * WINDOW + i] += RIDGE * trace;
    for (let j = 0; j <= i; j++) {
      let sum = matrix[i * WINDOW + j];
      for (let k = 0; k < j; k++) sum -= matrix[i * WINDOW + k] * matrix[j * WINDOW + k];
      if (i === j && !(sum > 0)) return false;
      matrix[i * WINDOW + j] = i === j ? Math.sqrt(sum) : sum / matrix[j * WINDOW + j];
    }
  }
  for (let i = 0; i < n; i++) {
    for (let k = 0; k < i; k++) right[i] -= matrix[i * WINDOW + k] * right[k];
    right[i] /= matrix[i * WINDOW + i];
  }
  for (let i = n - 1; i >= 0; i--) {
    for (let k = i + 1; k < n; k++) right[i] -= matrix[k * WINDOW + i] * right[k];
    right[i] /= matrix[i * WINDOW + i];
  }
  return true;
}

/** Finds the factors with which every island combines its changes, and how many; none for a plain iteration. */
function findAllFactors({ islands: { moves }, histories: { counts, rows, products, right } }: Mixing): void {
  for (let island = 0; island < moves.length; island++) {
    if (moves[island] === 0) continue;
    const count = Math.min(Math.max(0, counts[island]), WINDOW);
    const first = WINDOW * WINDOW * island;
    const own = products.subarray(first, first + WINDOW * WINDOW);
    const slot = slotOf(counts[island]);
    for (let a = 0; a < count; a++) own[WINDOW * slot + a] = own[WINDOW * a + slot];
    const factors = right.subarray(WINDOW * island, WINDOW * (island + 1));
    rows[island] = count > 0 && findFactors(own, factors, count) ? count : 0;
  }
}

/** Replaces the iterate by the next one, for the islands that move. */
export function mixIterates(mixing: Mixing): void {
  const { moves } = mixing.islands;
  const { counts, sums } = mixing.histories;
  sums.fill(0);
  mixing.addErrors();
  measureErrors(mixing);
  clearProducts(mixing);
  mixing.keepChanges();
  findAllFactors(mixing);
  mixing.combineChanges();
  for (let island = 0; island < moves.length; island++) if (moves[island] === 1) counts[island]++;
}

/** Updates the history of a contact, from `o` on, by its error and its next plain iterate. `at`: place of its numbers. */
function keepChange(history: Float64Array, o: number, q: Float64Array, at: number, count: number): void {
  const changes = o + 2 * NUMBERS * (1 + slotOf(count));
  const errors = q.length / 2;
  for (let m = 0; m < NUMBERS; m++) {
    const error = q[errors + at + m];
    const next = q[at + m] + RELAXATION * error;
    if (count > 0) {
      history[changes + m] = error - history[o + m];
      history[changes + NUMBERS + m] = next - history[o + NUMBERS + m];
    }
    history[o + m] = error;
    history[o + NUMBERS + m] = next;
  }
}

function dotAt(history: Float64Array, a: number, b: number): number {
  let sum = 0;
  for (let m = 0; m < NUMBERS; m++) sum += history[a + m] * history[b + m];
  return sum;
}

/** Adds the inner products of the last change of a contact, whose history begins at `o`, to those of its island. */
function addProducts(
  { counts, products, right }: IslandHistories,
  island: number,
  history: Float64Array,
  o: number,
): void {
  const slot = slotOf(counts[island]);
  const own = o + 2 * NUMBERS * (1 + slot);
  for (let a = 0; a < Math.min(counts[island], WINDOW); a++) {
    const change = o + 2 * NUMBERS * (1 + a);
    const row = WINDOW * island + a;
    products[WINDOW * row + slot] += dotAt(history, change, own);
    right[row] += dotAt(history, change, o);
  }
}

/** In double precision: `q` has the numbers of all contacts, those of each in a row, and then their errors. The kernels have the same loops. */
export function createMixing(q: Float64Array, islands: MixedIslands): Mixing {
  const { of, moves } = islands;
  const history = new Float64Array(MIXING_HISTORY * of.length);
  const numbers = (name: keyof IslandHistories): Float64Array => new Float64Array(historyLengths[name] * moves.length);
  const histories: IslandHistories = {
    counts: new Int32Array(moves.length),
    rows: new Int32Array(moves.length),
    norms: numbers('norms'),
    sums: numbers('sums'),
    products: numbers('products'),
    right: numbers('right'),
  };
  const { counts, rows, sums, right } = histories;
  const forEachMoving = (visit: (contact: number, island: number) => void): void => {
    of.forEach((island, c) => {
      if (island >= 0 && moves[island] === 1) visit(c, island);
    });
  };
  return {
    islands,
    histories,
    addErrors() {
      forEachMoving((c, island) => {
        sums[island] += dotAt(q, q.length / 2 + NUMBERS * c, q.length / 2 + NUMBERS * c);
      });
    },
    keepChanges() {
      forEachMoving((c, island) => {
        if (counts[island] < 0) return;
        keepChange(history, MIXING_HISTORY * c, q, NUMBERS * c, counts[island]);
        addProducts(histories, island, history, MIXING_HISTORY * c);
      });
    },
    combineChanges() {
      forEachMoving((c, island) => {
        const o = MIXING_HISTORY * c + NUMBERS;
        for (let m = 0; m < NUMBERS; m++) {
          let next = history[o + m];
          for (let a = 0; a < rows[island]; a++)
            next -= right[WINDOW * island + a] * history[o + 2 * NUMBERS * (1 + a) + m];
          q[NUMBERS * c + m] = next;
        }
      });
    },
  };
}
