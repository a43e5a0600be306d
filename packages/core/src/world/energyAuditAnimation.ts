/**
 * Work and momentum that animated properties (`animate`) give to rods over a step, for the energy audit.
 *
 * A property that changes while a rod stands still changes its energy. The change from the properties at the start of a step
 * to those at its end is evaluated for the state at the start and for the state at the end: the work is the mean of both, and half of their difference
 * the uncertainty. Growing rest lengths work against the tensions, and a growing radius works against the contacts. Added mass moves with its rod
 * and adds momentum.
 */
import type { ContactForce } from '../contact/report.ts';
import { hypot, square } from '../math/rounded/index.ts';
import type { Bundle } from '../model.ts';
import type { Samples } from '../port.ts';
import { animates } from '../scene/animate.ts';
import { type AnimatedWorld, animateRods } from './animateRods.ts';
import type { AuditedRod, RodMomentum, Work } from './auditedRod.ts';
import { measureMomentum } from './energyAuditMomentum.ts';

/** The parts of a world that the audit reads. */
export interface AuditedWorld extends AnimatedWorld {
  readonly samples: readonly Samples[];
  readonly placeOfRod: readonly { readonly bundle: Bundle; readonly index: number }[];
  readonly contact: { forces(t: number): readonly ContactForce[] } | undefined;
}

export interface AnimationAudit {
  /** The rods are at the start of a step from `from` to `to`, with this energy. */
  begin(from: number, to: number, energy: number): true;
  /**
   * The rods are at t. Adds the work since `begin`, and notes the momentum given to each rod; properties are then those of the end that was announced.
   * False if the step ended elsewhere.
   */
  addWork(work: Work, t: number): boolean;
}

/** A rod whose rest lengths change. Its stretch is counted edge by edge: at rest, the growth of a stiff edge would store far too much energy. */
interface Growing {
  /** Returns by how much stretch changes the measured energy [J], from the properties at the first to those at the second time, with the rod at rest. */
  change(from: number, to: number): number;
  begin(): void;
  /** Adds the work of the tensions instead. */
  addWork(work: Work): void;
}

function createGrowing(world: AuditedWorld, r: number): Growing {
  const { rods, samples, placeOfRod } = world;
  const { edgeCount, nodeCount, edgeLengthRest, edgeEA, inextensible } = rods[r];
  const { bundle, index } = placeOfRod[r];
  const make = (): Float64Array => new Float64Array(edgeCount);
  const [length, tension, stiffness, lengthNow, tensionNow, stiffnessNow] = [
    make(),
    make(),
    make(),
    make(),
    make(),
    make(),
  ];
  const elongation = (j: number): number => {
    const { nodePosition: x } = samples[r];
    const [a, b] = [3 * j, 3 * ((j + 1) % nodeCount)];
    return hypot(x[b] - x[a], x[b + 1] - x[a + 1], x[b + 2] - x[a + 2]) - edgeLengthRest[j];
  };
  const read = (lengths: Float64Array, tensions: Float64Array, stiffnesses: Float64Array): void => {
    lengths.set(edgeLengthRest);
    if (inextensible) bundle.readChannel(tensions, index, 'tension');
    else
      for (let j = 0; j < edgeCount; j++) {
        stiffnesses[j] = edgeEA[j] / edgeLengthRest[j];
        tensions[j] = stiffnesses[j] * elongation(j);
      }
  };
  const stored = (): number => {
    let sum = 0;
    for (let j = 0; j < edgeCount; j++) sum += (0.5 * edgeEA[j] * square(elongation(j))) / edgeLengthRest[j];
    return sum;
  };
  return {
    change(from, to) {
      if (inextensible) return 0;
      animateRods(world, from);
      const before = stored();
      animateRods(world, to);
      return stored() - before;
    },
    begin: () => read(length, tension, stiffness),
    addWork(work) {
      read(lengthNow, tensionNow, stiffnessNow);
      for (let j = 0; j < edgeCount; j++) {
        const grown = lengthNow[j] - length[j];
        work.done -= 0.5 * (tension[j] + tensionNow[j]) * grown;
        work.doubt += 0.5 * Math.abs((tensionNow[j] - tension[j]) * grown);
        if (inextensible) continue;
        const soft = square(tension[j] / stiffness[j]) + square(tensionNow[j] / stiffnessNow[j]);
        work.done += 0.25 * (stiffnessNow[j] - stiffness[j]) * soft;
      }
    },
  };
}

