/**
 * A stage of one strand: guess, Newton iterations of one backward and one forward sweep, velocities. kernels/wgsl.ts translates this
 * file as it does formulas.ts. The functions of strand.ts hide where a strand's numbers are stored; each target has its own version of them.
 */
import { respondAir } from './air.ts';
import {
  add,
  addMatrices,
  apply,
  cross,
  dot,
  type Matrix,
  type Quaternion,
  scale,
  scaleMatrix,
  subtract,
  type Vector,
} from './algebra.ts';
import {
  addNode,
  type Beyond,
  compose,
  conjugate,
  diagonal,
  eliminateEdge,
  exponential,
  fromVectorPart,
  invertSymmetric,
  type JointResponse,
  jointHessian,
  jointMoment,
  jointStiffness,
  jointTorque,
  jointTurn,
  normalize,
  nothingBeyond,
  rotationChange,
  rotationVector,
  tangentOf,
  toVectorPart,
  turnJoint,
  zeroVector,
} from './formulas.ts';
import {
  DISPLACEMENT,
  RATE,
  RELATIVE,
  STRAIN,
  STRAIN_RATE,
  STRAIN_TARGET,
  type Stage,
  TARGET,
  VELOCITY,
} from './layout.ts';
import { addPoint, passPoint } from './points.ts';
import {
  edgeCountOf,
  edgeTorqueOf,
  frameOfRoot,
  frameOfRootBefore,
  hasAir,
  hasFreeRoot,
  type Index,
  isLoaded,
  isViscous,
  keepElimination,
  lengthOf,
  loadCountOf,
  loadOf,
  massDampingOf,
  massOf,
  nodeDragOf,
  nodeForceOf,
  readGain,
  readState,
  restStrainOf,
  rootDisplacementOf,
  type Strand,
  softnessOf,
  stiffnessOf,
  usesExactHessian,
  viscosityOf,
  writeGain,
  writeState,
} from './strand.ts';

/** Largest rotation of an edge in the first guess [rad], and of a joint in one iteration. */
const GUESS_LIMIT = 0.5;
const TURN_LIMIT = 0.25;

/** Result of an iteration: the frame of the last edge, the square of the largest rotation of an edge [rad²], and the compliance of the root. */
export interface Progress {
  readonly tip: Quaternion;
  readonly largest: number;
  /** Compliance of a free root [m/N]; zero if it is held. */
  readonly root: Matrix;
}

/** Stores the strain of joint j for stiffness damping; call before the root turns. */
function keepStrain(s: Strand, stage: Stage, j: Index, relative: Vector): void {
  const u = rotationVector(relative);
  const change = subtract(u, readState(s, j, STRAIN));
  const target = add(scale(stage.rateDisplacement, change), scale(stage.rateVelocity, readState(s, j, STRAIN_RATE)));
  writeState(s, j, STRAIN_TARGET, target);
  if (stage.continues === 0) {
    writeState(s, j, STRAIN, u);
  }
}

/** Rotation of an edge whose ends move by `apart` relative to each other, limited to GUESS_LIMIT. */
function guessTurn(edge: Vector, apart: Vector): Vector {
  const turn = scale(1 / dot(edge, edge), cross(edge, apart));
  const size2 = dot(turn, turn);
  return size2 > GUESS_LIMIT * GUESS_LIMIT ? scale(GUESS_LIMIT / Math.sqrt(size2), turn) : turn;
}

