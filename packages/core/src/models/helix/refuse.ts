/** Rejects scenes that the model does not support, before the run. */

import { SceneError } from '../../errors.ts';
import type { Coupling, Drive } from '../../model.ts';
import type { Pin, Rod } from '../../scene/compiled.ts';
import type { Scene } from '../../scene/types.ts';

/** Throws SceneError for features that the model does not support. */
export function refuse(rods: readonly Rod[], drives: readonly Drive[], scene: Scene, coupling: Coupling): void {
  const elements = scene.solver?.helix?.elements;
  const refuseRod = (rod: Rod, path: readonly (string | number)[], words: string): never => {
    throw new SceneError(path, `rod '${rod.id}': ${words}; or use model der`);
  };
  const members = new Map(rods.map((rod, k) => [rod.id, k]));
  const weld = coupling.welds[0];
  if (weld) {
    const place = (scene.welds ?? []).findIndex(({ rod }) => rod === rods[weld.rod].id);
    refuseRod(rods[weld.rod], ['welds', place], 'the model helix has no bodies; remove the weld');
  }
  const refuseEnd = (rod: Rod, pin: Pin, path: readonly (string | number)[]): void => {
    const isWhole = pin.holdX && pin.holdY && pin.holdZ && (pin.orientation === 'free' || pin.orientation === 'frame');
    if (!isWhole)
      refuseRod(
        rod,
        path,
        'the model helix clamps an end or holds its position; use hold: clamp or hold: position, without axes',
      );
    if (scene.solver?.helix?.integrator === 'semi-implicit')
      refuseRod(rod, path, 'the integrator semi-implicit holds a rod at its start alone; use implicit-euler or bdf2');
  };
  const met = new Int32Array(rods.length);
  scene.pins?.forEach((spec, p) => {
    const k = members.get(spec.rod);
    if (k === undefined) return;
    // a rod's pins are in the scene's order
    const pin = drives[k].pins[met[k]++];
    const isEnd = pin.node === rods[k].nodeCount - 1;
    if (pin.node !== 0 && !isEnd)
      refuseRod(rods[k], ['pins', p, 'at'], 'the model helix holds a rod at its start and its end; remove the pin');
    if (isEnd) refuseEnd(rods[k], pin, ['pins', p]);
    if (spec.release !== undefined)
      refuseRod(rods[k], ['pins', p, 'release'], 'the model helix cannot let go of a pin; remove it');
  });
  rods.forEach((rod, k) => {
    const pins = drives[k].pins.filter(({ node }) => node === 0);
    if (drives[k].pins.filter(({ node }) => node === rod.nodeCount - 1).length > 1)
      refuseRod(rod, ['pins'], 'the model helix takes one pin at the end; remove the others');
    const model = (): (string | number)[] => ['rods', scene.rods.findIndex(({ id }) => id === rod.id), 'model'];
    if (rod.closed) refuseRod(rod, model(), 'the model helix has no closed rods; open it');
    if (!pins.some((pin) => pin.holdX && pin.holdY && pin.holdZ) || !pins.some((pin) => pin.orientation === 'frame'))
      refuseRod(rod, model(), `the model helix wants a clamped root; add a pin { rod: ${rod.id}, at: start }`);
    if (elements !== undefined && !(Number.isInteger(elements) && elements >= 1 && elements <= rod.edgeCount))
      throw new SceneError(
        ['solver', 'helix', 'elements'],
        `elements is ${elements}; give a whole number from 1 to ${rod.edgeCount}, the edges of rod '${rod.id}'`,
      );
  });
}
