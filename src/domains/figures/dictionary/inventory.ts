import { PRODUCT_CATEGORIES } from '../../configuration/schema/catalog.ts'
import {
  choiceField,
  codeField,
  defineQueryEntity,
  booleanField,
  integerField,
  buildLookupSql,
  defineToManyRelation,
  moneyField,
  textField,
  buildSameEventSql,
} from './define.ts'
import type { QueryEntity } from './types.ts'

/** SQL source with one row for each item (such as a product) in a section of the live configuration, with its capacity and sold units. */
const liveItems = (section: string, prefix: string) => `(select pe.tenant_id, pe.id as event_id, pi.item ->> 'code' as id, pi.item,
  pk.capacity, coalesce(pk.overage, 0) as overage, coalesce(pk.held, 0) as held, coalesce(pk.sold, 0) as sold, pv.published_at
  from events pe join config_versions pv on pv.tenant_id = pe.tenant_id and pv.event_id = pe.id and pv.number = pe.published_version
  cross join lateral jsonb_array_elements(coalesce(pv.document -> '${section}', '[]')) as pi(item)
  left join inventory pk on pk.tenant_id = pe.tenant_id and pk.event_id = pe.id and pk.key = '${prefix}:' || (pi.item ->> 'code'))`

const product = defineQueryEntity({
  name: 'product',
  label: 'Products',
  rowIs: 'one product of the live version',
  area: 'registration',
  source: liveItems('products', 'product'),
  noTestData: true,
  created: null,
  updated: null,
  fields: {
    code: codeField('Code', 'id', { synonyms: ['sku'] }),
    name: textField('Name', (row) => `${row}.item ->> 'name'`),
    category: choiceField('Category', (row) => `${row}.item ->> 'category'`, PRODUCT_CATEGORIES),
    capacity: integerField('Capacity', 'capacity', { help: 'Null means unlimited' }),
    overage: integerField('Overage', 'overage', { help: 'Sold beyond the capacity by organizers' }),
    held: integerField('Held', 'held', { help: 'By registrations that are not complete yet' }),
    sold: integerField('Sold', 'sold'),
    available: integerField('Available', (row) => `(${row}.capacity + ${row}.overage - ${row}.held - ${row}.sold)`, {
      synonyms: ['left', 'remaining'],
    }),
    waitlisted: integerField(
      'On the waiting list',
      buildLookupSql(
        'count(*)::int',
        'waitlist_entries pw',
        (row) => `pw.target = 'product:' || ${row}.id and pw.status in ('waiting', 'offered') and not pw.is_test_data`,
      ),
      { derived: true },
    ),
    retired: booleanField('Retired', (row) => `coalesce((${row}.item ->> 'retired')::boolean, false)`),
    taxCode: codeField('Tax code', (row) => `${row}.item ->> 'taxCode'`),
  },
  relations: {
    lines: defineToManyRelation('orderLine', 'product_code'),
    waitlistEntries: { to: 'waitlistEntry', many: true, on: (from, to) => `${to}.target = 'product:' || ${from}.id` },
  },
})

/**
 * SQL for the discount code of an order line. The order of a group or company has no code of its own: its lines have the code of the
 * participant, or of the host of a guest. `person` is the participant of the line, or else of the order.
 */
export const buildLineDiscountCodeSql = (order: string, person: string): string =>
  `coalesce(case when ${order}.participant_id is not null then ${order}.discount_code end, ${person}.discount_code,
    (select h.discount_code from participants h where ${buildSameEventSql('h', person)} and h.id = ${person}.host_id))`

const discount = defineQueryEntity({
  name: 'discount',
  label: 'Discounts',
  rowIs: 'one discount code of the live version',
  area: 'registration',
  source: liveItems('discounts', 'discount'),
  noTestData: true,
  created: null,
  updated: null,
  fields: {
    code: codeField('Code', 'id', { synonyms: ['promo code', 'coupon'] }),
    name: textField('Name', (row) => `${row}.item ->> 'name'`),
    kind: choiceField('Kind', (row) => `${row}.item ->> 'kind'`, ['percent', 'amount']),
    uses: integerField('Uses', 'sold'),
    maxUses: integerField('Uses at most', 'capacity'),
    discount: moneyField(
      'Discount given',
      (row) => `(select coalesce(sum(dl.discount), 0)::bigint from order_lines dl
        join orders dr on ${buildSameEventSql('dr', 'dl')} and dr.id = dl.order_id
        left join participants dp on ${buildSameEventSql('dp', 'dl')} and dp.id = coalesce(dl.participant_id, dr.participant_id)
        where ${buildSameEventSql('dl', row)} and dl.discount <> 0 and not dr.is_test_data and ${buildLineDiscountCodeSql('dr', 'dp')} = ${row}.id)`,
      { derived: true },
    ),
  },
  relations: { orders: defineToManyRelation('order', 'discount_code') },
})

export const INVENTORY_ENTITIES: readonly QueryEntity[] = [product, discount]
