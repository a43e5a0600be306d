/**
 * `npm run docs`: the pages of the repository as a static site with full-text search, and the API reference beside it.
 *
 * VitePress brings its own vite 5, Vue and a client of a search service. markdown-it (which typedoc has anyway) and minisearch make the
 * same site from the same files: 2 s for the pages, no configuration, and links work in the repository and on the site alike.
 * Everything is relative, so the folder can be opened from any path; nothing is fetched from elsewhere. Only 404.html needs the site's path on its
 * server: `npm run docs -- --base /tendril/`, default `/`.
 */
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, posix, relative } from 'node:path';
import { deflateRawSync } from 'node:zlib';
import { findCase } from '@tendril-sim/cases';
import { buildSync } from 'esbuild';
import MarkdownIt from 'markdown-it';
import MiniSearch from 'minisearch';
import { filesBelow, pages, read, root } from '../test/files.ts';
import { caseOf, galleryText, thumbnails } from './gallery.ts';
import { escaped, highlight } from './highlight.ts';
import { addressOf, layout, type Page, type Section } from './layout.ts';
import { writeReference } from './reference.ts';

export { addressOf };

const site = join(root, 'packages/cli/dist/site');

/** Files that pages link to and readers need: the examples (`tendril new --example` copies them) and the references. */
export function sourceFiles(): string[] {
  const examples = filesBelow('examples', /\.(md|yaml|py|sh|tsx?|jsx?|json|html|glb)$/);
  return ['docs/references.bib', 'CITATION.cff', ...examples.filter((path) => !path.includes('/bob.'))];
}

/** Pictures that pages show, with their paths on the site. */
export function pictureFiles(): ReadonlyMap<string, string> {
  const shown = [...filesBelow('docs/images', /\.(png|jpg|svg|webp)$/), ...filesBelow('cases', /\.(png|svg)$/)];
  const small = filesBelow(thumbnails, /\.webp$/);
  return new Map([
    ...shown.map((path) => [path, path] as const),
    ...small.map((path) => [path, `thumbs/${posix.basename(path)}`] as const),
  ]);
}

/** Paths of the pages of the site. */
export function sitePages(): string[] {
  return pages().filter((path) => !/^(test\/|\.)/.test(path));
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

/** A number and its unit stay on one line. */
export const joinUnits = (text: string): string =>
  text.replaceAll(/(?<=\d) (?=(?:%|°|[µnmk]?[smN]|mm|cm|kg|Hz|[GMk]Pa|Pa|rad|[kMG]B|min|h)(?![\p{L}\d]))/gu, '\u00a0');

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

/** The picture of a case below the heading of its page, with a button that runs it if its scene moves. */
function caseFigure(id: string): string {
  const picture = `<img class="case" src="../../thumbs/${id}.webp" alt="">`;
  const moves = findCase(id)?.scene().time !== undefined;
  return `${picture}\n${moves ? liveFigure(`case=${id}`) : ''}`;
}

/** A page as HTML; links to pages become links to their addresses, links to sources become plain text. */
export function renderPage(path: string, text: string, known: ReadonlySet<string>): Page {
  const files = new Set(sourceFiles());
  const subject = caseOf(path);
  const markdown = new MarkdownIt({ html: true, highlight });
  const tokens = markdown.parse(text, {});
  const sections: Mutable<Section>[] = [{ anchor: '', title: '', level: 0, text: '' }];
  const used = new Map<string, number>();
  tokens.forEach((token, k) => {
    if (token.type === 'heading_open') {
      const title = tokens[k + 1].children?.map(({ content }) => content).join('') ?? '';
      const base = slug(title);
      const times = used.get(base) ?? 0;
      used.set(base, times + 1);
      const anchor = times === 0 ? base : `${base}-${times}`;
      token.attrSet('id', anchor);
      sections.push({ anchor, title, level: Number(token.tag.slice(1)), text: '' });
    }
    const words = token.type === 'inline' ? token.children?.map(({ content }) => content || ' ').join('') : undefined;
    if (token.type === 'inline' || token.type === 'fence')
      sections[sections.length - 1].text += ` ${words ?? token.content}`;
    for (const child of token.children ?? []) {
      relink(child, path, known, files);
      if (child.type === 'text') child.content = joinUnits(child.content);
    }
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
    .replaceAll('</table>', '</table></div>')
    // numbers such as 6.6e-5 stay on one line
    .replaceAll(/<td>(?=[−+-]?\d[^<\s]{0,14}<\/td>)/g, '<td class="number">')
    .replace('</h1>\n', `</h1>\n${subject ? caseFigure(subject) : ''}`);
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

/** What a server shows at an address that does not exist. It can be at any depth, so the links of this page start with the site's path. */
export function missingPage(titles: ReadonlyMap<string, string>, base: string): string {
  const title = 'There is no such page';
  const html = `<h1>${title}</h1>
<p>It may have moved. Search for it, choose a page from the list, or start at <a href="${base}index.html">the first page</a>.</p>`;
  return layout({ path: '404.md', title, html, sections: [] }, titles, base);
}

/** Writes the pages, their search and live figures to a folder; returns the number of pages. */
export function writeSite(out: string, base = '/'): number {
  rmSync(out, { recursive: true, force: true });
  const list = sitePages();
  const known = new Set(list);
  const rendered = list.map((path) => renderPage(path, read(path), known));
  rendered.push(renderPage('gallery.md', galleryText(), known));
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
  writeFileSync(join(out, '404.html'), missingPage(titles, base));
  writeFileSync(join(out, 'search.json'), JSON.stringify(search));
  for (const [from, to] of pictureFiles()) {
    mkdirSync(dirname(join(out, to)), { recursive: true });
    cpSync(join(root, from), join(out, to));
  }
  cpSync(join(root, 'packages/studio/public/icon.svg'), join(out, 'icon.svg'));
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
  return rendered.length;
}

/** Run as a program; tests import the functions above. */
if (process.argv[1]?.endsWith('docs.mjs')) {
  const at = process.argv.indexOf('--base');
  const base = at < 0 ? '/' : (process.argv[at + 1] ?? '');
  if (!/^\/(\S*\/)?$/.test(base)) throw new Error(`--base '${base}': give a path such as /tendril/`);
  const count = writeSite(site, base);
  if (!process.argv.includes('--no-api')) writeReference(join(site, 'api'));
  console.log(`${count} pages in ${relative(root, site)}; look at them with: npx tendril docs`);
}
