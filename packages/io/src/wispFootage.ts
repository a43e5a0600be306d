/** Fibers around the rods of a recording, as footage for the exporters: the rods are their centre lines. */
import { type CentreLine, createWisps, poseWisps, type WispOptions, type Wisps } from '@tendril-sim/core';
import type { Footage } from './export/footage.ts';
import type { RecordedRod, RecordingFrame } from './recording.ts';

/** Fibers around recorded rods. */
export interface WispFootageOptions extends WispOptions {
  /** Radius of a fiber [m]; default: that of its rod. */
  readonly fiberRadius?: number;
}

/** Shows fibers around the rods of a recording. */
export function wispFootage(footage: Footage, options: WispFootageOptions): Footage {
  const { header } = footage;
  const linesOf = (frame: RecordingFrame): CentreLine[] =>
    header.rods.map(({ closed }, k) => ({ closed, ...frame.rods[k] }));
  // fibers are placed around the lines of the first frame
  const wisps: Wisps = createWisps(linesOf(footage.frame(0)), options);
  const rods = header.rods.flatMap((rod) => {
    const edgeRadius =
      options.fiberRadius === undefined ? rod.edgeRadius : rod.edgeRadius.map(() => options.fiberRadius as number);
    return Array.from({ length: options.count }, (_, f): RecordedRod => ({ ...rod, id: `${rod.id}-${f}`, edgeRadius }));
  });
  const { channels: _, ...rest } = header;
  return {
    header: { ...rest, scene: { ...header.scene, rods: [], pins: [] }, rods },
    frameCount: footage.frameCount,
    frame(index) {
      const frame = footage.frame(index);
      const points = poseWisps(wisps, linesOf(frame));
      return {
        ...frame,
        rods: points.map((nodePosition, fiber) => ({
          nodePosition,
          edgeDirector: frame.rods[Math.floor(fiber / options.count)].edgeDirector,
        })),
      };
    },
  };
}
