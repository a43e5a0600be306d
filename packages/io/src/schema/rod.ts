/** Rods: shape, frame, natural shape, section, material. */
import type { DampingSpec, FrameSpec, LawSpec, MaterialSpec, RodSpec, SectionSpec, ShapeSpec } from '@tendril-sim/core';
import * as z from 'zod';
import { location } from './drive.ts';
import {
  color,
  count,
  direction,
  either,
  expected,
  fields,
  flag,
  formula,
  list,
  quantity,
  text,
  timed,
  variants,
  varying,
  vector,
  type Written,
  whole,
  words,
} from './primitives.ts';
import { modelId } from './solver.ts';

const length = (): z.ZodType<number, number | string> => quantity('length', 'positive');

const circleAxis = {
  center: vector('length').optional().describe('Centre [m]. Default [0, 0, 0].'),
  axis: direction().optional().describe('Direction of the axis. Default [0, 0, 1].'),
  start: direction()
    .optional()
    .describe('Direction from the axis to the first node (made normal to the axis). Default: any normal of the axis.'),
  radius: length().describe('Radius of the centreline [m].'),
};

export const shape: z.ZodType<ShapeSpec, Written<ShapeSpec>> = variants('a shape', [
  fields('a straight shape', {
    type: z.literal('straight').describe('A straight line.'),
    from: vector('length').describe('First node [m].'),
    to: vector('length').describe('Last node [m].'),
  }),
  fields('an arc', {
    type: z.literal('arc').describe('A circular arc that starts at `from` along `tangent` and bends towards `normal`.'),
    from: vector('length').describe('First node [m].'),
    tangent: direction().describe('Direction of the curve at the start.'),
    normal: direction().describe(
      'Direction towards the centre of the circle at the start (made normal to the tangent).',
    ),
    radius: length().describe('Radius of the arc [m].'),
    angle: quantity('angle', 'positive').describe('Angle of the arc [rad]; "360 deg" is a full turn, still open.'),
  }),
  fields('a helix', {
    type: z.literal('helix').describe('A helix about the line through `center` along `axis`.'),
    ...circleAxis,
    pitch: quantity('length', 'nonnegative').describe('Rise along the axis in one turn [m].'),
    turns: count('positive', 'a number of turns').describe('Number of turns; a plain number such as 5.5.'),
    handedness: words(['right', 'left']).optional().describe('Default right.'),
  }),
  fields('a ring', {
    type: z.literal('ring').describe('A closed circle about `axis`.'),
    ...circleAxis,
  }),
  fields('a formula shape', {
    type: z.literal('formula').describe('Three expressions in u from 0 to 1; edges are laid by arc length.'),
    x: formula('u').describe('x in metres, an expression in u.'),
    y: formula('u').describe('y in metres, an expression in u.'),
    z: formula('u').describe('z in metres, an expression in u.'),
  }),
  fields('a points shape', {
    type: z.literal('points').describe('Nodes as given or, when the rod sets `edges`, a smooth curve through them.'),
    points: list(vector('length'), 'points [x, y, z]', 2).describe('Points [m], at least two.'),
  }),
]);

const frame: z.ZodType<FrameSpec, Written<FrameSpec>> = fields('a frame', {
  d1: direction()
    .optional()
    .describe('Direction of the material axis d1 at the start (made normal to the tangent). Default: a fixed choice.'),
  follow: words(['transport', 'curve'])
    .optional()
    .describe('transport (default): twist-free along the curve; curve: d1 along the principal normal (Frenet).'),
  twist: varying('angle')
    .optional()
    .describe(
      'Angle by which the frame is turned about the tangent at u [rad]. One number: a linear rise from 0 to it.',
    ),
});

