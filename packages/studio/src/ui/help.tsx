import type { JSX } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { keys } from '../keyboard.ts';
import * as state from '../state.ts';
import { Icon } from './icons.tsx';

const hands: readonly (readonly [string, string])[] = [
  ['Drag a rod', 'pull it; the force is shown in newtons'],
  ['Shift-drag a pinned end', 'move the pin'],
  ['Wheel over an end', 'twist it'],
  ['Drag the background', 'orbit'],
  ['Wheel, pinch', 'zoom'],
  ['Double click', 'show all'],
];

export function Help(): JSX.Element | null {
  const dialog = useRef<HTMLDialogElement>(null);
  const open = state.helpOpen.value;
  useEffect(() => {
    if (open && !dialog.current?.open) dialog.current?.showModal();
    if (!open && dialog.current?.open) dialog.current.close();
  }, [open]);
  const close = (): void => {
    state.helpOpen.value = false;
  };
  return (
    <dialog ref={dialog} class="help" aria-labelledby="help-title" onClose={close}>
      <header>
        <h2 id="help-title">Hands and keys</h2>
        <button type="button" class="icon-button" aria-label="Close" onClick={close}>
          <Icon name="close" />
        </button>
      </header>
      <div class="help-columns">
        <List items={hands} />
        <List items={keys} />
      </div>
    </dialog>
  );
}

function List({ items }: { readonly items: readonly (readonly [string, string])[] }): JSX.Element {
  return (
    <dl>
      {items.map(([name, what]) => (
        <div key={name}>
          <dt>
            <kbd>{name}</kbd>
          </dt>
          <dd>{what}</dd>
        </div>
      ))}
    </dl>
  );
}
