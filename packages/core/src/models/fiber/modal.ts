/** Natural modes about the current state, by subspace iteration, and the matrices M, K, C. */

import { SceneError } from '../../errors.ts';
import { factorSymmetric, solveSymmetric } from '../../linalg/blockSymmetric.ts';
import { type BlockTridiagonal, multiplyBlocks } from '../../linalg/blockTridiagonal.ts';
import { findLowestModes } from '../../linalg/subspace.ts';
import { pow } from '../../math/rounded/index.ts';
import type { Matrices, Modes, SparseSymmetric } from '../../model.ts';
import { constrainHeld, constrainRight, evaluateHeld, freeHeld, returnHeld, turnHeld } from './held.ts';
import { poseSamples } from './kinematics.ts';
import { applyMass, type FiberRod, updateStiffness } from './rod.ts';
import { staticWorkOf } from './statics.ts';
import { addMassMatrix } from './step.ts';
import { assembleTangent, measureLoadJacobian } from './tangent.ts';
import type { Workspace } from './workspace.ts';

/** Tangent stiffness, and the part of the loads in it; rejects loads that have no potential. */
function assembleConservative(fiber: FiberRod, work: Workspace, t: number): void {
  const { jacobian } = staticWorkOf(fiber);
  updateStiffness(fiber, t);
  evaluateHeld(fiber, t);
  work.elements.edgeChi.fill(0);
  work.elements.ringChi.fill(0);
  measureLoadJacobian(jacobian, fiber, t);
  if (jacobian.asymmetry > 1e-4) {
    throw new SceneError(
      ['loads'],
      `rod '${fiber.rod.id}' has loads without a potential, so it has no natural modes; use \`run\`, or remove followers, torques and wind from the scene`,
    );
  }
  assembleTangent(fiber, work, t, 'exact', jacobian, 'symmetric');
  poseSamples(fiber, fiber.q, fiber.v);
}

/** A typical ω² of slow bending: EI/(m L⁴). */
function softestRatio(fiber: FiberRod): number {
  const { weight } = staticWorkOf(fiber);
  let ratio = Infinity;
  for (let i = 0; i < fiber.ringCount; i++) ratio = Math.min(ratio, (4 * weight[12 * i]) / fiber.ringMass[i]);
  return ratio / pow(fiber.edgeCount, 4);
}

export function findModes(fiber: FiberRod, work: Workspace, t: number, count: number): Modes {
  const { size } = fiber;
  const { factor } = staticWorkOf(fiber);
  assembleConservative(fiber, work, t);
  const stiffness = copyBlocks(work.matrix);
  const soft = softestRatio(fiber);
  const held = fiber.held.reduce((sum, ring) => sum + ring.fixed.reduce((a, b) => a + b, 0), 0);
  addMassMatrix(fiber, work.matrix, () => 1e-3 * soft);
  constrainHeld(fiber, work.matrix, undefined);
  factorSymmetric(factor, work.matrix, 0, new Float64Array(size), 'count-negative');
  const { values, vectors } = findLowestModes(
    {
      modeCount: size - held,
      multiplyMass: (y, x) => applyMass(y, fiber, x),
      createStart(random) {
        const x = new Float64Array(size).map(random);
        freeHeld(fiber, x);
        return x;
      },
      soft,
      solve(x) {
        constrainRight(fiber, x);
        solveSymmetric(factor, x);
        returnHeld(fiber, x);
        freeHeld(fiber, x);
      },
      multiply: (y, x) => multiplyBlocks(y, stiffness, x),
    },
    count,
  );
  const omega = values.map((value) => Math.sign(value) * Math.sqrt(Math.abs(value)));
  return { rod: fiber.rod.id, omega, shapes: vectors.map((x) => normalizedShape(fiber, x)) };
}

function copyBlocks({ count, diagonal, upper, lower }: BlockTridiagonal): BlockTridiagonal {
  return { count, diagonal: diagonal.slice(), upper: upper.slice(), lower: lower.slice() };
}

