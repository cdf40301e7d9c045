import type { MessageCatalogue } from '../translator.ts'

export const dutchRoomContractTexts: MessageCatalogue = {
  'mail.roomChanged.subject': 'Uw kamer voor {event} is gewijzigd',
  'mail.roomChanged.text': 'Uw reservering {number} in {hotel} van {checkIn} tot {checkOut} is gewijzigd.',
  'mail.roomChanged.price': 'De actuele prijs en alle gegevens vindt u op de pagina van uw inschrijving.',
  'mail.blockDeadline.subject': 'Geef uw gasten uiterlijk {deadline} op: {event}',
  'mail.blockDeadline.text':
    'In het kamerblok {block} zijn {unbooked} kamernachten nog zonder gast. Geef uw gasten uiterlijk {deadline} op.',
  'mail.blockDeadline.then': 'Kamers zonder gast worden aan het einde van die dag vrijgegeven.',
  'mail.blockEnded.subject': 'Ongebruikte kamers vrijgegeven: {event}',
  'mail.blockEnded.text': 'De termijn van het kamerblok {block} is verstreken. {unbooked} kamernachten zonder gast zijn vrijgegeven.',
  'mail.blockEnded.kept': 'Geboekte kamers blijven geboekt.',
}
