/** The path tracer against closed forms, and brute force. */
import { describe, expect, it } from 'vitest';
import { buildBvh } from '../src/render/bvh.ts';
import { createGeometry } from '../src/render/geometry.ts';
import { createHairScattering, type HairSample } from '../src/render/hair.ts';
import { developPicture, parseColor } from '../src/render/image.ts';
import { aim, createIntersector, createRay, type Hit } from '../src/render/intersect.ts';
import { createLight, type LightSample } from '../src/render/light.ts';
import { createSampler } from '../src/render/sampler.ts';
import { type ReflectionSample, sampleReflection } from '../src/render/shading.ts';
import { createSurface } from '../src/render/surface.ts';
import { createTracer } from '../src/render/trace.ts';
import { lightNames, type MaterialKind, type RenderScene, type Triple } from '../src/render/types.ts';

/** Random numbers with a seed. */
function random(seed: number): () => number {
  const sampler = createSampler();
  let k = 0;
  return () => {
    sampler.start(seed * 7919 + k++, 0);
    sampler.next();
    return sampler.x;
  };
}

const unitFraming = { center: [0, 0, 0], scale: 1 } as const;

function sceneOf(geometry: RenderScene['geometry'], more: Partial<RenderScene> = {}): RenderScene {
  return {
    geometry,
    camera: { eye: [0, -5, 1], target: [0, 0, 0], up: [0, 0, 1], fov: 0.5 },
    light: { name: 'studio', turn: 0, brightness: 1 },
    up: [0, 0, 1],
    background: [0.5, 0.4, 0.3],
    width: 16,
    height: 12,
    bounces: 4,
    ...more,
  };
}

describe('intersections', () => {
  it('finds with the tree what a search of all primitives finds', () => {
    const next = random(1);
    const point = (): [number, number, number] => [2 * next() - 1, 2 * next() - 1, 2 * next() - 1];
    const builder = createGeometry([{ kind: 'rubber', color: [1, 1, 1] }], unitFraming);
    for (let k = 0; k < 60; k++) {
      const [a, b] = [point(), point()];
      const position = [...a, ...b.map((x, c) => a[c] + 0.3 * x)];
      const radius = [0.01 + 0.05 * next(), 0.01 + 0.05 * next()];
      builder.addRod({ closed: false, position, director: [1, 0, 0, 1, 0, 0], radius, material: 0 });
      const corners = [...a, ...a.map((x) => x + 0.4 * next()), ...a.map((x) => x - 0.4 * next())];
      builder.addTriangles(corners, [0, 0, 1, 0, 0, 1, 0, 0, 1], 0);
    }
    const geometry = builder.finish(undefined);
    const count = geometry.cone.length / 8 + geometry.triangle.length / 9;
    const tree = createIntersector(geometry, buildBvh(geometry));
    const all = createIntersector(geometry, {
      bounds: Float32Array.of(-9, -9, -9, 9, 9, 9),
      link: Int32Array.of(0, count),
      order: Uint32Array.from({ length: count }, (_, k) => k),
    });
    const ray = createRay();
    const [p, q]: Hit[] = [0, 1].map(() => ({ t: 0, primitive: 0, u: 0, v: 0 }));
    let hits = 0;
    for (let k = 0; k < 2000; k++) {
      [ray.ox, ray.oy, ray.oz] = point();
      const d = point();
      const length = Math.hypot(...d);
      aim(ray, d[0] / length, d[1] / length, d[2] / length);
      tree.closest(ray, 0, p);
      all.closest(ray, 0, q);
      expect(p.t).toBe(q.t);
      expect(tree.isBlocked(ray, 0)).toBe(q.t < Infinity);
      if (q.t < Infinity) hits++;
    }
    expect(hits).toBeGreaterThan(100);
  });

  it('hits a round cone where its distance function vanishes', () => {
    const [ra, rb, length] = [0.3, 0.1, 1];
    const builder = createGeometry([{ kind: 'rubber', color: [1, 1, 1] }], unitFraming);
    builder.addRod({
      closed: false,
      position: [0, 0, 0, 0, 0, length],
      director: [1, 0, 0, 1, 0, 0],
      radius: [ra, rb],
      material: 0,
    });
    const geometry = builder.finish(undefined);
    const { closest } = createIntersector(geometry, buildBvh(geometry));
    /** Distance from the union of balls with radii that change linearly [Quilez]. */
    const distance = (x: number, y: number, z: number): number => {
      const slope = (ra - rb) / length;
      const rest = Math.sqrt(1 - slope * slope);
      const q = Math.hypot(x, y);
      const k = -slope * q + rest * z;
      if (k < 0) return Math.hypot(q, z) - ra;
      if (k > rest * length) return Math.hypot(q, z - length) - rb;
      return q * rest + z * slope - ra;
    };
    const next = random(2);
    const ray = createRay();
    const hit: Hit = { t: 0, primitive: 0, u: 0, v: 0 };
    let hits = 0;
    for (let k = 0; k < 2000; k++) {
      const angle = 2 * Math.PI * next();
      [ray.ox, ray.oy, ray.oz] = [3 * Math.cos(angle), 3 * Math.sin(angle), 4 * next() - 1.5];
      const to = [0.8 * (next() - 0.5), 0.8 * (next() - 0.5), 1.8 * next() - 0.4];
      const d = [to[0] - ray.ox, to[1] - ray.oy, to[2] - ray.oz];
      const norm = Math.hypot(...d);
      aim(ray, d[0] / norm, d[1] / norm, d[2] / norm);
      closest(ray, 0, hit);
      if (hit.t === Infinity) continue;
      hits++;
      expect(
        Math.abs(distance(ray.ox + hit.t * ray.dx, ray.oy + hit.t * ray.dy, ray.oz + hit.t * ray.dz)),
      ).toBeLessThan(1e-6);
    }
    expect(hits).toBeGreaterThan(500);
  });
});

