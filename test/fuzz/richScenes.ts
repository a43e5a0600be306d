/** Random scenes with what users combine: several pins, bodies, links, moving obstacles, laws, properties that change. Each is a plain scene with changes. */
import fc from 'fast-check';
import { between, type FuzzModel, type Json, magnitude, modelNames, type SceneJson, scenes, vector } from './scenes.ts';

type Change = (scene: SceneJson) => SceneJson;
type Triple = readonly [number, number, number];

const rodsOf = (scene: SceneJson): readonly SceneJson[] => scene.rods as readonly SceneJson[];
const listOf = (value: Json | undefined): readonly Json[] => (Array.isArray(value) ? value : []);
const timeOf = (scene: SceneJson): { readonly duration: number } => scene.time as { readonly duration: number };

const add =
  (field: 'pins' | 'loads' | 'fields' | 'colliders' | 'bodies' | 'welds' | 'links', one: SceneJson): Change =>
  (scene) => ({ ...scene, [field]: [...listOf(scene[field]), one] });

/** Changes rod `index`, counted round. */
const changeRod =
  (index: number, change: (rod: SceneJson) => SceneJson): Change =>
  (scene) => {
    const at = index % rodsOf(scene).length;
    return { ...scene, rods: rodsOf(scene).map((rod, r) => (r === at ? change(rod) : rod)) };
  };

/** Where a rod of given nodes ends; undefined for other shapes. */
function endOf({ shape }: SceneJson): Triple | undefined {
  const { to, points } = shape as { readonly to?: Triple; readonly points?: readonly Triple[] };
  return to ?? points?.at(-1);
}

/** A path that ends at `offset` with the scene. */
const moveBy = (offset: Triple, scene: SceneJson): SceneJson => {
  const keys: readonly SceneJson[] = [{ time: 0 }, { time: timeOf(scene).duration, offset }];
  return { keys };
};

const factorInTime = fc
  .tuple(between(-0.5, 0.5), magnitude(10, 3000))
  .map(([size, rate]): SceneJson => ({ formula: `1 + ${size}*sin(${rate}*t)` }));

const pinAtEnd: fc.Arbitrary<Change> = fc
  .record({
    hold: fc.constantFrom('clamp', 'position', 'tangent', 'frame'),
    offset: fc.option(vector(0.01)),
    at: fc.constantFrom<Json>('end', { u: 0.4 }),
    release: fc.option(between(0, 1)),
  })
  .map(
    ({ hold, offset, at, release }): Change =>
      (scene) => {
        const path: SceneJson = offset === null ? {} : { path: moveBy(offset, scene) };
        const end: SceneJson = release === null ? {} : { release: release * timeOf(scene).duration };
        return add('pins', { rod: 'r0', at, hold, ...path, ...end })(scene);
      },
  );

const natural: fc.Arbitrary<Change> = fc
  .oneof<fc.Arbitrary<Json>[]>(
    fc.constant('straight'),
    vector(40).map((curvature) => ({ curvature })),
    fc.tuple(magnitude(1e-3, 0.1), magnitude(1e-3, 0.1)).map(([radius, pitch]) => ({ curl: { radius, pitch } })),
  )
  .map((shape): Change => changeRod(0, (rod) => ({ ...rod, natural: shape })));

const taper: fc.Arbitrary<Change> = between(0.1, 1).map(
  (part): Change =>
    changeRod(0, (rod) => {
      const { radius } = rod.section as { readonly radius?: number };
      if (radius === undefined) return rod;
      return {
        ...rod,
        section: {
          type: 'circle',
          radius: {
            along: [
              [0, radius],
              [1, part * radius],
            ],
          },
        },
      };
    }),
);

