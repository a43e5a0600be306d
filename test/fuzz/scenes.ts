/** Random scenes of every model, and random damage to them, for fast-check to draw and to shrink. All values are SI. */
import { sceneJsonSchema } from '@tendril-sim/io';
import fc from 'fast-check';

export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };
export type SceneJson = { readonly [key: string]: Json };

export const modelNames = ['der', 'strand', 'helix', 'fiber', 'cosserat', 'massspring'] as const;
export type FuzzModel = (typeof modelNames)[number];

const integrators: Readonly<Record<FuzzModel, readonly string[]>> = {
  der: ['tr-bdf2', 'bdf2', 'implicit-euler', 'midpoint', 'shake', 'fast-projection'],
  strand: ['bdf2', 'implicit-euler'],
  helix: ['implicit-euler', 'bdf2', 'semi-implicit'],
  fiber: ['energy-momentum', 'midpoint', 'implicit-euler'],
  cosserat: ['tr-bdf2', 'implicit-euler', 'midpoint', 'verlet'],
  massspring: [],
};

/** Model and integrator with which rods can touch. */
const touching: ReadonlySet<string> = new Set([
  ...['tr-bdf2', 'bdf2', 'implicit-euler', 'midpoint'].map((one) => `der ${one}`),
  ...integrators.helix.map((one) => `helix ${one}`),
  ...integrators.strand.map((one) => `strand ${one}`),
  ...integrators.fiber.map((one) => `fiber ${one}`),
]);

/** Models of which a rod may be a ring. */
const closing: ReadonlySet<FuzzModel> = new Set(['der', 'cosserat'] as const);

/** Four digits are enough, and make a failure readable. */
const round = (value: number): number => Number(value.toPrecision(4));
/** A thousand values: numbers that hardly differ from the ends find nothing. */
export const between = (min: number, max: number): fc.Arbitrary<number> =>
  fc.integer({ min: 0, max: 1000 }).map((k) => round(min + ((max - min) * k) / 1000));
/** Evenly over orders of magnitude. */
export const magnitude = (min: number, max: number): fc.Arbitrary<number> =>
  between(Math.log10(min), Math.log10(max)).map((exponent) => round(10 ** exponent));
export const vector = (most: number): fc.Arbitrary<[number, number, number]> =>
  fc.tuple(between(-most, most), between(-most, most), between(-most, most));

/** Straight, bent or coiled; along x, so that d1 along z is never along the rod. */
function shape(length: number, row: number, model: FuzzModel): fc.Arbitrary<SceneJson> {
  const y = round(0.07 * row);
  return fc.oneof(
    { weight: 3, arbitrary: fc.constant<SceneJson>({ type: 'straight', from: [0, y, 0], to: [length, y, 0] }) },
    {
      weight: 2,
      arbitrary: fc.array(vector(0.3), { minLength: 2, maxLength: 8 }).map((steps): SceneJson => {
        const h = length / steps.length;
        const points: [number, number, number][] = [[0, y, 0]];
        for (const [, b, c] of steps) {
          const [px, py, pz] = points[points.length - 1];
          points.push([round(px + h), round(py + h * b), round(pz + h * c)]);
        }
        return { type: 'points', points };
      }),
    },
    {
      weight: closing.has(model) ? 1 : 0,
      arbitrary: fc.constant<SceneJson>({ type: 'ring', radius: round(length / 6.28), center: [0, y, 0] }),
    },
    {
      weight: 1,
      arbitrary: between(0.5, 3).map(
        (turns): SceneJson => ({
          type: 'helix',
          radius: round(length / 20),
          pitch: round(length / 4),
          turns,
          axis: [1, 0, 0],
          center: [0, y, 0],
        }),
      ),
    },
  );
}

