import type { MessageCatalogue } from '../translator.ts'

export const germanRoomContractTexts: MessageCatalogue = {
  'mail.roomChanged.subject': 'Ihr Zimmer hat sich geändert: {event}',
  'mail.roomChanged.text': 'Ihre Reservierung {number} hat sich geändert: {hotel}, vom {checkIn} bis zum {checkOut}.',
  'mail.roomChanged.price': 'Den aktuellen Preis und alle Angaben finden Sie auf der Seite Ihrer Anmeldung.',
  'mail.blockDeadline.subject': 'Benennen Sie Ihre Gäste bis {deadline}: {event}',
  'mail.blockDeadline.text':
    'Im Kontingent {block} sind {unbooked} Zimmernächte noch ohne Gast. Bitte benennen Sie Ihre Gäste bis {deadline}.',
  'mail.blockDeadline.then': 'Zimmer ohne Gast werden am Ende dieses Tages freigegeben.',
  'mail.blockEnded.subject': 'Nicht genutzte Zimmer freigegeben: {event}',
  'mail.blockEnded.text': 'Die Frist des Kontingents {block} ist abgelaufen. {unbooked} Zimmernächte ohne Gast wurden freigegeben.',
  'mail.blockEnded.kept': 'Gebuchte Zimmer bleiben gebucht.',
}
