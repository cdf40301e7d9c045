import { performance } from 'node:perf_hooks'
import {
  MAX_FAILURES_BEFORE_ALERT,
  endExternalCall,
  type LeasedExternalCall,
  saveExternalCallOutcome,
  rescheduleExternalCall,
  getSecondsUntilNextAttempt,
  leaseExternalCall,
} from '../../kernel/external-call-lease.ts'
import {
  getExternalCall,
  type ExternalCallFailure,
  ExternalCallPendingError,
  type ExternalCall,
  type ExternalCallState,
  ExternalCallRejectedError,
} from '../../kernel/external-calls.ts'
import { EMBEDDED_SIGNING_PROVIDER } from '../../kernel/esign.ts'
import type { QueueMessage } from '../../kernel/ports.ts'
import { LeaseLostError } from '../../kernel/lease.ts'
import type { AppServices } from '../services.ts'
import { runBackgroundJobStep } from './step.ts'

interface CallKey {
  tenantId: number
  callId: string
}

const TIMEOUT_SECONDS = 20
const DEFAULT_KEY_LIFETIME_SECONDS = 23 * 3600
/** Additional time of the worker's lease on a call after the timeout, for saving the response. */
const SETTLE_SECONDS = 15
const FIRST_RETRY_SECONDS = 5
const MAX_RETRY_SECONDS = 900
const MAX_CONCURRENT_CALLS = 10

/**
 * Runs external calls (such as card charges): each under its own idempotency key, with the response saved exactly once, regardless of
 * crashes and concurrent workers.
 */
