/** Where a rod or a body of the scene is: its bundle, and its index there. */
export interface BundlePlace {
  readonly bundle: number;
  readonly index: number;
}
