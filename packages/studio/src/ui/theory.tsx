/** What theory says about the case, and what we measure: the checks run here, in a worker of their own. */
import { useSignal } from '@preact/signals';
import type { CheckRow } from '@tendril-sim/cases';
import type { JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { type Client, startClient } from '../client.ts';
import { explain } from '../connection.ts';
import * as state from '../state.ts';
import { formatNumber } from './format.ts';
import { Icon } from './icons.tsx';

type Rows = readonly CheckRow[];

/** What was measured stays while the page is open. */
const results = new Map<string, Rows>();

export function Theory(): JSX.Element {
  const id = state.caseId.value;
  const subject = state.cases.find((one) => one.id === id);
  const running = useSignal<{ id: string; done: number; of: number; what: string } | undefined>(undefined);
  const [shown, setShown] = useState<Rows | undefined>(undefined);
  const client = useRef<Client | undefined>(undefined);
  const claim = useClaim(id);
  const stop = (): void => {
    client.current?.close();
    client.current = undefined;
    running.value = undefined;
  };
  useEffect(() => {
    stop();
    setShown(id === undefined ? undefined : results.get(id));
    return stop;
  }, [id]);
  if (!subject || id === undefined)
    return (
      <p class="quiet pad">
        Theory speaks about the cases of the gallery. This scene is your own: measure it with probes, or start from a
        case.
      </p>
    );
  const run = async (): Promise<void> => {
    stop();
    running.value = { id, done: 0, of: 1, what: 'starting' };
    const mine = startClient();
    client.current = mine;
    try {
      const { rows } = await mine.ask(
        'check',
        { id, model: undefined },
        {
          onProgress: (progress) => {
            running.value = { id, ...progress };
          },
        },
      );
      results.set(id, rows);
      if (state.caseId.value === id) setShown(rows);
    } catch (error) {
      explain(error, 'The checks');
    }
    if (client.current === mine) stop();
  };
  const progress = running.value;
  return (
    <div class="theory pad">
      <h2>{subject.title}</h2>
      <p class="quiet">{subject.source}</p>
      {claim && <p class="claim">{claim}</p>}
      {state.changed.value && (
        <p class="note">The checks run the case as it was published, not the scene you have changed.</p>
      )}
      {progress ? (
        <div class="progress" role="status">
          <progress max={progress.of} value={progress.done} aria-label="Checks" />
          <span class="quiet">{progress.what}</span>
          <button type="button" onClick={stop}>
            Stop
          </button>
        </div>
      ) : (
        <button type="button" class="action" onClick={() => void run()}>
          {shown ? 'Measure again' : 'Measure and compare with theory'}
        </button>
      )}
      {shown && <Table rows={shown} />}
    </div>
  );
}

function Table({ rows }: { readonly rows: readonly CheckRow[] }): JSX.Element {
  const finest = rows.filter(
    (row) => !rows.some((other) => other.quantity === row.quantity && other.model === row.model && other.n > row.n),
  );
  const missed = rows.filter(({ pass }) => !pass).length;
  return (
    <>
      <p class={missed === 0 ? 'good verdict' : 'bad verdict'} role="status">
        <Icon name={missed === 0 ? 'check' : 'cross'} />
        {missed === 0 ? `All ${rows.length} checks as theory says` : `${missed} of ${rows.length} checks missed`}
      </p>
      <ul class="checks">
        {finest.map((row) => (
          <li key={`${row.model} ${row.quantity}`}>
            <div class="check-name">
              {row.quantity}{' '}
              <span class="quiet">
                {row.model}, n = {row.n}
              </span>
            </div>
            <dl>
              <dt>measured</dt>
              <dd>{formatNumber(row.measured, 6)}</dd>
              <dt>theory</dt>
              <dd>
                {row.relation === '=' || row.relation === 'in' ? '' : `${row.relation} `}
                {formatNumber(row.expected, 6)}
              </dd>
              <dt>error</dt>
              <dd class={row.pass ? 'good' : 'bad'}>
                {formatNumber(row.error, 2)} <span class="quiet">of {formatNumber(row.tolerance, 2)} allowed</span>
                {row.order !== null && Number.isFinite(row.order) && (
                  <span class="quiet">, order {row.order.toFixed(1)}</span>
                )}
              </dd>
            </dl>
            <div class="gauge" aria-hidden="true">
              <span
                class={row.pass ? 'ok' : 'miss'}
                style={{ width: `${Math.min(100, (100 * row.error) / (row.tolerance || row.error || 1))}%` }}
              />
            </div>
          </li>
        ))}
      </ul>
    </>
  );
}

function useClaim(id: string | undefined): string | undefined {
  const [claim, setClaim] = useState<string | undefined>(undefined);
  useEffect(() => {
    let here = true;
    setClaim(undefined);
    if (id !== undefined)
      void import('virtual:claims').then(({ claims }) => {
        if (here) setClaim(claims[id]);
      });
    return () => {
      here = false;
    };
  }, [id]);
  return claim;
}
