/** Pictures of a recording: all frames on one page, or one instant of a film. */
import { cutBroken, type Footage, listOrigins, type RecordedRod } from '@tendril-sim/io';
import { gravityOf, pictureObstacles, picturePins } from './locate.ts';
import { hueCount } from './plot/color.ts';
import { roomForObstacles } from './plot/obstacles.ts';
import { drawPicture, spreadFrames } from './plot/picture.ts';
import { formatNumber } from './terminal.ts';

/** All frames on one page; with many rods the first and the last. `stage` fixes view and scale. */
export function drawFrames(recording: Footage, name?: string, stage?: readonly ArrayLike<number>[]): string {
  const { footage, find } = cutBroken(recording);
  const { scene, rods, bodies } = footage.header;
  const hues = listOrigins(rods);
  const crowd = rods.length > hueCount;
  const indices = spreadFrames(footage.frameCount, crowd ? 2 : Math.min(footage.frameCount, 1000));
  const frames = indices.map((index) => footage.frame(index));
  const last = frames[frames.length - 1];
  const title =
    scene.title ??
    rods
      .filter(({ origin, id }) => (origin ?? id) === id)
      .map(({ id }) => id)
      .slice(0, 3)
      .join(', ');
  return drawPicture({
    title,
    subtitle: stage
      ? `t = ${last.time.toFixed(3)} s`
      : name === undefined
        ? undefined
        : `${name} · t = ${formatNumber(last.time)} s`,
    rods: rods.map(({ id, closed, edgeRadius, section }, k) => ({
      id,
      hue: hues[k],
      closed,
      radius: edgeRadius,
      section,
      director: last.rods[k].edgeDirector,
      frames: frames.map((frame) => frame.rods[k].nodePosition),
    })),
    bodies: bodies?.map(({ id, radius }, k) => ({
      id,
      radius,
      frames: frames.map((frame) => [
        ...Array.from(frame.bodies?.[k].position ?? []),
        ...Array.from(frame.bodies?.[k].orientation ?? []),
      ]),
    })),
    obstacles: pictureObstacles(footage.header, last),
    times: frames.map(({ time }) => time),
    pins: picturePins(scene, recording.header.rods.map(withArc), last.time).map((pin) => ({
      ...pin,
      ...find(pin.rod, pin.node),
    })),
    gravity: gravityOf(scene),
    ...(stage && { stage, select: [frames.length - 1], around: obstaclesAround(footage, stage) }),
  });
}

/** Points that must fit in a film: those of a selection of frames, and of its bodies. */
export function stageOf(footage: Footage): Float64Array[] {
  const { rods, bodies = [] } = footage.header;
  const nodes = rods.reduce((sum, { nodeCount }) => sum + nodeCount, 0);
  // a few hundred thousand points are plenty to choose a view by
  const count = Math.max(12, Math.min(footage.frameCount, Math.floor(300_000 / nodes)));
  return spreadFrames(footage.frameCount, count).flatMap((index) => {
    const frame = footage.frame(index);
    // a body without size is not drawn: it only carries roots and obstacles
    const corners = bodies.flatMap(({ radius }, k) =>
      radius > 0 ? [-radius, radius].map((d) => Float64Array.from(frame.bodies?.[k].position ?? [], (x) => x + d)) : [],
    );
    return [...frame.rods.map(({ nodePosition }) => nodePosition), ...corners];
  });
}

/** Obstacles over the course of a film, which may move: the view must not turn with them. */
function obstaclesAround(footage: Footage, stage: readonly ArrayLike<number>[]): ArrayLike<number>[] {
  return spreadFrames(footage.frameCount, 5).flatMap((index) =>
    roomForObstacles(pictureObstacles(footage.header, footage.frame(index)), stage),
  );
}

/** Arc length of the nodes, from the edge lengths in a recording. */
function withArc(rod: RecordedRod): RecordedRod & { readonly length: number; readonly nodeArc: number[] } {
  const nodeArc = [0];
  for (const length of rod.edgeLengthRest) nodeArc.push(nodeArc[nodeArc.length - 1] + length);
  return { ...rod, nodeArc, length: nodeArc[nodeArc.length - 1] };
}
