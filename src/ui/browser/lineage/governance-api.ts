import type { GovernanceStatusesAnswer } from '../../../contract/integrity/governance.ts';
import { askJson } from '../api.ts';
import { askDocument as askBlob } from './lineage-api.ts';

export type ProjectGovernance = GovernanceStatusesAnswer['projects'][number];
export type Declaration = ProjectGovernance['declarations'][number];
export type Review = NonNullable<Declaration['review']>;
export type Certificate = ProjectGovernance['certificates'][number];

/** What stands for a subject in the projects that the reader may see. */
export async function askGovernance(id: string): Promise<readonly ProjectGovernance[]> {
  return (await askJson<GovernanceStatusesAnswer>(`/gov/v1/status/${encodeURIComponent(id)}`)).projects;
}

/** A JSON document; undefined if the reader cannot see it. */
export async function askDocument(cid: string): Promise<Record<string, unknown> | undefined> {
  return await askBlob(cid).catch(() => undefined);
}
