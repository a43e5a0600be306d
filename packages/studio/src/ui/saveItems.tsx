/** Entries of the menu Save, fetched when it is opened first. */
import type { JSX } from 'preact';
import { figurePdf, figurePng, figureSvg } from '../figure.ts';
import { download, saveScene } from '../files.ts';
import { filmFormat, saveFilm } from '../film.ts';
import { copyScene } from '../opening.ts';
import { saveRun, saveTable } from '../saving.ts';
import * as state from '../state.ts';
import { saveStill } from '../still.ts';
import { current } from './current.ts';

const runs = [
  { format: 'tendril', label: 'Run as recording' },
  { format: 'usda', label: 'Run as USD' },
  { format: 'glb', label: 'Run as glTF' },
  { format: 'vtk', label: 'Run as VTK' },
  { format: 'csv', label: 'Run as CSV' },
  { format: 'parquet', label: 'Run as Parquet' },
] as const;

export function SaveItems(): JSX.Element {
  const picture = async (): Promise<void> => {
    const blob = current.view && (await figurePng(current.view));
    if (!blob) return;
    download(blob, state.sceneName.value.replace(/\.\w+$/, '.png'));
    state.tell('Saved the picture.', 'good');
  };
  const vectors = async (kind: 'svg' | 'pdf'): Promise<void> => {
    if (!current.view) return;
    const content = kind === 'svg' ? await figureSvg(current.view) : await figurePdf(current.view);
    const type = kind === 'svg' ? 'image/svg+xml' : 'application/pdf';
    download(new Blob([content as BlobPart], { type }), state.sceneName.value.replace(/\.\w+$/, `.${kind}`));
    state.tell('Saved the picture.', 'good');
  };
  return (
    <>
      <button type="button" onClick={saveScene}>
        Scene as YAML <kbd>Ctrl S</kbd>
      </button>
      {!state.grooming.value && (
        <button type="button" onClick={() => void copyScene()}>
          Go on with a copy
        </button>
      )}
      <button type="button" onClick={() => void picture()}>
        Picture as PNG
      </button>
      <button type="button" onClick={() => void (current.view && saveStill(current.view))}>
        Picture, path-traced
      </button>
      <button type="button" onClick={() => void vectors('svg')}>
        Picture as SVG
      </button>
      <button type="button" onClick={() => void vectors('pdf')}>
        Picture as PDF
      </button>
      <button type="button" onClick={saveTable}>
        Energies as CSV
      </button>
      {!state.grooming.value &&
        runs.map(({ format, label }) => (
          <button key={format} type="button" onClick={() => void saveRun(format)}>
            {label}
          </button>
        ))}
      {!state.grooming.value && (
        <>
          <button type="button" onClick={() => void saveFilm()}>
            Film as {filmFormat()?.[1] === 'mp4' ? 'MP4' : 'WebM'}
          </button>
          <button
            type="button"
            onClick={() => {
              state.filmOpen.value = true;
            }}
          >
            Film, path-traced…
          </button>
        </>
      )}
    </>
  );
}