/** Change of a rod's momentum from properties alone: after less before. */
function addChange(out: Float64Array, after: RodMomentum, before: RodMomentum, factor: number): void {
  for (let k = 0; k < 6; k++) out[k] += factor * (after.nodes[k] + after.rest[k] - before.nodes[k] - before.rest[k]);
}

/** Work of radii that change at contacts: normal force times growth. Undefined if there is none. */
function createSwelling({
  rods,
  contact,
}: AuditedWorld): { begin(): void; addWork(work: Work, t: number): void } | undefined {
  if (!contact || !rods.some((rod) => animates(rod, 'radius'))) return undefined;
  const indexOf = new Map(rods.map(({ id }, r) => [id, r]));
  const before = rods.map(({ edgeCount }) => new Float64Array(edgeCount));
  const grown = (id: string, edge: number): number => {
    const r = indexOf.get(id) ?? 0;
    return rods[r].edgeRadius[edge] - before[r][edge];
  };
  return {
    begin() {
      rods.forEach(({ edgeRadius }, r) => {
        before[r].set(edgeRadius);
      });
    },
    addWork(work, t) {
      for (const { rod, other, edge, otherEdge, force, normal } of contact.forces(t)) {
        const growth = grown(rod, edge) + (otherEdge === undefined ? 0 : grown(other, otherEdge));
        const done = growth * (force[0] * normal[0] + force[1] * normal[1] + force[2] * normal[2]);
        work.done += done;
        work.doubt += 0.5 * Math.abs(done);
      }
    },
  };
}

/** `measureEnergy`: kinetic and elastic energy with the present properties [J]. */
export function createAnimationAudit(
  world: AuditedWorld,
  audited: readonly AuditedRod[],
  measureEnergy: (t: number) => number,
): AnimationAudit {
  const growing = audited.flatMap(({ rod }, r) => (animates(rod, 'length') ? [createGrowing(world, r)] : []));
  const heavier = audited.filter(({ rod }) =>
    rod.animation?.fields.some((field) => field === 'density' || field === 'radius' || field === 'length'),
  );
  const make = (): RodMomentum => ({ nodes: new Float64Array(6), rest: new Float64Array(6) });
  const [before, after] = [make(), make()];
  const swelling = createSwelling(world);
  let [start, end, workAtStart] = [Number.NaN, Number.NaN, 0];

  /** Adds half of the momentum that the change of properties from the first to the second time gives the rods as they are. */
  const addGiven = (from: number, to: number): void => {
    for (const one of heavier) {
      animateRods(world, from);
      measureMomentum(before, one, one.samples);
      animateRods(world, to);
      measureMomentum(after, one, one.samples);
      addChange(one.given, after, before, 0.5);
    }
  };
  /** Change of energy by a change of properties with the rods at rest, without the stretch of rods that grow [J]. */
  const changeOfStretch = (from: number, to: number): number => {
    let sum = 0;
    for (const one of growing) sum += one.change(from, to);
    return sum;
  };
  return {
    begin(from, to, energy) {
      [start, end] = [from, to];
      animateRods(world, to);
      workAtStart = measureEnergy(to) - energy - changeOfStretch(from, to);
      for (const one of heavier) one.given.fill(0);
      addGiven(from, to);
      animateRods(world, from);
      for (const one of growing) one.begin();
      swelling?.begin();
      return true;
    },
    addWork(work, t) {
      if (!(Math.abs(t - end) <= 1e-6 * (end - start))) return false;
      animateRods(world, start);
      const back = measureEnergy(start);
      const stretch = changeOfStretch(start, end);
      addGiven(start, end);
      // not t: if something jumps there, the step has ended just before
      animateRods(world, end);
      const workAtEnd = measureEnergy(end) - back - stretch;
      work.done += 0.5 * (workAtStart + workAtEnd);
      work.doubt += 0.5 * Math.abs(workAtEnd - workAtStart);
      for (const one of growing) one.addWork(work);
      swelling?.addWork(work, t);
      return true;
    },
  };
}
