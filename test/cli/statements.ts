import { ownContextUrl } from '../../src/domain/integrity/contexts/own.ts';

/** A small statement of the service's own vocabulary. */
export function didStatement(name: string | number) {
  return {
    '@context': ownContextUrl,
    '@type': 'DidRegistration',
    did: `did:example:${name}`,
    registeredBy: 'did:example:tester',
    timestamp: '2026-01-31T12:00:00Z',
  };
}

export function ndjson(statements: readonly unknown[]): string {
  return statements.map((statement) => `${JSON.stringify(statement)}\n`).join('');
}

export function didStatements(count: number, prefix = 'n'): ReturnType<typeof didStatement>[] {
  return Array.from({ length: count }, (_, at) => didStatement(`${prefix}${at}`));
}