export function createExternalCallRunner(services: AppServices) {
  const { database, queue, log } = services
  const byKind = new Map(services.externalCalls.map((call) => [call.kind, call]))
  const leaseOf = (kind: string) => (byKind.get(kind)?.timeoutSeconds ?? TIMEOUT_SECONDS) + SETTLE_SECONDS

  /** Attempts the external call once, if it is due and no other worker has leased it. */
  async function run(at: CallKey): Promise<void> {
    const held = await leaseExternalCall(database.write, at, leaseOf)
    if (!held) return
    try {
      const call = byKind.get(held.kind)
      if (!call) throw new Error(`there is no external call of the kind ${held.kind}`)
      await attemptOnce(call, held)
    } catch (error) {
      // Another worker has taken over the call and saves its response.
      if (error instanceof LeaseLostError) return
      if (error instanceof ExternalCallPendingError) return void (await rescheduleExternalCall(database.write, held, error))
      const { message } = error as Error
      log.error('external call', { name: nameOf(held), count: held.attempts, error: message })
      await rescheduleExternalCall(database.write, held, { afterSeconds: secondsToRetry(held, byKind.get(held.kind)) })
    }
  }

  async function attemptOnce(call: ExternalCall, held: LeasedExternalCall): Promise<void> {
    const input = call.input.parse(held.input)
    const giveUp = (why: ExternalCallFailure) =>
      end(held, 'givenUp', async (ctx) => ({ ...why, outcome: await call.giveUp(ctx, input, why) }))
    let answer = held.answer === null ? undefined : call.answer.parse(held.answer)
    if (answer === undefined) {
      if (held.ageSeconds > (call.keyLifetimeSeconds ?? DEFAULT_KEY_LIFETIME_SECONDS))
        return giveUp({ certain: false, reason: 'No response arrived in time, so it is unknown whether the call took effect' })
      try {
        answer = call.answer.parse(await callWithTimeout(call, held, input))
      } catch (error) {
        if (!(error instanceof ExternalCallRejectedError)) throw error
        return giveUp({ certain: true, reason: error.message })
      }
    }
    try {
      await end(held, 'settled', (ctx) => call.settle(ctx, input, answer))
    } catch (error) {
      if (!(error instanceof LeaseLostError)) {
        const failures = await rescheduleExternalCall(database.write, held, { afterSeconds: secondsToRetry(held, call), answer })
        if (failures === MAX_FAILURES_BEFORE_ALERT) await raiseAlert(call, held, { input, answer, reason: (error as Error).message })
      }
      throw error
    }
  }

  /** Alerts an operator that the other system has acted (such as charged a card), but its response could not be processed. */
  async function raiseAlert(
    call: ExternalCall,
    held: LeasedExternalCall,
    { input, answer, reason }: { input: unknown; answer: unknown; reason: string },
  ): Promise<void> {
    const error = `The response could not be settled in ${MAX_FAILURES_BEFORE_ALERT} attempts: ${reason}`
    log.error('needs manual review', { name: nameOf(held), tenant: String(held.tenantId), error })
    if (!call.stuck) return
    await runBackgroundJobStep(services, toWork(held), (ctx) => call.stuck!(ctx as never, input, answer, MAX_FAILURES_BEFORE_ALERT)).catch(
      (failed: Error) => log.error('external call', { name: nameOf(held), error: failed.message }),
    )
  }

  /**
   * Makes the call with a timeout, because the other system may never respond. A late response is ignored, and the call is retried under
   * the same key.
   */
  async function callWithTimeout(call: ExternalCall, held: LeasedExternalCall, input: unknown): Promise<unknown> {
    const signal = AbortSignal.timeout((call.timeoutSeconds ?? TIMEOUT_SECONDS) * 1000)
    const over = new Promise<never>((_, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true }))
    const inTransaction = <T>(read: (ctx: never) => Promise<T>) => runBackgroundJobStep(services, toWork(held), (ctx) => read(ctx as never))
    return Promise.race([
      call.call(
        {
          key: held.callId,
          fetcher: services.fetcher,
          cards: services.cards,
          files: services.files,
          esign: services.esign ?? EMBEDDED_SIGNING_PROVIDER,
          signal,
          inTransaction,
        },
        input,
      ),
      over,
    ])
  }

  async function end(held: LeasedExternalCall, status: 'settled' | 'givenUp', settle: (ctx: never) => Promise<unknown>): Promise<void> {
    const outcome = await runBackgroundJobStep(services, toWork(held), async (ctx) => {
      if (!(await endExternalCall(ctx.db, held, status))) throw new LeaseLostError()
      const settled = await settle(ctx as never)
      await saveExternalCallOutcome(ctx.db, held, settled)
      return settled
    })
    const { alert, certain, reason } = (outcome ?? {}) as { alert?: string } & Partial<ExternalCallFailure>
    if (alert || certain === false)
      log.error('needs manual review', { name: nameOf(held), tenant: String(held.tenantId), error: alert ?? reason ?? '' })
  }

  return {
    run,
    /** Handles a message of the queue: attempts the call, and enqueues the next attempt if the call is still open. */
    async deliver(delivery: Extract<QueueMessage, { callId: string }>): Promise<void> {
      await run(delivery)
      const seconds = await getSecondsUntilNextAttempt(database.write, delivery)
      if (seconds !== null) await queue.send(database.write, delivery, { afterSeconds: Math.ceil(seconds) })
    },
    /**
     * Settles a call for the request that created it, right after its commit: returns the outcome if it arrives in time, otherwise the
     * current state. The attempt continues in the background, and the worker retries it.
     */
    async settleSoon(at: CallKey, waitMs: number): Promise<ExternalCallState> {
      const { promise: timeout, resolve } = Promise.withResolvers<void>()
      const timer = setTimeout(resolve, waitMs)
      const running = run(at).catch((error: Error) => log.error('external call', { name: at.callId, error: error.message }))
      await Promise.race([running, timeout])
      clearTimeout(timer)
      return getExternalCall({ tenantId: at.tenantId, db: database.write }, at.callId)
    },
    /** Attempts several calls, a few concurrently, for as long as the request waits. The worker completes the others later. */
    async settleAllSoon(tenantId: number, callIds: readonly string[], waitMs: number): Promise<void> {
      const deadline = performance.now() + waitMs
      const left = [...callIds]
      const one = async () => {
        for (let callId = left.shift(); callId !== undefined; callId = left.shift()) {
          const remaining = deadline - performance.now()
          if (remaining <= 0) return
          await this.settleSoon({ tenantId, callId }, remaining)
        }
      }
      await Promise.all(Array.from({ length: MAX_CONCURRENT_CALLS }, one))
    },
  }
}

const nameOf = ({ kind, callId }: LeasedExternalCall) => `${kind} ${callId}`

const toWork = ({ kind, ...held }: LeasedExternalCall) => ({ name: kind, ...held })

/**
 * Returns the delay before the next attempt: exponential backoff, with jitter derived from the id, so that calls that failed together are
 * not retried together.
 */
function secondsToRetry(
  { callId, attempts }: LeasedExternalCall,
  { maxRetrySeconds = MAX_RETRY_SECONDS }: Partial<ExternalCall> = {},
): number {
  const planned = Math.min(maxRetrySeconds, FIRST_RETRY_SECONDS * 2 ** Math.min(attempts - 1, 16))
  return planned * (0.9 + (0.2 * Number.parseInt(callId.slice(-4), 16)) / 0xffff)
}
