import { sql } from 'kysely'
import { formatSandboxCardReference } from '../../kernel/cards.ts'
import type { Db } from '../../kernel/columns.ts'
import { getDatabaseTime } from '../../kernel/database-time.ts'
import { type Money, toMoney } from '../../kernel/money.ts'

/** A sandbox payment page, where test orders are paid with test cards. */
export interface SandboxPaymentPage {
  kind: 'pay' | 'setup'
  id: string
  tenantId: number
  tenantCode: string
  clientCode: string
  eventId: string
  eventCode: string
  /** The amount to pay in minor units; 0 if the card is only saved. */
  minor: number
  currency: string
  returnUrl: string
  cancelUrl: string
  open: boolean
}

/** Finds the sandbox page of a charge or card setup of test data or of a demo event. Returns null for all others and for unknown ids. */
export async function findSandboxPaymentPage(
  db: Db,
  kind: SandboxPaymentPage['kind'],
  id: string,
): Promise<(SandboxPaymentPage & { amount: Money }) | null> {
  const paid = kind === 'pay'
  const { rows } = await sql<Omit<SandboxPaymentPage, 'kind'>>`
    select p.id, p.tenant_id as "tenantId", t.code as "tenantCode", c.code as "clientCode", p.event_id as "eventId", e.code as "eventCode",
      ${paid ? sql`p.amount` : sql`0`}::float8 as minor, e.currency, p.return_url as "returnUrl", p.cancel_url as "cancelUrl",
      p.status in ('pending', 'unknown') and p.checkout_ref = 'open' as open
    from ${sql.table(paid ? 'charges' : 'card_setups')} p
    join tenants t on t.id = p.tenant_id
    join events e on e.tenant_id = p.tenant_id and e.id = p.event_id
    join clients c on c.tenant_id = e.tenant_id and c.id = e.client_id
    where p.id = ${id} and (p.is_test_data or e.sandbox_cards) and p.provider = 'sandbox' and p.return_url is not null and p.checkout_ref is not null`.execute(
    db,
  )
  const [page] = rows
  return page ? { ...page, kind, amount: toMoney(page.minor, page.currency) } : null
}

/** Whether this is a test card, which is recognized by the last four digits. */
export const isTestCard = (number: string): boolean => /^\d{12}(4242|0002|0119)$/.test(number)

/** Stores the test card that was entered on a sandbox page. If cards are entered twice, the first card is used. */
export async function submitTestCard(
  db: Db,
  { kind, tenantId, eventId, id, minor, currency }: SandboxPaymentPage,
  number: string,
): Promise<void> {
  const at = (await getDatabaseTime({ db })).getTime()
  const shown = formatSandboxCardReference({ last4: number.slice(-4), amount: minor, currency, at })
  await sql`
    update ${sql.table(kind === 'pay' ? 'charges' : 'card_setups')} set checkout_ref = ${shown}
    where tenant_id = ${tenantId} and event_id = ${eventId} and id = ${id} and provider = 'sandbox' and status in ('pending', 'unknown') and checkout_ref = 'open'`.execute(
    db,
  )
}
