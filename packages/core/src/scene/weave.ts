/**
 * Woven cloth from a few numbers: rods for the fibers, links where they cross.
 *
 * Plain weave: warp i crosses over weft j if i + j is even. Fibers end half a spacing beyond the last crossing, and an odd
 * number of edges lies between two crossings, so that every crossing is at the middle of an edge: a weave joined at nodes
 * is too stiff in shear, with an error of only first order in the length of an edge. A crimped fiber follows
 * ±h·cos(π x/p), its natural shape; a flat one (h = 0) lies in the plane of the others, and the joint is where they meet.
 */

import { vectorOf } from '../curve/vector.ts';
import { SceneError } from '../errors.ts';
import { hypot, hypotOf } from '../math/rounded/index.ts';
import type { LinkSpec, RodSpec, Scene, ShapeSpec, Vec3, WeaveSpec, YarnSpec } from './types.ts';
import type { Path } from './varying.ts';

/** The scene with rods and links in place of its weaves, after its own, and for each of them the number of its weave. */
export function expandWeaves(scene: Scene): {
  scene: Scene;
  readonly wovenRods: readonly number[];
  readonly wovenLinks: readonly number[];
} {
  const { weaves, ...rest } = scene;
  const wovenRods: number[] = [];
  const wovenLinks: number[] = [];
  if (weaves === undefined) return { scene, wovenRods, wovenLinks };
  const rods = [...(scene.rods ?? [])];
  const links = [...(scene.links ?? [])];
  weaves.forEach((spec, k) => {
    checkWeave(spec, ['weaves', k]);
    const made = weaveCloth(spec);
    // one by one: the arguments of a call are limited, and a cloth has very many
    for (const rod of made.rods) {
      rods.push(rod);
      wovenRods.push(k);
    }
    for (const link of made.links) {
      links.push(link);
      wovenLinks.push(k);
    }
  });
  return { scene: { ...rest, rods, links }, wovenRods, wovenLinks };
}

/** The paper's largest cloth has 1250 fibers each way. A much larger one would exhaust the memory before any check could reject it. */
const MOST_CROSSINGS = 2_000_000;

function checkWeave(spec: WeaveSpec, path: Path): void {
  const { warp, weft = warp, edges = 3, crimp = 0, along = [1, 0, 0], across = [0, 1, 0] } = spec;
  const refuse = (field: readonly PropertyKey[], message: string): never => {
    throw new SceneError([...path, ...field] as Path, message);
  };
  for (const [name, yarn] of [
    ['warp', warp],
    ['weft', weft],
  ] as const) {
    if (!(Number.isInteger(yarn.count) && yarn.count >= 2))
      refuse([name, 'count'], `the count is ${yarn.count}; a weave has at least 2 fibers each way`);
    if (!(yarn.spacing > 0)) refuse([name, 'spacing'], `the spacing is ${yarn.spacing} m; it must be positive`);
    if ((yarn.section ?? spec.section) === undefined)
      refuse(['section'], 'the fibers have no section; add one, such as { type: circle, radius: 0.03 mm }');
  }
  const crossings = warp.count * weft.count;
  if (crossings > MOST_CROSSINGS)
    refuse(
      ['warp', 'count'],
      `${warp.count} × ${weft.count} fibers cross ${crossings} times; at most ${MOST_CROSSINGS}: use fewer, wider apart`,
    );
  if (!(Number.isInteger(edges) && edges >= 1 && edges % 2 === 1))
    refuse(
      ['edges'],
      `${edges} edges from crossing to crossing; use an odd number, so that crossings lie at the middle of an edge`,
    );
  if (!(crimp >= 0)) refuse(['crimp'], `the crimp is ${crimp} m; it must be zero or more`);
  if (crimp > 0 && edges < 3) refuse(['edges'], 'one edge cannot follow the crimp; use at least 3');
  const area = hypot(
    along[1] * across[2] - along[2] * across[1],
    along[2] * across[0] - along[0] * across[2],
    along[0] * across[1] - along[1] * across[0],
  );
  if (!(area > 1e-9 * hypotOf(along) * hypotOf(across)))
    refuse(['across'], 'it is parallel to `along`; give another direction');
}