describe('light', () => {
  it.each(lightNames)(
    'of the arrangement %s is sampled with the density it states, and gives a level white surface radiance 1',
    (name) => {
      const light = createLight(
        sceneOf(createGeometry([], unitFraming).finish(undefined), { light: { name, turn: 0.4, brightness: 1 } }),
      );
      const sample: LightSample = { dx: 0, dy: 0, dz: 1, r: 0, g: 0, b: 0, pdf: 0 };
      const seen: LightSample = { ...sample };
      const sampler = createSampler();
      const count = 20_000;
      let [whole, irradiance] = [0, 0];
      for (let k = 0; k < count; k++) {
        sampler.start(0, k);
        sampler.next();
        light.sample(sampler.x, sampler.y, sample);
        whole += 1 / sample.pdf / count;
        irradiance += (Math.max(0, sample.dz) * (sample.r + sample.g + sample.b)) / 3 / sample.pdf / count;
        if (k % 197 !== 0) continue;
        expect(Math.hypot(sample.dx, sample.dy, sample.dz)).toBeCloseTo(1, 9);
        light.look(sample.dx, sample.dy, sample.dz, seen);
        expect(seen.pdf).toBeCloseTo(sample.pdf, 5);
        expect(seen.r).toBe(sample.r);
      }
      // the solid angle of all directions, and π for white
      expect(whole / (4 * Math.PI)).toBeCloseTo(1, 1);
      expect(irradiance / Math.PI).toBeCloseTo(1, 2);
    },
  );
});

describe('scattering', () => {
  it('of a hair without absorption conserves energy, and densities integrate to one', () => {
    const hair = createHairScattering();
    const out: HairSample = { x: 0, y: 0, z: 0, r: 0, g: 0, b: 0, pdf: 0 };
    const next = random(3);
    for (const [x, z] of [
      [0, 0],
      [0.3, 0.5],
      [-0.6, 0.4],
      [0.5, -0.7],
    ]) {
      hair.view(x, Math.sqrt(1 - x * x - z * z), z, [0, 0, 0]);
      let [sum, density] = [0, 0];
      const count = 20_000;
      for (let k = 0; k < count; k++) {
        const [u, phi] = [2 * next() - 1, 2 * Math.PI * next()];
        const ring = Math.sqrt(1 - u * u);
        [out.x, out.y, out.z] = [u, ring * Math.cos(phi), ring * Math.sin(phi)];
        hair.evaluate(out);
        sum += (out.r * 4 * Math.PI) / count;
        density += (out.pdf * 4 * Math.PI) / count;
      }
      expect(sum).toBeCloseTo(1, 1);
      expect(density).toBeCloseTo(1, 1);
      // sampled by its own density, every sample weighs the same
      let weight = 0;
      for (let k = 0; k < 4000; k++) {
        hair.sample(next(), next(), next(), next(), out);
        weight += out.r / out.pdf / 4000;
      }
      expect(weight).toBeCloseTo(1, 2);
    }
  });

  it.each(['rubber', 'steel', 'yarn', 'clay'] as const)(
    'of %s reflects no more than it receives, as its density says',
    (kind) => {
      const surface = {
        ...createSurface(),
        kind: kind as MaterialKind,
        r: 1,
        g: 1,
        b: 1,
        roughness: 0.4,
        isMetal: kind === 'steel',
      };
      const out: ReflectionSample = { dx: 0, dy: 0, dz: 1, r: 0, g: 0, b: 0, pdf: 0 };
      const next = random(4);
      for (const slope of [0.1, 0.6, 1.2]) {
        const view: [number, number, number] = [Math.sin(slope), 0, Math.cos(slope)];
        let [weight, mean] = [0, 0];
        const count = 20_000;
        for (let k = 0; k < count; k++) {
          sampleReflection(surface, view, { lobe: next(), a: next(), b: next() }, out);
          if (out.pdf === 0) continue;
          weight += out.r / out.pdf / count;
          // 1 over the density, over the upper half: its solid angle
          mean += 1 / count;
        }
        expect(weight).toBeLessThan(1.02);
        expect(weight).toBeGreaterThan(0.8);
        expect(mean).toBeGreaterThan(0.9);
      }
    },
  );
});

