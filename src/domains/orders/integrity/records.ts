import { sql } from 'kysely'
import type { IntegrityCheck } from './check.ts'

/** Foreign keys between tables that have the column `is_test_data`, as table, column and referenced table. */
const TEST_DATA_REFERENCES = [
  ['participants', 'host_id', 'participants'],
  ['participants', 'group_id', 'managed_groups'],
  ['holds', 'participant_id', 'participants'],
  ['holds', 'entry_id', 'waitlist_entries'],
  ['orders', 'participant_id', 'participants'],
  ['orders', 'group_id', 'managed_groups'],
  ['invoices', 'order_id', 'orders'],
  ['order_lines', 'order_id', 'orders'],
  ['order_lines', 'invoice_id', 'invoices'],
  ['order_lines', 'participant_id', 'participants'],
  ['payments', 'order_id', 'orders'],
  ['payments', 'invoice_id', 'invoices'],
  ['refunds', 'order_id', 'orders'],
  ['refunds', 'payment_id', 'payments'],
  ['payment_reversals', 'order_id', 'orders'],
  ['payment_reversals', 'payment_id', 'payments'],
  ['write_offs', 'order_id', 'orders'],
  ['write_offs', 'invoice_id', 'invoices'],
  ['ledger_entries', 'order_id', 'orders'],
  ['ledger_entries', 'invoice_id', 'invoices'],
  ['waitlist_entries', 'participant_id', 'participants'],
  ['saved_cards', 'participant_id', 'participants'],
  ['charges', 'participant_id', 'participants'],
  ['charges', 'order_id', 'orders'],
  ['charges', 'invoice_id', 'invoices'],
  ['charges', 'entry_id', 'waitlist_entries'],
  ['charges', 'hotel_entry_id', 'hotel_waitlist_entries'],
  ['flow_visits', 'participant_id', 'participants'],
  ['reservations', 'participant_id', 'participants'],
  ['reservations', 'entry_id', 'hotel_waitlist_entries'],
  ['hotel_waitlist_entries', 'participant_id', 'participants'],
  ['room_shares', 'participant_id', 'participants'],
  ['room_shares', 'reservation_id', 'reservations'],
  ['order_lines', 'reservation_id', 'reservations'],
] as const

/** Rule I13 of the specification: test rows and real rows never reference each other. */
const testDataIsSeparate: IntegrityCheck = {
  id: 'I13',
  findViolations: (at) =>
    sql.join(
      TEST_DATA_REFERENCES.map(
        ([table, column, other]) => sql`
          select ${sql.lit(table.replaceAll('_', ' '))} || ' ' || a.id as sample from ${sql.table(table)} a
          join ${sql.table(other)} b on b.tenant_id = a.tenant_id and b.event_id = a.event_id and b.id = ${sql.ref(`a.${column}`)}
          where ${at('a')} and b.is_test_data <> a.is_test_data`,
      ),
      sql` union all `,
    ),
}

/** Rule I14 of the specification: each source row of an import is imported once. */
const importedOnce: IntegrityCheck = {
  id: 'I14',
  findViolations: (at) => sql`
    select 'import ' || r.source_system || ' ' || r.entity_kind || ' ' || r.source_key as sample from import_rows r
    where ${at('r')} and not r.is_test_data group by r.source_system, r.entity_kind, r.source_key having count(*) > 1`,
}

/** Rule I15 of the specification: discount code usage matches the registrations with that code and stays within its limit. */
const discountUsesMatch: IntegrityCheck = {
  id: 'I15',
  findViolations: (at) => sql`
    select 'inventory ' || i.key as sample from inventory i
    left join (select h.key, sum(h.quantity) as held from holds h where ${at('h')} and h.status = 'active' group by 1) h on h.key = i.key
    left join (
      select 'discount:' || p.discount_code as key, count(*) as used from participants p
      where ${at('p')} and not p.is_test_data and p.status = 'complete' and p.discount_code is not null group by 1) u on u.key = i.key
    where ${at('i')} and i.key like 'discount:%'
      and (i.held + i.sold > i.capacity + i.overage or i.held <> coalesce(h.held, 0) or i.sold <> coalesce(u.used, 0))`,
}

/** Every step in the signing history of a contract contains the hash of the previous step, and no step was changed, removed or added. */
const signingStepsAreChained: IntegrityCheck = {
  id: 'S1',
  findViolations: (at) => sql`
    select 'envelope ' || b.envelope_id || ' step ' || b.n as sample from events ev
    cross join lateral signature_chain_breaks(ev.tenant_id, ev.id) b
    where exists (select from signature_envelopes g where ${at('g')} and g.tenant_id = ev.tenant_id and g.event_id = ev.id)`,
}

export const RECORD_INTEGRITY_CHECKS: readonly IntegrityCheck[] = [testDataIsSeparate, importedOnce, discountUsesMatch]
export const SIGNATURE_INTEGRITY_CHECKS: readonly IntegrityCheck[] = [signingStepsAreChained]
