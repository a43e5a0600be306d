/** From the state to poses, motions and samples, one sweep outwards each; and the state that a scene starts from. */

import { multiplyQuaternions, quaternionFromRotation } from '../../math/quaternion.ts';
import { cos, sin } from '../../math/rounded/index.ts';
import type { Samples } from '../../port.ts';
import { poseBodies } from './bodyLinks.ts';
import { BALL, ELASTIC } from './bodyLinkTypes.ts';
import { writeDelta, writeFrame, writeQuaternion } from './frames.ts';
import type { Departure } from './records.ts';
import type { StrandTree } from './rod.ts';
import {
  addCrossForce,
  applyInertia,
  bringMotion,
  crossMotion,
  multiply3,
  turn,
  turnBack,
  writeRotation,
} from './spatial.ts';

const angularVelocity = new Float64Array(3);
const angularAcceleration = new Float64Array(3);
const linear = new Float64Array(3);
const accelerated = new Float64Array(3);
const director = new Float64Array(3);

/** Evaluates the pose of the base at time t; free axes keep their state. At the same time as before, only q is written. */
export function evaluateBase(tree: StrandTree, t: number, time: 'new-time' | 'same-time' = 'new-time'): void {
  const { base, rods, q } = tree;
  const { pins, poses, axes, free, frame: held } = base;
  if (time === 'same-time') {
    for (let k = 0; k < 3; k++) if (!free[k]) q[k] = poses[axes[k]].position[k];
    return;
  }
  tree.time = t;
  axes.fill(-1);
  for (let p = 0; p < pins.length; p++) {
    pins[p].evaluate(poses[p], t);
    if (!poses[p].active) continue;
    if (pins[p].holdX) axes[0] = p;
    if (pins[p].holdY) axes[1] = p;
    if (pins[p].holdZ) axes[2] = p;
  }
  for (let k = 0; k < 3; k++) {
    free[k] = axes[k] < 0 ? 1 : 0;
    if (!free[k]) q[k] = poses[axes[k]].position[k];
  }
  tree.rootHeld = held >= 0 && poses[held].active;
  if (held < 0) {
    writeFrame(base.rotation, 0, rods[0].rod.nodeTangent, 0, rods[0].rod.nodeDirector, 0);
    return;
  }
  const { tangent: n, director: d, twist } = poses[held];
  const c = cos(twist);
  const s = sin(twist);
  director[0] = c * d[0] + s * (n[1] * d[2] - n[2] * d[1]);
  director[1] = c * d[1] + s * (n[2] * d[0] - n[0] * d[2]);
  director[2] = c * d[2] + s * (n[0] * d[1] - n[1] * d[0]);
  writeFrame(base.rotation, 0, n, 0, director, 0);
}

/**
 * Motion of the base at time t. What is prescribed of its velocity is left out of the recursion, which then is the same
 * in every frame that moves uniformly: it takes the classical acceleration, and `drift` brings the velocity back where
 * the air asks for it. `originRate`: acceleration of the origin along its free axes, in world axes; nothing moves without. At the same time as before, pins
 * are not evaluated again.
 */
export function moveBase(
  tree: StrandTree,
  t: number,
  originRate: Float64Array | undefined,
  time: 'new-time' | 'same-time' = 'new-time',
): void {
  const { base, v } = tree;
  const { pins, poses, motions, axes, free, rotation, frame: held } = base;
  angularVelocity.fill(0);
  angularAcceleration.fill(0);
  if (originRate && time === 'new-time' && !base.driven)
    for (let p = 0; p < pins.length; p++) pins[p].evaluateMotion?.(motions[p], t);
  const { driven } = base;
  if (originRate && held >= 0 && driven) {
    for (let k = 0; k < 3; k++) {
      angularVelocity[k] = driven[4 + k];
      angularAcceleration[k] = driven[7 + k];
    }
  } else if (originRate && held >= 0) {
    turnBack(angularVelocity, 0, rotation, 0, motions[held].angularVelocity, 0);
    turnBack(angularAcceleration, 0, rotation, 0, motions[held].angularAcceleration, 0);
  }
  for (let k = 0; k < 3; k++) {
    const moving = originRate && !free[k];
    base.drift[k] = !moving ? 0 : driven ? driven[10 + k] : poses[axes[k]].velocity[k];
    if (!free[k]) v[k] = base.drift[k];
    linear[k] = free[k] ? v[k] : 0;
    if (moving) accelerated[k] = driven ? driven[13 + k] : motions[axes[k]].acceleration[k];
    else accelerated[k] = originRate ? originRate[k] : 0;
    base.spin[k] = angularVelocity[k];
  }
  base.originAcceleration.set(accelerated);
  if (originRate) tree.direction?.scale?.(angularVelocity, angularAcceleration, accelerated, tree, t);
  base.motion.set(angularVelocity, 0);
  turnBack(base.motion, 3, rotation, 0, linear, 0);
  base.acceleration.set(angularAcceleration, 0);
  turnBack(base.acceleration, 3, rotation, 0, accelerated, 0);
  // spatial acceleration: less ω × v
  const [x, y, z] = angularVelocity;
  const m = base.motion;
  base.acceleration[3] -= y * m[5] - z * m[4];
  base.acceleration[4] -= z * m[3] - x * m[5];
  base.acceleration[5] -= x * m[4] - y * m[3];
}

