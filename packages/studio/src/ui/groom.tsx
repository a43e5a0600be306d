/** The grooming panel: a head, a kind of hair with its numbers, brushes, and a scene of it all. */
import { type HairType, hairMaterial, hairMaterialSources, hairSection, hairTypes } from '@tendril-sim/core';
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { chooseGroomFile, saveHairstyle } from '../files.ts';
import * as groom from '../grooming.ts';
import type { Brush, GroomSettings, HeadMotion } from '../groomTypes.ts';
import { leaveGrooming } from '../session.ts';
import * as state from '../state.ts';
import { formatNumber } from './format.ts';
import { Reshapings, Styles } from './groomStyles.tsx';
import { Icon, type IconName } from './icons.tsx';

export function GroomPanel(): JSX.Element {
  const { facts } = groom;
  return (
    <aside class="side groom" aria-label="Grooming">
      <div class="groom-head">
        <h2>Groom</h2>
        <button type="button" class="action" onClick={leaveGrooming}>
          Back to the scenes
        </button>
      </div>
      <div class="side-body">
        <Brushes />
        <Heads />
        <Styles />
        <Kind />
        <Sliders />
        <Colors />
        <Simulate />
        <section class="groom-section">
          <h3>File</h3>
          <div class="groom-row">
            <button type="button" class="action" onClick={() => void saveHairstyle()}>
              Save hairstyle
            </button>
            <button type="button" class="action" onClick={() => chooseGroomFile('.hairstyle')}>
              Load hairstyle…
            </button>
          </div>
          <p class="quiet small groom-kept">{keptWords()}</p>
        </section>
        {facts.value && (
          <p class="quiet small pad-x" role="status">
            {facts.value.guides} strands of {facts.value.elements} helices, {facts.value.hairs} hairs,{' '}
            {formatNumber(100 * facts.value.length[0], 2)} to {formatNumber(100 * facts.value.length[1], 2)} cm.{' '}
            {facts.value.note ? `${facts.value.note}. ` : ''}
            {formatNumber(facts.value.spent, 2)} ms.
          </p>
        )}
      </div>
    </aside>
  );
}

/** Whether it will be there next time. */
function keptWords(): string {
  if (groom.kept.value === undefined) return 'Not kept yet.';
  return groom.kept.value
    ? 'Kept in this browser: it is here after a reload.'
    : 'This browser keeps nothing: save the hairstyle, or it is gone after a reload.';
}

const meshEndings = '.obj,.glb,.gltf,.usd,.usda,.usdc,.usdz,.abc';

function Heads(): JSX.Element {
  const now = groom.facts.value?.head;
  const [scalp, setScalp] = useState<string | undefined>(undefined);
  return (
    <section class="groom-section">
      <h3>Grows on</h3>
      <div class="groom-row" role="toolbar" aria-label="What the hair grows on">
        {(['head', 'ball'] as const).map((id) => (
          <button
            key={id}
            type="button"
            class="action"
            aria-pressed={now === id}
            onClick={() => void groom.chooseHead(id)}
          >
            {id === 'head' ? 'Head' : 'Ball'}
          </button>
        ))}
        <button
          type="button"
          class="action"
          aria-pressed={now !== undefined && now !== 'head' && now !== 'ball'}
          onClick={() => chooseGroomFile(meshEndings)}
        >
          {now !== undefined && now !== 'head' && now !== 'ball' ? now : 'Own mesh…'}
        </button>
      </div>
      <details class="groom-more">
        <summary>Where</summary>
        <label class="groom-formula">
          <span class="quiet small">
            Hair grows where this is above 0: x, y, z [m], nx, ny, nz, colours r, g, b, texture coordinates u, v
          </span>
          <input
            type="text"
            class="groom-field"
            spellcheck={false}
            value={scalp ?? groom.settings.value.scalp}
            onInput={(event) => setScalp(event.currentTarget.value)}
            onChange={(event) => {
              setScalp(undefined);
              groom.change('scalp', event.currentTarget.value);
            }}
          />
        </label>
        <button type="button" class="action" onClick={() => chooseGroomFile('.png')}>
          By a texture…
        </button>
      </details>
    </section>
  );
}

const names: Readonly<Record<HairType, string>> = {
  straight: 'Straight',
  wavy: 'Wavy',
  curly: 'Curly',
  coily: 'Coily',
  'smooth-asian': 'Smooth, Asian',
  'wavy-caucasian': 'Wavy, Caucasian',
  'curly-caucasian': 'Curly, Caucasian',
  'tightly-curled-african': 'Tightly curled, African',
};

