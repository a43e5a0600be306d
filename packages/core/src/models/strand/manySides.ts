/**
 * The response of a tree that has many sides, by the elimination in O(n) instead of a dense matrix of all sides.
 *
 * Point masses on the sides are 6 × 6 terms of their links, so one elimination with them is the factor of H, and a solve is one sweep inwards and one
 * outwards, for any number of sides. The response of a single side, which weights need, requires no column of the whole: Ω of a link, its own displacement
 * under a force on it, follows from its parent's,
 *     Ω = (X + Th G) Ω(parent) Xᵀ(1 − F D⁻¹Sᵀ) − Th D⁻¹Sᵀ,
 * which is the recursion of the operational-space inertia [Featherstone2008 §7.3] for a matrix that need not be symmetric.
 *
 * Measured on coils of 6 to 60 edges on a floor: below about MANY sides the dense matrix takes as long or less, because its
 * products cost less than sweeps; at 60 sides on 30 edges it took 2.5 times as long, at 190 sides on 60 edges, cubic as it is, 5 to 10 times.
 */
import type { ContactSides } from '../../port.ts';
import { factorSweep, solveSweep } from './newton.ts';
import type { Sweep } from './records.ts';
import type { StrandTree } from './rod.ts';
import { addWrench, readSide } from './sideMaps.ts';
import { addForce, bringMotion, turn, turnBack } from './spatial.ts';
import { createSweep } from './terms.ts';
import { linkOf, type TreeSides } from './treeSides.ts';

/** Number of sides from which a tree is solved by sweeps. */
export const MANY = 24;

export interface ManySides {
  /** The elimination with the point masses. */
  readonly sweep: Sweep;
  readonly pointMasses: Float64Array;
  /** Ω of each link, 6 × 6 by rows, and that of the base. */
  readonly answer: Float64Array;
  /** Forces on the links, 6 each; and rotations of the joints. */
  readonly wrench: Float64Array;
  readonly x: Float64Array;
  /** Last link that has a side. */
  last: number;
}

/** `free`: the elimination without point masses, whose slopes of the joints are those of this one. */
function createManySides(links: number, { turn: Th, rate }: Sweep): ManySides {
  return {
    sweep: { ...createSweep(links), turn: Th, rate },
    pointMasses: new Float64Array(36 * links),
    answer: new Float64Array(36 * links + 36),
    wrench: new Float64Array(6 * links),
    x: new Float64Array(3 * links + 3),
    last: 0,
  };
}

/** Solver of a tree with many sides. */
export function manyOf(
  slot: { readonly sweep: Sweep; many: ManySides | undefined },
  { linkCount }: StrandTree,
): ManySides {
  slot.many ??= createManySides(linkCount, slot.sweep);
  return slot.many;
}

const force = new Float64Array(6);
const up = new Float64Array(6);
const place = new Float64Array(6);
const carried = new Float64Array(6);
const world = new Float64Array(3);
const shifted = new Float64Array(3);

/** Ω of the base: its response along free axes. */
function answerOfBase(out: Float64Array, { linkCount, base }: StrandTree, { baseInverse }: Sweep): void {
  const o = 36 * linkCount;
  out.fill(0, o, o + 36);
  for (let c = 0; c < 3; c++) {
    for (let k = 0; k < 3; k++) world[k] = base.free[k] ? -base.rotation[3 * k + c] : 0;
    turn(shifted, 0, baseInverse, 0, world, 0);
    turnBack(world, 0, base.rotation, 0, shifted, 0);
    for (let k = 0; k < 3; k++) out[o + 6 * (3 + k) + 3 + c] = world[k];
  }
}

