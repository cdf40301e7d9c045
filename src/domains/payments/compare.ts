import { sql } from 'kysely'
import type { ListedPayment } from '../../kernel/cards.ts'
import type { Db } from '../../kernel/columns.ts'
import { databaseTime } from '../../kernel/database-time.ts'
import { wakeOutsideCall } from '../../kernel/outside-calls.ts'
import type { Recurring, RecurringRun } from '../../kernel/recurring.ts'
import { moneyIn } from './charges.ts'

const DAY_MS = 24 * 3_600_000
const DAYS = 3
/** A processor that lists three days of a large event takes its time. */
const TIMEOUT_MS = 300_000

/** Compares the books of three days with the processor's own, every night, and says aloud where they differ. */
export const compareCharges: Recurring = {
  name: 'payments.compare',
  schedule: { cron: '20 3 * * *', zone: 'UTC' },
  run: (given) => compareBooks(given),
}

type Given = Pick<RecurringRun, 'transact' | 'queue' | 'log' | 'cards'>

export async function compareBooks({ transact, queue, log, cards }: Given): Promise<void> {
  const processor = cards.for({ isTestData: false })
  if (!processor) return
  const { name: provider } = processor
  const until = await transact((db) => databaseTime({ db }))
  const from = new Date(until.getTime() - DAYS * DAY_MS)
  const listed = await processor.list(from, until, AbortSignal.timeout(TIMEOUT_MS))
  const tell = (text: string) => log.error('card payments differ', { name: provider, error: text })
  for (const payment of listed) {
    if (payment.chargeId === null) continue
    const said = await transact(async (db) => {
      const ours = await findOurs(db, provider, payment)
      if (!ours) return `${payment.providerRef} names a charge that is not ours`
      if (ours.status === 'pending' || ours.status === 'unknown') {
        if (ours.flag === null && ours.callId !== null) await wakeOutsideCall({ tenantId: ours.tenantId, db, queue }, ours.callId)
        return `${payment.providerRef} was paid and is not booked yet`
      }
      const sentence = differenceOf(provider, payment, ours)
      return sentence === null ? null : flag(db, ours, sentence)
    })
    if (said !== null) tell(said)
  }
  for (const missing of await transact((db) => unknownThere(db, provider, { from, until, listed }))) {
    tell(await transact((db) => flag(db, missing, `${provider} does not list ${missing.providerRef}, which is booked here`)))
  }
}

interface Ours {
  tenantId: number
  eventId: string
  id: string
  status: 'pending' | 'unknown' | 'succeeded' | 'failed'
  currency: string
  flag: string | null
  callId: string | null
  providerRef: string | null
  /** What was booked; null where nothing was. */
  booked: number | null
}

const OURS = sql`
  select c.tenant_id as "tenantId", c.event_id as "eventId", c.id, c.status, c.currency, c.flag, c.call_id as "callId", c.provider_ref as "providerRef",
    (select p.amount from payments p where p.tenant_id = c.tenant_id and p.provider = c.provider and p.provider_ref = c.provider_ref) as booked
  from charges c`

async function findOurs(db: Db, provider: string, { chargeId }: ListedPayment): Promise<Ours | undefined> {
  const { rows } = await sql<Ours>`${OURS} where c.id = ${chargeId} and c.provider = ${provider}`.execute(db)
  return rows[0]
}

function differenceOf(provider: string, listed: ListedPayment, { status, currency, booked, providerRef }: Ours): string | null {
  if (status === 'failed') return `${provider} has taken ${moneyIn(listed)} as ${listed.providerRef}, and here the charge has failed`
  if (providerRef !== listed.providerRef)
    return `${provider} has taken ${moneyIn(listed)} as ${listed.providerRef} too, beside ${providerRef}`
  if (listed.currency !== currency || booked !== listed.amount) {
    return `${provider} lists ${moneyIn(listed)} for ${listed.providerRef}, and ${moneyIn({ amount: booked ?? 0, currency })} is booked`
  }
  return null
}

/** Paid within these days by our books: so is every one of theirs. */
async function unknownThere(
  db: Db,
  provider: string,
  { from, until, listed }: { from: Date; until: Date; listed: readonly ListedPayment[] },
): Promise<Ours[]> {
  const { rows } = await sql<Ours>`${OURS}
    where c.provider = ${provider} and c.status = 'succeeded' and c.created_at >= ${from} and c.settled_at < ${until} and not c.is_test_data
      and not (c.provider_ref = any(${listed.map(({ providerRef }) => providerRef)}))
    order by c.id`.execute(db)
  return rows
}

/** Shown among the jobs until somebody has looked at it. */
async function flag(db: Db, { tenantId, eventId, id }: Ours, sentence: string): Promise<string> {
  await sql`update charges set flag = ${sentence} where tenant_id = ${tenantId} and event_id = ${eventId} and id = ${id}`.execute(db)
  return sentence
}
