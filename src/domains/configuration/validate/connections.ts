import type { Issue } from '../issues.ts'
import type { EventConfig } from '../schema/event-config.ts'
import type { Surroundings } from './surroundings.ts'

/**
 * Directory connections that name a tag or a field which is not there. They are kept outside of the document, so a rename does not reach
 * them, and what they name has no effect until somebody mends them.
 */
export function connectionIssues(config: EventConfig, { connections }: Surroundings): Issue[] {
  const tags = new Set(config.tags.map(({ code }) => code))
  const fields = new Set(config.customFields.map(({ code }) => `@custom.${code}`))
  return [...connections].flatMap(([connection, gives]) => {
    const gone = (path: string, value: string, says: string): Issue => ({
      level: 'warning',
      code: 'goneForDirectory',
      path,
      value,
      message: `the directory connection ${connection} ${says}, which does not exist: change it with configure_directory_connection`,
    })
    return [
      ...(gives.tags ?? []).filter((tag) => !tags.has(tag)).map((tag) => gone('/tags', tag, `gives the tag ${tag}`)),
      ...(gives.fills ?? [])
        .filter((to) => to.startsWith('@custom.') && !fields.has(to))
        .map((to) => gone('/customFields', to, `fills in ${to}`)),
    ]
  })
}
