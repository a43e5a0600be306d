/** Operations on all hair at once: puff, smooth, wrap. */
import { puffHairstyle, SceneError, type Shaped, smoothHairstyle, wrapHairstyle } from '@tendril-sim/core';
import type { GroomAction } from '../../groomTypes.ts';
import { addAction } from '../../recipe.ts';
import { keepStep, presentOf, type Stage } from './stageState.ts';

/** Height to which hair is puffed at full strength, and distance to which it is wrapped [m]. */
const [fullHeight, wrapDistance] = [0.03, 0.006];

/** Changes all guides and keeps a step. Returns a note for the page. */
export function reshape(stage: Stage, { how, strength }: Extract<GroomAction, { kind: 'shape' }>): string {
  const { settings, recipe } = presentOf(stage);
  const { style, report } = shaped(stage, how, strength);
  keepStep(stage, { style, settings, what: '', recipe: addAction(recipe, { kind: 'shape', how, strength }) });
  const soft = report.unstable > 0 ? `; ${report.unstable} are too soft to keep their shape` : '';
  return `${report.combed} strands changed${soft}`;
}

function shaped(stage: Stage, how: Extract<GroomAction, { kind: 'shape' }>['how'], strength: number): Shaped {
  const { style } = presentOf(stage);
  if (how === 'puff') return puffHairstyle(style, { height: fullHeight * strength });
  if (how === 'smooth') return smoothHairstyle(style, { strength });
  const field = stage.head?.field;
  if (!field) throw new SceneError([], 'this mesh has no inside to wrap hair around');
  return wrapHairstyle(style, field, { distance: wrapDistance, strength });
}
