/** The documentation site: links of its pages lead to pages of the site, and headings keep the anchors of the repository. */
import { posix } from 'node:path';
import { expect, it } from 'vitest';
import { addressOf, joinUnits, missingPage, pictureFiles, renderPage, sitePages, sourceFiles } from '../site/build.ts';
import { highlight } from '../site/highlight.ts';
import { read } from './files.ts';
import { anchorsOf } from './markdown.ts';

it('every link, anchor and picture of the pages resolves on the site', () => {
  const list = sitePages();
  const known = new Set(list);
  const addresses = new Set(list.map(addressOf));
  const files = new Set(sourceFiles().map((path) => `files/${path}`));
  const pictures = new Set(pictureFiles().values());
  const broken: string[] = [];
  for (const path of list) {
    const { html, sections } = renderPage(path, read(path), known);
    const anchors = new Set(sections.map(({ anchor }) => anchor));
    for (const anchor of anchorsOf(read(path))) if (!anchors.has(anchor)) broken.push(`${path}: no anchor ${anchor}`);
    for (const [, href] of html.matchAll(/<a href="([^"]*)"/g)) {
      if (/^[a-z]+:|^#/.test(href)) continue;
      const target = posix.normalize(posix.join(posix.dirname(addressOf(path)), href.split('#')[0]));
      if (!addresses.has(target) && !files.has(target)) broken.push(`${path}: ${href}`);
    }
    for (const [, source] of html.matchAll(/<img [^>]*src="([^"]*)"/g)) {
      const target = posix.normalize(posix.join(posix.dirname(addressOf(path)), source));
      if (!pictures.has(target)) broken.push(`${path}: picture ${source}`);
    }
  }
  expect(broken).toEqual([]);
  expect(list.length).toBeGreaterThan(90);
});

it('colours code without changing its text', () => {
  const code = 'title: "a < b" # why\nstep: 2 ms\n';
  expect(highlight(code, 'yaml')).toBe(
    '<span class="key">title</span>: <span class="string">&quot;a &lt; b&quot;</span> <span class="comment"># why</span>\n<span class="key">step</span>: <span class="number">2</span> ms\n',
  );
  expect(highlight('a < b', 'text')).toBe('a &lt; b');
});

it('a page that does not exist has links that work at any depth', () => {
  const html = missingPage(new Map([['docs/scene.md', 'Scene files']]), '/tendril/');
  const links = [...html.matchAll(/(?:href|src|data-root)="([^"]*)"/g)].map(([, link]) => link);
  expect(links).toContain('/tendril/docs/scene.html');
  expect(links).toContain('/tendril/index.html');
  expect(links.filter((link) => !link.startsWith('/tendril/'))).toEqual([]);
});

it('keeps a number and its unit on one line', () => {
  expect(joinUnits('8 to 9 %, 0.08 ms, 3 steps, 2 m long')).toBe('8 to 9\u00a0%, 0.08\u00a0ms, 3 steps, 2\u00a0m long');
});
