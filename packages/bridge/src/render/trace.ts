/**
 * Path tracing: the light that reaches a pixel over all paths that touch surfaces, estimated from random paths.
 *
 * At every surface, light is sampled both ways, from the lamps and by the reflection, and combined by the balance heuristic [Veach1997]. The same
 * pixels, samples and scene give the same bits on every machine and for every division into rows.
 */
import { hypotOf, tan } from '@tendril-sim/core/math';
import type { Bvh } from './bvh.ts';
import { absorptionOf, createHairScattering, type HairSample } from './hair.ts';
import { aim, createIntersector, createRay, type Hit, type Ray } from './intersect.ts';
import { createLight, type LightSample } from './light.ts';
import { createSampler } from './sampler.ts';
import { evaluateReflection, type ReflectionSample, sampleReflection } from './shading.ts';
import { createSurface, describeFloor, describeHit, type Surface } from './surface.ts';
import type { RenderRows, RenderScene, Triple } from './types.ts';

/** Most that a reflected path may add to a sample: rare bright paths would otherwise show as dots. */
const clampLevel = 8;

/** Traces rows of a picture. */
export interface Tracer {
  /** Sums the samples from `from` up to `to`, for the rows from `first` up to `last`; `to` and `last` are excluded. */
  trace(first: number, last: number, from: number, to: number): RenderRows;
}

/** State of the path that is traced. */
interface Path {
  r: number;
  g: number;
  b: number;
  /** Part of the light of the next surface that reaches the pixel. */
  throughR: number;
  throughG: number;
  throughB: number;
  /** Density with which the last reflection chose the direction; 0 for the camera. */
  pdf: number;
}

/** Creates a tracer of a scene. */
export function createTracer(scene: RenderScene, bvh: Bvh): Tracer {
  const tools = createTools(scene, bvh);
  return {
    trace(first, last, from, to) {
      const { width } = scene;
      const color = new Float32Array(4 * width * (last - first));
      const guide = new Float32Array(7 * width * (last - first));
      const { path } = tools;
      for (let row = first; row < last; row++) {
        for (let column = 0; column < width; column++) {
          const at = (row - first) * width + column;
          for (let sample = from; sample < to; sample++) {
            tools.sampler.start(row * width + column, sample);
            tools.sampler.next();
            tools.shoot(column + tools.sampler.x, row + tools.sampler.y);
            tracePath(tools, guide, 7 * at);
            const luminance = (path.r + path.g + path.b) / 3;
            color[4 * at] += path.r;
            color[4 * at + 1] += path.g;
            color[4 * at + 2] += path.b;
            color[4 * at + 3] += luminance * luminance;
          }
        }
      }
      return { color, guide };
    },
  };
}

type Tools = ReturnType<typeof createTools>;

function createTools(scene: RenderScene, bvh: Bvh) {
  const ray = createRay();
  const path: Path = { r: 0, g: 0, b: 0, throughR: 1, throughG: 1, throughB: 1, pdf: 0 };
  const lightSample: LightSample = { dx: 0, dy: 0, dz: 1, r: 0, g: 0, b: 0, pdf: 0 };
  const reflected: ReflectionSample = { dx: 0, dy: 0, dz: 1, r: 0, g: 0, b: 0, pdf: 0 };
  const hairSample: HairSample = { x: 0, y: 0, z: 1, r: 0, g: 0, b: 0, pdf: 0 };
  const hit: Hit = { t: 0, primitive: 0, u: 0, v: 0 };
  const { floor } = scene.geometry;
  return {
    scene,
    ray,
    path,
    lightSample,
    reflected,
    hairSample,
    hit,
    probe: createRay(),
    surface: createSurface(),
    sampler: createSampler(),
    light: createLight(scene),
    hair: createHairScattering(),
    absorption: scene.geometry.materials.map(({ color }) => absorptionOf(color)),
    intersector: createIntersector(scene.geometry, bvh),
    shoot: createCamera(scene, ray),
    floor: floor ?? -Infinity,
  };
}

