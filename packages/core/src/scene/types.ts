/**
 * The scene: plain data, SI numbers throughout, frozen after validation.
 *
 * `@tendril-sim/io` reads the same structure from YAML or JSON, where a string may carry a unit ("0.06 mm"); here all
 * is in metres, kilograms, seconds and radians. Every field is described for users in docs/scene.md.
 */
import type { ModelId, SolverSpec } from '../models/registry.ts';
import type { BodySpec, EngineSpec, WeldSpec } from './bodyTypes.ts';
import type { ColliderSpec, ContactSpec } from './colliders.ts';
import type { FieldSpec, LoadSpec } from './loadTypes.ts';
import type { BreakSpec, DampingSpec, LawSpec, MaterialSpec } from './materialTypes.ts';
import type { OutputSpec } from './output.ts';
import type { Location, PathSpec, Timed, Varying, Vec3 } from './values.ts';

export type * from './bodyTypes.ts';
export type * from './colliders.ts';
export type * from './loadTypes.ts';
export type * from './materialTypes.ts';
export type * from './output.ts';
export type * from './values.ts';
export type { ModelId };

/** A scene: plain data with all numbers in SI units. */
export interface Scene {
  /** Version of the scene format. */
  readonly tendril: 1;
  /** Heading of reports and films. */
  readonly title?: string;
  /** Sentences for the reader; ignored by the simulation. */
  readonly description?: string;
  /** Acceleration [m/s²]; default none. */
  readonly gravity?: Vec3 | { readonly acceleration: Vec3; readonly factor?: Timed };
  /** Materials by name, for rods to share. */
  readonly materials?: Readonly<Record<string, MaterialSpec>>;
  /** Cross-sections by name, for rods to share. */
  readonly sections?: Readonly<Record<string, SectionSpec>>;
  /** Rods, in the order of results and samples. */
  readonly rods: readonly RodSpec[];
  /** Cloth that becomes rods and links. */
  readonly weaves?: readonly WeaveSpec[];
  /** Places of rods that are held or moved. */
  readonly pins?: readonly PinSpec[];
  /** Rigid bodies. */
  readonly bodies?: readonly BodySpec[];
  /** Places of rods that are fixed to bodies. */
  readonly welds?: readonly WeldSpec[];
  /** Joints between two places of rods. */
  readonly links?: readonly LinkSpec[];
  /** Rigid-body engine that moves the bodies; default: Tendril itself. */
  readonly engine?: EngineSpec;
  /** Forces and torques on rods. */
  readonly loads?: readonly LoadSpec[];
  /** Force fields in space. */
  readonly fields?: readonly FieldSpec[];
  /** Obstacles. */
  readonly colliders?: readonly ColliderSpec[];
  /** Contact between rods and with obstacles; absent: rods pass through each other. */
  readonly contact?: ContactSpec;
  /** Duration and time step of a run. */
  readonly time?: TimeSpec;
  /** Options of equilibria. */
  readonly statics?: StaticsSpec;
  /** Options of natural modes. */
  readonly modes?: ModesSpec;
  /** Options of the models. */
  readonly solver?: SolverSpec;
  /** What a run records. */
  readonly output?: OutputSpec;
}

