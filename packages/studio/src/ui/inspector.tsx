/** The scene's fields as sliders, choices and numbers, made from its schema. */
import type { JSX } from 'preact';
import { useRef, useState } from 'preact/hooks';
import { needSchema } from '../schema.ts';
import * as state from '../state.ts';
import { Controls } from './controls.tsx';
import { isLive, sendEdit } from './edits.ts';
import { fullName, symbolOf, words } from './fieldNames.ts';
import { formatNumber, formatUnit, shortNumber } from './format.ts';
import { Icon } from './icons.tsx';
import {
  childOf,
  defaultOf,
  rangeOf,
  readQuantity,
  resolve,
  type SchemaNode,
  unitOf,
  writeQuantity,
} from './schemaForm.ts';

type Path = readonly (string | number)[];

const order = [
  'time',
  'gravity',
  'rods',
  'materials',
  'sections',
  'pins',
  'loads',
  'fields',
  'bodies',
  'welds',
  'colliders',
  'contact',
  'solver',
  'statics',
  'modes',
  'output',
];
const quiet = new Set(['tendril', 'title', 'description']);
const opened = new Set(['time', 'gravity', 'rods', 'materials', 'sections']);

export function Inspector(): JSX.Element {
  const values = state.loaded.value?.values as Record<string, unknown> | undefined;
  const root = state.schema.value as SchemaNode | undefined;
  if (!root) void needSchema();
  if (!values || !root) {
    const wrong = state.problems.value.length > 0;
    return (
      <p class="quiet pad">{wrong ? 'The scene has a problem. Its text is under Scene.' : 'Reading the scene…'}</p>
    );
  }
  const names = Object.keys(values)
    .filter((name) => !quiet.has(name))
    .sort((a, b) => rank(a) - rank(b));
  return (
    <div class="inspector">
      <Controls />
      <p class="quiet small pad-x">
        <span class="dot live" /> changes the run · <span class="dot" /> starts it anew
      </p>
      {names.map((name) => (
        <Group
          key={name}
          name={name}
          value={values[name]}
          node={childOf(root, name)}
          path={[name]}
          open={opened.has(name)}
        />
      ))}
      <AddField node={root} value={values} path={[]} />
    </div>
  );
}

function rank(name: string): number {
  const at = order.indexOf(name);
  return at < 0 ? order.length : at;
}

interface FieldProps {
  readonly name: string;
  readonly value: unknown;
  readonly node: SchemaNode | undefined;
  readonly path: Path;
}

function Group({ name, value, node, path, open }: FieldProps & { readonly open: boolean }): JSX.Element {
  const form = resolve(node, value);
  if (!isNested(value)) return <Field name={name} value={value} node={node} path={path} />;
  return (
    <details class="group" open={open}>
      <summary>
        <span>{words(name)}</span>
        {Array.isArray(value) && <span class="quiet">{value.length}</span>}
      </summary>
      <Body value={value} form={form} path={path} />
    </details>
  );
}

/** Whether a value has parts that are shown one by one. */
function isNested(value: unknown): boolean {
  if (Array.isArray(value)) return value.length > 0 && typeof value[0] === 'object' && !Array.isArray(value[0]);
  return typeof value === 'object' && value !== null;
}

/** Entries of a long list are looked at one at a time. */
const listLimit = 4;

