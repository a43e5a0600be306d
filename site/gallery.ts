/** The gallery of cases, and the picture at the head of each case's page. Pictures are those of the studio's gallery. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { cases } from '@tendril-sim/cases';
import { caseGroups } from '@tendril-sim/cases/groups';
import { root } from '../test/files.ts';
import { escaped } from './highlight.ts';

/** Folder of the pictures; the site has it as `thumbs`. */
export const thumbnails = 'packages/studio/src/thumbs';

const hasPicture = (id: string): boolean => existsSync(join(root, thumbnails, `${id}.webp`));

/** The gallery as Markdown: all cases with pictures, by group. */
export function galleryText(): string {
  const groups = Object.entries(caseGroups).flatMap(([group, title]) => {
    const cards = cases
      .filter((subject) => (subject.group ?? 'classics') === group && hasPicture(subject.id))
      .map(
        ({ id, title }) =>
          `<a href="cases/${id}/index.html"><img src="thumbs/${id}.webp" alt="" loading="lazy">${escaped(title)}</a>`,
      );
    return cards.length === 0 ? [] : `## ${title}\n\n<div class="gallery">\n${cards.join('\n')}\n</div>\n`;
  });
  return `# Gallery

Every case is a scene with a known answer. Its page says what is measured and how well it agrees, and runs the scene in the browser.
On the command line, \`npx tendril run <case>\` runs it; \`npx tendril studio\` shows the same gallery with controls and plots.

${groups.join('\n')}`;
}

/** Id of the case that a page is about, if there is a picture of it. */
export function caseOf(path: string): string | undefined {
  const id = /^cases\/([\w-]+)\/README\.md$/.exec(path)?.[1];
  return id !== undefined && hasPicture(id) ? id : undefined;
}
