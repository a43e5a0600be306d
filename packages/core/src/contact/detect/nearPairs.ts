/**
 * Broad phase between rods: the list of pairs of edges that may be near each other, and when to rebuild it.
 *
 * Every edge has a box at the start and one at the end of a path (sweptTree.ts), with some slack. The list has every pair whose boxes overlap on
 * the way. While all edges stay within their boxes, pairs outside the list cannot be near. Each query first checks every edge. If few have left
 * their boxes, these get new ones and are looked up one by one; if many have, the tree is refitted and searched. Contacts and their order do not
 * depend on how the list was built.
 *
 * Boxes are built at the start of a step, from an edge's position to its predicted position, enlarged by the prediction error of the previous step.
 * The list is then complete for the continuous check after the step, and objects at rest keep it for many steps.
 * Measurements: docs/notes/contact-solver.md.
 */

import { createIntList, push } from '../shapes/boxTree.ts';
import type { Finder, NearPairs } from './finderData.ts';
import {
  createPathTree,
  findPathOverlaps,
  findPathPairs,
  holdsSegment,
  orderPathTree,
  refitPathTree,
  widenPathBox,
  writePathBox,
} from './sweptTree.ts';

/** Slack of the boxes, in radii. */
const SLACK = 0.3;

/** Largest fraction of the edges that is looked up one by one. */
const FEW = 1 / 8;
const FEWEST = 8;

export function createNearPairs(edgeCount: number, nodeCount: number): NearPairs {
  return {
    tree: createPathTree(edgeCount),
    list: createIntList(),
    searched: 0,
    searches: 0,
    lookUps: 0,
    predicted: new Float64Array(3 * nodeCount),
    predictionError: new Float32Array(3 * nodeCount),
    escaped: createIntList(),
    hasEscaped: new Uint8Array(edgeCount),
    found: createIntList(),
  };
}

/** Two edges may touch within a step if their axes come nearer than the sum of their reaches [m]: surface, fall by gravity, range of fields. */
export function reachOf({ pairRadius, acceleration, rules }: Finder, e: number, dt: number): number {
  return 1.05 * pairRadius[e] + 0.5 * acceleration * dt * dt + rules.reach;
}

/** Makes sure that the list has all pairs of edges that come within their reaches during the step, at the velocities of its start. */
export function coverStep(finder: Finder, dt: number): void {
  const { near, rods, rodRole, nodeOffset, position: x, velocity: v } = finder;
  for (let r = 0; r < rods.length; r++) {
    if (rodRole[r] === 0) continue;
    for (let k = 3 * nodeOffset[r]; k < 3 * nodeOffset[r + 1]; k++) near.predicted[k] = x[k] + dt * v[k];
  }
  cover(finder, near.predicted, dt);
}

/** Makes sure that the list has all pairs that come within the sum of their radii on the way from finder.position to `end`. */
export function coverPaths(finder: Finder, end: Float64Array): void {
  const { near, rods, rodRole, nodeOffset } = finder;
  for (let r = 0; r < rods.length; r++) {
    if (rodRole[r] === 0) continue;
    for (let k = 3 * nodeOffset[r]; k < 3 * nodeOffset[r + 1]; k++)
      near.predictionError[k] = end[k] - near.predicted[k];
  }
  cover(finder, end, 0);
}

/** `dt`: length of the step; 0 if `end` is not a prediction. */
function cover(finder: Finder, end: Float64Array, dt: number): void {
  const { near, rods, edgeOffset, rodRole } = finder;
  near.escaped.length = 0;
  let looked = 0;
  if (near.tree.nodeCount > 0)
    for (let r = 0; r < rods.length; r++) {
      if (rodRole[r] === 0) continue;
      looked += rods[r].edgeCount;
      for (let e = edgeOffset[r]; e < edgeOffset[r + 1]; e++) if (!isCovered(finder, e, end, dt)) push(near.escaped, e);
      if (near.escaped.length > FEW * finder.edgeCount + FEWEST) break;
    }
  if (
    near.tree.nodeCount === 0 ||
    near.escaped.length > FEW * looked + FEWEST ||
    near.list.length > 2 * near.searched + 4096
  )
    searchAll(finder, end, dt);
  else if (near.escaped.length > 0) lookUp(finder, end, dt);
}

function isCovered(finder: Finder, e: number, end: Float64Array, dt: number): boolean {
  const { near, edgeFirst, edgeSecond, position: x, pairRadius } = finder;
  const { tree } = near;
  const place = tree.placeOf[e];
  const a = 3 * edgeFirst[e];
  const b = 3 * edgeSecond[e];
  const radius = dt > 0 ? reachOf(finder, e, dt) : pairRadius[e];
  return holdsSegment(tree, place, 0, x, a, b, radius) && holdsSegment(tree, place, 6, end, a, b, radius);
}

