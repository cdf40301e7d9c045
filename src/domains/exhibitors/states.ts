import { defineStateMachine } from '../../kernel/states.ts'

export const COMPANY_STATES = defineStateMachine({
  column: 'companies.status',
  kind: 'company',
  noun: 'company',
  initial: 'prospect',
  moves: {
    prospect: ['invited', 'active', 'cancelled'],
    invited: ['active', 'cancelled'],
    active: ['cancelled'],
    cancelled: ['active'],
  },
  announced: { invited: 'company.updated', active: 'company.updated', cancelled: 'company.updated' },
})

export const STAFF_STATES = defineStateMachine({
  column: 'exhibitor_staff.status',
  kind: 'exhibitorStaff',
  noun: 'exhibitor staff member',
  initial: 'invited',
  moves: {
    invited: ['registered', 'removed'],
    // A staff member whose registration is cancelled keeps the pass and can register again.
    registered: ['invited', 'removed'],
    removed: ['invited'],
  },
})

/** States of a floor plan. Publishing a published plan again publishes its changes. An archived plan can be published again. */
export const FLOOR_PLAN_STATES = defineStateMachine({
  column: 'floor_plans.status',
  kind: 'floorPlan',
  noun: 'floor plan',
  initial: 'draft',
  moves: {
    draft: ['published', 'archived'],
    published: ['published', 'draft', 'archived'],
    archived: ['draft', 'published'],
  },
})

export const FLOOR_PLAN_SCAN_STATES = defineStateMachine({
  column: 'floor_plan_scans.status',
  kind: 'floorPlanScan',
  noun: 'floor plan scan',
  initial: 'queued',
  moves: {
    queued: ['running', 'failed', 'cancelled'],
    running: ['done', 'failed', 'cancelled'],
    done: [],
    failed: [],
    cancelled: [],
  },
})

export const APPLICATION_STATES = defineStateMachine({
  column: 'booth_applications.status',
  kind: 'application',
  noun: 'booth application',
  initial: 'draft',
  moves: {
    draft: ['submitted', 'withdrawn'],
    submitted: ['under_review', 'approved', 'waitlisted', 'rejected', 'withdrawn'],
    under_review: ['approved', 'waitlisted', 'rejected', 'withdrawn'],
    approved: ['offered', 'waitlisted', 'rejected', 'withdrawn'],
    waitlisted: ['approved', 'rejected', 'withdrawn'],
    offered: ['accepted', 'approved', 'withdrawn'],
    accepted: ['cancelled'],
    rejected: ['under_review'],
    withdrawn: [],
    cancelled: [],
  },
  announced: {
    submitted: 'application.updated',
    under_review: 'application.updated',
    approved: 'application.updated',
    waitlisted: 'application.updated',
    offered: 'application.updated',
    accepted: 'application.updated',
    rejected: 'application.updated',
    withdrawn: 'application.updated',
    cancelled: 'application.updated',
  },
})

export const LEAD_LICENCE_STATES = defineStateMachine({
  column: 'lead_licences.status',
  kind: 'licence',
  noun: 'lead licence',
  initial: 'active',
  moves: {
    active: ['revoked'],
    revoked: ['active'],
  },
})

export const DEVICE_STATES = defineStateMachine({
  column: 'lead_devices.status',
  kind: 'leadDevice',
  noun: 'lead device',
  initial: 'active',
  moves: {
    active: ['revoked'],
    revoked: [],
  },
})

/** States of a lead. Scanning the badge again restores a deleted lead. */
export const LEAD_STATES = defineStateMachine({
  column: 'leads.status',
  kind: 'lead',
  noun: 'lead',
  initial: 'active',
  moves: {
    active: ['deleted'],
    deleted: ['active'],
  },
})

/** The status of a deleted lead after its badge is scanned again. */
export const RESTORED_LEAD_STATUS = LEAD_STATES.move('deleted', 'active')
