/** The sentence that the person at the door reads for each reason of a refusal. */
const REASON_TEXTS: Readonly<Record<string, string>> = {
  duplicate: 'This badge was scanned here a moment ago.',
  unknown_badge: 'No participant of this event has this badge.',
  ambiguous: 'Several participants match this badge. Search for the person by name.',
  revoked: 'This badge is no longer valid. The person has a new one.',
  test_data: 'This is the badge of a test registration.',
  cancelled: 'This registration is cancelled.',
  incomplete: 'This registration is not complete.',
  waitlisted: 'This person is on the waiting list.',
  unpaid: 'The registration has an unpaid balance.',
  not_allowed: 'This gate is for other participants.',
  product_missing: 'This person has none of the products that this gate requires.',
  not_enrolled: 'This person is not enrolled in this session.',
  too_early: 'Entry has not opened yet.',
  too_late: 'Entry is closed.',
  already_in: 'This person is already inside.',
  not_in: 'This person is not inside.',
  full: 'There is no room for another person.',
  invalid_time: 'The time of the scan is wrong. Check the clock of the scanner.',
  refused_offline: 'The scanner refused entry while it was offline.',
}

export const describeReason = (reason: string): string => REASON_TEXTS[reason] ?? reason
