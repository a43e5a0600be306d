/**
 * Anderson acceleration of the iterations of strands in contact with each other [Anderson1965]. The iterate q has 6 numbers per contact, 3 for each
 * side: the inputs of the contact law (pairList.ts). A plain iteration adds RELAXATION times the errors of the copies; the accelerated one combines the
 * last iterates so that the error is least. If the error becomes more than twice as large, the plain iteration is taken instead, and the history is
 * discarded. Every island (strands joined by contacts) has its own history.
 */

/** Over-relaxation of the plain iteration. */
const RELAXATION = 1.7;
/** Number of earlier iterates that are combined. */
const WINDOW = 6;
/** Growth of the error after which the history is discarded. */
const MOST_GROWTH = 2;
/** Added to the diagonal of the least-squares problem, as a part of its trace: the last iterates are often nearly dependent. */
const RIDGE = 1e-10;

/** Numbers of a contact, and their history: the last error, the last plain iterate, and the changes of both in the last iterations. */
const NUMBERS = 6;
const HISTORY = 2 * NUMBERS * (WINDOW + 1);

type Numbers = Float32Array | Float64Array;

/**
 * Where the numbers of contacts lie: the inputs from `input` on and the errors from `error` on, `lanes` contacts to a record of `stride` numbers, in which
 * the numbers of a contact are `lanes` apart.
 */
export interface MixingLayout {
  readonly input: number;
  readonly error: number;
  readonly lanes: number;
  readonly stride: number;
}

/** The island of every contact (−1: of none), and whether an island still iterates. */
export interface MixedIslands {
  readonly of: Int32Array;
  readonly moves: Uint8Array;
}

export interface Mixing {
  readonly create: (length: number) => Numbers;
  /** HISTORY numbers per contact. */
  history: Numbers;
  /** For each island: number of iterations since its history began, norm of its error, whether the last iterate was accelerated. */
  counts: Int32Array;
  norms: Float64Array;
  isMixed: Uint8Array;
  /** Inner products of the changes of the error with each other, and with the error. */
  products: Float64Array;
  right: Float64Array;
}

/** `create`: makes the history, in the precision of the iterates. */
export function createMixing(create: (length: number) => Numbers): Mixing {
  return { create, history: create(0), ...createIslands(0) };
}

type IslandState = Pick<Mixing, 'counts' | 'norms' | 'isMixed' | 'products' | 'right'>;

function createIslands(count: number): IslandState {
  return {
    counts: new Int32Array(count),
    norms: new Float64Array(count),
    isMixed: new Uint8Array(count),
    products: new Float64Array(WINDOW * WINDOW * count),
    right: new Float64Array(WINDOW * count),
  };
}

/** Begins the iterations of a step. */
export function startMixing(mixing: Mixing, { of, moves }: MixedIslands): void {
  const size = HISTORY * of.length;
  if (mixing.history.length < size) mixing.history = mixing.create(size + (size >> 2));
  Object.assign(mixing, createIslands(moves.length));
}

const placeOf = ({ lanes, stride }: MixingLayout, contact: number): number =>
  stride * Math.floor(contact / lanes) + (contact % lanes);

/** Measures the errors of all islands, and discards the history of those whose error grew after an accelerated iteration. */
function measureErrors(
  { counts, norms, isMixed }: Mixing,
  q: Numbers,
  layout: MixingLayout,
  { of, moves }: MixedIslands,
): void {
  const sums = new Float64Array(moves.length);
  for (let c = 0; c < of.length; c++) {
    const island = of[c];
    if (island < 0 || moves[island] === 0) continue;
    const at = layout.error + placeOf(layout, c);
    let sum = 0;
    for (let m = 0; m < NUMBERS; m++) sum += q[at + layout.lanes * m] * q[at + layout.lanes * m];
    sums[island] += sum;
  }
  for (let island = 0; island < moves.length; island++) {
    const norm = Math.sqrt(sums[island]);
    const grew = isMixed[island] === 1 && norm > MOST_GROWTH * norms[island];
    isMixed[island] = 0;
    norms[island] = grew ? Infinity : norm;
    // -1: takes the last plain iterate
    if (grew) counts[island] = -1;
  }
}

const slotOf = (count: number): number => Math.max(0, count - 1) % WINDOW;