const body: fc.Arbitrary<Change> = fc
  .record({
    radius: magnitude(1e-3, 2e-2),
    density: magnitude(100, 5000),
    aside: fc.option(vector(0.01)),
    hold: fc.constantFrom('clamp', 'position'),
  })
  .map(
    ({ radius, density, aside, hold }): Change =>
      (scene) => {
        const end = endOf(rodsOf(scene)[0]);
        if (!end) return scene;
        const position = end.map((x, k) => x + (aside?.[k] ?? 0));
        const ball = { id: 'ball', solid: { type: 'sphere', density, radius }, position };
        return add('welds', { rod: 'r0', at: 'end', body: 'ball', hold })(add('bodies', ball)(scene));
      },
  );

const link: fc.Arbitrary<Change> = fc
  .record({
    stiffness: magnitude(0.1, 1e4),
    damping: fc.option(magnitude(1e-4, 0.1)),
    rest: fc.constantFrom('start', 'together'),
    point: vector(0.05),
  })
  .map(
    ({ stiffness, damping, rest, point }): Change =>
      (scene) => {
        const to: SceneJson = rodsOf(scene).length > 1 ? { rod: 'r1', at: { u: 0.5 } } : { point };
        return add('links', { rod: 'r0', at: 'end', to, stiffness, rest, ...(damping !== null && { damping }) })(scene);
      },
  );

const ball: fc.Arbitrary<Change> = fc
  .record({
    radius: magnitude(3e-3, 5e-2),
    position: vector(0.1),
    offset: vector(0.03),
    friction: between(0, 1),
    restitution: fc.option(between(0, 1), { freq: 1 }),
  })
  .map(
    ({ offset, restitution, ...rest }): Change =>
      (scene) => {
        const path = moveBy(offset, scene);
        return add('colliders', {
          id: 'ball',
          type: 'sphere',
          path,
          ...rest,
          ...(restitution !== null && { restitution }),
        })(scene);
      },
  );

const load: fc.Arbitrary<Change> = fc
  .oneof<fc.Arbitrary<SceneJson>[]>(
    fc
      .tuple(vector(1), magnitude(1e-7, 1e-2))
      .map(([t, size]) => ({ type: 'torque', at: 'end', torque: t.map((x) => size * x) })),
    vector(0.02).map((force) => ({ type: 'force', at: 'end', force, frame: 'material' })),
    vector(0.1).map((force) => ({ type: 'distributed', force, from: 0.3 })),
    vector(0.02).map((force) => ({ type: 'force', at: { u: 0.5 }, force, factor: { formula: 'sin(500*t)' } })),
  )
  .map((one): Change => add('loads', { rod: 'r0', ...one }));

const air: fc.Arbitrary<Change> = fc
  .record({ wind: vector(10), normal: magnitude(1e-4, 1), isLinear: fc.boolean() })
  .map(
    ({ wind, normal, isLinear }): Change =>
      add('fields', {
        type: 'air',
        wind,
        ...(isLinear
          ? { linear: [normal, 0.5 * normal] }
          : { quadratic: { density: 1.2, normal: 1 + normal, tangential: normal } }),
      }),
  );

const animated: fc.Arbitrary<Change> = fc
  .tuple(
    fc.constantFrom(
      'E',
      'G',
      'curvature',
      'length',
      'density',
      'radius',
      'massDamping',
      'stiffnessDamping',
      'friction',
    ),
    factorInTime,
  )
  .map(([field, factor]): Change => changeRod(0, (rod) => ({ ...rod, animate: { [field]: factor } })));

const law: fc.Arbitrary<Change> = fc
  .tuple(magnitude(1e-8, 1e-2), magnitude(1e-4, 0.1), fc.nat(3))
  .map(([moment, time, kind]): Change => {
    const limit = { bending: moment, twist: moment };
    const laws: readonly SceneJson[] = [
      { type: 'viscoelastic', terms: [{ ratio: 1, time }] },
      { type: 'elastoplastic', yield: limit, hardening: 0.1, time: moment > 1e-4 ? time : 0 },
      { type: 'dahl', limit, stiffness: 2 },
      {
        type: 'table',
        moments: [
          [0, 0],
          [10, moment],
          [20, 1.5 * moment],
        ],
      },
    ];
    return changeRod(0, (rod) => ({ ...rod, law: laws[kind] }));
  });

