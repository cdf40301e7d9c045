import type { EventContext } from '../../kernel/context.ts'
import { preconditionFailed } from '../../kernel/errors.ts'
import { pointerOf } from '../configuration/pointers.ts'
import { type Configuration, readConfig } from '../configuration/read.ts'
import { allIssues } from './validate.ts'

/** A configuration whose flow can be gone through: nothing that it is made of or names is missing. */
export async function readUnbroken(ctx: EventContext, source: string, flowSlug: string): Promise<Configuration> {
  const configuration = await readConfig(ctx, source)
  const under = `${pointerOf(['flows', flowSlug])}/`
  const [broken] = (await allIssues(ctx, configuration)).filter(
    ({ level, path }) => (level === 'structure' || level === 'reference') && path.startsWith(under),
  )
  if (broken) {
    throw preconditionFailed(`The flow ${flowSlug} is broken, so nobody could go through it: ${broken.path}: ${broken.message}`, {
      fix: { tool: 'validate_schema', arguments: {}, here: true },
    })
  }
  return configuration
}
