/**
 * Contact for strands: the implicit step under forces at points, and its linear response, both by the sweep.
 *
 * A tree that touches something takes steps of first order: a second difference over an impact would answer with a rebound
 * that nobody asked for. Newton's matrix of the step is A/h²; a point mass glued to a link is a spring ρ/h² there, which
 * the elimination takes into the link's own terms. A tree has few sides, and their response S A⁻¹ Sᵀ is found column by column
 * anyway for its trace: it is kept, point masses are added to it by the identity of Woodbury, and the tens of solves that a
 * contact solver asks for are products with a small matrix (a sweep each made the solver ten times slower). [Hadap2006 §4] measures the same response by test forces, but of the
 * free accelerations; taken through the implicit step it knows the stiffness, and links without polar inertia do not matter.
 */
import type { BundleState, ContactPort, StepOutcome } from '../../model.ts';
import type { ContactSides } from '../../port.ts';
import { evaluateBase, moveBase, moveLinks, poseLinks, poseSamples } from './kinematics.ts';
import { factorSweep, solveSweep } from './newton.ts';
import { turn, turnBack } from './spatial.ts';
import { type Start, type StepOptions, type StepWork, stepWithContact } from './step.ts';
import { COLUMNS, createSweep, type Sweep } from './terms.ts';
import type { StrandTree } from './tree.ts';

/** The sweep of one tree, kept over the iterations of a step. */
interface Slot {
  readonly sweep: Sweep;
  readonly wrench: Float64Array;
  readonly x: Float64Array;
  shift: number;
  /** S A⁻¹ Sᵀ of the tree's sides, and S H⁻¹ Sᵀ; dense, by rows. */
  free: Float64Array;
  glued: Float64Array;
}

export interface StrandContactParts {
  readonly trees: readonly StrandTree[];
  readonly place: readonly { readonly tree: StrandTree; readonly strand: StrandTree['rods'][number] }[];
  readonly workOf: (tree: StrandTree) => StepWork;
  readonly state: BundleState;
  readonly options: StepOptions;
}

/** Sides in the order of their trees. */
interface Buckets {
  order: Int32Array;
  readonly start: Int32Array;
}

