/**
 * Discrete Elastic Rods [Bergou2008], in the form of [Bergou2010] with the strain and the solver described in
 * README.md beside this file.
 */
import { SceneError } from '../../errors.ts';
import { halvingsLeft, sumPieces } from '../../math/pieces.ts';
import type { Bundle, Coupling, Drive, Model, StepOutcome } from '../../model.ts';
import { type Allocate, allocatePlain } from '../../port.ts';
import type { Rod } from '../../scene/compiled.ts';
import type { Scene } from '../../scene/types.ts';
import { followBranch } from '../../statics/branch.ts';
import { advanceAllOrNone, cloneState } from '../allOrNone.ts';
import { createRestRod } from './atRest.ts';
import { adoptPose, initializeBody, syncPose } from './body.ts';
import type { BodyStatics } from './bodyStatics.ts';
import { createBranchRod } from './branch.ts';
import type { createDerContact } from './contact.ts';
import { clearContact } from './contactSides.ts';
import type { SystemModes } from './coupledModal.ts';
import { initializeForces, type System } from './coupling.ts';
import type { createExplicitSchemes } from './explicitSchemes.ts';
import { canPair, type DerKernel } from './kernel.ts';
import {
  evaluatePins,
  followCenterline,
  initializeState,
  placePinned,
  poseSamples,
  rebuildFrames,
  restoreFrames,
} from './kinematics.ts';
import { exportMatrices, findModes } from './modal.ts';
import { type DerOptions, derCapabilities } from './options.ts';
import {
  createSystems,
  createTools,
  createUnits,
  findSystems,
  type Joined,
  layOut,
  pairUp,
  type Unit,
} from './parts.ts';
import {
  addBodyEnergies,
  addBodyMomentum,
  addEnergies,
  addMomentum,
  measureReactions,
  readChannel,
} from './readouts.ts';
import { refuse } from './refuse.ts';
import type { RodStep } from './rodStep.ts';
import { losesTurns } from './slip.ts';
import { returnToState, type Snapshot } from './snapshot.ts';
import { initializeMotion } from './start.ts';
import { findEquilibrium } from './statics.ts';
import { forgetContact, type ImplicitScheme, stepImplicit, TURNED_OVER } from './step.ts';

/** What the model is made of. A program that leaves parts out does not carry their code. */
export interface DerParts {
  /** Contact with obstacles and rods, and links; else scenes that have them are refused. */
  readonly contact?: typeof createDerContact;
  /** Bodies that are welded to rods; else scenes that have them are refused. */
  readonly bodies?: BodyStatics;
  /** The integrators `shake` and `fast-projection`. */
  readonly explicit?: typeof createExplicitSchemes;
  /** Solves rods two at a time. */
  readonly kernel?: DerKernel;
  readonly allocate?: Allocate;
}

