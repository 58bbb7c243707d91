import { yieldToEventLoop } from '../../../yield-to-event-loop.ts';
import { traceLineage } from '../../lineage/lineage.ts';
import type { StatementScope } from '../../ports.ts';
import type { Retraction } from '../../retractions/effective.ts';
import { type Claim, retractionsIn } from '../../signatures/trust.ts';
import type { Artefact, Fact, Facts } from '../facts.ts';
import { retractedFact } from '../withdrawn.ts';
import { type Ancestry, ancestryOf } from './ancestry.ts';
import { artefactFacts, namedFiles } from './artefact-facts.ts';
import { billFacts } from './bill-facts.ts';
import { type ComputationFound, computationFacts, type NameOf } from './computation-facts.ts';
import { type Description, descriptionsOf } from './descriptions.ts';
import { governanceFacts } from './governance-facts.ts';
import { type Knowledge, readKnowledge } from './knowledge.ts';
import type { ExchangesFound, FactPorts, Wanted } from './ports.ts';

/** Without one of these, conditions read no other artefact than the subject. */
const beyondSubject = ['upstream', 'members', 'inputs', 'provenance', 'complete'];

/** An ancestry with more nodes is cut. */
const mostNodes = 10_000;
/** Each rule that lacks something looks through them. */
const mostRetracted = 1_000;

/**
 * What conditions can read about a subject, as its reader sees it. Retracted statements say nothing.
 * @param subject an identifier.
 * @throws ServiceError `not_found` if nothing visible speaks of it.
 */
export async function gatherFacts(
  ports: FactPorts,
  subject: string,
  scope: StatementScope,
  wanted: Wanted,
): Promise<Facts> {
  const trusting = { ...ports.trusting, knownDids: wanted.signers };
  const flows = ['upstream'] as const;
  const query = { start: subject, flows, limit: mostNodes, kinds: null, isBare: true as const };
  const gone = new Map<string, Retraction>();
  const retracted = async (claims: readonly Claim[]) => {
    const found = await retractionsIn(trusting, claims);
    for (const [id, one] of found) gone.set(id, one);
    return new Set(found.keys());
  };
  const ancestry = ancestryOf(await traceLineage(ports, query, scope, retracted));
  const { start, upstream, steps, isCut } = ancestry;
  const members = ancestry.members.get(start) ?? [];
  const others = beyondSubject.some(wanted.field) ? [...upstream, ...members] : [];
  const nodes = [...new Set([start, ...others])];
  const agents = agentsOf(ancestry);
  const things = { ancestry, nodes, agents };
  const { knowledge, statements } = await readKnowledge(ports, trusting, things, scope, wanted);
  const described = new Map<string, readonly Description[]>();
  for (const node of nodes) {
    described.set(node, descriptionsOf(node, knowledge));
    await yieldToEventLoop();
  }
  const computations = new Map<string, ComputationFound>();
  for (const [id, step] of steps) {
    computations.set(id, computationFacts(step, knowledge, namesIn(described)));
    await yieldToEventLoop();
  }
  const artefacts: Record<string, Artefact> = {};
  const readsBills = wanted.field('components') || wanted.field('vulnerabilities');
  for (const node of nodes) {
    const bills = readsBills ? await billFacts(ports, namedFiles(node, knowledge)) : {};
    const descriptions = described.get(node) ?? [];
    artefacts[node] = artefactFacts(node, { ancestry, knowledge, descriptions, computations, bills });
    await yieldToEventLoop();
  }
  const names = await ports.names(agents);
  const exchanges = wanted.field('exchanges')
    ? await ports.exchanges(agents)
    : new Map<string, ExchangesFound>();
  const ofAgents = agents.map((did) => {
    const found = { name: names.get(did), exchanges: exchanges.get(did) };
    return [did, agentFacts(did, found, ancestry, knowledge)];
  });
  const logged = statements.flatMap((id) => {
    const log = knowledge.logged(id);
    return log ? [[id, log] as const] : [];
  });
  const withdrawn = [
    ...gone.entries().map(([statement, retraction]) => {
      return retractedFact({ statement, kind: 'ComputationRegistration', of: start }, retraction);
    }),
    ...[...nodes, ...steps.keys(), ...agents].flatMap((thing) => knowledge.retracted(thing)),
  ];
  return {
    subject: start,
    upstream,
    members,
    computations: [...steps.keys()],
    agents,
    // A reader who sees no statement may see too little.
    ...(wanted.field('complete') && {
      complete: statements.length > 0 && (await ports.isComplete(statements)),
    }),
    ...(isCut && { cut: ['upstream', 'computations', 'agents', 'members'] }),
    things: {
      artefacts,
      computations: Object.fromEntries(computations.entries().map(([id, { fact }]) => [id, fact])),
      agents: Object.fromEntries(ofAgents),
    },
    ...(logged.length > 0 && { logged: Object.fromEntries(logged) }),
    service: [...ports.trusting.ownDids],
    faults: [],
    ...(ports.disputed.size > 0 && { disputed: [...ports.disputed] }),
    ...(withdrawn.length > 0 && { retracted: withdrawn.slice(0, mostRetracted) }),
  };
}

function namesIn(described: ReadonlyMap<string, readonly Description[]>): NameOf {
  return (id, signers) =>
    (described.get(id) ?? [])
      .filter((one) => signers.size === 0 || !one.signers.isDisjointFrom(signers))
      .map(({ name }) => name)
      .find((name) => name !== undefined);
}

function agentsOf({ start, steps }: Ancestry): string[] {
  const operators = steps.values().flatMap((step) => step.operators);
  return [...new Set([...(start.startsWith('did:') ? [start] : []), ...operators])];
}

function agentFacts(
  did: string,
  { name, exchanges }: { readonly name: string | undefined; readonly exchanges: ExchangesFound | undefined },
  { start, steps }: Ancestry,
  knowledge: Knowledge,
): Fact<'agent'> {
  const registrations = knowledge.statements(did, 'GovernanceRegistration');
  const { memberships, lacksDocument } = governanceFacts(registrations, knowledge);
  const operated = [...steps.values()].filter(({ operators }) => operators.includes(did)).map(({ id }) => id);
  return {
    id: did,
    ...(name !== undefined && { name }),
    operated,
    memberships,
    statements: operated.slice(0, 20),
    ...(exchanges ? { exchanges: exchanges.exchanges } : { unknown: { exchanges: 'not_visible' } }),
    cut: [
      // Nothing is behind an agent, and what it ran is not looked for.
      ...(did === start ? ['operated'] : []),
      ...(lacksDocument || knowledge.isCut(did) ? ['memberships'] : []),
      ...(exchanges?.isCut ? ['exchanges'] : []),
    ],
  };
}
