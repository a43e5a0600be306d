/**
 * Animation controls of a strand [Hadap2006 §6.4, §6.5]: less of the base's motion (time scale), less of a reference frame's (local dynamics), and springs
 * to an animated pose.
 *
 * NOTE: the paper scales the spatial velocity and acceleration of the base. Their linear parts contain ω × v, so a base
 * that merely travels would change the motion; here classical accelerations are scaled, with no velocity in the
 * recursion, and gravity is not scaled. Air and contact see true velocities. Terms linear in acceleration go with β, centrifugal
 * ones with β².
 */

import { SceneError } from '../../errors.ts';
import { multiplyQuaternions, quaternionFromRotation, rotationFromQuaternion } from '../../math/quaternion.ts';
import { writeAngularAcceleration, writeAngularVelocity } from '../../math/rotationRates.ts';
import type { Scene } from '../../scene/types.ts';
import { checkTimes, compileTimed, compileVarying, createTrack, nonNegative, type Path } from '../../scene/varying.ts';
import { evaluateBase } from './kinematics.ts';
import type { StrandDirection } from './options.ts';
import type { Direction, Pose } from './records.ts';
import type { StrandTree } from './rod.ts';
import { multiply3, turnBack, writeRotation } from './spatial.ts';

/** The direction of a tree, if there is one: the first that names its root, or all. */
export function compileDirection(tree: StrandTree, scene: Scene): Direction | undefined {
  const { rod } = tree.rods[0];
  const list = scene.solver?.strand?.direct ?? [];
  const k = list.findIndex(({ rods }) => !rods || rods.includes(rod.id));
  if (k < 0) return undefined;
  const spec = list[k];
  const path = ['solver', 'strand', 'direct', k];
  const scale = compileScale(spec, path);
  const pose = spec.pose && compilePose(tree, spec.pose, [...path, 'pose']);
  return { ...(scale && { scale }), local: spec.local !== undefined, ...(pose && { pose }) };
}

/** Rejects names that no direction can refer to. */
export function checkDirections(scene: Scene): void {
  const seen = new Map<string, number>();
  scene.solver?.strand?.direct?.forEach(({ rods }, k) => {
    const path = ['solver', 'strand', 'direct', k, 'rods'];
    const names = rods ?? scene.rods.filter(({ model, parent }) => model === 'strand' && !parent).map(({ id }) => id);
    names.forEach((name, i) => {
      const rod = scene.rods.find(({ id }) => id === name);
      if (!rod) throw new SceneError([...path, i], `unknown rod '${name}'`);
      if (rod.model !== 'strand') throw new SceneError([...path, i], `rod '${name}' is not of the model strand`);
      if (rod.parent)
        throw new SceneError(
          [...path, i],
          `rod '${name}' grows from '${rod.parent.rod}'; direct the strand that it hangs from`,
        );
      const before = seen.get(name);
      if (before !== undefined)
        throw new SceneError(rods ? [...path, i] : path, `rod '${name}' is directed by entry ${before} already`);
      seen.set(name, k);
    });
  });
}

const state = new Float64Array(12);
const second = new Float64Array(6);
const refVelocity = new Float64Array(3);
const refAcceleration = new Float64Array(3);
const local = new Float64Array(3);

function compileScale({ timeScale, local: wish }: StrandDirection, path: Path): Direction['scale'] {
  if (timeScale === undefined && !wish) return undefined;
  const beta = compileTimed(timeScale, [...path, 'timeScale']);
  const gamma = wish ? compileTimed(wish.amount, [...path, 'local', 'amount']) : () => 0;
  const move = wish && compileReference(wish, [...path, 'local']);
  return (w, wd, a, { base, q }, t) => {
    const b = beta(t);
    const c = gamma(t);
    if (move && c !== 0) {
      move(t);
      // acceleration of the frame's point at the base: p̈ + ω̇ × d + ω × (ω × d)
      const d0 = q[0] - state[0];
      const d1 = q[1] - state[1];
      const d2 = q[2] - state[2];
      const [x, y, z] = refVelocity;
      const [e, f, g] = refAcceleration;
      const p = y * d2 - z * d1;
      const r = z * d0 - x * d2;
      const s = x * d1 - y * d0;
      a[0] -= c * (second[0] + f * d2 - g * d1 + y * s - z * r);
      a[1] -= c * (second[1] + g * d0 - e * d2 + z * p - x * s);
      a[2] -= c * (second[2] + e * d1 - f * d0 + x * r - y * p);
      turnBack(local, 0, base.rotation, 0, refVelocity, 0);
      for (let k = 0; k < 3; k++) w[k] -= c * local[k];
      turnBack(local, 0, base.rotation, 0, refAcceleration, 0);
      for (let k = 0; k < 3; k++) wd[k] -= c * local[k];
    }
    for (let k = 0; k < 3; k++) {
      w[k] *= b;
      wd[k] *= b;
      a[k] *= b;
    }
  };
}

