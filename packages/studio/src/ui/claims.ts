/** The claim of each case, from the page that stands beside it. */
const pages = import.meta.glob<string>('../../../../cases/*/README.md', {
  query: '?raw',
  import: 'default',
  eager: true,
});

export function claimOf(id: string): string | undefined {
  const page = Object.entries(pages).find(([path]) => path.endsWith(`/${id}/README.md`))?.[1];
  const found = /\*\*Claim\.\*\*([\s\S]*?)(?:\n\s*\n|\n\*\*)/.exec(page ?? '')?.[1];
  return found
    ?.replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replace(/[*`]/g, '')
    .replace(/\s+/g, ' ')
    .trim();
}