const section = (model: FuzzModel): fc.Arbitrary<SceneJson> =>
  fc.oneof(
    { weight: 3, arbitrary: magnitude(1e-4, 1e-2).map((radius): SceneJson => ({ type: 'circle', radius })) },
    {
      weight: model === 'massspring' ? 0 : 1,
      arbitrary: fc
        .tuple(magnitude(2e-4, 5e-3), magnitude(2e-4, 5e-3))
        .map(([a, b]): SceneJson => ({ type: 'ellipse', a, b })),
    },
  );

/** Schemes without stiffness damping, which would only be refused. */
const undamped: ReadonlySet<string | undefined> = new Set(['verlet', 'shake', 'fast-projection']);

const material = (hasDamping: boolean): fc.Arbitrary<SceneJson> =>
  fc
    .record({ E: magnitude(1e5, 1e11), nu: between(0, 0.5), density: magnitude(300, 1e4), calm: magnitude(1e-5, 1e-2) })
    .chain(({ calm, ...rest }) =>
      fc
        .boolean()
        .map((wanted): SceneJson => ({ ...rest, ...(wanted && hasDamping && { damping: { stiffness: calm } }) })),
    );

interface Pile {
  readonly model: FuzzModel;
  readonly count: number;
  readonly hasDamping: boolean;
  /** Time that the scene lasts [s]. */
  readonly duration: number;
}

/** Rods that cross one above the other, fall on each other, and meet within the scene. */
function pile({ model, count, hasDamping, duration }: Pile): fc.Arbitrary<readonly SceneJson[]> {
  const one = fc.record({
    length: magnitude(0.05, 1),
    edges: fc.integer({ min: 4, max: 8 }),
    radius: magnitude(2e-4, 5e-3),
    material: material(hasDamping),
    /** Part of the duration after which it meets the rod below. */
    meets: between(0, 1),
    angle: between(0, 3.14),
    at: between(0, 1),
    speed: magnitude(0.01, 5),
    drift: vector(0.3),
  });
  return fc.tuple(...Array.from({ length: count }, () => one)).map((rods) => {
    let height = 0;
    return rods.map(({ length, edges, radius, material: stuff, meets, angle, at, speed, drift }, row): SceneJson => {
      const gap = Math.min(radius, meets * speed * duration);
      height += row === 0 ? 0 : round(rods[row - 1].radius + radius + gap);
      const along = [length * Math.cos(angle), length * Math.sin(angle)];
      const place = (part: number): readonly number[] => [
        round(part * along[0]),
        round(part * along[1]),
        round(height),
      ];
      return {
        id: `r${row}`,
        model,
        shape: { type: 'straight', from: place(-at), to: place(1 - at) },
        frame: { d1: [0, 0, 1] },
        edges,
        section: { type: 'circle', radius },
        material: stuff,
        ...(row > 0 && { velocity: { linear: [drift[0], drift[1], -speed] } }),
      };
    });
  });
}

function rod(model: FuzzModel, row: number, hasDamping: boolean): fc.Arbitrary<SceneJson> {
  return fc
    .record({
      length: magnitude(0.05, 1),
      edges: fc.integer({ min: 4, max: 10 }),
      section: section(model),
      material: material(hasDamping),
    })
    .chain(({ length, ...rest }) =>
      shape(length, row, model).map(
        (curve): SceneJson => ({ id: `r${row}`, model, shape: curve, frame: { d1: [0, 0, 1] }, ...rest }),
      ),
    );
}

function pins(row: number, model: FuzzModel): fc.Arbitrary<readonly Json[]> {
  const held = { rod: `r${row}`, at: 'start' };
  const isClamped = model === 'helix';
  return fc.oneof(
    { weight: 3, arbitrary: fc.constant<readonly Json[]>([{ ...held }]) },
    { weight: isClamped ? 0 : 1, arbitrary: fc.constant<readonly Json[]>([{ ...held, hold: 'position' }]) },
    { weight: isClamped ? 0 : 1, arbitrary: fc.constant<readonly Json[]>([]) },
    {
      weight: 1,
      arbitrary: fc
        .tuple(vector(0.02), vector(0.5))
        .map(([offset, rotation]): readonly Json[] => [
          { ...held, path: { keys: [{ time: 0 }, { time: 0.05, offset, rotation }] } },
        ]),
    },
  );
}

