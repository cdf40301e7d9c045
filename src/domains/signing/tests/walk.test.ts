import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { inEventTransaction } from '../../../../test/support/hotels.ts'
import { createPick, expectAllowedStatusChanges, runTaskIn, type Statuses, takeStep } from '../../../../test/support/random-walk.ts'
import { createFractionGenerator } from '../../../../test/support/seeded-fraction.ts'
import { SIGNER_BROWSER, createSigningFixtures, TWO_SIGNERS } from '../../../../test/support/signing.ts'
import { soakRounds, soakSeed } from '../../../../test/support/soak.ts'
import { type EventHandle, newWorld, type World } from '../../../../test/support/world.ts'
import type { EventContext } from '../../../kernel/context.ts'
import { newId } from '../../../kernel/ids.ts'
import { CONTRACT_STATES } from '../../supplier-contracts/states.ts'
import { issueSignerCode, verifySignerCode } from '../codes.ts'
import { processEnvelopeDeadlines } from '../deadlines.ts'
import type { SignerFoundByLink } from '../links.ts'
import { sendForSignature } from '../send.ts'
import { declineDocument, signDocument } from '../sign.ts'
import { ENVELOPE_STATES, SIGNER_STATES } from '../states.ts'
import { voidEnvelope } from '../void.ts'

let world: World
let place: EventHandle
beforeAll(async () => {
  world = await newWorld()
  place = await world.event({ startsOn: '2027-06-10', endsOn: '2027-06-13' })
})
afterAll(() => world.end())

/** The number of steps; a soak run with factor 20 makes 10,000 steps. */
const STEPS = soakRounds(500)
/** The number of steps per transaction, because the random walk tests states and not commits. */
const STEPS_PER_TRANSACTION = 50
const MAX_LATE_STEPS = 3

const SIGNERS = [
  ...TWO_SIGNERS,
  // Jonas is a second signer at the first position, so that two people can sign in any sequence.
  { name: 'Jonas Weber', email: 'jonas@client.example', side: 'client', order: 1 },
] as const

type Kind = 'contract' | 'envelope' | 'signer'
const TABLES = { contract: CONTRACT_STATES, envelope: ENVELOPE_STATES, signer: SIGNER_STATES } as const

/** SQL conditions on the primary keys, so that a step takes the same time after thousands of others. */
const within = ({ tenantId, event }: EventContext, table: string) =>
  sql`${sql.ref(`${table}.tenant_id`)} = ${tenantId} and ${sql.ref(`${table}.event_id`)} = ${event.id}`
const SIGNERS_OF_ENVELOPES = sql`envelope_signers s join signature_envelopes v
  on v.tenant_id = s.tenant_id and v.event_id = s.event_id and v.id = s.envelope_id`

async function readStatuses(ctx: EventContext, contractId: string): Promise<Record<Kind, Statuses>> {
  const { rows } = await sql<{ kind: Kind; id: string; status: string }>`
    select 'contract' as kind, c.id, c.status from supplier_contracts c where ${within(ctx, 'c')} and c.id = ${contractId}
    union all select 'envelope', v.id, v.status from signature_envelopes v where ${within(ctx, 'v')} and v.contract_id = ${contractId}
    union all select 'signer', s.id, s.status from ${SIGNERS_OF_ENVELOPES}
      where ${within(ctx, 'v')} and v.contract_id = ${contractId}`.execute(ctx.db)
  const of = (kind: Kind) => new Map(rows.filter((row) => row.kind === kind).map(({ id, status }) => [id, status]))
  return { contract: of('contract'), envelope: of('envelope'), signer: of('signer') }
}

/** Fixes the text of the contract, as at the end of a negotiation. */
const fixText = ({ db }: EventContext, contractId: string) =>
  sql`update supplier_contracts set status = 'readyForSignature', final_file_id = ${newId()}, final_sha256 = ${'a'.repeat(64)}
    where id = ${contractId}`.execute(db)

