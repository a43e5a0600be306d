import { type Scene, SceneError } from '@tendril-sim/core';
import { describe, expect, it } from 'vitest';
import {
  explainSceneError,
  InputError,
  parseScene,
  type SceneInput,
  sceneFromObject,
  type sceneSchema,
} from '../src/index.ts';

// The output of the schema is a Scene but for meshes and wind in files, and what is no Scene does not pass for one.
const asserted: Omit<Scene, 'colliders' | 'fields'> = {} as ReturnType<typeof sceneSchema.parse>;
// @ts-expect-error a scene without rods
const refused: SceneInput = { tendril: 1 };
void asserted;
void refused;

const everything = `
tendril: 1
title: Everything
description: every feature of the format
gravity: { acceleration: [0, 0, -1 g0], factor: { keys: [[0, 0], [1 s, 1]], interpolation: linear } }
materials:
  hair: &hair { E: 3.58 GPa, nu: 0.35, density: 1.32 g/cm^3, damping: { mass: 0.1 1/s, stiffness: 1 ms } }
  soft: { <<: *hair, E: { formula: 1e6*(1+u) } }
  steel: { E: 200 GPa, G: 80 GPa, density: 7850 }
sections:
  round: { type: circle, radius: 0.06 mm }
  oval: { type: ellipse, a: 1 mm, b: { along: [[0, 1 mm], [0.5, 2 mm], [0.5, 1 mm], [1, 1e-3]] } }
  tube: { type: annulus, outer: 2 mm, inner: 1 mm }
  strip: { type: rectangle, width: 10 mm, height: 0.5 mm }
  given: { type: stiffness, EA: 10 N, EI1: 1 N*mm^2, EI2: 2 N mm^2, GJ: 1 N*mm², mass: 5 g/m, inertia: 0, radius: 1 mm, damping: {} }
rods:
  - { id: a, model: der, shape: { type: straight, from: [0, 0, 0], to: [10 cm, 0, 0] }, edges: 20, section: round, material: hair }
  - id: b
    shape: { type: arc, from: [0, 0, 0], tangent: [1, 0, 0], normal: [0, 1, 0], radius: 5 cm, angle: 90 deg }
    frame: { d1: [0, 0, 1], follow: curve, twist: 2 turns }
    natural: straight
    section: oval
    material: soft
    inextensible: true
    velocity: { linear: [1 m/s, 0, 0], angular: [0, 0, 30 deg/s] }
  - id: c
    shape: { type: helix, center: [0, 0, 0], axis: [0, 0, 1], start: [1, 0, 0], radius: 1 cm, pitch: 5 mm, turns: 4, handedness: left }
    natural: { shape: { type: straight, from: [0, 0, 0], to: [0, 0, 1] }, frame: { twist: { along: [[0, 0], [1, 1 turn]] } }, length: 30 cm }
    section: tube
    material: steel
  - { id: d, shape: { type: ring, radius: 5 cm }, closed: true, natural: initial, section: strip, material: { E: 1 MPa, nu: 0.5, density: 1000 } }
  - { id: e, shape: { type: formula, x: u, y: sin(2*pi*u), z: 0 }, natural: { curvature: [0, 20 1/m, { formula: s }] }, section: given }
  - { id: f, shape: { type: points, points: [[0, 0, 0], [1 cm, 0, 0], [2 cm, 1 mm, 0]] }, section: { type: circle, radius: 1e-3 }, material: steel }
pins:
  - { rod: a, at: start }
  - { rod: a, at: end, hold: position, axes: [x, z], position: [10 cm, 0, 0], release: 2 s }
  - { rod: b, at: { node: 3 }, hold: frame, tangent: [1, 0, 0], d1: [0, 1, 0] }
  - { rod: b, at: { u: 0.5 }, hold: tangent }
  - rod: c
    at: { s: 2 cm }
    path: { interpolation: step, keys: [{ time: 0 }, { time: 1 s, offset: [0, 0, 1 cm], rotation: [0, 0, 3 turns], twist: -90 deg }] }
loads:
  - { rod: a, type: force, at: end, force: [0, 0, -1 mN], factor: { formula: sin(t) } }
  - { rod: a, type: torque, at: end, torque: [0, 0, 1 mN*m], frame: material, factor: 2 }
  - { rod: a, type: distributed, force: [0, 0, 1 N/m], from: 0.25, to: 0.75 }
fields:
  - { type: air, rods: [a, b], wind: [2 m/s, 0, 0], linear: [1e-3, 1e-4 N*s/m^2], quadratic: { density: 1.2 kg/m^3, normal: 1.2, tangential: 0 } }
  - { type: air, wind: [2*sin(t), 0, z], factor: 1 }
  - { type: force, per: mass, formula: [0, 0, -x] }
time: { duration: 2 s, step: 1 ms, halvings: 4 }
statics: { from: 0, to: 1 s, steps: 10, stability: report, tolerance: 1.0e-9 }
modes: { count: 6, about: initial }
solver: { der: { integrator: bdf2, strain: bergou2008, twist: quasistatic, tolerance: 1e-8, iterations: 30 } }
output: { every: 10 ms, probes: [{ name: tip, rod: a, at: end, quantity: velocity }, { rod: b, at: { u: 1 } }] }
`;

