/** Styles by name with their pictures, the same as `tendril groom grow --preset`, and operations on all hair. */
import { type StylePreset, stylePresets } from '@tendril-sim/core';
import type { JSX } from 'preact';
import * as groom from '../grooming.ts';
import type { Reshaping } from '../groomTypes.ts';

const pictures = import.meta.glob<string>('../thumbs/presets/*.png', { query: '?url', import: 'default', eager: true });

const reshapings: readonly { readonly how: Reshaping; readonly label: string; readonly what: string }[] = [
  { how: 'puff', label: 'Puff', what: 'lifts all hair off the skin' },
  { how: 'smooth', label: 'Smooth', what: 'evens out neighbouring strands' },
  { how: 'wrap', label: 'Wrap', what: 'pulls all hair to the skin' },
];

/** Operations on all hair, with the strength of the brush. */
export function Reshapings(): JSX.Element {
  return (
    <div class="groom-row" role="toolbar" aria-label="All hair">
      {reshapings.map(({ how, label, what }) => (
        <button key={how} type="button" class="action" title={what} onClick={() => groom.reshape(how)}>
          {label}
        </button>
      ))}
      <span class="quiet small">all hair, by the strength</span>
    </div>
  );
}

export function Styles(): JSX.Element {
  const { preset } = groom.settings.value;
  return (
    <section class="groom-section">
      <h3>Style</h3>
      <div class="groom-styles" role="toolbar" aria-label="Style">
        {(Object.keys(stylePresets) as StylePreset[]).map((name) => (
          <button
            key={name}
            type="button"
            class="groom-style"
            aria-pressed={preset === name}
            title={stylePresets[name]}
            disabled={groom.busy.value !== undefined}
            onClick={() => void groom.choosePreset(name)}
          >
            <img src={pictures[`../thumbs/presets/${name}.png`]} alt="" width="72" height="81" />
            {name[0].toUpperCase() + name.slice(1)}
          </button>
        ))}
      </div>
      <p class="quiet small">
        In proportion to the head. The sliders for hairs and clumps change a style; the others start anew.
      </p>
    </section>
  );
}
