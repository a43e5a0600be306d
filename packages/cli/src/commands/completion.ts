/** `tendril completion <shell>`: a script that completes commands, options, their values and the names of cases. */
import { caseIds } from '@tendril-sim/cases/catalog';
import type { Command } from 'commander';
import type { Shell } from '../choices.ts';

interface Verb {
  /** Words of the command: `run`, or `sweep merge`. */
  readonly words: readonly string[];
  readonly description: string;
  readonly options: readonly {
    readonly flags: readonly string[];
    readonly text: string;
    readonly choices: readonly string[];
  }[];
  /** Subcommands, and names of cases if it takes one. */
  readonly arguments: readonly string[];
}

export function completion(program: Command, shell: Shell): string {
  return writers[shell](listVerbs(program, []));
}

function listVerbs(command: Command, words: readonly string[]): Verb[] {
  const takesCase = command.registeredArguments.some((argument) => /^(scene|cases)$/.test(argument.name()));
  const below = command.commands.filter((one) => one.name() !== 'help');
  const own: Verb = {
    words,
    description: command.description(),
    options: command.options.map((option) => ({
      flags: [option.long, option.short].filter((flag): flag is string => Boolean(flag)),
      text: option.description,
      choices: option.argChoices ?? [],
    })),
    arguments: [...below.map((one) => one.name()), ...(takesCase ? caseIds : [])],
  };
  return [own, ...below.flatMap((one) => listVerbs(one, [...words, one.name()]))];
}

/** Text in single quotes, valid in all supported shells. */
const quote = (text: string): string => `'${text.replaceAll("'", '’')}'`;
const longOf = (flags: readonly string[]): string => flags[0];

const writers: Readonly<Record<Shell, (verbs: readonly Verb[]) => string>> = { bash, zsh, fish };

/** The words of a command as a pattern of `case`, and the lines that offer completions. */
function bash(verbs: readonly Verb[]): string {
  const cases = verbs.map(
    ({ words, options, arguments: names }) =>
      `    ${quote(words.join(' '))}) words=${quote([...options.flatMap(({ flags }) => flags), '--help', ...names].join(' '))} ;;`,
  );
  const values = verbs.flatMap(({ words, options }) =>
    options
      .filter(({ choices }) => choices.length > 0)
      .flatMap(({ flags, choices }) =>
        flags.map((flag) => `    ${quote([...words, flag].join(' '))}) words=${quote(choices.join(' '))} ;;`),
      ),
  );
  const parents = verbs.filter(({ words }) => words.length === 2).map(({ words }) => quote(words.join(' ')));
  return `# completion of tendril for bash: source <(tendril completion bash)
_tendril() {
  local current="\${COMP_WORDS[COMP_CWORD]}" before="\${COMP_WORDS[COMP_CWORD-1]}" verb='' words=''
  if (( COMP_CWORD > 1 )); then verb="\${COMP_WORDS[1]}"; fi
  if (( COMP_CWORD > 2 )); then
    case "$verb \${COMP_WORDS[2]}" in
      ${parents.join('|')}) verb="$verb \${COMP_WORDS[2]}" ;;
    esac
  fi
  case "$verb $before" in
${values.join('\n')}
    *) case "$verb" in
${cases.join('\n')}
    esac ;;
  esac
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -o default -F _tendril tendril
`;
}

function zsh(verbs: readonly Verb[]): string {
  const [program, ...others] = verbs;
  const describe = (text: string): string => text.replace(/[:[\]]/g, ' ');
  const cases = others
    .filter(({ words }) => words.length === 1)
    .map(({ words: [name], options, arguments: names }) => {
      const lines = options.map(({ flags, text, choices }) => {
        const value = choices.length > 0 ? `:value:(${choices.join(' ')})` : '';
        return `        ${quote(`${longOf(flags)}[${describe(text)}]${value}`)} \\`;
      });
      const rest = names.length > 0 ? `_alternative 'names:name:(${names.join(' ')})' 'files:file:_files'` : '_files';
      return `      ${name})\n        _tendril_rest() { ${rest}; }\n        _arguments \\\n${lines.join('\n')}\n        '*:argument:_tendril_rest' ;;`;
    });
  const list = others
    .filter(({ words }) => words.length === 1)
    .map(({ words: [name], description }) => `    ${quote(`${name}:${describe(description)}`)}`);
  return `#compdef tendril
# completion of tendril for zsh: tendril completion zsh > "\${fpath[1]}/_tendril"
_tendril() {
  local -a verbs
  verbs=(
${list.join('\n')}
  )
  if (( CURRENT == 2 )); then
    _describe command verbs
    compadd -- ${program.options.flatMap(({ flags }) => flags).join(' ')}
  else
    local verb=$words[2]
    shift words; (( CURRENT-- ))
    case $verb in
${cases.join('\n')}
    esac
  fi
}
compdef _tendril tendril
`;
}

function fish(verbs: readonly Verb[]): string {
  const lines = verbs.flatMap(({ words, description, options, arguments: names }) => {
    const last = words.at(-1);
    const within =
      words.length === 0
        ? '__fish_use_subcommand'
        : words.map((word) => `__fish_seen_subcommand_from ${word}`).join('; and ');
    const parent =
      words.length === 1
        ? '__fish_use_subcommand'
        : words
            .slice(0, -1)
            .map((word) => `__fish_seen_subcommand_from ${word}`)
            .join('; and ');
    const verbsBelow = new Set(
      verbs.filter((one) => one.words.length === words.length + 1).map((one) => one.words.at(-1)),
    );
    const own = names.filter((name) => !verbsBelow.has(name));
    return [
      ...(last === undefined ? [] : [`complete -c tendril -n ${quote(parent)} -a ${last} -d ${quote(description)}`]),
      ...options.map(({ flags, text, choices }) => {
        const short = flags[1] ? ` -s ${flags[1].slice(1)}` : '';
        const value = choices.length > 0 ? ` -x -a ${quote(choices.join(' '))}` : '';
        return `complete -c tendril -n ${quote(within)} -l ${flags[0].slice(2)}${short}${value} -d ${quote(text)}`;
      }),
      ...(own.length > 0 && last !== undefined
        ? [`complete -c tendril -n ${quote(within)} -a ${quote(own.join(' '))}`]
        : []),
    ];
  });
  return `# completion of tendril for fish: tendril completion fish > ~/.config/fish/completions/tendril.fish\n${lines.join('\n')}\n`;
}
