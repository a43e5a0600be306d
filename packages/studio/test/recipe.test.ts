/** How hair was made, written down and done again. */
import { hairTypes } from '@tendril-sim/core';
import { describe, expect, it } from 'vitest';
import type { GroomAction, GroomSettings } from '../src/groomTypes.ts';
import { readRecipe, roundPlace } from '../src/recipe.ts';
import { createGroomStage, type GroomStage } from '../src/worker/groom/stage.ts';

const settings: GroomSettings = {
  guides: 14,
  hairs: 60,
  length: 0.2,
  jitter: 0.15,
  frizz: 0.2,
  clump: 0.5,
  lie: 0.8,
  scalp: '0.634*y + 0.775*z > 0.004',
  hair: 'wavy',
  radius: 0.01,
  pitch: 0.08,
};
const kinds = Object.keys(hairTypes);

function stroke(stage: GroomStage, brush: 'comb' | 'cut' | 'curl', points: readonly (readonly number[])[]): void {
  points.slice(1).forEach((to, k) => {
    const action: GroomAction = {
      kind: 'stroke',
      brush,
      from: roundPlace(points[k]),
      to: roundPlace(to),
      radius: 0.05,
      strength: 0.7,
      settings: { ...settings, radius: 0.006, pitch: 0.03 },
      end: k === points.length - 2,
    };
    expect(stage.act(action).error).toBeUndefined();
  });
}

const saved = (stage: GroomStage): Uint8Array => stage.act({ kind: 'save' }).bytes as Uint8Array;

describe('a recipe', () => {
  it('gives the same hair, bit for bit, after undo and redo', () => {
    const stage = createGroomStage();
    stage.act({ kind: 'open', head: 'head', settings });
    stroke(stage, 'comb', [
      [0.08, -0.031234, 0.02],
      [0.095, -0.03, 0.0212345],
      [0.11, -0.028, 0.03],
    ]);
    stroke(stage, 'curl', [
      [-0.08, 0.02, -0.03],
      [-0.09, 0.03, -0.04],
    ]);
    const before = saved(stage);
    stage.act({ kind: 'trim', length: 0.12 });
    stage.act({ kind: 'undo' });
    expect(saved(stage)).toEqual(before);
    stage.act({ kind: 'grow', settings: { ...settings, hairs: 50 }, what: 'hairs' });
    stage.act({ kind: 'grow', settings: { ...settings, hairs: 40 }, what: 'hairs' });
    stroke(stage, 'cut', [
      [0.08, 0, -0.08],
      [0.08, 0, -0.08],
      [0.09, 0.01, -0.08],
    ]);
    stage.act({ kind: 'trim', length: 0.15 });
    const { kept } = stage.act({ kind: 'keep' });
    const text = JSON.stringify(kept?.recipe);
    const recipe = readRecipe(JSON.parse(text), kinds);
    expect(recipe?.actions.map(({ kind }) => kind)).toEqual(['stroke', 'stroke', 'hairs', 'stroke', 'trim']);
    expect(text.length).toBeLessThan(1200);
    const again = createGroomStage();
    if (!recipe || !kept) throw new Error('there is no recipe');
    const replayed = again.act({ kind: 'replay', recipe });
    expect(replayed.facts?.hairs).toBe(40);
    expect(replayed.loaded?.lanes[0].rods).toHaveLength(40);
    expect(saved(again)).toEqual(saved(stage));
    // and what is kept is the same, and can be shared again
    const later = createGroomStage();
    const shown = later.act({ kind: 'recall', kept: structuredClone(kept) });
    expect(shown.frame?.lanes[0].data).toEqual(stage.act({ kind: 'show' }).frame?.lanes[0].data);
    expect(later.act({ kind: 'keep' }).kept?.recipe).toEqual(recipe);
  });

  it('ends where a file begins', () => {
    const stage = createGroomStage();
    stage.act({ kind: 'open', head: 'ball', settings: { ...settings, scalp: 'nz > 0.05' } });
    expect(stage.act({ kind: 'keep' }).kept?.recipe?.head).toBe('ball');
    stage.act({ kind: 'load', bytes: saved(stage).slice().buffer as ArrayBuffer, name: 'a.hairstyle' });
    expect(stage.act({ kind: 'keep' }).kept?.recipe).toBeUndefined();
    stage.act({ kind: 'undo' });
    expect(stage.act({ kind: 'keep' }).kept?.recipe?.head).toBe('ball');
    const tent = 'v -0.1 -0.1 0\nv 0.1 -0.1 0\nv 0 0.1 0\nv 0 0 0.1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 3 1 4\n';
    const bytes = new TextEncoder().encode(tent);
    stage.act({
      kind: 'mesh',
      bytes: bytes.slice().buffer as ArrayBuffer,
      name: 'tent.obj',
      settings: { ...settings, scalp: 'nz > 0' },
    });
    const { kept } = stage.act({ kind: 'keep' });
    expect(kept?.recipe).toBeUndefined();
    expect(kept?.mesh).toEqual(bytes);
    const later = createGroomStage();
    if (!kept) throw new Error('nothing is kept');
    expect(later.act({ kind: 'recall', kept }).facts?.head).toBe('tent.obj');
  });

  it.each([
    ['nothing', null],
    ['another head', { head: 'horse', settings, actions: [] }],
    ['a million hairs', { head: 'head', settings: { ...settings, hairs: 1e6 }, actions: [] }],
    ['hair of no kind', { head: 'head', settings: { ...settings, hair: 'blue' }, actions: [] }],
    ['a number that is none', { head: 'head', settings: { ...settings, length: 'long' }, actions: [] }],
    [
      'half a point',
      {
        head: 'head',
        settings,
        actions: [{ kind: 'stroke', brush: 'comb', radius: 0.1, strength: 1, path: [1, 2, 3, 4] }],
      },
    ],
    [
      'an unknown brush',
      {
        head: 'head',
        settings,
        actions: [{ kind: 'stroke', brush: 'burn', radius: 0.1, strength: 1, path: [1, 2, 3, 4, 5, 6] }],
      },
    ],
  ])('is refused: %s', (_, value) => {
    expect(readRecipe(value, kinds)).toBeUndefined();
  });
});
