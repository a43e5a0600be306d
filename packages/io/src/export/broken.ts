/**
 * Rods that broke, as curves: for pictures and files, whose curves have no gaps.
 *
 * A rod with k broken edges becomes k + 1 curves, in all frames alike, so that no file needs curves that change their number of points. Each broken edge is
 * halved. Before the break the two halves meet in its middle; after it they continue the edge beside them.
 */
import { isBroken } from '@tendril-sim/core';
import { hypot } from '@tendril-sim/core/math';
import type { RecordedRod, RodFrame } from '../recording.ts';
import type { Footage } from './footage.ts';

/** Nodes `first` to `last` of a rod, counted round beyond the last node, with half of a broken edge at either end or not. */
interface Piece {
  /** Index of the rod in the recording. */
  readonly rod: number;
  readonly first: number;
  readonly last: number;
  readonly startsBroken: boolean;
  readonly endsBroken: boolean;
  /** The rod as it is, a ring perhaps. */
  readonly isWhole: boolean;
}

/** A recording with its broken rods in pieces. */
export interface Cut {
  /** The recording, with pieces in place of broken rods. */
  readonly footage: Footage;
  /** The place of a node of the recording in the footage. */
  find(rod: number, node: number): { readonly rod: number; readonly node: number };
}

/** Cuts the rods that are broken in the last frame; the recording itself if there are none. */
export function cutBroken(source: Footage): Cut {
  const { header, frameCount } = source;
  const uncut: Cut = { footage: source, find: (rod, node) => ({ rod, node }) };
  if (frameCount === 0 || !header.scene.rods.some((rod) => rod.break)) return uncut;
  const last = source.frame(frameCount - 1);
  const pieces = header.rods.flatMap((rod, r) => listPieces(rod, r, last.rods[r]));
  if (pieces.length === header.rods.length && pieces.every(({ isWhole }) => isWhole)) return uncut;
  const taken = new Set(header.rods.map(({ id }) => id));
  const rods = pieces.map((piece): RecordedRod => {
    const rod = header.rods[piece.rod];
    return piece.isWhole ? rod : describePiece(rod, piece, nameOf(rod.id, piece, taken));
  });
  return {
    footage: {
      ...source,
      header: { ...header, rods },
      frameCount,
      frame(k) {
        const frame = source.frame(k);
        const place = (piece: Piece): RodFrame => {
          const one = frame.rods[piece.rod];
          return piece.isWhole ? one : placePiece(header.rods[piece.rod], piece, one);
        };
        return { ...frame, rods: pieces.map(place) };
      },
    },
    find(rod, node) {
      const { nodeCount } = header.rods[rod];
      const turnOf = (piece: Piece): number => (node < piece.first ? node + nodeCount : node);
      const k = pieces.findIndex(
        (piece) => piece.rod === rod && turnOf(piece) >= piece.first && turnOf(piece) <= piece.last,
      );
      const piece = pieces[k];
      return { rod: k, node: turnOf(piece) - piece.first + (piece.startsBroken ? 1 : 0) };
    },
  };
}

function listPieces({ edgeCount, nodeCount, closed }: RecordedRod, rod: number, frame: RodFrame): Piece[] {
  const cuts = Array.from({ length: edgeCount }, (_, j) => j).filter((j) => isBroken(frame, j));
  const end = nodeCount - 1;
  if (cuts.length === 0) return [{ rod, first: 0, last: end, startsBroken: false, endsBroken: false, isWhole: true }];
  const piece = (from: number | undefined, to: number | undefined, last: number): Piece => ({
    rod,
    first: from === undefined ? 0 : from + 1,
    last,
    startsBroken: from !== undefined,
    endsBroken: to !== undefined,
    isWhole: false,
  });
  // round a ring, the last piece goes on to the first cut
  if (closed)
    return cuts.map((cut, k) => {
      const to = k + 1 < cuts.length ? cuts[k + 1] : cuts[0] + edgeCount;
      return piece(cut, to, to);
    });
  return [undefined, ...cuts].map((from, k) => piece(from, cuts[k], cuts[k] ?? end));
}

/** The first piece keeps the name of the rod. */
function nameOf(id: string, { first, startsBroken, endsBroken }: Piece, taken: Set<string>): string {
  if (!startsBroken || (first === 0 && endsBroken)) return id;
  let k = 2;
  while (taken.has(`${id}-${k}`)) k++;
  taken.add(`${id}-${k}`);
  return `${id}-${k}`;
}

