/** Strokes of comb, scissors and curler on what is seen of the guides. */
import {
  curlHairstyle,
  cutHairstyle,
  dragPoints,
  guideClearance,
  type Hairstyle,
  layCurve,
  reshapeHairstyle,
} from '@tendril-sim/core';
import type { GroomAction, GroomSettings } from '../../groomTypes.ts';
import { addAction, recordStroke } from '../../recipe.ts';
import { dropStroke, keepStep, presentOf, type Stage, shape } from './stageState.ts';

type Stroke = Extract<GroomAction, { kind: 'stroke' }>;

/** Moves the brush; at the end of the stroke a step is kept. Returns a note for the page. */
export function stroke(stage: Stage, action: Stroke): string | undefined {
  const { settings, style } = presentOf(stage);
  stage.working ??= style;
  const { brush, from, to, end } = action;
  if (stage.brushPath.length === 0) stage.brushPath.push(...from);
  stage.brushPath.push(...to);
  if (brush === 'comb') comb(stage, action);
  else if (brush === 'cut') cut(stage, action);
  else curl(stage, action);
  return end ? endStroke(stage, action, settings) : undefined;
}

/** Moves what is seen of the guides; helices are fitted when the stroke ends. */
function comb({ head, pose, touched }: Stage, { from, to, radius, strength }: Stroke): void {
  if (!pose) return;
  const { nodes, position } = pose;
  for (let g = 0; 3 * nodes * g < position.length; g++) {
    const own = position.subarray(3 * nodes * g, 3 * nodes * (g + 1));
    if (!dragPoints(own, from, to, radius, strength)) continue;
    if (head?.field) layCurve(position, { first: 3 * nodes * g, nodes }, head.field, 0.5 * guideClearance);
    touched.add(g);
  }
}

function cut(stage: Stage, action: Stroke): void {
  let style = workingOf(stage);
  for (const [g, length] of findNear(stage, action)) {
    stage.touched.add(g);
    const only = new Float64Array(style.guideRoots.count);
    only[g] = 1;
    style = cutHairstyle(style, { length: Math.max(length, 0.004), where: only }).style;
  }
  stage.working = style;
  shape(stage, style);
}

/** Curls guides, or makes them straight, once in a stroke. */
function curl(stage: Stage, action: Stroke): void {
  const style = workingOf(stage);
  const where = new Float64Array(style.guideRoots.count);
  for (const g of findNear(stage, action).keys()) {
    if (stage.touched.has(g)) continue;
    where[g] = 1;
    stage.touched.add(g);
  }
  if (!where.some((value) => value > 0)) return;
  const wanted = action.brush === 'curl' ? curlOf(action.settings) : undefined;
  stage.working = curlHairstyle(style, { curl: wanted, where }).style;
  shape(stage, stage.working);
}

function workingOf(stage: Stage): Hairstyle {
  return stage.working ?? presentOf(stage).style;
}

function endStroke(stage: Stage, action: Stroke, settings: GroomSettings): string | undefined {
  const { touched, working } = stage;
  const recipe = addAction(presentOf(stage).recipe, recordStroke(action, stage.brushPath));
  dropStroke(stage);
  if (touched.size === 0 || !working) return 'no hair was near the brush';
  if (action.brush !== 'comb') {
    keepStep(stage, { style: working, settings, what: '', recipe });
    return `${touched.size} strands`;
  }
  const { style, report } = reshapeHairstyle(working, shapesOf(stage, touched));
  keepStep(stage, { style, settings, what: '', recipe });
  const soft = report.unstable > 0 ? `; ${report.unstable} are too soft to stay so and will sag` : '';
  return `${report.combed} strands combed${soft}`;
}

/** Guides that come near the way of the brush, and how far along they first do [m]. */
function findNear(stage: Stage, { from, to, radius }: Stroke): Map<number, number> {
  const { pose, working } = stage;
  const { style } = presentOf(stage);
  const found = new Map<number, number>();
  if (!pose) return found;
  const { nodes, position } = pose;
  const lengths = (working ?? style).length;
  for (let g = 0; g < lengths.length; g++) {
    for (let i = 1; i < nodes; i++) {
      if (distanceTo(position, 3 * (nodes * g + i), from, to) > radius) continue;
      found.set(g, (lengths[g] * (i - 0.5)) / (nodes - 1));
      break;
    }
  }
  return found;
}

/** What is seen of guides, two places an element. */
function shapesOf({ pose }: Stage, list: Iterable<number>): Map<number, Float64Array> {
  const shapes = new Map<number, Float64Array>();
  if (!pose) return shapes;
  const { nodes, perElement, position } = pose;
  const stride = perElement / 2;
  for (const g of list) {
    const points = new Float64Array((3 * (nodes - 1)) / stride + 3);
    for (let i = 0; i < points.length / 3; i++)
      for (let k = 0; k < 3; k++) points[3 * i + k] = position[3 * (nodes * g + i * stride) + k];
    shapes.set(g, points);
  }
  return shapes;
}

export function curlOf({ radius, pitch }: GroomSettings): { radius: number; pitch: number } | undefined {
  return radius > 0 ? { radius, pitch } : undefined;
}

/** Of point o of p from the segment from a to b [m]. */
function distanceTo(p: Float64Array, o: number, a: readonly number[], b: readonly number[]): number {
  const [abx, aby, abz] = [b[0] - a[0], b[1] - a[1], b[2] - a[2]];
  const [x, y, z] = [p[o] - a[0], p[o + 1] - a[1], p[o + 2] - a[2]];
  const square = abx * abx + aby * aby + abz * abz;
  const t = square > 0 ? Math.min(1, Math.max(0, (x * abx + y * aby + z * abz) / square)) : 0;
  return Math.hypot(x - t * abx, y - t * aby, z - t * abz);
}
