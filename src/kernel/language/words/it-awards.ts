export const italianAwardTexts = {
  'mail.awardWon.subject': 'La vostra offerta per {rfp} è stata scelta: {event}',
  'mail.awardWon.heading': 'La vostra offerta è stata scelta',
  'mail.awardWon.text': 'Grazie, {supplier}: {client} ha scelto la vostra offerta per {rfp} ({event}).',
  'mail.awardWon.rooms': 'Vi sono assegnate {rooms} notti camera.',
  'mail.awardWon.next': 'Riceverete il contratto via e-mail. Nulla è vincolante prima della firma di entrambe le parti.',
  'mail.awardDeclined.subject': 'Decisione su {rfp}: {event}',
  'mail.awardDeclined.heading': 'Grazie per la vostra offerta',
  'mail.awardDeclined.text':
    'Grazie, {supplier}, per la vostra offerta per {rfp} ({event}). Questa volta {client} ha scelto un altro fornitore.',
  'mail.awardDeclined.winner': 'Fornitore scelto: {winner}.',
  'mail.awardDeclined.thanks': 'Saremo lieti di invitarvi di nuovo.',
}
