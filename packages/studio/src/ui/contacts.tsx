/** How things touch, in a line: how many places, how deep they overlap, how well that was solved. */
import type { JSX } from 'preact';
import type { ContactFacts } from '../protocol.ts';
import { formatLength } from '../view/frameCamera.ts';
import { Icon } from './icons.tsx';

export function Contacts({
  of,
  short = false,
}: {
  readonly of: ContactFacts | undefined;
  readonly short?: boolean;
}): JSX.Element | null {
  if (!of) return null;
  const { touching, overlap, iterations, missed, steps } = of;
  const places = touching === 0 ? 'no contact' : touching === 1 ? '1 contact' : `${touching} contacts`;
  const depth = overlap > 0 ? `, overlap up to ${formatLength(overlap)}` : '';
  const solved = `${iterations} iteration${iterations === 1 ? '' : 's'}`;
  const share = `${missed} of ${steps} steps`;
  return (
    <span
      class={`contacts ${short ? 'quiet' : ''}`}
      title={`Places that press on each other, the deepest overlap of their surfaces, and the iterations of the last step.${missed > 0 ? ` Contact was not solved to its tolerance in ${share}: raise contact.iterations, or take a smaller time.step.` : ''}`}
    >
      {places}
      {!short && depth}
      {touching > 0 && !short && <span class="quiet">, {solved}</span>}
      {missed > 0 && (
        <span class="contacts-missed">
          <Icon name="warn" size={13} /> {short ? missed : `not solved in ${share}`}
        </span>
      )}
    </span>
  );
}
