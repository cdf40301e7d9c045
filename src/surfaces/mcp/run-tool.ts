import { canonicalJson } from '../../kernel/canonical.ts'
import type { Actor } from '../../kernel/context.ts'
import type { Tool } from '../../kernel/tool.ts'
import type { Arguments } from './decode-arguments.ts'

/** What every road shares, whoever walks it. */

/** Runs the tool on the arguments it declared; those of scope and road it never sees. */
export const runTool = (tool: Tool, ctx: object, input: Arguments, reached?: unknown): Promise<unknown> =>
  tool.run(ctx as never, ownIn(tool, input) as never, reached as never)

/** What the tool asks of somebody outside. */
export const reachOut = async (tool: Tool, ctx: object, input: Arguments): Promise<unknown> =>
  tool.reach?.(ctx as never, ownIn(tool, input) as never)

function ownIn(tool: Tool, input: Arguments): Arguments {
  const own: Arguments = {}
  for (const name of tool.own) if (input[name] !== undefined) own[name] = input[name]
  return own
}

/** What a cursor of this call is bound to: caller, tool and filters. */
export const cursorScopeOf = ({ id }: Pick<Actor, 'id'>, tool: Tool, input: Arguments) =>
  `${id}|${tool.name}|${'cursor' in tool.input.shape ? canonicalJson(filtersIn(input)) : ''}`

const filtersIn = ({ limit: _limit, cursor: _cursor, ...filters }: Arguments) => filters
