/**
 * A step with contact: find, step under the forces of the last step, linearise there, solve for the impulses, step under
 * them, see whether anything passed through, remember.
 *
 * Systems that nothing is near take their own scheme's step, of second order. The others take implicit Euler.
 */
import { SceneError } from '../errors.ts';
import type { Bundle, ContactPort, Drive, StepOutcome } from '../model.ts';
import type { ContactSides } from '../port.ts';
import type { Weld } from '../scene/bodies.ts';
import type { Rod } from '../scene/compiled.ts';
import type { Scene } from '../scene/types.ts';
import { type SideArrays, type SolveResult, solveAdmm, weighContacts } from './admm.ts';
import { type Collider, placeCollider, readFriction } from './collider.ts';
import { createFinder, type Finder, findContacts, gather, type RodRules, reboundThreshold } from './find.ts';
import { applyRepulsion, solveGaussSeidel, solveLumped } from './gaussSeidel.ts';
import {
  appendContacts,
  type ContactSet,
  createContactSet,
  MEMORY_STRIDE,
  type Memory,
  recall,
  remember,
  sortContacts,
} from './set.ts';
import { gatherEnd, type SweepResult, sweepPairs } from './sweep.ts';

/** Where a rod or a body of the scene is: its bundle, and its index there. */
export interface Place {
  readonly bundle: number;
  readonly index: number;
}

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
  /** What the next step starts from, as plain numbers. */
  save(): Float64Array;
  restore(saved: Float64Array | undefined): void;
}

/** Acceleration of gravity [m/s²], at its full size. */
export function gravityOf({ gravity }: Scene): readonly number[] {
  if (gravity === undefined) return [0, 0, 0];
  return 'acceleration' in gravity ? gravity.acceleration : gravity;
}

export function createContactWorld(
  scene: Scene,
  rods: readonly Rod[],
  bundles: readonly Bundle[],
  placeOfRod: readonly Place[],
  colliders: readonly Collider[],
  bodyIds: readonly string[],
  drives: readonly Drive[],
  welds: readonly Weld[],
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
  refuse(scene, rods, bundles, placeOfRod, colliders, pairs);
  const samples = placeOfRod.map(({ bundle, index }) => bundles[bundle].samples[index]);
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
  };
  const finder = createFinder(rods, samples, colliders, rules, g);
  const continuous = pairs && (spec?.continuous ?? true) && (spec?.solver ?? 'admm') !== 'repulsion';
  const end = new Float64Array(continuous ? 3 * finder.nodeCount : 0);
  const raw = createContactSet();
  const set = createContactSet();
  const memory: Memory = { data: new Float64Array(0), count: 0 };
  const report: ContactReport = { contacts: 0, iterations: 0, error: 0, converged: true, swept: 0 };
  const touched = bundles.map((bundle) => new Uint8Array(bundle.contact?.systemCount ?? 0));
  const everything = bundles.map((bundle) => new Uint8Array(bundle.contact?.systemCount ?? 0).fill(1));
  const nodeCrowd = new Int32Array(finder.nodeCount);
  const swept: SweepResult = { met: 0, deep: 0 };
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
  };

  /** The body that a contact's collider rides on. */
  const bodyOf = (of: ContactSet, c: number): Place | undefined => {
    const body = of.collider[c] < 0 ? -1 : colliders[of.collider[c]].body;
    return body < 0 ? undefined : placeOfBody[body];
  };

  /** Systems that a contact touches. */
  const mark = (): void => {
    for (const marks of touched) marks.fill(0);
    for (let c = 0; c < set.count; c++) {
      markRod(set.rodA[c]);
      if (set.rodB[c] >= 0) markRod(set.rodB[c]);
      const body = bodyOf(set, c);
      if (body) touched[body.bundle][(bundles[body.bundle].contact as ContactPort).systemOfBody[body.index]] = 1;
    }
  };
  const markRod = (rod: number): void => {
    const { bundle, index } = placeOfRod[rod];
    const port = bundles[bundle].contact as ContactPort;
    touched[bundle][port.systemOfRod[index]] = 1;
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
      if (set.count > 0) {
        const one = respond(t, dt, robust);
        if (!one.ok) return fail(one);
      }
      if (!continuous) break;
      gatherEnd(end, finder);
      raw.count = 0;
      sweepPairs(swept, finder, raw, end);
      report.swept += swept.met;
      if (swept.met === 0 && (swept.deep === 0 || round >= 2)) break;
      if (round >= 4) {
        const reason = 'rods would pass through each other';
        return fail({ ok: false, ...outcome, failure: { rod: rods[raw.rodA[0]].id, reason } });
      }
      // what met takes precedence over what was there under the same key
      appendContacts(raw, set);
      sortContacts(set, raw);
      revertAll(t);
    }
    remember(memory, set, dt);
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
    failure: { rod: rods[set.rodA[0]].id, reason },
  });

  const respond = (t: number, dt: number, robust: boolean): StepOutcome => {
    const arrays = layOut(finder, set, bundles, placeOfRod, touched, nodeCrowd, options.rolling, bodyOf);
    const scale = finder.acceleration * dt;
    setBias(set, dt, g, reboundThreshold(finder, dt));
    for (let round = 0; ; round++) {
      writeForces(set, arrays, dt);
      arrays.impulseStart.set(set.impulse.subarray(0, 3 * set.count));
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
    save: () => memory.data.slice(0, MEMORY_STRIDE * memory.count),
    restore(saved) {
      memory.data = saved?.slice() ?? new Float64Array(0);
      memory.count = memory.data.length / MEMORY_STRIDE;
      set.count = 0;
    },
  };
}

