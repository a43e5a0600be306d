/**
 * Pairs of edges that may meet within a step. They are kept from step to step: every edge has the place and the spare with which it was searched for, and is
 * searched for again when it may leave them. So there are more candidates than a new search would find, but the same of them touch.
 */
import { SPARE_WAY } from '../pairSearch.ts';
import { areNear, enterAll, findSpares, sortMembers } from './pairGrid.ts';
import { type Candidates, HALF, measureEdges, type NodeRows, type PairSearch, ROW, SPARE } from './pairMemory.ts';

/** True if edges a and b, a < b, of one strand may meet. */
export type MayMeet = (strand: number, a: number, b: number) => boolean;

/** What a search adds to spares, as a part of the contact radius, so that it serves later steps in which hair moves little. */
const SPARE_LATER = 0.35;
function addCandidate(to: Candidates, low: number, high: number): void {
  if (2 * to.count === to.edges.length) {
    const more = new Int32Array(2 * to.edges.length);
    more.set(to.edges);
    to.edges = more;
  }
  to.edges[2 * to.count] = low;
  to.edges[2 * to.count + 1] = high;
  to.count++;
}

/** Inserts the last of `count` numbers where it belongs among the others, which are in order. */
function insertLast(numbers: number[], count: number): void {
  const one = numbers[count - 1];
  let k = count - 1;
  for (; k > 0 && numbers[k - 1] > one; k--) numbers[k] = numbers[k - 1];
  numbers[k] = one;
}

/** True if edges e and f, e < f, may meet. */
type MayMeetEdges = (e: number, f: number) => boolean;

/** Adds edges near edge e to a row of numbers, in order. Returns how many there are. `isFull`: only edges behind it, since all are searched for. */
type ListNeighbours = (e: number, isFull: boolean) => number;

function openNeighbours(search: PairSearch, others: number[], mayMeet: MayMeetEdges): ListNeighbours {
  const { places, seen, stale, edges } = search;
  const entries = enterAll(search);
  const { cells, first } = entries;
  const { edge, end, shift } = sortMembers(search, entries);
  seen.fill(-1);
  return (e, isFull) => {
    let near = 0;
    for (let n = first[e]; n < first[e + 1]; n++) {
      const slot = cells[n] >>> shift;
      const start = slot === 0 ? 0 : end[slot - 1];
      for (let m = end[slot] - 1; m >= start; m--) {
        const f = edge[m];
        if (f <= e && isFull) break;
        // both are searched for: the pair is found from its lower edge
        if (seen[f] === e || (f <= e && stale[edges.node[f]] === 1)) continue;
        seen[f] = e;
        if (!areNear(places, e, f) || !mayMeet(Math.min(e, f), Math.max(e, f))) continue;
        others[near++] = f;
        insertLast(others, near);
      }
    }
    return near;
  };
}

/** Pairs of stale edges with all edges, as one number each: lower · number of edges + higher, in order. */
function findKeys(search: PairSearch, staleCount: number, mayMeet: MayMeetEdges): Float64Array {
  const { edges, stale, keys: memory } = search;
  const { count, node } = edges;
  const isFull = staleCount === count;
  const others: number[] = [];
  const neighboursOf = openNeighbours(search, others, mayMeet);
  let [keys, total] = [memory.take(2 * count), 0];
  for (let e = 0; e < count; e++) {
    if (stale[node[e]] === 0) continue;
    const near = neighboursOf(e, isFull);
    if (total + near > keys.length) {
      const more = memory.take(2 * (total + near));
      more.set(keys.subarray(0, total));
      keys = more;
    }
    for (let k = 0; k < near; k++) keys[total++] = count * Math.min(e, others[k]) + Math.max(e, others[k]);
  }
  const found = keys.subarray(0, total);
  return isFull ? found : found.sort();
}

/** Replaces the candidates of stale edges by those of a search. */
function replaceCandidates({ edges: { count, node }, stale, found, before }: PairSearch, keys: Float64Array): void {
  const old = before.take(2 * found.count);
  old.set(found.edges.subarray(0, 2 * found.count));
  found.count = 0;
  let k = 0;
  const addUntil = (low: number, high: number): void => {
    for (; k < keys.length; k++) {
      const e = Math.floor(keys[k] / count);
      const [a, b] = [node[e], node[keys[k] - count * e]];
      if (a > low || (a === low && b > high)) return;
      addCandidate(found, a, b);
    }
  };
  for (let n = 0; n < old.length; n += 2) {
    if (stale[old[n]] === 1 || stale[old[n + 1]] === 1) continue;
    addUntil(old[n], old[n + 1]);
    addCandidate(found, old[n], old[n + 1]);
  }
  addUntil(Infinity, Infinity);
}

/** Marks edges that may leave the spare with which they were searched for, and moves their places to where they are. Returns how many there are. */
function movePlaces({ edges: { count, node, rows }, places, stale }: PairSearch, { floats, first }: NodeRows): number {
  let staleCount = 0;
  for (let e = 0; e < count; e++) {
    const o = ROW * e;
    let [shift, turn] = [0, 0];
    for (let k = 0; k < 3; k++) {
      const moved = rows[o + k] - places[o + k];
      const turned = rows[o + HALF + k] - places[o + HALF + k];
      shift += moved * moved;
      turn += turned * turned;
    }
    // points of the edge have not moved farther
    const isCovered = rows[o + SPARE] + Math.sqrt(shift) + Math.sqrt(turn) <= places[o + SPARE];
    stale[node[e]] = isCovered ? 0 : 1;
    if (isCovered) continue;
    staleCount++;
    for (let k = 0; k < ROW; k++) places[o + k] = rows[o + k];
    places[o + SPARE] += SPARE_LATER * floats[first + 8 * node[e] + 3];
  }
  return staleCount;
}

/**
 * All pairs of edges that may meet if they move `factor` times as far as their rows say, and others. Only edges that have moved much are searched for again:
 * which pairs touch within a step does not depend on the others.
 */
export function findCandidates(
  search: PairSearch,
  nodes: NodeRows,
  mayMeetItself: MayMeet,
  factor: number = SPARE_WAY,
): Candidates {
  const { edges, found } = search;
  measureEdges(edges, nodes);
  findSpares(search, factor);
  const staleCount = movePlaces(search, nodes);
  if (staleCount === 0) return found;
  const { node, strand } = edges;
  const placeOf = (e: number): number => node[e] % nodes.nodes;
  const mayMeet: MayMeetEdges = (e, f) => strand[e] !== strand[f] || mayMeetItself(strand[e], placeOf(e), placeOf(f));
  replaceCandidates(search, findKeys(search, staleCount, mayMeet));
  return found;
}

/** Adds pairs to the candidates, which stay in order. */
export function addCandidates(to: Candidates, pairs: readonly (readonly [low: number, high: number])[]): Candidates {
  const { edges, count } = to;
  const added = pairs.toSorted(([a, b], [c, d]) => a - c || b - d);
  const all: Candidates = { edges: new Int32Array(2 * (count + added.length)), count: 0 };
  let next = 0;
  for (let k = 0; k <= count; k++) {
    const [low, high] = k < count ? [edges[2 * k], edges[2 * k + 1]] : [Infinity, Infinity];
    for (; next < added.length && (added[next][0] < low || (added[next][0] === low && added[next][1] <= high)); next++)
      if (added[next][0] !== low || added[next][1] !== high) addCandidate(all, added[next][0], added[next][1]);
    if (k < count) addCandidate(all, low, high);
  }
  return all;
}
