import { lastSlot, nextSlot } from '../../kernel/cron.ts'
import type { Actor, EventContext } from '../../kernel/context.ts'
import type { Recurring, RecurringRun } from '../../kernel/recurring.ts'
import { claimSlot, keepSlot, leaveSlot, type Slot, takeSlot } from '../../kernel/slots.ts'
import type { Road } from '../road.ts'
import { keepStep } from './step.ts'

/** Puts what has fallen due on the queue, once across all processes, and says in how many milliseconds to look again. */
export function slotWatcher({ database, queue }: Pick<Road, 'database' | 'queue'>, recurring: readonly Recurring[]) {
  /** Only spares the statement: who may begin a slot is decided by its row. */
  const seen = new Map<string, number>()
  return async function beginDue(): Promise<number> {
    const { rows } = await database.pool.query<{ now: Date }>('select lanyard_now() as now')
    const { now } = rows[0]!
    for (const { name, schedule } of recurring) {
      const slot = lastSlot(schedule, now)
      if (seen.get(name) === slot.getTime()) continue
      await database.transact(async (db) => {
        if (await claimSlot(db, { name, slot }))
          await queue.send(db, { kind: 'slot', name, slot: slot.toISOString() }, { turn: `recurring ${name}` })
      })
      seen.set(name, slot.getTime())
    }
    return Math.min(...recurring.map(({ schedule }) => nextSlot(schedule, now).getTime() - now.getTime()))
  }
}

const TRIES = 6
const LEASE_SECONDS = 30

/** What recurring work of this name is given. */
export function givenTo(road: Road, name: string, slot: Date): RecurringRun {
  const { database, queue, keys, log, files, cards } = road
  const startedBy = { id: name, name: 'Lanyard' }
  const actor: Actor = { kind: 'job', ...startedBy, app: { id: null, name: 'job' } }
  const changeAt = <T>(at: { tenantId: number; eventId: string }, run: (ctx: EventContext) => Promise<T>) =>
    keepStep<'event', T>(road, { name, ...at, clientId: null, startedBy }, run)
  return { slot, keys, queue, log, files, cards, actor, transact: database.transact, changeAt }
}

/** Runs one delivery of a slot. Throws to be delivered again. */
export function slotRunner(road: Road, recurring: readonly Recurring[]) {
  const { database, log } = road
  const byName = new Map(recurring.map((one) => [one.name, one]))
  return async function runSlot(due: Slot): Promise<void> {
    const work = byName.get(due.name)
    // Of a version that had it.
    if (!work) return
    const held = await takeSlot(database.write, due, LEASE_SECONDS)
    if (!held) return
    const alive = setInterval(() => void keepSlot(database.write, held, LEASE_SECONDS).catch(() => {}), (LEASE_SECONDS * 1000) / 3)
    try {
      await work.run(givenTo(road, due.name, due.slot))
      await leaveSlot(database.write, held, { done: true })
    } catch (error) {
      log.error('recurring work failed', { name: due.name, error: (error as Error).message, stack: (error as Error).stack ?? '' })
      const done = held.attempts >= TRIES
      await leaveSlot(database.write, held, { done })
      if (!done) throw error
    } finally {
      clearInterval(alive)
    }
  }
}
