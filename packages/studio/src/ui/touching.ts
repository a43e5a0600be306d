/** Which ways to step a rod have no answer to contact, said before one of them is chosen; core refuses them. */

const untouchable: Readonly<Record<string, string>> = {
  cosserat: 'Cosserat rods',
  massspring: 'Mass-springs',
};

/** Whether anything can touch, by the scene's values. */
function touches(values: unknown): boolean {
  const { colliders, contact } = (values ?? {}) as { colliders?: unknown[]; contact?: { between?: string } };
  return (colliders?.length ?? 0) > 0 || (contact !== undefined && (contact?.between ?? 'pairs') === 'pairs');
}

interface Values {
  readonly rods?: readonly { readonly inextensible?: boolean }[];
}

/** Why a variant does not run the scene; undefined where contact is no obstacle. */
export function cannotTouch(variant: string, values: unknown): string | undefined {
  if (!touches(values)) return undefined;
  const { rods = [] } = (values ?? {}) as Values;
  if (variant === 'der/shake' && !rods.every(({ inextensible }) => inextensible === true))
    return 'Rods that are stepped by shake touch things only if they are inextensible';
  const who = untouchable[variant];
  return who ? `${who} cannot touch anything, and in this scene things do` : undefined;
}
