/**
 * Links as potentials in the coordinates of edges (two nodes and a twist): gradients and second derivatives, for equilibria, modes and matrices.
 *
 * For a link with force f and strains e, e' = B q', the gradient is Bᵀf and the matrix k BᵀB + ∂(Bᵀf)/∂q with f constant. The second part is the
 * geometric stiffness. It occurs if cross-sections carry an offset or angles are held, vanishes with the force, and is computed by central
 * differences over the at most fourteen coordinates of the two edges. For three rotations only the gradient of the sum of squared strains is exact:
 * their whole matrix comes from differences of Bᵀkφ.
 */
import { cos, hypot, sin } from '../../math/rounded/index.ts';
import { transport3 } from '../../math/vec3.ts';
import type { Samples } from '../../port.ts';
import type { Rod } from '../../scene/compiled.ts';
import { createFrame, type EdgeFrame, poseFrame } from './frames.ts';
import type { Link, Links } from './linkData.ts';
import { stiffnessOf } from './links.ts';
import { measureLink, measureOne } from './strain.ts';

/** Relative displacement of a coordinate for a finite difference. */
const DIFFERENCE = 1e-5;
/** Strains below this [rad, or relative to the edge's length] have a negligible geometric stiffness. */
const SLACK = 1e-9;

export interface LinkBlock {
  readonly link: Link;
  /** Coordinates: for each end its two nodes and, if sides turn with the cross-section, the twist of the edge. */
  readonly size: number;
  readonly perEnd: number;
  /** Rod of the scene, and node of each coordinate; of a twist, its edge. */
  readonly rod: Int32Array;
  readonly node: Int32Array;
  /** B, row by row. */
  readonly rate: Float64Array;
  /** Force of the spring; differs from k·strain on the way to an equilibrium [N], [N m]. */
  readonly force: Float64Array;
  /** Bᵀ force. */
  readonly gradient: Float64Array;
  /** Row by row, symmetric. */
  readonly matrix: Float64Array;
}

export function createLinkBlock(link: Link, rods: readonly Rod[]): LinkBlock {
  const { rodA, rodB, edgeA, edgeB } = link.plan;
  const perEnd = link.perEnd === 3 ? 7 : 6;
  const size = rodB >= 0 ? 2 * perEnd : perEnd;
  const rod = new Int32Array(size);
  const node = new Int32Array(size);
  for (let i = 0; i < size; i++) {
    const [r, edge] = i < perEnd ? [rodA, edgeA] : [rodB, edgeB];
    const k = i % perEnd;
    rod[i] = r;
    node[i] = k >= 3 && k < 6 ? (edge + 1) % rods[r].nodeCount : edge;
  }
  return {
    link,
    size,
    perEnd,
    rod,
    node,
    rate: new Float64Array(link.rows * size),
    force: new Float64Array(link.rows),
    gradient: new Float64Array(size),
    matrix: new Float64Array(size * size),
  };
}

/** True if coordinate i of a block is the twist of an edge. */
export function isTwist({ perEnd }: LinkBlock, i: number): boolean {
  return perEnd === 7 && i % 7 === 6;
}

/** B of a link as of its last measurement. */
function writeRate(out: Float64Array, { link, size, perEnd }: LinkBlock, { sideArm }: Links): void {
  const { rows, sideCount, firstSide, coefficient: c, plan } = link;
  out.fill(0);
  for (let r = 0; r < rows; r++) {
    for (let i = 0; i < sideCount; i++) {
      const base = r * size + (i < link.perEnd ? 0 : perEnd);
      const place = i < link.perEnd ? plan.weightA : plan.weightB;
      const weight = link.perEnd === 1 ? place : i % link.perEnd === 1 ? 1 : 0;
      for (let k = 0; k < 3; k++) {
        const value = c[3 * (r * sideCount + i) + k];
        out[base + k] += (1 - weight) * value;
        out[base + 3 + k] += weight * value;
        if (perEnd === 7) out[base + 6] += value * sideArm[3 * (firstSide + i) + k];
      }
    }
  }
}

function addTransposed(out: Float64Array, rate: Float64Array, size: number, force: ArrayLike<number>): void {
  for (let r = 0; r < force.length; r++) for (let i = 0; i < size; i++) out[i] += rate[r * size + i] * force[r];
}

/** True if a row's force follows its strain directly, as for three rotations. */
export function isDirect({ plan }: Link, row: number): boolean {
  return row >= 3 && plan.about === 'all';
}

/** Strains, B and the gradient at the current positions. */
export function measureBlock(block: LinkBlock, links: Links, rods: readonly Rod[], samples: readonly Samples[]): void {
  const { link, rate, force, gradient, size } = block;
  measureOne(links, link, rods, samples);
  writeRate(rate, block, links);
  for (let r = 0; r < link.rows; r++) if (isDirect(link, r)) force[r] = stiffnessOf(link, r) * link.strain[r];
  gradient.fill(0);
  addTransposed(gradient, rate, size, force);
}

