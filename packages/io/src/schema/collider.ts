/** Obstacles, and contact of rods with them and with each other. */
import type { ColliderSpec, ContactSpec, FrictionSpec } from '@tendril-sim/core';
import * as z from 'zod';
import { path } from './drive.ts';
import { type AnimationSpec, animation, type FileReference, fileFields } from './files.ts';
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
  vector,
  type Written,
  whole,
  words,
} from './primitives.ts';

const coefficient = 'a coefficient of at most 1e6 (1e3 is as good as no slip at all)';

const friction: z.ZodType<FrictionSpec, Written<FrictionSpec>> = either(
  ({ input }) => {
    const wanted = expected('a coefficient of friction such as 0.3, or { static, dynamic }', input);
    return input === Number.POSITIVE_INFINITY ? `${wanted}; 1e3 is as good as no slip at all` : wanted;
  },
  [
    count('nonnegative', 'a coefficient of friction'),
    fields('friction', {
      static: count('nonnegative', coefficient).describe('Coefficient while it sticks.'),
      dynamic: count('nonnegative', coefficient).describe('Coefficient while it slides; at most the static one.'),
      factor: timed.optional().describe('Factor in time on both. Default 1.'),
    }),
  ],
);

const common = {
  id: text('a name').optional().describe("Name of the collider. Default: 'collider' and its number."),
  position: vector('length')
    .optional()
    .describe("Where the shape's origin is [m]; in body axes where it rides on a body. Default 0."),
  rotation: vector('angle')
    .optional()
    .describe('How the shape is turned: rotation vector [rad], likewise. Default none.'),
  path: path.optional().describe('Motion relative to that pose, about its pivot. Default none.'),
  pivot: vector('length')
    .optional()
    .describe('Point that rotations of the path turn about [m]. Default: the position.'),
  body: text("the body's name").optional().describe('Body it rides on, and which feels what touches it. Default none.'),
  rods: list(text("a rod's name"), 'names of rods').optional().describe('Names of the rods it acts on. Default all.'),
  friction: friction
    .optional()
    .describe('Coulomb friction with rods: one coefficient, or { static, dynamic }. Default 0.'),
  restitution: count('nonnegative')
    .optional()
    .describe('Speed after an impact over the speed before, 0 to 1. Default 0.'),
  hollow: flag().optional().describe('The space outside is solid, and rods are kept inside. Default false.'),
  color: color().optional().describe("Colour in pictures, such as '#d8ab8b'. Default: grey."),
};

const vertices = list(vector('length'), 'vertices', 3);

/** An obstacle whose mesh is in a file; `resolve.ts` replaces it by a mesh before the core receives the scene. */
export type MeshFileSpec = Omit<Extract<ColliderSpec, { type: 'plane' }>, 'type' | 'normal'> &
  FileReference & { readonly type: 'mesh-file'; readonly solid?: boolean; readonly animation?: AnimationSpec | string };

