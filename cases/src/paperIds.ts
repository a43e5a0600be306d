/** Papers whose figures the cases repeat. */
export const paperIds = ['bergou2008', 'hadap2006', 'lou2013', 'michels2015', 'romero2021'] as const;

export type PaperId = (typeof paperIds)[number];