export function createStrandContact({ trees, place, workOf, state, options }: StrandContactParts): ContactPort {
  const indexOf = new Map(trees.map((tree, k) => [tree, k]));
  const systemOfRod = Int32Array.from(place, ({ tree }) => indexOf.get(tree) as number);
  const slots: (Slot | undefined)[] = [];
  const held: Start = { q: state.q.slice(), v: state.v.slice(), memory: state.memory.slice() };
  const starts: Start[] = trees.map((tree) => ({
    q: sameSlice(tree.q, state.q, held.q),
    v: sameSlice(tree.v, state.v, held.v),
    memory: sameSlice(tree.memory, state.memory, held.memory),
  }));
  const positions = place.map(({ strand }) => strand.samples.nodePosition.slice());
  const buckets: Buckets = { order: new Int32Array(0), start: new Int32Array(trees.length + 1) };
  let h = 1;

  const slotOf = (k: number): Slot => {
    const links = trees[k].linkCount;
    slots[k] ??= {
      sweep: createSweep(links),
      wrench: new Float64Array(6 * links),
      x: new Float64Array(3 * links + 3),
      shift: 0,
      free: new Float64Array(0),
      glued: new Float64Array(0),
    };
    return slots[k] as Slot;
  };

  /** Trees with sides, one after the other: `visit(tree, first, end)` in `buckets.order`. */
  const sort = (sides: ContactSides): void => {
    const { start } = buckets;
    if (buckets.order.length < sides.count) buckets.order = new Int32Array(2 * sides.count);
    start.fill(0);
    for (let c = 0; c < sides.count; c++) start[systemOfRod[sides.rod[c]] + 1]++;
    for (let k = 0; k < trees.length; k++) start[k + 1] += start[k];
    for (let c = sides.count - 1; c >= 0; c--) {
      const k = systemOfRod[sides.rod[c]] + 1;
      buckets.order[--start[k]] = c;
    }
    // what was counted down to the beginnings stands one place too far on
    for (let k = 0; k < trees.length; k++) start[k] = start[k + 1];
    start[trees.length] = sides.count;
  };

  const linkOf = (sides: ContactSides, c: number): number => place[sides.rod[c]].strand.firstLink + sides.edge[c];

  /** The step of the marked trees under the sides' forces: from its start, or on from where it came to. */
  const move = (marked: Uint8Array, sides: ContactSides, t: number, dt: number, again: boolean): StepOutcome => {
    let iterations = 0;
    let iterationsMax = 0;
    h = dt;
    trees.forEach((tree, k) => {
      if (marked[k]) clearContact(tree);
    });
    for (let c = 0; c < sides.count; c++) addSideForce(place[sides.rod[c]].tree, linkOf(sides, c), sides, c);
    for (let k = 0; k < trees.length; k++) {
      if (!marked[k]) continue;
      const tree = trees[k];
      const work = workOf(tree);
      const spent = stepWithContact(tree, work, starts[k], t, dt, options, again);
      iterations += Math.abs(spent);
      iterationsMax = Math.max(iterationsMax, Math.abs(spent));
      if (spent < 0) {
        const failure = { rod: tree.rods[0].rod.id, reason: `Newton did not converge in ${-spent} iterations` };
        return { ok: false, iterations, iterationsMax, shifts: 0, failure };
      }
      poseSamples(tree);
      const { sweep } = slotOf(k);
      sweep.turn.set(work.sweep.turn.subarray(0, sweep.turn.length));
      sweep.rate.set(work.sweep.rate.subarray(0, sweep.rate.length));
    }
    return { ok: true, iterations, iterationsMax, shifts: 0 };
  };

  const readVelocity = (out: Float64Array, sides: ContactSides): void => {
    // the mean over the step: a link may turn by a radian in it, and its last velocity does not say where it went
    for (let c = 0; c < sides.count; c++) {
      const { nodePosition: x, edgeSpin } = place[sides.rod[c]].strand.samples;
      const from = positions[sides.rod[c]];
      const a = 3 * sides.edge[c];
      const w = sides.weight[c];
      for (let k = a; k < a + 3; k++) {
        const moved = (1 - w) * (x[k] - from[k]) + w * (x[k + 3] - from[k + 3]);
        out[3 * c + k - a] = moved / h + edgeSpin[sides.edge[c]] * sides.arm[3 * c + k - a];
      }
    }
  };

  return {
    systemOfRod,
    systemOfBody: new Int32Array(0),
    systemCount: trees.length,
    hold() {
      held.q.set(state.q);
      held.v.set(state.v);
      held.memory.set(state.memory);
      place.forEach(({ strand }, rod) => {
        positions[rod].set(strand.samples.nodePosition);
      });
    },
    revert(marked, t) {
      trees.forEach((tree, k) => {
        if (!marked[k]) return;
        tree.q.set(starts[k].q);
        tree.v.set(starts[k].v);
        tree.memory.set(starts[k].memory);
        poseTree(tree, t);
      });
    },
    step: (marked, sides, t, dt) => move(marked, sides, t, dt, true),
    readVelocity,
    linearize(velocity, response, marked, sides, t, dt, fresh) {
      h = dt;
      // joint angles bear forces that are no longer in balance: the whole step under them is a good first guess
      if (fresh && !move(marked, sides, t, dt, false).ok) return false;
      readVelocity(velocity, sides);
      sort(sides);
      const { order, start } = buckets;
      for (let k = 0; k < trees.length; k++) {
        if (start[k] === start[k + 1]) continue;
        const slot = slotOf(k);
        const tree = trees[k];
        slot.sweep.columns = COLUMNS;
        slot.sweep.coefficient = 1 / dt;
        tree.glue = undefined;
        slot.shift = 0;
        while (!factorSweep(tree, slot.sweep, slot.shift) || slot.sweep.negative > 0) {
          slot.shift = slot.shift === 0 ? 1e-6 : 4 * slot.shift;
          if (slot.shift > 1e8) return false;
        }
        const m = start[k + 1] - start[k];
        if (slot.free.length < 9 * m * m) {
          slot.free = new Float64Array(18 * m * m);
          slot.glued = new Float64Array(18 * m * m);
        }
        writeResponse(slot, tree, sides, order, start[k], m, linkOf, 1 / (dt * dt));
        for (let i = 0; i < m; i++) {
          let trace = 0;
          for (let r = 3 * i; r < 3 * i + 3; r++) trace += slot.free[r * 3 * m + r];
          response[order[start[k] + i]] = trace / 3;
        }
      }
      return true;
    },
    factor(_marked, sides) {
      const { order, start } = buckets;
      for (let k = 0; k < trees.length; k++) {
        const m = start[k + 1] - start[k];
        if (m > 0 && !glueMasses(slotOf(k), sides, order, start[k], m)) return false;
      }
      return true;
    },
    solve(velocity, impulse) {
      const { order, start } = buckets;
      for (let k = 0; k < trees.length; k++) {
        const m = start[k + 1] - start[k];
        if (m > 0) applyResponse(velocity, slotOf(k).glued, impulse, order, start[k], m);
      }
    },
  };
}

