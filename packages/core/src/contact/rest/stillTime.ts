/**
 * Pins, loads and obstacles of a scene at one instant: for every time they return their values at `instant.time`. Equilibria with contact are found
 * by steps of such a scene (relax.ts). In steps that lead to another instant, pins and obstacles move there.
 */
import { sin } from '../../math/rounded/index.ts';
import type { Drive } from '../../model.ts';
import type { LoadSource } from '../../port.ts';
import type { Pin, Rod } from '../../scene/compiled.ts';
import type { Collider } from '../shapes/collider.ts';
import type { Shape } from '../shapes/shape.ts';

/** May be written between steps. */
export interface Instant {
  /** [s] */
  time: number;
  /** Pins and obstacles move from their places at this instant to those at `time` [s] within a step, so that rods meet what comes towards them. */
  before: number;
  /** Length of that step [s], which begins at `time`. */
  duration: number;
  /** Acceleration of a disturbance that varies along the rods [m/s²], to leave an unstable equilibrium. */
  disturbance: number;
}

/** Replacements for the pins, loads and obstacles of a scene, with which world/build.ts builds a world that does not move by itself. */
export interface StillScene {
  readonly drives: readonly Drive[];
  holdRod(rod: Rod): Rod;
  holdCollider(collider: Collider): Collider;
}

/** `drives`: pins and loads of the moving world, including those added while it ran. */
export function holdScene(drives: readonly Drive[], rods: readonly Rod[], instant: Instant): StillScene {
  return {
    drives: drives.map(({ pins, sources }, r) => ({
      pins: pins.map((pin) => holdPin(pin, instant)),
      sources: [...sources.map((source) => holdSource(source, instant)), createDisturbance(rods[r], instant)],
      stillAt: instant,
    })),
    holdRod: (rod) => holdRod(rod, instant),
    holdCollider: (collider) => holdCollider(collider, instant),
  };
}

/** The instant at which pins and obstacles are at time t of a step. */
function instantOfMotion({ time, before, duration }: Instant, t: number): number {
  return before === time ? time : before + (time - before) * Math.max(0, Math.min(1, (t - time) / duration));
}

/** Instants that pass per time within a step. */
function paceOf({ time, before, duration }: Instant): number {
  return before === time ? 0 : (time - before) / duration;
}

function holdRod(rod: Rod, instant: Instant): Rod {
  const { animation } = rod;
  if (!animation) return rod;
  const { fields, factor, moveTo } = animation;
  return {
    ...rod,
    animation: {
      fields,
      factor: (field, _, u) => factor(field, instant.time, u),
      moveTo: () => moveTo(instant.time),
    },
  };
}

function holdPin(pin: Pin, instant: Instant): Pin {
  return {
    ...pin,
    evaluate(pose, t) {
      pin.evaluate(pose, instantOfMotion(instant, t));
      const pace = paceOf(instant);
      for (let k = 0; k < 3; k++) {
        pose.velocity[k] *= pace;
        pose.angularVelocity[k] *= pace;
      }
    },
    holds: () => pin.holds(instant.time),
    ...(pin.evaluateMotion && {
      evaluateMotion(motion, t) {
        pin.evaluateMotion?.(motion, instantOfMotion(instant, t));
        const pace = paceOf(instant);
        for (let k = 0; k < 3; k++) {
          motion.acceleration[k] *= pace * pace;
          motion.angularVelocity[k] *= pace;
          motion.angularAcceleration[k] *= pace * pace;
        }
      },
    }),
  };
}

function holdSource(source: LoadSource, instant: Instant): LoadSource {
  if (source.isConstant) return source;
  const { addAcceleration } = source;
  return {
    dependsOnState: source.dependsOnState,
    ...(addAcceleration && { addAcceleration: (out) => addAcceleration(out, instant.time) }),
    addLoads: (loads, samples) => source.addLoads(loads, samples, instant.time),
    potential: (samples) => source.potential(samples, instant.time),
  };
}

/** In no direction that a rod or an obstacle might share, and not along a mode of a straight rod. */
function createDisturbance({ nodeMass }: Rod, instant: Instant): LoadSource {
  const direction = [0.36, 0.48, 0.8];
  const shape = Float64Array.from(nodeMass, (_, i) => sin(1 + (4.1 * i) / nodeMass.length) + 0.3 * sin(0.7 * i));
  return {
    dependsOnState: false,
    addLoads({ nodeForce }) {
      if (instant.disturbance === 0) return;
      for (let i = 0; i < nodeMass.length; i++)
        for (let k = 0; k < 3; k++) nodeForce[3 * i + k] += instant.disturbance * nodeMass[i] * shape[i] * direction[k];
    },
    potential: () => 0,
  };
}

function holdCollider(collider: Collider, instant: Instant): Collider {
  return {
    ...collider,
    shape: holdShape(collider.shape, instant),
    ...(collider.changingFriction && {
      changingFriction: {
        ...collider.changingFriction,
        factor: () => collider.changingFriction?.factor(instant.time) ?? 1,
      },
    }),
    evaluate: (out, t) => collider.evaluate(out, instantOfMotion(instant, t)),
  };
}

function holdShape({ surfaceVelocity: _, ...shape }: Shape, instant: Instant): Shape {
  return shape.update ? { ...shape, update: () => shape.update?.(instant.time) } : shape;
}
