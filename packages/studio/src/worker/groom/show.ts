/** A style as the page draws it: hairs between the guides, and facts about them. */
import { layerNodes, SceneError } from '@tendril-sim/core';
import type { Groomed, GroomFacts } from '../../groomTypes.ts';
import { type ColliderInfo, statNames } from '../../protocol.ts';
import { describeHairs, hairNodes, packHairs, placeHairs } from './draw.ts';
import { colliderOf } from './head.ts';
import { presentOf, type Stage } from './stageState.ts';

/** What the page draws; `begin`: when the action began [ms]. */
export function show(stage: Stage, begin: number, note?: string): Groomed {
  const { pose, hairs, head, at, steps } = stage;
  const { settings, style: kept } = presentOf(stage);
  const style = stage.working ?? kept;
  if (!pose || !hairs || !head) throw new SceneError([], 'nothing has been grown yet');
  const longest = style.length.reduce((most, value) => Math.max(most, value), 0);
  const nodes = hairNodes(hairs.count, pose.nodes, layerNodes(style.hairOptions?.layers, longest, 0));
  const position = placeHairs(hairs, pose, nodes, head.field);
  const data = packHairs(position, hairs.count, nodes);
  const frame = { time: 0, lanes: [{ data, stats: new Float64Array(statNames.length), cost: 0 }] };
  const key = `${head.name} ${hairs.count} ${nodes}`;
  const facts: GroomFacts = {
    settings,
    head: head.name,
    animations: head.animations,
    guides: style.guideRoots.count,
    hairs: hairs.count,
    elements: style.elements,
    length: [style.length.reduce((least, value) => Math.min(least, value), Infinity), longest],
    canUndo: at > 0,
    canRedo: at < steps.length - 1,
    spent: performance.now() - begin,
    ...(note !== undefined && { note }),
  };
  if (key === stage.drawnHairs) return { facts, frame };
  stage.drawnHairs = key;
  const rods = describeHairs(hairs, nodes, position, style.fiber, longest);
  return { facts, frame, loaded: describeScene(rods, colliderOf(head, settings.scalp)) };
}

/** A scene of hairs on a head, as the page loads it. */
function describeScene(rods: ReturnType<typeof describeHairs>, head: ColliderInfo): NonNullable<Groomed['loaded']> {
  return {
    lanes: [
      {
        variant: { id: '', label: 'hair' },
        refused: undefined,
        rods,
        bodies: [],
        pins: [],
        moving: [],
        warnings: [],
      },
    ],
    time: { duration: 1, step: 1 / 60 },
    kept: 'restarted',
    start: 0,
    controls: [],
    colorBy: 'plain',
    values: {},
    colliders: [head],
    gravity: [0, 0, -9.81],
    title: 'Hair on a head',
    look: [0.62, -1, 0.18],
  };
}
