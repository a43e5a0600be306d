/**
 * A model's options described as data. `@tendril-sim/io` derives the scene's schema, its messages and its JSON Schema from the description, so that only
 * the model's folder names its options.
 */

type Sign = 'any' | 'positive' | 'nonnegative';

/** Dimensions that options have. */
type Dimension = 'length' | 'time' | 'angle' | 'curvature' | 'rate' | 'stiffnessPerMass';

interface Common {
  /** One sentence for the schema, with the unit and the default. */
  readonly about?: string;
  /** Inside `fields`: must be given. Options of a model are never required. */
  readonly required?: true;
  /** Former name of the option: scenes that use it are read, with a warning. */
  readonly formerName?: string;
}

/** Option that is one of several words. */
export interface Words<W extends string = string> extends Common {
  readonly kind: 'words';
  /** Words that are accepted. */
  readonly words: readonly W[];
  /** Former words, and their current names. */
  readonly former?: Readonly<Record<string, W>>;
}

/** True or false. */
export interface Flag extends Common {
  readonly kind: 'flag';
}

/** Option that is a number with a unit. */
export interface Numeric extends Common {
  /** `number`: a plain number. */
  readonly kind: 'number';
  /** Sign that the number must have. */
  readonly sign: Sign;
}

/** Option that is a whole number. */
export interface Whole extends Common {
  readonly kind: 'whole';
  /** Smallest number that is accepted. */
  readonly least: number;
}

/** A number in SI, or text with a unit; `vector`: three of them; `varying`: a value along the rod. */
export interface Quantity extends Common {
  /** How many numbers, and where they may vary. */
  readonly kind: 'quantity' | 'vector' | 'varying';
  /** Dimension, for units. */
  readonly of: Dimension;
  /** Sign that the number must have. Default: any. */
  readonly sign?: Sign;
}

/** Fields that the scene has elsewhere too: a factor in time, a point of a rod, a motion. */
export interface Shared extends Common {
  /** Which of these fields. */
  readonly kind: 'timed' | 'location' | 'path';
}

/** Option that is text. */
export interface Text extends Common {
  readonly kind: 'text';
  /** Kind of text, for messages. */
  readonly name: string;
}

/** Option that is a list. */
export interface List extends Common {
  readonly kind: 'list';
  /** Field of each entry. */
  readonly of: OptionField;
  /** Singular name of an entry, for messages. */
  readonly name: string;
  /** Smallest number of entries. Default 0. */
  readonly least?: number;
}

/** A list of fixed length, or one of several forms; `expected`: what would be right, for messages. */
export interface Several extends Common {
  /** `tuple`: all of them in order; `either`: one of them. */
  readonly kind: 'tuple' | 'either';
  /** Fields of the entries, or the forms. */
  readonly of: readonly OptionField[];
  /** What would be right, for messages. */
  readonly expected: string;
}

/** Option that is a group of options. */
export interface OptionGroup extends Common {
  readonly kind: 'fields';
  /** Name of the group, for messages. */
  readonly name: string;
  /** Options of the group, by name. */
  readonly fields: Readonly<Record<string, OptionField>>;
}

/** Description of one option of a model, from which schema and documentation follow. */
export type OptionField = Words | Flag | Numeric | Whole | Quantity | Shared | Text | List | Several | OptionGroup;

/** The field that describes values of type V: words and flags are held to their type. */
type FieldOf<V> = [V] extends [boolean]
  ? Flag
  : [V] extends [string]
    ? string extends V
      ? Text
      : Words<V>
    : OptionField;

/** A description of the options T, field by field. */
export type OptionFields<T> = { readonly [K in keyof Required<T>]: FieldOf<NonNullable<T[K]>> };
