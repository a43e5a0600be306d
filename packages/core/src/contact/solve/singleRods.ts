/**
 * Rods that touch obstacles and nothing else, solved in one batch if the model can (ContactPort.stepSingleRods). In hair on a head, nearly all rods
 * are of this kind.
 *
 * A rod that slides or falls far can end the step deeper in an obstacle than the contacts of its start predict: under a falling hair the surface
 * of a sphere turns by a tenth of a radian per step. So each rod is checked where it ends, and continues from there with the contacts that it
 * has there; starting again, as islands do, takes three times as long. Rods that the batch cannot solve are returned as islands.
 *
 * Lists are number arrays that are kept from step to step, because objects per rod would burden the garbage collector.
 */
import type { Bundle, SingleRodBatch, StepOutcome } from '../../model.ts';
import { appendContact, type ContactSet, copyContact, createContactSet } from '../contactSet.ts';
import { reboundThreshold } from '../detect/colliderContacts.ts';
import type { ColliderSearch } from '../detect/colliderSearch.ts';
import type { Finder } from '../detect/finderData.ts';
import type { SolveOptions } from './islandRound.ts';
import type { Island, Systems } from './islands.ts';
import type { SolveResult } from './sideArrays.ts';
import { markStart, setBias, slipLimit } from './sideVelocities.ts';

/** How often the contacts of a rod may change within the step, and the depth, in radii, from which they do. */
const MAX_ROUNDS = 5;
const DEEP = 0.04;

export interface SingleRodSolver {
  /** Iterations and error of the last call. */
  readonly outcome: StepOutcome;
  readonly result: SolveResult;
  /** Lists the systems of `within` that touch obstacles and nothing else, by the sorted set. */
  list(set: ContactSet, within: (system: number) => boolean): void;
  /** Whether a system is in the list. */
  has(system: number): boolean;
  /**
   * Steps the listed systems with the contacts in `set`, to which it adds, and marks them in `stepped`. Returns those that it cannot step,
   * as islands at the start of the step.
   */
  step(
    set: ContactSet,
    stepped: Uint8Array,
    t: number,
    dt: number,
    revert: (systems: readonly number[]) => void,
  ): readonly Island[];
  /** Rods whose end of step the last call did not check. A second call returns all rods. */
  unchecked(): readonly number[];
}

interface Job extends SingleRodBatch {
  count: number;
  system: Int32Array;
  from: Int32Array;
  to: Int32Array;
  done: Uint8Array;
  fresh: boolean;
  contacts: ContactSet;
  t: number;
  dt: number;
  speed: number;
}

export interface SingleRodParts {
  readonly finder: Finder;
  readonly search: ColliderSearch;
  readonly bundles: readonly Bundle[];
  readonly systems: Systems;
  readonly options: SolveOptions;
  /** Whether friction turns rods about their axes. */
  readonly rolling: boolean;
  /** Systems that links hold. */
  readonly linked: readonly number[];
}

