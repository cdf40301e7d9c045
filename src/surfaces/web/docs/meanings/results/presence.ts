import type { FieldDocsByTool } from '../meanings.ts'

export const PRESENCE_RESULT_DOCS: FieldDocsByTool = {
  get_attendance_summary: {
    expected: 'Complete registrations.',
    attended: 'Expected people who entered at least once.',
    enteredNotComplete: 'People who entered and have no complete registration, such as those cancelled later.',
    noShow: 'Expected people who did not come; after the event.',
    notYet: 'Expected people who have not come yet; until the event is over.',
    showRate: 'Attended in percent of expected; null if no one is expected.',
    onSite: 'People who completed their registration on or after the first day.',
    firstArrival: 'When the first person entered.',
    lastArrival: 'When the last person entered for the first time.',
    scans: 'Accepted scans.',
    refused: 'Refused scans.',
    duplicates: 'Repeated scans within seconds.',
    orphans: 'Exits of people who were not inside.',
    repeats: 'Entries of people who were inside.',
    groups: 'The groups. Minutes include assumed ones, which end without a scanned exit.',
    overlapping: 'People with several tags count in each.',
    occupancy: 'People inside every five minutes, without times at which no one was.',
    asOf: 'When the figures were read.',
  },
}
