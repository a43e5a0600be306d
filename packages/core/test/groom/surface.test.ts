import { describe, expect, it } from 'vitest';
import { createHairs, writeHairs } from '../../src/groom/hairs.ts';
import { placeRoots, type Roots } from '../../src/groom/roots.ts';
import { rootMap, vertexMap } from '../../src/groom/surfaceMap.ts';
import { createSurface } from '../../src/surface/surface.ts';
import { ball, square } from './meshes.ts';

const dot = (a: ArrayLike<number>, b: ArrayLike<number>, o = 0): number =>
  a[o] * b[o] + a[o + 1] * b[o + 1] + a[o + 2] * b[o + 2];

describe('sections', () => {
  it('keep hairs on their side of a parting, and leave roots without a section free', () => {
    const surface = createSurface(square(8));
    const side = (roots: Roots): Roots => ({
      ...roots,
      section: Float64Array.from({ length: roots.count }, (_, k) => {
        const x = roots.position[3 * k];
        return roots.position[3 * k + 1] > 0.9 ? 0 : x > 0.5 ? 2 : 1;
      }),
    });
    const guides = side(placeRoots(surface, { count: 40, spread: true }));
    const roots = side(placeRoots(surface, { count: 400 }));
    const { guide, weight } = createHairs(guides, roots);
    const plain = createHairs({ ...guides, section: undefined }, roots);
    let changed = 0;
    for (let h = 0; h < 400; h++) {
      if (roots.section?.[h] === 0) {
        expect([...guide.subarray(3 * h, 3 * h + 3)]).toEqual([...plain.guide.subarray(3 * h, 3 * h + 3)]);
        continue;
      }
      const used = [0, 1, 2].filter((k) => weight[3 * h + k] > 0).map((k) => guides.section?.[guide[3 * h + k]] ?? 0);
      const sections = new Set([...used, roots.section?.[h] ?? 0].filter((section) => section > 0));
      expect(sections.size).toBe(1);
      expect(weight[3 * h] + weight[3 * h + 1] + weight[3 * h + 2]).toBeCloseTo(1, 12);
      if ([0, 1, 2].some((k) => guide[3 * h + k] !== plain.guide[3 * h + k])) changed++;
    }
    expect(changed).toBeGreaterThan(20);
    // a section without guides follows any
    const lost = { ...roots, section: new Float64Array(400).fill(7) };
    expect(createHairs({ ...guides, section: new Float64Array(40).fill(1) }, lost).guide).toEqual(plain.guide);
  });
});

