/** Animated characters: joints, morph targets and nodes of glTF and USD files, and hair whose roots ride on the skin. */
import { type Accessor, Document, type Node as GltfNode, WebIO } from '@gltf-transform/core';
import { compileScene, createWorld } from '@tendril-sim/core';
import { describe, expect, it } from 'vitest';
import { readMesh, readMeshMotion } from '../src/import/mesh.ts';
import { createFileResolver, InputError, parseScene, readAnimatedSkin } from '../src/index.ts';

const bytes = (document: Document): Promise<Uint8Array> => new WebIO().writeBinary(document);

/** A document with a buffer, and short ways to accessors. */
function start(): {
  document: Document;
  accessor(type: Parameters<Accessor['setType']>[0], values: Float32Array | Uint16Array): Accessor;
} {
  const document = new Document();
  const buffer = document.createBuffer();
  return {
    document,
    accessor: (type, values) => document.createAccessor().setType(type).setArray(values).setBuffer(buffer),
  };
}

type Track = readonly [
  GltfNode,
  'translation' | 'rotation' | 'scale' | 'weights',
  readonly number[],
  readonly number[],
  ('LINEAR' | 'STEP' | 'CUBICSPLINE')?,
];

function animate({ document, accessor }: ReturnType<typeof start>, name: string, tracks: readonly Track[]): void {
  const animation = document.createAnimation(name);
  for (const [node, path, times, values, interpolation = 'LINEAR'] of tracks) {
    const type = path === 'rotation' ? 'VEC4' : path === 'weights' ? 'SCALAR' : 'VEC3';
    const sampler = document
      .createAnimationSampler()
      .setInput(accessor('SCALAR', Float32Array.from(times)))
      .setOutput(accessor(type, Float32Array.from(values)))
      .setInterpolation(interpolation);
    animation.addSampler(sampler);
    animation.addChannel(document.createAnimationChannel().setTargetNode(node).setTargetPath(path).setSampler(sampler));
  }
}

/** An arm along y: a box of four sections whose upper half follows the elbow at y = 1, the third section both joints. */
async function arm(): Promise<Uint8Array> {
  const made = start();
  const { document, accessor } = made;
  const sections = [0, 0.5, 1, 1.5];
  const corners = [
    [-0.1, 0.1],
    [0.1, 0.1],
    [0.1, -0.1],
    [-0.1, -0.1],
  ];
  const position = sections.flatMap((y) => corners.flatMap(([x, z]) => [x, y, z]));
  const share = [0, 0, 0.5, 1];
  const weights = sections.flatMap((_, k) => corners.flatMap(() => [1 - share[k], share[k], 0, 0]));
  const joints = sections.flatMap(() => corners.flatMap(() => [0, 1, 0, 0]));
  const sides = [0, 1, 2].flatMap((s) =>
    corners.flatMap((_, c) => {
      const [a, b] = [4 * s + c, 4 * s + ((c + 1) % 4)];
      return [a, b, b + 4, a, b + 4, a + 4];
    }),
  );
  const index = [...sides, 0, 2, 1, 0, 3, 2, 12, 13, 14, 12, 14, 15];
  const primitive = document
    .createPrimitive()
    .setAttribute('POSITION', accessor('VEC3', Float32Array.from(position)))
    .setAttribute('JOINTS_0', accessor('VEC4', Uint16Array.from(joints)))
    .setAttribute('WEIGHTS_0', accessor('VEC4', Float32Array.from(weights)))
    .setIndices(accessor('SCALAR', Uint16Array.from(index)));
  const elbow = document.createNode('elbow').setTranslation([0, 1, 0]);
  const shoulder = document.createNode('shoulder').addChild(elbow);
  const identity = [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1];
  const below = [...identity.slice(0, 13), -1, 0, 1];
  const skin = document
    .createSkin()
    .addJoint(shoulder)
    .addJoint(elbow)
    .setInverseBindMatrices(accessor('MAT4', Float32Array.from([...identity, ...below])));
  const body = document.createNode('body').setMesh(document.createMesh('m').addPrimitive(primitive)).setSkin(skin);
  document.createScene().addChild(shoulder).addChild(body);
  const half = Math.SQRT1_2;
  // the elbow turns by 90° about z within a second, and stays
  animate(made, 'bend', [[elbow, 'rotation', [0, 1, 1.5], [0, 0, 0, 1, 0, 0, half, half, 0, 0, half, half]]]);
  animate(made, 'lift', [[shoulder, 'translation', [0, 1], [0, 0, 0, 0, 1, 0]]]);
  return bytes(document);
}

