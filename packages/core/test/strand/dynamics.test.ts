import { describe, expect, it } from 'vitest';
import { createDeparture, depart } from '../../src/models/strand/departure.ts';
import { compileDirection } from '../../src/models/strand/direction.ts';
import { poseSamples } from '../../src/models/strand/kinematics.ts';
import { writeMassMatrix } from '../../src/models/strand/massMatrix.ts';
import { factorSweep, solveSweep } from '../../src/models/strand/newton.ts';
import { evaluateResidual, sweepForces, writeTorques } from '../../src/models/strand/residual.ts';
import type { StrandTree } from '../../src/models/strand/rod.ts';
import { multiplyTangent } from '../../src/models/strand/tangent.ts';
import { createSweep } from '../../src/models/strand/terms.ts';
import { createStepWork, placeTrial, setFormula, writePast } from '../../src/models/strand/trial.ts';
import type { Scene } from '../../src/scene/types.ts';
import { createArticulatedWork, factorArticulated, solveArticulated } from './articulated.ts';
import { branchedScene, createRandomTree, randomNumbers } from './trees.ts';

const largest = (values: ArrayLike<number>): number => Math.max(...Array.from(values, Math.abs));
const chainScene = (): Scene => {
  const scene = branchedScene();
  return { ...scene, rods: [scene.rods[0]], loads: [] };
};
const scenes = [
  ['chain', chainScene()],
  ['branched tree', branchedScene()],
] as const;
const T = 0.6;

/** External loads of every link in its own axes, from the residual itself: what is left of force without motion. */
function loadsOf(tree: StrandTree): Float64Array {
  const { world, tipForce, linkTorque, length, spinDamping, motion } = tree;
  const out = new Float64Array(6 * tree.linkCount);
  for (let j = 0; j < tree.linkCount; j++) {
    const back = (v: Float64Array): number[] =>
      [0, 1, 2].map((k) => [0, 1, 2].reduce((sum, i) => sum + world[9 * j + 3 * i + k] * v[3 * j + i], 0));
    const f = back(tipForce);
    const n = back(linkTorque);
    const l = length[j];
    out.set([n[0] - l * f[1], n[1] + l * f[0], n[2] - spinDamping[j] * motion[6 * j + 2], ...f], 6 * j);
  }
  return out;
}

describe.each(scenes)('residual, articulated bodies and composite bodies on a %s', (_, scene) => {
  const tree = createRandomTree(scene, 'gibbs', 7);
  const n = 3 * tree.linkCount;
  evaluateResidual(tree, T, tree.originRate, 'new-time');
  const loads = loadsOf(tree);
  const torque = tree.torque.slice();
  const work = createArticulatedWork(tree.linkCount);
  const rates = new Float64Array(n);
  const good = factorArticulated(tree, work, undefined);
  solveArticulated(rates, tree, work, torque, loads, false);
  const mass = new Float64Array((n + 3) ** 2);
  writeMassMatrix(mass, tree);

  it('agree: the residual vanishes at the rates of the articulated bodies', () => {
    expect(good).toBe(true);
    const before = largest(tree.residual.subarray(0, n));
    expect(before).toBeGreaterThan(0.1);
    tree.rate.set(rates);
    evaluateResidual(tree, T, tree.originRate, 'new-time');
    expect(largest(tree.residual.subarray(0, n))).toBeLessThan(1e-12 * Math.max(1, before));
  });

  it('agree: the composite-body matrix times the rates is what the residual needs without them', () => {
    tree.rate.fill(0);
    evaluateResidual(tree, T, tree.originRate, 'new-time');
    const missing = Array.from(
      { length: n },
      (_unused, r) => rates.reduce((sum, rate, c) => sum + mass[r * (n + 3) + c] * rate, 0) + tree.residual[r],
    );
    expect(largest(missing)).toBeLessThan(1e-12 * largest(tree.residual.subarray(0, n)) * 10);
    expect(largest(rates)).toBeGreaterThan(1);
    for (let r = 0; r < n; r++)
      for (let c = 0; c < r; c++) expect(mass[r * (n + 3) + c]).toBeCloseTo(mass[c * (n + 3) + r], 13);
  });
});

