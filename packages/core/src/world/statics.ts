/** Equilibria, natural modes and matrices of a world. */
import type { ContactModule } from '../contact/index.ts';
import type { LinkedRest } from '../contact/links/statics.ts';
import type { StillWorld } from '../contact/rest/relax.ts';
import { SceneError } from '../errors.ts';
import { hypotOf } from '../math/rounded/index.ts';
import type { EquilibriumOptions, EquilibriumReport, Matrices, Modes, RestTangent } from '../model.ts';
import { gravityOf } from '../scene/loads.ts';
import type { StepTangent } from '../stepPort.ts';
import { animateRods } from './animateRods.ts';
import { auditEquilibria } from './audit.ts';
import { buildWorld, moveBodiesOnPaths, type WorldParts } from './build.ts';
import { refuseEngine } from './engineTurn.ts';
import { describeFold } from './folds.ts';
import { followWorld, TOLERANCE } from './followBranch.ts';
import { createPathFollower, type PathFollower } from './pathFollower.ts';
import { findTurnStops } from './pinTurns.ts';
import { hashState, restoreState, saveRods } from './state.ts';
import { correctTaut, isTaut } from './taut.ts';
import { refuseWithContact, touches } from './touching.ts';
import type { World } from './types.ts';

/** What one search for equilibria keeps for the next. */
interface StaticsMemory {
  /** Solver for linked rods; created on first use. */
  linked(): LinkedRest | undefined;
  /** State of the last equilibrium with contact. */
  readonly lastRest: { hash: string };
  /** Equilibria without contact, one after the other. */
  readonly path: PathFollower;
}

/** `forget`: called when the state changes. */
export function createStatics(
  world: WorldParts,
  forget: () => void,
): Pick<World, 'equilibrate' | 'branch' | 'linearize' | 'linearizeSteps' | 'modes' | 'matrices'> {
  let linkedRest: LinkedRest | undefined;
  const memory: StaticsMemory = {
    linked() {
      linkedRest ??= world.contact?.createLinkedRest();
      return linkedRest;
    },
    lastRest: { hash: '' },
    path: createPathFollower(world),
  };
  return {
    equilibrate(t = world.clock.time) {
      forget();
      return equilibrate(world, memory, t);
    },
    branch(start = 'along') {
      forget();
      return followWorld(world, start, (at) => equilibrate(world, memory, at, 'report'));
    },
    linearize() {
      forget();
      return linearize(world);
    },
    linearizeSteps: () => linearizeSteps(world),
    modes: (count = world.scene.modes?.count ?? 10) => findModes(world, memory, count),
    matrices: () => findMatrices(world),
  };
}

/** Equilibria at time t, through those at instants between which no clamp turns too far. */
function equilibrate(world: WorldParts, memory: StaticsMemory, t: number, branch?: 'report'): EquilibriumReport[] {
  const { rods, drives, clock } = world;
  const [stops, reach] = touches(world)
    ? [[], (at: number) => equilibrateAt(world, memory, at, branch)]
    : [findTurnStops(rods, drives, clock.time, t), (at: number) => reachOnPath(world, memory, at, branch)];
  let reports: EquilibriumReport[] = [];
  for (const stop of [...stops, t]) {
    const before = reports;
    // a jump on the way is one of the whole path
    reports = reach(stop).map((report, r) => {
      const { iterations = 0, jump } = before[r] ?? {};
      return { ...(jump && { jump }), ...report, iterations: report.iterations + iterations };
    });
  }
  return reports;
}

/** Equilibria at time t, on the branch of the last ones (pathFollower.ts). */
function reachOnPath(
  world: WorldParts,
  memory: StaticsMemory,
  t: number,
  branch: 'report' | undefined,
): EquilibriumReport[] {
  const { stability = 'seek', tolerance = TOLERANCE } = world.scene.statics ?? {};
  return memory.path.reach(t, {
    search: (at) => equilibrateAt(world, memory, at, branch),
    seeks: (branch ?? stability) === 'seek',
    tolerance,
  });
}

