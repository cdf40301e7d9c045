import { columnProperty, type RestEntity, buildEqualsFilter, type RestEntityField } from './entity.ts'
import { day, id, instant, integer, list, maybe, money, object, oneOf, type Schema, text } from './schemas.ts'
import { INVOICE_STATES } from '../orders/states.ts'

const STATUSES = ['open', 'paid', 'void']

/** Property with the rows of a table that belong to the order, oldest first. */
const orderRows = (name: string, table: string, order: string, properties: Record<string, [Schema, sql: string]>): RestEntityField => ({
  name,
  schema: list(object(Object.fromEntries(Object.entries(properties).map(([key, [schema]]) => [key, schema])))),
  sql: `coalesce((select json_agg(json_build_object(${Object.entries(properties)
    .map(([key, [, sql]]) => `'${key}', ${sql}`)
    .join(
      ', ',
    )}) order by ${order}) from ${table} i where i.tenant_id = r.tenant_id and i.event_id = r.event_id and i.order_id = r.id), '[]')`,
})

const amount = (columnName: string): [Schema, string] => [money(), `money_shown(i.${columnName}, r.currency)`]
const total = (name: string): RestEntityField => ({ name, schema: money(), sql: `money_shown(r.${name}, r.currency)` })

export const orderEntity: RestEntity = {
  path: 'orders',
  name: 'order',
  about: 'What one participant, group or company bought, and what is owed for it.',
  table: 'orders',
  at: 'event',
  hasTestData: true,
  fields: [
    columnProperty('number', text()),
    columnProperty('participantId', maybe(id())),
    columnProperty('groupId', maybe(id())),
    columnProperty('companyId', maybe(id())),
    orderRows('lines', 'order_lines', 'i.position', {
      kind: [oneOf(['sale', 'credit', 'fee', 'deposit']), 'i.kind'],
      productCode: [maybe(text()), 'i.product_code'],
      description: [text(), 'i.description'],
      quantity: [integer(), 'i.quantity'],
      unitPrice: amount('unit_price'),
      discount: amount('discount'),
      tax: amount('tax'),
      total: amount('total'),
      participantId: [maybe(id()), 'i.participant_id'],
    }),
    orderRows('invoices', 'invoices', 'i.issued_at, i.id', {
      number: [text(), 'i.number'],
      kind: [oneOf(['invoice', 'credit_note']), 'i.kind'],
      total: amount('total'),
      balance: amount('balance'),
      status: [oneOf(INVOICE_STATES.all), 'i.status'],
      dueOn: [day(), 'i.due_on'],
    }),
    orderRows('payments', 'payments', 'i.received_at, i.id', {
      method: [oneOf(['card', 'bank', 'cheque', 'cash', 'other']), 'i.method'],
      amount: amount('amount'),
      receivedAt: [instant(), 'instant_shown(i.received_at)'],
      reference: [maybe(text()), 'i.reference'],
    }),
    total('total'),
    total('paid'),
    total('balance'),
    columnProperty('status', oneOf(STATUSES)),
  ],
  filters: [
    buildEqualsFilter('status', oneOf(STATUSES)),
    buildEqualsFilter('participantId', id()),
    buildEqualsFilter('groupId', id()),
    buildEqualsFilter('companyId', id()),
  ],
}
