import { code, count, list, name, oneOf } from '../../kernel/args.ts'
import { defineRecord } from '../../kernel/records.ts'
import { BillToInput } from '../orders/bill-to.ts'
import { GROUP_STATES } from './states.ts'
import { GROUP_KINDS } from './tables.ts'

export const GROUP_RECORD = defineRecord({
  table: 'managed_groups',
  kind: 'group',
  noun: 'Group',
  name: (row) => row.code,
  primaryKey: ['tenant_id', 'event_id', 'id'],
  announced: { created: 'group.created', updated: 'group.updated' },
  states: GROUP_STATES,
  fields: {
    name: { column: 'name', type: name(), meaning: 'Name of the group.' },
    kind: { column: 'kind', type: oneOf(GROUP_KINDS), meaning: 'Kind of group.' },
    status: { column: 'status', type: oneOf(GROUP_STATES.all), meaning: '`closed` stops new members from joining.' },
    maxMembers: { column: 'max_members', empty: null, type: count(1, 10_000), meaning: 'Maximum number of members.' },
    payBy: {
      column: 'pay_by',
      type: oneOf(['group', 'members']),
      meaning: 'Whether the group pays with one order or each member pays separately. Cannot change after the first invoice.',
    },
    tags: { column: 'tags', empty: [], type: list(code(), 50), meaning: 'Tags that all members get. Replaces the whole list.' },
    flowSlug: { column: 'flow_slug', type: code(), meaning: 'Flow that members register with.' },
    billTo: { column: 'bill_to', json: 'merged', empty: {}, type: BillToInput, meaning: 'Address on invoices to the group.' },
    code: { column: 'code', readOnly: true, type: code(), meaning: 'Code of the group.' },
    memberCount: { column: 'member_count', readOnly: true, type: count(), meaning: 'Number of members.' },
  },
})

/** The result fields for the number of taken seats of a group and for its maximum, which is null without a limit. */
export const GROUP_SEAT_FIELD_NAMES = ['memberCount', 'maxMembers'] as const
