import type { ConfigIssue } from '../issues.ts'
import type { EventConfig } from '../schema/event-config.ts'
import type { ExternalRecords } from './external-records.ts'

/**
 * Finds directory connections that refer to a missing tag or custom field. Connections are stored outside the document, so renames do not
 * update them, and these references have no effect until an organizer fixes them.
 */
export function findConnectionIssues(config: EventConfig, { connections }: ExternalRecords): ConfigIssue[] {
  const tags = new Set(config.tags.map(({ code }) => code))
  const fields = new Set(config.customFields.map(({ code }) => `@custom.${code}`))
  return [...connections].flatMap(([connection, gives]) => {
    const toIssue = (path: string, value: string, problem: string): ConfigIssue => ({
      level: 'warning',
      code: 'goneForDirectory',
      path,
      value,
      message: `the directory connection ${connection} ${problem}, which does not exist: change it with configure_directory_connection`,
    })
    return [
      ...(gives.tags ?? []).filter((tag) => !tags.has(tag)).map((tag) => toIssue('/tags', tag, `gives the tag ${tag}`)),
      ...(gives.fills ?? [])
        .filter((to) => to.startsWith('@custom.') && !fields.has(to))
        .map((to) => toIssue('/customFields', to, `fills in ${to}`)),
    ]
  })
}
