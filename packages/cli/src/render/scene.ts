/** A frame of a recording as surfaces: rods with their materials, bodies, obstacles. */
import {
  createGeometry,
  type GeometryBuilder,
  type MaterialKind,
  parseColor,
  type RenderGeometry,
  type RenderMaterial,
  rodMaterials,
  type Triple,
} from '@tendril-sim/bridge/render';
import {
  type BodyFrame,
  type Footage,
  listOrigins,
  nodeFrames,
  nodeRadius,
  type RecordedRod,
  type RecordingFrame,
  type RodFrame,
  toNodes,
} from '@tendril-sim/io';
import { UsageError } from '../exit.ts';
import { pictureObstacles } from '../locate.ts';
import { creaseNormals, weldCorners } from '../plot/normals.ts';
import type { Stage } from './stage.ts';

/** Options of the materials. */
export interface MaterialOptions {
  /** A material for all rods, or `rod=material`. */
  readonly material?: readonly string[];
  /** A colour for all rods, or `rod=#rrggbb`. */
  readonly color?: readonly string[];
  /** Shows twist by a stripe along d1. */
  readonly stripe?: boolean;
  /** Factor on the radii of rods. */
  readonly thickness?: number;
}

/** More rods than this are hair, unless a material is given. */
const hairFrom = 150;

const defaultColor: Readonly<Record<MaterialKind, readonly string[]>> = {
  rubber: ['#b5532a', '#2a6f97', '#6a8f3c', '#8b4a83', '#c08a2e', '#2f7f7a'],
  steel: ['#c9ccd1'],
  rope: ['#b08c5a', '#8f9aa3', '#a86a4a'],
  yarn: ['#a33b3b', '#d9cbb2', '#35586c', '#6d7f4f'],
  plant: ['#5f7a3a'],
  hair: ['#6b4226'],
  clay: ['#b9b4ac'],
  skin: ['#d8ab8b'],
};

const colorOf = (text: string): Triple => parseColor(text) as Triple;

/** Surfaces that are the same for all frames: materials of all rods, then of solids. */
export interface Wardrobe {
  readonly materials: readonly RenderMaterial[];
  /** Material of each rod. */
  readonly ofRod: readonly number[];
  readonly body: number;
  /** Material of an obstacle: of the colour that the scene gives it, if any. */
  ofObstacle(color?: string): number;
}

/** Chooses the materials of a recording. */
export function chooseMaterials({ header: { rods, scene } }: Footage, options: MaterialOptions): Wardrobe {
  const kindOf = assignments(options.material, '--material', rods, (value) => {
    if ((rodMaterials as readonly string[]).includes(value)) return value as MaterialKind;
    throw new UsageError(`--material: '${value}' is no material; there are ${rodMaterials.join(', ')}`);
  });
  const tintOf = assignments(options.color, '--color', rods, (value) => {
    const color = parseColor(value);
    if (!color) throw new UsageError(`--color: '${value}' is no colour such as #b5652f`);
    return color;
  });
  const materials: RenderMaterial[] = [];
  const known = new Map<string, number>();
  const indexOf = (material: RenderMaterial): number => {
    const key = JSON.stringify(material);
    const found = known.get(key) ?? materials.push(material) - 1;
    known.set(key, found);
    return found;
  };
  const isCrowd = rods.length > hairFrom;
  const ownColor = new Map(scene.rods.map((rod) => [rod.id, rod.color]));
  const numbers = listOrigins(rods);
  const ofRod = rods.map((rod, k) => {
    const id = rod.origin ?? rod.id;
    const own = ownColor.get(id);
    const kind = kindOf(id) ?? (isCrowd && !own ? 'hair' : 'rubber');
    const palette = defaultColor[kind];
    const color = tintOf(id) ?? colorOf(own ?? palette[isCrowd ? 0 : numbers[k] % palette.length]);
    const striped = kind === 'rubber' && options.stripe !== false && (!own || kindOf(id) !== undefined);
    return indexOf({ kind, color, ...(striped && { stripe: colorOf('#f6efe4') }) });
  });
  const isHead = isCrowd && (scene.colliders ?? []).some(({ type }) => type === 'mesh');
  const kind = isHead ? 'skin' : 'clay';
  const body = indexOf({ kind: 'clay', color: colorOf('#8f959e') });
  const solids = new Map(
    [undefined, ...(scene.colliders ?? []).map(({ color }) => color)].map((color) => [
      color,
      indexOf({ kind, color: colorOf(color ?? defaultColor[kind][0]) }),
    ]),
  );
  return { materials, ofRod, body, ofObstacle: (color) => solids.get(color) as number };
}

/** Values of an option that is given for all rods, or for rods by id. */
function assignments<T>(
  given: readonly string[] | undefined,
  option: string,
  rods: readonly RecordedRod[],
  read: (value: string) => T,
): (id: string) => T | undefined {
  let all: T | undefined;
  const own = new Map<string, T>();
  for (const text of given ?? []) {
    const cut = text.lastIndexOf('=');
    if (cut < 0) all = read(text);
    else {
      const id = text.slice(0, cut);
      if (!rods.some((rod) => rod.id === id)) throw new UsageError(`${option}: there is no rod '${id}'`);
      own.set(id, read(text.slice(cut + 1)));
    }
  }
  return (id) => own.get(id) ?? all;
}

