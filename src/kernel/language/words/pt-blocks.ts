import type { Catalogue } from '../translator.ts'

export const blocks: Catalogue = {
  'mail.blockReceived.subject': 'Pedido de quartos {number} recebido: {event}',
  'mail.blockReceived.text': 'Recebemos o pedido {number} de {requester} de {nights} noites de quarto, de {from} a {until}.',
  'mail.blockReceived.next': 'A equipa de alojamento analisa-o e informa por email que quartos pode ter.',
  'mail.blockAllocated.subject': 'Quartos para {requester} em {event}',
  'mail.blockAllocated.text': 'Oferecemos a {requester} {granted} das {nights} noites de quarto do pedido {number}: {hotels}.',
  'mail.block.until': 'Aceite ou recuse até {deadline}. Depois disso, os quartos são libertados.',
  'mail.blockAmended.subject': 'Alteração do pedido de quartos {number}: {event}',
  'mail.blockAmended.approved': 'A alteração do pedido {number} foi aprovada.',
  'mail.blockAmended.denied': 'A alteração do pedido {number} não foi aprovada. Os seus quartos ficam como estão.',
  'mail.blockAmended.changed': 'A equipa de alojamento alterou os quartos do pedido {number}.',
  'mail.block.rooms': '{requester} tem agora {granted} noites de quarto: {hotels}.',
  'mail.blockReleased.subject': 'Quartos do pedido {number} libertados: {event}',
  'mail.blockReleased.text':
    '{released} noites de quarto sem hóspede do pedido {number} foram libertadas. As reservas de hóspedes indicados mantêm-se.',
  'mail.block.button': 'Ver o pedido',
  'mail.required.request': 'Pedido',
}
