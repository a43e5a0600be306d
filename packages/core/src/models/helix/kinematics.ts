/** From curvatures to space: frames and positions of element ends, nodes and midpoints of edges; velocities; samples. */
import { atan2, cos, sin } from '../../math/rounded/index.ts';
import { createPinPose, type Pin } from '../../scene/compiled.ts';
import { SERIES, writeChord, writeChordSlope, writeGamma, writeSeries } from './gamma.ts';
import { multiply33 } from './matrix3.ts';
import type { HelixBody, HelixChain, HelixRod } from './rod.ts';

const rotation = new Float64Array(9);
const chord = new Float64Array(3);
/** Rotation vector from the start of an element to a point in it. */
const phi = new Float64Array(3);
const angular = new Float64Array(9);
const linear = new Float64Array(9);

/** Makes animated properties of the rod those of time t. */
export function animateHelix(h: HelixRod, t: number): void {
  h.adopt?.(t);
  h.bend?.(t);
}

/** Position and frame of the root at time t, and of the end if a pin holds it. */
export function placeRoot(h: HelixRod, t: number): void {
  animateHelix(h, t);
  const { pinPose, position, frame } = h;
  h.rootTime = t;
  h.place.evaluate(pinPose, t);
  position.set(pinPose.position, 0);
  if (h.clamp !== h.place) h.clamp.evaluate(pinPose, t);
  writeRootFrame(frame, pinPose.tangent, pinPose.director, pinPose.twist);
  if (!h.hold) return;
  const { pin, pinPose: endPose } = h.hold;
  pin.evaluate(endPose, t);
  h.hold.position.set(endPose.position);
  writeRootFrame(h.hold.frame, endPose.tangent, endPose.director, endPose.twist);
}

/** Columns d1, d2, d3 from tangent, director and the angle by which d1 is turned from the director. */
export function writeRootFrame(out: Float64Array, t: Float64Array, d: Float64Array, twist: number): void {
  const c = cos(twist);
  const s = sin(twist);
  const ex = t[1] * d[2] - t[2] * d[1];
  const ey = t[2] * d[0] - t[0] * d[2];
  const ez = t[0] * d[1] - t[1] * d[0];
  out[0] = c * d[0] + s * ex;
  out[3] = c * d[1] + s * ey;
  out[6] = c * d[2] + s * ez;
  out[1] = c * ex - s * d[0];
  out[4] = c * ey - s * d[1];
  out[7] = c * ez - s * d[2];
  out[2] = t[0];
  out[5] = t[1];
  out[8] = t[2];
}

/** Frame and position at u in an element that starts at (frame, position) number e. */
function posePoint(
  h: HelixChain,
  kappa: Float64Array,
  e: number,
  u: number,
  series: Float64Array,
  o: number,
  frameOut: Float64Array,
  frameAt: number,
  positionOut: Float64Array | undefined,
  positionAt: number,
): void {
  const { frame, position } = h;
  for (let k = 0; k < 3; k++) phi[k] = kappa[3 * e + k] * u;
  writeSeries(series, o, phi);
  writeGamma(rotation, 0, phi, series, o);
  multiply33(frameOut, frameAt, frame, 9 * e, rotation, 0);
  if (!positionOut) return;
  writeChord(chord, phi, series, o);
  for (let k = 0; k < 3; k++) {
    positionOut[positionAt + k] =
      position[3 * e + k] +
      u * (frame[9 * e + 3 * k] * chord[0] + frame[9 * e + 3 * k + 1] * chord[1] + frame[9 * e + 3 * k + 2] * chord[2]);
  }
}

/** Poses element ends and nodes with the curvatures `kappa`, from the current root. */
export function poseRod(h: HelixChain, kappa: Float64Array): void {
  const { pose, frame, position, series, elementCount, elementLength, elementNode, nodePosition, nodeFrame } = h;
  if (kappa !== pose) pose.set(kappa);
  for (let e = 0; e < elementCount; e++)
    posePoint(h, pose, e, elementLength[e], series, SERIES * e, frame, 9 * e + 9, position, 3 * e + 3);
  for (let e = 0; e <= elementCount; e++) {
    const i = elementNode[e];
    for (let k = 0; k < 3; k++) nodePosition[3 * i + k] = position[3 * e + k];
    for (let k = 0; k < 9; k++) nodeFrame[9 * i + k] = frame[9 * e + k];
    if (e === elementCount) break;
    for (let j = i + 1; j < elementNode[e + 1]; j++)
      posePoint(h, pose, e, h.nodeOffset[j], h.nodeSeries, SERIES * j, nodeFrame, 9 * j, nodePosition, 3 * j);
  }
}