export function createSingleRodSolver(parts: SingleRodParts): SingleRodSolver {
  const { finder, search, bundles, systems, options, rolling, linked } = parts;
  const canBatch = bundles.map(({ contact }) => contact?.stepSingleRods !== undefined);
  const possible = options.solver === 'admm' && !rolling && canBatch.includes(true);
  const capacity = possible ? systems.count : 0;
  const checked = new Uint8Array(finder.rods.length);
  const part = createContactSet();
  const raw = createContactSet();
  /** For each system: can never be in a batch; touches another rod or a body now; is in the list; its index there. */
  const unfit = Uint8Array.from({ length: systems.count }, (_, s) =>
    canBatch[systems.bundleOf[s]] && systems.rods[s].length === 1 ? 0 : 1,
  );
  for (const s of linked) unfit[s] = 1;
  const joined = new Uint8Array(systems.count);
  const listed = new Uint8Array(systems.count);
  const placeOf = new Int32Array(systems.count);
  /** The list: contacts `from` to `to` of the set, and contacts added later. */
  let count = 0;
  const system = new Int32Array(capacity);
  const from = new Int32Array(capacity);
  const to = new Int32Array(capacity);
  const added = new Map<number, number[]>();
  /** Rods that are not finished, as indices into the list, ascending. */
  const pending = new Int32Array(capacity);
  let pendingCount = 0;
  const failed: number[] = [];
  const job: Job = {
    count: 0,
    system: new Int32Array(capacity),
    from: new Int32Array(capacity),
    to: new Int32Array(capacity),
    done: new Uint8Array(capacity),
    fresh: true,
    contacts: part,
    t: 0,
    dt: 0,
    speed: 0,
    tolerance: options.tolerance,
    iterations: options.iterations,
    solverIterations: 0,
    error: 0,
    converged: true,
  };
  const outcome = { ok: true, iterations: 0, iterationsMax: 0, shifts: 0 };
  const total = { iterations: 0, error: 0, converged: true };

  const rodOf = (i: number): number => systems.rods[system[i]][0];
  /** Contact k of rod i of the list. */
  const contactOf = (i: number, k: number): number =>
    k < to[i] - from[i] ? from[i] + k : (added.get(i) as number[])[k - to[i] + from[i]];
  const countOf = (i: number): number => to[i] - from[i] + (added.get(i)?.length ?? 0);

  /** Steps the pending rods of one bundle: those that succeed stay in `pending`, the others go to `failed`. */
  const stepPending = (bundle: Bundle, set: ContactSet, fresh: boolean): void => {
    // in the first pass the contacts of a rod are contiguous in the set
    job.fresh = fresh;
    job.contacts = fresh ? set : part;
    job.count = pendingCount;
    part.count = 0;
    for (let w = 0; w < pendingCount; w++) {
      const i = pending[w];
      job.system[w] = systems.numberOf[system[i]];
      job.from[w] = fresh ? from[i] : part.count;
      if (!fresh) for (let k = 0; k < countOf(i); k++) appendContact(part, set, contactOf(i, k));
      job.to[w] = job.from[w] + countOf(i);
    }
    const one = bundle.contact?.stepSingleRods?.(job);
    if (one) {
      outcome.iterations += one.iterations;
      outcome.iterationsMax = Math.max(outcome.iterationsMax, one.iterationsMax);
      outcome.shifts += one.shifts;
      total.iterations = Math.max(total.iterations, job.solverIterations);
      total.error = Math.max(total.error, job.error);
      total.converged &&= job.converged;
    }
    let left = 0;
    for (let w = 0; w < job.count; w++) {
      const i = pending[w];
      if (!one || !job.done[w]) {
        failed.push(i);
        continue;
      }
      pending[left++] = i;
      for (let k = 0; k < countOf(i) && !fresh; k++) copyContact(set, contactOf(i, k), part, job.from[w] + k);
    }
    pendingCount = left;
  };

  /** Adds the penetrations of pending rods to their contacts; rods without any are finished. */
  const addPenetrations = (set: ContactSet, stepped: Uint8Array, t: number, dt: number): void => {
    const rods = Array.from(pending.subarray(0, pendingCount), rodOf);
    raw.count = 0;
    search.findPenetrations(raw, t, dt, DEEP, rods, false);
    for (let w = 0; w < pendingCount; w++) {
      stepped[system[pending[w]]] = 1;
      checked[rods[w]] = 1;
    }
    setBias(raw, finder, dt, reboundThreshold(finder, dt));
    markStart(raw, finder, slipLimit(job.speed));
    for (let c = 0; c < raw.count; c++) {
      const i = placeOf[systems.ofRod(raw.rodA[c])];
      checked[raw.rodA[c]] = 0;
      let there = -1;
      for (let k = 0; k < countOf(i) && there < 0; k++)
        if (set.key[contactOf(i, k)] === raw.key[c]) there = contactOf(i, k);
      if (there < 0) {
        const more = added.get(i) ?? [];
        more.push(appendContact(set, raw, c));
        added.set(i, more);
        continue;
      }
      for (let k = 0; k < 3; k++) raw.impulse[3 * c + k] = set.impulse[3 * there + k];
      raw.sliding[c] = set.sliding[there];
      copyContact(set, there, raw, c);
    }
    let left = 0;
    for (let w = 0; w < pendingCount; w++) if (!checked[rods[w]]) pending[left++] = pending[w];
    pendingCount = left;
  };

  return {
    outcome,
    result: total,
    list(set, within) {
      for (let k = 0; k < count; k++) listed[system[k]] = 0;
      count = 0;
      if (!possible) return;
      joined.fill(0);
      for (let c = 0; c < set.count; c++) {
        const other = set.rodB[c];
        if (other >= 0) joined[systems.ofRod(other)] = 1;
        if (other >= 0 || finder.colliders[set.collider[c]].body >= 0) joined[systems.ofRod(set.rodA[c])] = 1;
      }
      for (let c = 0; c < set.count; ) {
        const rod = set.rodA[c];
        const first = c;
        while (c < set.count && set.rodA[c] === rod) c++;
        const s = systems.ofRod(rod);
        if (unfit[s] || joined[s] || !within(s)) continue;
        system[count] = s;
        from[count] = first;
        to[count] = c;
        placeOf[s] = count++;
        listed[s] = 1;
      }
    },
    has: (s) => listed[s] === 1,
    step(set, stepped, t, dt, revert) {
      Object.assign(outcome, { iterations: 0, iterationsMax: 0, shifts: 0 });
      Object.assign(total, { iterations: 0, error: 0, converged: true });
      checked.fill(0);
      added.clear();
      failed.length = 0;
      Object.assign(job, { t, dt, speed: finder.acceleration * dt });
      bundles.forEach((bundle, b) => {
        pendingCount = 0;
        for (let i = 0; i < count; i++) if (systems.bundleOf[system[i]] === b) pending[pendingCount++] = i;
        for (let round = 0; round < MAX_ROUNDS && pendingCount > 0; round++) {
          stepPending(bundle, set, round === 0);
          addPenetrations(set, stepped, t, dt);
        }
      });
      const list = failed.map((i) => system[i]);
      if (list.length === 0) return [];
      revert(list);
      for (const s of list) stepped[s] = 0;
      return failed.map((i) => ({
        systems: [system[i]],
        links: undefined,
        contacts: Int32Array.from({ length: countOf(i) }, (_, k) => contactOf(i, k)),
      }));
    },
    unchecked() {
      const list: number[] = [];
      for (let r = 0; r < checked.length; r++) if (!checked[r]) list.push(r);
      // rods that are stepped again must be checked again
      checked.fill(0);
      return list;
    },
  };
}
