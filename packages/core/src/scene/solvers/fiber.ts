/** Options of the model `fiber`. */
export interface FiberOptions {
  /**
   * `energy-momentum` (default): keeps energy and momenta; `deti`: exponential, linear part exact, small rotations only;
   * `deti-r`: its rational relative for large rotations with damping; `midpoint`, `backward-euler`: for comparison.
   */
  readonly integrator?: 'energy-momentum' | 'deti' | 'deti-r' | 'midpoint' | 'backward-euler';
  /**
   * Width of the scaffold. `inflated` (default): as wide as a strain of 1e-3 under the loads allows; `section`: EA exact;
   * or a width [m]. Bending and twisting stiffness are exact with all of them.
   */
  readonly scaffold?: 'inflated' | 'section' | number;
  /** Rotary inertia: of the `scaffold` (default), or of the `section`. */
  readonly inertia?: 'scaffold' | 'section';
  /** Springs of a ring relative to the longitudinal ones. Default 20. */
  readonly ring?: number;
  /** Newton stops when no particle moves by more than this × the scaffold's width. Default 1e-3. */
  readonly tolerance?: number;
  /** Newton iterations before a step is halved. Default 12. */
  readonly iterations?: number;
  /**
   * `energy-momentum` without damping: rings that breathe, which is the method's own doing, are stilled and their energy is
   * given back to the motion. Default false.
   */
  readonly calmRings?: boolean;
  /** `deti`: the force filter as printed, which is biased, in place of the consistent one. Default false. */
  readonly paperFilter?: boolean;
  /** `deti`: matrix functions by all eigenvectors (`eigenbasis`, default), or by Lanczos (`krylov`). */
  readonly functions?: 'eigenbasis' | 'krylov';
  /** `deti`: further damping coefficients α2, α3 … of M Σ αᵢ(M⁻¹K)ⁱ [s³, s⁵ …]; α0, α1 are the material's. */
  readonly series?: readonly number[];
}