/** Displacement of nodes, and twist of edges by how the rings turn about their normals. */
function normalizedShape(fiber: FiberRod, x: Float64Array): Modes['shapes'][number] {
  const { ringCount, edgeCount, rod } = fiber;
  const keep = { position: fiber.samples.nodePosition.slice(), velocity: fiber.samples.nodeVelocity.slice() };
  // the mode as a velocity: the samples then contain its shape
  poseSamples(fiber, fiber.q, x);
  const nodeDisplacement = fiber.samples.nodeVelocity.slice();
  const edgeTwist = fiber.samples.edgeSpin.slice();
  poseSamples(fiber, fiber.q, fiber.v);
  fiber.samples.nodePosition.set(keep.position);
  let largest = 0;
  let sign = 1;
  for (let k = 0; k < 3 * ringCount; k++) {
    if (Math.abs(nodeDisplacement[k]) > largest * (1 + 1e-9)) {
      largest = Math.abs(nodeDisplacement[k]);
      sign = Math.sign(nodeDisplacement[k]);
    }
  }
  let turn = 0;
  for (let j = 0; j < edgeCount; j++) if (Math.abs(edgeTwist[j]) > Math.abs(turn)) turn = edgeTwist[j];
  // a torsion mode hardly moves the nodes: it is scaled by its angle instead
  const scale = largest > 1e-6 * Math.abs(turn) * rod.length ? sign / largest : 1 / turn;
  return { nodeDisplacement: nodeDisplacement.map((d) => scale * d), edgeTwist: edgeTwist.map((d) => scale * d) };
}

export function exportMatrices(fiber: FiberRod, work: Workspace, t: number): Matrices {
  const { size, ringCount, ringDamping, rod } = fiber;
  assembleConservative(fiber, work, t);
  const free: number[] = [];
  // a ring that is held in part counts in the basis of its pin: mean, first axis, second axis, warp
  const partly = fiber.held.filter((ring) => ring.active && !ring.full);
  for (let d = 0; d < size; d++) {
    const held = fiber.held.find((ring) => ring.active && ring.ring === ((d / 12) | 0));
    if (!held?.fixed[d % 12]) free.push(d);
  }
  const axes = ['x', 'y', 'z'];
  const parts = ['mean', 'axis 1', 'axis 2', 'warp'];
  const labels = free.map((d) => {
    const ring = (d / 12) | 0;
    const turned = partly.find((held) => held.ring === ring);
    const spins = turned && turned.framePin >= 0 && d % 12 > 2;
    const part = turned ? parts[((d % 12) / 3) | 0] : `corner ${((d % 12) / 3) | 0}`;
    return `node ${ring} ${part} ${spins ? `direction ${(d % 3) + 1}` : axes[d % 3]}`;
  });
  for (const ring of partly) turnHeld(ring, work.matrix);
  const stiffness = collect(work.matrix, free);
  const elastic = copyBlocks(work.matrix);
  work.matrix.diagonal.fill(0);
  work.matrix.upper.fill(0);
  work.matrix.lower.fill(0);
  addMassMatrix(fiber, work.matrix, () => 1);
  for (const ring of partly) turnHeld(ring, work.matrix);
  const mass = collect(work.matrix, free);
  // damping: mass part of each ring, and α1 K if α1 is uniform
  for (let i = 0; i < ringCount; i++)
    for (let k = 144 * i; k < 144 * i + 144; k++)
      work.matrix.diagonal[k] = ringDamping[i] * work.matrix.diagonal[k] + fiber.ringViscosity[i] * elastic.diagonal[k];
  for (let k = 0; k < elastic.upper.length; k++) {
    const viscosity = fiber.edgeViscosity[Math.min((k / 144) | 0, fiber.edgeCount - 1)];
    work.matrix.upper[k] = viscosity * elastic.upper[k];
  }
  return {
    rod: rod.id,
    size: free.length,
    labels,
    unknowns: free,
    mass,
    stiffness,
    damping: collect(work.matrix, free),
  };
}

/** Non-zero entries of the lower triangle among the free unknowns. */
function collect({ diagonal, upper }: BlockTridiagonal, free: readonly number[]): SparseSymmetric {
  const row: number[] = [];
  const column: number[] = [];
  const value: number[] = [];
  free.forEach((d, i) => {
    const a = (d / 12) | 0;
    for (let j = i; j >= 0 && a - ((free[j] / 12) | 0) < 2; j--) {
      const b = (free[j] / 12) | 0;
      const entry =
        a === b ? diagonal[144 * a + 12 * (d % 12) + (free[j] % 12)] : upper[144 * b + 12 * (free[j] % 12) + (d % 12)];
      if (entry === 0) continue;
      row.push(i);
      column.push(j);
      value.push(entry);
    }
  });
  return { row: Int32Array.from(row), column: Int32Array.from(column), value: Float64Array.from(value) };
}