function writeBoxes(finder: Finder, e: number, end: Float64Array, dt: number): void {
  const { near, edgeFirst, edgeSecond, position: x, pairRadius } = finder;
  const { tree, predictionError } = near;
  const place = tree.placeOf[e];
  const a = 3 * edgeFirst[e];
  const b = 3 * edgeSecond[e];
  const r = (1 + SLACK) * pairRadius[e];
  const reach = dt > 0 ? reachOf(finder, e, dt) + SLACK * pairRadius[e] : r;
  writePathBox(tree, place, 0, x, a, b, reach);
  writePathBox(tree, place, 6, end, a, b, reach);
  if (dt > 0) widenPathBox(tree, place, 6, end, predictionError, a, b, r);
}

function searchAll(finder: Finder, end: Float64Array, dt: number): void {
  const { near, edgeCount, edgeRod } = finder;
  const { tree, list, found } = near;
  const writeAll = (): void => {
    for (let e = 0; e < edgeCount; e++) writeBoxes(finder, e, end, dt);
  };
  writeAll();
  if (tree.nodeCount > 0) refitPathTree(tree);
  if (tree.nodeCount === 0 || tree.surface > 1.5 * tree.builtSurface) {
    orderPathTree(tree);
    writeAll();
    refitPathTree(tree);
    tree.builtSurface = tree.surface;
  }
  found.length = 0;
  findPathPairs(found, tree, edgeRod);
  list.length = 0;
  for (let k = 0; k < found.length; k += 2) addPair(finder, found.data[k], found.data[k + 1]);
  near.searched = list.length;
  near.searches++;
}

/** New boxes for the edges that have left theirs, and lookup of their neighbours. */
function lookUp(finder: Finder, end: Float64Array, dt: number): void {
  const { near, edgeRod } = finder;
  const { tree, escaped, hasEscaped, found } = near;
  for (let k = 0; k < escaped.length; k++) {
    writeBoxes(finder, escaped.data[k], end, dt);
    hasEscaped[escaped.data[k]] = 1;
  }
  refitPathTree(tree);
  for (let k = 0; k < escaped.length; k++) {
    const e = escaped.data[k];
    found.length = 0;
    findPathOverlaps(found, tree, edgeRod, tree.placeOf[e]);
    // if both have left their boxes, the first reports the pair
    for (let m = 0; m < found.length; m++)
      if (!hasEscaped[found.data[m]] || e < found.data[m]) addPair(finder, e, found.data[m]);
  }
  for (let k = 0; k < escaped.length; k++) hasEscaped[escaped.data[k]] = 0;
  near.lookUps++;
}

function addPair(finder: Finder, one: number, other: number): void {
  const first = one < other ? one : other;
  const second = one < other ? other : one;
  if (!mayTouch(finder, first, second)) return;
  push(finder.near.list, first);
  push(finder.near.list, second);
}

/** Rest length of a rod, which may change in time. */
function lengthOf({ rods, edgeOffset, edgeArc, edgeLength }: Finder, rod: number): number {
  if (!rods[rod].animation) return rods[rod].length;
  const last = edgeOffset[rod + 1] - 1;
  return edgeArc[last] + 0.5 * edgeLength[last];
}

/** True if two edges can be in contact at all: on two rods, or far enough from each other on one. */
export function mayTouch(finder: Finder, first: number, second: number): boolean {
  const { edgeRod, edgeArc, edgeLength, pairRadius, rods, rules, edgeBody, joined } = finder;
  if (joined.size > 0 && joined.has(first * finder.edgeCount + second)) return false;
  const rod = edgeRod[first];
  if (rod !== edgeRod[second]) return edgeBody[first] < 0 || edgeBody[first] !== edgeBody[second];
  if (!rules.self) return false;
  // a rod bent as tightly as possible touches itself after half a turn, π radii along its axis
  let arc = Math.abs(edgeArc[first] - edgeArc[second]);
  if (rods[rod].closed) arc = Math.min(arc, lengthOf(finder, rod) - arc);
  const radius = Math.max(pairRadius[first], pairRadius[second]);
  return arc > Math.PI * radius + 0.5 * (edgeLength[first] + edgeLength[second]) * 1.001;
}

/** True if contacts of two rods are searched: at least one is SEARCHED, and neither is IGNORED. */
export const isPairSearched = ({ rodRole }: Finder, rod: number, other: number): boolean =>
  rodRole[rod] * rodRole[other] >= 2;

/** True if contacts of two edges are searched: those of their rods are, and both edges are whole. */
export const areEdgesSearched = (finder: Finder, first: number, second: number): boolean =>
  finder.edgeBroken[first] + finder.edgeBroken[second] === 0 &&
  isPairSearched(finder, finder.edgeRod[first], finder.edgeRod[second]);
