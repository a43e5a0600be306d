/** Rejects scenes that the model does not support, before the run, and warns about those in which rounding decides. */

import { SceneError } from '../../errors.ts';
import { hypot } from '../../math/rounded/index.ts';
import type { Coupling, Drive } from '../../model.ts';
import { createPinPose, type Pin, type Rod } from '../../scene/compiled.ts';
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
        'the model helix supports only hold: clamp and hold: position at the end, without axes; use one of them',
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

/** Part of the length by which ends must approach for the rod to count as slack. */
const SLACK = 1e-6;
/** Instants of a run at which pins are checked, besides those of their keys. */
const INSTANTS = 32;

/** Instants of a scene at which its pins may be far apart or close [s]. */
function listInstants({ time, statics, pins }: Scene): number[] {
  const end = Math.max(time?.duration ?? 0, statics?.from ?? 0, statics?.to ?? 0);
  const keys = (pins ?? []).flatMap(({ path }) => path?.keys.map(({ time: t }) => t) ?? []);
  const spread = Array.from({ length: INSTANTS + 1 }, (_, k) => (k * end) / INSTANTS);
  return [...spread, ...keys.filter((t) => t <= end)].sort((a, b) => a - b);
}

/** Throws SceneError if pins at both ends of a rod are farther apart than it is long. Warns if a straight rod is pushed together. */
export function checkEnds(rods: readonly Rod[], drives: readonly Drive[], scene: Scene, warnings: string[]): void {
  const [first, last] = [createPinPose(), createPinPose()];
  rods.forEach((rod, k) => {
    const root = drives[k].pins.find((pin) => pin.node === 0 && pin.holdX);
    const end = drives[k].pins.find((pin) => pin.node === rod.nodeCount - 1);
    if (!root || !end) return;
    const distanceAt = (t: number): number => {
      root.evaluate(first, t);
      end.evaluate(last, t);
      return hypot(...([0, 1, 2].map((x) => last.position[x] - first.position[x]) as [number, number, number]));
    };
    const instants = listInstants(scene);
    const far = instants.find((t) => distanceAt(t) > rod.length * (1 + 1e-9));
    if (far !== undefined)
      throw new SceneError(
        ['pins'],
        `the ends of rod '${rod.id}' are ${distanceAt(far).toPrecision(6)} m apart at t = ${far} s, but it is ${rod.length.toPrecision(6)} m long and the model helix does not stretch; bring them closer, or use model der`,
      );
    const isSlack = (t: number): boolean => distanceAt(t) < rod.length * (1 - SLACK);
    if (!isSlack(0) && instants.some(isSlack))
      warnings.push(
        `rod '${rod.id}' starts straight between its pins, which then approach each other. It does not stretch and has to buckle at once, to a side that may depend on rounding and on the step; start it slightly bent, or use model der`,
      );
  });
}
