import { sql } from 'kysely'
import { computeCommittedAmount, readAwardedOfferOfContract } from '../../src/domains/supplier-contracts/sources.ts'
import type { Clause } from '../../src/domains/supplier-contracts/tables.ts'
import type { EventContext } from '../../src/kernel/context.ts'
import { newId } from '../../src/kernel/ids.ts'
import { findSignerByLinkToken, deriveSigningLinkToken } from '../../src/domains/signing/links.ts'
import type { Job } from '../../src/kernel/jobs.ts'
import { createJobRunner } from '../../src/surfaces/worker/run-jobs.ts'
import { sealSignedFilesJob } from '../../src/domains/signing/sealed-files.ts'
import { issueSignerCode, verifySignerCode } from '../../src/domains/signing/codes.ts'
import { signDocument } from '../../src/domains/signing/sign.ts'
import { inEventTransaction } from './hotels.ts'
import { RESPONSE_A, createSourcingFixtures } from './sourcing.ts'
import type { EventHandle, World } from './world.ts'

const clause = (key: string, title: string, body: string, vars: Clause['vars']): Clause => ({ key, title, body, vars })

/**
 * Contract clauses with the dates and amounts of the specification's example of milestones: arrival on 2027-06-10, committed amount 80,000.
 */
export const MILESTONE_CLAUSES: Clause[] = [
  clause('roomBlock', 'Room block', 'From {{arrival}} to {{departure}}.', {
    arrival: '2027-06-10',
    departure: '2027-06-13',
    night1: '2027-06-10',
    night1Rooms: 100,
    night2: '2027-06-11',
    night2Rooms: 100,
    night3: '2027-06-12',
    night3Rooms: 50,
  }),
  clause('rates', 'Rates', '{{rate1Single}} per room and night.', { rate1Single: '200.00 EUR' }),
  clause('cutoff', 'Cut-off', 'Rooms return on {{cutoffOn}}.', { cutoffOn: '2027-05-11' }),
  clause('attrition', 'Attrition', 'The client commits to {{commitPercent}} percent.', { commitPercent: 80, profitPercent: 75 }),
  clause('cancellation', 'Cancellation', '{{step1Days}} days before: {{step1Percent}} percent.', {
    step1Days: 90,
    step1Percent: 50,
    step2Days: 30,
    step2Percent: 90,
  }),
  clause('deposits', 'Deposits', '{{deposit1Percent}} percent on signing.', { deposit1Percent: 10 }),
  clause('foodMinimum', 'Food and beverage', 'At least {{minimum}}.', { minimum: '30000.00 EUR' }),
  clause('functionSpace', 'Function space', 'Rental {{rental}}.', { rental: '10000.00 EUR' }),
  clause('insurance', 'Insurance', 'Both sides are insured.', {}),
  clause('masterAccount', 'Master account', 'The hotel bills after departure.', {}),
  clause('audit', 'Audit', 'The hotel reports the pickup.', {}),
]

interface NewContract {
  clauses?: Clause[]
  status?: 'submitted' | 'redlinesReceived' | 'counterSent'
  writtenBy?: 'us' | 'supplier'
  supplier?: string
}

let suppliers = 0

