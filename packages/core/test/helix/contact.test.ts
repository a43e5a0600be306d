/** The contact port of super-helices: its linear response is that of the step, and strands rest on obstacles. */
import { helixModel } from '../../src/models/helix/model.ts';
import { describePort, describeStrand } from '../contact/modelPort.ts';

for (const elements of [8, 3])
  describePort(`the port of a rod of 8 edges and ${elements} elements`, helixModel, {
    helix: { tolerance: 1e-12, elements },
  });

describeStrand(
  'helix',
  0.005,
  200,
  (['implicit-euler', 'bdf2', 'semi-implicit'] as const).map((integrator) => ({
    helix: { integrator, elements: 10 },
  })),
);