const unit = (v: Vec3): Vec3 => {
  const size = hypotOf(v);
  return [v[0] / size, v[1] / size, v[2] / size];
};

/** Rods and links of one weave. */
function weaveCloth(spec: WeaveSpec): { rods: RodSpec[]; links: LinkSpec[] } {
  const { id, warp, weft = warp, edges = 3, crimp = 0, center = [0, 0, 0], joints } = spec;
  const a = unit(spec.along ?? [1, 0, 0]);
  const raw = unit(spec.across ?? [0, 1, 0]);
  const share = a[0] * raw[0] + a[1] * raw[1] + a[2] * raw[2];
  const b = unit([raw[0] - share * a[0], raw[1] - share * a[1], raw[2] - share * a[2]]);
  const n: Vec3 = [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
  /** x along the warp, y along the weft, z across the cloth, from its middle. */
  const at = (x: number, y: number, z: number): Vec3 => vectorOf((k) => center[k] + x * a[k] + y * b[k] + z * n[k]);
  const middle = (i: number, { count, spacing }: YarnSpec): number => (i - 0.5 * (count - 1)) * spacing;
  const rods: RodSpec[] = [];
  const links: LinkSpec[] = [];
  const addYarn = (name: 'warp' | 'weft', own: YarnSpec, crossed: YarnSpec, i: number, sign: number): void => {
    const y = middle(i, own);
    const half = 0.5 * crossed.count * crossed.spacing;
    const place = (x: number, z: number): Vec3 => (name === 'weft' ? at(y, x, z) : at(x, y, z));
    const section = own.section ?? spec.section;
    const material = own.material ?? spec.material;
    rods.push({
      id: `${id} ${name} ${i}`,
      ...(spec.model && { model: spec.model }),
      shape:
        crimp === 0
          ? { type: 'straight', from: place(-half, 0), to: place(half, 0) }
          : crimped(place, half, crossed, sign * crimp),
      edges: edges * crossed.count,
      frame: { d1: n },
      ...(section !== undefined && { section }),
      ...(material !== undefined && { material }),
      ...(spec.inextensible !== undefined && { inextensible: spec.inextensible }),
    });
  };
  for (let i = 0; i < warp.count; i++) addYarn('warp', warp, weft, i, i % 2 === 0 ? 1 : -1);
  for (let j = 0; j < weft.count; j++) addYarn('weft', weft, warp, j, j % 2 === 0 ? -1 : 1);
  // there may be a million of them, so equal parts are shared
  const onWarp = Array.from({ length: weft.count }, (_, j) => ({ u: (j + 0.5) / weft.count }));
  const onWeft = Array.from({ length: warp.count }, (_, i) => ({ u: (i + 0.5) / warp.count }));
  for (let i = 0; i < warp.count; i++)
    for (let j = 0; j < weft.count; j++)
      links.push({
        id: `${id} ${i} ${j}`,
        rod: rods[i].id,
        at: onWarp[j],
        to: { rod: rods[warp.count + j].id, at: onWeft[i] },
        ...joints,
      });
  return { rods, links };
}

/** h·cos(π (x − x₀)/p) from end to end, as expressions in u; x₀ is the first crossing. */
function crimped(place: (x: number, z: number) => Vec3, half: number, { count }: YarnSpec, height: number): ShapeSpec {
  const [from, to, up] = [place(-half, 0), place(half, 0), place(-half, height)];
  const [x, y, z] = [0, 1, 2].map(
    (k) => `${from[k]} + (${to[k] - from[k]})*u + (${up[k] - from[k]})*cos(pi*(${count}*u - 0.5))`,
  );
  return { type: 'formula', x, y, z };
}
