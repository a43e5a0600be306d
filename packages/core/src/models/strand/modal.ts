/**
 * Natural modes about the current state, and the matrices M, K, C in turns of the joints.
 *
 * M by the composite-body method, K from the static tangent column by column, and all eigenvalues of the dense pair:
 * strands have tens of links. M is singular where links have no polar inertia, so the pair is turned round: M x = μ (K +
 * σM) x, where what has no inertia gets μ = 0 and is left out. σ is raised until K + σM is positive definite.
 */

import { SceneError } from '../../errors.ts';
import { eigenGeneral } from '../../linalg/eigen.ts';
import { collectDense } from '../../linalg/modal.ts';
import { pow } from '../../math/rounded/index.ts';
import type { Matrices, Modes } from '../../model.ts';
import { RIGID } from './bodyLinkTypes.ts';
import { measureRow } from './constraints.ts';
import { TWO_SIDED } from './lcp.ts';
import { writeMassMatrix } from './massMatrix.ts';
import { setStraightChart } from './newton.ts';
import type { Constraints } from './records.ts';
import { COLUMNS, type Sweep } from './records.ts';
import { evaluateResidual } from './residual.ts';
import type { StrandTree } from './rod.ts';
import { turn } from './spatial.ts';
import { isConservative } from './statics.ts';
import { multiplyTangent } from './tangent.ts';

type Strand = StrandTree['rods'][number];

interface Pair {
  /** Unknowns: turns of the joints about their own axes, then free axes of the origin. */
  readonly unknowns: readonly number[];
  readonly mass: Float64Array;
  readonly stiffness: Float64Array;
}

function assemblePair(tree: StrandTree, sweep: Sweep, t: number): Pair {
  const all = 3 * tree.linkCount + 3;
  tree.v.fill(0);
  evaluateResidual(tree, t, undefined, 'new-time');
  sweep.columns = 6;
  sweep.coefficient = 0;
  setStraightChart(sweep, tree.linkCount);
  const unknowns: number[] = [];
  for (let k = 0; k < all; k++)
    if (k < all - 3 ? tree.lock[Math.floor(k / 3)] !== RIGID : tree.base.free[k - all + 3]) unknowns.push(k);
  const n = unknowns.length;
  const full = new Float64Array(all * all);
  writeMassMatrix(full, tree);
  const mass = new Float64Array(n * n);
  const stiffness = new Float64Array(n * n);
  const x = new Float64Array(all);
  const y = new Float64Array(all);
  unknowns.forEach((k, c) => {
    x.fill(0);
    x[k] = 1;
    multiplyTangent(y, tree, sweep, x);
    unknowns.forEach((i, r) => {
      stiffness[r * n + c] += 0.5 * y[i];
      stiffness[c * n + r] += 0.5 * y[i];
      mass[r * n + c] = full[i * all + k];
    });
  });
  if (tree.constraints) addRows(stiffness, tree.constraints, tree, sweep, unknowns);
  return { unknowns, mass, stiffness };
}

/** Adds constraints as springs that are too stiff to affect the modes: constrained points move by 1e-7 of their free motion. */
function addRows(
  stiffness: Float64Array,
  constraints: Constraints,
  tree: StrandTree,
  sweep: Sweep,
  unknowns: readonly number[],
): void {
  const n = unknowns.length;
  const most = tree.stiffness.reduce((a, b) => Math.max(a, b), 0);
  const x = new Float64Array(3 * tree.linkCount + 3);
  const y = new Float64Array(x.length);
  const rows = unknowns.map((unknown) => {
    x.fill(0);
    x[unknown] = 1;
    multiplyTangent(y, tree, sweep, x);
    return Float64Array.from({ length: constraints.count }, (_, r) => measureRow(constraints, tree, sweep, x, r));
  });
  for (let r = 0; r < constraints.count; r++) {
    if (constraints.kind[r] !== TWO_SIDED || !constraints.active[r]) continue;
    const spring = (1e7 * most) / (constraints.axis[r] >= 0 ? tree.reach * tree.reach : 1);
    for (let i = 0; i < n; i++) for (let k = 0; k < n; k++) stiffness[i * n + k] += spring * rows[i][r] * rows[k][r];
  }
}

