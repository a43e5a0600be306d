/**
 * Contact for Discrete Elastic Rods: the implicit step under forces at points, and its linear response.
 *
 * A system that touches something takes implicit Euler steps, whatever the scheme: schemes of second order take the
 * velocity of both ends of a step as smooth and answer an impact with a rebound that nobody asked for. The Newton matrix of the
 * stage, with its tension condensed, is A/h²; point masses go to the two nodes of an edge and the spin between them, well
 * within the band.
 */
import { solveBand } from '../../linalg/band.ts';
import type { Bundle, ContactPort, SingleRodBatch, StepOutcome } from '../../model.ts';
import type { ContactSides } from '../../port.ts';
import { syncPose } from './body.ts';
import { addBodySide, clearRight, factorSystem, finishStep, readBodySide, solveFactored } from './contactBodies.ts';
import { type ContactParts, createHeld } from './contactParts.ts';
import {
  addBodyForce,
  addPointMass,
  addSide,
  addSideForce,
  clearContact,
  countWay,
  endOfRod,
  leavesRoom,
  missGoal,
  readBodyVelocity,
  readSide,
  readSides,
} from './contactSides.ts';
import { assemble, createSlot, factorGlued, measureResponse, respondTo, type Slot } from './contactSlot.ts';
import { createHolder } from './holdRuns.ts';
import { evaluatePins, poseSamples, rebuildFrames, restoreFrames } from './kinematics.ts';
import { writeRightSide } from './newton.ts';
import { addRodEnergy } from './readouts.ts';
import type { RodStep } from './rodStep.ts';
import { createSingleRodStep } from './singleRods.ts';
import { createSnapshot, returnToSnapshot, type Snapshot, takeSnapshot } from './snapshot.ts';
import type { Stage } from './stage.ts';
import { resumeEuler, setEulerStage, startEuler } from './step.ts';

type RefreshRod = NonNullable<NonNullable<Bundle['parts']>['refreshRod']>;

/** Iterations of a step after which forces are found anew. */
const FEW = 4;