/** What stands behind a number: a measurement on hair, our estimate, or what others compute with. */
function markOf(source: string): 'measured' | 'estimated' | 'cited' {
  if (source.startsWith('estimate')) return 'estimated';
  return /n = \d|Kamath|Robbins/.test(source) ? 'measured' : 'cited';
}

function Kind(): JSX.Element {
  const { hair } = groom.settings.value;
  const preset = hairTypes[hair];
  const section = hairSection(preset);
  const microns = (value: unknown): string => formatNumber(2e6 * Number(value), 3);
  const rows: readonly (readonly [string, string, string])[] = [
    [
      'Section',
      section.type === 'ellipse' ? `${microns(section.a)} × ${microns(section.b)} µm` : '',
      preset.sources.area,
    ],
    ['Ellipticity', formatNumber(preset.ellipticity, 3), preset.sources.ellipticity],
    [
      'Curl',
      preset.curl
        ? `r ${formatNumber(1e3 * Number(preset.curl.radius))} mm, pitch ${formatNumber(1e3 * Number(preset.curl.pitch))} mm`
        : 'none',
      preset.sources.curl,
    ],
    ["Young's modulus", `${formatNumber(Number(hairMaterial.E) / 1e9, 3)} GPa`, hairMaterialSources.E],
    ['Shear modulus', `${formatNumber(Number(hairMaterial.G) / 1e9, 3)} GPa`, hairMaterialSources.G],
    ['Density', `${formatNumber(Number(hairMaterial.density), 4)} kg/m³`, hairMaterialSources.density],
  ];
  return (
    <section class="groom-section">
      <h3>Kind of hair</h3>
      <label class="row">
        <span class="label">Type</span>
        <select value={hair} onChange={(event) => groom.chooseType(event.currentTarget.value as HairType)}>
          {(Object.keys(names) as HairType[]).map((id) => (
            <option key={id} value={id}>
              {names[id]}
            </option>
          ))}
        </select>
      </label>
      <table class="groom-numbers">
        <caption class="sr">Numbers of this type and where they are from</caption>
        <tbody>
          {rows.map(([name, value, source]) => (
            <tr key={name} title={source}>
              <th scope="row">{name}</th>
              <td>{value}</td>
              <td>
                <span class={`mark ${markOf(source)}`}>{markOf(source)}</span>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

interface SliderSpec {
  readonly what: keyof GroomSettings;
  readonly label: string;
  readonly unit: string;
  readonly min: number;
  readonly max: number;
  readonly step: number;
  /** Shown = kept × scale. */
  readonly scale: number;
  /** Evenly spaced by factors. */
  readonly log?: boolean;
}

const sliders: readonly SliderSpec[] = [
  { what: 'length', label: 'Length', unit: 'cm', min: 2, max: 50, step: 0.5, scale: 100 },
  { what: 'jitter', label: 'Uneven', unit: '%', min: 0, max: 60, step: 1, scale: 100 },
  { what: 'radius', label: 'Curl radius', unit: 'mm', min: 0, max: 30, step: 0.5, scale: 1000 },
  { what: 'pitch', label: 'Curl pitch', unit: 'mm', min: 2, max: 150, step: 1, scale: 1000 },
  { what: 'frizz', label: 'Frizz', unit: 'rad', min: 0, max: 3, step: 0.05, scale: 1 },
  { what: 'lie', label: 'Lies back', unit: '', min: 0, max: 1.5, step: 0.05, scale: 1 },
  { what: 'hairs', label: 'Hairs', unit: '', min: 200, max: 12000, step: 100, scale: 1 },
  { what: 'clump', label: 'Clumps', unit: '%', min: 0, max: 100, step: 1, scale: 100 },
  { what: 'guides', label: 'Strands', unit: '', min: 12, max: 300, step: 4, scale: 1 },
];

function Sliders(): JSX.Element {
  return (
    <section class="groom-section">
      <h3>Growth</h3>
      {sliders.map((spec) => (
        <Slider
          key={spec.what}
          {...spec}
          value={Number(groom.settings.value[spec.what]) * spec.scale}
          onInput={(value) => groom.change(spec.what, value / spec.scale)}
        />
      ))}
      <p class="quiet small">
        Strands are computed, hairs follow them. Hairs and clumps leave the styling as it is; all else grows anew.
      </p>
    </section>
  );
}

interface SliderProps extends Pick<SliderSpec, 'label' | 'unit' | 'min' | 'max' | 'step'> {
  readonly value: number;
  readonly onInput: (value: number) => void;
  readonly what?: string;
}

function Slider({ label, unit, min, max, step, value, onInput, what }: SliderProps): JSX.Element {
  return (
    <label class="groom-slider">
      <span class="label">{label}</span>
      <input
        type="range"
        class="slider"
        data-groom={what}
        min={min}
        max={max}
        step={step}
        value={value}
        aria-valuetext={`${formatNumber(value, 3)} ${unit}`}
        onInput={(event) => onInput(Number(event.currentTarget.value))}
      />
      <output>
        {formatNumber(value, 3)} <span class="quiet">{unit}</span>
      </output>
    </label>
  );
}

const brushes: readonly { id: Brush | 'orbit'; label: string; icon: IconName; what: string }[] = [
  { id: 'orbit', label: 'Look', icon: 'cube', what: 'drag turns the head' },
  { id: 'comb', label: 'Comb', icon: 'comb', what: 'drag over hair: it goes along and stays' },
  { id: 'cut', label: 'Cut', icon: 'scissors', what: 'drag over hair: it is cut where the brush is' },
  { id: 'curl', label: 'Curl', icon: 'curl', what: 'drag over hair: it gets the curl of the sliders' },
  { id: 'straighten', label: 'Straighten', icon: 'straight', what: 'drag over hair: it loses its curl' },
];

function Brushes(): JSX.Element {
  const [length, setLength] = useState(12);
  return (
    <section class="groom-section">
      <h3>Brush</h3>
      <div class="brushes" role="toolbar" aria-label="Brush">
        {brushes.map(({ id, label, icon, what }) => (
          <button
            key={id}
            type="button"
            aria-pressed={groom.brush.value === id}
            title={what}
            onClick={() => {
              groom.brush.value = id;
            }}
          >
            <Icon name={icon} size={20} />
            {label}
          </button>
        ))}
      </div>
      <Slider
        label="Size"
        unit="cm"
        min={1}
        max={9}
        step={0.25}
        value={100 * groom.brushRadius.value}
        onInput={(value) => {
          groom.brushRadius.value = value / 100;
        }}
      />
      <Slider
        label="Strength"
        unit="%"
        min={10}
        max={100}
        step={5}
        value={100 * groom.strength.value}
        onInput={(value) => {
          groom.strength.value = value / 100;
        }}
      />
      <Reshapings />
      <div class="groom-row">
        <button type="button" class="action" onClick={() => groom.trim(length / 100)}>
          Trim all to
        </button>
        <label class="groom-number">
          <span class="sr">Length in centimetres</span>
          <input
            type="number"
            class="groom-field"
            min={0.5}
            max={100}
            step={0.5}
            value={length}
            onInput={(event) => setLength(Math.max(0.5, Number(event.currentTarget.value) || 0.5))}
          />
          <span class="quiet">cm</span>
        </label>
      </div>
    </section>
  );
}

const colors: readonly (readonly [string, string])[] = [
  ['#2a211d', 'black'],
  ['#4c3021', 'dark brown'],
  ['#7a5238', 'brown'],
  ['#8c4a26', 'auburn'],
  ['#b3622f', 'red'],
  ['#c79a5b', 'blond'],
  ['#e0c58f', 'light blond'],
  ['#a9a5a0', 'grey'],
];

function Colors(): JSX.Element {
  return (
    <section class="groom-section">
      <h3>Colour</h3>
      <div class="swatches" role="toolbar" aria-label="Colour of the hair">
        {colors.map(([color, name]) => (
          <button
            key={color}
            type="button"
            aria-pressed={state.hairColor.value === color}
            aria-label={name}
            title={name}
            class={`swatch swatch-${name.replace(' ', '-')}`}
            style={{ background: color }}
            onClick={() => groom.chooseColor(color)}
          />
        ))}
      </div>
    </section>
  );
}

const motions: readonly (readonly [HeadMotion, string])[] = [
  ['shake', 'The head says no'],
  ['nod', 'The head nods'],
  ['turn', 'The head turns'],
  ['mouse', 'Moved by the mouse'],
];

function Simulate(): JSX.Element {
  return (
    <section class="groom-section">
      <h3>Simulate</h3>
      <div class="groom-row">
        <select
          class="groom-field groom-choice"
          aria-label="Motion of the head"
          value={groom.motion.value}
          onChange={(event) => {
            groom.motion.value = event.currentTarget.value as HeadMotion;
          }}
        >
          {(groom.facts.value?.animations ?? []).map((name) => (
            <option key={name} value={`plays ${name}`}>
              Plays “{name}”
            </option>
          ))}
          {motions.map(([id, label]) => (
            <option key={id} value={id}>
              {label}
            </option>
          ))}
        </select>
        <button
          type="button"
          class="action strong"
          disabled={groom.busy.value !== undefined}
          onClick={() => void groom.simulate()}
        >
          <Icon name="play" size={16} /> Simulate
        </button>
      </div>
      <p class="quiet small">
        <a href="./hair.html">A whole head of hair, all strands simulated on your graphics processor</a>
      </p>
    </section>
  );
}