/** What overlaps at the start is pushed apart gently; that it does is worth telling. */
function warnOverlaps(set: ContactSet, rods: readonly Rod[], colliders: readonly Collider[], warnings: string[]): void {
  const deepest = new Map<string, number>();
  for (let c = 0; c < set.count; c++) {
    const depth = -set.gap[c] / set.size[c];
    if (depth < 0.05) continue;
    const collider = set.collider[c];
    const other = collider >= 0 ? `collider '${colliders[collider].id}'` : `rod '${rods[set.rodB[c]].id}'`;
    const pair = `rod '${rods[set.rodA[c]].id}' and ${other}`;
    deepest.set(pair, Math.max(deepest.get(pair) ?? 0, depth));
  }
  const all = [...deepest].sort(([, a], [, b]) => b - a);
  for (const [pair, depth] of all.slice(0, 3)) {
    const percent = Math.round(100 * depth);
    warnings.push(`${pair} overlap at the start, by ${percent} % of the radius; they are pushed apart gently`);
  }
  if (all.length > 3) warnings.push(`${all.length - 3} more pairs overlap at the start`);
}

/** Fields that need or exclude each other. */
function checkSpec({ contact: spec, bodies = [] }: Scene): void {
  if (!spec) return;
  const refuseField = (field: string, message: string): void => {
    throw new SceneError(['contact', field], message);
  };
  const { solver = 'admm', between = 'pairs' } = spec;
  if (solver === 'repulsion' && !spec.repulsion)
    refuseField('repulsion', "solver: repulsion needs 'repulsion' with a stiffness and a reach");
  if (solver !== 'repulsion' && spec.repulsion)
    refuseField('repulsion', `it has no effect with solver: ${solver}; remove it, or use solver: repulsion`);
  if (solver === 'repulsion' && spec.friction !== undefined)
    refuseField('friction', 'repulsion has no friction; remove it, or use another solver');
  if (solver === 'impulses' && bodies.length > 0) refuseField('solver', 'impulses do not know bodies; use admm');
  if (between === 'continuum' && !spec.continuum)
    refuseField('continuum', "between: continuum needs 'continuum' with the size of a cell");
  if (between !== 'continuum' && spec.continuum)
    refuseField('continuum', `it has no effect with between: ${between}; remove it, or use between: continuum`);
  if (between !== 'pairs' && (spec.self !== undefined || spec.radius !== undefined))
    refuseField(spec.self !== undefined ? 'self' : 'radius', `it has no effect with between: ${between}; remove it`);
  if (!((spec.iterations ?? 1) >= 1 && Number.isInteger(spec.iterations ?? 1)))
    refuseField('iterations', `${spec.iterations} iterations; it must be a whole number of at least 1`);
  if (!((spec.tolerance ?? 1) > 0)) refuseField('tolerance', `the tolerance is ${spec.tolerance}; it must be positive`);
  if (!((spec.radius ?? 1) > 0)) refuseField('radius', `the radius is ${spec.radius} m; it must be positive`);
}

/** What cannot be done is said before the run. */
function refuse(
  scene: Scene,
  rods: readonly Rod[],
  bundles: readonly Bundle[],
  placeOfRod: readonly Place[],
  colliders: readonly Collider[],
  pairs: boolean,
): void {
  rods.forEach((rod, r) => {
    const bundle = bundles[placeOfRod[r].bundle];
    const collider = colliders.findIndex(({ acts }) => acts[r]);
    if (!pairs && collider < 0) return;
    if (!bundle.contact) {
      const where = collider >= 0 ? ['colliders', collider] : ['contact'];
      const remedy = "use model 'der' with an implicit integrator, or leave the rod out with 'rods' of the collider";
      throw new SceneError(
        where,
        `model '${bundle.model}' of rod '${rod.id}', as set up here, cannot touch anything; ${remedy}`,
      );
    }
    if (pairs && !scene.contact?.radius && rod.edgeRadius.some((radius) => !(radius > 0)))
      throw new SceneError(
        ['contact'],
        `rod '${rod.id}' has no thickness to touch with; give its section a radius, or set contact.radius`,
      );
  });
}

