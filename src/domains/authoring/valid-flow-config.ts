import type { EventContext } from '../../kernel/context.ts'
import { preconditionFailed } from '../../kernel/errors.ts'
import { toPointer } from '../configuration/pointers.ts'
import { type Configuration, readConfigBySelector } from '../configuration/read.ts'
import { listIssues } from './issues.ts'

/**
 * Reads a configuration. Throws if the registration flow has structure or reference issues, because no participant could complete the flow.
 */
export async function readConfigWithValidFlow(ctx: EventContext, source: string, flowSlug: string): Promise<Configuration> {
  const configuration = await readConfigBySelector(ctx, source)
  const under = `${toPointer(['flows', flowSlug])}/`
  const [broken] = (await listIssues(ctx, configuration)).filter(
    ({ level, path }) => (level === 'structure' || level === 'reference') && path.startsWith(under),
  )
  if (broken) {
    throw preconditionFailed(`The flow ${flowSlug} has errors, so it cannot be completed: ${broken.path}: ${broken.message}`, {
      fix: { tool: 'validate_schema', arguments: {}, here: true },
    })
  }
  return configuration
}