const naturalObject = fields('a natural shape', {
  shape: shape.optional().describe('The stress-free curve; only its form matters, not where it lies.'),
  frame: frame.optional().describe('The material frame along the natural curve.'),
  curvature: z
    .tuple([varying('curvature'), varying('curvature'), varying('curvature')], {
      error: 'expected a list of three values: curvature about d1, about d2, and twist rate, such as [0, "20 1/m", 0]',
    })
    .optional()
    .describe('Natural curvature about d1 and d2 and natural twist rate about d3 [1/m], in place of `shape`.'),
  curl: fields('a curl', {
    radius: varying('length', 'positive').describe('Radius of the helix that the centreline follows [m].'),
    pitch: varying('length', 'nonnegative').describe('Rise in a turn [m].'),
    handedness: words(['right', 'left']).optional().describe('Default right.'),
    phase: quantity('angle').optional().describe('Axis of bending, as an angle from d1 towards d2 [rad]. Default 0.'),
  })
    .optional()
    .describe('A helix by radius and pitch, in place of `shape`.'),
  length: length().optional().describe('Rest length [m]. Default: that of `shape`, else of the initial shape.'),
});

export const natural: z.ZodType<NonNullable<RodSpec['natural']>, Written<NonNullable<RodSpec['natural']>>> = either(
  "'initial', 'straight', 'equilibrium', or a group with shape, frame, curvature, curl or length",
  [
    words(['initial', 'straight', 'equilibrium']).describe(
      'initial (default): as the rod lies at the start, without its frame.twist; straight: straight and untwisted; equilibrium: such that the loads at t = 0 hold the initial shape (models der, helix, strand).',
    ),
    naturalObject,
  ],
);

const damping: z.ZodType<DampingSpec, Written<DampingSpec>> = fields('damping', {
  mass: varying('rate', 'nonnegative').optional().describe('Mass-proportional damping [1/s]. Default 0.'),
  stiffness: varying('time', 'nonnegative')
    .optional()
    .describe('Stiffness-proportional (Kelvin–Voigt) damping: a time [s]. Default 0.'),
});

const dampingField = damping.optional().describe('Rayleigh damping: force = −(mass·M + stiffness·K) v. Default none.');

export const section: z.ZodType<SectionSpec, Written<SectionSpec>> = variants('a section', [
  fields('a circle', {
    type: z.literal('circle').describe('A solid round section.'),
    radius: varying('length', 'positive').describe('Radius [m].'),
  }),
  fields('an ellipse', {
    type: z.literal('ellipse').describe('A solid elliptic section.'),
    a: varying('length', 'positive').describe('Semi-axis along d1 [m].'),
    b: varying('length', 'positive').describe('Semi-axis along d2 [m].'),
  }),
  fields('an annulus', {
    type: z.literal('annulus').describe('A round tube.'),
    outer: varying('length', 'positive').describe('Outer radius [m].'),
    inner: varying('length', 'nonnegative').describe('Inner radius [m], less than `outer`.'),
  }),
  fields('a rectangle', {
    type: z.literal('rectangle').describe('A solid rectangular section.'),
    width: varying('length', 'positive').describe('Width along d1 [m].'),
    height: varying('length', 'positive').describe('Height along d2 [m].'),
  }),
  fields('a stiffness section', {
    type: z.literal('stiffness').describe('Stiffnesses and mass given directly; no material is needed.'),
    EA: varying('force', 'positive').optional().describe('Axial stiffness [N]. Default: inextensible.'),
    EI1: varying('bendingStiffness', 'positive').describe('Bending stiffness about d1 [N m²].'),
    EI2: varying('bendingStiffness', 'positive').optional().describe('Bending stiffness about d2 [N m²]. Default EI1.'),
    GJ: varying('bendingStiffness', 'positive').describe('Twisting stiffness [N m²].'),
    mass: varying('linearDensity', 'positive').describe('Mass per length [kg/m].'),
    inertia: varying('inertiaPerLength', 'nonnegative')
      .optional()
      .describe('Polar inertia per length [kg m]. Default 0: the twist is then quasistatic.'),
    radius: varying('length', 'positive')
      .optional()
      .describe(
        'Radius for drawing, drag and contact [m]. Default: from EI1, EI2 and EA, or L/200 without EA (drawing only).',
      ),
    damping: dampingField,
  }),
]);

