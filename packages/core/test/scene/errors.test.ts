import { describe, expect, it } from 'vitest';
import { compileScene } from '../../src/scene/compileScene.ts';
import type { RodSpec, Scene, ShapeSpec } from '../../src/scene/types.ts';
import { expectSceneError, rodSpec, sceneOf } from './support.ts';

const fails = (rod: Partial<RodSpec>, path: (string | number)[], message: RegExp, rest: Partial<Scene> = {}): void =>
  expectSceneError(() => compileScene(sceneOf(rod, rest)), path, message);
const rodFails = (rod: Partial<RodSpec>, path: (string | number)[], message: RegExp): void =>
  fails(rod, ['rods', 0, ...path], message);
const shapeFails = (shape: ShapeSpec, path: (string | number)[], message: RegExp, rest: Partial<RodSpec> = {}): void =>
  rodFails({ shape, ...rest }, ['shape', ...path], message);
const helix = { type: 'helix', radius: 1, pitch: 1, turns: 1 } as const;

describe('numbers', () => {
  it('NaN and infinity are named wherever they are', () => {
    fails({}, ['gravity', 1], /NaN.*finite/, { gravity: [0, Number.NaN, 0] });
    fails({}, ['loads', 0, 'force', 2], /Infinity/, {
      loads: [{ rod: 'a', type: 'force', at: 'end', force: [0, 0, Number.POSITIVE_INFINITY] }],
    });
    rodFails(
      {
        shape: {
          type: 'points',
          points: [
            [0, 0, 0],
            [1, Number.NaN, 0],
            [2, 0, 0],
          ],
        },
      },
      ['shape', 'points', 1, 1],
      /NaN/,
    );
  });
});

describe('names', () => {
  it('rods, materials, sections', () => {
    expectSceneError(() => compileScene({ tendril: 1, rods: [] }), ['rods'], /no rods/);
    expectSceneError(
      () => compileScene({ tendril: 1, rods: [rodSpec(), rodSpec()] }),
      ['rods', 1, 'id'],
      /'a' is taken/,
    );
    rodFails({ material: 'gold' }, ['material'], /unknown material 'gold'; the scene has no materials/);
    fails({ material: 'gold' }, ['rods', 0, 'material'], /known: tin, lead/, {
      materials: { tin: { E: 1, G: 1, density: 1 }, lead: { E: 1, G: 1, density: 1 } },
    });
    fails({ section: 'toString' }, ['rods', 0, 'section'], /unknown section 'toString'; known: s/, {
      sections: { s: { type: 'circle', radius: 1 } },
    });
    rodFails({ material: undefined }, ['material'], /needs a material/);
    // an error inside a named section is where the section is
    fails({ section: 's' }, ['sections', 's', 'radius'], /positive/, {
      sections: { s: { type: 'circle', radius: 0 } },
    });
  });
});

describe('edges', () => {
  it('enough of them, and whole', () => {
    for (const edges of [0, 1, -3, 2.5, 1e9]) rodFails({ edges }, ['edges'], /from 2 to/);
    rodFails({ edges: 2, shape: { type: 'ring', radius: 1 } }, ['edges'], /closed rod needs.*from 3/);
    expect(compileScene(sceneOf({ edges: undefined })).rods[0].edgeCount).toBe(50);
  });
  it('too few for the turns: a warning', () => {
    const { warnings } = compileScene(sceneOf({ shape: { ...helix, turns: 5 }, edges: 12 }));
    expect(warnings.join()).toMatch(/more than 90° at node 1; use more edges/);
  });
});

