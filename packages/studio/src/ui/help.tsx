import type { JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { keys } from '../keyboard.ts';
import * as state from '../state.ts';
import { current } from './current.ts';
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
      {open && <Device />}
    </dialog>
  );
}

/** What draws and what simulates on this device, and where more strands can be had. */
function Device(): JSX.Element {
  const [hasGpu, setHasGpu] = useState<boolean | undefined>(undefined);
  useEffect(() => {
    void Promise.resolve(navigator.gpu?.requestAdapter()).then(
      (adapter) => setHasGpu(Boolean(adapter)),
      () => setHasGpu(false),
    );
  }, []);
  const { name, isSoftware } = current.view?.drawer ?? { name: '', isSoftware: false };
  return (
    <section class="device" aria-label="This device">
      <p>
        <b>Drawn</b> by WebGL 2{name && ` on ${name}`}
        {isSoftware && ': a processor in place of a graphics card, so pictures are coarser while something moves'}.
      </p>
      <p>
        <b>Simulated</b> by the processor, in double precision, in a worker of its own.
      </p>
      {hasGpu !== undefined && (
        <p>
          <b>WebGPU</b>{' '}
          {hasGpu ? (
            <>
              is available:{' '}
              <a href="./hair.html">a whole head of hair, every strand simulated on the graphics processor</a>.
            </>
          ) : (
            <>
              is not available here. <a href="./hair.html">A whole head of hair</a> needs it; scenes do not.
            </>
          )}
        </p>
      )}
    </section>
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
