/** Trees in a random state, for tests of the recursions. */

import type { JointLaw } from '../../src/models/strand/energy.ts';
import { initializeState } from '../../src/models/strand/kinematics.ts';
import { findTrees } from '../../src/models/strand/model.ts';
import { createTree, memoryCount, positionCount, type StrandTree, velocityCount } from '../../src/models/strand/rod.ts';
import { compileScene } from '../../src/scene/compileScene.ts';
import type { Scene } from '../../src/scene/types.ts';

export function randomNumbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return (2 * state) / 2 ** 32 - 1;
  };
}

/** A bent strip with two branches, on a base that turns and travels. */
export function branchedScene(changes: Partial<Scene> = {}): Scene {
  const section = {
    type: 'stiffness' as const,
    EI1: 0.02,
    EI2: 0.05,
    GJ: 0.03,
    mass: { formula: '1 + u' },
    inertia: 0.004,
    damping: { mass: 0.7, stiffness: 0.02 },
  };
  return {
    tendril: 1,
    gravity: [0.3, -0.2, -9.81],
    rods: [
      {
        id: 'trunk',
        model: 'strand',
        shape: { type: 'arc', from: [0, 0, 0], tangent: [0, 0, 1], normal: [1, 0.3, 0], radius: 1, angle: 1.2 },
        edges: 5,
        section,
      },
      {
        id: 'branch',
        model: 'strand',
        parent: { rod: 'trunk', at: { node: 3 } },
        shape: { type: 'straight', from: [0.238298501234, 0.07148955037, 0.660969857866], to: [0.5, 0.9, 0.8] },
        edges: 4,
        section,
      },
      {
        id: 'twig',
        model: 'strand',
        parent: { rod: 'branch', at: 'end' },
        shape: { type: 'straight', from: [0.5, 0.9, 0.8], to: [0.3, 1.1, 1.2] },
        edges: 3,
        section,
      },
    ],
    pins: [
      {
        rod: 'trunk',
        at: 'start',
        path: {
          keys: [
            { time: 0, offset: [0, 0, 0], rotation: [0, 0, 0], twist: 0 },
            { time: 1, offset: [0.4, 0.2, -0.3], rotation: [0.7, -0.4, 0.9], twist: 0.5 },
            { time: 2, offset: [-0.1, 0.5, 0.3], rotation: [-0.3, 0.8, 0.2], twist: -0.4 },
          ],
        },
      },
    ],
    loads: [
      { type: 'force', rod: 'twig', at: 'end', force: [1, 2, -0.5] },
      { type: 'torque', rod: 'branch', at: 'end', torque: [0.1, -0.2, 0.3] },
    ],
    fields: [{ type: 'air', wind: [2, -1, 0.5], linear: [0.3, 0.3] }],
    ...changes,
  };
}

export function createRandomTree(scene: Scene, law: JointLaw, seed: number): StrandTree {
  const { rods, drives } = compileScene(scene);
  const [parts] = findTrees(rods, drives, scene);
  const links = parts.reduce((sum, { rod }) => sum + rod.edgeCount, 0);
  const tree = createTree(parts, law, {
    q: new Float64Array(positionCount(links)),
    v: new Float64Array(velocityCount(links)),
    memory: new Float64Array(memoryCount(links)),
  });
  initializeState(tree);
  const random = randomNumbers(seed);
  for (let j = 0; j < links; j++) {
    for (let k = 0; k < 4; k++) tree.q[3 + 4 * j + k] += 0.3 * random();
    const size = Math.hypot(...tree.q.subarray(3 + 4 * j, 7 + 4 * j));
    for (let k = 0; k < 4; k++) tree.q[3 + 4 * j + k] /= size;
    for (let k = 0; k < 3; k++) tree.v[3 + 3 * j + k] = 2 * random();
    for (let k = 0; k < 3; k++) tree.rate[3 * j + k] = 5 * random();
  }
  return tree;
}
