/** Frame of a page of the site: navigation and search on the left, the page, its headings on the right. */
import { posix } from 'node:path';
import { escaped } from './highlight.ts';

export interface Section {
  readonly anchor: string;
  readonly title: string;
  /** Level of the heading: 1 to 6; 0 for what stands before the first. */
  readonly level: number;
  readonly text: string;
}

export interface Page {
  readonly path: string;
  readonly title: string;
  readonly html: string;
  readonly sections: readonly Section[];
}

/** Groups of the navigation; what is in none of them is still a page, found by links and by search. */
const navigation: readonly (readonly [string, readonly string[]])[] = [
  [
    'Start',
    [
      'README.md',
      'docs/start.md',
      'gallery.md',
      'examples/hair/README.md',
      'examples/mechanics/README.md',
      'examples/web/README.md',
    ],
  ],
  [
    'Use',
    [
      'docs/scene.md',
      'docs/cli.md',
      'docs/result.md',
      'docs/studio.md',
      'docs/groom.md',
      'docs/files.md',
      'docs/sweep.md',
      'docs/research.md',
      'docs/library.md',
    ],
  ],
  [
    'Theory',
    [
      'docs/notation.md',
      'docs/der.md',
      'docs/helix.md',
      'docs/strand.md',
      'docs/fiber.md',
      'docs/cosserat.md',
      'docs/massspring.md',
      'docs/materials.md',
      'docs/contact.md',
    ],
  ],
  ['Project', ['docs/validation.md', 'docs/README.md', 'CHANGELOG.md', 'CONTRIBUTING.md', 'docs/step.md']],
];

/** Address of a page on the site: README.md of a folder is its index.html. */
export function addressOf(path: string): string {
  return path.replace(/README\.md$/, 'index.html').replace(/\.md$/, '.html');
}

/** Links to the headings of a long page. */
function contents({ sections }: Page): string {
  const listed = sections.filter(({ level }) => level === 2 || level === 3);
  if (listed.length < 3) return '';
  const items = listed.map(
    ({ anchor, title, level }) => `<li class="level${level}"><a href="#${anchor}">${escaped(title)}</a></li>`,
  );
  return `<ul>${items.join('')}</ul>`;
}

/**
 * A page as a complete document. `titles` are those of all pages by path. Links are relative; with `base`, the path of the site on its server, they
 * start with it instead.
 */
export function layout(page: Page, titles: ReadonlyMap<string, string>, base?: string): string {
  const here = posix.dirname(addressOf(page.path));
  const to = (address: string): string =>
    base === undefined ? posix.relative(here, address) || posix.basename(address) : base + address;
  const groups = navigation.map(([name, list]) => {
    const items = list
      .filter((path) => titles.has(path))
      .map(
        (path) =>
          `<li><a href="${to(addressOf(path))}"${path === page.path ? ' aria-current="page"' : ''}>${escaped(titles.get(path) ?? path)}</a></li>`,
      );
    return `<h2>${name}</h2><ul>${items.join('')}</ul>`;
  });
  const list = contents(page);
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${page.path === 'README.md' ? 'Tendril: simulated hair, rope, cable and springs' : `${escaped(page.title)} · Tendril`}</title>
<link rel="stylesheet" href="${to('site.css')}">
<link rel="icon" href="${to('icon.svg')}">
<script type="module" src="${to('search.js')}"></script>
<script type="module" src="${to('live.js')}"></script>
</head>
<body data-root="${to('search.json').replace(/search\.json$/, '')}">
<nav aria-label="Pages">
<a class="home" href="${to('index.html')}"><img src="${to('icon.svg')}" alt="" width="28" height="28"> Tendril</a>
<label><span class="hidden">Search</span> <input type="search" id="search" placeholder="Search" autocomplete="off"></label>
<ol id="found" aria-live="polite"></ol>
<button id="menu" type="button" aria-expanded="false" aria-controls="pages">All pages</button>
<div id="pages">
${groups.join('\n')}
<h2>API</h2><ul><li><a href="${to('api/index.html')}">Reference</a></li></ul>
</div>
</nav>
<main>
${list && `<details class="contents"><summary>On this page</summary>${list}</details>`}
${page.html}
</main>
${list && `<aside aria-label="On this page"><h2>On this page</h2>${list}</aside>`}
</body>
</html>
`;
}
