/** The same scene elsewhere: turned about an axis and moved, with everything that has a direction. */
import type { Json, SceneJson } from './scenes.ts';

type Triple = readonly [number, number, number];

/** A turn of one radian about (1, 2, 2)/3, then a shift: nothing of it is special. */
const [c, s] = [Math.cos(1), Math.sin(1)];
const axis: Triple = [1 / 3, 2 / 3, 2 / 3];
const shift: Triple = [0.3, -0.2, 0.5];

function turn(v: Triple): Triple {
  const [x, y, z] = v;
  const dot = axis[0] * x + axis[1] * y + axis[2] * z;
  const cross: Triple = [axis[1] * z - axis[2] * y, axis[2] * x - axis[0] * z, axis[0] * y - axis[1] * x];
  return [0, 1, 2].map((k) => c * v[k] + s * cross[k] + (1 - c) * dot * axis[k]) as unknown as Triple;
}

export function movePoint(v: Triple): Triple {
  const [x, y, z] = turn(v);
  return [x + shift[0], y + shift[1], z + shift[2]];
}

const points = new Set(['from', 'to', 'center', 'position', 'point']);
const directions = new Set([
  'gravity',
  'd1',
  'axis',
  'force',
  'torque',
  'wind',
  'offset',
  'rotation',
  'normal',
  'start',
  'linear',
  'angular',
]);

/** The moved scene; undefined where it has formulas in space, whose directions are in their text. */
export function moveScene(scene: SceneJson): SceneJson | undefined {
  if (/"formula":\[/.test(JSON.stringify(scene.fields ?? []))) return undefined;
  // a circle begins in a direction of its own choice unless it is given, and so does a frame
  const rods = scene.rods as readonly { readonly frame?: { readonly d1?: Json } }[];
  if (/"(ring|helix)"/.test(JSON.stringify(rods)) || rods.some(({ frame }) => frame?.d1 === undefined))
    return undefined;
  const moved = moveValue(scene) as SceneJson;
  const bodies = scene.bodies as readonly SceneJson[] | undefined;
  if (!bodies) return moved;
  // bodies turn with their axes, along which explicit schemes split their spin
  if (bodies.some(({ rotation }) => rotation !== undefined)) return undefined;
  return { ...moved, bodies: (moved.bodies as readonly SceneJson[]).map((body) => ({ ...body, rotation: [...axis] })) };
}

function moveValue(value: Json, key = ''): Json {
  if (isTriple(value)) {
    if (points.has(key) || key === 'points') return [...movePoint(value)];
    if (directions.has(key)) return [...turn(value)];
    return value;
  }
  if (Array.isArray(value)) return value.map((item: Json) => moveValue(item, key));
  if (typeof value !== 'object' || value === null) return value;
  // components along the material's own axes
  const isMaterial = 'frame' in value && value.frame === 'material';
  const moved = Object.fromEntries(
    Object.entries(value).map(([name, child]) => [name, isMaterial ? child : moveValue(child, name)]),
  );
  return moved.type === 'plane' && moved.normal === undefined ? { ...moved, normal: [...turn([0, 0, 1])] } : moved;
}

function isTriple(value: Json): value is Triple {
  return Array.isArray(value) && value.length === 3 && value.every((item) => typeof item === 'number');
}
