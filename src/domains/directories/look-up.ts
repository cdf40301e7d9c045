import type { Actor } from '../../kernel/context.ts'
import { notFound } from '../../kernel/errors.ts'
import { newId } from '../../kernel/ids.ts'
import { enqueueJob } from '../../kernel/jobs.ts'
import type { JobQueue } from '../../kernel/ports.ts'
import { UNVERIFIED_MEMBERSHIP_TAG } from '../configuration/flow/collected-answers.ts'
import { runDirectoryQuery, type DirectoryQueryContext, hasUnsendableInputs, requireLookupInputs } from './directory-query.ts'
import { claimCircuitBreakerProbe, recordLookupFailure, recordLookupSuccess } from './circuit.ts'
import type { ConnectionRow } from './connections.ts'
import { mapLookupResult, type MappingContext } from './bindings.ts'
import type { MappingResult } from './engine/mapping.ts'
import type { DirectoryFieldMapping, DirectoryLookupInputs, DirectoryLookupOutcome } from './engine/spec.ts'
import { saveLookupResult, computeLookupInputsHmac, logUnansweredLookup, type LookupLogEntry, readCachedLookupResult } from './lookups.ts'
import { retryLookup } from './retry.ts'
import type { ConnectionStatus, LookupFailurePolicy } from './tables.ts'

export type LookUpContext = DirectoryQueryContext & { actor: Actor; queue: JobQueue }

export interface LookupResult {
  lookupId: string
  outcome: DirectoryLookupOutcome
  cacheHit: boolean
  /** The failure policy (`onFailure`) that was applied; null when the directory answered. */
  followed: LookupFailurePolicy | null
  /**
   * Answers from the directory record, keyed by binding (question). The mode states whether the answer is prefilled, overwritten or
   * locked.
   */
  answers: Record<string, unknown>
  modes: Record<string, DirectoryFieldMapping['mode']>
  tags: string[]
}

/**
 * Looks up one person for a registration. A cached answer is reused. While the directory fails or is not ready, the result follows
 * `onFailure` immediately. Never call this inside a transaction: the directory may be slow.
 */
export async function lookUpPerson(
  ctx: LookUpContext,
  code: string,
  inputs: DirectoryLookupInputs,
  reading: MappingContext,
): Promise<LookupResult> {
  const [lookupId, key] = [newId(), computeLookupInputsHmac(ctx, code, inputs)]
  const read = await readCachedLookupResult(ctx, code, { key, lookupId })
  if (!read) throw notFound(`No directory connection ${code} at this event`)
  const { connection, kept } = read
  if (kept)
    return {
      lookupId,
      cacheHit: true,
      followed: null,
      outcome: kept.outcome,
      ...toFilledFields(mapLookupResult(connection, kept, reading)),
    }

  const unanswered: LookupLogEntry = { lookupId, key, outcome: 'error', status: null, ms: null, tags: [] }
  if (USABLE_STATUSES.has(connection.status)) {
    requireLookupInputs(connection, inputs)
    if (hasUnsendableInputs(connection, inputs)) {
      await logUnansweredLookup(ctx, connection, { ...unanswered, outcome: 'notFound' }, null)
      return { lookupId, outcome: 'notFound', cacheHit: false, followed: null, answers: {}, modes: {}, tags: [] }
    }
  }
  if (!(await canQuery(ctx, connection))) return applyFailurePolicy(ctx, connection, unanswered, inputs)
  const { answer, ms } = await runDirectoryQuery(ctx, connection, inputs)
  const { outcome, httpStatus: status } = answer
  if (outcome === 'error') {
    await recordLookupFailure(ctx, connection.id)
    return applyFailurePolicy(ctx, connection, { ...unanswered, status, ms }, inputs)
  }
  await recordLookupSuccess(ctx, connection.id)
  const mapped = mapLookupResult(connection, answer, reading)
  await saveLookupResult(ctx, connection, { lookupId, key, outcome, status, ms, tags: mapped.tags }, answer.record)
  return { lookupId, outcome, cacheHit: false, followed: null, ...toFilledFields(mapped) }
}

const USABLE_STATUSES: ReadonlySet<ConnectionStatus> = new Set(['ready', 'failing'] as const)

const toFilledFields = ({ answers, modes, tags }: MappingResult) => ({ answers, modes, tags })

/**
 * Whether a lookup may be sent to the directory. A ready connection always allows it, a failing one once per minute, a draft or disabled
 * one never.
 */
async function canQuery(ctx: DirectoryQueryContext, { id, status }: ConnectionRow): Promise<boolean> {
  return status === 'ready' || (status === 'failing' && (await claimCircuitBreakerProbe(ctx, id)))
}

async function applyFailurePolicy(
  ctx: LookUpContext,
  connection: ConnectionRow,
  lookup: LookupLogEntry,
  inputs: DirectoryLookupInputs,
): Promise<LookupResult> {
  const { on_failure: followed } = connection
  const tags = followed === 'allow' ? [UNVERIFIED_MEMBERSHIP_TAG] : []
  const logEntry = { ...lookup, tags }
  if (followed === 'queue') {
    // The pending lookup and its retry job are committed together.
    await ctx.db.transaction().execute(async (db) => {
      await logUnansweredLookup({ ...ctx, db }, connection, logEntry, inputs)
      const about = { connectionId: connection.id, lookupId: lookup.lookupId }
      await enqueueJob({ ...ctx, db }, retryLookup, about, { eventId: ctx.event.id })
    })
  } else await logUnansweredLookup(ctx, connection, logEntry, null)
  return { lookupId: lookup.lookupId, outcome: 'error', cacheHit: false, followed, answers: {}, modes: {}, tags }
}
