/** Rods that grow from other rods: the parent of each, and its node. */

import { SceneError } from '../errors.ts';
import { square as squareOf } from '../math/rounded/index.ts';
import { capabilitiesOf, defaultModel, modelsWith } from '../models/registry.ts';
import type { Rod } from './compiled.ts';
import { findNode } from './layout.ts';
import type { CompiledRod, PlacedPin } from './rods.ts';
import type { Scene } from './types.ts';
import type { Path } from './varying.ts';

/** Places at which rods must have a node because others grow there, for each rod. */
export function placeBranches(scene: Scene, findRod: (id: string, path: Path) => number): PlacedPin[][] {
  const places: PlacedPin[][] = scene.rods.map(() => []);
  scene.rods.forEach(({ id, parent }, k) => {
    if (!parent) return;
    const path = ['rods', k, 'parent'];
    const index = findRod(parent.rod, [...path, 'rod']);
    if (index === k) throw new SceneError([...path, 'rod'], `rod '${id}' cannot grow from itself`);
    for (const rod of [scene.rods[k], scene.rods[index]]) {
      if (!capabilitiesOf(rod).branches) {
        throw new SceneError(
          path,
          `rod '${rod.id}' has the model ${rod.model ?? defaultModel}, and branches are for the model ${modelsWith('branches').join(', ')}; weld the rods to a junction (a body of mass 0) instead`,
        );
      }
    }
    if (index > k) {
      const round = follow(scene, index, k);
      throw new SceneError(
        [...path, 'rod'],
        round
          ? `rods ${round.map((i) => `'${scene.rods[i].id}'`).join(', ')} grow from each other in a circle; one of them must have no parent`
          : `rod '${id}' comes before '${parent.rod}', from which it grows; put parents first`,
      );
    }
    places[index].push({ spec: { rod: parent.rod, at: parent.at }, path });
    const pinned = scene.pins?.findIndex((pin) => pin.rod === id && (pin.at === 'start' || isFirst(pin.at)));
    if (pinned !== undefined && pinned >= 0)
      throw new SceneError(['pins', pinned], `the start of rod '${id}' is held by '${parent.rod}'; remove the pin`);
  });
  return places;
}

const isFirst = (at: object | string): boolean =>
  typeof at === 'object' && (('node' in at && at.node === 0) || ('u' in at && at.u === 0) || ('s' in at && at.s === 0));

/** The cycle of parents that leads from `from` back to `to`, if there is one. */
function follow(scene: Scene, from: number, to: number): number[] | undefined {
  const way = [to];
  let at = from;
  while (at !== to) {
    if (way.includes(at)) return undefined;
    way.push(at);
    const next = scene.rods[at].parent;
    at = next ? scene.rods.findIndex(({ id }) => id === next.rod) : -1;
    if (at < 0) return undefined;
  }
  return way;
}

/** The node that rod k grows from; its own first node must be there. */
export function findParent(
  scene: Scene,
  k: number,
  compiled: readonly CompiledRod[],
  findRod: (id: string, path: Path) => number,
): Rod['parent'] {
  const { parent, id } = scene.rods[k];
  if (!parent) return undefined;
  const path = ['rods', k, 'parent'];
  const index = findRod(parent.rod, [...path, 'rod']);
  const from = compiled[index];
  const node = findNode(parent.at, from.layout, [...path, 'at']);
  let square = 0;
  for (let i = 0; i < 3; i++) square += squareOf(compiled[k].rod.nodePosition[i] - from.rod.nodePosition[3 * node + i]);
  if (Math.sqrt(square) > 1e-6 * from.rod.length) {
    throw new SceneError(
      path,
      `rod '${id}' starts ${Math.sqrt(square).toPrecision(4)} m away from node ${node} of '${parent.rod}', from which it grows; let its shape begin there`,
    );
  }
  return { rod: index, node };
}
