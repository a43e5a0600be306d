/**
 * The world: the short loop that holds everything. Read this file first.
 *
 * A scene compiles to rods, pins and load sources; each model packs its rods into a bundle; a step asks every bundle
 * to advance, halves the step where one fails, and reports. Nothing here knows what is inside a model.
 */
import type { BodyPose } from './bodies/body.ts';
import { compileBundles } from './bundles.ts';
import { warnUnmet } from './contact/check.ts';
import { createContinuum } from './contact/continuum.ts';
import { findLinkedModes, joinMatrices } from './contact/links/modes.ts';
import { createLinkedRest, type LinkedRest } from './contact/links/statics.ts';
import { addReport, type ContactForce, type ContactReport, type LinkForce, listLinkForces } from './contact/report.ts';
import { type Collider, compileColliders } from './contact/shapes/collider.ts';
import { createContactWorld, gravityOf } from './contact/step.ts';
import type { WorldOptions } from './engine.ts';
import { SceneError, SimulationError } from './errors.ts';
import { sumPieces } from './math/pieces.ts';
import type {
  Channel,
  Energies,
  EquilibriumReport,
  Matrices,
  Modes,
  Momentum,
  Reaction,
  StepOutcome,
} from './model.ts';
import { hashArrays } from './observe/hash.ts';
import type { LoadSource, Samples } from './port.ts';
import { createResponse, refuseEngine } from './response.ts';
import { compileScene } from './scene/compile.ts';
import type { Rod } from './scene/compiled.ts';
import { createGrip, type Grip } from './scene/grip.ts';
import type { Scene } from './scene/types.ts';
import { expandWeaves } from './scene/weave.ts';

export interface StepReport {
  /** Time after the step [s]. */
  readonly time: number;
  readonly dt: number;
  /** Sub-steps the step was cut into; 1 when all went well. */
  readonly substeps: number;
  readonly iterations: number;
  readonly iterationsMax: number;
  readonly shifts: number;
  /** Steps that error control took back. */
  readonly rejected?: number;
  /** How far the worst constraint of a strand is from its goal [m]; absent where there are none. */
  readonly violation?: number;
  /** How contacts and links were solved; absent where the scene has none. */
  readonly contact?: Readonly<ContactReport>;
}

/** Complete state of a world: restores bit for bit. */
export interface WorldState {
  readonly time: number;
  readonly stepCount: number;
  readonly bundles: readonly { readonly q: Float64Array; readonly v: Float64Array; readonly memory: Float64Array }[];
  /** Forces of the contacts, from which the next step starts; absent in scenes without contact. */
  readonly contact?: Float64Array;
  /** What an engine of bodies remembers. */
  readonly engine?: Uint8Array;
}

export interface World {
  readonly scene: Scene;
  readonly rods: readonly Rod[];
  /** [s] */
  readonly time: number;
  readonly stepCount: number;
  /** Samples of each rod, in the scene's order; views that every step updates. */
  readonly samples: readonly Samples[];
  /** Bodies, in the scene's order; poses that every step updates. */
  readonly bodies: readonly { readonly id: string; readonly pose: BodyPose }[];
  /** Obstacles, in the scene's order; `evaluate` tells where one is. */
  readonly colliders: readonly Collider[];
  /** A grip on each pin of the scene (welds have none), rod by rod: for hands that move, turn or release it. */
  readonly grips: readonly Grip[];
  /** Remarks that are worth telling but stop nothing. */
  readonly warnings: readonly string[];
  /** Advances by `dt` (default: the scene's step). Throws SimulationError when no sub-step succeeds; the state is then the last good one. */
  step(dt?: number): StepReport;
  /** Equilibrium of every rod with pins and loads as they are at time t (default: now). Velocities become zero. */
  equilibrate(t?: number): EquilibriumReport[];
  /** Forces and torques that the pins exert on the rods, in the scene's order of rods. */
  reactions(): Reaction[];
  /** Natural modes of every rod about the present state. */
  modes(count?: number): Modes[];
  matrices(): Matrices[];
  energies(): Energies;
  momentum(): Momentum;
  channel(rod: number, channel: Channel): Float64Array;
  /** Contacts of the last step that carry force, with their gaps as they are now. */
  contactForces(): ContactForce[];
  /** What every link does, in the scene's order; those of weaves come after its own. */
  linkForces(): LinkForce[];
  /** How the contacts of the last step were solved; undefined where the scene has none. */
  readonly contactReport: ContactReport | undefined;
  /** Hash of the complete state, 16 hexadecimal digits. */
  hash(): string;
  save(): WorldState;
  restore(state: WorldState): void;
  /**
   * Adds a load to a rod while the world runs, such as a hand's (fields/hand.ts); the function returned takes it away.
   * It is no part of the state: `save` and `hash` do not know it.
   */
  addLoad(rod: number, source: LoadSource): () => void;
}

