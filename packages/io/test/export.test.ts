/** Exports hold what the recording holds: read back here by other libraries where there is one, else by hand. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join as joinPath } from 'node:path';
import { type Mesh, type Node, WebIO } from '@gltf-transform/core';
import type { Scene } from '@tendril-sim/core';
import { parquetMetadata, parquetReadObjects } from 'hyparquet';
import { afterAll, describe, expect, it } from 'vitest';
import { nodeChannel, nodeFrames } from '../src/export/footage.ts';
import { obstaclesOf, writeObstacle } from '../src/export/obstacles.ts';
import {
  type BodyFrame,
  bodiesToVtp,
  createRecordingEncoder,
  exportGlb,
  exportParquet,
  exportUsda,
  formatPvd,
  frameToVtp,
  obstaclesToVtp,
  type RecordingHeader,
} from '../src/index.ts';
import { openRecordingFile } from '../src/node.ts';
import { join, record, swing } from './footage.ts';

const recording = record(swing, 5, 0.01);
const last = recording.frame(4);
const folder = mkdtempSync(joinPath(tmpdir(), 'tendril-export-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('frames and channels at nodes', () => {
  it('are orthonormal, and those of the edges at free ends', () => {
    const rod = recording.header.rods[0];
    const { tangent, d1 } = nodeFrames(rod, last.rods[0]);
    for (let i = 0; i < tangent.length; i += 3) {
      const [t, d] = [tangent.subarray(i, i + 3), d1.subarray(i, i + 3)];
      expect(Math.hypot(...t)).toBeCloseTo(1, 12);
      expect(Math.hypot(...d)).toBeCloseTo(1, 12);
      expect(t[0] * d[0] + t[1] * d[1] + t[2] * d[2]).toBeCloseTo(0, 12);
    }
    expect(d1[0]).toBeCloseTo(last.rods[0].edgeDirector[0], 6);
  });

  it('follow from the geometry as the model gives them, inside the rods', () => {
    let seen = 0;
    recording.header.rods.forEach((rod, r) => {
      const bare = { ...last.rods[r], channels: undefined };
      for (const channel of ['curvature', 'twist'] as const) {
        const own = last.rods[r].channels?.[channel] as Float64Array;
        const found = nodeChannel(rod, bare, channel) as Float64Array;
        // pinned nodes carry the clamp as well, which geometry does not know
        for (let i = 1; i < rod.nodeCount - 1; i++) {
          expect(found[i]).toBeCloseTo(own[i], 3);
          if (Math.abs(own[i]) > 0.1) seen++;
        }
      }
      expect(nodeChannel(rod, bare, 'tension')).toBeUndefined();
    });
    expect(seen).toBeGreaterThan(10);
  });
});

describe('usda', () => {
  const text = [...exportUsda(recording)].join('');

  it('says units, axes and times', () => {
    expect(text.startsWith('#usda 1.0\n')).toBe(true);
    for (const line of ['metersPerUnit = 1', 'upAxis = "Z"', 'framesPerSecond = 100', 'endTimeCode = 4'])
      expect(text).toContain(`    ${line}\n`);
    expect(text).toContain('doc = "A \\"swing\\""');
    // two names that become one are kept apart
    expect(text).toContain('def BasisCurves "rope_1"');
    expect(text).toContain('def BasisCurves "rope_1_2"');
    expect(text).toContain('wrap = "periodic"');
    expect(text).toContain('def Cube "shape"');
  });

  it('has a sample of points and normals for every frame', () => {
    const block = /normal3f\[\] normals\.timeSamples = \{\n(.*?)\n {8}\}/s.exec(text)?.[1] ?? '';
    expect(block.trim().split('\n')).toHaveLength(5);
    const points = /point3f\[\] points\.timeSamples = \{\n(.*?)\n {8}\}/s.exec(text)?.[1] ?? '';
    const numbers = (
      points
        .trim()
        .split('\n')[4]
        .match(/-?\d[\d.e-]*/g) ?? []
    )
      .map(Number)
      .slice(1);
    const x = last.rods[0].nodePosition;
    expect(numbers).toHaveLength(x.length);
    for (let i = 0; i < x.length; i++) expect(numbers[i]).toBeCloseTo(x[i], 8);
    expect(Math.abs(x[x.length - 1])).toBeGreaterThan(1e-3);
  });
});

