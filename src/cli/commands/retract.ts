import type { Command } from 'commander';
import { findings } from '../../contract/integrity/findings.ts';
import {
  type putBatchBody,
  statementVerification,
  storedBatch,
} from '../../contract/integrity/statements.ts';
import { ownContextUrl } from '../../domain/integrity/contexts/own.ts';
import { cidIn, cidUrn, codecs } from '../../domain/integrity/identifiers/cid.ts';
import { statementTime } from '../../domain/integrity/identifiers/timestamp.ts';
import { type ApiClient, answerJson, jsonBody, openClient } from '../client/api-client.ts';
import { readClientSettings } from '../client/client-settings.ts';
import { chosenGraph } from '../client/graphs.ts';
import { ownKey } from '../client/own-key.ts';
import { failNo, failUsage } from '../terminal/failure.ts';
import type { Io } from '../terminal/io.ts';
import { say, writeText } from '../terminal/output.ts';

interface RetractFlags {
  readonly reason?: string;
  readonly graph?: string;
  readonly sign?: string;
  readonly json?: true;
}

const notes = `
Stores a RetractionRegistration, signed with your own key or that of --sign. It counts if this key has registered the
statement or signed the proof in it, or if you have registered the statement in the same project. The statement
stays readable. A retraction is final: to take it back, make the statement again with a new timestamp.

Exit codes: 0 the statement is retracted; 1 there is no such statement, or the retraction is stored and does not count;
2 wrong usage; 3 the service cannot be reached.

Examples:
  $ cairn retract bagb6qaq6e… --reason "The labels were wrong."
  $ cairn retract urn:cid:bagb6qaq6e… --sign my-key.json --graph training`;

export function retractCommand(program: Command, io: Io): void {
  program
    .command('retract')
    .description('withdraw a statement')
    .argument('<id>', 'the id of the statement (either of its CIDs)')
    .option('--reason <text>', 'why, for people who read the statement')
    .option(
      '--graph <graph>',
      'UUID or name of the graph of the retraction (default: the one of cairn.json, otherwise that of the statement)',
    )
    .option('--sign <key file>', 'sign with this key (default: your own key)')
    .option('--json', 'print the trust in the statement, with the id of the retraction, as JSON')
    .addHelpText('after', notes)
    .action(async (id: string, flags: RetractFlags) => await retract(io, id, flags));
}

/** The parts that `--json` prints. */
const printed = statementVerification.pick({ statement_id: true, registered_by: true, trust: true });

async function retract(io: Io, text: string, { reason, graph, sign, json }: RetractFlags): Promise<void> {
  const cid = cidIn(text);
  if (!cid || (cid.codec !== codecs.rdfc && cid.codec !== codecs.jcs))
    failUsage(`"${text.slice(0, 120)}" is not the id of a statement, such as urn:cid:bagb6qaq6e….`);
  if (reason?.trim() === '') failUsage('The reason is empty. Write one, or leave out --reason.');
  const settings = readClientSettings(io);
  const client = openClient(settings);
  const { statement_id: subject } = await verification(client, cid.text);
  const graphId = (await chosenGraph(client, settings, graph)) ?? (await graphOf(client, subject));
  const key = sign ?? (await ownKey(io)).file;
  const retraction = await store(client, key, { subject, reason, graphId });
  const after = await verification(client, cid.text);
  await writeText(io, `${json ? JSON.stringify({ ...after, retraction }) : retraction}\n`);
  if (after.trust.state === 'retracted') say(io, `${after.statement_id} is retracted.`);
  else
    failNo(
      `The retraction is stored, but it does not count: ${after.statement_id} is registered by ${after.registered_by ?? 'nobody'}. Sign with the key of this DID: --sign KEY.`,
    );
}

async function verification(client: ApiClient, id: string) {
  return await answerJson(await client.send('GET', `/statements/v1/id/${id}/verification`), printed);
}

/** A graph of the statement. Whoever registered it there may retract it there. */
async function graphOf(client: ApiClient, id: string): Promise<string | null> {
  const answer = await answerJson(await client.send('GET', `/cid/v1/find/${id}`), findings);
  const graphs = answer.statements.filter(({ role }) => role === 'self').flatMap((one) => one.graph_ids);
  return graphs[0] ?? null;
}

/** Stores a retraction and the credential about it. @returns the id of the retraction. */
async function store(
  client: ApiClient,
  keyFile: string,
  { subject, reason, graphId }: { subject: string; reason: string | undefined; graphId: string | null },
) {
  // JSON-LD takes time to load.
  const { openStatementSigning } = await import('../client/statement-signing.ts');
  const signing = await openStatementSigning(keyFile, []);
  const statement = {
    '@context': ownContextUrl,
    '@type': 'RetractionRegistration',
    registeredBy: signing.did,
    timestamp: statementTime(new Date()),
    subject,
    ...(reason !== undefined && { reason }),
  };
  const signed = await signing.sign(Buffer.from(JSON.stringify(statement)));
  const credential = JSON.parse(Buffer.from(signed).toString());
  const body = jsonBody<typeof putBatchBody>({
    statements: [statement, credential],
    generate_id: true,
    ...(graphId !== null && { graph_id: graphId }),
  });
  const answer = await client.send('PUT', '/statements/v1/batch', body);
  const [stored] = (await answerJson(answer, storedBatch)).results;
  const { text } = cidIn(stored?.statement_id ?? '') ?? failNo('The service has answered no id.');
  return cidUrn(text);
}
