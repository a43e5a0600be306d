/** What went wrong, in words, with the remedy as a button; and short remarks. */
import type { JSX } from 'preact';
import { useEffect } from 'preact/hooks';
import { cancelLoading, change, edit, restart } from '../session.ts';
import * as state from '../state.ts';
import { Icon } from './icons.tsx';
import { remedyOf } from './problems.ts';

interface Step {
  readonly label: string;
  readonly action: () => void;
}

export function Messages(): JSX.Element {
  return (
    <>
      <FailurePanel />
      <ProblemPanel />
      <UnfetchedPanel />
      <Loading />
      <Rendering />
      <Saving />
      <Toast />
    </>
  );
}

function FailurePanel(): JSX.Element | null {
  const failure = state.failure.value;
  if (!failure) return null;
  return (
    <div class="message failure" role="alert">
      <Icon name="warn" />
      <div>
        <h2>{failure.title}</h2>
        <p>{failure.message}</p>
        <p class="quiet">{failure.remedy}</p>
        <div class="message-actions">
          {remedies().map(({ label, action }) => (
            <button key={label} type="button" class="action" onClick={action}>
              {label}
            </button>
          ))}
        </div>
      </div>
      <button
        type="button"
        class="icon-button"
        aria-label="Close"
        onClick={() => {
          state.failure.value = undefined;
        }}
      >
        <Icon name="close" />
      </button>
    </div>
  );
}

/** A smaller step, some damping, or from the start. */
function remedies(): Step[] {
  const values = state.loaded.value?.values as
    | { time?: { step?: unknown }; rods?: Record<string, unknown>[] }
    | undefined;
  const steps: Step[] = [];
  const step = state.loaded.value?.time.step;
  if (values?.time && step !== undefined) {
    steps.push({
      label: `Halve the step to ${Number((step / 2).toPrecision(4))} s`,
      action: () => void edit([{ path: ['time', 'step'], value: step / 2 }], '').then(restart),
    });
  }
  const places = (values?.rods ?? []).flatMap((rod, k) => {
    for (const part of ['section', 'material'] as const) {
      const spec = rod[part] as { type?: string; damping?: unknown } | undefined;
      if (typeof spec !== 'object' || spec.damping !== undefined) continue;
      if (part === 'section' && spec.type !== 'stiffness') continue;
      return [['rods', k, part, 'damping']];
    }
    return [];
  });
  const rate = Number((4 / state.duration.value).toPrecision(2));
  if (places.length > 0) {
    steps.push({
      label: 'Add some damping',
      action: () =>
        void edit(
          places.map((path) => ({ path, value: { mass: rate } })),
          '',
        ).then(restart),
    });
  }
  steps.push({ label: 'Restart', action: restart });
  return steps;
}

function ProblemPanel(): JSX.Element | null {
  const problems = state.problems.value;
  if (problems.length === 0 || (state.side.value === 'scene' && state.sideOpen.value)) return null;
  const [first] = problems;
  const remedy = remedyOf(first, state.text.value);
  return (
    <div class="message" role="alert">
      <Icon name="warn" />
      <div>
        <h2>{problems.length === 1 ? 'The scene has a problem' : `The scene has ${problems.length} problems`}</h2>
        <p>
          {first.line !== undefined && <b>Line {first.line}: </b>}
          {first.path && <code>{first.path}</code>} {first.message}
        </p>
        <p class="quiet">
          {state.loaded.value ? 'What ran before goes on.' : 'Nothing runs until it is mended, or another is opened.'}
        </p>
        <div class="message-actions">
          {remedy && (
            <button type="button" class="action" onClick={() => void change(remedy.text, 'remedy')}>
              {remedy.label}
            </button>
          )}
          <button
            type="button"
            class="action"
            onClick={() => {
              state.side.value = 'scene';
              state.sideOpen.value = true;
              state.sheet.value = 'scene';
            }}
          >
            Show in the text
          </button>
        </div>
      </div>
    </div>
  );
}

/** A part that the server did not give: what, and again. */
function UnfetchedPanel(): JSX.Element | null {
  const missing = state.unfetched.value;
  if (!missing) return null;
  return (
    <div class="message" role="alert">
      <Icon name="warn" />
      <div>
        <h2>{missing.what} could not be fetched</h2>
        <p>The server that this page comes from does not answer. What is open goes on.</p>
        <div class="message-actions">
          <button
            type="button"
            class="action"
            onClick={() => {
              state.unfetched.value = undefined;
              missing.retry();
            }}
          >
            Try again
          </button>
        </div>
      </div>
      <button
        type="button"
        class="icon-button"
        aria-label="Close"
        onClick={() => {
          state.unfetched.value = undefined;
        }}
      >
        <Icon name="close" />
      </button>
    </div>
  );
}

/** What takes long, and a way out of it. */
function Loading(): JSX.Element | null {
  const what = state.loading.value;
  if (what === undefined) return null;
  return (
    <div class="loading" role="status">
      <progress aria-label={what} />
      <span>{what}…</span>
      <button type="button" class="action" onClick={cancelLoading}>
        Cancel
      </button>
    </div>
  );
}

/** The file that the worker writes: of hair it takes a while. */
function Saving(): JSX.Element | null {
  const name = state.saving.value;
  if (name === undefined || state.rendering.value || state.loading.value !== undefined) return null;
  return (
    <div class="loading tracing" role="status" aria-label="Saving">
      <progress aria-label="Saving" />
      <span>Writing {name}…</span>
    </div>
  );
}

/** The still or film that is being traced. */
function Rendering(): JSX.Element | null {
  const now = state.rendering.value;
  if (!now || state.loading.value !== undefined) return null;
  return (
    <div class="loading tracing" role="status" aria-label="Path tracing">
      <progress aria-label="Path tracing" value={now.part} />
      <span>
        {now.what}, {Math.floor(100 * now.part)} %
      </span>
      <button type="button" class="action" onClick={now.cancel}>
        Cancel
      </button>
    </div>
  );
}

/** How long a note is shown [ms]; a slow machine gives more time to read it. */
const noticeTimes = state.isCoarse ? { bad: 60_000, other: 60_000 } : { bad: 9000, other: 3500 };

function Toast(): JSX.Element {
  const notice = state.notice.value;
  useEffect(() => {
    if (!notice) return undefined;
    const timer = setTimeout(
      () => {
        if (state.notice.value === notice) state.notice.value = undefined;
      },
      noticeTimes[notice.kind === 'bad' ? 'bad' : 'other'],
    );
    return () => clearTimeout(timer);
  }, [notice]);
  return (
    <div class="toasts" role="status" aria-live="polite">
      {notice && <div class={`toast ${notice.kind}`}>{notice.text}</div>}
    </div>
  );
}
