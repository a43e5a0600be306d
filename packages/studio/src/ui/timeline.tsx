import type { JSX } from 'preact';
import { comeToRest } from '../acting.ts';
import { seek, stepFrames, togglePlay } from '../playback.ts';
import { restart } from '../session.ts';
import * as state from '../state.ts';
import { formatNumber, formatTime } from './format.ts';
import { Icon, IconButton } from './icons.tsx';

const speeds = [0.1, 0.25, 0.5, 1, 2, 4];

/** From a view that another page embeds to the whole studio, where the scene can be changed. */
function OpenWhole(): JSX.Element {
  const whole = (): string => {
    const address = new URL(location.href);
    for (const name of ['view', 'embed']) address.searchParams.delete(name);
    return address.href;
  };
  return (
    <a
      class="icon-button"
      href={location.href}
      target="_blank"
      rel="noopener"
      title="Open in the studio, to change it"
      aria-label="Open in the studio, to change it"
      // the address may have changed since this was drawn
      onClick={(event) => {
        event.currentTarget.href = whole();
      }}
    >
      <Icon name="outside" />
    </a>
  );
}

export function Timeline(): JSX.Element {
  const whole = state.openEnded.value ? Math.max(state.duration.value, state.reached.value) : state.duration.value;
  const time = Math.min(state.clock.value, whole);
  const rate = state.pace.value * state.speed.value;
  const real = Math.abs(rate - 1) < 0.005 ? 'real time' : `${formatNumber(rate, 2)}× real time`;
  return (
    <section class="timeline" aria-label="Timeline">
      <IconButton
        class="primary"
        icon={state.playing.value ? 'pause' : 'play'}
        label={state.playing.value ? 'Pause (Space)' : 'Play (Space)'}
        onClick={togglePlay}
      />
      <IconButton icon="stepBack" label="One frame back (←)" onClick={() => stepFrames(-1)} />
      <IconButton icon="stepForward" label="One frame on (→)" onClick={() => stepFrames(1)} />
      <IconButton icon="restart" label="Restart (R)" onClick={restart} />
      <div class="scrub">
        <div
          class="scrub-reached"
          style={{ width: `${whole > 0 ? Math.min(100, (100 * state.reached.value) / whole) : 0}%` }}
        />
        <input
          type="range"
          min={0}
          max={whole}
          step={whole / 2000}
          value={time}
          aria-label="Time"
          aria-valuetext={`${formatTime(time, whole)} of ${formatTime(whole, whole)} seconds`}
          onInput={(event) => seek(Number(event.currentTarget.value))}
        />
      </div>
      <output class="clock" aria-label="Time shown">
        {state.loaded.value && (
          <>
            <span class="quiet">t =</span> {formatTime(time, whole)}{' '}
            <span class="quiet">/ {formatNumber(whole, 3)} s</span>
          </>
        )}
      </output>
      <IconButton
        icon="loop"
        label="Loop (L)"
        pressed={state.loop.value}
        onClick={() => {
          state.loop.value = !state.loop.value;
        }}
      />
      <label class="speed" title={`Plays at ${real}`}>
        <span class="sr">Speed</span>
        <select
          value={String(state.speed.value)}
          onChange={(event) => {
            state.speed.value = Number(event.currentTarget.value);
          }}
        >
          {speeds.map((each) => (
            <option key={each} value={String(each)}>
              {formatNumber(each)}×
            </option>
          ))}
        </select>
        <span class="quiet wide-only">{state.loaded.value && real}</span>
      </label>
      {state.recorded.value === undefined && (
        <IconButton icon="rest" label="Let it come to rest here: find the equilibrium (E)" onClick={comeToRest} />
      )}
      {state.viewOnly && <OpenWhole />}
      {!state.viewOnly && (
        <IconButton
          icon="panelBottom"
          label="Plots"
          pressed={state.plotsOpen.value}
          onClick={() => {
            state.plotsOpen.value = !state.plotsOpen.value;
          }}
        />
      )}
    </section>
  );
}
