/** A button that opens a list below it. A second click, Escape, a click or focus elsewhere, and a chosen entry close it. */
import { useSignal } from '@preact/signals';
import type { ComponentChildren, JSX } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { Icon, type IconName } from './icons.tsx';

export interface MenuProps {
  readonly icon: IconName;
  readonly title: string;
  /** Name of the button. */
  readonly label: string;
  readonly isLabelHidden?: boolean;
  readonly children: ComponentChildren;
}

export function Menu({ icon, title, label, isLabelHidden, children }: MenuProps): JSX.Element {
  const isOpen = useSignal(false);
  const root = useRef<HTMLDetailsElement>(null);
  // not later: a key may follow at once
  useLayoutEffect(() => (isOpen.value ? closeFromOutside(root.current) : undefined), [isOpen.value]);
  return (
    <details
      class="menu"
      ref={root}
      onToggle={(event) => {
        isOpen.value = event.currentTarget.open;
      }}
      onFocusOut={({ relatedTarget }) => {
        if (relatedTarget instanceof Node) closeUnlessWithin(root.current, relatedTarget);
      }}
    >
      <summary class="icon-button" title={title}>
        <Icon name={icon} />
        <span class={isLabelHidden ? 'sr' : ''}>{label}</span>
      </summary>
      {/* an entry is a button; switches and choices leave the menu open */}
      {/* biome-ignore lint/a11y/noStaticElementInteractions lint/a11y/useKeyWithClickEvents: the entries are the controls */}
      <div
        class="menu-body"
        onClick={({ target }) => {
          if (target instanceof Element && target.closest('button')) close(root.current);
        }}
      >
        {isOpen.value && children}
      </div>
    </details>
  );
}

function close(menu: HTMLDetailsElement | null): void {
  if (menu) menu.open = false;
}

function closeUnlessWithin(menu: HTMLDetailsElement | null, target: EventTarget | null): void {
  if (menu && !(target instanceof Node && menu.contains(target))) menu.open = false;
}

/** Listens before the view, which keeps the pointer for itself, and before the keys of the page: Escape closes one thing at a time. */
function closeFromOutside(menu: HTMLDetailsElement | null): () => void {
  const onPress = ({ target }: Event): void => closeUnlessWithin(menu, target);
  const onKey = (event: KeyboardEvent): void => {
    // the page draws a moment after it was closed, and this listens until then
    if (event.key !== 'Escape' || !menu?.open) return;
    event.stopPropagation();
    if (menu.contains(document.activeElement)) menu.querySelector('summary')?.focus();
    close(menu);
  };
  addEventListener('pointerdown', onPress, { capture: true });
  addEventListener('keydown', onKey, { capture: true });
  return () => {
    removeEventListener('pointerdown', onPress, { capture: true });
    removeEventListener('keydown', onKey, { capture: true });
  };
}
