/**
 * Merged contact of a bundle in a world: obstacles from the world's colliders, contacts as rows that can be saved, and the report. The
 * reference steps its strands with merged.ts; a device does the same with its own.
 */
import type { OwnContact, OwnContactReport, OwnContactRow, SolidMotion, SolidScene } from '../port.ts';
import type { Quaternion } from './algebra.ts';
import type { Contact } from './contactSweeps.ts';
import { BOX, PLANE } from './layout.ts';
import { type MergedReport, meetObstacles, noContact, stepMerged } from './merged.ts';
import type { Obstacle } from './obstacles.ts';
import { type BatchRod, frameQuaternion } from './rod.ts';
import type { StepOptions, StepResult } from './step.ts';

/** Iterations of contact at least. */
export const CONTACT_ITERATIONS = 4;

function quaternionOf(r: ArrayLike<number>): Quaternion {
  return frameQuaternion([r[2], r[5], r[8]], [r[0], r[3], r[6]]);
}

export function toObstacle({ shape, axes, turn, ...solid }: SolidMotion): Obstacle {
  return { ...solid, kind: shape === 'plane' ? PLANE : BOX, frame: quaternionOf(axes), turn: quaternionOf(turn) };
}

export function createOwnReport(): OwnContactReport {
  return { contacts: 0, iterations: 0, error: 0, unsettled: 0, firstUnsettled: -1, overlap: 0 };
}

/** Adds what another part of the same step reports. `unsettled` is counted from its first rod. */
export function addOwnReport(to: OwnContactReport, one: OwnContactReport): void {
  to.contacts += one.contacts;
  to.iterations = Math.max(to.iterations, one.iterations);
  to.error = Math.max(to.error, one.error);
  to.overlap = Math.max(to.overlap, one.overlap);
  if (one.unsettled > 0 && (to.unsettled === 0 || one.firstUnsettled < to.firstUnsettled))
    to.firstUnsettled = one.firstUnsettled;
  to.unsettled += one.unsettled;
}

/** The strands meet the obstacles from now on. */
export function openMerged(strands: readonly BatchRod[], solids: SolidScene): void {
  const obstacles = solids.at(0, 0).map(toObstacle);
  strands.forEach((one, rod) => {
    const spared = Uint32Array.from(obstacles, (_, k) => solids.countSpared(rod, k));
    meetObstacles(one, { radius: one.rod.edgeRadius, obstacles, spared });
  });
}

/** Steps strand `rod` among the obstacles. */
export function stepAmong(
  one: BatchRod,
  step: { readonly t: number; readonly dt: number; readonly robust: boolean; readonly rod: number },
  obstacles: readonly Obstacle[],
  options: StepOptions,
): MergedReport & { readonly own: OwnContactReport } {
  const { merged } = one.strand;
  if (!merged) throw new Error('the strand has not been told of obstacles');
  merged.obstacles = obstacles;
  const report = stepMerged(one, { ...step, iterations: CONTACT_ITERATIONS }, options);
  const own: OwnContactReport = {
    contacts: report.loaded,
    iterations: report.iterations,
    error: report.error,
    overlap: report.overlap,
    unsettled: report.settled ? 0 : 1,
    firstUnsettled: report.settled ? -1 : step.rod,
  };
  return { ...report, own };
}

/** Contacts of a strand that are active. */
export function listRows({ strand }: BatchRod, rod: number): OwnContactRow[] {
  const { merged } = strand;
  if (!merged) return [];
  const count = merged.obstacles.length;
  return merged.contacts.flatMap((list, edge) =>
    list.flatMap(({ active, part, force, normal }, place) =>
      active === 0
        ? []
        : [{ rod, edge, obstacle: obstacleAt(place, count), place, age: active, weight: part, force, normal }],
    ),
  );
}

/** Obstacle of a contact: two for each obstacle, then one each at the first node of a strand that is not held. */
export function obstacleAt(place: number, count: number): number {
  return place < 2 * count ? place >> 1 : place - 2 * count;
}

/** A contact as the next step finds it. */
function restoreContact({ age, weight, force, normal }: OwnContactRow): Contact {
  return { ...noContact, active: age, part: weight, force, push: force, normal };
}

/** `rows`: of any strands; each takes its own. */
export function restoreRows(strands: readonly BatchRod[], rows: readonly OwnContactRow[]): void {
  for (const { strand } of strands) for (const list of strand.merged?.contacts ?? []) list.fill(noContact);
  for (const row of rows) {
    const list = strands[row.rod].strand.merged?.contacts[row.edge];
    if (list) list[row.place] = restoreContact(row);
  }
}

/** Puts the forces of contacts on the nodes, for reactions and channels. */
export function applyRows(strands: readonly BatchRod[], rows: readonly OwnContactRow[]): void {
  for (const { contactForce } of strands) contactForce.fill(0);
  for (const { rod, edge, weight, force } of rows) {
    const to = strands[rod].contactForce;
    for (let k = 0; k < 3; k++) {
      to[3 * edge + k] += (1 - weight) * force[k];
      to[3 * edge + 3 + k] += weight * force[k];
    }
  }
}

/** Copies of the contacts of a strand, and back. */
export function copyContacts({ strand }: BatchRod): Contact[][] | undefined {
  return strand.merged?.contacts.map((list) => list.slice());
}

export function putContacts({ strand }: BatchRod, copy: readonly (readonly Contact[])[] | undefined): void {
  copy?.forEach((list, edge) => {
    strand.merged?.contacts[edge].splice(0, list.length, ...list);
  });
}

/** Contact that the reference solves for its strands, step by step. */
export interface ReferenceContact extends OwnContact {
  begin(t: number, dt: number): void;
  step(
    rod: number,
    step: { readonly t: number; readonly dt: number; readonly robust: boolean },
    options: StepOptions,
  ): StepResult;
  /** The step failed: contacts are as they were at its start. */
  undo(): void;
}

/** `name`: see OwnContact. */
export function createOwnContact(name: string, strands: readonly BatchRod[]): ReferenceContact {
  const report = createOwnReport();
  let solids: SolidScene | undefined;
  let obstacles: readonly Obstacle[] = [];
  let copies: ReturnType<typeof copyContacts>[] = [];
  return {
    name,
    report,
    open(scene) {
      solids = scene;
      openMerged(strands, scene);
    },
    begin(t, dt) {
      Object.assign(report, createOwnReport());
      obstacles = solids?.at(t, dt).map(toObstacle) ?? [];
      copies = strands.map(copyContacts);
    },
    step(rod, step, options) {
      const { ok, reason, iterations, own } = stepAmong(strands[rod], { ...step, rod }, obstacles, options);
      addOwnReport(report, own);
      return { ok, reason, iterations: iterations + 1, iterationsMax: iterations + 1 };
    },
    undo() {
      for (let k = 0; k < strands.length; k++) putContacts(strands[k], copies[k]);
    },
    listContacts: () => strands.flatMap(listRows),
    restoreContacts: (rows) => restoreRows(strands, rows),
    applyForces: () => applyRows(strands, strands.flatMap(listRows)),
  };
}
