/** Guides as rods of a scene, for any model: shape and frame as they hang, natural curvature, and a clamp at the root. */

import { angleAbout, normalize, transport, type Vector } from '../curve/vector.ts';
import { atan2, cos, sin } from '../math/rounded/index.ts';
import { reconstructHelices } from '../models/helix/strand.ts';
import type { ModelId, PinSpec, RodSpec, Varying, Vec3 } from '../scene/types.ts';
import { guideOf, type Hairstyle, placesPerElement, vectorAt } from './hairstyle.ts';

/** Options for converting guides to rods of a scene. */
export interface StyleRodOptions {
  /** Prefix of names, followed by a dash and the number of the guide. Default `hair`. */
  readonly id?: string;
  /** Default helix. */
  readonly model?: ModelId;
  /** Edges per helical element. Default: enough for a smooth curve. */
  readonly perElement?: number;
  /** Only every nth guide, and at most so many. Default all. */
  readonly every?: number;
  /** Maximum number of guides. Default all. */
  readonly count?: number;
}

/** Points per element that the initial shape passes through. */
const places = 20;

/** Rods and pins of a scene, one rod per guide. */
export function rodsOfHairstyle(
  style: Hairstyle,
  {
    id = 'hair',
    model = 'helix',
    perElement = placesPerElement(style),
    every = 1,
    count = Infinity,
  }: StyleRodOptions = {},
): { readonly rods: RodSpec[]; readonly pins: PinSpec[] } {
  const { a, b, E, G, density } = style.fiber;
  const rods: RodSpec[] = [];
  const pins: PinSpec[] = [];
  for (let g = 0; g < style.guideRoots.count && rods.length < count; g += every) {
    // points closer than nodes: the tangent of the curve at the root is then that of the clamp
    const { position, tangent, director } = reconstructHelices(guideOf(style, g), Math.max(places, perElement));
    const nodes = position.length / 3;
    const name = `${id}-${g}`;
    rods.push({
      id: name,
      model,
      shape: { type: 'points', points: Array.from({ length: nodes }, (_, i) => vectorAt(position, i) as Vec3) },
      edges: style.elements * perElement,
      frame: { d1: vectorAt(style.rootDirector, g), twist: twistAlong(tangent, director) },
      natural: {
        curvature: [steps(style, g, 0), steps(style, g, 1), steps(style, g, 2)],
        length: style.length[g],
      },
      section: { type: 'ellipse', a, b },
      material: { E, G, density },
    });
    pins.push({ rod: name, at: 'start', hold: 'clamp' });
  }
  return { rods, pins };
}

/** One component of the natural curvature: constant in each element, with jumps between them. */
function steps({ natural, elements }: Hairstyle, g: number, k: number): Varying {
  const at = (e: number): number => natural[3 * (elements * g + e) + k];
  const same = Array.from({ length: elements }, (_, e) => at(e)).every((value) => value === at(0));
  if (same) return at(0);
  return {
    along: Array.from({ length: elements }, (_, e): [number, number][] => [
      [e / elements, at(e)],
      [(e + 1) / elements, at(e)],
    ]).flat(),
  };
}

/** Angle of d1 relative to the parallel-transported frame, unwrapped. */
function twistAlong(tangent: Float64Array, director: Float64Array): Varying {
  const nodes = tangent.length / 3;
  let carried: Vector = vectorAt(director, 0);
  let angle = 0;
  const along: [number, number][] = [[0, 0]];
  for (let i = 1; i < nodes; i++) {
    const t = normalize(vectorAt(tangent, i));
    carried = transport(carried, normalize(vectorAt(tangent, i - 1)), t);
    const here = angleAbout(t, carried, vectorAt(director, i));
    angle += atan2(sin(here - angle), cos(here - angle));
    along.push([i / (nodes - 1), angle]);
  }
  return { along };
}
