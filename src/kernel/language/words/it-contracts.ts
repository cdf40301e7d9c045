import type { MessageCatalogue } from '../translator.ts'

export const italianRoomContractTexts: MessageCatalogue = {
  'mail.roomChanged.subject': 'La sua camera per {event} è cambiata',
  'mail.roomChanged.text': 'La sua prenotazione {number} presso {hotel} da {checkIn} a {checkOut} è cambiata.',
  'mail.roomChanged.price': 'Trova il prezzo attuale e tutti i dettagli nella pagina della sua iscrizione.',
  'mail.blockDeadline.subject': 'Indicate gli ospiti entro {deadline}: {event}',
  'mail.blockDeadline.text': 'Nel contingente {block} ci sono {unbooked} notti camera senza ospite. Indicate gli ospiti entro {deadline}.',
  'mail.blockDeadline.then': 'Le camere senza ospite vengono liberate alla fine di quel giorno.',
  'mail.blockEnded.subject': 'Camere non utilizzate liberate: {event}',
  'mail.blockEnded.text': 'La scadenza del contingente {block} è trascorsa. Sono state liberate {unbooked} notti camera senza ospite.',
  'mail.blockEnded.kept': 'Le camere prenotate restano prenotate.',
}
