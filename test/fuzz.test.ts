/** A short run of the fuzzer, always with the same scenes; `npm run fuzz` draws new ones. */
import { sceneFromObject } from '@tendril-sim/io';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { moveScene } from './fuzz/motion.ts';
import { checkScene } from './fuzz/oracles.ts';
import { richScenes } from './fuzz/richScenes.ts';
import { damagedScenes, type SceneJson, scenes } from './fuzz/scenes.ts';

async function check(drawn: readonly SceneJson[]): Promise<Record<string, number>> {
  const counts: Record<string, number> = { ran: 0, warned: 0, failed: 0, refused: 0 };
  for (const scene of drawn) {
    const { outcome, finding } = await checkScene(scene);
    expect(finding, JSON.stringify(scene)).toBeUndefined();
    counts[outcome]++;
  }
  return counts;
}

describe('random scenes', () => {
  it('run; reading, resuming, kernels, a rigid motion and other units change nothing, and equilibria stay', async () => {
    const { ran } = await check(fc.sample(scenes(), { seed: 3, numRuns: 14 }));
    expect(ran).toBeGreaterThan(8);
  });

  it('run with bodies, links, laws and what else users combine', async () => {
    const { ran } = await check(fc.sample(richScenes(), { seed: 6, numRuns: 24 }));
    expect(ran).toBeGreaterThan(8);
  });

  it('are refused with a reason where they are damaged', async () => {
    const { refused } = await check(fc.sample(damagedScenes(), { seed: 4, numRuns: 60 }));
    expect(refused).toBeGreaterThan(25);
  });

  it('are drawn as the schema has them, and moved with all that has a direction', () => {
    const drawn = fc.sample(scenes(), { seed: 5, numRuns: 100 });
    for (const scene of drawn) expect(() => sceneFromObject(scene)).not.toThrow();
    const moved = drawn.flatMap((scene) => moveScene(scene) ?? []);
    expect(moved.length).toBeGreaterThan(20);
  });
});
