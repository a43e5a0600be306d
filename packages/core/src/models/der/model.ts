/**
 * Discrete Elastic Rods [Bergou2008], in the form of [Bergou2010] with the strain and the solver described in
 * README.md beside this file.
 */
import { SceneError } from '../../errors.ts';
import type {
  Bundle,
  BundleState,
  Channel,
  Coupling,
  Drive,
  Energies,
  Model,
  Momentum,
  Reaction,
  StepOutcome,
} from '../../model.ts';
import { type Allocate, allocatePlain } from '../../port.ts';
import type { Rod } from '../../scene/compiled.ts';
import type { DerOptions } from '../../scene/solvers/der.ts';
import type { Scene } from '../../scene/types.ts';
import { adoptPose, BODY_MEMORY, createDerBody, type DerBody, initializeBody, syncPose } from './body.ts';
import { createDerContact } from './contact.ts';
import { clearContact } from './contactSides.ts';
import { exportSystemMatrices, findSystemModes, modesOfRod, type SystemModes } from './coupledModal.ts';
import { settleSystem } from './coupledStatics.ts';
import { createSystem, initializeForces, type System } from './coupling.ts';
import { addElasticGradient } from './energy.ts';
import { createExplicitWork, initializeExplicit, refreshExplicit, stepExplicit } from './explicit.ts';
import { addStubInertia } from './explicitBody.ts';
import {
  createExplicitSystem,
  type ExplicitSystem,
  initializeExplicitSystem,
  stepExplicitSystem,
} from './explicitSystem.ts';
import { writeHeldTorque } from './held.ts';
import { type DerKernel, pairKey } from './kernel.ts';
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
import { countJoints, createDerRod, type DerRod, memorySize, unknownCount } from './rod.ts';
import { createSnapshot, type Snapshot } from './snapshot.ts';
import { createWorkspace, evaluateResidual, type Workspace } from './stage.ts';
import { initializeMotion } from './start.ts';
import { findEquilibrium } from './statics.ts';
import { stepImplicit } from './step.ts';

/** Work space is shared by rods of the same shape. */
interface Tools {
  readonly work: Workspace;
  readonly start: Snapshot;
  readonly entry: Snapshot;
}

interface Part {
  readonly rods: number[];
  readonly bodies: number[];
}

/** Rods that bodies join into one system; a rod without bodies is a system of its own. */
function findSystems(rodCount: number, { bodies, welds }: Coupling): Part[] {
  const group = Array.from({ length: rodCount }, (_, k) => k);
  const root = (k: number): number => (group[k] === k ? k : root(group[k]));
  bodies.forEach((_, b) => {
    const tied = welds.filter((weld) => weld.body === b);
    for (const weld of tied) group[root(weld.rod)] = root(tied[0].rod);
  });
  const systems = new Map<number, Part>();
  for (let k = 0; k < rodCount; k++) {
    const system = systems.get(root(k)) ?? { rods: [], bodies: [] };
    system.rods.push(k);
    systems.set(root(k), system);
  }
  bodies.forEach((_, b) => {
    const weld = welds.find((candidate) => candidate.body === b);
    if (weld) systems.get(root(weld.rod))?.bodies.push(b);
  });
  return [...systems.values()];
}

/** Lone rods of the same layout two by two, in the order of the scene; what is left over stays alone. */
function pairUp(parts: readonly Part[], ders: readonly DerRod[]): Part[] {
  const waiting = new Map<string, number>();
  const out: Part[] = [];
  for (const part of parts) {
    const [k] = part.rods;
    const key = part.bodies.length === 0 ? pairKey(ders[k]) : undefined;
    const other = key === undefined ? undefined : waiting.get(key);
    if (key === undefined || other === undefined) {
      if (key !== undefined) waiting.set(key, out.length);
      out.push(part);
      continue;
    }
    out[other] = { rods: [...out[other].rods, k], bodies: [] };
    waiting.delete(key);
  }
  return out;
}

