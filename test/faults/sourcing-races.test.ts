import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { executeAward } from '../../src/domains/awards/execute.ts'
import { proposeAward } from '../../src/domains/awards/propose.ts'
import { submitResponse, withdrawResponse } from '../../src/domains/bids/submit.ts'
import { processRfpDeadlines } from '../../src/domains/rfps/task.ts'
import { signDocument } from '../../src/domains/signing/sign.ts'
import { findSignerByLinkToken, deriveSigningLinkToken } from '../../src/domains/signing/links.ts'
import type { EventContext } from '../../src/kernel/context.ts'
import { AppError } from '../../src/kernel/errors.ts'
import { inEventTransaction } from '../support/hotels.ts'
import { runRecurringTask } from '../support/room-deadlines.ts'
import { SIGNER_BROWSER, findChainBreaks, createSigningFixtures, TWO_SIGNERS } from '../support/signing.ts'
import { soakRounds } from '../support/soak.ts'
import { RESPONSE_A, RESPONSE_B, createSourcingFixtures } from '../support/sourcing.ts'
import { openTwoServers } from '../support/two-servers.ts'
import { type EventHandle, newWorld, type OrganizerHandle, type World } from '../support/world.ts'

const ROUNDS = soakRounds(4)
const START = '2026-04-10T10:00:00Z'

let world: World
/** On PostgreSQL, another server with its own connections. */
let other: World
let place: EventHandle
let organizer: OrganizerHandle
let rows: ReturnType<typeof createSourcingFixtures>
let suppliers = 0

beforeAll(async () => {
  world = await newWorld()
  place = await world.event({ timezone: 'UTC', startsOn: '2027-06-10', endsOn: '2027-06-13' })
  organizer = await world.organizer({ at: place })
  await world.clock.stopAt(START)
  await world.renewTokens()
  const servers = await openTwoServers(world)
  other = servers.at(-1)!
  rows = createSourcingFixtures(world, place)
})
afterAll(() => world.end())

const query = async <T extends object>(text: string, values: unknown[] = []) => (await world.database.pool.query<T>(text, values)).rows

/** Runs a change on one server. Returns its result, or the refusal. */
const attempt = <T>(at: World, run: (ctx: EventContext) => Promise<T>): Promise<T | AppError> =>
  inEventTransaction(at, place, run).catch((error: unknown) => (error instanceof AppError ? error : Promise.reject(error)))

const countDone = (outcomes: readonly unknown[]) => outcomes.filter((one) => !(one instanceof AppError)).length

/** An RFP with one response. */
async function openRfp(more: { sealed?: boolean } = {}) {
  const rfpId = await rows.rfp(await rows.brief(), { sealed: false, ...more })
  const recipientId = await rows.recipient(rfpId, await rows.supplier(`Hotel ${++suppliers}`))
  return { rfpId, recipientId, responseId: await rows.response(recipientId, RESPONSE_A) }
}

const propose = (rfpId: string, responseId: string) => (ctx: EventContext) =>
  proposeAward(ctx, { rfpId, lines: [{ responseId }], rationale: 'The best offer for our guests' })
const execute = (awardId: string) => (ctx: EventContext) => executeAward(ctx, { awardId, discloseWinner: false, keepOpen: false })
const resubmit = (recipientId: string) => (ctx: EventContext) =>
  submitResponse(ctx, { recipientId, dateOption: 0, content: RESPONSE_B, source: 'portal' })

const readAwards = (rfpId: string) => query<{ id: string; status: string }>('select id, status from awards where rfp_id = $1', [rfpId])
const readRecipient = async (id: string) =>
  (
    await query<{ status: string; valid: number }>(
      `select r.status, (select count(*)::int from rfp_responses p where p.recipient_id = r.id and p.withdrawn_at is null) as valid
     from rfp_recipients r where r.id = $1`,
      [id],
    )
  )[0]!