/** Where the elbow takes a point (x, y, z of the file), in the axes of the scene. */
function bent([x, y, z]: readonly number[], angle: number): number[] {
  const [u, v] = [x, y - 1];
  return [Math.cos(angle) * u - Math.sin(angle) * v, -z, 1 + Math.sin(angle) * u + Math.cos(angle) * v];
}

const close = (found: ArrayLike<number>, expected: readonly number[], within = 1e-6): void => {
  expected.forEach((value, k) => {
    expect(Math.abs(found[k] - value), `component ${k}`).toBeLessThan(within);
  });
};

describe('a skinned mesh', () => {
  it('follows its joints, and the mean of two where it has both', async () => {
    const { mesh, motion } = readMeshMotion(await arm(), 'arm.glb', { animation: 'bend' });
    expect([...mesh.position.subarray(0, 3)]).toEqual([expect.closeTo(-0.1), expect.closeTo(-0.1), 0]);
    expect(motion.times).toEqual([0, 1, 1.5]);
    for (const t of [0, 0.3, 0.77, 1.2]) {
      const p = motion.positionsAt(t);
      const angle = 0.5 * Math.PI * Math.min(t, 1);
      close(p.subarray(0, 3), [-0.1, -0.1, 0]);
      close(p.subarray(36, 39), bent([-0.1, 1.5, 0.1], angle));
      const [a, b] = [bent([-0.1, 1, 0.1], 0), bent([-0.1, 1, 0.1], angle)];
      close(
        p.subarray(24, 27),
        a.map((value, k) => 0.5 * (value + b[k])),
      );
    }
  });

  it('is as its nodes are where nothing moves it, whatever the transform of its own node', async () => {
    const made = await new WebIO().readBinary(await arm());
    made
      .getRoot()
      .listNodes()
      .find((node) => node.getName() === 'body')
      ?.setTranslation([5, 5, 5]);
    made
      .getRoot()
      .listNodes()
      .find((node) => node.getName() === 'shoulder')
      ?.setTranslation([0, 0, 2]);
    const { position } = readMesh(await bytes(made), 'arm.glb');
    close(position.subarray(36, 39), [-0.1, -2.1, 1.5]);
  });
});

describe('other ways to move a mesh', () => {
  const triangle = (
    made: ReturnType<typeof start>,
  ): { node: GltfNode; primitive: ReturnType<Document['createPrimitive']> } => {
    const { document, accessor } = made;
    const primitive = document
      .createPrimitive()
      .setAttribute('POSITION', accessor('VEC3', Float32Array.from([0, 0, 0, 1, 0, 0, 0, 1, 0])));
    const mesh = document.createMesh('m').addPrimitive(primitive);
    const node = document.createNode('n').setMesh(mesh);
    document.createScene().addChild(node);
    return { node, primitive };
  };

  it('morph targets, also stored as a list of changes', async () => {
    for (const sparse of [false, true]) {
      const made = start();
      const { node, primitive } = triangle(made);
      const target = made.document.createPrimitiveTarget();
      const change = made.accessor('VEC3', Float32Array.from([0, 0, 0, 0, 0, 0, 0, 0, 2])).setSparse(sparse);
      primitive.addTarget(target.setAttribute('POSITION', change));
      animate(made, 'smile', [[node, 'weights', [0, 2], [0, 1]]]);
      const { motion } = readMeshMotion(await bytes(made.document), 'a.glb', {});
      // z of the file is −y of the scene
      close(motion.positionsAt(0.5).subarray(6, 9), [0, -0.5, 1]);
      close(motion.positionsAt(9).subarray(6, 9), [0, -2, 1]);
    }
  });

  it('cubic splines, exactly: x = t³ and y = t', async () => {
    const made = start();
    const { node } = triangle(made);
    // in-tangent, value, out-tangent of each key
    const keys = [0, 1, 3].flatMap((t) => [3 * t * t, 1, 0, t ** 3, t, 0, 3 * t * t, 1, 0]);
    animate(made, 'a', [[node, 'translation', [0, 1, 3], keys, 'CUBICSPLINE']]);
    const { motion } = readMeshMotion(await bytes(made.document), 'a.glb', {});
    for (const t of [0.4, 1.7, 2.9]) close(motion.positionsAt(t), [t ** 3, 0, t], 1e-5);
  });

  it('steps, and scales', async () => {
    const made = start();
    const { node } = triangle(made);
    animate(made, 'a', [
      [node, 'translation', [0, 1], [0, 0, 0, 0, 0, -3], 'STEP'],
      [node, 'scale', [0, 1], [1, 1, 1, 3, 1, 1]],
    ]);
    const { motion } = readMeshMotion(await bytes(made.document), 'a.glb', {});
    close(motion.positionsAt(0.5).subarray(3, 6), [2, 0, 0]);
    close(motion.positionsAt(1).subarray(3, 6), [3, 3, 0]);
  });
});