/** Frames in the middles of edges, for samples and torques. */
export function poseEdges(h: HelixChain): void {
  for (let j = 0; j < h.edgeCount; j++)
    posePoint(h, h.pose, h.edgeElement[j], h.edgeOffset[j], h.edgeSeries, SERIES * j, h.edgeFrame, 9 * j, undefined, 0);
}

/** A = l R Γ₁ and B = l² R D₁ of an element, at 9·e. */
function writeJacobians(h: HelixChain, e: number): void {
  const l = h.elementLength[e];
  writePointJacobians(h, e, l, h.series, 8 * e, h.jacobianAngular, h.jacobianLinear, 9 * e);
}

/** A and B for the point at distance u from the start of element e. */
export function writePointJacobians(
  h: HelixChain,
  e: number,
  u: number,
  series: Float64Array,
  o: number,
  A: Float64Array,
  B: Float64Array,
  at: number,
): void {
  const { pose, frame } = h;
  for (let k = 0; k < 3; k++) phi[k] = pose[3 * e + k] * u;
  writeGamma(rotation, 1, phi, series, o);
  for (let k = 0; k < 9; k++) rotation[k] *= u;
  multiply33(A, at, frame, 9 * e, rotation, 0);
  writeChordSlope(rotation, phi, series, o);
  const uu = u * u;
  for (let k = 0; k < 9; k++) rotation[k] *= uu;
  multiply33(B, at, frame, 9 * e, rotation, 0);
}

export function writeAllJacobians(h: HelixChain): void {
  for (let e = 0; e < h.elementCount; e++) writeJacobians(h, e);
}

/** Angular velocity of the start of the current element. */
const startSpin = new Float64Array(3);

/** Spins of the edges of element e about their tangents. */
function writeEdgeSpins(h: HelixChain, e: number, rate: Float64Array, edgeSpin: Float64Array): void {
  const [a, b, c] = [rate[3 * e], rate[3 * e + 1], rate[3 * e + 2]];
  for (let j = h.elementNode[e]; j < h.elementNode[e + 1]; j++) {
    writePointJacobians(h, e, h.edgeOffset[j], h.edgeSeries, SERIES * j, angular, linear, 0);
    let spin = 0;
    for (let k = 0; k < 3; k++)
      spin +=
        h.edgeFrame[9 * j + 3 * k + 2] *
        (startSpin[k] + angular[3 * k] * a + angular[3 * k + 1] * b + angular[3 * k + 2] * c);
    edgeSpin[j] = spin;
  }
}

/**
 * Velocities of the pose if the root moves with `rootRate` and the curvatures change at `rate`: nodes, their spin (world axes), and the spin of edges
 * about their tangents, each if its array is given. Needs the Jacobians; edges need their pose.
 */
export function writeVelocities(
  h: HelixChain,
  rate: Float64Array,
  rootRate: Float64Array,
  nodeVelocity: Float64Array | undefined,
  nodeSpin: Float64Array | undefined,
  edgeSpin: Float64Array | undefined,
): void {
  const { elementCount, elementNode, position, nodePosition, jacobianAngular: A, jacobianLinear: B } = h;
  let [vx, vy, vz, wx, wy, wz] = rootRate;
  if (nodeVelocity) nodeVelocity.set(rootRate.subarray(0, 3), 0);
  if (nodeSpin) nodeSpin.set(rootRate.subarray(3, 6), 0);
  for (let e = 0; e < elementCount; e++) {
    const a = rate[3 * e];
    const b = rate[3 * e + 1];
    const c = rate[3 * e + 2];
    const px = position[3 * e];
    const py = position[3 * e + 1];
    const pz = position[3 * e + 2];
    for (let i = elementNode[e] + 1; i < elementNode[e + 1] && (nodeVelocity || nodeSpin); i++) {
      writePointJacobians(h, e, h.nodeOffset[i], h.nodeSeries, SERIES * i, angular, linear, 0);
      const dx = nodePosition[3 * i] - px;
      const dy = nodePosition[3 * i + 1] - py;
      const dz = nodePosition[3 * i + 2] - pz;
      if (nodeVelocity) {
        nodeVelocity[3 * i] = vx + wy * dz - wz * dy + linear[0] * a + linear[1] * b + linear[2] * c;
        nodeVelocity[3 * i + 1] = vy + wz * dx - wx * dz + linear[3] * a + linear[4] * b + linear[5] * c;
        nodeVelocity[3 * i + 2] = vz + wx * dy - wy * dx + linear[6] * a + linear[7] * b + linear[8] * c;
      }
      if (nodeSpin) {
        nodeSpin[3 * i] = wx + angular[0] * a + angular[1] * b + angular[2] * c;
        nodeSpin[3 * i + 1] = wy + angular[3] * a + angular[4] * b + angular[5] * c;
        nodeSpin[3 * i + 2] = wz + angular[6] * a + angular[7] * b + angular[8] * c;
      }
    }
    if (edgeSpin) {
      writeVector(startSpin, 0, wx, wy, wz);
      writeEdgeSpins(h, e, rate, edgeSpin);
    }
    const dx = position[3 * e + 3] - px;
    const dy = position[3 * e + 4] - py;
    const dz = position[3 * e + 5] - pz;
    const o = 9 * e;
    vx += wy * dz - wz * dy + B[o] * a + B[o + 1] * b + B[o + 2] * c;
    vy += wz * dx - wx * dz + B[o + 3] * a + B[o + 4] * b + B[o + 5] * c;
    vz += wx * dy - wy * dx + B[o + 6] * a + B[o + 7] * b + B[o + 8] * c;
    wx += A[o] * a + A[o + 1] * b + A[o + 2] * c;
    wy += A[o + 3] * a + A[o + 4] * b + A[o + 5] * c;
    wz += A[o + 6] * a + A[o + 7] * b + A[o + 8] * c;
    const i = elementNode[e + 1];
    if (nodeVelocity) writeVector(nodeVelocity, i, vx, vy, vz);
    if (nodeSpin) writeVector(nodeSpin, i, wx, wy, wz);
  }
}

