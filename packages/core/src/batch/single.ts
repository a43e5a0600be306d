/**
 * elementary.ts in single precision: polynomials, so that every target computes the same numbers to rounding.
 * The coefficients minimise the largest relative error (Lawson's iteration over Chebyshev nodes); the errors in the comments
 * are those of exact arithmetic and lie below the rounding of a float, 6e-8.
 */

/** sin(√s)/√s for s ≤ 4 (edges that turn by less than 4 rad in an iteration); error 4.4e-10. */
export function sineRatio(s: number): number {
  return (
    0.9999999996 +
    s * (-0.1666666596 + s * (0.008333314332 + s * (-0.000198393554 + s * (0.000002746876551 - s * 2.313486908e-8))))
  );
}

/** cos(√s) for s ≤ 4, by its series; error 3e-9 at s = 4. */
export function cosineOfRoot(s: number): number {
  return (
    1 +
    s *
      (-0.5 +
        s *
          (4.1666666667e-2 +
            s *
              (-1.3888888889e-3 +
                s * (2.4801587302e-5 + s * (-2.7557319224e-7 + s * (2.0876756988e-9 - s * 1.1470745598e-11))))))
  );
}

/** atan(√y)/√y for y ≤ 1; error 2.4e-9. */
export function arctangentRatio(y: number): number {
  return (
    0.9999999976 +
    y *
      (-0.3333328364 +
        y *
          (0.1999826603 +
            y *
              (-0.1426193304 +
                y *
                  (0.1094203031 +
                    y *
                      (-0.08377314415 +
                        y * (0.05755208416 + y * (-0.03080457921 + y * (0.0107269344 - y * 0.001753927987))))))))
  );
}

/** (1 − (θ/2) cot(θ/2))/θ² for θ ≤ π; error 1.3e-8. */
export function logarithmCoefficient(theta2: number): number {
  return (
    0.08333333438 +
    theta2 *
      (0.001388878652 +
        theta2 *
          (0.00003308501436 +
            theta2 *
              (8.171756603e-7 + theta2 * (2.350069036e-8 + theta2 * (1.709983229e-10 + theta2 * 3.544359795e-11)))))
  );
}
