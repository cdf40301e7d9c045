export const frenchAwardTexts = {
  'mail.awardWon.subject': 'Votre offre pour {rfp} est retenue : {event}',
  'mail.awardWon.heading': 'Votre offre est retenue',
  'mail.awardWon.text': 'Merci, {supplier} : {client} a retenu votre offre pour {rfp} ({event}).',
  'mail.awardWon.rooms': '{rooms} nuitées vous sont attribuées.',
  'mail.awardWon.next': 'Vous recevrez le contrat par e-mail. Il n’y a pas d’engagement avant la signature des deux parties.',
  'mail.awardDeclined.subject': 'Décision sur {rfp} : {event}',
  'mail.awardDeclined.heading': 'Merci pour votre offre',
  'mail.awardDeclined.text': 'Merci, {supplier}, pour votre offre pour {rfp} ({event}). {client} a choisi un autre prestataire cette fois.',
  'mail.awardDeclined.winner': 'Prestataire retenu : {winner}.',
  'mail.awardDeclined.thanks': 'Nous serons heureux de vous consulter à nouveau.',
}