/** Writes the frame's origin to `state`, its acceleration to `second`, and its angular motion. */
function compileReference(wish: NonNullable<StrandDirection['local']>, path: Path): (t: number) => void {
  const { keys, interpolation = 'smooth' } = wish.path;
  if (interpolation !== 'smooth')
    throw new SceneError(
      [...path, 'path', 'interpolation'],
      `the reference frame's velocity jumps with ${interpolation}; use smooth`,
    );
  const times = keys.map(({ time }) => time);
  checkTimes(times, [...path, 'path', 'keys'], (i) => [i, 'time']);
  let offset: readonly number[] = [0, 0, 0];
  let rotation: readonly number[] = [0, 0, 0];
  const track = createTrack(
    times,
    keys.map((key, i) => {
      if (key.twist !== undefined)
        throw new SceneError(
          [...path, 'path', 'keys', i, 'twist'],
          "a frame has no tangent to twist about; use 'rotation'",
        );
      offset = key.offset ?? offset;
      rotation = key.rotation ?? rotation;
      return [...offset, ...rotation];
    }),
    'smooth',
  );
  return (t) => {
    track.evaluate(state, t);
    track.accelerate?.(second, t);
    writeAngularVelocity(refVelocity, state, 3, state, 9);
    writeAngularAcceleration(refAcceleration, state, 3, state, 9, second, 3);
    for (let k = 0; k < 3; k++) state[k] += wish.position[k];
  };
}

function compilePose(tree: StrandTree, spec: NonNullable<StrandDirection['pose']>, path: Path): Pose {
  if (tree.rods.length > 1)
    throw new SceneError(path, `rod '${tree.rods[0].rod.id}' has branches; poses are for strands without`);
  const { rod } = tree.rods[0];
  const n = tree.linkCount;
  const strength = compileVarying(spec.strength, rod.length, [...path, 'strength'], nonNegative);
  const damping = compileVarying(spec.damping ?? 0, rod.length, [...path, 'damping'], nonNegative);
  const times = spec.keys.map(({ time }) => time);
  checkTimes(times, [...path, 'keys'], (i) => [i, 'time']);
  const values = spec.keys.map(({ curvature }, k) => {
    const out = new Float64Array(3 * n);
    if (curvature === 'initial') {
      for (let j = 0; j < n; j++) rotationFromQuaternion(out, 3 * j, tree.q, 3 + 4 * j);
      return out;
    }
    const profiles = curvature.map((value, i) =>
      compileVarying(value, rod.length, [...path, 'keys', k, 'curvature', i]),
    );
    for (let j = 0; j < n; j++) {
      // from the middle of the edge before to the middle of this one
      const reach = 0.5 * (rod.edgeLengthRest[j] + (j > 0 ? rod.edgeLengthRest[j - 1] : 0));
      const middle = rod.nodeArc[j] + (j > 0 ? 0 : 0.25 * rod.edgeLengthRest[0]);
      for (let i = 0; i < 3; i++) out[3 * j + i] = profiles[i].at(middle / rod.length) * reach;
    }
    return out;
  });
  const track = createTrack(times, values, 'smooth');
  return {
    spring: Float64Array.from(
      { length: n },
      (_, j) => rod.nodeMass[j + 1] * strength.at(rod.nodeArc[j + 1] / rod.length),
    ),
    damper: Float64Array.from(
      { length: n },
      (_, j) => rod.nodeMass[j + 1] * damping.at(rod.nodeArc[j + 1] / rod.length),
    ),
    factor: compileTimed(spec.factor, [...path, 'factor']),
    evaluate: (out, t) => {
      track.evaluate(out, t);
    },
    rotations: new Float64Array(6 * n),
    position: new Float64Array(3 * n),
    velocity: new Float64Array(3 * n),
  };
}

const quaternion = new Float64Array(4);
const chained = new Float64Array(4);
const turned = new Float64Array(9);
const frame = new Float64Array(9);
const product = new Float64Array(9);

/** Positions of the links' tips in the animated pose at time t. */
function placePose(out: Float64Array, tree: StrandTree, { evaluate, rotations }: Pose, t: number): void {
  evaluateBase(tree, t);
  evaluate(rotations, t);
  const { base, q, length, linkCount } = tree;
  frame.set(base.rotation);
  chained.set([1, 0, 0, 0]);
  let [x, y, z] = [q[0], q[1], q[2]];
  for (let j = 0; j < linkCount; j++) {
    quaternionFromRotation(quaternion, 0, rotations, 3 * j);
    multiplyQuaternions(chained, 0, chained, 0, quaternion, 0);
    writeRotation(turned, 0, chained, 0);
    multiply3(product, 0, frame, 0, turned, 0);
    x += length[j] * product[2];
    y += length[j] * product[5];
    z += length[j] * product[8];
    out[3 * j] = x;
    out[3 * j + 1] = y;
    out[3 * j + 2] = z;
  }
}

/** The pose and its velocity at time t, once per step; the base must be at t. */
export function evaluatePose(tree: StrandTree, pose: Pose, t: number): void {
  const { position, velocity } = pose;
  const h = 1e-5;
  placePose(velocity, tree, pose, t + h);
  placePose(position, tree, pose, Math.max(0, t - h));
  const over = t + h - Math.max(0, t - h);
  for (let k = 0; k < position.length; k++) velocity[k] = (velocity[k] - position[k]) / over;
  placePose(position, tree, pose, t);
}
