/**
 * Rods that touch only colliders, two at a time: see ContactPort.stepSingleRods. The kernel that moves pairs of free rods moves these too, with a separate
 * solution in each lane; if only one rod of a pair is in contact, the other lane idles.
 */
import type { ContactPort, SingleRodBatch, StepOutcome } from '../../model.ts';
import type { PortParts } from './contactParts.ts';
import { clearContact } from './contactSides.ts';
import type { StepStart } from './slip.ts';
import { losesTurns } from './slip.ts';

export function createSingleRodStep(
  { ders, systems, pairs, newton, renew, movedTo }: PortParts,
  startsOf: readonly (readonly StepStart[])[],
): NonNullable<ContactPort['stepSingleRods']> {
  const options = { ...newton, rotation: 0.5, iterations: 12 };
  /** For each system: its pair, or −1; its index in the current job, or −1 if it has none or has been stepped. */
  const pairOf = new Int32Array(systems.length).fill(-1);
  const numberOf = new Int32Array(systems.length).fill(-1);
  pairs.forEach(({ systems: list }, k) => {
    for (const s of list) pairOf[s] = k;
  });
  const starts = pairs.map(({ systems: [a, b] }) => [startsOf[a][0], startsOf[b][0]] as const);

  /** One rod of a pair, after its step. */
  const check = (s: number, t: number, searched: boolean): boolean => {
    const [rod] = systems[s].rods;
    movedTo(rod, t);
    if (!searched) return true;
    renew(rod);
    return !losesTurns(ders[rod], startsOf[s][0]);
  };

  return (job: SingleRodBatch): StepOutcome => {
    let iterations = 0;
    let iterationsMax = 0;
    let shifts = 0;
    job.solverIterations = 0;
    job.error = 0;
    job.converged = true;
    for (let i = 0; i < job.count; i++) {
      numberOf[job.system[i]] = i;
      job.done[i] = 0;
    }
    for (let i = 0; i < job.count; i++) {
      const pair = pairOf[job.system[i]];
      if (pair < 0 || numberOf[job.system[i]] < 0) continue;
      const [a, b] = pairs[pair].systems;
      const first = numberOf[a];
      const second = numberOf[b];
      numberOf[a] = -1;
      numberOf[b] = -1;
      clearContact(ders[systems[a].rods[0]], 'none');
      clearContact(ders[systems[b].rods[0]], 'none');
      const out = pairs[pair].kernel.stepInContact(job, first, second, starts[pair], options);
      iterations += out.iterations;
      iterationsMax = Math.max(iterationsMax, out.iterationsMax);
      shifts += out.shifts;
      if (!out.ok) continue;
      if (first >= 0) job.done[first] = check(a, job.t + job.dt, out.shifts > 0) ? 1 : 0;
      if (second >= 0) job.done[second] = check(b, job.t + job.dt, out.shifts > 0) ? 1 : 0;
    }
    for (let i = 0; i < job.count; i++) numberOf[job.system[i]] = -1;
    return { ok: true, iterations, iterationsMax, shifts };
  };
}