/** Sides of all contacts, grouped by bundle and rod, in the order of the contacts. */
function layOut(
  finder: Finder,
  set: ContactSet,
  bundles: readonly Bundle[],
  placeOfRod: readonly Place[],
  touched: readonly Uint8Array[],
  nodeCrowd: Int32Array,
  rolling: boolean,
  bodyOf: (set: ContactSet, c: number) => Place | undefined,
): SideArrays {
  const { count } = set;
  // counting sort by (bundle, rod)
  const order = placeOfRod
    .map((_, r) => r)
    .sort((r, q) => placeOfRod[r].bundle - placeOfRod[q].bundle || placeOfRod[r].index - placeOfRod[q].index);
  const rodStart = new Int32Array(placeOfRod.length + 1);
  const perRod = new Int32Array(placeOfRod.length);
  for (let c = 0; c < count; c++) {
    perRod[set.rodA[c]]++;
    if (set.rodB[c] >= 0) perRod[set.rodB[c]]++;
  }
  // within a bundle, bodies come after rods, in the order of the contacts
  const bodyCount = bundles.map(() => 0);
  const bodyCrowd = bundles.map(({ bodies }) => new Int32Array(bodies.length));
  for (let c = 0; c < count; c++) {
    const body = bodyOf(set, c);
    if (!body) continue;
    bodyCount[body.bundle]++;
    bodyCrowd[body.bundle][body.index]++;
  }
  let total = 0;
  const bundleStart = bundles.map(() => 0);
  const bundleEnd = bundles.map(() => 0);
  const bodyStart = bundles.map(() => 0);
  bundles.forEach((_, b) => {
    bundleStart[b] = total;
    for (const r of order) {
      if (placeOfRod[r].bundle !== b) continue;
      rodStart[r] = total;
      total += perRod[r];
    }
    bodyStart[b] = total;
    total += bodyCount[b];
    bundleEnd[b] = total;
  });
  const rod = new Int32Array(total);
  const edge = new Int32Array(total);
  const weight = new Float64Array(total);
  const arm = new Float64Array(3 * total);
  const force = new Float64Array(3 * total);
  const mass = new Float64Array(total);
  const sideA = new Int32Array(count);
  const sideB = new Int32Array(count).fill(-1);
  const place = (r: number, e: number, w: number, lever: Float64Array, o: number): number => {
    const s = rodStart[r]++;
    rod[s] = placeOfRod[r].index;
    edge[s] = e;
    weight[s] = w;
    if (rolling) {
      const t = finder.samples[r].edgeTangent;
      const [x, y, z] = [t[3 * e], t[3 * e + 1], t[3 * e + 2]];
      arm[3 * s] = y * lever[o + 2] - z * lever[o + 1];
      arm[3 * s + 1] = z * lever[o] - x * lever[o + 2];
      arm[3 * s + 2] = x * lever[o + 1] - y * lever[o];
    }
    return s;
  };
  nodeCrowd.fill(0);
  for (let c = 0; c < count; c++) {
    sideA[c] = place(set.rodA[c], set.edgeA[c], set.weightA[c], set.armA, 3 * c);
    crowdSide(finder, nodeCrowd, set.rodA[c], set.edgeA[c], set.weightA[c], 1);
    const body = bodyOf(set, c);
    if (body) {
      const s = bodyStart[body.bundle]++;
      sideB[c] = s;
      rod[s] = -1 - body.index;
      for (let k = 0; k < 3; k++) arm[3 * s + k] = set.point[3 * c + k];
    }
    if (set.rodB[c] < 0) continue;
    sideB[c] = place(set.rodB[c], set.edgeB[c], set.weightB[c], set.armB, 3 * c);
    crowdSide(finder, nodeCrowd, set.rodB[c], set.edgeB[c], set.weightB[c], 1);
  }
  const crowd = new Float64Array(count);
  for (let c = 0; c < count; c++) {
    crowd[c] = crowdSide(finder, nodeCrowd, set.rodA[c], set.edgeA[c], set.weightA[c], 0);
    const body = bodyOf(set, c);
    if (body) crowd[c] = Math.max(crowd[c], bodyCrowd[body.bundle][body.index]);
    if (set.rodB[c] >= 0)
      crowd[c] = Math.max(crowd[c], crowdSide(finder, nodeCrowd, set.rodB[c], set.edgeB[c], set.weightB[c], 0));
  }
  const sides = bundles.flatMap((bundle, b) => {
    const from = bundleStart[b];
    const end = bundleEnd[b];
    if (!bundle.contact || end === from) return [];
    const view: ContactSides = {
      count: end - from,
      rod: rod.subarray(from, end),
      edge: edge.subarray(from, end),
      weight: weight.subarray(from, end),
      arm: arm.subarray(3 * from, 3 * end),
      force: force.subarray(3 * from, 3 * end),
      mass: mass.subarray(from, end),
    };
    return [{ port: bundle.contact, sides: view, from, systems: touched[b] }];
  });
  return {
    count: total,
    sides,
    sideA,
    sideB,
    mass,
    response: new Float64Array(total),
    start: new Float64Array(3 * total),
    velocity: new Float64Array(3 * total),
    free: new Float64Array(3 * total),
    copy: new Float64Array(3 * total),
    right: new Float64Array(3 * total),
    impulseStart: new Float64Array(3 * count),
    omega: new Float64Array(count),
    crowd,
  };
}

