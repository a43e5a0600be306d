/**
 * Channels: quantities along a rod that every model provides, recordings store, and pictures show as colours.
 *
 * To add one, extend `Channel` and `channels`. The compiler (`npx tsc -b`) then points to `readChannel` of every model (models/<id>/readouts.ts and
 * batch/readouts.ts); channels that follow from samples alone can share one function in models/readouts.ts. Recordings (which then grow: `tendril run` records every
 * channel), CSV, VTP, Parquet, probes and the schema follow from this table. To be added by hand: maxima in packages/io/src/result.ts and
 * packages/sweep/src/run/scope.ts; in packages/studio/src colours and plots (view/colormaps.ts, view/lane.ts, shot.ts, ui/header.tsx, ui/plots.tsx) and the
 * data that its worker sends (protocol.ts, frameLayout.ts, worker/lane.ts). Pages that list channels: docs/scene.md (a test checks it), library.md,
 * notation.md, cli.md (columns of CSV) and files.md.
 */

/** Curvature and twist at nodes, tension on edges. */
export type Channel = 'curvature' | 'twist' | 'tension';

/** Elements at which a channel has values (nodes or edges), and their unit. */
export interface ChannelInfo {
  /** Whether there is one value per node or one per edge. */
  readonly on: 'node' | 'edge';
  /** SI unit of the values. */
  readonly unit: string;
}

/** The quantities along a rod that worlds report. */
export const channels: Readonly<Record<Channel, ChannelInfo>> = {
  curvature: { on: 'node', unit: '1/m' },
  twist: { on: 'node', unit: '1/m' },
  tension: { on: 'edge', unit: 'N' },
};

/** In the order of the table, which is that of recordings made with all of them. */
export const channelNames: readonly Channel[] = Object.keys(channels) as Channel[];

/** How many values a channel has on a rod. */
export function channelLength(
  { nodeCount, edgeCount }: { readonly nodeCount: number; readonly edgeCount: number },
  channel: Channel,
): number {
  return channels[channel].on === 'edge' ? edgeCount : nodeCount;
}

/** How a model reads each channel; one that is missing does not compile. */
export type ChannelReaders = Readonly<Record<Channel, () => void>>;
