/** The hairs of a hairstyle as footage: one frame as they hang, or many as a motion moves them; for the exporters. */
import { type GuidePose, type Hairstyle, hairsOf, playCoordinates, poseGuides, writeHairs } from '@tendril-sim/core';
import type { Footage } from './export/footage.ts';
import type { Motion } from './hairstyle.ts';
import type { RecordedRod, RecordingFrame } from './recording.ts';

export interface HairFootageOptions {
  readonly motion?: Motion;
  /** Points a hair. Default 21. */
  readonly nodes?: number;
  /** The guides themselves in place of the hairs. */
  readonly guides?: boolean;
}

const energies = { kinetic: 0, bending: 0, twisting: 0, stretching: 0, potential: 0, total: 0 };

export function hairFootage(style: Hairstyle, version: string, options: HairFootageOptions = {}): Footage {
  const { motion, nodes = 21 } = options;
  const hairs = options.guides ? undefined : hairsOf(style);
  const poseAt = (k: number): GuidePose => (motion ? playCoordinates(style, motion.frame(k)) : poseGuides(style));
  const guideNodes = poseAt(0).nodes;
  const count = hairs?.count ?? style.guideRoots.count;
  const own = hairs ? nodes : guideNodes;
  const radius = Math.sqrt(style.fiber.a * style.fiber.b);
  // strands share their lists: a list each for fifty thousand would fill the memory
  const edgeRadius = new Array<number>(own - 1).fill(radius);
  const mean = style.length.reduce((sum, value) => sum + value, 0) / style.length.length;
  const edgeLengthRest = new Array<number>(own - 1).fill(mean / (own - 1));
  const rods = Array.from(
    { length: count },
    (_, k): RecordedRod => ({
      id: `hair-${k}`,
      model: 'helix',
      closed: false,
      nodeCount: own,
      edgeCount: own - 1,
      edgeLengthRest,
      edgeRadius,
    }),
  );
  const frame = (k: number): RecordingFrame => {
    const pose = poseAt(k);
    const position = new Float64Array(3 * own * count);
    const director = new Float64Array(position.length);
    if (hairs) writeHairs(position, hairs, pose, own, 0, count, director);
    else {
      position.set(pose.position);
      if (pose.director) director.set(pose.director);
    }
    return {
      time: motion ? motion.frame(k).time : 0,
      energies,
      rods: rods.map((_, r) => ({
        nodePosition: position.subarray(3 * own * r, 3 * own * (r + 1)),
        edgeDirector: director.subarray(3 * own * r, 3 * own * (r + 1) - 3),
      })),
    };
  };
  return {
    header: { version, scene: { tendril: 1, title: 'A hairstyle', gravity: style.gravity, rods: [] }, rods },
    frameCount: motion?.frameCount ?? 1,
    frame,
  };
}
