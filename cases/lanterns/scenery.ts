/** What the lanterns and flowers of the scene look like: meshes that ride on the bodies and touch nothing. */
import { cos, hypot, pow, sin } from '@tendril-sim/core/math';
import type { SceneInput } from '@tendril-sim/io';

type Collider = NonNullable<SceneInput['colliders']>[number];
type Vector = [number, number, number];
interface Mesh {
  readonly vertices: Vector[];
  readonly faces: number[][];
}

const drawn = (body: string, part: string, color: string, shape: Collider): Collider => ({
  ...shape,
  id: `${body} ${part}`,
  body,
  rods: [],
  color,
});
const surface = ({ vertices, faces }: Mesh): Collider => ({ type: 'mesh', solid: false, vertices, faces });

/** A grid of points, `across` by `along`, as quadrilaterals. */
function sheet(across: number, along: number, at: (u: number, v: number) => Vector): Mesh {
  const vertices: Vector[] = [];
  const faces: number[][] = [];
  for (let j = 0; j <= along; j++) for (let i = 0; i <= across; i++) vertices.push(at(i / across, j / along));
  for (let j = 0; j < along; j++)
    for (let i = 0; i < across; i++) {
      const a = j * (across + 1) + i;
      faces.push([a, a + 1, a + across + 2, a + across + 1]);
    }
  return { vertices, faces };
}

export const LANTERN = { radius: 0.1, height: 0.19 };

/** A paper lantern: a bulging shell with ribs, a sign painted on two sides, caps and a tassel. */
export function drawLantern(body: string, color: string): Collider[] {
  const { radius, height } = LANTERN;
  const point = (angle: number, v: number, out: number): Vector => {
    const z = 2 * v - 1;
    const bulge = 0.45 + 0.55 * Math.sqrt(1 - z * z * 0.96);
    const r = radius * bulge * (1 + 0.035 * Math.abs(sin(6 * angle))) + out;
    return [r * cos(angle), r * sin(angle), 0.5 * height * z];
  };
  const shell = sheet(36, 10, (u, v) => point(2 * Math.PI * u, v, 0));
  // a diamond of gold on opposite sides: who sees it turn, sees the lantern turn
  const signs = [0, Math.PI].map((turn) =>
    sheet(6, 6, (u, v) => point(turn + 0.55 * (u - v), 0.5 + 0.32 * (u + v - 1), 0.002)),
  );
  const ends = 0.5 * height;
  const cap = (z: number): Collider => ({ type: 'ellipsoid', radii: [0.05, 0.05, 0.012], position: [0, 0, z] });
  return [
    drawn(body, 'shell', color, surface(shell)),
    ...signs.map((sign, k) => drawn(body, `sign ${k}`, '#e3b23c', surface(sign))),
    drawn(body, 'top', '#3a2a1e', cap(ends)),
    drawn(body, 'foot', '#3a2a1e', cap(-ends)),
    drawn(body, 'tassel', '#e3b23c', {
      type: 'capsule',
      from: [0, 0, -ends - 0.012],
      to: [0, 0, -ends - 0.09],
      radius: 0.009,
    }),
  ];
}

/** A blossom of five petals that opens along `axis`, in world axes as it is laid. */
export function drawFlower(body: string, axis: Vector, size: number, color: string): Collider[] {
  const [a, b] = across(axis);
  const place = (x: number, y: number, z: number): Vector =>
    [0, 1, 2].map((k) => x * a[k] + y * b[k] + z * axis[k]) as Vector;
  const petals = [0, 1, 2, 3, 4].map((k) =>
    sheet(6, 6, (u, v) => {
      const turn = (2 * Math.PI * k) / 5;
      // wide beyond its middle, with a notch, and cupped
      const width = size * 0.62 * sin(Math.PI * pow(0.06 + 0.94 * v, 0.8)) * (2 * u - 1);
      const out = size * (0.1 + 0.9 * v) - 0.12 * size * v * v * (1 - Math.abs(2 * u - 1));
      const up = 0.35 * out * (out / size) + (0.25 * (width * width)) / size;
      return place(out * cos(turn) - width * sin(turn), out * sin(turn) + width * cos(turn), up);
    }),
  );
  const vertices = petals.flatMap((petal) => petal.vertices);
  const faces = petals.flatMap((petal, k) => petal.faces.map((face) => face.map((i) => i + k * petal.vertices.length)));
  return [
    drawn(body, 'petals', color, surface({ vertices, faces })),
    drawn(body, 'heart', '#e8b53a', {
      type: 'sphere',
      radius: 0.2 * size,
      position: axis.map((x) => 0.12 * size * x) as Vector,
    }),
  ];
}

/** A leaf along `axis`, folded a little. */
export function drawLeaf(body: string, axis: Vector, size: number, color: string): Collider[] {
  const [a, b] = across(axis);
  const leaf = sheet(4, 10, (u, v) => {
    const side = 2 * u - 1;
    const width = 0.3 * size * sin(Math.PI * v) * (1.15 - 0.5 * v) * side;
    const up = 0.25 * Math.abs(width) - 0.25 * size * v * v;
    return [0, 1, 2].map((k) => size * v * axis[k] + width * a[k] + up * b[k]) as Vector;
  });
  return [drawn(body, 'leaf', color, surface(leaf))];
}

/** Two directions across an axis. */
function across(axis: Vector): [Vector, Vector] {
  const least = axis.map(Math.abs).indexOf(Math.min(...axis.map(Math.abs)));
  const raw = axis.map((x, k) => (k === least ? 1 : 0) - x * axis[least]);
  const size = hypot(raw[0], raw[1], raw[2]);
  const a = raw.map((x) => x / size) as Vector;
  const b = [
    axis[1] * a[2] - axis[2] * a[1],
    axis[2] * a[0] - axis[0] * a[2],
    axis[0] * a[1] - axis[1] * a[0],
  ] as Vector;
  return [a, b];
}
