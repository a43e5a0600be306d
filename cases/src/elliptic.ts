/** Complete elliptic integrals, in which closed forms of the planar elastica are written. */

/** K and E of modulus k, by the arithmetic–geometric mean. */
export function completeElliptic(k: number): { readonly K: number; readonly E: number } {
  let [a, g, c, sum] = [1, Math.sqrt(1 - k * k), k, (k * k) / 2];
  for (let power = 1; Math.abs(c) > 1e-16 && power < 1e6; power *= 2) {
    c = (a - g) / 2;
    [a, g] = [(a + g) / 2, Math.sqrt(a * g)];
    sum += power * c * c;
  }
  return { K: Math.PI / (2 * a), E: (Math.PI / (2 * a)) * (1 - sum) };
}

/** Root of f between low and high, where its signs differ, by bisection. */
export function findRoot(f: (x: number) => number, low: number, high: number): number {
  const isLow = f(low) < 0;
  let [a, b] = [low, high];
  for (let i = 0; i < 100; i++) {
    const middle = 0.5 * (a + b);
    if (f(middle) < 0 === isLow) a = middle;
    else b = middle;
  }
  return 0.5 * (a + b);
}
