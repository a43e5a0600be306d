/** Grows hairstyles and makes the bust, beside the page. */
import { type Field, openField } from '@tendril-sim/core/batch';
import { type Bust, makeBust } from './bust.ts';
import { growStyle, type HairShapes, type StyleId } from './style.ts';

export interface StyleRequest {
  readonly ticket: number;
  readonly style: StyleId;
  readonly count: number;
  /** True if the answer shall have the bust, too. */
  readonly withBust: boolean;
}

export interface StyleAnswer {
  readonly ticket: number;
  readonly shapes?: HairShapes;
  readonly bust?: Bust;
  readonly error?: string;
}

let made: { readonly bust: Bust; readonly skin: Field } | undefined;

function makeOnce(): { readonly bust: Bust; readonly skin: Field } {
  const bust = makeBust();
  return { bust, skin: openField(bust.table) };
}

function answer({ ticket, style, count, withBust }: StyleRequest): StyleAnswer {
  try {
    made ??= makeOnce();
    const { bust, skin } = made;
    return { ticket, shapes: growStyle(style, count, skin), ...(withBust && { bust }) };
  } catch (error) {
    return { ticket, error: error instanceof Error ? error.message : String(error) };
  }
}

addEventListener('message', ({ data }: MessageEvent<StyleRequest>) => postMessage(answer(data)));
