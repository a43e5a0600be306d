import { describe, expect, it } from 'vitest';
import { decodeState, encodeState, InputError, sceneHash } from '../src/index.ts';
import { scene, state } from './fixtures.ts';

const bytes = encodeState(state, { scene, version: '0.1.0' });
const bits = (values: Float64Array): Uint8Array => new Uint8Array(values.buffer, values.byteOffset, values.byteLength);

describe('state', () => {
  it('round trips bit for bit', () => {
    const saved = decodeState(bytes, 'x.tsta', scene);
    expect(saved.version).toBe('0.1.0');
    expect(saved.state.time).toBe(state.time);
    expect(saved.state.stepCount).toBe(12345);
    expect(saved.state.bundles).toHaveLength(2);
    saved.state.bundles.forEach((bundle, k) => {
      expect(bits(bundle.q)).toEqual(bits(state.bundles[k].q));
      expect(bits(bundle.v)).toEqual(bits(state.bundles[k].v));
      expect(bits(bundle.memory)).toEqual(bits(state.bundles[k].memory));
    });
  });

  it('finds truncation and flipped bits anywhere', () => {
    for (let k = 0; k < bytes.length; k++) {
      expect(() => decodeState(bytes.subarray(0, k), 'x')).toThrow(InputError);
      const changed = bytes.slice();
      changed[k] ^= 1 << (k % 8);
      expect(() => decodeState(changed, 'x')).toThrow(InputError);
    }
    expect(() => decodeState(bytes.subarray(0, bytes.length - 8), 'x')).toThrow(
      /truncated: \d+ bytes expected.*at byte/,
    );
    const longer = new Uint8Array(bytes.length + 1);
    longer.set(bytes);
    expect(() => decodeState(longer, 'x')).toThrow(/1 bytes follow/);
  });

  it('belongs to its scene', () => {
    expect(() => decodeState(bytes, 'x', { ...scene, gravity: [0, 0, -1] })).toThrow(/saved from another scene/);
    // what a run may change before it goes on
    const longer = { ...scene, title: 'other', time: { duration: 9, step: 0.02 }, output: { every: 1 } };
    expect(sceneHash(longer)).toBe(sceneHash(scene));
    expect(decodeState(bytes, 'x', longer).state.stepCount).toBe(12345);
    // the order in which fields are written does not matter
    const { id, ...rest } = scene.rods[0];
    expect(sceneHash({ ...scene, rods: [{ ...rest, id }, scene.rods[1]] })).toBe(sceneHash(scene));
  });
});
