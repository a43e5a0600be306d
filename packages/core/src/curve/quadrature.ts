/**
 * Arc length of a parametrised curve, and its inverse from arc length to parameter.
 *
 * Ten-point Gauss panels are halved until they agree with their two halves to 1e-13 of the length. A uniform fine rule
 * is not enough, because the speed of a parametrisation may vary widely along the curve.
 */

/** Gauss–Legendre, ten points on [−1, 1]: positive abscissae and weights. */
const abscissae = [0.14887433898163122, 0.4333953941292472, 0.6794095682990244, 0.8650633666889845, 0.9739065285171717];
const weights = [
  0.29552422471475287, 0.26926671930999635, 0.21908636251598204, 0.1494513491505806, 0.06667134430868814,
];

export function integrate(f: (x: number) => number, a: number, b: number): number {
  const center = (a + b) / 2;
  const half = (b - a) / 2;
  let sum = 0;
  for (let k = 0; k < 5; k++) {
    const d = half * abscissae[k];
    sum += weights[k] * (f(center - d) + f(center + d));
  }
  return half * sum;
}

export interface ArcTable {
  readonly length: number;
  /** Parameter at arc length s in [0, length]. */
  parameter(s: number): number;
}

/** `breaks`: increasing parameters between which `speed` is smooth. */
export function createArcTable(speed: (p: number) => number, breaks: readonly number[]): ArcTable {
  const edges: number[] = [breaks[0]];
  const arcs: number[] = [0];
  let rough = 0;
  for (let k = 0; k + 1 < breaks.length; k++) rough += integrate(speed, breaks[k], breaks[k + 1]);
  let total = 0;
  const addPanel = (a: number, b: number, whole: number, depth: number): void => {
    const middle = (a + b) / 2;
    const left = integrate(speed, a, middle);
    const right = integrate(speed, middle, b);
    if (depth > 0 && !(Math.abs(left + right - whole) <= 1e-13 * rough)) {
      addPanel(a, middle, left, depth - 1);
      addPanel(middle, b, right, depth - 1);
      return;
    }
    edges.push(middle, b);
    arcs.push(total + left, total + left + right);
    total += left + right;
  };
  for (let k = 0; k + 1 < breaks.length; k++) {
    addPanel(breaks[k], breaks[k + 1], integrate(speed, breaks[k], breaks[k + 1]), 12);
  }

  const parameter = (s: number): number => {
    if (s <= 0) return edges[0];
    if (s >= total) return edges[edges.length - 1];
    let low = 0;
    let high = arcs.length - 1;
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if (arcs[middle] <= s) low = middle;
      else high = middle;
    }
    // Newton inside the panel, kept in a shrinking bracket
    let a = edges[low];
    let b = edges[high];
    let p = a + ((b - a) * (s - arcs[low])) / (arcs[high] - arcs[low]);
    for (let iteration = 0; iteration < 60; iteration++) {
      const miss = arcs[low] + integrate(speed, edges[low], p) - s;
      if (miss > 0) b = p;
      else a = p;
      if (Math.abs(miss) <= 2e-15 * total) break;
      const next = p - miss / speed(p);
      p = next > a && next < b ? next : (a + b) / 2;
    }
    return p;
  };
  return { length: total, parameter };
}
