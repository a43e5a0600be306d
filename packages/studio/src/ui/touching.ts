/** Which ways to step a rod have no answer to contact, said before one of them is chosen; core refuses them. */

const untouchable: Readonly<Record<string, string>> = {
  cosserat: 'Cosserat rods',
  massspring: 'Mass-springs',
  'der/shake': 'Rods that are stepped by shake',
};

/** Whether anything can touch, by the scene's values. */
function touches(values: unknown): boolean {
  const { colliders, contact } = (values ?? {}) as { colliders?: unknown[]; contact?: { between?: string } };
  return (colliders?.length ?? 0) > 0 || (contact !== undefined && (contact?.between ?? 'pairs') === 'pairs');
}

/** Why a variant does not run the scene; undefined where contact is no obstacle. */
export function cannotTouch(variant: string, values: unknown): string | undefined {
  const who = untouchable[variant];
  return who && touches(values) ? `${who} cannot touch anything, and in this scene things do` : undefined;
}