export const collider: z.ZodType<ColliderSpec | MeshFileSpec, Written<ColliderSpec | MeshFileSpec>> = variants(
  'a collider',
  [
    fields('a plane', {
      type: z.literal('plane').describe('Ground: all that lies below the plane through its origin.'),
      ...common,
      normal: direction().optional().describe('Direction out of the ground. Default z.'),
    }),
    fields('a sphere', {
      type: z.literal('sphere').describe('A ball about its origin.'),
      ...common,
      radius: quantity('length', 'positive').describe('Radius [m].'),
    }),
    fields('an ellipsoid', {
      type: z.literal('ellipsoid').describe('An ellipsoid about its origin, along its axes.'),
      ...common,
      radii: vector('length').describe('Radii along x, y and z [m].'),
    }),
    fields('a capsule', {
      type: z.literal('capsule').describe('All points within the radius of a line.'),
      ...common,
      from: vector('length').describe('One end of the line [m].'),
      to: vector('length').describe('Its other end [m].'),
      radius: quantity('length', 'positive').describe('Radius [m].'),
    }),
    fields('a torus', {
      type: z.literal('torus').describe('A ring about the z axis.'),
      ...common,
      ring: quantity('length', 'positive').describe('Radius of the circle in the middle of the ring [m].'),
      radius: quantity('length', 'positive').describe('Radius of the ring itself, below that of the circle [m].'),
    }),
    fields('a box', {
      type: z.literal('box').describe('A block about its origin, along its axes.'),
      ...common,
      size: vector('length').describe('Edge lengths [m].'),
      rounding: quantity('length', 'nonnegative')
        .optional()
        .describe('Radius of its edges [m], within the size. Default 0.'),
    }),
    fields('a mesh', {
      type: z.literal('mesh').describe('Triangles or polygons, counter-clockwise seen from outside.'),
      ...common,
      vertices: vertices.describe('Vertices [m].'),
      faces: list(list(whole(0), 'indices of vertices', 3), 'faces', 1).describe(
        'Faces: indices of three or more vertices each, from 0.',
      ),
      solid: flag()
        .optional()
        .describe('true (default): closed, with an inside; false: a surface that is met from both sides.'),
      deform: list(
        fields('a key', {
          time: quantity('time', 'nonnegative').describe('Time [s]; the keys are in increasing order.'),
          vertices: vertices.describe('All vertices at that time [m].'),
        }),
        'keys with a time and vertices',
        1,
      )
        .optional()
        .describe('Vertices in time. Default: rigid.'),
      blend: fields('blend shapes', {
        shapes: list(vertices, 'shapes', 1).describe('Displacements of all vertices at weight 1 [m], per shape.'),
        keys: list(
          fields('a key', {
            time: quantity('time', 'nonnegative').describe('Time [s]; the keys are in increasing order.'),
            weights: list(count(), 'weights', 1).describe('A weight per shape.'),
          }),
          'keys with a time and weights',
          1,
        ).describe('Weights in time.'),
      })
        .optional()
        .describe('Blend shapes: weighted displacements that are added to `vertices`. Instead of `deform`.'),
      interpolation: words(['linear', 'smooth'])
        .optional()
        .describe(
          'Between the keys of `deform` or `blend`: linear (default), or smooth, with continuous accelerations.',
        ),
    }),
    fields('a mesh file', {
      type: z.literal('mesh-file').describe('A mesh from an OBJ or glTF file.'),
      ...common,
      ...fileFields,
      solid: flag()
        .optional()
        .describe('true (default): closed, with an inside; false: a surface that is met from both sides.'),
      animation: animation.optional().describe('The animation of the file that deforms the mesh. Default: none.'),
    }),
    fields('a formula', {
      type: z.literal('formula').describe('A signed distance in its own axes.'),
      ...common,
      formula: formula('x, y, z, t').describe(
        'Expression in x, y, z and t: negative inside, about the distance near the surface.',
      ),
    }),
    fields('a grid', {
      type: z.literal('grid').describe('Signed distances on a grid.'),
      ...common,
      origin: vector('length').describe('The first grid point [m].'),
      spacing: quantity('length', 'positive').describe('Between grid points [m].'),
      count: z
        .tuple([whole(2), whole(2), whole(2)], { error: 'expected three numbers of grid points' })
        .describe('Grid points along x, y, z.'),
      values: list(quantity('length'), 'signed distances', 8).describe(
        'Signed distances [m], x fastest; negative inside.',
      ),
    }),
  ],
);

export const contact: z.ZodType<ContactSpec, Written<ContactSpec>> = fields('contact', {
  between: words(['pairs', 'continuum', 'none'])
    .optional()
    .describe('How rods meet rods: pairs (default): each with each; continuum: as a mass on a grid; none.'),
  self: flag().optional().describe('Whether a rod meets itself. Default true.'),
  friction: friction.optional().describe('Coulomb friction between rods. Default 0.'),
  radius: quantity('length', 'positive')
    .optional()
    .describe('Radius at which rods meet rods [m]. Default: that of their section.'),
  rolling: flag().optional().describe('Whether friction turns a rod about its own axis. Default false.'),
  solver: words(['admm', 'gauss-seidel', 'impulses', 'repulsion'])
    .optional()
    .describe('admm (default); gauss-seidel: for small scenes; impulses, repulsion: cheap and rough.'),
  iterations: whole(1)
    .optional()
    .describe(
      'Most iterations of a round. Default 1000, and steps that do not converge are halved up to five times; with a limit of your own they are not.',
    ),
  tolerance: count('positive')
    .optional()
    .describe("Largest error of a contact's velocity, relative to what a step adds to it. Default 1e-4."),
  continuous: flag().optional().describe('Whether paths are checked for crossings within a step. Default true.'),
  repulsion: fields('repulsion', {
    stiffness: quantity('forcePerLength', 'positive').describe('Force per overlap [N/m].'),
    reach: quantity('length', 'positive').describe('Distance from the surface at which it begins [m].'),
  })
    .optional()
    .describe('For solver repulsion: stiffness [N/m] and reach [m].'),
  continuum: fields('the continuum', {
    cell: quantity('length', 'positive').describe('Edge of a cell [m].'),
    density: quantity('density', 'positive')
      .optional()
      .describe('Density at which hair resists being pressed together [kg/m³]. Default: twice that at the start.'),
    relaxation: quantity('time', 'positive')
      .optional()
      .describe('Time in which velocities become those of the neighbours [s]. Default 0.02.'),
  })
    .optional()
    .describe('For between: continuum.'),
});
