/** What the pool and its worker processes say to each other. */
import type { Outcome } from '../run/execute.ts';
import type { Plan, RunSpec } from '../study/planTypes.ts';

export type ToWorker =
  | { readonly type: 'plan'; readonly id: string; readonly plan: Plan }
  | { readonly type: 'forget'; readonly id: string }
  | { readonly type: 'run'; readonly id: string; readonly spec: RunSpec };

export type FromWorker = { readonly type: 'ready' } | { readonly type: 'outcome'; readonly outcome: Outcome };
