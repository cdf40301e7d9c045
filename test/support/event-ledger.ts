import { checkIntegrity } from '../../src/domains/orders/integrity/check.ts'
import type { InvoiceDateSettings } from '../../src/domains/orders/due-date.ts'
import { creditOrderLines, addAndInvoiceOrderLines } from '../../src/domains/orders/invoices.ts'
import { listOrderLinesWithCredits, type NewOrderLine } from '../../src/domains/orders/lines.ts'
import { lockOrder, getOrCreateOrder, type OrderRow } from '../../src/domains/orders/orders.ts'
import { findWrongRegistrationFigures } from '../../src/domains/registration/summary/aggregate-figures.ts'
import type { EventContext } from '../../src/kernel/context.ts'
import { getDatabaseTime } from '../../src/kernel/database-time.ts'
import { newId } from '../../src/kernel/ids.ts'
import { newContext } from '../../src/kernel/new-context.ts'
import { permissionsOf } from '../../src/kernel/permissions.ts'
import type { EventHandle, World } from './world.ts'

/** The ledger of one event, changed by the same domain functions that tools call, each in its own transaction. */
export interface EventLedger {
  within: <T>(run: (ctx: EventContext) => Promise<T>) => Promise<T>
  /** Creates a participant with an empty order. */
  open: (more?: { isTestData?: boolean; companyId?: string }) => Promise<OrderRow>
  /** Sells order lines with the given net and tax amounts on one invoice. */
  sell: (
    orderId: string,
    amounts: readonly (readonly [net: number, tax: number])[],
    terms?: Partial<InvoiceDateSettings>,
  ) => ReturnType<typeof addAndInvoiceOrderLines>
  /** Credits the order line with the given index, completely or in part. */
  credit: (orderId: string, line: number, part?: { net: number; tax: number; units?: number }) => ReturnType<typeof creditOrderLines>
  order: (orderId: string) => Promise<OrderRow>
  /** The ledger invariants that are violated, each with the rows that violate it. */
  violations: () => Promise<Record<string, string[]>>
  /** Throws if any ledger invariant is violated. */
  assertInvariants: () => Promise<void>
}

export function openEventLedger(world: World, at: EventHandle, { currency = 'EUR', timezone = 'Europe/Paris' } = {}): EventLedger {
  const { services, database } = world
  const actor = { kind: 'organizer' as const, id: 'olga', name: 'Olga', app: { id: null, name: 'test' } }
  const client = { id: at.clientId, code: at.clientCode, name: at.clientCode, active: true, aiAssistantsAllowed: true, roles: [] }
  const event = {
    id: at.eventId,
    code: at.eventCode,
    name: at.eventCode,
    status: 'published' as const,
    timezone,
    currency,
    testMode: false,
  }
  const contextOn = (db: EventContext['db']): EventContext => ({
    ...newContext(services, { tenantId: at.tenantId, tenantCode: at.tenantCode, actor, cursorScope: '' }, db),
    access: { clients: [client], staff: [] },
    client,
    permissions: permissionsOf(['admin']),
    event,
  })
  const within: EventLedger['within'] = (run) => database.transact((db) => run(contextOn(db)))
  const termsAt = async (ctx: EventContext, terms: Partial<InvoiceDateSettings>): Promise<InvoiceDateSettings> => ({
    at: await getDatabaseTime(ctx),
    startsOn: '2027-05-11',
    paymentTermsDays: 30,
    ...terms,
  })
  const violations: EventLedger['violations'] = async () => {
    const found = await checkIntegrity(database.read, at.tenantId, at.eventId)
    return Object.fromEntries(found.filter(({ ok }) => !ok).map(({ id, samples }) => [id, samples]))
  }
  return {
    within,
    open: ({ isTestData = false, companyId } = {}) =>
      within(async (ctx) => {
        if (companyId !== undefined)
          return getOrCreateOrder(ctx, { owner: { companyId }, origin: 'real', billTo: { name: `Company ${companyId}` } })
        const participantId = newId()
        await ctx.db
          .insertInto('participants')
          .values({
            tenant_id: at.tenantId,
            event_id: at.eventId,
            id: participantId,
            is_test_data: isTestData,
            first_name: 'Bea',
            last_name: `Buyer ${participantId}`,
            email: `${participantId}@example.org`,
            custom_field_responses: '{}',
          })
          .execute()
        const billTo = {
          name: `Bea Buyer ${participantId}`,
          email: `${participantId}@example.org`,
          city: 'Lyon',
          country: 'FR',
          taxId: 'FR123',
        }
        return getOrCreateOrder(ctx, { owner: { participantId }, origin: isTestData ? 'test' : 'real', billTo })
      }),
    sell: (orderId, amounts, terms = {}) =>
      within(async (ctx) => {
        const order = await lockOrder(ctx, orderId)
        const lines = amounts.map(([net, tax]) => lineOf(net, tax, order.participant_id))
        return addAndInvoiceOrderLines(ctx, order, lines, await termsAt(ctx, terms))
      }),
    credit: (orderId, at, part) =>
      within(async (ctx) => {
        const order = await lockOrder(ctx, orderId)
        const line = (await listOrderLinesWithCredits(ctx, { orderId }))[at]!
        const { net, tax, units } = part ?? { net: line.net, tax: line.tax, units: line.remaining }
        const amounts = { listAmount: net, discount: 0, net, tax, total: net + tax }
        return creditOrderLines(ctx, order, [{ line, quantity: units ?? 0, amounts }], await termsAt(ctx, {}))
      }),
    order: (orderId) => within((ctx) => lockOrder(ctx, orderId)),
    violations,
    async assertInvariants() {
      const wrong: Record<string, string[]> = await violations()
      const figures = await findWrongRegistrationFigures(database.read, at.tenantId, at.eventId)
      if (figures.length > 0) wrong['figures'] = figures
      if (Object.keys(wrong).length > 0) throw new Error(`ledger invariants are violated: ${JSON.stringify(wrong)}`)
    },
  }
}

const lineOf = (net: number, tax: number, participantId: string | null): NewOrderLine => ({
  kind: 'sale',
  productCode: 'seat',
  description: 'Seat',
  quantity: 1,
  unitPrice: net,
  listAmount: net,
  discount: 0,
  net,
  tax,
  total: net + tax,
  taxCode: 'vat-20',
  taxRate: '20',
  taxInclusive: false,
  taxComponents: [],
  taxNote: null,
  participantId,
  pricedAt: new Date('2026-04-10T10:00:00Z'),
})
