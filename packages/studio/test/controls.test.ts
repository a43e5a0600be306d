/** Sliders of a case: from its metadata, with the values of the scene as it is now. */
import { findCase } from '@tendril-sim/cases';
import { type SceneInput, sceneFromObject } from '@tendril-sim/io';
import { expect, it } from 'vitest';
import { editsOf } from '../src/ui/edits.ts';
import { controlsOf } from '../src/worker/controls.ts';

/** The sliders of a case whose scene was changed. */
function slidersOf(id: string, change: (scene: SceneInput) => void = () => {}): ReturnType<typeof controlsOf> {
  const subject = findCase(id);
  if (!subject) throw new Error(`no case ${id}`);
  const written = structuredClone(subject.scene());
  change(written);
  return controlsOf(subject, sceneFromObject(written), written);
}

it('changes every place that a case names, and marks where theory says that something happens', () => {
  const [turn] = slidersOf('twist-asymmetry');
  expect(turn).toMatchObject({ label: 'Turn of the ends', value: 8, threshold: { at: 5.849789 } });
  expect(editsOf(turn, 4).map(({ path }) => path[1])).toEqual([1, 3]);
});

it('offers no slider for places that were set apart by hand', () => {
  const sliders = slidersOf('twist-asymmetry', ({ rods }) => {
    (rods[1].section as { EI2: number }).EI2 = 4;
  });
  expect(sliders.map(({ label }) => label)).not.toContain('Stiffness across the strip');
});

it('marks nothing where theory says nothing about the present values', () => {
  const [turn] = slidersOf('twist-asymmetry', ({ rods }) => {
    for (const { section } of rods) (section as { GJ: number }).GJ = 2;
  });
  expect(turn.label).toBe('Turn of the ends');
  expect(turn.threshold).toBeUndefined();
});

it('reads what stands in the text alone, such as the joints of a weave', () => {
  expect(slidersOf('woven-fabric').map(({ label, value }) => [label, value])).toEqual([
    ['Damping', 10],
    ['Springs at the crossings', 10],
    ['Friction on the statue', 0.3],
  ]);
});