describe('glb', () => {
  it('is what another library reads: tubes about the rods, moving as they do', async () => {
    const { chunks, look, byteLength } = exportGlb(recording);
    const bytes = join(chunks());
    expect(look).toBe('tubes');
    expect(bytes.length).toBe(byteLength);
    const root = (await new WebIO().readBinary(bytes)).getRoot();
    const mesh = root.listMeshes()[0] as Mesh;
    expect(mesh.getName()).toBe('rope 1');
    const primitive = mesh.listPrimitives()[0];
    const base = primitive.getAttribute('POSITION')?.getArray() as Float32Array;
    const target = primitive.listTargets()[3].getAttribute('POSITION')?.getArray() as Float32Array;
    const x = last.rods[0].nodePosition;
    for (let i = 0; i < 9; i++) {
      // the mean of a ring is its node, its size the radius
      const mean = [0, 0, 0];
      for (let k = 0; k < 8; k++)
        for (let m = 0; m < 3; m++) mean[m] += (base[24 * i + 3 * k + m] + target[24 * i + 3 * k + m]) / 8;
      for (let m = 0; m < 3; m++) expect(mean[m]).toBeCloseTo(x[3 * i + m], 6);
      const corner = [0, 1, 2].map((m) => base[24 * i + m] + target[24 * i + m] - mean[m]);
      expect(Math.hypot(...corner)).toBeCloseTo(0.004 - (0.002 * i) / 8, 3);
    }
    // outward triangles: the volume by the divergence theorem is that of a frustum with eight sides, less for the twist
    const indices = primitive.getIndices()?.getArray() as Uint32Array;
    const frustum = (2 * Math.SQRT2 * 0.4 * (16e-6 + 8e-6 + 4e-6)) / 3;
    expect(volume(base, indices) / frustum).toBeGreaterThan(0.97);
    expect(volume(base, indices) / frustum).toBeLessThan(1);
    const animation = root.listAnimations()[0];
    const sampler = animation.listSamplers()[0];
    expect([...(sampler.getInput()?.getArray() ?? [])].map((t) => Number(t.toFixed(6)))).toEqual([
      0, 0.01, 0.02, 0.03, 0.04,
    ]);
    expect([...(sampler.getOutput()?.getArray() ?? [])].slice(4, 8)).toEqual([1, 0, 0, 0]);
    const bob = root.listNodes().find((node: Node) => node.getName() === 'bob') as Node;
    expect(bob.getTranslation()).toEqual([0.42, 0, 0]);
    // z up becomes y up
    const turned = root.listNodes()[0].getRotation();
    expect(turned[0]).toBeCloseTo(-Math.SQRT1_2, 6);
  });

  it('draws lines on demand, and thins frames that are too many', async () => {
    const { chunks } = exportGlb(recording, { look: 'lines' });
    const root = (await new WebIO().readBinary(join(chunks()))).getRoot();
    const primitive = root.listMeshes()[1].listPrimitives()[0];
    expect(primitive.getMode()).toBe(1);
    // the ring closes
    expect([...(primitive.getIndices()?.getArray() ?? [])].slice(-2)).toEqual([8, 0]);
    const long = { ...recording, frameCount: 1000, frame: (k: number) => ({ ...recording.frame(k % 5), time: k }) };
    expect(exportGlb(long, { look: 'lines' }).frameCount).toBe(256);
  });
});