/** Sets the ray through a point of the picture [pixels]. */
function createCamera({ camera, width, height }: RenderScene, ray: Ray): (x: number, y: number) => void {
  const { eye, target, up, fov } = camera;
  const ahead = unit([target[0] - eye[0], target[1] - eye[1], target[2] - eye[2]]);
  const right = unit(cross(ahead, up));
  const above = cross(right, ahead);
  const half = tan(fov / 2);
  return (x, y) => {
    const a = ((2 * x - width) / height) * half;
    const b = ((height - 2 * y) / height) * half;
    const dx = ahead[0] + a * right[0] + b * above[0];
    const dy = ahead[1] + a * right[1] + b * above[1];
    const dz = ahead[2] + a * right[2] + b * above[2];
    const length = Math.sqrt(dx * dx + dy * dy + dz * dz);
    [ray.ox, ray.oy, ray.oz] = eye;
    aim(ray, dx / length, dy / length, dz / length);
  };
}

const cross = (a: Triple, b: Triple): Triple => [
  a[1] * b[2] - a[2] * b[1],
  a[2] * b[0] - a[0] * b[2],
  a[0] * b[1] - a[1] * b[0],
];

function unit(a: Triple): Triple {
  const length = hypotOf(a) || 1;
  return [a[0] / length, a[1] / length, a[2] / length];
}

/** Follows the ray, and adds what the camera sees to the guide at `o`. */
function tracePath(tools: Tools, guide: Float32Array, o: number): void {
  const { path, scene, ray, surface, sampler } = tools;
  path.r = path.g = path.b = path.pdf = 0;
  path.throughR = path.throughG = path.throughB = 1;
  for (let depth = 0; depth <= scene.bounces; depth++) {
    const distance = findSurface(tools);
    if (distance === Infinity) {
      leaveScene(tools, depth);
      if (depth === 0) writeGuide(guide, o, scene.background, undefined, 1e3);
      return;
    }
    if (depth === 0) writeGuide(guide, o, [surface.r, surface.g, surface.b], surface, distance);
    if (depth === scene.bounces) return;
    if (surface.kind === 'hair') scatterHair(tools, depth);
    else reflect(tools, depth);
    if (path.throughR + path.throughG + path.throughB === 0) return;
    if (depth >= 2) {
      // paths that carry little end at random; those that go on stand for them
      const survival = Math.min(1, Math.max(path.throughR, path.throughG, path.throughB));
      sampler.next();
      if (sampler.x >= survival) return;
      path.throughR /= survival;
      path.throughG /= survival;
      path.throughB /= survival;
    }
    aimFrom(surface, ray);
  }
}

function writeGuide(guide: Float32Array, o: number, color: Triple, surface: Surface | undefined, depth: number): void {
  for (let c = 0; c < 3; c++) guide[o + c] += color[c];
  guide[o + 3] += surface?.nx ?? 0;
  guide[o + 4] += surface?.ny ?? 0;
  guide[o + 5] += surface?.nz ?? 0;
  guide[o + 6] += depth;
}

/** Moves the start of a ray off the surface, to the side that it points to. */
function aimFrom({ px, py, pz, nx, ny, nz, offset }: Surface, ray: Ray): void {
  const side = ray.dx * nx + ray.dy * ny + ray.dz * nz < 0 ? -offset : offset;
  ray.ox = px + side * nx;
  ray.oy = py + side * ny;
  ray.oz = pz + side * nz;
}

/** Describes what the ray hits first; returns its distance. */
function findSurface(tools: Tools): number {
  const { ray, hit, surface, scene, intersector, floor } = tools;
  intersector.closest(ray, 1e-7, hit);
  const { up } = scene;
  const fall = ray.dx * up[0] + ray.dy * up[1] + ray.dz * up[2];
  if (fall < -1e-9 && floor > -Infinity) {
    const t = (floor - (ray.ox * up[0] + ray.oy * up[1] + ray.oz * up[2])) / fall;
    if (t > 1e-7 && t < hit.t) {
      describeFloor(ray, t, up, scene.background, surface);
      return t;
    }
  }
  if (hit.t < Infinity) describeHit(scene.geometry, ray, hit, surface);
  return hit.t;
}

/** The ray leaves the scene: adds the background, or the light that comes from there. */
function leaveScene({ path, scene, light, lightSample, ray }: Tools, depth: number): void {
  if (depth === 0) {
    [path.r, path.g, path.b] = scene.background;
    return;
  }
  light.look(ray.dx, ray.dy, ray.dz, lightSample);
  const weight = path.pdf / (path.pdf + lightSample.pdf);
  addLight(path, lightSample, weight, depth);
}

/** Adds light times weight, limited where it was reflected more than once. */
function addLight(path: Path, { r, g, b }: LightSample, weight: number, depth: number): void {
  const red = weight * path.throughR * r;
  const green = weight * path.throughG * g;
  const blue = weight * path.throughB * b;
  const most = Math.max(red, green, blue);
  const scale = depth > 1 && most > clampLevel ? clampLevel / most : 1;
  path.r += scale * red;
  path.g += scale * green;
  path.b += scale * blue;
}

