/** A small recording with everything in it: an open rod, a ring, a body, channels. */
import { createWorld, type Scene } from '@tendril-sim/core';
import {
  createRecordingEncoder,
  decodeRecording,
  type Recording,
  recordingFrame,
  recordingHeader,
} from '../src/index.ts';

export const swing: Scene = {
  tendril: 1,
  title: 'A "swing"',
  gravity: [0, 0, -9.81],
  rods: [
    {
      id: 'rope 1',
      shape: { type: 'straight', from: [0, 0, 0], to: [0.4, 0, 0] },
      frame: { twist: 1 },
      edges: 8,
      section: {
        type: 'circle',
        radius: {
          along: [
            [0, 0.004],
            [1, 0.002],
          ],
        },
      },
      material: { E: 5e6, nu: 0.5, density: 1200 },
    },
    {
      id: 'rope-1',
      shape: { type: 'ring', center: [0, 0.3, 0], axis: [1, 0, 0], radius: 0.1 },
      edges: 9,
      section: { type: 'circle', radius: 0.003 },
      material: { E: 5e6, nu: 0.5, density: 1200 },
    },
  ],
  bodies: [{ id: 'bob', solid: { type: 'box', density: 500, size: [0.04, 0.03, 0.02] }, position: [0.42, 0, 0] }],
  welds: [{ rod: 'rope 1', at: 'end', body: 'bob' }],
  pins: [
    { rod: 'rope 1', at: 'start' },
    { rod: 'rope-1', at: 'start' },
  ],
};

const channels = ['curvature', 'twist', 'tension'] as const;

export function record(scene: Scene, frames: number, step: number): Recording {
  const world = createWorld(scene);
  const encoder = createRecordingEncoder(recordingHeader(world, { version: 'test', channels }));
  const parts = [encoder.encodeHeader()];
  for (let k = 0; k < frames; k++) {
    if (k > 0) world.step(step);
    parts.push(encoder.encodeFrame(recordingFrame(world, channels)));
  }
  parts.push(encoder.encodeFooter());
  return decodeRecording(join(parts), 'memory');
}

export function join(parts: Iterable<Uint8Array | string>): Uint8Array {
  const list = Array.from(parts, (part) => (typeof part === 'string' ? new TextEncoder().encode(part) : part));
  const out = new Uint8Array(list.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of list) {
    out.set(part, at);
    at += part.length;
  }
  return out;
}