/** Writes Ω of all links to `answer`; the elimination must be that of steps with contact. */
export function writeAnswers(answer: Float64Array, tree: StrandTree, sweep: Sweep): void {
  const { linkCount, parent, rotation, offset } = tree;
  const { F, G, inverse, turn: Th } = sweep;
  answerOfBase(answer, tree, sweep);
  for (let j = 0; j < linkCount; j++) {
    const from = 36 * (parent[j] < 0 ? linkCount : parent[j]);
    const v = 9 * j;
    const s = 18 * j;
    for (let c = 0; c < 6; c++) {
      // a unit force along c: the joint's response, and the force passed to the parent
      const k0 = c < 3 ? -inverse[v + c] : 0;
      const k1 = c < 3 ? -inverse[v + 3 + c] : 0;
      const k2 = c < 3 ? -inverse[v + 6 + c] : 0;
      for (let r = 0; r < 6; r++)
        force[r] = (r === c ? 1 : 0) + F[s + 3 * r] * k0 + F[s + 3 * r + 1] * k1 + F[s + 3 * r + 2] * k2;
      up.fill(0);
      addForce(up, 0, rotation, v, offset[j], force, 0);
      for (let r = 0; r < 6; r++) {
        let sum = 0;
        for (let k = 0; k < 6; k++) sum += answer[from + 6 * r + k] * up[k];
        place[r] = sum;
      }
      let x = k0;
      let y = k1;
      let z = k2;
      for (let k = 0; k < 6; k++) {
        x += G[s + k] * place[k];
        y += G[s + 6 + k] * place[k];
        z += G[s + 12 + k] * place[k];
      }
      bringMotion(carried, 0, rotation, v, offset[j], place, 0);
      for (let r = 0; r < 3; r++) carried[r] += Th[v + 3 * r] * x + Th[v + 3 * r + 1] * y + Th[v + 3 * r + 2] * z;
      for (let r = 0; r < 6; r++) answer[36 * j + 6 * r + c] = carried[r];
    }
  }
}

/** How a side moves with its link, in the link's axes: 3 rows of 6. */
const rows = new Float64Array(18);

function writeRows(tree: StrandTree, link: number, { weight, arm }: ContactSides, c: number): void {
  const l = weight[c] * tree.length[link];
  turnBack(shifted, 0, tree.world, 9 * link, arm, 3 * c);
  rows.fill(0);
  rows[1] = l;
  rows[6] = -l;
  for (let k = 0; k < 3; k++) {
    rows[6 * k + 2] = shifted[k];
    rows[6 * k + 3 + k] = 1;
  }
}

/** tr(S A⁻¹ Sᵀ) of one side, times `scale`. */
export function traceOfSide(
  answer: Float64Array,
  tree: StrandTree,
  link: number,
  sides: ContactSides,
  c: number,
  scale: number,
): number {
  writeRows(tree, link, sides, c);
  let trace = 0;
  for (let k = 0; k < 18; k += 6) {
    for (let r = 0; r < 6; r++) {
      if (rows[k + r] === 0) continue;
      let sum = 0;
      for (let i = 0; i < 6; i++) sum += answer[36 * link + 6 * r + i] * rows[k + i];
      trace -= rows[k + r] * sum;
    }
  }
  return scale * trace;
}

/** The elimination with the point masses of the tree's sides; `scale`: 1/h². `shift`: that of the one without them. */
export function factorMany(
  many: ManySides,
  tree: StrandTree,
  { sides, order, from, count: m, firstLink }: TreeSides,
  scale: number,
  shift: number,
): boolean {
  const { pointMasses, sweep } = many;
  pointMasses.fill(0);
  many.last = 0;
  for (let i = 0; i < m; i++) {
    const c = order[from + i];
    const link = linkOf(firstLink, sides, c);
    many.last = Math.max(many.last, link);
    const rho = scale * sides.mass[c];
    if (rho === 0) continue;
    writeRows(tree, link, sides, c);
    const o = 36 * link;
    for (let k = 0; k < 18; k += 6)
      for (let a = 0; a < 6; a++)
        for (let b = 0; b < 6; b++) pointMasses[o + 6 * a + b] += rho * rows[k + a] * rows[k + b];
  }
  tree.pointMasses = pointMasses;
  const good = factorSweep(tree, sweep, shift);
  tree.pointMasses = undefined;
  return good;
}

/** velocity = S H⁻¹ Sᵀ impulse for the tree's sides. */
export function solveMany(
  velocity: Float64Array,
  { sweep, wrench, x, last }: ManySides,
  tree: StrandTree,
  impulse: Float64Array,
  { sides, order, from, count: m, firstLink }: TreeSides,
  scale: number,
): void {
  wrench.fill(0, 0, 6 * last + 6);
  for (let i = 0; i < m; i++) {
    const c = order[from + i];
    addWrench(
      wrench,
      tree,
      linkOf(firstLink, sides, c),
      sides,
      c,
      impulse[3 * c],
      impulse[3 * c + 1],
      impulse[3 * c + 2],
    );
  }
  solveSweep(x, tree, sweep, { wrench }, last, last);
  for (let i = 0; i < m; i++) {
    const c = order[from + i];
    readSide(velocity, 3 * c, tree, sweep, linkOf(firstLink, sides, c), sides, c, scale);
  }
}
