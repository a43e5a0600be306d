/** The quantity by which the rods of a scene are coloured until the visitor chooses another. */
import type { Scene } from '@tendril-sim/core';
import type { FirstColor } from '../protocol.ts';

/** Colours that the scene gives its rods; else what the case chooses; else twist if something twists rods, and curvature if nothing does. */
export function coloringOf(scene: Scene, chosen?: FirstColor): FirstColor {
  if (scene.rods.some(({ color }) => color)) return 'plain';
  return chosen ?? (isTwisted(scene) ? 'twist' : 'curvature');
}

function isTwisted({ rods, pins = [], loads = [] }: Scene): boolean {
  return (
    rods.some(({ frame }) => frame?.twist !== undefined && frame.twist !== 0) ||
    pins.some(({ path }) => path?.keys.some(({ twist = 0 }) => twist !== 0)) ||
    loads.some(({ type }) => type === 'torque')
  );
}
