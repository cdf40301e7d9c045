import { tenantDb } from './scoped-db.ts'
import { sql } from 'kysely'
import type { z } from 'zod'
import { toClientAndEventColumns, type BackgroundWorkContext, type BackgroundWorkScopeIds, type BackgroundWorkScope } from './background.ts'
import type { CardProcessors } from './cards.ts'
import type { Context } from './context.ts'
import type { ESignServices } from './esign.ts'
import { notFound } from './errors.ts'
import type { Fetcher } from './fetcher.ts'
import { newId } from './ids.ts'
import type { Db } from './columns.ts'
import type { FileStore, JobQueue, QueueSendOptions } from './ports.ts'

/** What an external call can use while it runs, such as the file store and transactions. */
export interface ExternalCallContext<Scope extends BackgroundWorkScope = BackgroundWorkScope> {
  /** The idempotency key, the same for every attempt, so that the other system acts once. */
  key: string
  fetcher: Fetcher
  cards: CardProcessors
  files: FileStore
  esign: ESignServices
  /** The signal that is aborted when the external call times out. */
  signal: AbortSignal
  /** Runs a separate transaction before the call, for example to read a credential. */
  inTransaction: <T>(run: (ctx: BackgroundWorkContext<Scope>) => Promise<T>) => Promise<T>
}

/**
 * Why an external call failed. `certain`: the other system rejected the call and did nothing. Otherwise the outcome is unknown and a
 * person has to check.
 */
export interface ExternalCallFailure {
  certain: boolean
  reason: string
}

/**
 * A call to another system that must take effect exactly once, such as a charge. Its row is written by the transaction that needs it.
 * After the commit it is called outside any transaction, under one idempotency key, until it succeeds. The response is applied (settled)
 * once, in its own transaction.
 */
export interface ExternalCall<Input = unknown, Answer = unknown, Scope extends BackgroundWorkScope = BackgroundWorkScope> {
  kind: string
  scope: Scope
  /** Schema of the call's input, which is stored as plain JSON and must not contain secrets. */
  input: z.ZodType<Input>
  answer: z.ZodType<Answer>
  timeoutSeconds?: number
  /**
   * How long the other system recognises an idempotency key, with a safety margin. After that, a retry with the same key would act a
   * second time.
   */
  keyLifetimeSeconds?: number
  /** The longest delay between two attempts. */
  maxRetrySeconds?: number
  /**
   * Calls the other system. A negative answer, such as a declined card, is returned. Throws `ExternalCallRejectedError` if the call will never
   * be accepted; any other error is retried.
   */
  call: (outside: ExternalCallContext<Scope>, input: Input) => Promise<Answer>
  /**
   * Applies the response in its own transaction. Returns the outcome, which is stored with the call. A sentence in its `alert` is
   * also logged as a warning.
   */
  settle: (ctx: BackgroundWorkContext<Scope>, input: Input, answer: Answer) => Promise<unknown>
  /**
   * Reports a response that could still not be applied after `MAX_FAILURES_BEFORE_ALERT` attempts, in a transaction of its own. The attempts
   * continue, and the runner also logs an alert.
   */
  stuck?: (ctx: BackgroundWorkContext<Scope>, input: Input, answer: Answer, failures: number) => Promise<unknown>
  giveUp: (ctx: BackgroundWorkContext<Scope>, input: Input, why: ExternalCallFailure) => Promise<unknown>
}

/** Thrown if the other system refused the call without doing anything, and would refuse a retry too. */
export class ExternalCallRejectedError extends Error {}

/**
 * Thrown if the other system has accepted the call but has no result yet, for example while the participant enters a card. It is queried
 * again later, without counting as a failure.
 */
export class ExternalCallPendingError extends Error {
  readonly afterSeconds: number

  constructor(afterSeconds: number) {
    super('the other side has no result yet')
    this.afterSeconds = afterSeconds
  }
}

export const defineExternalCall = <Input, Answer, Scope extends BackgroundWorkScope>(
  call: ExternalCall<Input, Answer, Scope>,
): ExternalCall<Input, Answer, Scope> => call

/** How long workers wait before they run a new external call, because the request that created it runs it first. */
const IN_REQUEST_SECONDS = 10

/**
 * Saves the call in the caller's transaction. With `here`, the request that saved it runs it right after the commit, and the worker only
 * if that fails.
 */
export async function scheduleExternalCall<Input, Answer, Scope extends BackgroundWorkScope>(
  ctx: Pick<Context, 'tenantId' | 'actor' | 'db' | 'queue'>,
  call: ExternalCall<Input, Answer, Scope>,
  input: Input,
  at: BackgroundWorkScopeIds<Scope>,
  { here: inRequest = false } = {},
): Promise<{ callId: string }> {
  const callId = newId()
  await ctx.db
    .insertInto('outside_calls')
    .values({
      tenant_id: ctx.tenantId,
      id: callId,
      ...toClientAndEventColumns(at),
      kind: call.kind,
      input: JSON.stringify(input),
      created_by: ctx.actor.id,
      created_by_name: ctx.actor.name,
    })
    .execute()
  const due = { tenantId: ctx.tenantId, callId, callKind: call.kind }
  await enqueueExternalCall(ctx.queue, ctx.db, due, { afterSeconds: inRequest ? IN_REQUEST_SECONDS : 0 })
  return { callId }
}

export interface DueExternalCall {
  tenantId: number
  callId: string
  /** The kind of the external call. Workers process calls to signing services separately from all others. */
  callKind: string
}

/** The prefix of the kinds of all calls to a signing service. */
const SIGNING_PREFIX = 'docusign-'

/** Enqueues an external call that is already stored in the database. */
export const enqueueExternalCall = (
  queue: JobQueue,
  db: Db,
  { tenantId, callId, callKind }: DueExternalCall,
  options?: QueueSendOptions,
): Promise<void> => queue.send(db, { kind: callKind.startsWith(SIGNING_PREFIX) ? 'signingCall' : 'outsideCall', tenantId, callId }, options)

/**
 * Makes the call due immediately after a notification about it. With `here`, no message is sent to the worker, because the caller
 * runs the call itself. A call that has ended is left alone.
 */
export async function makeExternalCallDueNow(
  { tenantId, db, queue }: Pick<Context, 'tenantId' | 'db' | 'queue'>,
  callId: string,
  { here = false } = {},
): Promise<void> {
  const woken = await tenantDb({ db, tenantId })
    .updateTable('outside_calls')
    .set({ next_attempt_at: sql<Date>`lanyard_now()` })
    .where('id', '=', callId)
    .where('status', 'in', ['waiting', 'calling'])
    .returning('kind as callKind')
    .executeTakeFirst()
  if (woken && !here) await enqueueExternalCall(queue, db, { tenantId, callId, ...woken })
}

export interface ExternalCallState {
  status: 'waiting' | 'calling' | 'settled' | 'givenUp'
  outcome: unknown
}

export async function getExternalCall(ctx: Pick<Context, 'tenantId' | 'db'>, callId: string): Promise<ExternalCallState> {
  const row = await tenantDb(ctx).selectFrom('outside_calls').select(['status', 'outcome']).where('id', '=', callId).executeTakeFirst()
  if (!row) throw notFound(`No call ${callId} here`)
  return row
}

/** Returns the input with which an external call was created. The input never changes. */
export async function getExternalCallInput(ctx: Pick<Context, 'tenantId' | 'db'>, callId: string): Promise<unknown> {
  const row = await tenantDb(ctx).selectFrom('outside_calls').select('input').where('id', '=', callId).executeTakeFirst()
  if (!row) throw notFound(`No call ${callId} here`)
  return row.input
}