describe('surface', () => {
  it('has outward normals and the area of a ball', () => {
    const { report, normal, position } = createSurface(ball(0.1, 40, 80));
    expect(report).toMatchObject({ pieces: 1, holes: 0, flipped: 0, branched: 0 });
    expect(report.area / (4 * Math.PI * 0.01)).toBeCloseTo(1, 2);
    // the poles are rings of one point: 80 vertices become one, their triangles without area go
    expect(report.merged).toBe(79);
    expect(report.degenerate).toBe(80);
    for (let i = 0; i < position.length; i += 3) expect(dot(normal, position, i) / 0.1).toBeGreaterThan(0.999);
  });

  it('turns faces that are inside out, all or some', () => {
    const { position, triangle } = ball(0.1, 12, 24);
    const inside = triangle.map((_, k) => triangle[k - (k % 3) + [0, 2, 1][k % 3]]);
    const some = triangle.map((vertex, k) => (Math.floor(k / 3) % 5 === 1 ? inside[k] : vertex));
    const far = position.map((x) => x + 1e3);
    for (const [mesh, count] of [
      [{ position, triangle: inside }, 528],
      [{ position, triangle: some }, 106],
      [{ position: far, triangle: inside }, 528],
    ] as const) {
      const { report, normal, position: p } = createSurface(mesh);
      const shift = p[2] > 100 ? 1e3 : 0;
      expect(report.flipped).toBeGreaterThan(0.9 * count);
      for (let i = 0; i < p.length; i += 3)
        expect(
          normal[i] * (p[i] - shift) + normal[i + 1] * (p[i + 1] - shift) + normal[i + 2] * (p[i + 2] - shift),
        ).toBeGreaterThan(0.09);
    }
    // of an open patch the larger part decides
    const patch = square(4);
    const turned = Array.from(patch.triangle, (vertex, k) =>
      k < 9 ? patch.triangle[k - (k % 3) + [0, 2, 1][k % 3]] : vertex,
    );
    const { report, normal } = createSurface({ ...patch, triangle: turned });
    expect(report).toMatchObject({ flipped: 3, holes: 1, pieces: 1 });
    expect([...normal.slice(0, 3)]).toEqual([0, 0, 1]);
  });

  it('turns an open head that is inside out, and leaves sheets and bowls as they are', () => {
    const reverse = ({ position, triangle }: { position: number[]; triangle: number[] }) => ({
      position: position.map((x) => x + 1.6),
      triangle: triangle.map((_, k) => triangle[k - (k % 3) + [0, 2, 1][k % 3]]),
    });
    // a bust is open at the neck, and has eye sockets
    const bust = ball(0.1, 24, 48, 0.8);
    const eyes = { ...bust, triangle: bust.triangle.filter((_, k) => k < 600 || k >= 630) };
    for (const mesh of [bust, eyes]) {
      const { normal, position, report } = createSurface(reverse(mesh));
      expect(report.flipped).toBe(report.faces);
      for (let i = 0; i < position.length; i += 3)
        expect((normal[i] * (position[i] - 1.6) + normal[i + 1] * (position[i + 1] - 1.6)) / 0.1).toBeGreaterThan(
          -1e-3,
        );
    }
    // grass may grow in a bowl
    expect(createSurface(reverse(ball(0.1, 24, 48, 0.5))).report.flipped).toBe(0);
    expect(createSurface(square(4)).report.flipped).toBe(0);
  });

  it('takes holes, fans and needles, and refuses what is no mesh', () => {
    const { position, triangle } = ball(1, 8, 16);
    const holed = createSurface({ position, triangle: triangle.slice(3 * 60, 3 * 200) });
    expect(holed.report.holes).toBeGreaterThan(0);
    expect(holed.normal.every(Number.isFinite)).toBe(true);
    const needle = createSurface({
      position: [0, 0, 0, 1, 0, 0, 0, 1, 0, 0.5, 1e-14, 0],
      triangle: [0, 1, 2, 0, 1, 3],
    });
    expect(needle.report.degenerate).toBe(1);
    const fan = createSurface({
      position: [0, 0, 0, 0, 0, 1, 1, 0, 0, 0, 1, 0, -1, 0, 0],
      triangle: [0, 1, 2, 0, 1, 3, 0, 1, 4],
    });
    expect(fan.report.branched).toBe(1);
    expect(() => createSurface({ position: [0, 0, 0], triangle: [0, 0, 0] })).toThrow(/three vertices/);
    expect(() => createSurface({ position: [0, 0, 0, 1, 0, 0, 2, 0, 0], triangle: [0, 1, 2] })).toThrow(/no triangle/);
    expect(() => createSurface({ position: [0, 0, 0, 1, 0, 0, 0, Number.NaN, 0], triangle: [0, 1, 2] })).toThrow(
      /vertex 2/,
    );
    expect(() => createSurface({ position: [0, 0, 0, 1, 0, 0, 0, 1, 0], triangle: [0, 1, 3] })).toThrow(
      /names vertex 3/,
    );
  });
});

