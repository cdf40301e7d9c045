import { sql } from 'kysely'
import type { z } from 'zod'
import { placeColumns, type WorkContext, type WorkPlace, type WorkScope } from './background.ts'
import type { CardProcessors } from './cards.ts'
import type { Context } from './context.ts'
import { notFound } from './errors.ts'
import type { Fetcher } from './fetcher.ts'
import { newId } from './ids.ts'

/** What a call may use of the outside and of our own rows. */
export interface Outside<Scope extends WorkScope = WorkScope> {
  /** The same for every try: the other side does a thing once however often it is asked under one key. */
  key: string
  fetcher: Fetcher
  cards: CardProcessors
  /** Ends when the call has had its time. */
  signal: AbortSignal
  /** A transaction of its own before the call, as to read a credential. */
  look: <T>(run: (ctx: WorkContext<Scope>) => Promise<T>) => Promise<T>
}

/** `certain`: the other side has refused, nothing was done there. Else nobody knows, and a person has to look. */
export interface GivenUp {
  certain: boolean
  reason: string
}

/**
 * A call to somebody outside that must have its effect once, as a charge. Its row is written by the transaction that wants it; after the
 * commit it is called outside of any transaction, under one key, as often as it takes; the answer is settled once, in a transaction of its own.
 */
export interface OutsideCall<Input = unknown, Answer = unknown, Scope extends WorkScope = WorkScope> {
  kind: string
  scope: Scope
  /** Stored as it is: no secrets. */
  input: z.ZodType<Input>
  answer: z.ZodType<Answer>
  timeoutSeconds?: number
  /** How long the other side recognises a key, less some. Asked under the same key after that it would do the thing again. */
  patienceSeconds?: number
  /** The longest wait between two tries. */
  retrySeconds?: number
  /** A no that is an answer, as a declined card, is returned. Throws `RefusedOutside` for what will never be accepted, anything else to be asked again. */
  call: (outside: Outside<Scope>, input: Input) => Promise<Answer>
  /** What it returns is the outcome that readers are told. A sentence in its `alert` is also said aloud in the log. */
  settle: (ctx: WorkContext<Scope>, input: Input, answer: Answer) => Promise<unknown>
  giveUp: (ctx: WorkContext<Scope>, input: Input, why: GivenUp) => Promise<unknown>
}

/** Nothing was done, and asking again would not change that. */
export class RefusedOutside extends Error {}

/** The other side has it and cannot say yet, as while somebody looks for their card: it is asked again after so long, and that is no fault. */
export class NotYet extends Error {
  readonly afterSeconds: number

  constructor(afterSeconds: number) {
    super('the other side does not know yet')
    this.afterSeconds = afterSeconds
  }
}

export const defineOutsideCall = <Input, Answer, Scope extends WorkScope>(
  call: OutsideCall<Input, Answer, Scope>,
): OutsideCall<Input, Answer, Scope> => call

/** How long a worker leaves a call to the request that wanted it. */
const REQUEST_SECONDS = 10

/** Writes down what is to be asked, in the caller's transaction. `here`: the caller runs it right after its commit, and the worker only if that came to nothing. */
export async function askOutside<Input, Answer, Scope extends WorkScope>(
  ctx: Pick<Context, 'tenantId' | 'actor' | 'db' | 'queue'>,
  call: OutsideCall<Input, Answer, Scope>,
  input: Input,
  at: WorkPlace<Scope>,
  { here = false } = {},
): Promise<{ callId: string }> {
  const callId = newId()
  await ctx.db
    .insertInto('outside_calls')
    .values({
      tenant_id: ctx.tenantId,
      id: callId,
      ...placeColumns(at),
      kind: call.kind,
      input: JSON.stringify(input),
      created_by: ctx.actor.id,
      created_by_name: ctx.actor.name,
    })
    .execute()
  await ctx.queue.send(ctx.db, { kind: 'outsideCall', tenantId: ctx.tenantId, callId }, { afterSeconds: here ? REQUEST_SECONDS : 0 })
  return { callId }
}

/** Something was heard of it: it is asked about now and not when it is next due, by the caller itself if that is `here`. Nothing happens to one that is over. */
export async function wakeOutsideCall(
  { tenantId, db, queue }: Pick<Context, 'tenantId' | 'db' | 'queue'>,
  callId: string,
  { here = false } = {},
): Promise<void> {
  const woken = await db
    .updateTable('outside_calls')
    .set({ next_attempt_at: sql<Date>`lanyard_now()` })
    .where('tenant_id', '=', tenantId)
    .where('id', '=', callId)
    .where('status', 'in', ['waiting', 'calling'])
    .returning('id')
    .executeTakeFirst()
  if (woken && !here) await queue.send(db, { kind: 'outsideCall', tenantId, callId })
}

export interface OutsideState {
  status: 'waiting' | 'calling' | 'settled' | 'givenUp'
  outcome: unknown
}

export async function getOutsideCall(ctx: Pick<Context, 'tenantId' | 'db'>, callId: string): Promise<OutsideState> {
  const row = await ctx.db
    .selectFrom('outside_calls')
    .select(['status', 'outcome'])
    .where('tenant_id', '=', ctx.tenantId)
    .where('id', '=', callId)
    .executeTakeFirst()
  if (!row) throw notFound(`No call ${callId} here`)
  return row
}
