/** Cells of space for the links of a group, by their positions at the start of the scene; the cell size gives the requested number of corners. */
import type { LinkPlan } from '../../scene/links.ts';
import { CORNERS, type CoarseRows, coarseBytes, cutCoarse } from './coarseBasis.ts';
import { createFrame, startFrame } from './frames.ts';
import type { LinkSet, Links } from './linkData.ts';

const frame = createFrame();

/** Initial positions of links. */
function placesOf(plans: readonly LinkPlan[], which: Int32Array): Float64Array {
  const place = new Float64Array(3 * which.length);
  for (let k = 0; k < which.length; k++) {
    const { starts, rodA, edgeA, weightA } = plans[which[k]];
    startFrame(frame, starts[rodA], edgeA, weightA);
    place.set(frame.point, 3 * k);
  }
  return place;
}

interface Box {
  readonly low: readonly number[];
  readonly extent: readonly number[];
}

function boxOf(place: Float64Array): Box {
  const low = [Infinity, Infinity, Infinity];
  const high = [-Infinity, -Infinity, -Infinity];
  for (let i = 0; i < place.length; i++) {
    low[i % 3] = Math.min(low[i % 3], place[i]);
    high[i % 3] = Math.max(high[i % 3], place[i]);
  }
  return { low, extent: high.map((x, k) => x - low[k]) };
}

/** Number of cells along each axis, none if everything lies within half of one. */
const cellsFor = (extent: readonly number[], width: number): number[] =>
  extent.map((x) => (x < 0.5 * width ? 0 : Math.max(1, Math.round(x / width))));

/** Cell of a link, by axis, and the link's position in it. */
function locate(cell: Int32Array, part: Float64Array, place: Float64Array, l: number, box: Box, cells: number[]): void {
  for (let k = 0; k < 3; k++) {
    const u = cells[k] === 0 ? 0 : ((place[3 * l + k] - box.low[k]) / box.extent[k]) * cells[k];
    cell[k] = Math.min(Math.max(0, Math.floor(u)), Math.max(0, cells[k] - 1));
    part[k] = Math.min(Math.max(0, u - cell[k]), 1);
  }
}

const cell = new Int32Array(3);
const part = new Float64Array(3);

/** Corners of cells that contain links, in ascending order of their numbers by `numberOf`. */
function findCorners(place: Float64Array, box: Box, cells: number[]): Int32Array {
  const found = new Uint8Array((cells[0] + 1) * (cells[1] + 1) * (cells[2] + 1));
  for (let l = 0; l < place.length / 3; l++) {
    locate(cell, part, place, l, box, cells);
    for (let c = 0; c < CORNERS; c++) found[numberOf(cells, c)] = 1;
  }
  const index = new Int32Array(found.length).fill(-1);
  let count = 0;
  for (let v = 0; v < found.length; v++) if (found[v]) index[v] = count++;
  return index;
}

/** Number of corner c of `cell`. */
function numberOf(cells: readonly number[], c: number): number {
  const x = Math.min(cell[0] + (c & 1), cells[0]);
  const y = Math.min(cell[1] + ((c >> 1) & 1), cells[1]);
  const z = Math.min(cell[2] + (c >> 2), cells[2]);
  return x + (cells[0] + 1) * (y + (cells[1] + 1) * z);
}

const countOf = (index: Int32Array): number => index.reduce((largest, v) => Math.max(largest, v), -1) + 1;

/** Finds the finest cells with at most `most` corners by bisection; returns the number of cells along the longest side. */
function chooseCells(place: Float64Array, box: Box, most: number): { cells: number[]; index: Int32Array } {
  const widest = Math.max(...box.extent);
  let chosen: { cells: number[]; index: Int32Array } = { cells: [0, 0, 0], index: new Int32Array(1) };
  for (let low = 1, high = most; low <= high; ) {
    const along = (low + high) >> 1;
    const cells = cellsFor(box.extent, widest / along);
    // empty cells cost memory during the search
    const few = (cells[0] + 1) * (cells[1] + 1) * (cells[2] + 1) <= 1e6;
    const index = few ? findCorners(place, box, cells) : undefined;
    if (index && countOf(index) <= most) {
      chosen = { cells, index };
      low = along + 1;
    } else high = along - 1;
  }
  return chosen;
}