/** Rotations, places and deformations of all links from q. */
export function poseLinks(tree: StrandTree): void {
  const { linkCount, parent, offset, q, rotation, world, origin, base } = tree;
  for (let j = 0; j < linkCount; j++) {
    writeRotation(rotation, 9 * j, q, 3 + 4 * j);
    const i = parent[j];
    if (i < 0) {
      multiply3(world, 9 * j, base.rotation, 0, rotation, 9 * j);
      for (let k = 0; k < 3; k++) origin[3 * j + k] = q[k];
    } else {
      multiply3(world, 9 * j, world, 9 * i, rotation, 9 * j);
      const l = offset[j];
      origin[3 * j] = origin[3 * i] + l * world[9 * i + 2];
      origin[3 * j + 1] = origin[3 * i + 1] + l * world[9 * i + 5];
      origin[3 * j + 2] = origin[3 * i + 2] + l * world[9 * i + 8];
    }
    writeDelta(tree, j);
  }
}

const jointMotion = new Float64Array(6);
const crossed = new Float64Array(6);

/** v and a of every link. [Hadap2006 eq. 6] NOTE: line 5 of Algorithm 1 has the two rates exchanged and a × missing. */
export function moveLinks(tree: StrandTree): void {
  const { linkCount, parent, offset, rotation, base, v, rate } = tree;
  const { motion: vel, carried, acceleration: acc, carriedAcceleration } = tree;
  for (let j = 0; j < linkCount; j++) {
    const i = parent[j];
    bringMotion(carried, 6 * j, rotation, 9 * j, offset[j], i < 0 ? base.motion : vel, i < 0 ? 0 : 6 * i);
    bringMotion(
      carriedAcceleration,
      6 * j,
      rotation,
      9 * j,
      offset[j],
      i < 0 ? base.acceleration : acc,
      i < 0 ? 0 : 6 * i,
    );
    for (let k = 0; k < 3; k++) {
      jointMotion[k] = v[3 + 3 * j + k];
      vel[6 * j + k] = carried[6 * j + k] + jointMotion[k];
      vel[6 * j + 3 + k] = carried[6 * j + 3 + k];
    }
    crossMotion(crossed, 0, vel, 6 * j, jointMotion, 0);
    for (let k = 0; k < 3; k++) {
      acc[6 * j + k] = carriedAcceleration[6 * j + k] + crossed[k] + rate[3 * j + k];
      acc[6 * j + 3 + k] = carriedAcceleration[6 * j + 3 + k] + crossed[3 + k];
    }
  }
  if (tree.trueMotion !== tree.motion) moveTruly(tree);
}

const trueBase = new Float64Array(6);

/** True motions, for air and contact, if the motion of the base is scaled (`direct`). */
function moveTruly(tree: StrandTree): void {
  const { linkCount, parent, offset, rotation, base, v, trueMotion } = tree;
  trueBase.set(base.motion);
  trueBase.set(base.spin, 0);
  for (let j = 0; j < linkCount; j++) {
    const i = parent[j];
    bringMotion(trueMotion, 6 * j, rotation, 9 * j, offset[j], i < 0 ? trueBase : trueMotion, i < 0 ? 0 : 6 * i);
    for (let k = 0; k < 3; k++) trueMotion[6 * j + k] += v[3 + 3 * j + k];
  }
}

const momentum = new Float64Array(6);

