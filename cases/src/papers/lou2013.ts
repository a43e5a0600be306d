import type { Paper } from '../papers.ts';

export const lou2013: Paper = {
  id: 'lou2013',
  authors: 'J. Lou',
  title: 'Reconstruction of Cosserat Rods',
  published: 'MSc thesis, Bournemouth University, 2013',
  lead: 'The thesis rebuilds the curve of a super-helix from its curvatures and twist, and reports that it did not succeed in the energy minimisation that Bertails et al. (2005) describe. Both are done here with the model `helix`.',
  figures: [
    { figure: 'Reconstruction', title: 'A curve from its curvatures and twist' },
    { figure: 'Degenerate cases', title: 'Arcs of circles, and straight lines' },
    { figure: 'Energy minimisation', title: 'The step that the thesis left open' },
    { figure: 'Default values', title: 'Types of hair' },
    {
      figure: 'Styling tool',
      title: 'Hair that grows from a mesh, interpolated strands, a user interface',
      notShown:
        'The thesis names it as a plan and shows nothing. Here it is `tendril groom` and the studio; neither makes a claim that a case could measure.',
    },
  ],
};