export function findModes(tree: StrandTree, strand: Strand, sweep: Sweep, t: number, count: number): Modes {
  if (!isConservative(tree)) {
    throw new SceneError(
      ['loads'],
      `rod '${strand.rod.id}' has loads without a potential (or the stiffness law 'paper'), so it has no natural modes; use \`run\`, or remove followers, torques and wind from the scene`,
    );
  }
  const velocity = tree.v.slice();
  const { unknowns, mass, stiffness } = assemblePair(tree, sweep, t);
  const n = unknowns.length;
  const total = tree.base.mass + tree.tipMass.reduce((sum, m) => sum + m, 0);
  const soft = Math.min(tree.stiffness[3], tree.stiffness[4]) * tree.length[0];
  let shift = soft / (total * pow(tree.reach, 3));
  let found: ReturnType<typeof eigenGeneral>;
  let zero = shift;
  for (let tries = 0; tries < 60 && !found; tries++) {
    const shifted = stiffness.map((k, i) => k + shift * mass[i]);
    // a first link that can spin freely has neither mass nor stiffness about its axis
    if (!tree.rootHeld) for (let k = 0; k < 3; k++) shifted[k * n + k] += 1e-12 * tree.stiffness[k];
    found = eigenGeneral(mass, shifted, n);
    zero = shift;
    shift *= 4;
  }
  if (!found)
    throw new SceneError(['modes'], `the modes of rod '${strand.rod.id}' were not found: its matrices are singular`);
  const { values, vectors } = found;
  const omega: number[] = [];
  const shapes: Modes['shapes'][number][] = [];
  for (let k = n - 1; k >= 0 && omega.length < count; k--) {
    if (values[k] < 1e-14 * values[n - 1]) break;
    const square = 1 / values[k] - zero;
    const quiet = Math.abs(square) < 1e-8 * zero;
    omega.push(quiet ? 0 : Math.sign(square) * Math.sqrt(Math.abs(square)));
    const x = new Float64Array(3 * tree.linkCount + 3);
    unknowns.forEach((unknown, i) => {
      x[unknown] = vectors[i * n + k];
    });
    shapes.push(shapeOf(tree, strand, sweep, x));
  }
  tree.v.set(velocity);
  return { rod: strand.rod.id, omega: Float64Array.from(omega), shapes };
}

const local = new Float64Array(3);
const moved = new Float64Array(3);

/** Displacements of the nodes and turns of the links about their axes for a change of the unknowns. */
function shapeOf(tree: StrandTree, strand: Strand, sweep: Sweep, x: Float64Array): Modes['shapes'][number] {
  const { rod, firstLink, root } = strand;
  const y = new Float64Array(x.length);
  multiplyTangent(y, tree, sweep, x);
  const { z } = sweep;
  const nodeDisplacement = new Float64Array(3 * rod.nodeCount);
  const edgeTwist = new Float64Array(rod.edgeCount);
  for (let i = 0; i < rod.nodeCount; i++) {
    const link = i === 0 ? root : firstLink + i - 1;
    if (link < 0) {
      for (let k = 0; k < 3; k++) nodeDisplacement[k] = x[3 * tree.linkCount + k];
      continue;
    }
    const o = COLUMNS * link;
    const l = tree.length[link];
    local[0] = z[o + 3] + l * z[o + 1];
    local[1] = z[o + 4] - l * z[o];
    local[2] = z[o + 5];
    turn(moved, 0, tree.world, 9 * link, local, 0);
    nodeDisplacement.set(moved, 3 * i);
  }
  for (let j = 0; j < rod.edgeCount; j++) edgeTwist[j] = z[COLUMNS * (firstLink + j) + 2];
  const largest = nodeDisplacement.reduce((a, b) => (Math.abs(b) > Math.abs(a) * (1 + 1e-9) ? b : a), 0);
  const angle = edgeTwist.reduce((a, b) => (Math.abs(b) > Math.abs(a) ? b : a), 0);
  // a torsion mode hardly moves the nodes: it is scaled by its angle instead
  const scale = Math.abs(largest) > 1e-6 * Math.abs(angle) * rod.length ? 1 / largest : 1 / angle;
  return {
    nodeDisplacement: nodeDisplacement.map((value) => scale * value),
    edgeTwist: edgeTwist.map((value) => scale * value),
  };
}