/** A rod of the scene. */
export interface RodSpec {
  /** Name of the rod, unique in the scene. */
  readonly id: string;
  /** Default `der`. */
  readonly model?: ModelId;
  /** Shape of the rod at the start. */
  readonly shape: ShapeSpec;
  /** Number of edges (one less than nodes when open). Default 50; for `points` the polyline as given. */
  readonly edges?: number;
  /** Joins the last node to the first; implied by `ring`. */
  readonly closed?: boolean;
  /** Orientation of the material frame along the initial shape. */
  readonly frame?: FrameSpec;
  /** The stress-free shape. Default `initial`. */
  readonly natural?: NaturalSpec;
  /** Hair type: gives section, material and natural shape if they are not specified. */
  readonly hair?: HairType;
  /** A section, or the name of one in `sections`; not needed with `hair`. */
  readonly section?: SectionSpec | string;
  /** A material, or the name of one in `materials`; not needed with a `stiffness` section. */
  readonly material?: MaterialSpec | string;
  /** Edges keep their rest length exactly; EA is then not used. */
  readonly inextensible?: boolean;
  /** Factors in time on properties of the rod; a formula may use `u` beside `t`. */
  readonly animate?: AnimateSpec;
  /** Law of bending and twist, in place of linear elasticity. */
  readonly law?: LawSpec;
  /** Loads at which the rod breaks; absent: it does not. */
  readonly break?: BreakSpec;
  /** Factors along the rod on the friction and restitution of contacts; default 1. Those of both rods multiply. */
  readonly surface?: { readonly friction?: Varying; readonly restitution?: Varying };
  /** Velocity at the start: v = linear + angular × (x − centre of mass). */
  readonly velocity?: { readonly linear?: Vec3; readonly angular?: Vec3 };
  /** The rod that this one grows from (model `strand`): its first node is there, at the angle that the initial shapes have. */
  readonly parent?: { readonly rod: string; readonly at: Location };
  /** In pictures, such as `#5f7a3a`; default: chosen by the program that draws it. */
  readonly color?: string;
}

/** Factors in time on the properties of a rod, all 1 by default. */
export interface AnimateSpec {
  /** Young's modulus. */
  readonly E?: Timed;
  /** Shear modulus. */
  readonly G?: Timed;
  /** Natural curvature and twist. */
  readonly curvature?: Timed;
  /** Rest length; mass per length and natural angles stay. */
  readonly length?: Timed;
  /** Density; masses follow. */
  readonly density?: Timed;
  /** All sizes of the section; stiffness and mass follow. */
  readonly radius?: Timed;
  /** `mass` of `material.damping`. */
  readonly massDamping?: Timed;
  /** `stiffness` of `material.damping`. */
  readonly stiffnessDamping?: Timed;
  /** Friction of contacts, beside `surface.friction`. */
  readonly friction?: Timed;
}

/** Initial shape of a rod. */
export type ShapeSpec =
  | { readonly type: 'straight'; readonly from: Vec3; readonly to: Vec3 }
  /** Circular arc that starts at `from` along `tangent` and bends towards `normal`. */
  | {
      readonly type: 'arc';
      readonly from: Vec3;
      readonly tangent: Vec3;
      readonly normal: Vec3;
      readonly radius: number;
      readonly angle: number;
    }
  /** Helix about the line through `center` along `axis`; starts on the side of `start` (default: any normal). */
  | {
      readonly type: 'helix';
      readonly center?: Vec3;
      readonly axis?: Vec3;
      readonly start?: Vec3;
      readonly radius: number;
      readonly pitch: number;
      readonly turns: number;
      readonly handedness?: 'right' | 'left';
    }
  /** Closed circle about `axis`. */
  | {
      readonly type: 'ring';
      readonly center?: Vec3;
      readonly axis?: Vec3;
      readonly start?: Vec3;
      readonly radius: number;
    }
  /** Three expressions in `u` from 0 to 1; any parametrisation, edges are laid by arc length. */
  | { readonly type: 'formula'; readonly x: string; readonly y: string; readonly z: string }
  /** Nodes as given, or, when `edges` is set, a smooth curve through them, divided evenly by arc length. */
  | { readonly type: 'points'; readonly points: readonly Vec3[] };

/** Orientation of the material frame along a rod. */
export interface FrameSpec {
  /** Direction of the material axis d1 at the start (made normal to the tangent). Default: an arbitrary fixed choice. */
  readonly d1?: Vec3;
  /** `transport`: twist-free along the curve (default); `curve`: d1 along the principal normal (Frenet). */
  readonly follow?: 'transport' | 'curve';
  /** Angle [rad] by which the frame is turned about the tangent at u: a number means a linear rise from 0 to it. */
  readonly twist?: Varying;
}

/** By curl, and by group if its section has been measured; hair.ts has the numbers. */
export type HairType =
  | 'straight'
  | 'wavy'
  | 'curly'
  | 'coily'
  | 'smooth-asian'
  | 'wavy-caucasian'
  | 'curly-caucasian'
  | 'tightly-curled-african';

