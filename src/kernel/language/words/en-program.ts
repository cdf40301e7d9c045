/** Texts of the programme: call for papers, speakers, agenda and their emails. */
export const program = {
  'mail.speakerInvited.subject': '{inviter} invites you to speak at {event}',
  'mail.speakerInvited.text': 'You are invited to speak at {event}. Please accept or decline the invitation.',
  'mail.speakerInvited.button': 'Answer the invitation',
  'mail.submissionReceived.subject': 'We received your proposal: {title}',
  'mail.submissionReceived.text': 'Thank you for your proposal {number} for {event}. We will email you the decision.',
  'mail.submissionReceived.button': 'View my proposal',
  'mail.submissionDecided.subject': 'Decision on your proposal: {title}',
  'mail.submissionDecided.accepted':
    'Your proposal “{title}” was accepted for {event}. Please confirm by {deadline} that you will speak. After that, the slot goes to another speaker.',
  'mail.submissionDecided.backup': 'Your proposal “{title}” is on the reserve list of {event}. We will email you if a slot becomes free.',
  'mail.submissionDecided.rejected': 'We could not include your proposal “{title}” in the programme of {event}. Thank you for your work.',
  'mail.submissionDecided.confirm': 'Confirm or decline',
  'mail.sessionCancelled.subject': 'Cancelled: {session} at {event}',
  'mail.sessionCancelled.text': 'The session “{session}” on {moment} has been cancelled.',
} as const
