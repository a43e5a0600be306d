/** Hair of particles and springs with altitude springs [Selle2008], as README.md beside this file describes it. */

import { SceneError } from '../../errors.ts';
import { atan2, hypot } from '../../math/rounded/index.ts';
import type {
  Bundle,
  Channel,
  Coupling,
  Drive,
  Energies,
  Model,
  Momentum,
  Reaction,
  StepOutcome,
} from '../../model.ts';
import type { Rod } from '../../scene/compiled.ts';
import { refuseStartTwist } from '../../scene/pinWay.ts';
import { canBeStretched } from '../../scene/stretched.ts';
import type { Scene } from '../../scene/types.ts';
import { advanceAllOrNone, cloneState } from '../allOrNone.ts';
import { forEachForce, forEachRow, rememberOrientation } from './energy.ts';
import { evaluatePins, initializeState, poseSamples } from './kinematics.ts';
import { layGhosts } from './lay.ts';
import { exportMatrices, findModes } from './modal.ts';
import { type MassSpringOptions, massSpringCapabilities } from './options.ts';
import { buildHair, type Hair, type HairOptions, memorySize, particlesOf } from './rod.ts';
import { findSlip, holdsTurns, measureTwist } from './slip.ts';
import { findEquilibrium } from './statics.ts';
import { createWorkspace, stepHair, type Workspace, writeLoads } from './step.ts';
import { createTruss, type Truss } from './truss.ts';

function compile(rods: readonly Rod[], drives: readonly Drive[], scene: Scene, coupling: Coupling): Bundle {
  const options = readOptions(scene.solver?.massspring ?? {});
  if (coupling.welds.length > 0)
    throw new SceneError(
      ['welds'],
      "the model 'massspring' does not move bodies; use model: der for rods that are welded",
    );
  rods.forEach((rod, k) => {
    refuse(rod, drives[k], scene);
  });
  const total = (list: readonly number[]): number => list.reduce((a, b) => a + b, 0);
  const sizes = rods.map((rod, k) => 3 * particlesOf(rod, drives[k].pins));
  const memories = rods.map((rod, k) => memorySize(rod, drives[k].pins));
  const state = {
    q: new Float64Array(total(sizes)),
    v: new Float64Array(total(sizes)),
    memory: new Float64Array(total(memories)),
  };
  const warnings = warn(rods, options);
  let at = 0;
  let atMemory = 0;
  const hairs: Hair[] = rods.map((rod, k) => {
    const q = state.q.subarray(at, at + sizes[k]);
    const v = state.v.subarray(at, at + sizes[k]);
    const memory = state.memory.subarray(atMemory, atMemory + memories[k]);
    at += sizes[k];
    atMemory += memories[k];
    const truss = createTruss(rod, options.stretch, canBeStretched(rod, drives[k].pins));
    warnings.push(...warnMisfit(rod, truss, options));
    const hair = buildHair({ rod, drive: drives[k], truss, options, q, v, memory });
    evaluatePins(hair, 0);
    initializeState(hair);
    return hair;
  });
  const toolbox = new Map<number, Workspace>();
  const tools = hairs.map((hair) => {
    const work = toolbox.get(hair.size) ?? createWorkspace(hair);
    toolbox.set(hair.size, work);
    hair.orientation.fill(1);
    layGhosts(hair, work);
    rememberOrientation(hair);
    return work;
  });
  const before = cloneState(state);
  const report = { ok: true, solves: 0, reason: '' };
  const mostNodes = Math.max(...rods.map(({ nodeCount }) => nodeCount));
  const twists = { before: new Float64Array(mostNodes), after: new Float64Array(mostNodes) };

  const refresh = (t: number): void => {
    for (const hair of hairs) {
      hair.restTension = undefined;
      evaluatePins(hair, t);
      poseSamples(hair);
    }
  };

  const advanceHairs = (t: number, dt: number, robust: boolean): StepOutcome => {
    const cost = { iterations: 0, iterationsMax: 0, shifts: 0 };
    for (let k = 0; k < hairs.length; k++) {
      const hair = hairs[k];
      hair.restTension = undefined;
      evaluatePins(hair, t);
      poseSamples(hair);
      const isHeld = holdsTurns(hair);
      if (isHeld) measureTwist(twists.before, hair);
      let done = stepHair(hair, tools[k], options.theta, robust, t, dt, report);
      poseSamples(hair);
      if (isHeld) measureTwist(twists.after, hair);
      const slip = isHeld && done ? findSlip(twists.before, twists.after) : -1;
      if (slip >= 0) {
        done = false;
        report.reason = `the twist at node ${slip} passed half a turn per edge, beyond which springs lose a turn: use more edges, or der`;
      }
      cost.iterations += report.solves;
      cost.iterationsMax = Math.max(cost.iterationsMax, report.solves);
      if (done) continue;
      return { ok: false, ...cost, failure: { rod: rods[k].id, reason: report.reason } };
    }
    return { ok: true, ...cost };
  };

  return {
    model: 'massspring',
    warnings,
    rods,
    samples: hairs.map(({ samples }) => samples),
    bodies: [],
    state,
    refresh,
    restart: () => {},
    advance: (t, dt, robust) => advanceAllOrNone({ state, before, refresh }, t, () => advanceHairs(t, dt, robust)),
    addEnergies: (out, t) => {
      for (const hair of hairs) addEnergies(out, hair, t);
    },
    addMomentum: (out) => {
      for (const hair of hairs) addMomentum(out, hair);
    },
    readChannel: (out, rod, channel) => readChannel(out, hairs[rod], channel),
    equilibrate: (rod, t, wanted) => findEquilibrium(hairs[rod], tools[rod], t, wanted),
    reactions: (rod, t) => measureReactions(hairs[rod], tools[rod], t),
    modes: (rod, t, count) => findModes(hairs[rod], tools[rod], t, count),
    matrices: (rod, t) => exportMatrices(hairs[rod], tools[rod], t),
  };
}

