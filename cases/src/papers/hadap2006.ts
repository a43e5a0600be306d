import type { Paper } from '../papers.ts';

export const hadap2006: Paper = {
  id: 'hadap2006',
  authors: 'S. Hadap',
  title: 'Oriented Strands: dynamics of stiff multi-body system',
  published: 'Eurographics/SIGGRAPH Symposium on Computer Animation, 2006',
  lead: 'The paper simulates strands as chains of rigid links in reduced coordinates, and shows what animators need of them. It prints pictures and few numbers; each example is repeated here with the model `strand`, against the statics or the oscillator behind it.',
  figures: [
    { figure: 'Fig. 1', title: 'Lanterns' },
    {
      figure: 'Fig. 2',
      title: 'Strand as multi-body system',
      notShown: 'A drawing of the links and joints: there is nothing to measure.',
    },
    {
      figure: 'Fig. 3',
      title: 'Constraints',
      notShown: 'A drawing of a point constraint: there is nothing to measure.',
    },
    {
      figure: 'Fig. 4',
      title: 'Collision as unilateral constraints',
      notShown: 'A drawing of contact points: there is nothing to measure. Figure 9 shows collisions.',
    },
    { figure: 'Fig. 5', title: 'Moving jungle' },
    { figure: 'Fig. 6', title: 'Ears' },
    { figure: 'Fig. 7', title: 'Braid' },
    { figure: 'Fig. 8', title: 'Curly bangs' },
    { figure: 'Fig. 9', title: 'Long hair' },
  ],
};