/** Links of a set by their scene index, ascending; and for each of its sides, rod by rod, the index of its link among these. */
function listLinks({ rows, entryOfRod, plans }: Links, { crossings, others, rods }: LinkSet) {
  const which = new Int32Array(crossings.length + others.length);
  crossings.forEach((c, k) => {
    which[k] = rows.linkOf[c];
  });
  others.forEach(({ index }, k) => {
    which[crossings.length + k] = index;
  });
  which.sort();
  const placeOf = new Int32Array(plans.length);
  which.forEach((link, k) => {
    placeOf[link] = k;
  });
  const linkOfOther = new Map<number, number>();
  for (const { index, firstSide, sideCount } of others)
    for (let i = firstSide; i < firstSide + sideCount; i++) linkOfOther.set(i, index);
  const offset = new Int32Array(rods.length + 1);
  rods.forEach((r, j) => {
    offset[j + 1] = offset[j] + entryOfRod[r + 1] - entryOfRod[r];
  });
  const linkOf = new Int32Array(offset[rods.length]);
  rods.forEach((r, j) => {
    for (let i = offset[j], e = entryOfRod[r]; i < offset[j + 1]; i++, e++) {
      const code = rows.code[e];
      const link = code >= 0 ? rows.linkOf[code >> 2] : (linkOfOther.get(-1 - code) as number);
      linkOf[i] = placeOf[link];
    }
  });
  return { which, offset, linkOf };
}

/**
 * Rows for a set of links, in memory from `memory`. Undefined if cells with at most `most` corners would be a single one. Links to a fixed point
 * do not move with the others.
 */
export function makeCoarse(
  links: Links,
  set: LinkSet,
  most: number,
  memory: (bytes: number) => ArrayBufferLike,
): CoarseRows | undefined {
  const { which, offset, linkOf } = listLinks(links, set);
  const place = placesOf(links.plans, which);
  const box = boxOf(place);
  const { cells, index } = chooseCells(place, box, most);
  if (cells[0] + cells[1] + cells[2] === 0) return undefined;
  const rods = set.rods.length;
  /** Number of a link's cell, which is written to `cell`; −1 if the link does not move. */
  const find = (l: number): number => {
    if (links.plans[which[l]].rodB < 0) return -1;
    locate(cell, part, place, l, box, cells);
    return numberOf(cells, 0);
  };
  let runs = 0;
  for (let j = 0; j < rods; j++)
    for (let i = offset[j], before = NaN; i < offset[j + 1]; i++) {
      const now = find(linkOf[i]);
      if (now !== before) runs++;
      before = now;
    }
  const corners = countOf(index);
  const rows = cutCoarse(memory(coarseBytes(offset[rods], runs, rods, corners)), offset[rods], runs, rods, corners);
  rows.header.set([offset[rods], runs, rods, corners]);
  let r = 0;
  for (let j = 0; j < rods; j++) {
    rows.rodRun[j] = r;
    for (let i = offset[j], before = NaN; i < offset[j + 1]; i++) {
      const now = find(linkOf[i]);
      rows.fraction.set(part, 3 * i);
      if (now === before) continue;
      before = now;
      rows.runSide[r] = i;
      for (let c = 0; c < CORNERS; c++) rows.corner[CORNERS * r + c] = now < 0 ? -1 : index[numberOf(cells, c)];
      r++;
    }
  }
  rows.rodRun[rods] = r;
  rows.runSide[r] = offset[rods];
  return rows;
}
