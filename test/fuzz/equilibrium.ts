/**
 * Equilibria from outside, without the core's own residual and audit: what a user reads of an equilibrium (positions, `reactions()`, `energies()`) must agree.
 *
 * Balance: forces and torques of pins, weight and dead loads on the whole rod add up to nothing. Work: with all loads multiplied by λ, the total potential
 * energy Π(λ) = U + λW changes by dΠ/dλ = W where x(λ) is an equilibrium (Castigliano); a residual r adds r · dx/dλ. This compares forces with
 * energies, which the balance of a cantilever does not: a reaction computed from the loads balances in every shape.
 */
import type { World } from '@tendril-sim/core';
import { sceneFromObject } from '@tendril-sim/io';
import { isJudged, potentialOf } from './energy.ts';
import type { Open } from './runScene.ts';
import type { Json, SceneJson } from './scenes.ts';

/** Part of the forces on a rod and of the work that may be missing. The core's audit accepts 1e-3 for forces. */
const tolerance = { balance: 1e-3, work: 1e-2 };

/** Change of the loads for the work, and how far the rod may move with it, in its length: farther, and it may have taken another branch. */
const change = { loads: 0.02, motion: 0.1 };

/** What is wrong with an equilibrium that the world has found; undefined also where it cannot be told from outside. */
export function findImbalance(json: SceneJson, world: World, open: Open): string | undefined {
  if (!isJudged(json) || json.colliders !== undefined || hasWeightBeside(json) || hasLaw(json)) return undefined;
  return findUnbalancedRod(json, world) ?? findMissingWork(json, world, open);
}

/** Weight of `massspring` acts on particles beside the centreline, which only the core's audit knows (core/test/statics/audit.test.ts). */
function hasWeightBeside({ rods, gravity }: SceneJson): boolean {
  return gravity !== undefined && (rods as readonly SceneJson[]).some(({ model }) => model === 'massspring');
}

/** Energies of a law depend on the path. */
const hasLaw = ({ rods }: SceneJson): boolean => (rods as readonly SceneJson[]).some(({ law }) => law !== undefined);

type Triple = [number, number, number];

const add = (out: Triple, v: ArrayLike<number>): void => {
  for (let k = 0; k < 3; k++) out[k] += v[k];
};
const cross = (a: ArrayLike<number>, b: ArrayLike<number>): Triple => [
  a[1] * b[2] - a[2] * b[1],
  a[2] * b[0] - a[0] * b[2],
  a[0] * b[1] - a[1] * b[0],
];
const sizeOf = (v: ArrayLike<number>): number => Math.hypot(v[0], v[1], v[2]);

interface Force {
  readonly node: number;
  readonly force: ArrayLike<number>;
  readonly torque?: ArrayLike<number>;
}

/** Weight, dead loads and pins of one rod. */
function forcesOn(json: SceneJson, world: World, r: number): Force[] {
  const { id, nodeMass, nodeCount, closed } = world.rods[r];
  const gravity = (json.gravity ?? [0, 0, 0]) as Triple;
  const loads = ((json.loads ?? []) as readonly SceneJson[]).filter(({ rod }) => rod === id);
  return [
    ...Array.from(nodeMass, (mass, node) => ({ node, force: gravity.map((g) => mass * g) })),
    ...loads.map(({ at, force }) => ({
      node: at === 'start' || closed ? 0 : nodeCount - 1,
      force: force as Triple,
    })),
    ...world.reactions().filter(({ rod }) => rod === id),
  ];
}

function findUnbalancedRod(json: SceneJson, world: World): string | undefined {
  for (const [r, { id, length, halfEI1, halfEI2 }] of world.rods.entries()) {
    const x = world.samples[r].nodePosition;
    const [force, torque]: [Triple, Triple] = [
      [0, 0, 0],
      [0, 0, 0],
    ];
    // a part in 1e9 of the force that bends the rod to a circle is rounding
    let acting = (1e-6 * Math.max(halfEI1[0], halfEI2[0])) / length ** 2;
    for (const { node, force: f, torque: m = [0, 0, 0] } of forcesOn(json, world, r)) {
      const arm = [0, 1, 2].map((k) => x[3 * node + k] - x[k]);
      add(force, f);
      add(torque, cross(arm, f));
      add(torque, m);
      acting += sizeOf(f) + sizeOf(m) / length;
    }
    const missing = Math.max(sizeOf(force), sizeOf(torque) / length);
    if (!(missing <= tolerance.balance * acting))
      return `forces on '${id}' leave ${missing.toExponential(2)} N of ${acting.toExponential(2)} N`;
  }
  return undefined;
}

