import type { MessageCatalogue } from '../translator.ts'

export const spanishRoomContractTexts: MessageCatalogue = {
  'mail.roomChanged.subject': 'Su habitación para {event} ha cambiado',
  'mail.roomChanged.text': 'Su reserva {number} en {hotel} del {checkIn} al {checkOut} ha cambiado.',
  'mail.roomChanged.price': 'Consulte el precio actual y todos los detalles en la página de su inscripción.',
  'mail.blockDeadline.subject': 'Indique los huéspedes a más tardar el {deadline}: {event}',
  'mail.blockDeadline.text':
    'En el cupo {block} hay {unbooked} noches de habitación sin huésped. Indique los huéspedes a más tardar el {deadline}.',
  'mail.blockDeadline.then': 'Las habitaciones sin huésped se liberan al final de ese día.',
  'mail.blockEnded.subject': 'Habitaciones no utilizadas liberadas: {event}',
  'mail.blockEnded.text': 'El plazo del cupo {block} ha vencido. Se han liberado {unbooked} noches de habitación sin huésped.',
  'mail.blockEnded.kept': 'Las habitaciones reservadas se mantienen.',
}
