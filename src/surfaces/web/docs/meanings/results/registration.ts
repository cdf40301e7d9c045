import type { FieldDocsByTool } from '../meanings.ts'

const JOIN_CODE = 'Secret code that people enter in the registration form to join the group. The group pays for them if payBy is `group`.'

export const REGISTRATION_RESULT_DOCS: FieldDocsByTool = {
  get_registration_summary: {
    participants: 'Number of participants per status.',
    attendees: 'Registered participants who are not guests.',
    guests: 'Number of guests.',
    byFlow: 'By flow.',
    byTag: 'By tag. Participants with several tags are counted in each.',
    overlapping: 'Whether figures by tag overlap.',
    byCountry:
      'By country, with the totals of the participants’ own orders. Without the `personal.read` permission there are no amounts, and countries with fewer than five people are counted together.',
    byDay: 'By day.',
    otherProducts: 'All other products combined.',
    waitlist: 'Number of people waiting, and with an open offer.',
    money: 'Amounts invoiced, paid and outstanding.',
    pace: 'Comparison with the other event at the same number of days before its start.',
    asOf: 'Time of the figures.',
  },
  get_flow_summary: {
    started: 'Number of visits that started.',
    completed: 'Number of completed registrations.',
    waitlisted: 'Number of people on the waiting list.',
    inProgress: 'Number of registrations in progress.',
    abandoned: 'Number of abandoned registrations.',
    conversion: 'Completed registrations as a percentage of all that ended.',
    medianSeconds: 'Median time in seconds.',
    p90Seconds: '90th percentile of the time in seconds.',
    byDevice: 'By device.',
  },
  describe_participant_flow: { versionId: 'Version of the form.', nextPage: 'The next page.' },
  find_participants: {
    participants:
      'The participants, with tags and balance. `entryId` is the entry on the waiting list. `country` needs the `personal.read` permission.',
    cancelledAlsoMatch: 'Number of cancelled participants that also match.',
  },
  get_participant: {
    host: 'Participant who brings this guest.',
    substitutions: 'Participants they replaced or were replaced by.',
    withheld: 'Fields that you have no permission to see.',
    orders: 'The orders, with lines, invoices and payments.',
    history: 'Latest changes.',
    emails: 'Emails sent to the participant.',
    leads: 'Exhibitors that scanned the participant.',
  },
  add_participant: { status: 'Whether the participant is new or already existed.', waitsFor: 'Waiting lists the participant is on.' },
  edit_participant: { notRestored: 'What could not be restored.' },
  configure_registration_guests: { guests: 'Guest rules in the draft.' },
  add_invite_list_participants: {
    alreadyListed: 'Number of people already on the list.',
    alreadyRegistered: 'Number of people already registered.',
    invalid: 'Rows with errors, and why.',
    invalidCount: 'Number of rows with errors.',
    listSize: 'Number of people on the list.',
  },
  substitute_participant: { from: 'The replaced participant.', to: 'The new participant.', dropped: 'What was not transferred.' },
  resend_participant_confirmation: { to: 'Masked email address of the recipient.', emailCode: 'Code of the email.' },
  create_test_registrations: { failures: 'Where participants could not continue.' },
  list_managed_groups: { groups: 'The groups.', members: 'The members.', roomBlockId: 'Room block reserved for the group.', joinCode: JOIN_CODE },
  create_managed_group: { joinUrl: 'Page where members join with an invitation.', joinCode: JOIN_CODE },
  update_managed_group: { membersAffected: 'Number of members affected.', joinCode: JOIN_CODE },
  update_managed_group_members: { cancelled: 'Cancelled registrations.', notMoved:
      'Orders that keep amounts of these people: `paid` orders, a `fee_or_deposit`, orders that were `not_requested` to move, orders of an `other_group`, and this group’s order for people who `left_group`.' },
  delete_managed_group: {
    membersDetached: 'Number of members who stay registered without the group.',
    membersCancelled: 'Number of members whose registration was cancelled.',
    invitesRevoked: 'Number of revoked invitations.',
  },
  promote_waitlist_entries: {
    promoted: 'Number of people who got a seat.',
    offered: 'Number of people who got an offer.',
    charged: 'Number of cards charged, and the total.',
  },
  record_manual_payment: {
    receiptNumber: 'Receipt number.',
    refund: 'The refund.',
    allocations: 'Amount paid per invoice.',
    unapplied: 'Amount not used for any invoice, held as credit.',
  },
  write_off_invoices: { writtenOff: 'Invoices and the amount written off for each.', count: 'Number of invoices.', total: 'Total amount.' },
  import_products: {
    retired: 'Products that are no longer sold.',
    errorKinds: 'Errors grouped by kind: the number of each, and the first line numbers.',
    detectedMapping: 'Detected field of each column.',
    unknownColumns: 'Columns that match no product field and were not used. Map them to a field, or to ignore.',
  },
  start_tax_assessment: {
    assessmentId: 'Id of the assessment, to read or apply it later.',
    asOf: 'Day whose tax rates were applied.',
    inputs: 'Facts the assessment is based on.',
    notice: 'Scope and limits of the assessment.',
  },
  apply_tax_recommendations: {
    applied: 'What was changed in the draft.',
    affectedInvoices: 'Issued invoices with incorrect tax. They are not changed.',
  },
}