const velocity: fc.Arbitrary<Change> = fc
  .tuple(vector(3), vector(30), fc.nat(2))
  .map(([linear, angular, r]): Change => changeRod(r, (rod) => ({ ...rod, velocity: { linear, angular } })));

const otherModel: fc.Arbitrary<Change> = fc
  .tuple(fc.constantFrom(...modelNames), fc.nat(2))
  .map(([model, r]): Change => changeRod(r, (rod) => ({ ...rod, model })));

const damped: fc.Arbitrary<Change> = magnitude(0.1, 100).map(
  (mass): Change =>
    changeRod(0, (rod) => ({ ...rod, material: { ...(rod.material as SceneJson), damping: { mass } } })),
);

const hinge: fc.Arbitrary<Change> = vector(1).map(
  (axis): Change =>
    (scene) => ({
      ...scene,
      pins: listOf(scene.pins).map((pin, k) => (k === 0 ? { ...(pin as SceneJson), hold: 'hinge', axis } : pin)),
    }),
);

const branch: fc.Arbitrary<Change> = between(0.2, 1).map(
  (u): Change =>
    (scene) => {
      const [first] = rodsOf(scene);
      const [from, to] = [(first.shape as { readonly from?: Triple }).from, endOf(first)];
      if (!from || !to) return scene;
      const start = from.map((x, k) => x + u * (to[k] - x));
      const shape = { type: 'straight', from: start, to: [start[0], start[1] + 0.1, start[2] + 0.05] };
      return {
        ...scene,
        rods: [...rodsOf(scene), { ...first, id: 'branch', shape, parent: { rod: 'r0', at: { u } } }],
      };
    },
);

const batch = fc.constant<Change>((scene) => ({
  ...scene,
  rods: rodsOf(scene).map((rod) => ({ ...rod, inextensible: true })),
  solver: { der: { backend: 'batch' } },
}));

const settings: fc.Arbitrary<Change> = fc.constantFrom<Change[]>(
  (scene) => ({ ...scene, rods: rodsOf(scene).map((rod) => ({ ...rod, inextensible: true })) }),
  (scene) => ({ ...scene, contact: { friction: { static: 0.5, dynamic: 0.3 }, rolling: true } }),
  (scene) => ({ ...scene, contact: { friction: 0.3, solver: 'gauss-seidel' } }),
);

/** Changes, and the models that do not refuse them all. */
const changes: readonly { readonly change: fc.Arbitrary<Change>; readonly models?: readonly FuzzModel[] }[] = [
  ...[pinAtEnd, natural, taper, load, air, velocity, otherModel, damped, settings].map((change) => ({ change })),
  { change: body, models: ['der', 'strand'] },
  { change: link, models: ['der', 'strand', 'helix', 'fiber'] },
  { change: ball, models: ['der', 'strand', 'helix', 'fiber'] },
  { change: animated, models: ['der', 'strand', 'helix', 'cosserat'] },
  { change: law, models: ['der'] },
  { change: batch, models: ['der'] },
  { change: hinge, models: ['der'] },
  { change: branch, models: ['strand'] },
];

/** A scene that should run, or be refused with a reason: a plain one with one to three changes. */
export function richScenes(only?: FuzzModel): fc.Arbitrary<SceneJson> {
  return scenes(only).chain((scene) => {
    const model = rodsOf(scene)[0].model as FuzzModel;
    const own = changes.filter(({ models }) => models?.includes(model) ?? true).map(({ change }) => change);
    return fc
      .array(fc.oneof(...own), { minLength: 1, maxLength: 3 })
      .map((list) => list.reduce((out, change) => change(out), scene));
  });
}
