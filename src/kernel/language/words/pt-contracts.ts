import type { MessageCatalogue } from '../translator.ts'

export const portugueseRoomContractTexts: MessageCatalogue = {
  'mail.roomChanged.subject': 'O seu quarto para {event} foi alterado',
  'mail.roomChanged.text': 'A sua reserva {number} em {hotel} de {checkIn} a {checkOut} foi alterada.',
  'mail.roomChanged.price': 'Consulte o preço atual e todos os detalhes na página da sua inscrição.',
  'mail.blockDeadline.subject': 'Indique os seus hóspedes até {deadline}: {event}',
  'mail.blockDeadline.text': 'No contingente {block} há {unbooked} noites de quarto sem hóspede. Indique os seus hóspedes até {deadline}.',
  'mail.blockDeadline.then': 'Os quartos sem hóspede são libertados no fim desse dia.',
  'mail.blockEnded.subject': 'Quartos não utilizados libertados: {event}',
  'mail.blockEnded.text': 'O prazo do contingente {block} terminou. Foram libertadas {unbooked} noites de quarto sem hóspede.',
  'mail.blockEnded.kept': 'Os quartos reservados mantêm-se reservados.',
}
