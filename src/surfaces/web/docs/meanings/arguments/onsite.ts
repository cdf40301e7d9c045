import type { ToolMeanings } from '../meanings.ts'

const PLACE = {
  scope: 'Scans of the event as a whole, of gates or of sessions.',
  gateCode: 'Code of a gate in the event configuration.',
  sessionId: 'Id of a session.',
}

export const ONSITE_ARGUMENTS: ToolMeanings = {
  get_onsite_summary: {
    day: 'Only scans and check-ins of this day, in the time zone of the event.',
    scope: PLACE.scope,
    bucketMinutes: 'Length of the steps of the arrival curve.',
  },
  list_attendance: {
    participantId: 'Only this person.',
    badgeId: 'Only the person who has or had this badge id.',
    ...PLACE,
    direction: 'Only entries or only exits.',
    result: 'Only scans with this result.',
    reason: 'Only scans with this reason, such as unpaid.',
    from: 'Scans at or after this time.',
    until: 'Scans before this time.',
    deviceName: 'Only scans of this device.',
    presence: 'Lists people instead of scans: inside now, left, or never seen there. Without a gate or session: at the event.',
    search: 'Words in the name, email, company or numbers of the person.',
  },
  record_attendance: { scans: 'Up to 100 scans, decided in order: who, where (the event unless a gate or session is given), in or out, at, method, deviceName, nonce, and an override with its reason.' },
  import_attendance: {
    rows: 'The scans of offline scanners; decidedOffline (accepted, refused) is what the scanner decided. Pass a large list as a file.',
    fileId: 'A file of the library with one scan per row.',
    timezone: 'Zone of times without an offset. Defaults to that of the event.',
    jobId: 'Reads the job of a large import. Only alone.',
  },
  rotate_badge_id: {
    participantIds: 'The people who get a new badge.',
    reason: 'Why the former badge is replaced.',
    newBadgeIds: 'The new badge ids, if an external provider issues them.',
  },
  import_appointment_offerings: {
    rows: 'Hours of each company (by name, code or booth number) or participant who offers meetings; approval is auto or manual.',
    fileId: 'A file of the library with the hours of one host per row.',
    replace: 'Removes the unbooked slots of the hosts first.',
  },
}
