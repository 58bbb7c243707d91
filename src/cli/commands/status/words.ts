import { shortId } from '../../../contract/words/text.ts';
import { printableLine } from '../../terminal/output.ts';
import type { Reason } from './compare.ts';

const places = { output: 'it', program: 'the program', input: 'the input' };
type Place = keyof typeof places;

/** Why an output is out of date. @param shown how a path is written. */
export function reasonText(reason: Reason, shown: (path: string) => string): string {
  if (reason.code === 'run_failed') return 'the run that wrote it failed';
  const path = shown(reason.path);
  if (reason.code === 'input_remade')
    return `the input ${path} was made again by a later run (${shortId(reason.run)})`;
  if (reason.code === 'input_out_of_date') return `the input ${path} is out of date itself`;
  const [place, what] = reason.code.split('_') as [Place, string];
  const subject = place === 'output' ? places.output : `${places[place]} ${path}`;
  if ('problem' in reason) return `${subject} cannot be read: ${printableLine(reason.problem)}`;
  if ('moved_to' in reason && reason.moved_to !== undefined)
    return `${subject} is missing; the same content is at ${shown(reason.moved_to)}`;
  if (what === 'missing') return `${subject} is missing`;
  return place === 'output' ? 'it was changed after the run' : `${subject} has changed`;
}
