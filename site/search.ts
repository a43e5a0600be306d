/** Search of the site, in the page: loads the index when the field is used first. Also the menu of narrow screens. */
import MiniSearch from 'minisearch';

interface Found {
  readonly title: string;
  readonly page: string;
  readonly address: string;
  readonly text: string;
}

const input = document.querySelector<HTMLInputElement>('#search');
const list = document.querySelector<HTMLOListElement>('#found');
const root = document.body.dataset.root ?? '';
let index: Promise<MiniSearch> | undefined;

async function load(): Promise<MiniSearch> {
  const text = await (await fetch(`${root}search.json`)).text();
  return MiniSearch.loadJSON(text, {
    fields: ['title', 'page', 'text'],
    storeFields: ['title', 'page', 'address', 'text'],
  });
}

/** Whole words around the first match. */
function excerpt(text: string, term: string): string {
  const at = text.toLowerCase().indexOf(term.toLowerCase()) - 40;
  const from = at > 0 ? text.indexOf(' ', at) + 1 : 0;
  const piece = text.slice(from, from + 120);
  const isWhole = from + 120 >= text.length;
  const words = isWhole ? piece : `${piece.slice(0, piece.lastIndexOf(' '))} …`;
  return `${from > 0 ? '… ' : ''}${words.trim()}`;
}

/** Pages for users rank above cases, design notes, folders of the sources and the changelog. */
function rank(address: string): number {
  if (address.startsWith('docs/notes/') || address.startsWith('CHANGELOG')) return 0.4;
  if (address.startsWith('docs/')) return 2;
  return address.startsWith('examples/') || address.startsWith('index.html') ? 1.5 : 0.7;
}

async function show(query: string): Promise<void> {
  if (!list) return;
  if (query.trim() === '') {
    list.replaceChildren();
    return;
  }
  index ??= load();
  const found = (await index)
    .search(query, {
      prefix: true,
      fuzzy: 0.15,
      boost: { title: 4, page: 2 },
      boostDocument: (_id, _term, stored) => rank(String(stored?.address ?? '')),
    })
    .slice(0, 12);
  list.replaceChildren(
    ...found.map((result) => {
      const { title, page, address, text } = result as unknown as Found;
      const link = Object.assign(document.createElement('a'), { href: root + address, textContent: title });
      const small = Object.assign(document.createElement('small'), {
        textContent: `${page === title ? '' : `${page}: `}${excerpt(text, result.terms[0] ?? query)}`,
      });
      const item = document.createElement('li');
      item.append(link, small);
      return item;
    }),
  );
}

input?.addEventListener('input', () => void show(input.value));

// on narrow screens the list of pages folds away behind a button; without scripts it stays open
const nav = document.querySelector('nav');
const menu = document.querySelector<HTMLButtonElement>('#menu');
nav?.classList.add('folds');
menu?.addEventListener('click', () => {
  const isOpen = nav?.classList.toggle('open') ?? false;
  menu.setAttribute('aria-expanded', String(isOpen));
});