function injectKernel(systems: readonly { readonly system: System }[], kernel: DerKernel): void {
  const pairs = systems.flatMap(({ system }) =>
    system.bodies.length === 0 && system.members.length === 2 ? [system] : [],
  );
  const solvers = kernel.createPairs(pairs.map(({ members: [a, b] }) => [a, b]));
  pairs.forEach((system, k) => {
    system.pair = solvers[k];
  });
}

function compile(
  rods: readonly Rod[],
  drives: readonly Drive[],
  scene: Scene,
  coupling: Coupling,
  kernel: DerKernel | undefined,
  allocate: Allocate,
): Bundle {
  const wishes: DerOptions = scene.solver?.der ?? {};
  const scheme = wishes.integrator ?? 'tr-bdf2';
  const explicit = scheme === 'shake' || scheme === 'fast-projection';
  refuse(rods, drives, scene, coupling, scheme, explicit);
  // the explicit schemes are the paper's, and so is their strain; twist has no inertia there
  const options: DerOptions = explicit ? { ...wishes, strain: 'bergou2008', twist: 'quasistatic' } : wishes;
  const newton = { tolerance: options.tolerance ?? 1e-9, iterations: options.iterations ?? 25, rotation: 1 };
  const sizes = rods.map(unknownCount);
  const memories = rods.map((rod, k) => memorySize(rod, countJoints(rod, drives[k].pins)));
  const total = (list: readonly number[]): number => list.reduce((a, b) => a + b, 0);
  const ownBodies = coupling.bodies.flatMap((_, b) => (coupling.welds.some((weld) => weld.body === b) ? [b] : []));
  const state = {
    q: allocate(total(sizes)),
    v: allocate(total(sizes)),
    memory: allocate(total(memories) + BODY_MEMORY * ownBodies.length),
  };
  let atQ = 0;
  let atMemory = 0;
  const ders: DerRod[] = rods.map((rod, k) => {
    const q = state.q.subarray(atQ, atQ + sizes[k]);
    const v = state.v.subarray(atQ, atQ + sizes[k]);
    const memory = state.memory.subarray(atMemory, atMemory + memories[k]);
    atQ += sizes[k];
    atMemory += memories[k];
    return createDerRod(rod, drives[k], options, q, v, memory, allocate);
  });
  const bodyOf = new Map<number, DerBody>();
  for (const b of ownBodies) {
    const welds = coupling.welds.filter((weld) => weld.body === b);
    bodyOf.set(
      b,
      createDerBody(coupling.bodies[b], welds, ders, state.memory.subarray(atMemory, atMemory + BODY_MEMORY)),
    );
    atMemory += BODY_MEMORY;
  }
  const bodies = [...bodyOf.values()];
  // contact moves rods one by one
  const touching = scene.contact !== undefined || (scene.colliders?.length ?? 0) + (scene.links?.length ?? 0) > 0;
  const paired = kernel && !explicit && scheme !== 'bdf2' && !touching;
  const parts = paired ? pairUp(findSystems(rods.length, coupling), ders) : findSystems(rods.length, coupling);
  // rods that are solved together need work space of their own; others of the same shape share
  const toolbox = new Map<string, Tools>();
  const tools: Tools[] = [];
  for (const part of parts) {
    part.rods.forEach((k, place) => {
      const der = ders[k];
      const apart = part.bodies.length > 0 ? k : place;
      const key = `${der.nodeCount} ${der.edgeCount} ${der.joints.count} ${der.held.count} ${part.bodies.length} ${apart}`;
      tools[k] = toolbox.get(key) ?? {
        work: createWorkspace(der),
        start: createSnapshot(der),
        entry: createSnapshot(der),
      };
      toolbox.set(key, tools[k]);
    });
  }
  const systems = parts.map((part) => ({
    system: createSystem(
      part.rods.map((k) => ({ der: ders[k], work: tools[k].work, index: k })),
      part.bodies.map((b) => bodyOf.get(b) as DerBody),
    ),
    rods: part.rods,
    starts: part.rods.map((k) => tools[k].start),
  }));
  if (paired) injectKernel(systems, kernel);
  const systemOfRod: (typeof systems)[number][] = [];
  for (const one of systems) for (const k of one.rods) systemOfRod[k] = one;
  const explicitTools = explicit ? ders.map(createExplicitWork) : [];
  for (const body of bodies) {
    if (explicit) addStubInertia(body, ders);
    initializeBody(body);
  }
  ders.forEach((der, k) => {
    evaluatePins(der, 0);
    initializeState(der, tools[k].work.edgeWork);
    placePinned(der, der.q, der.v);
    rebuildFrames(der, tools[k].work.edgeWork);
  });
  const explicitSystems = systems.map(({ system, rods: members }): ExplicitSystem | undefined =>
    explicit && system.bodies.length > 0
      ? createExplicitSystem(
          system,
          members.map((k) => explicitTools[k]),
        )
      : undefined,
  );
  /** Forces at t, as the scheme remembers them from step to step. */
  const initializeScheme = (t: number): string => {
    let trouble = '';
    systems.forEach(({ system, rods: members }, s) => {
      const whole = explicitSystems[s];
      if (whole) trouble ||= initializeExplicitSystem(whole, t);
      else if (explicit) trouble ||= initializeExplicit(ders[members[0]], explicitTools[members[0]], t);
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

  const before: BundleState | undefined =
    systems.length > 1
      ? {
          q: new Float64Array(state.q.length),
          v: new Float64Array(state.v.length),
          memory: new Float64Array(state.memory.length),
        }
      : undefined;

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
    for (let s = from; s < to; s++) {
      if (without?.[s]) continue;
      const { system, rods: members, starts } = systems[s];
      const [first] = members;
      const whole = explicitSystems[s];
      for (const k of members) clearContact(ders[k], false);
      for (const body of system.bodies) body.contact.fill(0);
      const step = whole
        ? stepExplicitSystem(whole, starts, scheme === 'shake', t, dt)
        : explicit
          ? stepExplicit(ders[first], explicitTools[first], tools[first].work, starts[0], scheme === 'shake', t, dt)
          : stepImplicit(system, starts, scheme, t, dt, newton, robust);
      iterations += step.iterations;
      iterationsMax = Math.max(iterationsMax, step.iterationsMax);
      shifts += step.shifts;
      if (!step.ok)
        return { ok: false, iterations, iterationsMax, shifts, failure: { rod: rods[first].id, reason: step.reason } };
    }
    for (let s = from; s < to; s++) if (!without?.[s]) for (const k of systems[s].rods) poseSamples(ders[k]);
    return { ok: true, iterations, iterationsMax, shifts };
  };

  /** All rods advance or none: what was done before a failure is undone. */
  const advance = (t: number, dt: number, robust: boolean, without?: Uint8Array): StepOutcome => {
    if (before) copyState(before, state);
    const outcome = advanceParts(0, systems.length, t, dt, robust, without);
    if (outcome.ok || !before) return outcome;
    copyState(state, before);
    refresh(t);
    return outcome;
  };

  const refresh = (t: number): void => {
    for (const body of bodies) syncPose(body);
    ders.forEach((der, k) => {
      evaluatePins(der, t);
      if (explicit) refreshExplicit(der, explicitTools[k]);
      else restoreFrames(der, tools[k].work.edgeWork);
      poseSamples(der);
    });
    for (const whole of explicitSystems) if (whole) whole.ready = false;
  };

  let lastModes: { system: System; key: string; found: SystemModes } | undefined;

  return {
    model: 'der',
    rods,
    samples: ders.map((der) => der.samples),
    bodies: bodies.map(({ body, pose }) => ({ id: body.id, pose })),
    state,
    refresh,
    restart: (t) => {
      initializeScheme(t);
      for (const der of ders) der.history.fill(0);
    },
    advance,
    parts: { count: systems.length, advance: advanceParts },
    ...(!explicit && {
      contact: createDerContact({
        ders,
        works: tools.map(({ work }) => work),
        systems,
        state,
        newton,
        bodyOrder: bodies,
      }),
    }),
    placeBodies: (motions, t) => {
      bodies.forEach((body, b) => {
        if (motions[b].changed) adoptPose(body);
      });
      ders.forEach((der, k) => {
        evaluatePins(der, t);
        placePinned(der, der.q, der.v);
        followCenterline(der, tools[k].work.edgeWork);
        poseSamples(der);
      });
      for (const whole of explicitSystems) if (whole) whole.ready = false;
    },
    addEnergies: (out, t) => {
      for (const der of ders) addEnergies(out, der, t);
      for (const body of bodies) addBodyEnergies(out, body, t);
    },
    addMomentum: (out) => {
      for (const der of ders) addMomentum(out, der);
      for (const body of bodies) addBodyMomentum(out, body);
    },
    readChannel: (out, rod, channel) => readChannel(out, ders[rod], channel),
    equilibrate: (rod, t, wanted) => {
      const { system, starts } = systemOfRod[rod];
      const { work, start, entry } = tools[rod];
      const report =
        system.bodies.length > 0
          ? settleSystem(system, starts, rods[rod].id, t, wanted)
          : findEquilibrium(ders[rod], work, start, entry, t, wanted);
      // the explicit schemes go on from forces without tension, which statics does not keep
      if (explicit) initializeScheme(t);
      return report;
    },
    reactions: (rod, t) => measureReactions(ders[rod], tools[rod].work, t),
    modes: (rod, t, count) => {
      const { system, rods: members } = systemOfRod[rod];
      if (system.bodies.length > 0) {
        // found once for all rods of the system
        // a sum tells states apart well enough: who asks for modes asks for all rods at once
        const sum = state.q.reduce((total, x, d) => total + (1 + (d % 97)) * x, 0);
        const key = `${t} ${count} ${sum}`;
        if (lastModes?.system !== system || lastModes.key !== key)
          lastModes = { system, key, found: findSystemModes(system, t, count) };
        return modesOfRod(system, lastModes.found, members.indexOf(rod));
      }
      return findModes(ders[rod], tools[rod].work, t, count);
    },
    matrices: (rod, t) => {
      const { system } = systemOfRod[rod];
      if (system.bodies.length > 0) return exportSystemMatrices(system, t, rods[rod].id);
      return exportMatrices(ders[rod], tools[rod].work, t);
    },
  };
}

function copyState(to: BundleState, from: BundleState): void {
  to.q.set(from.q);
  to.v.set(from.v);
  to.memory.set(from.memory);
}

/** What a scheme cannot do is said before the run, not found out during it. */
function refuse(
  rods: readonly Rod[],
  drives: readonly Drive[],
  scene: Scene,
  coupling: Coupling,
  scheme: string,
  explicit: boolean,
): void {
  if (explicit && scene.solver?.der?.strain === 'rotation') {
    throw new SceneError(
      ['solver', 'der', 'strain'],
      `${scheme} is the scheme of the 2008 paper and has its strain, bergou2008; remove 'strain', or use tr-bdf2`,
    );
  }
  const place = ['solver', 'der', 'integrator'];
  if (coupling.welds.length > 0 && scheme === 'bdf2') {
    throw new SceneError(place, `${scheme} does not move bodies; use tr-bdf2, midpoint, implicit-euler or shake`);
  }
  if (explicit) refuseImplicitOnly(rods, drives, scene, scheme);
  const rigid = scheme === 'midpoint' ? rods.find((rod) => rod.edgeEA.some((EA) => EA === Infinity)) : undefined;
  if (!rigid) return;
  const remedy = "give it EA (or a material without 'inextensible'), or use tr-bdf2";
  throw new SceneError(place, `midpoint is unstable for inextensible rods, and rod '${rigid.id}' is one; ${remedy}`);
}

/** What the explicit schemes cannot do is said before the run, not found out during it. */
function refuseImplicitOnly(rods: readonly Rod[], drives: readonly Drive[], scene: Scene, scheme: string): void {
  const place = ['solver', 'der', 'integrator'];
  const torque = scene.loads?.findIndex(({ type }) => type === 'torque') ?? -1;
  if (torque >= 0)
    throw new SceneError(
      ['loads', torque],
      `${scheme} takes no torques: its frame has no inertia to turn; use tr-bdf2`,
    );
  rods.forEach((rod, k) => {
    const hinge = drives[k].pins.find((pin) => pin.orientation === 'hinge');
    if (hinge)
      throw new SceneError(
        place,
        `${scheme} has no hinges, and rod '${rod.id}' has one at node ${hinge.node}; use tr-bdf2, or a ball joint (hold: position)`,
      );
    const held = drives[k].pins.find((pin) => pin.orientation !== 'free');
    if (held && rod.closed)
      throw new SceneError(
        place,
        `${scheme} holds no frames on closed rods, and rod '${rod.id}' has one held at node ${held.node}; use tr-bdf2`,
      );
    if (rod.halfDamping.some((beta) => beta > 0)) {
      throw new SceneError(
        place,
        `${scheme} has no stiffness damping, and rod '${rod.id}' asks for it; use tr-bdf2, or mass damping alone`,
      );
    }
    if (rod.nodeMass.some((mass) => !(mass > 0)))
      throw new SceneError(place, `${scheme} needs mass at every node of rod '${rod.id}'`);
    for (const pin of drives[k].pins) {
      if ((pin.holdX || pin.holdY || pin.holdZ) && !(pin.holdX && pin.holdY && pin.holdZ)) {
        throw new SceneError(
          place,
          `${scheme} holds all three axes of a position or none; rod '${rod.id}', node ${pin.node}: use tr-bdf2`,
        );
      }
    }
  });
}

function addEnergies(out: Energies, der: DerRod, t: number): void {
  const { v, mass, size, edgeCount, edgeStiffness, edgeLength, rod, drive, samples } = der;
  for (let d = 0; d < size; d++) out.kinetic += 0.5 * mass[d] * v[d] * v[d];
  const elastic = { bending: 0, twisting: 0 };
  addElasticGradient(undefined, der, undefined, elastic);
  out.bending += elastic.bending;
  out.twisting += elastic.twisting;
  for (let j = 0; j < edgeCount; j++) {
    if (edgeStiffness[j] < Infinity)
      out.stretching += 0.5 * edgeStiffness[j] * (edgeLength[j] - rod.edgeLengthRest[j]) ** 2;
  }
  for (const source of drive.sources) out.potential += source.potential(samples, t);
}

const bodyLoad = new Float64Array(6);

function addBodyEnergies(out: Energies, { body, mass, velocity, momentum, pose }: DerBody, t: number): void {
  body.load(bodyLoad, t);
  for (let k = 0; k < 3; k++) {
    out.kinetic += 0.5 * (mass * velocity[k] * velocity[k] + momentum[k] * pose.angularVelocity[k]);
    // of weight and dead forces; the welded nodes' weight is in the rods' potential
    out.potential -= bodyLoad[k] * pose.position[k];
  }
}

function addBodyMomentum(out: Momentum, { mass, position, velocity, momentum }: DerBody): void {
  out.mass += mass;
  for (let k = 0; k < 3; k++) {
    const a = (k + 1) % 3;
    const b = (k + 2) % 3;
    out.linear[k] += mass * velocity[k];
    out.center[k] += mass * position[k];
    out.angular[k] += mass * (position[a] * velocity[b] - position[b] * velocity[a]) + momentum[k];
  }
}

function addMomentum(out: Momentum, der: DerRod): void {
  const { q, v, mass, nodeCount, edgeCount, edgeTangent } = der;
  for (let i = 0; i < nodeCount; i++) {
    const o = 4 * i;
    const m = mass[o];
    out.mass += m;
    for (let k = 0; k < 3; k++) {
      const a = (k + 1) % 3;
      const b = (k + 2) % 3;
      out.linear[k] += m * v[o + k];
      out.center[k] += m * q[o + k];
      out.angular[k] += m * (q[o + a] * v[o + b] - q[o + b] * v[o + a]);
    }
  }
  for (let j = 0; j < edgeCount; j++) {
    for (let k = 0; k < 3; k++) out.angular[k] += mass[4 * j + 3] * v[4 * j + 3] * edgeTangent[3 * j + k];
  }
}

/** What each pin does to the rod: forces hold its position against the residual, torques turn its held frame. */
function measureReactions(der: DerRod, work: Workspace, t: number): Reaction[] {
  const { pins, poses, held, mass, acceleration, fixed } = der;
  // the residual of the stage q̂ = q − a, c = 1 is all forces with the inertia of the present acceleration
  for (let d = 0; d < der.size; d++) work.qHat[d] = der.q[d] - (mass[d] > 0 ? acceleration[d] : 0);
  evaluateResidual(der, work, { t, inertia: 1, rate: 1 });
  const torque = new Float64Array(3 * held.count);
  writeHeldTorque(torque, der);
  return pins.flatMap((pin, p): Reaction[] => {
    if (!poses[p].active) return [];
    const o = 4 * pin.node;
    const h = held.pin.indexOf(p);
    return [
      {
        rod: der.rod.id,
        node: pin.node,
        force: [0, 1, 2].map((k) => (fixed[o + k] ? work.residual[o + k] : 0)) as [number, number, number],
        torque: [0, 1, 2].map((k) => (h >= 0 ? torque[3 * h + k] : 0)) as [number, number, number],
      },
    ];
  });
}

function readChannel(out: Float64Array, der: DerRod, channel: Channel): void {
  const { joints, jointTwist, jointActive, edgeTangent, held } = der;
  out.fill(0);
  if (channel === 'tension') {
    out.set(der.edgeTension);
    return;
  }
  // a held node has a joint on either side: the mean of both, weighted by length
  const lengthAt = new Float64Array(out.length);
  for (let i = 0; i < joints.count; i++) {
    if (!jointActive[i]) continue;
    const before = joints.before[i];
    const after = joints.after[i];
    const e = before >= 0 ? edgeTangent : held.tangent;
    const f = after >= 0 ? edgeTangent : held.tangent;
    const a = before >= 0 ? 3 * before : 3 * (-1 - before);
    const b = after >= 0 ? 3 * after : 3 * (-1 - after);
    const cosine = e[a] * f[b] + e[a + 1] * f[b + 1] + e[a + 2] * f[b + 2];
    const sine = Math.hypot(
      e[a + 1] * f[b + 2] - e[a + 2] * f[b + 1],
      e[a + 2] * f[b] - e[a] * f[b + 2],
      e[a] * f[b + 1] - e[a + 1] * f[b],
    );
    out[joints.node[i]] += channel === 'curvature' ? Math.atan2(sine, cosine) : jointTwist[i];
    lengthAt[joints.node[i]] += joints.length[i];
  }
  for (let i = 0; i < out.length; i++) if (lengthAt[i] > 0) out[i] /= lengthAt[i];
}

/** The model, with a kernel that solves rods two by two where one is given. */
export function createDerModel(kernel?: DerKernel, allocate: Allocate = allocatePlain): Model {
  return {
    id: 'der',
    capabilities: {
      closed: true,
      anisotropic: true,
      naturalCurvature: true,
      twist: true,
      inextensible: true,
      statics: true,
      modes: true,
    },
    compile: (rods, drives, scene, coupling) => compile(rods, drives, scene, coupling, kernel, allocate),
  };
}

export const derModel: Model = createDerModel();
