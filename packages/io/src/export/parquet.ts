/**
 * Parquet: the table of nodes, one row per node and frame, in typed columns. Only one row group is in memory at a time.
 *
 * Positions are doubles, as recorded; directors and channels are floats. No edge leaves the last node of an open rod,
 * so director and tension are null there.
 */
import { type Channel, channels as channelTable } from '@tendril-sim/core';
import { ByteWriter, ParquetWriter } from 'hyparquet-writer';
import type { Footage } from './footage.ts';

/** Rows that are gathered before they are written. */
const groupRows = 100_000;

type Values = (number | string | null)[];

/** Exports a recording as a Parquet table, one row per node and frame. */
export function* exportParquet(footage: Footage): Generator<Uint8Array> {
  const { rods, channels = [], version, scene } = footage.header;
  const columns = ['frame', 'time', 'rod', 'node', 'x', 'y', 'z', 'd1x', 'd1y', 'd1z', ...channels] as const;
  const bytes = new ByteWriter();
  const writer = new ParquetWriter({
    writer: bytes,
    schema: [{ name: 'root', num_children: columns.length }, ...columns.map(element)],
    kvMetadata: [
      { key: 'tendril.version', value: version },
      ...(scene.title === undefined ? [] : [{ key: 'tendril.title', value: scene.title }]),
    ],
  });
  let table = columns.map((): Values => []);
  const flush = (): Uint8Array => {
    writer.write({
      columnData: columns.map((name, c) => ({ name, data: table[c] })),
      rowGroupSize: table[0].length,
    });
    table = columns.map(() => []);
    const chunk = bytes.getBytes().slice();
    bytes.index = 0;
    return chunk;
  };
  for (let k = 0; k < footage.frameCount; k++) {
    const frame = footage.frame(k);
    for (let r = 0; r < rods.length; r++) {
      const { nodePosition: p, edgeDirector: d, channels: values = {} } = frame.rods[r];
      for (let i = 0; i < rods[r].nodeCount; i++) {
        const director = i < rods[r].edgeCount ? [d[3 * i], d[3 * i + 1], d[3 * i + 2]] : [null, null, null];
        const more = channels.map((channel) => values[channel]?.[i] ?? null);
        const row = [k, frame.time, rods[r].id, i, p[3 * i], p[3 * i + 1], p[3 * i + 2], ...director, ...more];
        for (let c = 0; c < row.length; c++) table[c].push(row[c]);
      }
      if (table[0].length >= groupRows) yield flush();
    }
  }
  if (table[0].length > 0) yield flush();
  writer.finish();
  yield bytes.getBytes().slice();
}

type Element = ConstructorParameters<typeof ParquetWriter>[0]['schema'][number];

function element(name: string): Element {
  if (name === 'rod') return { name, type: 'BYTE_ARRAY', converted_type: 'UTF8', repetition_type: 'REQUIRED' };
  if (name === 'frame' || name === 'node') return { name, type: 'INT32', repetition_type: 'REQUIRED' };
  const exact = name === 'time' || name === 'x' || name === 'y' || name === 'z';
  const always = exact || (Object.hasOwn(channelTable, name) && channelTable[name as Channel].on === 'node');
  return { name, type: exact ? 'DOUBLE' : 'FLOAT', repetition_type: always ? 'REQUIRED' : 'OPTIONAL' };
}
