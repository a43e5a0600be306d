/** Papers whose figures the cases repeat. */
export const paperIds = ['bergou2008', 'hadap2006', 'lou2013', 'michels2015', 'romero2021'] as const;

/** Id of a paper, as `tendril report --paper` takes it. */
export type PaperId = (typeof paperIds)[number];