describe('a USD character', () => {
  const tuples = (values: readonly (readonly number[])[]): string =>
    `[${values.map((v) => `(${v.join(', ')})`).join(', ')}]`;
  const matrix = (x: number, y: number, z: number): string =>
    `( (1, 0, 0, 0), (0, 1, 0, 0), (0, 0, 1, 0), (${x}, ${y}, ${z}, 1) )`;
  const sections = [0, 50, 100, 150];
  const corners = [
    [-10, 10],
    [10, 10],
    [10, -10],
    [-10, -10],
  ];
  const points = sections.flatMap((y) => corners.map(([x, z]) => [x, y, z]));
  const faces = [0, 1, 2].flatMap((s) =>
    corners.flatMap((_, c) => [4 * s + c, 4 * s + ((c + 1) % 4), 4 * s + ((c + 1) % 4) + 4, 4 * s + c + 4]),
  );
  const half = Math.SQRT1_2;
  /** The arm of the glTF file in centimetres: its elbow turns by 90° in 24 frames and stays; its corner 12 bulges along x. */
  const arm = `#usda 1.0
( metersPerUnit = 0.01
  upAxis = "Y"
  timeCodesPerSecond = 24 )
def SkelRoot "hero" ( prepend apiSchemas = ["SkelBindingAPI"] ) {
  rel skel:skeleton = </hero/bones>
  def Skeleton "bones" ( prepend apiSchemas = ["SkelBindingAPI"] ) {
    uniform token[] joints = ["shoulder", "shoulder/elbow"]
    uniform matrix4d[] bindTransforms = [${matrix(0, 0, 0)}, ${matrix(0, 100, 0)}]
    uniform matrix4d[] restTransforms = [${matrix(0, 0, 0)}, ${matrix(0, 100, 0)}]
    prepend rel skel:animationSource = </hero/bones/bend>
    def SkelAnimation "bend" {
      uniform token[] joints = ["shoulder/elbow"]
      float3[] translations = [(0, 100, 0)]
      quatf[] rotations.timeSamples = { 1001: [(1, 0, 0, 0)], 1025: [(${half}, 0, 0, ${half})], 1037: [(-${half}, 0, 0, -${half})] }
      half3[] scales = [(1, 1, 1)]
      uniform token[] blendShapes = ["bulge"]
      float[] blendShapeWeights.timeSamples = { 1001: [0], 1025: [1] }
    }
  }
  def Mesh "body" ( prepend apiSchemas = ["SkelBindingAPI"] ) {
    int[] faceVertexCounts = [${Array(12).fill(4).join(', ')}]
    int[] faceVertexIndices = [${faces.join(', ')}]
    point3f[] points = ${tuples(points)}
    int[] primvars:skel:jointIndices = [${points.flatMap(() => [1, 0]).join(', ')}] ( elementSize = 2
      interpolation = "vertex" )
    float[] primvars:skel:jointWeights = [${sections.flatMap((_, k) => corners.flatMap(() => [[0, 0, 0.5, 1][k], [1, 1, 0.5, 0][k]])).join(', ')}] ( elementSize = 2 )
    uniform token[] skel:blendShapes = ["bulge"]
    rel skel:blendShapeTargets = [</hero/body/bulge>]
    def BlendShape "bulge" {
      uniform vector3f[] offsets = [(20, 0, 0)]
      uniform int[] pointIndices = [13]
      uniform vector3f[] inbetweens:early = [(20, 0, 0)] ( weight = 0.25 )
    }
  }
}
`;
  const encode = (text: string): Uint8Array => new TextEncoder().encode(text);

  it('follows its joints and blend shapes as the glTF one does, in metres', () => {
    const { mesh, motion, warnings } = readMeshMotion(encode(arm), 'arm.usda', {});
    expect(warnings).toEqual([]);
    expect(mesh.triangle).toHaveLength(72);
    close(mesh.position.subarray(36, 39), [-0.1, -0.1, 1.5]);
    for (const t of [0, 0.3, 0.77, 1.2]) {
      const p = motion.positionsAt(1001 / 24 + t);
      const angle = 0.5 * Math.PI * Math.min(t, 1);
      close(p.subarray(0, 3), [-0.1, -0.1, 0]);
      close(p.subarray(36, 39), bent([-0.1, 1.5, 0.1], angle));
      const bulge = 0.2 * Math.min(1, 4 * Math.min(t, 1));
      close(p.subarray(39, 42), bent([0.1 + bulge, 1.5, 0.1], angle));
      const [a, b] = [bent([-0.1, 1, 0.1], 0), bent([-0.1, 1, 0.1], angle)];
      close(
        p.subarray(24, 27),
        a.map((value, k) => 0.5 * (value + b[k])),
      );
    }
  });

  it('starts when the scene says, whatever its first frame is called', () => {
    const { frames } = readAnimatedSkin(encode(arm), 'arm.usda', { animation: { start: 0.5 } });
    expect([frames[0].time, frames[frames.length - 1].time]).toEqual([0.5, expect.closeTo(2, 9)]);
  });

  it('moves as a cache of points below transforms with pivots', () => {
    const cache = `#usda 1.0
( metersPerUnit = 1
  upAxis = "Z"
  timeCodesPerSecond = 10 )
def Xform "turns" {
  float xformOp:rotateZ.timeSamples = { 0: 0, 10: 90 }
  double3 xformOp:translate:pivot = (1, 0, 0)
  uniform token[] xformOpOrder = ["xformOp:translate:pivot", "xformOp:rotateZ", "!invert!xformOp:translate:pivot"]
  def Mesh "sheet" {
    int[] faceVertexCounts = [3]
    int[] faceVertexIndices = [0, 1, 2]
    uniform token orientation = "leftHanded"
    point3f[] points.timeSamples = { 0: [(0, 0, 0), (1, 0, 0), (0, 1, 0)], 5: [(0, 0, 1), (1, 0, 1), (0, 1, 1)] }
  }
}
`;
    const { mesh, motion } = readMeshMotion(encode(cache), 'cache.usda', {});
    expect([...mesh.triangle]).toEqual([0, 2, 1]);
    expect(motion.times).toEqual([0, 0.5, 1]);
    // the pivot stays, the origin goes about it
    close(motion.positionsAt(0.25).subarray(3, 6), [1, 0, 0.5]);
    close(motion.positionsAt(1).subarray(0, 3), [1, -1, 1]);
  });

  it('is refused with what is missing', () => {
    const without = (pattern: RegExp): (() => unknown) => {
      const text = arm.replace(pattern, '');
      expect(text).not.toBe(arm);
      return () => readMeshMotion(encode(text), 'arm.usda', {});
    };
    expect(without(/uniform matrix4d\[\] bindTransforms.*\n/)).toThrow(/bind transform/);
    expect(without(/float\[\] primvars:skel:jointWeights.*\n/)).toThrow(/joint weights/);
    expect(without(/int\[\] faceVertexIndices.*\n/)).toThrow(/faceVertexIndices/);
    expect(without(/\.timeSamples = \{ 1001: \[\(1.*\n[\s\S]*?timeSamples.*\n/)).toThrow();
    expect(() => readMesh(encode('#usda 1.0\ndef Xform "a" ( references = @b.usd@ ) {}\n'), 'a.usda')).toThrow(
      /--flatten/,
    );
  });
});

describe('what cannot be used', () => {
  const message = (action: () => unknown): string => {
    try {
      action();
    } catch (error) {
      if (error instanceof InputError) return error.message;
      throw error;
    }
    throw new Error('nothing was thrown');
  };

  it('is named, with what there is', async () => {
    const good = await arm();
    expect(message(() => readMeshMotion(good, 'arm.glb', { animation: 'Walk' }))).toContain("it has 'bend', 'lift'");
    expect(message(() => readMeshMotion(good, 'arm.glb', {}))).toContain('2 animations');
    const obj = new TextEncoder().encode('v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n');
    expect(message(() => readMeshMotion(obj, 'a.obj', {}))).toContain('.glb');
    const still = start();
    const node = still.document.createNode();
    const points = still.accessor('VEC3', Float32Array.from([0, 0, 0, 1, 0, 0, 0, 1, 0]));
    node.setMesh(
      still.document.createMesh().addPrimitive(still.document.createPrimitive().setAttribute('POSITION', points)),
    );
    still.document.createScene().addChild(node);
    const silent = await bytes(still.document);
    expect(message(() => readMeshMotion(silent, 'a.glb', {}))).toContain('no animation');
    const lost = await new WebIO().readBinary(good);
    lost.getRoot().listMeshes()[0].listPrimitives()[0].setAttribute('JOINTS_0', null);
    const without = await bytes(lost);
    expect(message(() => readMesh(without, 'arm.glb'))).toContain('JOINTS_0');
    const weightless = await new WebIO().readBinary(good);
    weightless.getRoot().listMeshes()[0].listPrimitives()[0].getAttribute('WEIGHTS_0')?.setElement(3, [0, 0, 0, 0]);
    const loose = await bytes(weightless);
    expect(message(() => readMesh(loose, 'arm.glb'))).toContain('vertex 3');
  });
});

describe('hair on a skin that moves', () => {
  /** One hair on the end of the arm, which turns with the elbow, and one at the shoulder, which does not move. */
  const curves =
    'curve,x,y,z\n0,0.03,-0.02,1.5\n0,0.03,-0.02,1.55\n0,0.03,-0.02,1.6\n1,0.03,-0.02,0\n1,0.03,-0.02,-0.05\n1,0.03,-0.02,-0.1\n';
  const open = async (yaml: string, table = curves): Promise<ReturnType<typeof parseScene>> => {
    const glb = await arm();
    const files = createFileResolver((name) => (name.endsWith('.csv') ? new TextEncoder().encode(table) : glb));
    return parseScene(yaml, 'scene.yaml', { files });
  };
  const yaml = (animation: string, more = ''): string => `
tendril: 1
strands:
  - { file: hair.csv, id: hair, section: { type: circle, radius: 4 mm }, material: { E: 3 GPa, nu: 0.4, density: 1300 }, skin: { file: arm.glb, animation: ${animation} }${more} }
colliders: [{ type: mesh-file, file: arm.glb, animation: ${animation} }]
time: { duration: 1, step: 0.01 }
`;

  it('keeps the keys of a file with 24 samples per second: a smooth curve runs through them', async () => {
    // a node on a circle, as Blender writes it: a linear key per frame
    const made = start();
    const { document, accessor } = made;
    const points = accessor('VEC3', Float32Array.from([0.9, 0, 0, 1.1, 0, 0, 1, 0.2, 0]));
    const node = document
      .createNode()
      .setMesh(document.createMesh().addPrimitive(document.createPrimitive().setAttribute('POSITION', points)));
    document.createScene().addChild(node);
    const times = Array.from({ length: 25 }, (_, k) => k / 24);
    const turn = times.flatMap((t) => [0, 0, Math.sin(t), Math.cos(t)]);
    animate(made, 'circle', [[node, 'rotation', times, turn]]);
    const { frames } = readAnimatedSkin(await bytes(document), 'a.glb', {});
    expect(frames.map(({ time }) => Math.round(24 * time))).toEqual(times.map((_, k) => k));
  });

  it('rides with it: roots stay on the skin and their tangents turn with it, also between keys', async () => {
    const { scene, warnings } = await open(yaml('bend'));
    expect(warnings).toEqual([]);
    const world = createWorld(scene);
    const [rod] = compileScene(scene).rods;
    expect(rod.nodeCount).toBe(3);
    for (let k = 1; k <= 62; k++) {
      world.step();
      // the path starts and stops smoothly; between, it has the constant rate of the file
      if (k < 45) continue;
      const angle = 0.5 * Math.PI * world.time;
      close(world.samples[0].nodePosition, bent([0.03, 1.5, 0.02], angle));
      close(world.samples[0].edgeTangent, [-Math.sin(angle), 0, Math.cos(angle)], 2e-3);
      close(world.samples[1].nodePosition, [0.03, -0.02, 0]);
    }
  });

  it('starts where the first pose has it, and waits until the animation starts', async () => {
    const { scene } = await open(yaml('{ name: lift, start: 0.5 s, rate: 60 }'));
    const world = createWorld(scene);
    for (let k = 0; k < 50; k++) world.step();
    expect(world.samples[0].nodePosition[2]).toBeCloseTo(1.5, 6);
    for (let k = 0; k < 50; k++) world.step();
    expect(world.samples[0].nodePosition[2]).toBeCloseTo(2, 3);
  });

  it('says which roots are off the skin, and that free roots do not ride on a skin', async () => {
    const far = curves.replaceAll(/^0,0.03/gm, '0,0.9');
    const { warnings } = await open(yaml('bend'), far);
    expect(warnings.join()).toContain("1 of 2 roots do not lie on the skin at rest ('hair-0' is 0.80 m away)");
    await expect(open(yaml('bend', ', root: free'))).rejects.toThrow('do not ride on a skin');
    await expect(open(yaml('run'))).rejects.toThrow("there is no animation 'run'");
    await expect(open(yaml('{ name: bend, rate: 1e9 }'))).rejects.toThrow('coarser mesh');
  });
});
