/**
 * Discrete Elastic Rods [Bergou2008], in the form of [Bergou2010] with the strain and the solver described in
 * README.md beside this file.
 */

import { SceneError } from '../../errors.ts';
import type { Bundle, Model } from '../../model.ts';
import { allocatePlain } from '../../port.ts';
import { advanceAllOrNone } from '../allOrNone.ts';
import { advanceUnits } from './advance.ts';
import { createBreakable, noteOverload, refuseBreakable, refuseBroken } from './breakable.ts';
import {
  createBundle,
  type DerBundle,
  type DerInput,
  type DerParts,
  initializeScheme,
  renew,
  renewAll,
} from './bundle.ts';
import type { SystemModes } from './coupledModal.ts';
import type { System } from './coupling.ts';
import { evaluatePins, followCenterline, placePinned, poseSamples, restoreFrames } from './kinematics.ts';
import type { ModalParts } from './modal.ts';
import { derCapabilities } from './options.ts';
import {
  addBodyEnergies,
  addBodyMomentum,
  addEnergies,
  addMomentum,
  measureReactions,
  readChannel,
} from './readouts.ts';
import { findEquilibrium } from './statics.ts';

export type { DerParts } from './bundle.ts';

function compile(input: DerInput, parts: DerParts): Bundle {
  const bundle = createBundle(input, parts);
  const { rods, state, before, ders, bodies, units, systems, explicitSchemes } = bundle;
  const statics = createStatics(bundle, parts);
  // linked rods are always solved together, implicitly: they would never take an explicit step
  const isJoined = bodies.length > 0 || (input.scene.links?.length ?? 0) > 0;
  const contact = explicitSchemes && isJoined ? undefined : createContact(bundle, parts);
  const refresh = (t: number, without?: Uint8Array): void => {
    statics.forgetModes();
    refreshBundle(bundle, t, without);
  };
  return {
    model: 'der',
    rods,
    warnings: bundle.warnings,
    samples: ders.map((der) => der.samples),
    bodies: bodies.map(({ body, pose }) => ({ id: body.id, pose })),
    state,
    ...(explicitSchemes && { stepsPerAudit: 8 }),
    refresh,
    restart: (t) => {
      renewAll(bundle);
      initializeScheme(bundle, t);
      for (const der of ders) der.history.fill(0);
    },
    advance: (step) =>
      advanceAllOrNone({ state, before, refresh }, step, () =>
        advanceUnits(bundle, { from: 0, to: units.length }, step),
      ),
    parts: {
      count: units.length,
      rods: (u) => units[u].systems.flatMap((s) => systems[s].rods),
      advance: (from, to, step) => advanceUnits(bundle, { from, to }, step),
      ...(contact && { refreshRod: contact.refreshRod }),
    },
    ...(contact && { contact: contact.port }),
    ...createBreakable(bundle),
    placeBodies: (motions, t) => {
      renewAll(bundle);
      bodies.forEach((body, b) => {
        if (motions[b].changed) body.actions.adoptPose(body);
      });
      followPins(bundle, t);
    },
    ...createReadouts(bundle),
    ...statics.queries,
  };
}

/** Recomputes everything derived from the state, after it was written from outside; `without`: see `Bundle.refresh`. */
function refreshBundle(bundle: DerBundle, t: number, without: Uint8Array | undefined): void {
  const { bodies, systems, explicitSchemes } = bundle;
  for (const body of bodies) body.actions.syncPose(body);
  systems.forEach(({ rods }, s) => {
    if (!without?.[s]) for (const k of rods) refreshRod(bundle, k, t);
  });
  explicitSchemes?.reset();
}

function refreshRod({ ders, tools, explicitSchemes, movedTo }: DerBundle, k: number, t: number): void {
  const der = ders[k];
  // as saved: t may be rounded differently
  const saved = der.material?.time[1];
  evaluatePins(der, t);
  if (der.material && saved !== undefined) der.material.time[1] = saved;
  der.material?.leaveRest();
  if (explicitSchemes) explicitSchemes.refresh(k);
  else restoreFrames(der, tools[k].work.edgeWork);
  poseSamples(der);
  movedTo[k] = Number.NaN;
}

/** Updates rods to the positions of pins and bodies at t. */
function followPins({ ders, tools, explicitSchemes }: DerBundle, t: number): void {
  ders.forEach((der, k) => {
    evaluatePins(der, t);
    placePinned(der, der.q, der.v);
    followCenterline(der, tools[k].work.edgeWork);
    poseSamples(der);
  });
  explicitSchemes?.reset();
}

function createContact(
  bundle: DerBundle,
  { contact: create, allocate = allocatePlain }: DerParts,
): ReturnType<NonNullable<DerParts['contact']>> | undefined {
  const { ders, tools, systems, state, newton, bodies, units, movedTo } = bundle;
  return create?.({
    ders,
    works: tools.map(({ work }) => work),
    systems,
    state,
    newton,
    bodyOrder: bodies,
    pairs: units.flatMap(({ systems: list, pair }) => (pair ? [{ systems: list, ...pair }] : [])),
    renew: (k) => renew(bundle, k),
    movedTo: (k, t) => {
      movedTo[k] = t ?? Number.NaN;
    },
    allocate,
  });
}

