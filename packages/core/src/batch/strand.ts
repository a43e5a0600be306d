/**
 * One strand of the reference: its constants, its state in double precision, and the functions by which sweeps.ts reads and writes
 * them. Every target has its own version of those functions; the WGSL one is generated from layout.ts.
 */
import type { Index, Matrix, Quaternion, Vector } from './algebra.ts';

export type { Index } from './algebra.ts';

import { type AirDrag, type Elimination, type Gain, zeroVector } from './formulas.ts';
import { DISPLACEMENT, PAIR_SLOTS } from './layout.ts';
import type { Contact, ContactForces, Distance, Obstacle } from './obstacles.ts';
import type { EdgeName, PairEdge, PairWeight, Partner } from './pairs.ts';
import type { Compliance, EdgePoint } from './points.ts';
import type { MergedContact, StrandAir, StrandPairs } from './strandParts.ts';

/** What the pin holds at the first node: position and frame, position alone, or nothing. */
export type RootKind = 'clamped' | 'pinned' | 'free';

/** An edge with its elimination in the last backward sweep. */
export interface EliminatedEdge extends Elimination {
  readonly edge: Vector;
}

/** Where the root is. */
export interface Root {
  kind: RootKind;
  /** Frame of the root at the end of the stage, and before it. The relative rotation of joint 0 refers to this frame. */
  frame: Quaternion;
  frameBefore: Quaternion;
  /** Displacement of a held root over the step, up to the end of the stage [m]. */
  displacement: Vector;
}

export interface Strand {
  readonly edgeCount: number;
  /** [m], one per edge */
  readonly edgeLength: Float64Array;
  /** [kg], [1/s], one per node */
  readonly nodeMass: Float64Array;
  readonly nodeDamping: Float64Array;
  /** Stiffness about d1, d2 and t [N m], natural rotation vector [rad], 3 per joint. */
  readonly jointStiffness: Float64Array;
  readonly jointStrainRest: Float64Array;
  /** Stiffness damping [s], one per joint. */
  readonly jointDamping: Float64Array;
  /** Added to the matrix of joint 0 where it has no stiffness [N m]: lets a straight strand that may spin be solved; no force comes from it. */
  readonly rootSoftness: number;
  readonly viscous: boolean;
  /** By slot of layout.ts, 3 per node. */
  readonly slots: readonly Float64Array[];
  readonly gains: Gain[];
  readonly root: Root;
  /** Loads at the current iterate, as in port.ts. */
  readonly nodeForce: Float64Array;
  readonly edgeTorque: Float64Array;
  readonly nodeDrag: Float64Array;
  /** Air that the sweeps evaluate themselves; absent if there is none. */
  readonly air: StrandAir | undefined;
  /** True if Newton uses the exact Hessian of joints; Gauss–Newton else. */
  exact: boolean;
  /** For each edge, the points at which contact forces act; empty without contact. */
  points: readonly (readonly EdgePoint[])[];
  /** If set, the backward sweep stores its factors here, for `response.ts`. */
  eliminated: EliminatedEdge[] | undefined;
  /** Merged contact with obstacles; absent if contact/ solves contact. */
  merged: MergedContact | undefined;
}

function readVector(from: Float64Array, i: Index): Vector {
  return [from[3 * i], from[3 * i + 1], from[3 * i + 2]];
}

export function edgeCountOf(s: Strand): Index {
  return s.edgeCount;
}

export function readState(s: Strand, i: Index, slot: Index): Vector {
  return readVector(s.slots[slot], i);
}

export function writeState(s: Strand, i: Index, slot: Index, value: Vector): void {
  const to = s.slots[slot];
  to[3 * i] = value[0];
  to[3 * i + 1] = value[1];
  to[3 * i + 2] = value[2];
}

/** `length`: of the edge, for targets that store gains in a scaled form. */
export function readGain(s: Strand, j: Index, _length: number): Gain {
  return s.gains[j];
}

export function writeGain(s: Strand, j: Index, gain: Gain, _length: number): void {
  s.gains[j] = gain;
}

export function usesExactHessian(s: Strand): boolean {
  return s.exact;
}

export function pointCountOf(s: Strand, j: Index): Index {
  return s.merged ? contactCountOf(s) : j < s.points.length ? s.points[j].length : 0;
}

/** True if a force or stiffness acts at the point. */
export function isPushed(s: Strand, j: Index, c: Index): boolean {
  return s.merged?.contacts[j][c].active !== 0;
}

export function pointOf(s: Strand, j: Index, c: Index): EdgePoint {
  if (!s.merged) return s.points[j][c];
  const { part, push, normal, stiffness, tangentStiffness } = s.merged.contacts[j][c];
  return { part, arm: zeroVector(), force: push, normal, stiffness, tangentStiffness };
}