/** Adds `more` to the count of contacts at the nodes of a side, and returns the larger. */
function crowdSide(finder: Finder, crowd: Int32Array, rod: number, edge: number, weight: number, more: number): number {
  const first = finder.nodeOffset[rod] + edge;
  const second = finder.nodeOffset[rod] + ((edge + 1) % finder.rods[rod].nodeCount);
  let most = 0;
  if (weight < 1) {
    crowd[first] += more;
    most = crowd[first];
  }
  if (weight > 0) {
    crowd[second] += more;
    most = Math.max(most, crowd[second]);
  }
  return most;
}

/** What the normal velocity may fall to: a gap may close, an overlap is pushed out gently, an impact rebounds. */
function setBias(set: ContactSet, dt: number, gravity: readonly number[], threshold: number): void {
  for (let c = 0; c < set.count; c++) {
    const gap = set.gap[c];
    const size = set.size[c];
    set.bias[c] = gap > 0 ? gap / dt : -Math.min(0.2 * Math.max(0, -gap - 0.01 * size), 0.05 * size) / dt;
    const speed = set.approach[c];
    if (set.restitution[c] === 0 || speed >= -threshold || gap > -dt * speed) continue;
    // after the rebound it is slowed by gravity for what is left of the step
    const n = 3 * c;
    const pull = gravity[0] * set.normal[n] + gravity[1] * set.normal[n + 1] + gravity[2] * set.normal[n + 2];
    set.bias[c] = Math.min(set.bias[c], set.restitution[c] * speed - dt * pull);
  }
}

function writeForces(set: ContactSet, arrays: SideArrays, dt: number): void {
  for (const { sides, from } of arrays.sides) {
    sides.force.fill(0);
    for (let c = 0; c < set.count; c++) {
      const a = arrays.sideA[c] - from;
      const b = arrays.sideB[c] - from;
      for (let k = 0; k < 3; k++) {
        const f = set.impulse[3 * c + k] / dt;
        if (a >= 0 && a < sides.count) sides.force[3 * a + k] = f;
        if (b >= 0 && b < sides.count) sides.force[3 * b + k] = -f;
      }
    }
  }
}

function readVelocities(arrays: SideArrays, out: Float64Array): void {
  for (const { port, sides, from } of arrays.sides)
    port.readVelocity(out.subarray(3 * from, 3 * (from + sides.count)), sides);
}

/** Whether the velocities that the rods came to are those that the copies have. */
function isPredicted(arrays: SideArrays, limit: number): boolean {
  const { start, copy, count } = arrays;
  for (let k = 0; k < 3 * count; k++) if (!(Math.abs(start[k] - copy[k]) <= 10 * limit)) return false;
  return true;
}

/** What slides at the end of the step has dynamic friction in the next. */
function markSliding(set: ContactSet, arrays: SideArrays, scale: number): void {
  const { start, sideA, sideB } = arrays;
  for (let c = 0; c < set.count; c++) {
    const o = 3 * c;
    let un = 0;
    let u2 = 0;
    for (let k = 0; k < 3; k++) {
      const b = sideB[c];
      const u = start[3 * sideA[c] + k] - (b >= 0 ? start[3 * b + k] : set.surface[o + k]);
      un += u * set.normal[o + k];
      u2 += u * u;
    }
    const slip = Math.sqrt(Math.max(0, u2 - un * un));
    set.sliding[c] = slip > 0.05 * scale + 1e-6 ? 1 : 0;
  }
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
