import type { Catalogue } from '../translator.ts'

export const blocks: Catalogue = {
  'mail.blockReceived.subject': 'Solicitud de habitaciones {number} recibida: {event}',
  'mail.blockReceived.text': 'Hemos recibido la solicitud {number} de {requester} de {nights} noches de habitación, del {from} al {until}.',
  'mail.blockReceived.next': 'El equipo de alojamiento la revisa y le indicará por correo qué habitaciones puede tener.',
  'mail.blockAllocated.subject': 'Habitaciones para {requester} en {event}',
  'mail.blockAllocated.text': 'Ofrecemos a {requester} {granted} de las {nights} noches de habitación de la solicitud {number}: {hotels}.',
  'mail.block.until': 'Acepte o rechace antes del {deadline}. Después se liberan las habitaciones.',
  'mail.blockAmended.subject': 'Cambio de la solicitud de habitaciones {number}: {event}',
  'mail.blockAmended.approved': 'Se ha aprobado el cambio de la solicitud {number}.',
  'mail.blockAmended.denied': 'No se ha aprobado el cambio de la solicitud {number}. Sus habitaciones quedan como están.',
  'mail.blockAmended.changed': 'El equipo de alojamiento ha cambiado las habitaciones de la solicitud {number}.',
  'mail.block.rooms': '{requester} tiene ahora {granted} noches de habitación: {hotels}.',
  'mail.blockReleased.subject': 'Habitaciones de la solicitud {number} liberadas: {event}',
  'mail.blockReleased.text':
    'Se han liberado {released} noches de habitación sin huésped de la solicitud {number}. Las reservas de huéspedes con nombre se mantienen.',
  'mail.block.button': 'Ver la solicitud',
  'mail.required.request': 'Solicitud',
}
