/** Loads at which a rod breaks, from the scene: at the middles of edges, where tensions are, and at nodes, where moments are. */
import { SceneError } from '../errors.ts';
import type { RodStrength } from './compiled.ts';
import type { Layout } from './layout.ts';
import type { BreakSpec } from './materialTypes.ts';
import type { Varying } from './values.ts';
import { compileVarying, type Path, positive } from './varying.ts';

const never = (): number => Infinity;

/** Compiles the `break` of a rod. */
export function compileStrength({ tension, moment }: BreakSpec, layout: Layout, path: Path): RodStrength {
  const { nodeU, nodeCount, edgeCount, length } = layout;
  if (tension === undefined && moment === undefined)
    throw new SceneError(path, "neither 'tension' nor 'moment' is given; give one or both, such as { tension: 5 N }");
  const read = (value: Varying | undefined, field: string): ((u: number) => number) =>
    value === undefined ? never : compileVarying(value, length, [...path, field], positive).at;
  const tensionAt = read(tension, 'tension');
  const momentAt = read(moment, 'moment');
  return {
    edgeTension: Float64Array.from({ length: edgeCount }, (_, j) => tensionAt(0.5 * (nodeU[j] + nodeU[j + 1]))),
    nodeMoment: Float64Array.from({ length: nodeCount }, (_, i) => momentAt(nodeU[i])),
  };
}
