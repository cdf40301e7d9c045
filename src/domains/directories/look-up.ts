import type { Actor } from '../../kernel/context.ts'
import { notFound } from '../../kernel/errors.ts'
import { newId } from '../../kernel/ids.ts'
import { enqueueJob } from '../../kernel/jobs.ts'
import type { JobQueue } from '../../kernel/ports.ts'
import { UNVERIFIED_TAG } from '../configuration/flow/collects.ts'
import { ask, type Asking, isNobodys, refuseUnaskable } from './asking.ts'
import { claimTry, noteFailure, noteSuccess } from './circuit.ts'
import type { ConnectionRow } from './connections.ts'
import { mapFound, type Reading } from './bindings.ts'
import type { Mapped } from './engine/mapping.ts'
import type { DirectoryBinding, DirectoryInputs, DirectoryOutcome } from './engine/spec.ts'
import { keepAnswer, keyOf, logEmpty, type Looked, readCached } from './lookups.ts'
import { retryLookup } from './retry.ts'
import type { ConnectionStatus, OnFailure } from './tables.ts'

export type LookUpContext = Asking & { actor: Actor; queue: JobQueue }

export interface LookedUp {
  lookupId: string
  outcome: DirectoryOutcome
  cacheHit: boolean
  /** How to go on without an answer, as the connection says; null when there is one. */
  followed: OnFailure | null
  /** By binding, and how each is meant: prefilled, overwritten or locked. */
  answers: Record<string, unknown>
  modes: Record<string, DirectoryBinding['mode']>
  tags: string[]
}

/**
 * Asks the directory about one person, for a registration. A recent answer is used again; while the directory does not answer, or is
 * not ready, everybody goes on at once as `onFailure` says. Never inside a transaction: the directory may take its time.
 */
export async function lookUp(ctx: LookUpContext, code: string, inputs: DirectoryInputs, reading: Reading): Promise<LookedUp> {
  const [lookupId, key] = [newId(), keyOf(ctx, code, inputs)]
  const read = await readCached(ctx, code, { key, lookupId })
  if (!read) throw notFound(`No directory connection ${code} at this event`)
  const { connection, kept } = read
  if (kept) return { lookupId, cacheHit: true, followed: null, outcome: kept.outcome, ...filledBy(mapFound(connection, kept, reading)) }

  const unanswered: Looked = { lookupId, key, outcome: 'error', status: null, ms: null, tags: [] }
  if (USABLE.has(connection.status)) {
    refuseUnaskable(connection, inputs)
    if (isNobodys(connection, inputs)) {
      await logEmpty(ctx, connection, { ...unanswered, outcome: 'notFound' }, null)
      return { lookupId, outcome: 'notFound', cacheHit: false, followed: null, answers: {}, modes: {}, tags: [] }
    }
  }
  if (!(await mayAsk(ctx, connection))) return follow(ctx, connection, unanswered, inputs)
  const { answer, ms } = await ask(ctx, connection, inputs)
  const { outcome, httpStatus: status } = answer
  if (outcome === 'error') {
    await noteFailure(ctx, connection.id)
    return follow(ctx, connection, { ...unanswered, status, ms }, inputs)
  }
  await noteSuccess(ctx, connection.id)
  const mapped = mapFound(connection, answer, reading)
  await keepAnswer(ctx, connection, { lookupId, key, outcome, status, ms, tags: mapped.tags }, answer.record)
  return { lookupId, outcome, cacheHit: false, followed: null, ...filledBy(mapped) }
}

const USABLE: ReadonlySet<ConnectionStatus> = new Set(['ready', 'failing'] as const)

const filledBy = ({ answers, modes, tags }: Mapped) => ({ answers, modes, tags })

/** Ready ones are asked; of a failing one's callers, one a minute; drafts and those switched off never. */
async function mayAsk(ctx: Asking, { id, status }: ConnectionRow): Promise<boolean> {
  return status === 'ready' || (status === 'failing' && (await claimTry(ctx, id)))
}

async function follow(ctx: LookUpContext, connection: ConnectionRow, looked: Looked, inputs: DirectoryInputs): Promise<LookedUp> {
  const { on_failure: followed } = connection
  const tags = followed === 'allow' ? [UNVERIFIED_TAG] : []
  const told = { ...looked, tags }
  if (followed === 'queue') {
    // What is to be asked again and the job that asks exist together or not at all.
    await ctx.db.transaction().execute(async (db) => {
      await logEmpty({ ...ctx, db }, connection, told, inputs)
      const about = { connectionId: connection.id, lookupId: looked.lookupId }
      await enqueueJob({ ...ctx, db }, retryLookup, about, { eventId: ctx.event.id })
    })
  } else await logEmpty(ctx, connection, told, null)
  return { lookupId: looked.lookupId, outcome: 'error', cacheHit: false, followed, answers: {}, modes: {}, tags }
}