/** An edge by its ends and a director. */
interface EdgePose {
  readonly from: [number, number, number];
  readonly to: [number, number, number];
  readonly director: [number, number, number];
}
const createPose = (): EdgePose => ({ from: [0, 0, 0], to: [0, 0, 0], director: [0, 0, 0] });
const base = [createPose(), createPose()];
const moved = [createPose(), createPose()];
const frames: readonly EdgeFrame[] = [createFrame(), createFrame()];
const [before, after, director] = [new Float64Array(3), new Float64Array(3), new Float64Array(3)];

function readPose(
  { from, to, director: d }: EdgePose,
  { nodePosition: x, edgeDirector }: Samples,
  rod: Rod,
  edge: number,
): void {
  for (let k = 0; k < 3; k++) {
    from[k] = x[3 * edge + k];
    to[k] = x[3 * ((edge + 1) % rod.nodeCount) + k];
    d[k] = edgeDirector[3 * edge + k];
  }
}

function writeTangent(out: Float64Array, { from, to }: EdgePose): number {
  const length = hypot(to[0] - from[0], to[1] - from[1], to[2] - from[2]);
  for (let k = 0; k < 3; k++) out[k] = (to[k] - from[k]) / length;
  return length;
}

/** An edge with its coordinate k displaced by `by`: directors are transported, which keeps the twist. */
function movePose(out: EdgePose, start: EdgePose, k: number, by: number): void {
  for (let m = 0; m < 3; m++) {
    out.from[m] = start.from[m];
    out.to[m] = start.to[m];
    out.director[m] = start.director[m];
  }
  writeTangent(before, start);
  if (k === 6) {
    const [x, y, z] = start.director;
    const across = [before[1] * z - before[2] * y, before[2] * x - before[0] * z, before[0] * y - before[1] * x];
    for (let m = 0; m < 3; m++) out.director[m] = cos(by) * start.director[m] + sin(by) * across[m];
    return;
  }
  if (k < 3) out.from[k] += by;
  else if (k < 6) out.to[k - 3] += by;
  writeTangent(after, out);
  transport3(director, 0, start.director, 0, before, 0, after, 0);
  for (let m = 0; m < 3; m++) out.director[m] = director[m];
}

const [ahead, behind] = [new Float64Array(14), new Float64Array(14)];
const shifted = new Float64Array(6 * 14);
const held = new Float64Array(6);

/** The block's matrix at the current positions and force; the stiffness of the springs is limited to `cap(row)`. */
export function writeBlockMatrix(
  block: LinkBlock,
  links: Links,
  rods: readonly Rod[],
  samples: readonly Samples[],
  cap: (row: number) => number,
): void {
  const { link, size, perEnd, rate, matrix, force } = block;
  const { plan, rows, strain } = link;
  const { rodA, rodB, edgeA, edgeB, weightA, weightB } = plan;
  matrix.fill(0);
  const extent = rods[rodA].edgeLengthRest[edgeA];
  let turns = false;
  for (let r = 0; r < rows; r++) {
    const stiffness = Math.min(stiffnessOf(link, r), cap(r));
    const slack = Math.abs(strain[r]) < SLACK * (r < 3 ? extent : 1) && force[r] === stiffnessOf(link, r) * strain[r];
    held[r] = slack ? 0 : force[r];
    if (!slack) turns = true;
    // the differences include everything
    if (isDirect(link, r) && !slack) continue;
    for (let i = 0; i < size; i++)
      for (let j = 0; j < size; j++) matrix[i * size + j] += stiffness * rate[r * size + i] * rate[r * size + j];
  }
  // only points of nodes and edges: B is constant
  if (!turns || link.perEnd === 1) return;
  readPose(base[0], samples[rodA], rods[rodA], edgeA);
  if (rodB >= 0) readPose(base[1], samples[rodB], rods[rodB], edgeB);
  const weights = [weightA, weightB];
  const evaluate = (out: Float64Array, k: number, by: number): void => {
    const end = k < perEnd ? 0 : 1;
    for (let e = 0; e < (rodB >= 0 ? 2 : 1); e++) {
      if (e === end) movePose(moved[e], base[e], k % perEnd, by);
      poseFrame(frames[e], e === end ? moved[e] : base[e], weights[e]);
    }
    measureLink(links.sideArm, link, frames[0], frames[1]);
    const b = shifted.subarray(0, rows * size);
    writeRate(b, block, links);
    for (let r = 0; r < rows; r++)
      forces[r] = isDirect(link, r) && held[r] !== 0 ? stiffnessOf(link, r) * strain[r] : held[r];
    out.fill(0);
    addTransposed(out, b, size, forces.subarray(0, rows));
  };
  for (let k = 0; k < size; k++) {
    const by = k % perEnd === 6 ? DIFFERENCE : DIFFERENCE * extent;
    evaluate(ahead, k, by);
    evaluate(behind, k, -by);
    for (let i = 0; i < size; i++) {
      const half = (0.5 * (ahead[i] - behind[i])) / (2 * by);
      matrix[i * size + k] += half;
      matrix[k * size + i] += half;
    }
  }
  measureOne(links, link, rods, samples);
}

const forces = new Float64Array(6);
