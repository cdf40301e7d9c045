/** Texts of emails to suppliers about awards. */
export const englishAwardTexts = {
  'mail.awardWon.subject': 'Your offer for {rfp} was chosen: {event}',
  'mail.awardWon.heading': 'Your offer was chosen',
  'mail.awardWon.text': 'Thank you, {supplier}: {client} has chosen your offer for {event}, request {rfp}.',
  'mail.awardWon.rooms': '{rooms} room nights are awarded to you.',
  'mail.awardWon.next': 'You will receive the contract by email. Nothing is binding before both sides have signed.',
  'mail.awardDeclined.subject': 'Decision on {rfp}: {event}',
  'mail.awardDeclined.heading': 'Thank you for your offer',
  'mail.awardDeclined.text':
    'Thank you, {supplier}, for your offer for {event}, request {rfp}. {client} has chosen another supplier this time.',
  'mail.awardDeclined.winner': 'Chosen supplier: {winner}.',
  'mail.awardDeclined.thanks': 'We would be glad to invite you again.',
} as const