function readOptions(options: MassSpringOptions): HairOptions {
  const at = ['solver', 'massspring'];
  const { theta = 0.5, damping = 1e-4, altitude = 0.02, stretch, iterations = 30 } = options;
  // moving particles apart from the equations of motion makes energy: the step that keeps it does without
  const { strainLimit = theta > 0.5 || iterations === 0 ? 0.1 : 0 } = options;
  if (!(theta >= 0.5 && theta <= 1))
    throw new SceneError([...at, 'theta'], `theta is ${theta}; it must be from 0.5 (second order) to 1 (dissipates)`);
  if (!(damping >= 0))
    throw new SceneError([...at, 'damping'], `the damping time is ${damping} s; it cannot be negative`);
  if (!(altitude >= 0)) throw new SceneError([...at, 'altitude'], `altitude is ${altitude}; it cannot be negative`);
  if (stretch !== undefined && !(stretch >= 1))
    throw new SceneError(
      [...at, 'stretch'],
      `stretch is ${stretch}; below 1 the springs against stretch would bend, too`,
    );
  if (!(strainLimit >= 0 && strainLimit < 1))
    throw new SceneError([...at, 'strainLimit'], `strainLimit is ${strainLimit}; it must be from 0 (off) to below 1`);
  if (!(Number.isInteger(iterations) && iterations >= 0))
    throw new SceneError([...at, 'iterations'], `iterations is ${iterations}; it must be a whole number, 0 or more`);
  return { theta, damping, altitude, stretch, strainLimit, iterations };
}

/** The published step, midpoint without damping, gains energy where a rod buckles, and no step is small enough. */
function warn(rods: readonly Rod[], { theta, damping, iterations }: HairOptions): string[] {
  const bare = rods.find((rod) => rod.halfDamping.every((beta) => beta === 0));
  if (!bare || damping > 0 || theta > 0.5 || iterations > 0) return [];
  return [
    `the springs of rod '${bare.id}' have no damping, and with theta: 0.5 they gain energy when it buckles, at any step: steps will be cut; leave solver.massspring.iterations at its default, or set damping (1e-4 s), or theta: 1`,
  ];
}

