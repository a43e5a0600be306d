/** Rejects scenes that the model does not support, and says why, before the run. */

import { SceneError } from '../../errors.ts';
import { square as squareOf } from '../../math/rounded/index.ts';
import type { Drive } from '../../model.ts';
import type { Rod } from '../../scene/compiled.ts';
import type { Scene } from '../../scene/types.ts';
import type { StrandOptions } from './options.ts';
import type { StrandTree } from './rod.ts';

/** Rejects a `tolerance` above 1e-4: the option once meant the error of a step, which is far larger and would end Newton's method too early. */
export function refuseTolerance(tolerance = 0): void {
  if (tolerance > 1e-4)
    throw new SceneError(
      ['solver', 'strand', 'tolerance'],
      `Newton's method would stop at ${tolerance} rad, which is not accurate; give at most 1e-4, or stepError if you mean the error of a step`,
    );
}

/** Throws SceneError for features of a rod and its pins that the model does not support. */
export function refuseRod(rod: Rod, drive: Drive, index: number): void {
  if (rod.closed)
    throw new SceneError(
      ['rods', index, 'closed'],
      `rod '${rod.id}' is closed, which the model strand does not support; use model: der`,
    );
  for (let j = 0; j < rod.edgeCount; j++) {
    let square = 0;
    for (let k = 0; k < 3; k++) square += squareOf(rod.nodePosition[3 * j + 3 + k] - rod.nodePosition[3 * j + k]);
    const stretch = Math.sqrt(square) / rod.edgeLengthRest[j] - 1;
    if (Math.abs(stretch) > 0.02) {
      throw new SceneError(
        ['rods', index, 'natural'],
        `rod '${rod.id}' starts with its edge ${j} stretched by ${(100 * stretch).toPrecision(3)} %, and the model strand does not stretch; give both shapes the same length, or use model: der`,
      );
    }
    if (Math.abs(rod.nodeTwist[j]) > 3) {
      throw new SceneError(
        ['rods', index, 'frame', 'twist'],
        `rod '${rod.id}' is twisted by ${rod.nodeTwist[j].toPrecision(3)} rad at node ${j}, and a joint of the model strand cannot represent twist beyond half a turn; use more edges`,
      );
    }
  }
  const turned = drive.pins.find((pin) => pin.orientation !== 'free' && (pin.node > 0 || rod.parent));
  if (turned) {
    throw new SceneError(
      ['pins'],
      `a pin holds the orientation of rod '${rod.id}' at node ${turned.node}; the model strand holds frames at the start only: use hold: position there, or model: der`,
    );
  }
}

export function checkJoints(scene: Scene): void {
  scene.solver?.strand?.joints?.forEach(({ rod, bend, twist, hold }, k) => {
    const path = ['solver', 'strand', 'joints', k];
    const found = scene.rods.find(({ id }) => id === rod);
    if (!found) throw new SceneError([...path, 'rod'], `unknown rod '${rod}'`);
    if (found.model !== 'strand') throw new SceneError([...path, 'rod'], `rod '${rod}' is not of the model strand`);
    if (bend !== undefined && !(bend > 0 && bend < Math.PI))
      throw new SceneError([...path, 'bend'], `the largest bend is ${bend} rad; it must be between 0 and π`);
    if (twist && !(twist[0] < twist[1]))
      throw new SceneError(
        [...path, 'twist'],
        `the limits ${twist[0]} and ${twist[1]} rad are not in increasing order; give the smaller one first`,
      );
    if (twist && !(twist[0] > -Math.PI && twist[1] < Math.PI))
      throw new SceneError(
        [...path, 'twist'],
        'a joint cannot represent twists beyond half a turn; keep the limits within ±π',
      );
    if (hold && (bend !== undefined || twist))
      throw new SceneError([...path, 'hold'], 'a joint that is held has no use for limits; remove one of the two');
    if (!hold && bend === undefined && !twist)
      throw new SceneError(path, "the entry does nothing; give 'bend', 'twist' or 'hold'");
  });
}

/** Throws SceneError for anisotropic sections with the law `swing-twist`, which has one bending stiffness. */
export function refuseAnisotropy(rods: readonly Rod[], law: StrandOptions['stiffness']): void {
  if (law !== 'swing-twist') return;
  const flat = rods.find(({ halfEI1, halfEI2 }) => halfEI1.some((EI, k) => Math.abs(EI - halfEI2[k]) > 1e-6 * EI));
  if (!flat) return;
  throw new SceneError(
    ['solver', 'strand', 'stiffness'],
    `rod '${flat.id}' bends differently about d1 and d2, and swing-twist is for round sections; use gibbs`,
  );
}

export function refuseTree({ base, rods }: StrandTree): void {
  if (base.pins.some((pin) => !pin.evaluateMotion)) {
    throw new SceneError(
      ['pins'],
      `the base of rod '${rods[0].rod.id}' moves along a path whose velocity jumps; use interpolation: smooth`,
    );
  }
}
