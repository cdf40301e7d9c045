import { count, day, flag, code, name, oneOf, text } from '../../kernel/args.ts'
import { defineRecord } from '../../kernel/records.ts'
import { ROOM_BLOCK_SALE_STATES, ROOM_BLOCK_STATES } from './states.ts'

export const ROOM_BLOCK_PAYERS = ['guest', 'master'] as const

/** The fields of a room block that organizers can edit. The numbers of rooms per night are changed only by `changeAllocation`. */
export const ROOM_BLOCK_RECORD = defineRecord({
  table: 'room_blocks',
  kind: 'block',
  noun: 'Block',
  name: (row) => row.code,
  primaryKey: ['tenant_id', 'event_id', 'id'],
  announced: { updated: 'block.changed' },
  states: ROOM_BLOCK_SALE_STATES,
  fields: {
    name: { column: 'name', type: name(), meaning: 'Name of the block.' },
    sellStatus: {
      column: 'sell_status',
      type: oneOf(ROOM_BLOCK_SALE_STATES.all),
      meaning:
        'Who may book from the block: all guests it is for (open), only guests who have a room in it (changes, changesSameType), or no guest (closed).',
    },
    overflow: { column: 'overflow', type: flag(), meaning: 'Whether nights that the block does not cover may come from free sale.' },
    minNights: { column: 'min_nights', empty: null, type: count(1, 60), meaning: 'Shortest stay that may draw on the block.' },
    releaseOn: {
      column: 'release_on',
      empty: null,
      type: day(),
      meaning: 'Last day of the block. Unbooked rooms are released at its end.',
    },
    nameDeadlineOn: {
      column: 'name_deadline_on',
      empty: null,
      type: day(),
      meaning: 'Last day for naming guests. Rooms without guests are released at its end.',
    },
    paymentBy: {
      column: 'payment_by',
      type: oneOf(ROOM_BLOCK_PAYERS),
      meaning: 'Whether each guest pays the hotel, or the owner of the block (master).',
    },
    note: { column: 'note', empty: null, type: text(2000), meaning: 'Note for organizers.' },
    code: { column: 'code', readOnly: true, type: code(), meaning: 'Code of the block.' },
    status: { column: 'status', readOnly: true, type: oneOf(ROOM_BLOCK_STATES.all), meaning: 'A closed block has no rooms.' },
  },
})