/** An EA that is too small for the springs to have it. */
function warnMisfit({ id }: Rod, { misfit }: Truss, { stretch }: HairOptions): string[] {
  if (stretch !== undefined || misfit < 1.05) return [];
  return [
    `rod '${id}' has an EA so small beside EI/l² that its springs cannot have both: they are ${misfit.toPrecision(3)} times as stiff against stretch, so it stretches too little; use fewer edges, or der`,
  ];
}

/** Most that a rod may be laid twisted per edge beyond its natural shape [rad]. */
const LARGEST_TWIST = 1;

/** What the model cannot do is said before the run, not found out during it. */
function refuse(rod: Rod, { pins }: Drive, scene: Scene): void {
  const index = scene.rods.findIndex(({ id }) => id === rod.id);
  const at = ['rods', index];
  if (rod.closed)
    throw new SceneError(
      [...at, 'model'],
      `the model massspring has no closed rods, and rod '${rod.id}' is one; use der`,
    );
  const uneven = rod.halfEI1.findIndex((EI, k) => Math.abs(EI / rod.halfEI2[k] - 1) > 1e-6);
  if (uneven >= 0)
    throw new SceneError(
      [...at, 'section'],
      `rod '${rod.id}' is stiffer about one axis than about the other, which the springs of massspring cannot be; use a round section, or der`,
    );
  for (let i = 1; i + 1 < rod.nodeCount; i++) {
    const natural = rod.halfStrainRest[6 * i - 1] + rod.halfStrainRest[6 * i + 2];
    const twist = Math.abs(rod.nodeTwist[i] - natural);
    if (twist > LARGEST_TWIST)
      throw new SceneError(
        [...at, 'frame'],
        `rod '${rod.id}' is laid with a twist of ${twist.toFixed(2)} rad at node ${i}, and its springs fold at π/2; use more edges, or der`,
      );
  }
  refuseStartTwist(rod.id, 'massspring', pins);
  for (const pin of pins) {
    if (pin.orientation === 'free') continue;
    const where = `rod '${rod.id}', node ${pin.node}`;
    if (pin.orientation === 'tangent')
      throw new SceneError(
        ['pins'],
        `massspring cannot hold a direction and leave the spin free (${where}); use hold: clamp, or der`,
      );
    if (pin.node !== 0 && pin.node !== rod.nodeCount - 1)
      throw new SceneError(['pins'], `massspring clamps a rod at its ends only (${where}); use hold: position, or der`);
    if (!(pin.holdX && pin.holdY && pin.holdZ))
      throw new SceneError(
        ['pins'],
        `massspring holds a frame together with all of its position (${where}); use hold: clamp without axes, or der`,
      );
  }
}

function addEnergies(out: Energies, hair: Hair, t: number): void {
  const { v, mass, size, drive, samples, q } = hair;
  for (let d = 0; d < size; d++) out.kinetic += 0.5 * mass[d] * v[d] * v[d];
  // the springs do not tell bending from twist: both are in `bending`
  forEachRow(hair, q, q, (row) => {
    const energy = 0.5 * row.stiffness * row.value * row.value;
    if (row.apart === 2) out.stretching += energy;
    else out.bending += energy;
  });
  for (const source of drive.sources) out.potential += source.potential(samples, t);
}