/** Inertial force of each link: I a + v ×* I v. */
export function writeInertialForces(tree: StrandTree): void {
  const { linkCount, inertia, motion: vel, acceleration, force } = tree;
  for (let j = 0; j < linkCount; j++) {
    applyInertia(force, 6 * j, inertia, 36 * j, acceleration, 6 * j);
    applyInertia(momentum, 0, inertia, 36 * j, vel, 6 * j);
    addCrossForce(force, 6 * j, vel, 6 * j, momentum, 0);
  }
}

const local = new Float64Array(3);
const global = new Float64Array(3);

/** State → samples. [port] In a step with contact, velocities are the means over the step so far. */
export function poseSamples(tree: StrandTree): void {
  if (tree.departure) {
    poseMeans(tree, tree.departure);
    return;
  }
  const { rods, base, q, v, world, origin, length, trueMotion: m } = tree;
  for (const { rod, samples, firstLink, root } of rods) {
    for (let i = 0; i <= rod.edgeCount; i++) {
      const link = i === 0 ? root : firstLink + i - 1;
      const o = 3 * i;
      if (link < 0) {
        for (let k = 0; k < 3; k++) {
          samples.nodePosition[o + k] = q[k];
          samples.nodeVelocity[o + k] = v[k];
        }
        continue;
      }
      const l = length[link];
      local[0] = m[6 * link + 3] + l * m[6 * link + 1];
      local[1] = m[6 * link + 4] - l * m[6 * link];
      local[2] = m[6 * link + 5];
      turn(global, 0, world, 9 * link, local, 0);
      const { nodePosition: x, nodeVelocity: u } = samples;
      x[o] = origin[3 * link] + l * world[9 * link + 2];
      x[o + 1] = origin[3 * link + 1] + l * world[9 * link + 5];
      x[o + 2] = origin[3 * link + 2] + l * world[9 * link + 8];
      for (let k = 0; k < 3; k++) u[o + k] = global[k] + base.drift[k];
    }
    poseFrames(samples, world, firstLink, rod.edgeCount);
    for (let j = 0; j < rod.edgeCount; j++) samples.edgeSpin[j] = m[6 * (firstLink + j) + 2];
  }
  if (tree.bodies.length > 0) poseBodies(tree);
}

function poseFrames({ edgeTangent, edgeDirector }: Samples, world: Float64Array, first: number, edges: number): void {
  for (let j = 0; j < edges; j++) {
    const r = 9 * (first + j);
    for (let k = 0; k < 3; k++) {
      edgeTangent[3 * j + k] = world[r + 3 * k + 2];
      edgeDirector[3 * j + k] = world[r + 3 * k];
    }
  }
}

function poseMeans(tree: StrandTree, { h, nodes, turned }: Departure): void {
  const { rods, base, q, world, origin, length } = tree;
  // the base's true spin, if only a share of it acts on links
  for (let k = 0; k < 3; k++) local[k] = base.spin[k] - base.motion[k];
  turn(global, 0, base.rotation, 0, local, 0);
  for (let r = 0; r < rods.length; r++) {
    const { rod, samples, firstLink, root } = rods[r];
    const { nodePosition: x, nodeVelocity, edgeSpin } = samples;
    const from = nodes[r];
    for (let i = 0; i <= rod.edgeCount; i++) {
      const link = i === 0 ? root : firstLink + i - 1;
      for (let k = 0; k < 3; k++) {
        const o = 3 * i + k;
        x[o] = link < 0 ? q[k] : origin[3 * link + k] + length[link] * world[9 * link + 3 * k + 2];
        nodeVelocity[o] = (x[o] - from[o]) / h;
      }
    }
    poseFrames(samples, world, firstLink, rod.edgeCount);
    for (let j = 0; j < rod.edgeCount; j++) {
      const o = 9 * (firstLink + j);
      edgeSpin[j] = turned[firstLink + j];
      for (let k = 0; k < 3; k++) edgeSpin[j] += global[k] * world[o + 3 * k + 2];
    }
  }
}

const frame = new Float64Array(9);
const inverse = new Float64Array(9);
const relative = new Float64Array(9);
const edge = new Float64Array(3);

