/** Momentum of point masses. */
import type { Momentum } from '../model.ts';

/** Adds a mass m [kg] at x[o … o + 2] that moves with v[p … p + 2]. */
export function addPointMomentum(
  out: Momentum,
  m: number,
  { x, o, v, p }: { readonly x: Float64Array; readonly o: number; readonly v: Float64Array; readonly p: number },
): void {
  out.mass += m;
  for (let k = 0; k < 3; k++) {
    const a = (k + 1) % 3;
    const b = (k + 2) % 3;
    out.linear[k] += m * v[p + k];
    out.center[k] += m * x[o + k];
    out.angular[k] += m * (x[o + a] * v[p + b] - x[o + b] * v[p + a]);
  }
}