describe('the port', () => {
  it('gives the same power on samples and on joints', () => {
    const tree = createRandomTree({ ...branchedScene(), pins: [{ rod: 'trunk', at: 'start' }] }, 'gibbs', 3);
    // a base at rest does no work; damping and inertia aside, the loads' power is −residual·rates without springs
    evaluateResidual(tree, T, undefined, 'new-time');
    evaluateResidual(tree, T, tree.originRate, 'new-time');
    poseSamples(tree);
    let power = 0;
    for (const { rod, samples, loads, firstLink } of tree.rods) {
      for (let k = 0; k < 3 * rod.nodeCount; k++) power += loads.nodeForce[k] * samples.nodeVelocity[k];
      for (let i = 0; i < rod.nodeCount; i++) {
        const c = rod.nodeMass[i] * rod.nodeDamping[i];
        for (let k = 0; k < 3; k++) power -= c * samples.nodeVelocity[3 * i + k] ** 2;
      }
      for (let j = 0; j < rod.edgeCount; j++) {
        const link = firstLink + j;
        power -= tree.spinDamping[link] * tree.motion[6 * link + 2] ** 2;
        for (let k = 0; k < 3; k++) {
          const spin = [0, 1, 2].reduce(
            (sum, i) => sum + tree.world[9 * link + 3 * k + i] * tree.motion[6 * link + i],
            0,
          );
          power += loads.edgeTorque[3 * j + k] * spin;
        }
      }
    }
    tree.force.fill(0);
    const loads = loadsOf(tree);
    for (let k = 0; k < tree.force.length; k++) tree.force[k] = -loads[k];
    tree.torque.fill(0);
    sweepForces(tree, undefined);
    let joints = 0;
    for (let k = 0; k < 3 * tree.linkCount; k++) joints -= tree.residual[k] * tree.v[3 + k];
    expect(Math.abs(power)).toBeGreaterThan(1);
    expect(joints).toBeCloseTo(power, 10);
  });

  it('gives velocities that are the rates of the positions', () => {
    const tree = createRandomTree(branchedScene(), 'gibbs', 11);
    const work = createStepWork(tree.linkCount, createSweep(tree.linkCount));
    work.q0.set(tree.q);
    const velocity = tree.v.slice();
    const place = (h: number): Float64Array[] => {
      const phi = new Float64Array(3 * tree.linkCount + 3);
      for (let k = 0; k < 3 * tree.linkCount; k++) phi[k] = h * velocity[3 + k];
      setFormula(1, 1, 1);
      placeTrial(tree, work, phi, 'values');
      tree.v.set(velocity);
      evaluateResidual(tree, T + h, tree.originRate, 'new-time');
      poseSamples(tree);
      return tree.rods.map(({ samples }) => samples.nodePosition.slice());
    };
    const h = 1e-5;
    const after = place(h);
    const before = place(-h);
    place(0);
    tree.rods.forEach(({ samples }, r) => {
      const rate = after[r].map((x, k) => (x - before[r][k]) / (2 * h));
      expect(largest(rate)).toBeGreaterThan(0.5);
      rate.forEach((value, k) => {
        expect(samples.nodeVelocity[k]).toBeCloseTo(value, 7);
      });
    });
  });
});

const posed = (timeScale: number): Scene => ({
  ...chainScene(),
  solver: {
    strand: {
      direct: [
        {
          timeScale,
          pose: {
            strength: 300,
            damping: 8,
            keys: [
              { time: 0, curvature: 'initial' as const },
              { time: 1, curvature: [1, 0.5, -0.3] as const },
            ],
          },
        },
      ],
    },
  },
});