const fail = (text: string): InputError => {
  try {
    parseScene(text, 'scene.yaml');
  } catch (error) {
    if (error instanceof InputError) return error;
    throw error;
  }
  throw new Error('accepted');
};

/** A scene with one rod of which one line is replaced. */
const scene = (lines: string): string => `tendril: 1
rods:
  - id: hair
    shape: { type: straight, from: [0, 0, 0], to: [1, 0, 0] }
    ${lines}
`;
const material = 'material: { E: 1 GPa, nu: 0.3, density: 1000 }';

describe('scene', () => {
  it('keeps one what was written once: the path of many pins', () => {
    const text = `
tendril: 1
rods:
  - { id: a, shape: { type: straight, from: [0, 0, 0], to: [1, 0, 0] }, edges: 4, section: { type: circle, radius: 1 mm }, ${material} }
pins:
  - { rod: a, at: start, path: &way { keys: [{ time: 0 }, { time: 1, offset: [1 cm, 0, 0] }] } }
  - { rod: a, at: end, path: *way }
  - { rod: a, at: { node: 2 }, path: { keys: [{ time: 0 }, { time: 1, offset: [1 cm, 0, 0] }] } }
`;
    const { pins = [] } = parseScene(text, 'shared.yaml').scene;
    expect(pins[1].path).toBe(pins[0].path);
    expect(pins[2].path).not.toBe(pins[0].path);
    expect(pins[2].path).toEqual(pins[0].path);
    expect(pins[0].path?.keys[1].offset).toEqual([0.01, 0, 0]);
  });

  it('accepts every feature, in SI', () => {
    const { scene: s } = parseScene(everything, 'all.yaml');
    expect(s.gravity).toEqual({
      acceleration: [0, 0, -9.80665],
      factor: {
        keys: [
          [0, 0],
          [1, 1],
        ],
        interpolation: 'linear',
      },
    });
    expect(s.materials?.hair).toEqual({ E: 3.58e9, nu: 0.35, density: 1320, damping: { mass: 0.1, stiffness: 0.001 } });
    expect(s.materials?.soft.E).toEqual({ formula: '1e6*(1+u)' });
    expect(s.sections?.oval).toMatchObject({
      b: {
        along: [
          [0, 1e-3],
          [0.5, 2e-3],
          [0.5, 1e-3],
          [1, 1e-3],
        ],
      },
    });
    expect(s.sections?.given).toMatchObject({ EI1: 1e-6, EI2: 2e-6, GJ: 1e-6, mass: 0.005, inertia: 0 });
    expect(s.rods[0].shape).toEqual({ type: 'straight', from: [0, 0, 0], to: [0.1, 0, 0] });
    expect(s.rods[1].frame?.twist).toBe(4 * Math.PI);
    expect(s.rods[4].shape).toEqual({ type: 'formula', x: 'u', y: 'sin(2*pi*u)', z: '0' });
    expect(s.rods[4].natural).toEqual({ curvature: [0, 20, { formula: 's' }] });
    expect(s.pins?.[4].path?.keys[1]).toEqual({
      time: 1,
      offset: [0, 0, 0.01],
      rotation: [0, 0, 6 * Math.PI],
      twist: -Math.PI / 2,
    });
    expect(s.fields?.[0]).toMatchObject({ wind: [2, 0, 0], linear: [1e-3, 1e-4] });
    expect(s.fields?.[1]).toMatchObject({ wind: ['2*sin(t)', '0', 'z'] });
    expect(s.fields?.[2]).toMatchObject({ formula: ['0', '0', '-x'] });
    expect(s.output?.every).toBe(0.01);
    expect(Object.isFrozen(s.rods[0].shape)).toBe(true);
  });

  it('reads its own output again, and JSON with tabs', () => {
    const { scene: s } = parseScene(everything, 'all.yaml');
    expect(parseScene(JSON.stringify(s, null, '\t'), 'all.json').scene).toEqual(s);
    expect(sceneFromObject(s)).toEqual(s);
  });

  it('places an error at its value', () => {
    const error = fail(scene(`section: { type: circle, radius: 5 kg }\n    ${material}`));
    expect(error.message).toBe(
      'scene.yaml:5:38 rods[0].section.radius: expected a length such as "5 mm" or a number in metres, got "5 kg"',
    );
    expect([error.source, error.line, error.column, error.path]).toEqual([
      'scene.yaml',
      5,
      38,
      'rods[0].section.radius',
    ]);
  });

  it('suggests the nearest field, once', () => {
    expect(fail(scene(`section: { type: circle, radious: 5 mm }\n    ${material}`)).message).toBe(
      "scene.yaml:5:30 rods[0].section.radious: unknown field 'radious'; did you mean 'radius'?",
    );
    expect(fail(scene(`section: { type: circle, radius: 5 mm, a: 1 }\n    ${material}`)).message).toBe(
      "scene.yaml:5:44 rods[0].section.a: unknown field 'a'; a circle has type, radius",
    );
  });

  const messages: [string, string, RegExp][] = [
    [
      'missing unit',
      `section: { type: circle, radius: "5" }\n    ${material}`,
      /:5:38 .*: missing unit: expected a length/,
    ],
    [
      'dimensionless text',
      'section: x\n    material: { E: 1 GPa, nu: "0.3", density: 1 }',
      /:6:31 .*nu: .*write 0\.3 without quotes/,
    ],
    [
      'dimensionless unit',
      'section: x\n    material: { E: 1 GPa, nu: 3 mm, density: 1 }',
      /nu: expected a plain number without a unit, or .*, got "3 mm"/,
    ],
    ['G and nu', 'section: x\n    material: { E: 1, G: 1, nu: 0.3, density: 1 }', /:6:33 .*nu: give G or nu, not both/],
    [
      'neither G nor nu',
      'section: x\n    material: { E: 1, density: 1 }',
      /:6:15 rods\[0\]\.material: missing G or nu/,
    ],
    ['unknown type', 'section: { type: cirle, radius: 1 }', /:5:22 .*type: .*got "cirle"; did you mean 'circle'\?/],
    ['missing type', 'section: { radius: 1 }', /:5:14 .*section\.type: missing; expected the type of a section/],
    ['missing field', 'section: { type: circle }', /:5:14 .*radius: missing; expected a length/],
    ['enumeration', 'section: x\n    model: dir', /:6:12 .*model: expected one of 'der', .*did you mean 'der'\?/],
    ['not finite', 'section: { type: circle, radius: .inf }', /:5:38 .*expected a length.*got Infinity/],
    ['not a number', 'section: { type: circle, radius: .nan }', /got NaN/],
    [
      'infinite friction',
      'section: x\ncolliders: [{ type: plane, friction: .inf }]',
      /friction: expected a coefficient.*got Infinity; 1e3 is as good as no slip at all/,
    ],
    ['nothing', 'section:', /:5:\d+ rods\[0\]\.section: expected a section.*got nothing \(null\)/],
    ['negative', 'section: { type: circle, radius: -1 mm }', /must be positive, got "-1 mm"/],
    ['vector length', 'section: x\n    velocity: { linear: [0, 0] }', /:6:25 .*three values.*got a list of 2/],
    [
      'vector entry',
      'section: x\n    velocity: { linear: [0, 1 mm, 0] }',
      /:6:29 rods\[0\]\.velocity\.linear\[1\]: expected a velocity/,
    ],
    ['zero direction', 'section: x\n    frame: { d1: [0, 0, 0] }', /:6:18 .*a direction cannot be/],
    [
      'along order',
      'section: { type: circle, radius: { along: [[0.5, 1 mm], [0.2, 1 mm]] } }',
      /along\[1\]\[0\]: must not be less/,
    ],
    [
      'along unit',
      'section: { type: circle, radius: { along: [[0.5, 1 kg]] } }',
      /:5:54 .*along\[0\]\[1\]: expected a length/,
    ],
    ['along empty', 'section: { type: circle, radius: { along: [] } }', /expected at least 1 entry, got 0/],
    [
      'formula kind',
      'section: { type: circle, radius: { formula: [1] } }',
      /radius\.formula: expected an expression in u, s and L/,
    ],
    [
      'unknown form',
      'section: { type: circle, radius: { foo: 1 } }',
      /radius: expected a length.*\{ along.*got \{ foo \}/,
    ],
    ['edges', 'section: x\n    edges: 2.5', /edges: expected a whole number of at least 2, got 2\.5/],
    ['number as name', 'section: 5', /section: expected a section, or the name/],
  ];
  it.each(messages)('explains: %s', (_, lines, pattern) => {
    const { message } = fail(scene(lines));
    expect(message).toMatch(pattern);
    expect(message.split('\n')).toHaveLength(1);
  });

  it('explains places, keys and winds', () => {
    const base = scene(`section: x\n    ${material}`);
    const last = (text: string): string => fail(base + text).message;
    expect(last('pins: [{ rod: hair, at: begin }]')).toMatch(
      /:7:25 pins\[0\]\.at: expected a place on the rod: 'start'.*got "begin"/,
    );
    expect(last('pins: [{ rod: hair, at: { v: 1 } }]')).toMatch(
      /pins\[0\]\.at: expected a place on the rod.*got \{ v \}/,
    );
    expect(last('pins: [{ rod: hair, at: { u: 2 } }]')).toMatch(/:7:30 pins\[0\]\.at\.u: expected a number from 0/);
    expect(last('pins: [{ rod: hair, at: end, path: { keys: [{ time: 1 }, { time: 1 }] } }]')).toMatch(
      /keys\[1\]\.time: must be greater/,
    );
    expect(last('fields: [{ type: air, wind: [1 m/s, t, 0] }]')).toMatch(
      /:7:30 fields\[0\]\.wind\[0\]: "1 m\/s" has a unit/,
    );
    expect(last('fields: [{ type: air, wind: [1 kg, 0, 0] }]')).toMatch(/wind\[0\]: expected a velocity/);
    expect(last('fields: [{ type: air, wind: [max(x, 0), 0, 0] }]')).toMatch(
      /wind: .*; an expression with a comma needs quotes/,
    );
    expect(last('fields: [{ type: force, per: mass, formula: [0, 0, max(x, 0)] }]')).toMatch(
      /formula: .*comma needs quotes/,
    );
    expect(last('gravity: { acceleration: [0, 0, 1], factor: { formula: max(t, 1) } }')).toMatch(
      /'1\)'.*comma needs quotes/,
    );
    expect(last('gravity: 9.81')).toMatch(/:7:10 gravity: expected an acceleration such as \[0, 0, "-9\.81 m\/s\^2"\]/);
    expect(last('time: { duration: 1 s, dt: 1 ms }')).toBe(
      "scene.yaml:7:24 time.dt: unknown field 'dt'; did you mean 'step'?",
    );
  });

  it('reads wind from parts', () => {
    const base = scene(`section: x\n    ${material}`);
    const wind = (text: string): string => `${base}fields: [{ type: air, linear: [1, 1], wind: ${text} }]`;
    const parts = `{
      mean: [36 m/s, 0, 0], gust: { amplitude: 0.5, period: 200 ms },
      vortices: [{ center: [1 cm, 0, 0], axis: [0, 0, 2], circulation: -5 cm^2/s, core: 2 mm, velocity: [0, 1 cm/s, 0] }],
      turbulence: { intensity: 20 cm/s, length: 5 cm, octaves: 6, seed: 3, time: 1 min } }`;
    const [read] = parseScene(wind(parts), 'scene.yaml').scene.fields ?? [];
    const expected = {
      mean: [36, 0, 0],
      gust: { amplitude: 0.5, period: 0.2 },
      vortices: [{ center: [0.01, 0, 0], axis: [0, 0, 2], circulation: -5e-4, core: 0.002, velocity: [0, 0.01, 0] }],
      turbulence: { intensity: 0.2, length: 0.05, octaves: 6, seed: 3, time: 60 },
    };
    expect(read).toMatchObject({ wind: expected });
    expect(parseScene(wind(JSON.stringify(expected)), 'scene.yaml').scene.fields?.[0]).toEqual(read);
    expect(parseScene(wind('{}'), 'scene.yaml').scene.fields?.[0]).toMatchObject({ wind: {} });

    const vortex = (text: string): string => `{ vortices: [{ center: [0, 0, 0], ${text} }] }`;
    const problems: [string, RegExp][] = [
      [
        '3',
        /:7:\d+ fields\[0\]\.wind: expected a list of three velocities .* or \{ mean, gust, vortices, turbulence, grid \}/,
      ],
      ['{ means: [1, 0, 0] }', /wind\.means: unknown field 'means'; did you mean 'mean'\?/],
      ['{ mean: [1 kg, 0, 0] }', /wind\.mean\[0\]: expected a velocity/],
      ['{ mean: [t, 0, 0] }', /wind\.mean\[0\]: expected a velocity/],
      ['{ gust: { amplitude: 1, period: 0 } }', /wind\.gust\.period: must be positive, got 0/],
      ['{ gust: { amplitude: -1, period: 1 } }', /wind\.gust\.amplitude: must not be negative/],
      ['{ gust: { amplitude: 1 } }', /wind\.gust\.period: missing; expected a time/],
      [vortex('axis: [0, 0, 0], circulation: 1, core: 1'), /vortices\[0\]\.axis: a direction cannot be/],
      [vortex('axis: [0, 0, 1], circulation: 1 m/s, core: 1'), /circulation: expected a circulation such as/],
      [vortex('axis: [0, 0, 1], circulation: 1, core: 0 m'), /vortices\[0\]\.core: must be positive/],
      ['{ turbulence: { intensity: -1 m/s, length: 1 } }', /turbulence\.intensity: must not be negative/],
      ['{ turbulence: { intensity: 1, length: -1 } }', /turbulence\.length: must be positive/],
      [
        '{ turbulence: { intensity: 1, length: 1, octaves: 7 } }',
        /octaves: expected a whole number from 1 to 6, got 7/,
      ],
      [
        '{ turbulence: { intensity: 1, length: 1, octaves: 0 } }',
        /octaves: expected a whole number from 1 to 6, got 0/,
      ],
      ['{ turbulence: { intensity: 1, length: 1, seed: 0.5 } }', /seed: expected a whole number/],
    ];
    for (const [text, pattern] of problems) {
      const { message } = fail(wind(text));
      expect(message).toMatch(pattern);
      expect(message.split('\n'), text).toHaveLength(1);
    }
  });

  it('asks for its version and knows a newer one', () => {
    expect(fail('rods: [{ id: a, shape: { type: ring, radius: 1 }, section: x }]').message).toMatch(
      /^scene\.yaml:1:1 tendril: missing; write "tendril: 1"/,
    );
    expect(fail('tendril: 2\nropes: 5').message).toMatch(/^scene\.yaml:1:10 tendril: .* newer .*update Tendril$/);
    expect(fail('tendril: one').message).toMatch(/expected 1, the version/);
  });

  it('lists all problems in order, up to twenty', () => {
    const rods = Array.from(
      { length: 25 },
      (_, k) => `  - { id: r${k}, shape: { type: ring, radius: 1 kg }, section: x }`,
    );
    const error = fail(`tendril: 1\nrods:\n${rods.join('\n')}`);
    const lines = error.message.split('\n');
    expect(error.problems).toHaveLength(25);
    expect(lines).toHaveLength(21);
    expect(lines[0]).toMatch(/^scene\.yaml:3:/);
    expect(lines[19]).toMatch(/^scene\.yaml:22:/);
    expect(lines[20]).toBe('scene.yaml: … and 5 more problems');
  });

  it('explains what is wrong with JSON, by lines too', () => {
    expect(fail('{ "tendril": 1,\n  "rods": [],\n  "rods": [] }').message).toMatch(
      /^scene\.yaml:3:3: the field '"rods"' is given twice/,
    );
    expect(fail('{ "tendril": 1,\n  "rods": [ { "id": "a\\":", "edges": "x" } ] }').message).toMatch(/^scene\.yaml:2:/);
    expect(fail('{ "tendril": 1,\n  "rods": [ }').message).toMatch(/^scene\.yaml:2:/);
    expect(fail(`{ "tendril": ${'['.repeat(100_000)}${']'.repeat(100_000)} }`).message).toMatch(/nested too deeply/);
  });

  it('explains what is wrong with the text itself', () => {
    expect(fail('').message).toBe('scene.yaml:1:1: the file is empty; a scene begins with "tendril: 1"');
    expect(fail('# nothing\n').message).toMatch(/empty/);
    expect(fail('tendril: 1\nrods: []\nrods: []').message).toMatch(/^scene\.yaml:3:1: the field 'rods' is given twice/);
    expect(fail('tendril: 1\nrods: [').message).toMatch(/^scene\.yaml:2:\d+: YAML: /);
    expect(fail('tendril: 1\nrods:\n\t- id: a').message).toMatch(/^scene\.yaml:3:\d+: a tab is used/);
    expect(fail('tendril: 1\n---\ntendril: 1').message).toMatch(/scene\.yaml:2:1: a second document/);
    expect(fail('tendril: 1\nrods: *none').message).toMatch(/none/);
    expect(fail('[1]').message).toMatch(/^scene\.yaml:1:1: expected a scene with the fields/);
    expect(fail('tendril: 1\nrods:\n  - id: a\n    <<: 5').message).toMatch(/^scene\.yaml:4:5: '<<' takes the fields/);
    expect(fail('['.repeat(100_000)).message).toMatch(/^scene\.yaml:1:101: the file is nested too deeply/);
  });

  it('refuses aliases that explode and keys that poison', () => {
    const letters = 'abcdefghij';
    const lines = [...letters].map(
      (c, k) =>
        `${c}: &${c} [${Array(9)
          .fill(k === 0 ? '1' : `*${letters[k - 1]}`)
          .join(', ')}]`,
    );
    expect(fail(lines.join('\n')).message).toMatch(/aliases .* expand to too much/);
    expect(fail('tendril: 1\n__proto__: { polluted: 1 }').message).toMatch(/__proto__|missing/);
    expect(({} as { polluted?: number }).polluted).toBeUndefined();
  });

  it('reports aliased values where they stand', () => {
    const text = `tendril: 1
sections: { s: &s { type: circle, radius: 1 kg } }
rods: [{ id: a, shape: { type: ring, radius: 1 }, section: *s }]`;
    expect(fail(text).problems.map(({ line, column }) => [line, column])).toEqual([
      [2, 43],
      [2, 43],
    ]);
  });

  it('locates fields of JSON where the reader of YAML does', () => {
    const value = {
      tendril: 1,
      'a "key": {[': [1, 2],
      rods: [
        { id: 'a', shape: { type: 'straight', from: [0, 0, 0], to: [1, 'x]}"', -1e-3] }, empty: {}, none: [] },
        { id: 'b', shape: null },
      ],
    };
    const places = (text: string): unknown[] => {
      try {
        parseScene(text, 's');
      } catch (error) {
        return (error as InputError).problems.map(({ line, column, path }) => [path, line, column]);
      }
      return [];
    };
    for (const indent of [0, 1, 3]) {
      const text = `\n ${JSON.stringify(value, null, indent)}\n`;
      expect(places(text).length).toBeGreaterThan(4);
      // a comment makes it YAML
      expect(places(text)).toEqual(places(`${text}# a comment`));
    }
  });

  it('locates fields, and the nearest ancestor of one that is absent', () => {
    const parsed = parseScene(everything, 'all.yaml');
    expect(parsed.locate(['tendril'])).toEqual({ line: 2, column: 10 });
    expect(parsed.locate(['rods', 1, 'frame', 'twist'])).toEqual({ line: 20, column: 51 });
    expect(parsed.locate(['rods', 1, 'edges'])).toEqual({ line: 18, column: 5 });
    expect(parsed.locate(['rods', 99])).toEqual({ line: 17, column: 3 });
    expect(parsed.locate([])).toEqual({ line: 2, column: 1 });
    const error = new SceneError(['pins', 0, 'rod'], "there is no rod 'a'");
    expect(explainSceneError(error, parsed, 'all.yaml').message).toBe(
      "all.yaml:35:12 pins[0].rod: there is no rod 'a'",
    );
    expect(explainSceneError(error, undefined, 'code').message).toBe("code pins[0].rod: there is no rod 'a'");
  });

  it('takes objects with units', () => {
    const object = { tendril: 1, rods: [{ id: 'a', shape: { type: 'ring', radius: '5 cm' }, section: 's' }] };
    expect(sceneFromObject(object).rods[0].shape).toEqual({ type: 'ring', radius: 0.05 });
    expect(() => sceneFromObject({ ...object, rods: [{ id: 'a' }] }, 'mine')).toThrow(
      /^mine rods\[0\]\.shape: missing/,
    );
    expect(() => sceneFromObject(undefined)).toThrow(InputError);
  });

  it('weaves cloth, and says where it stands when something is wrong with a fiber', () => {
    const cloth = [
      'tendril: 1',
      'weaves:',
      '  - id: cloth',
      '    warp: { count: 2, spacing: 1 cm }',
      '    weft: { count: 3, spacing: 5 mm }',
      '    section: { type: circle, radius: 0.1 mm }',
      '    material: { E: 1 GPa, nu: 0.3, density: 1000 }',
      '    joints: { stiffness: 1 kN/m, damping: 2 mN*s/m, rotation: { about: normal, stiffness: 1 mN*m } }',
    ].join('\n');
    const parsed = parseScene(cloth, 'cloth.yaml');
    expect(parsed.scene.rods.map(({ id }) => id)).toEqual(
      [0, 1].map((i) => `cloth warp ${i}`).concat([0, 1, 2].map((j) => `cloth weft ${j}`)),
    );
    expect(parsed.scene.weaves).toBeUndefined();
    expect(parsed.scene.links).toHaveLength(6);
    expect(parsed.scene.links?.[5]).toMatchObject({ id: 'cloth 1 2', stiffness: 1000, damping: 0.002 });
    expect(parsed.locate(['rods', 4, 'section']).line).toBe(3);
    expect(parsed.locate(['links', 5, 'stiffness']).line).toBe(3);
    expect(() => parseScene(`${cloth}\n    edges: 2`, 'cloth.yaml')).toThrow(
      /^cloth\.yaml:9:12 weaves\[0\]\.edges: 2 edges/,
    );
    expect(() => parseScene('tendril: 1', 'none.yaml')).toThrow(/rods: missing/);
  });
});
