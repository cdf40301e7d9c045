import { defineRecord } from '../../../kernel/records.ts'
import { HOUSING_CONTRACT_STATES } from '../states.ts'

/** The terms of a hotel's room contract. Its status changes according to `HOUSING_CONTRACT_STATES`; its rooms are in the room nights. */
export const HOUSING_CONTRACT_RECORD = defineRecord({
  table: 'housing_contracts',
  kind: 'housingContract',
  noun: 'Contract of hotel',
  name: (row) => row.hotel_id,
  primaryKey: ['tenant_id', 'event_id', 'hotel_id'],
  states: HOUSING_CONTRACT_STATES,
  fields: {
    status: { column: 'status', readOnly: true },
    signedOn: { column: 'signed_on', empty: null },
    cutoffOn: { column: 'cutoff_on', empty: null },
    cutoffAction: 'cutoff_action',
    roomingListDueOn: { column: 'rooming_list_due_on', empty: null },
    nameDeadlineOn: { column: 'name_deadline_on', empty: null },
    reviewDates: { column: 'review_dates', json: 'whole', empty: [] },
    attrition: { column: 'attrition', json: 'merged' },
    compPer: { column: 'comp_per', empty: null },
    compBasis: 'comp_basis',
    rebatePerRoomNight: { column: 'rebate_per_room_night', empty: null },
    commissionPercent: { column: 'commission_percent', empty: null },
  },
})
