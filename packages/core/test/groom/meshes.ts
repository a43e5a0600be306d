/** Meshes to grow on. */
import type { MeshInput } from '../../src/surface/surface.ts';

/** A ball of radius r about the origin, or its upper part where `cap` is below 1. */
export function ball(r: number, rings: number, corners: number, cap = 1): { position: number[]; triangle: number[] } {
  const position: number[] = [0, 0, r];
  const triangle: number[] = [];
  for (let i = 1; i <= rings; i++) {
    const polar = (cap * Math.PI * i) / rings;
    for (let k = 0; k < corners; k++) {
      const turn = (2 * Math.PI * k) / corners;
      position.push(r * Math.sin(polar) * Math.cos(turn), r * Math.sin(polar) * Math.sin(turn), r * Math.cos(polar));
    }
  }
  const at = (i: number, k: number): number => (i === 0 ? 0 : 1 + (i - 1) * corners + (k % corners));
  for (let i = 0; i < rings; i++) {
    for (let k = 0; k < corners; k++) {
      if (i > 0) triangle.push(at(i, k), at(i + 1, k), at(i, k + 1));
      triangle.push(at(i + 1, k), at(i + 1, k + 1), at(i, k + 1));
    }
  }
  return { position, triangle };
}

/** A square of side 1 in the plane z = 0, n × n cells. */
export function square(n: number): MeshInput {
  const position: number[] = [];
  const triangle: number[] = [];
  for (let i = 0; i <= n; i++) for (let k = 0; k <= n; k++) position.push(i / n, k / n, 0);
  for (let i = 0; i < n; i++)
    for (let k = 0; k < n; k++) {
      const a = i * (n + 1) + k;
      triangle.push(a, a + n + 1, a + n + 2, a, a + n + 2, a + 1);
    }
  return { position, triangle };
}
