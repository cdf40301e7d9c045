import { preconditionFailed } from '../../kernel/errors.ts'
import { readActiveConfig } from '../configuration/read.ts'
import { getFlow } from '../registration/event-snapshot.ts'
import { type AtPerson, managedGroup } from './managed-by.ts'
import { type GroupRow, seatsLeft } from './groups.ts'
import { exampleOf, memberColumns, sheetOf } from './member-columns.ts'

/** What must be known of each member before they are registered, as a list or as a sheet to fill in. */
export async function importTemplate(ctx: AtPerson, { groupCode, format }: { groupCode?: string | undefined; format: 'json' | 'csv' }) {
  const group = await managedGroup(ctx, groupCode)
  const configuration = await readActiveConfig(ctx)
  if (!configuration) throw preconditionFailed(`${ctx.event.code} is not published yet`)
  const columns = memberColumns(configuration, getFlow(configuration, group.flow_slug), group)
  return {
    group: { code: group.code, name: group.name, ...seatsOf(group) },
    columns,
    ...(format === 'csv' ? { csv: sheetOf(columns) } : {}),
    example: exampleOf(columns, configuration.facts),
  }
}

/** A group without a limit has no number to tell. */
export const seatsOf = (group: GroupRow): { seatsLeft?: number } => (group.max_members === null ? {} : { seatsLeft: seatsLeft(group) })
