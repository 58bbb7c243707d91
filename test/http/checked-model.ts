import { blobUrn } from '../builders/statements.ts';
import { newGraph } from './manifest-samples.ts';
import { type Asked, send } from './service.ts';
import { type Json, signedCredential, signingKey, trusted } from './trusted-statements.ts';

export const reviewer = signingKey();

/** What the tests of checks store, signed by a builder and a reviewer. */
export function checkedModels(service: Asked) {
  const builder = trusted(service);

  /** Stores a statement in a graph, signed by a key. */
  async function put(graph_id: string, fields: Json, signing?: ReturnType<typeof signingKey>) {
    const registeredBy = signing?.key.did ?? builder.key.did;
    const statement = { ...builder.statement(), data: undefined, registeredBy, ...fields };
    const { json } = await builder.put(statement, { graph_id });
    const id = `urn:cid:${json.rdfc_cid}`;
    const credential = await signedCredential(id, {}, signing);
    await builder.put(builder.registration(credential), { graph_id });
    return id;
  }

  async function document(value: object): Promise<string> {
    return `urn:cid:${(await send(service, 'PUT', '/store/v1/jcs', value)).json.cid}`;
  }

  /** data → model, signed by the builder. */
  async function signedModel(name: string) {
    const graph = await newGraph(service);
    const [data, model] = [blobUrn(`${name}.csv`), blobUrn(`${name}.bin`)];
    const describe = async (subject: string, said: object) =>
      put(graph, { '@type': 'MetadataRegistration', subject, metadata: await document(said) });
    await describe(data, { name: `${name}.csv`, kind: 'dataset' });
    await describe(model, { name, kind: 'model' });
    const ends = {
      input: data,
      output: model,
      computation: blobUrn('train.py'),
      operatedBy: builder.key.did,
    };
    const run = await put(graph, { '@type': 'ComputationRegistration', ...ends });
    const facts = {
      type: 'CairnRun',
      version: 1,
      name: 'train',
      command: ['train', '--lr', '1'],
      exit_code: 0,
    };
    await describe(run, { ...facts, metrics: { accuracy: 0.93 } });
    const review = async (decision: string, signing = reviewer) => {
      const said = await document({ decision, comment: `It is ${decision}.` });
      return await put(graph, { '@type': 'GovernanceRegistration', subject: data, document: said }, signing);
    };
    return { graph, data, model, run, review };
  }

  return { builder, put, document, signedModel };
}