function Body({
  value,
  form,
  path,
}: {
  readonly value: unknown;
  readonly form: SchemaNode;
  readonly path: Path;
}): JSX.Element {
  const [at, setAt] = useState(0);
  if (Array.isArray(value)) {
    const many = value.length > listLimit;
    const shown = many ? [Math.min(at, value.length - 1)] : value.map((_, k) => k);
    return (
      <div class="group-body">
        {many && (
          <label class="row">
            <span class="label">Which one</span>
            <select value={String(shown[0])} onChange={(event) => setAt(Number(event.currentTarget.value))}>
              {value.map((entry, k) => (
                <option key={titleOf(entry, k)} value={String(k)}>
                  {titleOf(entry, k)}
                </option>
              ))}
            </select>
          </label>
        )}
        {shown.map((k) => (
          <details class="entry" key={k} open={k < 2}>
            <summary>{titleOf(value[k], k)}</summary>
            <Body value={value[k]} form={resolve(form.items, value[k])} path={[...path, k]} />
          </details>
        ))}
      </div>
    );
  }
  const entries = Object.entries(value as Record<string, unknown>);
  return (
    <div class="group-body">
      {entries.map(([name, child]) => {
        const node = childOf(form, name);
        if (node?.const !== undefined) return null;
        if (!isNested(child)) return <Field key={name} name={name} value={child} node={node} path={[...path, name]} />;
        return (
          <details class="entry" key={name} open={['section', 'material', 'damping', 'frame'].includes(name)}>
            <summary>
              {words(name)} <span class="quiet">{kindName(child)}</span>
            </summary>
            <Body value={child} form={resolve(node, child)} path={[...path, name]} />
          </details>
        );
      })}
      <AddField node={form} value={value as Record<string, unknown>} path={path} />
    </div>
  );
}

function kindName(value: unknown): string {
  const type = (value as { type?: unknown })?.type;
  return typeof type === 'string' ? type : '';
}

function titleOf(entry: unknown, k: number): string {
  const { id, type, rod, at, name } = (entry ?? {}) as Record<string, unknown>;
  const parts = [id ?? name ?? type, rod, typeof at === 'string' ? at : undefined].filter(
    (part) => typeof part === 'string',
  );
  return parts.length > 0 ? parts.join(' · ') : `No. ${k + 1}`;
}

function Field({ name, value, node, path }: FieldProps): JSX.Element {
  const form = resolve(node, value);
  const set = (next: unknown): void => void sendEdit([{ path, value: next }], path.join('.'));
  const label = (
    <span class="label" title={form.description}>
      <span class={`dot ${isLive(path) ? 'live' : ''}`} />
      {words(name)}
      {symbolOf(name) && <i class="symbol">{symbolOf(name)}</i>}
    </span>
  );
  if (form.enum) {
    return (
      <label class="row">
        {label}
        <select value={String(value)} onChange={(event) => set(event.currentTarget.value)}>
          {form.enum.map((option) => (
            <option key={String(option)} value={String(option)}>
              {String(option)}
            </option>
          ))}
        </select>
      </label>
    );
  }
  if (typeof value === 'boolean') {
    return (
      <label class="row">
        {label}
        <input type="checkbox" checked={value} onChange={(event) => set(event.currentTarget.checked)} />
      </label>
    );
  }
  const quantity = readQuantity(value);
  const types = typeof form.type === 'string' ? [form.type] : (form.type ?? []);
  const numeric = types.includes('number') || types.includes('integer');
  if (quantity && numeric) return <NumberField {...{ name, form, path, label, value: value as number | string }} />;
  if (Array.isArray(value) && value.length <= 6 && value.every((part) => readQuantity(part) !== undefined))
    return <VectorField {...{ name, form, path, label, value: value as (number | string)[] }} />;
  if (typeof value === 'string') {
    return (
      <label class="row">
        {label}
        <input type="text" value={value} onChange={(event) => set(event.currentTarget.value)} />
      </label>
    );
  }
  return (
    <div class="row">
      {label}
      <button type="button" class="link" onClick={() => showScene()}>
        {Array.isArray(value) ? `list of ${value.length}` : 'group'}: edit as text
      </button>
    </div>
  );
}

function showScene(): void {
  state.side.value = 'scene';
  state.sheet.value = 'scene';
}

interface NumberProps {
  readonly name: string;
  readonly form: SchemaNode;
  readonly path: Path;
  readonly label: JSX.Element;
  readonly value: number | string;
}

