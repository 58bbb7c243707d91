import pMap from 'p-map';
import { z } from 'zod';
import { mostSmall, type smallBlobQuestion, smallBlobs } from '../../../contract/integrity/blobs.ts';
import { foundStatements } from '../../../contract/integrity/findings.ts';
import { cidIn, cidUrn } from '../../../domain/integrity/identifiers/cid.ts';
import { parsedDocument } from '../../../domain/integrity/names/name.ts';
import { type RunFacts, runFactsIn } from '../../../domain/integrity/runs/run-document.ts';
import { type ApiClient, answerJson, jsonBody } from '../../client/api-client.ts';

const itemShape = z.object({
  path: z.string().min(1),
  size: z.number().optional(),
  outside: z.boolean().optional(),
  /** An output with the content of an input or of the program. */
  copy: z.boolean().optional(),
});

/** A file or folder as a run knew it. */
export interface RecordedItem extends Readonly<z.output<typeof itemShape>> {
  /** With `urn:cid:`. */
  readonly cid: string;
}

export interface RecordedRun {
  readonly id: string;
  readonly facts: RunFacts;
  readonly program: readonly RecordedItem[];
  readonly inputs: readonly RecordedItem[];
  readonly outputs: readonly RecordedItem[];
}

const list = z.union([z.string().transform((one) => [one]), z.array(z.string())]);
const common = { registeredBy: z.string(), timestamp: z.string() };
const computationShape = z.object({ ...common, computation: z.string(), input: list, output: list });
const metadataShape = z.object({ ...common, subject: z.string(), metadata: z.string() });

const pageSize = 1_000;
const pagesAtOnce = 3;

/** What `cairn record` has recorded in a graph: the run that was stored last comes first. Retracted runs do not count. */
export async function recordedRuns(client: ApiClient, graphId: string): Promise<RecordedRun[]> {
  const computations = await statementsOf(client, graphId, 'ComputationRegistration', computationShape);
  const metadata = await statementsOf(client, graphId, 'MetadataRegistration', metadataShape);
  // All statements about a run have one registrant and one time.
  const keyOf = (subject: string, { registeredBy, timestamp }: { registeredBy: string; timestamp: string }) =>
    `${registeredBy} ${timestamp} ${subject}`;
  const documentsOf = new Map<string, string[]>();
  for (const { said } of metadata) {
    const key = keyOf(said.subject, said);
    documentsOf.set(key, [...(documentsOf.get(key) ?? []), said.metadata]);
  }
  const asked = computations.flatMap(({ id, said }) =>
    [id, said.computation, ...said.input, ...said.output].flatMap(
      (one) => documentsOf.get(keyOf(one, said)) ?? [],
    ),
  );
  const documents = await readDocuments(client, asked);
  return computations.flatMap(({ id, said }) => {
    const about = (subject: string) =>
      (documentsOf.get(keyOf(subject, said)) ?? []).map((document) => documents.get(document));
    const itemsAt = (cids: readonly string[]) =>
      cids.flatMap((cid) =>
        about(cid).flatMap((document) => {
          const { data } = itemShape.safeParse(document);
          return data ? [{ ...data, cid }] : [];
        }),
      );
    const facts = about(id)
      .map(runFactsIn)
      .find((one) => one !== undefined);
    if (!facts) return [];
    const outputs = itemsAt(said.output);
    const copies = new Set(outputs.filter(({ copy }) => copy).map(({ cid }) => cid));
    const isOriginal = ({ copy }: RecordedItem) => !copy;
    const program = itemsAt([said.computation]).filter(isOriginal);
    // Without inputs, the program stands for them.
    const inputs = itemsAt(said.input.filter((one) => one !== said.computation)).filter(isOriginal);
    const written = outputs.filter(({ cid, copy }) => copy || !copies.has(cid));
    return [{ id, facts, program, inputs, outputs: written }];
  });
}

interface Found<Said> {
  readonly id: string;
  readonly said: Said;
}

async function statementsOf<Schema extends z.ZodType>(
  client: ApiClient,
  graphId: string,
  type: string,
  shape: Schema,
): Promise<Found<z.output<Schema>>[]> {
  const found: Found<z.output<Schema>>[] = [];
  for (let cursor: string | undefined; ; ) {
    const query = new URLSearchParams({
      type,
      graph_id: graphId,
      limit: String(pageSize),
      ...(cursor !== undefined && { cursor }),
    });
    const page = await answerJson(await client.send('GET', `/statements/v1?${query}`), foundStatements);
    for (const { id, trust, statement } of page.statements) {
      const { data } = shape.safeParse(statement);
      if (data !== undefined && trust.state !== 'retracted') found.push({ id, said: data });
    }
    cursor = page.next_cursor;
    if (cursor === undefined) return found;
  }
}

/** Documents by their ids. Those that are missing, or are not JSON, are left out. */
async function readDocuments(client: ApiClient, ids: readonly string[]): Promise<Map<string, unknown>> {
  const cids = [...new Set(ids.flatMap((id) => cidIn(id)?.text ?? []))];
  const pages = Array.from({ length: Math.ceil(cids.length / mostSmall) }, (_, at) =>
    cids.slice(at * mostSmall, (at + 1) * mostSmall),
  );
  const read = async (page: string[]) => {
    const question = jsonBody<typeof smallBlobQuestion>({ cids: page });
    const answer = await answerJson(await client.send('POST', '/store/v1/small', question), smallBlobs);
    return answer.blobs.map(({ cid, blob }): [string, unknown] => [
      cidUrn(cid),
      parsedDocument(Buffer.from(blob, 'base64')),
    ]);
  };
  return new Map((await pMap(pages, read, { concurrency: pagesAtOnce })).flat());
}
