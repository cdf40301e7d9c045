export const spanishAwardTexts = {
  'mail.awardWon.subject': 'Su oferta para {rfp} ha sido elegida: {event}',
  'mail.awardWon.heading': 'Su oferta ha sido elegida',
  'mail.awardWon.text': 'Gracias, {supplier}: {client} ha elegido su oferta para {rfp} ({event}).',
  'mail.awardWon.rooms': 'Se le adjudican {rooms} noches de habitación.',
  'mail.awardWon.next': 'Recibirá el contrato por correo electrónico. Nada es vinculante hasta que firmen ambas partes.',
  'mail.awardDeclined.subject': 'Decisión sobre {rfp}: {event}',
  'mail.awardDeclined.heading': 'Gracias por su oferta',
  'mail.awardDeclined.text': 'Gracias, {supplier}, por su oferta para {rfp} ({event}). {client} ha elegido a otro proveedor esta vez.',
  'mail.awardDeclined.winner': 'Proveedor elegido: {winner}.',
  'mail.awardDeclined.thanks': 'Con gusto volveremos a invitarle.',
}
