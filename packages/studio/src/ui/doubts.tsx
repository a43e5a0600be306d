/** Warnings about a scene, and what its steps have found: their number, and on a click the texts. */
import type { JSX } from 'preact';
import * as state from '../state.ts';
import { Icon } from './icons.tsx';

export function Doubts({ lane }: { readonly lane: number }): JSX.Element | null {
  const texts = [...(state.loaded.value?.lanes[lane]?.warnings ?? []), ...(state.doubts.value[lane] ?? [])];
  if (texts.length === 0) return null;
  return (
    <details class="doubts">
      <summary>
        <Icon name="warn" size={13} /> {texts.length === 1 ? '1 warning' : `${texts.length} warnings`}
      </summary>
      <ul>
        {texts.map((text) => (
          <li key={text}>{text}</li>
        ))}
      </ul>
    </details>
  );
}