describe('a random walk over envelopes', () => {
  const random = createFractionGenerator(soakSeed(28))
  const pick = createPick(random)

  /** Picks a signer of the latest envelope: mostly one who is next to sign, sometimes another. */
  async function pickSigner(ctx: EventContext, contractId: string): Promise<SignerFoundByLink> {
    const { rows: all } = await sql<SignerFoundByLink & { status: string }>`
      select s.id as "signerId", s.envelope_id as "envelopeId", v.contract_id as "contractId", s.name, s.email, s.status
      from ${SIGNERS_OF_ENVELOPES}
      where ${within(ctx, 'v')} and v.id = (
        select l.id from signature_envelopes l where ${within(ctx, 'l')} and l.contract_id = ${contractId} order by l.id desc limit 1)`.execute(
      ctx.db,
    )
    const turn = all.filter(({ status }) => status === 'sent' || status === 'viewed')
    const rows = turn.length > 0 && random() < 0.8 ? turn : all
    return rows.length === 0 ? ({ signerId: '', envelopeId: '0'.repeat(24), contractId } as SignerFoundByLink) : pick(rows)
  }

  async function openWithCode(ctx: EventContext, contractId: string) {
    const signer = await pickSigner(ctx, contractId)
    await issueSignerCode(ctx, signer, SIGNER_BROWSER)
    const { rows } = await sql<{ text: string }>`
      select text_body as text from messages where tenant_id = ${ctx.tenantId} and email_code = 'signature-code'
      order by id desc limit 1`.execute(ctx.db)
    const code = random() < 0.2 ? 'wrong' : /\b\d{6}\b/.exec(rows[0]!.text)![0]
    return verifySignerCode(ctx, signer, code, SIGNER_BROWSER)
  }

  async function expire(ctx: EventContext, contractId: string) {
    await sql`update signature_envelopes set expires_at = lanyard_now() where contract_id = ${contractId}`.execute(ctx.db)
    return runTaskIn(ctx, processEnvelopeDeadlines)
  }

  const listSteps = (contractId: string): ((ctx: EventContext) => Promise<unknown>)[] => {
    const send = (ctx: EventContext) => sendForSignature(ctx, { contractId, signers: [...SIGNERS], expiresInDays: 14 }, 'embedded')
    const open = (ctx: EventContext) => openWithCode(ctx, contractId)
    const sign = async (ctx: EventContext) => signDocument(ctx, await pickSigner(ctx, contractId), { typed: 'Name' }, SIGNER_BROWSER)
    const decline = async (ctx: EventContext) => declineDocument(ctx, await pickSigner(ctx, contractId), 'No', SIGNER_BROWSER)
    const recall = (ctx: EventContext) => voidEnvelope(ctx, { contractId, reason: 'Changed plans', notify: true })
    return [
      ...Array(4).fill(send),
      ...Array(12).fill(open),
      ...Array(12).fill(sign),
      decline,
      decline,
      recall,
      (ctx) => expire(ctx, contractId),
    ]
  }

  it('keeps contract, envelope and signers within the allowed transitions in a random walk', async () => {
    const signing = createSigningFixtures(world, place)
    const seen = new Set<string>()
    let { contractId } = await signing.contract()
    await inEventTransaction(world, place, (ctx) => fixText(ctx, contractId))
    for (let step = 0; step < STEPS;) {
      /** The number of steps after all signers have signed; a few are tried on every executed contract. */
      let late = 0
      await inEventTransaction(world, place, async (ctx) => {
        let before = await readStatuses(ctx, contractId)
        for (let index = 0; index < STEPS_PER_TRANSACTION && late < MAX_LATE_STEPS; index++, step++) {
          await takeStep(ctx, () => pick(listSteps(contractId))(ctx))
          const after = await readStatuses(ctx, contractId)
          for (const kind of ['contract', 'envelope', 'signer'] as const)
            expectAllowedStatusChanges(kind, TABLES[kind], before[kind], after[kind], seen)
          const live = [...after.envelope.values()].filter((one) => ['created', 'sent', 'delivered'].includes(one))
          const status = after.contract.get(contractId)
          expect(live).toHaveLength(status === 'outForSignature' ? 1 : 0)
          expect([...after.envelope.values()].includes('completed')).toBe(status === 'executed')
          before = after
          if (status === 'redlinesReceived') {
            await fixText(ctx, contractId)
            before = await readStatuses(ctx, contractId)
          }
          if (status === 'executed') late++
        }
      })
      if (late > 0) {
        contractId = (await signing.contract()).contractId
        await inEventTransaction(world, place, (ctx) => fixText(ctx, contractId))
      }
    }
    const { rows: breaks } = await world.database.pool.query('select 1 from signature_chain_breaks($1, $2)', [
      place.tenantId,
      place.eventId,
    ])
    expect(breaks).toEqual([])
    // The walk fails if one of these transitions is missing in the state tables. An envelope is created and sent in one step.
    const contract = [
      'outForSignature → executed',
      'outForSignature → readyForSignature',
      'outForSignature → redlinesReceived',
      'readyForSignature → outForSignature',
    ]
    const envelope = [
      'delivered → completed',
      'delivered → declined',
      'delivered → expired',
      'delivered → voided',
      'sent → delivered',
      'sent → expired',
      'sent → voided',
    ]
    const signer = ['sent → viewed', 'viewed → declined', 'viewed → signed', 'waiting → sent']
    const expected = Object.entries({ contract, envelope, signer }).flatMap(([kind, moves]) => moves.map((move) => `${kind}: ${move}`))
    expect([...seen].toSorted()).toEqual(expected.toSorted())
  })
})
