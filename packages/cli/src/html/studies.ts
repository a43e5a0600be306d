/** The report on a paper: a summary, then claim, measurement, reason and plots of each experiment. */
import type { PaperStudy, StudyResult, Verdict } from '@tendril-sim/cases';
import { chartFigure, htmlPage, type Numbering, paragraphs, prose, snapshotsFigure, tableFigure } from './page.ts';

export interface Finished {
  readonly study: PaperStudy;
  readonly result: StudyResult;
}

const verdicts: Readonly<Record<Verdict, string>> = { holds: 'holds', 'in part': 'partly', 'does not hold': 'fails' };

const badge = (verdict: Verdict): string => `<span class="verdict ${verdicts[verdict]}">${prose(verdict)}</span>`;

export function studiesPage(finished: readonly Finished[], facts: string, command: string): string {
  const count: Numbering = { figures: 0, tables: 0 };
  const summary = finished
    .map(
      ({ study, result }) =>
        `<a class="row" href="#${study.id}"><span class="figure">${prose(study.figure)}</span><span><span class="title">${prose(study.title)}</span><span class="found">${prose(result.headline)}</span></span>${badge(result.verdict)}</a>`,
    )
    .join('\n');
  const sections = finished.map((one) => studySection(one, count)).join('\n');
  return htmlPage({
    title: 'Stiff fibers: a paper’s experiments, measured again',
    kicker: 'Tendril · comparison report',
    lead: 'Michels, Mueller and Sobottka (2015) simulate hair as a network of springs with a damped exponential integrator, and compare it with a Cosserat rod and with a mass–spring hair. Each of their experiments is run here, with what they claim, what was measured, and why the two differ.',
    facts,
    body: `<nav class="summary" aria-label="Summary">\n${summary}\n</nav>\n${sections}`,
    footer: `<p>D. L. Michels, J. P. T. Mueller, G. A. Sobottka: <i>A physically based approach to the accurate simulation of stiff fibers and stiff fiber meshes</i>. Computers &amp; Graphics 53, 136–146, 2015. Figures are theirs by number; every curve on this page was computed by the command <code>${prose(command)}</code>, which writes it again.</p><p>Distances, energies and orders do not depend on the machine. Times do, and were measured once.</p>`,
  });
}

/** Charts, pictures and tables of a study. */
export function studyExhibits({ result }: Finished, count: Numbering): string {
  return result.exhibits
    .map((exhibit) => {
      if (exhibit.kind === 'chart') return chartFigure(exhibit, count);
      return exhibit.kind === 'snapshots' ? snapshotsFigure(exhibit, count) : tableFigure(exhibit, count);
    })
    .join('\n');
}

function studySection(finished: Finished, count: Numbering): string {
  const { study, result } = finished;
  return `<section id="${study.id}">
<div class="head"><p class="kicker">${prose(study.figure)}</p>${badge(result.verdict)}</div>
<h2>${prose(study.title)}</h2>
<dl>
<dt>The paper claims</dt><dd class="claim"><p>${prose(study.claim)}</p></dd>
<dt>Measured here</dt><dd>${paragraphs(result.measured)}</dd>
<dt>Why they differ</dt><dd>${paragraphs(result.why)}</dd>
<dt>Set-up</dt><dd><p>${prose(study.setup)}</p></dd>
</dl>
${studyExhibits(finished, count)}
</section>`;
}
