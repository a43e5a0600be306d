/**
 * The scene file: one schema that gives validation, messages, the TypeScript type and the JSON Schema for editors.
 *
 * Input may have units; output is core's `Scene` in SI. Checks that need more than one field (does the rod of a pin exist, do nodes coincide) are in core:
 * it throws SceneError, and `explainSceneError` finds the line.
 */
import {
  bodyQuantities,
  type ColliderSpec,
  channelNames,
  type PinSpec,
  type Scene,
  type WeldSpec,
} from '@tendril-sim/core';
import * as z from 'zod';
import { body, engine, weld } from './schema/body.ts';
import { collider, contact, type MeshFileSpec } from './schema/collider.ts';
import { field, load, location, type NamesRods, pin } from './schema/drive.ts';
import { type StrandsSpec, strands } from './schema/files.ts';
import { link, weave } from './schema/link.ts';
import {
  count,
  either,
  fields,
  list,
  quantity,
  show,
  text,
  timed,
  vector,
  type Written,
  whole,
  words,
} from './schema/primitives.ts';
import { material, rod, section } from './schema/rod.ts';
import { solver } from './schema/solver.ts';
import type { FieldInFile } from './schema/wind.ts';

/** A scene as a file or a program may write it, with units in text. Slightly more permissive than the reader. */
export type SceneInput = Written<Scene>;

/** The version of the scene format that this package reads. */
export const sceneVersion = 1;

function versionMessage(input: unknown): string {
  if (input === undefined) return 'missing; write "tendril: 1", the version of the scene format';
  if (typeof input === 'number' && input > sceneVersion) {
    return `this scene has format ${input}, which is newer than the format ${sceneVersion} read here: update Tendril`;
  }
  return `expected 1, the version of the scene format, got ${show(input)}`;
}

const gravity = either('an acceleration such as [0, 0, "-9.81 m/s^2"], or { acceleration, factor }', [
  vector('acceleration'),
  fields('gravity', {
    acceleration: vector('acceleration').describe('Acceleration [m/s²].'),
    factor: timed.optional().describe('Factor in time. Default 1.'),
  }),
]);

const time = fields('time', {
  duration: quantity('time', 'nonnegative').describe('How long to simulate [s].'),
  step: quantity('time', 'positive').describe('Time step [s].'),
  halvings: whole(0).optional().describe('How often a failed step may be halved before the run stops. Default 8.'),
});

const statics = fields('statics', {
  from: quantity('time')
    .optional()
    .describe('First instant [s], or first value of the parameter in SI units. Default 0.'),
  to: quantity('time')
    .optional()
    .describe('Last instant [s], or last value of the parameter in SI units. Default: `from`.'),
  parameter: text('a field of the scene')
    .optional()
    .describe(
      'Number of the scene that goes from `from` to `to` in place of time, such as rods.0.section.EI1; pins and factors are those of t = 0.',
    ),
  steps: whole(1)
    .optional()
    .describe('Equilibria are found at steps + 1 instants of [from, to]. Default: one equilibrium.'),
  stability: words(['seek', 'report'])
    .optional()
    .describe('seek (default): leave unstable equilibria; report: stay and say so.'),
  tolerance: count('positive')
    .optional()
    .describe('Stop when the largest residual force is below tolerance × the force scale. Default 1e-10.'),
  follow: words(['instants', 'branch'])
    .optional()
    .describe(
      'instants (default): equilibria at instants of [from, to]; branch: along the branch that starts at `from`, through folds, until t leaves [from, to].',
    ),
  stride: count('positive')
    .optional()
    .describe(
      "Of a branch: longest distance between points, as a part of the rod's length and of the range of t. Default 0.05.",
    ),
  points: whole(2).optional().describe('Of a branch: most points. Default 1000.'),
  switches: whole(0)
    .optional()
    .describe('Of a branch: how many bifurcations deep side branches are followed. Default 0.'),
});

const modes = fields('modes', {
  count: whole(1).optional().describe('How many modes. Default 10.'),
  about: words(['equilibrium', 'initial']).optional().describe('About the equilibrium (default) or the initial shape.'),
});

const probeName = text('a name').optional().describe('Name in the output. Default: composed of the other fields.');
const rodProbe = fields('a probe on a rod', {
  name: probeName,
  rod: text("the rod's name").describe('Name of the rod.'),
  at: location.describe('Where on the rod.'),
  quantity: words(['position', 'velocity', 'tangent', 'd1', ...channelNames])
    .optional()
    .describe('What to measure. Default position.'),
});
const bodyProbe = fields('a probe of a body', {
  name: probeName,
  body: text("the body's name").describe('Name of the body.'),
  quantity: words([...bodyQuantities])
    .optional()
    .describe('What to measure. Default position.'),
});
const probe = either('a probe with rod and at, or with body', [rodProbe, bodyProbe]);