function equilibrateAt(
  world: WorldParts,
  { linked, lastRest, path }: StaticsMemory,
  t: number,
  branch?: 'report',
): EquilibriumReport[] {
  const { clock, scene, bodies, placeOfRod } = world;
  refuseEngine(world.options, 'equilibria');
  animateRods(world, t);
  clock.hasContactForces = false;
  const { stability = 'seek', tolerance = TOLERANCE } = scene.statics ?? {};
  const wanted = { stability: branch ?? stability, tolerance };
  if (touches(world)) return remarkFolds(world, auditEquilibria(world, seekWithContact(world, t, wanted, lastRest)));
  const solver = linked();
  const from = clock.time;
  const retry = path.prepareRetry();
  moveBodiesOnPaths(bodies, t);
  clock.time = t;
  const joined = solver?.equilibrate(from, t, wanted);
  const reports = placeOfRod.map(({ bundle, index }, r) => joined?.get(r) ?? bundle.equilibrate(index, t, wanted));
  const found = retry?.(t, wanted, reports) ?? reports;
  return remarkFolds(world, auditEquilibria(world, judgeTaut(world, found)));
}

/** Corrects the reports of single rods that cannot move. */
function judgeTaut(world: WorldParts, reports: readonly EquilibriumReport[]): readonly EquilibriumReport[] {
  const { rods, samples, drives, clock, contact, scene } = world;
  if (contact || scene.bodies?.length) return reports;
  return reports.map((report, r) =>
    isTaut(rods[r], samples[r], drives[r].pins, clock.time) ? correctTaut(report) : report,
  );
}

/** Adds a remark to the report of each rod that bends too sharply for its edges. */
function remarkFolds(
  { rods, samples, drives, clock }: WorldParts,
  reports: readonly EquilibriumReport[],
): EquilibriumReport[] {
  return reports.map((report, r) => {
    const remark = report.converged
      ? describeFold(rods[r], samples[r], drives[r].pins, clock.time, () => '')
      : undefined;
    return remark === undefined ? report : { ...report, remark };
  });
}

/** Equilibria of rods that touch something (contact/rest/). */
function seekWithContact(
  world: WorldParts,
  t: number,
  wanted: EquilibriumOptions,
  lastRest: { hash: string },
): EquilibriumReport[] {
  const { options, rods, samples, placeOfRod, contact, clock } = world;
  refuseWithContact(world);
  const { contact: contactModule } = options;
  if (!contact || !contactModule) return [];
  const reports = contactModule.seekWithContact(
    {
      rods,
      samples,
      placeOfRod,
      contact,
      colliders: world.colliders,
      time: clock.time,
      isAtRest: hashState(world) === lastRest.hash,
      setTime(until) {
        clock.time = until;
      },
      createStill: () => createStill(world, contactModule),
      takeState({ bundles, contact: from }, until) {
        const { stepCount } = clock;
        const states = bundles.map(({ state }) => ({
          q: state.q,
          v: new Float64Array(state.v.length),
          memory: state.memory,
        }));
        restoreState(world, { time: until, stepCount, bundles: states, contact: from.save() });
        for (const bundle of world.bundles) bundle.settle?.(until);
      },
      attempt(action) {
        const before = saveRods(world, clock.time);
        const result = action();
        if (result === undefined) restoreState(world, before);
        return result;
      },
    },
    t,
    wanted,
  );
  lastRest.hash = reports.every(({ converged }) => converged) ? hashState(world) : '';
  contact.applyContactForces();
  clock.hasContactForces = true;
  return reports;
}

function createStill(world: WorldParts, { holdScene, relaxationTolerance }: ContactModule): StillWorld {
  const { scene, options, drives, clock } = world;
  const instant = { time: clock.time, before: clock.time, duration: 0, disturbance: 0 };
  const tight = { ...(scene.contact ?? { between: 'none' }), tolerance: relaxationTolerance } as const;
  const twin = buildWorld({ ...scene, contact: tight }, options, holdScene(drives, world.rods, instant));
  restoreState(twin, saveRods(world, clock.time));
  const { contact, bundles, samples, rods, budget } = twin;
  if (!contact) throw new Error('a scene with contact was built without it');
  return {
    contact,
    bundles,
    samples,
    rods,
    instant,
    gravity: hypotOf(gravityOf(scene)),
    begin: (dt) => budget.begin(clock.time, dt),
    hold() {
      const before = saveRods(twin, twin.clock.time);
      return () => restoreState(twin, before);
    },
  };
}

