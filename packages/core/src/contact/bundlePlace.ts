/** Location of a rod or body of the scene: its bundle, and its index there. */
export interface BundlePlace {
  readonly bundle: number;
  readonly index: number;
}