/** Whether the direction of the light sample is free; `side` ±1: on which side of the surface it starts. */
function isFree({ probe, surface, lightSample: l, intersector, scene, floor }: Tools): boolean {
  aim(probe, l.dx, l.dy, l.dz);
  aimFrom(surface, probe);
  const { up } = scene;
  const rise = l.dx * up[0] + l.dy * up[1] + l.dz * up[2];
  if (rise < 0 && floor > -Infinity) return false;
  return !intersector.isBlocked(probe, 1e-7);
}

const view: [number, number, number] = [0, 0, 1];

/** Light on a surface that is no hair, and the direction of the next ray. */
function reflect(tools: Tools, depth: number): void {
  const { ray, path, surface, sampler, light, lightSample, reflected } = tools;
  view[0] = -ray.dx;
  view[1] = -ray.dy;
  view[2] = -ray.dz;
  sampler.next();
  light.sample(sampler.x, sampler.y, lightSample);
  reflected.dx = lightSample.dx;
  reflected.dy = lightSample.dy;
  reflected.dz = lightSample.dz;
  evaluateReflection(surface, view[0], view[1], view[2], reflected);
  if (reflected.pdf > 0 && isFree(tools)) {
    const { r, g, b } = reflected;
    const weight = 1 / (lightSample.pdf + reflected.pdf);
    lightSample.r *= r;
    lightSample.g *= g;
    lightSample.b *= b;
    addLight(path, lightSample, weight, depth + 1);
  }
  sampler.next();
  const lobe = sampler.x;
  sampler.next();
  sampleReflection(surface, view, { lobe, a: sampler.x, b: sampler.y }, reflected);
  continuePath(path, reflected);
  aim(ray, reflected.dx, reflected.dy, reflected.dz);
}

/** Multiplies the path by a chosen reflection. */
function continuePath(path: Path, { r, g, b, pdf }: { r: number; g: number; b: number; pdf: number }): void {
  const share = pdf > 1e-9 ? 1 / pdf : 0;
  path.throughR *= share * r;
  path.throughG *= share * g;
  path.throughB *= share * b;
  path.pdf = pdf;
}

/** Light on a hair, and the direction of the next ray. */
function scatterHair(tools: Tools, depth: number): void {
  const { ray, path, surface, sampler, light, lightSample, hair, hairSample, absorption } = tools;
  const { nx, ny, nz, tx, ty, tz } = surface;
  // the normal is across the hair except at its tips
  const d = nx * tx + ny * ty + nz * tz;
  const norm = 1 / (Math.sqrt(Math.max(1e-12, 1 - d * d)) || 1);
  const yx = (nx - d * tx) * norm;
  const yy = (ny - d * ty) * norm;
  const yz = (nz - d * tz) * norm;
  const zx = ty * yz - tz * yy;
  const zy = tz * yx - tx * yz;
  const zz = tx * yy - ty * yx;
  hair.view(
    -(ray.dx * tx + ray.dy * ty + ray.dz * tz),
    -(ray.dx * yx + ray.dy * yy + ray.dz * yz),
    -(ray.dx * zx + ray.dy * zy + ray.dz * zz),
    absorption[surface.material],
  );
  sampler.next();
  light.sample(sampler.x, sampler.y, lightSample);
  const { dx, dy, dz } = lightSample;
  hairSample.x = dx * tx + dy * ty + dz * tz;
  hairSample.y = dx * yx + dy * yy + dz * yz;
  hairSample.z = dx * zx + dy * zy + dz * zz;
  hair.evaluate(hairSample);
  if (isFree(tools)) {
    const weight = 1 / (lightSample.pdf + hairSample.pdf);
    lightSample.r *= hairSample.r;
    lightSample.g *= hairSample.g;
    lightSample.b *= hairSample.b;
    addLight(path, lightSample, weight, depth + 1);
  }
  sampler.next();
  const { x: choice, y: a } = sampler;
  sampler.next();
  hair.sample(choice, a, sampler.x, sampler.y, hairSample);
  continuePath(path, hairSample);
  const { x, y, z } = hairSample;
  aim(ray, x * tx + y * yx + z * zx, x * ty + y * yy + z * zy, x * tz + y * yz + z * zz);
}
