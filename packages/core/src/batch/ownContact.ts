/**
 * Merged contact of a bundle in a world: converts the world's colliders to obstacles, stores contacts as rows that can be saved, and reports them.
 * The reference steps its strands with merged.ts; a device uses its own implementation.
 */
import type {
  OwnContact,
  OwnContactReport,
  OwnContactRow,
  RodPairs,
  SolidMotion,
  SolidScene,
  StepRequest,
} from '../port.ts';
import type { Quaternion } from './algebra.ts';
import { meetStrands, repeatCoupled } from './coupled.ts';
import { BOX, FIELD, LEAST_ITERATIONS, PLANE } from './layout.ts';
import { type MergedReport, meetObstacles, noContact, stepMerged } from './merged.ts';
import type { Contact, Obstacle } from './obstacles.ts';
import type { Partner } from './pairs.ts';
import { type BatchRod, frameQuaternion } from './rod.ts';
import type { StepOptions, StepResult } from './step.ts';

function quaternionOf(r: ArrayLike<number>): Quaternion {
  return frameQuaternion([r[2], r[5], r[8]], [r[0], r[3], r[6]]);
}

const kinds = { plane: PLANE, box: BOX, field: FIELD } as const;

export function toObstacle({ shape, axes, turn, ...solid }: SolidMotion): Obstacle {
  return { ...solid, kind: kinds[shape], frame: quaternionOf(axes), turn: quaternionOf(turn) };
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

/** Makes the strands collide with the obstacles from now on. */
export function openMerged(strands: readonly BatchRod[], solids: SolidScene): void {
  const obstacles = solids.at(0, 0).map(toObstacle);
  strands.forEach((one, rod) => {
    const spared = Uint32Array.from(obstacles, (_, k) => solids.countSpared(rod, k));
    meetObstacles(one, { radius: one.rod.edgeRadius, obstacles, spared, fields: solids.fields });
  });
  if (solids.pairs) meetStrands(strands, solids.pairs);
}

/** Contribution of one strand's step to the report of all. */
function reportRod({ loaded, iterations, error, overlap, settled }: MergedReport, rod: number): OwnContactReport {
  const [unsettled, firstUnsettled] = settled ? [0, -1] : [1, rod];
  return { contacts: loaded, iterations, error, overlap, unsettled, firstUnsettled };
}

/** Steps strand `rod` among the obstacles. */
export function stepAmong(
  one: BatchRod,
  step: StepRequest & { readonly rod: number },
  obstacles: readonly Obstacle[],
  options: StepOptions,
): MergedReport & { readonly own: OwnContactReport } {
  const { merged } = one.strand;
  if (!merged) throw new Error('the obstacles of the strand have not been set');
  merged.obstacles = obstacles;
  const report = stepMerged(one, { ...step, iterations: LEAST_ITERATIONS }, options);
  return { ...report, own: reportRod(report, step.rod) };
}

/** A step, and how to return the strands to its start. */
interface OwnStep extends StepRequest {
  restore(): void;
}

/** Steps strands that may touch each other. */
function stepTogether(
  strands: readonly BatchRod[],
  step: OwnStep,
  options: StepOptions,
  { pairs, report }: { readonly pairs: RodPairs; readonly report: OwnContactReport },
): StepResult & { readonly failed: number } {
  const { restore } = step;
  const { reports, dropped, unexpected, before, ...outcome } = repeatCoupled(
    strands,
    { ...step, iterations: LEAST_ITERATIONS },
    options,
    { rules: pairs, restore },
  );
  const missed = new Set(unexpected.flatMap(({ low, high }) => [low.strand, high.strand]));
  reports.forEach((one, rod) => {
    const settled = one.settled && !dropped.includes(rod) && !missed.has(rod);
    addOwnReport(report, reportRod({ ...one, settled }, rod));
  });
  report.iterations += before.most;
  const most = reports.reduce((max, { iterations }) => Math.max(max, iterations + 1), 0);
  const sum = reports.reduce((all, { iterations }) => all + iterations + 1, before.sum);
  return { ...outcome, iterations: sum, iterationsMax: most };
}

/** Contacts of a strand that are active. */
export function listRows({ strand }: BatchRod, rod: number): OwnContactRow[] {
  const { merged } = strand;
  if (!merged) return [];
  const { pairs, obstacles, contacts } = merged;
  const firstPair = 3 * obstacles.length;
  return contacts.flatMap((list, edge) =>
    list.flatMap(({ active, part, force, normal }, place): OwnContactRow[] => {
      if (active === 0) return [];
      const row = { rod, edge, place, age: active, weight: part };
      if (!pairs || place < firstPair)
        return [{ ...row, obstacle: obstacleAt(place, obstacles.length), force, normal }];
      return [pairRow({ ...row, place: place - firstPair }, pairs.partners[edge][place - firstPair], force, normal)];
    }),
  );
}

/** True if edge `a` of rod `rod` is the lower one of a pair: forces and normals are stored as those of the lower edge. */
function isLower(rod: number, edge: number, other: Pick<Partner, 'strand' | 'edge'>): boolean {
  return rod < other.strand || (rod === other.strand && edge < other.edge);
}

const negate = ([x, y, z]: Contact['force']): Contact['force'] => [-x, -y, -z];

/** One side of a contact between rods. `force`, `normal`: of the lower edge. */
export function pairRow(
  row: Pick<OwnContactRow, 'rod' | 'edge' | 'place' | 'age' | 'weight'>,
  partner: Pick<Partner, 'strand' | 'edge' | 'part'>,
  force: Contact['force'],
  normal: Contact['normal'],
): OwnContactRow {
  const isLow = isLower(row.rod, row.edge, partner);
  return {
    ...row,
    obstacle: -1,
    other: { rod: partner.strand, edge: partner.edge, weight: partner.part },
    force: isLow ? force : negate(force),
    normal: isLow ? normal : negate(normal),
  };
}

/** Index of a contact's obstacle: first come two contacts per obstacle, then one per obstacle at the first node of a strand with a free root. */
export function obstacleAt(place: number, count: number): number {
  return place < 2 * count ? place >> 1 : place - 2 * count;
}

/** A contact in the form in which the next step reads it. */
function restoreContact({ age, weight, force, normal, rod, edge, other }: OwnContactRow): Contact {
  const isTurned = other !== undefined && !isLower(rod, edge, { strand: other.rod, edge: other.edge });
  const kept = isTurned ? { force: negate(force), normal: negate(normal) } : { force, normal };
  return { ...noContact, active: age, part: weight, push: force, ...kept };
}

/** `rows`: contacts of any strands; each strand takes its own. */
export function restoreRows(strands: readonly BatchRod[], rows: readonly OwnContactRow[]): void {
  for (const { strand } of strands) for (const list of strand.merged?.contacts ?? []) list.fill(noContact);
  for (const row of rows) {
    const { merged } = strands[row.rod].strand;
    if (!merged) continue;
    const { other, edge, place } = row;
    const at = other ? 3 * merged.obstacles.length + place : place;
    if (other && !merged.pairs) continue;
    if (other && merged.pairs)
      merged.pairs.partners[edge][place] = { strand: other.rod, edge: other.edge, part: other.weight, isSet: 1 };
    merged.contacts[edge][at] = restoreContact(row);
  }
}

/** Stores contact forces as forces on nodes, for reactions and channels. */
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

/** Contacts of a strand at the start of a step. */
interface ContactCopy {
  readonly contacts: readonly (readonly Contact[])[];
  readonly partners: readonly (readonly Partner[])[];
}

/** Copies of the contacts of a strand, and back. */
export function copyContacts({ strand: { merged } }: BatchRod): ContactCopy {
  const copy = <T>(lists: readonly (readonly T[])[] = []): T[][] => lists.map((list) => list.slice());
  return { contacts: copy(merged?.contacts), partners: copy(merged?.pairs?.partners) };
}

export function putContacts({ strand: { merged } }: BatchRod, { contacts, partners }: ContactCopy): void {
  contacts.forEach((list, edge) => {
    merged?.contacts[edge].splice(0, list.length, ...list);
  });
  partners.forEach((list, edge) => {
    merged?.pairs?.partners[edge].splice(0, list.length, ...list);
  });
}

/** Contact of the strands that the reference steps. */
export interface ReferenceContact extends OwnContact {
  begin(t: number, dt: number): void;
  /** One step of all strands. */
  step(step: OwnStep, options: StepOptions): StepResult & { readonly failed: number };
  /** Restores the contacts of the start of the step, after a failure. */
  undo(): void;
}

/** `name`: see OwnContact. */
export function createOwnContact(name: string, strands: readonly BatchRod[]): ReferenceContact {
  const report = createOwnReport();
  let solids: SolidScene | undefined;
  let obstacles: readonly Obstacle[] = [];
  let copies: ReturnType<typeof copyContacts>[] = [];
  const stepEach: ReferenceContact['step'] = (step, options) => {
    const total = { ok: true, reason: '', iterations: 0, iterationsMax: 0, failed: -1 };
    for (const [rod, one] of strands.entries()) {
      const { ok, reason, iterations, own } = stepAmong(one, { ...step, rod }, obstacles, options);
      addOwnReport(report, own);
      total.iterations += iterations + 1;
      total.iterationsMax = Math.max(total.iterationsMax, iterations + 1);
      if (!ok) return { ...total, ok, reason, failed: rod };
    }
    return total;
  };
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
    step(step, options) {
      const pairs = solids?.pairs;
      if (!pairs) return stepEach(step, options);
      for (const { strand } of strands) if (strand.merged) strand.merged.obstacles = obstacles;
      return stepTogether(strands, step, options, { pairs, report });
    },
    undo() {
      for (let k = 0; k < strands.length; k++) putContacts(strands[k], copies[k]);
    },
    listContacts: (rod) => (rod === undefined ? strands.flatMap(listRows) : listRows(strands[rod], rod)),
    restoreContacts: (rows) => restoreRows(strands, rows),
    applyForces: () => applyRows(strands, strands.flatMap(listRows)),
  };
}
