/** Rigid bodies and their welds. */
import type { BodySpec, EngineSpec, JointSpec, SolidSpec, WeldSpec } from '@tendril-sim/core';
import * as z from 'zod';
import { location, type NamesRods, nameRods, path, rodNames } from './drive.ts';
import { count, direction, fields, list, quantity, text, variants, vector, type Written, words } from './primitives.ts';

const density = { density: quantity('density', 'positive').describe('Density [kg/m³].') };

const solid: z.ZodType<SolidSpec, Written<SolidSpec>> = variants('a solid', [
  fields('a sphere', {
    type: z.literal('sphere').describe('A ball.'),
    ...density,
    radius: quantity('length', 'positive').describe('Radius [m].'),
  }),
  fields('a box', {
    type: z.literal('box').describe('A block along the axes of the body.'),
    ...density,
    size: vector('length').describe('Edge lengths [m].'),
  }),
  fields('a cylinder', {
    type: z.literal('cylinder').describe('A cylinder along the z axis of the body.'),
    ...density,
    radius: quantity('length', 'positive').describe('Radius [m].'),
    height: quantity('length', 'positive').describe('Height [m].'),
  }),
]);

const axes = list(words(['x', 'y', 'z']), "axes 'x', 'y', 'z'");

export const body: z.ZodType<BodySpec, Written<BodySpec>> = fields('a body', {
  id: text('a name').describe('Name of the body; no two bodies share one.'),
  mass: quantity('mass', 'nonnegative')
    .optional()
    .describe('Mass [kg]; 0 makes a junction of the rods welded to it. Or give a solid.'),
  inertia: list(quantity('momentOfInertia'), 'three moments of inertia, or six with the products', 3)
    .optional()
    .describe('Moments about the centre of mass in body axes [kg m²]: xx yy zz, or xx yy zz xy xz yz.'),
  solid: solid.optional().describe('Mass and inertia from a homogeneous solid, in place of mass and inertia.'),
  position: vector('length').describe('Centre of mass at the start [m].'),
  rotation: vector('angle')
    .optional()
    .describe('Orientation at the start: rotation vector from world to body axes [rad]. Default none.'),
  velocity: fields('a velocity', {
    linear: vector('velocity').optional().describe('Velocity of the centre of mass [m/s]. Default 0.'),
    angular: vector('angularVelocity').optional().describe('Angular velocity [rad/s]. Default 0.'),
  })
    .optional()
    .describe('Velocity at the start. Default 0.'),
  free: fields('the free axes', {
    translation: axes.optional().describe('World axes along which the body may move. Default all.'),
    rotation: axes.optional().describe('World axes about which the body may turn. Default all.'),
  })
    .optional()
    .describe('A guided body names the axes that are left to it. Default: all six.'),
  path: path
    .optional()
    .describe('Where the body goes, relative to the start, whatever pulls at it. Default: it moves freely.'),
});

export const weld: z.ZodType<WeldSpec, Written<NamesRods<WeldSpec>>> = fields('a weld', {
  ...rodNames,
  at: location.describe('Where on the rod; u and s get a node exactly there.'),
  body: text("the body's name").describe('Name of the body.'),
  hold: words(['clamp', 'position', 'hinge'])
    .optional()
    .describe('clamp (default): position and frame; position: a ball joint; hinge: turns about its axis.'),
  axis: direction().optional().describe('Of a hinge: direction at the start; it moves with the body.'),
}).transform(nameRods);

const joint: z.ZodType<JointSpec, Written<JointSpec>> = fields('a joint', {
  type: words(['fixed', 'ball', 'hinge', 'slider']).describe(
    'fixed; ball: turns any way; hinge: turns about its axis; slider: moves along its axis.',
  ),
  body: text("the body's name").describe('Name of the body.'),
  to: text("the body's name").optional().describe('Name of the other body. Default: the world itself.'),
  at: vector('length').optional().describe('Where they are joined at the start [m]. Default: centre of mass of body.'),
  axis: direction().optional().describe('Direction of the axis at the start, for hinge and slider.'),
  motor: fields('a motor', {
    speed: count().describe('Speed that it drives the joint at [rad/s or m/s].'),
    limit: count('positive').optional().describe('Largest torque [N m] or force [N]. Default none.'),
  })
    .optional()
    .describe('Drives a hinge or a slider. Default none.'),
});

export const engine: z.ZodType<EngineSpec, Written<EngineSpec>> = fields('an engine', {
  type: words(['rapier']).describe('rapier: the rigid-body engine of that name.'),
  joints: list(joint, 'joints').optional().describe('Joints between bodies, or of a body to the world. Default none.'),
  ground: fields('the ground', {
    height: quantity('length').describe('Height z of the floor [m].'),
    friction: count('nonnegative').optional().describe('Coefficient of friction. Default 0.5.'),
    restitution: count('nonnegative').optional().describe('Coefficient of restitution. Default 0.'),
  })
    .optional()
    .describe('A level floor that bodies with a solid fall on. Default none.'),
});
