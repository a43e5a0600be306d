/** Functions of kernels/batch/index.ts; addresses are in bytes, truth values 0 or 1. */
export interface LaneKernels {
  openBlock(
    state: number,
    nodes: number,
    head: number,
    work: number,
    edges: number,
    contacts: number,
    obstacles: number,
    damped: number,
  ): void;
  advance(parameters: number, finish: number, iterations: number, tolerance: number): number;
  advanceInContact(
    parameters: number,
    pressed: number,
    kept: number,
    iterations: number,
    tolerance: number,
    least: number,
  ): number;
  advanceApart(
    parameters: number,
    pressed: number,
    kept: number,
    iterations: number,
    tolerance: number,
    least: number,
    chosen: number,
  ): number;
  publish(isFree: number): void;
  openCoupled(parameters: number): void;
  beginCoupled(pressed: number, chosen: number): void;
  iterateCoupled(pressed: number, chosen: number): void;
  finishCoupled(pressed: number, chosen: number): number;
  placeLoads(loads: number, edges: number): void;
  clearLoads(loads: number, edges: number, withPairs: number): void;
  openPairs(list: number, count: number, table: number): void;
  weighPairs(list: number, count: number, table: number): void;
  meetAll(list: number, count: number, rows: number): void;
  measureAll(list: number, count: number, rows: number): void;
  countObstacles(list: number, first: number, end: number, table: number): void;
  startAll(list: number, end: number, rows: number): void;
  /** `of`, `moves`: islands of contacts, and whether they move. */
  pressAll(
    list: number,
    first: number,
    end: number,
    rows: number,
    table: number,
    withBoth: number,
    of: number,
    moves: number,
  ): void;
  compareAll(
    list: number,
    first: number,
    end: number,
    rows: number,
    changes: number,
    nodes: number,
    withBoth: number,
    of: number,
    moves: number,
  ): void;
  countLoaded(list: number, first: number, end: number): number;
  largestChange(list: number, first: number, end: number): number;
  addErrors(list: number, end: number, of: number, moves: number, sums: number): void;
  keepChanges(
    list: number,
    end: number,
    of: number,
    moves: number,
    counts: number,
    histories: number,
    products: number,
    right: number,
  ): void;
  combineChanges(
    list: number,
    end: number,
    of: number,
    moves: number,
    rows: number,
    histories: number,
    right: number,
  ): void;
}