function compile(
  rods: readonly Rod[],
  drives: readonly Drive[],
  scene: Scene,
  coupling: Coupling,
  { contact: createContact, explicit: createExplicit, bodies: bodyStatics, kernel, allocate = allocatePlain }: DerParts,
): Bundle {
  const wishes: DerOptions = scene.solver?.der ?? {};
  const scheme = wishes.integrator ?? 'tr-bdf2';
  const explicit = scheme === 'shake' || scheme === 'fast-projection';
  refuse(rods, drives, scene, coupling, scheme, explicit);
  if (explicit && !createExplicit)
    throw new SceneError(
      ['solver', 'der', 'integrator'],
      `this program has der without its explicit integrators; use tr-bdf2 in place of ${scheme}, or pass derExplicit to createDerModel`,
    );
  if (coupling.welds.length > 0 && !bodyStatics)
    throw new SceneError(['welds'], 'this program has der without bodies; pass derBodies to createDerModel');
  // the explicit schemes are the paper's, and so is their strain; twist has no inertia there
  const options: DerOptions = explicit ? { ...wishes, strain: 'bergou2008', twist: 'quasistatic' } : wishes;
  const newton = { tolerance: options.tolerance ?? 1e-9, iterations: options.iterations ?? 25, rotation: 1 };
  const { state, ders, bodyOf } = layOut(rods, drives, options, coupling, allocate);
  const bodies = [...bodyOf.values()];
  const parts = findSystems(rods.length, coupling);
  const paired = kernel && !explicit && scheme !== 'bdf2' ? pairUp(parts, ders) : parts.map((_, s) => [s]);
  const tools = createTools(parts, ders, paired);
  const systems = createSystems(parts, ders, tools, bodyOf);
  const units: readonly Unit[] = kernel
    ? createUnits(paired, systems, ders, tools, kernel)
    : paired.map((list) => ({ systems: list }));
  const systemOfRod: Joined[] = [];
  for (const one of systems) for (const k of one.rods) systemOfRod[k] = one;
  const explicitSchemes = explicit
    ? createExplicit?.({ scene, rods, ders, bodies, tools, systems, scheme })
    : undefined;
  for (const body of bodies) initializeBody(body);
  ders.forEach((der, k) => {
    evaluatePins(der, 0);
    initializeState(der, tools[k].work.edgeWork);
    placePinned(der, der.q, der.v);
    rebuildFrames(der, tools[k].work.edgeWork);
  });
  explicitSchemes?.begin();
  /** Forces at t, as the scheme remembers them from step to step. */
  const initializeScheme = (t: number): string => {
    let trouble = '';
    systems.forEach(({ system, rods: members }, s) => {
      if (explicitSchemes) trouble ||= explicitSchemes.initialize(s, t);
      else {
        for (const k of members) initializeMotion(ders[k], tools[k].work, t);
        initializeForces(system, t);
      }
      if (trouble && !trouble.startsWith('rod ')) trouble = `rod '${rods[members[0]].id}' cannot start: ${trouble}`;
    });
    return trouble;
  };
  const failure = initializeScheme(0);
  if (failure) throw new SceneError(['rods'], failure);

  const before = cloneState(state);

  /** For rods whose pins, lengths, tangents, axes and twist are behind their state, which a kernel has moved: its time. */
  const movedTo = new Float64Array(rods.length).fill(Number.NaN);
  const renew = (k: number): void => {
    if (Number.isNaN(movedTo[k])) return;
    evaluatePins(ders[k], movedTo[k]);
    restoreFrames(ders[k], tools[k].work.edgeWork);
    movedTo[k] = Number.NaN;
  };
  const renewAll = (): void => {
    for (let k = 0; k < rods.length; k++) renew(k);
  };

  /** A system by itself. */
  const stepSystem = (s: number, t: number, dt: number, robust: boolean): RodStep => {
    const { system, rods: members, starts } = systems[s];
    for (const k of members) {
      renew(k);
      clearContact(ders[k], false);
    }
    for (const body of system.bodies) body.contact.fill(0);
    if (explicitSchemes) return explicitSchemes.step(s, t, dt);
    return stepImplicit(system, starts, scheme as ImplicitScheme, t, dt, newton, robust);
  };

  /**
   * The same, in pieces where the whole step fails: systems do not know of each other, and one hair whose tip whips is no reason
   * to cut the steps of all. On failure the system is anywhere.
   */
  const stepApart = (s: number, t: number, dt: number, robust: boolean): RodStep & { substeps?: number } => {
    const whole = stepSystem(s, t, dt, robust);
    // a lone system is cut by who called
    if (whole.ok || systems.length === 1) return whole;
    const { last, ...sum } = sumPieces({ t, dt }, halvingsLeft(scene.time, dt), { ...whole }, (from, length, share) => {
      coupling.onPiece?.(from);
      return stepSystem(s, from, length, robust || share <= 1 / 4);
    });
    return { ...sum, reason: last.reason };
  };

  /** Rejects a kernel's step that lost turns of twist, as `stepImplicit` does, and returns the rods to their state at t. */
  const checkTwist = (step: RodStep, members: readonly number[], starts: readonly Snapshot[], t: number): void => {
    for (const k of members) renew(k);
    if (!members.some((k, m) => losesTurns(ders[k], starts[m]))) return;
    step.ok = false;
    step.reason = TURNED_OVER;
    members.forEach((k, m) => {
      returnToState(ders[k], starts[m]);
      movedTo[k] = t;
      renew(k);
      poseSamples(ders[k]);
    });
  };

  /** Both rods of a pair at once, where their pins allow it. Nothing: they are to be stepped one by one. */
  const stepPair = ({ systems: [a, b], pair }: Unit, t: number, dt: number): RodStep | undefined => {
    if (!pair || !canPair(pair.system.members[0], pair.system.members[1])) return undefined;
    const [first] = systems[a].rods;
    const [second] = systems[b].rods;
    clearContact(ders[first], false);
    clearContact(ders[second], false);
    if (scheme === 'implicit-euler' || scheme === 'tr-bdf2') {
      const touched = ders[first].history[1] === 2 || ders[second].history[1] === 2;
      if (touched && scheme === 'tr-bdf2') {
        renew(first);
        renew(second);
        forgetContact(pair.system, t);
      }
      const step = pair.kernel.step(scheme, t, dt, newton);
      if (step?.ok) {
        movedTo[first] = t + dt;
        movedTo[second] = t + dt;
        if (step.shifts > 0) checkTwist(step, [first, second], pair.starts, t);
      }
      if (step) return step;
    }
    renew(first);
    renew(second);
    const step = stepImplicit(pair.system, pair.starts, scheme as ImplicitScheme, t, dt, newton, false);
    for (const k of [first, second]) {
      // a kernel's sines are not those of the engine, and what follows from the state must follow from it alone
      restoreFrames(ders[k], tools[k].work.edgeWork);
      poseSamples(ders[k]);
    }
    return step;
  };

  const advanceParts = (
    from: number,
    to: number,
    t: number,
    dt: number,
    robust: boolean,
    without?: Uint8Array,
  ): StepOutcome => {
    let iterations = 0;
    let iterationsMax = 0;
    let shifts = 0;
    let substeps = 1;
    const count = (s: number, step: RodStep): StepOutcome | undefined => {
      iterations += step.iterations;
      iterationsMax = Math.max(iterationsMax, step.iterationsMax);
      shifts += step.shifts;
      if (step.ok) return undefined;
      const failure = { rod: rods[systems[s].rods[0]].id, reason: step.reason };
      return { ok: false, iterations, iterationsMax, shifts, failure };
    };
    for (let u = from; u < to; u++) {
      const unit = units[u];
      const together = !robust && !(without && unit.systems.some((s) => without[s]));
      const pair = together ? stepPair(unit, t, dt) : undefined;
      if (pair) {
        count(unit.systems[0], pair);
        if (pair.ok) continue;
      }
      for (const s of unit.systems) {
        if (without?.[s]) continue;
        const one = stepApart(s, t, dt, robust);
        const failed = count(s, one);
        if (failed) return failed;
        substeps = Math.max(substeps, one.substeps ?? 1);
        for (const k of systems[s].rods) poseSamples(ders[k]);
      }
    }
    return { ok: true, iterations, iterationsMax, shifts, substeps };
  };

  const advance = (t: number, dt: number, robust: boolean, without?: Uint8Array): StepOutcome =>
    advanceAllOrNone({ state, before, refresh }, t, () => advanceParts(0, units.length, t, dt, robust, without));

  let lastModes: { system: System; count: number; found: SystemModes } | undefined;

  const refresh = (t: number): void => {
    lastModes = undefined;
    for (const body of bodies) syncPose(body);
    ders.forEach((der, k) => {
      evaluatePins(der, t);
      if (explicitSchemes) explicitSchemes.refresh(k);
      else restoreFrames(der, tools[k].work.edgeWork);
      poseSamples(der);
    });
    explicitSchemes?.reset();
    movedTo.fill(Number.NaN);
  };

  const contact = explicit
    ? undefined
    : createContact?.({
        ders,
        works: tools.map(({ work }) => work),
        systems,
        state,
        newton,
        bodyOrder: bodies,
        pairs: units.flatMap(({ systems: list, pair }) => (pair ? [{ systems: list, ...pair }] : [])),
        renew,
        movedTo: (k, t) => {
          movedTo[k] = t ?? Number.NaN;
        },
        allocate,
      });

  return {
    model: 'der',
    rods,
    samples: ders.map((der) => der.samples),
    bodies: bodies.map(({ body, pose }) => ({ id: body.id, pose })),
    state,
    ...(explicit && { stepsPerAudit: 4 }),
    refresh,
    restart: (t) => {
      renewAll();
      initializeScheme(t);
      for (const der of ders) der.history.fill(0);
    },
    advance,
    parts: {
      count: units.length,
      rods: (u) => units[u].systems.flatMap((s) => systems[s].rods),
      advance: advanceParts,
      ...(contact && { refreshRod: contact.refreshRod }),
    },
    ...(contact && { contact: contact.port }),
    placeBodies: (motions, t) => {
      renewAll();
      bodies.forEach((body, b) => {
        if (motions[b].changed) adoptPose(body);
      });
      ders.forEach((der, k) => {
        evaluatePins(der, t);
        placePinned(der, der.q, der.v);
        followCenterline(der, tools[k].work.edgeWork);
        poseSamples(der);
      });
      explicitSchemes?.reset();
    },
    addEnergies: (out, t) => {
      renewAll();
      for (const der of ders) addEnergies(out, der, t);
      for (const body of bodies) addBodyEnergies(out, body, t);
    },
    addMomentum: (out) => {
      renewAll();
      for (const der of ders) addMomentum(out, der);
      for (const body of bodies) addBodyMomentum(out, body);
    },
    readChannel: (out, rod, channel) => {
      renew(rod);
      readChannel(out, ders[rod], channel);
    },
    equilibrate: (rod, t, wanted) => {
      renewAll();
      const { system, starts } = systemOfRod[rod];
      const { work, start, entry } = tools[rod];
      const report =
        bodyStatics && system.bodies.length > 0
          ? bodyStatics.settleSystem(system, starts, rods[rod].id, t, wanted)
          : findEquilibrium(ders[rod], work, { start, entry }, t, wanted);
      // the explicit schemes go on from forces without tension, which statics does not keep
      if (explicit) initializeScheme(t);
      return report;
    },
    branch: (rod, t, asked) => {
      renew(rod);
      const { work, start, entry } = tools[rod];
      return systemOfRod[rod].system.bodies.length === 0
        ? followBranch(createBranchRod(ders[rod], work, { start, entry }, t), asked)
        : undefined;
    },
    atRest: (rod) => {
      renew(rod);
      return systemOfRod[rod].system.bodies.length === 0 ? createRestRod(ders[rod]) : undefined;
    },
    reactions: (rod, t) => {
      renew(rod);
      return measureReactions(ders[rod], tools[rod].work, t);
    },
    modes: (rod, t, count) => {
      renewAll();
      const { system, rods: members } = systemOfRod[rod];
      if (bodyStatics && system.bodies.length > 0) {
        // found once for all rods of the system: the world asks rod by rod, then refreshes
        if (lastModes?.system !== system || lastModes.count !== count)
          lastModes = { system, count, found: bodyStatics.findSystemModes(system, t, count) };
        return bodyStatics.modesOfRod(system, lastModes.found, members.indexOf(rod));
      }
      return findModes(ders[rod], tools[rod].work, t, count);
    },
    matrices: (rod, t) => {
      renewAll();
      const { system } = systemOfRod[rod];
      if (bodyStatics && system.bodies.length > 0) return bodyStatics.exportSystemMatrices(system, t, rods[rod].id);
      return exportMatrices(ders[rod], tools[rod].work, t);
    },
  };
}

/** The model, made of the given parts; implicit integrators, statics and modes are always there. */
export function createDerModel(parts: DerParts = {}): Model {
  return {
    id: 'der',
    isFast: parts.kernel !== undefined,
    capabilities: derCapabilities,
    compile: (rods, drives, scene, coupling) => compile(rods, drives, scene, coupling, parts),
  };
}
