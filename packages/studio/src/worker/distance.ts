/** Distances between the centrelines of lanes, from the states themselves: frames have single precision. */
import type { World } from '@tendril-sim/core';

/** Places at which centrelines are compared, at equal parts of their length. */
const places = 24;

/** Of each lane from the first that runs [m]: the largest over all rods; undefined for the first itself and for lanes without a run. */
export function distancesOf(worlds: readonly (World | undefined)[]): readonly (number | undefined)[] {
  const reference = worlds.find((world) => world);
  return worlds.map((world) => (world && reference && world !== reference ? distance(reference, world) : undefined));
}

function distance(a: World, b: World): number {
  let most = 0;
  a.samples.forEach(({ nodePosition: x, edgeTangent }, r) => {
    const other = b.samples[r];
    if (!other) return;
    const closed = edgeTangent.length === x.length;
    for (let k = 0; k <= places; k++) {
      let square = 0;
      for (let c = 0; c < 3; c++)
        square += (along(x, k / places, c, closed) - along(other.nodePosition, k / places, c, closed)) ** 2;
      most = Math.max(most, square);
    }
  });
  return Math.sqrt(most);
}

function along(x: Float64Array, u: number, component: number, closed: boolean): number {
  const nodes = x.length / 3;
  const place = u * (closed ? nodes : nodes - 1);
  const i = Math.min((closed ? nodes : nodes - 1) - 1, Math.floor(place));
  const w = place - i;
  return (1 - w) * x[3 * i + component] + w * x[((3 * (i + 1)) % x.length) + component];
}
