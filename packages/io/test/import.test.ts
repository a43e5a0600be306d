/** Curves and meshes of other programs: read right, written back, and refused with a place where they are wrong. */
import { Document, WebIO } from '@gltf-transform/core';
import { createWorld } from '@tendril-sim/core';
import { describe, expect, it } from 'vitest';
import { chainSegments } from '../src/import/curves.ts';
import {
  type Curves,
  createFileResolver,
  encodeHair,
  exportGlb,
  exportUsda,
  formatCurveScene,
  InputError,
  nodeTable,
  parseScene,
  readCurves,
  readMesh,
} from '../src/index.ts';
import { join, record, swing } from './footage.ts';

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const read = (text: string, name: string, options = {}): Curves => readCurves(bytes(text), name, options);
const recording = record(swing, 3, 0.02);

function caught(action: () => unknown): InputError {
  try {
    action();
  } catch (error) {
    if (error instanceof InputError) return error;
    throw error;
  }
  throw new Error('nothing was thrown');
}

describe('round trips of our own exports', () => {
  const expected = [...recording.frame(2).rods[0].nodePosition, ...recording.frame(2).rods[1].nodePosition];
  const check = (curves: Curves, digits: number): void => {
    expect([...curves.counts]).toEqual([9, 9]);
    expect(curves.names).toEqual(['rope 1', 'rope-1']);
    curves.position.forEach((value, i) => {
      expect(value).toBeCloseTo(expected[i], digits);
    });
  };

  it('usda, with radius, closed rods and the last sample', () => {
    const curves = readCurves(join(exportUsda(recording)), 'a.usda', { frame: -1 });
    check(curves, 8);
    expect([...curves.closed]).toEqual([0, 1]);
    // at the end itself the taper has gone on for half an edge
    const [end, next] = recording.header.rods[0].edgeRadius;
    expect(curves.radius?.[0]).toBeCloseTo(end + (end - next) / 2, 9);
    const first = readCurves(join(exportUsda(recording)), 'a.usda');
    expect(first.position[3]).toBeCloseTo(recording.frame(0).rods[0].nodePosition[3], 8);
  });

  it('csv exactly, glb as lines', () => {
    const csv = readCurves(join(nodeTable(recording)), 'a.csv', { frame: -1 });
    check(csv, 15);
    const last = { ...recording, frameCount: 1, frame: () => recording.frame(2) };
    const glb = readCurves(join(exportGlb(last, { look: 'lines' }).chunks()), 'a.glb');
    check(glb, 6);
    expect([...glb.closed]).toEqual([0, 1]);
  });

  it('hair', () => {
    const position = Float64Array.from({ length: 15 }, (_, i) => Math.fround(i * i * 0.01));
    const radius = Float64Array.from({ length: 5 }, () => 0.25);
    const curves = readCurves(encodeHair({ position, counts: Uint32Array.of(2, 3), radius }), 'a.hair', { unit: 0.1 });
    expect([...curves.counts]).toEqual([2, 3]);
    expect([...curves.position]).toEqual([...position].map((x) => 0.1 * x));
    expect(curves.radius?.[4]).toBeCloseTo(0.025, 12);
  });
});

