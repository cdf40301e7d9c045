import { sql } from 'kysely'
import type { ProcessorPayment } from '../../kernel/cards.ts'
import type { Db } from '../../kernel/columns.ts'
import { getDatabaseTime } from '../../kernel/database-time.ts'
import { makeExternalCallDueNow } from '../../kernel/external-calls.ts'
import type { RecurringTask, RecurringTaskContext } from '../../kernel/recurring.ts'
import { formatChargeAmount } from './charges.ts'

const DAY_MS = 24 * 3_600_000
const COMPARED_DAYS = 3
/** Timeout for listing the processor's payments of three days, which is slow for a large event. */
const LIST_TIMEOUT_MS = 300_000

/** Compares the charges of the last three days with the payment processor's records every night, and logs differences as errors. */
export const compareProcessorChargesTask: RecurringTask = {
  name: 'payments.compare',
  schedule: { cron: '20 3 * * *', zone: 'UTC' },
  run: (given) => compareChargesWithProcessor(given),
}

type ComparisonDeps = Pick<RecurringTaskContext, 'transact' | 'queue' | 'log' | 'cards'>

export async function compareChargesWithProcessor({ transact, queue, log, cards }: ComparisonDeps): Promise<void> {
  const processor = cards.for({ isTestData: false })
  if (!processor) return
  const { name: provider } = processor
  const until = await transact((db) => getDatabaseTime({ db }))
  const from = new Date(until.getTime() - COMPARED_DAYS * DAY_MS)
  const listed = await processor.list(from, until, AbortSignal.timeout(LIST_TIMEOUT_MS))
  const logDifference = (text: string) => log.error('card payments differ', { name: provider, error: text })
  for (const payment of listed) {
    if (payment.chargeId === null) continue
    const difference = await transact(async (db) => {
      const ours = await findBookedCharge(db, provider, payment)
      if (!ours) return `${payment.providerRef} names a charge that is not ours`
      if (ours.status === 'pending' || ours.status === 'unknown') {
        if (ours.flag === null && ours.callId !== null) await makeExternalCallDueNow({ tenantId: ours.tenantId, db, queue }, ours.callId)
        return `${payment.providerRef} was paid and is not booked yet`
      }
      const sentence = describeDifference(provider, payment, ours)
      return sentence === null ? null : flagCharge(db, ours, sentence)
    })
    if (difference !== null) logDifference(difference)
  }
  for (const missing of await transact((db) => listUnlisted(db, provider, { from, until, listed }))) {
    logDifference(await transact((db) => flagCharge(db, missing, `${provider} does not list ${missing.providerRef}, which is booked here`)))
  }
}

interface BookedCharge {
  tenantId: number
  eventId: string
  id: string
  status: 'pending' | 'unknown' | 'succeeded' | 'failed'
  currency: string
  flag: string | null
  callId: string | null
  providerRef: string | null
  /** The booked amount of the charge; null if the charge is not booked. */
  booked: number | null
}

const SELECT_BOOKED_CHARGES = sql`
  select c.tenant_id as "tenantId", c.event_id as "eventId", c.id, c.status, c.currency, c.flag, c.call_id as "callId", c.provider_ref as "providerRef",
    (select p.amount from payments p where p.tenant_id = c.tenant_id and p.provider = c.provider and p.provider_ref = c.provider_ref) as booked
  from charges c`

async function findBookedCharge(db: Db, provider: string, { chargeId }: ProcessorPayment): Promise<BookedCharge | undefined> {
  const { rows } = await sql<BookedCharge>`${SELECT_BOOKED_CHARGES} where c.id = ${chargeId} and c.provider = ${provider}`.execute(db)
  return rows[0]
}

function describeDifference(
  provider: string,
  listed: ProcessorPayment,
  { status, currency, booked, providerRef }: BookedCharge,
): string | null {
  if (status === 'failed')
    return `${provider} has taken ${formatChargeAmount(listed)} as ${listed.providerRef}, and here the charge has failed`
  if (providerRef !== listed.providerRef)
    return `${provider} has taken ${formatChargeAmount(listed)} as ${listed.providerRef} too, beside ${providerRef}`
  if (listed.currency !== currency || booked !== listed.amount) {
    return `${provider} lists ${formatChargeAmount(listed)} for ${listed.providerRef}, and ${formatChargeAmount({ amount: booked ?? 0, currency })} is booked`
  }
  return null
}

/** Lists booked charges that the payment processor does not list. */
async function listUnlisted(
  db: Db,
  provider: string,
  { from, until, listed }: { from: Date; until: Date; listed: readonly ProcessorPayment[] },
): Promise<BookedCharge[]> {
  const { rows } = await sql<BookedCharge>`${SELECT_BOOKED_CHARGES}
    where c.provider = ${provider} and c.status = 'succeeded' and c.created_at >= ${from} and c.settled_at < ${until} and not c.is_test_data
      and not (c.provider_ref = any(${listed.map(({ providerRef }) => providerRef)}))
    order by c.id`.execute(db)
  return rows
}

/** Flags a charge. The console shows the flag until an organizer has checked the charge. */
async function flagCharge(db: Db, { tenantId, eventId, id }: BookedCharge, sentence: string): Promise<string> {
  await sql`update charges set flag = ${sentence} where tenant_id = ${tenantId} and event_id = ${eventId} and id = ${id}`.execute(db)
  return sentence
}
