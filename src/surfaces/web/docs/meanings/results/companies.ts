import type { ToolMeanings } from '../meanings.ts'

export const COMPANIES_RESULTS: ToolMeanings = {
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
}