/** Sets targets, moves the root to its pose at the end of the stage, and turns every edge as the free flight of its ends suggests. */
export function beginStage(s: Strand, stage: Stage): Quaternion {
  const root = frameOfRoot(s);
  let q: Quaternion = root;
  let before: Quaternion = exponential(zeroVector());
  let rootMove: Vector = zeroVector();
  let turned: Vector = zeroVector();
  let wantedBefore: Vector = zeroVector();
  for (let i = 0; i <= edgeCountOf(s); i++) {
    const d = readState(s, i, DISPLACEMENT);
    const v = readState(s, i, VELOCITY);
    let target: Vector = add(
      add(scale(stage.targetDisplacement, d), scale(stage.targetVelocity, v)),
      scale(stage.targetTarget, readState(s, i, TARGET)),
    );
    if (stage.targetRate !== 0) {
      target = add(target, scale(stage.targetRate, readState(s, i, RATE)));
    }
    const start = scale(stage.continues, d);
    const expected = add(target, scale(stage.guessRate, readState(s, i, RATE)));
    writeState(s, i, TARGET, target);
    writeState(s, i, RATE, add(scale(stage.rateDisplacement, d), scale(stage.rateVelocity, v)));
    let wanted: Vector = subtract(expected, start);
    if (i === 0) {
      if (!hasFreeRoot(s)) {
        wanted = subtract(rootDisplacementOf(s), start);
      }
      rootMove = wanted;
    } else {
      let relative: Vector = readState(s, i - 1, RELATIVE);
      if (isViscous(s)) {
        keepStrain(s, stage, i - 1, relative);
      }
      if (i === 1) {
        relative = toVectorPart(compose(compose(conjugate(root), frameOfRootBefore(s)), fromVectorPart(relative)));
      }
      const frameBefore = q;
      q = normalize(compose(q, fromVectorPart(relative)));
      const edge = scale(lengthOf(s, i - 1), tangentOf(q));
      const after = exponential(guessTurn(edge, subtract(wanted, wantedBefore)));
      writeState(s, i - 1, RELATIVE, turnJoint(frameBefore, before, after, relative));
      turned = add(turned, rotationChange(after, edge));
      before = after;
    }
    writeState(s, i, DISPLACEMENT, add(start, add(rootMove, turned)));
    wantedBefore = wanted;
  }
  return compose(before, q);
}

/** Torque and stiffness of joint j on the edge with frame q. */
function respondJoint(s: Strand, stage: Stage, j: Index, q: Quaternion, exact: boolean): JointResponse {
  const k = stiffnessOf(s, j);
  const u = rotationVector(readState(s, j, RELATIVE));
  const viscosity = stage.rate * viscosityOf(s, j);
  let change: Vector = zeroVector();
  if (isViscous(s)) {
    change = subtract(subtract(u, readState(s, j, STRAIN)), readState(s, j, STRAIN_TARGET));
  }
  const moment = jointMoment(k, subtract(u, restStrainOf(s, j)), viscosity, change);
  const stiff = scale(1 + viscosity, k);
  let stiffness: Matrix = jointStiffness(q, u, stiff);
  if (exact) {
    stiffness = jointHessian(q, u, stiff, moment);
  }
  return {
    torque: jointTorque(q, u, moment),
    stiffness: addMatrices(stiffness, diagonal(softnessOf(s, j))),
    exact,
  };
}

/** Inertia, damping and loads of node i added to what is beyond it. */
function respondNode(s: Strand, stage: Stage, i: Index, beyond: Beyond): Beyond {
  const m = massOf(s, i);
  const d = readState(s, i, DISPLACEMENT);
  const damping = m * massDampingOf(s, i) * stage.rate;
  const inertia = m * stage.inertia;
  let residual: Vector = scale(inertia, subtract(d, readState(s, i, TARGET)));
  if (damping !== 0) {
    residual = add(residual, scale(damping, subtract(d, readState(s, i, RATE))));
  }
  const stiffness = addMatrices(diagonal(inertia + damping), scaleMatrix(stage.rate, nodeDragOf(s, i)));
  return addNode(beyond, subtract(residual, nodeForceOf(s, i)), stiffness);
}

/** Backward sweep: eliminates edge after edge from the tip, and stores the gain of each joint. `exact`: with the exact Hessian of joints. */
export function eliminateStrand(s: Strand, stage: Stage, tip: Quaternion, exact: boolean): Beyond {
  let q: Quaternion = normalize(tip);
  let beyond: Beyond = respondNode(s, stage, edgeCountOf(s), nothingBeyond());
  for (let k = 1; k <= edgeCountOf(s); k++) {
    const j = edgeCountOf(s) - k;
    const length = lengthOf(s, j);
    const relative = readState(s, j, RELATIVE);
    const edge = scale(length, tangentOf(q));
    const joint = respondJoint(s, stage, j, q, exact);
    if (hasAir(s)) {
      beyond = respondAir(s, stage, j + 1, j, tangentOf(q), beyond);
    }
    const loads = loadCountOf(s, j);
    for (let c = 0; c < loads; c++) {
      if (isLoaded(s, j, c)) {
        beyond = addPoint(beyond, edge, loadOf(s, j, c));
      }
    }
    const step = eliminateEdge(beyond, edge, joint, edgeTorqueOf(s, j));
    writeGain(s, j, step.gain, length);
    keepElimination(s, j, step, edge);
    beyond = step.beyond;
    for (let c = 0; c < loads; c++) {
      if (isLoaded(s, j, c)) {
        beyond = passPoint(beyond, loadOf(s, j, c));
      }
    }
    beyond = respondNode(s, stage, j, beyond);
    if (hasAir(s)) {
      beyond = respondAir(s, stage, j, j, tangentOf(q), beyond);
    }
    q = compose(q, conjugate(fromVectorPart(relative)));
  }
  return beyond;
}

