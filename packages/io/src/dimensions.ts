/** Physical dimensions of the fields of a scene: powers of the base units, SI unit, example. */

/** Powers of kilogram, metre, second, radian. */
export type Powers = readonly [number, number, number, number];

/** Kind of a quantity, such as length. */
export type Dimension =
  | 'length'
  | 'angle'
  | 'time'
  | 'velocity'
  | 'angularVelocity'
  | 'circulation'
  | 'acceleration'
  | 'mass'
  | 'momentOfInertia'
  | 'rate'
  | 'stiffnessPerMass'
  | 'pressure'
  | 'density'
  | 'linearDensity'
  | 'inertiaPerLength'
  | 'force'
  | 'forcePerLength'
  | 'torque'
  | 'bendingStiffness'
  | 'curvature'
  | 'drag'
  | 'angularDrag'
  | 'dragPerLength';

/** SI unit and examples of a kind of quantity. */
export interface DimensionInfo {
  /** With its article, for messages. */
  readonly name: string;
  /** A value with a unit, for messages. */
  readonly example: string;
  /** The SI unit in words, for messages. */
  readonly inWords: string;
  /** The SI unit as a symbol. */
  readonly si: string;
  /** Powers of the base units. */
  readonly powers: Powers;
  /** A second reading that is meant just the same: curvature in rad/m. */
  readonly also?: Powers;
}

/** The kinds of quantities that scenes have. */
export const dimensions: Readonly<Record<Dimension, DimensionInfo>> = {
  length: { name: 'a length', example: '5 mm', inWords: 'metres', si: 'm', powers: [0, 1, 0, 0] },
  angle: { name: 'an angle', example: '45 deg', inWords: 'radians', si: 'rad', powers: [0, 0, 0, 1] },
  time: { name: 'a time', example: '2 ms', inWords: 'seconds', si: 's', powers: [0, 0, 1, 0] },
  velocity: { name: 'a velocity', example: '2 m/s', inWords: 'm/s', si: 'm/s', powers: [0, 1, -1, 0] },
  angularVelocity: {
    name: 'an angular velocity',
    example: '30 deg/s',
    inWords: 'rad/s',
    si: 'rad/s',
    powers: [0, 0, -1, 1],
  },
  circulation: { name: 'a circulation', example: '0.5 m^2/s', inWords: 'm^2/s', si: 'm^2/s', powers: [0, 2, -1, 0] },
  acceleration: {
    name: 'an acceleration',
    example: '9.81 m/s^2',
    inWords: 'm/s^2',
    si: 'm/s^2',
    powers: [0, 1, -2, 0],
  },
  mass: { name: 'a mass', example: '20 g', inWords: 'kilograms', si: 'kg', powers: [1, 0, 0, 0] },
  momentOfInertia: {
    name: 'a moment of inertia',
    example: '2e-5 kg*m^2',
    inWords: 'kg*m^2',
    si: 'kg*m^2',
    powers: [1, 2, 0, 0],
  },
  rate: { name: 'a rate', example: '0.1 1/s', inWords: '1/s', si: '1/s', powers: [0, 0, -1, 0] },
  stiffnessPerMass: {
    name: 'a stiffness per mass',
    example: '400 1/s^2',
    inWords: '1/s^2',
    si: '1/s^2',
    powers: [0, 0, -2, 0],
  },
  pressure: { name: 'a pressure', example: '3 GPa', inWords: 'pascals', si: 'Pa', powers: [1, -1, -2, 0] },
  density: { name: 'a density', example: '1.2 g/cm^3', inWords: 'kg/m^3', si: 'kg/m^3', powers: [1, -3, 0, 0] },
  linearDensity: {
    name: 'a mass per length',
    example: '5 g/m',
    inWords: 'kg/m',
    si: 'kg/m',
    powers: [1, -1, 0, 0],
  },
  inertiaPerLength: {
    name: 'an inertia per length',
    example: '1e-6 kg*m',
    inWords: 'kg*m',
    si: 'kg*m',
    powers: [1, 1, 0, 0],
  },
  force: { name: 'a force', example: '5 mN', inWords: 'newtons', si: 'N', powers: [1, 1, -2, 0] },
  forcePerLength: { name: 'a force per length', example: '5 N/m', inWords: 'N/m', si: 'N/m', powers: [1, 0, -2, 0] },
  torque: { name: 'a torque', example: '5 mN*m', inWords: 'N*m', si: 'N*m', powers: [1, 2, -2, 0] },
  bendingStiffness: {
    name: 'a bending or twisting stiffness',
    example: '2 N*mm^2',
    inWords: 'N*m^2',
    si: 'N*m^2',
    powers: [1, 3, -2, 0],
  },
  curvature: {
    name: 'a curvature',
    example: '20 1/m',
    inWords: '1/m',
    si: '1/m',
    powers: [0, -1, 0, 0],
    also: [0, -1, 0, 1],
  },
  drag: {
    name: 'a damping',
    example: '1e-3 N*s/m',
    inWords: 'N*s/m',
    si: 'N*s/m',
    powers: [1, 0, -1, 0],
  },
  angularDrag: {
    name: 'an angular damping',
    example: '1e-6 N*m*s',
    inWords: 'N*m*s',
    si: 'N*m*s',
    powers: [1, 2, -1, 0],
    also: [1, 2, -1, -1],
  },
  dragPerLength: {
    name: 'a drag per length',
    example: '1e-3 N*s/m^2',
    inWords: 'N*s/m^2',
    si: 'N*s/m^2',
    powers: [1, -1, -1, 0],
  },
};
