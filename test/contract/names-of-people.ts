import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { permissions } from '../../src/domain/access/grants.ts';
import { ownContextUrl } from '../../src/domain/integrity/contexts/own.ts';
import { cidOf, cidUrn, codecs } from '../../src/domain/integrity/identifiers/cid.ts';
import { startProvider } from '../access/provider.ts';
import { json as jsonBody, oidcSettings, sendAs, tokenWith } from '../http/access-world.ts';
import { useService } from '../http/service.ts';
import type { StoreKind } from '../http/service-store.ts';
import { type Json, signedCredential, signingKey } from '../http/trusted-statements.ts';

const provider = await startProvider();
type Signing = ReturnType<typeof signingKey>;

/** Who may name a DID, by requests to a service. */
export function namesOfPeopleContract(kind: StoreKind): void {
  const service = useService(
    { ...oidcSettings(provider), CAIRN_SERVICE_NAME: 'the factory' },
    undefined,
    kind,
  );
  let token = '';
  beforeAll(async () => {
    token = await tokenWith(provider, { '*': permissions }, { sub: 'anybody' });
  });
  afterAll(async () => await provider[Symbol.asyncDispose]());

  const ask = (method: string, path: string, body?: unknown) =>
    sendAs(service, token, { method, path, ...(body !== undefined && jsonBody(body)) });

  let count = 0;
  function statement(registeredBy: string, fields: Json): Json {
    count += 1;
    const timestamp = new Date(Date.UTC(2026, 0, 1, 0, 0, count)).toISOString().replace('.000', '');
    return { '@context': ownContextUrl, registeredBy, timestamp, ...fields };
  }
  async function put(given: Json, more: Json = {}): Promise<number> {
    const { status } = await ask('PUT', '/statements/v1', { statement: given, generate_id: true, ...more });
    return status;
  }

  /** The requests that give a name, which may come in any order. */
  async function stepsOf(name: string, by: Signing, { subject = by.key.did, registrant = by.key.did } = {}) {
    const document = JSON.stringify({ name });
    const metadata = cidUrn(cidOf(codecs.jcs, document));
    const naming = statement(registrant, { '@type': 'MetadataRegistration', subject, metadata });
    const { json } = await ask('POST', '/utils/v1/integrity/statement/compute-id', { statement: naming });
    const credential = await signedCredential(`urn:cid:${json.rdfc_cid}`, {}, by);
    const carrier = statement(by.key.did, { '@type': 'CredentialRegistration', credential });
    return [
      async () => expect((await ask('PUT', '/store/v1/jcs', JSON.parse(document))).status).toBeLessThan(202),
      async () => expect(await put(naming)).toBeLessThan(202),
      async () => expect(await put(carrier)).toBeLessThan(202),
    ] as const;
  }
  const nameOf = async (did: string) => (await ask('POST', '/names/v1', { ids: [did] })).json.names[did];

  test('a project has the name of its root graph, for those who may see it', async () => {
    const graph_id = randomUUID();
    const name = `<b>Loans</b>\n${'\u202e'.repeat(100)}${'x'.repeat(9_000)}`;
    expect((await ask('PUT', '/graph/v1', { graph_id, name: name.slice(0, 500) })).status).toBe(201);
    const [id, shown] = [`urn:uuid:${graph_id}`, expect.stringMatching(/^<b>Loans<\/b> x{187}$/)];
    expect(await nameOf(id)).toEqual(shown);
    const other = await tokenWith(provider, { [randomUUID()]: permissions }, { sub: 'other' });
    const asked = { method: 'POST', path: '/names/v1', ...jsonBody({ ids: [id] }) };
    expect((await sendAs(service, other, asked)).json).toEqual({ names: {} });
  });

  describe('a DID', () => {
    test('has the name that it has signed itself, in whatever order everything arrives', async () => {
      const order = fc.shuffledSubarray([0, 1, 2], { minLength: 3 });
      await fc.assert(
        fc.asyncProperty(order, async (places) => {
          const by = signingKey();
          const name = `Ada ${randomUUID()}`;
          const steps = await stepsOf(name, by);
          for (const at of places) {
            expect(await nameOf(by.key.did)).toBeUndefined();
            await steps[at as 0 | 1 | 2]();
          }
          expect(await nameOf(by.key.did)).toBe(name);
        }),
        { numRuns: 6 },
      );
    });

    test('is not named by anybody else, whatever they claim, sign or let the service sign', async () => {
      const [ada, mallory] = [signingKey(), signingKey()];
      for (const step of await stepsOf('Ada', ada)) await step();
      const subject = ada.key.did;
      for (const registrant of [mallory.key.did, subject])
        for (const step of await stepsOf('Mallory', mallory, { subject, registrant })) await step();
      const metadata = cidUrn(cidOf(codecs.jcs, '{"name":"Mallory"}'));
      const forged = statement(subject, { '@type': 'MetadataRegistration', subject, metadata });
      expect(await put(forged, { issue_vc: true })).toBeLessThan(202);
      expect(await nameOf(subject)).toBe('Ada');
      const { json } = await ask('GET', '/statements/v1?name=Mallory');
      expect(json.statements).toEqual([]);
    });

    test('of the service is not named by those for whom it signs', async () => {
      const path = `/statements/v1/create/did/${signingKey().key.did}`;
      const subject = (await ask('PUT', path)).json.statement.registeredBy;
      const metadata = cidUrn(cidOf(codecs.jcs, '{"name":"Mallory"}'));
      const naming = statement(subject, { '@type': 'MetadataRegistration', subject, metadata });
      expect(await put(naming, { issue_vc: true })).toBe(400);
      expect(await put(naming)).toBe(201);
      expect(await nameOf(subject)).toBe('the factory');
    });
  });
}
