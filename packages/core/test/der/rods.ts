/** Rods made by hand for tests of the model alone: random, curved, twisted, anisotropic. */
import type { Drive } from '../../src/model.ts';
import { hingeParts } from '../../src/models/der/hinge.ts';
import { planJoints } from '../../src/models/der/jointPlan.ts';
import { evaluatePins, initializeState } from '../../src/models/der/kinematics.ts';
import type { DerOptions } from '../../src/models/der/options.ts';
import { createDerRod, type DerRod, memorySize, unknownCount } from '../../src/models/der/rod.ts';
import type { Pin, Rod } from '../../src/scene/compiled.ts';

export function createRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32 - 0.5;
  };
}

/** A crooked rod with every property different in every half edge. */
export function randomRod(seed: number, edgeCount: number, closed: boolean): Rod {
  const random = createRandom(seed);
  const nodeCount = closed ? edgeCount : edgeCount + 1;
  const fill = (n: number, f: (k: number) => number): Float64Array => Float64Array.from({ length: n }, (_, k) => f(k));
  const nodePosition = new Float64Array(3 * nodeCount);
  for (let i = 0; i < nodeCount; i++) {
    const a = (2 * Math.PI * i) / nodeCount;
    const base = closed ? [Math.cos(a), Math.sin(a), 0] : [0.4 * i, 0.3 * Math.sin(i), 0.2 * Math.cos(2 * i)];
    for (let k = 0; k < 3; k++) nodePosition[3 * i + k] = base[k] + 0.15 * random();
  }
  const edgeDirector = new Float64Array(3 * edgeCount);
  const edgeLengthRest = new Float64Array(edgeCount);
  for (let j = 0; j < edgeCount; j++) {
    const next = (j + 1) % nodeCount;
    const t = [0, 1, 2].map((k) => nodePosition[3 * next + k] - nodePosition[3 * j + k]);
    const length = Math.hypot(...t);
    edgeLengthRest[j] = length * (1 + 0.1 * random());
    const d = [random(), random(), random()];
    const along = (d[0] * t[0] + d[1] * t[1] + d[2] * t[2]) / length ** 2;
    const normal = d.map((x, k) => x - along * t[k]);
    const size = Math.hypot(...normal);
    for (let k = 0; k < 3; k++) edgeDirector[3 * j + k] = normal[k] / size;
  }
  return {
    id: 'random',
    model: 'der',
    closed,
    inextensible: false,
    nodeCount,
    edgeCount,
    length: edgeLengthRest.reduce((a, b) => a + b, 0),
    nodePosition,
    nodeVelocity: new Float64Array(3 * nodeCount),
    edgeSpin: new Float64Array(edgeCount),
    edgeDirector,
    nodeTwist: new Float64Array(nodeCount),
    nodeTangent: new Float64Array(3 * nodeCount),
    nodeDirector: new Float64Array(3 * nodeCount),
    nodeArc: new Float64Array(nodeCount),
    edgeLengthRest,
    edgeEA: fill(edgeCount, () => 30),
    edgeInertia: fill(edgeCount, () => 0.01),
    edgeRadius: fill(edgeCount, () => 0.01),
    nodeMass: fill(nodeCount, () => 1 + 0.3 * random()),
    nodeDamping: new Float64Array(nodeCount),
    halfEI1: fill(2 * edgeCount, () => 1 + random()),
    halfEI2: fill(2 * edgeCount, () => 2 + random()),
    halfGJ: fill(2 * edgeCount, () => 0.8 + random()),
    halfDamping: new Float64Array(2 * edgeCount),
    halfStrainRest: fill(6 * edgeCount, () => 0.4 * random()),
  };
}

/** A pin that holds a frame (and nothing else) at a node. */
export function heldFramePin(node: number): Pin {
  const tangent = [0.8, 0.6, 0];
  const director = [0, 0, 1];
  return {
    rod: 0,
    node,
    holdX: false,
    holdY: false,
    holdZ: false,
    orientation: 'frame',
    holds: () => true,
    evaluate(pose) {
      pose.tangent.set(tangent);
      pose.director.set(director);
      pose.twist = 0.3;
      pose.active = true;
    },
  };
}

export function makeDerRod(rod: Rod, options: DerOptions = {}, drive: Drive = { pins: [], sources: [] }): DerRod {
  const size = unknownCount(rod);
  const plan = planJoints(rod, drive.pins);
  const memory = new Float64Array(memorySize(rod, plan.count));
  const [q, v] = [new Float64Array(size), new Float64Array(size)];
  const der = createDerRod({ rod, drive, options, plan, hinges: hingeParts, q, v, memory });
  evaluatePins(der, 0);
  initializeState(der, new Float64Array(3 * rod.edgeCount));
  return der;
}
