/**
 * The special Cosserat rod: bending, twist, shear and stretch [Michels2015 App. C], in the staggered form described in
 * README.md beside this file.
 */

import { SceneError } from '../../errors.ts';
import { acos, hypot } from '../../math/rounded/index.ts';
import type { Bundle, Channel, Coupling, Drive, Energies, Model, Momentum, StepOutcome } from '../../model.ts';
import type { Rod } from '../../scene/compiled.ts';
import type { Scene } from '../../scene/types.ts';
import { followBranch } from '../../statics/branch.ts';
import { advanceAllOrNone, cloneState } from '../allOrNone.ts';
import { createBranchRod } from './branch.ts';
import { addElasticEnergies, stretchForces } from './energy.ts';
import { stableStep, stepVerlet } from './explicit.ts';
import {
  evaluatePins,
  initializeState,
  measureStrain,
  placePinned,
  poseSamples,
  rememberHeldFrames,
} from './kinematics.ts';
import { exportMatrices, findModes } from './modal.ts';
import { type CosseratOptions, cosseratCapabilities } from './options.ts';
import { measureReactions } from './reactions.ts';
import {
  type CosseratRod,
  coordinateCount,
  createCosseratRod,
  memorySize,
  type SectionRule,
  unknownCount,
} from './rod.ts';
import { createWorkspace, type Workspace } from './stage.ts';
import { relaxFrames } from './start.ts';
import { findEquilibrium } from './statics.ts';
import { createSnapshot, type RodStep, returnToSnapshot, type Snapshot, stepImplicit, takeSnapshot } from './step.ts';

/** Work space is shared by rods of the same shape. */
interface Tools {
  readonly work: Workspace;
  readonly start: Snapshot;
  readonly entry: Snapshot;
}

/** More pieces of one step than this are refused: no one would wait for the end. */
const MOST_PIECES = 1e6;

function compile(rods: readonly Rod[], drives: readonly Drive[], scene: Scene, coupling: Coupling): Bundle {
  const options: CosseratOptions = scene.solver?.cosserat ?? {};
  const scheme = options.integrator ?? 'tr-bdf2';
  const rule = readSection(options, scheme);
  refuse(rods, scene, coupling, scheme, rule);
  const newton = { tolerance: options.tolerance ?? 1e-9, iterations: options.iterations ?? 25, rotation: 1 };
  const total = (list: readonly number[]): number => list.reduce((a, b) => a + b, 0);
  const memories = rods.map((rod, k) => memorySize(rod, drives[k].pins));
  const state = {
    q: new Float64Array(total(rods.map(coordinateCount))),
    v: new Float64Array(total(rods.map(unknownCount))),
    memory: new Float64Array(total(memories)),
  };
  let atQ = 0;
  let atV = 0;
  let atMemory = 0;
  const slice = (array: Float64Array, from: number, length: number): Float64Array =>
    array.subarray(from, from + length);
  const parts: CosseratRod[] = rods.map((rod, k) => {
    const q = slice(state.q, atQ, coordinateCount(rod));
    const v = slice(state.v, atV, unknownCount(rod));
    const memory = slice(state.memory, atMemory, memories[k]);
    atQ += q.length;
    atV += v.length;
    atMemory += memory.length;
    return createCosseratRod(rod, drives[k], rule, q, v, memory);
  });
  const toolbox = new Map<string, Tools>();
  const tools = parts.map((cos): Tools => {
    const key = `${cos.nodeCount} ${cos.edgeCount} ${cos.heldPin.length}`;
    const known = toolbox.get(key) ?? {
      work: createWorkspace(cos),
      start: createSnapshot(cos),
      entry: createSnapshot(cos),
    };
    toolbox.set(key, known);
    return known;
  });
  parts.forEach((cos, k) => {
    evaluatePins(cos, 0);
    if (!initializeState(cos)) {
      throw new SceneError(
        ['rods'],
        `rod '${cos.rod.id}' is twisted by more than a joint can count, about a turn an edge; use more edges`,
      );
    }
    placePinned(cos, true);
    rememberHeldFrames(cos);
    measureStrain(cos);
    stretchForces(cos);
    if (scheme !== 'verlet') relaxFrames(cos, tools[k].work, tools[k].start, 0);
  });
  const stable = scheme === 'verlet' ? parts.map((cos) => readStableStep(cos, scene)) : [];
  const before = cloneState(state);
  const report: RodStep = { ok: true, iterations: 0, iterationsMax: 0, shifts: 0, reason: '' };

  const refresh = (t: number): void => {
    for (const cos of parts) {
      evaluatePins(cos, t);
      measureStrain(cos);
      poseSamples(cos);
    }
  };

  const advanceRods = (t: number, dt: number, robust: boolean): StepOutcome => {
    Object.assign(report, { ok: true, iterations: 0, iterationsMax: 0, shifts: 0, reason: '' });
    for (let k = 0; k < parts.length; k++) {
      const { work, start } = tools[k];
      if (scheme === 'verlet') report.ok = stepVerlet(parts[k], work, stable[k], t, dt, report);
      else stepImplicit(parts[k], work, start, scheme, t, dt, newton, robust, report);
      if (report.ok) continue;
      return { ...report, failure: { rod: rods[k].id, reason: report.reason } };
    }
    for (const cos of parts) poseSamples(cos);
    return { ok: true, iterations: report.iterations, iterationsMax: report.iterationsMax, shifts: report.shifts };
  };

  return {
    model: 'cosserat',
    rods,
    samples: parts.map(({ samples }) => samples),
    bodies: [],
    state,
    refresh,
    restart: () => {
      for (const cos of parts) cos.history[0] = 0;
    },
    advance: (t, dt, robust) => advanceAllOrNone({ state, before, refresh }, t, () => advanceRods(t, dt, robust)),
    addEnergies: (out, t) => {
      for (const cos of parts) addEnergies(out, cos, t);
    },
    addMomentum: (out) => {
      for (const cos of parts) addMomentum(out, cos);
    },
    readChannel: (out, rod, channel) => readChannel(out, parts[rod], channel),
    equilibrate: (rod, t, wanted) => {
      const { work, start, entry } = tools[rod];
      return findEquilibrium(parts[rod], work, { start, entry }, t, wanted);
    },
    branch: (rod, t, asked) => {
      const { work, start, entry } = tools[rod];
      return followBranch(createBranchRod(parts[rod], work, { start, entry }, t), asked);
    },
    reactions: (rod, t) => measureReactions(parts[rod], tools[rod].work, t),
    modes: (rod, t, count) => withState(parts[rod], tools[rod], () => findModes(parts[rod], tools[rod].work, t, count)),
    matrices: (rod, t) => withState(parts[rod], tools[rod], () => exportMatrices(parts[rod], tools[rod].work, t)),
  };
}

