/** Colours of code on the site: comments, strings, keys, words and numbers, found by one expression per language. */

const text = String.raw`(?<string>"[^"\n]*"|'[^'\n]*')`;
const number = String.raw`(?<number>(?<![\w.])-?\d[\d.]*(?:e[+-]?\d+)?(?![\w.]))`;
const script = [
  String.raw`(?<comment>\/\/.*|\/\*[\s\S]*?\*\/)`,
  '(?<string>"[^"\\n]*"|\'[^\'\\n]*\'|`[^`]*`)',
  String.raw`(?<word>\b(?:import|export|from|const|let|function|return|async|await|new|for|of|while|if|else|try|catch|throw|interface|type|true|false|undefined)\b)`,
  number,
].join('|');
const shell = [String.raw`(?<comment>(?<=^|\s)#.*)`, text, String.raw`(?<key>(?<=\s)--?[a-zA-Z][\w-]*)`].join('|');
const python = [
  '(?<comment>#.*)',
  text,
  String.raw`(?<word>\b(?:import|from|as|for|in|if|else|def|return|print|with|lambda)\b)`,
  number,
].join('|');

const rules: Readonly<Record<string, string>> = {
  yaml: [
    String.raw`(?<comment>(?<=^|\s)#.*)`,
    text,
    String.raw`(?<key>[\w$.-]+(?=:(?:\s|$)))`,
    String.raw`(?<word>\b(?:true|false|null)\b)`,
    number,
  ].join('|'),
  json: [String.raw`(?<key>"[^"\n]*"(?=\s*:))`, text, String.raw`(?<word>\b(?:true|false|null)\b)`, number].join('|'),
  ts: script,
  js: script,
  tsx: script,
  jsx: script,
  sh: shell,
  bash: shell,
  python,
  py: python,
};

/** Text as HTML. */
export const escaped = (plain: string): string =>
  plain.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');

/** Code as HTML with coloured spans; plain text for a language without rules. */
export function highlight(code: string, language: string): string {
  const rule = rules[language];
  if (rule === undefined) return escaped(code);
  let html = '';
  let at = 0;
  for (const match of code.matchAll(new RegExp(rule, 'gm'))) {
    const kind = Object.entries(match.groups ?? {}).find(([, found]) => found !== undefined)?.[0];
    html += `${escaped(code.slice(at, match.index))}<span class="${kind}">${escaped(match[0])}</span>`;
    at = match.index + match[0].length;
  }
  return html + escaped(code.slice(at));
}