/** Now and then: three times in four, nothing. */
const seldom = (arbitrary: fc.Arbitrary<number>): fc.Arbitrary<number | null> =>
  fc.oneof({ weight: 3, arbitrary: fc.constant(null) }, { weight: 1, arbitrary });

/** Parts that a scene may have or not. */
const extras = fc.record({
  gravity: fc.option(vector(12)),
  force: fc.option(vector(0.05)),
  wind: seldom(between(0, 20)),
  floor: seldom(between(-0.2, -0.005)),
  contact: fc.option(between(0, 0.8), { freq: 2 }),
  /** Rods lie in a pile, and touch. */
  piled: fc.boolean(),
});

/** A scene that should run, or be refused with a reason. */
export function scenes(only?: FuzzModel): fc.Arbitrary<SceneJson> {
  return fc
    .record({
      model: only === undefined ? fc.constantFrom(...modelNames) : fc.constant(only),
      count: fc.integer({ min: 1, max: 3 }),
      step: magnitude(1e-4, 5e-3),
      steps: fc.integer({ min: 3, max: 6 }),
      extras,
      integrator: fc.nat(),
    })
    .chain(({ model, count, step, steps, extras: more, integrator }) => {
      const choices = integrators[model];
      const option = choices.length > 0 ? choices[integrator % choices.length] : undefined;
      const touches = touching.has(`${model} ${option}`);
      const isPile = touches && more.contact !== null && more.piled;
      const rows = Array.from({ length: isPile ? Math.max(2, count) : count }, (_, row) => row);
      // explicit, in as many pieces as its stability takes
      const dt = option === 'verlet' ? round(0.02 * step) : step;
      const hasDamping = model !== 'fiber' && !undamped.has(option);
      return fc
        .record({
          rods: isPile
            ? pile({ model, count: rows.length, hasDamping, duration: step * steps })
            : fc.tuple(...rows.map((row) => rod(model, row, hasDamping))),
          pins: fc.tuple(...rows.map((row) => pins(row, model))).map((lists) => lists.flat()),
        })
        .map((parts): SceneJson => {
          const { gravity, force, wind } = more;
          // who cannot touch would only be refused
          const { floor, contact } = touches ? more : { floor: null, contact: null };
          return {
            tendril: 1,
            ...(gravity && { gravity }),
            ...parts,
            ...(force && { loads: [{ type: 'force', rod: 'r0', at: 'end', force }] }),
            ...(wind !== null && {
              fields: [{ type: 'force', per: 'mass', formula: [`${wind} * sin(30 * t)`, '0', '0'] }],
            }),
            ...(floor !== null && {
              colliders: [{ id: 'floor', type: 'plane', position: [0, 0, floor], friction: 0.3 }],
            }),
            ...(contact !== null && { contact: { friction: contact } }),
            time: { duration: round(dt * steps), step: dt, halvings: 4 },
            ...(option !== undefined && { solver: { [model]: { integrator: option } } }),
          };
        });
    });
}

/** Values that a field should not have, or hardly. */
const odd: fc.Arbitrary<Json> = fc.constantFrom<Json>(
  null,
  true,
  0,
  -1,
  1e-300,
  1e300,
  -0,
  '',
  'x',
  '1 kg',
  '1e400 m',
  '__proto__',
  [],
  {},
  [0, 0, 0],
  [[[]]],
  { type: 'circle' },
);

type Schema = { readonly [key: string]: unknown };