/** S A⁻¹ Sᵀ of sides `order[from…]`, a unit force at a time. */
function writeResponse(
  { sweep, wrench, x, free }: Slot,
  tree: StrandTree,
  sides: ContactSides,
  order: Int32Array,
  from: number,
  m: number,
  linkOf: (sides: ContactSides, c: number) => number,
  scale: number,
): void {
  for (let column = 0; column < 3 * m; column++) {
    const side = order[from + Math.floor(column / 3)];
    const axis = column % 3;
    wrench.fill(0);
    addWrench(
      wrench,
      tree,
      linkOf(sides, side),
      sides,
      side,
      axis === 0 ? 1 : 0,
      axis === 1 ? 1 : 0,
      axis === 2 ? 1 : 0,
    );
    solveSweep(x, tree, sweep, undefined, wrench, undefined);
    for (let i = 0; i < m; i++) {
      const c = order[from + i];
      readSide(moved, 0, tree, sweep, linkOf(sides, c), sides, c, scale);
      for (let k = 0; k < 3; k++) free[(3 * i + k) * 3 * m + column] = moved[k];
    }
  }
}

/** Scratch of a tree's sides. */
const work = { matrix: new Float64Array(0), right: new Float64Array(0) };

/** velocity = W impulse for sides `order[from…]`: three rows at a time, so that an impulse is read once for them. */
function applyResponse(
  velocity: Float64Array,
  W: Float64Array,
  impulse: Float64Array,
  order: Int32Array,
  from: number,
  m: number,
): void {
  const n = 3 * m;
  if (work.right.length < n) work.right = new Float64Array(2 * n);
  const { right } = work;
  for (let i = 0; i < m; i++) {
    const o = 3 * order[from + i];
    right[3 * i] = impulse[o];
    right[3 * i + 1] = impulse[o + 1];
    right[3 * i + 2] = impulse[o + 2];
  }
  for (let i = 0; i < m; i++) {
    const r0 = 3 * i * n;
    const r1 = r0 + n;
    const r2 = r1 + n;
    let x = 0;
    let y = 0;
    let z = 0;
    for (let c = 0; c < n; c++) {
      const p = right[c];
      x += W[r0 + c] * p;
      y += W[r1 + c] * p;
      z += W[r2 + c] * p;
    }
    const o = 3 * order[from + i];
    velocity[o] = x;
    velocity[o + 1] = y;
    velocity[o + 2] = z;
  }
}

/**
 * S H⁻¹ Sᵀ = (1 + W P)⁻¹ W with W = S A⁻¹ Sᵀ and P the point masses: elimination with row pivots, then back from the
 * last row.
 */
function glueMasses(
  { free, glued }: Slot,
  { mass }: ContactSides,
  order: Int32Array,
  from: number,
  m: number,
): boolean {
  const n = 3 * m;
  if (work.matrix.length < n * n) work.matrix = new Float64Array(2 * n * n);
  const { matrix: A } = work;
  for (let i = 0; i < m; i++) {
    const rho = mass[order[from + i]];
    for (let r = 0; r < n; r++) {
      const o = r * n + 3 * i;
      A[o] = free[o] * rho;
      A[o + 1] = free[o + 1] * rho;
      A[o + 2] = free[o + 2] * rho;
    }
  }
  for (let k = 0; k < n * n; k++) glued[k] = free[k];
  for (let r = 0; r < n; r++) A[r * n + r] += 1;
  for (let k = 0; k < n; k++) {
    let best = k;
    for (let r = k + 1; r < n; r++) if (Math.abs(A[r * n + k]) > Math.abs(A[best * n + k])) best = r;
    const pivot = 1 / A[best * n + k];
    if (!(Math.abs(pivot) < Number.POSITIVE_INFINITY)) return false;
    if (best !== k) {
      swapRows(A, best * n, k * n, n);
      swapRows(glued, best * n, k * n, n);
    }
    for (let r = k + 1; r < n; r++) {
      const factor = A[r * n + k] * pivot;
      if (factor === 0) continue;
      subtractRow(A, r * n, k * n, factor, k + 1, n);
      subtractRow(glued, r * n, k * n, factor, 0, n);
    }
  }
  for (let k = n - 1; k >= 0; k--) {
    for (let r = k + 1; r < n; r++) subtractRow(glued, k * n, r * n, A[k * n + r], 0, n);
    const pivot = 1 / A[k * n + k];
    for (let c = k * n; c < k * n + n; c++) glued[c] *= pivot;
  }
  return true;
}

