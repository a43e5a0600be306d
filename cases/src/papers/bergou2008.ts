import type { Paper } from '../papers.ts';

const drawing = 'A drawing that explains the notation: there is nothing to measure.';

export const bergou2008: Paper = {
  id: 'bergou2008',
  authors: 'M. Bergou, M. Wardetzky, S. Robinson, B. Audoly, E. Grinspun',
  title: 'Discrete Elastic Rods',
  published: 'ACM Transactions on Graphics 27 (3), 63:1–12, 2008',
  lead: 'The paper discretises Kirchhoff rods with a curve and one angle per edge, and validates the model by instabilities, knots and rods coupled to rigid bodies. Each of its figures is repeated here with the model `der`.',
  figures: [
    { figure: 'Fig. 1', title: 'Trefoil knot under twist' },
    { figure: 'Fig. 2', title: 'Helical perversion' },
    { figure: 'Fig. 3', title: 'Adapted framed curve', notShown: drawing },
    { figure: 'Fig. 4', title: 'Angles and vectors of the discrete model', notShown: drawing },
    { figure: 'Fig. 5', title: 'Asymmetry of twist' },
    { figure: 'Fig. 6', title: 'Torque transducer' },
    { figure: 'Fig. 7', title: 'Localized buckling' },
    { figure: 'Fig. 8', title: 'Michell’s instability' },
    { figure: 'Fig. 9', title: 'Plectonemes' },
    { figure: 'Fig. 10', title: 'Hanging chain' },
    { figure: 'Fig. 11', title: 'Wilberforce pendulum' },
    { figure: 'Fig. 12', title: 'Tree in wind' },
    { figure: '§10', title: 'Fast projection takes energy out' },
  ],
  times: {
    figure: 'Table 1',
    machine: 'one thread of a 2.66 GHz Core 2 Duo',
    rows: [
      { row: 'Fig. 1', vertices: 60, step: 4, total: 0.31 },
      { row: 'Fig. 5', vertices: 49, step: 1, total: 0.18 },
      { row: 'Fig. 6', vertices: 200, step: 2, total: 1 },
      { row: 'Fig. 9', vertices: 275, step: 1, total: 0.92 },
      { row: 'Fig. 7', vertices: 75, step: 2, total: 0.34 },
      { row: 'Fig. 8', vertices: 67, step: 50, total: 0.42 },
      { row: 'Fig. 10', vertices: 31, step: 1, total: 0.2 },
      { row: 'Fig. 11', vertices: 20, step: 1, total: 0.027 },
      { row: 'Fig. 12', vertices: 2158, step: 0.1, total: 22 },
    ],
  },
};
