import type { AccountContext, ClientContext } from '../../../kernel/context.ts'
import { AppError } from '../../../kernel/errors.ts'

/**
 * Maximum number of queries of one client that run in this process, so that reports do not take the connections that registrations need.
 */
const MAX_PER_CLIENT = 4
const MAX_PER_APP = 2
const WAIT_MS = 2_000
const RETRY_AFTER_SECONDS = 5

interface Line {
  running: number
  waiting: (() => void)[]
}

const lines = new Map<string, Line>()

/** Runs a query once fewer than the allowed number of queries of the client and of the app are running. */
export async function limitQueries<T>(
  ctx: Pick<ClientContext, 'tenantId' | 'actor'> & { client: { id: string } },
  run: () => Promise<T>,
): Promise<T> {
  const { tenantId, client, actor } = ctx
  const leaveApp = await enter(`app ${tenantId} ${actor.id} ${actor.app.id ?? actor.app.name}`, MAX_PER_APP)
  try {
    const leaveClient = await enter(`client ${tenantId} ${client.id}`, MAX_PER_CLIENT)
    try {
      return await run()
    } finally {
      leaveClient()
    }
  } finally {
    leaveApp()
  }
}

/** Runs a query over several events, which together have one limit, like a client. */
export const limitAccountQueries = <T>(ctx: AccountContext, run: () => Promise<T>): Promise<T> =>
  limitQueries({ ...ctx, client: { id: 'several' } }, run)

async function enter(key: string, max: number): Promise<() => void> {
  const line = lines.get(key) ?? { running: 0, waiting: [] }
  lines.set(key, line)
  if (line.running < max) line.running++
  else await waitIn(line)
  return () => {
    const next = line.waiting.shift()
    if (next) return next()
    line.running--
    if (line.running === 0) lines.delete(key)
  }
}

function waitIn(line: Line): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const start = () => {
    clearTimeout(timer)
    resolve()
  }
  const timer = setTimeout(() => {
    line.waiting.splice(line.waiting.indexOf(start), 1)
    reject(new AppError('limit_exceeded', 'Other queries are still running. Try again.', { retryAfterSeconds: RETRY_AFTER_SECONDS }))
  }, WAIT_MS)
  line.waiting.push(start)
  return promise
}