describe('usda', () => {
  const stage = (body: string, head = 'metersPerUnit = 0.01\n upAxis = "Y"'): string => `#usda 1.0
( "doc" ${head} customLayerData = { string a = "b" } )
def Xform "a" ( prepend references = @other.usda@</b> )
{
    double3 xformOp:translate = (0, 10, 0)
    float3 xformOp:rotateXYZ = (0, 0, 90)
    uniform token[] xformOpOrder = ["xformOp:translate", "xformOp:rotateXYZ"]
    rel material:binding = </x>
    def BasisCurves "c" { # a comment
        ${body}
    }
}`;
  const linear =
    'uniform token type = "linear"\nint[] curveVertexCounts = [2, 3]\npoint3f[] points = [(1,0,0),(2,0,0),(0,0,0),(0,0,1),(0,0,2)]\nfloat[] widths = [0.2, 0.4] (interpolation = "uniform")';

  it('applies transforms, units and axes', () => {
    const curves = read(stage(linear), 'a.usda');
    // (1, 0, 0) turns to (0, 1, 0), moves to (0, 11, 0) cm, and y becomes z
    expect([...curves.position.slice(0, 3)].map((x) => Number(x.toFixed(12)) + 0)).toEqual([0, 0, 0.11]);
    expect([...curves.position.slice(9, 12)].map((x) => Number(x.toFixed(12)) + 0)).toEqual([0, -0.01, 0.1]);
    expect([...(curves.radius ?? [])].map((r) => Number(r.toFixed(9)))).toEqual([0.001, 0.001, 0.002, 0.002, 0.002]);
    expect(curves.names).toEqual(['c-0', 'c-1']);
    expect(curves.warnings.join()).toContain('references');
    expect(read(stage(linear, 'x = 1'), 'a.usda').warnings.join()).toContain('centimetres');
  });

  it('evaluates cubic curves', () => {
    const points = 'int[] curveVertexCounts = [4]\npoint3f[] points = [(0,0,0),(0,3,0),(3,3,0),(3,0,0)]';
    const at = (basis: string, wrap = 'nonperiodic'): number[] => {
      const text = `#usda 1.0\n(metersPerUnit = 1\nupAxis = "Z")\ndef BasisCurves "c" { uniform token type = "cubic"\nuniform token basis = "${basis}"\nuniform token wrap = "${wrap}"\n${points} }`;
      return [...read(text, 'a.usda').position];
    };
    const bezier = at('bezier');
    expect(bezier).toHaveLength(12);
    expect(bezier.slice(0, 3)).toEqual([0, 0, 0]);
    // B(1/3) = 12/27 P1 + 6/27 P2 + 1/27 P3
    expect(bezier[3]).toBeCloseTo((6 * 3 + 3) / 27, 12);
    expect(bezier[4]).toBeCloseTo((12 * 3 + 6 * 3) / 27, 12);
    expect(bezier.slice(9)).toEqual([3, 0, 0]);
    expect(at('catmullRom')).toEqual([0, 3, 0, 3, 3, 0]);
    // pinned B-splines begin and end at their ends
    const pinned = at('bspline', 'pinned');
    expect(pinned.slice(0, 3).map((x) => x + 0)).toEqual([0, 0, 0]);
    expect(pinned.slice(-3).map((x) => x + 0)).toEqual([3, 0, 0]);
    expect(at('bspline', 'periodic')).toHaveLength(12);
  });

  it('names the line of what is wrong', () => {
    const cases: [string, RegExp][] = [
      ['PXR-USDC\0\0', /usdcat/],
      ['def X', /#usda/],
      [stage(linear).slice(0, 400), /truncated/],
      [
        stage('int[] curveVertexCounts = [4]\npoint3f[] points = [(0,0,0)]\nuniform token type = "linear"'),
        /add up to 4/,
      ],
      [stage('int[] curveVertexCounts = [1]\npoint3f[] points = [(0,0,nan)]'), /a\.usda: .*point 0 is .*NaN/],
      ['#usda 1.0\n', /no BasisCurves/],
      [`#usda 1.0\n${'# comment\n'.repeat(200_000)}`, /no BasisCurves/],
      [`#usda 1.0\n${'def X "a" {'.repeat(1000)}`, /nested too deeply/],
      [`#usda 1.0\ndef X "a" { x y = ${'['.repeat(100)}`, /nested too deeply/],
      [`#usda 1.0\ndef X "a" { x y = ${'{ a b = '.repeat(5000)}`, /nested too deeply/],
      ['#usda 1.0\ndef X "a { }', /does not end/],
    ];
    for (const [text, message] of cases) expect(caught(() => read(text, 'a.usda')).message).toMatch(message);
  });
});

describe('obj', () => {
  it('joins pairs to chains, and reads polylines and loops', () => {
    const text = 'v 0 0 0\nv 1 0 0\nv 2 0 0\nv 3 0 0\no a\nl 2 3\nl 1 2\no b\nl 1 2 3 4 \\\n1\nl -1 -2';
    const curves = read(text, 'a.obj');
    expect(curves.names).toEqual(['b', 'a', 'b']);
    expect([...curves.counts]).toEqual([4, 3, 2]);
    expect([...curves.closed]).toEqual([1, 0, 0]);
    expect([...curves.position.slice(12, 21)]).toEqual([2, 0, 0, 1, 0, 0, 0, 0, 0]);
  });

  it('joins segments as a graph', () => {
    expect(chainSegments([1, 2, 2, 3, 3, 1])).toEqual([{ vertices: [1, 2, 3], closed: true }]);
    // a fork ends the chains that meet there
    const fork = chainSegments([0, 1, 1, 2, 1, 3]);
    expect(fork).toHaveLength(3);
    expect(chainSegments([5, 5])).toEqual([]);
  });

  it('reads meshes with polygons and colours', () => {
    const mesh = readMesh(
      bytes('v 0 0 0 1 0 0\nv 1 0 0 0 1 0\nv 1 1 0 0 0 1\nv 0 1 0 1 1 1\nf 1/1 2//2 3 4'),
      'a.obj',
      { unit: 2, up: 'y' },
    );
    expect([...mesh.triangle]).toEqual([0, 1, 2, 0, 2, 3]);
    expect([...mesh.position.slice(6, 9)].map((x) => x + 0)).toEqual([2, 0, 2]);
    expect([...(mesh.color ?? [])].slice(3, 6)).toEqual([0, 1, 0]);
  });

  it('names the line of what is wrong', () => {
    expect(caught(() => read('v 0 0 0\nl 1 2', 'a.obj')).line).toBe(2);
    expect(caught(() => read('v 0 zero 0', 'a.obj')).message).toContain(
      "a.obj:1:1: expected a number for y of a vertex, got 'zero'",
    );
    expect(caught(() => readMesh(bytes('v 0 0 0\nf 1 1'), 'a.obj')).message).toContain('2 corners');
    expect(caught(() => read('v 0 0 0', 'a.obj')).message).toContain('no lines');
    expect(caught(() => read('hello', 'a.obj')).message).toContain('not an OBJ');
    expect(caught(() => readCurves(Uint8Array.of(0xff, 0xfe, 0), 'a.obj')).message).toContain('UTF-8');
  });
});

/** A .tfx by its layout. */
function encodeTfx(strands: number, each: number, position: (i: number, k: number) => number): Uint8Array {
  const out = new Uint8Array(160 + 16 * strands * each);
  const view = new DataView(out.buffer);
  view.setFloat32(0, 4, true);
  [strands, each, 160].forEach((value, k) => {
    view.setUint32(4 + 4 * k, value, true);
  });
  for (let i = 0; i < strands * each; i++)
    for (let k = 0; k < 4; k++) view.setFloat32(160 + 16 * i + 4 * k, k < 3 ? position(i, k) : 1, true);
  return out;
}

describe('binary strands', () => {
  it('tfx', () => {
    const curves = readCurves(
      encodeTfx(2, 3, (i, k) => i + 10 * k),
      'a.tfx',
      { up: 'y' },
    );
    expect([...curves.counts]).toEqual([3, 3]);
    expect([...curves.position.slice(3, 6)]).toEqual([1, -21, 11]);
  });

  it('are refused with the byte that is wrong', () => {
    const hair = encodeHair({ position: Float64Array.from([0, 0, 0, 1, 0, 0]), counts: Uint32Array.of(2) });
    const changed = (source: Uint8Array, at: number, value: number): Uint8Array => {
      const copy = source.slice();
      new DataView(copy.buffer).setUint32(at, value, true);
      return copy;
    };
    const cases: [string, Uint8Array, RegExp, number][] = [
      ['a.hair', hair.subarray(0, 20), /header/, 20],
      ['a.hair', hair.subarray(0, 140), /truncated/, 140],
      ['a.hair', changed(hair, 0, 0), /letters HAIR/, 0],
      ['a.hair', changed(hair, 4, 4_000_000_000), /truncated/, hair.length],
      ['a.hair', changed(hair, 8, 4_000_000_000), /at most/, 8],
      ['a.hair', changed(hair, 12, 1), /no points/, 12],
      ['a.hair', changed(hair, 128, 0x00ff), /beyond/, 128],
      ['a.hair', changed(hair, 130, 0x7fc00000), /not a number/, 130],
      ['a.tfx', encodeTfx(2, 1, () => 0), /at least 2/, 8],
      ['a.tfx', encodeTfx(2, 2, () => Number.NaN), /not a number/, 160],
      ['a.tfx', encodeTfx(2, 2, () => 0).subarray(0, 200), /truncated/, 12],
      [
        'a.tfx',
        changed(
          encodeTfx(2, 2, () => 0),
          0,
          0,
        ),
        /TressFX 4/,
        0,
      ],
    ];
    for (const [name, content, message, offset] of cases) {
      const error = caught(() => readCurves(content, name));
      expect(error.message).toMatch(message);
      expect(error.offset).toBe(offset);
    }
  });
});

describe('csv', () => {
  it('reads tables with and without titles', () => {
    const named = read('rod;x;y;z;radius\n"a;b";0;0;0;0.1\n"a;b";1;0;0;0.1\nc;0;0;1;0.1\nc;0;0;2;0.1\n', 'a.csv');
    expect(named.names).toEqual(['a;b', 'c']);
    expect(named.radius?.[0]).toBe(0.1);
    const bare = read('0,0,0\n1,0,0\r\n\n0,1,0\n0,2,0\n0,3,0', 'a.txt');
    expect([...bare.counts]).toEqual([2, 3]);
    expect(caught(() => read('x,y\n1,2', 'a.csv')).message).toContain('columns x, y and z');
    expect(caught(() => read('x,y,z\n1,2,three', 'a.csv')).message).toContain(
      "a.csv:2:1: expected a number for z, got 'three'",
    );
    expect(caught(() => read('frame,x,y,z\n0,1,2,3', 'a.csv', { frame: 7 })).message).toContain('no frame 7');
    expect(caught(() => read('\n \n', 'a.csv')).message).toContain('empty');
  });
});

describe('gltf', () => {
  async function scene(mode: 1 | 2 | 3 | 4 | 5, count = 4): Promise<Uint8Array> {
    const document = new Document();
    const buffer = document.createBuffer();
    const array = Float32Array.from({ length: 3 * count }, (_, i) => [i / 3, (i / 3) % 2, 0][i % 3] ?? 0);
    for (let i = 0; i < array.length; i++) array[i] = [Math.floor(i / 3), Math.floor(i / 3) % 2, 0][i % 3];
    const position = document.createAccessor().setType('VEC3').setArray(array).setBuffer(buffer);
    const mesh = document
      .createMesh('m')
      .addPrimitive(document.createPrimitive().setMode(mode).setAttribute('POSITION', position));
    const node = document.createNode('n').setMesh(mesh).setTranslation([0, 0, 5]).setScale([2, 2, 2]);
    document.createScene().addChild(document.createNode('root').addChild(node).setTranslation([10, 0, 0]));
    return new WebIO().writeBinary(document);
  }

  it('reads strips, loops and pairs of another library, through its nodes', async () => {
    const strip = readCurves(await scene(3), 'a.glb');
    // y up becomes z up: z = 5 becomes y = −5
    expect([...strip.position.slice(0, 6)]).toEqual([10, -5, 0, 12, -5, 2]);
    expect([...readCurves(await scene(2), 'a.glb').closed]).toEqual([1]);
    expect([...readCurves(await scene(1), 'a.glb').counts]).toEqual([2, 2]);
  });

  it('reads triangles', async () => {
    const mesh = readMesh(await scene(5, 5), 'a.glb');
    expect([...mesh.triangle]).toEqual([0, 1, 2, 2, 1, 3, 2, 3, 4]);
    expect(caught(() => readCurves(Uint8Array.from(mesh.triangle), 'a.glb')).message).toContain('neither');
  });

  it('refuses what is damaged', async () => {
    const good = await scene(3);
    expect(caught(() => readCurves(good.subarray(0, good.length - 8), 'a.glb')).message).toContain('truncated');
    expect(caught(() => readCurves(good.subarray(0, 10), 'a.glb')).message).toContain('truncated');
    const json = (change: object): Uint8Array =>
      bytes(JSON.stringify({ asset: { version: '2.0' }, scenes: [{ nodes: [0] }], ...change }));
    const cases: [object, RegExp][] = [
      [{ nodes: [{ children: [0] }] }, /nodes\[0\] has two parents/],
      // shared children: 2^40 paths in a few kB
      [{ nodes: Array.from({ length: 41 }, (_, k) => ({ children: k < 40 ? [k + 1, k + 1] : [] })) }, /two parents/],
      [{ nodes: [{ mesh: 0 }], meshes: [{ primitives: [null] }] }, /primitives\[0\] does not exist/],
      [{ nodes: [{ mesh: 0 }] }, /meshes\[0\] does not exist/],
      [{ nodes: [{ mesh: 0 }], meshes: [{ primitives: [{ mode: 3, attributes: {} }] }] }, /accessors\[undefined\]/],
      [{ nodes: [{ matrix: [1] }] }, /16 numbers/],
      [
        {
          nodes: [{ mesh: 0 }],
          meshes: [{ primitives: [{ mode: 3, attributes: { POSITION: 0 } }] }],
          accessors: [{ bufferView: 0, componentType: 5126, type: 'VEC3', count: 1e9 }],
        },
        /at most/,
      ],
      [
        {
          nodes: [{ mesh: 0 }],
          meshes: [{ primitives: [{ mode: 3, attributes: { POSITION: 0 } }] }],
          accessors: [{ bufferView: 0, componentType: 5126, type: 'VEC3', count: 2 }],
          bufferViews: [{ buffer: 0 }],
          buffers: [{ uri: '../../etc/passwd' }],
        },
        /another file/,
      ],
      [
        {
          nodes: [{ mesh: 0 }],
          meshes: [{ primitives: [{ mode: 3, attributes: { POSITION: 0 } }] }],
          accessors: [{ bufferView: 0, componentType: 5126, type: 'VEC3', count: 2 }],
          bufferViews: [{ buffer: 0 }],
          buffers: [{ uri: 'data:application/octet-stream;base64,AAAA' }],
        },
        /beyond its buffer/,
      ],
    ];
    for (const [change, message] of cases)
      expect(caught(() => readCurves(json(change), 'a.gltf')).message).toMatch(message);
  });
});

it('no damage to any file is more than an InputError', async () => {
  const files: [string, Uint8Array][] = [
    ['a.usda', join(exportUsda(recording))],
    ['a.csv', join(nodeTable(recording))],
    ['a.glb', join(exportGlb({ ...recording, frameCount: 1 }, { look: 'lines' }).chunks())],
    ['a.hair', encodeHair({ position: new Float64Array(30).map((_, i) => i), counts: Uint32Array.of(4, 6) })],
    ['a.tfx', encodeTfx(2, 3, (i, k) => i + k)],
    ['a.obj', bytes('v 0 0 0\nv 1 0 0\nv 0 1 0\nl 1 2 3\nf 1 2 3\n')],
  ];
  let seed = 1;
  const random = (): number => {
    seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
    return seed / 2 ** 32;
  };
  let refused = 0;
  for (const [name, content] of files) {
    for (let k = 0; k < 150; k++) {
      const copy = content.slice(0, k % 3 === 0 ? Math.floor(random() * content.length) : content.length);
      for (let n = 0; n < 1 + (k % 4) && copy.length > 0; n++)
        copy[Math.floor(random() * Math.min(copy.length, 3000))] = Math.floor(random() * 256);
      for (const action of [() => readCurves(copy, name), () => readMesh(copy, name)]) {
        try {
          action();
        } catch (error) {
          expect(error).toBeInstanceOf(InputError);
          refused++;
        }
      }
    }
  }
  expect(refused).toBeGreaterThan(500);
});

describe('scenes of curves', () => {
  const hair = encodeHair({
    position: Float64Array.from(
      { length: 3 * 40 },
      (_, i) => (i % 3 === 2 ? Math.floor(i / 3) % 4 : Math.floor(i / 12)) / 100,
    ),
    counts: new Uint32Array(10).fill(4),
  });
  const open = (name: string): Uint8Array => {
    if (name !== 'wig.hair') throw new InputError(name, 'no such file');
    return hair;
  };
  const files = createFileResolver(open);

  it('are rods with pins, from a file that the scene names', () => {
    const text = `tendril: 1
strands:
  - file: wig.hair
    every: 3
    count: 3
    section: { type: circle, radius: 0.04 mm }
    material: { E: 3.58 GPa, nu: 0.35, density: 1320 }
`;
    const { scene, locate } = parseScene(text, 'a.yaml', { files });
    expect(scene.rods.map(({ id }) => id)).toEqual(['wig-0', 'wig-3', 'wig-6']);
    expect(scene.pins?.[1]).toEqual({ rod: 'wig-3', at: 'start', hold: 'clamp' });
    expect(Object.isFrozen(scene.rods)).toBe(true);
    expect(createWorld(scene).rods[0].nodeCount).toBe(4);
    expect(locate(['rods', 2, 'shape']).line).toBe(3);
    expect(caught(() => parseScene(text, 'a.yaml')).message).toMatch(
      /a\.yaml:3:11 strands\[0\]\.file: .*files cannot be read here/,
    );
    const bare = text.replace(/ {4}section.*\n/, '');
    expect(caught(() => parseScene(bare, 'a.yaml', { files })).message).toContain('add a section');
    const lost = text.replace('wig.hair', 'wag.hair');
    expect(caught(() => parseScene(lost, 'a.yaml', { files })).message).toContain('no such file');
    expect(caught(() => parseScene('tendril: 1\n', 'a.yaml', { files })).message).toContain('rods');
    expect(caught(() => parseScene('tendril: 1\nstrands: []\n', 'a.yaml', { files })).message).toContain('strands');
  });

  it('have meshes of files as obstacles', () => {
    const text = `tendril: 1
rods: [{ id: a, shape: { type: straight, from: [0, 0, 1], to: [1, 0, 1] }, section: { type: circle, radius: 1 mm }, material: { E: 1 GPa, nu: 0.3, density: 1000 } }]
colliders: [{ type: mesh-file, file: ground.obj, solid: false, friction: 0.2 }]
`;
    const ground = (): Uint8Array => bytes('v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3');
    expect(parseScene(text, 'a.yaml', { files: createFileResolver(ground) }).scene.colliders).toEqual([
      {
        type: 'mesh',
        solid: false,
        friction: 0.2,
        vertices: [
          [0, 0, 0],
          [1, 0, 0],
          [0, 1, 0],
        ],
        faces: [[0, 1, 2]],
      },
    ]);
  });

  it('are written with the few curves in them, or with the name of the file', () => {
    const curves = readCurves(hair, 'wig.hair');
    const inline = parseScene(
      formatCurveScene(curves, 'wig.hair', { material: 'rubber', radius: 0.001, every: 2 }),
      'a.yaml',
    ).scene;
    expect(inline.rods).toHaveLength(5);
    expect(inline.rods[1].shape).toMatchObject({ type: 'points' });
    const point = inline.rods[1].shape.type === 'points' ? inline.rods[1].shape.points[2] : [];
    point.forEach((x, k) => {
      expect(x).toBeCloseTo(curves.position[3 * 10 + k], 10);
    });
    expect(createWorld(inline).rods).toHaveLength(5);
    const text = formatCurveScene(curves, 'wig.hair', { refer: true, edges: 6, root: 'position' });
    expect(text).toContain('strands:');
    const { scene } = parseScene(text, 'a.yaml', { files });
    expect(scene.rods).toHaveLength(10);
    expect(createWorld(scene).rods[3].edgeCount).toBe(6);
    expect(scene.pins?.[0].hold).toBe('position');
  });
});
