import { shortId } from '../../contract/words/text.ts';
import type { Facts } from '../../domain/integrity/policies/facts.ts';
import { plain } from '../report/words.ts';

const longestCommand = 60;

/** What the things of some facts are called. The names are foreign text on one line. */
export function namesIn({ things: { artefacts, computations, agents } }: Facts): (id: string) => string {
  return (id) => {
    const artefact = Object.hasOwn(artefacts, id) ? artefacts[id] : undefined;
    const computation = Object.hasOwn(computations, id) ? computations[id] : undefined;
    const agent = Object.hasOwn(agents, id) ? agents[id] : undefined;
    const [program = ''] = computation?.programs ?? [];
    const names = [
      artefact?.name,
      agent?.name,
      computation?.command,
      Object.hasOwn(artefacts, program) ? artefacts[program]?.name : undefined,
    ];
    const name = names.find((one) => one !== undefined && one !== '');
    return name === undefined ? plain(shortId(id)) : plain(name, longestCommand);
  };
}
