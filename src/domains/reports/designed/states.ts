import { defineStateMachine } from '../../../kernel/states.ts'

export const REPORT_STATES = defineStateMachine({
  column: 'reports.status',
  kind: 'report',
  noun: 'report',
  initial: 'active',
  moves: { active: ['archived'], archived: ['active'] },
})

/** The states of a report delivery. A suspended or ended delivery sends no emails until it is confirmed again. */
export const REPORT_DELIVERY_STATES = defineStateMachine({
  column: 'report_deliveries.state',
  kind: 'reportDelivery',
  noun: 'delivery',
  initial: 'active',
  moves: { active: ['suspended', 'ended'], suspended: ['active', 'ended'], ended: ['active'] },
})
