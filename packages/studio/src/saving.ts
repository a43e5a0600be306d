/** Files of the run: its frames in the formats of other programs, its energies as a table. */
import { exportRun } from './acting.ts';
import { energyTable } from './energyTable.ts';
import { download } from './files.ts';
import type { ExportFormat } from './protocol.ts';
import * as state from './state.ts';

export async function saveRun(format: ExportFormat): Promise<void> {
  if (state.saving.value !== undefined) return;
  const ending = { vtk: 'vtk.zip', csv: 'nodes.csv' }[format as string] ?? format;
  const name = state.sceneName.value.replace(/\.\w+$/, `.${ending}`);
  state.saving.value = name;
  const parts = await exportRun(format).finally(() => {
    state.saving.value = undefined;
  });
  if (!parts) return;
  download(new Blob([...parts] as BlobPart[], { type: 'application/octet-stream' }), name);
  state.tell(`Saved ${name}.`, 'good');
}

/** Energies, and the largest curvature, twist and tension, over time. */
export function saveTable(): void {
  const lanes = state.loaded.value?.lanes ?? [];
  download(
    new Blob([energyTable(state.frames.stats, lanes)], { type: 'text/csv' }),
    state.sceneName.value.replace(/\.\w+$/, '.csv'),
  );
  state.tell('Saved the energies as a table.', 'good');
}
