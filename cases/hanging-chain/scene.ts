/**
 * A chain of elastic rings [Bergou2008 Fig. 10]: every link is an open rod, naturally curved to nearly a full circle of radius 1,
 * B = 2 and β = 2, as the paper has them. The links stand alternately upright and flat; the first and the last are held opposite
 * to where the chain pulls, and the last is taken away until the links open and let go.
 *
 * Laid out here, without contact: the links would pass through each other. `contact` and what to measure come with the case.
 */
import type { SceneInput } from '@tendril-sim/io';

export interface ChainOptions {
  readonly links: number;
  /** Edges a link. */
  readonly edges: number;
  /** How far the last link is taken away [m], in `duration` [s]. */
  readonly pull: number;
  readonly duration: number;
}

export const RADIUS = 1;
/** Of the wire. */
export const WIRE = 0.08;
/** Between the centres of neighbours at the start: they hang in each other with room to spare. */
export const SPACING = 1.6;
/** Opening of a link [rad]. */
export const GAP = 0.35;

export function hangingChain({ links, edges, pull, duration }: ChainOptions): SceneInput {
  const turn = 2 * Math.PI - GAP;
  const rods = Array.from({ length: links }, (_, k): NonNullable<SceneInput['rods']>[number] => {
    // the opening is at the side, where no neighbour hangs
    const angle = `(${0.5 * Math.PI + 0.5 * GAP} + ${turn}*u)`;
    const along = `${k * SPACING} + ${RADIUS}*cos${angle}`;
    const across = `${RADIUS}*sin${angle}`;
    const upright = k % 2 === 0;
    return {
      id: `link${k}`,
      shape: { type: 'formula', x: along, y: upright ? '0' : across, z: upright ? across : '0' },
      edges,
      section: { type: 'stiffness', EI1: 2, GJ: 2, mass: 0.3, radius: WIRE, damping: { mass: 0.5 } },
    };
  });
  const held = (rod: string, u: number): NonNullable<SceneInput['pins']>[number] => ({
    rod,
    at: { u },
    hold: 'position',
  });
  // where cos = −1 on the first link, and cos = 1 on the last
  const left = (0.5 * Math.PI - 0.5 * GAP) / turn;
  const right = (Math.PI - 0.5 * GAP + 0.5 * Math.PI) / turn;
  return {
    tendril: 1,
    title: 'A chain of elastic links is pulled apart',
    gravity: [0, 0, -1],
    rods,
    pins: [
      held('link0', left),
      {
        ...held(`link${links - 1}`, right),
        path: { keys: [{ time: 0 }, { time: duration, offset: [pull, 0, 0] }] },
      },
    ],
    time: { duration, step: 0.01 },
    output: { every: 0.1 },
  };
}