function swapRows(M: Float64Array, a: number, b: number, n: number): void {
  for (let c = 0; c < n; c++) {
    const x = M[a + c];
    M[a + c] = M[b + c];
    M[b + c] = x;
  }
}

/** M[to…] −= factor · M[from…], columns `first` to `end`. */
function subtractRow(M: Float64Array, to: number, from: number, factor: number, first: number, end: number): void {
  for (let c = first; c < end; c++) M[to + c] -= factor * M[from + c];
}

function poseTree(tree: StrandTree, t: number): void {
  evaluateBase(tree, t);
  moveBase(tree, t, tree.originRate);
  poseLinks(tree);
  moveLinks(tree);
  poseSamples(tree);
}

/** The part of `other` that stands where `view` stands in `whole`. */
function sameSlice(view: Float64Array, whole: Float64Array, other: Float64Array): Float64Array {
  const o = (view.byteOffset - whole.byteOffset) / 8;
  return other.subarray(o, o + view.length);
}

/** No contact forces on the tree. */
export function clearContact(tree: StrandTree): void {
  if (!tree.contact) return;
  tree.contact.tip.fill(0);
  tree.contact.torque.fill(0);
  tree.contact.base.fill(0);
}

/** A force on the chord of an edge is one on its two nodes; with a lever it also turns the edge about itself. */
function addSideForce(tree: StrandTree, link: number, { weight, arm, force }: ContactSides, c: number): void {
  tree.contact ??= {
    tip: new Float64Array(3 * tree.linkCount),
    torque: new Float64Array(3 * tree.linkCount),
    base: new Float64Array(3),
  };
  const { tip, torque, base } = tree.contact;
  const o = 3 * c;
  const up = tree.parent[link];
  const spin = arm[o] * force[o] + arm[o + 1] * force[o + 1] + arm[o + 2] * force[o + 2];
  for (let k = 0; k < 3; k++) {
    tip[3 * link + k] += weight[c] * force[o + k];
    if (up >= 0) tip[3 * up + k] += (1 - weight[c]) * force[o + k];
    else base[k] += (1 - weight[c]) * force[o + k];
    torque[3 * link + k] += spin * tree.world[9 * link + 3 * k + 2];
  }
}

const f = new Float64Array(3);
const g = new Float64Array(3);

/** Takes off the link's force what a force (x, y, z) at the side gives. */
function addWrench(
  wrench: Float64Array,
  tree: StrandTree,
  link: number,
  { weight, arm }: ContactSides,
  c: number,
  x: number,
  y: number,
  z: number,
): void {
  g[0] = x;
  g[1] = y;
  g[2] = z;
  turnBack(f, 0, tree.world, 9 * link, g, 0);
  const l = weight[c] * tree.length[link];
  const o = 6 * link;
  wrench[o] += l * f[1];
  wrench[o + 1] -= l * f[0];
  wrench[o + 2] -= arm[3 * c] * x + arm[3 * c + 1] * y + arm[3 * c + 2] * z;
  wrench[o + 3] -= f[0];
  wrench[o + 4] -= f[1];
  wrench[o + 5] -= f[2];
}

/** How the side moves with the links, times `scale`. */
function readSide(
  out: Float64Array,
  o: number,
  tree: StrandTree,
  { z }: Sweep,
  link: number,
  { weight, arm }: ContactSides,
  c: number,
  scale: number,
): void {
  const s = COLUMNS * link;
  const l = weight[c] * tree.length[link];
  g[0] = z[s + 3] + l * z[s + 1];
  g[1] = z[s + 4] - l * z[s];
  g[2] = z[s + 5];
  turn(f, 0, tree.world, 9 * link, g, 0);
  for (let k = 0; k < 3; k++) out[o + k] = scale * (f[k] + z[s + 2] * arm[3 * c + k]);
}

const moved = new Float64Array(3);