export function exportMatrices(tree: StrandTree, strand: Strand, sweep: Sweep, t: number): Matrices {
  const velocity = tree.v.slice();
  const { unknowns, mass, stiffness } = assemblePair(tree, sweep, t);
  const n = unknowns.length;
  const joints = 3 * tree.linkCount;
  const labels = unknowns.map((k) =>
    k < joints ? `joint ${Math.floor(k / 3)} turn about d${(k % 3) + 1}` : `origin ${['x', 'y', 'z'][k - joints]}`,
  );
  const damping = writeDamping(tree, unknowns, sweep);
  tree.v.set(velocity);
  return {
    rod: strand.rod.id,
    size: n,
    labels,
    mass: collectDense(mass, n),
    stiffness: collectDense(stiffness, n),
    damping: collectDense(damping, n),
  };
}

/** Damping of the joints, and the velocity derivative of loads. */
function writeDamping(tree: StrandTree, unknowns: readonly number[], sweep: Sweep): Float64Array {
  const n = unknowns.length;
  const out = new Float64Array(n * n);
  const spin: Float64Array[] = [];
  const displacement = unknowns.map((unknown) => {
    const x = new Float64Array(3 * tree.linkCount + 3);
    x[unknown] = 1;
    const y = new Float64Array(x.length);
    multiplyTangent(y, tree, sweep, x);
    const tips = new Float64Array(3 * tree.linkCount);
    spin.push(tree.spinDamping.map((_, j) => sweep.z[COLUMNS * j + 2]));
    for (let j = 0; j < tree.linkCount; j++) {
      const o = COLUMNS * j;
      local[0] = sweep.z[o + 3] + tree.length[j] * sweep.z[o + 1];
      local[1] = sweep.z[o + 4] - tree.length[j] * sweep.z[o];
      local[2] = sweep.z[o + 5];
      turn(tips, 3 * j, tree.world, 9 * j, local, 0);
    }
    return tips;
  });
  const resist = new Float64Array(3);
  for (let c = 0; c < n; c++) {
    for (let j = 0; j < tree.linkCount; j++) {
      const d = tree.tipDrag.subarray(6 * j, 6 * j + 6);
      const [x, y, z] = displacement[c].subarray(3 * j, 3 * j + 3);
      resist[0] = d[0] * x + d[1] * y + d[2] * z;
      resist[1] = d[1] * x + d[3] * y + d[4] * z;
      resist[2] = d[2] * x + d[4] * y + d[5] * z;
      const slowed = tree.spinDamping[j] * spin[c][j];
      for (let r = 0; r < n; r++) {
        for (let k = 0; k < 3; k++) out[r * n + c] += displacement[r][3 * j + k] * resist[k];
        out[r * n + c] += spin[r][j] * slowed;
      }
    }
  }
  for (let j = 0; j < tree.linkCount; j++) {
    if (j === 0 && !tree.rootHeld) continue;
    const at = unknowns.indexOf(3 * j);
    if (at < 0) continue;
    // Bᵀ diag(c) B in the child's axes
    const B = tree.toJoint.subarray(9 * j, 9 * j + 9);
    for (let r = 0; r < 3; r++)
      for (let c = 0; c < 3; c++)
        for (let k = 0; k < 3; k++) out[(at + r) * n + at + c] += B[3 * k + r] * tree.damping[3 * j + k] * B[3 * k + c];
  }
  for (let k = n - 1; k >= 0 && unknowns[k] >= 3 * tree.linkCount; k--) out[k * n + k] += tree.base.damping;
  return out;
}
