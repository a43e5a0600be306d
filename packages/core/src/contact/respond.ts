/**
 * A step with contact: find, step under the forces of the last step, linearise there, solve for the impulses, step under
 * them, see whether anything passed through, remember.
 *
 * Systems that nothing is near take their own scheme's step, of second order. The others take implicit Euler.
 */
import type { Bundle, ContactPort, Drive, StepOutcome } from '../model.ts';
import type { Weld } from '../scene/bodies.ts';
import type { Rod } from '../scene/compiled.ts';
import type { LinkPlan } from '../scene/links.ts';
import type { Scene } from '../scene/types.ts';
import { type SolveResult, solveAdmm, weighContacts } from './admm.ts';
import { checkSpec, refuseUntouchable, warnOverlaps } from './check.ts';
import { type Collider, placeCollider, readFriction } from './collider.ts';
import { createFinder, type Finder, findContacts, gather, type RodRules } from './find.ts';
import { findSunken, reboundThreshold } from './findCollider.ts';
import { applyRepulsion, solveGaussSeidel, solveLumped } from './gaussSeidel.ts';
import {
  createLinks,
  energyOfLinks,
  type Link,
  type Links,
  measureLinks,
  recallLinks,
  refuseUnlinkable,
  rememberLinks,
} from './links.ts';
import {
  addContact,
  appendContacts,
  type ContactSet,
  copyContact,
  createContactSet,
  MEMORY_STRIDE,
  type Memory,
  recall,
  remember,
  sortContacts,
} from './set.ts';
import { isPredicted, layOut, markSliding, type Place, readVelocities, setBias, writeForces } from './sides.ts';
import { gatherEnd, type SweepResult, sweepPairs } from './sweep.ts';

/** A contact that carries force, for observers. */
export interface ContactForce {
  readonly rod: string;
  /** The other rod, or the collider. */
  readonly other: string;
  readonly kind: 'rod' | 'collider';
  /** Place on the rod: edge, and share of its second node. */
  readonly edge: number;
  readonly weight: number;
  /** On the rod [N]. */
  readonly force: readonly [number, number, number];
  readonly normal: readonly [number, number, number];
  /** Between the surfaces at the start of the step [m]; negative where they overlap. */
  readonly gap: number;
  readonly sliding: boolean;
}

export interface ContactReport {
  contacts: number;
  iterations: number;
  /** Error of the velocities that was left [m/s]. */
  error: number;
  converged: boolean;
  /** Pairs of edges that would have passed through each other, had it not been seen. */
  swept: number;
}

export interface ContactWorld {
  readonly colliders: readonly Collider[];
  readonly finder: Finder;
  readonly set: ContactSet;
  readonly memory: Memory;
  readonly report: ContactReport;
  /** Like `Bundle.advance`, of all bundles together; on failure all are where they were. */
  advance(t: number, dt: number, robust: boolean): StepOutcome;
  findImpact(t: number, dt: number): number;
  forces(): ContactForce[];
  /** Of links, now [J]. */
  energy(): number;
  readonly links: Links;
  /** What the next step starts from, as plain numbers. */
  save(): Float64Array;
  restore(saved: Float64Array | undefined): void;
}

/** Acceleration of gravity [m/s²], at its full size. */
export function gravityOf({ gravity }: Scene): readonly number[] {
  if (gravity === undefined) return [0, 0, 0];
  return 'acceleration' in gravity ? gravity.acceleration : gravity;
}

/** Groups times rods up to which groups of contacts are solved one by one. */
const mostGrouping = 1e5;

