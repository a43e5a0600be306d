import type { Paper } from '../papers.ts';

const plates =
  'The test is for plates and shells. Tendril simulates rods: a strip bends out of its plane here as a rod with a flat section.';

export const romero2021: Paper = {
  id: 'romero2021',
  authors: 'V. Romero, M. Ly, A. H. Rasheed, R. Charrondière, A. Lazarus, S. Neukirch, F. Bertails-Descoubes',
  title:
    'Physical validation of simulators in computer graphics: a new framework dedicated to slender elastic structures and frictional contact',
  published: 'ACM Transactions on Graphics 40 (4), 66:1–19, 2021',
  lead: 'The paper proposes experiments with few dimensionless numbers and master curves that a simulator of slender bodies with contact has to reproduce. Those for rods are repeated here with every model that can, and the curves are computed anew from the equations of the continuum.',
  figures: [
    { figure: 'Cantilever', title: 'Master curve of a heavy cantilever' },
    {
      figure: 'Bend–twist',
      title: 'A naturally curved hanging rod leaves its plane',
    },
    { figure: 'Lateral buckling', title: 'A strip on edge falls over' },
    { figure: 'Stick–slip', title: 'A strip lowered onto a frictional plane' },
    { figure: 'Plates', title: 'Cantilever and lateral buckling of plates and shells', notShown: plates },
    {
      figure: 'Measured materials',
      title: 'Comparison with photographs of real rods and plates',
      notShown: 'The measurements are not at hand. The master curves do not depend on the material.',
    },
  ],
};
