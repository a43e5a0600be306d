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
    loads.some((load) => load.type === 'torque' && !isAcross(load, rods))
  );
}

type Load = NonNullable<Scene['loads']>[number];

/** A torque across a straight rod bends it. */
function isAcross(load: Extract<Load, { type: 'torque' }>, rods: Scene['rods']): boolean {
  const shape = rods.find(({ id }) => id === load.rod)?.shape;
  if (shape?.type !== 'straight' || load.frame === 'material') return false;
  const along = shape.to.map((x, k) => Number(x) - Number(shape.from[k]));
  const product = along.reduce((sum, x, k) => sum + x * Number(load.torque[k]), 0);
  return Math.abs(product) <= 1e-9 * Math.hypot(...along) * Math.hypot(...load.torque.map(Number));
}
