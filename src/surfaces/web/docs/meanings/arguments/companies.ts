import type { ToolMeanings } from '../meanings.ts'

export const COMPANIES_ARGUMENTS: ToolMeanings = {
  manage_device: {
    action: 'What to do.',
    status: 'Only scanners with this status.',
    idleMinutes: 'Only scanners that have not been used for this many minutes.',
    deviceId: 'Id of the scanner.',
    deviceIds: 'Ids of the scanners to lock out.',
    name: 'New name of the scanner.',
  },
  manage_lead: {
    action: 'What to do.',
    source: 'Only leads that were made this way.',
    since: 'Only leads scanned since then; leads without a scan by the time they were added.',
    minRating: 'Only leads with at least this rating.',
    search: 'Only leads whose name contains these words.',
    includeDeleted: 'Also return deleted leads.',
    leadId: 'Id of the lead.',
    participantId: 'The person of a new lead: id, confirmation number, badge id or email.',
    badgeId: 'Badge of the person of a new lead, instead of `participantId`.',
    note: 'Note for a new lead.',
    at: 'When the company met the person. Now if omitted.',
    toCompanyId: 'Company that gets the lead. If it already has a lead about the person, the two are joined.',
    by: 'What to count scans by. Hours and days are those of the event.',
    clear: 'Names of fields to empty.',
  },
}
