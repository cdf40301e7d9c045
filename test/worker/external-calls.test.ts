import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import {
  scheduleExternalCall,
  defineExternalCall,
  getExternalCall,
  type ExternalCall,
  ExternalCallRejectedError,
} from '../../src/kernel/external-calls.ts'
import type { Database } from '../../src/kernel/ports.ts'
import { checkExternalCalls } from '../../src/domains/installation/checks.ts'
import { createExternalCallRunner } from '../../src/surfaces/worker/run-external-calls.ts'
import { createQueueMessageHandler } from '../../src/surfaces/worker/worker.ts'
import { addNote } from '../support/fixture-tools/notes.ts'
import { soakRounds } from '../support/soak.ts'
import { type EventHandle, newWorld, type OrganizerHandle, type World } from '../support/world.ts'

/** A payment provider that charges once per idempotency key, whatever it responds and whether the response arrives. */
class Provider {
  readonly charges = new Map<string, number>()
  asked = 0
  /** Called before the response is sent. */
  answering: () => Promise<void> = () => Promise.resolve()
  refusing = false

  async charge(key: string, cents: number): Promise<{ chargeId: string }> {
    this.asked++
    if (this.refusing) throw new ExternalCallRejectedError('This card takes no euros')
    if (!this.charges.has(key)) this.charges.set(key, cents)
    await this.answering()
    return { chargeId: `charge of ${key}` }
  }
}

let provider: Provider
let settling: () => void
let keyOf: (key: string) => string
const charge = defineExternalCall({
  kind: 'test.charge',
  scope: 'event',
  input: z.object({ cents: z.number() }),
  answer: z.object({ chargeId: z.string() }),
  timeoutSeconds: 5,
  async call({ key, inTransaction: look }, { cents }) {
    await look((ctx) => Promise.resolve(ctx.event.currency))
    return provider.charge(keyOf(key), cents)
  },
  async settle(ctx, { cents }, { chargeId }) {
    const note = await addNote(ctx, `paid ${cents} by ${chargeId}`)
    settling()
    return { noteId: note.id }
  },
  giveUp: (ctx, { cents }, { certain }) => addNote(ctx, `not paid ${cents}, ${certain ? 'certainly' : 'perhaps'}`),
})
const calls = [charge as ExternalCall]

let world: World
let event: EventHandle
let olga: OrganizerHandle
beforeAll(async () => {
  world = await newWorld()
  event = await world.event()
  olga = await world.organizer({ at: event })
})
afterAll(() => world.end())
beforeEach(async () => {
  provider = new Provider()
  settling = () => {}
  keyOf = (key) => key
  await world.clock.reset()
  await rows('delete from fixture_notes')
})

const rows = async (text: string, values: unknown[] = []) => (await world.database.pool.query<any>(text, values)).rows
const notes = async () => (await rows('select text from fixture_notes')).map((note) => note.text as string)
const audits = async () => (await rows(`select actor_name, app_name from audit_entries where tool = 'test.charge'`)).length as number
const state = async ({ callId }: { callId: string }) => getExternalCall({ tenantId: event.tenantId, db: world.database.write }, callId)
const runner = (database: Database = world.database) => createExternalCallRunner({ ...world.services, database, externalCalls: calls })

const actor = () => ({ kind: 'organizer' as const, id: olga.userId, name: 'Olga Organizer', app: { id: null, name: 'Test app' } })
async function ask(cents = 4200): Promise<{ tenantId: number; callId: string }> {
  const { callId } = await world.database.transact((db) =>
    scheduleExternalCall(
      { tenantId: event.tenantId, actor: actor(), db, queue: world.queue },
      charge,
      { cents },
      { eventId: event.eventId },
      { here: true },
    ),
  )
  return { tenantId: event.tenantId, callId }
}

/** A process that can access the database until it is killed. */
function killableProcess() {
  let dead = false
  const alive =
    <A extends unknown[], T>(run: (...given: A) => Promise<T>) =>
    async (...given: A): Promise<T> => {
      if (dead) throw new Error('this process is dead')
      return run(...given)
    }
  const { database } = world
  const write = new Proxy(database.write, {
    get: (db, name) => {
      if (dead) throw new Error('this process is dead')
      const value = Reflect.get(db, name, db) as unknown
      return typeof value === 'function' ? (value.bind(db) as unknown) : value
    },
  })
  return { database: { ...database, write, transact: alive(database.transact) as Database['transact'] }, kill: () => void (dead = true) }
}

/** Retries until the call has ended, advancing the clock between attempts as the queue would. */
async function runUntilEnded(at: { tenantId: number; callId: string }): Promise<void> {
  for (let i = 0; i < 200; i++) {
    await runner().run(at)
    if (['settled', 'givenUp'].includes((await state(at)).status)) return
    await world.clock.advance('20 minutes')
  }
  throw new Error('it never ended')
}

