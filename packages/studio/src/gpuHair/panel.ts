/** The controls of the page: buttons, a slider, and the results of the benchmark. */
import { type MotionId, motionIds } from './motion.ts';
import { type StyleId, styleIds } from './style.ts';

/** What a visitor chooses. */
export interface Choices {
  style: StyleId;
  strands: number;
  color: readonly [number, number, number];
  motion: MotionId;
  /** Speed of the wind [m/s]. */
  wind: number;
  /** True if strands touch each other. */
  touches: boolean;
}

/** Colours of light that went through one hair, and names for them. */
const colors: readonly { readonly name: string; readonly color: Choices['color'] }[] = [
  { name: 'black', color: [0.09, 0.06, 0.05] },
  { name: 'brown', color: [0.3, 0.15, 0.07] },
  { name: 'auburn', color: [0.46, 0.15, 0.05] },
  { name: 'copper', color: [0.68, 0.27, 0.08] },
  { name: 'blond', color: [0.76, 0.54, 0.3] },
  { name: 'white', color: [0.93, 0.91, 0.87] },
];
const counts = [1000, 10000, 30000, 100000];
/** Fastest wind [m/s]. */
const FASTEST = 6;

const defaults: Choices = {
  style: 'waves',
  strands: 10000,
  color: colors[2].color,
  motion: 'turns',
  wind: 0,
  touches: false,
};

/** Most strands that an address may ask for: a thread grows and packs them. */
const MOST = 200000;

/** Choices of an address: `?style=curls&strands=30000&color=copper&motion=shakes&wind=2&touches`. What it does not say, or says wrongly, is as by default. */
export function readChoices(query: string): Choices {
  const said = new URLSearchParams(query);
  const choices = { ...defaults };
  const number = (name: string, least: number, most: number): number | undefined => {
    const value = Number(said.get(name) ?? Number.NaN);
    return value >= least && value <= most ? value : undefined;
  };
  choices.style = styleIds.find((id) => id === said.get('style')) ?? choices.style;
  choices.motion = motionIds.find((id) => id === said.get('motion')) ?? choices.motion;
  choices.color = colors.find(({ name }) => name === said.get('color'))?.color ?? choices.color;
  choices.strands = Math.round(number('strands', 1, MOST) ?? choices.strands);
  choices.wind = number('wind', 0, FASTEST) ?? choices.wind;
  choices.touches = said.has('touches');
  return choices;
}

interface Option<T> {
  readonly value: T;
  readonly label: string;
  readonly swatch?: string;
}

function make<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  text = '',
  attributes: Readonly<Record<string, string>> = {},
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  element.textContent = text;
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  return element;
}

/** A row of buttons of which one is pressed. */
function choose<T>(
  title: string,
  options: readonly Option<T>[],
  chosen: T,
  take: (value: T) => void,
): HTMLFieldSetElement {
  const set = make('fieldset');
  const row = make('div', '', { class: 'choices' });
  const buttons = options.map(({ value, label, swatch }) => {
    const button = make('button', swatch ? '' : label, { type: 'button' });
    if (swatch) {
      button.className = 'swatch';
      button.style.background = swatch;
      button.ariaLabel = label;
      button.title = label;
    }
    const press = (): void => {
      for (const [k, other] of buttons.entries()) other.ariaPressed = String(options[k].value === value);
      take(value);
    };
    button.ariaPressed = String(value === chosen);
    button.addEventListener('click', press);
    return button;
  });
  row.append(...buttons);
  set.append(make('legend', title), row);
  return set;
}

/** Colour of a swatch: what many hairs of a colour look like together. */
const swatchOf = (color: Choices['color']): string =>
  `rgb(${color.map((part) => Math.round(255 * part ** 0.55)).join(' ')})`;

const windWords = (speed: number): string => (speed > 0 ? `Wind: ${speed} m/s` : 'Wind: none');

function windSlider(chosen: number, take: (speed: number) => void): HTMLElement {
  const label = make('label', windWords(chosen));
  const slider = make('input', '', { type: 'range', min: '0', max: `${FASTEST}`, step: '0.5', value: `${chosen}` });
  slider.addEventListener('input', () => {
    const speed = slider.valueAsNumber;
    label.firstChild?.replaceWith(windWords(speed));
    take(speed);
  });
  label.append(slider);
  return label;
}

export interface Panel {
  /** Appends a line of the benchmark. */
  report(line: string): void;
  /** While a benchmark runs, nothing else can be chosen. */
  setBusy(busy: boolean): void;
}

export interface PanelActions {
  /** Called with all choices after one of them changed. */
  change(choices: Choices, changed: keyof Choices): void;
  measure(): void;
}

/** Fills the panel. */
export function openPanel(root: HTMLElement, first: Choices, { change, measure }: PanelActions): Panel {
  const choices = { ...first };
  const set =
    <K extends keyof Choices>(name: K): ((value: Choices[K]) => void) =>
    (value) => {
      choices[name] = value;
      change({ ...choices }, name);
    };
  const words = <T extends string>(ids: readonly T[]): Option<T>[] => ids.map((value) => ({ value, label: value }));
  const results = make('ul', '', { id: 'results', 'aria-live': 'polite' });
  const button = make('button', 'Measure this device', { type: 'button' });
  button.addEventListener('click', measure);
  const back = make('p');
  back.append(make('a', 'All of the studio', { href: './' }));
  root.append(
    make('h1', 'A head of hair'),
    make(
      'p',
      'Every strand bends, twists and swings like a real hair, 240 times per second, on your graphics processor. Drag the head to turn it.',
    ),
    choose('Hairstyle', words(styleIds), choices.style, set('style')),
    choose(
      'Strands that are simulated',
      counts.map((value) => ({ value, label: value.toLocaleString('en') })),
      choices.strands,
      set('strands'),
    ),
    choose(
      'Colour',
      colors.map(({ name, color }) => ({ value: color, label: name, swatch: swatchOf(color) })),
      choices.color,
      set('color'),
    ),
    choose('The head', words(motionIds), choices.motion, set('motion')),
    windSlider(choices.wind, set('wind')),
    choose(
      'Hair on hair',
      [
        { value: false, label: 'passes' },
        { value: true, label: 'touches' },
      ],
      choices.touches,
      set('touches'),
    ),
    button,
    results,
    back,
  );
  return {
    report: (line) => results.append(make('li', line)),
    setBusy(busy) {
      for (const one of root.querySelectorAll('button')) one.disabled = busy;
      if (busy) results.replaceChildren();
    },
  };
}
