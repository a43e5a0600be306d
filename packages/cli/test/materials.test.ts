/** Colours of path-traced pictures: from the scene, unless an option says otherwise. */
import { parseColor } from '@tendril-sim/bridge/render';
import type { Footage } from '@tendril-sim/io';
import { describe, expect, it } from 'vitest';
import { chooseMaterials } from '../src/render/scene.ts';

const [green, brown, skin] = ['#4f7a2e', '#7a5a3a', '#dcae8e'];

/** Rods with these colours, and a collider of the colour of skin beside one without a colour. */
function footageOf(colors: readonly (string | undefined)[]): Footage {
  const rods = colors.map((color, k) => ({ id: `rod${k}`, ...(color && { color }) }));
  const colliders = [{ type: 'sphere', radius: 1, color: skin }, { type: 'plane' }];
  return { header: { rods, scene: { rods, colliders } } } as unknown as Footage;
}

describe('colours of a scene', () => {
  const { materials, ofRod, ofObstacle } = chooseMaterials(footageOf([green, brown, undefined]), {});
  it('are those of its rods, without a stripe; a rod without one has the usual material', () => {
    expect(ofRod.map((k) => materials[k])).toEqual([
      { kind: 'rubber', color: parseColor(green) },
      { kind: 'rubber', color: parseColor(brown) },
      expect.objectContaining({ kind: 'rubber', stripe: expect.anything() }),
    ]);
  });

  it('are those of its obstacles', () => {
    expect(materials[ofObstacle(skin)].color).toEqual(parseColor(skin));
    expect(materials[ofObstacle(undefined)].color).not.toEqual(parseColor(skin));
  });

  it('keep a crowd from being drawn as hair', () => {
    const crowd = chooseMaterials(footageOf(Array.from({ length: 200 }, (_, k) => (k % 2 ? undefined : green))), {});
    expect(crowd.materials[crowd.ofRod[0]].kind).toBe('rubber');
    expect(crowd.materials[crowd.ofRod[1]].kind).toBe('hair');
  });

  it('give way to options', () => {
    const chosen = chooseMaterials(footageOf([green]), { color: [`rod0=${brown}`], material: ['rope'] });
    expect(chosen.materials[chosen.ofRod[0]]).toEqual({ kind: 'rope', color: parseColor(brown) });
  });
});