describe('external call of a change', () => {
  it('makes an external call after the commit, and saves the result in the caller’s name while the request waits', async () => {
    const at = await ask()
    expect([await state(at), provider.asked]).toEqual([{ status: 'waiting', outcome: null }, 0])
    const settled = await runner().settleSoon(at, 30_000)
    expect(settled).toEqual({ status: 'settled', outcome: { noteId: expect.any(String) } })
    expect(await notes()).toEqual([`paid 4200 by charge of ${at.callId}`])
    expect(await rows(`select actor_kind, actor_name, app_name, event_id from audit_entries where tool = 'test.charge'`)).toEqual([
      { actor_kind: 'job', actor_name: 'Olga Organizer', app_name: 'job', event_id: event.eventId },
    ])
    // A later delivery by the queue does nothing.
    await runner().deliver({ kind: 'outsideCall', ...at })
    expect(provider.asked).toBe(1)
  })

  it('makes no external call if the transaction rolls back', async () => {
    await expect(
      world.database.transact(async (db) => {
        await scheduleExternalCall(
          { tenantId: event.tenantId, actor: actor(), db, queue: world.queue },
          charge,
          { cents: 1 },
          { eventId: event.eventId },
        )
        throw new Error('undone')
      }),
    ).rejects.toThrow('undone')
    expect(await rows(`select 1 from outside_calls where input->>'cents' = '1'`)).toEqual([])
  })

  it("continues an external call when the user's request no longer waits for the result", async () => {
    const { promise, resolve } = Promise.withResolvers<void>()
    provider.answering = () => promise
    const at = await ask()
    expect(await runner().settleSoon(at, 1)).toEqual({ status: expect.stringMatching(/waiting|calling/), outcome: null })
    resolve()
    await expect.poll(async () => (await state(at)).status).toBe('settled')
  })

  it('charges a card once and saves the result once in a hundred concurrent runs of one external call', async () => {
    const before = await audits()
    const at = await ask()
    await Promise.all(Array.from({ length: 100 }, () => runner().run(at)))
    expect([provider.asked, provider.charges.size, (await notes()).length, (await audits()) - before]).toEqual([1, 1, 1, 1])
    // Control: without the lease several requests are sent, and only the idempotency key prevents several charges.
    const runWithoutLease = async () => {
      const other = await ask()
      provider = new Provider()
      provider.answering = async () => {
        await rows('update outside_calls set lease_until = null where id = $1', [other.callId])
        if (provider.asked < 5) await runner().run(other)
      }
      await runner().run(other)
      return { asked: provider.asked, charges: provider.charges.size }
    }
    const keyed = await runWithoutLease()
    expect(keyed.asked).toBeGreaterThan(1)
    expect(keyed.charges).toBe(1)
    expect((await notes()).length, 'settled once anyway').toBe(2)
    keyOf = () => randomUUID()
    expect((await runWithoutLease()).charges).toBeGreaterThan(1)
  })

  it('charges a card once when three of ten responses of external calls are lost and processes die before saving the result', async () => {
    const rounds = soakRounds(40)
    let lost = 0
    for (let i = 0; i < rounds; i++) {
      provider.answering = () => (i % 10 < 3 ? Promise.reject(new Error(`lost ${++lost}`)) : Promise.resolve())
      const at = await ask(i)
      if (i % 4 === 0) {
        const process = killableProcess()
        const { answering } = provider
        provider.answering = async () => {
          process.kill()
          await answering()
        }
        await runner(process.database)
          .run(at)
          .catch(() => {})
        expect((await state(at)).status).toBe('calling')
        provider.answering = answering
        // The lease of the killed process blocks other processes until it expires.
        await runner().run(at)
        expect((await state(at)).status).toBe('calling')
        await world.clock.advance('21 seconds')
      }
      await runner().run(at)
      provider.answering = () => Promise.resolve()
      await runUntilEnded(at)
    }
    expect(lost).toBeGreaterThan(rounds / 5)
    expect([provider.charges.size, (await notes()).length]).toEqual([rounds, rounds])
    expect(provider.asked).toBeGreaterThan(rounds)
    expect((await rows(`select distinct status from outside_calls`)).map((row) => row.status)).toEqual(['settled'])
  })

  it('control: charges a card twice after a crash if the external call has no idempotency key', async () => {
    keyOf = () => randomUUID()
    const at = await ask()
    const process = killableProcess()
    provider.answering = () => Promise.resolve(process.kill())
    await runner(process.database)
      .run(at)
      .catch(() => {})
    provider.answering = () => Promise.resolve()
    await world.clock.advance('21 seconds')
    await runUntilEnded(at)
    expect([provider.charges.size, (await notes()).length]).toEqual([2, 1])
  })

  it('saves the result of an external call once if a slow worker finishes after its lease expired', async () => {
    const { promise: hanging, resolve: answer } = Promise.withResolvers<void>()
    provider.answering = () => hanging
    const at = await ask()
    const slow = runner().run(at)
    await expect.poll(() => provider.asked).toBe(1)
    provider.answering = () => Promise.resolve()
    await world.clock.advance('21 seconds')
    await runner().run(at)
    expect((await state(at)).status).toBe('settled')
    answer()
    await slow
    expect([provider.asked, provider.charges.size, (await notes()).length]).toEqual([2, 1, 1])
  })

  it('stores the response of an external call whose result cannot be saved yet, and does not send the request again', async () => {
    settling = () => {
      throw new Error('cannot settle')
    }
    const at = await ask()
    await runner().run(at)
    expect([(await state(at)).status, await notes()]).toEqual(['waiting', []])
    // The provider forgot the idempotency key long ago, so a second request would charge again.
    await world.clock.advance('30 days')
    settling = () => {}
    await runUntilEnded(at)
    expect([provider.asked, (await notes()).length, (await state(at)).status]).toEqual([1, 1, 'settled'])
  })

  it('raises an alert after ten failed attempts to save the response of an external call, none for a lost response', async () => {
    const alerts = () => world.logged.filter((line) => line.includes('needs manual review')).length
    const run = async (at: { tenantId: number; callId: string }, times: number) => {
      for (let i = 0; i < times; i++) {
        await rows(`update outside_calls set next_attempt_at = lanyard_now() where id = $1`, [at.callId])
        await runner().run(at)
      }
    }
    const before = alerts()
    provider.answering = () => Promise.reject(new Error('lost'))
    const lost = await ask(11)
    await run(lost, 12)
    expect(alerts(), 'without a response there is nothing to settle').toBe(before)
    provider.answering = () => Promise.resolve()
    settling = () => {
      throw new Error('cannot settle')
    }
    await run(lost, 9)
    expect([alerts(), (await checkExternalCalls(world.database.pool)).state]).toEqual([before, 'ok'])
    await run(lost, 1)
    expect(alerts()).toBe(before + 1)
    expect(world.logged.at(-2)).toContain('The response could not be settled in 10 attempts: cannot settle')
    expect(await checkExternalCalls(world.database.pool)).toMatchObject({
      state: 'fail',
      says: expect.stringContaining('1 response(s) could not be recorded in 10 attempts (test.charge)'),
    })
    await run(lost, 3)
    expect(alerts(), 'once').toBe(before + 1)
    settling = () => {}
    await run(lost, 1)
    expect([(await state(lost)).status, (await checkExternalCalls(world.database.pool)).state]).toEqual(['settled', 'ok'])
  })

  it('gives up an external call immediately if it is refused, and marks a call without a response as uncertain', async () => {
    provider.refusing = true
    const refused = await ask(1)
    await runUntilEnded(refused)
    expect(await state(refused)).toMatchObject({ status: 'givenUp', outcome: { certain: true, reason: 'This card takes no euros' } })
    provider.refusing = false
    provider.answering = () => Promise.reject(new Error('lost'))
    const silent = await ask(2)
    await runUntilEnded(silent)
    expect(await state(silent)).toMatchObject({ status: 'givenUp', outcome: { certain: false } })
    expect((await notes()).toSorted()).toEqual(['not paid 1, certainly', 'not paid 2, perhaps'])
    const asked = provider.asked
    await runner().run(silent)
    expect(provider.asked).toBe(asked)
  })

  it('waits longer before each further retry of an external call', async () => {
    await world.clock.stopAt('2026-11-02T09:00:00Z')
    provider.answering = () => Promise.reject(new Error('lost'))
    const at = await ask()
    const waits: number[] = []
    for (let i = 0; i < 10; i++) {
      await rows(`update outside_calls set next_attempt_at = lanyard_now() where id = $1`, [at.callId])
      await runner().run(at)
      const [row] = await rows(`select extract(epoch from next_attempt_at - lanyard_now())::float8 as s from outside_calls where id = $1`, [
        at.callId,
      ])
      waits.push(row.s)
    }
    const ratios = waits.map((wait, i) => wait / Math.min(900, 5 * 2 ** i))
    for (const ratio of ratios) expect(Math.abs(ratio - 1)).toBeLessThanOrEqual(0.1)
  })

  it('retries an external call in the worker until the call ends, even if no request waits for it', async () => {
    let asked = 0
    provider.answering = () => (asked++ === 0 ? Promise.reject(new Error('lost')) : Promise.resolve())
    const { callId } = await world.database.transact((db) =>
      scheduleExternalCall(
        { tenantId: event.tenantId, actor: actor(), db, queue: world.queue },
        charge,
        { cents: 7 },
        { eventId: event.eventId },
      ),
    )
    const soon = { ...charge, maxRetrySeconds: 0.1 } as ExternalCall
    world.queue.work(createQueueMessageHandler({ ...world.services, jobs: [], recurring: [], externalCalls: [soon] }))
    await expect.poll(async () => (await state({ callId })).status).toBe('settled')
    expect([asked, provider.charges.size]).toEqual([2, 1])
  })
})