/** Updates the history of a contact, from `o` on, by its error and its next plain iterate. `at`: place of its numbers. */
function keepChange(history: Numbers, o: number, q: Numbers, at: number, layout: MixingLayout, count: number): void {
  const changes = o + 2 * NUMBERS * (1 + slotOf(count));
  for (let m = 0; m < NUMBERS; m++) {
    const error = q[layout.error + at + layout.lanes * m];
    const next = q[layout.input + at + layout.lanes * m] + RELAXATION * error;
    if (count > 0) {
      history[changes + m] = error - history[o + m];
      history[changes + NUMBERS + m] = next - history[o + NUMBERS + m];
    }
    history[o + m] = error;
    history[o + NUMBERS + m] = next;
  }
}

function dotAt(history: Numbers, a: number, b: number): number {
  let sum = 0;
  for (let m = 0; m < NUMBERS; m++) sum += history[a + m] * history[b + m];
  return sum;
}

/** Updates the histories of all contacts, and the inner products of their islands. */
function keepChanges(mixing: Mixing, q: Numbers, layout: MixingLayout, { of, moves }: MixedIslands): void {
  const { history, counts, products, right } = mixing;
  right.fill(0);
  for (let island = 0; island < moves.length; island++) {
    const slot = slotOf(counts[island]);
    const first = WINDOW * WINDOW * island;
    for (let a = 0; a < WINDOW && moves[island] === 1; a++)
      products[first + WINDOW * a + slot] = products[first + WINDOW * slot + a] = 0;
  }
  for (let c = 0; c < of.length; c++) {
    const island = of[c];
    if (island < 0 || moves[island] === 0 || counts[island] < 0) continue;
    const count = counts[island];
    const o = HISTORY * c;
    keepChange(history, o, q, placeOf(layout, c), layout, count);
    const rows = Math.min(count, WINDOW);
    const slot = slotOf(count);
    const own = o + 2 * NUMBERS * (1 + slot);
    for (let a = 0; a < rows; a++) {
      const change = o + 2 * NUMBERS * (1 + a);
      products[WINDOW * WINDOW * island + WINDOW * a + slot] += dotAt(history, change, own);
      right[WINDOW * island + a] += dotAt(history, change, o);
    }
  }
}

/** Solves for the factors of an island's changes by Cholesky's method, in `right`. Returns whether it succeeded. */
function findFactors(products: Float64Array, right: Float64Array, n: number): boolean {
  const matrix = products.slice();
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

/** Finds the factors with which every island combines its changes; zero for a plain iteration. */
function findAllFactors({ counts, products, right, isMixed }: Mixing, moves: Uint8Array): void {
  for (let island = 0; island < moves.length; island++) {
    if (moves[island] === 0) continue;
    const rows = Math.min(Math.max(0, counts[island]), WINDOW);
    const first = WINDOW * WINDOW * island;
    const own = products.subarray(first, first + WINDOW * WINDOW);
    const slot = slotOf(counts[island]);
    for (let a = 0; a < rows; a++) own[WINDOW * slot + a] = own[WINDOW * a + slot];
    const factors = right.subarray(WINDOW * island, WINDOW * (island + 1));
    isMixed[island] = rows > 0 && findFactors(own, factors, rows) ? 1 : 0;
    if (isMixed[island] === 0) factors.fill(0);
  }
}

/** Replaces the iterate in `q`, whose errors are there, too, by the next one, for the islands that move. */
export function mixIterates(mixing: Mixing, q: Numbers, layout: MixingLayout, islands: MixedIslands): void {
  const { of, moves } = islands;
  measureErrors(mixing, q, layout, islands);
  keepChanges(mixing, q, layout, islands);
  findAllFactors(mixing, moves);
  const { history, counts, right, isMixed } = mixing;
  for (let c = 0; c < of.length; c++) {
    const island = of[c];
    if (island < 0 || moves[island] === 0) continue;
    const o = HISTORY * c;
    const at = layout.input + placeOf(layout, c);
    const rows = isMixed[island] === 1 ? Math.min(counts[island], WINDOW) : 0;
    for (let m = 0; m < NUMBERS; m++) {
      let next = history[o + NUMBERS + m];
      for (let a = 0; a < rows; a++)
        next -= right[WINDOW * island + a] * history[o + 2 * NUMBERS * (1 + a) + NUMBERS + m];
      q[at + layout.lanes * m] = next;
    }
  }
  for (let island = 0; island < moves.length; island++) if (moves[island] === 1) counts[island]++;
}
