/** What a factorization does at a pivot that is not positive: returns false, or counts it and goes on. */
export type PivotRule = 'stop-at-negative' | 'count-negative';
