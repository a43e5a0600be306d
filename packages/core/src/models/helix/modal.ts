/**
 * Natural modes about the current state, and the matrices M, K, C with respect to the curvatures.
 *
 * All matrices are dense, because every curvature moves everything beyond it. M x = μ (K + σM) x is solved with σ large enough that the matrix on the
 * right is positive definite; ω² = 1/μ − σ. In this form a singular mass matrix (twist without inertia, on a straight rod) does no harm: its
 * modes have μ = 0.
 */
import { SceneError } from '../../errors.ts';
import { eigenGeneral } from '../../linalg/eigen.ts';
import { collectDense } from '../../linalg/modal.ts';
import type { Matrices, Modes } from '../../model.ts';
import { evaluateLoads, fillAssembly, type Stage, type Workspace } from './energy.ts';
import { weighHold } from './holdSolve.ts';
import { placeRoot, poseEdges, poseRod, poseSamples, writeAllJacobians, writeVelocities } from './kinematics.ts';
import { measureTangent } from './live.ts';
import { type HelixRod, loadsDependOnState } from './rod.ts';
import { writeDense } from './sweep.ts';

const STILL = new Float64Array(6);

/** A pin at the end is a spring here, stiffer than in a stage by this factor: the modes are those of a fixed end to about 1e-9. */
const HOLD = 1e5;

/** Tangent stiffness at the current state, loads included, symmetric part. */
function writeStiffness(h: HelixRod, w: Workspace, t: number): { matrix: Float64Array; asymmetry: number } {
  const stage: Stage = { t, inertia: 0, rate: 0 };
  const n = h.q.length;
  placeRoot(h, t);
  if (h.hold) weighHold(h, h.hold, 0, HOLD);
  w.kappaBefore.set(h.q);
  if (loadsDependOnState(h)) {
    const tangent = measureTangent(h, w, stage);
    const matrix = tangent.matrix.slice();
    for (let r = 0; r < n; r++)
      for (let c = 0; c < n; c++) matrix[r * n + c] = 0.5 * (tangent.matrix[r * n + c] + tangent.matrix[c * n + r]);
    return { matrix, asymmetry: tangent.asymmetry };
  }
  poseRod(h, h.q);
  writeAllJacobians(h);
  evaluateLoads(h, w, stage);
  fillAssembly(h, w, stage);
  w.assembly.diagonal.set(h.stiffness);
  const matrix = new Float64Array(n * n);
  writeDense(matrix, h, w.assembly, 'geometric');
  return { matrix, asymmetry: 0 };
}

/** Jᵀ m J, with the weights `factor` of nodes. */
function writeMass(h: HelixRod, w: Workspace, factor: (node: number) => number): Float64Array {
  const { nodeTensor, nodeSpin, nodeGradient, nodeMoment, diagonal } = w.assembly;
  const n = h.q.length;
  poseRod(h, h.q);
  writeAllJacobians(h);
  for (const array of [nodeTensor, nodeSpin, nodeGradient, nodeMoment, diagonal]) array.fill(0);
  w.assembly.hasEdgeMoment = false;
  for (let i = 0; i < h.nodeCount; i++) {
    for (const k of [0, 3, 5]) nodeTensor[6 * i + k] = factor(i) * h.nodeMass[i];
    nodeSpin[i] = 0.5 * factor(i) * h.nodeInertia[i];
  }
  const matrix = new Float64Array(n * n);
  writeDense(matrix, h, w.assembly, 'elastic');
  return matrix;
}

export function findModes(h: HelixRod, w: Workspace, t: number, count: number): Modes {
  const n = h.q.length;
  const { matrix: stiffness, asymmetry } = writeStiffness(h, w, t);
  if (asymmetry > 1e-4) {
    const remedy = 'use `run`, or remove followers, torques and wind from the scene';
    throw new SceneError(
      ['loads'],
      `rod '${h.rod.id}' has loads without a potential, so it has no natural modes; ${remedy}`,
    );
  }
  const mass = writeMass(h, w, () => 1);
  let trace = 0;
  for (let d = 0; d < n; d++) trace += mass[d * (n + 1)] / h.stiffness[d];
  // σ in units of the slowest elastic mode, roughly
  let sigma = 0;
  let solved = eigenGeneral(mass, stiffness, n);
  for (let k = 0; !solved && k < 40; k++) {
    sigma = sigma === 0 ? 1e-3 / trace : 4 * sigma;
    solved = eigenGeneral(
      mass,
      stiffness.map((value, d) => value + sigma * mass[d]),
      n,
    );
  }
  if (!solved) throw new SceneError(['modes'], `the modes of rod '${h.rod.id}' cannot be found about this state`);
  const largest = solved.values[n - 1];
  const modes: { omega: number; column: number }[] = [];
  for (let k = n - 1; k >= 0; k--) {
    if (!(solved.values[k] > 1e-14 * largest)) break;
    if (modes.length === n - (h.hold?.rows ?? 0)) break;
    const square = 1 / solved.values[k] - sigma;
    modes.push({ omega: Math.sign(square) * Math.sqrt(Math.abs(square)), column: k });
  }
  const wanted = modes.slice(0, count);
  poseRod(h, h.q);
  poseEdges(h);
  writeAllJacobians(h);
  const shapes = wanted.map(({ column }) =>
    readShape(
      h,
      Float64Array.from({ length: n }, (_, d) => (solved as NonNullable<typeof solved>).vectors[d * n + column]),
    ),
  );
  poseSamples(h);
  return { rod: h.rod.id, omega: Float64Array.from(wanted, ({ omega }) => omega), shapes };
}

/** Displacements of nodes and turns of edges, the largest displacement 1 (of a torsion mode: the largest turn). */
function readShape(h: HelixRod, x: Float64Array): Modes['shapes'][number] {
  const nodeDisplacement = new Float64Array(3 * h.nodeCount);
  const edgeTwist = new Float64Array(h.edgeCount);
  writeVelocities(h, x, STILL, nodeDisplacement, undefined, edgeTwist);
  let largest = 0;
  let sign = 1;
  for (const value of nodeDisplacement) {
    if (Math.abs(value) <= largest * (1 + 1e-9)) continue;
    largest = Math.abs(value);
    sign = Math.sign(value);
  }
  let turn = 0;
  for (const value of edgeTwist) if (Math.abs(value) > Math.abs(turn)) turn = value;
  const scale = largest > 1e-6 * Math.abs(turn) * h.length ? sign / largest : 1 / turn;
  return { nodeDisplacement: nodeDisplacement.map((u) => scale * u), edgeTwist: edgeTwist.map((u) => scale * u) };
}

export function exportMatrices(h: HelixRod, w: Workspace, t: number): Matrices {
  if (h.hold)
    throw new SceneError(
      ['pins'],
      `rod '${h.rod.id}' is held at both ends, and its curvatures are not independent; use model der for matrices`,
    );
  const n = h.q.length;
  const names = ['κ1', 'κ2', 'τ'];
  const stiffness = writeStiffness(h, w, t).matrix;
  const mass = writeMass(h, w, () => 1);
  const damping = writeMass(h, w, (i) => h.nodeDamping[i]);
  for (let d = 0; d < n; d++) damping[d * (n + 1)] += h.elementDamping[(d / 3) | 0] * h.stiffness[d];
  poseSamples(h);
  return {
    rod: h.rod.id,
    size: n,
    labels: Array.from({ length: n }, (_, d) => `element ${Math.floor(d / 3)} ${names[d % 3]}`),
    mass: collectDense(mass, n),
    stiffness: collectDense(stiffness, n),
    damping: collectDense(damping, n),
  };
}
