/** Groups of cases, in the order in which a gallery shows them. */
export const caseGroups = {
  classics: 'Classical theory',
  bergou2008: 'Discrete elastic rods · Bergou 2008',
  bertails2006: 'Super-helices · Bertails 2006',
  hadap2006: 'Oriented strands · Hadap 2006',
  fibers: 'Stiff fibers',
  cosserat: 'Cosserat rods',
  hair: 'Hair and mass-springs',
  contact: 'Contact and knots',
  laws: 'Laws that must hold',
} as const;

/** What a gallery can be filtered by. */
export const caseTopics = ['hair', 'knots', 'contact', 'theory', 'art'] as const;

/** One of `caseTopics`. */
export type CaseTopic = (typeof caseTopics)[number];

/** Key of `caseGroups`. */
export type CaseGroup = keyof typeof caseGroups;
