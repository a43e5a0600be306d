import { type RodFinish, rodFinishes } from '@tendril-sim/bridge/three';
import type { JSX } from 'preact';
import { chooseFile, copyLink } from '../files.ts';
import { facts, groomRedo, groomUndo, startGrooming } from '../grooming.ts';
import { leaveGrooming, redo, undo } from '../session.ts';
import * as state from '../state.ts';
import type { ColorBy } from '../view/colormaps.ts';
import { IconButton } from './icons.tsx';
import { lazily } from './lazy.tsx';
import { Menu } from './menu.tsx';

export function Header(): JSX.Element {
  const subject = state.cases.find(({ id }) => id === state.caseId.value);
  const title = state.loaded.value?.title || subject?.title || state.sceneName.value;
  return (
    <header class="top">
      <div class="brand">
        <img src="./icon.svg" width="26" height="26" alt="" />
        <span>Tendril</span>
      </div>
      <IconButton
        class="wide-only"
        icon="panelLeft"
        label="Gallery"
        pressed={state.galleryOpen.value}
        onClick={() => {
          state.galleryOpen.value = !state.galleryOpen.value;
        }}
      />
      <div class="title">
        <h1>{title}</h1>
        <span class="quiet">
          {state.grooming.value
            ? 'grow, comb, cut, curl, then simulate'
            : (state.recorded.value ?? subject?.source ?? state.sceneName.value)}
          {state.changed.value && subject && !state.grooming.value ? ' · changed' : ''}
        </span>
      </div>
      <div class="top-actions">
        <IconButton
          icon="undo"
          label="Undo (Ctrl Z)"
          onClick={state.grooming.value ? groomUndo : undo}
          disabled={state.grooming.value ? !facts.value?.canUndo : !state.canUndo.value}
        />
        <IconButton
          icon="redo"
          label="Redo (Ctrl Y)"
          onClick={state.grooming.value ? groomRedo : redo}
          disabled={state.grooming.value ? !facts.value?.canRedo : !state.canRedo.value}
        />
        <span class="rule" />
        <IconButton
          icon="compare"
          label="Compare models (C)"
          text="Compare"
          pressed={state.comparing.value}
          onClick={() => {
            state.compareOpen.value = !state.compareOpen.value;
          }}
        />
        <IconButton
          icon="comb"
          label="Groom hair on a head (G)"
          text="Groom"
          pressed={state.grooming.value}
          onClick={() => {
            if (state.grooming.value) leaveGrooming();
            else void startGrooming();
          }}
        />
        <ColorMenu />
        <span class="rule" />
        <IconButton icon="open" label="Open a scene or a recording (Ctrl O)" onClick={chooseFile} />
        <SaveMenu />
        <IconButton icon="share" label="Copy a link that holds the scene" onClick={() => void copyLink()} />
        <span class="rule" />
        <IconButton
          icon={state.dark.value ? 'sun' : 'moon'}
          label={state.dark.value ? 'Light' : 'Dark'}
          onClick={() => {
            state.theme.value = state.dark.value ? 'light' : 'dark';
          }}
        />
        <IconButton
          icon="help"
          label="Keys and hands (?)"
          onClick={() => {
            state.helpOpen.value = true;
          }}
        />
        <IconButton
          class="wide-only"
          icon="panelRight"
          label="Inspector"
          pressed={state.sideOpen.value}
          onClick={() => {
            state.sideOpen.value = !state.sideOpen.value;
          }}
        />
      </div>
    </header>
  );
}

function ColorMenu(): JSX.Element {
  const toggles = [
    { name: 'Stripe along the material', signal: state.stripe },
    { name: 'Initial shape', signal: state.ghost },
    { name: 'Grid', signal: state.grid },
    { name: 'Material frames', signal: state.materialFrames },
    { name: 'Forces as arrows', signal: state.forces },
  ];
  return (
    <Menu icon="eye" title="What is shown: colours, grid, frames, forces" label="Show">
      <label class="row">
        <span class="label">Colour by</span>
        <select
          value={state.colorBy.value}
          onChange={(event) => {
            state.colorBy.value = event.currentTarget.value as ColorBy;
          }}
        >
          <option value="curvature">curvature</option>
          <option value="twist">twist</option>
          <option value="tension">tension</option>
          <option value="contact">contact force</option>
          <option value="plain">model</option>
        </select>
      </label>
      <label class="row">
        <span class="label">Looks like</span>
        <select
          value={state.finish.value}
          onChange={(event) => {
            state.finish.value = event.currentTarget.value as RodFinish;
          }}
        >
          {rodFinishes.map((name) => (
            <option key={name} value={name}>
              {name}
            </option>
          ))}
        </select>
      </label>
      {toggles.map(({ name, signal }) => (
        <label class="row" key={name}>
          <span class="label">{name}</span>
          <input
            type="checkbox"
            checked={signal.value}
            onChange={(event) => {
              signal.value = event.currentTarget.checked;
            }}
          />
        </label>
      ))}
    </Menu>
  );
}

const SaveItems = lazily(() => import('./saveItems.tsx').then((part) => part.SaveItems));

const SaveMenu = (): JSX.Element => (
  <Menu icon="save" title="Save" label="Save" isLabelHidden>
    <SaveItems />
  </Menu>
);
