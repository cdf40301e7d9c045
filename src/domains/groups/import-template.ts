import { preconditionFailed } from '../../kernel/errors.ts'
import { createCountryListDeduplicator } from '../configuration/field-descriptors.ts'
import { readConfigForRegistration } from '../configuration/read.ts'
import { getFlow } from '../registration/event-snapshot.ts'
import { type GroupManagerScope, getManagedGroup } from './managers.ts'
import { type GroupRow, countSeatsLeft } from './groups.ts'
import { buildExampleMember, listMemberColumns, formatMemberCsvTemplate } from './member-columns.ts'

/** Builds the template for registering members, as a list of columns or as a CSV file to fill in. */
export async function buildImportTemplate(
  ctx: GroupManagerScope,
  { groupCode, format }: { groupCode?: string | undefined; format: 'json' | 'csv' },
) {
  const group = await getManagedGroup(ctx, groupCode)
  const configuration = await readConfigForRegistration(ctx)
  if (!configuration) throw preconditionFailed(`${ctx.event.code} is not published yet`)
  const columns = listMemberColumns(configuration, getFlow(configuration, group.flow_slug), group)
  return {
    group: { code: group.code, name: group.name, ...toSeatsLeftResult(group) },
    columns: columns.map(createCountryListDeduplicator()),
    ...(format === 'csv' ? { csv: formatMemberCsvTemplate(columns) } : {}),
    example: buildExampleMember(columns, configuration.facts),
  }
}

/** Returns the number of free seats of a group; omitted for a group without a limit. */
export const toSeatsLeftResult = (group: GroupRow): { seatsLeft?: number } =>
  group.max_members === null ? {} : { seatsLeft: countSeatsLeft(group) }
