/** Which models run side by side. */
import type { JSX } from 'preact';
import type { Variant } from '../protocol.ts';
import { asWritten, setVariants } from '../session.ts';
import * as state from '../state.ts';
import { variantOptions } from '../variants.ts';
import { Icon } from './icons.tsx';
import { cannotTouch } from './touching.ts';

const most = 4;

const arrangements = [
  { label: 'Side by side', overlay: false },
  { label: 'Over each other (O)', overlay: true },
] as const;

export function Compare(): JSX.Element | null {
  if (!state.compareOpen.value) return null;
  const chosen = state.variants.value.filter(({ id }) => id !== '');
  const toggle = (variant: Variant, on: boolean): void => {
    const next = on ? [...chosen, variant].slice(-most) : chosen.filter(({ id }) => id !== variant.id);
    setVariants(next.length > 0 ? next : [asWritten]);
  };
  const rows = variantOptions().map((option) => ({
    ...option,
    reason: cannotTouch(option.variant.id, state.loaded.value?.values),
    checked: chosen.some(({ id }) => id === option.variant.id),
  }));
  return (
    <div class="popover compare" role="dialog" aria-label="Compare models">
      <header>
        <h2>Compare models</h2>
        <button
          type="button"
          class="icon-button"
          aria-label="Close"
          onClick={() => {
            state.compareOpen.value = false;
          }}
        >
          <Icon name="close" />
        </button>
      </header>
      <p class="quiet small">The same scene, camera and clock under up to four models.</p>
      <ul>
        {rows.map(({ variant, about, reason, checked }) => (
          <li key={variant.id}>
            <label title={reason} class={reason && 'off'}>
              <input
                type="checkbox"
                checked={checked}
                disabled={reason !== undefined && !checked}
                onChange={(event) => toggle(variant, event.currentTarget.checked)}
              />
              <span>
                <b>{variant.label}</b> <span class="quiet">{about}</span>
                {reason && <span class="tag">no contact</span>}
              </span>
            </label>
          </li>
        ))}
      </ul>
      {state.comparing.value && (
        <fieldset class="choice" aria-label="Arrangement">
          {arrangements.map(({ label, overlay }) => (
            <button
              key={label}
              type="button"
              aria-pressed={state.overlay.value === overlay}
              onClick={() => {
                state.overlay.value = overlay;
              }}
            >
              {label}
            </button>
          ))}
        </fieldset>
      )}
      {chosen.length > 0 && (
        <button type="button" class="action" onClick={() => setVariants([asWritten])}>
          Back to one view
        </button>
      )}
    </div>
  );
}