/** Joint rotations and rates of the rods as the scene lays them. */
export function initializeState(tree: StrandTree): void {
  const { rods, q, v, base } = tree;
  evaluateBase(tree, 0);
  for (let k = 0; k < 3; k++) {
    if (!base.free[k]) continue;
    q[k] = rods[0].rod.nodePosition[k];
    v[k] = rods[0].rod.nodeVelocity[k];
  }
  const absolute = new Float64Array(9 * tree.linkCount);
  const spins = new Float64Array(3 * tree.linkCount);
  rods.forEach(({ rod, firstLink, root, isBodyLink }, part) => {
    const grows = part > 0 && !(isBodyLink && tree.lock[firstLink] === ELASTIC);
    for (let j = 0; j < rod.edgeCount; j++) {
      const link = firstLink + j;
      let square = 0;
      for (let k = 0; k < 3; k++) {
        edge[k] = rod.nodePosition[3 * j + 3 + k] - rod.nodePosition[3 * j + k];
        square += edge[k] * edge[k];
      }
      for (let k = 0; k < 3; k++) edge[k] /= Math.sqrt(square);
      writeFrame(absolute, 9 * link, edge, 0, rod.edgeDirector, 3 * j);
      writeLinkSpin(spins, link, rod, j, square);
      const up = tree.parent[link];
      if (j === 0 && grows)
        keepAngle(tree, link, rod, root < 0 ? base.rotation : absolute.subarray(9 * root, 9 * root + 9));
      const from = up < 0 ? base.rotation : absolute.subarray(9 * up, 9 * up + 9);
      transpose(inverse, from);
      multiply3(relative, 0, inverse, 0, absolute, 9 * link);
      writeQuaternion(q, 3 + 4 * link, relative, 0);
    }
  });
  poseLinks(tree);
  moveBase(tree, 0, new Float64Array(3));
  // a body that is clamped starts with the velocity of its rod
  const carried = new Set(
    rods.flatMap(({ isBodyLink, firstLink }) => (isBodyLink && tree.lock[firstLink] !== BALL ? [firstLink] : [])),
  );
  for (let link = 0; link < tree.linkCount; link++) {
    const up = tree.parent[link];
    turnBack(local, 0, absolute, 9 * link, spins, 3 * link);
    if (up < 0) {
      turn(global, 0, base.rotation, 0, base.spin, 0);
      turnBack(edge, 0, absolute, 9 * link, global, 0);
    } else turnBack(edge, 0, absolute, 9 * link, spins, 3 * up);
    if (carried.has(link)) {
      v.fill(0, 3 + 3 * link, 6 + 3 * link);
      turn(spins, 3 * link, absolute, 9 * link, edge, 0);
      continue;
    }
    for (let k = 0; k < 3; k++) v[3 + 3 * link + k] = local[k] - edge[k];
  }
  tree.rate.fill(0);
  moveLinks(tree);
  poseSamples(tree);
}

/** Angular velocity of an edge, from its ends and the spin of its material. */
function writeLinkSpin(
  out: Float64Array,
  link: number,
  rod: StrandTree['rods'][number]['rod'],
  j: number,
  square: number,
): void {
  for (let k = 0; k < 3; k++) global[k] = rod.nodeVelocity[3 * j + 3 + k] - rod.nodeVelocity[3 * j + k];
  const l = Math.sqrt(square);
  for (let k = 0; k < 3; k++) {
    const a = (k + 1) % 3;
    const b = (k + 2) % 3;
    out[3 * link + k] = (edge[a] * global[b] - edge[b] * global[a]) / l + edge[k] * rod.edgeSpin[j];
  }
}

/** A strand that grows from another is at rest at the angle at which it starts. */
function keepAngle(tree: StrandTree, link: number, rod: StrandTree['rods'][number]['rod'], from: Float64Array): void {
  writeFrame(frame, 0, rod.nodeTangent, 0, rod.nodeDirector, 0);
  transpose(inverse, frame);
  multiply3(relative, 0, inverse, 0, from, 0);
  writeQuaternion(tree.before, 4 * link, relative, 0);
}

function transpose(out: Float64Array, R: Float64Array): void {
  for (let i = 0; i < 3; i++) for (let k = 0; k < 3; k++) out[3 * i + k] = R[3 * k + i];
}

const turned = new Float64Array(4);

/** q = from · exp(φ) for one joint, kept at unit length. */
export function turnJoint(
  out: Float64Array,
  o: number,
  from: Float64Array,
  i: number,
  phi: Float64Array,
  p: number,
): void {
  quaternionFromRotation(turned, 0, phi, p);
  multiplyQuaternions(out, o, from, i, turned, 0);
  const s =
    1 / Math.sqrt(out[o] * out[o] + out[o + 1] * out[o + 1] + out[o + 2] * out[o + 2] + out[o + 3] * out[o + 3]);
  for (let k = 0; k < 4; k++) out[o + k] *= s;
}