/** Natural curl of a rod. */
export interface CurlSpec {
  /** Radius of the helix that the centreline follows [m]. */
  readonly radius: Varying;
  /** Rise per turn [m]. */
  readonly pitch: Varying;
  /** Sense of the helix. Default right. */
  readonly handedness?: 'right' | 'left';
  /** Axis of bending, as an angle from d1 towards d2 [rad]. Default 0. */
  readonly phase?: number;
}

/** Stress-free shape of a rod. */
export type NaturalSpec =
  | 'initial'
  | 'straight'
  /** Such that the initial shape is in equilibrium with the loads at t = 0: nothing sags at the start. Models der, helix, strand. */
  | 'equilibrium'
  | {
      /** A helix by radius and pitch, in place of `shape`. */
      readonly curl?: CurlSpec;
      /** Another curve with its own frame (its position and orientation do not matter). */
      readonly shape?: ShapeSpec;
      readonly frame?: FrameSpec;
      /** Curvature and twist rate (u1, u2, u3) about d1, d2, d3 [1/m], in place of `shape`. */
      readonly curvature?: readonly [Varying, Varying, Varying];
      /** Rest length [m]; default: that of `shape`, or of the initial shape. */
      readonly length?: number;
    };

/** d1 and d2 are the axes of the section. */
export type SectionSpec =
  | { readonly type: 'circle'; readonly radius: Varying }
  /** Semi-axes a along d1, b along d2. */
  | { readonly type: 'ellipse'; readonly a: Varying; readonly b: Varying }
  | { readonly type: 'annulus'; readonly outer: Varying; readonly inner: Varying }
  /** Width along d1, height along d2. */
  | { readonly type: 'rectangle'; readonly width: Varying; readonly height: Varying }
  /** Stiffnesses given directly; EI1 is about d1, EI2 about d2. */
  | {
      readonly type: 'stiffness';
      /** [N]; default: inextensible. */
      readonly EA?: Varying;
      /** [N m²] */
      readonly EI1: Varying;
      /** [N m²]; default EI1. */
      readonly EI2?: Varying;
      /** [N m²] */
      readonly GJ: Varying;
      /** [kg/m] */
      readonly mass: Varying;
      /** Polar inertia per length [kg m]; default 0 (the twist is then quasistatic). */
      readonly inertia?: Varying;
      /** Radius for drawing, drag and contact [m]. */
      readonly radius?: Varying;
      readonly damping?: DampingSpec;
    };

/** Holds or moves a place of a rod. */
export interface PinSpec {
  /** Id of the rod. */
  readonly rod: string;
  /** Place along the rod. */
  readonly at: Location;
  /** `clamp` (default): position and frame; `tangent`: direction only, free to spin. */
  readonly hold?: 'clamp' | 'position' | 'frame' | 'tangent' | 'hinge';
  /** Axis of a hinge: world direction at the start, about which the rod may turn. */
  readonly axis?: Vec3;
  /** World axes along which the position is held; default all three. */
  readonly axes?: readonly ('x' | 'y' | 'z')[];
  /** Default: where the rod is at the start. */
  readonly position?: Vec3;
  /** Default: as the rod is at the start. */
  readonly tangent?: Vec3;
  /** Material axis that a clamp holds. Default: as the rod is at the start. */
  readonly d1?: Vec3;
  /** Motion relative to that pose. */
  readonly path?: PathSpec;
  /** The pin is released at this time [s]. */
  readonly release?: number;
}

/** Duration and time step. */
export interface TimeSpec {
  /** [s] */
  readonly duration: number;
  /** [s] */
  readonly step: number;
  /** How often a failed step may be halved before the run stops. Default 8. */
  readonly halvings?: number;
}

