/**
 * Tables. Numbers are written with all their digits (the shortest text that reads back to the same double), text is quoted if necessary (RFC 4180), and
 * lines are produced one by one, so a long recording need not fit in memory.
 */

import type { ProbeSeries } from '@tendril-sim/core';
import type { Recording } from './recording.ts';

type Cell = string | number;

/** One line, including its line end. */
export function csvLine(cells: readonly Cell[]): string {
  return `${cells.map(formatCell).join(',')}\n`;
}

function formatCell(cell: Cell): string {
  const text = String(cell);
  return /[",\r\n]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** One line per node and frame. d1 is that of the edge that leaves the node; the last node of an open rod has none. */
export function* nodeTable(recording: Pick<Recording, 'header' | 'frames'>): Generator<string> {
  const { rods, channels = [] } = recording.header;
  yield csvLine(['frame', 'time', 'rod', 'node', 'x', 'y', 'z', 'd1x', 'd1y', 'd1z', ...channels]);
  let index = 0;
  for (const frame of recording.frames()) {
    for (let r = 0; r < rods.length; r++) {
      const { nodePosition: p, edgeDirector: d, channels: values = {} } = frame.rods[r];
      for (let i = 0; i < rods[r].nodeCount; i++) {
        const director = i < rods[r].edgeCount ? [d[3 * i], d[3 * i + 1], d[3 * i + 2]] : ['', '', ''];
        const more = channels.map((channel) => values[channel]?.[i] ?? '');
        yield csvLine([index, frame.time, rods[r].id, i, p[3 * i], p[3 * i + 1], p[3 * i + 2], ...director, ...more]);
      }
    }
    index++;
  }
}

/** One line per frame [s, J]. */
export function* energyTable(recording: Pick<Recording, 'frames'>): Generator<string> {
  yield csvLine(['frame', 'time', 'kinetic', 'bending', 'twisting', 'stretching', 'potential', 'total']);
  let index = 0;
  for (const { time, energies: e } of recording.frames()) {
    yield csvLine([index++, time, e.kinetic, e.bending, e.twisting, e.stretching, e.potential, e.total]);
  }
}

/** One line per probe and time; a quantity with one component leaves y and z empty. */
export function* probeTable(probes: readonly ProbeSeries[]): Generator<string> {
  yield csvLine(['probe', 'rod', 'quantity', 'time', 'x', 'y', 'z', 'body']);
  for (const { name, rod = '', body = '', quantity, time, value } of probes) {
    for (let i = 0; i < time.length; i++) {
      const item = value[i];
      const cells: readonly Cell[] = typeof item === 'number' ? [item, '', ''] : item;
      yield csvLine([name, rod, quantity, time[i], ...cells, body]);
    }
  }
}
