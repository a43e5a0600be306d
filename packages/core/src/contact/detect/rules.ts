/** Rules of a scene for contact between rods: which rods may touch, with which friction and radius, and which nodes are held. */
import type { Drive } from '../../model.ts';
import type { Weld } from '../../scene/bodies.ts';
import type { Rod } from '../../scene/compiled.ts';
import type { LinkPlan } from '../../scene/links.ts';
import type { Scene } from '../../scene/types.ts';
import { readFriction } from '../shapes/compileCollider.ts';
import type { RodRules } from './finderData.ts';

/** The parts of a world that the rules depend on. */
export interface RuleParts {
  readonly scene: Scene;
  readonly rods: readonly Rod[];
  readonly drives: readonly Drive[];
  readonly welds: readonly Weld[];
  readonly links: readonly LinkPlan[];
}

export function readRules({ scene, rods, drives, welds, links }: RuleParts): RodRules {
  const spec = scene.contact;
  const friction = readFriction(spec?.friction, ['contact', 'friction']);
  const { changing } = friction;
  let nodes = 0;
  const firstNode = rods.map(({ nodeCount }) => {
    nodes += nodeCount;
    return nodes - nodeCount;
  });
  const places = drives.flatMap(({ pins }, r) =>
    pins
      .filter((pin) => !welds.some((weld) => weld.pin === pin))
      .map((pin) => ({ pin, node: firstNode[r] + pin.node })),
  );
  return {
    pairs: spec !== undefined && (spec.between ?? 'pairs') === 'pairs',
    self: spec?.self ?? true,
    staticFriction: friction.static,
    dynamicFriction: friction.dynamic,
    ...(changing && {
      changingFriction: { ...changing, factor: (t) => changing.factor(drives[0].stillAt?.time ?? t) },
    }),
    radius: spec?.radius ?? 0,
    reach: spec?.repulsion?.reach ?? 0,
    pinned: places.filter(({ pin }) => pin.holdX && pin.holdY && pin.holdZ),
    partlyPinned: places.filter(({ pin }) => !(pin.holdX && pin.holdY && pin.holdZ)),
    welded: welds.map(({ rod, body, pin }) => ({ rod, body, node: pin.node })),
    linked: links.filter(({ rodB }) => rodB >= 0),
  };
}
