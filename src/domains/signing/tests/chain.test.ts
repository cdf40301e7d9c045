import type { StateMachine } from '../../../kernel/states.ts'
import { createHash, randomInt } from 'node:crypto'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createRecurringTaskContext } from '../../../surfaces/worker/run-recurring.ts'
import { inEventTransaction } from '../../../../test/support/hotels.ts'
import { SIGNER_BROWSER, sealCompletedEnvelopes, createSigningFixtures, TWO_SIGNERS } from '../../../../test/support/signing.ts'
import { soakRounds } from '../../../../test/support/soak.ts'
import { type EventHandle, newWorld, type OrganizerHandle, type World } from '../../../../test/support/world.ts'
import { checkIntegrity } from '../../orders/integrity/check.ts'
import { processEnvelopeDeadlines } from '../deadlines.ts'
import { declineDocument } from '../sign.ts'
import { ENVELOPE_STATES, SIGNER_STATES } from '../states.ts'
import { listSigningSteps } from '../steps.ts'
import { findChainBreaks } from '../../../../test/support/signing.ts'
import type { SigningStepRow } from '../tables.ts'

let world: World
let place: EventHandle
let organizer: OrganizerHandle
let signing: ReturnType<typeof createSigningFixtures>

beforeAll(async () => {
  world = await newWorld()
  place = await world.event({ startsOn: '2027-06-10', endsOn: '2027-06-13' })
  organizer = await world.organizer({ at: place })
  signing = createSigningFixtures(world, place)
})
afterAll(() => world.end())

const call = (tool: string, args: object) => organizer.call(tool, { eventCode: place.eventCode, ...args })

async function sent(more: object = {}) {
  const { contractId } = await signing.contract()
  await call('mark_contract_ready_for_signature', { contractId })
  const { envelope } = await call('send_contract_for_signature', { contractId, signers: TWO_SIGNERS, ...more })
  return { contractId, envelopeId: envelope.id as string, signers: await signing.signers(envelope.id) }
}

async function signAll() {
  const made = await sent()
  for (const { id } of made.signers) {
    await signing.open(id)
    await signing.sign(id)
  }
  return made
}

/** Computes the hash of a step independently of the database. */
function hashStep(envelopeId: string, step: SigningStepRow): string {
  const part = (value: string | null) => (value === null ? '-' : `${Buffer.byteLength(value)}:${value}`)
  const values = [envelopeId, String(step.n), String(step.at.getTime()), step.actor, step.ip, step.user_agent, step.step]
  return createHash('sha256')
    .update([...values, step.document_sha256, step.previous_sha256].map(part).join(','))
    .digest('hex')
}

/** Changes rows like a person with access to the database, and reverts the change afterwards. */
const tamper = (envelopeId: string, change: (ctx: Parameters<typeof findChainBreaks>[0]) => Promise<unknown>): Promise<number[]> =>
  inEventTransaction(world, place, async (ctx) => {
    await sql`alter table signature_steps disable trigger signature_steps_fixed`.execute(ctx.db)
    await change(ctx)
    const breaks = await findChainBreaks(ctx, envelopeId)
    await sql`alter table signature_steps enable trigger signature_steps_fixed`.execute(ctx.db)
    throw Object.assign(new Error('rollback'), { breaks })
  }).catch((error: Error & { breaks?: number[] }) => {
    if (!error.breaks) throw error
    return error.breaks
  })

describe('the hash chain of an envelope', () => {
  it('includes the hash of the previous step in the hash of every signing step', async () => {
    const { envelopeId } = await signAll()
    const steps = await inEventTransaction(world, place, (ctx) => listSigningSteps(ctx, envelopeId))
    expect(steps.map(({ sha256 }) => sha256)).toEqual(steps.map((step) => hashStep(envelopeId, step)))
    expect(steps.slice(1).map((step) => step.previous_sha256)).toEqual(steps.slice(0, -1).map(({ sha256 }) => sha256))
    expect(steps.at(-1)!.step).toBe('completed')
    expect(await inEventTransaction(world, place, (ctx) => findChainBreaks(ctx, envelopeId))).toEqual([])
  })

  it('detects any changed or removed signing step, even if its own hash was computed again', async () => {
    const { envelopeId } = await signAll()
    const steps = await inEventTransaction(world, place, (ctx) => listSigningSteps(ctx, envelopeId))
    const columns = ['actor', 'ip', 'user_agent', 'step', 'document_sha256', 'previous_sha256', 'sha256'] as const
    for (const { n } of steps) {
      const where = sql`where envelope_id = ${envelopeId} and n = ${n}`
      const column = columns[n % columns.length]!
      expect(
        await tamper(envelopeId, ({ db }) => sql`update signature_steps set ${sql.ref(column)} = 'x' ${where}`.execute(db)),
      ).not.toEqual([])
      expect(
        await tamper(envelopeId, ({ db }) => sql`update signature_steps set at = at + interval '1 second' ${where}`.execute(db)),
      ).not.toEqual([])
      expect(await tamper(envelopeId, ({ db }) => sql`delete from signature_steps ${where}`.execute(db))).not.toEqual([])
      const rehashed = sql`update signature_steps set actor = 'x', sha256 = signature_step_hash(envelope_id, n, at, 'x', ip, user_agent, step,
        document_sha256, previous_sha256) ${where}`
      expect(await tamper(envelopeId, ({ db }) => rehashed.execute(db))).not.toEqual([])
    }
    expect(await tamper(envelopeId, () => Promise.resolve())).toEqual([])
  })

  it('reports a broken hash chain of signing steps in the integrity check of the event', async () => {
    const { envelopeId } = await signAll()
    const check = async () => (await checkIntegrity(world.database.read, place.tenantId, place.eventId)).find(({ id }) => id === 'S1')
    expect(await check()).toMatchObject({ ok: true })
    const { pool } = world.database
    await pool.query('alter table signature_steps disable trigger signature_steps_fixed')
    await pool.query(`update signature_steps set ip = '203.0.113.9' where envelope_id = $1 and n = 2`, [envelopeId])
    expect(await check()).toMatchObject({ ok: false, violations: 1, samples: [`envelope ${envelopeId} step 2`] })
    await pool.query(`update signature_steps set ip = null where envelope_id = $1 and n = 2`, [envelopeId])
    await pool.query('alter table signature_steps enable trigger signature_steps_fixed')
    expect(await check()).toMatchObject({ ok: true })
  })
})

