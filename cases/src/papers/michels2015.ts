import type { Paper } from '../papers.ts';

export const michels2015: Paper = {
  id: 'michels2015',
  authors: 'D. L. Michels, J. P. T. Mueller, G. A. Sobottka',
  title: 'A physically based approach to the accurate simulation of stiff fibers and stiff fiber meshes',
  published: 'Computers & Graphics 53, 136–146, 2015',
  lead: 'The paper simulates hair as a network of springs with a damped exponential integrator, and compares it with a Cosserat rod and with a mass–spring hair. Each of its experiments is run here, with what they claim, what was measured, and why the two differ.',
  figures: [
    { figure: 'Fig. 1', title: 'Cuboidal element', notShown: 'A drawing of the element: there is nothing to measure.' },
    { figure: 'Fig. 2', title: 'Buckling with twist' },
    { figure: 'Fig. 3', title: 'Error against the step' },
    { figure: 'Fig. 4', title: 'Energy without damping' },
    { figure: 'Fig. 5', title: 'Error against the moduli' },
    { figure: 'Fig. 6', title: 'Energy with damping' },
    { figure: 'Fig. 7', title: 'Moduli that change in time' },
    { figure: 'Fig. 8', title: 'Hair ball' },
    { figure: 'Fig. 9', title: 'Woven fabric over a statue, little damping' },
    { figure: 'Fig. 10', title: 'Woven fabric over a statue, strong damping' },
    {
      figure: 'Fig. C.11',
      title: 'Directors of a Cosserat rod',
      notShown: 'A drawing of the directors: there is nothing to measure.',
    },
  ],
};
