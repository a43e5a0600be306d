/** What the page reads from a scene's text before the worker has read it. */
import type { Entry } from './history.ts';
import type { ColorBy } from './view/colormaps.ts';

/** The title that a scene gives itself, else the name of its file. */
export function titleOf({ text, name }: Entry): string {
  return /^title:\s*["']?(.*?)["']?\s*$/m.exec(text)?.[1] ?? name;
}

/** Coloring that a scene starts with: its own colours if it has any, twist if something twists its rods, else curvature. */
export function preferredColor(text: string): ColorBy {
  return /(^|[{,]) *color:/m.test(text) ? 'plain' : /twist:|turns:|torque/.test(text) ? 'twist' : 'curvature';
}
