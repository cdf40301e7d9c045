import { performance } from 'node:perf_hooks'
import { canonicalJson } from '../../kernel/canonical.ts'
import type { Db } from '../../kernel/columns.ts'
import type { Actor } from '../../kernel/context.ts'
import { AppError } from '../../kernel/errors.ts'
import type { Database } from '../../kernel/ports.ts'
import type { Tool } from '../../kernel/tool.ts'
import type { Arguments } from './decode-arguments.ts'

/** What every road shares, whoever walks it. */

/** Runs the tool on the arguments it declared; those of scope and road it never sees. */
export const runTool = (tool: Tool, ctx: object, input: Arguments, reached?: unknown): Promise<unknown> =>
  tool.run(ctx as never, ownIn(tool, input) as never, reached as never)

/** What the tool asks of somebody outside; nothing for most. */
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

const TIME_LIMIT_MS = 20_000
const ATTEMPTS = 3

/** One transaction, tried again when it met another, and undone when it took too long. */
export async function transactInTime<T>(database: Database, name: string, within: (db: Db) => Promise<T>): Promise<T> {
  const deadline = performance.now() + TIME_LIMIT_MS
  for (let attempt = 1; ; attempt++) {
    try {
      return await database.transact(async (db) => {
        const result = await within(db)
        if (performance.now() > deadline)
          throw new AppError('unavailable', `${name} took longer than 20 seconds and was undone; try a smaller part`)
        return result
      })
    } catch (error) {
      if (attempt === ATTEMPTS || !isCollision(error)) throw error
    }
  }
}

/** Deadlocks and serialization failures are the database's way of saying "once more". */
const isCollision = (error: unknown) => ['40001', '40P01'].includes((error as { code?: string }).code ?? '')
