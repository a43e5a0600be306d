/** Dispatches of contact between strands: the search before a stage, and the iterations of strands that touch each other after it. */
import { cellWorkgroups, gridSizes, gridWorkgroups, scanWorkgroups } from './gridShader.ts';
import type { BatchPart } from './parts.ts';
import type { ShaderOptions } from './shader.ts';
import { argumentsOffset, COUPLED_LIST } from './statusShader.ts';
import type { DeviceEncoder, DevicePipeline } from './webgpu.ts';

/** Entry points of the search, to which the buffers of the grid are bound. */
export const searchEntries = [
  'locate',
  'sumWays',
  'averageWays',
  'shearWays',
  'countCells',
  'sumCells',
  'scanBlocks',
  'placeCells',
  'fillCells',
  'testCells',
  'gatherNear',
  'sortHits',
] as const;
/** Entry points after the search, to which all other buffers are bound. */
export const pairEntries = [
  'matchPairs',
  'confirm',
  'renew',
  'carry',
  'sumLoads',
  'beginCoupled',
  'law',
  'turn',
  'verify',
  'closeCoupled',
] as const;
type SearchEntry = (typeof searchEntries)[number];
export type PairEntry = (typeof pairEntries)[number] | SearchEntry;
type PairProgram = Readonly<Record<PairEntry, DevicePipeline>>;

/** Finds contacts between strands, before the stage. `searches`: with a new search; otherwise among the candidates of the last one. */
export function encodePairSearch(
  encoder: DeviceEncoder,
  program: PairProgram,
  { buffers, group, searchGroup, count }: BatchPart,
  {
    nodes,
    workgroup,
    pairs,
    searches,
    carries,
  }: ShaderOptions & { readonly searches: boolean; readonly carries: boolean },
): void {
  if (!buffers.grid || !searchGroup) return;
  const edges = count * (nodes - 1);
  const { buckets, coarse } = gridSizes(edges, pairs?.realTime ?? false);
  if (searches) encoder.clearBuffer(buffers.grid);
  const pass = encoder.beginComputePass();
  pass.setBindGroup(0, searchGroup);
  const dispatch = (name: PairEntry, groups: number): void => {
    pass.setPipeline(program[name]);
    pass.dispatchWorkgroups(groups);
  };
  const ofStrands = Math.ceil(count / workgroup);
  if (carries) {
    pass.setBindGroup(0, group);
    dispatch('renew', ofStrands);
    dispatch('carry', gridWorkgroups(edges));
    pass.end();
    return;
  }
  dispatch('locate', ofStrands);
  if (searches) {
    dispatch('sumWays', gridWorkgroups(edges));
    dispatch('averageWays', gridWorkgroups(coarse));
    dispatch('shearWays', gridWorkgroups(coarse));
    dispatch('countCells', gridWorkgroups(edges));
    dispatch('sumCells', scanWorkgroups(buckets));
    dispatch('scanBlocks', 1);
    dispatch('placeCells', scanWorkgroups(buckets));
    dispatch('fillCells', gridWorkgroups(edges));
    if (pairs?.realTime) dispatch('gatherNear', gridWorkgroups(edges));
    else dispatch('testCells', cellWorkgroups(buckets));
    dispatch('sortHits', gridWorkgroups(edges));
  }
  pass.setBindGroup(0, group);
  dispatch('matchPairs', gridWorkgroups(edges));
  dispatch('confirm', gridWorkgroups(edges));
  pass.end();
}

/** Workgroups of entry points with a thread per edge, number of iterations, and whether the check for edges that pass is left out. */
interface CoupledOptions {
  readonly edgeGroups: number;
  readonly iterations: number;
  readonly realTime: boolean;
}

/** Encodes the iterations of the strands that touch strands, after the stage has listed them. */
export function encodeCoupled(
  encoder: DeviceEncoder,
  program: PairProgram,
  { press, buffers, group }: BatchPart,
  { edgeGroups, iterations, realTime }: CoupledOptions,
): void {
  if (!press || !buffers.status) return;
  encoder.copyBufferToBuffer(buffers.status, argumentsOffset(COUPLED_LIST), press.arguments, 0, 12);
  const pass = encoder.beginComputePass();
  pass.setBindGroup(0, group);
  const overStrands = (name: PairEntry): void => {
    pass.setPipeline(program[name]);
    pass.dispatchWorkgroupsIndirect(press.arguments, 0);
  };
  const overEdges = (name: PairEntry): void => {
    pass.setPipeline(program[name]);
    pass.dispatchWorkgroups(edgeGroups);
  };
  overEdges('sumLoads');
  overStrands('beginCoupled');
  for (let k = 0; k < iterations; k++) {
    overEdges('law');
    overStrands('turn');
  }
  if (!realTime) overEdges('verify');
  overStrands('closeCoupled');
  pass.end();
}
