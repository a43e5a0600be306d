/**
 * Stiff fibers as oscillator networks [Michels2015], with the mapping and the integrators described in README.md beside this file.
 */
import { SceneError } from '../../errors.ts';
import type { Bundle, Coupling, Drive, Model, StepOutcome } from '../../model.ts';
import type { Rod } from '../../scene/compiled.ts';
import type { FiberOptions } from '../../scene/solvers/fiber.ts';
import type { Scene } from '../../scene/types.ts';
import { addEnergies, addMomentum, readChannel } from './energy.ts';
import { evaluateHeld, imposeHeld } from './held.ts';
import { initializeState, poseSamples } from './kinematics.ts';
import { exportMatrices, findModes } from './modal.ts';
import { createFiberRod, type FiberRod, unknownCount, updateStiffness } from './network.ts';
import { measureReactions } from './reactions.ts';
import { findEquilibrium } from './statics.ts';
import { createWorkspace, stepImplicit, type Workspace } from './step.ts';

function compile(rods: readonly Rod[], drives: readonly Drive[], scene: Scene, coupling: Coupling): Bundle {
  const options: FiberOptions = scene.solver?.fiber ?? {};
  const scheme = options.integrator ?? 'energy-momentum';
  if (coupling.welds.length > 0)
    throw new SceneError(['welds'], 'model fiber is not welded to bodies; use pins, or model: der');
  const warnings: string[] = [];
  const total = rods.reduce((sum, rod) => sum + unknownCount(rod), 0);
  const state = { q: new Float64Array(total), v: new Float64Array(total), memory: new Float64Array(0) };
  let at = 0;
  const fibers = rods.map((rod, k) => {
    const size = unknownCount(rod);
    const part = {
      q: state.q.subarray(at, at + size),
      v: state.v.subarray(at, at + size),
      memory: state.memory,
    };
    at += size;
    return createFiberRod(rod, drives[k], scene, options, warnings, part);
  });
  // work space is shared by rods of the same size
  const works = new Map<number, Workspace>();
  for (const fiber of fibers) if (!works.has(fiber.ringCount)) works.set(fiber.ringCount, createWorkspace(fiber));
  const workOf = (fiber: FiberRod): Workspace => works.get(fiber.ringCount) as Workspace;
  for (const fiber of fibers) {
    initializeState(fiber);
    evaluateHeld(fiber, 0);
    imposeHeld(fiber, fiber.q);
  }

  const refresh = (t: number): void => {
    for (const fiber of fibers) {
      updateStiffness(fiber, t);
      evaluateHeld(fiber, t);
      poseSamples(fiber, fiber.q, fiber.v);
    }
  };
  refresh(0);

  const advance = (t: number, dt: number): StepOutcome => {
    let iterations = 0;
    let iterationsMax = 0;
    const before = fibers.length > 1 ? { q: state.q.slice(), v: state.v.slice() } : undefined;
    for (const fiber of fibers) {
      const work = workOf(fiber);
      const newton = {
        tolerance: (options.tolerance ?? 1e-3) * Math.min(fiber.width1, fiber.width2),
        iterations: options.iterations ?? 12,
        depth: 8,
      };
      const ok = stepImplicit(fiber, work, scheme as 'energy-momentum', t, dt, newton);
      iterations += work.iterations;
      iterationsMax = Math.max(iterationsMax, work.iterationsMax);
      if (ok) continue;
      if (before) {
        state.q.set(before.q);
        state.v.set(before.v);
      }
      refresh(t);
      return { ok: false, iterations, iterationsMax, shifts: 0, failure: { rod: fiber.rod.id, reason: work.reason } };
    }
    refresh(t + dt);
    return { ok: true, iterations, iterationsMax, shifts: 0 };
  };

  return {
    model: 'fiber',
    rods,
    samples: fibers.map((fiber) => fiber.samples),
    bodies: [],
    warnings,
    state,
    refresh,
    restart: (t) => refresh(t),
    advance,
    addEnergies: (out, t) => {
      for (const fiber of fibers) addEnergies(out, fiber, t);
    },
    addMomentum: (out) => {
      for (const fiber of fibers) addMomentum(out, fiber);
    },
    readChannel: (out, rod, channel) => readChannel(out, fibers[rod], channel),
    equilibrate: (rod, t, wanted) => findEquilibrium(fibers[rod], workOf(fibers[rod]), t, wanted),
    reactions: (rod, t) => measureReactions(fibers[rod], workOf(fibers[rod]), t),
    modes: (rod, t, count) => findModes(fibers[rod], workOf(fibers[rod]), t, count),
    matrices: (rod, t) => exportMatrices(fibers[rod], workOf(fibers[rod]), t),
  };
}

export const fiberModel: Model = {
  id: 'fiber',
  capabilities: {
    closed: false,
    anisotropic: true,
    naturalCurvature: true,
    twist: true,
    inextensible: false,
    statics: true,
    modes: true,
    changingModuli: true,
  },
  compile,
};
