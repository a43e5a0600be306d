import { createWorld } from '@tendril-sim/core';
import { describe, expect, it } from 'vitest';
import {
  createRecordingEncoder,
  decodeRecording,
  InputError,
  recordingFrame,
  recordingHeader,
  sceneFromObject,
} from '../src/index.ts';
import { energies, fakeWorld, noise } from './fixtures.ts';

const world = fakeWorld();
const channels = ['curvature', 'tension'] as const;

function record(precision: 'f64' | 'f32' = 'f64', frames = 3): { bytes: Uint8Array; sections: number[] } {
  const encoder = createRecordingEncoder(recordingHeader(world, { version: '0.1.0', precision, channels }));
  const parts = [encoder.encodeHeader()];
  for (let k = 0; k < frames; k++) {
    const rods = world.rods.map(({ nodeCount, edgeCount }, r) => ({
      nodePosition: noise(3 * nodeCount, 100 * k + r),
      edgeDirector: Float64Array.from(Float32Array.from(noise(3 * edgeCount, 100 * k + r + 50))),
      channels: { curvature: new Float64Array(nodeCount).fill(k), tension: new Float64Array(edgeCount).fill(-k) },
    }));
    parts.push(encoder.encodeFrame({ time: k / 3, rods, energies: energies(k) }));
  }
  parts.push(encoder.encodeFooter());
  const sections = parts.map((_, k) => parts.slice(0, k).reduce((sum, part) => sum + part.length, 0));
  return { bytes: Uint8Array.from(parts.flatMap((part) => [...part])), sections };
}

const fail = (bytes: Uint8Array): InputError => {
  try {
    decodeRecording(bytes, 'run.trec');
  } catch (error) {
    if (error instanceof InputError) return error;
    throw error;
  }
  throw new Error('accepted');
};
const changed = (bytes: Uint8Array, offset: number, mask: number): Uint8Array => {
  const copy = bytes.slice();
  copy[offset] ^= mask;
  return copy;
};