describe('two servers with sourcing calls', () => {
  it('proposes and executes one award of an RFP on two servers', async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const { rfpId, responseId } = await openRfp()
      const proposed = await Promise.all([world, other, world, other].map((at) => attempt(at, propose(rfpId, responseId))))
      expect(countDone(proposed)).toBe(1)
      const [award] = await readAwards(rfpId)
      const executed = await Promise.all([world, other, world, other].map((at) => attempt(at, execute(award!.id))))
      expect(countDone(executed)).toBe(1)
      expect(await readAwards(rfpId)).toEqual([{ id: award!.id, status: 'executed' }])
      expect(await query(`select email_code from messages where source_kind = 'award' and source_id = $1`, [award!.id])).toEqual([
        { email_code: 'award-won' },
      ])
    }
  })

  it('records the last signature of a contract once on two servers', async () => {
    const signing = createSigningFixtures(world, place)
    for (let round = 0; round < ROUNDS; round++) {
      const { contractId } = await signing.contract()
      const call = (tool: string, args: object) => organizer.call(tool, { eventCode: place.eventCode, contractId, ...args })
      await call('mark_contract_ready_for_signature', {})
      const { envelope } = await call('send_contract_for_signature', { signers: TWO_SIGNERS })
      const [first, last] = await signing.signers(envelope.id)
      await signing.open(first!.id)
      await signing.sign(first!.id)
      await signing.open(last!.id)
      const token = deriveSigningLinkToken(world.services.keys, { tenantId: place.tenantId, signerId: last!.id })
      const link = (await findSignerByLinkToken(world.database.pool, token))!
      const outcomes = await Promise.all(
        [world, other, world, other].map((at) => attempt(at, (ctx) => signDocument(ctx, link, { typed: 'Clara Moser' }, SIGNER_BROWSER))),
      )
      expect(countDone(outcomes)).toBe(1)
      const steps = await query<{ step: string }>('select step from signature_steps where envelope_id = $1 order by n', [envelope.id])
      expect(steps.filter(({ step }) => step === 'signed')).toHaveLength(2)
      expect(steps.filter(({ step }) => step === 'completed')).toHaveLength(1)
      expect(await inEventTransaction(world, place, (ctx) => findChainBreaks(ctx, envelope.id))).toEqual([])
      expect(await query('select status from supplier_contracts where id = $1', [contractId])).toEqual([{ status: 'executed' }])
      const [{ jobs } = { jobs: 0 }] = await query<{ jobs: number }>(
        `select count(*)::int as jobs from jobs where name = 'seal-signed-files' and input ->> 'envelopeId' = $1`,
        [envelope.id],
      )
      expect(jobs).toBe(1)
    }
  })

  /** The due time comes while the other server is at work, and the task closes the RFP. */
  async function closeAtDueTime(rfpId: string) {
    const [rfp] = await query<{ due: Date }>('select response_due_at as due from rfps where id = $1', [rfpId])
    await world.clock.stopAt(rfp!.due.toISOString())
    await runRecurringTask(other, processRfpDeadlines)
  }

  it("either accepts or refuses a supplier's offer that arrives at the due time, and loses none", async () => {
    for (let round = 0; round < ROUNDS; round++) {
      await world.clock.stopAt(START)
      const rfpId = await rows.rfp(await rows.brief())
      const recipientId = await rows.recipient(rfpId, await rows.supplier(`Hotel ${++suppliers}`))
      const [sent] = await Promise.all([attempt(world, resubmit(recipientId)), closeAtDueTime(rfpId)])
      const isIn = !(sent instanceof AppError)
      expect(await readRecipient(recipientId)).toEqual({ status: isIn ? 'submitted' : 'noResponse', valid: isIn ? 1 : 0 })
      expect(await query('select status from rfps where id = $1', [rfpId])).toEqual([{ status: 'closed' }])
      expect(await attempt(world, resubmit(recipientId))).toBeInstanceOf(AppError)
    }
    await world.clock.stopAt(START)
  })

  it('either lets a supplier withdraw a sealed offer or awards the offer, but never both', async () => {
    for (let round = 0; round < ROUNDS; round++) {
      await world.clock.stopAt(START)
      const { rfpId, recipientId, responseId } = await openRfp({ sealed: true })
      const [withdrawn, awarded] = await Promise.all([
        attempt(world, (ctx) => withdrawResponse(ctx, recipientId)),
        closeAtDueTime(rfpId).then(() => attempt(other, propose(rfpId, responseId))),
      ])
      expect(countDone([withdrawn, awarded])).toBe(1)
      const isOut = awarded instanceof AppError
      expect(await readRecipient(recipientId)).toEqual({ status: isOut ? 'withdrawn' : 'submitted', valid: isOut ? 0 : 1 })
      expect((await readAwards(rfpId)).map(({ status }) => status)).toEqual(isOut ? [] : ['proposed'])
    }
    await world.clock.stopAt(START)
  })

  it('never awards a response that its supplier replaces concurrently', async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const { rfpId, recipientId, responseId } = await openRfp()
      await attempt(world, propose(rfpId, responseId))
      const [award] = await readAwards(rfpId)
      const [submitted, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
      const replacing = inEventTransaction(world, place, async (ctx) => {
        await resubmit(recipientId)(ctx)
        submitted.resolve()
        await released.promise
      })
      await submitted.promise
      const executing = attempt(other, execute(award!.id))
      await waitForLock()
      released.resolve()
      await replacing
      const executed = await executing
      expect(executed).toBeInstanceOf(AppError)
      expect((executed as AppError).message).toContain('was withdrawn')
      expect((await readAwards(rfpId)).map(({ status }) => status)).toEqual(['proposed'])
    }
  })
})

/** Waits until the other server waits for a row that this one has locked. The embedded database runs one transaction after the other. */
async function waitForLock(): Promise<void> {
  if (other === world) return
  for (let tries = 0; tries < 500; tries++) {
    const waiting = await query(
      `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock' and state = 'active'`,
    )
    if (waiting.length > 0) return
    await new Promise((done) => setTimeout(done, 10))
  }
  throw new Error('the other server did not wait')
}