describe('shapes', () => {
  it('straight', () => shapeFails({ type: 'straight', from: [1, 1, 1], to: [1, 1, 1] }, ['to'], /no length/));
  it('arc', () => {
    const arc = { type: 'arc', from: [0, 0, 0], tangent: [1, 0, 0], normal: [0, 1, 0], radius: 1, angle: 1 } as const;
    shapeFails({ ...arc, radius: 0 }, ['radius'], /positive/);
    shapeFails({ ...arc, angle: -1 }, ['angle'], /positive/);
    shapeFails({ ...arc, tangent: [0, 0, 0] }, ['tangent'], /zero vector/);
    shapeFails({ ...arc, normal: [-2, 0, 0] }, ['normal'], /parallel to the tangent/);
    shapeFails(arc, [], /closed, but the ends.*m apart/, { closed: true });
    expect(compileScene(sceneOf({ shape: { ...arc, angle: 2 * Math.PI }, closed: true })).rods[0].nodeCount).toBe(10);
  });
  it('helix and ring', () => {
    shapeFails({ ...helix, radius: -1 }, ['radius'], /positive/);
    shapeFails({ ...helix, turns: 0 }, ['turns'], /positive/);
    shapeFails({ ...helix, pitch: -1 }, ['pitch'], /handedness: left/);
    shapeFails({ ...helix, axis: [0, 0, 0] }, ['axis'], /zero vector/);
    shapeFails({ ...helix, start: [0, 0, 3] }, ['start'], /parallel to the axis/);
    shapeFails({ type: 'ring', radius: 0 }, ['radius'], /positive/);
    rodFails({ shape: { type: 'ring', radius: 1 }, closed: false }, ['closed'], /always closed; use an arc/);
  });
  it('formula', () => {
    const formula = (x: string, y = '0', z = '0'): ShapeSpec => ({ type: 'formula', x, y, z });
    shapeFails(formula('u', 'v'), ['y'], /unknown name 'v'/);
    shapeFails(formula('1'), [], /single point/);
    shapeFails(formula('u', '1/(u-0.5)', '0'), ['y'], /value of the formula is not finite at u = 0.5/);
    shapeFails(formula('u', 'u < 0.3 ? 0 : 1', '0'), [], /jumps near u = 0.3/);
    shapeFails(formula('log(u)'), ['x'], /not finite at u = 0/);
    shapeFails(formula('u', 'u^2'), [], /ends of its shape/, { closed: true });
  });
  it('points', () => {
    const points = (...list: [number, number, number][]): ShapeSpec => ({ type: 'points', points: list });
    shapeFails(points([0, 0, 0]), ['points'], /at least 2/, { edges: undefined });
    shapeFails(points([0, 0, 0], [1, 0, 0]), ['points'], /one edge/, { edges: undefined });
    shapeFails(points([0, 0, 0], [1, 0, 0]), ['points'], /at least 3/, { edges: undefined, closed: true });
    shapeFails(points([0, 0, 0], [1, 0, 0], [1, 0, 0]), ['points', 2], /same as point 1/, { edges: undefined });
    shapeFails(points([0, 0, 0], [1, 0, 0], [1, 0, 0]), ['points', 2], /same as point 1/);
    shapeFails(points([0, 0, 0], [2, 0, 0], [1, 0, 0]), ['points', 1], /folds back/, { edges: undefined });
    expect(compileScene(sceneOf({ shape: points([0, 0, 0], [1, 0, 0]) })).rods[0].length).toBeCloseTo(1, 14);
  });
});

describe('frames', () => {
  it('d1 across the rod', () => rodFails({ frame: { d1: [3, 0, 0] } }, ['frame', 'd1'], /parallel to the tangent/));
  it('a principal normal everywhere', () => {
    rodFails({ frame: { follow: 'curve' } }, ['frame', 'follow'], /straight at u = 0.*follow: transport/);
    const points: ShapeSpec = {
      type: 'points',
      points: [
        [0, 0, 0],
        [1, 0, 0],
        [2, 0, 0],
      ],
    };
    rodFails(
      { shape: points, edges: undefined, frame: { follow: 'curve' } },
      ['frame', 'follow'],
      /straight at edge 0/,
    );
  });
  it('twist formulas', () =>
    rodFails({ frame: { twist: { formula: 'q' } } }, ['frame', 'twist', 'formula'], /unknown name 'q'/));
});

describe('natural state', () => {
  it('one way to say it', () => {
    rodFails({ natural: { shape: helix, curvature: [0, 0, 0] } }, ['natural', 'curvature'], /both/);
    rodFails({ natural: { curvature: [0, 0, 0], frame: {} } }, ['natural', 'frame'], /no effect/);
    rodFails({ natural: { length: 0 } }, ['natural', 'length'], /positive/);
    rodFails({ natural: { shape: { ...helix, radius: 0 } } }, ['natural', 'shape', 'radius'], /positive/);
    rodFails(
      { natural: { curvature: [0, { formula: '1/0' }, 0] } },
      ['natural', 'curvature', 1, 'formula'],
      /Infinity/,
    );
    rodFails({ natural: { shape: helix, frame: { d1: [0, 0, 0] } } }, ['natural', 'frame', 'd1'], /parallel/);
  });
  it('an extensible rod needs EA', () =>
    rodFails(
      { inextensible: false, section: { type: 'stiffness', EI1: 1, GJ: 1, mass: 1 } },
      ['inextensible'],
      /needs EA/,
    ));
});

describe('time, statics, modes, output', () => {
  it('are checked too', () => {
    fails({}, ['time', 'duration'], /zero or more/, { time: { duration: -1, step: 1 } });
    fails({}, ['time', 'step'], /positive/, { time: { duration: 1, step: 0 } });
    fails({}, ['time', 'halvings'], /whole number/, { time: { duration: 1, step: 1, halvings: -1 } });
    fails({}, ['statics', 'from'], /start at 0/, { statics: { from: -1 } });
    fails({}, ['statics', 'to'], /before 'from'/, { statics: { from: 1, to: 0 } });
    fails({}, ['statics', 'steps'], /whole number/, { statics: { steps: 0 } });
    fails({}, ['statics', 'tolerance'], /positive/, { statics: { tolerance: 0 } });
    fails({}, ['modes', 'count'], /whole number/, { modes: { count: 0 } });
    fails({}, ['output', 'every'], /positive/, { output: { every: 0 } });
    fails({}, ['output', 'probes', 0, 'rod'], /unknown rod/, { output: { probes: [{ rod: 'z', at: 'end' }] } });
    fails({}, ['output', 'probes', 0, 'at', 'node'], /does not exist/, {
      output: { probes: [{ rod: 'a', at: { node: 99 } }] },
    });
  });
});
