import { buildColumnProperty, type RestEntity, buildEqualsFilter, type RestEntityField } from './entity.ts'
import {
  daySchema,
  recordIdSchema,
  instantSchema,
  integerSchema,
  arraySchema,
  nullableSchema,
  moneySchema,
  objectSchema,
  enumSchema,
  type Schema,
  stringSchema,
} from './schemas.ts'
import { INVOICE_STATES } from '../orders/states.ts'

const STATUSES = ['open', 'paid', 'void']

/** Defines a property of an order that lists the order's rows in another table, such as its invoices. */
const orderRows = (name: string, table: string, order: string, properties: Record<string, [Schema, sql: string]>): RestEntityField => ({
  name,
  schema: arraySchema(objectSchema(Object.fromEntries(Object.entries(properties).map(([key, [schema]]) => [key, schema])))),
  sql: `coalesce((select json_agg(json_build_object(${Object.entries(properties)
    .map(([key, [, sql]]) => `'${key}', ${sql}`)
    .join(
      ', ',
    )}) order by ${order}) from ${table} i where i.tenant_id = r.tenant_id and i.event_id = r.event_id and i.order_id = r.id), '[]')`,
})

const amount = (columnName: string): [Schema, string] => [moneySchema(), `money_shown(i.${columnName}, r.currency)`]
const total = (name: string): RestEntityField => ({ name, schema: moneySchema(), sql: `money_shown(r.${name}, r.currency)` })

export const orderEntity: RestEntity = {
  path: 'orders',
  name: 'order',
  about: 'What one participant, group or company bought, and what is owed for it.',
  table: 'orders',
  at: 'event',
  hasTestData: true,
  fields: [
    buildColumnProperty('number', stringSchema()),
    buildColumnProperty('participantId', nullableSchema(recordIdSchema())),
    buildColumnProperty('groupId', nullableSchema(recordIdSchema())),
    buildColumnProperty('companyId', nullableSchema(recordIdSchema())),
    orderRows('lines', 'order_lines', 'i.position', {
      kind: [enumSchema(['sale', 'credit', 'fee', 'deposit']), 'i.kind'],
      productCode: [nullableSchema(stringSchema()), 'i.product_code'],
      description: [stringSchema(), 'i.description'],
      quantity: [integerSchema(), 'i.quantity'],
      unitPrice: amount('unit_price'),
      discount: amount('discount'),
      tax: amount('tax'),
      total: amount('total'),
      participantId: [nullableSchema(recordIdSchema()), 'i.participant_id'],
    }),
    orderRows('invoices', 'invoices', 'i.issued_at, i.id', {
      number: [stringSchema(), 'i.number'],
      kind: [enumSchema(['invoice', 'credit_note']), 'i.kind'],
      total: amount('total'),
      balance: amount('balance'),
      status: [enumSchema(INVOICE_STATES.all), 'i.status'],
      dueOn: [daySchema(), 'i.due_on'],
    }),
    orderRows('payments', 'payments', 'i.received_at, i.id', {
      method: [enumSchema(['card', 'bank', 'cheque', 'cash', 'other']), 'i.method'],
      amount: amount('amount'),
      receivedAt: [instantSchema(), 'instant_shown(i.received_at)'],
      reference: [nullableSchema(stringSchema()), 'i.reference'],
    }),
    total('total'),
    total('paid'),
    total('balance'),
    buildColumnProperty('status', enumSchema(STATUSES)),
  ],
  filters: [
    buildEqualsFilter('status', enumSchema(STATUSES)),
    buildEqualsFilter('participantId', recordIdSchema()),
    buildEqualsFilter('groupId', recordIdSchema()),
    buildEqualsFilter('companyId', recordIdSchema()),
  ],
}
