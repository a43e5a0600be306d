import type { JSX } from 'preact';
import { useEffect } from 'preact/hooks';
import { acceptDrops } from '../files.ts';
import { listenToKeys } from '../keyboard.ts';
import * as state from '../state.ts';
import { Gallery } from './gallery.tsx';
import { Header } from './header.tsx';
import { Icon, type IconName } from './icons.tsx';
import { lazily } from './lazy.tsx';
import { Timeline } from './timeline.tsx';
import { Viewport } from './viewport.tsx';

const Compare = lazily(async () => (await import('./compare.tsx')).Compare);
const FilmDialog = lazily(async () => (await import('./filmDialog.tsx')).FilmDialog);
const Editor = lazily(async () => (await import('./editor.tsx')).Editor);
const GroomPanel = lazily(async () => (await import('./groom.tsx')).GroomPanel);
const Inspector = lazily(async () => (await import('./inspector.tsx')).Inspector);
const Help = lazily(async () => (await import('./help.tsx')).Help);
const Plots = lazily(async () => (await import('./plots.tsx')).Plots);
const Theory = lazily(async () => (await import('./theory.tsx')).Theory);

export function App(): JSX.Element {
  useEffect(() => {
    listenToKeys();
    acceptDrops();
  }, []);
  const classes = [
    'app',
    state.galleryOpen.value ? 'with-gallery' : '',
    state.sideOpen.value ? 'with-side' : '',
    state.plotsOpen.value ? 'with-plots' : '',
    state.grooming.value ? 'grooming' : '',
    `sheet-${state.sheet.value}`,
  ];
  if (state.viewOnly)
    return (
      <div class="app view-only">
        <main>
          <Viewport />
          <Timeline />
          {state.fatal.value && <Fatal text={state.fatal.value} />}
        </main>
      </div>
    );
  return (
    <div class={classes.join(' ')}>
      <Header />
      <Gallery />
      <main>
        <Viewport />
        {!state.grooming.value && state.compareOpen.value && <Compare />}
        {!state.grooming.value && state.filmOpen.value && <FilmDialog />}
        {!state.grooming.value && <Timeline />}
        {!state.grooming.value && state.plotsOpen.value && <Plots />}
        {state.fatal.value && <Fatal text={state.fatal.value} />}
      </main>
      {state.grooming.value ? <GroomPanel /> : <Side />}
      <SheetTabs />
      {state.helpOpen.value && <Help />}
    </div>
  );
}

const tabs: readonly { id: state.SidePanel; label: string; icon: IconName }[] = [
  { id: 'inspector', label: 'Inspector', icon: 'sliders' },
  { id: 'theory', label: 'Theory', icon: 'theory' },
  { id: 'scene', label: 'Scene', icon: 'text' },
];

function Side(): JSX.Element {
  const now = state.side.value;
  // a closed panel is not fetched; on a narrow screen it is a sheet
  const isShown = state.sideOpen.value || state.sheet.value !== 'view';
  return (
    <aside class="side" aria-label="Scene panels">
      <div class="tabs" role="tablist" aria-label="Panels">
        {tabs.map(({ id, label, icon }) => (
          <button
            key={id}
            type="button"
            role="tab"
            id={`tab-${id}`}
            aria-selected={now === id}
            aria-controls="side-panel"
            tabIndex={now === id ? 0 : -1}
            onClick={() => {
              state.side.value = id;
            }}
            onKeyDown={(event) => {
              const by = event.key === 'ArrowRight' ? 1 : event.key === 'ArrowLeft' ? -1 : 0;
              if (by === 0) return;
              event.preventDefault();
              event.stopPropagation();
              const next = tabs[(tabs.findIndex((tab) => tab.id === now) + by + tabs.length) % tabs.length];
              state.side.value = next.id;
              document.getElementById(`tab-${next.id}`)?.focus();
            }}
          >
            <Icon name={icon} size={16} />
            {label}
          </button>
        ))}
      </div>
      <div class="side-body" id="side-panel" role="tabpanel" aria-labelledby={`tab-${now}`}>
        {isShown && now === 'inspector' && <Inspector />}
        {isShown && now === 'theory' && <Theory />}
        {isShown && now === 'scene' && <Editor />}
      </div>
    </aside>
  );
}

const sheets: readonly { id: state.Panel; label: string; icon: IconName }[] = [
  { id: 'view', label: 'View', icon: 'cube' },
  { id: 'gallery', label: 'Gallery', icon: 'grid' },
  ...tabs,
];

/** While hair is groomed, its panel takes the place of the others. */
const groomSheets: typeof sheets = [...sheets.slice(0, 2), { id: 'inspector', label: 'Groom', icon: 'comb' }];

function SheetTabs(): JSX.Element {
  return (
    <nav class="sheet-tabs" aria-label="Sheets">
      {(state.grooming.value ? groomSheets : sheets).map(({ id, label, icon }) => (
        <button
          key={id}
          type="button"
          aria-current={state.sheet.value === id ? 'page' : undefined}
          onClick={() => {
            state.sheet.value = id;
            if (id === 'inspector' || id === 'theory' || id === 'scene') state.side.value = id;
          }}
        >
          <Icon name={icon} size={20} />
          {label}
        </button>
      ))}
    </nav>
  );
}

function Fatal({ text }: { readonly text: string }): JSX.Element {
  return (
    <div class="fatal" role="alert">
      <Icon name="warn" size={28} />
      <p>{text.split('\n')[0]}</p>
      <button type="button" class="action" onClick={() => location.reload()}>
        Load the page again
      </button>
    </div>
  );
}
