/**
 * `npm run docs`: the pages of the repository as a static site with full-text search, and the API reference beside it.
 *
 * VitePress brings its own vite 5, Vue and a client of a search service. markdown-it (which typedoc has anyway) and minisearch make the
 * same site from the same files: 2 s for the pages, no configuration, and links work in the repository and on the site alike.
 * Everything is relative, so the folder can be opened from any path; nothing is fetched from elsewhere.
 */
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, extname, join, posix, relative } from 'node:path';
import { deflateRawSync } from 'node:zlib';
import { buildSync } from 'esbuild';
import MarkdownIt from 'markdown-it';
import MiniSearch from 'minisearch';
import { filesBelow, pages, read, root } from '../test/files.ts';
import { entryPoints } from './undocumented.ts';

const site = join(root, 'packages/cli/dist/site');

/** Groups of the navigation; what is in none of them is still a page, found by links and by search. */
const navigation: readonly (readonly [string, readonly string[]])[] = [
  [
    'Start',
    ['README.md', 'docs/start.md', 'examples/hair/README.md', 'examples/mechanics/README.md', 'examples/web/README.md'],
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
      'docs/step.md',
    ],
  ],
  ['Trust', ['docs/validation.md', 'docs/README.md', 'CONTRIBUTING.md', 'CHANGELOG.md']],
];

export interface Page {
  readonly path: string;
  readonly title: string;
  readonly html: string;
  readonly sections: readonly { readonly anchor: string; readonly title: string; readonly text: string }[];
}

/** Address of a page on the site: README.md of a folder is its index.html. */
export function addressOf(path: string): string {
  return path.replace(/README\.md$/, 'index.html').replace(/\.md$/, '.html');
}

/** Files that pages link to and readers need: the examples (`tendril new --example` copies them) and the references. */
export function sourceFiles(): string[] {
  const examples = filesBelow('examples', /\.(md|yaml|py|sh|tsx?|jsx?|json|html|glb)$/);
  return ['docs/references.bib', 'CITATION.cff', ...examples.filter((path) => !path.includes('/bob.'))];
}

const slug = (heading: string): string =>
  heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(/\s/g, '-');

/** Button of a live figure; site/live.ts shows the studio's view in its place. `address`: the fragment of the studio's address. */
const liveFigure = (address: string): string =>
  `<figure class="live" data-scene="${escaped(address)}"><button type="button">▶ Run it here</button></figure>\n`;

/** The studio's address of a scene that a page contains; undefined for other text, scenes without motion, and scenes that need files. */
export function liveScene(text: string): string | undefined {
  const runs = /^tendril: 1$/m.test(text) && /^rods:/m.test(text) && /^time:/m.test(text);
  if (!runs || /\b(file|hairstyle|backend|engine):/.test(text)) return undefined;
  return `name=scene.yaml&s=${deflateRawSync(text).toString('base64url')}`;
}

/** Case of a mark `<!-- live: id -->`. */
const liveCase = (html: string): string | undefined => /^<!-- live: ([\w-]+) -->/.exec(html)?.[1];

/** A page as HTML; links to pages become links to their addresses, links to sources become plain text. */
export function renderPage(path: string, text: string, known: ReadonlySet<string>): Page {
  const files = new Set(sourceFiles());
  const markdown = new MarkdownIt({ html: true });
  const tokens = markdown.parse(text, {});
  const sections: { anchor: string; title: string; text: string }[] = [{ anchor: '', title: '', text: '' }];
  const used = new Map<string, number>();
  tokens.forEach((token, k) => {
    if (token.type === 'heading_open') {
      const title = tokens[k + 1].children?.map(({ content }) => content).join('') ?? '';
      const base = slug(title);
      const times = used.get(base) ?? 0;
      used.set(base, times + 1);
      const anchor = times === 0 ? base : `${base}-${times}`;
      token.attrSet('id', anchor);
      sections.push({ anchor, title, text: '' });
    }
    const words = token.type === 'inline' ? token.children?.map(({ content }) => content || ' ').join('') : undefined;
    if (token.type === 'inline' || token.type === 'fence')
      sections[sections.length - 1].text += ` ${words ?? token.content}`;
    for (const child of token.children ?? []) relink(child, path, known, files);
  });
  const { fence, html_block: block } = markdown.renderer.rules;
  markdown.renderer.rules.fence = (list, k, ...rest) => {
    const scene = list[k].info === 'yaml' ? liveScene(list[k].content) : undefined;
    return (fence?.(list, k, ...rest) ?? '') + (scene ? liveFigure(scene) : '');
  };
  markdown.renderer.rules.html_block = (list, k, ...rest) => {
    const id = liveCase(list[k].content);
    return id ? liveFigure(`case=${id}`) : (block?.(list, k, ...rest) ?? '');
  };
  const html = markdown.renderer
    .render(tokens, markdown.options, {})
    .replaceAll('<table>', '<div class="table"><table>')
    .replaceAll('</table>', '</table></div>');
  return { path, title: sections[1]?.title ?? path, html, sections };
}

