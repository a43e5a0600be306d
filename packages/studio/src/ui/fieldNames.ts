/** What the inspector calls the fields of a scene. */

/** What symbols of mechanics are called. */
const called: Readonly<Record<string, string>> = {
  E: "Young's modulus",
  G: 'Shear modulus',
  nu: "Poisson's ratio",
  mu: 'Friction',
  EA: 'Stretching stiffness',
  EI1: 'Bending stiffness',
  EI2: 'Bending stiffness',
  GJ: 'Twisting stiffness',
  d1: 'First axis of the section',
  a: 'Semi-axis',
  b: 'Semi-axis',
};

/** As they are printed. */
const symbols: Readonly<Record<string, string>> = { nu: 'ν', mu: 'μ', EI1: 'EI₁', EI2: 'EI₂', d1: 'd₁' };

export function words(name: string): string {
  if (called[name]) return called[name];
  const spaced = name.replace(/([a-z])([A-Z])/g, '$1 $2');
  return /^[A-Z]{1,3}\d?$/.test(name) ? name : spaced.charAt(0).toUpperCase() + spaced.slice(1).toLowerCase();
}

/** Two stiffnesses have one name: for those who hear it, the symbol is part of it. */
export const fullName = (name: string): string => (called[name] ? `${words(name)} ${name}` : words(name));

/** Printed beside the name of a quantity that has one. */
export const symbolOf = (name: string): string | undefined => (called[name] ? (symbols[name] ?? name) : undefined);
