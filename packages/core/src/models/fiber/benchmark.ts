/** Work for the benchmark runner: the cost of a Newton iteration. */
import { type CreateBlocks, solveBlocks } from '../../linalg/blockTridiagonal.ts';
import { compileScene } from '../../scene/compileScene.ts';
import type { Scene } from '../../scene/types.ts';
import { largestTurn, predictTension } from './elements.ts';
import { constrainHeld, evaluateHeld, imposeHeld, returnHeld } from './held.ts';
import { initializeState } from './kinematics.ts';
import { createFiberRod } from './rod.ts';
import { assemble, stepImplicit } from './step.ts';
import { createWorkspace } from './workspace.ts';

export function createFiberWork(cuboids: number, create?: CreateBlocks): () => void {
  const scene: Scene = {
    tendril: 1,
    gravity: [0, -9.81, 0],
    rods: [
      {
        id: 'hair',
        model: 'fiber',
        shape: { type: 'straight', from: [0, 0, 0], to: [0.25, 0, 0] },
        edges: cuboids,
        section: { type: 'stiffness', EA: 10.122, EI1: 2.2775e-9, GJ: 1.3614e-9, mass: 3.13e-6 },
      },
    ],
    pins: [{ rod: 'hair', at: 'start' }],
  };
  const { rods, drives } = compileScene(scene);
  const size = 12 * rods[0].nodeCount;
  const state = { q: new Float64Array(size), v: new Float64Array(size), memory: new Float64Array(0) };
  const fiber = createFiberRod(
    { rod: rods[0], drive: drives[0], scene, options: { scaffold: 1e-3 }, warnings: [] },
    state,
  );
  initializeState(fiber);
  evaluateHeld(fiber, 0);
  imposeHeld(fiber, fiber.q);
  const work = createWorkspace(fiber, create);
  const h = 2e-3;
  // a hair in the middle of its fall
  for (let k = 0; k < 100; k++)
    stepImplicit(fiber, work, 'energy-momentum', k * h, h, { tolerance: 1e-6, iterations: 12, depth: 8 });
  return () => {
    assemble(fiber, work, 'energy-momentum', h);
    constrainHeld(fiber, work.matrix, work.residual);
    solveBlocks(work.matrix, work.residual);
    returnHeld(fiber, work.residual);
    largestTurn(fiber, work.elements, work.residual);
    predictTension(fiber, work.elements, work.residual, 1, 0.5);
  };
}