/** How equilibria are found. */
export interface StaticsSpec {
  /** Equilibria along time: pins and factors are taken at `steps` + 1 instants of [from, to]. Default: t = 0 alone. */
  readonly from?: number;
  /** End of the range. */
  readonly to?: number;
  /** Number of strides from `from` to `to`; there is one more equilibrium. */
  readonly steps?: number;
  /** Number of the scene that goes from `from` to `to` in place of time, such as `rods.0.section.EI1`; pins and factors are those of t = 0. */
  readonly parameter?: string;
  /** `seek` (default): leave unstable equilibria; `report`: report them. */
  readonly stability?: 'seek' | 'report';
  /** Stop when the largest residual force is below tolerance × the force scale. Default 1e-10. */
  readonly tolerance?: number;
  /** `instants` (default): equilibria at instants; `branch`: along the branch that starts at `from`, through folds. */
  readonly follow?: 'instants' | 'branch';
  /** Longest distance between points of a branch, as a fraction of the rod's length and of the range of t. Default 0.05. */
  readonly stride?: number;
  /** Maximum number of points of a branch. Default 1000. */
  readonly points?: number;
  /** How many bifurcations deep side branches are followed. Default 0. */
  readonly switches?: number;
}

/** Which natural modes to find. */
export interface ModesSpec {
  /** How many. Default 10. */
  readonly count?: number;
  /** About the equilibrium (default) or the initial shape. */
  readonly about?: 'equilibrium' | 'initial';
}

/** A spring between a place on a rod and a place on another rod, or a fixed point. */
export interface LinkSpec {
  /** Default: 'link' and its number. */
  readonly id?: string;
  /** Id of the rod. */
  readonly rod: string;
  /** Place on the rod. */
  readonly at: Location;
  /** Place on another rod, or a fixed point [m]. */
  readonly to: { readonly rod: string; readonly at: Location } | { readonly point: Vec3 };
  /** [N/m] */
  readonly stiffness: number;
  /** [N s/m]; default 0. */
  readonly damping?: number;
  /**
   * `start` (default): at rest the two places have the offset that they have at the start, relative to the rods' sections;
   * `together`: at rest they coincide.
   */
  readonly rest?: 'start' | 'together';
  /** Force at which it breaks [N]; absent: it does not. */
  readonly break?: { readonly force: number };
  /** Holds the relative orientation that the two rods have at the start; default: they turn freely. */
  readonly rotation?: {
    /** `normal`: only the angle between the rods; `all` (default): also the rotation of each about its axis. */
    readonly about?: 'normal' | 'all';
    /** [N m/rad] */
    readonly stiffness: number;
    /** [N m s/rad]; default 0. */
    readonly damping?: number;
  };
}

/** One direction of a weave. */
export interface YarnSpec {
  /** Number of fibers. */
  readonly count: number;
  /** Between the fibers of this direction [m]. */
  readonly spacing: number;
  /** In place of those of the weave. */
  readonly section?: RodSpec['section'];
  /** In place of that of the weave. */
  readonly material?: RodSpec['material'];
}

/** Woven cloth. */
export interface WeaveSpec {
  /** Fibers are named by it, 'warp' or 'weft', and a number from 0. */
  readonly id: string;
  /** Model of the fibers. Default `der`. */
  readonly model?: RodSpec['model'];
  /** Middle of the cloth [m]; default the origin. */
  readonly center?: Vec3;
  /** Direction of the warp; default x. */
  readonly along?: Vec3;
  /** Direction of the weft (made normal to `along`); default y. */
  readonly across?: Vec3;
  /** Fibers along `along`. */
  readonly warp: YarnSpec;
  /** Default: that of the warp. */
  readonly weft?: YarnSpec;
  /** Section of the fibers, if the directions have none of their own. */
  readonly section?: RodSpec['section'];
  /** Material of the fibers, if the directions have none of their own. */
  readonly material?: RodSpec['material'];
  /** Fibers keep their length exactly. */
  readonly inextensible?: boolean;
  /** Height by which fibers go over and under [m]; default 0. */
  readonly crimp?: number;
  /** Edges of a fiber from one crossing to the next, odd; default 3. */
  readonly edges?: number;
  /** The springs at the crossings; see LinkSpec. */
  readonly joints: Pick<LinkSpec, 'stiffness' | 'damping' | 'rotation'>;
}