export const material: z.ZodType<MaterialSpec, Written<MaterialSpec>> = fields('a material', {
  E: varying('pressure', 'positive').describe('Young\'s modulus [Pa], such as "3.58 GPa".'),
  G: varying('pressure', 'positive').optional().describe('Shear modulus [Pa]. Give this or `nu`, not both.'),
  nu: varying(null)
    .optional()
    .describe("Poisson's ratio, a plain number above -1 and up to 0.5. Give this or `G`, not both."),
  density: varying('density', 'positive').describe('Density [kg/m³], such as "1.2 g/cm^3".'),
  damping: dampingField,
}).superRefine((value, context) => {
  const { G, nu } = value;
  if (G !== undefined && nu !== undefined) {
    context.addIssue({ code: 'custom', path: ['nu'], message: 'give G or nu, not both: they determine each other' });
  } else if (G === undefined && nu === undefined) {
    context.addIssue({
      code: 'custom',
      message: 'missing G or nu; expected the shear modulus G such as "1 GPa", or Poisson\'s ratio nu such as 0.3',
    });
  }
});

const law: z.ZodType<LawSpec, Written<LawSpec>> = variants('a law', [
  fields('a viscoelastic law', {
    type: z
      .literal('viscoelastic')
      .describe('Bending and twist relax: stiffness K·(1 + Σ ratio·exp(−t/time)), where K is that of the section.'),
    terms: list(
      fields('a term', {
        ratio: count('positive').describe('Stiffness of the term relative to that of long times; a plain number.'),
        time: quantity('time', 'positive').describe('Relaxation time [s].'),
      }),
      'terms',
      1,
    ).describe('Prony series.'),
  }),
  fields('an elastoplastic law', {
    type: z
      .literal('elastoplastic')
      .describe('Elastic up to a yield moment, then with linear kinematic hardening; strain beyond it stays.'),
    yield: fields('yield moments', {
      bending: quantity('torque', 'positive').describe('Moment at which bending yields, about any axis [N m].'),
      twist: quantity('torque', 'positive')
        .optional()
        .describe('Moment at which twist yields [N m]. Default: twist does not yield.'),
    }).describe('Moments at which the section yields.'),
    hardening: count('nonnegative')
      .optional()
      .describe('Stiffness beyond yield relative to the elastic one, from 0 to below 1. Default 0: perfectly plastic.'),
    time: quantity('time', 'nonnegative')
      .optional()
      .describe('Bingham: the moment above yield relaxes with this time [s]. Default 0: at once.'),
  }),
  fields('a table of moments', {
    type: z.literal('table').describe('Nonlinear elastic bending: moment by curvature. Twist stays linear.'),
    moments: list(
      z.tuple([quantity('curvature', 'positive'), quantity('torque')], {
        error: ({ input }) => expected('a pair [curvature, moment] such as [10, 0.02]', input),
      }),
      'points',
      1,
    ).describe(
      'Points [curvature [1/m], moment [N m]] by growing curvature, linear between them; the first piece starts at [0, 0], the last one continues beyond the last point.',
    ),
    axis: words(['all', 'd1', 'd2'])
      .optional()
      .describe('Axis of the section about which it bends so. Default all: about every axis alike.'),
  }),
  fields('internal friction', {
    type: z
      .literal('dahl')
      .describe('Linear elastic with internal friction after Dahl: hysteresis that does not depend on speed.'),
    limit: fields('moments of friction', {
      bending: quantity('torque', 'positive').describe(
        'Largest moment of friction in bending, in any direction [N m].',
      ),
      twist: quantity('torque', 'positive')
        .optional()
        .describe('Largest moment of friction in twist [N m]. Default: none.'),
    }).describe('Largest moments of friction.'),
    stiffness: count('positive').describe(
      'Stiffness of the friction where it starts, relative to the elastic stiffness; a plain number.',
    ),
  }),
  fields('growth', {
    type: z.literal('growth').describe('Linear elastic, with natural curvature and twist that change in time.'),
    factor: timed.describe('Factor in time on the natural curvature and twist.'),
  }),
]);

