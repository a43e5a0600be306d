/** Made by vite.config.ts. */
declare module 'virtual:cases' {
  export const cases: readonly import('./protocol.ts').CaseInfo[];
}

declare module 'virtual:claims' {
  /** What each case claims, by its id. */
  export const claims: Readonly<Record<string, string | undefined>>;
}