describe.each([
  ['pinned, one step behind', branchedScene(), 1],
  ['pinned, two steps behind', branchedScene(), 2],
  ['a chain that is pulled to a pose', posed(1), 2],
  ['free', { ...branchedScene(), pins: [] }, 2],
  [
    'free along x, held frame',
    { ...branchedScene(), pins: [{ rod: 'trunk', at: 'start' as const, axes: ['y', 'z'] as const }] },
    2,
  ],
  [
    'direction held',
    {
      ...branchedScene(),
      pins: [
        { rod: 'trunk', at: 'start' as const, hold: 'tangent' as const },
        { rod: 'trunk', at: 'start' as const, hold: 'position' as const },
      ],
    },
    2,
  ],
  ['by places, pinned', branchedScene(), 0],
  ['by places, pulled to a pose, with less of its base', posed(0.6), 0],
  ['by places, free', { ...branchedScene(), pins: [] }, 0],
] as const)('Newton matrix of a tree: %s', (_, scene, formula) => {
  // 0: implicit Euler of places, as in contact
  const order = Math.max(1, formula);

  it.each(['gibbs', 'swing-twist', 'paper'] as const)('is exact with %s', (law) => {
    const tree = createRandomTree(scene, law, 5);
    const sweep = createSweep(tree.linkCount);
    const work = createStepWork(tree.linkCount, sweep);
    const size = 3 * tree.linkCount + 3;
    const random = randomNumbers(9);
    if (tree.rods.length === 1) tree.direction = compileDirection(tree, scene);
    if (tree.direction?.scale) tree.trueMotion = new Float64Array(6 * tree.linkCount);
    const h = 0.03;
    setFormula(h, 0.02, order);
    tree.history.q1.set(tree.q);
    for (let k = 0; k < tree.history.v1.length; k++) tree.history.v1[k] = random();
    work.q0.set(tree.q);
    work.v0.set(tree.v);
    writePast(work.past, work.q0, tree.history.q1, tree.linkCount);
    for (let k = 0; k < size; k++) work.past[k] += 0.1 * random();
    const phi = Float64Array.from({ length: size }, () => 0.4 * random());
    if (formula === 0) {
      poseSamples(tree);
      const departure = createDeparture(
        tree.linkCount,
        tree.rods.map(({ samples }) => samples.nodePosition.slice()),
      );
      depart(tree, departure, T - h, h);
      tree.departure = departure;
    }
    const residualAt = (x: Float64Array): Float64Array => {
      placeTrial(tree, work, x, 'slopes');
      evaluateResidual(tree, T, tree.originRate, 'new-time');
      return tree.residual.slice();
    };
    residualAt(phi);
    sweep.columns = formula === 0 ? 6 : 18;
    const at = tree.residual.slice();
    const free = Array.from({ length: size }, (_unused, k) => k < size - 3 || tree.base.free[k - size + 3] === 1);
    const x = Float64Array.from({ length: size }, (_unused, k) => (free[k] ? random() : 0));
    sweep.coefficient = setFormula(h, 0.02, order) / h;
    const product = new Float64Array(size);
    multiplyTangent(product, tree, sweep, x);
    // the loads of this scene depend on the place through drag only
    expect(factorSweep(tree, sweep, 0)).toBe(true);
    const solved = new Float64Array(size);
    solveSweep(solved, tree, sweep, { residual: product });
    for (let k = 0; k < size; k++) expect(solved[k] + x[k]).toBeCloseTo(0, 8);
    const e = 1e-5;
    const plus = residualAt(phi.map((p, k) => p + e * x[k]));
    const minus = residualAt(phi.map((p, k) => p - e * x[k]));
    const slope = plus.map((value, k) => (value - minus[k]) / (2 * e));
    const scale = largest(slope);
    expect(scale).toBeGreaterThan(1);
    expect(largest(at)).toBeGreaterThan(0.01);
    slope.forEach((value, k) => {
      expect(Math.abs(value - product[k]) / scale).toBeLessThan(2e-8);
    });
  });
});

describe('static tangent', () => {
  it('is exact, and symmetric in equilibrium', () => {
    const tree = createRandomTree({ ...branchedScene(), fields: [], loads: [] }, 'gibbs', 5);
    tree.v.fill(0);
    const sweep = createSweep(tree.linkCount);
    sweep.columns = 6;
    sweep.coefficient = 0;
    for (let j = 0; j < tree.linkCount; j++) for (let k = 0; k < 3; k++) sweep.turn[9 * j + 4 * k] = 1;
    const size = 3 * tree.linkCount + 3;
    const random = randomNumbers(2);
    const x = Float64Array.from({ length: size }, (_unused, k) => (k < size - 3 ? random() : 0));
    const work = createStepWork(tree.linkCount, sweep);
    work.q0.set(tree.q);
    setFormula(1, 1, 1);
    const residualAt = (amount: number): Float64Array => {
      placeTrial(
        tree,
        work,
        x.map((value) => amount * value),
        'values',
      );
      tree.v.fill(0);
      evaluateResidual(tree, T, undefined, 'new-time');
      return tree.residual.slice();
    };
    const e = 1e-5;
    const plus = residualAt(e);
    const minus = residualAt(-e);
    residualAt(0);
    const product = new Float64Array(size);
    multiplyTangent(product, tree, sweep, x);
    const scale = largest(product);
    expect(scale).toBeGreaterThan(0.1);
    product.forEach((value, k) => {
      expect(Math.abs(value - (plus[k] - minus[k]) / (2 * e)) / scale).toBeLessThan(1e-8);
    });
    writeTorques(tree);
  });
});
