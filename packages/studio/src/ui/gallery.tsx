import { useSignal } from '@preact/signals';
import { type CaseTopic, caseTopics } from '@tendril-sim/cases/groups';
import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { openWork } from '../opening.ts';
import { forgetWork, recent } from '../recent.ts';
import { openCase } from '../session.ts';
import * as state from '../state.ts';
import { thumbnailOf } from '../thumbnails.ts';
import { byGroup } from './groups.ts';
import { Icon } from './icons.tsx';

export function Gallery(): JSX.Element {
  const query = useSignal('');
  const filter = useSignal<CaseTopic | undefined>(undefined);
  const words = query.value.toLowerCase().split(/\s+/).filter(Boolean);
  const found = state.cases.filter(({ id, title, source, models, topics }) => {
    const all = `${id} ${title} ${source} ${models.join(' ')}`.toLowerCase();
    return words.every((word) => all.includes(word)) && (!filter.value || topics.includes(filter.value));
  });
  const isBare = words.length === 0 && !filter.value;
  const stars = isBare ? featured.flatMap((id) => found.filter((one) => one.id === id)) : [];
  return (
    <nav class="gallery" aria-label="Gallery of cases">
      <div class="search">
        <Icon name="search" size={16} />
        <input
          type="search"
          placeholder={`Search ${state.cases.length} cases`}
          aria-label="Search cases"
          value={query.value}
          onInput={(event) => {
            query.value = event.currentTarget.value;
          }}
        />
      </div>
      <fieldset class="topics" aria-label="Topics">
        {caseTopics.map((name) => (
          <button
            key={name}
            type="button"
            aria-pressed={filter.value === name}
            onClick={() => {
              filter.value = filter.value === name ? undefined : name;
            }}
          >
            {name}
          </button>
        ))}
      </fieldset>
      <div class="gallery-list">
        {isBare && <Recent />}
        {stars.length > 0 && (
          <section>
            <h2>Begin here</h2>
            <ul>
              {stars.map((one) => (
                <li key={one.id}>
                  <Card {...one} number={0} />
                </li>
              ))}
            </ul>
          </section>
        )}
        {found.length === 0 && <p class="quiet pad">No case has these words.</p>}
        {byGroup(found.filter((one) => !stars.includes(one))).map(({ title, items }) => (
          <section key={title}>
            <h2>{title}</h2>
            <ul>
              {items.map((one) => (
                <li key={one.id}>
                  <Card {...one} number={state.cases.indexOf(one) + 1} />
                </li>
              ))}
            </ul>
          </section>
        ))}
      </div>
    </nav>
  );
}

/** Shown first, each for another reason. */
const featured = ['michell-ring', 'trefoil-knot', 'plectoneme', 'tree-in-wind', 'braid', 'wilberforce-pendulum'];

/** What this visitor has made or opened. */
function Recent(): JSX.Element | null {
  const [isLong, setLong] = useState(false);
  const all = recent.value.filter(({ title }) => title !== '');
  if (all.length === 0) return null;
  return (
    <section>
      <h2>Recent scenes</h2>
      <ul class="recent">
        {all.slice(0, isLong ? all.length : 3).map(({ work, title, caseId, name, time }) => (
          <li key={work}>
            <button
              type="button"
              class="recent-open"
              onClick={() => {
                void openWork(work);
                state.sheet.value = 'view';
              }}
            >
              <span>{title}</span>
              <span class="quiet small">
                {caseId === undefined ? name : 'changed'} · {ago(time)}
              </span>
            </button>
            <button type="button" class="icon-button" aria-label={`Forget ${title}`} onClick={() => forgetWork(work)}>
              <Icon name="close" size={14} />
            </button>
          </li>
        ))}
      </ul>
      {all.length > 3 && (
        <button type="button" class="link pad-x" onClick={() => setLong(!isLong)}>
          {isLong ? 'Fewer' : `${all.length - 3} more`}
        </button>
      )}
    </section>
  );
}

function ago(time: number): string {
  const minutes = Math.max(0, Math.round((Date.now() - time) / 60_000));
  if (minutes < 1) return 'now';
  if (minutes < 60) return `${minutes} min ago`;
  if (minutes < 48 * 60) return `${Math.round(minutes / 60)} h ago`;
  return new Date(time).toLocaleDateString();
}

interface CardProps {
  readonly id: string;
  readonly title: string;
  readonly source: string;
  readonly models: readonly string[];
  readonly number: number;
}

function Card({ id, title, source, models, number }: CardProps): JSX.Element {
  const current = state.caseId.value === id;
  return (
    <button
      type="button"
      class="card"
      aria-current={current ? 'true' : undefined}
      data-case={id}
      onClick={() => {
        void openCase(id);
        state.sheet.value = 'view';
      }}
      title={source}
    >
      <Thumbnail id={id} />
      <span class="card-title">{title}</span>
      <span class="card-meta">
        <span class="card-source">{source.split(/[:;,]/)[0]}</span>
        <span class="card-models" title={models.join(', ')}>
          {models.length > 2 ? `${models.length} models` : models.join(' · ')}
        </span>
      </span>
      {number > 0 && number <= 9 && (
        <kbd class="card-key" title={`Key ${number}`}>
          {number}
        </kbd>
      )}
    </button>
  );
}

/** Fetched when the gallery is first open. */
function Thumbnail({ id }: { readonly id: string }): JSX.Element {
  const [source, setSource] = useState<string | undefined>(undefined);
  const isWanted = state.narrow.value ? state.sheet.value === 'gallery' : state.galleryOpen.value;
  useEffect(() => {
    if (source || !isWanted) return undefined;
    let here = true;
    void thumbnailOf(id).then((url) => {
      if (here) setSource(url);
    });
    return () => {
      here = false;
    };
  }, [id, isWanted]);
  return <span class="thumb">{source && <img src={source} alt="" loading="lazy" decoding="async" />}</span>;
}