interface Equilibrium {
  /** Elastic energy, and the potential of all loads before they are multiplied [J]. */
  readonly elastic: number;
  readonly potential: number;
  readonly positions: readonly Float64Array[];
}

const readEquilibrium = (json: SceneJson, world: World): Equilibrium => {
  const { bending, twisting, stretching } = world.energies();
  const positions = world.samples.map(({ nodePosition }) => nodePosition.slice());
  return { elastic: bending + twisting + stretching, potential: potentialOf(json, world), positions };
};

/** The scene with all its loads multiplied. */
function loadScene(json: SceneJson, factor: number): SceneJson {
  const multiply = (value: Json | undefined): Json => (value as Triple).map((one) => factor * one);
  const loads = (json.loads ?? []) as readonly SceneJson[];
  return {
    ...json,
    ...(json.gravity !== undefined && { gravity: multiply(json.gravity) }),
    ...(json.loads !== undefined && { loads: loads.map((load) => ({ ...load, force: multiply(load.force) })) }),
  };
}

/** The scaffold of `fiber` is as wide as its loads allow, so another load makes another rod, where stretch has a noticeable part of the energy. */
function dependsOnLoads(json: SceneJson, world: World): boolean {
  const { bending, twisting, stretching } = world.energies();
  const isFiber = (json.rods as readonly SceneJson[]).some(({ model }) => model === 'fiber');
  return isFiber && stretching > tolerance.work * (bending + twisting);
}

function findMissingWork(json: SceneJson, world: World, open: Open): string | undefined {
  if (dependsOnLoads(json, world)) return undefined;
  const here = readEquilibrium(json, world);
  const unloaded = potentialOf(json, open(sceneFromObject(json)));
  const [less, more] = [1 - change.loads, 1 + change.loads].map((factor) => {
    const other = open(sceneFromObject(loadScene(json, factor)));
    // a remark: folded edges, whose equilibria are many
    if (other.equilibrate(0).some(({ converged, stable, remark }) => !converged || !stable || remark)) return undefined;
    const read = readEquilibrium(json, other);
    const moved = Math.max(
      ...read.positions.map((x, r) => Math.max(...x.map((one, k) => Math.abs(one - here.positions[r][k])))),
    );
    return moved > change.motion * Math.min(...world.rods.map(({ length }) => length)) ? undefined : read;
  });
  if (!less || !more) return undefined;
  // one of the three is another equilibrium of the same rods, close by
  const bend = Math.abs(less.elastic - 2 * here.elastic + more.elastic);
  if (bend > 0.5 * Math.abs(more.elastic - less.elastic)) return undefined;
  const work = (one: Equilibrium): number => one.potential - unloaded;
  const gained = more.elastic - less.elastic + (1 + change.loads) * work(more) - (1 - change.loads) * work(less);
  // Simpson's rule over the three equilibria
  const expected = (change.loads / 3) * (work(less) + 4 * work(here) + work(more));
  // what moving by dx does to either energy: a residual shows against this, however small it is beside the whole
  const scale = Math.abs(more.elastic - less.elastic) + Math.abs(work(more) - work(less));
  const noise = 1e-12 * (Math.abs(here.potential) + Math.abs(unloaded) + here.elastic);
  if (Math.abs(gained - expected) <= tolerance.work * scale + noise) return undefined;
  return `loads that grow by ${200 * change.loads} % do ${expected.toExponential(4)} J of work, and the potential energy changes by ${gained.toExponential(4)} J, of ${scale.toExponential(2)}`;
}