describe('recording', () => {
  it('keeps bodies: a real world with one, frame by frame', () => {
    const moving = createWorld(
      sceneFromObject(
        {
          tendril: 1,
          gravity: [0, 0, -9.81],
          rods: [
            {
              id: 'r',
              shape: { type: 'straight', from: [0, 0, 0], to: [1, 0, 0] },
              edges: 4,
              section: { type: 'stiffness', EI1: 1, GJ: 1, mass: 0.1 },
            },
          ],
          pins: [{ rod: 'r', at: 'start' }],
          bodies: [{ id: 'bob', solid: { type: 'sphere', radius: '5 cm', density: 1000 }, position: [1, 0, -0.05] }],
          welds: [{ rod: 'r', at: 'end', body: 'bob' }],
          time: { duration: 1, step: '10 ms' },
        },
        'test',
      ),
    );
    const encoder = createRecordingEncoder(recordingHeader(moving, { version: '0.1.0' }));
    const parts = [encoder.encodeHeader(), encoder.encodeFrame(recordingFrame(moving))];
    moving.step();
    parts.push(encoder.encodeFrame(recordingFrame(moving)), encoder.encodeFooter());
    const recording = decodeRecording(Uint8Array.from(parts.flatMap((part) => [...part])), 'run.trec');
    expect(recording.header.bodies).toEqual([{ id: 'bob', radius: 0.05 }]);
    expect(recording.frame(0).bodies?.[0].position).toEqual(Float64Array.of(1, 0, -0.05));
    const { position, orientation } = moving.bodies[0].pose;
    expect(recording.frame(1).bodies).toEqual([{ position, orientation }]);
    expect(position[2]).toBeLessThan(-0.05);
    const drawn = createWorld({ ...moving.scene, colliders: [{ type: 'sphere', radius: 0.1, body: 'bob', rods: [] }] });
    expect(recordingHeader(drawn, { version: '0.1.0' }).bodies, 'has a picture of its own').toEqual([
      { id: 'bob', radius: 0 },
    ]);
    expect(drawn.step(0.01).contact, 'the picture touches nothing').toBeUndefined();
    expect(drawn.bodies[0].pose.position).toEqual(moving.bodies[0].pose.position);
  });

  it('round trips, positions bit for bit', () => {
    const recording = decodeRecording(record().bytes, 'run.trec');
    expect(recording.frameCount).toBe(3);
    expect(recording.complete).toBe(true);
    expect(recording.header.scene).toEqual(world.scene);
    expect(recording.header.rods[1]).toMatchObject({
      id: 'ring',
      closed: true,
      nodeCount: 4,
      edgeLengthRest: [0.5, 0.5, 0.5, 0.5],
    });
    const frame = recording.frame(2);
    expect(frame.time).toBe(2 / 3);
    expect(frame.energies).toEqual(energies(2));
    expect(frame.rods[1].nodePosition).toEqual(noise(12, 201));
    expect(frame.rods[1].edgeDirector).toEqual(Float64Array.from(Float32Array.from(noise(12, 251))));
    expect(frame.rods[0].channels?.curvature).toEqual(new Float64Array(4).fill(2));
    expect(frame.rods[0].channels?.tension).toEqual(new Float64Array(3).fill(-2));
    expect([...recording.frames()].map(({ time }) => time)).toEqual([0, 1 / 3, 2 / 3]);
    expect(() => recording.frame(3)).toThrow(RangeError);
    expect(() => recording.frame(-1)).toThrow(RangeError);
  });

  it('stores positions in half the space when asked', () => {
    const { bytes } = record('f32');
    expect(bytes.length).toBeLessThan(record().bytes.length);
    const frame = decodeRecording(bytes, 'x').frame(1);
    expect(frame.rods[0].nodePosition).toEqual(Float64Array.from(Float32Array.from(noise(12, 100))));
  });

  it('reads bytes that do not start at an aligned address', () => {
    const { bytes } = record();
    const shifted = new Uint8Array(bytes.length + 3).subarray(3);
    shifted.set(bytes);
    expect(decodeRecording(shifted, 'x').frame(0).rods[0].nodePosition).toEqual(noise(12, 0));
  });

  it('holds an empty recording', () => {
    expect(decodeRecording(record('f64', 0).bytes, 'x').frameCount).toBe(0);
  });

  it('takes a world', () => {
    const encoder = createRecordingEncoder(recordingHeader(world, { version: '1', channels }));
    const parts = [
      encoder.encodeHeader(),
      encoder.encodeFrame(recordingFrame(world, channels)),
      encoder.encodeFooter(),
    ];
    const recording = decodeRecording(Uint8Array.from(parts.flatMap((part) => [...part])), 'x');
    expect(recording.frame(0).rods[0].nodePosition).toEqual(world.samples[0].nodePosition);
    expect(() => encoder.encodeFrame({ ...recordingFrame(world), rods: [] })).toThrow();
    expect(() => encoder.encodeFrame(recordingFrame(world))).toThrow(/curvature has no numbers/);
  });

  it('finds truncation at every byte', () => {
    const { bytes } = record();
    for (let length = 0; length < bytes.length; length++) {
      expect(() => decodeRecording(bytes.subarray(0, length), 'x'), String(length)).toThrow(InputError);
    }
  });

  it('says where it is truncated, and reads the complete frames when asked', () => {
    const { bytes, sections } = record();
    expect(fail(bytes.subarray(0, 0)).message).toMatch(/^run\.trec: the file is empty/);
    expect(fail(bytes.subarray(0, 12)).message).toMatch(/truncated: its header needs 16 bytes.*\(at byte 12\)/);
    expect(fail(bytes.subarray(0, sections[1] - 1)).message).toMatch(/its header needs/);
    for (const frames of [0, 1, 2, 3]) {
      const cut = bytes.subarray(0, sections[frames + 1] + 10);
      const error = fail(cut);
      expect(error.offset).toBe(sections[frames + 1]);
      expect(error.message).toMatch(new RegExp(`after ${frames} complete frames; .*option partial`));
      const recording = decodeRecording(cut, 'x', { partial: true });
      expect([recording.frameCount, recording.complete]).toEqual([frames, false]);
    }
  });

  it('finds every flipped bit', () => {
    const { bytes } = record();
    for (let offset = 0; offset < bytes.length; offset++) {
      const mask = 1 << (offset % 8);
      expect(() => decodeRecording(changed(bytes, offset, mask), 'x'), String(offset)).toThrow(InputError);
    }
  });

  it('names what is wrong', () => {
    const { bytes, sections } = record();
    expect(fail(new TextEncoder().encode('tendril: 1\n')).message).toMatch(
      /this is not a Tendril recording.*\(at byte 0\)/,
    );
    expect(fail(changed(bytes, 5, 0x07)).message).toMatch(/damaged by a transfer as text/);
    expect(fail(changed(bytes, 8, 3)).message).toMatch(/format version 2, and this Tendril reads 1; update Tendril/);
    expect(fail(changed(bytes, 40, 1)).message).toMatch(/header of the recording is corrupted/);
    expect(fail(changed(bytes, sections[2] + 30, 1)).message).toMatch(
      new RegExp(`frame 1 does not match its checksum: .*\\(at byte ${sections[2]}\\)`),
    );
    expect(fail(changed(bytes, sections[2], 1)).message).toMatch(/frame 1 does not begin as it should/);
    const longer = new Uint8Array(bytes.length + 5);
    longer.set(bytes);
    expect(fail(longer).message).toMatch(/5 bytes follow the end/);
  });

  it('finds frames that were exchanged or removed', () => {
    const { bytes, sections } = record();
    const part = (k: number): number[] => [...bytes.subarray(sections[k], sections[k + 1])];
    const join = (order: number[]): Uint8Array => Uint8Array.from(order.flatMap(part));
    expect(join([0, 1, 2, 3, 4])).toEqual(bytes);
    expect(fail(join([0, 2, 1, 3, 4])).message).toMatch(/frame 0 does not carry the expected number/);
    expect(fail(join([0, 1, 2, 4])).message).toMatch(/the end mark does not carry/);
  });
});