const sceneFields = {
  tendril: z
    .literal(sceneVersion, { error: ({ input }) => versionMessage(input) })
    .describe('Version of the scene format: 1.'),
  title: text('a title').optional().describe('Title, shown with results.'),
  description: text('a description').optional().describe('What the scene is about, for people.'),
  gravity: gravity
    .optional()
    .describe('Acceleration of gravity [m/s²], such as [0, 0, -9.81], or with a factor in time. Default none.'),
  materials: z
    .record(z.string(), material, { error: 'expected names with a material each' })
    .optional()
    .describe('Materials by name, for rods to refer to.'),
  sections: z
    .record(z.string(), section, { error: 'expected names with a section each' })
    .optional()
    .describe('Sections by name, for rods to refer to.'),
  rods: list(rod, 'rods', 1).describe('The rods; at least one.'),
  pins: list(pin, 'pins').optional().describe('Where rods are held or moved. Default none.'),
  bodies: list(body, 'bodies').optional().describe('Rigid bodies that rods are welded to. Default none.'),
  welds: list(weld, 'welds').optional().describe('Which rods are tied to which bodies, and where. Default none.'),
  links: list(link, 'links').optional().describe('Springs that join rods, or hang them from points. Default none.'),
  weaves: list(weave, 'weaves', 1).optional().describe('Woven cloth: becomes rods and links. Default none.'),
  engine: engine.optional().describe('Joints, motors and collisions of bodies by another program. Default none.'),
  loads: list(load, 'loads').optional().describe('Forces and torques on rods. Default none.'),
  fields: list(field, 'fields').optional().describe('Air and force fields. Default none.'),
  colliders: list(collider, 'colliders').optional().describe('Obstacles that rods meet. Default none.'),
  contact: contact.optional().describe('How rods meet each other and obstacles. Default: rods do not meet each other.'),
  time: time.optional().describe('Simulated time; needed to run.'),
  statics: statics.optional().describe('How equilibria are found.'),
  modes: modes.optional().describe('Which natural modes are found.'),
  solver: solver.optional().describe('Options of each model.'),
  output: fields('output', {
    every: quantity('time', 'positive')
      .optional()
      .describe('Time between recorded frames [s]. Default duration/100, at least one step.'),
    probes: list(probe, 'probes').optional().describe('Quantities to follow in time. Default none.'),
  })
    .optional()
    .describe('What is recorded.'),
};

const strandsField = list(strands, 'strands', 1);

/** A scene as it is in a file: parts of it may lie in files beside it. `resolveScene` fetches them. */
export type SceneFile = Omit<Scene, 'rods' | 'colliders' | 'fields'> & {
  readonly rods?: Scene['rods'];
  readonly fields?: readonly FieldInFile[];
  readonly colliders?: readonly (ColliderSpec | MeshFileSpec)[];
  readonly strands?: readonly StrandsSpec[];
};

/** Additional forms in files: pins and welds of many rods by a pattern. */
type SceneText = Omit<SceneFile, 'pins' | 'welds'> & {
  readonly pins?: readonly NamesRods<PinSpec>[];
  readonly welds?: readonly NamesRods<WeldSpec>[];
};

const strandsText = 'Rods from files of curves, many at once. Default none.';

/** Rods, and perhaps more of them from files. */
export const sceneSchema: z.ZodType<SceneFile & Pick<Scene, 'rods'>, Written<SceneText>> = fields('a scene', {
  ...sceneFields,
  strands: strandsField.optional().describe(strandsText),
});

/** If files or weaves provide rods, the scene itself need not have any. */
export const strandsSceneSchema: z.ZodType<SceneFile, Written<SceneText>> = fields('a scene', {
  ...sceneFields,
  rods: list(rod, 'rods').optional().describe('The rods.'),
  strands: strandsField.optional().describe(strandsText),
});

/** JSON Schema 2020-12 of the scene file, for editors and other programs. */
export function sceneJsonSchema(): object {
  const { $schema, ...schema } = z.toJSONSchema(sceneSchema, { io: 'input', unrepresentable: 'any' });
  return {
    $schema,
    $id: `urn:tendril:scene:${sceneVersion}`,
    title: 'Tendril scene',
    description:
      'A scene of Tendril: rods, what holds them and what acts on them. A number is SI; text carries its unit.',
    ...(plainLists({
      ...schema,
      required: ['tendril'],
      anyOf: [{ required: ['rods'] }, { required: ['strands'] }, { required: ['weaves'] }],
    }) as object),
  };
}

/** Lists of fixed length as `items` with a length: `prefixItems` is unknown to editors that stop at an older draft. */
function plainLists(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(plainLists);
  if (typeof node !== 'object' || node === null) return node;
  const { prefixItems, items, ...rest } = node as Record<string, unknown>;
  const plain = Object.fromEntries(Object.entries(rest).map(([key, value]) => [key, plainLists(value)]));
  if (!Array.isArray(prefixItems)) return items === undefined ? plain : { ...plain, items: plainLists(items) };
  const kinds = [...new Map(prefixItems.map((item) => [JSON.stringify(item), plainLists(item)])).values()];
  const count = prefixItems.length;
  return { ...plain, items: kinds.length === 1 ? kinds[0] : { anyOf: kinds }, minItems: count, maxItems: count };
}