/** Forward sweep: turns the edges from the root to the tip and sums displacements. `rootMove`: of a free root; `root` is passed on. */
export function turnStrand(s: Strand, rootMove: Vector, root: Matrix): Progress {
  let q: Quaternion = frameOfRoot(s);
  let before: Quaternion = exponential(zeroVector());
  let turn: Vector = zeroVector();
  let y: Vector = rootMove;
  let moved: Vector = rootMove;
  let largest = 0;
  writeState(s, 0, DISPLACEMENT, add(readState(s, 0, DISPLACEMENT), rootMove));
  for (let j = 0; j < edgeCountOf(s); j++) {
    const relative = readState(s, j, RELATIVE);
    const frameBefore = q;
    q = normalize(compose(q, fromVectorPart(relative)));
    const length = lengthOf(s, j);
    const edge = scale(length, tangentOf(q));
    turn = add(turn, jointTurn(readGain(s, j, length), y, turn, TURN_LIMIT));
    y = add(y, cross(turn, edge));
    const after = exponential(turn);
    writeState(s, j, RELATIVE, turnJoint(frameBefore, before, after, relative));
    moved = add(moved, rotationChange(after, edge));
    writeState(s, j + 1, DISPLACEMENT, add(readState(s, j + 1, DISPLACEMENT), moved));
    before = after;
    largest = Math.max(largest, dot(turn, turn));
  }
  return { tip: compose(before, q), largest, root };
}

/** One Newton iteration, with the exact Hessian of joints if that is requested and positive. */
export function iterateStage(s: Strand, stage: Stage, tip: Quaternion): Progress {
  let beyond: Beyond = eliminateStrand(s, stage, tip, usesExactHessian(s));
  if (!beyond.definite) {
    beyond = eliminateStrand(s, stage, tip, false);
  }
  let root: Matrix = diagonal(0);
  if (hasFreeRoot(s)) {
    root = invertSymmetric(beyond.yy);
  }
  return turnStrand(s, scale(-1, apply(root, beyond.y)), root);
}

/** Frame of the last edge. */
export function frameOfTip(s: Strand): Quaternion {
  let q: Quaternion = frameOfRoot(s);
  for (let j = 0; j < edgeCountOf(s); j++) {
    q = normalize(compose(q, fromVectorPart(readState(s, j, RELATIVE))));
  }
  return q;
}

/** Computes velocities at the end of a step, and the history for the next one. */
export function finishStep(s: Strand, stage: Stage): void {
  for (let i = 0; i <= edgeCountOf(s); i++) {
    const d = readState(s, i, DISPLACEMENT);
    const v = readState(s, i, VELOCITY);
    const acceleration = scale(stage.inertia, subtract(d, readState(s, i, TARGET)));
    if (stage.keeps === 1) {
      writeState(s, i, TARGET, v);
    }
    if (stage.keeps === 2) {
      writeState(s, i, TARGET, acceleration);
    }
    writeState(s, i, VELOCITY, scale(stage.rate, subtract(d, readState(s, i, RATE))));
    writeState(s, i, RATE, acceleration);
    if (isViscous(s) && i < edgeCountOf(s)) {
      const change = subtract(rotationVector(readState(s, i, RELATIVE)), readState(s, i, STRAIN));
      writeState(s, i, STRAIN_RATE, scale(stage.rate, subtract(change, readState(s, i, STRAIN_TARGET))));
    }
  }
}
