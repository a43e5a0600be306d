/**
 * Bodies on strands.
 *
 * A body is replaced by four equal point masses with its mass, centre and inertia, at the corners of a tetrahedron along its principal axes. Each sits at
 * the tip of a body link: a massless link of the tree. The first link grows from the welded node, the others from the tip of the first, by rigid joints. So
 * sweeps over links, statics, steps and contact include bodies without terms of their own. The first joint has the stiffness of the rod's last half edge,
 * as the clamp at the base has that of the first, or turns freely for a ball joint.
 *
 * Input: bodies and welds of the scene. Output: body links as parts of the tree (`addBodyLinks`), and poses of the bodies from those of their links (`poseBodies`).
 */
import { rotate } from '../../bodies/body.ts';
import { SceneError } from '../../errors.ts';
import { eigenSymmetric } from '../../linalg/jacobi.ts';
import { hypotOf } from '../../math/rounded/index.ts';
import type { Coupling } from '../../model.ts';
import type { LoadSource } from '../../port.ts';
import type { CompiledBody, Weld } from '../../scene/bodies.ts';
import type { Rod } from '../../scene/compiled.ts';
import type { Scene } from '../../scene/types.ts';
import { BALL, type BodyJoint, type BodyLink, type CarriedBody, ELASTIC, RIGID } from './bodyLinkTypes.ts';
import { writeFrame, writeQuaternion } from './frames.ts';
import type { StrandTree, TreeRod } from './rod.ts';
import { multiply3, turn, turnBack } from './spatial.ts';

interface Point {
  readonly position: readonly number[];
  mass: number;
}

/** Four point masses with the mass, centre and inertia of a body as it is laid; fewer where they coincide. */
function pointsOf({ body, pose }: CompiledBody): Point[] {
  const { values, vectors } = eigenSymmetric(body.inertia, 3);
  const half = 0.5 * (values[0] + values[1] + values[2]);
  // half distance of the corners along each principal axis
  const reach = [0, 1, 2].map((k) => Math.sqrt(Math.max(0, half - values[k]) / body.mass));
  const size = hypotOf(reach);
  const points: Point[] = [];
  const local = new Float64Array(3);
  const global = new Float64Array(3);
  for (const signs of [
    [1, 1, 1],
    [1, -1, -1],
    [-1, 1, -1],
    [-1, -1, 1],
  ]) {
    for (let i = 0; i < 3; i++) {
      local[i] = 0;
      for (let k = 0; k < 3; k++) local[i] += signs[k] * reach[k] * vectors[3 * i + k];
    }
    rotate(global, 0, pose.rotation, local, 0);
    const position = [0, 1, 2].map((k) => pose.position[k] + global[k]);
    const same = points.find((other) => distance(other.position, position) < 1e-9 * size);
    if (same) same.mass += body.mass / 4;
    else points.push({ position, mass: body.mass / 4 });
  }
  return points;
}

const distance = (a: ArrayLike<number>, b: ArrayLike<number>): number => hypotOf([0, 1, 2].map((k) => a[k] - b[k]));

/** A rod of one massless edge with a point mass at its end. `speed`: angular velocity at the start. */
function createLinkRod(id: string, from: readonly number[], to: Point, speed: ArrayLike<number>): Rod {
  const length = distance(from, to.position);
  const t = [0, 1, 2].map((k) => (to.position[k] - from[k]) / length);
  const thin = t.map(Math.abs).indexOf(Math.min(...t.map(Math.abs)));
  const across = [0, 1, 2].map((k) => (k === thin ? 1 : 0) - t[thin] * t[k]);
  const d = across.map((x) => x / hypotOf(across));
  const arm = t.map((x) => x * length);
  const v = [0, 1, 2].map((k) => speed[(k + 1) % 3] * arm[(k + 2) % 3] - speed[(k + 2) % 3] * arm[(k + 1) % 3]);
  const zeros = (count: number): Float64Array => new Float64Array(count);
  return {
    id,
    model: 'strand',
    closed: false,
    inextensible: true,
    nodeCount: 2,
    edgeCount: 1,
    length,
    nodePosition: Float64Array.from([...from, ...to.position]),
    nodeVelocity: Float64Array.from([0, 0, 0, ...v]),
    edgeSpin: Float64Array.of(speed[0] * t[0] + speed[1] * t[1] + speed[2] * t[2]),
    edgeDirector: Float64Array.from(d),
    nodeTwist: zeros(2),
    nodeTangent: Float64Array.from([...t, ...t]),
    nodeDirector: Float64Array.from([...d, ...d]),
    nodeArc: Float64Array.of(0, length),
    edgeLengthRest: Float64Array.of(length),
    edgeEA: Float64Array.of(Number.POSITIVE_INFINITY),
    edgeInertia: zeros(1),
    edgeRadius: zeros(1),
    nodeMass: Float64Array.of(0, to.mass),
    nodeDamping: zeros(2),
    halfEI1: Float64Array.of(1, 1),
    halfEI2: Float64Array.of(1, 1),
    halfGJ: Float64Array.of(1, 1),
    halfDamping: zeros(2),
    halfStrainRest: zeros(6),
  };
}