export const rod: z.ZodType<RodSpec, Written<RodSpec>> = fields('a rod', {
  id: text("the rod's name").describe('Name of the rod; pins, loads and probes refer to it.'),
  model: modelId.optional().describe('Rod model. Default der (discrete elastic rods).'),
  shape: shape.describe('Where the rod is at the start.'),
  edges: whole(2)
    .optional()
    .describe('Number of edges (an open rod has one node more). Default 50; for points: the polyline as given.'),
  closed: flag().optional().describe('Joins the last node to the first. Default false; a ring is always closed.'),
  frame: frame.optional().describe('How the material frame lies along the initial shape.'),
  natural: natural.optional().describe('The stress-free shape. Default initial.'),
  hair: words([
    'straight',
    'wavy',
    'curly',
    'coily',
    'smooth-asian',
    'wavy-caucasian',
    'curly-caucasian',
    'tightly-curled-african',
  ])
    .optional()
    .describe('Hair of that type: section, material and natural curl, where they are not given themselves.'),
  section: either('a section, or the name of one in `sections`', [section, text('the name of a section')])
    .optional()
    .describe('Cross-section, or the name of one in `sections`. Not needed with `hair`.'),
  material: either('a material, or the name of one in `materials`', [material, text('the name of a material')])
    .optional()
    .describe('Material, or the name of one in `materials`. Not needed with a stiffness section.'),
  inextensible: flag()
    .optional()
    .describe(
      'Edges keep their rest length exactly; the axial stiffness is then not used. Default false, or true for a stiffness section without EA.',
    ),
  animate: fields('animated properties', {
    E: timed.optional().describe("Factor in time on Young's modulus. Default 1."),
    G: timed.optional().describe('Factor in time on the shear modulus. Default 1.'),
    curvature: timed.optional().describe('Factor in time on natural curvature and twist. Default 1.'),
    length: timed
      .optional()
      .describe('Factor in time on the rest length; mass per length and natural angles stay. Default 1.'),
    density: timed.optional().describe('Factor in time on the mass per length. Default 1.'),
    radius: timed
      .optional()
      .describe('Factor in time on all sizes of the section; stiffness and mass follow. Default 1.'),
    massDamping: timed.optional().describe('Factor in time on damping.mass. Default 1.'),
    stiffnessDamping: timed.optional().describe('Factor in time on damping.stiffness. Default 1.'),
    friction: timed.optional().describe('Factor in time on the friction of contacts. Default 1.'),
  })
    .optional()
    .describe(
      'Properties that change during the run: factors in time; a formula may use u beside t. docs/scene.md lists the models of each.',
    ),
  law: law
    .optional()
    .describe('Law of bending and twist, in place of linear elasticity. Model der. Default: linear elastic.'),
  break: fields('a strength', {
    tension: varying('force', 'positive')
      .optional()
      .describe('Tension [N]. Default: the rod does not break by tension.'),
    moment: varying('torque', 'positive')
      .optional()
      .describe('Bending moment about any axis [N m]. Default: the rod does not break by bending.'),
  })
    .optional()
    .describe(
      'Loads at which the rod breaks: where one is reached, the rod is cut in two. Model der. Default: it does not break.',
    ),
  surface: fields('a surface', {
    friction: varying(null, 'nonnegative').optional().describe('Factor on the friction of contacts. Default 1.'),
    restitution: varying(null, 'nonnegative').optional().describe('Factor on the restitution of contacts. Default 1.'),
  })
    .optional()
    .describe('Factors on what contact says of surfaces, along the rod; where two rods meet both count.'),
  velocity: fields('a velocity', {
    linear: vector('velocity').optional().describe('Velocity of the centre of mass [m/s]. Default none.'),
    angular: vector('angularVelocity')
      .optional()
      .describe('Angular velocity about it [rad/s], world axes. Default none.'),
  })
    .optional()
    .describe('Velocity at the start: linear + angular × (x − centre of mass). Default at rest.'),
  parent: fields('a parent', {
    rod: text("the rod's name").describe('Name of the rod that this one grows from; it comes earlier in the list.'),
    at: location.describe('Where on that rod; this rod begins there.'),
  })
    .optional()
    .describe('The rod grows from another one (model strand). Default: none.'),
  color: color().optional().describe("Colour in pictures, such as '#5f7a3a'. Default: chosen by the program."),
});