function linearize(world: WorldParts): RestTangent[] {
  const { clock, contact, scene, placeOfRod } = world;
  refuse(world, 'derivatives');
  const fields = [contact ? 'links' : '', scene.bodies?.length ? 'bodies' : ''].filter(Boolean);
  if (fields.length > 0)
    throw new SceneError(fields.slice(0, 1), `derivatives of equilibria are for scenes without ${fields[0]}`);
  return placeOfRod.map(({ bundle, index }, r) => {
    const tangent = bundle.linearize?.(index, clock.time);
    if (!tangent)
      throw new SceneError(
        ['rods', r, 'model'],
        `derivatives of equilibria support the model der with strain: rotation and an implicit integrator; this rod is of model ${bundle.model}`,
      );
    return tangent;
  });
}

function linearizeSteps(world: WorldParts): StepTangent[] {
  const { contact, scene, placeOfRod } = world;
  refuse(world, 'derivatives');
  const fields = [contact ? 'links' : '', scene.bodies?.length ? 'bodies' : ''].filter(Boolean);
  if (fields.length > 0)
    throw new SceneError(fields.slice(0, 1), `derivatives of a run are for scenes without ${fields[0]}`);
  return placeOfRod.map(({ bundle, index }, r) => {
    const tangent = bundle.linearizeSteps?.(index);
    if (!tangent)
      throw new SceneError(
        ['rods', r, 'model'],
        `derivatives of a run support the model der; this rod is of model ${bundle.model}`,
      );
    return tangent;
  });
}

function findModes(world: WorldParts, memory: StaticsMemory, count: number): Modes[] {
  const { clock, contact, placeOfRod } = world;
  if (touches(world)) return findModesInContact(world, memory, count);
  refuse(world, 'modes');
  return withStateKept(world, () => {
    if (!contact) return placeOfRod.map(({ bundle, index }) => bundle.modes(index, clock.time, count));
    return contact.findModes(matricesOfRods(world), clock.time, count);
  });
}

/** Modes about the equilibrium that was found last, with its contacts held closed. */
function findModesInContact(world: WorldParts, { lastRest }: StaticsMemory, count: number): Modes[] {
  const { clock, contact, placeOfRod, scene } = world;
  refuseEngine(world.options, 'modes');
  refuseWithContact(world);
  if (!contact || contact.links.count > 0)
    throw new SceneError(
      ['links'],
      "modes do not support contact together with links; remove 'links' or the obstacles",
    );
  const other = scene.rods.findIndex((_, r) => placeOfRod[r].bundle.model !== 'der');
  if (other >= 0)
    throw new SceneError(['rods', other, 'model'], 'modes about an equilibrium with contact are for rods of model der');
  if (hashState(world) !== lastRest.hash)
    throw new SceneError(
      ['modes'],
      'modes of a scene with contact are about an equilibrium: find it first (`about: equilibrium`, or world.equilibrate())',
    );
  const removals: (() => void)[] = [];
  try {
    return withStateKept(world, () => {
      placeOfRod.forEach((_, r) => {
        removals.push(contact.holdContacts(r));
      });
      return placeOfRod.map(({ bundle, index }) => bundle.modes(index, clock.time, count));
    });
  } finally {
    for (const remove of removals) remove();
    contact.applyContactForces();
    clock.hasContactForces = true;
  }
}

function findMatrices(world: WorldParts): Matrices[] {
  const { contact } = world;
  refuse(world, 'matrices');
  return withStateKept(world, () => {
    const each = matricesOfRods(world);
    return contact ? [contact.joinMatrices(each)] : each;
  });
}

/** Runs `action` and restores the state to the last bit: models differentiate by moving their rods slightly and back, with rounding errors. */
function withStateKept<T>(world: WorldParts, action: () => T): T {
  const before = saveRods(world, world.clock.time);
  try {
    return action();
  } finally {
    restoreState(world, before);
  }
}

function matricesOfRods({ placeOfRod, clock }: WorldParts): Matrices[] {
  return placeOfRod.map(({ bundle, index }) => bundle.matrices(index, clock.time));
}

/** Throws if contacts or an engine act on the rods. */
function refuse(world: WorldParts, what: string): void {
  if (touches(world)) {
    const field = world.colliders.length > 0 ? 'colliders' : 'contact';
    throw new SceneError([field], `${what} do not support contact; remove '${field}'`);
  }
  refuseEngine(world.options, what);
}
