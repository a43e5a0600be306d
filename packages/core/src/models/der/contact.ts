/**
 * Contact for Discrete Elastic Rods: the implicit step under forces at points (contactStep.ts), and its linear response (contactResponse.ts).
 *
 * A system in contact takes implicit Euler steps, whatever the scheme: second-order schemes assume a smooth velocity over the step and respond to an
 * impact with a spurious rebound. The Newton matrix of the stage, with its tension condensed, is A/h²; point masses act on the two nodes of an edge and
 * the spin between them, well within the band.
 */
import type { Bundle, ContactPort, SingleRodBatch } from '../../model.ts';
import { syncPose } from './body.ts';
import type { PortParts } from './contactParts.ts';
import { factor, linearize, readVelocity, solve } from './contactResponse.ts';
import { applyForces, holdStart, returnToStart, stepSystems } from './contactStep.ts';
import { createHolder } from './holdRuns.ts';
import { evaluatePins } from './kinematics.ts';
import { createPortContext } from './portContext.ts';
import { addRodEnergy } from './readouts.ts';
import { createSingleRodStep } from './singleRods.ts';

type RefreshRod = NonNullable<NonNullable<Bundle['parts']>['refreshRod']>;

/** The port, and `refreshRod` of the bundle's parts. */
export function createDerContact(parts: PortParts): { readonly port: ContactPort; readonly refreshRod: RefreshRod } {
  const { ders, systems, state, pairs, renew } = parts;
  const context = createPortContext(parts);
  const { systemOfRod, bodies, atStart, held, heldStarts, startsOf } = context;
  const areSingle = systems.every(({ rods, system }, s) => rods.length === 1 && rods[0] === s && !system.bodies.length);
  const holdRuns = areSingle ? createHolder(held, state, heldStarts) : undefined;
  const stepSingleRods = pairs.length > 0 ? createSingleRodStep(parts, startsOf) : undefined;
  const hasNoBodies = bodies.length === 0;
  const port: ContactPort = {
    systemOfRod,
    systemOfBody: Int32Array.from(bodies, ({ system }) => system),
    systemCount: systems.length,
    selective: hasNoBodies,
    directed: hasNoBodies,
    partial: hasNoBodies,
    hold: (marked) => holdStart(context, marked, holdRuns),
    revert(marked, t) {
      for (let s = marked.indexOf(1); s >= 0; s = marked.indexOf(1, s + 1)) returnToStart(context, s, t);
    },
    step: (marked, sides, step) => stepSystems(context, marked, sides, step),
    ...(stepSingleRods && {
      stepSingleRods: (job: SingleRodBatch) => {
        const out = stepSingleRods(job);
        for (let i = 0; i < job.count; i++) if (job.done[i]) atStart[job.system[i]] = 0;
        return out;
      },
    }),
    readVelocity: (out, sides) => readVelocity(context, out, sides),
    measureEnergy(out, s) {
      if (systems[s].system.bodies.length > 0) return false;
      for (const rod of systems[s].rods) {
        renew(rod);
        addRodEnergy(out, ders[rod]);
      }
      return true;
    },
    applyForces: (sides) => applyForces(context, sides),
    linearize: (out, marked, sides, step) => linearize(context, { ...out, ...step }, marked, sides),
    factor: (_marked, sides) => factor(context, sides),
    solve: (velocity, impulse, sides, marked) => solve(context, { velocity, impulse }, sides, marked),
  };
  const refreshRod: RefreshRod = (rod, t, dt) => {
    const s = systemOfRod[rod];
    for (const body of systems[s].system.bodies) syncPose(body);
    const time = atStart[s] ? t : t + dt;
    evaluatePins(ders[rod], time);
    parts.movedTo(rod, time);
  };
  return { port, refreshRod };
}