function addMomentum(out: Momentum, { q, v, mass, particleCount }: Hair): void {
  for (let p = 0; p < particleCount; p++) {
    const o = 3 * p;
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
}

/** Forces on prescribed particles; a clamp's three add up to a force and a torque about its node. */
function measureReactions(hair: Hair, work: Workspace, t: number): Reaction[] {
  const { pins, poses, q, mass, massDamping, acceleration, v, fixed, stubs, start, stride, size } = hair;
  writeLoads(work.external, hair, t);
  const residual = work.right;
  for (let d = 0; d < size; d++) residual[d] = mass[d] * (acceleration[d] + massDamping[d] * v[d]) - work.external[d];
  forEachForce(hair, (row) => {
    let rate = 0;
    for (let p = 0; p < row.count; p++)
      for (let k = 0; k < 3; k++) rate += row.weight[p] * row.direction[k] * v[3 * row.particle[p] + k];
    const f = row.stiffness * (row.value + row.damping * rate);
    for (let p = 0; p < row.count; p++)
      for (let k = 0; k < 3; k++) residual[3 * row.particle[p] + k] += f * row.weight[p] * row.direction[k];
  });
  return pins.flatMap((pin, p): Reaction[] => {
    if (!poses[p].active) return [];
    const node = 3 * (start + stride * pin.node);
    const force: [number, number, number] = [0, 0, 0];
    const torque: [number, number, number] = [0, 0, 0];
    for (let k = 0; k < 3; k++) if (fixed[node + k]) force[k] = residual[node + k];
    const stub = pin.orientation === 'frame' ? stubs.find((one) => one.pin === p) : undefined;
    for (const particle of stub ? [stub.ghost, stub.main] : []) {
      for (let k = 0; k < 3; k++) {
        const [a, b] = [(k + 1) % 3, (k + 2) % 3];
        const o = 3 * particle;
        force[k] += residual[o + k];
        torque[k] += (q[o + a] - q[node + a]) * residual[o + b] - (q[o + b] - q[node + b]) * residual[o + a];
      }
    }
    return [{ rod: hair.rod.id, node: pin.node, force, torque }];
  });
}

function readChannel(out: Float64Array, hair: Hair, channel: Channel): void {
  const { rod, samples, start, stride } = hair;
  const { edgeTangent: t, edgeDirector: d } = samples;
  out.fill(0);
  if (channel === 'tension') {
    // what crosses a cut behind node j, along the edge
    forEachForce(hair, (row) => {
      for (let j = 0; j < rod.edgeCount; j++) {
        const cut = start + stride * j;
        let beyond = 0;
        for (let p = 0; p < row.count; p++) if (row.particle[p] > cut) beyond += row.weight[p];
        if (beyond === 0) continue;
        const along = row.direction[0] * t[3 * j] + row.direction[1] * t[3 * j + 1] + row.direction[2] * t[3 * j + 2];
        out[j] += row.stiffness * row.value * beyond * along;
      }
    });
    return;
  }
  for (let i = 1; i < rod.edgeCount; i++) {
    const a = 3 * (i - 1);
    const b = 3 * i;
    const cosine = t[a] * t[b] + t[a + 1] * t[b + 1] + t[a + 2] * t[b + 2];
    const bx = t[a + 1] * t[b + 2] - t[a + 2] * t[b + 1];
    const by = t[a + 2] * t[b] - t[a] * t[b + 2];
    const bz = t[a] * t[b + 1] - t[a + 1] * t[b];
    const length = 0.5 * (rod.edgeLengthRest[i - 1] + rod.edgeLengthRest[i]);
    if (channel === 'curvature') {
      out[i] = atan2(hypot(bx, by, bz), cosine) / length;
      continue;
    }
    // the director carried from edge to edge without turning about it, against the one that is there
    const w = 1 / Math.max(1e-12, 1 + cosine);
    const [x, y, z] = [d[a], d[a + 1], d[a + 2]];
    const [cx, cy, cz] = [by * z - bz * y, bz * x - bx * z, bx * y - by * x];
    const ex = x + cx + w * (by * cz - bz * cy);
    const ey = y + cy + w * (bz * cx - bx * cz);
    const ez = z + cz + w * (bx * cy - by * cx);
    const sine =
      t[b] * (ey * d[b + 2] - ez * d[b + 1]) +
      t[b + 1] * (ez * d[b] - ex * d[b + 2]) +
      t[b + 2] * (ex * d[b + 1] - ey * d[b]);
    out[i] = atan2(sine, ex * d[b] + ey * d[b + 1] + ez * d[b + 2]) / length;
  }
}

export const massSpringModel: Model = {
  id: 'massspring',
  capabilities: massSpringCapabilities,
  compile,
};
