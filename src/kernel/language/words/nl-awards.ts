export const dutchAwardTexts = {
  'mail.awardWon.subject': 'Uw offerte voor {rfp} is gekozen: {event}',
  'mail.awardWon.heading': 'Uw offerte is gekozen',
  'mail.awardWon.text': 'Bedankt, {supplier}: {client} heeft voor {event} uw offerte op {rfp} gekozen.',
  'mail.awardWon.rooms': 'Aan u zijn {rooms} kamernachten toegewezen.',
  'mail.awardWon.next': 'U ontvangt het contract per e-mail. Het is pas bindend als beide partijen hebben ondertekend.',
  'mail.awardDeclined.subject': 'Besluit over {rfp}: {event}',
  'mail.awardDeclined.heading': 'Bedankt voor uw offerte',
  'mail.awardDeclined.text':
    'Bedankt, {supplier}, voor uw offerte op {rfp} voor {event}. {client} heeft deze keer een andere leverancier gekozen.',
  'mail.awardDeclined.winner': 'Gekozen leverancier: {winner}.',
  'mail.awardDeclined.thanks': 'We nodigen u graag opnieuw uit.',
}