/** Inserts contracts that are ready for signature and performs signing steps, for tests that begin after the negotiation. */
export const createSigningFixtures = (world: World, place: EventHandle) => {
  const rows = createSourcingFixtures(world, place)
  const link = async (signerId: string) =>
    (await findSignerByLinkToken(world.database.pool, deriveSigningLinkToken(world.services.keys, { tenantId: place.tenantId, signerId })))!
  return {
    async contract({
      clauses = MILESTONE_CLAUSES,
      status = 'submitted',
      writtenBy = 'us',
      supplier = `Hotel ${++suppliers}`,
    }: NewContract = {}) {
      const supplierId = await rows.supplier(supplier)
      const rfpId = await rows.rfp(await rows.brief())
      const responseId = await rows.response(await rows.recipient(rfpId, supplierId), RESPONSE_A)
      const awardId = await rows.award(rfpId, responseId)
      const contractId = await inEventTransaction(world, place, async (ctx) => {
        const { db, tenantId, event, client } = ctx
        const at = { tenant_id: tenantId, event_id: event.id }
        const id = newId()
        const { earlier } = await db
          .selectFrom('supplier_contracts')
          .where('tenant_id', '=', tenantId)
          .select(({ fn }) => fn.countAll<string>().as('earlier'))
          .executeTakeFirstOrThrow()
        const contract = await db
          .insertInto('supplier_contracts')
          .values({
            ...at,
            id,
            number: `K-9${String(Number(earlier) + 1).padStart(3, '0')}`,
            client_id: client.id,
            award_id: awardId,
            line_index: 0,
            response_id: responseId,
            supplier_id: supplierId,
            status,
          })
          .returningAll()
          .executeTakeFirstOrThrow()
        await db
          .insertInto('contract_versions')
          .values({
            ...at,
            contract_id: id,
            n: 1,
            written_by: writtenBy,
            clauses: JSON.stringify(clauses),
            committed: computeCommittedAmount(await readAwardedOfferOfContract(ctx, contract), clauses),
            sha256: '0'.repeat(64),
            created_by: 'test',
          })
          .execute()
        await db
          .insertInto('contract_clauses')
          .values(clauses.map(({ key }) => ({ ...at, contract_id: id, key, state: 'agreed' as const })))
          .execute()
        return id
      })
      return { contractId, supplierId, awardId, responseId }
    },
    /** The ids of an envelope's signers in order. */
    async signers(envelopeId: string) {
      const { rows: found } = await world.database.pool.query<{ id: string; status: string; email: string }>(
        'select id, status, email from envelope_signers where envelope_id = $1 order by signing_order, id',
        [envelopeId],
      )
      return found
    },
    link,
    /** The latest emailed code of a signer. */
    async latestCode(email: string): Promise<string> {
      const { rows: found } = await world.database.pool.query<{ text: string }>(
        `select text_body as text from messages where email_code = 'signature-code' and to_address = $1 order by id desc limit 1`,
        [email],
      )
      return /\b\d{6}\b/.exec(found[0]!.text)![0]
    },
    /** Opens the document with an emailed code. */
    async open(signerId: string) {
      const signer = await link(signerId)
      await inEventTransaction(world, place, (ctx) => issueSignerCode(ctx, signer, SIGNER_BROWSER))
      const code = await this.latestCode(signer.email)
      return inEventTransaction(world, place, (ctx) => verifySignerCode(ctx, signer, code, SIGNER_BROWSER))
    },
    async sign(signerId: string, typed = 'Typed name') {
      const signer = await link(signerId)
      return inEventTransaction(world, place, (ctx) => signDocument(ctx, signer, { typed }, SIGNER_BROWSER))
    },
  }
}

/** Seals the files of all completed envelopes, as the worker does. */
export async function sealCompletedEnvelopes(world: World): Promise<void> {
  const { rows } = await world.database.pool.query<{ id: string; tenantId: number }>(
    `select id, tenant_id as "tenantId" from jobs where name = 'seal-signed-files' and status = 'queued'`,
  )
  for (const { id, tenantId } of rows) await createJobRunner(world.services)(sealSignedFilesJob as unknown as Job, { tenantId, jobId: id })
}

export const SIGNER_BROWSER = { ip: '192.0.2.7', userAgent: 'Test browser' }

export const TWO_SIGNERS = [
  { name: 'Marta Novak', email: 'marta@client.example', side: 'client', order: 1 },
  { name: 'Clara Moser', email: 'clara@hotel.example', side: 'supplier', order: 2 },
] as const

/** Lists the signing steps of an envelope whose stored hashes do not match the hash chain. */
export async function findChainBreaks({ db, tenantId, event }: EventContext, envelopeId: string): Promise<number[]> {
  const { rows } = await sql<{ n: number }>`
    select b.n from signature_chain_breaks(${tenantId}, ${event.id}) b where b.envelope_id = ${envelopeId} order by b.n`.execute(db)
  return rows.map(({ n }) => n)
}