/** The joint of a body that is clamped to the end of `rod`; `link`: its first link. */
function createBodyJoint(rod: Rod, link: Rod): BodyJoint {
  const ofNode = new Float64Array(9);
  const ofLink = new Float64Array(9);
  writeFrame(ofNode, 0, rod.nodeTangent, 3 * rod.edgeCount, rod.nodeDirector, 3 * rod.edgeCount);
  writeFrame(ofLink, 0, link.nodeTangent, 0, link.nodeDirector, 0);
  const between = new Float64Array(9);
  for (let i = 0; i < 3; i++)
    for (let k = 0; k < 3; k++) for (let r = 0; r < 3; r++) between[3 * i + k] += ofLink[3 * r + i] * ofNode[3 * r + k];
  const after = new Float64Array(4);
  writeQuaternion(after, 0, between, 0);
  return { rod, after };
}

/** The share of a body's loads that acts on one of its points; the first link also takes the torque. */
function createBodyLoad({ body }: CompiledBody, share: number, takesTorque: boolean): LoadSource {
  const load = new Float64Array(6);
  return {
    dependsOnState: false,
    addLoads({ nodeForce, edgeTorque }, _samples, t) {
      body.load(load, t);
      for (let k = 0; k < 3; k++) nodeForce[3 + k] += share * load[k];
      for (let k = 0; takesTorque && k < 3; k++) edgeTorque[k] += load[3 + k];
    },
    potential({ nodePosition: x }, t) {
      body.load(load, t);
      return -share * (load[0] * x[3] + load[1] * x[4] + load[2] * x[5]);
    },
  };
}

/** Adds the links of all bodies to the groups of rods that become trees. Throws SceneError for welds that trees cannot have. */
export function addBodyLinks(
  groups: readonly TreeRod[][],
  rods: readonly Rod[],
  { bodies, welds }: Coupling,
  scene: Scene,
): void {
  const welded = new Set(welds.map(({ body }) => body));
  let index = rods.length;
  for (const b of welded) {
    const own = welds.filter(({ body }) => body === b);
    const compiled = bodies[b];
    refuseBody(compiled, own, rods, scene);
    const [weld] = own;
    const group = groups.find((parts) => parts.some((part) => part.index === weld.rod)) as TreeRod[];
    const { node, orientation } = weld.pin;
    const isBall = orientation === 'free';
    const from = [...rods[weld.rod].nodePosition.subarray(3 * node, 3 * node + 3)];
    // the farthest point first: the others grow from it, so every link has a length
    const points = pointsOf(compiled).sort((a, c) => distance(c.position, from) - distance(a.position, from));
    const speed = compiled.pose.angularVelocity;
    const still = [0, 0, 0];
    const first = group.length;
    points.forEach((point, k) => {
      const rod = createLinkRod(compiled.body.id, k === 0 ? from : points[0].position, point, isBall ? speed : still);
      const source = createBodyLoad(compiled, point.mass / compiled.body.mass, k === 0);
      const parent =
        k === 0 ? { part: group.findIndex((part) => part.index === weld.rod), node } : { part: first, node: 1 };
      const own = rods[weld.rod];
      const isClamped = k === 0 && !isBall;
      const bodyLink: BodyLink = {
        lock: k > 0 ? RIGID : isBall ? BALL : ELASTIC,
        node,
        ...(isClamped && { joint: createBodyJoint(own, rod) }),
        ...(k === 0 && { body: compiled }),
      };
      const grown = isClamped && own.naturalFromEquilibrium ? { ...rod, naturalFromEquilibrium: true } : rod;
      group.push({ rod: grown, index: index++, drive: { pins: [], sources: [source] }, parent, bodyLink });
    });
  }
}

/** Refuses an initial velocity that parts the body from its rod, which the links of a tree cannot express. */
function refuseVelocity({ pose }: CompiledBody, { pin }: Weld, rod: Rod, refuse: (message: string) => never): void {
  const { velocity, angularVelocity: w } = pose;
  if (hypotOf([...velocity, ...w]) === 0) return;
  if (pin.orientation !== 'free')
    refuse('starts with the velocity of its rod; give the rod a velocity instead, or use model: der');
  const arm = [0, 1, 2].map((k) => rod.nodePosition[3 * pin.node + k] - pose.position[k]);
  const fitting = [0, 1, 2].map((k) => {
    const [a, b] = [(k + 1) % 3, (k + 2) % 3];
    return rod.nodeVelocity[3 * pin.node + k] - (w[a] * arm[b] - w[b] * arm[a]);
  });
  const gap = distance(velocity, fitting);
  const list = fitting.map((v) => Number(v.toPrecision(8))).join(', ');
  if (gap > 1e-6 * (hypotOf([...velocity]) + hypotOf(fitting)))
    refuse(
      `starts with a velocity that parts it from its rod, by ${gap.toPrecision(3)} m/s; set velocity.linear to [${list}], so that its centre turns about the joint, or use model: der`,
    );
}

