/**
 * Per-contact loops of the acceleration of iterations between strands: those of src/batch/mixing.ts, on four contacts of the list at a time, with the
 * same bits. The history of a record is laid out like its contacts: four per vector.
 */
import { MIXING_NUMBERS, MIXING_RELAXATION, MIXING_WINDOW, PAIR_ERRORLOW, PAIR_INPUTLOW, PAIR_RECORD } from './generated';

/** Bytes of the numbers of a record in one vector after the other, of a change of errors and iterates, and of the whole history. */
const NUMBERS: usize = 16 * MIXING_NUMBERS;
const CHANGE: usize = 2 * NUMBERS;
const HISTORY: usize = CHANGE * (<usize>MIXING_WINDOW + 1);

/** The islands of the four contacts of a record, and whether they move. */
let islandOfs: usize = 0;
let moving: i32 = 0;

/** Opens the record of contacts k to k + 3. Returns whether some of them move. */
// @ts-ignore: decorator
@inline
function openRecord(k: i32, islands: usize, moves: usize): bool {
  islandOfs = islands + (<usize>k << 2);
  moving = 0;
  for (let lane = 0; lane < 4; lane++) {
    const island = islandAt(lane);
    if (island >= 0 && load<u8>(moves + <usize>island) != 0) moving |= 1 << lane;
  }
  return moving != 0;
}

// @ts-ignore: decorator
@inline
function islandAt(lane: i32): i32 {
  return load<i32>(islandOfs + (<usize>lane << 2));
}

// @ts-ignore: decorator
@inline
function lowOf(x: v128): v128 {
  return f64x2.promote_low_f32x4(x);
}

// @ts-ignore: decorator
@inline
function highOf(x: v128): v128 {
  return f64x2.promote_low_f32x4(i32x4.shuffle(x, x, 2, 3, 2, 3));
}

/** Four numbers in single precision from two pairs in double precision. */
// @ts-ignore: decorator
@inline
function joined(low: v128, high: v128): v128 {
  return i32x4.shuffle(f32x4.demote_f64x2_zero(low), f32x4.demote_f64x2_zero(high), 0, 1, 4, 5);
}

/** A number of double precision in one of the four lanes of two vectors. */
// @ts-ignore: decorator
@inline
function numberAt(low: v128, high: v128, lane: i32): f64 {
  const pair = lane < 2 ? low : high;
  return (lane & 1) == 0 ? f64x2.extract_lane(pair, 0) : f64x2.extract_lane(pair, 1);
}

// @ts-ignore: decorator
@inline
function lanesOf(bits: i32): v128 {
  return i32x4.ne(v128.and(i32x4.splat(bits), i32x4(1, 2, 4, 8)), i32x4.splat(0));
}

// @ts-ignore: decorator
@inline
function addTo(at: usize, value: f64): void {
  store<f64>(at, load<f64>(at) + value);
}

/** Adds the squares of the errors of all contacts to the sums of their islands. */
export function addErrors(list: usize, end: i32, islands: usize, moves: usize, sums: usize): void {
  for (let k = 0; k < end; k += 4) {
    if (!openRecord(k, islands, moves)) continue;
    const at = list + <usize>(k >> 2) * PAIR_RECORD + PAIR_ERRORLOW;
    let low = f64x2.splat(0);
    let high = f64x2.splat(0);
    for (let m: usize = 0; m < NUMBERS; m += 16) {
      const error = v128.load(at + m);
      const a = lowOf(error);
      const b = highOf(error);
      low = f64x2.add(low, f64x2.mul(a, a));
      high = f64x2.add(high, f64x2.mul(b, b));
    }
    for (let lane = 0; lane < 4; lane++)
      if ((moving >> lane) & 1) addTo(sums + (<usize>islandAt(lane) << 3), numberAt(low, high, lane));
  }
}

/** Those of the given lanes that move and whose islands have the same number as a lane, as bits; `numbers`: of all islands. */
// @ts-ignore: decorator
@inline
function lanesLike(lane: i32, left: i32, numbers: usize): i32 {
  const own = load<i32>(numbers + (<usize>islandAt(lane) << 2));
  let alike = 0;
  for (let other = lane; other < 4; other++)
    if ((left >> other) & 1 && load<i32>(numbers + (<usize>islandAt(other) << 2)) == own) alike |= 1 << other;
  return alike;
}

/** Index of the change that iteration `count` of a history writes. */
// @ts-ignore: decorator
@inline
function slotOf(count: i32): usize {
  return <usize>(max(0, count - 1) % MIXING_WINDOW);
}

// @ts-ignore: decorator
@inline
function storeLanes(at: usize, value: v128, mask: v128): void {
  v128.store(at, v128.bitselect(value, v128.load(at), mask));
}