/** Number of points of edge j in Newton's matrix. The GPU combines all points of an edge into three. */
export function loadCountOf(s: Strand, j: Index): Index {
  return pointCountOf(s, j);
}

export function isLoaded(s: Strand, j: Index, c: Index): boolean {
  return isPushed(s, j, c);
}

export function loadOf(s: Strand, j: Index, c: Index): EdgePoint {
  return pointOf(s, j, c);
}

const noContact: MergedContact = {
  obstacles: [],
  fields: new Float32Array(0),
  contacts: [],
  radius: [],
  spared: [],
  origin: [0, 0, 0],
};
const mergedOf = ({ merged }: Strand): MergedContact => merged ?? noContact;

export function obstacleCountOf(s: Strand): Index {
  return mergedOf(s).obstacles.length;
}

export function obstacleOf(s: Strand, k: Index): Obstacle {
  return mergedOf(s).obstacles[k];
}

/** Row of the distance field whose first one is `start`. `row` is a whole number; targets with lanes have one per lane. */
export function readField(s: Strand, start: Index, row: number): Distance {
  const { fields } = mergedOf(s);
  const o = 4 * (start + row);
  return { value: fields[o], normal: [fields[o + 1], fields[o + 2], fields[o + 3]] };
}

/** Largest number of contacts of an edge. */
function contactCountOf(s: Strand): Index {
  if (hasPairs(s)) return firstPairOf(s) + PAIR_SLOTS;
  return (s.root.kind === 'free' ? 3 : 2) * mergedOf(s).obstacles.length;
}

/** True if the strand may touch strands. */
export function hasPairs(s: Strand): boolean {
  return s.merged?.pairs !== undefined;
}

/** Keeps the compliance of node j + 1 for steps without a search, which only real time has. */
export function keepCompliance(_s: Strand, _j: Index, _of: Compliance): void {}

/** True if contact between strands has a fixed cost per step (docs/notes/batch-engine.md, "Real time"); the reference always converges. */
export function isRealTime(_s: Strand): boolean {
  return false;
}

/** Index of the first of an edge's contacts with strands. */
export function firstPairOf(s: Strand): Index {
  return 3 * mergedOf(s).obstacles.length;
}

function pairsOf(s: Strand): StrandPairs {
  const { pairs } = mergedOf(s);
  if (!pairs) throw new Error('the strand does not meet strands');
  return pairs;
}

/** Pairs of any strand. */
function pairsAt(s: Strand, strand: Index): StrandPairs {
  return pairsOf(pairsOf(s).all[strand]);
}

export function strandIndexOf(s: Strand): Index {
  return pairsOf(s).index;
}

export function pairFrictionOf(s: Strand): number {
  return pairsOf(s).friction;
}

export function candidateCountOf(s: Strand, j: Index): Index {
  return pairsOf(s).candidates[j].length;
}

export function candidateOf(s: Strand, j: Index, n: Index): EdgeName {
  return pairsOf(s).candidates[j][n];
}

/** An edge of any strand over the step. `isSolved`: with the displacements of the current iterate; otherwise the predicted ones. */
export function pairEdgeOf(s: Strand, strand: Index, edge: Index, isSolved: boolean): PairEdge {
  const { radius, positions, predicted } = pairsAt(s, strand);
  const other = pairsOf(s).all[strand];
  const moved = isSolved ? other.slots[DISPLACEMENT] : predicted;
  return {
    first: readVector(positions, edge),
    second: readVector(positions, edge + 1),
    wayOfFirst: readVector(moved, edge),
    wayOfSecond: readVector(moved, edge + 1),
    next: readVector(positions, Math.min(edge + 2, other.edgeCount)),
    radius: radius[edge],
    isContinuedBefore: edge > 0,
    isContinuedBehind: edge + 1 < other.edgeCount,
    isRoot: edge === 0 && other.root.kind !== 'free',
  };
}

/** Stores the position of node i at the start of the step, and its predicted displacement over it [m]. */
export function writePlace(s: Strand, i: Index, position: Vector, way: Vector): void {
  const { positions, predicted } = pairsOf(s);
  positions.set(position, 3 * i);
  predicted.set(way, 3 * i);
}

/** Displacement of a node of any strand [m]. */
export function displacementOf(s: Strand, strand: Index, node: Index): Vector {
  return readVector(pairsOf(s).all[strand].slots[DISPLACEMENT], node);
}

/** Slot k of an edge of any strand. */
export function partnerOf(s: Strand, strand: Index, edge: Index, k: Index): Partner {
  return pairsAt(s, strand).partners[edge][k];
}

export function writePartner(s: Strand, j: Index, c: Index, partner: Partner): void {
  pairsOf(s).partners[j][c - firstPairOf(s)] = partner;
}

