import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { openCase } from '../session.ts';
import * as state from '../state.ts';
import { thumbnailOf } from '../thumbnails.ts';
import { byGroup } from './groups.ts';
import { Icon } from './icons.tsx';

export function Gallery(): JSX.Element {
  const query = useSignal('');
  const words = query.value.toLowerCase().split(/\s+/).filter(Boolean);
  const found = state.cases.value.filter(({ id, title, source, models }) => {
    const all = `${id} ${title} ${source} ${models.join(' ')}`.toLowerCase();
    return words.every((word) => all.includes(word));
  });
  return (
    <nav class="gallery" aria-label="Gallery of cases">
      <div class="search">
        <Icon name="search" size={16} />
        <input
          type="search"
          placeholder={`Search ${state.cases.value.length || ''} cases`}
          aria-label="Search cases"
          value={query.value}
          onInput={(event) => {
            query.value = event.currentTarget.value;
          }}
        />
      </div>
      <div class="gallery-list">
        {found.length === 0 && state.cases.value.length > 0 && <p class="quiet pad">No case has these words.</p>}
        {byGroup(found).map(({ title, items }) => (
          <section key={title}>
            <h2>{title}</h2>
            <ul>
              {items.map((one) => (
                <li key={one.id}>
                  <Card {...one} number={state.cases.value.indexOf(one) + 1} />
                </li>
              ))}
            </ul>
          </section>
        ))}
      </div>
    </nav>
  );
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
        openCase(id);
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
      {number <= 9 && (
        <kbd class="card-key" title={`Key ${number}`}>
          {number}
        </kbd>
      )}
    </button>
  );
}

function Thumbnail({ id }: { readonly id: string }): JSX.Element {
  const [source, setSource] = useState<string | undefined>(undefined);
  useEffect(() => {
    let here = true;
    void thumbnailOf(id).then((url) => {
      if (here) setSource(url);
    });
    return () => {
      here = false;
    };
  }, [id]);
  return <span class="thumb">{source && <img src={source} alt="" loading="lazy" decoding="async" />}</span>;
}