describe('roots', () => {
  const surface = createSurface(ball(0.1, 24, 48));

  it('lie on the mesh, with frames that turn smoothly', () => {
    const { count, position, normal, side } = placeRoots(surface, { count: 4000 });
    expect(count).toBe(4000);
    for (let i = 0; i < 3 * count; i += 3) {
      expect(Math.hypot(position[i], position[i + 1], position[i + 2])).toBeGreaterThan(0.0985);
      expect(dot(normal, normal, i)).toBeCloseTo(1, 12);
      expect(dot(side, side, i)).toBeCloseTo(1, 10);
      expect(dot(side, normal, i)).toBeCloseTo(0, 10);
    }
    // neighbours a centimetre apart differ by little in their curl's phase, away from the south pole
    let worst = 1;
    for (let a = 0; a < 600; a++)
      for (let b = 0; b < a; b++) {
        const near = Math.hypot(...[0, 1, 2].map((k) => position[3 * a + k] - position[3 * b + k])) < 0.01;
        if (near && position[3 * a + 2] > -0.07)
          worst = Math.min(
            worst,
            side[3 * a] * side[3 * b] + side[3 * a + 1] * side[3 * b + 1] + side[3 * a + 2] * side[3 * b + 2],
          );
      }
    expect(worst).toBeGreaterThan(0.93);
  });

  it('follow the density', () => {
    const upper = (roots: Roots): number => {
      let sum = 0;
      for (let i = 0; i < roots.count; i++) if (roots.position[3 * i + 2] > 0) sum++;
      return sum / roots.count;
    };
    expect(upper(placeRoots(surface, { count: 10_000 }))).toBeCloseTo(0.5, 2);
    expect(
      upper(placeRoots(surface, { count: 10_000, density: ({ position }) => (position[2] > 0 ? 3 : 1) })),
    ).toBeCloseTo(0.75, 1);
    const scalp = placeRoots(surface, { count: 500, density: ({ normal }) => (normal[2] > 0.2 ? 1 : 0), spread: true });
    expect(upper(scalp)).toBe(1);
    const atVertices = placeRoots(surface, { on: 'vertices', density: ({ normal }) => (normal[2] > 0.2 ? 1 : 0) });
    expect(atVertices.count).toBe(
      Array.from({ length: surface.position.length / 3 }, (_, i) => surface.normal[3 * i + 2] > 0.2).filter(Boolean)
        .length,
    );
    // a density that changes within large triangles is followed within them
    const plane = createSurface(square(1));
    const ramp = placeRoots(plane, { count: 20_000, density: ({ position }) => position[0] });
    const mean = ramp.position.reduce((sum, x, k) => sum + (k % 3 === 0 ? x : 0), 0) / 20_000;
    expect(mean).toBeCloseTo(2 / 3, 2);
  });

  it('keep apart when they are spread, and are the same every time', () => {
    const nearest = (roots: Roots): number => {
      let least = Infinity;
      for (let a = 0; a < roots.count; a++)
        for (let b = 0; b < a; b++)
          least = Math.min(
            least,
            Math.hypot(...[0, 1, 2].map((k) => roots.position[3 * a + k] - roots.position[3 * b + k])),
          );
      return least;
    };
    const spread = placeRoots(surface, { count: 200, spread: true });
    // of 200 discs of that diameter, most of the ball is covered
    expect(nearest(spread)).toBeGreaterThan(0.6 * Math.sqrt((4 * Math.PI * 0.01) / 200));
    expect(placeRoots(surface, { count: 200, spread: true })).toEqual(spread);
    expect(placeRoots(surface, { count: 200, spread: true, seed: 1 })).not.toEqual(spread);
  });

  it('refuse what cannot be', () => {
    for (const count of [0, -5, 1.5, Number.NaN, 1e9]) expect(() => placeRoots(surface, { count })).toThrow(/how many/);
    expect(() => placeRoots(surface, { count: 5, density: 0 })).toThrow(/nothing grows/);
    expect(() => placeRoots(surface, { count: 5, density: () => -1 })).toThrow(/zero or more, got -1 at vertex 0/);
    expect(() => placeRoots(surface, { count: 5, density: [1, 2] })).toThrow(/2 values/);
    expect(() => placeRoots(surface, { count: 5, pole: [0, 0, 0] })).toThrow(/direction/);
    expect(() => vertexMap(surface, Number.NaN, 'length')).toThrow(/NaN/);
    expect(() => rootMap(placeRoots(surface, { count: 2 }), -0.1, 'length')).toThrow(/got -0.1/);
  });
});