describe('concurrent calls on an envelope', () => {
  it('creates one envelope for two concurrent calls to send a contract', async () => {
    const { contractId } = await signing.contract()
    await call('mark_contract_ready_for_signature', { contractId })
    const answers = await Promise.all(
      [1, 2].map(() => organizer.answer('send_contract_for_signature', { eventCode: place.eventCode, contractId, signers: TWO_SIGNERS })),
    )
    expect(answers.filter(({ isError }) => !isError)).toHaveLength(1)
    const { rows } = await world.database.pool.query('select 1 from signature_envelopes where contract_id = $1', [contractId])
    expect(rows).toHaveLength(1)
  })

  it('either voids or completes an envelope after a concurrent void and last signature', async () => {
    for (let round = 0; round < soakRounds(4); round++) {
      const { contractId, signers, envelopeId } = await sent()
      await signing.open(signers[0]!.id)
      await signing.sign(signers[0]!.id)
      await signing.open(signers[1]!.id)
      const [voided, signed] = await Promise.all([
        organizer.answer('void_contract_envelope', { eventCode: place.eventCode, contractId, reason: 'Changed plans' }),
        signing.sign(signers[1]!.id).then(
          () => true,
          () => false,
        ),
      ])
      expect(Number(!voided.isError) + Number(signed)).toBe(1)
      const { rows } = await world.database.pool.query<{ status: string; contract: string }>(
        `select v.status, c.status as contract from signature_envelopes v join supplier_contracts c on c.id = v.contract_id where v.id = $1`,
        [envelopeId],
      )
      expect(rows).toEqual([signed ? { status: 'completed', contract: 'executed' } : { status: 'voided', contract: 'readyForSignature' }])
    }
    await sealCompletedEnvelopes(world)
  })
})

describe('processEnvelopeDeadlines', () => {
  const runTask = () => processEnvelopeDeadlines.run(createRecurringTaskContext(world.services, processEnvelopeDeadlines.name, new Date()))
  const count = async (envelopeId: string, step: string) =>
    (await world.database.pool.query('select 1 from signature_steps where envelope_id = $1 and step = $2', [envelopeId, step])).rows.length

  it('reminds signers after half of the signing period and two days before its end, then expires the envelope', async () => {
    const { envelopeId, contractId } = await sent({ expiresInDays: 10 })
    await runTask()
    expect(await count(envelopeId, 'reminded')).toBe(0)
    await world.clock.advance('5 days 1 minute')
    await runTask()
    await runTask()
    expect(await count(envelopeId, 'reminded')).toBe(1)
    await world.clock.advance('3 days')
    await runTask()
    expect(await count(envelopeId, 'reminded')).toBe(2)
    await world.clock.advance('2 days')
    await runTask()
    const { rows } = await world.database.pool.query('select status from supplier_contracts where id = $1', [contractId])
    expect(rows).toEqual([{ status: 'readyForSignature' }])
    expect(await count(envelopeId, 'expired')).toBe(1)
    await world.renewTokens()
  })
})

describe('states of envelopes and signers', () => {
  it('keeps envelopes and signers within the allowed transitions in a random walk', () => {
    for (const machine of [ENVELOPE_STATES, SIGNER_STATES] as unknown as StateMachine<string>[]) {
      let state: string = machine.initial
      for (let step = 0; step < 10_000; step++) {
        const to = machine.all[randomInt(machine.all.length)]!
        if (machine.can(state, to)) state = machine.move(state, to)
        else expect(() => machine.move(state, to)).toThrow()
        if (machine.terminal.includes(state)) state = machine.initial
      }
    }
  })

  it('keeps envelope and signers consistent with the contract after every random step of its signers', async () => {
    const after: Record<string, string> = {
      sent: 'outForSignature',
      delivered: 'outForSignature',
      completed: 'executed',
      voided: 'readyForSignature',
      declined: 'redlinesReceived',
    }
    for (let round = 0; round < soakRounds(5); round++) {
      const { contractId, envelopeId, signers } = await sent()
      for (let step = 0; step < 12; step++) {
        const { id } = signers[randomInt(2)]!
        const link = await signing.link(id)
        const moves = [
          () => signing.open(id),
          () => signing.sign(id),
          () => inEventTransaction(world, place, (ctx) => declineDocument(ctx, link, 'No', SIGNER_BROWSER)),
          () => call('void_contract_envelope', { contractId, reason: 'Random step' }),
        ]
        // Voiding is rare, so that envelopes also end in other ways.
        await moves[randomInt(20) === 0 ? 3 : randomInt(10) === 0 ? 2 : randomInt(2)]!().catch(() => {})
        const { rows } = await world.database.pool.query<{ status: string; contract: string }>(
          `select v.status, c.status as contract from signature_envelopes v join supplier_contracts c on c.id = v.contract_id where v.id = $1`,
          [envelopeId],
        )
        expect(rows[0]!.contract).toBe(after[rows[0]!.status])
      }
      expect(await inEventTransaction(world, place, (ctx) => findChainBreaks(ctx, envelopeId))).toEqual([])
    }
  })
})