/** Surfaces of a frame. `pixel`: size of a pixel at the target [m]; thin hair is drawn as wide as a part of it. */
export function surfacesOf(
  footage: Footage,
  frame: RecordingFrame,
  stage: Stage,
  wardrobe: Wardrobe,
  { pixel, thickness }: { readonly pixel: number; readonly thickness: number },
): RenderGeometry {
  const { rods } = footage.header;
  const builder = createGeometry(wardrobe.materials, stage.framing);
  const least = leastRadius(rods.length, pixel);
  rods.forEach((rod, k) => {
    addRod(builder, rod, frame.rods[k], { material: wardrobe.ofRod[k], least, thickness });
  });
  addBodies(builder, footage, frame, wardrobe.body);
  for (const { position, triangle, endless, color } of pictureObstacles(footage.header, frame)) {
    if (endless) continue;
    const corners = weldCorners(position, triangle);
    const { normal } = creaseNormals(position, corners);
    const flat = Float64Array.from(
      { length: 3 * corners.length },
      (_, i) => position[3 * corners[Math.floor(i / 3)] + (i % 3)],
    );
    builder.addTriangles(flat, normal, wardrobe.ofObstacle(color));
  }
  return builder.finish(stage.floor);
}

/** Thinner rods are drawn this thick [m]: below, samples miss them. Many hairs may be thinner, since they cover each other. */
function leastRadius(count: number, pixel: number): number {
  return (0.6 * pixel) / Math.sqrt(Math.max(1, count / 1500));
}

function addRod(
  builder: GeometryBuilder,
  rod: RecordedRod,
  frame: RodFrame,
  { material, least, thickness }: { readonly material: number; readonly least: number; readonly thickness: number },
): void {
  const { d1 } = nodeFrames(rod, frame);
  const radius = nodeRadius(rod).map((r) => Math.max(least, thickness * r));
  const { section } = rod;
  const wide = (half: readonly number[]): Float64Array => toNodes(rod, half).map((x) => Math.max(least, thickness * x));
  builder.addRod({
    closed: rod.closed,
    position: frame.nodePosition,
    director: d1,
    radius,
    material,
    ...(section && {
      section: {
        shape: section.shape,
        halfWidth: wide(section.edgeHalfWidth),
        halfHeight: wide(section.edgeHalfHeight),
      },
    }),
  });
}

/** Bodies by their solids; others as balls. */
function addBodies(builder: GeometryBuilder, { header }: Footage, frame: RecordingFrame, material: number): void {
  header.bodies?.forEach(({ id, radius }, k) => {
    const pose = frame.bodies?.[k];
    if (!pose || radius === 0) return;
    const solid = header.scene.bodies?.find((one) => one.id === id)?.solid;
    if (solid?.type === 'box') addPrism(builder, pose, boxOutline(solid.size), solid.size[2], material);
    else if (solid?.type === 'cylinder') addPrism(builder, pose, roundOutline(solid.radius), solid.height, material);
    else builder.addBall(pose.position, radius, material);
  });
}

/** Corners in x and y, and the normals of the side that begins at each: at its start and at its end. */
type Outline = readonly {
  readonly at: readonly [number, number];
  readonly normals: readonly (readonly [number, number])[];
}[];

function boxOutline([x, y]: readonly number[]): Outline {
  const side = (a: number, b: number, n: readonly [number, number]): Outline[number] => ({
    at: [(a * x) / 2, (b * y) / 2],
    normals: [n, n],
  });
  return [side(1, -1, [1, 0]), side(1, 1, [0, 1]), side(-1, 1, [-1, 0]), side(-1, -1, [0, -1])];
}

function roundOutline(radius: number): Outline {
  const unit = (k: number): readonly [number, number] => [Math.cos((Math.PI * k) / 24), Math.sin((Math.PI * k) / 24)];
  return Array.from({ length: 48 }, (_, k) => ({
    at: [radius * unit(k)[0], radius * unit(k)[1]],
    normals: [unit(k), unit(k + 1)],
  }));
}

/** A prism about z with its middle at the body. */
function addPrism(builder: GeometryBuilder, pose: BodyFrame, outline: Outline, height: number, material: number): void {
  const [corners, normals]: [number[], number[]] = [[], []];
  const add = (points: readonly (readonly number[])[], n: readonly (readonly number[])[]): void => {
    for (const p of points) corners.push(...turn(pose, p).map((x, k) => x + pose.position[k]));
    for (const one of n) normals.push(...turn(pose, one));
  };
  const half = height / 2;
  outline.forEach(({ at: [x, y], normals: [n, m] }, k) => {
    const [p, q] = outline[(k + 1) % outline.length].at;
    const [a, b] = [
      [...n, 0],
      [...m, 0],
    ];
    add(
      [
        [x, y, -half],
        [p, q, -half],
        [p, q, half],
      ],
      [a, b, b],
    );
    add(
      [
        [x, y, -half],
        [p, q, half],
        [x, y, half],
      ],
      [a, b, a],
    );
    for (const z of [-1, 1]) {
      const up = [0, 0, z];
      add(
        [
          [0, 0, z * half],
          [x, y, z * half],
          [p, q, z * half],
        ],
        [up, up, up],
      );
    }
  });
  builder.addTriangles(corners, normals, material);
}

/** A vector of the body's axes in world axes. */
function turn({ orientation: q }: BodyFrame, [a, b, c]: readonly number[]): number[] {
  const [w, x, y, z] = [q[0], q[1], q[2], q[3]];
  const [tx, ty, tz] = [y * c - z * b + w * a, z * a - x * c + w * b, x * b - y * a + w * c];
  return [a + 2 * (y * tz - z * ty), b + 2 * (z * tx - x * tz), c + 2 * (x * ty - y * tx)];
}
