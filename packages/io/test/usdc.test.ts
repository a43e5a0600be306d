/** Binary USD, read back by three.js. */
import { createSurface, growHairstyle } from '@tendril-sim/core';
import { expect, it } from 'vitest';
import { type Footage, hairColor } from '../src/export/footage.ts';
import { exportUsdc } from '../src/export/usdc.ts';
import { hairFootage } from '../src/hairFootage.ts';

interface Spec {
  readonly specType: number;
  readonly fields: Readonly<Record<string, unknown>>;
}

/** three.js has no types for it. */
const parser: string = 'three/examples/jsm/loaders/usd/USDCParser.js';

interface Samples {
  readonly times: ArrayLike<number>;
  readonly values: readonly ArrayLike<number>[];
}

const bytesOf = (footage: Footage): Uint8Array<ArrayBuffer> =>
  Uint8Array.from([...exportUsdc(footage, { title: 'a test' })].flatMap((chunk) => [...chunk]));

async function read(footage: Footage): Promise<Readonly<Record<string, Spec>>> {
  const bytes = bytesOf(footage);
  const { USDCParser } = (await import(parser)) as {
    readonly USDCParser: new () => {
      parseData(buffer: ArrayBuffer): { readonly specsByPath: Readonly<Record<string, Spec>> };
    };
  };
  return new USDCParser().parseData(bytes.buffer).specsByPath;
}

it('has the vertices of a skin that deforms in every frame', async () => {
  const position = Float64Array.from([0, 0, 0, 0.1, 0, 0, 0.1, 0.1, 0]);
  const mesh = { position, triangle: Uint32Array.of(0, 1, 2) };
  const { style } = growHairstyle(createSurface(mesh), { guides: { count: 3 }, length: 0.05 });
  const frames = [0, 1].map((time) => ({ time, position: position.map((x) => x * (1 + time)) }));
  const still = hairFootage(style, 'test', {
    guides: true,
    skin: { mesh, frames, name: 'grow', source: 'test', warnings: [] },
  });
  const moving: Footage = {
    ...still,
    frameCount: 2,
    timeOf: (k) => k,
    frame: (k) => ({ ...still.frame(0), time: k }),
  };
  const specs = await read(moving);
  const points = specs['/tendril/skin.points'].fields.timeSamples as Samples;
  expect(points.values.map((value) => Array.from(value))).toEqual(
    frames.map((frame) => [...Float32Array.from(frame.position)]),
  );
  const extent = specs['/tendril/skin.extent'].fields.default as ArrayLike<number>;
  expect(Array.from(extent)).toEqual([...Float32Array.of(0, 0, 0, 0.2, 0.2, 0)]);
});

it('has all prims, attributes and time samples', async () => {
  const position = [0, 0, 0, 0.1, 0, 0, 0.1, 0.1, 0, 0, 0.1, 0];
  const surface = createSurface({ position, triangle: [0, 1, 2, 0, 2, 3] });
  const { style } = growHairstyle(surface, { guides: { count: 3 }, length: 0.05, hairs: { count: 20 } });
  const skin = { position: surface.position, triangle: surface.triangle };
  const still = hairFootage({ ...style, skin }, 'test', { nodes: 5 });
  const moving: Footage = {
    ...still,
    frameCount: 3,
    timeOf: (k) => k / 25,
    frame: (k) => ({
      ...still.frame(0),
      time: k / 25,
      bodies: [{ position: [0, 0, 0.01 * k], orientation: [1, 0, 0, 0] }],
      rods: still.frame(0).rods.map((rod) => ({ ...rod, nodePosition: rod.nodePosition.map((x) => x + k) })),
    }),
  };
  const specsByPath = await read(moving);
  const value = (path: string): unknown => specsByPath[`/tendril/${path}`].fields.default;
  expect(specsByPath['/'].fields).toMatchObject({
    defaultPrim: 'tendril',
    upAxis: 'Z',
    metersPerUnit: 1,
    timeCodesPerSecond: 25,
    endTimeCode: 2,
    primChildren: ['tendril'],
  });
  expect(specsByPath['/tendril'].fields.primChildren).toEqual(['strands', 'skin']);
  expect(specsByPath['/tendril/strands'].fields.typeName).toBe('BasisCurves');
  expect(value('strands.type')).toBe('linear');
  expect(Array.from(value('strands.curveVertexCounts') as number[])).toEqual(new Array(20).fill(5));
  const samples = specsByPath['/tendril/strands.points'].fields.timeSamples as Samples;
  expect(Array.from(samples.times)).toEqual([0, 1, 2]);
  const expected = moving.frame(2).rods.flatMap(({ nodePosition }) => [...Float32Array.from(nodePosition)]);
  expect(Array.from(samples.values[2])).toEqual(expected);
  expect(Array.from(value('strands.primvars:guide') as number[]).every((g) => g >= 0 && g < 3)).toBe(true);
  expect(Array.from(value('strands.primvars:st') as number[])).toHaveLength(40);
  expect(Array.from(value('strands.widths') as number[])).toHaveLength(1);
  expect(Array.from(value('skin.faceVertexIndices') as number[])).toEqual([0, 1, 2, 0, 2, 3]);
  const poses = specsByPath['/tendril/skin.xformOp:transform'].fields.timeSamples as typeof samples;
  expect(Array.from(poses.values[2]).slice(12)).toEqual([0, 0, 0.02, 1]);
  expect(value('skin.xformOpOrder')).toEqual(['xformOp:transform']);
  expect(Array.from(value('strands.primvars:displayColor') as number[])).toEqual([...Float32Array.from(hairColor)]);
  // the title is a string, not a token: TinyUSDZ rejects the whole file otherwise; three.js reads both
  const bytes = bytesOf(moving);
  const at = Buffer.from(bytes.buffer).lastIndexOf('STRINGS');
  const strings = new DataView(bytes.buffer).getBigUint64(at + 16, true);
  expect(new DataView(bytes.buffer).getBigUint64(Number(strings), true)).toBe(1n);
  expect(specsByPath['/'].fields.documentation).toBe('a test');
});
