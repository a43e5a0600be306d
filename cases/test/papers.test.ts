/** What the cases say about papers fits the papers: no figure is left out, and no claim decides by quantities that do not exist. */
import { sceneFromObject } from '@tendril-sim/io';
import { describe, expect, it } from 'vitest';
import { cases, papers, stiffFiberStudies } from '../src/index.ts';

const claims = cases.flatMap((subject) => (subject.papers ?? []).map((claim) => ({ subject, claim })));

describe.each(papers.map((paper) => [paper.id, paper] as const))('%s', (id, paper) => {
  const own = claims.filter(({ claim }) => claim.paper === id);
  const studied = id === 'michels2015' ? stiffFiberStudies.map(({ figure }) => figure) : [];

  it('shows every figure, or says why not', () => {
    for (const { figure, notShown } of paper.figures) {
      const isShown = studied.includes(figure) || own.some(({ claim }) => claim.figure === figure);
      expect([figure, isShown || notShown !== undefined, isShown && notShown !== undefined]).toEqual([
        figure,
        true,
        false,
      ]);
    }
  });

  it('has the figures that cases and studies name', () => {
    const named = [...own.map(({ claim }) => claim.figure), ...studied];
    const known = paper.figures.map(({ figure }) => figure);
    expect(named.filter((figure) => !known.includes(figure))).toEqual([]);
  });

  it('decides by quantities that are measured', () => {
    for (const { subject, claim } of own)
      for (const start of claim.quantities ?? [])
        expect([start, Object.keys(subject.expect).some((name) => name.startsWith(start))]).toEqual([start, true]);
  });

  it('shows moments that its scenes reach, and rods that they have', () => {
    for (const { subject, claim } of own) {
      if (!claim.panels) continue;
      const { scene = () => subject.scene(), moments, look } = claim.panels;
      const { time, rods } = sceneFromObject(scene());
      for (const moment of moments)
        expect([subject.id, moment.time <= Number(time?.duration) + 1e-9, moment.caption]).toEqual([
          subject.id,
          true,
          expect.stringMatching(/\.$/),
        ]);
      const ids = rods.map(({ id }) => id);
      if (look?.follow !== undefined) expect(ids).toContain(look.follow);
    }
  });

  it('times every row of its table once', () => {
    const rows = own.flatMap(({ claim }) => (claim.timed ? [claim.timed.row] : []));
    expect(rows.sort()).toEqual((paper.times?.rows ?? []).map(({ row }) => row).sort());
  });
});