function refuseBody(compiled: CompiledBody, welds: readonly Weld[], rods: readonly Rod[], scene: Scene): void {
  const { body } = compiled;
  const place = ['bodies', (scene.bodies ?? []).findIndex(({ id }) => id === body.id)];
  const [{ pin, rod, arm }] = welds;
  const refuse = (message: string, path: readonly (string | number)[] = place): never => {
    throw new SceneError(path, message);
  };
  const name = `body '${body.id}' on rod '${rods[rod].id}' of the model strand`;
  if (body.mass === 0) refuse(`${name} is a junction; give it a mass, or join the rods by 'parent'`);
  if (welds.length > 1)
    refuse(
      `${name} is welded to ${welds.length} places, and a tree of strands has no loops; keep one weld, or use model: der`,
    );
  if (pin.node === 0)
    refuse(`${name} is welded to its start, which is the base; weld it to a later node, or use model: der`);
  if (pin.orientation === 'hinge' || pin.orientation === 'tangent')
    refuse(`${name} hangs on a hinge; use hold: clamp or position, or model: der`);
  if (pin.node < rods[rod].edgeCount && pin.orientation !== 'free')
    refuse(
      `${name} is clamped at node ${pin.node}, and bodies can be clamped only at the end of a rod; use hold: position there, or model: der`,
    );
  if (body.free.includes(0)) refuse(`${name} is free along some axes only; remove 'free', or use model: der`);
  refuseVelocity(compiled, welds[0], rods[rod], (message) => refuse(`${name} ${message}`, [...place, 'velocity']));
  if (hypotOf(arm) === 0 && !(hypotOf(body.inertia) > 0)) refuse(`${name} needs an inertia`);
  if (scene.engine) refuse(`${name} cannot be moved by an engine; remove 'engine', or use model: der`, ['engine']);
  const rider =
    scene.colliders?.findIndex((collider) => collider.body === body.id && collider.rods?.length !== 0) ?? -1;
  if (rider >= 0)
    refuse(
      `the collider rides on ${name}, which feels no contact; add rods: [] if it is for pictures alone, or use model: der`,
      ['colliders', rider, 'body'],
    );
}

/** Bodies in the axes of their links; the tree must be posed as the scene lays it. */
export function carryBodies(tree: StrandTree, parts: readonly TreeRod[]): CarriedBody[] {
  return parts.flatMap(({ bodyLink, parent }, k): CarriedBody[] => {
    if (!bodyLink?.body || !parent) return [];
    const { body, pose } = bodyLink.body;
    const link = tree.rods[k].firstLink;
    const { position, rotation } = bodyLink.body.pose;
    const center = new Float64Array(3);
    const offset = Float64Array.from(position, (x, i) => x - tree.origin[3 * link + i]);
    turnBack(center, 0, tree.world, 9 * link, offset, 0);
    const axes = new Float64Array(9);
    const column = new Float64Array(3);
    for (let c = 0; c < 3; c++) {
      for (let r = 0; r < 3; r++) offset[r] = rotation[3 * r + c];
      turnBack(column, 0, tree.world, 9 * link, offset, 0);
      for (let r = 0; r < 3; r++) axes[3 * r + c] = column[r];
    }
    return [{ id: body.id, pose, part: parent.part, node: parent.node, link, center, axes }];
  });
}

const local = new Float64Array(3);

/** Poses and velocities of the bodies from those of the links. */
export function poseBodies({ bodies, world, origin, trueMotion: m, base }: StrandTree): void {
  for (const { pose, link, center: c, axes } of bodies) {
    turn(pose.position, 0, world, 9 * link, c, 0);
    for (let k = 0; k < 3; k++) pose.position[k] += origin[3 * link + k];
    multiply3(pose.rotation, 0, world, 9 * link, axes, 0);
    writeQuaternion(pose.orientation, 0, pose.rotation, 0);
    const s = 6 * link;
    turn(pose.angularVelocity, 0, world, 9 * link, m, s);
    local[0] = m[s + 3] + m[s + 1] * c[2] - m[s + 2] * c[1];
    local[1] = m[s + 4] + m[s + 2] * c[0] - m[s] * c[2];
    local[2] = m[s + 5] + m[s] * c[1] - m[s + 1] * c[0];
    turn(pose.velocity, 0, world, 9 * link, local, 0);
    for (let k = 0; k < 3; k++) pose.velocity[k] += base.drift[k];
  }
}
