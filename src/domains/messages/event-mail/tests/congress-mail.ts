import { newId } from '../../../../kernel/ids.ts'
import { createEventContextAt } from '../../../../../test/support/at-event.ts'
import type { DraftConfigEdit } from '../../../../../test/support/draft-scenario.ts'
import type { EventHandle, World } from '../../../../../test/support/world.ts'
import { getOrCreateOrder } from '../../../orders/orders.ts'
import { addAndInvoiceOrderLines } from '../../../orders/invoices.ts'
import type { EmailParticipantRow } from '../person.ts'

/** Edits that create an event with an email template that uses all recipient data. */
export const CONGRESS_EDITS: DraftConfigEdit[] = [
  { op: 'set', path: '/details/name', value: 'Harbour Congress' },
  { op: 'set', path: '/details/contactEmail', value: 'team@example.org' },
  { op: 'set', path: '/details/venue', value: { name: 'Kontorhaus', address: 'Pier 3', city: 'Hamburg', country: 'DE' } },
  { op: 'insert', path: '/tags/member', value: { name: 'Member' } },
  {
    op: 'insert',
    path: '/customFields/diet',
    value: { name: 'Dietary needs', responseType: 'choice', choices: [{ code: 'vegan', name: 'Vegan food' }] },
  },
  { op: 'insert', path: '/customFields/motto', value: { name: 'Motto', responseType: 'text' } },
  { op: 'insert', path: '/taxes/vat', value: { name: 'VAT', rate: '19' } },
  {
    op: 'insert',
    path: '/products/pass',
    value: { name: 'Congress pass', category: 'admission', prices: [{ amount: '450.00' }, { amount: '300.00', tags: ['member'] }] },
  },
  {
    op: 'insert',
    path: '/emails/welcome',
    value: {
      name: 'Welcome',
      trigger: 'registration.completed',
      subject: 'Welcome, {{participant.fullName}}',
      fromName: 'Harbour team',
      blocks: [
        { id: 'hello', type: 'heading', text: 'Hello {{participant.firstName|friend}}' },
        { id: 'said', type: 'text', html: '<p>You said {{custom.motto|nothing}}, and eat {{custom.diet|anything}}.</p>' },
        { id: 'more', type: 'text', html: '<p>{{event.name}} {{event.dates}} {{participant.country}} {{order.balance}}</p>' },
        {
          id: 'vip',
          type: 'text',
          html: '<p>For members.</p>',
          showWhen: { all: [{ binding: '@participant.tags', op: 'contains', value: 'member' }] },
        },
        { id: 'own', type: 'text', html: '<p>You hold a pass.</p>', showWhen: { all: [{ binding: '@product.pass', op: 'gt', value: 0 }] } },
        { id: 'shop', type: 'productList', productCodes: ['pass'] },
        { id: 'where', type: 'eventDetails' },
        { id: 'sum', type: 'orderSummary' },
        { id: 'badge', type: 'qrBadge' },
        { id: 'go', type: 'button', label: 'My registration', link: 'myRegistration' },
      ],
      attachments: ['calendar'],
    },
  },
  {
    op: 'insert',
    path: '/emails/goodbye',
    value: {
      name: 'Goodbye',
      trigger: 'registration.cancelled',
      subject: 'Goodbye',
      enabled: false,
      blocks: [{ id: 'text', type: 'text', html: '<p>Goodbye</p>' }],
    },
  },
]

let made = 0

/** Inserts a registered participant; `more` contains additional column values. */
export async function insertParticipantWith(
  world: World,
  at: EventHandle,
  more: Record<string, unknown> = {},
): Promise<EmailParticipantRow> {
  const number = ++made
  const values = {
    tenant_id: at.tenantId,
    event_id: at.eventId,
    id: newId(),
    status: 'complete' as const,
    first_name: 'Ada',
    last_name: `Lovelace ${number}`,
    email: `ada-${number}@example.org`,
    custom_field_responses: '{}',
    confirmation_number: `C-${number}`,
    badge_id: `B-${number}`,
    completed_at: new Date(),
    ...more,
  }
  return world.database.write.insertInto('participants').values(values).returningAll().executeTakeFirstOrThrow()
}

/** Adds an order with one pass for 450.00 with 19 % tax, with the same rows as a sale. */
export async function insertPassOrder(
  world: World,
  at: EventHandle,
  person: EmailParticipantRow,
  more: { quantity?: number; taxNote?: 'reverse_charge' } = {},
) {
  const { quantity = 1, taxNote = null } = more
  return world.database.transact(async (db) => {
    const ctx = await createEventContextAt(world, at, db)
    const origin = person.is_test_data ? ('test' as const) : ('real' as const)
    const order = await getOrCreateOrder(ctx, {
      owner: { participantId: person.id },
      origin,
      billTo: {
        name: 'Ada Lovelace',
        company: 'Ωmega Łódź Ltd',
        address1: 'ул. Ленина 1',
        city: 'Αθήνα',
        country: 'GR',
        taxId: 'EL123456789',
      },
    })
    const net = 45_000 * quantity
    const tax = taxNote ? 0 : 8_550 * quantity
    const line = {
      kind: 'sale' as const,
      productCode: 'pass',
      description: 'Congress pass',
      quantity,
      unitPrice: 45_000,
      listAmount: net,
      discount: 0,
      net,
      tax,
      total: net + tax,
      taxCode: 'vat',
      taxRate: taxNote ? '0' : '19',
      taxInclusive: false,
      taxComponents: [],
      taxNote,
      participantId: person.id,
      pricedAt: new Date(),
    }
    const invoice = await addAndInvoiceOrderLines(ctx, order, [line], {
      at: new Date('2027-01-10T09:00:00Z'),
      startsOn: '2027-05-11',
      paymentTermsDays: 30,
    })
    return { order, invoice: invoice! }
  })
}
