/** The documentation site: links of its pages lead to pages of the site, and headings keep the anchors of the repository. */
import { posix } from 'node:path';
import { expect, it } from 'vitest';
import { addressOf, renderPage, sourceFiles } from '../site/build.ts';
import { pages, read } from './files.ts';
import { anchorsOf } from './markdown.ts';

it('every link and anchor of the pages resolves on the site', () => {
  const list = pages().filter((path) => !/^(test\/|\.)/.test(path));
  const known = new Set(list);
  const addresses = new Set(list.map(addressOf));
  const files = new Set(sourceFiles().map((path) => `files/${path}`));
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
  }
  expect(broken).toEqual([]);
  expect(list.length).toBeGreaterThan(90);
});