/** Looks without touching. */
function withState<T>(cos: CosseratRod, { entry }: Tools, look: () => T): T {
  takeSnapshot(entry, cos);
  try {
    return look();
  } finally {
    returnToSnapshot(cos, entry);
    measureStrain(cos);
    poseSamples(cos);
  }
}

function readSection(options: CosseratOptions, scheme: string): SectionRule {
  const section = options.section ?? (scheme === 'verlet' ? 'inflated' : 'physical');
  const inflated = section === 'inflated';
  const at = ['solver', 'cosserat'];
  for (const field of ['gyration', 'axialGyration'] as const) {
    if (options[field] !== undefined && !inflated)
      throw new SceneError([...at, field], `'${field}' has no effect on a physical section; add section: inflated`);
    if (options[field] !== undefined && !(options[field] > 0))
      throw new SceneError([...at, field], `the radius of gyration is ${options[field]} m; it must be positive`);
  }
  if (options.shearFactor !== undefined && inflated)
    throw new SceneError(
      [...at, 'shearFactor'],
      "'shearFactor' has no effect on an inflated section; set 'gyration', or use section: physical",
    );
  return {
    inflated,
    gyration: options.gyration,
    axialGyration: options.axialGyration,
    shearFactor: options.shearFactor ?? 1,
  };
}