export function createWorld(input: Scene, options: WorldOptions = {}): World {
  const { scene } = expandWeaves(input);
  const written = compileScene(scene);
  const { start } = options;
  const compiled = start ? { ...written, rods: written.rods.map((rod, k) => ({ ...rod, ...start.rods[k] })) } : written;
  const { rods, warnings } = compiled;
  const grips: Grip[] = [];
  // lists of their own, which hands may add to
  const openDrives = compiled.drives.map(({ pins, sources }) => ({
    sources: [...sources],
    pins: pins.map((pin) => {
      if (compiled.welds.some((weld) => weld.pin === pin) || compiled.carried.includes(pin)) return pin;
      const gripped = createGrip(pin, restartMotion);
      grips.push(gripped.grip);
      return gripped.pin;
    }),
  }));
  const colliders = compileColliders(scene, rods, compiled.bodies, warnings);
  colliders.forEach(({ body }, k) => {
    if (body >= 0 && compiled.bodies[body].path)
      throw new SceneError(
        ['colliders', k, 'body'],
        `body '${compiled.bodies[body].body.id}' goes on a path of its own; give that path to the collider in place of the body`,
      );
  });
  for (const { shape } of colliders) shape.insist?.();
  if (!options.bodies) warnUnmet(colliders, compiled.bodies, warnings);
  const continuum =
    scene.contact?.between === 'continuum' && scene.contact.continuum
      ? createContinuum(rods, () => samples, gravityOf(scene), scene.contact.continuum)
      : undefined;
  if (continuum) for (const [index, { sources }] of openDrives.entries()) sources.push(continuum.sources[index]);
  const { bundles, placeOfRod } = compileBundles(scene, compiled, openDrives, options.models ?? []);
  const samples = placeOfRod.map(({ bundle, index }) => bundle.samples[index]);
  for (const bundle of bundles) bundle.refresh(start?.time ?? 0);
  const contact =
    colliders.length > 0 || scene.contact || compiled.links.length > 0
      ? createContactWorld(
          scene,
          rods,
          bundles,
          placeOfRod.map(({ bundle, index }) => ({ bundle: bundles.indexOf(bundle), index })),
          colliders,
          compiled.bodies.map(({ body }) => body.id),
          openDrives,
          compiled.welds,
          compiled.links,
          warnings,
          start?.time ?? 0,
        )
      : undefined;
  const halvings = scene.time?.halvings ?? 8;
  let time = start?.time ?? 0;
  let stepCount = 0;
  if (start) for (const bundle of bundles) bundle.restart(time);
  /** Bodies with a path to where they are at t. */
  const moveAlong = (t: number): void => {
    for (const { path, pose } of compiled.bodies) path?.evaluate(pose, t);
  };
  moveAlong(time);
  const response = createResponse(scene, compiled.bodies, bundles, options);

  const save = (): WorldState => ({
    time,
    stepCount,
    bundles: bundles.map(({ state }) => ({ q: state.q.slice(), v: state.v.slice(), memory: state.memory.slice() })),
    ...(contact && { contact: contact.save() }),
  });

  const restore = (saved: WorldState): void => {
    const fits =
      saved.bundles.length === bundles.length &&
      saved.bundles.every(({ q, v, memory }, k) => {
        const { state } = bundles[k];
        return q.length === state.q.length && v.length === state.v.length && memory.length === state.memory.length;
      });
    if (!fits)
      throw new SceneError(
        [],
        'the saved state belongs to another scene: the number of rods, nodes or the integrator differs',
      );
    borne = false;
    time = saved.time;
    stepCount = saved.stepCount;
    if (response && saved.engine) response.session.restore(saved.engine);
    moveAlong(time);
    saved.bundles.forEach(({ q, v, memory }, k) => {
      bundles[k].state.q.set(q);
      bundles[k].state.v.set(v);
      bundles[k].state.memory.set(memory);
      bundles[k].refresh(time);
    });
    contact?.restore(saved.contact);
  };

  /** Whether forces of contact are on the rods since the last change: who reads channels does so rod by rod, of thousands. */
  let borne = false;

  /** Forces have jumped now. */
  function restartMotion(): void {
    contact?.bear();
    for (const bundle of bundles) bundle.restart(time);
  }

  /** All bundles advance together, or none does; in two pieces where something rebounds within the step. */
  const tryAdvance = (t: number, dt: number, robust: boolean): StepOutcome => {
    const fault = continuum?.update(dt);
    if (fault)
      return { ok: false, iterations: 0, iterationsMax: 0, shifts: 0, failure: { rod: rods[0].id, reason: fault } };
    const impact = contact?.findImpact(t, dt) ?? 0;
    if (impact === 0) return advanceTogether(t, dt, robust);
    const before = save();
    const told = contact && { ...contact.report };
    const first = advanceTogether(t, impact, robust);
    if (!first.ok) return first;
    const second = advanceTogether(t + impact, dt - impact, robust);
    if (!second.ok) {
      restore({ ...before, time, stepCount });
      if (contact) Object.assign(contact.report, told);
    }
    return {
      ...second,
      iterations: first.iterations + second.iterations,
      iterationsMax: Math.max(first.iterationsMax, second.iterationsMax),
      shifts: first.shifts + second.shifts,
    };
  };

  const advanceTogether = (t: number, dt: number, robust: boolean): StepOutcome => {
    let iterations = 0;
    let iterationsMax = 0;
    let shifts = 0;
    let substeps = 1;
    let rejected = 0;
    let violation: number | undefined;
    const before = bundles.length > 1 ? save() : undefined;
    const advance = contact ? [contact.advance] : bundles.map((bundle) => bundle.advance);
    for (const one of advance) {
      const outcome = one(t, dt, robust);
      iterations += outcome.iterations;
      iterationsMax = Math.max(iterationsMax, outcome.iterationsMax);
      shifts += outcome.shifts;
      substeps = Math.max(substeps, outcome.substeps ?? 1);
      rejected += outcome.rejected ?? 0;
      if (outcome.violation !== undefined) violation = Math.max(violation ?? 0, outcome.violation);
      if (!outcome.ok) {
        if (before) restore({ ...before, time, stepCount });
        return { ...outcome, iterations, iterationsMax, shifts };
      }
    }
    const missed = violation === undefined ? {} : { violation };
    return { ok: true, iterations, iterationsMax, shifts, substeps, rejected, ...missed };
  };

  const step = (dt: number = scene.time?.step ?? 0): StepReport => {
    if (!(dt > 0))
      throw new SceneError(['time', 'step'], 'the step must be a positive time; set time.step in the scene');
    borne = false;
    // as a multiple of the step where it is one, so that rounding does not pile up
    const multiple = (stepCount + 1) * dt;
    const end = Math.abs(multiple - time - dt) < 1e-9 * dt ? multiple : time + dt;
    // a pin that lets go within the step parts it there
    const parting = compiled.releases.find((release) => release > time + 1e-9 * dt && release < end - 1e-9 * dt);
    if (parting !== undefined) {
      const counted = stepCount;
      const first = step(parting - time);
      const second = step(end - parting);
      if (contact && first.contact) addReport(contact.report, { ...first.contact, contacts: contact.report.contacts });
      stepCount = counted + 1;
      time = end;
      return {
        time,
        dt,
        substeps: first.substeps + second.substeps,
        iterations: first.iterations + second.iterations,
        iterationsMax: Math.max(first.iterationsMax, second.iterationsMax),
        shifts: first.shifts + second.shifts,
        ...(contact && { contact: { ...contact.report } }),
      };
    }
    if (compiled.releases.some((release) => Math.abs(release - time) <= 1e-9 * dt)) {
      contact?.bear();
      for (const bundle of bundles) bundle.restart(time + 2e-9 * dt + 2e-12 * time);
    }
    response?.begin();
    contact?.begin();
    const whole = tryAdvance(time, dt, false);
    let taken = { ...whole, substeps: whole.substeps ?? 1, rejected: whole.rejected ?? 0 };
    let { violation } = whole;
    if (!whole.ok) {
      const before = save();
      // The last halvings use the most forgiving scheme that the model has.
      const { last, ...sum } = sumPieces(halvings, whole, (start, share) =>
        tryAdvance(before.time + dt * start, dt * share, share <= 1 / 4),
      );
      if (!sum.ok) {
        restore(before);
        const failure = last.failure ?? whole.failure;
        throw new SimulationError(
          failure?.rod ?? '',
          before.time,
          `the step at t = ${before.time} s failed for rod '${failure?.rod}': ${failure?.reason}`,
          `try a smaller time.step than ${dt}, more time.halvings than ${halvings}, or some damping`,
        );
      }
      taken = sum;
      violation = last.violation;
    }
    moveAlong(end);
    response?.finish(end, dt);
    time = end;
    stepCount++;
    const missed = violation === undefined ? {} : { violation };
    const { substeps, iterations, iterationsMax, shifts, rejected } = taken;
    const solved = contact && { contact: { ...contact.report } };
    return { time, dt, substeps, iterations, iterationsMax, shifts, rejected, ...missed, ...solved };
  };

  const refuseContact = (what: string): void => {
    if (!contact) return;
    const touching = scene.contact && scene.contact.between !== 'none';
    if (colliders.length === 0 && !touching) return;
    const field = colliders.length > 0 ? 'colliders' : 'contact';
    throw new SceneError(
      [field],
      `${what} do not know contact; let the scene come to rest with damping, or remove '${field}'`,
    );
  };

  let linkedRest: LinkedRest | undefined;

  const rodMatrices = (): Matrices[] => placeOfRod.map(({ bundle, index }) => bundle.matrices(index, time));

  return {
    scene,
    rods,
    samples,
    bodies: compiled.bodies.map(({ body, pose }) => ({ id: body.id, pose })),
    colliders,
    grips,
    warnings: [...warnings, ...bundles.flatMap((bundle) => bundle.warnings ?? [])],
    get time() {
      return time;
    },
    get stepCount() {
      return stepCount;
    },
    step,
    save: () => ({ ...save(), ...(response && { engine: response.session.save() }) }),
    restore,
    addLoad(rod, source) {
      const { sources } = openDrives[rod];
      sources.push(source);
      return () => {
        const at = sources.indexOf(source);
        if (at >= 0) sources.splice(at, 1);
      };
    },
    equilibrate(t = time) {
      refuseContact('statics');
      refuseEngine(options, 'equilibria');
      borne = false;
      const { stability = 'seek', tolerance = 1e-10 } = scene.statics ?? {};
      const wanted = { stability, tolerance };
      if (contact && contact.links.count > 0)
        linkedRest ??= createLinkedRest(contact.links, rods, samples, (rod) => {
          const { bundle, index } = placeOfRod[rod];
          return bundle.atRest?.(index);
        });
      const from = time;
      moveAlong(t);
      time = t;
      const joined = linkedRest?.equilibrate(from, t, wanted);
      return placeOfRod.map(({ bundle, index }, r) => joined?.get(r) ?? bundle.equilibrate(index, t, wanted));
    },
    reactions() {
      contact?.bear();
      return placeOfRod.flatMap(({ bundle, index }) => bundle.reactions(index, time));
    },
    modes(count = scene.modes?.count ?? 10) {
      refuseContact('modes');
      refuseEngine(options, 'modes');
      borne = false;
      if (contact) {
        const each = rodMatrices();
        return findLinkedModes(joinMatrices(each, contact.links, rods, samples), each, rods, samples, count);
      }
      return placeOfRod.map(({ bundle, index }) => bundle.modes(index, time, count));
    },
    matrices() {
      refuseContact('matrices');
      refuseEngine(options, 'matrices');
      borne = false;
      return contact ? [joinMatrices(rodMatrices(), contact.links, rods, samples)] : rodMatrices();
    },
    energies() {
      const out: Energies = { kinetic: 0, bending: 0, twisting: 0, stretching: 0, potential: 0, total: 0 };
      for (const bundle of bundles) bundle.addEnergies(out, time);
      out.potential += contact?.energy() ?? 0;
      out.total = out.kinetic + out.bending + out.twisting + out.stretching + out.potential;
      return out;
    },
    momentum() {
      const out: Momentum = {
        linear: new Float64Array(3),
        angular: new Float64Array(3),
        center: new Float64Array(3),
        mass: 0,
      };
      for (const bundle of bundles) bundle.addMomentum(out);
      for (let k = 0; k < 3; k++) out.center[k] /= out.mass;
      return out;
    },
    channel(rod, channel) {
      const { bundle, index } = placeOfRod[rod];
      if (!borne) contact?.bear();
      borne = true;
      const out = new Float64Array(channel === 'tension' ? rods[rod].edgeCount : rods[rod].nodeCount);
      bundle.readChannel(out, index, channel);
      return out;
    },
    contactForces: () => contact?.forces(time) ?? [],
    linkForces: () => (contact ? listLinkForces(contact.links, rods) : []),
    contactReport: contact?.report,
    hash() {
      return hashArrays([
        new Float64Array([time]),
        ...bundles.flatMap(({ state }) => [state.q, state.v, state.memory]),
        ...(contact ? [contact.save()] : []),
      ]);
    },
  };
}
