/**
 * Work of the loads on bodies between two audits: forces times displacements, and torques times turns. Turns follow from orientations, since spins at both ends
 * say little about a body that vibrates within the step; only whole turns follow from spins. The mean of the loads at both ends is taken, half of the difference is
 * the uncertainty.
 */
import { multiplyQuaternions, rotationFromQuaternion } from '../math/quaternion.ts';
import { hypot } from '../math/rounded/index.ts';
import type { Work } from './auditedRod.ts';
import type { WorldParts } from './build.ts';

/** Bodies that forces move, with their motion and loads at the last audit. */
export interface AuditedBodies {
  /** Records motion and loads. */
  note(t: number): void;
  /** Adds the work of loads since, over the time dt. */
  addWork(work: Work, t: number, dt: number): void;
}

const relative = new Float64Array(4);
const turn = new Float64Array(3);

/** Writes the rotation vector from one orientation to another to `turn`, or the mean spin times dt if that is more than half a turn. */
function writeTurn(before: TurningBody, now: TurningBody, dt: number): void {
  const mean = [0, 1, 2].map((k) => 0.5 * dt * (before.angularVelocity[k] + now.angularVelocity[k]));
  turn.set(mean);
  if (hypot(mean[0], mean[1], mean[2]) > Math.PI) return;
  const [w, x, y, z] = before.orientation;
  multiplyQuaternions(relative, 0, now.orientation, 0, [w, -x, -y, -z], 0);
  rotationFromQuaternion(turn, 0, relative, 0);
}

interface TurningBody {
  readonly orientation: Float64Array;
  readonly angularVelocity: Float64Array;
}

export function createAuditedBodies(world: WorldParts): AuditedBodies {
  const bodies = world.bodies.filter(({ path }) => !path);
  const before = bodies.map(() => ({
    position: new Float64Array(3),
    orientation: new Float64Array(4),
    angularVelocity: new Float64Array(3),
    load: new Float64Array(6),
  }));
  const load = new Float64Array(6);
  return {
    note(t) {
      for (let b = 0; b < bodies.length; b++) {
        const { pose, body } = bodies[b];
        before[b].position.set(pose.position);
        before[b].orientation.set(pose.orientation);
        before[b].angularVelocity.set(pose.angularVelocity);
        body.load(before[b].load, t);
      }
    },
    addWork(work, t, dt) {
      for (let b = 0; b < bodies.length; b++) {
        const { position, load: first } = before[b];
        const { pose, body } = bodies[b];
        body.load(load, t);
        writeTurn(before[b], pose, dt);
        let [start, end] = [0, 0];
        for (let k = 0; k < 3; k++) {
          const moved = pose.position[k] - position[k];
          start += first[k] * moved + first[3 + k] * turn[k];
          end += load[k] * moved + load[3 + k] * turn[k];
        }
        work.done += 0.5 * (start + end);
        work.doubt += 0.5 * Math.abs(end - start);
      }
    },
  };
}