/** What the model cannot do is said before the run, not found out during it. */
function refuse(rods: readonly Rod[], scene: Scene, coupling: Coupling, scheme: string, rule: SectionRule): void {
  if (coupling.welds.length > 0)
    throw new SceneError(
      ['welds'],
      "the model 'cosserat' does not move bodies; use model: der for rods that are welded",
    );
  const place = ['solver', 'cosserat', 'integrator'];
  const rigid = rule.inflated ? undefined : rods.find((rod) => rod.edgeEA.some((EA) => EA === Infinity));
  if (rigid && (scheme === 'midpoint' || scheme === 'verlet')) {
    throw new SceneError(
      place,
      `${scheme} needs rods that stretch, and rod '${rigid.id}' is inextensible; give it EA, set section: inflated, or use tr-bdf2`,
    );
  }
  if (scheme !== 'verlet') return;
  rods.forEach((rod, k) => {
    if (rod.moduli)
      throw new SceneError(
        place,
        `verlet has a step that is stable for moduli that stay, and those of rod '${rod.id}' change; use tr-bdf2`,
      );
    if (rod.halfDamping.some((beta) => beta > 0)) {
      throw new SceneError(
        place,
        `verlet has no stiffness damping, and rod '${rod.id}' asks for it; use tr-bdf2, or mass damping alone`,
      );
    }
    if (!rule.inflated && rod.edgeInertia.some((inertia) => !(inertia > 0))) {
      throw new SceneError(
        [
          'rods',
          scene.rods.findIndex(({ id }) => id === rod.id) < 0 ? k : scene.rods.findIndex(({ id }) => id === rod.id),
        ],
        `verlet needs rotary inertia, and rod '${rod.id}' has none; give its section 'inertia', or set section: inflated`,
      );
    }
  });
}

function readStableStep(cos: CosseratRod, scene: Scene): number {
  const stable = stableStep(cos);
  const step = scene.time?.step ?? stable;
  if (step / stable > MOST_PIECES) {
    throw new SceneError(
      ['solver', 'cosserat'],
      `verlet would cut a step of ${step} s into ${Math.ceil(step / stable)} pieces of ${stable.toPrecision(2)} s for rod '${cos.rod.id}'; set section: inflated with a larger gyration, or use tr-bdf2`,
    );
  }
  return stable;
}

function addEnergies(out: Energies, cos: CosseratRod, t: number): void {
  const { v, mass, size, drive, samples } = cos;
  for (let d = 0; d < size; d++) out.kinetic += 0.5 * mass[d] * v[d] * v[d];
  addElasticEnergies(cos, out);
  for (const source of drive.sources) out.potential += source.potential(samples, t);
}

function addMomentum(out: Momentum, cos: CosseratRod): void {
  const { q, v, mass, nodeCount, edgeCount, edgeFrame } = cos;
  for (let i = 0; i < nodeCount; i++) {
    const m = mass[6 * i];
    out.mass += m;
    for (let k = 0; k < 3; k++) {
      const a = (k + 1) % 3;
      const b = (k + 2) % 3;
      out.linear[k] += m * v[6 * i + k];
      out.center[k] += m * q[7 * i + k];
      out.angular[k] += m * (q[7 * i + a] * v[6 * i + b] - q[7 * i + b] * v[6 * i + a]);
    }
  }
  for (let j = 0; j < edgeCount; j++) {
    for (let m = 0; m < 3; m++) {
      const spin = mass[6 * j + 3 + m] * v[6 * j + 3 + m];
      for (let k = 0; k < 3; k++) out.angular[k] += spin * edgeFrame[9 * j + 3 * m + k];
    }
  }
}

function readChannel(out: Float64Array, cos: CosseratRod, channel: Channel): void {
  const { joints, jointActive, jointRotation, edgeForce, edgeCount, edgeFrame, poses } = cos;
  out.fill(0);
  if (channel === 'tension') {
    for (let j = 0; j < edgeCount; j++) out[j] = edgeForce[3 * j + 2];
    return;
  }
  // a held node has a joint on either side: the mean of both, weighted by length
  const lengthAt = new Float64Array(out.length);
  for (let i = 0; i < joints.count; i++) {
    if (!jointActive[i]) continue;
    const o = 3 * i;
    let value = channel === 'curvature' ? hypot(jointRotation[o], jointRotation[o + 1]) : jointRotation[o + 2];
    if (joints.freeSpin[i]) {
      const f = 9 * Math.max(joints.before[i], joints.after[i]) + 6;
      const { tangent } = poses[joints.pin[i]];
      const cosine = edgeFrame[f] * tangent[0] + edgeFrame[f + 1] * tangent[1] + edgeFrame[f + 2] * tangent[2];
      value = channel === 'curvature' ? acos(Math.min(1, Math.max(-1, cosine))) : 0;
    }
    out[joints.node[i]] += value;
    lengthAt[joints.node[i]] += joints.length[i];
  }
  for (let i = 0; i < out.length; i++) if (lengthAt[i] > 0) out[i] /= lengthAt[i];
}

export const cosseratModel: Model = {
  id: 'cosserat',
  capabilities: cosseratCapabilities,
  compile,
};
