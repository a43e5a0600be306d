/** As much of Markdown as the tests need: fenced blocks, links and the anchors of headings. */

export interface Block {
  readonly language: string;
  readonly text: string;
  /** Line of the opening fence, from 1. */
  readonly line: number;
  /** Whether nothing but empty lines stands between this block and the one before. */
  readonly follows: boolean;
}

export function blocksOf(page: string): Block[] {
  const blocks: Block[] = [];
  const lines = page.split('\n');
  let between = true;
  for (let i = 0; i < lines.length; i++) {
    const open = /^(\s*)(`{3,})(\S*)/.exec(lines[i]);
    if (!open) {
      if (lines[i].trim() !== '') between = false;
      continue;
    }
    const start = i;
    const body: string[] = [];
    for (i++; i < lines.length && !lines[i].trim().startsWith(open[2]); i++) body.push(lines[i].slice(open[1].length));
    blocks.push({ language: open[3], text: `${body.join('\n')}\n`, line: start + 1, follows: between });
    between = true;
  }
  return blocks;
}

/** The page without code: what is left has links and headings that count. */
export function proseOf(page: string): string {
  return page
    .replace(/^(\s*)(`{3,})[^\n]*\n[\s\S]*?^\s*\2\s*$/gm, '')
    .replace(/`[^`\n]*`/g, (code) => code.replaceAll(/[[\]()!]/g, ' '));
}

/** Targets of links and images. */
export function linksOf(page: string): string[] {
  return [...proseOf(page).matchAll(/\]\(([^()\s]+(?:\([^()]*\))?[^()\s]*)\)/g)].map(([, target]) => target);
}

/** Anchors as code hosts make them: lower case, no punctuation, hyphens for spaces, numbers for repeats. */
export function anchorsOf(page: string): Set<string> {
  const anchors = new Set<string>();
  const body = page.replace(/^(\s*)(`{3,})[^\n]*\n[\s\S]*?^\s*\2\s*$/gm, '');
  for (const [, heading] of body.matchAll(/^#{1,6}\s+(.+?)\s*$/gm)) {
    const base = heading
      .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(/\s/g, '-');
    let anchor = base;
    for (let k = 1; anchors.has(anchor); k++) anchor = `${base}-${k}`;
    anchors.add(anchor);
  }
  return anchors;
}