/** For each edge of a piece, that of the rod; halves of broken edges are those beside the first and after the last node. */
function edgesOf({ edgeCount }: RecordedRod, { first, last, startsBroken, endsBroken }: Piece): number[] {
  const from = startsBroken ? first - 1 : first;
  const to = endsBroken ? last : last - 1;
  return Array.from({ length: to - from + 1 }, (_, j) => (from + j + edgeCount) % edgeCount);
}

function describePiece(rod: RecordedRod, piece: Piece, id: string): RecordedRod {
  const edges = edgesOf(rod, piece);
  const isHalf = (j: number): boolean =>
    (piece.startsBroken && j === 0) || (piece.endsBroken && j === edges.length - 1);
  const pick = (values: readonly number[]): number[] => edges.map((edge) => values[edge]);
  const { section } = rod;
  return {
    ...rod,
    id,
    origin: rod.id,
    closed: false,
    nodeCount: edges.length + 1,
    edgeCount: edges.length,
    edgeLengthRest: edges.map((edge, j) => (isHalf(j) ? 0.5 : 1) * rod.edgeLengthRest[edge]),
    edgeRadius: pick(rod.edgeRadius),
    ...(section && {
      section: {
        ...section,
        edgeHalfWidth: pick(section.edgeHalfWidth),
        edgeHalfHeight: pick(section.edgeHalfHeight),
      },
    }),
  };
}

function placePiece(rod: RecordedRod, piece: Piece, frame: RodFrame): RodFrame {
  const { nodeCount } = rod;
  const { first, last, startsBroken, endsBroken } = piece;
  const edges = edgesOf(rod, piece);
  const nodes = Array.from({ length: last - first + 1 }, (_, i) => (first + i) % nodeCount);
  const own = nodes.flatMap((i) => [...frame.nodePosition.subarray(3 * i, 3 * i + 3)]);
  const positions = [
    ...(startsBroken ? tipOf(rod, frame, { edge: edges[0], node: nodes[0], beside: nodes[1] }) : []),
    ...own,
    ...(endsBroken
      ? tipOf(rod, frame, {
          edge: edges[edges.length - 1],
          node: nodes[nodes.length - 1],
          beside: nodes[nodes.length - 2],
        })
      : []),
  ];
  const directors = edges.map((edge, j) => {
    const beside = startsBroken && j === 0 ? edges[1] : edges[j - 1];
    const from = isBroken(frame, edge) && beside !== undefined ? beside : edge;
    return frame.edgeDirector.subarray(3 * from, 3 * from + 3);
  });
  const channels = Object.entries(frame.channels ?? {}).map(([name, values]) => {
    const onNodes = [...(startsBroken ? [nodes[0]] : []), ...nodes, ...(endsBroken ? [nodes[nodes.length - 1]] : [])];
    return [name, Float64Array.from(values.length === nodeCount ? onNodes : edges, (k) => values[k])] as const;
  });
  return {
    nodePosition: Float64Array.from(positions),
    edgeDirector: Float64Array.from(directors.flatMap((one) => [...one])),
    ...(frame.channels && { channels: Object.fromEntries(channels) }),
  };
}

/** The free end of half an edge: its middle, or, once it is broken, half its length beyond the node, straight on. */
function tipOf(
  { nodeCount, edgeLengthRest }: RecordedRod,
  frame: RodFrame,
  { edge, node, beside }: { readonly edge: number; readonly node: number; readonly beside: number | undefined },
): number[] {
  const { nodePosition: x } = frame;
  const at = (i: number): number[] => [x[3 * i], x[3 * i + 1], x[3 * i + 2]];
  const here = at(node);
  const other = at(node === edge ? (edge + 1) % nodeCount : edge);
  if (!isBroken(frame, edge)) return here.map((value, k) => 0.5 * (value + other[k]));
  const way =
    beside === undefined ? other.map((value, k) => value - here[k]) : here.map((value, k) => value - at(beside)[k]);
  const length = hypot(way[0], way[1], way[2]);
  const share = length > 0 ? (0.5 * edgeLengthRest[edge]) / length : 0;
  return here.map((value, k) => value + share * way[k]);
}