/** The port, and `refreshRod` of the bundle's parts. */
export function createDerContact(parts: ContactParts): { readonly port: ContactPort; readonly refreshRod: RefreshRod } {
  const { ders, works, systems, state, newton, bodyOrder, pairs, renew } = parts;
  const systemOfRod = new Int32Array(ders.length);
  systems.forEach(({ rods }, s) => {
    for (const rod of rods) systemOfRod[rod] = s;
  });
  const slots: (Slot | undefined)[] = [];
  const { held, heldStarts, startsOf, heldBodies } = createHeld(parts);
  const single = systems.every(({ rods, system }, s) => rods.length === 1 && rods[0] === s && !system.bodies.length);
  const holdRuns = single ? createHolder(held, state, heldStarts) : undefined;
  /** What a step solves at once: a system, or from the first of a pair both, where both are marked. */
  const alone = systems.map(({ system, rods }, s) => ({ list: [s], system, rods, starts: startsOf[s] }));
  const together = new Map(
    pairs.map(({ systems: list, system }) => {
      const rods = list.flatMap((s) => systems[s].rods);
      return [list[0], { list, system, rods, starts: list.flatMap((s) => startsOf[s]) }];
    }),
  );
  /** 1 for systems that are at the start of the step, and not on their way. */
  const atStart = parts.allocate(
    systems.length,
    systems.map(() => 1),
  );
  const moved = new Uint8Array(systems.length);
  const inverse = new Float64Array(11 * ders.reduce((most, der) => Math.max(most, der.size), 0));
  let h = 0;
  let stage: Stage = { t: 0, inertia: 0, rate: 0 };
  // bodies of the bundle in the order of its list: system, and place there
  const bodies = systems
    .flatMap(({ system }, s) => system.bodies.map((body, b) => ({ body, system: s, index: b })))
    .sort((a, b) => bodyOrder.indexOf(a.body) - bodyOrder.indexOf(b.body));
  /** Sides of each system that has bodies. */
  const joined: number[][] = systems.map(() => []);
  /** Those of them that have any now. */
  const withSides: number[] = [];
  const systemOf = (sides: ContactSides, c: number): number =>
    sides.rod[c] >= 0 ? systemOfRod[sides.rod[c]] : bodies[-1 - sides.rod[c]].system;
  const bodyIn =
    (sides: ContactSides) =>
    (c: number): number =>
      sides.rod[c] >= 0 ? -1 : bodies[-1 - sides.rod[c]].index;
  const isJoined = (rod: number): boolean => rod < 0 || systems[systemOfRod[rod]].system.bodies.length > 0;

  const slotOf = (rod: number): Slot => {
    slots[rod] ??= createSlot(ders[rod]);
    return slots[rod];
  };

  /** Forces at sides → loads of the rods of the marked systems. */
  const scatter = (marked: Uint8Array, sides: ContactSides): void => {
    for (let s = marked.indexOf(1); s >= 0; s = marked.indexOf(1, s + 1)) {
      for (const rod of systems[s].rods) {
        renew(rod);
        clearContact(ders[rod], true);
      }
    }
    for (const { body, system } of bodies) if (marked[system]) body.contact.fill(0);
    for (let c = 0; c < sides.count; c++) {
      if (sides.rod[c] >= 0) addSideForce(ders[sides.rod[c]], sides, c);
      else addBodyForce(bodies[-1 - sides.rod[c]].body, sides, c);
    }
  };

  const glue = (sides: ContactSides, rate: number): void => {
    for (let c = 0; c < sides.count; ) {
      const end = endOfRod(sides, c);
      const { contact } = ders[sides.rod[c]];
      if (contact) contact.glue = { sides, from: c, to: end, rate, start: heldStarts[sides.rod[c]].q };
      c = end;
    }
  };
  const unglue = ({ rod, count }: ContactSides): void => {
    for (let c = 0; c < count; c++) {
      const { contact } = ders[rod[c]];
      if (contact) contact.glue = undefined;
    }
  };

  const snapshots: (Snapshot | undefined)[] = [];
  /**
   * Takes the glued masses off rods that are in balance with them. What is left of their forces is as small as the solver's error; but
   * it has no counterpart, and momentum would not be kept. A rod that goes elsewhere without them stays.
   */
  const release = (marked: Uint8Array, sides: ContactSides, t: number, dt: number): StepOutcome => {
    let iterations = 0;
    for (let c = 0; c < sides.count; ) {
      const rod = sides.rod[c];
      const end = endOfRod(sides, c);
      const s = systemOfRod[rod];
      if (marked[s]) {
        const der = ders[rod];
        snapshots[rod] ??= createSnapshot(der);
        takeSnapshot(snapshots[rod], der);
        const { q } = heldStarts[rod];
        const before = missGoal(der, sides, c, end, q, 1 / dt);
        const out = resumeEuler(systems[s].system, startsOf[s], t, dt, { ...newton, rotation: 0.5, iterations: FEW });
        iterations += out.iterations;
        const missed = missGoal(der, sides, c, end, q, 1 / dt);
        if (!out.ok || missed > 100 * before + 1e-6 || leavesRoom(der, sides, c, end, q, dt))
          returnToSnapshot(der, snapshots[rod], works[rod], t + dt);
        poseSamples(der);
      }
      c = end;
    }
    return { ok: true, iterations, iterationsMax: FEW, shifts: 0 };
  };

  /** Linear response of a rod without bodies, at sides c … end − 1; see ContactPort.linearize. */
  const respond = (
    velocity: Float64Array,
    response: Float64Array,
    rod: number,
    sides: ContactSides,
    c: number,
    end: number,
    t: number,
    dt: number,
    fresh: boolean,
  ): boolean => {
    const s = systemOfRod[rod];
    const der = ders[rod];
    const work = works[rod];
    const slot = slotOf(rod);
    if (fresh && startEuler(systems[s].system, startsOf[s], t, dt, newton)) return false;
    atStart[s] = 0;
    // rods share their work spaces
    if (!fresh && sides.goal) setEulerStage({ system: systems[s].system, starts: startsOf[s], h: dt });
    if (!assemble(der, work, slot, stage)) return false;
    measureResponse(response, der, work.factor, slot, inverse, sides, c, end, 1 / (dt * dt));
    if (!fresh && !sides.goal) return true;
    writeRightSide(der, work);
    for (let d = 0; d < der.size; d++) if (der.fixed[d]) work.step[d] = 0;
    if (sides.goal) {
      for (let d = 0; d < der.size; d++) slot.right[d] = dt * work.step[d];
      readSides(velocity, der, der.v, sides, c, end, 1);
      // of a step that was taken, contact counts the ways by itself
      for (let k = c; k < end && fresh; k++) countWay(velocity, der, heldStarts[rod].q, sides, k, stage.rate);
      if (!fresh) return true;
    }
    solveBand(work.factor, slot.matrix, work.step);
    for (let d = 0; d < der.size; d++) work.step[d] = der.v[d] + stage.rate * work.step[d];
    const out = sides.goal ?? velocity;
    readSides(out, der, work.step, sides, c, end, 1);
    for (let k = c; k < end; k++) countWay(out, der, heldStarts[rod].q, sides, k, stage.rate);
    return true;
  };

  /** The same for a system with bodies, by solving for each axis of each side. */
  const probe = (
    velocity: Float64Array,
    response: Float64Array,
    s: number,
    sides: ContactSides,
    fresh: boolean,
  ): boolean => {
    const { system } = systems[s];
    const bodyOf = bodyIn(sides);
    if (!factorSystem(system, stage, sides, joined[s], bodyOf, 0, () => {}, fresh)) return false;
    if (fresh) {
      finishStep(system);
      for (const c of joined[s]) {
        const rod = sides.rod[c];
        if (rod >= 0) {
          const { step } = works[rod];
          readSide(velocity, ders[rod], step, sides, c, stage.rate);
          for (let k = 0; k < 3; k++) linear[k] = velocity[3 * c + k];
          readSide(velocity, ders[rod], ders[rod].v, sides, c, 1);
        } else {
          readBodySide(velocity, system, bodies[-1 - rod].index, sides, c, stage.rate);
          for (let k = 0; k < 3; k++) linear[k] = velocity[3 * c + k];
          readBodyVelocity(velocity, bodies[-1 - rod].body, sides, c);
        }
        for (let k = 0; k < 3; k++) velocity[3 * c + k] += linear[k];
      }
    }
    const unit = new Float64Array(3 * sides.count);
    const answer = new Float64Array(3 * sides.count);
    for (const c of joined[s]) {
      response[c] = 0;
      for (let k = 0; k < 3; k++) {
        unit[3 * c + k] = 1;
        solveJoined(s, sides, answer, unit, [c]);
        response[c] += answer[3 * c + k] / 3;
        unit[3 * c + k] = 0;
      }
    }
    return true;
  };

  const readVelocity = (out: Float64Array, sides: ContactSides): void => {
    for (let c = 0; c < sides.count; ) {
      const rod = sides.rod[c];
      const end = endOfRod(sides, c);
      if (rod >= 0) readSides(out, ders[rod], ders[rod].v, sides, c, end, 1);
      for (let k = c; k < end && rod < 0; k++) readBodyVelocity(out, bodies[-1 - rod].body, sides, k);
      c = end;
    }
  };

  /** velocity = S H⁻¹ Sᵀ impulse for the sides in `list`, of a system with bodies. */
  const solveJoined = (
    s: number,
    sides: ContactSides,
    velocity: Float64Array,
    impulse: Float64Array,
    list: readonly number[],
  ): void => {
    const { system } = systems[s];
    clearRight(system);
    for (const c of list) {
      if (sides.rod[c] >= 0) addSide(works[sides.rod[c]].step, ders[sides.rod[c]], impulse, sides, c);
      else addBodySide(system, bodies[-1 - sides.rod[c]].index, impulse, sides, c);
    }
    solveFactored(system);
    const scale = 1 / (h * h);
    for (const c of list) {
      if (sides.rod[c] >= 0) readSide(velocity, ders[sides.rod[c]], works[sides.rod[c]].step, sides, c, scale);
      else readBodySide(velocity, system, bodies[-1 - sides.rod[c]].index, sides, c, scale);
    }
  };

  const returnToStart = (s: number, t: number): void => {
    const { system, rods } = systems[s];
    atStart[s] = 1;
    for (const rod of rods) {
      ders[rod].q.set(heldStarts[rod].q);
      ders[rod].v.set(heldStarts[rod].v);
      ders[rod].memory.set(heldStarts[rod].memory);
    }
    system.bodies.forEach((body, b) => {
      body.memory.set(heldBodies[s][b]);
      syncPose(body);
    });
    for (const rod of rods) {
      parts.moved(rod, undefined);
      evaluatePins(ders[rod], t);
      rebuildFrames(ders[rod], works[rod].edgeWork);
      poseSamples(ders[rod]);
    }
  };

  /**
   * One system from the start of the step. Where Newton did not find its way from where the system was, it may from there, with
   * patience: a hair of hundreds that fails is hundreds that are stepped again.
   */
  const stepPatiently = (s: number, t: number, dt: number): RodStep => {
    returnToStart(s, t);
    const { system } = systems[s];
    const reason = startEuler(system, startsOf[s], t, dt, newton);
    if (reason) return { ok: false, iterations: 0, iterationsMax: 0, shifts: 0, reason };
    return resumeEuler(system, startsOf[s], t, dt, { ...newton, rotation: 0.25, iterations: 3 * newton.iterations });
  };

  const stepSingleRods = pairs.length > 0 ? createSingleRodStep(parts, startsOf) : undefined;

  const refreshRod: RefreshRod = (rod, t, dt) => {
    const s = systemOfRod[rod];
    for (const body of systems[s].system.bodies) syncPose(body);
    const time = atStart[s] ? t : t + dt;
    evaluatePins(ders[rod], time);
    parts.moved(rod, time);
  };

  const port: ContactPort = {
    systemOfRod,
    systemOfBody: Int32Array.from(bodies, ({ system }) => system),
    systemCount: systems.length,
    selective: bodies.length === 0,
    directed: bodies.length === 0,
    hold(marked) {
      for (const { body, system } of bodies) if (!marked || marked[system]) body.start.position.set(body.position);
      if (!marked) {
        held.q.set(state.q);
        held.v.set(state.v);
        held.memory.set(state.memory);
        atStart.fill(1);
        return;
      }
      if (holdRuns) {
        for (let s = marked.indexOf(1); s >= 0; s = marked.indexOf(1, s + 1)) atStart[s] = 1;
        holdRuns(marked);
        return;
      }
      for (let s = marked.indexOf(1); s >= 0; s = marked.indexOf(1, s + 1)) {
        atStart[s] = 1;
        for (const rod of systems[s].rods) {
          heldStarts[rod].q.set(ders[rod].q);
          heldStarts[rod].v.set(ders[rod].v);
          heldStarts[rod].memory.set(ders[rod].memory);
        }
        systems[s].system.bodies.forEach((body, b) => {
          heldBodies[s][b].set(body.memory);
        });
      }
    },
    revert(marked, t) {
      for (let s = marked.indexOf(1); s >= 0; s = marked.indexOf(1, s + 1)) returnToStart(s, t);
    },
    partial: bodies.length === 0,
    step(marked, sides, t, dt, robust): StepOutcome {
      let iterations = 0;
      let iterationsMax = 0;
      let shifts = 0;
      const count = (one: RodStep): RodStep => {
        iterations += one.iterations;
        iterationsMax = Math.max(iterationsMax, one.iterations);
        shifts += one.shifts;
        return one;
      };
      h = dt;
      const limit = sides.goal ? FEW : (robust ? 3 : 1) * newton.iterations;
      const options = { ...newton, rotation: 0.5, iterations: limit };
      let unfinished = false;
      scatter(marked, sides);
      if (sides.goal && sides.released) return release(marked, sides, t, dt);
      if (sides.goal) glue(sides, 1 / dt);
      for (let s = marked.indexOf(1); s >= 0; s = marked.indexOf(1, s + 1)) moved[s] = 0;
      for (let s = marked.indexOf(1); s >= 0; s = marked.indexOf(1, s + 1)) {
        if (moved[s]) continue;
        const pair = together.get(s);
        const { list, system, rods, starts } = !sides.goal && pair?.list.every((one) => marked[one]) ? pair : alone[s];
        for (const one of list) {
          moved[one] = 1;
          if (atStart[one]) startEuler(systems[one].system, startsOf[one], t, dt, newton);
          atStart[one] = 0;
        }
        const found = count(resumeEuler(system, starts, t, dt, options));
        const slow = sides.goal !== undefined && !found.ok && found.reason.startsWith('no convergence');
        if (slow) unfinished = true;
        for (const one of found.ok || slow ? [] : list) {
          const { ok, reason } = count(stepPatiently(one, t, dt));
          atStart[one] = 0;
          if (!ok) {
            if (sides.goal) unglue(sides);
            const failure = { rod: ders[systems[one].rods[0]].rod.id, reason };
            return { ok: false, iterations, iterationsMax, shifts, failure };
          }
        }
        for (const rod of rods) {
          // a kernel's sines are not those of the engine, and what follows from the state must follow from it alone
          if (list.length > 1) restoreFrames(ders[rod], works[rod].edgeWork);
          poseSamples(ders[rod]);
        }
      }
      if (sides.goal) unglue(sides);
      return { ok: true, iterations, iterationsMax, shifts, unfinished };
    },
    ...(stepSingleRods && {
      stepSingleRods: (job: SingleRodBatch) => {
        const out = stepSingleRods(job);
        for (let i = 0; i < job.count; i++) if (job.done[i]) atStart[job.system[i]] = 0;
        return out;
      },
    }),
    readVelocity,
    measureEnergy(out, s) {
      if (systems[s].system.bodies.length > 0) return false;
      for (const rod of systems[s].rods) {
        renew(rod);
        addRodEnergy(out, ders[rod]);
      }
      return true;
    },
    applyForces(sides) {
      const touched = new Uint8Array(ders.length);
      for (let c = 0; c < sides.count; c++) if (sides.rod[c] >= 0) touched[sides.rod[c]] = 1;
      ders.forEach((der, rod) => {
        if (touched[rod]) renew(rod);
        clearContact(der, touched[rod] === 1);
      });
      for (const { body } of bodies) body.contact.fill(0);
      for (let c = 0; c < sides.count; c++) {
        if (sides.rod[c] >= 0) addSideForce(ders[sides.rod[c]], sides, c);
        else {
          // about where it is now
          const { body } = bodies[-1 - sides.rod[c]];
          addBodyForce({ contact: body.contact, start: body.pose }, sides, c);
        }
      }
    },
    linearize(velocity, response, marked, sides, t, dt, fresh) {
      h = dt;
      stage = { t: t + dt, inertia: 1 / (dt * dt), rate: 1 / dt };
      for (const s of withSides) joined[s].length = 0;
      withSides.length = 0;
      for (let c = 0; c < sides.count; c++) {
        if (!isJoined(sides.rod[c])) continue;
        const s = systemOf(sides, c);
        if (joined[s].push(c) === 1) withSides.push(s);
      }
      withSides.sort((a, b) => a - b);
      if (fresh) scatter(marked, sides);
      for (let s = marked.indexOf(1); s >= 0 && bodies.length > 0; s = marked.indexOf(1, s + 1)) {
        if (systems[s].system.bodies.length === 0) continue;
        if (fresh && startEuler(systems[s].system, startsOf[s], t, dt, newton)) return false;
        atStart[s] = 0;
        if (!probe(velocity, response, s, sides, fresh)) return false;
      }
      for (let c = 0; c < sides.count; ) {
        const rod = sides.rod[c];
        const end = endOfRod(sides, c);
        if (!isJoined(rod) && !respond(velocity, response, rod, sides, c, end, t, dt, fresh)) return false;
        c = end;
      }
      if (!fresh) readVelocity(velocity, sides);
      return true;
    },
    factor(_marked, sides) {
      for (const s of withSides) {
        const scale = 1 / (h * h);
        const addMass = (c: number): void => {
          addPointMass(works[sides.rod[c]].matrix, ders[sides.rod[c]], sides, c, scale, false);
        };
        if (!factorSystem(systems[s].system, stage, sides, joined[s], bodyIn(sides), scale, addMass, false))
          return false;
      }
      for (let c = 0; c < sides.count; ) {
        const rod = sides.rod[c];
        const end = endOfRod(sides, c);
        if (isJoined(rod)) {
          c = end;
          continue;
        }
        const slot = slotOf(rod);
        for (let k = c; k < end; k++) addPointMass(slot.matrix, ders[rod], sides, k, 1 / (h * h), true);
        if (!factorGlued(slot, ders[rod], sides.goal !== undefined)) return false;
        slot.turns = 0;
        c = end;
      }
      return true;
    },
    solve(velocity, impulse, sides, marked) {
      const scale = 1 / (h * h);
      for (const s of withSides) if (!marked || marked[s]) solveJoined(s, sides, velocity, impulse, joined[s]);
      for (let c = 0; c < sides.count; ) {
        const rod = sides.rod[c];
        const end = endOfRod(sides, c);
        if (isJoined(rod) || (marked && !marked[systemOfRod[rod]])) {
          c = end;
          continue;
        }
        const der = ders[rod];
        respondTo(velocity, impulse, der, slotOf(rod), sides, c, end, scale);
        c = end;
      }
    },
  };
  return { port, refreshRod };
}

const linear = new Float64Array(3);
