import type { EventContext } from '../../kernel/context.ts'
import { eventDb } from '../../kernel/scoped-db.ts'
import type { DirectoryFactsByConnection } from '../configuration/flow/collected-answers.ts'
import { listTagsAndFilledFields } from '../directories/connection-outputs.ts'

/** Reads the tags and failure policies of the event's member directories, with which lookups are simulated. No directory is queried. */
export async function readDirectoryTagsAndPolicies(
  ctx: Pick<EventContext, 'db' | 'tenantId' | 'event'>,
): Promise<DirectoryFactsByConnection> {
  const rows = await eventDb(ctx).selectFrom('directory_connections').select(['code', 'tag_rules', 'bindings', 'on_failure']).execute()
  return Object.fromEntries(rows.map((row) => [row.code, { tags: listTagsAndFilledFields(row).tags, onFailure: row.on_failure }]))
}