/** Writes the error of a record, its next plain iterate and the change of both into lanes of its history. */
function keepChange(record: usize, history: usize, count: i32, mask: v128): void {
  const changes = history + CHANGE * (1 + slotOf(count));
  const factor = f64x2.splat(MIXING_RELAXATION);
  for (let m: usize = 0; m < NUMBERS; m += 16) {
    const error = v128.load(record + m, PAIR_ERRORLOW);
    const input = v128.load(record + m, PAIR_INPUTLOW);
    const low = f64x2.add(lowOf(input), f64x2.mul(factor, lowOf(error)));
    const high = f64x2.add(highOf(input), f64x2.mul(factor, highOf(error)));
    const last = history + m;
    if (count > 0) {
      storeLanes(changes + m, f32x4.sub(error, v128.load(last)), mask);
      const before = v128.load(last + NUMBERS);
      const change = joined(f64x2.sub(low, lowOf(before)), f64x2.sub(high, highOf(before)));
      storeLanes(changes + m + NUMBERS, change, mask);
    }
    storeLanes(last, error, mask);
    storeLanes(last + NUMBERS, joined(low, high), mask);
  }
}

/** Adds the inner products of a record's last change with its others, and of those with its error, to the sums of the islands of lanes. */
function addProducts(history: usize, count: i32, lanes: i32, products: usize, right: usize): void {
  const slot = slotOf(count);
  const own = history + CHANGE * (1 + slot);
  const rows = <usize>min(count, MIXING_WINDOW);
  for (let a: usize = 0; a < rows; a++) {
    const change = history + CHANGE * (1 + a);
    let low = f64x2.splat(0);
    let high = f64x2.splat(0);
    let lowRight = f64x2.splat(0);
    let highRight = f64x2.splat(0);
    for (let m: usize = 0; m < NUMBERS; m += 16) {
      const numbers = v128.load(change + m);
      const lowNumbers = lowOf(numbers);
      const highNumbers = highOf(numbers);
      const owned = v128.load(own + m);
      const error = v128.load(history + m);
      low = f64x2.add(low, f64x2.mul(lowNumbers, lowOf(owned)));
      high = f64x2.add(high, f64x2.mul(highNumbers, highOf(owned)));
      lowRight = f64x2.add(lowRight, f64x2.mul(lowNumbers, lowOf(error)));
      highRight = f64x2.add(highRight, f64x2.mul(highNumbers, highOf(error)));
    }
    for (let lane = 0; lane < 4; lane++) {
      if (((lanes >> lane) & 1) == 0) continue;
      const island = <usize>islandAt(lane);
      const row = <usize>MIXING_WINDOW * island + a;
      addTo(products + ((<usize>MIXING_WINDOW * row + slot) << 3), numberAt(low, high, lane));
      addTo(right + (row << 3), numberAt(lowRight, highRight, lane));
    }
  }
}

/** Updates the histories of contacts, and the inner products of their islands. `counts`: iterations of each history so far, or -1. */
export function keepChanges(
  list: usize,
  end: i32,
  islands: usize,
  moves: usize,
  counts: usize,
  histories: usize,
  products: usize,
  right: usize,
): void {
  for (let k = 0; k < end; k += 4) {
    if (!openRecord(k, islands, moves)) continue;
    const history = histories + <usize>(k >> 2) * HISTORY;
    let left = moving;
    while (left != 0) {
      const lane = ctz(left);
      const lanes = lanesLike(lane, left, counts);
      left &= ~lanes;
      const count = load<i32>(counts + (<usize>islandAt(lane) << 2));
      if (count < 0) continue;
      keepChange(list + <usize>(k >> 2) * PAIR_RECORD, history, count, lanesOf(lanes));
      addProducts(history, count, lanes, products, right);
    }
  }
}

/** The factors of the islands of four contacts, two vectors for each change. */
const FACTORS: usize = memory.data(16 * 2 * MIXING_WINDOW, 16);

function openFactors(right: usize, count: usize): void {
  for (let lane = 0; lane < 4; lane++) {
    const from = right + ((<usize>MIXING_WINDOW * <usize>max(0, islandAt(lane))) << 3);
    for (let a: usize = 0; a < count; a++)
      store<f64>(FACTORS + (a << 5) + (<usize>lane << 3), load<f64>(from + (a << 3)));
  }
}

/** The next inputs of all contacts. `rows`: number of changes that each island combines, with the factors in `right`. */
export function combineChanges(
  list: usize,
  end: i32,
  islands: usize,
  moves: usize,
  rows: usize,
  histories: usize,
  right: usize,
): void {
  for (let k = 0; k < end; k += 4) {
    if (!openRecord(k, islands, moves)) continue;
    const history = histories + <usize>(k >> 2) * HISTORY;
    const inputs = list + <usize>(k >> 2) * PAIR_RECORD + PAIR_INPUTLOW;
    let left = moving;
    while (left != 0) {
      const lane = ctz(left);
      const lanes = lanesLike(lane, left, rows);
      left &= ~lanes;
      const count = <usize>load<i32>(rows + (<usize>islandAt(lane) << 2));
      openFactors(right, count);
      for (let m: usize = 0; m < NUMBERS; m += 16) {
        const last = v128.load(history + NUMBERS + m);
        let low = lowOf(last);
        let high = highOf(last);
        for (let a: usize = 0; a < count; a++) {
          const change = v128.load(history + CHANGE * (1 + a) + NUMBERS + m);
          low = f64x2.sub(low, f64x2.mul(v128.load(FACTORS + (a << 5)), lowOf(change)));
          high = f64x2.sub(high, f64x2.mul(v128.load(FACTORS + (a << 5), 16), highOf(change)));
        }
        storeLanes(inputs + m, joined(low, high), lanesOf(lanes));
      }
    }
  }
}
