import type { MessageCatalogue } from '../translator.ts'

export const frenchRoomContractTexts: MessageCatalogue = {
  'mail.roomChanged.subject': 'Votre chambre pour {event} a changé',
  'mail.roomChanged.text': 'Votre réservation {number} ({hotel}) du {checkIn} au {checkOut} a changé.',
  'mail.roomChanged.price': 'Consultez le prix actuel et tous les détails sur la page de votre inscription.',
  'mail.blockDeadline.subject': 'Désignez les occupants au plus tard le {deadline} : {event}',
  'mail.blockDeadline.text':
    'Dans le contingent {block}, {unbooked} nuitées n’ont pas encore d’occupant. Désignez les occupants au plus tard le {deadline}.',
  'mail.blockDeadline.then': 'Les chambres sans occupant sont libérées à la fin de cette journée.',
  'mail.blockEnded.subject': 'Chambres non utilisées libérées : {event}',
  'mail.blockEnded.text': 'Le délai du contingent {block} est dépassé. {unbooked} nuitées sans occupant ont été libérées.',
  'mail.blockEnded.kept': 'Les chambres réservées restent réservées.',
}
