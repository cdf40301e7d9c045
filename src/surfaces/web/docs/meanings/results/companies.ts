import type { FieldDocsByTool } from '../meanings.ts'

export const COMPANY_RESULT_DOCS: FieldDocsByTool = {
  manage_device: {
    devices: 'The scanners, the one used last first.',
    seats: 'Licensed seats of the company, or of all companies.',
    changed: 'Number of scanners that the call changed.',
  },
  manage_lead: {
    leads:
      'The leads with what each person shares with exhibitors at this moment. Phone numbers, `customFields` and `qualifiers` need the `personal.read` permission. `captures` counts scans.',
    history: 'The latest captures of the lead, newest first.',
    stats: 'Scans and scanned leads per hour, day, staff member or device, and the totals of all rows.',
    joined: 'The lead was joined with one that the company already had.',
    changed: 'Names of the fields that changed.',
  },
  manage_company: {
    companies: 'The companies by name.',
    company:
      'The company with all fields. `activationCode` needs the `exhibitors.write` permission; the phone number and `billing` need `personal.read`.',
    changed: 'Names of the fields that changed.',
    moved: 'Number of records that a merge moved, or that a cancellation ended, by kind.',
    queued: 'Number of invitations.',
    skipped: 'Companies that got no invitation, and why.',
  },
  manage_exhibitors: {
    exhibitors: 'The staff. `result` says whether a person was added, linked to a registration that existed, or was staff before.',
    allotment: 'Free passes of the company: base, by booth area, extra, used and left. After a booth is given back, more may be used than allotted.',
    changed: 'Names of the fields that changed.',
    queued: 'Number of invitations.',
    skipped: 'People who got no invitation, and why.',
  },
  import_companies: {
    rows: 'Number of rows. The counts of created, updated, skipped, unchanged, invalid and ambiguous rows add up to it.',
    created: 'Number of new companies.',
    updated: 'Number of companies that changed or got a booth.',
    skipped: 'Number of companies that exist and were left as they are.',
    unchanged: 'Number of companies that had all values before.',
    invalidCount: 'Number of rows with a fault.',
    ambiguousCount: 'Number of rows that may mean several companies.',
    invalid: 'Rows that were not imported because of a fault: all of a short list, else the first of each kind.',
    errorKinds: 'Errors grouped by kind: the number of each, and the first line numbers.',
    ambiguous: 'Rows that were not imported because several companies may be meant.',
    booths: 'Number of booths assigned, and the booths that were not, with the reason.',
    mapping: 'The field of each column of the file, and whether that is sure.',
  },
}
