/** Made by vite.config.ts. */
declare module 'virtual:cases' {
  export const cases: readonly import('./protocol.ts').CaseInfo[];
}
