import { eventDb } from '../../kernel/scoped-db.ts'
import type { ExhibitorQueryContext } from '../exhibitors/context.ts'
import type { BlockRequestRow } from './tables.ts'

type Requested = Pick<BlockRequestRow, 'group_id' | 'company_id'>

/** Reads the names of the groups and companies that requests belong to. */
export async function loadRequesterNameLookup(ctx: ExhibitorQueryContext, rows: readonly Requested[]): Promise<(row: Requested) => string> {
  const [groupIds, companyIds] = [rows.flatMap(({ group_id }) => group_id ?? []), rows.flatMap(({ company_id }) => company_id ?? [])]
  const groups =
    groupIds.length === 0
      ? []
      : await eventDb(ctx).selectFrom('managed_groups').select(['id', 'name']).where('id', 'in', groupIds).execute()
  const companies =
    companyIds.length === 0 ? [] : await eventDb(ctx).selectFrom('companies').select(['id', 'name']).where('id', 'in', companyIds).execute()
  const names = new Map([...groups, ...companies].map(({ id, name }) => [id, name]))
  return ({ group_id, company_id }) => names.get(group_id ?? company_id ?? '') ?? ''
}

export const readRequesterName = async (ctx: ExhibitorQueryContext, row: Requested): Promise<string> =>
  (await loadRequesterNameLookup(ctx, [row]))(row)

export async function readHotelNames(ctx: ExhibitorQueryContext, ids: readonly string[]): Promise<Map<string, string>> {
  if (ids.length === 0) return new Map()
  const rows = await eventDb(ctx)
    .selectFrom('event_hotels')
    .select(['id', 'name'])
    .where('id', 'in', [...new Set(ids)])
    .execute()
  return new Map(rows.map(({ id, name }) => [id, name]))
}