/** A value that the JSON Schema of a field allows. */
function fromSchema(schema: Schema, depth = 0): fc.Arbitrary<Json> {
  const forms = (schema.anyOf ?? schema.oneOf) as readonly Schema[] | undefined;
  if (depth > 6) return odd;
  if (forms) return fc.nat().chain((k) => fromSchema(forms[k % forms.length], depth + 1));
  if (schema.const !== undefined) return fc.constant(schema.const as Json);
  if (Array.isArray(schema.enum)) return fc.constantFrom(...(schema.enum as Json[]));
  if (schema.type === 'integer') return fc.integer({ min: 0, max: 30 });
  if (schema.type === 'number') return fc.oneof(between(-2, 2), magnitude(1e-6, 1e6));
  if (schema.type === 'boolean') return fc.boolean();
  if (schema.type === 'string') return fc.constantFrom('r0', 'start', 'sin(t)', '1 cm', '2 ms', 'floor');
  if (schema.type === 'array') {
    const items = (schema.items ?? {}) as Schema;
    const least = Number(schema.minItems ?? 0);
    return fc.array(fromSchema(items, depth + 1), {
      minLength: least,
      maxLength: Math.min(3 + least, Number(schema.maxItems ?? 9)),
    });
  }
  if (schema.type === 'object') {
    const properties = (schema.properties ?? {}) as Readonly<Record<string, Schema>>;
    const required = new Set((schema.required ?? []) as readonly string[]);
    const fields = Object.fromEntries(
      Object.entries(properties).map(([key, one]) => [key, fromSchema(one, depth + 1)]),
    );
    return fc.record(fields, { requiredKeys: Object.keys(fields).filter((key) => required.has(key)) });
  }
  return odd;
}

const topLevel = (sceneJsonSchema() as { readonly properties: Readonly<Record<string, Schema>> }).properties;

/** One field of the scene as the schema allows it, whatever the others are. */
const schemaField: fc.Arbitrary<readonly [string, Json]> = fc
  .constantFrom(...Object.keys(topLevel).filter((key) => key !== 'tendril' && key !== 'strands'))
  .chain((key) => fromSchema(topLevel[key]).map((value) => [key, value] as const));

/** A scene that may be wrong anywhere: fields replaced by odd values or removed, others added as the schema has them. */
export function damagedScenes(only?: FuzzModel): fc.Arbitrary<SceneJson> {
  return fc
    .tuple(
      scenes(only),
      fc.array(fc.tuple(fc.nat(), fc.option(odd, { nil: undefined })), { maxLength: 3 }),
      fc.array(schemaField, { maxLength: 2 }),
    )
    .map(([scene, damages, added]) => {
      let out: Json = { ...scene, ...Object.fromEntries(added) };
      for (const [place, value] of damages) {
        const paths = [...leaves(out)];
        out = replaceAt(out, paths[place % paths.length], value);
      }
      // a longer run would only take longer
      return keepShort(out as SceneJson);
    });
}

function keepShort(scene: SceneJson): SceneJson {
  const { time } = scene as { readonly time?: { readonly duration?: Json; readonly step?: Json } };
  if (typeof time?.duration !== 'number' || typeof time.step !== 'number') return scene;
  return { ...scene, time: { ...time, duration: Math.min(time.duration, 6 * time.step) } };
}

function* leaves(value: Json, path: readonly string[] = []): Generator<readonly string[]> {
  if (path.length > 0) yield path;
  if (typeof value !== 'object' || value === null) return;
  for (const [key, child] of Object.entries(value)) yield* leaves(child, [...path, key]);
}

/** Undefined removes the field. */
function replaceAt(value: Json, [key, ...rest]: readonly string[], replacement: Json | undefined): Json {
  if (Array.isArray(value)) {
    const k = Number(key);
    if (rest.length === 0 && replacement === undefined) return value.filter((_, i) => i !== k);
    return value.map((item: Json, i) =>
      i !== k ? item : rest.length === 0 ? (replacement as Json) : replaceAt(item, rest, replacement),
    );
  }
  const fields = value as SceneJson;
  if (rest.length > 0) return { ...fields, [key]: replaceAt(fields[key], rest, replacement) };
  const { [key]: _, ...others } = fields;
  return replacement === undefined ? others : { ...others, [key]: replacement };
}
