import { performance } from 'node:perf_hooks'
import { endCall, type HeldCall, keepOutcome, leaveCall, secondsToWait, takeCall } from '../../kernel/outside-call-lease.ts'
import { getOutsideCall, type GivenUp, NotYet, type OutsideCall, type OutsideState, RefusedOutside } from '../../kernel/outside-calls.ts'
import { LeaseLost } from '../../kernel/lease.ts'
import type { Road } from '../road.ts'
import { keepStep } from './step.ts'

interface At {
  tenantId: number
  callId: string
}

const TIMEOUT_SECONDS = 20
const PATIENCE_SECONDS = 23 * 3600
/** Beyond its time, for settling. */
const SETTLE_SECONDS = 15
const FIRST_RETRY_SECONDS = 5
const LONGEST_RETRY_SECONDS = 900
const SIDE_BY_SIDE = 10

/** Runs calls to the outside: asks under the call's own key, and settles the answer once, whatever happens in between and however many try. */
export function outsideCallRunner(road: Road) {
  const { database, queue, log } = road
  const byKind = new Map(road.outsideCalls.map((call) => [call.kind, call]))
  const leaseOf = (kind: string) => (byKind.get(kind)?.timeoutSeconds ?? TIMEOUT_SECONDS) + SETTLE_SECONDS

  /** One try, if it is due and nobody else is at it. */
  async function run(at: At): Promise<void> {
    const held = await takeCall(database.write, at, leaseOf)
    if (!held) return
    try {
      const call = byKind.get(held.kind)
      if (!call) throw new Error(`there is no outside call of the kind ${held.kind}`)
      await tryOnce(call, held)
    } catch (error) {
      // Whoever took it over settles it.
      if (error instanceof LeaseLost) return
      if (error instanceof NotYet) return leaveCall(database.write, held, error)
      const { message } = error as Error
      log.error('outside call', { name: nameOf(held), count: held.attempts, error: message })
      await leaveCall(database.write, held, { afterSeconds: secondsToRetry(held, byKind.get(held.kind)) })
    }
  }

  async function tryOnce(call: OutsideCall, held: HeldCall): Promise<void> {
    const input = call.input.parse(held.input)
    const giveUp = (why: GivenUp) => end(held, 'givenUp', async (ctx) => ({ ...why, outcome: await call.giveUp(ctx, input, why) }))
    let answer = held.answer === null ? undefined : call.answer.parse(held.answer)
    if (answer === undefined) {
      if (held.ageSeconds > (call.patienceSeconds ?? PATIENCE_SECONDS))
        return giveUp({ certain: false, reason: 'No answer came in time, so nobody knows whether it was done' })
      try {
        answer = call.answer.parse(await inTime(call, held, input))
      } catch (error) {
        if (!(error instanceof RefusedOutside)) throw error
        return giveUp({ certain: true, reason: error.message })
      }
    }
    try {
      await end(held, 'settled', (ctx) => call.settle(ctx, input, answer))
    } catch (error) {
      if (!(error instanceof LeaseLost)) await leaveCall(database.write, held, { afterSeconds: secondsToRetry(held, call), answer })
      throw error
    }
  }

  /** The other side may hold the line for ever: what it says after its time is not heard, and it is asked again under the same key. */
  async function inTime(call: OutsideCall, held: HeldCall, input: unknown): Promise<unknown> {
    const signal = AbortSignal.timeout((call.timeoutSeconds ?? TIMEOUT_SECONDS) * 1000)
    const over = new Promise<never>((_, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true }))
    const look = <T>(read: (ctx: never) => Promise<T>) => keepStep(road, workOf(held), (ctx) => read(ctx as never))
    return Promise.race([call.call({ key: held.callId, fetcher: road.fetcher, cards: road.cards, signal, look }, input), over])
  }

  async function end(held: HeldCall, status: 'settled' | 'givenUp', settle: (ctx: never) => Promise<unknown>): Promise<void> {
    const outcome = await keepStep(road, workOf(held), async (ctx) => {
      if (!(await endCall(ctx.db, held, status))) throw new LeaseLost()
      const settled = await settle(ctx as never)
      await keepOutcome(ctx.db, held, settled)
      return settled
    })
    const { alert, certain, reason } = (outcome ?? {}) as { alert?: string } & Partial<GivenUp>
    if (alert || certain === false)
      log.error('somebody has to look', { name: nameOf(held), tenant: String(held.tenantId), error: alert ?? reason ?? '' })
  }

  return {
    run,
    /** A delivery of the queue: one that is still open is delivered again when it can be tried again. */
    async deliver(at: At): Promise<void> {
      await run(at)
      const seconds = await secondsToWait(database.write, at)
      if (seconds !== null) await queue.send(database.write, { kind: 'outsideCall', ...at }, { afterSeconds: Math.ceil(seconds) })
    },
    /** For the request that asked, right after its commit: the outcome if it is there in time, else how it stands. It goes on by itself, and the worker sees to it that it ends. */
    async settleSoon(at: At, waitMs: number): Promise<OutsideState> {
      const { promise: patience, resolve } = Promise.withResolvers<void>()
      const timer = setTimeout(resolve, waitMs)
      const running = run(at).catch((error: Error) => log.error('outside call', { name: at.callId, error: error.message }))
      await Promise.race([running, patience])
      clearTimeout(timer)
      return getOutsideCall({ tenantId: at.tenantId, db: database.write }, at.callId)
    },
    /** Several at once, a few side by side, for as long as the request waits. Those that it did not come to are the worker's. */
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
      await Promise.all(Array.from({ length: SIDE_BY_SIDE }, one))
    },
  }
}

const nameOf = ({ kind, callId }: HeldCall) => `${kind} ${callId}`

const workOf = ({ kind, ...held }: HeldCall) => ({ name: kind, ...held })

/** Twice as long each time. Spread by the id, so that calls that failed together do not all come back at once. */
function secondsToRetry({ callId, attempts }: HeldCall, { retrySeconds = LONGEST_RETRY_SECONDS }: Partial<OutsideCall> = {}): number {
  const planned = Math.min(retrySeconds, FIRST_RETRY_SECONDS * 2 ** Math.min(attempts - 1, 16))
  return planned * (0.9 + (0.2 * Number.parseInt(callId.slice(-4), 16)) / 0xffff)
}