function writeVector(out: Float64Array, i: number, x: number, y: number, z: number): void {
  out[3 * i] = x;
  out[3 * i + 1] = y;
  out[3 * i + 2] = z;
}

/** Positions, tangents and directors of the current pose into the samples. */
export function writeSampleShape(h: HelixBody): void {
  const { samples, edgeFrame, edgeCount } = h;
  samples.nodePosition.set(h.nodePosition);
  poseEdges(h);
  for (let j = 0; j < edgeCount; j++) {
    for (let k = 0; k < 3; k++) {
      samples.edgeTangent[3 * j + k] = edgeFrame[9 * j + 3 * k + 2];
      samples.edgeDirector[3 * j + k] = edgeFrame[9 * j + 3 * k];
    }
  }
}

/** All samples of the stored state; the root must be placed. */
export function poseSamples(h: HelixRod): void {
  poseRod(h, h.q);
  writeAllJacobians(h);
  writeSampleShape(h);
  h.samples.nodeVelocity.set(h.nodeVelocity);
  writeVelocities(h, h.v, h.rootRate, undefined, undefined, h.samples.edgeSpin);
}

const poseA = createPinPose();
const poseB = createPinPose();
const frameA = new Float64Array(9);
const frameB = new Float64Array(9);

/** Velocity and spin of the root on average over [t, t + dt], as a moving clamp makes it. */
export function measureRootRate(out: Float64Array, h: HelixRod, t: number, dt: number): void {
  measurePinRate(out, h.place, h.clamp, t, dt);
}

/** Velocity and spin, on average over [t, t + dt], that the pins of a position and of a frame prescribe. */
export function measurePinRate(out: Float64Array, place: Pin, clamp: Pin, t: number, dt: number): void {
  place.evaluate(poseA, t);
  place.evaluate(poseB, t + dt);
  for (let k = 0; k < 3; k++) out[k] = (poseB.position[k] - poseA.position[k]) / dt;
  if (clamp !== place) {
    clamp.evaluate(poseA, t);
    clamp.evaluate(poseB, t + dt);
  }
  writeRootFrame(frameA, poseA.tangent, poseA.director, poseA.twist);
  writeRootFrame(frameB, poseB.tangent, poseB.director, poseB.twist);
  writeTurn(out, 3, frameA, frameB, 1 / dt);
}

/** Rotation vector (world axes) from frame a to frame b, times a factor: the shorter way round. */
export function writeTurn(out: Float64Array, o: number, a: Float64Array, b: Float64Array, factor: number): void {
  // Σ a_k × b_k = 2 sin θ · axis, Σ a_k·b_k = 1 + 2 cos θ
  let x = 0;
  let y = 0;
  let z = 0;
  let trace = 0;
  for (let k = 0; k < 3; k++) {
    x += a[3 + k] * b[6 + k] - a[6 + k] * b[3 + k];
    y += a[6 + k] * b[k] - a[k] * b[6 + k];
    z += a[k] * b[3 + k] - a[3 + k] * b[k];
    trace += a[k] * b[k] + a[3 + k] * b[3 + k] + a[6 + k] * b[6 + k];
  }
  const sine = 0.5 * Math.sqrt(x * x + y * y + z * z);
  const angle = atan2(sine, (trace - 1) / 2);
  const scale = factor * (sine > 1e-9 ? (0.5 * angle) / sine : 0.5);
  out[o] = scale * x;
  out[o + 1] = scale * y;
  out[o + 2] = scale * z;
}
