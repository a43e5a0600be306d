/** A branch of equilibria of a world: checks the scene, finds the first equilibrium, and audits every point. */
import { SceneError } from '../errors.ts';
import type { BranchEnd, BranchOptions, BranchPoint, EquilibriumReport } from '../model.ts';
import { auditEquilibria } from './audit.ts';
import type { WorldParts } from './build.ts';
import { restoreState, saveRods } from './state.ts';
import { isTaut } from './taut.ts';
import { refuseWithContact, touches } from './touching.ts';

/** Default of `statics.tolerance`. */
export const TOLERANCE = 1e-10;

/** Default of `statics.stride` and `statics.points`. */
const STRIDE = 0.05;
const POINTS = 1000;

/** Follows a branch from the equilibrium at `statics.from`, which `search` finds, or from the bifurcation at which the world is. */
export function* followWorld(
  world: WorldParts,
  start: BranchOptions['start'],
  search: (t: number) => EquilibriumReport[],
): Generator<BranchPoint, BranchEnd> {
  const { clock, scene, placeOfRod } = world;
  const { from = 0, to = from, tolerance = TOLERANCE, stride = STRIDE, points = POINTS } = scene.statics ?? {};
  if (to === from)
    throw new SceneError(['statics', 'to'], 'a branch is followed along the time from `from` to `to`, which are equal');
  refuseBranch(world);
  if (start === 'along') {
    const [report] = beginBranch(world, from, search);
    if (!report.converged)
      throw new SceneError(['statics', 'from'], `no equilibrium at t = ${from} s to begin with: ${report.reason}`);
  }
  const [{ bundle, index }] = placeOfRod;
  if (isTaut(world.rods[0], world.samples[0], world.drives[0].pins, clock.time))
    throw new SceneError(
      ['statics', 'from'],
      `no branch can be followed from t = ${clock.time} s: the rod is straight and inextensible between held ends there, and its tension is indeterminate. Start where its ends are closer, or replace 'inextensible' by a stretching stiffness EA`,
    );
  const contacts = touches(world) ? world.contact?.followContacts(0, clock.time) : undefined;
  contacts?.engage();
  if (contacts && start === 'along') bundle.equilibrate(index, clock.time, { stability: 'report', tolerance });
  const asked = { from, to, tolerance, stride, shortest: 1e-5 * stride, points, start, contacts };
  const branch = bundle.branch?.(index, clock.time, asked);
  if (!branch) {
    contacts?.release();
    throw new SceneError(
      ['statics', 'follow'],
      `follow: branch supports rods of model der or cosserat; this rod is of model ${bundle.model}`,
    );
  }
  try {
    for (;;) {
      contacts?.engage();
      const next = branch.next();
      showContacts(world, contacts);
      if (next.done) return next.value;
      clock.time = next.value.parameter;
      const reason = auditPoint(world, next.value);
      if (reason) return { reason: 'lost', detail: reason };
      yield next.value;
    }
  } finally {
    showContacts(world, contacts);
  }
}

/** The equilibrium at which a branch begins. A rod that touches nothing new is not relaxed, which would leave an unstable equilibrium. */
function beginBranch(world: WorldParts, from: number, search: (t: number) => EquilibriumReport[]): EquilibriumReport[] {
  const { clock, contact, scene } = world;
  const refined = (): EquilibriumReport[] | undefined => {
    const before = saveRods(world, clock.time);
    clock.time = from;
    const report = contact?.refineRest(0, from, {
      stability: 'report',
      tolerance: scene.statics?.tolerance ?? TOLERANCE,
    });
    if (report) return [report];
    restoreState(world, before);
    return undefined;
  };
  return (touches(world) ? refined() : undefined) ?? search(from);
}

/** While a point is shown, its contact forces are those of the last step. */
function showContacts({ contact, clock }: WorldParts, contacts: { release(): void } | undefined): void {
  if (!contacts) return;
  contacts.release();
  contact?.applyContactForces();
  clock.hasContactForces = true;
}

/** Throws if the scene has more than one rod, or something that acts on it and cannot be followed. */
function refuseBranch(world: WorldParts): void {
  const { contact, scene, placeOfRod } = world;
  if (placeOfRod.length !== 1)
    throw new SceneError(['rods'], `follow: branch is for scenes of one rod; this one has ${placeOfRod.length}`);
  const refuseField = (field: string): never => {
    throw new SceneError(
      [field],
      `follow: branch does not support ${field}; remove '${field}', or use follow: instants`,
    );
  };
  if (scene.bodies?.length) refuseField('bodies');
  if (touches(world)) refuseWithContact(world);
  if (contact && contact.links.count > 0) refuseField('links');
}

/** Checks a point of a branch as any other equilibrium is checked. Returns why it is none, or ''. */
function auditPoint(world: WorldParts, { iterations, negativeModes, criterion }: BranchPoint): string {
  const [{ id: rod }] = world.rods;
  const found = { converged: true, residual: 0, tolerance: 0, stable: negativeModes === 0, saddlesLeft: 0 };
  const [{ converged, reason = '' }] = auditEquilibria(world, [
    { ...found, rod, iterations, negativeModes, criterion },
  ]);
  return converged ? '' : reason;
}
