import { toCanonicalJson } from '../../kernel/canonical.ts'
import type { SingleStatementChange } from '../../kernel/commit-change.ts'
import type { Actor } from '../../kernel/context.ts'
import type { Tool } from '../../kernel/tool.ts'
import type { CallArguments } from './decode-arguments.ts'

/** Runs the tool with its own arguments, without those that the pipeline reads, such as the event code and dryRun. */
export const runTool = (tool: Tool, ctx: object, input: CallArguments, prefetched?: unknown): Promise<unknown> =>
  tool.run(ctx as never, pickOwnArguments(tool, input) as never, prefetched as never)

/** Runs the tool as one SQL statement; null if that is not possible. */
export const runToolInOneStatement = async (
  tool: Tool,
  ctx: object,
  input: CallArguments,
  statement: SingleStatementChange,
): Promise<unknown> => (await tool.runAtOnce?.(ctx as never, pickOwnArguments(tool, input) as never, statement)) ?? null

/**
 * Claims the resource that only one call of the tool may use at a time, if the tool has one. Returns the function that releases the claim.
 */
export const acquireToolLock = async (tool: Tool, ctx: object, input: CallArguments): Promise<(() => Promise<void>) | null> =>
  tool.claim?.(ctx as never, pickOwnArguments(tool, input) as never) ?? null

/** Makes the tool's external requests before the transaction starts. */
export const runToolPrefetch = async (tool: Tool, ctx: object, input: CallArguments): Promise<unknown> =>
  tool.prefetch?.(ctx as never, pickOwnArguments(tool, input) as never)

function pickOwnArguments(tool: Tool, input: CallArguments): CallArguments {
  const own: CallArguments = {}
  for (const name of tool.ownArguments) if (input[name] !== undefined) own[name] = input[name]
  return own
}

/** The caller, tool and filters that a pagination cursor of this call is valid for. */
export const buildPageCursorScope = ({ id }: Pick<Actor, 'id'>, tool: Tool, input: CallArguments) =>
  `${id}|${tool.name}|${'cursor' in tool.input.shape ? toCanonicalJson(withoutPaging(input)) : ''}`

const withoutPaging = ({ limit: _limit, cursor: _cursor, ...filters }: CallArguments) => filters