function createReadouts(
  bundle: DerBundle,
): Pick<Bundle, 'animate' | 'addEnergies' | 'addMomentum' | 'readChannel' | 'reactions'> {
  const { ders, bodies, tools } = bundle;
  return {
    ...(bundle.rods.some(({ animation }) => animation) && {
      animate: (t) => {
        renewAll(bundle);
        for (const der of ders) der.adopt?.(t);
      },
    }),
    addEnergies: (out, t) => {
      renewAll(bundle);
      for (const der of ders) addEnergies(out, der, t);
      for (const body of bodies) addBodyEnergies(out, body, t);
    },
    addMomentum: (out) => {
      renewAll(bundle);
      for (const der of ders) addMomentum(out, der);
      for (const body of bodies) addBodyMomentum(out, body);
    },
    readChannel: (out, rod, channel) => {
      renew(bundle, rod);
      readChannel(out, ders[rod], channel);
    },
    reactions: (rod, t) => {
      renew(bundle, rod);
      return measureReactions(ders[rod], tools[rod].work, t);
    },
  };
}

const isAloneIn = ({ systemOfRod }: DerBundle, rod: number): boolean => systemOfRod[rod].system.bodies.length === 0;

/** Linearized equations of single rods, for derivatives of equilibria and of runs. */
function createDerivatives(
  bundle: DerBundle,
  { derivatives, stepDerivatives }: DerParts,
): Pick<Bundle, 'linearize' | 'linearizeSteps'> {
  const { ders, explicitSchemes, scene } = bundle;
  const isRotation = !explicitSchemes && (scene.solver?.der?.strain ?? 'rotation') === 'rotation';
  return {
    linearize: (rod, t) => {
      renew(bundle, rod);
      refuseBroken(ders[rod]);
      ders[rod].material?.refuse('derivatives of an equilibrium', ['isLinearAtRest']);
      ders[rod].material?.beginRest();
      return isAloneIn(bundle, rod) && isRotation ? derivatives?.(ders[rod], t) : undefined;
    },
    linearizeSteps: (rod) => {
      renew(bundle, rod);
      refuseBreakable(ders[rod], 'derivatives of a run');
      return isAloneIn(bundle, rod) ? stepDerivatives?.(bundle, rod) : undefined;
    },
  };
}

interface Statics {
  readonly queries: Pick<
    Bundle,
    'differentiatesLoads' | 'equilibrate' | 'branch' | 'linearize' | 'linearizeSteps' | 'atRest' | 'modes' | 'matrices'
  >;
  forgetModes(): void;
}

/** Equilibria, branches, modes and matrices: of a single rod, or of the rods joined by bodies. */
function createStatics(bundle: DerBundle, parts: DerParts): Statics {
  const { bodies: bodyParts, branches, links } = parts;
  const { rods, ders, tools, systemOfRod, explicitSchemes } = bundle;
  let lastModes: { system: System; count: number; found: SystemModes } | undefined;
  const isAlone = (rod: number): boolean => isAloneIn(bundle, rod);
  const queries: Statics['queries'] = {
    differentiatesLoads: true,
    equilibrate: (rod, t, wanted) => {
      renewAll(bundle);
      refuseBroken(ders[rod]);
      const { system, starts } = systemOfRod[rod];
      const { work, start, entry } = tools[rod];
      const report =
        bodyParts && !isAlone(rod)
          ? bodyParts.findSystemEquilibrium(system, starts, rods[rod].id, { t, options: wanted })
          : findEquilibrium(ders[rod], work, { start, entry }, t, wanted);
      // the explicit schemes start from forces without tension, which statics does not keep
      if (explicitSchemes) initializeScheme(bundle, t);
      return noteOverload(report, ders[rod]);
    },
    branch: (rod, t, asked) => {
      renew(bundle, rod);
      refuseBreakable(ders[rod], 'branches of equilibria');
      ders[rod].material?.refuse('branches of equilibria', ['isElastic', 'isLinearAtRest']);
      const { work, start, entry } = tools[rod];
      return isAlone(rod) ? branches?.follow({ der: ders[rod], work, start, entry }, t, asked) : undefined;
    },
    ...createDerivatives(bundle, parts),
    atRest: (rod) => {
      renew(bundle, rod);
      refuseBroken(ders[rod]);
      return isAlone(rod) ? links?.(ders[rod]) : undefined;
    },
    modes: (rod, t, count) => {
      renewAll(bundle);
      refuseBroken(ders[rod]);
      ders[rod].material?.refuse('natural modes', ['isElastic']);
      if (!bodyParts || isAlone(rod)) return modalOf(parts).findModes(ders[rod], tools[rod].work, t, count);
      // computed once for all rods of the system: the world calls this rod by rod, then refreshes
      const { system, rods: members } = systemOfRod[rod];
      if (lastModes?.system !== system || lastModes.count !== count)
        lastModes = { system, count, found: bodyParts.findSystemModes(system, t, count) };
      return bodyParts.modesOfRod(system, lastModes.found, members.indexOf(rod));
    },
    matrices: (rod, t) => {
      renewAll(bundle);
      refuseBroken(ders[rod]);
      ders[rod].material?.refuse('stiffness matrix', ['isElastic']);
      if (!bodyParts || isAlone(rod)) return modalOf(parts).exportMatrices(ders[rod], tools[rod].work, t);
      return bodyParts.exportSystemMatrices(systemOfRod[rod].system, t, rods[rod].id);
    },
  };
  return {
    queries,
    forgetModes: () => {
      lastModes = undefined;
    },
  };
}

function modalOf({ modes }: DerParts): ModalParts {
  if (!modes) throw new SceneError(['modes'], 'this program has der without modes; pass derModes to createDerModel');
  return modes;
}

/** The model, made of the given parts; implicit integrators and statics are always included. */
export function createDerModel(parts: DerParts = {}): Model {
  return {
    id: 'der',
    isFast: parts.kernel !== undefined,
    capabilities: derCapabilities,
    ...(parts.bodies && { bodies: parts.bodies.scene }),
    ...(parts.branches && { compileAlong: parts.branches.compileAlong }),
    compile: (rods, drives, scene, coupling) => compile({ rods, drives, scene, coupling }, parts),
  };
}