export function createContactWorld(
  scene: Scene,
  rods: readonly Rod[],
  bundles: readonly Bundle[],
  placeOfRod: readonly Place[],
  colliders: readonly Collider[],
  bodyIds: readonly string[],
  drives: readonly Drive[],
  welds: readonly Weld[],
  linkPlans: readonly LinkPlan[],
  warnings: string[],
): ContactWorld {
  const placeOfBody = bodyIds.map((id): Place | undefined => {
    const bundle = bundles.findIndex(({ bodies }) => bodies.some((body) => body.id === id));
    return bundle < 0 ? undefined : { bundle, index: bundles[bundle].bodies.findIndex((body) => body.id === id) };
  });
  const spec = scene.contact;
  const friction = readFriction(spec?.friction, ['contact', 'friction']);
  const pairs = spec !== undefined && (spec.between ?? 'pairs') === 'pairs';
  checkSpec(scene);
  refuseUntouchable(scene, rods, bundles, placeOfRod, colliders, pairs);
  refuseUnlinkable(linkPlans, rods, bundles, placeOfRod);
  const samples = placeOfRod.map(({ bundle, index }) => bundles[bundle].samples[index]);
  const links = createLinks(linkPlans, rods, samples);
  const g = gravityOf(scene);
  let nodes = 0;
  const firstNode = rods.map(({ nodeCount }) => {
    nodes += nodeCount;
    return nodes - nodeCount;
  });
  const rules: RodRules = {
    pairs,
    self: spec?.self ?? true,
    staticFriction: friction.static,
    dynamicFriction: friction.dynamic,
    radius: spec?.radius ?? 0,
    reach: spec?.repulsion?.reach ?? 0,
    pinned: drives.flatMap(({ pins }, r) =>
      pins
        .filter((pin) => pin.holdX && pin.holdY && pin.holdZ && !welds.some((weld) => weld.pin === pin))
        .map((pin) => ({ pin, node: firstNode[r] + pin.node })),
    ),
    welded: welds.map(({ rod, body, pin }) => ({ rod, body, node: pin.node })),
    linked: linkPlans.filter(({ rodB }) => rodB >= 0),
  };
  const finder = createFinder(rods, samples, colliders, rules, g);
  const continuous = pairs && (spec?.continuous ?? true) && (spec?.solver ?? 'admm') !== 'repulsion';
  const end = new Float64Array(3 * finder.nodeCount);
  const raw = createContactSet();
  const set = createContactSet();
  const memory: Memory = { data: new Float64Array(0), count: 0 };
  const report: ContactReport = { contacts: 0, iterations: 0, error: 0, converged: true, swept: 0 };
  const touched = bundles.map((bundle) => new Uint8Array(bundle.contact?.systemCount ?? 0));
  const everything = bundles.map((bundle) => new Uint8Array(bundle.contact?.systemCount ?? 0).fill(1));
  const marked = bundles.map((bundle) => new Uint8Array(bundle.contact?.systemCount ?? 0));
  const part = createContactSet();
  let systems = 0;
  const firstSystem = bundles.map((bundle) => {
    systems += bundle.contact?.systemCount ?? 0;
    return systems - (bundle.contact?.systemCount ?? 0);
  });
  const group = new Int32Array(systems);
  const nodeCrowd = new Int32Array(finder.nodeCount);
  const swept: SweepResult = { met: 0, deep: 0, depth: 0 };
  const rebounds = colliders.some(({ restitution }) => restitution > 0);
  const options = {
    iterations: spec?.iterations ?? 300,
    tolerance: spec?.tolerance ?? 1e-4,
    rolling: spec?.rolling ?? false,
    solver: spec?.solver ?? 'admm',
    repulsion: spec?.repulsion ?? { stiffness: 0, reach: 0 },
  };
  let lastStep = 1;
  const result: SolveResult = { iterations: 0, error: 0, converged: true };
  const outcome = { iterations: 0, iterationsMax: 0, shifts: 0 };

  const add = (one: StepOutcome): boolean => {
    outcome.iterations += one.iterations;
    outcome.iterationsMax = Math.max(outcome.iterationsMax, one.iterationsMax);
    outcome.shifts += one.shifts;
    return one.ok;
  };

  const revertAll = (t: number): void => {
    bundles.forEach((bundle, b) => {
      bundle.contact?.revert(everything[b], t);
    });
  };

  const find = (t: number, dt: number): void => {
    for (const collider of colliders) placeCollider(collider, t, dt);
    gather(finder);
    raw.count = 0;
    findContacts(finder, raw, t, dt);
    sortContacts(set, raw);
    recall(set, memory, dt);
    measureLinks(links, rods, samples);
    recallLinks(links, dt);
  };

  /** The body that a contact's collider rides on. */
  const bodyOf = (of: ContactSet, c: number): Place | undefined => {
    const body = of.collider[c] < 0 ? -1 : colliders[of.collider[c]].body;
    return body < 0 ? undefined : placeOfBody[body];
  };

  /** Systems that a contact touches. */
  const mark = (): void => {
    for (const marks of touched) marks.fill(0);
    for (let c = 0; c < set.count; c++) markContact(touched, set, c);
    for (const { plan } of links.list) markLink(touched, plan);
  };
  const markLink = (marks: readonly Uint8Array[], { rodA, rodB }: LinkPlan): void => {
    markRod(marks, rodA);
    if (rodB >= 0) markRod(marks, rodB);
  };
  const markContact = (marks: readonly Uint8Array[], of: ContactSet, c: number): void => {
    markRod(marks, of.rodA[c]);
    if (of.rodB[c] >= 0) markRod(marks, of.rodB[c]);
    const body = bodyOf(of, c);
    if (body) marks[body.bundle][(bundles[body.bundle].contact as ContactPort).systemOfBody[body.index]] = 1;
  };
  const markRod = (marks: readonly Uint8Array[], rod: number): void => {
    const { bundle, index } = placeOfRod[rod];
    const port = bundles[bundle].contact as ContactPort;
    marks[bundle][port.systemOfRod[index]] = 1;
  };
  /** Number of a rod's system among those of all bundles. */
  const systemOf = (rod: number): number => {
    const { bundle, index } = placeOfRod[rod];
    return firstSystem[bundle] + (bundles[bundle].contact as ContactPort).systemOfRod[index];
  };

  const advance = (t: number, dt: number, robust: boolean): StepOutcome => {
    Object.assign(outcome, { iterations: 0, iterationsMax: 0, shifts: 0 });
    report.swept = 0;
    for (const bundle of bundles) bundle.contact?.hold();
    find(t, dt);
    const fail = (one: StepOutcome): StepOutcome => {
      revertAll(t);
      return { ...one, ...outcome };
    };
    for (let round = 0; ; round++) {
      mark();
      for (let b = 0; b < bundles.length; b++) {
        const one = bundles[b].advance(t, dt, robust, touched[b]);
        if (!add(one)) return fail(one);
      }
      Object.assign(report, { contacts: set.count, iterations: 0, error: 0, converged: true });
      if (set.count > 0 || links.list.length > 0) {
        const one = respond(t, dt, robust);
        if (!one.ok) return fail(one);
      }
      gatherEnd(end, finder);
      raw.count = 0;
      Object.assign(swept, { met: 0, deep: 0, depth: 0 });
      if (continuous) sweepPairs(swept, finder, raw, end);
      const pairsDeep = raw.count;
      const sunken = options.solver === 'admm' ? findSunken(finder, raw, end, t, dt) : 0;
      const deep = swept.deep + raw.count - pairsDeep;
      const depth = Math.max(swept.depth, sunken);
      report.swept += swept.met;
      // what ends a little too deep after all is left to the next step; more is worth a cut of this one, but not many
      if (swept.met === 0 && (deep === 0 || (round >= 2 && (robust || depth < 0.06)))) break;
      if (round >= (swept.met > 0 ? 4 : 2)) {
        const reason = swept.met > 0 ? 'rods would pass through each other' : 'rods would sink into what they touch';
        return fail({ ok: false, ...outcome, failure: { rod: rods[raw.rodA[0]].id, reason } });
      }
      // what met takes precedence over what was there under the same key
      appendContacts(raw, set);
      sortContacts(set, raw);
      revertAll(t);
    }
    remember(memory, set, dt);
    rememberLinks(links, dt);
    lastStep = dt;
    return { ok: true, ...outcome };
  };

  /** Time until the first impact of a step that rebounds, or 0: the step is cut there. */
  const findImpact = (t: number, dt: number): number => {
    if (!rebounds) return 0;
    find(t, dt);
    let first = 0;
    for (let c = 0; c < set.count; c++) {
      const speed = set.approach[c];
      if (set.restitution[c] === 0 || speed >= -reboundThreshold(finder, dt)) continue;
      if (set.gap[c] <= -0.02 * dt * speed) continue;
      const pull = g[0] * set.normal[3 * c] + g[1] * set.normal[3 * c + 1] + g[2] * set.normal[3 * c + 2];
      // gap + speed·τ + ½ pull·τ² = 0, the first root
      const root = speed * speed - 2 * pull * set.gap[c];
      if (root < 0) continue;
      const time = (2 * set.gap[c]) / (-speed + Math.sqrt(root));
      if (time > 0.02 * dt && time < 0.98 * dt && (first === 0 || time < first)) first = time;
    }
    return first;
  };

  const failed = (reason: string): StepOutcome => ({
    ok: false,
    ...outcome,
    failure: { rod: rods[set.count > 0 ? set.rodA[0] : (links.list[0]?.plan.rodA ?? 0)].id, reason },
  });

  /**
   * Systems that contacts join are solved together; others do not wait for each other. Laying out a group looks at all rods,
   * so very many are solved as one.
   */
  const respond = (t: number, dt: number, robust: boolean): StepOutcome => {
    setBias(set, dt, g, reboundThreshold(finder, dt));
    const groups = groupContacts();
    if (groups.length < 2 || groups.length * rods.length > mostGrouping)
      return respondTogether(set, links.list, touched, t, dt, robust);
    let iterations = 0;
    let error = 0;
    let converged = true;
    for (const group of groups) {
      part.count = 0;
      for (const marks of marked) marks.fill(0);
      for (const { plan } of group.links) markLink(marked, plan);
      for (const c of group.contacts) {
        copyContact(part, addContact(part), set, c);
        markContact(marked, set, c);
      }
      report.iterations = 0;
      const one = respondTogether(part, group.links, marked, t, dt, robust);
      if (!one.ok) return one;
      iterations = Math.max(iterations, report.iterations);
      error = Math.max(error, report.error);
      converged &&= report.converged;
      group.contacts.forEach((c, i) => {
        copyContact(set, c, part, i);
      });
    }
    Object.assign(report, { iterations, error, converged });
    return { ok: true, ...outcome };
  };

  /** Contacts by the systems that they join, in their order. */
  const groupContacts = (): { contacts: number[]; links: Link[] }[] => {
    for (let s = 0; s < group.length; s++) group[s] = s;
    const rootOf = (s: number): number => {
      let r = s;
      while (group[r] !== r) r = group[r];
      while (group[s] !== r) [s, group[s]] = [group[s], r];
      return r;
    };
    for (let c = 0; c < set.count; c++) {
      const a = rootOf(systemOf(set.rodA[c]));
      if (set.rodB[c] >= 0) group[rootOf(systemOf(set.rodB[c]))] = a;
      const body = bodyOf(set, c);
      if (body) {
        const port = bundles[body.bundle].contact as ContactPort;
        group[rootOf(firstSystem[body.bundle] + port.systemOfBody[body.index])] = rootOf(a);
      }
    }
    for (const { plan } of links.list)
      if (plan.rodB >= 0) group[rootOf(systemOf(plan.rodB))] = rootOf(systemOf(plan.rodA));
    const lists = new Map<number, { contacts: number[]; links: Link[] }>();
    const listOf = (rod: number): { contacts: number[]; links: Link[] } => {
      const root = rootOf(systemOf(rod));
      const list = lists.get(root) ?? { contacts: [], links: [] };
      lists.set(root, list);
      return list;
    };
    for (let c = 0; c < set.count; c++) listOf(set.rodA[c]).contacts.push(c);
    for (const link of links.list) listOf(link.plan.rodA).links.push(link);
    return [...lists.values()];
  };

  const respondTogether = (
    set: ContactSet,
    linked: readonly Link[],
    touched: readonly Uint8Array[],
    t: number,
    dt: number,
    robust: boolean,
  ): StepOutcome => {
    const arrays = layOut(finder, set, bundles, placeOfRod, touched, nodeCrowd, options.rolling, bodyOf, links, linked);
    if (arrays.links) arrays.links.dt = dt;
    // without gravity, links are as exact as a millionth of an edge wants
    const scale = Math.max(finder.acceleration * dt, (1e-6 * links.size) / dt);
    for (let round = 0; ; round++) {
      writeForces(set, arrays, dt);
      arrays.impulseStart.set(set.impulse.subarray(0, 3 * set.count));
      for (const { impulse, impulseStart } of linked) impulseStart.set(impulse);
      for (const { port, sides, systems, from } of arrays.sides) {
        const end = from + sides.count;
        const velocity = arrays.start.subarray(3 * from, 3 * end);
        const response = arrays.response.subarray(from, end);
        if (!port.linearize(velocity, response, systems, sides, t, dt, round === 0))
          return failed('the response to contact cannot be found');
      }
      if (options.solver === 'admm' && !weighContacts(set, arrays))
        return failed('the response to contact is not positive');
      if (options.solver === 'gauss-seidel') {
        for (const { port, sides, systems } of arrays.sides)
          if (!port.factor(systems, sides)) return failed('the response to contact is not positive');
        solveGaussSeidel(result, set, arrays, scale, options.tolerance, options.iterations);
      } else if (options.solver === 'impulses') solveLumped(result, set, arrays, rods);
      else if (options.solver === 'repulsion')
        applyRepulsion(result, set, options.repulsion.stiffness, options.repulsion.reach, dt);
      else solveAdmm(result, set, arrays, scale, options.tolerance, options.iterations);
      report.iterations += result.iterations;
      report.error = result.error;
      report.converged = result.converged;
      writeForces(set, arrays, dt);
      for (const { port, sides, systems } of arrays.sides) {
        const one = port.step(systems, sides, t, dt, robust);
        if (!add(one)) return one;
      }
      readVelocities(arrays, arrays.start);
      // where the rods came to where the linear response had them, that is it
      if (options.solver !== 'admm' && options.solver !== 'gauss-seidel') break;
      if (round >= 3 || isPredicted(arrays, Math.max(options.tolerance * scale, report.error))) break;
    }
    markSliding(set, arrays, scale);
    return { ok: true, ...outcome };
  };

  find(0, 1e-9);
  warnOverlaps(set, rods, colliders, warnings);
  set.count = 0;

  return {
    colliders,
    finder,
    set,
    memory,
    report,
    advance,
    findImpact,
    forces: () => listForces(set, rods, colliders, lastStep),
    energy: () => energyOfLinks(links),
    links,
    save() {
      const saved = new Float64Array(links.memory.length + MEMORY_STRIDE * memory.count);
      saved.set(links.memory);
      saved.set(memory.data.subarray(0, MEMORY_STRIDE * memory.count), links.memory.length);
      return saved;
    },
    restore(saved) {
      if (saved) links.memory.set(saved.subarray(0, links.memory.length));
      memory.data = saved?.slice(links.memory.length) ?? new Float64Array(0);
      memory.count = memory.data.length / MEMORY_STRIDE;
      set.count = 0;
    },
  };
}

function listForces(set: ContactSet, rods: readonly Rod[], colliders: readonly Collider[], dt: number): ContactForce[] {
  const list: ContactForce[] = [];
  for (let c = 0; c < set.count; c++) {
    const o = 3 * c;
    const [x, y, z] = [set.impulse[o] / dt, set.impulse[o + 1] / dt, set.impulse[o + 2] / dt];
    if (x === 0 && y === 0 && z === 0) continue;
    const collider = set.collider[c];
    list.push({
      rod: rods[set.rodA[c]].id,
      other: collider >= 0 ? colliders[collider].id : rods[set.rodB[c]].id,
      kind: collider >= 0 ? 'collider' : 'rod',
      edge: set.edgeA[c],
      weight: set.weightA[c],
      force: [x, y, z],
      normal: [set.normal[o], set.normal[o + 1], set.normal[o + 2]],
      gap: set.gap[c],
      sliding: set.sliding[c] === 1,
    });
  }
  return list;
}