export function clearPartner(s: Strand, j: Index, k: Index): void {
  pairsOf(s).partners[j][k] = { strand: 0, edge: 0, part: 0, isSet: 0 };
}

export function readWeight(s: Strand, strand: Index, edge: Index, k: Index): PairWeight {
  return pairsAt(s, strand).weights[edge][k];
}

/** `crowd`: contacts at the more crowded node of the edge. */
export function writeWeight(s: Strand, j: Index, k: Index, compliance: number, crowd: number): void {
  const list = pairsOf(s).weights[j];
  list[k] = { ...list[k], compliance: crowd * compliance };
}

export function writeSide(s: Strand, j: Index, k: Index, side: Index): void {
  const list = pairsOf(s).weights[j];
  list[k] = { ...list[k], side };
}

export function radiusOf(s: Strand, j: Index): number {
  return mergedOf(s).radius[j];
}

/** Number of edges, counted from the root, that do not touch obstacle k, such as hair roots below the skin. */
export function sparedEdgesOf(s: Strand, k: Index): Index {
  return mergedOf(s).spared[k];
}

export function rootPositionOf(s: Strand): Vector {
  return mergedOf(s).origin;
}

export function readContact(s: Strand, j: Index, c: Index): Contact {
  return mergedOf(s).contacts[j][c];
}

export function writeContact(s: Strand, j: Index, c: Index, contact: Contact): void {
  mergedOf(s).contacts[j][c] = contact;
}

/** Removes a contact. */
export function clearContact(s: Strand, j: Index, c: Index): void {
  const list = mergedOf(s).contacts[j];
  if (list[c].active !== 0) list[c] = { ...list[c], active: 0 };
}

export function writeStiffness(s: Strand, j: Index, c: Index, stiffness: number): void {
  const list = mergedOf(s).contacts[j];
  list[c] = { ...list[c], stiffness };
}

export function writeForces(s: Strand, j: Index, c: Index, forces: ContactForces): void {
  const list = mergedOf(s).contacts[j];
  list[c] = { ...list[c], ...forces };
}

/** Inverse of the block of joint j that the last backward sweep eliminated. */
export function inverseOf(s: Strand, j: Index): Matrix {
  return (s.eliminated as EliminatedEdge[])[j].inverse;
}

export function keepElimination(s: Strand, j: Index, step: Elimination, edge: Vector): void {
  if (s.eliminated) s.eliminated[j] = { ...step, edge };
}

export function lengthOf(s: Strand, j: Index): number {
  return s.edgeLength[j];
}

export function massOf(s: Strand, i: Index): number {
  return s.nodeMass[i];
}

export function massDampingOf(s: Strand, i: Index): number {
  return s.nodeDamping[i];
}

const noStiffness: Vector = [0, 0, 0];

export function stiffnessOf(s: Strand, j: Index): Vector {
  return j === 0 && s.root.kind !== 'clamped' ? noStiffness : readVector(s.jointStiffness, j);
}

export function restStrainOf(s: Strand, j: Index): Vector {
  return readVector(s.jointStrainRest, j);
}

export function viscosityOf(s: Strand, j: Index): number {
  return s.jointDamping[j];
}

export function softnessOf(s: Strand, j: Index): number {
  return j === 0 && s.root.kind !== 'clamped' ? s.rootSoftness : 0;
}

export function isViscous(s: Strand): boolean {
  return s.viscous;
}

export function nodeForceOf(s: Strand, i: Index): Vector {
  return readVector(s.nodeForce, i);
}

export function edgeTorqueOf(s: Strand, j: Index): Vector {
  return readVector(s.edgeTorque, j);
}

/** True if the sweeps add the drag of air. */
export function hasAir(s: Strand): boolean {
  return s.air !== undefined && s.air.factor !== 0;
}

export function windOf(s: Strand): Vector {
  return (s.air as StrandAir).wind;
}

export function airOf(s: Strand, j: Index): AirDrag {
  const { coefficients: c, factor } = s.air as StrandAir;
  const o = 4 * j;
  return {
    normal: factor * c[o],
    tangential: factor * c[o + 1],
    normalBySpeed: factor * c[o + 2],
    tangentialBySpeed: factor * c[o + 3],
  };
}

export function nodeDragOf(s: Strand, i: Index): Matrix {
  const d = s.nodeDrag;
  const o = 6 * i;
  return [d[o], d[o + 1], d[o + 2], d[o + 1], d[o + 3], d[o + 4], d[o + 2], d[o + 4], d[o + 5]];
}

export function hasFreeRoot(s: Strand): boolean {
  return s.root.kind === 'free';
}

export function frameOfRoot(s: Strand): Quaternion {
  return s.root.frame;
}

export function frameOfRootBefore(s: Strand): Quaternion {
  return s.root.frameBefore;
}

export function rootDisplacementOf(s: Strand): Vector {
  return s.root.displacement;
}
