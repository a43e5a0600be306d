/** Strains of links at the current positions, and their rates as a function of the side velocities. */
import type { Samples } from '../../port.ts';
import type { Rod } from '../../scene/compiled.ts';
import { createFrame, cross, dot, type EdgeFrame, readFrame, writeDeviation, writeNormal } from './frames.ts';
import type { Link, LinkSet, Links } from './linkData.ts';
import { selectLinks } from './linkSides.ts';
import { MEASURE, runLinkLoop, UNMIXED, UNPLACED } from './loops.ts';

const frameA = createFrame();
const frameB = createFrame();
const normal = new Float64Array(3);
const tangent = new Float64Array(3);
const carried = new Float64Array(3);
const axis = new Float64Array(3);
const lever = new Float64Array(3);
const nothing = new Float64Array(0);

/** Strains at the current samples, C, and the levers of the sides, for some links. */
export function measureLinks(links: Links, set: LinkSet, rods: readonly Rod[], samples: readonly Samples[]): void {
  const { rows, shared, position } = links;
  selectLinks(links, set);
  position.update();
  if (!shared?.run(MEASURE, nothing))
    runLinkLoop(
      MEASURE,
      { rows, arrays: UNPLACED, mix: UNMIXED, position: position.data, numbers: nothing },
      0,
      set.crossings.length,
    );
  for (const link of set.others) measureOne(links, link, rods, samples);
}

/** Measures the strains of one link. */
export function measureOne({ sideArm }: Links, link: Link, rods: readonly Rod[], samples: readonly Samples[]): void {
  const { rodA, rodB, edgeA, edgeB, weightA, weightB } = link.plan;
  if (link.broken[0] === 1) {
    // the edge that it was on may be gone, and with it the frame
    for (const values of [link.strain, link.coefficient, link.impulse]) values.fill(0);
    return;
  }
  readFrame(frameA, samples[rodA], rods[rodA], edgeA, weightA);
  if (rodB >= 0) readFrame(frameB, samples[rodB], rods[rodB], edgeB, weightB);
  measureLink(sideArm, link, frameA, frameB);
}

/** Measures the strains of one link from given frames of its edges. */
export function measureLink(sideArm: Float64Array, link: Link, frameA: EdgeFrame, frameB: EdgeFrame): void {
  const { plan, strain, offsetA, offsetB, perEnd, firstSide, coefficient } = link;
  const { rodB, about } = plan;
  for (let k = 0; k < 3; k++) {
    const a = frameA.point[k] + carriedBy(frameA, offsetA, k);
    strain[k] = a - (rodB >= 0 ? frameB.point[k] + carriedBy(frameB, offsetB, k) : link.point[k]);
  }
  const other = rodB >= 0 ? frameB.matrix : undefined;
  if (about === 'all') {
    writeDeviation(axis, frameA.matrix, other, link.turnRest);
    strain.set(axis, 3);
  } else if (about === 'normal') strain[3] = link.angleRest - writeNormal(normal, frameA.matrix, frameB.matrix);
  coefficient.fill(0);
  writeEnd(link, frameA, offsetA, plan.weightA, 0, 1);
  if (rodB >= 0) writeEnd(link, frameB, offsetB, plan.weightB, perEnd, -1);
  if (perEnd < 3) return;
  for (let k = 0; k < 3; k++) {
    sideArm[3 * (firstSide + 2) + k] = 0.5 * frameA.length * frameA.matrix[3 * k];
    if (rodB >= 0) sideArm[3 * (firstSide + 5) + k] = 0.5 * frameB.length * frameB.matrix[3 * k];
  }
}

/** Component k of R·offset. */
function carriedBy({ matrix: r }: EdgeFrame, offset: Float64Array, k: number): number {
  return r[3 * k] * offset[0] + r[3 * k + 1] * offset[1] + r[3 * k + 2] * offset[2];
}

/** Writes the rows of one end to C, `side` being its first side; the second end counts negative. `normal`: common normal of both. */
function writeEnd(
  link: Link,
  frame: EdgeFrame,
  offset: Float64Array,
  weight: number,
  side: number,
  sign: number,
): void {
  const { rows, perEnd } = link;
  const { matrix: r, length } = frame;
  if (perEnd === 1) {
    for (let k = 0; k < 3; k++) addCoefficient(link, k, side, k, sign);
    return;
  }
  const t = tangent;
  for (let k = 0; k < 3; k++) t[k] = r[3 * k + 2];
  for (let k = 0; k < 3; k++) carried[k] = r[3 * k] * offset[0] + r[3 * k + 1] * offset[1];
  cross(lever, t, carried);
  for (let e = 0; e < 3; e++) {
    addCoefficient(link, e, side, e, sign * (1 - weight));
    addCoefficient(link, e, side + 1, e, sign * weight);
    if (perEnd < 3) continue;
    // the attached point turns with the tangent: δ(R·offset) = along·δt − t (across·δt), δt = (1 − t tᵀ)(δx₁ − δx₀)/l
    for (let k = 0; k < 3; k++) {
      const tilt = (sign * (offset[2] * ((k === e ? 1 : 0) - t[e] * t[k]) - t[e] * carried[k])) / length;
      addCoefficient(link, e, side, k, -tilt);
      addCoefficient(link, e, side + 1, k, tilt);
    }
    addSpin(link, e, side, frame, sign * lever[e]);
  }
  for (let row = 3; row < rows; row++) {
    for (let k = 0; k < 3; k++) axis[k] = rows === 4 ? normal[k] : k === row - 3 ? 1 : 0;
    cross(lever, axis, t);
    for (let k = 0; k < 3; k++) {
      const rate = (sign * lever[k]) / length;
      addCoefficient(link, row, side, k, -rate);
      addCoefficient(link, row, side + 1, k, rate);
    }
    if (perEnd === 3) addSpin(link, row, side, frame, sign * dot(axis, t));
  }
}

function addCoefficient({ coefficient, sideCount }: Link, row: number, side: number, k: number, value: number): void {
  coefficient[3 * (row * sideCount + side) + k] += value;
}

/** value × spin: the third side moves like the first, plus the spin along d1 at half a length. */
function addSpin(link: Link, row: number, side: number, { matrix: r, length }: EdgeFrame, value: number): void {
  for (let k = 0; k < 3; k++) {
    const c = (2 * value * r[3 * k]) / length;
    addCoefficient(link, row, side, k, -c);
    addCoefficient(link, row, side + 2, k, c);
  }
}