function NumberField({ name, form, path, label, value }: NumberProps): JSX.Element {
  const { number, unit } = readQuantity(value) ?? { number: 0, unit: '' };
  const whole = form.type === 'integer';
  // the ends of the slider stay while it is dragged
  const ends = useRef({ key: '', ...rangeOf(number, form, whole) });
  const { low, high } = ends.current;
  const outside = number < low || number > high;
  if (ends.current.key !== path.join('.') || outside)
    ends.current = { key: path.join('.'), ...rangeOf(number, form, whole) };
  const { low: from, high: to, log } = ends.current;
  const place = log ? Math.log(number / from) / Math.log(to / from) : (number - from) / (to - from || 1);
  const si = unit.trim() || unitOf(form);
  const slide = (u: number): void => {
    const next = log ? from * (to / from) ** u : from + u * (to - from);
    void sendEdit([{ path, value: writeQuantity(whole ? Math.round(next) : next, unit) }], path.join('.'));
  };
  return (
    <div class="field">
      <div class="row">
        {label}
        <input
          type="text"
          inputMode="decimal"
          class="number"
          aria-label={`${fullName(name)}${si ? `, ${si}` : ''}`}
          value={shortNumber(number)}
          title={String(value)}
          onChange={(event) => {
            const written = event.currentTarget.value.trim();
            const next = readQuantity(written);
            if (next)
              void sendEdit([{ path, value: next.unit === '' ? writeQuantity(next.number, unit) : written }], '');
            else state.tell(`'${written}' is no number${si ? ` in ${si}` : ''}.`, 'bad');
          }}
        />
        <span class="unit">{formatUnit(si ?? '')}</span>
      </div>
      <input
        type="range"
        class="slider"
        min={0}
        max={1}
        step={0.002}
        value={Math.min(1, Math.max(0, place))}
        aria-label={`${fullName(name)} slider`}
        aria-valuetext={`${formatNumber(number)} ${si ?? ''}`}
        data-path={path.join('.')}
        onInput={(event) => slide(Number(event.currentTarget.value))}
        onDblClick={() => {
          ends.current = { key: '', ...rangeOf(number, form, whole) };
        }}
      />
    </div>
  );
}

interface VectorProps extends Omit<NumberProps, 'value'> {
  readonly value: readonly (number | string)[];
}

function VectorField({ name, form, path, label, value }: VectorProps): JSX.Element {
  const axes = ['x', 'y', 'z'];
  return (
    <div class="row">
      {label}
      <span class="vector">
        {value.map((part, k) => (
          <input
            key={k}
            type="text"
            inputMode="decimal"
            class="number"
            aria-label={`${words(name)} ${axes[k] ?? k + 1}`}
            value={shortNumber(readQuantity(part)?.number ?? 0, 6)}
            title={String(part)}
            onChange={(event) => {
              const written = event.currentTarget.value.trim();
              const next = readQuantity(written);
              const { unit = '' } = readQuantity(part) ?? {};
              const value = next?.unit === '' ? writeQuantity(next.number, unit) : written;
              if (next) void sendEdit([{ path: [...path, k], value }], '');
            }}
          />
        ))}
      </span>
      <span class="unit">
        {formatUnit(value.map((part) => readQuantity(part)?.unit.trim()).find(Boolean) ?? unitOf(form) ?? '')}
      </span>
    </div>
  );
}

function AddField({
  node,
  value,
  path,
}: {
  readonly node: SchemaNode;
  readonly value: Record<string, unknown>;
  readonly path: Path;
}): JSX.Element | null {
  const missing = Object.entries(node.properties ?? {}).filter(
    ([name, child]) => !(name in value) && child.const === undefined,
  );
  if (missing.length === 0) return null;
  return (
    <label class="row add">
      <span class="label quiet">
        <Icon name="plus" size={14} /> Add
      </span>
      <select
        value=""
        aria-label={`Add a field${path.length > 0 ? ` to ${path.join(' ')}` : ''}`}
        onChange={(event) => {
          const name = event.currentTarget.value;
          event.currentTarget.value = '';
          if (name) void sendEdit([{ path: [...path, name], value: defaultOf(node.properties?.[name]) }], '');
        }}
      >
        <option value="">…</option>
        {missing.map(([name, child]) => (
          <option key={name} value={name} title={child.description}>
            {words(name)}
          </option>
        ))}
      </select>
    </label>
  );
}
