/** Forces of links on rods at rest: from the links' memory to the rods, for reactions of their pins. */
import type { OutsideForces, RestRod } from '../../model.ts';
import type { Samples } from '../../port.ts';
import type { Rod } from '../../scene/compiled.ts';
import type { Links } from './linkData.ts';
import { memoryOf } from './links.ts';
import { createLinkBlock, isTwist, type LinkBlock, measureBlock } from './stiffness.ts';

/** Links and rods of the whole scene. */
export interface LinkScene {
  readonly links: Links;
  readonly rods: readonly Rod[];
  readonly samples: readonly Samples[];
}

/** Forces of links on their rods, by the rods' indices in the scene. */
export function sumLinkForces(
  blocks: readonly LinkBlock[],
  { links, rods, samples }: LinkScene,
): ReadonlyMap<number, OutsideForces> {
  const out = new Map<number, OutsideForces>();
  const forcesOn = (rod: number): OutsideForces => {
    const known = out.get(rod) ?? {
      nodeForce: new Float64Array(3 * rods[rod].nodeCount),
      edgeTorque: new Float64Array(rods[rod].edgeCount),
    };
    out.set(rod, known);
    return known;
  };
  for (const block of blocks) {
    measureBlock(block, links, rods, samples);
    for (let i = 0; i < block.size; i++) {
      const { nodeForce, edgeTorque } = forcesOn(block.rod[i]);
      if (isTwist(block, i)) edgeTorque[block.node[i]] -= block.gradient[i];
      else nodeForce[3 * block.node[i] + ((i % block.perEnd) % 3)] -= block.gradient[i];
    }
  }
  return out;
}

/** Applies the forces in the links' memory to rods whose models have no contact port, `portless`: they have links in equilibria only. */
export function applyRestForces(
  portless: ReadonlySet<number>,
  { links, rods, samples }: LinkScene,
  restOf: (rod: number) => RestRod | undefined,
): void {
  if (portless.size === 0) return;
  const blocks = links.list
    .filter(({ plan }) => portless.has(plan.rodA) || portless.has(plan.rodB))
    .map((link) => {
      const block = createLinkBlock(link, rods);
      // the memory has the force on the first rod, a block that of the spring
      block.force.set(memoryOf(links, link.plan).force.map((force) => -force));
      return block;
    });
  const chords = samples.map((own, rod) => (portless.has(rod) ? restOf(rod)?.readChords?.() : undefined) ?? own);
  const outside = sumLinkForces(blocks, { links, rods, samples: chords });
  for (const rod of portless) {
    const forces = outside.get(rod);
    if (forces) restOf(rod)?.applyForces(forces);
  }
}