describe('obstacles', () => {
  const colliders: Scene['colliders'] = [
    {
      id: 'ball',
      type: 'sphere',
      radius: 0.05,
      position: [1, 0, 0],
      path: { keys: [{ time: 0 }, { time: 0.04, offset: [0, 0.2, 0], rotation: [0, 0, Math.PI / 2] }] },
    },
    { type: 'box', size: [0.2, 0.4, 0.6], body: 'bob', position: [0, 0, 0.1] },
    { type: 'plane', position: [0, 0, -1] },
    { type: 'capsule', from: [0, 0, 0], to: [0, 0, 1], radius: 0.1 },
    { type: 'torus', ring: 0.5, radius: 0.1 },
    {
      type: 'mesh',
      vertices: [
        [0, 0, 0],
        [1, 0, 0],
        [1, 1, 0],
        [0, 1, 0],
      ],
      faces: [[0, 1, 2, 3]],
      solid: false,
    },
    { type: 'formula', formula: 'x' },
  ];
  const film = { ...recording, header: { ...recording.header, scene: { ...swing, colliders } } };

  it('are meshes where they are, on their path or body', () => {
    const obstacles = obstaclesOf(film.header);
    expect(obstacles.map(({ id, moves }) => [id, moves])).toEqual([
      ['ball', true],
      ['collider 1', true],
      ['collider 2', false],
      ['collider 3', false],
      ['collider 4', false],
      ['collider 5', false],
    ]);
    const at = new Float64Array(12);
    obstacles[0].place(at, last);
    const expected = [0, 1, 0, -1, 0, 0, 0, 0, 1, 1, 0.2, 0];
    at.forEach((value, k) => {
      expect(value).toBeCloseTo(expected[k], 12);
    });
    // what rides on a body is where the body has taken it
    const pose = last.bodies?.[0] as BodyFrame;
    const [w, x, y, z] = Array.from(pose.orientation);
    obstacles[1].place(at, last);
    const up = [2 * (x * z + w * y), 2 * (y * z - w * x), 1 - 2 * (x * x + y * y)];
    for (let k = 0; k < 3; k++) expect(at[9 + k]).toBeCloseTo(pose.position[k] + 0.1 * up[k], 12);
    // outward everywhere: volumes of ball, box, capsule and torus
    const volumes = [obstacles[0], obstacles[1], obstacles[3], obstacles[4]].map(({ position, triangle }) =>
      volume(Float32Array.from(position), triangle),
    );
    expect(volumes[0] / ((4 / 3) * Math.PI * 0.05 ** 3)).toBeCloseTo(0.993, 3);
    expect(volumes[1]).toBeCloseTo(0.048, 7);
    expect(volumes[2] / (Math.PI * 0.01 + (4 / 3) * Math.PI * 1e-3)).toBeCloseTo(0.99, 2);
    expect(volumes[3] / (2 * Math.PI ** 2 * 0.5 * 0.1 ** 2)).toBeCloseTo(0.993, 3);
  });

  it('are in all three formats', async () => {
    const usda = [...exportUsda(film)].join('');
    expect(usda.match(/def Mesh/g)).toHaveLength(6);
    expect(usda).toContain('4: ( (0, 1, 0, 0), (-1, 0, 0, 0), (0, 0, 1, 0), (1, 0.2, 0, 1) ),');
    const { chunks, byteLength } = exportGlb(film);
    const bytes = join(chunks());
    expect(bytes.length).toBe(byteLength);
    const root = (await new WebIO().readBinary(bytes)).getRoot();
    const node = root.listNodes().find((one: Node) => one.getName() === 'ball') as Node;
    const channel = root
      .listAnimations()[0]
      .listChannels()
      .find((one) => one.getTargetNode() === node && one.getTargetPath() === 'rotation');
    const turns = channel?.getSampler()?.getOutput()?.getArray() as Float32Array;
    [0, 0, Math.SQRT1_2, Math.SQRT1_2].forEach((value, k) => {
      expect(Math.abs(turns[16 + k])).toBeCloseTo(value, 6);
    });
    const vtp = new TextDecoder('latin1').decode(obstaclesToVtp(film.header, last));
    expect(vtp).toMatch(/NumberOfPolys="[1-9]/);
    expect(obstaclesToVtp(recording.header, last)).toBeUndefined();
  });

  it('that deform do so in every format', async () => {
    const corners = (x: number): [number, number, number][] => [
      [0, 0, 0],
      [x, 0, 0],
      [0, 1, 0],
    ];
    const skin: NonNullable<Scene['colliders']>[number] = {
      id: 'skin',
      type: 'mesh',
      vertices: corners(1),
      faces: [[0, 1, 2]],
      solid: false,
      deform: [
        { time: 0, vertices: corners(1) },
        { time: 0.04, vertices: corners(3) },
      ],
    };
    const deforming = { ...recording, header: { ...recording.header, scene: { ...swing, colliders: [skin] } } };
    const [obstacle] = obstaclesOf(deforming.header);
    const world = new Float64Array(9);
    writeObstacle(world, obstacle, recording.frame(1));
    expect(world[3]).toBeCloseTo(1 + (2 * recording.frame(1).time) / 0.04, 12);
    const usda = [...exportUsda(deforming)].join('');
    expect(usda).toMatch(/points.timeSamples = \{\n\s+0: \[\(0, 0, 0\), \(1, 0, 0\)/);
    expect(usda).toContain('4: [(0, 0, 0), (3, 0, 0), (0, 1, 0)],');
    const { chunks, byteLength } = exportGlb(deforming);
    const bytes = join(chunks());
    expect(bytes.length).toBe(byteLength);
    const root = (await new WebIO().readBinary(bytes)).getRoot();
    const mesh = root.listMeshes().find((one: Mesh) => one.getName() === 'skin') as Mesh;
    const targets = mesh.listPrimitives()[0].listTargets();
    expect(targets).toHaveLength(4);
    expect(targets[3].getAttribute('POSITION')?.getElement(1, [])).toEqual([2, 0, 0]);
    const weights = root
      .listAnimations()[0]
      .listChannels()
      .find((one) => one.getTargetNode()?.getName() === 'skin' && one.getTargetPath() === 'weights');
    expect(weights?.getSampler()?.getOutput()?.getCount()).toBe(5 * 4);
  });
});

function volume(p: Float32Array, indices: Uint32Array): number {
  let sum = 0;
  for (let f = 0; f < indices.length; f += 3) {
    const [a, b, c] = [0, 1, 2].map((k) => p.subarray(3 * indices[f + k], 3 * indices[f + k] + 3));
    sum += a[0] * (b[1] * c[2] - b[2] * c[1]) + a[1] * (b[2] * c[0] - b[0] * c[2]) + a[2] * (b[0] * c[1] - b[1] * c[0]);
  }
  return sum / 6;
}

describe('vtp', () => {
  const bytes = frameToVtp(recording.header, last);
  const text = new TextDecoder('latin1').decode(bytes);
  const array = (name: string): Float64Array => {
    const offset = Number(new RegExp(`Name="${name}"[^>]*offset="(\\d+)"`).exec(text)?.[1]);
    const at = text.indexOf('_', text.indexOf('<AppendedData')) + 1 + offset;
    const view = new DataView(bytes.buffer, at);
    const length = Number(view.getBigUint64(0, true));
    return Float64Array.from({ length: length / 8 }, (_, k) => view.getFloat64(8 + 8 * k, true));
  };

  it('holds positions and channels exactly', () => {
    expect([...array('Points')]).toEqual([...last.rods[0].nodePosition, ...last.rods[1].nodePosition]);
    expect([...array('curvature')].slice(0, 9)).toEqual([...(last.rods[0].channels?.curvature ?? [])]);
    const tension = last.rods[0].channels?.tension ?? [];
    expect(array('tension')[1]).toBe((tension[0] + tension[1]) / 2);
    expect([...array('TimeValue')]).toEqual([last.time]);
    expect(text).toContain('NumberOfPoints="18" NumberOfVerts="0" NumberOfLines="2"');
  });

  it('leaves out what was not recorded, and bodies where there are none', () => {
    const bare = { ...last, rods: last.rods.map((rod) => ({ ...rod, channels: undefined })) };
    const less = new TextDecoder('latin1').decode(frameToVtp(recording.header, bare));
    expect(less).not.toContain('"tension"');
    expect(less).toContain('"twist"');
    expect(bodiesToVtp(recording.header, last)).toBeDefined();
    expect(bodiesToVtp({ ...recording.header, bodies: [] }, last)).toBeUndefined();
    expect(formatPvd([{ time: 0.5, part: 0, file: 'a & b/0.vtp' }])).toContain(
      'timestep="0.5" part="0" file="a &amp; b/0.vtp"',
    );
  });
});

describe('parquet', () => {
  it('is the table that another library reads', async () => {
    const bytes = join(exportParquet(recording));
    const file = bytes.buffer.slice(0, bytes.length) as ArrayBuffer;
    expect(parquetMetadata(file).key_value_metadata).toContainEqual({ key: 'tendril.version', value: 'test' });
    const rows = await parquetReadObjects({ file });
    expect(rows).toHaveLength(5 * 18);
    const x = last.rods[1].nodePosition;
    expect(rows.at(-1)).toMatchObject({
      frame: 4,
      time: last.time,
      rod: 'rope-1',
      node: 8,
      x: x[24],
      y: x[25],
      z: x[26],
    });
    expect(rows[8]).toMatchObject({ rod: 'rope 1', node: 8, d1x: null, tension: null });
    expect(rows[7].curvature).toBe(recording.frame(0).rods[0].channels?.curvature?.[7]);
  });
});

describe('a long recording', () => {
  it('is read from disk a frame at a time, and exported in bounded memory', () => {
    const [rods, nodes, frames] = [1000, 12, 24];
    const edgeLengthRest = new Array<number>(nodes - 1).fill(0.02);
    const header: RecordingHeader = {
      version: 'test',
      scene: swing,
      rods: Array.from({ length: rods }, (_, k) => ({
        id: `hair-${k}`,
        model: 'der',
        closed: false,
        nodeCount: nodes,
        edgeCount: nodes - 1,
        edgeLengthRest,
        edgeRadius: edgeLengthRest.map(() => 4e-5),
      })),
    };
    const encoder = createRecordingEncoder(header);
    const energies = recording.frame(0).energies;
    const parts = [encoder.encodeHeader()];
    for (let k = 0; k < frames; k++) {
      const strand = Float64Array.from({ length: 3 * nodes }, (_, i) => Math.sin(i + k) / 7);
      const edgeDirector = Float64Array.from({ length: 3 * (nodes - 1) }, (_, i) => (i % 3 === 0 ? 1 : 0));
      const frame = { time: k / 24, energies, rods: header.rods.map(() => ({ nodePosition: strand, edgeDirector })) };
      parts.push(encoder.encodeFrame(frame));
    }
    parts.push(encoder.encodeFooter());
    const path = joinPath(folder, 'long.tendril');
    writeFileSync(path, join(parts));
    const film = openRecordingFile(path);
    let [longest, total] = [0, 0];
    for (const chunk of exportUsda(film)) {
      longest = Math.max(longest, chunk.length);
      total += chunk.length;
    }
    film.close();
    expect(total).toBeGreaterThan(10e6);
    // no piece grows with the number of frames or rods: the longest is the list of names
    expect(longest).toBeLessThan(60e3);
    expect(() => openRecordingFile(joinPath(folder, 'none'))).toThrow(/no such file/);
    expect(() => openRecordingFile(folder)).toThrow(/folder/);
  });
});
