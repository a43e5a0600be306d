/** Parts of the page that are fetched when they are first shown. */
import { type Signal, signal } from '@preact/signals';
import type { JSX } from 'preact';
import * as state from '../state.ts';

type Part = () => JSX.Element | null;

/** Nothing until it is there: a few kilobytes from where the page came from. */
export function lazily(load: () => Promise<Part>): Part {
  const loaded: Signal<Part | undefined> = signal(undefined);
  let asked = false;
  return () => {
    if (!asked) {
      asked = true;
      load().then(
        (part) => {
          loaded.value = part;
        },
        () => {
          asked = false;
          state.unfetched.value = {
            what: 'A part of the page',
            retry: () => {
              loaded.value = () => null;
              loaded.value = undefined;
            },
          };
        },
      );
    }
    const Found = loaded.value;
    return Found ? <Found /> : null;
  };
}
