export const germanAwardTexts = {
  'mail.awardWon.subject': 'Ihr Angebot zu {rfp} hat den Zuschlag: {event}',
  'mail.awardWon.heading': 'Sie haben den Zuschlag',
  'mail.awardWon.text': 'Vielen Dank, {supplier}: {client} hat sich bei {rfp} für {event} für Ihr Angebot entschieden.',
  'mail.awardWon.rooms': 'Der Zuschlag umfasst {rooms} Zimmernächte.',
  'mail.awardWon.next': 'Den Vertrag erhalten Sie per E-Mail. Verbindlich wird er erst, wenn beide Seiten unterschrieben haben.',
  'mail.awardDeclined.subject': 'Entscheidung zu {rfp}: {event}',
  'mail.awardDeclined.heading': 'Vielen Dank für Ihr Angebot',
  'mail.awardDeclined.text':
    'Vielen Dank, {supplier}, für Ihr Angebot zu {rfp} für {event}. {client} hat sich diesmal für einen anderen Anbieter entschieden.',
  'mail.awardDeclined.winner': 'Gewählter Anbieter: {winner}.',
  'mail.awardDeclined.thanks': 'Gern laden wir Sie beim nächsten Mal wieder ein.',
}