function relink(
  token: { type: string; attrGet(name: string): string | null; attrSet(name: string, value: string): void },
  path: string,
  known: ReadonlySet<string>,
  files: ReadonlySet<string>,
): void {
  if (token.type !== 'link_open') return;
  const href = token.attrGet('href') ?? '';
  if (/^[a-z]+:|^#/.test(href)) return;
  const [file, anchor] = href.split('#');
  const target = posix.normalize(posix.join(posix.dirname(path), file));
  const page = known.has(target) ? target : known.has(`${target}/README.md`) ? `${target}/README.md` : undefined;
  const suffix = anchor === undefined ? '' : `#${anchor}`;
  const here = posix.dirname(addressOf(path));
  if (page) token.attrSet('href', posix.relative(here, addressOf(page)) + suffix);
  else if (files.has(target)) token.attrSet('href', posix.relative(here, `files/${target}`));
  else {
    token.attrSet('href', '#');
    token.attrSet('class', 'source');
    token.attrSet('title', `${target} in the repository`);
  }
}

const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');

function layout(page: Page, titles: ReadonlyMap<string, string>): string {
  const here = posix.dirname(addressOf(page.path));
  const to = (address: string): string => posix.relative(here, address) || posix.basename(address);
  const groups = navigation.map(([name, list]) => {
    const items = list
      .filter((path) => titles.has(path))
      .map(
        (path) =>
          `<li><a href="${to(addressOf(path))}"${path === page.path ? ' aria-current="page"' : ''}>${escaped(titles.get(path) ?? path)}</a></li>`,
      );
    return `<h2>${name}</h2><ul>${items.join('')}</ul>`;
  });
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escaped(page.title)} · Tendril</title>
<link rel="stylesheet" href="${to('site.css')}">
<link rel="icon" href="data:,">
<script type="module" src="${to('search.js')}"></script>
<script type="module" src="${to('live.js')}"></script>
</head>
<body data-root="${to('search.json').replace(/search\.json$/, '')}">
<nav aria-label="Pages">
<a class="home" href="${to('index.html')}">Tendril</a>
<label>Search <input type="search" id="search" placeholder="full text" autocomplete="off"></label>
<ol id="found" aria-live="polite"></ol>
${groups.join('\n')}
<h2>API</h2><ul><li><a href="${to('api/index.html')}">Reference</a></li></ul>
</nav>
<main>
${page.html}
</main>
</body>
</html>
`;
}

/** Writes the pages, their search and live figures to a folder; returns the number of pages. */
export function writeSite(out: string): number {
  rmSync(out, { recursive: true, force: true });
  const list = pages().filter((path) => !/^(test\/|\.)/.test(path));
  const known = new Set(list);
  const rendered = list.map((path) => renderPage(path, read(path), known));
  const titles = new Map(rendered.map(({ path, title }) => [path, title]));
  const search = new MiniSearch({
    fields: ['title', 'page', 'text'],
    storeFields: ['title', 'page', 'address', 'text'],
  });
  for (const page of rendered) {
    const file = join(out, addressOf(page.path));
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, layout(page, titles));
    page.sections.forEach(({ anchor, title, text }, k) => {
      if (text.trim() === '') return;
      const address = addressOf(page.path) + (anchor && `#${anchor}`);
      search.add({
        id: `${page.path}#${k}`,
        title: title || page.title,
        page: page.title,
        address,
        text: text.replace(title, '').trim(),
      });
    });
  }
  writeFileSync(join(out, 'search.json'), JSON.stringify(search));
  cpSync(join(root, 'docs/images'), join(out, 'docs/images'), { recursive: true });
  for (const file of sourceFiles()) {
    mkdirSync(dirname(join(out, 'files', file)), { recursive: true });
    cpSync(join(root, file), join(out, 'files', file));
  }
  writeFileSync(join(out, 'site.css'), readFileSync(join(root, 'site/site.css')));
  buildSync({
    entryPoints: [join(root, 'site/search.ts'), join(root, 'site/live.ts')],
    bundle: true,
    minify: true,
    format: 'esm',
    outdir: out,
  });
  // the package of the command leaves this copy out: `tendril docs` serves the studio's own package instead
  cpSync(join(root, 'packages/studio/dist'), join(out, 'studio'), { recursive: true });
  return list.length;
}

function writeReference(out: string): void {
  const typedoc = join(root, 'node_modules/typedoc/bin/typedoc');
  const entries = entryPoints.filter((path) => extname(path) === '.ts' && existsSync(join(root, path)));
  execFileSync(
    process.execPath,
    [
      typedoc,
      ...entries.flatMap((path) => ['--entryPoints', path]),
      ...['--tsconfig', 'tsconfig.test.json', '--skipErrorChecking', '--readme', 'none', '--name', 'Tendril API'],
      ...['--plugin', join(root, 'site/importNames.mjs')],
      ...['--githubPages', 'false', '--disableSources', '--logLevel', 'Error', '--out', join(out, 'api')],
    ],
    { cwd: root, stdio: 'inherit' },
  );
}

/** Run as a program; tests import the functions above. */
if (process.argv[1]?.endsWith('docs.mjs')) {
  const count = writeSite(site);
  if (!process.argv.includes('--no-api')) writeReference(site);
  console.log(`${count} pages in ${relative(root, site)}; look at them with: npx tendril docs`);
}