describe('hairs', () => {
  const surface = createSurface(ball(0.1, 24, 48));
  const guideRoots = placeRoots(surface, { count: 300, spread: true });
  const hairRoots = placeRoots(surface, { count: 5000, seed: 3 });
  const nodes = 11;
  /** Straight guides along the normals, bent sideways by `lean`. */
  const pose = (roots: Roots, lean = 0): { nodes: number; position: Float64Array; director: Float64Array } => ({
    nodes,
    position: Float64Array.from({ length: 3 * nodes * roots.count }, (_, k) => {
      const [g, i, m] = [Math.floor(k / (3 * nodes)), Math.floor(k / 3) % nodes, k % 3];
      const s = (0.05 * i) / (nodes - 1);
      return roots.position[3 * g + m] + s * roots.normal[3 * g + m] + lean * s * s * roots.side[3 * g + m];
    }),
    director: Float64Array.from(
      { length: 3 * nodes * roots.count },
      (_, k) => roots.side[3 * Math.floor(k / (3 * nodes)) + (k % 3)],
    ),
  });

  it('have weights that add up, and the shape of their guides in their own frame', () => {
    const hairs = createHairs(guideRoots, hairRoots);
    for (let h = 0; h < hairs.count; h++) {
      const [a, b, c] = hairs.weight.subarray(3 * h, 3 * h + 3);
      expect(a + b + c).toBeCloseTo(1, 5);
      expect(Math.min(a, b, c)).toBeGreaterThanOrEqual(0);
    }
    // what is the same on every guide in its own frame is the same on every hair
    const out = new Float64Array(3 * nodes * hairs.count);
    const director = new Float64Array(out.length);
    writeHairs(out, hairs, pose(guideRoots, 8), nodes, { director });
    const expected = pose(hairRoots, 8).position;
    let worst = 0;
    for (let k = 0; k < out.length; k++) worst = Math.max(worst, Math.abs(out[k] - expected[k]));
    expect(worst).toBeLessThan(1e-12);
    for (let k = 0; k < director.length; k += 3) expect(dot(director, director, k)).toBeCloseTo(1, 9);
    expect(dot(director, hairRoots.side)).toBeGreaterThan(0.99);
  });

  it('move with their guides as one body when the head does', () => {
    const hairs = createHairs(guideRoots, hairRoots, { clump: 0.5 });
    const [c, s] = [Math.cos(0.7), Math.sin(0.7)];
    const q = [c, -s, 0, s, c, 0, 0, 0, 1];
    const move = (p: ArrayLike<number>): Float64Array =>
      Float64Array.from(p, (_, k) => {
        const [o, r] = [k - (k % 3), k % 3];
        return q[3 * r] * p[o] + q[3 * r + 1] * p[o + 1] + q[3 * r + 2] * p[o + 2] + [1, 2, 3][r];
      });
    const still = new Float64Array(3 * nodes * hairs.count);
    const moved = new Float64Array(still.length);
    const at = pose(guideRoots, 5);
    writeHairs(still, hairs, at, nodes);
    const turn = Float64Array.from({ length: 9 * guideRoots.count }, (_, k) => q[k % 9]);
    writeHairs(moved, hairs, { nodes, position: move(at.position), turn }, nodes);
    const expected = move(still);
    for (let k = 0; k < moved.length; k += 97) expect(moved[k]).toBeCloseTo(expected[k], 7);
  });

  it('clump towards a guide, and are shorter on demand', () => {
    const tipDistance = (clump: number): number => {
      const hairs = createHairs(guideRoots, hairRoots, { clump });
      const out = new Float64Array(3 * nodes * hairs.count);
      const at = pose(guideRoots);
      writeHairs(out, hairs, at, nodes);
      let sum = 0;
      for (let h = 0; h < hairs.count; h++) {
        const [a, b] = [3 * (nodes * h + nodes - 1), 3 * (nodes * hairs.guide[3 * h] + nodes - 1)];
        sum += Math.hypot(...[0, 1, 2].map((m) => out[a + m] - at.position[b + m]));
      }
      return sum / hairs.count;
    };
    const free = tipDistance(0);
    expect(tipDistance(0.75) / free).toBeCloseTo(0.25, 3);
    expect(tipDistance(1)).toBeLessThan(1e-12);
    const short = createHairs(guideRoots, hairRoots, { length: [0.5, 0.5] });
    const out = new Float64Array(3 * 5 * short.count);
    writeHairs(out, short, pose(guideRoots), 5);
    expect(Math.hypot(...[0, 1, 2].map((m) => out[12 + m] - out[m]))).toBeCloseTo(0.025, 7);
  });

  it('work with one guide, and refuse none', () => {
    const one = placeRoots(surface, { count: 1 });
    const hairs = createHairs(one, hairRoots);
    expect([...hairs.weight.slice(0, 3)]).toEqual([1, 0, 0]);
    expect(() => createHairs({ ...one, count: 0 }, hairRoots)).toThrow(/no guides/);
    expect(() => createHairs(one, hairRoots, { clump: 2 })).toThrow(/from 0 to 1/);
    expect(() => createHairs(one, hairRoots, { length: [0, 1] })).toThrow(/least, most/);
  });
});