describe('pictures', () => {
  /** Mean colour of a scene's picture, linear. */
  const meanOf = (scene: RenderScene, samples: number): number[] => {
    const { color } = createTracer(scene, buildBvh(scene.geometry)).trace(0, scene.height, 0, samples);
    const count = scene.width * scene.height * samples;
    return [0, 1, 2].map((c) => color.reduce((sum, x, k) => (k % 4 === c ? sum + x / count : sum), 0));
  };

  it('show an empty floor in the colour of the background', () => {
    const geometry = createGeometry([], unitFraming).finish(0);
    const camera = { eye: [0, -5, 3] as Triple, target: [0, 0, 0] as Triple, up: [0, 0, 1] as Triple, fov: 0.3 };
    const mean = meanOf(sceneOf(geometry, { camera }), 64);
    [0.5, 0.4, 0.3].forEach((level, c) => {
      expect(mean[c] / level).toBeGreaterThan(0.93);
      expect(mean[c] / level).toBeLessThan(1.07);
    });
  });

  it('darken the floor under a ball, most where it touches', () => {
    const camera = { eye: [0, 0, 8] as Triple, target: [0, 0, 0] as Triple, up: [0, 1, 0] as Triple, fov: 0.5 };
    const light = { name: 'overcast', turn: 0, brightness: 1 } as const;
    const builder = createGeometry([{ kind: 'clay', color: [0.5, 0.5, 0.5] }], unitFraming);
    builder.addBall([0, 0, 0.5], 0.5, 0);
    const scene = sceneOf(builder.finish(0), { camera, light, width: 40, height: 40 });
    const { color, guide } = createTracer(scene, buildBvh(scene.geometry)).trace(20, 21, 0, 128);
    const level = (column: number): number => color[4 * column] / 128;
    const isFloor = (column: number): boolean =>
      Math.abs(guide[7 * column] / 128 - 0.5) < 1e-3 && guide[7 * column + 5] / 128 > 0.999;
    const floor = Array.from({ length: 20 }, (_, k) => k).filter(isFloor);
    const [far, near] = [floor[0], floor[floor.length - 1]];
    expect(level(far)).toBeGreaterThan(0.4);
    expect(level(near)).toBeLessThan(0.85 * level(far));
  });

  it('do not depend on how rows and samples are divided', () => {
    const builder = createGeometry(
      [
        { kind: 'hair', color: [0.4, 0.2, 0.1] },
        { kind: 'rope', color: [0.5, 0.4, 0.3] },
      ],
      unitFraming,
    );
    const director = [0, 1, 0, 0, 1, 0, 0, 1, 0];
    const position = [-1, 0, 0, 0, 0, 0.4, 1, 0, 0];
    for (const material of [0, 1])
      builder.addRod({ closed: false, position, director, radius: [0.1, 0.1, 0.1], material });
    const scene = sceneOf(builder.finish(-0.5));
    const bvh = buildBvh(scene.geometry);
    const whole = createTracer(scene, bvh).trace(0, 12, 0, 4);
    const again = createTracer(scene, bvh);
    const parts = [again.trace(7, 12, 0, 4), again.trace(0, 7, 0, 4)];
    expect(parts[1].color).toEqual(whole.color.subarray(0, 4 * 16 * 7));
    expect(parts[0].color).toEqual(whole.color.subarray(4 * 16 * 7));
    expect(parts[0].guide).toEqual(whole.guide.subarray(7 * 16 * 7));
    const pixels = developPicture(scene, whole, { samples: 4 });
    expect(pixels).toHaveLength(4 * 16 * 12);
    expect(new Set(pixels).size).toBeGreaterThan(20);
  });

  it('smooth noise without a change of the mean', () => {
    const geometry = createGeometry([], unitFraming).finish(0);
    const camera = { eye: [0, -5, 3] as Triple, target: [0, 0, 0] as Triple, up: [0, 0, 1] as Triple, fov: 0.3 };
    const scene = sceneOf(geometry, { camera, width: 40, height: 40 });
    const sums = createTracer(scene, buildBvh(geometry)).trace(0, 40, 0, 8);
    const spreadOf = (pixels: Uint8Array): { mean: number; spread: number } => {
      const red = pixels.filter((_, k) => k % 4 === 0);
      const mean = red.reduce((sum, x) => sum + x, 0) / red.length;
      return { mean, spread: Math.sqrt(red.reduce((sum, x) => sum + (x - mean) ** 2, 0) / red.length) };
    };
    const rough = spreadOf(developPicture(scene, sums, { samples: 8, denoise: false }));
    const smooth = spreadOf(developPicture(scene, sums, { samples: 8 }));
    expect(smooth.spread).toBeLessThan(0.5 * rough.spread);
    expect(Math.abs(smooth.mean - rough.mean)).toBeLessThan(2);
  });

  it('read colours', () => {
    expect(parseColor('#fff')).toEqual([1, 1, 1]);
    expect(parseColor('#bcbcbc')?.[0]).toBeCloseTo(0.5029, 3);
    expect(parseColor('red')).toBeUndefined();
  });
});
